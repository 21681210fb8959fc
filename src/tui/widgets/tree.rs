//! A tree as rows: which are in view, their guide lines, and moving among them.
//!
//! Rows are flattened without recursion, once per change (a tree may be 5,000 levels deep), and only those in view are
//! drawn. When deep, the indentation is shifted and clamped, so that the text of every row stays readable.

use super::super::theme::{Role, Theme};
use super::{put, scroll_to};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::StatefulWidget;
use std::collections::HashSet;
use std::hash::Hash;
use tui_tree_widget::{Tree, TreeItem, TreeState};

/// A row of a flattened tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat<Id> {
    /// What stands in it.
    pub id: Id,
    /// Levels above it.
    pub depth: u32,
    /// The row of its parent.
    pub parent: Option<u32>,
    /// Whether it is the last child.
    pub last: bool,
    /// Whether something hangs below it.
    pub has_children: bool,
    /// Whether that is shown.
    pub open: bool,
}

/// The rows of a tree, which branches are closed, and the cursor.
#[derive(Clone, Debug)]
pub struct TreeList<Id> {
    rows: Vec<Flat<Id>>,
    closed: HashSet<Id>,
    selected: usize,
    offset: usize,
    height: usize,
}

impl<Id> Default for TreeList<Id> {
    fn default() -> Self {
        Self { rows: Vec::new(), closed: HashSet::new(), selected: 0, offset: 0, height: 0 }
    }
}

impl<Id: Copy + Eq + Hash> TreeList<Id> {
    /// Flattens the tree below `roots`; the cursor stays on its node, or goes to the nearest row left.
    pub fn rebuild(&mut self, roots: &[Id], mut children: impl FnMut(Id, &mut Vec<Id>)) {
        let before = self.current();
        self.rows.clear();
        let mut stack: Vec<(Id, u32, Option<u32>, bool)> = Vec::new();
        let mut below = Vec::new();
        let last = roots.len().wrapping_sub(1);
        stack.extend(roots.iter().enumerate().rev().map(|(at, id)| (*id, 0, None, at == last)));
        while let Some((id, depth, parent, is_last)) = stack.pop() {
            below.clear();
            children(id, &mut below);
            let (has_children, open) = (!below.is_empty(), !self.closed.contains(&id));
            let row = u32::try_from(self.rows.len()).ok();
            self.rows.push(Flat { id, depth, parent, last: is_last, has_children, open });
            if open {
                let last = below.len().wrapping_sub(1);
                stack.extend(below.iter().enumerate().rev().map(|(at, id)| (*id, depth + 1, row, at == last)));
            }
        }
        self.selected = match before {
            Some(id) if self.rows.get(self.selected).is_some_and(|row| row.id == id) => self.selected,
            Some(id) => self.position(id).unwrap_or(self.selected),
            None => self.selected,
        }
        .min(self.rows.len().saturating_sub(1));
    }

    /// The rows as flattened.
    #[must_use]
    pub fn rows(&self) -> &[Flat<Id>] {
        &self.rows
    }

    /// The selected node.
    #[must_use]
    pub fn current(&self) -> Option<Id> {
        self.rows.get(self.selected).map(|row| row.id)
    }

    /// The selected row.
    #[must_use]
    pub fn current_row(&self) -> Option<&Flat<Id>> {
        self.rows.get(self.selected)
    }

    fn position(&self, id: Id) -> Option<usize> {
        self.rows.iter().position(|row| row.id == id)
    }

    /// Selects a node if it has a row; whether it has.
    pub fn select(&mut self, id: Id) -> bool {
        let found = self.position(id);
        self.selected = found.unwrap_or(self.selected);
        found.is_some()
    }

    /// Moves the cursor by rows.
    pub fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
    }

    /// Moves the cursor by pages.
    pub fn page(&mut self, by: isize) {
        self.step(by.saturating_mul(isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1)));
    }

    /// Moves the cursor to the next or previous child of the same parent.
    pub fn sibling(&mut self, forward: bool) {
        let Some(row) = self.current_row().copied() else { return };
        let is_sibling = |other: &Flat<Id>| other.parent == row.parent;
        let found = if forward {
            self.rows.iter().enumerate().skip(self.selected + 1).take_while(|(_, r)| r.depth >= row.depth).find(|(_, r)| is_sibling(r))
        } else {
            self.rows[..self.selected].iter().enumerate().rev().take_while(|(_, r)| r.depth >= row.depth).find(|(_, r)| is_sibling(r))
        };
        self.selected = found.map_or(self.selected, |(at, _)| at);
    }

    /// Left: closes the branch, or goes to the parent. Whether the rows must be rebuilt.
    pub fn left(&mut self) -> bool {
        let Some(row) = self.current_row().copied() else { return false };
        if row.has_children && row.open {
            return self.closed.insert(row.id);
        }
        if let Some(parent) = row.parent {
            self.selected = parent as usize;
        }
        false
    }

    /// Right: opens the branch, or goes to the first child. Whether the rows must be rebuilt.
    pub fn right(&mut self) -> bool {
        let Some(row) = self.current_row().copied() else { return false };
        if row.has_children && !row.open {
            return self.closed.remove(&row.id);
        }
        if row.has_children {
            self.step(1);
        }
        false
    }

    /// Opens or closes the selected branch. Whether the rows must be rebuilt.
    pub fn toggle(&mut self) -> bool {
        let Some(row) = self.current_row().copied() else { return false };
        row.has_children && if row.open { self.closed.insert(row.id) } else { self.closed.remove(&row.id) }
    }

    /// Opens every branch.
    pub fn open_all(&mut self) {
        self.closed.clear();
    }

    /// Opens one branch.
    pub fn open(&mut self, id: Id) -> bool {
        self.closed.remove(&id)
    }

    /// Closes every branch that is shown, but for the first level.
    pub fn close_all(&mut self) {
        self.closed.extend(self.rows.iter().filter(|row| row.has_children && row.depth > 0).map(|row| row.id));
    }

    /// Selects the row that a click at `y` of `area` means; whether it was the selected one already.
    pub fn click(&mut self, area: Rect, y: u16) -> bool {
        let at = self.offset + usize::from(y.saturating_sub(area.y));
        let same = at == self.selected;
        self.selected = at.min(self.rows.len().saturating_sub(1));
        same
    }

    /// Draws the rows in view. `line` gets a row and how many columns its text has.
    ///
    /// `tui-tree-widget` draws symbols, indentation and text, but gets only what is in view: it flattens everything it is
    /// given on every frame, at a cost that grows with the square of the depth. The rows in view are cut into runs that
    /// are forests of their own (no row above the first one's level), each drawn at its first row's indentation.
    pub fn render(
        &mut self,
        buf: &mut Buffer,
        area: Rect,
        focus: bool,
        theme: &Theme,
        mut line: impl FnMut(&Flat<Id>, usize) -> Line<'static>,
    ) {
        if area.is_empty() {
            return;
        }
        self.height = area.height.into();
        self.offset = scroll_to(self.offset, self.selected, self.height, self.rows.len());
        let end = (self.offset + self.height).min(self.rows.len());
        let list = Rect { width: area.width.saturating_sub(u16::from(self.rows.len() > self.height)), ..area };
        let levels = u32::from(area.width) / 5;
        let shift = self.current_row().map_or(0, |row| row.depth.saturating_sub(levels * 3 / 4));
        let level = |row: &Flat<Id>| row.depth.saturating_sub(shift).min(levels);
        let highlight = theme.style(if focus { Role::Selection } else { Role::SelectionAway });
        let mut start = self.offset;
        while start < end {
            let base = level(&self.rows[start]);
            let length = self.rows[start..end].iter().take_while(|row| level(row) >= base).count();
            let y = list.y + u16::try_from(start - self.offset).unwrap_or(0);
            let indent = u16::try_from(base * 2).unwrap_or(u16::MAX).min(list.width);
            let height = u16::try_from(length).unwrap_or(u16::MAX);
            let place = Rect { x: list.x + indent, y, width: list.width - indent, height };
            let run = Run { rows: &self.rows[start..start + length], first: start, base, levels, shift };
            run.render(buf, place, self.selected, level, theme, &mut line);
            start += length;
        }
        for (at, y) in (self.offset..end).zip(list.y..) {
            let row = Rect { y, height: 1, ..list };
            self.guides(buf, row, at, level(&self.rows[at]), theme);
            if at == self.selected {
                buf.set_style(row, highlight);
            }
        }
        super::pager::scroll_mark(buf, area, self.offset, self.height, self.rows.len(), theme);
    }

    /// Draws the guide lines of row `at` into its indentation of `shown` levels; `‹` where levels are left out.
    fn guides(&self, buf: &mut Buffer, line: Rect, at: usize, shown: u32, theme: &Theme) {
        let row = &self.rows[at];
        let style = theme.style(Role::Border);
        let mut ancestor = Some(row);
        for level in (0..shown).rev() {
            let Some(here) = ancestor else { break };
            let guide = match (level + 1 == shown, here.last) {
                (true, true) => "└",
                (true, false) => "├",
                (false, true) => " ",
                (false, false) => "│",
            };
            let Ok(column) = u16::try_from(level * 2) else { break };
            put(buf, line, line.x.saturating_add(column), line.y, guide, style);
            ancestor = here.parent.map(|parent| &self.rows[parent as usize]);
        }
        if row.depth > shown && shown > 0 {
            put(buf, line, line.x, line.y, "‹", style);
        }
    }
}

const OPEN: &str = "▾ ";
const CLOSED: &str = "▸ ";

/// Rows that make a forest: none stands above the level of the first.
struct Run<'a, Id> {
    rows: &'a [Flat<Id>],
    /// The number of the first row, which is its identifier for the widget.
    first: usize,
    base: u32,
    levels: u32,
    shift: u32,
}

impl<Id: Copy + Eq + Hash> Run<'_, Id> {
    fn render(
        &self,
        buf: &mut Buffer,
        area: Rect,
        selected: usize,
        level: impl Fn(&Flat<Id>) -> u32,
        theme: &Theme,
        line: &mut impl FnMut(&Flat<Id>, usize) -> Line<'static>,
    ) {
        let mut state = TreeState::default();
        let (items, paths) = self.items(area.width, &level, line);
        for (row, path) in self.rows.iter().zip(paths) {
            if row.open {
                state.open(path.clone());
            }
            if path.last() == Some(&selected) {
                state.select(path);
            }
        }
        // Identifiers are row numbers: there are no two of one kind.
        let Ok(tree) = Tree::new(&items) else { return };
        let tree = tree.node_open_symbol(OPEN).node_closed_symbol(CLOSED).node_no_children_symbol("").style(theme.style(Role::Text));
        StatefulWidget::render(tree, area, buf, &mut state);
    }

    /// The rows as nested items, and the path of each. A closed row, and one whose children are below the last row in
    /// view, has a placeholder for them: it is never drawn, but it makes the widget show that there are some.
    fn items(
        &self,
        width: u16,
        level: &impl Fn(&Flat<Id>) -> u32,
        line: &mut impl FnMut(&Flat<Id>, usize) -> Line<'static>,
    ) -> (Vec<TreeItem<'static, usize>>, Vec<Vec<usize>>) {
        let mut path: Vec<usize> = Vec::new();
        let mut paths = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            path.truncate((level(row) - self.base) as usize);
            path.push(self.first + at);
            paths.push(path.clone());
        }
        let mut below: Vec<Vec<TreeItem<'static, usize>>> = Vec::new();
        for (at, row) in self.rows.iter().enumerate().rev() {
            let deep = (level(row) - self.base) as usize;
            below.resize_with(below.len().max(deep + 2), Vec::new);
            let mut children = std::mem::take(&mut below[deep + 1]);
            children.reverse();
            // Left of the first level and at the last one children stand below their parent without indentation: they
            // are its siblings for the widget, and the symbol is part of the text.
            let clamped = row.has_children && (row.depth < self.shift || level(row) >= self.levels);
            let symbol = if clamped { if row.open { OPEN } else { CLOSED } } else { "" };
            if row.has_children && !clamped && children.is_empty() {
                children.push(TreeItem::new_leaf(usize::MAX, ""));
            }
            let taken = deep * 2 + if row.has_children { 2 } else { 0 };
            let mut text = line(row, usize::from(width).saturating_sub(taken));
            if clamped {
                text.spans.insert(0, Span::raw(symbol));
            }
            if let Ok(item) = TreeItem::new(self.first + at, text, children) {
                below[deep].push(item);
            }
        }
        let mut items = below.into_iter().next().unwrap_or_default();
        items.reverse();
        (items, paths)
    }
}

#[cfg(test)]
mod tests;
