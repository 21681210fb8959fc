//! The action state machine: its four states and their arrows; where the selected node stands; what comes, or came, next.

use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::put;
use super::super::widgets::wrap::Document;
use crate::asm::{Action, AsmState};
use crate::search::NodeId;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// Draws the machine with the state of `node` and the transition that led to it lit. `upcoming`: a sentence without its capital letter.
pub fn render(buf: &mut Buffer, area: Rect, scene: &Scene, node: Option<NodeId>, upcoming: Option<&str>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let node = node.and_then(|id| scene.state.node(id));
    let (state, action) = (node.map(|node| node.asm), node.map(|node| &node.action));
    // One more arrow where the model may take it, or a person did.
    let aggregate = scene.state.started.is_some() && scene.state.settings().aggregate || matches!(action, Some(Action::Aggregate { .. }));
    let rows = if area.width >= 45 && area.height >= 6 + u16::from(aggregate) {
        diagram(buf, area, state, action, aggregate, theme)
    } else {
        list(buf, area, state, action, aggregate, theme)
    };
    if area.height <= rows {
        return;
    }
    let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
    // While the search stands still, what it does next is worth more than what states are for.
    let (document, role) = match upcoming {
        Some(next) => (Document::of(&format!("{}.", capital(next))), Role::Accent),
        None => (Document::of(sentence(state, action, aggregate)), Role::Dim),
    };
    for (row, y) in document.wrap(below.width.into()).iter().zip(below.y..below.bottom()) {
        let text: String = row.pieces.iter().map(|(span, range)| &document.lines()[row.line][*span].1[range.clone()]).collect();
        put(buf, below, below.x, y, &text, theme.style(role));
    }
}

/// The same with a capital letter at its beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Which arrow led here.
const fn lit(action: Option<&Action>, arrow: &str) -> bool {
    matches!(
        (action, arrow.as_bytes()),
        (Some(Action::Think { .. }), b"THINK")
            | (Some(Action::Expand { .. }), b"EXPAND")
            | (Some(Action::Answer { .. }), b"ANSWER")
            | (Some(Action::SelectEntities { .. }), b"SELECT ENTITIES")
            | (Some(Action::SelectRelation { .. }), b"SELECT RELATION")
            | (Some(Action::Aggregate { .. }), b"AGGREGATE")
    )
}

fn state_style(here: Option<AsmState>, state: AsmState, theme: &Theme) -> ratatui::style::Style {
    if here == Some(state) { theme.style(Role::Accent).add_modifier(Modifier::REVERSED) } else { theme.style(Role::Text) }
}

fn diagram(buf: &mut Buffer, area: Rect, here: Option<AsmState>, action: Option<&Action>, aggregate: bool, theme: &Theme) -> u16 {
    let line = theme.style(Role::Border);
    let arrow = |name: &str| theme.style(if lit(action, name) { Role::Accent } else { Role::Dim });
    let state = |state: AsmState| (format!(" {} ", state.name()), state_style(here, state, theme));
    let (default, entities) = (state(AsmState::Default), state(AsmState::SelectingEntities));
    let (relation, done) = (state(AsmState::SelectingRelation), state(AsmState::Done));
    let (joint, last) = if aggregate { ("│  ├─", 6) } else { ("│  ╰─", 5) };
    let mut parts: Vec<(u16, u16, &str, ratatui::style::Style)> = vec![
        (1, 0, "╭", line),
        (2, 0, " THINK ", arrow("THINK")),
        (9, 0, "╮", line),
        (0, 1, &default.0, default.1),
        (9, 1, "───", line),
        (12, 1, " EXPAND ", arrow("EXPAND")),
        (20, 1, "──▶ ", line),
        (24, 1, &entities.0, entities.1),
        (2, 2, "│  ▲", line),
        (27, 2, "│", line),
        (29, 2, "SELECT ENTITIES", arrow("SELECT ENTITIES")),
        (2, 3, "│  │                     ▼", line),
        (2, 4, joint, line),
        (7, 4, " SELECT RELATION ", arrow("SELECT RELATION")),
        (24, 4, &relation.0, relation.1),
        (2, last, "╰──", line),
        (6, last, "ANSWER", arrow("ANSWER")),
        (12, last, " ──▶ ", line),
        (17, last, &done.0, done.1),
    ];
    if aggregate {
        parts.extend([(2, 5, "│  ╰─", line), (7, 5, " AGGREGATE ", arrow("AGGREGATE")), (18, 5, "──────────╯", line)]);
    }
    for (x, y, text, style) in parts {
        put(buf, area, area.x + x, area.y + y, text, style);
    }
    last + 1
}

fn list(buf: &mut Buffer, area: Rect, here: Option<AsmState>, action: Option<&Action>, aggregate: bool, theme: &Theme) -> u16 {
    let back: &[&str] = if aggregate { &["THINK", "SELECT RELATION", "AGGREGATE"] } else { &["THINK", "SELECT RELATION"] };
    let states = [
        (AsmState::Default, back),
        (AsmState::SelectingEntities, ["EXPAND"].as_slice()),
        (AsmState::SelectingRelation, &["SELECT ENTITIES"]),
        (AsmState::Done, &["ANSWER"]),
    ];
    for ((state, arrows), y) in states.iter().zip(area.y..area.bottom()) {
        let mark = if here == Some(*state) { "▸ " } else { "  " };
        let x = put(buf, area, area.x, y, mark, theme.style(Role::Accent));
        put(buf, area, x, y, state.name(), state_style(here, *state, theme));
        let mut x = put(buf, area, area.x + 21, y, "← ", theme.style(Role::Border));
        for (n, name) in arrows.iter().enumerate() {
            if n > 0 {
                x = put(buf, area, x, y, ", ", theme.style(Role::Border));
            }
            x = put(buf, area, x, y, name, theme.style(if lit(action, name) { Role::Accent } else { Role::Dim }));
        }
    }
    4.min(area.height)
}

/// What the state does and what can come next.
#[must_use]
pub const fn sentence(state: Option<AsmState>, action: Option<&Action>, aggregate: bool) -> &'static str {
    match (state, action) {
        (_, Some(Action::Error { .. })) => "No sample could be used: the walk stands where it stood, and can be tried again by hand.",
        (Some(AsmState::Default), _) => "The model thinks, answers, or asks for more of the graph: THINK, ANSWER or EXPAND.",
        (Some(AsmState::SelectingEntities), _) => "The model picks the entities of the local graph to go on from: SELECT ENTITIES.",
        (Some(AsmState::SelectingRelation), _) if aggregate => {
            "The KGs list the relations of the picked entities. SELECT RELATION brings the facts of one; AGGREGATE lets a KG compute over one: \
             count, max, min, first, intersect, filter."
        }
        (Some(AsmState::SelectingRelation), _) => {
            "The KGs list the relations of the picked entities, and the model follows one: SELECT RELATION brings its facts."
        }
        (Some(AsmState::Done), _) => "An answer: this walk is over. Its value decides whether the search is, too.",
        (None, _) => "The question is linked to entities of the KGs first; the walks start from them.",
    }
}
