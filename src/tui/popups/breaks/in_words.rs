//! The conditions as a numbered list.

use super::super::question::{InWords, Question, one, rows};
use super::super::{Desk, Reaction};
use super::{BreaksPopup, Row};

impl InWords for BreaksPopup {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        Question {
            title: "The search stands still for you when one of these holds".to_owned(),
            rows: self.told(),
            how: "type a number to switch it, or a condition to add it, such as value<0.3".to_owned(),
            wrong: self.entries.wrong.clone(),
            stays: true,
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.entries.wrong = None;
        let is_number = line.trim().chars().all(|c| c.is_ascii_digit());
        let picked = if is_number { one(self.entries.list(), line).map(Some) } else { Ok(None) };
        match picked.map(|at| at.map(|at| (at, self.rows.get(at)))) {
            Ok(Some((_, Some(Row::Form(form))))) => {
                self.entries.wrong = Some(format!("type the condition with your own value, such as {form}"));
                Reaction::Stay
            }
            Ok(Some((at, _))) => self.take(at, &view.snapshot.state),
            Ok(None) => self.set(line),
            Err(why) => {
                self.entries.wrong = Some(why);
                Reaction::Stay
            }
        }
    }
}

impl BreaksPopup {
    /// The rows, with a word in the place of the sign that each begins with.
    fn told(&self) -> Vec<String> {
        let word = |row: &Row, text: String| match (row, text.split_once(' ')) {
            (Row::Point(_, on), Some((_, rest))) => format!("{}: {rest}", if *on { "on" } else { "off" }),
            (Row::Form(_), Some((_, rest))) => format!("form: {rest}"),
            _ => text,
        };
        self.rows.iter().zip(rows(self.entries.list(), None)).map(|(row, text)| word(row, text)).collect()
    }
}
