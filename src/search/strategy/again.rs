//! Asking again: what the model is asked at a node, now and with a person's edits, before it is sent.

use super::super::act::{Act, Again};
use super::super::ask::{Need, NotYet, What};
use super::super::event::{Event, NodeId, Purpose, StepId, Valuation};
use super::super::state::{State, Step};
use super::expand::{self, Offer};
use super::prompt::{Ingredients, offered_relations, usual_temperature};
use super::round::{key, settled};
use super::score;
use super::shorter::Room;
use crate::asm::{Action, AsmState, Edit};
use crate::calls::{Part, PromptKind};

/// What the person worded otherwise for the prompts of a step.
pub fn edits(state: &State, step: StepId) -> &[Edit] {
    let act = state.step(step).and_then(|step| step.act).and_then(|act| state.acts.get(act.index()));
    match act.map(|act| &act.what) {
        Some(Act::AskAgain { edits, .. }) => edits,
        _ => &[],
    }
}

/// The temperature that the person wants for the asks of a step, if it is not the usual one.
pub fn temperature(state: &State, step: StepId, purpose: Purpose) -> Option<u32> {
    state.otherwise(step, purpose).and_then(|otherwise| otherwise.temperature_milli)
}

/// The next decision of a step that asks for the value of a node again.
pub fn advance_value(state: &State, step: &Step) -> Need<Event> {
    let Some(node) = step.node.filter(|_| !step.grew) else { return Ok(Event::Closed { step: step.id }) };
    let asked = settled(state, key(step.id, Purpose::Score, 0), |room| {
        Ingredients {
            temperature_milli: temperature(state, step.id, Purpose::Score),
            ..score::ingredients(state, node, edits(state, step.id))
        }
        .build(state, room)
    });
    match asked {
        Ok(ask) => Ok(Event::Valued { node, value: score::read(state, node, ask), from: Valuation::Asked(ask.id) }),
        // An edited template that can't be filled in with what this node has: the value stays.
        Err(NotYet::Broken(_)) if !edits(state, step.id).is_empty() => Ok(Event::Closed { step: step.id }),
        Err(other) => Err(other),
    }
}

/// The kind of prompt that the model is asked with at `node`.
#[must_use]
pub fn kind_at(state: &State, node: NodeId, what: Again) -> PromptKind {
    let Some(at) = state.node(node) else { return PromptKind::Action };
    match (what, at.asm) {
        (Again::Value, _) if at.action.is_answer() => PromptKind::ScoreAnswer,
        (Again::Value, _) => PromptKind::ScoreState,
        (Again::Samples, AsmState::SelectingEntities) => PromptKind::Entities,
        (Again::Samples, AsmState::SelectingRelation) => PromptKind::Relation,
        (Again::Samples, _) if at.depth >= state.settings().max_depth => PromptKind::FinalAnswer,
        (Again::Samples, _) => PromptKind::Action,
    }
}

/// The temperature that the model is usually asked with at `node`, in thousandths.
#[must_use]
pub fn temperature_at(state: &State, node: NodeId, what: Again) -> u32 {
    usual_temperature(if what == Again::Value { 1 } else { expand::slots(&state.settings(), kind_at(state, node, what)) })
}

/// The prompt that the model would get at `node` with these edits.
///
/// # Errors
/// One sentence: it can't be known yet, or a template can't be filled in.
pub fn prompt_at(state: &State, node: NodeId, what: Again, edits: &[Edit]) -> Result<(PromptKind, Vec<Part>), String> {
    let built = match what {
        Again::Value => score::ingredients(state, node, edits).build(state, &Room::default()),
        Again::Samples => {
            let offer = match state.node(node).map(|at| (at.asm, &at.action)) {
                Some((AsmState::SelectingRelation, Action::SelectEntities { .. })) => match offered_relations(state, node) {
                    list if list.is_empty() => {
                        return Err("the relations are not listed yet: ask once with the prompt as it is, then edit".to_owned());
                    }
                    list => Offer::Relations(list),
                },
                // In the other states no step is needed to know what is on offer.
                _ => match expand::offer(state, StepId(0), node) {
                    Ok(Offer::Nothing(why)) => return Err(why),
                    Ok(offer) => offer,
                    Err(_) => return Err("what is on offer is not known yet".to_owned()),
                },
            };
            expand::ingredients(state, node, &offer, edits).build(state, &Room::default())
        }
    };
    match built {
        Ok(What::Llm { kind, parts, .. }) => Ok((kind, parts)),
        Ok(What::Kg(_)) => Err("no prompt is sent here".to_owned()),
        Err(NotYet::Broken(why)) => Err(why),
        Err(_) => Err("what is on offer is not known yet".to_owned()),
    }
}
