//! From a recorded ask to the job that an adapter gets.

use crate::calls::{About, AskId, Form, KgCall, KgOp, LlmRequest, PromptKind};
use crate::graph::KgName;
use crate::llm::LlmJob;
use crate::search::strategy::Strategy;
use crate::search::{Ask, Call, ModelRef, State, Structured, slots_missing};
use std::sync::Arc;

/// The job of an ask to the model: its open slots, with their seeds. `None` for an ask to a KG.
#[must_use]
pub fn llm_job(state: &State, strategy: &dyn Strategy, ask: &Ask) -> Option<LlmJob> {
    let Call::Llm(call) = &ask.call else { return None };
    let about = strategy.about(state, ask);
    let request = LlmRequest {
        kind: call.kind,
        model: state.model(call.model).service_model.to_owned(),
        parts: call.parts.iter().map(|id| (*state.parts[id.index()]).clone()).collect(),
        temperature_milli: call.temperature_milli,
        stop: call.stop.clone(),
        max_tokens: call.max_tokens,
        slots: slots_missing(state, ask),
        form: call.structured.then(|| form(call.kind, &about)).flatten(),
        form_required: state.settings().structured == Structured::On,
        completion: state.started().templates.profile().continues(),
    };
    Some(LlmJob { ask: ask.id, request, hash: ask.hash.clone(), nth: ask.nth, about })
}

/// What a reply may be.
fn form(kind: PromptKind, about: &About) -> Option<Form> {
    match kind {
        PromptKind::Action => Some(Form::Action(about.options.clone())),
        PromptKind::FinalAnswer => Some(Form::Answer),
        PromptKind::Entities => Some(Form::Entities(about.options.clone())),
        PromptKind::Relation => Some(Form::Relation(about.options.clone())),
        PromptKind::ScoreState => Some(Form::Value),
        PromptKind::ScoreAnswer => Some(Form::ReasonedValue),
        PromptKind::Review => Some(Form::Verdict),
        PromptKind::Extract | PromptKind::Match => None,
    }
}

/// The call of an ask to a KG.
#[must_use]
pub const fn kg_call(ask: &Ask) -> Option<&KgCall> {
    match &ask.call {
        Call::Kg(call) => Some(call),
        Call::Llm(_) => None,
    }
}

/// Every ask to the model so far, in order: what a model with a memory is primed with. The states are those at the
/// time of asking where it matters: paths and graphs of nodes do not change.
#[must_use]
pub fn llm_history(state: &State, strategy: &dyn Strategy) -> Vec<LlmJob> {
    state.asks.iter().filter_map(|ask| llm_job(state, strategy, ask)).collect()
}

/// Those of [`llm_history`] that went to this model.
#[must_use]
pub fn llm_history_of(state: &State, strategy: &dyn Strategy, model: ModelRef<'_>) -> Vec<LlmJob> {
    let same = |ask: &&Arc<Ask>| {
        let asked = state.model(state.asked_of(ask));
        (asked.spec, asked.url) == (model.spec, model.url)
    };
    state.asks.iter().filter(same).filter_map(|ask| llm_job(state, strategy, ask)).collect()
}

/// Every call to the KG `name` so far, in order.
#[must_use]
pub fn kg_history(state: &State, name: &KgName) -> Vec<(AskId, KgOp)> {
    let calls = state.asks.iter().filter_map(|ask| kg_call(ask).map(|call| (ask.id, call)));
    calls.filter(|(_, call)| call.kg == *name).map(|(id, call)| (id, call.op.clone())).collect()
}

/// An ask in a few words, for the list of calls in flight.
#[must_use]
pub fn describe(state: &State, ask: &Ask) -> String {
    let node = state.step(ask.key.step).and_then(|s| s.node);
    match &ask.call {
        Call::Kg(call) => match &call.op {
            KgOp::Search { mention, .. } => format!("search “{}” in {}", crate::text::one_line(mention), call.kg),
            KgOp::Edges { relation, .. } => format!("{} {relation} from {}", call.op.name(), call.kg),
            op => format!("{} from {}", op.name(), call.kg),
        },
        Call::Llm(call) => {
            use crate::calls::PromptKind as K;
            let what = match call.kind {
                K::Extract => return "mentions of the question".to_owned(),
                K::Match => return "match of a mention".to_owned(),
                K::Action | K::Entities | K::Relation => "samples",
                K::FinalAnswer => "forced answers",
                K::ScoreState | K::ScoreAnswer => "value",
                K::Review => "verdict on a fact",
            };
            let node = if matches!(call.kind, K::ScoreState | K::ScoreAnswer) { state.scored_by(ask) } else { node };
            let of = call.model.map_or_else(String::new, |by| format!(" ({})", crate::text::one_line(state.model(Some(by)).name)));
            node.map_or_else(|| format!("{what}{of}"), |n| format!("{what} of node {}{of}", n.0))
        }
    }
}
