//! The search tree: a row a node, with its glyph, label, marks, votes, value and place in the order of expansion.

use super::super::scene::{Scene, glyph, label};
use super::super::theme::{Role, Theme};
use super::super::widgets::tree::{Flat, TreeList};
use super::super::widgets::{put, value};
use crate::asm::Action;
use crate::search::{By, Node, NodeId, WarningKind};
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::collections::HashMap;

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowId {
    /// A node.
    Node(NodeId),
    /// A choice that became no node: of this node, at this position of its leftovers.
    Left(NodeId, u32),
}

impl RowId {
    /// The node that the row is about.
    #[must_use]
    pub const fn node(self) -> NodeId {
        match self {
            Self::Node(id) | Self::Left(id, _) => id,
        }
    }
}

/// The tree pane.
#[derive(Clone, Debug, Default)]
pub struct TreePane {
    /// Rows and cursor.
    pub list: TreeList<RowId>,
    /// Whether leftovers and withdrawn nodes are shown.
    pub rejected: bool,
    labels: HashMap<NodeId, String>,
}

impl TreePane {
    /// A pane that shows leftovers.
    #[must_use]
    pub fn new() -> Self {
        Self { rejected: true, ..Self::default() }
    }

    /// Takes up another state, or another choice of what is shown.
    pub fn rebuild(&mut self, scene: &Scene) {
        let rejected = self.rejected;
        let roots: Vec<RowId> = scene.state.nodes.first().map(|node| RowId::Node(node.id)).into_iter().collect();
        self.list.rebuild(&roots, |row, out| {
            let RowId::Node(id) = row else { return };
            let Some(node) = scene.state.node(id) else { return };
            let shown = node.children.iter().filter(|child| rejected || !scene.standing(**child).withdrawn);
            out.extend(shown.map(|child| RowId::Node(*child)));
            if rejected && let Some(left) = scene.left.get(&id) {
                out.extend((0..u32::try_from(left.len()).unwrap_or(0)).map(|at| RowId::Left(id, at)));
            }
        });
    }

    /// The selected node.
    #[must_use]
    pub fn selected(&self) -> Option<NodeId> {
        self.list.current().map(RowId::node)
    }

    /// Selects a node, opening the branches above it. Whether the rows must be rebuilt for it.
    pub fn reveal(&mut self, scene: &Scene, id: NodeId) {
        if self.list.select(RowId::Node(id)) {
            return;
        }
        let above = scene.state.path_to(id);
        let opened = above.iter().filter(|node| self.list.open(RowId::Node(node.id))).count();
        if opened > 0 {
            self.rebuild(scene);
        }
        self.list.select(RowId::Node(id));
    }

    /// Forgets labels: another session is shown.
    pub fn forget(&mut self) {
        self.labels.clear();
    }

    /// The text of a row without its guides: what is found and copied.
    #[must_use]
    pub fn text(&self, scene: &Scene, row: RowId) -> String {
        match row {
            RowId::Node(id) => {
                let glyph = scene.state.node(id).map_or("", |node| glyph(&node.action));
                let value = scene.level(id).micro().map_or_else(|| "?".to_owned(), |value| value.to_string());
                format!("{glyph} {}  {value}", label(&scene.state, id))
            }
            RowId::Left(id, at) => match scene.left.get(&id).and_then(|left| left.get(at as usize)) {
                Some(left) => format!("⊘ {}  {}", left.text, left.why),
                None => String::new(),
            },
        }
    }

    /// The whole tree as text.
    #[must_use]
    pub fn plain(&self, scene: &Scene) -> String {
        let line = |row: &Flat<RowId>| format!("{}{}\n", "  ".repeat(row.depth.min(200) as usize), self.text(scene, row.id));
        self.list.rows().iter().map(line).collect()
    }

    /// Draws the pane's inside.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, scene: &Scene, spinner: &str, focus: bool, theme: &Theme) {
        if scene.state.nodes.is_empty() {
            let said = if scene.state.steps.is_empty() { "the search has not begun" } else { "the question is being linked to the graph" };
            put(buf, area, area.x, area.y, &format!("{spinner} {said}"), theme.style(Role::Dim));
            return;
        }
        let labels = &mut self.labels;
        self.list.render(buf, area, focus, theme, |row, width| match row.id {
            RowId::Node(id) => match scene.state.node(id) {
                Some(node) => {
                    let label = labels.entry(id).or_insert_with(|| label(&scene.state, id));
                    node_line(scene, node, label, Room { pane: area.width, row: width }, spinner, theme)
                }
                None => Line::default(),
            },
            RowId::Left(id, left) => left_line(scene, id, left, width, theme),
        });
    }
}

/// How wide the pane is (it decides which columns there are), and what a row has of it.
#[derive(Clone, Copy)]
struct Room {
    pane: u16,
    row: usize,
}

/// Marks, glyph and label at the left; votes, value and order at the right edge, as far as there is room.
fn node_line(scene: &Scene, node: &Node, label: &str, room: Room, spinner: &str, theme: &Theme) -> Line<'static> {
    let mut right = Vec::new();
    if room.pane >= 36 {
        let votes = if node.votes.1 > 1 { format!("{}/{}", node.votes.0, node.votes.1) } else { String::new() };
        right.push(Span::styled(format!(" {votes:>5}"), theme.style(Role::Dim)));
    }
    if room.pane >= 24 {
        right.push(Span::raw(" "));
        right.extend(value::spans(scene.level(node.id), theme));
    }
    if room.pane >= 46 {
        let order = node.order.map_or_else(String::new, |number| format!("#{}", number + 1));
        right.push(Span::styled(format!("{order:>5}"), theme.style(Role::Dim)));
    }
    let taken: usize = right.iter().map(|span| text::width(&span.content)).sum();
    if taken + 6 > room.row {
        right.clear();
    }
    let taken: usize = right.iter().map(|span| text::width(&span.content)).sum();
    let mut spans = marks(scene, node, spinner, theme);
    let role = match (scene.standing(node.id), &node.action) {
        (standing, _) if standing.pruned || standing.withdrawn => Role::Pruned,
        (_, Action::Error { .. }) => Role::Error,
        _ if scene.next == Some(node.id) => Role::Next,
        _ => Role::Text,
    };
    spans.push(Span::styled(glyph(&node.action), theme.style(Role::Accent)));
    spans.push(Span::raw(" "));
    let used: usize = spans.iter().map(|span| text::width(&span.content)).sum();
    let label = text::cut(label, room.row.saturating_sub(used + taken)).into_owned();
    let mut blank = room.row.saturating_sub(used + text::width(&label) + taken);
    spans.push(Span::styled(label, theme.style(role)));
    // What was cut, or what went wrong, as far as the label leaves room.
    let said = scene.partial.get(&node.id).or_else(|| scene.remarks.get(&node.id)).map(String::as_str);
    let remark = said.or_else(|| warning(scene, node.id)).filter(|_| blank > 12);
    if let Some(remark) = remark {
        let remark = format!(" · {}", text::cut(&text::one_line(remark), blank - 4));
        blank = blank.saturating_sub(text::width(&remark));
        spans.push(Span::styled(remark, theme.style(Role::Dim)));
    }
    spans.push(Span::raw(" ".repeat(blank)));
    spans.extend(right);
    Line::from(spans)
}

/// The first warning about a node that has no sign of its own. That samples are alike says more of the model than of the node.
fn warning(scene: &Scene, id: NodeId) -> Option<&'static str> {
    let own = |kind: &WarningKind| !matches!(kind, WarningKind::KgPartial | WarningKind::IdenticalSamples);
    scene.warnings_of(id).iter().map(|warning| warning.kind).find(own).map(WarningKind::title)
}

/// Whether a person made a node, chose it too, or asked the model for it.
#[must_use]
pub fn by_hand(scene: &Scene, node: &Node) -> bool {
    node.by == By::You || !node.marks.is_empty() || scene.state.step(node.step).is_some_and(crate::search::Step::by_hand)
}

/// What is special about a node, each with a sign of its own.
fn marks(scene: &Scene, node: &Node, spinner: &str, theme: &Theme) -> Vec<Span<'static>> {
    let standing = scene.standing(node.id);
    let working = scene.working == Some(node.id);
    let all = [
        (working, spinner, Role::Accent),
        (scene.next == Some(node.id) && !working, "▶", Role::Next),
        (scene.answer == Some(node.id), "✔", Role::Good),
        (by_hand(scene, node), "✎", Role::ByHand),
        (scene.state.pin_of(node.id).is_some() && node.expanded.is_none(), "⚑", Role::ByHand),
        (scene.breaks.contains(&node.id), "●", Role::Error),
        (standing.pruned && !standing.replaced, "✂", Role::Pruned),
        (standing.replaced, "↻", Role::Pruned),
        (standing.withdrawn, "↶", Role::Pruned),
        (scene.partial.contains_key(&node.id), "◐", Role::Warning),
        (scene.remarks.contains_key(&node.id) || warning(scene, node.id).is_some(), "⚠", Role::Warning),
    ];
    let mut spans: Vec<Span<'static>> =
        all.into_iter().filter(|(on, _, _)| *on).map(|(_, sign, role)| Span::styled(sign.to_owned(), theme.style(role))).collect();
    if !spans.is_empty() {
        spans.push(Span::raw(" "));
    }
    spans
}

fn left_line(scene: &Scene, id: NodeId, position: u32, width: usize, theme: &Theme) -> Line<'static> {
    let Some(left) = scene.left.get(&id).and_then(|left| left.get(position as usize)) else { return Line::default() };
    let style = theme.style(Role::Rejected);
    let votes = if left.votes > 1 { format!("{}× ", left.votes) } else { String::new() };
    let reason = format!("  {votes}{}", left.why);
    let width = width.saturating_sub(2);
    let room = width.saturating_sub(text::width(&reason)).max(width / 2);
    let said = text::cut(&left.text, room).into_owned();
    let reason = text::cut(&reason, width.saturating_sub(text::width(&said))).into_owned();
    let sign = if left.outvoted { "⊖ " } else { "⊘ " };
    Line::from(vec![Span::styled(sign, style), Span::styled(said, style), Span::styled(reason, theme.style(Role::Dim))])
}
