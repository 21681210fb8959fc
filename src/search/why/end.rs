//! Why the search stopped, and what would have had to differ for it to go on or to end with something else.

use super::super::event::{NodeId, Seq, Stop};
use super::super::settings::Setting;
use super::super::state::State;
use super::what_if::{self, Decision, above, decision};
use super::{Sentence, Tone, at_least, exact, named, sentence};
use crate::text::one_line;

/// The paragraph of the last end of the search; nothing where there was none. `then` makes the state before an entry.
#[must_use]
pub fn at_end(state: &State, then: &dyn Fn(Seq) -> Option<State>) -> Vec<Sentence> {
    let Some((end, seq)) = state.finished.as_deref() else { return Vec::new() };
    let mut all = vec![Sentence::new(Tone::Plain, sentence(&end.why))];
    let Some(before) = then(*seq).filter(|before| before.started.is_some()) else { return all };
    all.extend(end.answer.and_then(|answer| outdated(state, answer)));
    all.extend(other_answer(&before, end.answer));
    let settings = before.settings();
    match end.stop {
        Stop::Accepted => {
            all.push(Sentence::new(
                Tone::Plain,
                format!("Without your word {}.", outcome(&before, decision(&what_if::without_acceptance(&before)))),
            ));
        }
        Stop::Threshold => all.extend(higher_threshold(&before, end.answer)),
        Stop::Budget | Stop::FrontierEmpty => {
            let more = Setting::MaxExpansions(settings.max_expansions.saturating_add(1));
            let said = match decision(&what_if::with_setting(&before, more)) {
                Some(Decision::Expand(node)) if end.stop == Stop::Budget => {
                    format!("One more expansion would have gone to {}.", named(&before, node))
                }
                _ => "More expansions would have changed nothing: no node is open.".to_owned(),
            };
            all.push(Sentence::new(Tone::Plain, said));
            all.extend(lower_threshold(&before, end.answer.or(end.best_candidate)));
        }
    }
    all
}

/// The paragraph of a search that stands still; nothing where it does not.
#[must_use]
pub fn at_halt(state: &State) -> Vec<Sentence> {
    let Some(halt) = state.halted.as_deref() else { return Vec::new() };
    let mut all = vec![Sentence::new(Tone::Error, sentence(&halt.why))];
    let under_way = state.open_steps().next();
    let on = match under_way.map(|step| step.node) {
        Some(Some(node)) => format!("It goes on in the expansion of {}.", named(state, node)),
        Some(None) => "It goes on where the question is linked.".to_owned(),
        None if state.nodes.is_empty() => return all,
        None => match decision(state) {
            Some(Decision::Expand(node)) => format!("It goes on with {}.", named(state, node)),
            Some(Decision::Force(node)) => format!("It goes on with a forced answer at {}.", named(state, node)),
            Some(Decision::End(_)) => "When it goes on it ends.".to_owned(),
            None => return all,
        },
    };
    all.push(Sentence::new(Tone::Plain, on));
    all
}

/// What a person corrected since the answer was made of it.
fn outdated(state: &State, answer: NodeId) -> Option<Sentence> {
    let correction = state.corrected_since(answer)?;
    let said =
        format!("Node {} rests on a fact that you corrected ({}): r asks for its value again.", answer.0, one_line(&correction.summary()));
    Some(Sentence::new(Tone::Warning, said))
}

/// The next best answer.
fn other_answer(before: &State, given: Option<NodeId>) -> Option<Sentence> {
    let other = before.answers().into_iter().find(|id| Some(*id) != given)?;
    let needs = match what_if::least_value_of_answer(before, other) {
        None => lower_answer(before, given, other).unwrap_or_else(|| "no value would have made it the answer".to_owned()),
        Some(least) => {
            let bar = given.and_then(|given| before.value(given).known()).filter(|bar| above(*bar) == Some(least));
            match bar {
                Some(bar) => format!("it would have been given with a value above {}", exact(bar)),
                None => format!("it would have been given with {}", at_least(least)),
            }
        }
    };
    Some(Sentence::new(Tone::Plain, format!("The next best answer was {}: {needs}.", named(before, other))))
}

/// The value of the answer with which the other one would have been given, where no value of the other one is enough.
fn lower_answer(before: &State, given: Option<NodeId>, other: NodeId) -> Option<String> {
    let (given, value) = (given?, before.value(other).known()?);
    let most = what_if::most_value_of_answer(before, given, other)?;
    let border = if most == value { format!("of {} or less", exact(value)) } else { format!("below {}", exact(value)) };
    let tie = before.value(given).known() == Some(value);
    let rule = if tie { "of equal values the deeper node counts, then the one made first; " } else { "" };
    Some(format!("{rule}it would have been given if node {} had a value {border}", given.0))
}

/// What a threshold would have done that the answer does not reach.
fn higher_threshold(before: &State, answer: Option<NodeId>) -> Option<Sentence> {
    let value = before.value(answer?).known()?;
    let said = match above(value) {
        None => "Its value is the highest there is: no threshold would have turned it down.".to_owned(),
        Some(higher) => {
            let then = decision(&what_if::with_setting(before, Setting::Threshold(higher)));
            format!("With a threshold above {} {}.", exact(value), outcome(before, then))
        }
    };
    Some(Sentence::new(Tone::Plain, said))
}

/// The threshold that would have accepted the best answer.
fn lower_threshold(before: &State, best: Option<NodeId>) -> Option<Sentence> {
    let best = best?;
    let value = before.value(best).known().filter(|value| *value < before.settings().threshold)?;
    let accepted = decision(&what_if::with_setting(before, Setting::Threshold(value))) == Some(Decision::End(Some(best)));
    accepted.then(|| Sentence::new(Tone::Plain, format!("A threshold of {} or less would have accepted node {}.", exact(value), best.0)))
}

fn outcome(before: &State, then: Option<Decision>) -> String {
    match then {
        Some(Decision::Expand(node)) => format!("the search would have gone on with {}", named(before, node)),
        Some(Decision::Force(node)) => format!("an answer would have been asked for at {}", named(before, node)),
        Some(Decision::End(Some(answer))) => format!("the search would have ended there all the same, with node {}", answer.0),
        Some(Decision::End(None)) => "the search would have ended there without an answer".to_owned(),
        None => "nothing would have been decided there".to_owned(),
    }
}
