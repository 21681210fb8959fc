//! What comes next, in one sentence: for a person who goes step by step.

use super::ask::AskSpec;
use super::event::{Event, NodeId, Outcome, Purpose, Reading, StepId, StepKind};
use super::plan::{Next, next};
use super::state::State;
use super::strategy::Strategy;
use crate::asm::Action;
use crate::calls::PromptKind;

/// What the engine does next in `state`, if it can do anything; nothing is done.
#[must_use]
pub fn upcoming(state: &State, strategy: &dyn Strategy) -> Option<String> {
    // What was built and not sent comes first.
    let open = state.asks.iter().filter(|ask| !ask.is_complete() && ask.is_llm());
    let samples: usize = open.map(|ask| ask.samples.iter().filter(|sample| sample.is_none()).count()).sum();
    if samples > 0 {
        return Some(format!("sample: {} asked of the model with the prompt that is built", counted(samples, "sample is", "samples are")));
    }
    match next(state, strategy, true) {
        Next::Decide { event, .. } => decision(state, &event),
        Next::Ask { specs, .. } => asking(state, &specs),
        Next::Broken(why) => Some(format!("nothing: {why}")),
        Next::Wait | Next::Done => None,
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn at(state: &State, step: StepId) -> String {
    state.step(step).and_then(|step| step.node).map_or_else(|| "the start".to_owned(), |NodeId(n)| format!("node {n}"))
}

fn decision(state: &State, event: &Event) -> Option<String> {
    Some(match event {
        Event::Opened { kind: StepKind::Start, .. } => "start: the question is read".to_owned(),
        Event::Opened { kind: StepKind::ForceFinal, .. } => "forced answers: the budget of expansions is used up".to_owned(),
        Event::Opened { node: Some(node), why, .. } => format!("choose node: node {} ({why})", node.0),
        Event::Opened { .. } => "a step begins".to_owned(),
        Event::Read { step, rows, .. } => format!("parse: at {}, {}", at(state, *step), read(rows)),
        Event::Grew { step, children, refused, .. } => {
            let errors = children.iter().filter(|child| matches!(child.action, Action::Error { .. })).count();
            let grown = match (children.len() - errors, errors) {
                (0, 0) => "nothing grows".to_owned(),
                (0, _) => "an error node is added".to_owned(),
                (n, _) => format!("{} added", counted(n, "node is", "nodes are")),
            };
            let refused = match refused.len() {
                0 => String::new(),
                n => format!("; {} refused", counted(n, "choice is", "choices are")),
            };
            format!("transition: below {}, {grown}{refused}", at(state, *step))
        }
        Event::Paged { node, .. } => format!("the next page comes to node {}", node.0),
        Event::Valued { node, value: Some(value), .. } => format!("score: node {} gets value {value}", node.0),
        Event::Valued { node, .. } => format!("score: no value can be read for node {}", node.0),
        Event::Reviewed { node, .. } => format!("the facts of node {} are judged", node.0),
        Event::Closed { step } => format!("the expansion of {} is complete", at(state, *step)),
        Event::Finished(end) => format!("the search ends: {}", end.why),
        _ => return None,
    })
}

/// `2 choices are kept, 1 is outvoted, 1 is rejected`.
fn read(rows: &[Reading]) -> String {
    let count = |wanted: fn(&Outcome) -> bool| rows.iter().filter(|row| wanted(&row.outcome)).count();
    let kept = count(|outcome| matches!(outcome, Outcome::Kept(_)));
    let mut parts = vec![counted(kept, "choice is kept", "choices are kept")];
    let rest = [
        (count(|outcome| matches!(outcome, Outcome::Outvoted(_))), "outvoted"),
        (count(|outcome| matches!(outcome, Outcome::Rejected { .. })), "rejected"),
    ];
    parts.extend(rest.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    parts.join(", ")
}

fn asking(state: &State, specs: &[AskSpec]) -> Option<String> {
    let first = specs.first()?;
    let at = at(state, first.key.step);
    let many = specs.len();
    Some(match first.key.purpose {
        Purpose::Extract => "build prompt: the model is asked what the question mentions".to_owned(),
        Purpose::Search => format!("search: {} in the graphs", counted(many, "look", "looks")),
        Purpose::Match => format!("build {}: the model is asked which candidates are meant", counted(many, "prompt", "prompts")),
        Purpose::ListOut | Purpose::ListIn => format!("list relations: the graphs are asked what is on offer at {at}"),
        Purpose::Sample => format!("build prompt: {} at {at}", what_for(first)),
        Purpose::Edges => format!("fetch edges: {} for what was chosen at {at}", counted(many, "call to a graph", "calls to graphs")),
        Purpose::Score => format!("build {}: the model scores the new nodes below {at}", counted(many, "prompt", "prompts")),
        Purpose::Describe => "describe: the graphs are asked about the given entities".to_owned(),
        Purpose::Link => format!("link: the other graphs are asked about the new entities at {at}"),
        Purpose::Review => format!("build {}: the model judges the facts of {at}", counted(many, "prompt", "prompts")),
        Purpose::Aggregate => format!("compute: a graph computes what was chosen at {at}"),
    })
}

fn what_for(spec: &AskSpec) -> &'static str {
    match &spec.what {
        super::ask::What::Llm { kind: PromptKind::Entities, .. } => "the model selects entities",
        super::ask::What::Llm { kind: PromptKind::Relation, .. } => "the model selects a relation",
        super::ask::What::Llm { kind: PromptKind::FinalAnswer, .. } => "the model is asked for an answer",
        _ => "the model chooses the next action",
    }
}
