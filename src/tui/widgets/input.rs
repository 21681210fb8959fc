//! One line of text to type or paste.

use super::super::theme::{Role, Theme};
use crate::text::{is_unsafe, one_line};
use crossterm::event::{Event, KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use tui_input::backend::crossterm::EventHandler;
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A line with a cursor. Enter, Escape, Tab and the arrows up and down belong to whoever holds it.
#[derive(Clone, Debug, Default)]
pub struct LineInput {
    input: Input,
}

impl LineInput {
    /// A line that holds `text`, the cursor at its end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { input: Input::new(one_line(text)) }
    }

    /// What was typed.
    #[must_use]
    pub fn value(&self) -> &str {
        self.input.value()
    }

    /// Puts another text in.
    pub fn set(&mut self, text: &str) {
        *self = Self::new(text);
    }

    /// Takes a key; whether it changed the text.
    pub fn key(&mut self, key: &KeyEvent) -> bool {
        if matches!(key.code, KeyCode::Enter | KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab | KeyCode::Up | KeyCode::Down)
            || matches!(key.code, KeyCode::Char(letter) if is_unsafe(letter))
        {
            return false;
        }
        self.input.handle_event(&Event::Key(*key)).is_some_and(|changed| changed.value)
    }

    /// Takes a paste: one line, without control characters, whatever was on the clipboard.
    pub fn paste(&mut self, text: &str) {
        for letter in one_line(text).chars() {
            self.input.handle(InputRequest::InsertChar(letter));
        }
    }

    /// Draws the line without a cursor: the keys go elsewhere.
    pub fn render_at_rest(&self, buf: &mut Buffer, area: Rect, hint: &str, theme: &Theme) {
        let (text, role) = if self.value().is_empty() { (hint, Role::Dim) } else { (self.value(), Role::Text) };
        super::put(buf, area, area.x, area.y, text, theme.style(role));
    }

    /// Draws the line on the first row of `area`, scrolled so that the cursor is in view; `hint` where it is empty.
    pub fn render(&self, buf: &mut Buffer, area: Rect, hint: &str, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        if self.value().is_empty() {
            super::put(buf, area, area.x.saturating_add(1), area.y, hint, theme.style(Role::Dim));
        }
        let width = usize::from(area.width);
        let skip = self.input.visual_scroll(width.saturating_sub(1).max(1));
        let cursor = self.input.visual_cursor();
        let (mut column, mut cursor_at) = (0, None);
        for cluster in self.value().graphemes(true) {
            let end = column + cluster.width();
            if column >= skip && end - skip <= width {
                let x = area.x + u16::try_from(column - skip).unwrap_or(0);
                super::put(buf, area, x, area.y, cluster, theme.style(Role::Text));
                if (column..end).contains(&cursor) {
                    cursor_at = Some(x);
                }
            }
            column = end;
        }
        let end = u16::try_from(cursor.saturating_sub(skip)).unwrap_or(u16::MAX).min(area.width - 1);
        let at = Rect { x: cursor_at.unwrap_or(area.x + end), width: 1, height: 1, ..area };
        buf.set_style(at, theme.style(Role::Text).add_modifier(Modifier::REVERSED));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{never_panics, screen};
    use super::*;
    use crossterm::event::KeyModifiers;

    fn typed(text: &str) -> LineInput {
        let mut line = LineInput::default();
        for letter in text.chars() {
            line.key(&KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
        }
        line
    }

    #[test]
    fn a_paste_is_one_line_and_never_a_command() {
        let mut line = typed("a ");
        line.paste("who\u{1b}[2J acted\r\nin\tInception?\n");
        assert_eq!(line.value(), "a who[2J acted in Inception?");
        assert!(!line.key(&KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    }

    #[test]
    fn keys_edit_the_text() {
        let mut line = typed("abc");
        assert!(line.key(&KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE)));
        assert_eq!(line.value(), "ab");
        assert!(!line.key(&KeyEvent::new(KeyCode::Left, KeyModifiers::NONE)));
        assert!(line.key(&KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE)));
        assert_eq!(line.value(), "axb");
    }

    #[test]
    fn long_and_wide_text_keeps_the_end_in_view() {
        let theme = Theme::default();
        let shown = screen(10, 1, |buf, area| typed("which actor played in both 가나다").render(buf, area, "", &theme));
        assert!(shown.contains('다'), "{shown}");
        assert!(screen(30, 1, |buf, area| LineInput::default().render(buf, area, "a question", &theme)).contains("a question"));
        never_panics(|buf, area| typed("가나다 e\u{301}x").render(buf, area, "hint", &theme));
    }
}
