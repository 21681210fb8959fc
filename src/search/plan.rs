//! What is next: the one place where a strategy's word becomes events. Shared by the runner and by every test.

use super::act::{Act, Again};
use super::ask::{Ask, AskSpec, NotYet, What};
use super::event::{Call, Event, LlmCall, PartId, StepId, StepKind};
use super::model::ModelRef;
use super::state::{ActRecord, State};
use super::strategy::Strategy;
use crate::calls::{AskId, KgCall, Part};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// What a session needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Record this decision. `by_hand`: it belongs to a growth by hand and passes while paused.
    Decide {
        /// The decision.
        event: Box<Event>,
        /// Whether it serves an act of the person.
        by_hand: bool,
    },
    /// Ask these, all at once.
    Ask {
        /// The asks.
        specs: Vec<AskSpec>,
        /// Whether they serve an act of the person.
        by_hand: bool,
    },
    /// Replies are on their way.
    Wait,
    /// There is nothing to do.
    Done,
    /// A prompt template can't be filled in.
    Broken(String),
}

/// What is next in `state`. With `engine` false, only growths by hand are looked at (the engine is paused).
#[must_use]
pub fn next(state: &State, strategy: &dyn Strategy, engine: bool) -> Next {
    let mut waiting = false;
    let mut engine_busy = false;
    for step in state.open_steps() {
        engine_busy |= !step.by_hand();
        if !engine && !step.by_hand() {
            continue;
        }
        match strategy.advance(state, step) {
            Ok(event) => return Next::Decide { event: Box::new(event), by_hand: step.by_hand() },
            Err(NotYet::Ask(specs)) => return Next::Ask { specs, by_hand: step.by_hand() },
            Err(NotYet::Broken(why)) => return Next::Broken(why),
            Err(NotYet::Wait | NotYet::Nothing) => waiting = true,
        }
    }
    if let Some(event) = hand_step(state) {
        return Next::Decide { event: Box::new(event), by_hand: true };
    }
    if engine && !engine_busy {
        match strategy.choose(state) {
            Ok(event) => return Next::Decide { event: Box::new(event), by_hand: false },
            Err(NotYet::Ask(specs)) => return Next::Ask { specs, by_hand: false },
            Err(NotYet::Broken(why)) => return Next::Broken(why),
            Err(NotYet::Wait) => waiting = true,
            Err(NotYet::Nothing) => {}
        }
    }
    if waiting { Next::Wait } else { Next::Done }
}

/// Opens the step of the first act that wants one and has none yet: a growth by hand, or the model asked out of turn.
fn hand_step(state: &State) -> Option<Event> {
    let waits = |act: &ActRecord| act.active && !state.steps.iter().any(|s| s.act == Some(act.id));
    let (act, kind, node, why) = state.acts.iter().filter(|a| waits(a)).find_map(|a| match &a.what {
        Act::Choose { node, .. } => Some((a.id, StepKind::Hand, *node, "by hand")),
        Act::AskAgain { node, what: Again::Value, .. } => Some((a.id, StepKind::Value, *node, "you asked for the value again")),
        Act::AskAgain { node, edits, .. } if edits.is_empty() => {
            Some((a.id, StepKind::Expand, *node, "you asked the model here, out of turn"))
        }
        Act::AskAgain { node, .. } => Some((a.id, StepKind::Expand, *node, "you asked the model here, with an edited prompt")),
        Act::Review { node, .. } => Some((a.id, StepKind::Review, *node, "you asked what the model thinks of its facts")),
        Act::More { node, .. } => Some((a.id, StepKind::Page, *node, "you asked for the next page")),
        _ => None,
    })?;
    let step = StepId(u32::try_from(state.steps.len()).ok()?);
    Some(Event::Opened { step, kind, node: Some(node), counts: false, act: Some(act), why: why.to_owned() })
}

/// The events that record an ask: texts that are new, then the ask itself.
#[must_use]
pub fn ask_events(state: &State, spec: &AskSpec) -> Vec<Event> {
    let id = AskId(u32::try_from(state.asks.len()).unwrap_or(u32::MAX));
    let mut events = Vec::new();
    let (call, hash) = match &spec.what {
        What::Kg(call) => (Call::Kg(call.clone()), kg_hash(call)),
        What::Llm { kind, parts, temperature_milli, stop, max_tokens, slots, omitted, shown, unlisted, listed, structured } => {
            let mut next = state.parts.len();
            let mut ids = Vec::with_capacity(parts.len());
            for part in parts {
                let known = state.part_of(&part.text).or_else(|| {
                    events.iter().find_map(|e| match e {
                        Event::Part { id, text, .. } if *text == part.text => Some(*id),
                        _ => None,
                    })
                });
                ids.push(known.unwrap_or_else(|| {
                    let id = PartId(u32::try_from(next).unwrap_or(u32::MAX));
                    next += 1;
                    events.push(Event::Part { id, kind: part.kind, text: part.text.clone() });
                    id
                }));
            }
            let model = state.model_for(spec.key.step, spec.key.purpose);
            let hash = llm_hash(state.model(model), model.is_some(), parts, *temperature_milli, stop, *max_tokens, *structured);
            let call = LlmCall {
                kind: *kind,
                parts: ids,
                temperature_milli: *temperature_milli,
                stop: stop.clone(),
                max_tokens: *max_tokens,
                slots: *slots,
                omitted: *omitted,
                shown: *shown,
                unlisted: *unlisted,
                listed: *listed,
                structured: *structured,
                model,
            };
            (Call::Llm(call), hash)
        }
    };
    let nth = state.asked_before(&hash);
    events.push(Event::Asked { ask: id, key: spec.key, call, hash, nth });
    events
}

fn hex(hasher: &Xxh3) -> Arc<str> {
    format!("{:032x}", hasher.digest128()).into()
}

fn field(hasher: &mut Xxh3, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn llm_hash(
    model: ModelRef<'_>,
    other: bool,
    parts: &[Part],
    temperature_milli: u32,
    stop: &[String],
    max_tokens: u32,
    structured: bool,
) -> Arc<str> {
    let mut hasher = Xxh3::new();
    field(&mut hasher, model.service_model.as_bytes());
    for part in parts {
        field(&mut hasher, part.text.as_bytes());
    }
    for stop in stop {
        field(&mut hasher, stop.as_bytes());
    }
    hasher.update(&temperature_milli.to_le_bytes());
    hasher.update(&max_tokens.to_le_bytes());
    // Only when it is so: without it the hash is that of older sessions.
    if structured {
        field(&mut hasher, b"structured");
    }
    // Two servers may know a model by the same name. The session's own model has its name alone, as in older sessions.
    if other {
        field(&mut hasher, b"model");
        field(&mut hasher, model.spec.as_bytes());
        field(&mut hasher, model.url.unwrap_or_default().as_bytes());
    }
    hex(&hasher)
}

/// The hash of a KG call: previews and the cache are found by it.
#[must_use]
pub fn kg_hash(call: &KgCall) -> Arc<str> {
    let mut hasher = Xxh3::new();
    field(&mut hasher, b"kg");
    field(&mut hasher, serde_json::to_string(call).unwrap_or_default().as_bytes());
    hex(&hasher)
}

/// Slots of an ask that are not filled, each with its seed: mixed from the session's seed, what is asked and the slot,
/// never from node ids.
#[must_use]
pub fn slots_missing(state: &State, ask: &Ask) -> Vec<(u32, u64)> {
    let mut base = Xxh3::new();
    base.update(&state.started().seed.to_le_bytes());
    base.update(ask.hash.as_bytes());
    base.update(&ask.nth.to_le_bytes());
    let base = base.digest();
    let missing = ask.samples.iter().enumerate().filter(|(_, s)| s.is_none());
    missing.map(|(slot, _)| (u32::try_from(slot).unwrap_or(u32::MAX), split_mix(base.wrapping_add(slot as u64)))).collect()
}

/// One draw of `SplitMix64`.
#[must_use]
pub const fn split_mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
