//! The line as a question.

use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::{LineFor, LinePopup};

impl InWords for LinePopup {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        let (title, how) = match self.what {
            LineFor::Hint => ("A thought by hand, which the model reads", "type what the model should think of"),
            LineFor::Answer => ("An answer by hand, which the model scores", "type the answer; several with | between"),
            LineFor::Value => ("A value by hand", "type a number from 0 to 1, such as 0.7"),
        };
        Question { title: format!("{title}, at {}", self.about), how: how.to_owned(), wrong: self.wrong.clone(), ..Question::default() }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        self.wrong = None;
        self.line.set(line);
        self.enter()
    }
}
