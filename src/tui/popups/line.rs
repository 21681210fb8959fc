//! Acts that need one line of text: a hint, an answer, a value.

mod in_words;

use super::super::scene::{Scene, label};
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::asm::Action;
use crate::micro::Micro;
use crate::runner::Command;
use crate::search::{Act, NodeId};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// What the line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFor {
    /// A thought by hand.
    Hint,
    /// An answer by hand.
    Answer,
    /// A value by hand.
    Value,
}

/// One line and the act that it becomes.
#[derive(Debug)]
pub struct LinePopup {
    what: LineFor,
    node: NodeId,
    instead_of: Option<NodeId>,
    about: String,
    line: LineInput,
    wrong: Option<String>,
}

impl LinePopup {
    /// A line about `node`.
    #[must_use]
    pub fn new(what: LineFor, node: NodeId, scene: &Scene) -> Self {
        let before = match what {
            LineFor::Value => scene.level(node).micro().map_or_else(String::new, |value| value.to_string()),
            LineFor::Hint | LineFor::Answer => String::new(),
        };
        let about = format!("node {}: {}", node.0, label(&scene.state, node));
        Self { what, node, instead_of: None, about, line: LineInput::new(&before), wrong: None }
    }

    /// The same, but the new node takes the place of a child.
    #[must_use]
    pub fn instead_of(mut self, child: Option<NodeId>) -> Self {
        self.instead_of = child;
        self
    }

    fn enter(&mut self) -> Reaction {
        match act(self.what, self.node, self.instead_of, self.line.value()) {
            Ok(act) => Reaction::Finish(vec![Command::Do(act)]),
            Err(wrong) => {
                self.wrong = Some(wrong);
                Reaction::Stay
            }
        }
    }
}

/// The act that a line becomes.
pub(super) fn act(what: LineFor, node: NodeId, instead_of: Option<NodeId>, text: &str) -> Result<Act, String> {
    let text = text.trim();
    let chain = match what {
        LineFor::Value => {
            let value = text.replace(',', ".").parse().ok().and_then(Micro::from_f64);
            return value
                .map(|value| Act::SetValue { node, value })
                .ok_or_else(|| "a value is a number from 0 to 1, such as 0.8".to_owned());
        }
        _ if text.is_empty() => return Err("type something first".to_owned()),
        LineFor::Hint => Action::Think { text: text.to_owned() },
        LineFor::Answer => {
            let items = text.split(" | ").map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
            Action::Answer { text: text.to_owned(), items }
        }
    };
    Ok(Act::Choose { node, chain: vec![chain], instead_of, value: None })
}

impl Popup for LinePopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match key.code {
            KeyCode::Esc => return Reaction::Close,
            KeyCode::Enter => return self.enter(),
            _ => {}
        }
        if self.line.key(key) {
            self.wrong = None;
        }
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) {
        self.line.paste(text);
        self.wrong = None;
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let (title, hint, said) = match self.what {
            LineFor::Hint => (
                "Hint: a thought by hand",
                "what the model should think of",
                "The model reads it as a thought of the walk; the new node is scored by the model.",
            ),
            LineFor::Answer => (
                "Answer by hand",
                "the answer; several with | between",
                "It is added below this node, marked by hand, and scored by the model. `A` accepts it.",
            ),
            LineFor::Value => ("Set value", "0.0 to 1.0", "It decides which node comes next. Undo (`u`) gives the model's value back."),
        };
        let inner = popup(buf, area, 84, 8, title, theme);
        let body = with_keys(buf, inner, "Enter does it  Esc leaves no trace", theme);
        let row = |n: u16| Rect { y: body.y + n, height: u16::from(n < body.height), ..body };
        if body.height < 4 {
            self.line.render(buf, row(0), hint, theme);
            return;
        }
        put(buf, body, body.x, body.y, &self.about, theme.style(Role::Dim));
        let x = put(buf, body, body.x, body.y + 1, "› ", theme.style(Role::Key));
        self.line.render(buf, Rect { x, width: body.right().saturating_sub(x), ..row(1) }, hint, theme);
        match &self.wrong {
            Some(wrong) => put(buf, body, body.x, body.y + 3, wrong, theme.style(Role::Error)),
            None => put(buf, body, body.x, body.y + 3, said, theme.style(Role::Dim)),
        };
    }
}
