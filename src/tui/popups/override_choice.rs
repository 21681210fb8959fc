//! Choosing otherwise than the model did: at a node, from its other choices and what else was on offer; or instead of
//! the node itself, at its parent. The choice is added by hand; what it replaces is pruned, one undo away.

mod in_words;

use super::super::scene::{Scene, describe, glyph, label};
use super::super::theme::Theme;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::popup;
use super::expand::{ExpandPopup, options};
use super::line::{LineFor, LinePopup};
use super::{Desk, Popup, Reaction, with_keys};
use crate::asm::{Action, AsmState};
use crate::calls::KgData;
use crate::runner::Command;
use crate::search::rejected_text;
use crate::search::{Act, Call, NodeId, Outcome};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// What a row does.
#[derive(Clone, Debug)]
enum Pick {
    /// Nothing: it is a node already, or can't be used.
    Nothing,
    /// Adds this action.
    Add(Action),
    /// Opens the line for a thought or an answer.
    Line(LineFor),
    /// Opens the flow to pick entities and a relation.
    Expand,
}

/// The list of choices.
#[derive(Debug)]
pub struct OverridePopup {
    selected: NodeId,
    /// Whether the choice is made at the parent, instead of the selected node.
    instead: bool,
    both: bool,
    picks: Vec<Pick>,
    list: PickList,
    inquiries: u64,
    /// What was wrong with a line that was typed.
    wrong: Option<String>,
}

impl OverridePopup {
    /// The choices at `node`, or, if nothing was chosen there yet, instead of it.
    #[must_use]
    pub fn new(scene: &Scene, node: NodeId, inquiries: u64) -> Self {
        let at = scene.state.node(node);
        let has_choices = at.is_some_and(|at| !at.children.is_empty()) || scene.left.contains_key(&node);
        let has_parent = at.is_some_and(|at| at.parent.is_some());
        let mut popup = Self {
            selected: node,
            instead: !has_choices,
            both: has_choices && has_parent,
            picks: Vec::new(),
            list: PickList::default(),
            inquiries,
            wrong: None,
        };
        popup.fill(scene);
        popup
    }

    /// The node at which the choice is made.
    fn at(&self, scene: &Scene) -> NodeId {
        let parent = scene.state.node(self.selected).and_then(|node| node.parent);
        if self.instead { parent.unwrap_or(self.selected) } else { self.selected }
    }

    fn fill(&mut self, scene: &Scene) {
        let at = self.at(scene);
        let mut rows = chosen(scene, at);
        rows.extend(left(scene, at));
        rows.extend(others(scene, at, &rows));
        let (items, picks) = rows.into_iter().unzip();
        self.list = PickList::one(items);
        self.picks = picks;
    }

    fn pick(&self, scene: &Scene, row: usize) -> Reaction {
        let at = self.at(scene);
        let instead_of = self.instead.then_some(self.selected);
        match self.picks.get(row) {
            Some(Pick::Add(action)) => {
                Reaction::Finish(vec![Command::Do(Act::Choose { node: at, chain: vec![action.clone()], instead_of, value: None })])
            }
            Some(Pick::Line(what)) => Reaction::Become(Box::new(LinePopup::new(*what, at, scene).instead_of(instead_of)), Vec::new()),
            Some(Pick::Expand) => {
                let (popup, commands) = ExpandPopup::new(scene, at, instead_of, self.inquiries);
                Reaction::Become(Box::new(popup), commands)
            }
            Some(Pick::Nothing) | None => Reaction::Stay,
        }
    }
}

/// What the model (or the person) chose already: nodes.
fn chosen(scene: &Scene, at: NodeId) -> Vec<(Item, Pick)> {
    let Some(node) = scene.state.node(at) else { return Vec::new() };
    let row = |child: &NodeId| {
        let child = scene.state.node(*child)?;
        let value = scene.level(child.id).micro().map_or_else(|| "?".to_owned(), |value| value.to_string());
        let item = Item {
            label: format!("{} {}", glyph(&child.action), label(&scene.state, child.id)),
            right: format!("{}  {value}", votes(child.votes.0 as usize)),
            dimmed: Some(format!("is node {}", child.id.0)),
            barred: true,
            ..Item::default()
        };
        Some((item, Pick::Nothing))
    };
    node.children.iter().filter_map(row).collect()
}

fn votes(count: usize) -> String {
    match count {
        0 => "by hand".to_owned(),
        1 => "1 vote".to_owned(),
        count => format!("{count} votes"),
    }
}

/// What was outvoted (can be chosen) or rejected (says why not).
fn left(scene: &Scene, at: NodeId) -> Vec<(Item, Pick)> {
    let mut rows = Vec::new();
    for leftover in scene.state.leftovers().filter(|leftover| leftover.node == at) {
        match &leftover.reading.outcome {
            Outcome::Outvoted(action) => {
                let label = format!("{} {}", glyph(action), describe(&scene.state, Some(at), action));
                let right = format!("{}  outvoted", votes(leftover.reading.slots.len()));
                rows.push((Item { label, right, ..Item::default() }, Pick::Add(action.clone())));
            }
            Outcome::Rejected { text, why, reason } => {
                let item = Item {
                    label: format!("⊘ {}", rejected_text(&scene.state, Some(at), *reason, text)),
                    right: votes(leftover.reading.slots.len()),
                    dimmed: Some(why.clone()),
                    barred: true,
                    ..Item::default()
                };
                rows.push((item, Pick::Nothing));
            }
            _ => {}
        }
    }
    rows
}

/// What else was on offer.
fn others(scene: &Scene, at: NodeId, known: &[(Item, Pick)]) -> Vec<(Item, Pick)> {
    let Some(node) = scene.state.node(at) else { return Vec::new() };
    let row = |label: &str, detail: &str, pick: Pick| (Item { detail: detail.to_owned(), ..Item::new(label) }, pick);
    match node.asm {
        AsmState::Default => vec![
            row("∴ another thought …", "a thought of your own", Pick::Line(LineFor::Hint)),
            row("★ another answer …", "an answer of your own", Pick::Line(LineFor::Answer)),
            row("⇲ expand the graph …", "pick entities and a relation", Pick::Expand),
        ],
        AsmState::SelectingEntities => vec![row("◇ other entities …", "pick from the local graph", Pick::Expand)],
        AsmState::SelectingRelation => {
            let mut rows = offered(scene, at, known);
            rows.push(row("→ another relation …", "ask the KGs for all, with a preview", Pick::Expand));
            rows
        }
        AsmState::Done => Vec::new(),
    }
}

/// Relations that the KGs listed when the node was expanded, without those that are rows already.
fn offered(scene: &Scene, at: NodeId, known: &[(Item, Pick)]) -> Vec<(Item, Pick)> {
    let Some(Action::SelectEntities { ids }) = scene.state.node(at).map(|node| &node.action) else { return Vec::new() };
    let Some(step) = scene.step_of(at) else { return Vec::new() };
    let children = scene.state.node(at).map_or(&[][..], |node| &node.children);
    let mut rows = Vec::new();
    for ask in scene.state.asks.iter().filter(|ask| ask.key.step == step.id && matches!(ask.call, Call::Kg(_))) {
        let Some(KgData::Relations(list)) = ask.reply.as_deref().map(|reply| &reply.data) else { continue };
        for relation in list.iter().filter(|relation| !relation.identifier) {
            let action = Action::SelectRelation { relation: relation.at.clone() };
            let is_node = children.iter().any(|child| scene.state.node(*child).is_some_and(|child| child.action == action));
            let is_row = known.iter().any(|(_, pick)| matches!(pick, Pick::Add(other) if *other == action));
            if !is_node && !is_row {
                let mut item = options::relation(scene, at, ids, relation);
                item.right = format!("{} facts  not chosen", item.right);
                rows.push((item, Pick::Add(action)));
            }
        }
    }
    rows
}

impl Popup for OverridePopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        match self.list.key(key) {
            Picked::Item(row) => self.pick(&view.scene, row),
            Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
            Picked::Ignored if key.code == KeyCode::Tab && self.both => {
                self.instead = !self.instead;
                self.fill(&view.scene);
                Reaction::Stay
            }
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let Some(view) = desk.view else { return };
        let title = if self.instead {
            format!("Instead of node {}, at node {}", self.selected.0, self.at(&view.scene).0)
        } else {
            format!("Override at node {}", self.selected.0)
        };
        let keys = match (self.both, self.instead) {
            (false, true) => "Enter adds it by hand and prunes the node  / finds  Esc leaves no trace",
            (false, false) => "Enter adds it by hand  / finds  Esc leaves no trace",
            (true, true) => "Enter adds it by hand and prunes the node  Tab: choices below it  Esc leaves no trace",
            (true, false) => "Enter adds it by hand  Tab: instead of this node  Esc leaves no trace",
        };
        let inner = popup(buf, area, 100, 22, &title, theme);
        let body = with_keys(buf, inner, keys, theme);
        self.list.render(buf, body, "finds a choice by a few letters", theme);
    }
}
