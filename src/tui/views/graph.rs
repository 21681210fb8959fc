//! The local graph of the selected node, in three views: the text that the model reads, a table of facts, a net.

mod rows;

use super::super::ids::Aliases;
use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::net::{Net, NetSource, NetView};
use super::super::widgets::pager::Pager;
use super::super::widgets::table::{Fact, FactTable};
use super::super::widgets::wrap::Document;
use super::super::widgets::{count, put};
use crate::graph::{Edge, EntityId, LocalGraph, Object, to_yaml};
use crate::search::{Act, Cut, NodeId, Seq};
use crate::text::one_line;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::HashSet;

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
    /// What KGs cut, and the list that each row belongs to.
    cuts: Vec<Cut>,
    cut_of: Vec<Option<usize>>,
    graph: LocalGraph,
    aliases: Aliases,
    /// The ids of every entity in short.
    ids: std::collections::HashMap<EntityId, String>,
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
        let before = self.place();
        self.graph = scene.state.graph(id);
        self.cuts = scene.state.cuts(id);
        self.aliases = Aliases::of(&scene.state);
        self.ids = self.graph.entities().map(|entity| (entity.id.clone(), self.aliases.line(scene, entity))).collect();
        self.notes = scene.state.settings().qualifiers;
        self.roots = scene.state.graph(NodeId(0)).entities().map(|entity| entity.id.clone()).collect();
        let rows = rows::Rows::of(scene, id, &self.graph, &self.cuts, &self.aliases);
        (self.facts, self.cut_of) = (rows.facts, rows.cut_of);
        self.new = self.facts.iter().filter(|fact| fact.node == Some(id.0)).filter_map(|fact| fact.edge).collect();
        self.go_back(before);
        (self.has_text, self.has_net) = (false, false);
    }

    /// The fact or the list under the table's cursor.
    fn place(&self) -> Option<Place> {
        match self.facts.get(self.table.selected)?.edge {
            Some(at) => self.graph.edges().get(at).cloned().map(Place::Fact),
            None => self.cut().map(Place::List),
        }
    }

    /// Puts the cursor on what it stood on, if that is still there: a page came in between.
    fn go_back(&mut self, place: Option<Place>) {
        let found = match place {
            Some(Place::Fact(edge)) => {
                let at = self.graph.edges().iter().position(|other| other.same_fact(&edge));
                at.and_then(|at| self.facts.iter().position(|fact| fact.edge == Some(at)))
            }
            Some(Place::List(cut)) => {
                let same = |c: &Cut| (&c.entity, &c.relation, &c.kg, c.direction) == (&cut.entity, &cut.relation, &cut.kg, cut.direction);
                let list = self.cuts.iter().position(same);
                let rest =
                    list.and_then(|list| (0..self.facts.len()).find(|at| self.facts[*at].edge.is_none() && self.cut_of[*at] == Some(list)));
                rest.or_else(|| {
                    self.graph
                        .edges()
                        .iter()
                        .rposition(|edge| cut.holds(edge))
                        .and_then(|at| self.facts.iter().position(|fact| fact.edge == Some(at)))
                })
            }
            None => None,
        };
        self.table.selected = found.unwrap_or(self.table.selected);
    }

    /// The list that was cut under the cursor: of the row, of the net's entity, or of the text the last one.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        let cut = match self.mode {
            GraphMode::Table => self.cut_of.get(self.table.selected).copied().flatten().and_then(|at| self.cuts.get(at)),
            GraphMode::Net => self.net.selected().and_then(|entity| self.cuts.iter().find(|cut| cut.entity == *entity)),
            GraphMode::Text => self.cuts.last(),
        };
        cut.cloned()
    }

    /// The act that fetches the next page of the list under the cursor, for the node that brought it.
    #[must_use]
    pub fn more(&self) -> Option<Act> {
        let Cut { node, entity, relation, kg, direction, .. } = self.cut()?;
        Some(Act::More { node, entity, relation, kg, direction })
    }

    /// What is looked at: the fact of the table's row, or the net's entity.
    #[must_use]
    pub fn looked_at(&self) -> Option<Looked> {
        match self.mode {
            GraphMode::Net => self.net.selected().cloned().map(Looked::Entity),
            GraphMode::Table | GraphMode::Text => {
                let row = self.table.selected.min(self.facts.len().checked_sub(1)?);
                match self.facts[row].edge {
                    Some(at) => self.graph.edges().get(at).cloned().map(Looked::Fact),
                    None => self.cut_of[row].and_then(|at| self.cuts.get(at)).map(|cut| Looked::Entity(cut.entity.clone())),
                }
            }
        }
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
            by_hand: &|at| self.graph.edges().get(at).is_some_and(|edge| scene.state.correction_of(&self.graph, edge).is_some()),
            kg: &|name| scene.kg(name),
            ids: &|entity| self.aliases.line(scene, entity),
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
            GraphMode::Table => match self.looked_at()? {
                Looked::Entity(entity) => Some(entity),
                Looked::Fact(edge) => Some(match edge.o {
                    Object::Entity(object) => object,
                    Object::Literal(_) => edge.s,
                }),
            },
            GraphMode::Text => None,
        }
    }

    /// The subject of the fact in this row.
    #[must_use]
    pub fn entity_of_row(&self, row: usize) -> Option<EntityId> {
        self.facts.get(row)?.edge.and_then(|at| self.graph.edges().get(at)).map(|edge| edge.s.clone())
    }

    /// What the view shows, as text.
    #[must_use]
    pub fn plain(&self) -> String {
        match self.mode {
            GraphMode::Text | GraphMode::Net => to_yaml(&self.graph, self.notes),
            GraphMode::Table => {
                let line = |f: &Fact| format!("{}\t{}\t{}\t{}\t{}\n", f.subject, f.relation, f.object, f.kg_name, f.notes);
                self.facts.iter().map(line).collect()
            }
        }
    }

    /// The title of the pane.
    #[must_use]
    pub fn title(&self) -> String {
        let node = self.node.map_or(String::new(), |id| format!(" · node {}", id.0));
        let entities = count(self.graph.entities().len(), "entity", "entities");
        format!("Local graph{node} · {entities}, {}", count(self.graph.edges().len(), "fact", "facts"))
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
        let body = self.below(buf, body, theme);
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
        } else if let Some(cut) = self.cut().as_ref().or(self.cuts.last()) {
            let label = self.graph.relation_name(&cut.relation);
            let said = format!("  ◐ partial: {} {label}: {}", self.graph.name(&cut.entity), cut.extent());
            put(buf, area, area.x, area.y, &said, theme.style(Role::Warning));
        } else if let Some(partial) = self.graph.partial().last() {
            // A list that can't be paged: said all the same.
            let of = partial.of.map_or_else(|| "more exist".to_owned(), |of| format!("of {of}"));
            let label = self.graph.relation_name(&partial.relation);
            let said = format!("  ◐ partial: {} {label}: {} {of}", self.graph.name(&partial.entity), partial.shown);
            put(buf, area, area.x, area.y, &said, theme.style(Role::Warning));
        }
    }

    /// The line below table and net: the ids of what is looked at, and what its statements say. Returns what is above.
    fn below(&self, buf: &mut Buffer, body: Rect, theme: &Theme) -> Rect {
        let said = match self.looked_at() {
            _ if body.height < 7 || self.mode == GraphMode::Text => return body,
            Some(Looked::Fact(edge)) => {
                let object = match &edge.o {
                    Object::Entity(entity) => self.ids_of(entity),
                    Object::Literal(_) => "a value".to_owned(),
                };
                let notes = rows::notes(&edge);
                let notes = if notes.is_empty() { notes } else { format!(" · {notes}") };
                format!("{}  {}  {object}{notes}", self.ids_of(&edge.s), one_line(&edge.r))
            }
            Some(Looked::Entity(entity)) => format!("{}  {}", one_line(self.graph.name(&entity)), self.ids_of(&entity)),
            None => return body,
        };
        let row = Rect { y: body.bottom() - 1, height: 1, ..body };
        let key = "d details ";
        let x = put(buf, row, row.x, row.y, key, theme.style(Role::Key));
        put(buf, row, x, row.y, &said, theme.style(Role::Dim));
        Rect { height: body.height - 1, ..body }
    }

    fn ids_of(&self, id: &EntityId) -> String {
        self.ids.get(id).cloned().unwrap_or_else(|| self.aliases.short(id))
    }
}

/// What is looked at in the local graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// A fact.
    Fact(Edge),
    /// An entity.
    Entity(EntityId),
}

/// Where the table's cursor stood.
enum Place {
    Fact(Edge),
    List(Cut),
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
    // Before what the model reads: what it would read otherwise.
    let changed = scene.state.corrections().map(|(_, correction)| correction).filter(|correction| correction.is_about(&scene.state, id));
    for (n, correction) in changed.enumerate() {
        if n == 0 {
            document.push(Role::Dim, "# changed by you (the model does not read these lines)");
        }
        document.push(Role::ByHand, &format!("# ✎ {}", one_line(&correction.summary())));
    }
    for line in to_yaml(graph, notes).lines() {
        document.push(if known.contains(line) { Role::Text } else { Role::New }, line);
    }
    document
}
