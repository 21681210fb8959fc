//! The start: the model extracts mentions, every KG is searched for candidates, the model matches. Together these are
//! the paper's `initialize`. If nothing matched it is done once more; then the search goes on with an empty graph and
//! says so.

use super::super::ask::{Ask, Need};
use super::super::event::{AskKey, Event, NewNode, Outcome, Purpose, Reading, Reason, StepId, StepKind, Valuation};
use super::super::state::{State, Step};
use super::link;
use super::prompt::Ingredients;
use super::round::{of_kg, settled, together};
use crate::asm::{Action, mention_label, parse_match, parse_mentions};
use crate::calls::{CallErrorKind, Candidate, KgData, KgOp, PromptKind, Sample};
use crate::graph::{Delta, Entity, KgName, LocalGraph};
use crate::micro::Micro;
use crate::search::NodeId;

/// What is said of an empty graph where the model and the graphs answered.
const NOTHING_FOUND: &str = "no entity of the question was found in the graph";

/// Times that the linking is tried.
const ROUNDS: u32 = 2;

/// Opens the start.
pub fn open(state: &State) -> Event {
    Event::Opened {
        step: StepId(u32::try_from(state.steps.len()).unwrap_or(u32::MAX)),
        kind: StepKind::Start,
        node: None,
        counts: false,
        act: None,
        why: "the question's entities have to be found first".to_owned(),
    }
}

/// The next decision of the start.
pub fn advance(state: &State, step: &Step) -> Need<Event> {
    if step.grew {
        let root = NodeId(0);
        return Ok(if state.nodes[0].valuation.is_none() {
            Event::Valued { node: root, value: Some(Micro::ONE), from: Valuation::Rule }
        } else {
            Event::Closed { step: step.id }
        });
    }
    if !state.started().entities.is_empty() {
        return given(state, step);
    }
    let mut notices = Vec::new();
    for round in 0..ROUNDS {
        let Some(rows) = step.reading(2 * round) else { return mentions(state, step, round) };
        let mentions: Vec<&str> =
            rows.iter().filter_map(|r| if let Outcome::Mention(m) = &r.outcome { Some(m.as_str()) } else { None }).collect();
        if mentions.is_empty() {
            continue;
        }
        let Some(rows) = step.reading(2 * round + 1) else { return matches(state, step, round, &mentions) };
        notices.extend(rows.iter().filter_map(|r| match &r.outcome {
            Outcome::Rejected { why, reason: Reason::KgFailed, .. } => Some(why.clone()),
            _ => None,
        }));
        let kgs = u32::try_from(state.started().kgs.len().max(1)).unwrap_or(u32::MAX);
        let matched = |r: &Reading| match &r.outcome {
            Outcome::Entity(Some(e)) => Some((r.slots.first().copied().unwrap_or(0) / kgs, (**e).clone())),
            _ => None,
        };
        let (mentions, found): (Vec<u32>, Vec<Entity>) = rows.iter().filter_map(matched).unzip();
        if !found.is_empty() {
            let linked = link::by_identifiers(state, step, round, found)?;
            notices.extend(linked.notices);
            notices.extend(step.unlinked());
            return Ok(root(step, link::by_mention(mentions.into_iter().zip(linked.entities)), notices));
        }
    }
    let unlinked = step.unlinked();
    let what = if unlinked.is_empty() { NOTHING_FOUND.to_owned() } else { format!("the question was not linked: {}", unlinked.join("; ")) };
    notices.push(format!("{what}: the search goes on with an empty graph"));
    Ok(root(step, Vec::new(), notices))
}

/// The start from entities that the person gave: each KG is asked what it knows of them.
fn given(state: &State, step: &Step) -> Need<Event> {
    let wanted = &state.started().entities;
    let kgs = &state.started().kgs;
    // Each by itself: an id of one KG is none of another, and a slip in one does not spoil the others.
    let calls: Vec<_> = wanted.iter().flat_map(|entity| kgs.iter().map(move |(kg, _)| (kg, &entity.id))).collect();
    let asks = together((0u32..).zip(&calls).map(|(lane, (kg, id))| {
        let ask = AskKey { step: step.id, purpose: Purpose::Describe, lane, round: 0 };
        settled(state, ask, |_| Ok(of_kg(kg, KgOp::Describe { ids: vec![(*id).clone()] })))
    }))?;
    let (mut found, mut notices) = (Vec::new(), Vec::new());
    for (entity, asks) in wanted.iter().zip(asks.chunks(kgs.len().max(1))) {
        let known = described(asks);
        if known.label.is_none() {
            notices.push(format!("no graph has a name for {}: check the id", entity.id));
        }
        if known.id != entity.id && known.also.iter().any(|(_, id)| *id == entity.id) {
            notices.push(format!("{} redirects to {}", entity.id, known.id));
        }
        // What has no name may have facts, and a KG that is down may answer later.
        found.push(if known.kg.is_empty() { entity.clone() } else { known });
    }
    for (ask, (kg, _)) in asks.iter().zip(&calls) {
        match (&ask.error, ask.reply.as_deref()) {
            (Some(error), _) if error.kind != CallErrorKind::Refused || kgs.len() == 1 => notices.push(format!("{kg}: {}", error.message)),
            (None, Some(reply)) => notices.extend(reply.notes.iter().map(|note| format!("{kg}: {note}"))),
            _ => {}
        }
    }
    let linked = link::by_identifiers(state, step, 0, found)?;
    notices.extend(linked.notices);
    Ok(root(step, linked.entities, notices))
}

/// What the KGs say together of one entity: those that name it first, then those that know its id. An entity of no KG when
/// none answered.
fn described(asks: &[&Ask]) -> Entity {
    let mut said: Vec<&Entity> = Vec::new();
    for ask in asks {
        if let Some(KgData::Entities(list)) = ask.reply.as_deref().map(|r| &r.data) {
            said.extend(list.first());
        }
    }
    let named: Vec<&&Entity> = said.iter().filter(|e| e.label.is_some() || e.description.is_some()).collect();
    let said: Vec<&Entity> = if named.is_empty() { said.into_iter().take(1).collect() } else { named.into_iter().copied().collect() };
    let nothing = Entity { id: "".into(), kg: "".into(), label: None, description: None, also: Vec::new() };
    let Some((first, rest)) = said.split_first() else { return nothing };
    rest.iter().fold((*first).clone(), |mut known, other| {
        known.merge(other);
        known
    })
}

fn root(step: &Step, found: Vec<Entity>, notices: Vec<String>) -> Event {
    // Two mentions may be one thing.
    let mut graph = LocalGraph::default();
    graph.add(&Delta { entities: found, ..Delta::default() });
    let entities: Vec<Entity> = graph.entities().cloned().collect();
    let observation = entities.is_empty().then(|| {
        let failed = !step.unlinked().is_empty();
        if failed { "the question was not linked: no entity was looked for, or none was chosen" } else { NOTHING_FOUND }.to_owned()
    });
    let delta = Delta { entities, ..Delta::default() };
    let node = NewNode { parent: None, merged: None, action: Action::Root, delta, observation, votes: (0, 0) };
    Event::Grew { step: step.id, children: vec![node], refused: Vec::new(), notices }
}

fn mentions(state: &State, step: &Step, round: u32) -> Need<Event> {
    // A round of the start may itself be asked again: rounds of the linking are ten apart.
    let key = AskKey { step: step.id, purpose: Purpose::Extract, lane: 0, round: round * 10 };
    let ask = settled(state, key, |room| Ingredients::new(PromptKind::Extract, None, 1).build(state, room))?;
    let rows = match (sample(ask), &ask.error) {
        (Some(sample), _) => match parse_mentions(sample) {
            Ok(found) => found.into_iter().map(|m| Reading { slots: vec![0], outcome: Outcome::Mention(m) }).collect(),
            Err(unusable) => vec![rejected(0, sample.text.clone().unwrap_or_default(), Reason::Unreadable, unusable.why())],
        },
        (None, error) => {
            let why = error.as_ref().map_or("no reply", |e| e.message.as_str());
            vec![rejected(0, String::new(), Reason::LlmFailed, why)]
        }
    };
    Ok(Event::Read { step: step.id, lane: 2 * round, rows, note: None })
}

/// The one sample of an ask.
pub fn sample(ask: &Ask) -> Option<&Sample> {
    ask.samples.first().and_then(Option::as_ref)
}

fn rejected(slot: u32, text: String, reason: Reason, why: &str) -> Reading {
    Reading { slots: vec![slot], outcome: Outcome::Rejected { text, reason, why: why.to_owned() } }
}

/// One mention in one KG.
struct Pair<'a> {
    lane: u32,
    mention: &'a str,
    kg: &'a KgName,
}

fn matches(state: &State, step: &Step, round: u32, mentions: &[&str]) -> Need<Event> {
    let kgs = &state.started().kgs;
    let mut pairs = Vec::new();
    for mention in mentions {
        for (kg, _) in kgs {
            pairs.push(Pair { lane: u32::try_from(pairs.len()).unwrap_or(u32::MAX), mention, kg });
        }
    }
    let limit = state.settings().candidate_limit;
    let searches = together(pairs.iter().map(|pair| {
        let key = AskKey { step: step.id, purpose: Purpose::Search, lane: pair.lane, round: round * 10 };
        let op = KgOp::Search { mention: mention_label(pair.mention).to_owned(), limit };
        settled(state, key, |_| Ok(of_kg(pair.kg, op.clone())))
    }))?;
    let picks = together(pairs.iter().zip(&searches).filter(|(_, search)| !candidates(search).is_empty()).map(|(pair, search)| {
        let key = AskKey { step: step.id, purpose: Purpose::Match, lane: pair.lane, round: round * 10 };
        let ingredients =
            Ingredients { mention: Some(pair.mention), candidates: candidates(search), ..Ingredients::new(PromptKind::Match, None, 1) };
        settled(state, key, |room| ingredients.build(state, room))
    }))?;
    let rows = pairs.iter().zip(&searches).map(|(pair, search)| {
        let pick = picks.iter().find(|p| p.key.lane == pair.lane);
        read_match(pair, search, pick.copied())
    });
    Ok(Event::Read { step: step.id, lane: 2 * round + 1, rows: rows.collect(), note: None })
}

/// What a search brought.
pub fn candidates(search: &Ask) -> &[Candidate] {
    match search.reply.as_deref().map(|r| &r.data) {
        Some(KgData::Candidates(list)) => list,
        _ => &[],
    }
}

fn read_match(pair: &Pair<'_>, search: &Ask, pick: Option<&Ask>) -> Reading {
    if let Some(error) = &search.error {
        return rejected(pair.lane, pair.mention.to_owned(), Reason::KgFailed, &format!("{}: {}", pair.kg, error.message));
    }
    let Some(pick) = pick else {
        return rejected(pair.lane, pair.mention.to_owned(), Reason::NotOffered, &format!("{} has no candidate for it", pair.kg));
    };
    let list = candidates(search);
    match sample(pick).map(|s| parse_match(s, list.len())) {
        Some(Ok(Some(index))) => {
            Reading { slots: vec![pair.lane], outcome: Outcome::Entity(list.get(index - 1).map(|c| Box::new(c.entity.clone()))) }
        }
        Some(Ok(None)) => Reading { slots: vec![pair.lane], outcome: Outcome::Entity(None) },
        Some(Err(why)) => rejected(pair.lane, pair.mention.to_owned(), Reason::Unreadable, why.why()),
        None => {
            rejected(pair.lane, pair.mention.to_owned(), Reason::LlmFailed, pick.error.as_ref().map_or("no reply", |e| e.message.as_str()))
        }
    }
}
