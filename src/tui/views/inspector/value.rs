//! The value of a node, and what the model said for it.

use super::super::super::flying::Flying;
use super::super::super::scene::Scene;
use super::super::super::theme::Role;
use super::super::super::widgets::value::Level;
use super::super::super::widgets::wrap::Document;
use super::samples::raw_samples;
use super::{heading, line};
use crate::search::{Act, Ask, NodeId, Purpose, Valuation};

pub(super) fn document(scene: &Scene, id: NodeId, flying: &Flying<'_>) -> Document {
    let mut document = Document::default();
    let Some(node) = scene.state.node(id) else { return document };
    let level = scene.level(id);
    let (number, said) = match level {
        Level::None => ("none".to_owned(), "this node is not scored, on purpose".to_owned()),
        Level::Pending => ("…".to_owned(), "it is not there yet".to_owned()),
        Level::Unreadable => {
            let why = scene.state.no_value(id).map_or_else(|| "none was stated".to_owned(), |why| why.words());
            ("?".to_owned(), format!("{why}; it counts as unknown, never as 0"))
        }
        Level::Scored(value) => {
            let from = if node.parent.is_none() { "by rule: the question is 1.0" } else { "from the model" };
            (value.to_string(), from.to_owned())
        }
        Level::ByHand(value) => (value.to_string(), "by hand".to_owned()),
    };
    heading(&mut document, "Value");
    let role = level.micro().map_or(Role::Unknown, Role::of_value);
    document.push_line([(role, number), (Role::Text, format!("  {said}"))]);
    let threshold = scene.state.settings().threshold;
    if node.action.is_answer() {
        let reached = level.micro().is_some_and(|value| value >= threshold);
        let (role, word) = if reached { (Role::Good, "reaches") } else { (Role::Warning, "does not reach") };
        document.push_line([(role, format!("It {word} the threshold {threshold}."))]);
    }
    for act in scene.state.acts.iter() {
        if let Act::SetValue { node, value } = &act.what
            && *node == id
        {
            let fate = if act.active { "" } else { "  (undone)" };
            document.push_line([(Role::ByHand, format!("✎ set to {value} by hand{fate}"))]);
        }
    }
    let valued = scene.state.valued(node);
    let recorded = node.earlier.iter().map(|(value, from)| (*value, Some(*from))).chain([(node.value, node.valuation)]);
    for (value, from) in recorded.filter(|other| *other != valued) {
        let number = value.known().map_or_else(|| "?".to_owned(), |value| value.to_string());
        let fate = if from == node.valuation { "asked for again, and taken back" } else { "before you asked again" };
        document.push_line([(Role::Dim, format!("{number}  {fate}"))]);
    }
    if let Some(Valuation::Asked(ask)) = valued.1
        && let Some(ask) = scene.state.ask(ask)
    {
        if matches!(level, Level::ByHand(_)) {
            line(&mut document, Role::Dim, "What the model had said:");
        }
        raw_samples(&mut document, ask, flying);
    } else if let Some(ask) = asked(scene, id) {
        raw_samples(&mut document, ask, flying);
    }
    document
}

/// The ask for the value of a node that has none yet.
fn asked(scene: &Scene, id: NodeId) -> Option<&Ask> {
    let step = scene.state.step(scene.state.node(id)?.step)?;
    let lane = step.children.iter().position(|child| *child == id)?;
    let of_node = |ask: &&Ask| ask.key.step == step.id && ask.key.purpose == Purpose::Score && ask.key.lane as usize == lane;
    scene.state.asks.iter().rev().map(|ask| &**ask).find(of_node)
}
