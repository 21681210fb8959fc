//! Limits and rules of the search, changed while it runs or after its end: then it goes on.

mod in_words;

use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::micro::Micro;
use crate::runner::Command;
use crate::search::{Act, Budget, OnExhausted, Setting, Settings};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// A row of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Expansions,
    Depth,
    Branching,
    Threshold,
    Exhausted,
    Spend(Budget),
}

impl Row {
    const ALL: [Self; 9] = [
        Self::Expansions,
        Self::Depth,
        Self::Branching,
        Self::Threshold,
        Self::Spend(Budget::Calls),
        Self::Spend(Budget::Tokens),
        Self::Spend(Budget::Cost),
        Self::Spend(Budget::Time),
        Self::Exhausted,
    ];

    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Expansions => ("expansions", "how many nodes the strategy may expand"),
            Self::Depth => ("depth", "from here on only an answer is possible"),
            Self::Branching => ("k", "children of an expansion, and samples for them"),
            Self::Threshold => ("threshold", "an answer with at least this value ends the search"),
            Self::Exhausted => ("at the end", "without an answer at the threshold: none, best or force"),
            Self::Spend(Budget::Calls) => ("calls", "to the model, at most; empty: no limit"),
            Self::Spend(Budget::Tokens) => ("tokens", "of prompts and replies, at most; empty: no limit"),
            Self::Spend(Budget::Cost) => ("cost", "in the currency of the price, at most; empty: no limit"),
            Self::Spend(Budget::Time) => ("time", "that it runs, at most: 90s, 5m, 1h; empty: no limit"),
        }
    }

    fn now(self, settings: &Settings) -> String {
        match self {
            Self::Expansions => settings.max_expansions.to_string(),
            Self::Depth => settings.max_depth.to_string(),
            Self::Branching => settings.branching.to_string(),
            Self::Threshold => settings.threshold.to_string(),
            Self::Exhausted => match settings.on_exhausted {
                OnExhausted::None => "none",
                OnExhausted::Best => "best",
                OnExhausted::Force => "force",
            }
            .to_owned(),
            Self::Spend(budget) => settings.budgets.of(budget).map_or_else(String::new, |limit| budget.written(limit)),
        }
    }

    fn read(self, text: &str) -> Result<Setting, String> {
        let text = text.trim();
        let number = || text.parse::<u32>().map_err(|_| format!("{}: a whole number, please", self.name().0));
        let setting = match self {
            Self::Expansions => Setting::MaxExpansions(number()?),
            Self::Depth => Setting::MaxDepth(number()?),
            Self::Branching => Setting::Branching(number()?),
            Self::Threshold => {
                let value = text.replace(',', ".").parse().ok().and_then(Micro::from_f64);
                Setting::Threshold(value.ok_or("threshold: a number from 0 to 1")?)
            }
            Self::Spend(budget) => Setting::Budget(budget, budget.read(text)?),
            Self::Exhausted => Setting::OnExhausted(match text {
                "none" => OnExhausted::None,
                "best" => OnExhausted::Best,
                "force" => OnExhausted::Force,
                _ => return Err("at the end: none, best or force".to_owned()),
            }),
        };
        setting.check()?;
        Ok(setting)
    }
}

/// The form.
#[derive(Debug)]
pub struct LimitsPopup {
    before: Settings,
    lines: Vec<LineInput>,
    at: usize,
    wrong: Option<String>,
}

impl LimitsPopup {
    /// A form that holds what is in force.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let lines = Row::ALL.iter().map(|row| LineInput::new(&row.now(settings))).collect();
        Self { before: settings.clone(), lines, at: 0, wrong: None }
    }

    /// The next rule for the end.
    fn turn(&mut self) {
        let next = match self.lines[self.at].value() {
            "none" => "best",
            "best" => "force",
            _ => "none",
        };
        self.lines[self.at].set(next);
        self.wrong = None;
    }

    /// An act for every row that was changed.
    fn acts(&self) -> Result<Vec<Command>, String> {
        let mut acts = Vec::new();
        for (row, line) in Row::ALL.iter().zip(&self.lines) {
            if line.value().trim() != row.now(&self.before) {
                acts.push(Command::Do(Act::Set(row.read(line.value())?)));
            }
        }
        Ok(acts)
    }
}

impl Popup for LimitsPopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        let count = self.lines.len();
        match key.code {
            KeyCode::Esc => return Reaction::Close,
            // No value has these letters.
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => self.at = (self.at + count - 1) % count,
            KeyCode::Char('g') => self.at = 0,
            KeyCode::Char('G') => self.at = count - 1,
            KeyCode::Char(' ') if Row::ALL[self.at] == Row::Exhausted => self.turn(),
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => self.at = (self.at + 1) % count,
            KeyCode::Enter => match self.acts() {
                Ok(acts) => return Reaction::Finish(acts),
                Err(wrong) => self.wrong = Some(wrong),
            },
            _ if self.lines[self.at].key(key) => self.wrong = None,
            _ => {}
        }
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) {
        self.lines[self.at].paste(text);
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 84, 15, "Limits and budgets", theme);
        let body =
            with_keys(buf, inner, "↑ ↓ row  space turns the rule for the end  Enter puts them into force  Esc leaves no trace", theme);
        // On low screens the row in hand comes first.
        let first = (self.at + 1).saturating_sub(usize::from(body.height.max(1)));
        for ((n, row), y) in Row::ALL.iter().enumerate().skip(first).zip(body.y..body.bottom()) {
            let (name, help) = row.name();
            let here = n == self.at;
            put(buf, body, body.x, y, if here { "› " } else { "  " }, theme.style(Role::Key));
            put(buf, body, body.x + 2, y, name, theme.style(if here { Role::Title } else { Role::Text }));
            let field = Rect { x: body.x + 14, y, width: 9.min(body.width.saturating_sub(14)), height: 1 };
            if here {
                self.lines[n].render(buf, field, "", theme);
            } else {
                put(buf, field, field.x, y, self.lines[n].value(), theme.style(Role::Text));
            }
            put(buf, body, body.x + 25, y, help, theme.style(Role::Dim));
        }
        if let Some(wrong) = &self.wrong {
            put(buf, body, body.x, body.y + 10.min(body.height.saturating_sub(1)), wrong, theme.style(Role::Error));
        }
    }
}
