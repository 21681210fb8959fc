//! One thing in several KGs: what its ids are elsewhere.
//!
//! By explicit identifiers when entities come in: every KG is asked once for all of them, its own and the others'. By
//! label, through the model, only for an entity that was selected and that a KG does not know yet.

use super::super::ask::{Ask, Need};
use super::super::event::{AskKey, Call, Event, Outcome, Purpose, Reading};
use super::super::state::{Node, State, Step};
use super::prompt::Ingredients;
use super::round::{key, of_kg, settled, together};
use super::start::{candidates, sample};
use crate::asm::parse_match;
use crate::calls::{KgCall, KgData, KgOp, PromptKind};
use crate::graph::{Delta, Entity, EntityId, KgName, LocalGraph};

/// Entities that are looked for in the other KGs at once.
const MOST: usize = 2_000;
/// The reading of an expansion that holds links by label (0 holds the samples).
pub const LANE: u32 = 1;

/// Entities with their ids elsewhere, and what went wrong.
#[derive(Debug, Default)]
pub struct Linked {
    /// The entities, in their order, with what was found in `also`.
    pub entities: Vec<Entity>,
    /// KGs that failed.
    pub notices: Vec<String>,
}

/// What `entities` are in the other KGs, by explicit identifiers: at most one call to each KG. `round` tells calls of one
/// step apart.
pub fn by_identifiers(state: &State, step: &Step, round: u32, mut entities: Vec<Entity>) -> Need<Linked> {
    let kgs = &state.started().kgs;
    if kgs.len() < 2 || entities.is_empty() {
        return Ok(Linked { entities, notices: Vec::new() });
    }
    let asks = together((0u32..).zip(kgs).filter_map(|(lane, (kg, _))| {
        let missing = |entity: &&Entity| entity.kg == *kg || entity.id_in(kg).is_none();
        let about: Vec<Entity> = entities.iter().filter(missing).take(MOST).cloned().collect();
        let op = KgOp::Link { entities: about.clone() };
        let ask = AskKey { step: step.id, purpose: Purpose::Link, lane, round };
        (!about.is_empty()).then(|| settled(state, ask, |_| Ok(of_kg(kg, op.clone()))))
    }))?;
    let mut notices = Vec::new();
    for ask in asks {
        let kg = &kgs[ask.key.lane as usize].0;
        match (&ask.error, ask.reply.as_deref().map(|r| &r.data)) {
            (Some(error), _) => notices.push(format!("linking in {kg} failed: {}", error.message)),
            (None, Some(KgData::Entities(found))) => found.iter().for_each(|found| take_up(&mut entities, found)),
            _ => {}
        }
    }
    Ok(Linked { entities, notices })
}

/// Files what one KG says of an entity with the entity that it means.
fn take_up(entities: &mut [Entity], found: &Entity) {
    let names = |entity: &Entity| {
        std::iter::once((&entity.kg, &entity.id))
            .chain(entity.also.iter().map(|(kg, id)| (kg, id)))
            .any(|(kg, id)| (*kg == found.kg && *id == found.id) || found.also.iter().any(|(k, i)| k == kg && i == id))
    };
    if let Some(entity) = entities.iter_mut().find(|entity| names(entity)) {
        entity.merge(found);
    }
}

/// A selected entity in a KG that does not know it.
struct Gap {
    lane: u32,
    entity: Entity,
    kg: KgName,
}

/// What the session found before for an entity in a KG: `Some(None)` when it looked and found nothing.
fn found_before(state: &State, entity: &EntityId, kg: &KgName) -> Option<Option<Entity>> {
    state.steps.iter().rev().flat_map(|step| step.reading(LANE).unwrap_or_default()).find_map(|row| match &row.outcome {
        Outcome::Linked { id, kg: k, to } if id == entity && k == kg => Some(to.as_deref().cloned()),
        _ => None,
    })
}

/// The decision about links by label that `step` needs before relations are listed; `None` when there is nothing (more)
/// to look for.
pub fn by_label(state: &State, step: &Step, node: &Node, selected: &[EntityId]) -> Need<Option<Event>> {
    let kgs = &state.started().kgs;
    if kgs.len() < 2 || step.reading(LANE).is_some() {
        return Ok(None);
    }
    let graph = state.graph(node.id);
    let mut gaps = Vec::new();
    for (at, entity) in selected.iter().enumerate().filter_map(|(at, id)| Some((at, graph.entity(id)?))) {
        for (number, (kg, _)) in kgs.iter().enumerate() {
            // A thing without a name can't be looked for by one.
            if entity.id_in(kg).is_none() && entity.label.is_some() && found_before(state, &entity.id, kg).is_none() {
                let lane = u32::try_from(at * kgs.len() + number).unwrap_or(u32::MAX);
                gaps.push(Gap { lane, entity: entity.clone(), kg: kg.clone() });
            }
        }
    }
    if gaps.is_empty() {
        return Ok(None);
    }
    // One that a person linked by hand, or whose look-up failed, was not asked for by its identifiers yet.
    let mut unasked: Vec<Entity> = Vec::new();
    for gap in &gaps {
        if !asked_for(state, step, &gap.entity.id) && !unasked.iter().any(|e| e.id == gap.entity.id) {
            unasked.push(gap.entity.clone());
        }
    }
    let linked = by_identifiers(state, step, 1, unasked)?.entities;
    let (told, gaps): (Vec<Gap>, Vec<Gap>) = gaps.into_iter().partition(|gap| explicit(&linked, gap).is_some());
    let limit = state.settings().candidate_limit;
    let searches = together(gaps.iter().map(|gap| {
        let op = KgOp::Search { mention: gap.entity.name().to_owned(), limit };
        settled(state, key(step.id, Purpose::Search, gap.lane), |_| Ok(of_kg(&gap.kg, op.clone())))
    }))?;
    let picks = together(gaps.iter().zip(&searches).filter(|(_, search)| !candidates(search).is_empty()).map(|(gap, search)| {
        let mention = described(&gap.entity);
        settled(state, key(step.id, Purpose::Match, gap.lane), |room| {
            let asked = Ingredients {
                mention: Some(&mention),
                linking: true,
                candidates: candidates(search),
                ..Ingredients::new(PromptKind::Match, None, 1)
            };
            asked.build(state, room)
        })
    }))?;
    let row = |gap: &Gap, to: Option<Entity>| Reading {
        slots: vec![gap.lane],
        outcome: Outcome::Linked { id: gap.entity.id.clone(), kg: gap.kg.clone(), to: to.map(Box::new) },
    };
    let mut rows: Vec<Reading> = told.iter().map(|gap| row(gap, explicit(&linked, gap))).collect();
    for (gap, search) in gaps.iter().zip(&searches) {
        let pick = picks.iter().find(|pick| pick.key.lane == gap.lane).copied();
        // A look-up that failed has not said that there is nothing: it is tried again at the next selection.
        if search.error.is_none() && pick.is_none_or(|pick| pick.error.is_none()) {
            rows.push(row(gap, picked(search, pick)));
        }
    }
    Ok(Some(Event::Read { step: step.id, lane: LANE, rows, note: None }))
}

/// `label - description`, as the model reads it.
fn described(entity: &Entity) -> String {
    match &entity.description {
        Some(description) => format!("{} - {description}", entity.name()),
        None => entity.name().to_owned(),
    }
}

/// Whether a KG was asked for the identifiers of an entity, before `step` or in another step, and answered.
fn asked_for(state: &State, step: &Step, id: &EntityId) -> bool {
    let asked = |ask: &Ask| match &ask.call {
        Call::Kg(KgCall { op: KgOp::Link { entities }, .. }) => entities.iter().any(|entity| entity.id == *id),
        _ => false,
    };
    state.asks.iter().any(|ask| ask.key.step != step.id && ask.reply.is_some() && asked(ask))
}

/// What identifiers say that the entity of a gap is in the gap's KG.
fn explicit(linked: &[Entity], gap: &Gap) -> Option<Entity> {
    let entity = linked.iter().find(|entity| entity.id == gap.entity.id)?;
    let id = entity.id_in(&gap.kg)?.clone();
    Some(Entity { id, kg: gap.kg.clone(), label: entity.label.clone(), description: None, also: Vec::new() })
}

fn picked(search: &Ask, pick: Option<&Ask>) -> Option<Entity> {
    let list = candidates(search);
    let index = pick.and_then(sample).and_then(|sample| parse_match(sample, list.len()).ok().flatten())?;
    list.get(index - 1).map(|candidate| candidate.entity.clone())
}

/// The links by label of selected entities, found in this step or before, as what they add to a graph.
pub fn known_links(state: &State, graph: &LocalGraph, selected: &[EntityId]) -> Delta {
    let mut delta = Delta::default();
    for entity in selected.iter().filter_map(|id| graph.entity(id)) {
        for (kg, _) in &state.started().kgs {
            if entity.id_in(kg).is_none()
                && let Some(Some(found)) = found_before(state, &entity.id, kg)
            {
                let also = vec![(found.kg.clone(), found.id.clone())];
                delta.entities.push(Entity { also, label: None, description: None, ..entity.clone() });
            }
        }
    }
    delta
}

/// The matches of mentions (by number) as entities: what was matched for one mention in several KGs is one thing, unless
/// identifiers say that it is another.
pub fn by_mention(found: impl IntoIterator<Item = (u32, Entity)>) -> Vec<Entity> {
    let mut all: Vec<(u32, Entity)> = Vec::new();
    for (mention, entity) in found {
        let agree = |a: &Entity, b: &Entity| a.id_in(&b.kg).is_none_or(|id| *id == b.id);
        let same = |(m, known): &&mut (u32, Entity)| *m == mention && agree(known, &entity) && agree(&entity, known);
        match all.iter_mut().find(same) {
            Some((_, known)) => known.merge(&entity),
            None => all.push((mention, entity)),
        }
    }
    all.into_iter().map(|(_, entity)| entity).collect()
}
