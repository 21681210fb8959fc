//! Why a node is there, why it was or was not taken, and what became of the samples that were drawn at it.

use super::super::act::Act;
use super::super::describe::{describe, rejected_text};
use super::super::event::{By, NodeId, Outcome, Seq, StepKind};
use super::super::state::{Node, State, Step, Value};
use super::what_if::{self, Decision, RunnerUp};
use super::{Sentence, Tone, at_least, coming, exact, named};
use crate::asm::Action;
use crate::micro::Micro;
use crate::text::{cut, one_line};

/// Letters of a sample that are quoted.
const QUOTED: usize = 80;

/// The paragraph of a node. `then` makes the state before an entry, so that decisions are explained by what was known when they
/// were made; where it has none, that part is left out.
#[must_use]
pub fn node(state: &State, id: NodeId, then: &dyn Fn(Seq) -> Option<State>) -> Vec<Sentence> {
    let mut all = Vec::new();
    if let Some(node) = state.node(id) {
        came(&mut all, state, node);
        fate(&mut all, state, node, then);
        samples(&mut all, state, node);
    }
    all
}

/// How the node came to be.
fn came(all: &mut Vec<Sentence>, state: &State, node: &Node) {
    let parent = node.parent.map_or(0, |parent| parent.0);
    let (votes, of) = node.votes;
    let (tone, said) = match (&node.action, node.by) {
        (Action::Root, _) => (
            Tone::Plain,
            "The question, with the entities that it was linked to. Every walk starts here; its value is 1.0 by rule.".to_owned(),
        ),
        (Action::Error { why }, _) => (
            Tone::Plain,
            format!(
                "No sample of this expansion could be used: {why}. The node keeps the place; it is expanded only when nothing else is left."
            ),
        ),
        (_, By::You) => (Tone::ByHand, format!("You made it by hand, from node {parent}.")),
        _ if of == 0 => (Tone::ByHand, format!("Your rule left no other choice at node {parent}: the model was not asked.")),
        _ if of > 1 => (Tone::Plain, format!("The model chose it in {votes} of {of} samples at node {parent}.")),
        _ => (Tone::Plain, format!("The model chose it at node {parent}.")),
    };
    all.push(Sentence::new(tone, said));
    if let Some(step) = state.step(node.step) {
        let mut kept = votes_of(step, |outcome| matches!(outcome, Outcome::Kept(_)));
        let outvoted = votes_of(step, |outcome| matches!(outcome, Outcome::Outvoted(_))).len();
        kept.sort_unstable();
        if let Some(least) = kept.first().filter(|_| outvoted > 0 && node.by == By::Engine) {
            let votes = if *least == 1 { "1 vote was" } else { &format!("{least} votes were") };
            all.push(Sentence::new(
                Tone::Plain,
                format!(
                    "Of {} choices the {} most voted are kept: {votes} enough, of equals the one that came first.",
                    kept.len() + outvoted,
                    kept.len()
                ),
            ));
        }
        let act = step.act.and_then(|act| state.acts.get(act.index()));
        if let Some(Act::AskAgain { edits, otherwise, .. }) = act.map(|act| &act.what) {
            let how = if edits.is_empty() { "" } else { ", with a prompt that you edited" };
            let how = format!("{how}{}", otherwise.words());
            all.push(Sentence::new(Tone::ByHand, format!("You asked the model for it{how}.")));
        }
    }
    let again = state.steps.iter().filter(|step| step.id != node.step && step.kind != StepKind::Hand && step.children.contains(&node.id));
    match again.count() {
        0 => {}
        1 => all.push(Sentence::new(Tone::Plain, "The model made the same choice once more: both are this node.")),
        n => all.push(Sentence::new(Tone::Plain, format!("The model made the same choice {n} times more: all are this node."))),
    }
    if !node.marks.is_empty() && node.by != By::You {
        all.push(Sentence::new(Tone::ByHand, "You chose it too."));
    }
    match state.value(node.id) {
        Value::ByHand(value) => all.push(Sentence::new(Tone::ByHand, format!("You gave it the value {}.", exact(value)))),
        Value::Unknown => {
            if let Some(why) = state.no_value(node.id) {
                all.push(Sentence::new(Tone::Warning, format!("Its value is unknown: {}. The model can be asked again.", why.words())));
            }
        }
        _ => {}
    }
}

/// What became of it.
fn fate(all: &mut Vec<Sentence>, state: &State, node: &Node, then: &dyn Fn(Seq) -> Option<State>) {
    let standing = state.standings()[node.id.index()];
    if standing.withdrawn {
        all.push(Sentence::new(Tone::Warning, "You took it back (undo): the search does not see it."));
        return;
    }
    if standing.replaced {
        all.push(Sentence::new(
            Tone::Warning,
            "You asked the model again, and the new samples took its place: the search does not go on here.",
        ));
    } else if standing.pruned {
        all.push(Sentence::new(Tone::Warning, "You pruned it: the search does not go on here."));
    }
    let ended = state.finished.as_deref().filter(|(_, seq)| *seq >= state.reconsider).map(|(end, _)| end);
    if let Some(step) = node.expanded.and_then(|step| state.step(step)) {
        let order = node.order.map_or(String::new(), |order| format!("as number {} ", order + 1));
        let verb = if step.kind == StepKind::ForceFinal { "asked for a forced answer" } else { "expanded" };
        all.push(Sentence::new(Tone::Plain, format!("It was {verb} {order}because: {}.", step.why.trim_end_matches('.'))));
        if let Some(before) = then(step.seq).filter(|before| !step.by_hand() && before.next_node() == Some(node.id)) {
            all.extend(instead(&before, node.id, "would have come"));
        }
        if !step.closed {
            all.push(Sentence::new(Tone::Plain, "That expansion is under way."));
        }
    } else if node.action.is_answer() {
        let is_it = ended.is_some_and(|end| end.answer == Some(node.id));
        let threshold = state.settings().threshold;
        let said = match state.value(node.id).known() {
            _ if is_it => "It is the answer of the search.".to_owned(),
            Some(value) if value < threshold => {
                format!(
                    "It is an answer that does not end the search: its value {} is below the threshold {}.",
                    exact(value),
                    exact(threshold)
                )
            }
            _ => "It is an answer: nothing follows it.".to_owned(),
        };
        all.push(Sentence::new(Tone::Plain, said));
    } else if standing.grown_by_hand {
        all.push(Sentence::new(Tone::ByHand, "You went on from here by hand, so the strategy leaves it to you."));
    } else if !standing.pruned {
        let turn = match coming(state) {
            _ if ended.is_some() => Turn::Over,
            Some(Decision::Expand(_)) => Turn::Next,
            Some(Decision::End(_) | Decision::Force(_)) => Turn::Ends,
            None => Turn::UnderWay,
        };
        open(all, state, node, turn);
    }
}

/// Where the search stands while a node is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The first of the open nodes is expanded.
    Next,
    /// The search ends before.
    Ends,
    /// An expansion is under way, and what it brings may come before.
    UnderWay,
    /// The search has ended.
    Over,
}

/// What stands before a node that is open.
fn open(all: &mut Vec<Sentence>, state: &State, node: &Node, turn: Turn) {
    if state.value(node.id) == Value::Pending {
        all.push(Sentence::new(Tone::Plain, "It waits for its value."));
        return;
    }
    if state.next_node() == Some(node.id) {
        let reason = super::next_node(state, node.id);
        let (tone, said) = match turn {
            Turn::Over => (Tone::Plain, format!("It would have been expanded next, had the search gone on: {reason}.")),
            Turn::Next => (Tone::Next, format!("It is expanded next: {reason}.")),
            Turn::Ends => (Tone::Plain, format!("It would be expanded next ({reason}), but the search ends before.")),
            Turn::UnderWay => {
                let said = format!("It stands first of the open nodes ({reason}); what the expansion under way brings may come before it.");
                (Tone::Plain, said)
            }
        };
        all.push(Sentence::new(tone, said));
        all.extend(instead(state, node.id, "would come"));
        return;
    }
    let (rank, Some(first)) = (state.rank(node.id), state.next_node()) else { return };
    let before = state.frontier().into_iter().filter(|other| *other == first || state.rank(*other) > rank).count();
    let nodes = if before == 1 { "1 open node stands".to_owned() } else { format!("{before} open nodes stand") };
    let is = if turn == Turn::Over { "It was left open" } else { "It is open and waits" };
    let value = state.value(node.id).known().map_or_else(|| "unknown".to_owned(), exact);
    all.push(Sentence::new(Tone::Plain, format!("{is}: its value is {value}, and {nodes} before it, first {}.", named(state, first))));
    let bar = state.value(first).known();
    let what = needed(state, first, node.id, bar, what_if::least_value(state, node.id));
    all.push(Sentence::new(Tone::Plain, format!("It would come next {what}.")));
}

/// The runner-up and what would have to differ for it to come before `first`.
fn instead(state: &State, first: NodeId, would: &str) -> Option<Sentence> {
    let RunnerUp { node, bar, least, most } = what_if::runner_up(state, first)?;
    let mut said = format!(
        "Next best {} {}: it {would} first {}",
        if would == "would come" { "is" } else { "was" },
        named(state, node),
        needed(state, first, node, bar, least)
    );
    if let Some(most) = most {
        let border = if state.value(node).known() == Some(most) {
            format!("at {} or below", exact(most))
        } else {
            format!("below {}", exact(what_if::above(most).unwrap_or(most)))
        };
        said.push_str(&format!(", or with node {} {border}", first.0));
    }
    said.push('.');
    Some(Sentence::new(Tone::Plain, said))
}

/// `with a value above 0.80`, `with a value of 0.80 or more, since it is deeper`: what `node` needs to come before `first`.
fn needed(state: &State, first: NodeId, node: NodeId, bar: Option<Micro>, least: Option<Micro>) -> String {
    let depth = |id: NodeId| state.node(id).map(|node| node.depth);
    if state.pin_of(first).is_some() {
        return format!("without your pin of node {}", first.0);
    }
    match (least, bar) {
        (None, _) => "with no value: the first has the highest that there is".to_owned(),
        (Some(_), None) => "with any value that is known".to_owned(),
        (Some(least), Some(bar)) if least <= bar => {
            let why = if depth(node) > depth(first) { "it is deeper" } else { "it was created first" };
            format!("with {}, since of equals {why}", at_least(least))
        }
        (Some(_), Some(bar)) => format!("with a value above {}", exact(bar)),
    }
}

/// Votes of the choices of a step.
fn votes_of(step: &Step, wanted: impl Fn(&Outcome) -> bool) -> Vec<usize> {
    step.reading(0).unwrap_or_default().iter().filter(|row| wanted(&row.outcome)).map(|row| row.slots.len()).collect()
}

/// Why samples that were drawn here became no node.
fn samples(all: &mut Vec<Sentence>, state: &State, node: &Node) {
    for step in state.steps.iter().filter(|step| step.node == Some(node.id) && step.kind != StepKind::Start) {
        let samples: usize = votes_of(step, |_| true).iter().sum();
        let least = votes_of(step, |outcome| matches!(outcome, Outcome::Kept(_))).into_iter().min().unwrap_or(0);
        for row in step.readings.iter().flat_map(|(_, rows)| rows).chain(&step.refused) {
            let n = row.slots.len();
            let times = if n == 1 { "1 sample".to_owned() } else { format!("{n} samples") };
            match &row.outcome {
                Outcome::Outvoted(action) => {
                    let few = if n == least {
                        "as few as the last one that was kept, which came first"
                    } else {
                        &format!("and the last one that was kept has {least}")
                    };
                    all.push(Sentence::new(
                        Tone::Sample,
                        format!("Outvoted: {} has {n} of {samples} votes, {few}.", quoted(&describe(state, step.node, action))),
                    ));
                }
                Outcome::Rejected { text, why, reason } => {
                    let said = if text.is_empty() { "nothing".to_owned() } else { quoted(&rejected_text(state, step.node, *reason, text)) };
                    let verb = if step.refused.contains(row) { "chose" } else { "said" };
                    all.push(Sentence::new(Tone::Sample, format!("Rejected: {times} {verb} {said}, but {}.", why.trim_end_matches('.'))));
                }
                _ => {}
            }
        }
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", cut(&one_line(text), QUOTED))
}
