//! Forking: why, the answer that is expected, and whether the fork stops where its parent's recording ends.

mod in_words;

use super::super::session_view::SessionView;
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::runner::Command;
use crate::search::Seq;
use crate::session::ForkNote;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// A row of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Why,
    Expected,
    Stop,
}

const ROWS: [Row; 3] = [Row::Why, Row::Expected, Row::Stop];

/// The form.
#[derive(Debug)]
pub struct ForkPopup {
    at: Seq,
    why: LineInput,
    expected: LineInput,
    stop: bool,
    row: usize,
    wrong: Option<String>,
}

impl ForkPopup {
    /// A fork at the event in view; what is expected of a fork is expected of its forks.
    #[must_use]
    pub fn new(view: &SessionView) -> Self {
        Self {
            at: (view.seen() as Seq).saturating_sub(1),
            why: LineInput::default(),
            expected: LineInput::new(&view.snapshot.live.fork.expected),
            stop: false,
            row: 0,
            wrong: None,
        }
    }

    fn fork(&self) -> Reaction {
        let note = ForkNote { why: self.why.value().trim().to_owned(), expected: self.expected.value().trim().to_owned() };
        Reaction::Finish(vec![Command::Fork { at: self.at, stop: self.stop, note }])
    }

    fn line(&mut self) -> Option<&mut LineInput> {
        match ROWS[self.row] {
            Row::Why => Some(&mut self.why),
            Row::Expected => Some(&mut self.expected),
            Row::Stop => None,
        }
    }
}

impl Popup for ForkPopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match key.code {
            KeyCode::Esc => return Reaction::Close,
            KeyCode::Enter => return self.fork(),
            KeyCode::Down | KeyCode::Tab => self.row = (self.row + 1) % ROWS.len(),
            KeyCode::Up | KeyCode::BackTab => self.row = (self.row + ROWS.len() - 1) % ROWS.len(),
            KeyCode::Char(' ') if ROWS[self.row] == Row::Stop => self.stop = !self.stop,
            _ => {
                if let Some(line) = self.line() {
                    line.key(key);
                }
            }
        }
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(line) = self.line() {
            line.paste(text);
        }
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 90, 11, &format!("Fork after event {}", self.at), theme);
        let body = with_keys(buf, inner, "Enter forks  ↑ ↓ next line  space switches  Esc leaves no trace", theme);
        let mut y = body.y;
        if body.height >= 6 {
            put(buf, body, body.x, y, "A new session with everything up to here; it goes live where it changes.", theme.style(Role::Dim));
            y += 2;
        }
        for (n, row) in ROWS.into_iter().enumerate() {
            let line = Rect { y: y + u16::try_from(n).unwrap_or(0), height: 1, ..body };
            if line.y >= body.bottom() {
                break;
            }
            let focus = self.row == n;
            let label = match row {
                Row::Why => "why               ",
                Row::Expected => "expected answer   ",
                Row::Stop => "stop              ",
            };
            let x = put(buf, line, line.x, line.y, if focus { "› " } else { "  " }, theme.style(Role::Key));
            let x = put(buf, line, x, line.y, label, theme.style(if focus { Role::Focus } else { Role::Title }));
            let rest = Rect { x, width: line.right().saturating_sub(x), ..line };
            let (input, hint) = match row {
                Row::Why => (&self.why, "what you want to find out; may stay empty"),
                Row::Expected => (&self.expected, "several with | between; decides whether the fork is better (C)"),
                Row::Stop => {
                    let sign = if self.stop { "☑" } else { "☐" };
                    let said = format!("{sign} at the first request that the recording does not answer");
                    put(buf, rest, x, line.y, &said, theme.style(Role::Text));
                    continue;
                }
            };
            if focus {
                input.render(buf, rest, hint, theme);
            } else {
                input.render_at_rest(buf, rest, hint, theme);
            }
        }
    }
}
