//! `tot replay --check`: every decision of a session is made again, and the first difference is named.

use super::Status;
use super::setup::{session_path, strategy_of};
use crate::search::strategy::Strategy;
use crate::search::{By, Entry, Event, NotYet, State, StepId, Valuation, ask_events, check_decision, next};
use crate::session::read;
use crate::text::{cut, one_line};
use std::io::Write;

/// Decides a session again.
///
/// # Errors
/// A file that is no session.
pub fn check(session: &str) -> anyhow::Result<Status> {
    let path = session_path(session);
    let recording = read(&path)?;
    anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
    let strategy = strategy_of(&recording.state.started().strategy)?;
    let mut state = State::default();
    let mut decisions = 0;
    for entry in &recording.entries {
        if let Some(difference) = differs(&state, entry, &*strategy) {
            let mut out = std::io::stdout().lock();
            writeln!(out, "entry {}: {}", entry.seq, one_line(&difference))?;
            return Ok(Status::Error);
        }
        decisions += u32::from(entry.ev.is_decision());
        state.apply(entry)?;
    }
    writeln!(std::io::stdout(), "{decisions} decisions were made again: all as recorded")?;
    Ok(Status::Ok)
}

/// What this program would have decided instead, if it is something else.
fn differs(state: &State, entry: &Entry, strategy: &dyn Strategy) -> Option<String> {
    let advanced = |id: StepId| state.step(id).map_or(Err(NotYet::Nothing), |step| strategy.advance(state, step));
    let decided = match &entry.ev {
        // What a person decided about the samples of the strategy: it has to fit what was read.
        Event::Read { step, rows, .. } if entry.by == By::You && state.step(*step).is_some_and(|step| !step.by_hand()) => {
            return match advanced(*step) {
                Ok(Event::Read { rows: read, .. }) => check_decision(state, *step, &read, rows).err().map(|refused| refused.0),
                _ => Some("a person decided about samples, and none would be read here".to_owned()),
            };
        }
        Event::Read { step, .. }
        | Event::Grew { step, .. }
        | Event::Paged { step, .. }
        | Event::Reviewed { step, .. }
        | Event::Closed { step } => advanced(*step),
        // A value that was asked for again belongs to another step than its node.
        Event::Valued { from: Valuation::Asked(ask), .. } => advanced(state.ask(*ask)?.key.step),
        Event::Valued { node, .. } => advanced(state.node(*node)?.step),
        // A growth by hand is opened beside the engine: what the engine would do is not asked.
        Event::Opened { .. } if entry.by == By::You => match next(state, strategy, false) {
            crate::search::Next::Decide { event, .. } => Ok(*event),
            _ => Err(NotYet::Nothing),
        },
        Event::Opened { .. } | Event::Finished(_) => strategy.choose(state),
        Event::Asked { key, hash, call, .. } => {
            let specs = match advanced(key.step) {
                Err(NotYet::Ask(specs)) => specs,
                _ => return Some(format!("{:?} would not be asked here", key.purpose)),
            };
            let Some(spec) = specs.iter().find(|s| s.key == *key) else {
                return Some(format!("{:?} would not be asked here", key.purpose));
            };
            return match ask_events(state, spec).last() {
                // The same texts, too: a recorded part that was changed is another one.
                Some(Event::Asked { hash: again, call: now, .. }) if again == hash && now == call => None,
                _ => Some(format!("another request would be made for {:?}", key.purpose)),
            };
        }
        _ => return None,
    };
    match decided {
        Ok(event) if event == entry.ev => None,
        Ok(event) => {
            let (recorded, now) = (json(&entry.ev), json(&event));
            let same = recorded.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
            Some(format!("recorded {}, decided now {}", around(&recorded, same), around(&now, same)))
        }
        Err(_) => Some(format!("recorded {}, nothing would be decided now", around(&json(&entry.ev), 0))),
    }
}

fn json(event: &Event) -> String {
    serde_json::to_string(event).unwrap_or_default()
}

/// What `text` begins with (the kind of event), and what stands around byte `at`.
fn around(text: &str, at: usize) -> String {
    let from = text.floor_char_boundary(at.saturating_sub(80));
    let start = if from <= 80 { String::new() } else { cut(text, 30).into_owned() + " " };
    let from = if from <= 80 { 0 } else { from };
    format!("{start}{}", cut(&text[from..], 240))
}
