//! Prompts as sent, part by part: what was filled in differs from what is the same in every prompt, and what changed since the
//! prompt of the same kind before it is marked.

use super::super::super::flying::Flying;
use super::super::super::scene::Scene;
use super::super::super::theme::Role;
use super::super::super::widgets::wrap::Document;
use super::{changes, heading, line};
use crate::asm::{Edit, Templates, Wording};
use crate::calls::{PartKind, PromptKind};
use crate::search::{Act, Again, Ask, Call, LlmCall, NodeId, PartId, Purpose, State};
use crate::text::one_line;

/// The prompts about a node in the order they were asked: linking (root), samples, values.
pub(super) fn asks(scene: &Scene, id: NodeId) -> Vec<&Ask> {
    let state: &State = &scene.state;
    let Some(node) = state.node(id) else { return Vec::new() };
    let linking = |ask: &Ask| node.parent.is_none() && ask.key.step == node.step && ask.is_llm();
    let about =
        |ask: &Ask| matches!(ask.key.purpose, Purpose::Sample | Purpose::Score | Purpose::Review) && state.asked_about(ask) == Some(id);
    state.asks.iter().map(|ask| &**ask).filter(|ask| linking(ask) || about(ask)).collect()
}

/// The prompt of the same kind that came before `ask` at its node, or at the nearest node above.
fn before<'a>(state: &'a State, id: NodeId, ask: &Ask, call: &LlmCall) -> Option<&'a LlmCall> {
    let of_kind = |other: &'a Ask| match &other.call {
        Call::Llm(other) if other.kind == call.kind => Some(other),
        _ => None,
    };
    let earlier: Vec<&Ask> =
        state.asks.iter().map(|other| &**other).filter(|other| other.id < ask.id && of_kind(other).is_some()).collect();
    state.path_to(id).iter().rev().find_map(|node| {
        let last = earlier.iter().rev().find(|other| state.asked_about(other) == Some(node.id));
        last.and_then(|other| of_kind(other))
    })
}

pub(super) fn document(scene: &Scene, id: NodeId, flying: &Flying<'_>) -> Document {
    let mut document = Document::default();
    let mut found = asks(scene, id);
    // The newest question about a node is the one a person looks for.
    found.reverse();
    for ask in found {
        let Call::Llm(call) = &ask.call else { continue };
        heading(&mut document, title(&scene.state, ask, call, flying));
        if let Some(shown) = call.shown_of() {
            line(&mut document, Role::Warning, format!("{shown} are shown: the prompt was too long for the model"));
        }
        parts(&mut document, &scene.state, id, ask, call);
    }
    if document.is_empty() {
        line(&mut document, Role::Dim, "No prompt yet: this node was not expanded, and no score was asked for.");
    }
    document
}

fn parts(document: &mut Document, state: &State, id: NodeId, ask: &Ask, call: &LlmCall) {
    let part = |id: &PartId| state.parts.get(id.index()).map(|part| &**part);
    let before = before(state, id, ask, call);
    let edits = edits(state, ask);
    for part in call.parts.iter().filter_map(part) {
        let (name, role) = match part.kind {
            PartKind::Instructions => ("instructions", Role::Text),
            PartKind::Question => ("question  (filled in)", Role::Filled),
            PartKind::Graph => ("local graph  (filled in)", Role::Filled),
            PartKind::Path => ("trajectory  (filled in)", Role::Filled),
            PartKind::Task => ("task", Role::Text),
        };
        let template = Templates::name_of(call.kind, part.kind);
        let from = match edits.iter().rev().find(|edit| edit.part == part.kind).map(|edit| &edit.with) {
            Some(Wording::Text(_)) => (Role::ByHand, "  ✎ worded by you, for this call".to_owned()),
            Some(Wording::Template(_)) => (Role::ByHand, "  ✎ by your template, for this call".to_owned()),
            None if state.started().templates.is_overlaid(template) => (Role::ByHand, format!("  ✎ {template}, from your prompts")),
            None => (Role::Dim, String::new()),
        };
        let old = before.map(|before| before.parts.iter().filter_map(|id| state.parts.get(id.index())).find(|old| old.kind == part.kind));
        let same = matches!(old, Some(Some(old)) if old.text == part.text);
        let said = if same { " · as before" } else { "" };
        document.push_line([(Role::Dim, format!("▌ {name}{said}")), from]);
        match old {
            Some(Some(old)) if !same => changes::push(document, role, &part.text, &old.text),
            Some(None) => changes::push(document, role, &part.text, ""),
            _ => document.push(role, part.text.trim_end()),
        }
    }
}

/// What the person worded otherwise for an ask.
fn edits<'a>(state: &'a State, ask: &Ask) -> &'a [Edit] {
    let act = state.step(ask.key.step).and_then(|step| step.act).and_then(|act| state.acts.get(act.index()));
    match act.map(|act| &act.what) {
        // What came of the samples is scored as always.
        Some(Act::AskAgain { edits, what, .. }) if (*what == Again::Value) == (ask.key.purpose == Purpose::Score) => edits,
        _ => &[],
    }
}

fn title(state: &State, ask: &Ask, call: &LlmCall, flying: &Flying<'_>) -> String {
    let what = match call.kind {
        PromptKind::Extract => "which things does the question mention",
        PromptKind::Match => "which candidate is meant",
        PromptKind::Action => "what to do next: think, answer or expand",
        PromptKind::Entities => "which entities to expand",
        PromptKind::Relation => "which relation to follow",
        PromptKind::FinalAnswer => "the forced answer",
        PromptKind::ScoreState => "the value of this node",
        PromptKind::ScoreAnswer => "the value of this answer",
        PromptKind::Review => "whether a fact that this answer rests on is sound",
    };
    let temperature = f64::from(call.temperature_milli) / 1000.0;
    let model = state.model(call.model);
    let not_taken = if flying.live.learnt.takes_no_temperature(model.spec, model.url) { " (not taken by the model)" } else { "" };
    let by_hand = if state.asked_again(ask) { " · asked by you" } else { "" };
    let again = if ask.key.round > 0 { format!(" · asked again ({})", ask.key.round) } else { String::new() };
    let of = call.model.map_or_else(String::new, |by| format!(" · asked of {}", one_line(state.model(Some(by)).name)));
    format!(
        "Prompt: {what}{of} · {} × temperature {temperature}{not_taken} · at most {} tokens{by_hand}{again}",
        call.slots, call.max_tokens
    )
}

/// The newest prompt about a node, exactly as sent: what is copied.
#[must_use]
pub fn sent(scene: &Scene, id: NodeId) -> Option<String> {
    let ask = asks(scene, id).pop()?;
    let Call::Llm(call) = &ask.call else { return None };
    let parts = call.parts.iter().filter_map(|part| scene.state.parts.get(part.index()));
    let texts: Vec<&str> = parts.map(|part| part.text.trim_end()).collect();
    Some(texts.join("\n\n"))
}
