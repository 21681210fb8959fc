//! Values: all children of a step are scored in one concurrent round, and valued in their order.

use super::super::ask::{Ask, Need, NotYet};
use super::super::event::{ActId, Event, NodeId, Purpose, Valuation};
use super::super::state::{State, Step};
use super::prompt::Ingredients;
use super::round::{key, settled, together};
use crate::asm::{Action, Edit, Expect, Reply, Unusable, parse};
use crate::calls::PromptKind;
use crate::micro::Micro;

/// The next value, or the close of the step.
pub fn advance(state: &State, step: &Step) -> Need<Event> {
    let given = given_value(state, step);
    let waiting: Vec<(u32, NodeId)> =
        (0u32..).zip(&step.children).map(|(lane, id)| (lane, *id)).filter(|(_, id)| unvalued(state, *id)).collect();
    let Some(&(lane, node)) = waiting.first() else { return Ok(Event::Closed { step: step.id }) };
    let asked =
        |id: NodeId| !matches!(state.node(id).map(|n| &n.action), Some(Action::Error { .. })) && given.is_none_or(|(n, _, _)| n != id);
    // The round is complete before the first value of it is recorded.
    let scores = together(
        (0u32..)
            .zip(&step.children)
            .filter(|(_, id)| asked(**id) && made_here(state, step, **id))
            .map(|(lane, id)| score(state, step, lane, *id)),
    )?;
    let event = if !asked(node) {
        match given {
            Some((id, value, act)) if id == node => Event::Valued { node, value: Some(value), from: Valuation::Act(act) },
            _ => Event::Valued { node, value: None, from: Valuation::NotScored },
        }
    } else {
        let ask = scores.into_iter().find(|a| a.key.lane == lane).ok_or(NotYet::Wait)?;
        Event::Valued { node, value: read(state, node, ask), from: Valuation::Asked(ask.id) }
    };
    Ok(event)
}

fn unvalued(state: &State, id: NodeId) -> bool {
    state.node(id).is_some_and(|n| n.valuation.is_none())
}

fn made_here(state: &State, step: &Step, id: NodeId) -> bool {
    state.node(id).is_some_and(|n| n.step == step.id)
}

/// The value that the person gave with the act of this step.
fn given_value(state: &State, step: &Step) -> Option<(NodeId, Micro, ActId)> {
    let act = step.act?;
    match state.acts.get(act.index()).map(|a| &a.what) {
        Some(super::super::act::Act::Choose { value: Some(value), .. }) => step.children.last().map(|n| (*n, *value, act)),
        _ => None,
    }
}

fn score<'a>(state: &'a State, step: &Step, lane: u32, node: NodeId) -> Need<&'a Ask> {
    settled(state, key(step.id, Purpose::Score, lane), |room| ingredients(state, node, &[]).build(state, room))
}

/// The prompt for the value of a node.
pub fn ingredients<'a>(state: &'a State, node: NodeId, edits: &'a [Edit]) -> Ingredients<'a> {
    let answer = match state.node(node).map(|n| &n.action) {
        Some(Action::Answer { text, .. }) => Some(text.as_str()),
        _ => None,
    };
    let kind = if answer.is_some() { PromptKind::ScoreAnswer } else { PromptKind::ScoreState };
    Ingredients { answer, edits, ..Ingredients::new(kind, Some(node), 1) }
}

/// The value that the model gave.
pub fn read(state: &State, node: NodeId, ask: &Ask) -> Option<Micro> {
    match parsed(state, node, ask)? {
        Ok(Reply::Score(value)) => Some(value),
        _ => None,
    }
}

/// Why no value can be read from the model's reply; nothing if there is none, or it states one.
pub fn why_unread(state: &State, node: NodeId, ask: &Ask) -> Option<&'static str> {
    parsed(state, node, ask)?.err().map(Unusable::why)
}

fn parsed(state: &State, node: NodeId, ask: &Ask) -> Option<Result<Reply, Unusable>> {
    let sample = ask.samples.first()?.as_ref()?;
    let is_answer = state.node(node).is_some_and(|n| n.action.is_answer());
    let expect = if is_answer { Expect::ScoreAnswer } else { Expect::ScoreState };
    Some(parse(&expect, sample, &|_| false))
}
