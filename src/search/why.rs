//! "Why?" in one paragraph: why this node next, why this end.

use super::event::{NodeId, OutcomeKind, Stop};
use super::state::{State, Value};
use crate::asm::Action;

/// Why `id` is expanded next.
#[must_use]
pub fn next_node(state: &State, id: NodeId) -> String {
    let open = state.frontier();
    if open.len() == 1 {
        return "the only open node".to_owned();
    }
    let Some(node) = state.node(id) else { return String::new() };
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
