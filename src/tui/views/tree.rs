//! The search tree: a row a node, with its glyph, label, marks, votes, value and place in the order of expansion.

use super::super::scene::{Scene, glyph, label};
use super::super::theme::{Role, Theme};
use super::super::widgets::tree::{Flat, TreeList};
use super::super::widgets::{put, value};
use crate::search::{By, Node, NodeId};
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
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
        self.list.render(buf, area, focus, theme, |row, buf, at| match row.id {
            RowId::Node(id) => {
                if let Some(node) = scene.state.node(id) {
                    let label = labels.entry(id).or_insert_with(|| label(&scene.state, id));
                    render_node(buf, at, area, scene, node, label, spinner, theme);
                }
            }
            RowId::Left(id, left) => render_left(buf, at, scene, id, left, theme),
        });
    }
}

/// Columns at the right edge: which fit depends on the width of the pane.
#[expect(clippy::too_many_arguments, reason = "a row is drawn from all of these and nothing else")]
fn render_node(buf: &mut Buffer, at: Rect, pane: Rect, scene: &Scene, node: &Node, label: &str, spinner: &str, theme: &Theme) {
    let standing = scene.standing(node.id);
    let (order_width, votes_width) = (if pane.width >= 46 { 5 } else { 0 }, if pane.width >= 36 { 5 } else { 0 });
    let value_width = if pane.width >= 24 { 7 } else { 0 };
    let mut edge = at.right().max(at.x);
    let mut column = |width: u16| {
        edge = edge.saturating_sub(width).max(at.x);
        Rect { x: edge, width: width.min(at.right() - edge), ..at }
    };
    let (order, value_at, votes) = (column(order_width), column(value_width), column(votes_width));
    let text = Rect { width: votes.x.saturating_sub(at.x), ..at };

    if let Some(number) = node.order {
        put(buf, order, order.x, at.y, &format!("{:>5}", format!("#{}", number + 1)), theme.style(Role::Dim));
    }
    let mut x = value_at.x;
    if value_width > 0 {
        x = put(buf, value_at, x, at.y, " ", theme.style(Role::Text));
        for span in value::spans(scene.level(node.id), theme) {
            x = put(buf, value_at, x, at.y, &span.content, span.style);
        }
    }
    if node.votes.1 > 1 && votes_width > 0 {
        put(buf, votes, votes.x, at.y, &format!("{:>5}", format!("{}/{}", node.votes.0, node.votes.1)), theme.style(Role::Dim));
    }

    let mut x = text.x;
    let hand = node.by == By::You || !node.marks.is_empty();
    let marks = [
        (scene.working == Some(node.id), spinner, Role::Accent),
        (scene.next == Some(node.id) && scene.working != Some(node.id), "▶", Role::Next),
        (scene.answer == Some(node.id), "✔", Role::Good),
        (hand, "✎", Role::ByHand),
        (standing.pruned, "✂", Role::Pruned),
        (standing.withdrawn, "↶", Role::Pruned),
        (!node.delta.partial.is_empty(), "◐", Role::Warning),
    ];
    let role = match (standing.pruned || standing.withdrawn, &node.action) {
        (true, _) => Role::Pruned,
        (_, crate::asm::Action::Error { .. }) => Role::Error,
        _ if scene.next == Some(node.id) => Role::Next,
        _ => Role::Text,
    };
    for (_, sign, role) in marks.into_iter().filter(|(on, _, _)| *on) {
        x = put(buf, text, x, at.y, sign, theme.style(role));
    }
    if x > text.x {
        x = put(buf, text, x, at.y, " ", theme.style(Role::Text));
    }
    x = put(buf, text, x, at.y, glyph(&node.action), theme.style(Role::Accent));
    let room = usize::from(text.right().saturating_sub(x + 1));
    put(buf, text, x.saturating_add(1), at.y, &text::cut(label, room), theme.style(role));
}

fn render_left(buf: &mut Buffer, at: Rect, scene: &Scene, id: NodeId, position: u32, theme: &Theme) {
    let Some(left) = scene.left.get(&id).and_then(|left| left.get(position as usize)) else { return };
    let style = theme.style(Role::Rejected);
    let votes = if left.votes > 1 { format!("{}× ", left.votes) } else { String::new() };
    let x = put(buf, at, at.x, at.y, if left.outvoted { "⊖ " } else { "⊘ " }, style);
    let reason = format!("  {votes}{}", left.why);
    let width = usize::from(at.right().saturating_sub(x));
    let room = width.saturating_sub(text::width(&reason)).max(width / 2);
    let x = put(buf, at, x, at.y, &text::cut(&left.text, room), style);
    put(buf, at, x, at.y, &reason, theme.style(Role::Dim));
}
