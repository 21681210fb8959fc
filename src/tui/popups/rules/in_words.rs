//! The rules as a numbered list.

use super::super::question::{InWords, Question, one, rows};
use super::super::{Desk, Reaction};
use super::{Row, RulesPopup};

impl InWords for RulesPopup {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        Question {
            title: "What must be chosen, or may not be, and what is pinned".to_owned(),
            rows: rows(self.entries.list(), None),
            how: "type a number to switch or set it, or a rule to add, such as forbid relation P161 below 3".to_owned(),
            wrong: self.entries.wrong.clone(),
            stays: true,
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        self.entries.wrong = None;
        if !line.trim().chars().all(|c| c.is_ascii_digit()) {
            return self.set(line);
        }
        match one(self.entries.list(), line) {
            Ok(at) => match self.rows.get(at) {
                Some(Row::Form(rule)) => {
                    let text = rule.to_string();
                    self.set(&text)
                }
                _ => self.take(at),
            },
            Err(why) => {
                self.entries.wrong = Some(why);
                Reaction::Stay
            }
        }
    }
}
