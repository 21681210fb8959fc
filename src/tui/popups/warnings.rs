//! What was found amiss when the program began: lines of files that were skipped, keys, themes, limits.

mod in_words;

use super::super::command::Control;
use super::super::theme::{Role, Theme};
use super::super::widgets::pager::Pager;
use super::super::widgets::popup;
use super::super::widgets::wrap::Document;
use super::{Desk, Popup, Reaction, with_keys};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// The warnings, each whole.
#[derive(Debug)]
pub struct Warnings {
    pager: Pager,
}

impl Warnings {
    /// These warnings.
    #[must_use]
    pub fn new(warnings: &[String]) -> Self {
        let mut document = Document::default();
        for warning in warnings {
            document.push(Role::Warning, &format!("⚠ {warning}"));
        }
        Self { pager: Pager::new(document) }
    }
}

impl Popup for Warnings {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        match (key.code, desk.keys.control(key)) {
            (KeyCode::Esc | KeyCode::Enter, _) | (_, Some(Control::Warnings | Control::Quit)) => return Reaction::Close,
            (_, Some(Control::Up)) => self.pager.scroll(-1),
            (_, Some(Control::Down)) => self.pager.scroll(1),
            (_, Some(Control::PageUp)) => self.pager.page(-1),
            (_, Some(Control::PageDown | Control::Pause)) => self.pager.page(1),
            (_, Some(Control::Top)) => self.pager.top(),
            (_, Some(Control::Bottom)) => self.pager.bottom(),
            _ => {}
        }
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 110, 16, "Warnings", theme);
        let body = with_keys(buf, inner, "↑ ↓ scroll  Esc closes", theme);
        self.pager.render(buf, body, theme);
    }
}
