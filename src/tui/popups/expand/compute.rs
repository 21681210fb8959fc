//! The line in which a person says what a KG computes over a relation: checked at every letter.

use super::super::super::theme::{Role, Theme};
use super::super::super::widgets::input::LineInput;
use super::super::super::widgets::put;
use super::super::super::widgets::wrap::Document;
use crate::asm::read_aggregate;
use crate::calls::{Aggregate, Function};
use crate::graph::{Direction, KgName, Relation};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What can be written.
pub(super) const HELP: &str = "Conditions on what the relation leads to follow `where`, joined by `and`: = != < <= > >= with a number, a date, an \
entity or a text. Relations and entities by id or by name; names of several words in double quotes. max, min and first compare what \
follows `by`. For example: where \"instance of\" = \"mountain\" and P2044 > 3500";

/// The line.
#[derive(Debug)]
pub(super) struct Compute {
    line: LineInput,
    wrong: Option<&'static str>,
}

impl Compute {
    /// A count over `relation`, to go on from.
    pub(super) fn new(relation: &Relation, offered: &[Relation]) -> Self {
        let what = Aggregate {
            function: Function::Count,
            relation: relation.at.id.clone(),
            direction: relation.at.direction,
            filters: Vec::new(),
            by: None,
        };
        let mut line = Self { line: LineInput::new(&what.to_string()), wrong: None };
        line.check(offered);
        line
    }

    /// Takes a key; Enter gives the computation, if it can be read.
    pub(super) fn key(&mut self, key: &KeyEvent, offered: &[Relation]) -> Option<(Aggregate, KgName)> {
        match key.code {
            KeyCode::Enter => return read_aggregate(self.line.value(), offered).ok(),
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(Function::ALL.len() - 1),
            _ => drop(self.line.key(key)),
        }
        self.check(offered);
        None
    }

    /// Reads a computation that was written elsewhere; it stands in the line from then on.
    pub(super) fn read(&mut self, text: &str, offered: &[Relation]) -> Result<(Aggregate, KgName), &'static str> {
        self.line.set(text);
        self.check(offered);
        read_aggregate(self.line.value(), offered).map_err(crate::asm::Unusable::why)
    }

    pub(super) fn paste(&mut self, text: &str, offered: &[Relation]) {
        self.line.paste(text);
        self.check(offered);
    }

    fn check(&mut self, offered: &[Relation]) {
        self.wrong = read_aggregate(self.line.value(), offered).err().map(crate::asm::Unusable::why);
    }

    /// The next function in the place of the first word.
    fn turn(&mut self, by: usize) {
        let line = self.line.value().trim_start();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let at = Function::ALL.iter().position(|function| function.name().eq_ignore_ascii_case(word));
        let next = at.map_or(Function::Count, |at| Function::ALL[(at + by) % Function::ALL.len()]);
        self.line.set(&format!("{} {rest}", next.name()));
    }

    /// As the way says it.
    pub(super) fn short(&self) -> String {
        self.line.value().to_owned()
    }

    pub(super) fn draw(&self, buf: &mut Buffer, body: Rect, relations: &[Relation], theme: &Theme) {
        if body.is_empty() {
            return;
        }
        let x = put(buf, body, body.x, body.y, "› ", theme.style(Role::Key));
        let line = Rect { x, width: body.right().saturating_sub(x), height: 1, ..body };
        self.line.render(buf, line, "count ~P17 where P31 = Q8502", theme);
        let (said, role) = match (self.wrong, read_aggregate(self.line.value(), relations)) {
            (Some(wrong), _) => (wrong.to_owned(), Role::Error),
            (None, Ok((what, kg))) => {
                let over = relations.iter().find(|r| r.at.id == what.relation && r.at.direction == what.direction);
                let way = if what.direction == Direction::In { "backwards" } else { "forwards" };
                (
                    format!(
                        "{kg} is asked for the {} over: {}, {way}",
                        what.function.name(),
                        over.map_or_else(String::new, Relation::reading)
                    ),
                    Role::Accent,
                )
            }
            _ => (String::new(), Role::Dim),
        };
        put(buf, body, body.x, body.y + 1, &said, theme.style(role));
        let below = Rect { y: body.y + 3, height: body.height.saturating_sub(3), ..body };
        let document = Document::of(HELP);
        for (row, y) in document.wrap(below.width.into()).iter().zip(below.y..below.bottom()) {
            let text: String = row.pieces.iter().map(|(span, range)| &document.lines()[row.line][*span].1[range.clone()]).collect();
            put(buf, below, below.x, y, &text, theme.style(Role::Dim));
        }
    }
}
