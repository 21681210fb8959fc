//! Several lines of text to type or paste: the reply of a human model, a hint.

use super::super::theme::{Role, Theme};
use crate::text::{clean, is_unsafe};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use ratatui_textarea::{TextArea, WrapMode};

/// A small text editor. Enter and Escape belong to whoever holds it; alt-Enter or ctrl-j makes a new line.
#[derive(Clone, Debug)]
pub struct Editor {
    area: TextArea<'static>,
}

impl Default for Editor {
    fn default() -> Self {
        Self::new("")
    }
}

impl Editor {
    /// An editor that holds `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut area = TextArea::new(clean(text).split('\n').map(str::to_owned).collect());
        area.set_cursor_line_style(Style::new());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.move_cursor(ratatui_textarea::CursorMove::Bottom);
        area.move_cursor(ratatui_textarea::CursorMove::End);
        Self { area }
    }

    /// The text as typed, without the line end of the last line.
    #[must_use]
    pub fn value(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Takes a key; whether it changed the text.
    pub fn key(&mut self, key: &KeyEvent) -> bool {
        match key.code {
            KeyCode::Enter if key.modifiers.contains(KeyModifiers::ALT) => self.newline(),
            KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => self.newline(),
            KeyCode::Enter | KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab => false,
            KeyCode::Char(letter) if is_unsafe(letter) => false,
            _ => self.area.input(*key),
        }
    }

    fn newline(&mut self) -> bool {
        self.area.insert_newline();
        true
    }

    /// Takes a paste, lines kept, control characters dropped.
    pub fn paste(&mut self, text: &str) {
        self.area.insert_str(clean(&text.replace("\r\n", "\n").replace('\r', "\n")));
    }

    /// Draws the text with its cursor.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        self.area.set_style(theme.style(Role::Text));
        self.area.set_cursor_style(theme.style(Role::Text).add_modifier(Modifier::REVERSED));
        (&self.area).render(area, buf);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{never_panics, screen};
    use super::*;

    #[test]
    fn pastes_keep_lines_and_lose_control_characters() {
        let mut editor = Editor::default();
        editor.paste("THINK:\r\nlook\u{1b}[31m at casts");
        assert_eq!(editor.value(), "THINK:\nlook[31m at casts");
        assert!(!editor.key(&KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
        assert!(editor.key(&KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)));
        assert_eq!(editor.value().lines().count(), 2);
        assert!(editor.value().ends_with('\n'));
        let shown = screen(40, 4, |buf, area| editor.render(buf, area, &Theme::default()));
        assert!(shown.contains("look[31m at casts"), "{shown}");
    }

    #[test]
    fn no_size_breaks_it() {
        let theme = Theme::default();
        never_panics(|buf, area| Editor::new("가나다 and a long line\nsecond").render(buf, area, &theme));
    }
}
