//! A tree as rows: which are in view, their guide lines, and moving among them.
//!
//! Rows are flattened without recursion, once per change (a tree may be 5,000 levels deep), and only those in view are
//! drawn. When deep, the indentation is shifted and clamped, so that the text of every row stays readable.

use super::super::theme::{Role, Theme};
use super::{put, scroll_to};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::HashSet;
use std::hash::Hash;

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

    /// Draws the rows in view. `draw` gets the row, and where its text goes.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, focus: bool, theme: &Theme, mut draw: impl FnMut(&Flat<Id>, &mut Buffer, Rect)) {
        if area.is_empty() {
            return;
        }
        self.height = area.height.into();
        self.offset = scroll_to(self.offset, self.selected, self.height, self.rows.len());
        let levels = u32::from(area.width) / 5;
        let shift = self.current_row().map_or(0, |row| row.depth.saturating_sub(levels * 3 / 4));
        let list = Rect { width: area.width.saturating_sub(u16::from(self.rows.len() > self.height)), ..area };
        for (at, y) in (self.offset..self.rows.len()).zip(area.y..area.bottom()) {
            let line = Rect { y, height: 1, ..list };
            let x = self.guides(buf, line, at, shift, levels, theme);
            draw(&self.rows[at], buf, Rect { x, width: line.right().saturating_sub(x), ..line });
            if at == self.selected {
                buf.set_style(line, theme.style(if focus { Role::Selection } else { Role::SelectionAway }));
            }
        }
        super::pager::scroll_mark(buf, area, self.offset, self.height, self.rows.len(), theme);
    }

    /// Draws the guide lines of row `at`: levels `shift` to `shift + levels`, the deepest ones where there are more.
    fn guides(&self, buf: &mut Buffer, line: Rect, at: usize, shift: u32, levels: u32, theme: &Theme) -> u16 {
        let row = &self.rows[at];
        let shown = row.depth.saturating_sub(shift).min(levels);
        let style = theme.style(Role::Border);
        let mut guides = Vec::with_capacity(shown as usize);
        let mut ancestor = Some(row);
        for level in 0..shown {
            let Some(here) = ancestor else { break };
            guides.push(match (level, here.last) {
                (0, true) => "└ ",
                (0, false) => "├ ",
                (_, true) => "  ",
                (_, false) => "│ ",
            });
            ancestor = here.parent.map(|parent| &self.rows[parent as usize]);
        }
        let mut x = line.x;
        if row.depth > shown && shift > 0 {
            x = put(buf, line, x, line.y, "‹", style);
        }
        for guide in guides.iter().rev() {
            x = put(buf, line, x, line.y, guide, style);
        }
        let sign = match (row.has_children, row.open) {
            (true, true) => "▾ ",
            (true, false) => "▸ ",
            (false, _) => "",
        };
        put(buf, line, x, line.y, sign, theme.style(Role::Dim))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{never_panics, screen};
    use super::*;

    /// 0 has 1 and 2; 1 has 3 and 4; 4 has 5.
    fn small(id: u32, out: &mut Vec<u32>) {
        out.extend_from_slice(match id {
            0 => &[1, 2],
            1 => &[3, 4],
            4 => &[5],
            _ => &[],
        });
    }

    fn shown(tree: &mut TreeList<u32>, width: u16, height: u16) -> String {
        let theme = Theme::default();
        screen(width, height, |buf, area| {
            tree.render(buf, area, true, &theme, |row, buf, at| {
                put(buf, at, at.x, at.y, &format!("node {}", row.id), theme.style(Role::Text));
            });
        })
    }

    #[test]
    fn guides_show_the_shape() {
        let mut tree = TreeList::default();
        tree.rebuild(&[0], small);
        let text = shown(&mut tree, 30, 7);
        assert_eq!(text, "▾ node 0\n├ ▾ node 1\n│ ├ node 3\n│ └ ▾ node 4\n│   └ node 5\n└ node 2\n\n");
    }

    #[test]
    fn the_cursor_moves_and_branches_close() {
        let mut tree = TreeList::default();
        tree.rebuild(&[0], small);
        assert!(!tree.right(), "to the first child");
        assert_eq!(tree.current(), Some(1));
        tree.sibling(true);
        assert_eq!(tree.current(), Some(2));
        tree.sibling(false);
        assert!(tree.left());
        tree.rebuild(&[0], small);
        assert_eq!(tree.rows().len(), 3);
        assert_eq!(tree.current(), Some(1), "the cursor stays on its node");
        assert!(!tree.left(), "to the parent");
        assert_eq!(tree.current(), Some(0));
        tree.open_all();
        tree.rebuild(&[0], small);
        assert!(tree.select(5));
        tree.close_all();
        tree.rebuild(&[0], small);
        assert_eq!(tree.rows().len(), 3);
        assert!(!tree.select(5));
    }

    #[test]
    fn five_thousand_levels_are_readable_and_quick() {
        let mut tree = TreeList::default();
        let chain = |id: u32, out: &mut Vec<u32>| out.extend((id < 5_000).then_some(id + 1));
        tree.rebuild(&[0], chain);
        tree.select(4_990);
        let text = shown(&mut tree, 20, 10);
        assert!(text.lines().all(|line| line.contains("node 49") || line.contains("node 50")), "{text}");
    }

    #[test]
    fn no_size_breaks_it() {
        let theme = Theme::default();
        let mut tree = TreeList::default();
        tree.rebuild(&[0], |id: u32, out| out.extend((id < 40).then_some(id + 1)));
        tree.select(30);
        never_panics(|buf, area| {
            tree.render(buf, area, true, &theme, |_, buf, at| {
                put(buf, at, at.x, at.y, "가나다", theme.style(Role::Text));
            })
        });
        never_panics(|buf, area| TreeList::<u32>::default().render(buf, area, true, &theme, |_, _, _| ()));
    }
}
