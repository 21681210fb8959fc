//! "Why?" in one paragraph, computed from the record: why this node next, why this end (these two sentences are recorded with
//! the decision), and afterwards why a node was or was not taken and what would have had to differ.

mod end;
mod node;
mod what_if;

pub use end::{at_end, at_halt};
pub use node::node;
pub use what_if::{Decision, RunnerUp, least_value, least_value_of_answer, most_value_of_answer, runner_up};

use super::event::{NodeId, OutcomeKind, Stop};
use super::state::{State, Value};
use crate::asm::Action;
use crate::micro::Micro;

/// How a sentence is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// The person did it.
    ByHand,
    /// It comes next.
    Next,
    /// A sample that became no node.
    Sample,
    /// To be looked at.
    Warning,
    /// Something failed.
    Error,
}

/// A sentence of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// How it is to be taken.
    pub tone: Tone,
    /// The text; it may quote models and KGs.
    pub text: String,
}

impl Sentence {
    fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// A value with as many decimals as it has, two at least: a border is not rounded.
fn exact(value: Micro) -> String {
    let text = format!("{:.6}", value.as_f64());
    let short = text.trim_end_matches('0');
    text[..short.len().max(text.len() - 4)].to_owned()
}

/// `a value of 0.80 or more`
fn at_least(value: Micro) -> String {
    let more = if value == Micro::ONE { "" } else { " or more" };
    format!("a value of {}{more}", exact(value))
}

/// `node 7 (0.60)`
fn named(state: &State, id: NodeId) -> String {
    match state.value(id) {
        Value::Scored(value) => format!("node {} ({})", id.0, exact(value)),
        Value::ByHand(value) => format!("node {} ({} by hand)", id.0, exact(value)),
        Value::Unknown => format!("node {} (value unknown)", id.0),
        Value::Pending => format!("node {} (not valued yet)", id.0),
    }
}

/// What the search decides next; nothing while an expansion is under way, which may change it, and after the end.
#[must_use]
pub fn coming(state: &State) -> Option<Decision> {
    let under_way = state.started.is_none() || state.open_steps().any(|step| !step.by_hand());
    if under_way { None } else { what_if::decision(state) }
}

/// What comes next, in sentences: the node, or the end; nothing while that is not decided.
#[must_use]
pub fn what_comes(state: &State) -> Vec<Sentence> {
    let said = match coming(state) {
        None => {
            let Some(node) = state.open_steps().filter(|step| !step.by_hand()).find_map(|step| step.node) else { return Vec::new() };
            format!("The expansion of {} goes on; what it brings decides what comes after it.", named(state, node))
        }
        Some(Decision::Expand(node)) => sentence(&format!("{}: {}", named(state, node), next_node(state, node))),
        Some(Decision::Force(node)) => format!("Nothing else is left: an answer is asked for at {}.", named(state, node)),
        Some(Decision::End(Some(answer))) => format!("The search ends with {}.", named(state, answer)),
        Some(Decision::End(None)) => "The search ends without an answer.".to_owned(),
    };
    vec![Sentence::new(Tone::Plain, said)]
}

/// Why `id` is expanded next.
#[must_use]
pub fn next_node(state: &State, id: NodeId) -> String {
    let open = state.frontier();
    if open.len() == 1 {
        return "the only open node".to_owned();
    }
    let Some(node) = state.node(id) else { return String::new() };
    if state.pin_of(id).is_some() {
        return "you pinned it".to_owned();
    }
    let value = state.value(id);
    let mut why = match (value, &node.action) {
        (Value::Scored(v), _) => format!("value {v}, the highest of {} open nodes", open.len()),
        (Value::ByHand(v), _) => format!("value {v} by hand, the highest of {} open nodes", open.len()),
        (_, Action::Error { .. }) => "only error nodes are left open".to_owned(),
        _ => "no open node has a known value".to_owned(),
    };
    let ties: Vec<NodeId> = open.into_iter().filter(|o| *o != id && state.value(*o).known() == value.known()).collect();
    if let Some(first) = ties.first() {
        let deeper = ties.iter().all(|t| state.node(*t).is_some_and(|n| n.depth < node.depth));
        why.push_str(&format!(
            "; {} tie with it ({})",
            if ties.len() == 1 { format!("node {}", first.0) } else { format!("{} nodes", ties.len()) },
            if deeper { "it is the deepest" } else { "it was created first among the deepest" }
        ));
    }
    why
}

/// Why the search ended so.
#[must_use]
pub fn end(state: &State, outcome: OutcomeKind, stop: Stop, answer: Option<NodeId>, best: Option<NodeId>) -> String {
    let settings = state.settings();
    let value = |id: NodeId| state.value(id).known().map_or_else(|| "unknown".to_owned(), |v| v.to_string());
    let what = match (stop, answer) {
        (Stop::Accepted, Some(id)) => format!("you accepted the answer of node {}", id.0),
        (Stop::Threshold, Some(id)) => {
            format!("the answer of node {} has value {}, at or over the threshold {}", id.0, value(id), settings.threshold)
        }
        (Stop::Budget, _) => {
            format!("{} expansions are used up without an answer at or over {}", settings.max_expansions, settings.threshold)
        }
        (Stop::FrontierEmpty, _) => format!("nothing is left to expand and no answer reached {}", settings.threshold),
        (_, None) => String::new(),
    };
    match (outcome, answer, best) {
        (OutcomeKind::Answered, Some(id), _) if stop != Stop::Threshold && stop != Stop::Accepted => {
            format!("{what}; an answer was asked for, and that of node {} has value {}", id.0, value(id))
        }
        (OutcomeKind::BestEffort, Some(id), _) => {
            format!("{what}; the best answer (node {}, value {}) is given as a best effort", id.0, value(id))
        }
        (OutcomeKind::NoAnswer, _, Some(id)) => format!("{what}; the best candidate is node {} with value {}", id.0, value(id)),
        _ => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_not_rounded() {
        let values = [0, 800_000, 805_000, 123_456, 1_000_000].map(|n| exact(Micro::from_millionths(n).unwrap_or(Micro::ZERO)));
        assert_eq!(values, ["0.00", "0.80", "0.805", "0.123456", "1.00"]);
    }
}
