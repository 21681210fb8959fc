//! A review: what the model thinks of the facts that an answer rests on.

use super::act::{Act, ActRefused};
use super::budget::Budget;
use super::event::{NodeId, StepKind};
use super::model::OtherModel;
use super::state::{State, Step};
use crate::asm::Verdict;
use crate::graph::{Edge, LocalGraph, Note, Object};
use crate::text::{one_line, quoted};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Facts that are judged at once, at most: each is a call.
pub const MOST: usize = 40;

/// What the model thinks of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFact {
    /// The fact.
    pub fact: Edge,
    /// What it is thought to be.
    pub verdict: Verdict,
    /// Why, in the model's words; or why its verdict is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Act {
    /// A review of the facts that the answer at `node` rests on, by the model that is asked now or by `model`.
    #[must_use]
    pub fn review(state: &State, node: NodeId, model: Option<OtherModel>) -> Self {
        let mut facts = state.evidence(node);
        facts.truncate(MOST);
        Self::Review { node, facts, model: model.map(Box::new) }
    }
}

/// Whether these facts can be judged.
pub(super) fn check(state: &State, node: NodeId, facts: &[Edge], model: Option<&OtherModel>) -> Result<(), ActRefused> {
    let refuse = |why: &str| Err(ActRefused(why.to_owned()));
    if !state.node(node).is_some_and(|node| node.action.is_answer()) {
        return refuse("only an answer rests on facts: select one (★)");
    }
    if facts.is_empty() {
        return Err(ActRefused(match state.corrected_since(node) {
            Some(correction) => {
                format!("the fact that it rests on was corrected by you ({}): ask for its value again (r)", correction.summary())
            }
            None => "the answer rests on no fact of the graph: there is nothing to judge".to_owned(),
        }));
    }
    if facts.len() > MOST {
        return Err(ActRefused(format!("{} facts at once are too many: {MOST} at most", facts.len())));
    }
    let graph = state.graph(node);
    if !facts.iter().all(|fact| graph.contains(fact)) {
        return refuse("a fact is not in the local graph any more: ask for the review again");
    }
    if state.open_steps().any(|step| step.kind == StepKind::Review && step.node == Some(node)) {
        return refuse("these facts are being judged already");
    }
    let budgets = state.settings().budgets;
    let left = budgets.of(Budget::Calls).map(|limit| limit.saturating_sub(state.counters().against(Budget::Calls)));
    if let Some(left) = left.filter(|left| *left < facts.len() as u64) {
        return Err(ActRefused(format!(
            "each fact is a call to the model: that are {}, and the budget of calls leaves {left}: raise it first (L, or --max-calls)",
            facts.len()
        )));
    }
    if let Some(budget) = state.forbids_call(false) {
        return Err(ActRefused(format!("the budget of {} is used up: raise it first (L, or {})", budget.name(), budget.flag())));
    }
    model.map_or(Ok(()), |model| model.check(state))
}

/// A fact as a prompt tells it: subject, relation and object, each quoted, and what the statement says besides.
pub(super) fn told(graph: &LocalGraph, fact: &Edge) -> String {
    let object = match &fact.o {
        Object::Entity(id) => graph.name(id).to_owned(),
        Object::Literal(literal) => literal.text.clone(),
    };
    let notes: Vec<String> = fact.notes.iter().map(Note::text).filter(|text| !text.is_empty()).map(|text| quoted(&text)).collect();
    let besides = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("{} - {} - {}{besides}", quoted(graph.name(&fact.s)), quoted(graph.relation_name(&fact.r)), quoted(&object))
}

/// What stands of a fact after all reviews of it: who does not know takes nothing back from who does.
#[derive(Clone, Copy, Debug)]
pub struct StandingVerdict<'a> {
    /// The last verdict that judged; where none did, the last one.
    pub judged: &'a JudgedFact,
    /// The review that gave it.
    pub step: &'a Step,
    /// The last review after it, which did not know.
    pub unsure: Option<&'a Step>,
}

impl StandingVerdict<'_> {
    /// Where a later review did not know: `openai:m1, 2026-11-30 14:05:10 UTC; lexical, asked later, did not know`. `date` writes
    /// milliseconds since 1970.
    #[must_use]
    pub fn said_by(&self, state: &State, date: impl Fn(u64) -> String) -> Option<String> {
        let later = one_line(state.reviewer(self.unsure?));
        let when = state.reviewed_at(self.step).map_or_else(String::new, |at| format!(", {}", date(at)));
        Some(format!("{}{when}; {later}, asked later, did not know", one_line(state.reviewer(self.step))))
    }
}

impl State {
    /// The reviews of the answer at `node` that were not taken back, the last first.
    fn reviews(&self, node: NodeId) -> impl Iterator<Item = (&Step, &[JudgedFact])> {
        let in_force = |step: &Step| step.act.and_then(|act| self.acts.get(act.index())).is_some_and(|act| act.active);
        let reviews =
            self.steps.iter().rev().map(|step| &**step).filter(move |step| step.kind == StepKind::Review && step.node == Some(node));
        reviews.filter(move |step| in_force(step)).filter_map(|step| step.judged.as_deref().map(|judged| (step, judged.as_slice())))
    }

    /// The last review of the answer at `node` that was not taken back, with its step.
    #[must_use]
    pub fn review(&self, node: NodeId) -> Option<(&Step, &[JudgedFact])> {
        self.reviews(node).next()
    }

    /// What the reviews of the answer at `node` made of a fact.
    #[must_use]
    pub fn verdict(&self, node: NodeId, fact: &Edge) -> Option<StandingVerdict<'_>> {
        let said: Vec<(&Step, &JudgedFact)> =
            self.reviews(node).filter_map(|(step, all)| Some((step, all.iter().find(|judged| judged.fact.same_fact(fact))?))).collect();
        let last = said.first().copied()?;
        let knows = said.iter().copied().find(|(_, judged)| judged.verdict != Verdict::Unknown);
        let (step, judged) = knows.unwrap_or(last);
        Some(StandingVerdict { judged, step, unsure: (step.id != last.0.id).then_some(last.0) })
    }

    /// When a review was asked for (milliseconds since 1970).
    #[must_use]
    pub fn reviewed_at(&self, step: &Step) -> Option<u64> {
        self.asks.iter().find(|ask| ask.key.step == step.id && ask.is_llm()).map(|ask| ask.at)
    }

    /// The name of the model that judged, of a review's step.
    #[must_use]
    pub fn reviewer(&self, step: &Step) -> &str {
        let ask = self.asks.iter().find(|ask| ask.key.step == step.id && ask.is_llm());
        self.model(ask.and_then(|ask| self.asked_of(ask))).name
    }
}

/// What was judged, shared.
pub(super) type Reviewed = Arc<Vec<JudgedFact>>;
