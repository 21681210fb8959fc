//! A line at the bottom for the text to find; what is found is shown while typing.

mod in_words;

use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::put;
use super::{Desk, Popup, Reaction};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};
use std::time::Instant;

/// The line.
#[derive(Debug, Default)]
pub struct FindPopup {
    line: LineInput,
}

impl Popup for FindPopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match key.code {
            KeyCode::Esc => Reaction::Find(String::new(), true),
            KeyCode::Enter => Reaction::Find(self.line.value().to_owned(), true),
            _ if self.line.key(key) => Reaction::Find(self.line.value().to_owned(), false),
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        self.line.paste(text);
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let Some(y) = area.bottom().checked_sub(1).filter(|_| !area.is_empty()) else { return };
        let row = Rect { y, height: 1, ..area };
        Clear.render(row, buf);
        buf.set_style(row, theme.style(Role::Background));
        let x = put(buf, row, row.x, y, " find / ", theme.style(Role::Key));
        let line = Rect { x, width: row.right().saturating_sub(x), ..row };
        self.line.render(buf, line, "text in this pane; Enter, then n and N; Escape ends", theme);
    }
}
