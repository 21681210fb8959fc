//! Rounds: a decision reads a complete one.

use super::super::ask::{Ask, AskSpec, Need, NotYet, What};
use super::super::event::{AskKey, Call, Purpose, StepId};
use super::super::state::State;
use super::shorter::{MOST, Room};
use crate::calls::{CallErrorKind, KgCall, KgOp};
use crate::graph::KgName;

/// A key in its first round.
pub const fn key(step: StepId, purpose: Purpose, lane: u32) -> AskKey {
    AskKey { step, purpose, lane, round: 0 }
}

/// The ask of `key`, once it is complete. A model call that was too long is asked again in the next round, for which
/// `build` gets to know what room there is (and leaves out more of the graph), until nothing more can be left out. One whose model was changed before it was answered is asked again as it was.
pub fn settled<'a>(state: &'a State, mut key: AskKey, build: impl Fn(&Room<'a>) -> Need<What>) -> Need<&'a Ask> {
    let mut too_long: Vec<&Ask> = Vec::new();
    loop {
        let Some(ask) = state.ask_of(key) else {
            let what = build(&Room::of(state, key, &too_long))?;
            return match too_long.last().filter(|ask| is_same(state, ask, &what)) {
                Some(ask) => Ok(*ask),
                None => Err(NotYet::Ask(vec![AskSpec { key, what }])),
            };
        };
        if !ask.is_complete() {
            return Err(NotYet::Wait);
        }
        match ask.error.as_ref().filter(|_| ask.is_llm()).map(|error| error.kind) {
            Some(CallErrorKind::Superseded) => {}
            Some(CallErrorKind::TooLong) if too_long.len() < MOST => too_long.push(ask),
            _ => return Ok(ask),
        }
        key.round += 1;
    }
}

/// Whether `what` is the prompt of `ask` again.
fn is_same(state: &State, ask: &Ask, what: &What) -> bool {
    match (&ask.call, what) {
        (Call::Llm(call), What::Llm { parts, .. }) => {
            let before = call.parts.iter().filter_map(|id| state.parts.get(id.index())).map(|part| &part.text);
            before.eq(parts.iter().map(|part| &part.text))
        }
        _ => false,
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
