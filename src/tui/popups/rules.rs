//! What a person forces or forbids, and what they pinned: the list, and proposals from what is selected.

mod in_words;

use super::super::scene::label;
use super::super::session_view::SessionView;
use super::super::theme::Theme;
use super::super::views::graph::Looked;
use super::super::widgets::list::Item;
use super::super::widgets::popup;
use super::entries::{Entries, Wanted, Words};
use super::{Desk, Popup, Reaction};
use crate::asm::Action;
use crate::graph::{EntityId, Object};
use crate::runner::Command;
use crate::search::steer::{Rule, Ruled};
use crate::search::{Act, ActId, NodeId};
use crate::text::one_line;
use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// What a row stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    /// A rule, and whether it is in force.
    Rule(ActId, bool),
    /// A pin.
    Pin(ActId),
    /// A rule that could be set.
    Form(Rule),
}

/// The list.
#[derive(Debug)]
pub struct RulesPopup {
    proposals: Vec<(Rule, String)>,
    rows: Vec<Row>,
    entries: Entries,
}

const WORDS: Words = Words {
    label: "rule: ",
    hint: "forbid relation P161 below 3",
    line_keys: "Enter sets it; without `below N` it holds everywhere  Esc back",
    list_keys: "Enter switches, or fills in a proposal  a writes a rule  / finds  Esc closes",
    finds: "finds a rule by a few letters",
    empty: "Nothing is forced or forbidden yet. Select a fact or a choice first, or write a rule with `a`.",
};

/// Rules about what is selected, each with the name of what it is about.
fn proposals(view: &SessionView, below: NodeId) -> Vec<(Rule, String)> {
    let state = &view.snapshot.state;
    // Names are those of the graph in view, also where the rule holds everywhere.
    let graph = state.graph(view.node().unwrap_or(below));
    let mut about: Vec<(Ruled, String)> = Vec::new();
    let entity = |id: &EntityId| (Ruled::Entity(id.to_string()), one_line(graph.name(id)));
    let relation = |token: String, id: &str| (Ruled::Relation(token), one_line(graph.relation_name(id)));
    match view.graph.looked_at() {
        Some(Looked::Fact(edge)) => {
            about.push(relation(edge.r.to_string(), &edge.r));
            about.push(relation(format!("~{}", edge.r), &edge.r));
            about.push(entity(&edge.s));
            if let Object::Entity(id) = &edge.o {
                about.push(entity(id));
            }
        }
        Some(Looked::Entity(id)) => about.push(entity(&id)),
        None => {}
    }
    match state.node(below).map(|node| &node.action) {
        Some(Action::SelectRelation { relation: at }) => about.insert(0, relation(at.token(), &at.id)),
        Some(Action::SelectEntities { ids }) => about.splice(0..0, ids.iter().map(entity)).for_each(drop),
        _ => {}
    }
    let mut found: Vec<(Rule, String)> = Vec::new();
    for (what, name) in about {
        for force in [false, true] {
            let rule = Rule { force, what: what.clone(), below };
            if !found.iter().any(|(other, _)| *other == rule) {
                found.push((rule, name.clone()));
            }
        }
    }
    found
}

impl RulesPopup {
    /// The list, with proposals for what is selected.
    #[must_use]
    pub fn new(view: &SessionView) -> Self {
        // Nothing follows an answer.
        let state = &view.snapshot.state;
        let node = view.node().filter(|id| state.node(*id).is_some_and(|node| !node.action.is_answer())).unwrap_or(NodeId(0));
        let proposals = proposals(view, node);
        let mut popup = Self { proposals, rows: Vec::new(), entries: Entries::new(Vec::new()) };
        popup.fill(view);
        popup
    }

    fn fill(&mut self, view: &SessionView) {
        let state = &view.snapshot.state;
        let (mut rows, mut items) = (Vec::new(), Vec::new());
        for (act, rule, on) in state.rules() {
            rows.push(Row::Rule(act, on));
            let to_come = state.node(rule.below).is_none().then(|| format!("there is no node {} yet", rule.below.0));
            let detail = if on { to_come.unwrap_or_default() } else { "switched off".to_owned() };
            items.push(Item { detail, ..Item::new(format!("{} {}", if on { "●" } else { "○" }, one_line(&rule.to_string()))) });
        }
        let open = state.frontier();
        for (act, node) in state.pins() {
            rows.push(Row::Pin(act));
            let detail = if open.contains(&node) { label(state, node) } else { "was expanded, or waits for its value".to_owned() };
            items.push(Item { detail, ..Item::new(format!("● pin node {}", node.0)) });
        }
        for (rule, name) in &self.proposals {
            rows.push(Row::Form(rule.clone()));
            items.push(Item { detail: name.clone(), ..Item::new(format!("+ {}", one_line(&rule.to_string()))) });
        }
        if rows != self.rows {
            self.rows = rows;
            self.entries.refill(items);
        }
    }

    /// Switches what is set, or begins to write a rule.
    fn take(&mut self, at: usize) -> Reaction {
        match self.rows.get(at) {
            Some(Row::Rule(act, on)) => Reaction::Send(vec![Command::Switch(*act, !on)]),
            Some(Row::Pin(act)) => Reaction::Send(vec![Command::Switch(*act, false)]),
            Some(Row::Form(rule)) => {
                self.entries.write(&rule.to_string());
                Reaction::Stay
            }
            None => Reaction::Stay,
        }
    }

    fn set(&mut self, text: &str) -> Reaction {
        let read = self.entries.read(text);
        read.map_or(Reaction::Stay, |rule| Reaction::Send(vec![Command::Do(Act::Rule(rule))]))
    }
}

impl Popup for RulesPopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match self.entries.key(key) {
            Wanted::Nothing => Reaction::Stay,
            Wanted::Row(at) => self.take(at),
            Wanted::Text(text) => self.set(&text),
            Wanted::Close => Reaction::Close,
        }
    }

    fn paste(&mut self, text: &str) {
        self.entries.paste(text);
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.fill(view);
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 96, 22, "What must be chosen, or may not be", theme);
        self.entries.draw(buf, inner, &WORDS, theme);
    }
}
