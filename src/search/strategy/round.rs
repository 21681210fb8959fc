//! Rounds: a decision reads a complete one.

use super::super::ask::{Ask, AskSpec, Need, NotYet, What};
use super::super::event::{AskKey, Purpose, StepId};
use super::super::state::State;
use crate::calls::{CallErrorKind, KgCall, KgOp};
use crate::graph::KgName;

/// How often a prompt that was too long is asked again with a smaller graph.
pub const MAX_SHORTER: u32 = 4;

/// A key in its first round.
pub const fn key(step: StepId, purpose: Purpose, lane: u32) -> AskKey {
    AskKey { step, purpose, lane, round: 0 }
}

/// The ask of `key`, once it is complete. A model call that was too long is asked again in the next round, for which
/// `build` gets the number of rounds before it (and leaves out more of the graph).
pub fn settled(state: &State, mut key: AskKey, build: impl Fn(u32) -> Need<What>) -> Need<&Ask> {
    let first = key.round;
    loop {
        let Some(ask) = state.ask_of(key) else {
            let what = build(key.round - first)?;
            return Err(NotYet::Ask(vec![AskSpec { key, what }]));
        };
        if !ask.is_complete() {
            return Err(NotYet::Wait);
        }
        let too_long = ask.error.as_ref().is_some_and(|e| e.kind == CallErrorKind::TooLong);
        if !too_long || !ask.is_llm() || key.round - first >= MAX_SHORTER {
            return Ok(ask);
        }
        key.round += 1;
    }
}

/// Several at once: all replies, or all missing asks together, or wait.
pub fn together<'a>(asks: impl IntoIterator<Item = Need<&'a Ask>>) -> Need<Vec<&'a Ask>> {
    let (mut done, mut missing, mut waiting) = (Vec::new(), Vec::new(), false);
    for ask in asks {
        match ask {
            Ok(ask) => done.push(ask),
            Err(NotYet::Ask(specs)) => missing.extend(specs),
            Err(NotYet::Wait) => waiting = true,
            Err(other) => return Err(other),
        }
    }
    if !missing.is_empty() {
        Err(NotYet::Ask(missing))
    } else if waiting {
        Err(NotYet::Wait)
    } else {
        Ok(done)
    }
}

/// A KG call as what is asked.
pub fn of_kg(kg: &KgName, op: KgOp) -> What {
    What::Kg(KgCall { kg: kg.clone(), op })
}
