//! The inspector: whatever a person sees of a node, they can ask "why?" of here. Each tab is a document, made by a
//! function of the scene and the node.

mod calls;
pub(in super::super) mod changes;
mod evidence;
mod fact;
mod prompt;
mod samples;
mod trajectory;
mod value;
mod why;

pub use prompt::sent as prompt_as_sent;

use super::super::flying::Flying;
use super::super::scene::Scene;
use super::super::theme::Role;
use super::super::widgets::wrap::Document;
use super::graph::Looked;
use crate::search::NodeId;

/// A tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Prompts as sent.
    #[default]
    Prompt,
    /// Raw replies, votes, what was parsed and what was rejected.
    Samples,
    /// The score and where it is from.
    Value,
    /// What the KGs were asked.
    Calls,
    /// The reasons.
    Why,
    /// Actions and observations from the root.
    Trajectory,
    /// The fact or entity that is looked at in the local graph, and where it comes from.
    Fact,
    /// The facts that an answer rests on.
    Evidence,
}

impl Tab {
    /// Every tab, in order.
    pub const ALL: [Self; 8] =
        [Self::Prompt, Self::Samples, Self::Value, Self::Calls, Self::Why, Self::Trajectory, Self::Fact, Self::Evidence];

    /// Its title.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "Prompt",
            Self::Samples => "Samples",
            Self::Value => "Value",
            Self::Calls => "KG calls",
            Self::Why => "Why",
            Self::Trajectory => "Trajectory",
            Self::Fact => "Fact",
            Self::Evidence => "Evidence",
        }
    }

    /// The tab `by` places on, round the end.
    #[must_use]
    pub fn step(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        Self::ALL[(at + if forward { 1 } else { Self::ALL.len() - 1 }) % Self::ALL.len()]
    }
}

/// What a tab says of a node. `looked`: what is looked at in its local graph; `flying`: the calls in flight and why KGs
/// wait.
#[must_use]
pub fn document(scene: &Scene, node: NodeId, tab: Tab, looked: Option<&Looked>, flying: &Flying<'_>) -> Document {
    match tab {
        Tab::Prompt => prompt::document(scene, node, flying),
        Tab::Samples => samples::document(scene, node, flying),
        Tab::Value => value::document(scene, node, flying),
        Tab::Calls => calls::document(scene, node, flying),
        Tab::Why => why::document(scene, node),
        Tab::Trajectory => trajectory::document(scene, node),
        Tab::Fact => fact::document(scene, node, looked),
        Tab::Evidence => evidence::document(scene, node),
    }
}

/// The calls in flight, before there is a node to look at.
#[must_use]
pub fn in_flight(scene: &Scene, flying: &Flying<'_>) -> Document {
    let mut document = Document::default();
    calls::in_flight(&mut document, scene, flying);
    document
}

/// The samples that are on their way, before there is a node to look at.
#[must_use]
pub fn written(scene: &Scene, flying: &Flying<'_>) -> Document {
    let mut document = Document::default();
    let asks = flying.calls().filter_map(|flight| scene.state.ask(flight.ask)).filter(|ask| ask.is_llm());
    asks.for_each(|ask| samples::raw_samples(&mut document, ask, flying));
    document
}

fn heading(document: &mut Document, text: impl Into<String>) {
    if !document.is_empty() {
        document.blank();
    }
    document.push_line([(Role::Accent, text.into())]);
}

fn line(document: &mut Document, role: Role, text: impl Into<String>) {
    document.push_line([(role, text.into())]);
}
