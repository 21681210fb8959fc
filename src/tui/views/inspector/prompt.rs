//! Prompts as sent, part by part; what was filled in differs from what is the same in every prompt.

use super::super::super::scene::Scene;
use super::super::super::theme::Role;
use super::super::super::widgets::wrap::Document;
use super::{heading, line};
use crate::calls::{PartKind, PromptKind};
use crate::search::{Ask, Call, LlmCall, NodeId, Purpose, State, Valuation};

/// The prompts about a node in the order they were asked: linking (root), samples, score.
pub(super) fn asks(scene: &Scene, id: NodeId) -> Vec<&Ask> {
    let state: &State = &scene.state;
    let Some(node) = state.node(id) else { return Vec::new() };
    let mut found: Vec<&Ask> = Vec::new();
    if node.parent.is_none() {
        found.extend(state.asks.iter().map(|ask| &**ask).filter(|ask| ask.key.step == node.step && ask.is_llm()));
    }
    if let Some(Valuation::Asked(ask)) = node.valuation {
        found.extend(state.ask(ask));
    } else if let Some(step) = state.step(node.step) {
        // Not valued yet: its score may be on the way.
        let lane = step.children.iter().position(|child| *child == id).and_then(|lane| u32::try_from(lane).ok());
        found.extend(
            state
                .asks
                .iter()
                .map(|ask| &**ask)
                .filter(|ask| ask.key.step == step.id && ask.key.purpose == Purpose::Score && Some(ask.key.lane) == lane),
        );
    }
    if let Some(step) = scene.step_of(id) {
        found.extend(state.asks.iter().map(|ask| &**ask).filter(|ask| ask.key.step == step.id && ask.key.purpose == Purpose::Sample));
    }
    found
}

pub(super) fn document(scene: &Scene, id: NodeId) -> Document {
    let mut document = Document::default();
    let mut found = asks(scene, id);
    // The newest question about a node is the one a person looks for.
    found.reverse();
    for ask in found {
        let Call::Llm(call) = &ask.call else { continue };
        heading(&mut document, title(ask, call));
        if call.omitted > 0 {
            line(&mut document, Role::Warning, format!("{} facts were left out: the prompt was too long for the model", call.omitted));
        }
        for part in call.parts.iter().filter_map(|part| scene.state.parts.get(part.index())) {
            let (name, role) = match part.kind {
                PartKind::Instructions => ("instructions", Role::Text),
                PartKind::Question => ("question  (filled in)", Role::Filled),
                PartKind::Graph => ("local graph  (filled in)", Role::Filled),
                PartKind::Path => ("trajectory  (filled in)", Role::Filled),
                PartKind::Task => ("task", Role::Text),
            };
            line(&mut document, Role::Dim, format!("▌ {name}"));
            document.push(role, part.text.trim_end());
        }
    }
    if document.is_empty() {
        line(&mut document, Role::Dim, "No prompt yet: this node was not expanded, and no score was asked for.");
    }
    document
}

fn title(ask: &Ask, call: &LlmCall) -> String {
    let what = match call.kind {
        PromptKind::Extract => "which things does the question mention",
        PromptKind::Match => "which candidate is meant",
        PromptKind::Action => "what to do next: think, answer or expand",
        PromptKind::Entities => "which entities to expand",
        PromptKind::Relation => "which relation to follow",
        PromptKind::FinalAnswer => "the forced answer",
        PromptKind::ScoreState => "the value of this node",
        PromptKind::ScoreAnswer => "the value of this answer",
    };
    let temperature = f64::from(call.temperature_milli) / 1000.0;
    let again = if ask.key.round > 0 { format!(" · asked again ({})", ask.key.round) } else { String::new() };
    format!("Prompt: {what} · {} × temperature {temperature} · at most {} tokens{again}", call.slots, call.max_tokens)
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
