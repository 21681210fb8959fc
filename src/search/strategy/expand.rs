//! An expansion: what is on offer, k samples in one round, the vote, what the choices bring, and the scores.

use super::super::ask::{Ask, Need, NotYet};
use super::super::event::{Event, NodeId, Outcome, Purpose, Reading, Reason, StepId, StepKind};
use super::super::settings::Settings;
use super::super::state::{Node, State, Step};
use super::again::{edits, temperature};
use super::grow::{error_node, grew, grow};
use super::link;
use super::prompt::Ingredients;
use super::round::{key, of_kg, settled, together};
use super::score;
use crate::asm::{Action, AsmState, Edit, Expect, Options, Reply, Unusable, parse};
use crate::calls::{KgOp, PromptKind, Sample};
use crate::graph::{Direction, Entity, EntityId, LocalGraph, Relation, RelationRef};
use crate::text::one_line;
use std::collections::HashSet;

/// What can be chosen at a node.
pub enum Offer {
    /// State `default`; ANSWER is always possible.
    Actions {
        /// Whether THINK is offered.
        think: bool,
        /// Whether EXPAND is offered.
        expand: bool,
    },
    /// Depth or budget is used up: only an answer.
    FinalAnswer,
    /// These entities.
    Entities(Vec<Entity>),
    /// These relations.
    Relations(Vec<Relation>),
    /// Nothing: a dead end, and why.
    Nothing(String),
}

/// The next decision of an expansion (or of the forced answers at the end).
pub fn advance(state: &State, step: &Step) -> Need<Event> {
    let Some(node) = step.node.and_then(|n| state.node(n)) else { return Ok(Event::Closed { step: step.id }) };
    if step.grew {
        return score::advance(state, step);
    }
    if let Some(rows) = step.reading(0) {
        return grow(state, step, node, rows);
    }
    if state.ask_of(key(step.id, Purpose::Sample, 0)).is_some_and(|ask| !ask.is_complete()) {
        return Err(NotYet::Wait);
    }
    if step.kind != StepKind::ForceFinal
        && let (AsmState::SelectingRelation, Action::SelectEntities { ids }) = (node.asm, &node.action)
        && let Some(read) = link::by_label(state, step, node, ids)?
    {
        return Ok(read);
    }
    let offer = if step.kind == StepKind::ForceFinal { Offer::FinalAnswer } else { offer(state, step.id, node.id)? };
    if let Offer::Nothing(why) = offer {
        return Ok(grew(step, vec![error_node(node.id, why)], Vec::new(), notices(state, step)));
    }
    if let Some(action) = by_rule(state, step, node, &offer) {
        let rows = vec![Reading { slots: Vec::new(), outcome: Outcome::Kept(action) }];
        return Ok(Event::Read { step: step.id, lane: 0, rows, note: None });
    }
    read(state, step, node, &offer)
}

/// The only choice that a rule of the person leaves: the model is not asked. Where the person asks the model, it is.
fn by_rule(state: &State, step: &Step, node: &Node, offer: &Offer) -> Option<Action> {
    if step.by_hand() || state.ask_of(key(step.id, Purpose::Sample, 0)).is_some() {
        return None;
    }
    match offer {
        Offer::Entities(list) if state.steer_entities(node.id, list.clone()).forced => match &list[..] {
            [one] => Some(Action::SelectEntities { ids: vec![one.id.clone()] }),
            _ => None,
        },
        Offer::Relations(list) if state.steer_relations(node.id, list.clone()).forced => match &list[..] {
            [one] => Some(Action::SelectRelation { relation: one.at.clone() }),
            _ => None,
        },
        _ => None,
    }
}

/// What is on offer at `node` in `step`. In state `selecting relation` the KGs are asked, both directions together.
pub fn offer(state: &State, step: StepId, node: NodeId) -> Need<Offer> {
    let Some(node) = state.node(node) else { return Ok(Offer::Nothing("there is no such node".to_owned())) };
    Ok(match node.asm {
        AsmState::Default if node.depth >= state.settings().max_depth => Offer::FinalAnswer,
        AsmState::Default => {
            Offer::Actions { think: !matches!(node.action, Action::Think { .. }), expand: state.graph(node.id).entities().len() > 0 }
        }
        AsmState::SelectingEntities => {
            let steered = state.steer_entities(node.id, state.graph(node.id).entities().cloned().collect());
            match (steered.left.is_empty(), steered.forbidden) {
                (false, _) => Offer::Entities(steered.left),
                (true, 0) => Offer::Nothing("the local graph holds no entity to expand".to_owned()),
                (true, _) => Offer::Nothing("every entity of the local graph is forbidden by you".to_owned()),
            }
        }
        AsmState::SelectingRelation => relations(state, step, node)?,
        AsmState::Done => Offer::Nothing("nothing follows an answer".to_owned()),
    })
}

/// The listings of a step: forward and reverse of every KG that knows one of the entities.
fn listings<'a>(state: &'a State, step: StepId, graph: &LocalGraph, ids: &[EntityId]) -> Need<Vec<&'a Ask>> {
    let limit = state.settings().relation_limit;
    let kgs = &state.started().kgs;
    let both = [(Purpose::ListOut, Direction::Out), (Purpose::ListIn, Direction::In)];
    let lanes = (0u32..).zip(kgs).flat_map(|(lane, kg)| both.map(|(purpose, direction)| (lane, kg, purpose, direction)));
    together(lanes.filter_map(|(lane, (kg, _), purpose, direction)| {
        let op = KgOp::Relations { entities: graph.ids_in(kg, ids), direction, limit };
        let known = !matches!(&op, KgOp::Relations { entities, .. } if entities.is_empty());
        known.then(|| settled(state, key(step, purpose, lane), |_| Ok(of_kg(kg, op.clone()))))
    }))
}

/// The local graph of a node with what its selected entities were linked to by label.
pub fn graph_with_links(state: &State, node: &Node, selected: &[EntityId]) -> LocalGraph {
    let mut graph = state.graph(node.id);
    let links = link::known_links(state, &graph, selected);
    graph.add(&links);
    graph
}

fn relations(state: &State, step: StepId, node: &Node) -> Need<Offer> {
    let Action::SelectEntities { ids } = &node.action else {
        return Ok(Offer::Nothing("no entities were selected".to_owned()));
    };
    let asks = listings(state, step, &graph_with_links(state, node, ids), ids)?;
    let found = super::prompt::offered_relations_of(state, step);
    if !found.is_empty() {
        let left = state.steer_relations(node.id, found).left;
        if left.is_empty() {
            return Ok(Offer::Nothing("every relation on offer is forbidden by you".to_owned()));
        }
        return Ok(Offer::Relations(left));
    }
    // A graph that failed in one direction has not said that it has none.
    let failed = asks.iter().find_map(|a| a.error.as_ref());
    Ok(Offer::Nothing(match failed {
        Some(error) => format!("relations could not be listed: {}", error.message),
        None => {
            let notes: Vec<&str> = asks.iter().filter_map(|a| a.reply.as_deref()).flat_map(|r| &r.notes).map(String::as_str).collect();
            let mut why = no_relations(state, node.id, ids);
            if let Some(note) = notes.first() {
                why.push_str(&format!(" ({note})"));
            }
            why
        }
    }))
}

fn no_relations(state: &State, node: NodeId, ids: &[EntityId]) -> String {
    let graph = state.graph(node);
    let names: Vec<&str> = ids.iter().map(|id| graph.name(id)).collect();
    format!("no relations: the graph has none for {}", names.join(", "))
}

/// Listings that failed while others came.
pub(super) fn notices(state: &State, step: &Step) -> Vec<String> {
    let several = state.started().kgs.len() > 1;
    let asked = state.asks.iter().filter(|a| a.key.step == step.id);
    let failed = asked.filter_map(|a| {
        let what = match a.key.purpose {
            Purpose::ListOut => "relations",
            Purpose::ListIn => "reverse relations",
            Purpose::Search => "the look for a selected entity",
            _ => return None,
        };
        let kg = a.kg().filter(|_| several).map_or(String::new(), |kg| format!(" of {kg}"));
        a.error.as_ref().map(|e| format!("{what}{kg} failed: {}", e.message))
    });
    failed.collect()
}

/// The prompt for the samples at a node.
pub fn ingredients<'a>(state: &State, node: NodeId, offer: &Offer, edits: &'a [Edit]) -> Ingredients<'a> {
    let (kind, options) = match offer {
        Offer::Actions { think, expand } => (PromptKind::Action, Options::Actions { think: *think, expand: *expand }),
        Offer::Entities(list) => (PromptKind::Entities, Options::Entities(list.clone())),
        Offer::Relations(list) => (PromptKind::Relation, Options::Relations(list.clone())),
        Offer::FinalAnswer | Offer::Nothing(_) => (PromptKind::FinalAnswer, Options::None),
    };
    Ingredients { options, edits, ..Ingredients::new(kind, Some(node), slots(&state.settings(), kind)) }
}

/// Samples that are drawn with a prompt of this kind.
pub fn slots(settings: &Settings, kind: PromptKind) -> u32 {
    settings.samples(match kind {
        PromptKind::Entities => settings.entity_factor,
        PromptKind::Relation => settings.relation_factor,
        _ => 1,
    })
}

fn read(state: &State, step: &Step, node: &Node, offer: &Offer) -> Need<Event> {
    let edits = edits(state, step.id);
    let temperature_milli = temperature(state, step.id, Purpose::Sample);
    let ingredients = Ingredients { temperature_milli, ..ingredients(state, node.id, offer, edits) };
    let ask = match settled(state, key(step.id, Purpose::Sample, 0), |room| ingredients.build(state, room)) {
        // An edited template that can't be filled in with what this node has costs the act, not the search.
        Err(NotYet::Broken(why)) if !edits.is_empty() => {
            let outcome = Outcome::Rejected { text: String::new(), reason: Reason::Unreadable, why };
            return Ok(Event::Read { step: step.id, lane: 0, rows: vec![Reading { slots: vec![0], outcome }], note: None });
        }
        asked => asked?,
    };
    let mut rows = vote(read_samples(state, node, offer, &ask.samples), state.settings().branching as usize);
    if let Some(error) = &ask.error {
        // What came before the failure counts; the rest is shown as failed.
        let slots: Vec<u32> = (0u32..).zip(&ask.samples).filter(|(_, s)| s.is_none()).map(|(slot, _)| slot).collect();
        let outcome = Outcome::Rejected { text: String::new(), reason: Reason::LlmFailed, why: error.message.clone() };
        rows.push(Reading { slots, outcome });
    }
    Ok(Event::Read { step: step.id, lane: 0, rows, note: None })
}

/// One row per distinct choice or rejected text, in order of first appearance.
fn read_samples(state: &State, node: &Node, offer: &Offer, samples: &[Option<Sample>]) -> Vec<Reading> {
    let graph = state.graph(node.id);
    let labels: HashSet<String> = graph.entities().filter_map(|e| e.label.as_deref()).map(|l| one_line(l).to_lowercase()).collect();
    let known = |text: &str| labels.contains(&one_line(text).to_lowercase());
    let entities: Vec<EntityId>;
    let relations: Vec<RelationRef>;
    let expect = match offer {
        Offer::Actions { .. } => Expect::Action,
        Offer::FinalAnswer | Offer::Nothing(_) => Expect::FinalAnswer,
        Offer::Entities(list) => {
            entities = list.iter().map(|e| e.id.clone()).collect();
            Expect::Entities(&entities)
        }
        Offer::Relations(list) if state.settings().aggregate => Expect::RelationOrAggregate(list),
        Offer::Relations(list) => {
            relations = list.iter().map(|r| r.at.clone()).collect();
            Expect::Relation(&relations)
        }
    };
    let mut rows: Vec<Reading> = Vec::new();
    for (slot, sample) in (0u32..).zip(samples).filter_map(|(slot, s)| s.as_ref().map(|s| (slot, s))) {
        let outcome = match parse(&expect, sample, &known) {
            Ok(Reply::Action(action)) => allowed(state, node, action),
            Ok(Reply::Score(_) | Reply::Verdict(..)) => {
                reject(sample.text.as_deref(), Reason::Unreadable, "a number where an action was asked for")
            }
            Err(Unusable::Unreadable(why)) => reject(sample.text.as_deref(), Reason::Unreadable, why),
            Err(Unusable::NotOffered(why)) => reject(sample.text.as_deref(), Reason::NotOffered, why),
        };
        let same = |row: &&mut Reading| match (&row.outcome, &outcome) {
            // No text and an empty one, a cut one and a whole one, are told apart by why they are of no use.
            (Outcome::Rejected { text: a, reason: x, why: v }, Outcome::Rejected { text: b, reason: y, why: w }) => (a, x, v) == (b, y, w),
            (a, b) => a == b,
        };
        match rows.iter_mut().find(same) {
            Some(row) => row.slots.push(slot),
            None => rows.push(Reading { slots: vec![slot], outcome }),
        }
    }
    rows
}

/// What a person typed for an open step, read as a sample of the model would be.
pub fn read_typed(state: &State, step: StepId, text: &str) -> Outcome {
    let node = state.step(step).and_then(|step| step.node).and_then(|node| state.node(node));
    let Some((node, Ok(offer))) = node.map(|node| (node, offer(state, step, node.id))) else {
        return reject(Some(text), Reason::NotOffered, "nothing is on offer here any more");
    };
    let rows = read_samples(state, node, &offer, &[Some(Sample::stopped(text.to_owned()))]);
    rows.into_iter().next().map_or_else(|| reject(Some(text), Reason::Unreadable, "nothing was written"), |row| row.outcome)
}

fn reject(text: Option<&str>, reason: Reason, why: &str) -> Outcome {
    Outcome::Rejected { text: text.unwrap_or_default().trim().to_owned(), reason, why: why.to_owned() }
}

/// The rule that needs the trajectory: a thought must be new. (THINK after THINK, and EXPAND in an empty graph, are not
/// offered but taken: the next prompt finds nothing to offer and says so.)
fn allowed(state: &State, node: &Node, action: Action) -> Outcome {
    let Action::Think { text } = &action else { return Outcome::Kept(action) };
    let before = state.path_to(node.id);
    if before.iter().any(|n| matches!(&n.action, Action::Think { text: t } if t == text)) {
        return reject(Some(&action.token()), Reason::Repeat, "the same thought stands in the trajectory already");
    }
    Outcome::Kept(action)
}

/// The k most voted choices survive, ties by first appearance; the rest are outvoted. The order of the rows stays.
fn vote(mut rows: Vec<Reading>, k: usize) -> Vec<Reading> {
    let mut ranked: Vec<usize> = (0..rows.len()).filter(|i| matches!(rows[*i].outcome, Outcome::Kept(_))).collect();
    ranked.sort_by_key(|i| std::cmp::Reverse(rows[*i].slots.len()));
    for i in ranked.into_iter().skip(k.max(1)) {
        if let Outcome::Kept(action) = rows[i].outcome.clone() {
            rows[i].outcome = Outcome::Outvoted(action);
        }
    }
    rows
}
