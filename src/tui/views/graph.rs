//! The local graph of the selected node, in three views: the text that the model reads, a table of facts, a net.

use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::net::{Net, NetSource, NetView};
use super::super::widgets::pager::Pager;
use super::super::widgets::table::{Fact, FactTable, Mark};
use super::super::widgets::wrap::Document;
use super::super::widgets::{count, put};
use crate::graph::{EntityId, LocalGraph, Object, to_yaml};
use crate::search::{By, NodeId, Seq};
use crate::text::one_line;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::{HashMap, HashSet};

/// A view of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphMode {
    /// Exactly what the model reads.
    Text,
    /// A row a fact.
    #[default]
    Table,
    /// Nodes and arrows.
    Net,
}

impl GraphMode {
    /// Every view, in order.
    pub const ALL: [Self; 3] = [Self::Text, Self::Table, Self::Net];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Table => "table",
            Self::Net => "net",
        }
    }

    /// The next or previous view.
    #[must_use]
    pub const fn step(self, forward: bool) -> Self {
        match (self, forward) {
            (Self::Text, true) | (Self::Net, false) => Self::Table,
            (Self::Table, true) | (Self::Text, false) => Self::Net,
            (Self::Net, true) | (Self::Table, false) => Self::Text,
        }
    }
}

/// The graph pane.
#[derive(Clone, Debug, Default)]
pub struct GraphPane {
    /// The view.
    pub mode: GraphMode,
    /// The graph as text.
    pub pager: Pager,
    /// The table's cursor.
    pub table: FactTable,
    /// The net.
    pub net: NetView,
    facts: Vec<Fact>,
    graph: LocalGraph,
    /// Whether the model reads qualifiers too.
    notes: bool,
    roots: Vec<EntityId>,
    new: HashSet<usize>,
    node: Option<NodeId>,
    shown: Option<(NodeId, Seq)>,
    /// Text and net are made when they are looked at.
    has_text: bool,
    has_net: bool,
}

impl GraphPane {
    /// Shows the graph of `node`. What it holds changes with the node and with what the person linked, so it is made
    /// again only when one of these did.
    pub fn show(&mut self, scene: &Scene, node: Option<NodeId>) {
        let key = node.map(|id| (id, scene.state.reconsider));
        if key != self.shown || self.node.is_none() {
            self.shown = key;
            self.take(scene, node);
        }
        let Some(id) = self.node else { return };
        if self.mode == GraphMode::Text && !self.has_text {
            self.has_text = true;
            self.pager.set(yaml(scene, id, &self.graph));
        }
        if self.mode == GraphMode::Net && !self.has_net {
            self.draw_net(scene);
        }
    }

    fn take(&mut self, scene: &Scene, node: Option<NodeId>) {
        self.node = node;
        let Some(id) = node.filter(|id| scene.state.node(*id).is_some()) else {
            let mode = self.mode;
            *self = Self { mode, ..Self::default() };
            return;
        };
        self.graph = scene.state.graph(id);
        self.notes = scene.state.settings().qualifiers;
        self.roots = scene.state.graph(NodeId(0)).entities().map(|entity| entity.id.clone()).collect();
        self.facts = facts(scene, id, &self.graph);
        self.new = (0..self.facts.len()).filter(|at| self.facts[*at].node == Some(id.0)).collect();
        (self.has_text, self.has_net) = (false, false);
    }

    /// Forgets what is shown: another session.
    pub fn forget(&mut self) {
        self.shown = None;
    }

    /// Lays the net out again around the selection, when there are too many entities for one.
    pub fn draw_net(&mut self, scene: &Scene) {
        self.has_net = true;
        let focus = self.net.selected().cloned();
        let source = NetSource {
            graph: &self.graph,
            roots: &self.roots,
            focus: focus.as_ref(),
            is_new: &|at| self.new.contains(&at),
            kg: &|name| scene.kg(name),
        };
        self.net.set(Net::of(&source));
    }

    /// The facts, row by row.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The node that brought the selected fact.
    #[must_use]
    pub fn brought(&self) -> Option<NodeId> {
        self.facts.get(self.table.selected).and_then(|fact| fact.node).map(NodeId)
    }

    /// The entity under the cursor: of the net, or the object of the table's row (its subject, if the object is a value).
    #[must_use]
    pub fn entity(&self) -> Option<EntityId> {
        match self.mode {
            GraphMode::Net => self.net.selected().cloned(),
            GraphMode::Table => self.graph.edges().get(self.table.selected).map(|edge| match &edge.o {
                Object::Entity(object) => object.clone(),
                Object::Literal(_) => edge.s.clone(),
            }),
            GraphMode::Text => None,
        }
    }

    /// The subject of the fact in this row.
    #[must_use]
    pub fn entity_of_row(&self, row: usize) -> Option<EntityId> {
        self.graph.edges().get(row).map(|edge| edge.s.clone())
    }

    /// What the view shows, as text.
    #[must_use]
    pub fn plain(&self) -> String {
        match self.mode {
            GraphMode::Text | GraphMode::Net => to_yaml(&self.graph, self.notes),
            GraphMode::Table => {
                let line = |f: &Fact| format!("{}\t{}\t{}\t{}\n", f.subject, f.relation, f.object, f.kg_name);
                self.facts.iter().map(line).collect()
            }
        }
    }

    /// The title of the pane.
    #[must_use]
    pub fn title(&self) -> String {
        let node = self.node.map_or(String::new(), |id| format!(" · node {}", id.0));
        let entities = count(self.graph.entities().len(), "entity", "entities");
        format!("Local graph{node} · {entities}, {}", count(self.facts.len(), "fact", "facts"))
    }

    /// Draws the pane's inside: the names of the views, and the one in use.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, focus: bool, theme: &Theme) {
        let body = if area.height >= 4 {
            let mut x = area.x;
            for mode in GraphMode::ALL {
                let role = if mode == self.mode { Role::Accent } else { Role::Dim };
                let name = if mode == self.mode { format!("[{}] ", mode.name()) } else { format!(" {}  ", mode.name()) };
                x = put(buf, area, x, area.y, &name, theme.style(role));
            }
            self.notes(buf, Rect { x, width: area.right().saturating_sub(x), height: 1, ..area }, theme);
            Rect { y: area.y + 1, height: area.height - 1, ..area }
        } else {
            area
        };
        match self.mode {
            GraphMode::Text => self.pager.render(buf, body, theme),
            GraphMode::Table => self.table.render(buf, body, &self.facts, focus, theme),
            GraphMode::Net => self.net.render(buf, body, focus, theme),
        }
    }

    /// What a KG cut, and what the net leaves out.
    fn notes(&self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        if self.mode == GraphMode::Net && self.net.left_out() > 0 {
            let said = format!("  around the selected entity; {} more", self.net.left_out());
            put(buf, area, area.x, area.y, &said, theme.style(Role::Dim));
        } else if let Some(partial) = self.graph.partial().last() {
            let of = partial.of.map_or_else(|| "more exist".to_owned(), |of| format!("of {of}"));
            let label = self.graph.relation_name(&partial.relation);
            let said = format!("  ◐ partial: {} {label}: {} {of}", self.graph.name(&partial.entity), partial.shown);
            put(buf, area, area.x, area.y, &said, theme.style(Role::Warning));
        }
    }
}

fn facts(scene: &Scene, id: NodeId, graph: &LocalGraph) -> Vec<Fact> {
    let mut brought = HashMap::new();
    for node in scene.state.path_to(id) {
        for edge in &node.delta.edges {
            brought.entry((&edge.s, &edge.r, &edge.o)).or_insert((node.id, node.by));
        }
    }
    let fact = |edge: &crate::graph::Edge| {
        let from = brought.get(&(&edge.s, &edge.r, &edge.o));
        Fact {
            subject: one_line(graph.name(&edge.s)),
            relation: one_line(graph.relation_name(&edge.r)),
            object: match &edge.o {
                Object::Entity(entity) => one_line(graph.name(entity)),
                Object::Literal(literal) => one_line(&literal.text),
            },
            literal: matches!(edge.o, Object::Literal(_)),
            kg: scene.kg(&edge.kg),
            kg_name: edge.kg.to_string(),
            node: from.map(|(node, _)| node.0),
            mark: match from {
                Some((_, By::You)) => Mark::ByHand,
                Some((node, _)) if *node == id => Mark::New,
                _ => Mark::None,
            },
        }
    };
    graph.edges().iter().map(fact).collect()
}

/// The YAML, with the lines that the parent's graph does not have in the style of new things.
fn yaml(scene: &Scene, id: NodeId, graph: &LocalGraph) -> Document {
    let notes = scene.state.settings().qualifiers;
    let before = match scene.state.node(id).and_then(|node| node.parent) {
        Some(parent) => to_yaml(&scene.state.graph(parent), notes),
        None => to_yaml(graph, notes),
    };
    let known: HashSet<&str> = before.lines().collect();
    let mut document = Document::default();
    for line in to_yaml(graph, notes).lines() {
        document.push(if known.contains(line) { Role::Text } else { Role::New }, line);
    }
    document
}
