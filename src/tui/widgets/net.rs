//! The local graph as a net: entities in columns by their distance from where the walk began, edges as lines between.
//!
//! ```text
//! ◆ Inception                    ◆ Michael Caine
//! ├ cast member ─────────┬─────▶
//! │                      └─────▶ ◆ Tom Hardy
//! └ publication date: 8 July 2010
//! ```
//!
//! Columns and the order in them follow the order of arrival, so positions stay when a graph grows. More than
//! [`MOST`] entities are not readable in a terminal: then the neighbourhood of the selected one is shown.

mod canvas;
mod layout;

pub use layout::{Cell, MOST, Net, NetSource, Side};

use super::super::theme::{Role, Theme, kg_sign};
use super::put;
use crate::graph::EntityId;
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A net, what is selected in it, and the part in view.
#[derive(Clone, Debug, Default)]
pub struct NetView {
    net: Net,
    selected: usize,
    x: usize,
    y: usize,
}

impl NetView {
    /// Shows `net`; the selection stays on its entity.
    pub fn set(&mut self, net: Net) {
        let before = self.selected().cloned();
        self.net = net;
        self.selected = before.and_then(|id| self.net.cells.iter().position(|cell| cell.entity == id)).unwrap_or(0);
    }

    /// The selected entity.
    #[must_use]
    pub fn selected(&self) -> Option<&EntityId> {
        self.net.cells.get(self.selected).map(|cell| &cell.entity)
    }

    /// Selects an entity; whether it is in view.
    pub fn select(&mut self, id: &str) -> bool {
        let found = self.net.cells.iter().position(|cell| &*cell.entity == id);
        self.selected = found.unwrap_or(self.selected);
        found.is_some()
    }

    /// How many entities are not drawn.
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.net.left_out
    }

    /// Moves to the nearest entity above or below in the same column.
    pub fn vertical(&mut self, down: bool) {
        let Some((column, y)) = self.net.cells.get(self.selected).map(|here| (here.column, here.y)) else { return };
        self.go(|cell| cell.column == column && if down { cell.y > y } else { cell.y < y }, y);
    }

    /// Moves to the entity at the nearest height in the next column.
    pub fn horizontal(&mut self, right: bool) {
        let Some((here, y)) = self.net.cells.get(self.selected).map(|here| (here.column, here.y)) else { return };
        let column = if right { Some(here + 1) } else { here.checked_sub(1) };
        self.go(|cell| Some(cell.column) == column, y);
    }

    fn go(&mut self, fits: impl Fn(&Cell) -> bool, y: usize) {
        let near = self.net.cells.iter().enumerate().filter(|(_, cell)| fits(cell)).min_by_key(|(_, cell)| cell.y.abs_diff(y));
        self.selected = near.map_or(self.selected, |(at, _)| at);
    }

    /// The entity drawn at this place of the area last drawn.
    #[must_use]
    pub fn at(&self, area: Rect, x: u16, y: u16) -> Option<&EntityId> {
        let (x, y) = (usize::from(x.checked_sub(area.x)?) + self.x, usize::from(y.checked_sub(area.y)?) + self.y);
        let hit = |cell: &&Cell| (cell.x..cell.x + cell.width).contains(&x) && (cell.y..cell.y + cell.height()).contains(&y);
        self.net.cells.iter().find(hit).map(|cell| &cell.entity)
    }

    /// Draws the part around the selection.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, focus: bool, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        let Some(here) = self.net.cells.get(self.selected) else {
            put(buf, area, area.x, area.y, "no entities yet", theme.style(Role::Dim));
            return;
        };
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        self.x = window(self.x, here.x, here.width, width, self.net.width);
        self.y = window(self.y, here.y, here.height(), height, self.net.height);
        self.net.lines.render(buf, area, self.x, self.y, theme);
        for (at, cell) in self.net.cells.iter().enumerate() {
            let role = if focus { Role::Selection } else { Role::SelectionAway };
            self.render_cell(buf, area, cell, (at == self.selected).then_some(role), theme);
        }
    }

    fn render_cell(&self, buf: &mut Buffer, area: Rect, cell: &Cell, selected: Option<Role>, theme: &Theme) {
        let title = format!("{} {}{}", kg_sign(cell.kg), if cell.new { "+ " } else { "" }, cell.label);
        let role = if cell.new { Role::New } else { Role::Title };
        self.write(buf, area, (cell.x, cell.y), cell.width, &title, role, theme);
        self.write(buf, area, (cell.x, cell.y), 1, kg_sign(cell.kg), Role::of_kg(cell.kg), theme);
        let ids = cell.title() + 1;
        if !cell.ids.is_empty() && ids + text::width(&cell.ids) <= cell.width {
            self.write(buf, area, (cell.x + ids, cell.y), cell.width - ids, &cell.ids, Role::Dim, theme);
        }
        for (n, side) in cell.sides.iter().enumerate() {
            let last = n + 1 == cell.sides.len();
            let y = cell.y + 1 + n;
            self.write(buf, area, (cell.x, y), 2, if last { "└ " } else { "├ " }, Role::Border, theme);
            let role = match (side.new, side.literal) {
                (true, _) => Role::New,
                (false, true) => Role::Literal,
                (false, false) => Role::Dim,
            };
            self.write(buf, area, (cell.x + 2, y), cell.width.saturating_sub(2), &side.text, role, theme);
        }
        if let (Some(role), Some(y)) = (selected, cell.y.checked_sub(self.y).and_then(|y| u16::try_from(y).ok())) {
            let left = cell.x.saturating_sub(self.x);
            let right = (cell.x + cell.width).saturating_sub(self.x).min(area.width.into());
            if y < area.height && left < right {
                let (left, right) = (u16::try_from(left).unwrap_or(0), u16::try_from(right).unwrap_or(0));
                buf.set_style(Rect { x: area.x + left, y: area.y + y, width: right - left, height: 1 }, theme.style(role));
            }
        }
    }

    /// Writes on the canvas at `(x, y)`, cut to `width` and to what is in view.
    #[expect(clippy::too_many_arguments, reason = "a place, a text and a style, nothing more")]
    fn write(&self, buf: &mut Buffer, area: Rect, (x, y): (usize, usize), width: usize, text: &str, role: Role, theme: &Theme) {
        let Some(row) = y.checked_sub(self.y).and_then(|row| u16::try_from(row).ok()).filter(|row| *row < area.height) else { return };
        let line = text::one_line_keeping_ends(text);
        let cut = text::cut(&line, width);
        let skip = self.x.saturating_sub(x);
        let shown = layout::skip_columns(&cut, skip);
        let Ok(column) = u16::try_from((x + skip).saturating_sub(self.x)) else { return };
        if column < area.width {
            put(buf, area, area.x + column, area.y + row, &shown, theme.style(role));
        }
    }
}

/// The first column (row) in view so that `size` cells from `at` are seen, near `before`.
fn window(before: usize, at: usize, size: usize, view: usize, whole: usize) -> usize {
    let most = whole.saturating_sub(view);
    let start = before.min(most);
    if at < start {
        at
    } else if at + size > start + view {
        (at + size).saturating_sub(view).min(at)
    } else {
        start
    }
    .min(most)
}

#[cfg(test)]
mod tests;
