//! Forking: where, why, the answer that is expected, and whether the fork stops where its parent's recording ends.

mod in_words;

use super::super::session_view::SessionView;
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::runner::Command;
use crate::search::{Entry, Event, NodeId, Seq};
use crate::session::ForkNote;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use std::time::Instant;

/// A row of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Where,
    Why,
    Expected,
    Stop,
}

const ROWS: [Row; 4] = [Row::Where, Row::Why, Row::Expected, Row::Stop];

/// Where a fork can begin: after an event, in words.
type Place = (Seq, String);

/// The form.
#[derive(Debug)]
pub struct ForkPopup {
    places: Vec<Place>,
    place: usize,
    why: LineInput,
    expected: LineInput,
    stop: bool,
    row: usize,
    wrong: Option<String>,
}

impl ForkPopup {
    /// A fork at the event in view, or at the selected node; what is expected of a fork is expected of its forks.
    #[must_use]
    pub fn new(view: &SessionView) -> Self {
        let seen = (view.seen() as Seq).saturating_sub(1);
        let here = (seen, if view.past.is_some() { "the moment that is looked at" } else { "now" }.to_owned());
        Self {
            places: std::iter::once(here).chain(view.node().and_then(|node| of_node(view, node))).collect(),
            place: 0,
            why: LineInput::default(),
            expected: LineInput::new(&view.snapshot.live.fork.expected),
            stop: false,
            row: 1,
            wrong: None,
        }
    }

    fn at(&self) -> Seq {
        self.places.get(self.place).map_or(0, |(at, _)| *at)
    }

    fn fork(&self) -> Reaction {
        let note = ForkNote { why: self.why.value().trim().to_owned(), expected: self.expected.value().trim().to_owned() };
        Reaction::Finish(vec![Command::Fork { at: self.at(), stop: self.stop, note }])
    }

    fn line(&mut self) -> Option<&mut LineInput> {
        match ROWS[self.row] {
            Row::Why => Some(&mut self.why),
            Row::Expected => Some(&mut self.expected),
            Row::Where | Row::Stop => None,
        }
    }
}

/// Where the way of a node parts: before it is expanded; if it was not, when it is made.
fn of_node(view: &SessionView, id: NodeId) -> Option<Place> {
    let state = &view.snapshot.state;
    let node = state.node(id)?;
    if let Some(step) = node.expanded.and_then(|step| state.step(step)) {
        return Some((step.seq.checked_sub(1)?, format!("before node {} is expanded", id.0)));
    }
    let makes = |entry: &&Arc<Entry>| match &entry.ev {
        Event::Grew { step, children, .. } if *step == node.step => children.iter().any(|child| child.action == node.action),
        _ => false,
    };
    let made = view.snapshot.entries().iter().find(makes)?;
    Some((made.seq, format!("when node {} is made", id.0)))
}

impl Popup for ForkPopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match key.code {
            KeyCode::Esc => return Reaction::Close,
            KeyCode::Enter => return self.fork(),
            KeyCode::Down | KeyCode::Tab => self.row = (self.row + 1) % ROWS.len(),
            KeyCode::Up | KeyCode::BackTab => self.row = (self.row + ROWS.len() - 1) % ROWS.len(),
            KeyCode::Char(' ') if ROWS[self.row] == Row::Stop => self.stop = !self.stop,
            KeyCode::Char(' ') if ROWS[self.row] == Row::Where => self.place = (self.place + 1) % self.places.len().max(1),
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
        let inner = popup(buf, area, 90, 12, &format!("Fork after event {}", self.at()), theme);
        let body = with_keys(buf, inner, "Enter forks  ↑ ↓ next line  space switches  Esc leaves no trace", theme);
        let mut y = body.y;
        if body.height >= 7 {
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
                Row::Where => "where             ",
                Row::Why => "why               ",
                Row::Expected => "expected answer   ",
                Row::Stop => "stop              ",
            };
            let x = put(buf, line, line.x, line.y, if focus { "› " } else { "  " }, theme.style(Role::Key));
            let x = put(buf, line, x, line.y, label, theme.style(if focus { Role::Focus } else { Role::Title }));
            let rest = Rect { x, width: line.right().saturating_sub(x), ..line };
            let (input, hint) = match row {
                Row::Where => {
                    let said = self.places.get(self.place).map_or("", |(_, said)| said.as_str());
                    let other = self.places.get((self.place + 1) % self.places.len().max(1)).filter(|_| self.places.len() > 1);
                    let other = other.map_or_else(String::new, |(_, said)| format!("  (space: {said})"));
                    let x = put(buf, rest, x, line.y, said, theme.style(Role::Text));
                    put(buf, rest, x, line.y, &other, theme.style(Role::Dim));
                    continue;
                }
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
