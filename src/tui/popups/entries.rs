//! A list of what is set, with a line to write more of it: breakpoints, rules.

use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::put;
use super::with_keys;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::str::FromStr;

/// What a key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The list took it.
    Nothing,
    /// The row at this position is switched, or filled in.
    Row(usize),
    /// This was written.
    Text(String),
    /// The list goes.
    Close,
}

/// How the list is worded.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Before the line that is written: `rule: `.
    pub label: &'static str,
    /// In the line while it is empty.
    pub hint: &'static str,
    /// The keys of the line.
    pub line_keys: &'static str,
    /// The keys of the list.
    pub list_keys: &'static str,
    /// What `/` finds.
    pub finds: &'static str,
    /// Instead of an empty list.
    pub empty: &'static str,
}

/// The list and the line.
#[derive(Debug)]
pub struct Entries {
    list: PickList,
    line: Option<LineInput>,
    /// What was wrong with what was written last.
    pub wrong: Option<String>,
}

impl Entries {
    /// The list of these.
    #[must_use]
    pub fn new(items: Vec<Item>) -> Self {
        Self { list: PickList::one(items), line: None, wrong: None }
    }

    /// The list.
    #[must_use]
    pub const fn list(&self) -> &PickList {
        &self.list
    }

    /// Puts other rows in.
    pub fn refill(&mut self, items: Vec<Item>) {
        self.list.refill(items);
    }

    /// Begins to write, with `text` there already.
    pub fn write(&mut self, text: &str) {
        self.line = Some(LineInput::new(text));
    }

    /// Reads what was written; what can't be read stays in the line, and why is told.
    pub fn read<T: FromStr<Err = String>>(&mut self, text: &str) -> Option<T> {
        match text.parse() {
            Ok(read) => {
                self.line = None;
                Some(read)
            }
            Err(why) => {
                self.wrong = Some(why);
                None
            }
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: &KeyEvent) -> Wanted {
        self.wrong = None;
        if let Some(line) = &mut self.line {
            match key.code {
                KeyCode::Esc => self.line = None,
                KeyCode::Enter => return Wanted::Text(line.value().to_owned()),
                _ => {
                    line.key(key);
                }
            }
            return Wanted::Nothing;
        }
        if !self.list.is_typing() {
            match key.code {
                KeyCode::Char(' ') => return self.list.current().map_or(Wanted::Nothing, Wanted::Row),
                KeyCode::Char('a') => {
                    self.write("");
                    return Wanted::Nothing;
                }
                _ => {}
            }
        }
        match self.list.key(key) {
            Picked::Item(at) => Wanted::Row(at),
            Picked::Ignored if key.code == KeyCode::Esc => Wanted::Close,
            _ => Wanted::Nothing,
        }
    }

    /// Takes a paste.
    pub fn paste(&mut self, text: &str) {
        match &mut self.line {
            Some(line) => line.paste(text),
            None => self.list.paste(text),
        }
    }

    /// Draws it in `inner`, the inside of a popup.
    pub fn draw(&mut self, buf: &mut Buffer, inner: Rect, words: &Words, theme: &Theme) {
        let keys = if self.line.is_some() { words.line_keys } else { words.list_keys };
        let mut body = with_keys(buf, inner, keys, theme);
        if let Some(line) = &self.line {
            let y = body.bottom().saturating_sub(1);
            let x = put(buf, body, body.x, y, words.label, theme.style(Role::Title));
            line.render(buf, Rect { x, y, width: body.right().saturating_sub(x), height: 1 }, words.hint, theme);
            body.height = body.height.saturating_sub(1);
        }
        if let Some(wrong) = &self.wrong {
            put(buf, body, body.x, body.bottom().saturating_sub(1), wrong, theme.style(Role::Error));
            body.height = body.height.saturating_sub(1);
        }
        if self.list.items().is_empty() {
            put(buf, body, body.x, body.y, words.empty, theme.style(Role::Dim));
        } else {
            self.list.render(buf, body, words.finds, theme);
        }
    }
}
