//! Building blocks of the panes: plain data in, cells out. None of them knows the search.
//!
//! Text from a KG or a model passes through `text::clean`, `one_line` and `cut` here, on its way to the cells.

pub mod editor;
pub mod input;
pub mod list;
pub mod net;
pub mod pager;
pub mod spark;
pub mod table;
pub mod tree;
pub mod value;
pub mod wrap;

use super::theme::{Role, Theme};
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, BorderType, Borders, Clear, Widget};

/// Writes `text` on one line at (`x`, `y`), cut to what is left of `area`. Returns the column after it.
pub fn put(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) -> u16 {
    if y < area.y || y >= area.bottom() || x < area.x || x >= area.right() {
        return x;
    }
    let room = area.right() - x;
    let line = text::one_line_keeping_ends(text);
    let (after, _) = buf.set_stringn(x, y, text::cut(&line, room.into()), room.into(), style);
    after
}

/// Draws the border of a pane with its title and returns what is inside.
pub fn pane(buf: &mut Buffer, area: Rect, title: &str, focus: bool, theme: &Theme) -> Rect {
    let role = if focus { Role::Focus } else { Role::Border };
    let title_role = if focus { Role::Focus } else { Role::Title };
    let block = Block::new()
        .borders(Borders::ALL)
        // The focus differs in shape too: without colours it is still seen.
        .border_type(if focus { BorderType::Thick } else { BorderType::Plain })
        .border_style(theme.style(role));
    let inner = block.inner(area);
    block.render(area, buf);
    if area.width > 4 && area.height > 0 {
        let title = format!(" {} ", text::cut(&text::one_line(title), usize::from(area.width) - 4));
        // Without a colour of its own the title would take on the border's.
        let fg = theme.style(title_role).fg.or(theme.style(Role::Background).fg).or(Some(Color::Reset));
        let style = Style { fg, ..theme.style(title_role) };
        put(buf, Rect { width: area.width - 1, ..area }, area.x + 1, area.y, &title, style);
    }
    inner
}

/// Clears the middle of `area` for a popup of at most `width` x `height` and draws its border; returns what is inside.
pub fn popup(buf: &mut Buffer, area: Rect, width: u16, height: u16, title: &str, theme: &Theme) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let at = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    Clear.render(at, buf);
    buf.set_style(at, theme.style(Role::Background));
    // On tiny screens the border costs more than it gives.
    if width < 12 || height < 5 {
        return at;
    }
    let inner = pane(buf, at, title, true, theme);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// `1 fact`, `3 facts`.
#[must_use]
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The first row to show so that `selected` is in view of `height` rows out of `count`, near `offset`.
#[must_use]
pub fn scroll_to(offset: usize, selected: usize, height: usize, count: usize) -> usize {
    let offset = offset.min(count.saturating_sub(height));
    if selected < offset {
        selected
    } else if height > 0 && selected >= offset + height {
        selected + 1 - height
    } else {
        offset
    }
}

#[cfg(test)]
pub(crate) mod testing;
