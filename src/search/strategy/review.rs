//! The model judges the facts that an answer rests on: one prompt a fact, all at once, so that small models can follow them and no
//! verdict leans on another.

use super::super::act::Act;
use super::super::ask::{Ask, Need};
use super::super::event::{Event, NodeId, Purpose};
use super::super::review::{JudgedFact, told};
use super::super::state::{State, Step};
use super::prompt::Ingredients;
use super::round::{key, settled, together};
use crate::asm::{Action, Expect, Reply, Verdict, parse};
use crate::calls::PromptKind;
use crate::graph::Edge;

/// The next decision of a review.
pub fn advance(state: &State, step: &Step) -> Need<Event> {
    // Taken back, nobody waits for it any more.
    let act = step.act.and_then(|act| state.acts.get(act.index())).filter(|act| act.active && step.judged.is_none());
    let Some(Act::Review { node, facts, .. }) = act.map(|act| &act.what) else {
        return Ok(Event::Closed { step: step.id });
    };
    let asked = (0u32..).zip(facts).map(|(lane, fact)| {
        let evidence = evidence(state, *node, facts);
        // Too long a prompt is asked again without the other facts.
        settled(state, key(step.id, Purpose::Review, lane), |room| {
            ingredients(state, *node, fact, if room.refusals() > 0 { &[] } else { &evidence }).build(state, room)
        })
    });
    let asks = together(asked)?;
    let judged = facts.iter().zip(asks).map(|(fact, ask)| read(fact, ask)).collect();
    Ok(Event::Reviewed { step: step.id, node: *node, judged })
}

fn evidence(state: &State, node: NodeId, facts: &[Edge]) -> Vec<String> {
    let graph = state.graph(node);
    facts.iter().map(|fact| told(&graph, fact)).collect()
}

fn ingredients<'a>(state: &'a State, node: NodeId, fact: &Edge, evidence: &'a [String]) -> Ingredients<'a> {
    let answer = match state.node(node).map(|node| &node.action) {
        Some(Action::Answer { text, .. }) => Some(text.as_str()),
        _ => None,
    };
    let fact = Some(told(&state.graph(node), fact));
    Ingredients { answer, fact, evidence, ..Ingredients::new(PromptKind::Review, None, 1) }
}

/// What the model thinks of a fact; what can't be read is no verdict.
fn read(fact: &Edge, ask: &Ask) -> JudgedFact {
    let unknown = |why: &str| (Verdict::Unknown, why.to_owned());
    let (verdict, reason) = match (&ask.error, ask.samples.first().and_then(Option::as_ref)) {
        (Some(error), _) => unknown(&error.message),
        (None, None) => unknown("nothing was said"),
        (None, Some(sample)) => match parse(&Expect::Verdict, sample, &|_| false) {
            Ok(Reply::Verdict(verdict, reason)) => (verdict, reason),
            Ok(_) => unknown("no verdict was stated"),
            Err(unusable) => unknown(unusable.why()),
        },
    };
    JudgedFact { fact: fact.clone(), verdict, reason }
}
