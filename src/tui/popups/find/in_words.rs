//! The text to find, as a question.

use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::FindPopup;

impl InWords for FindPopup {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        Question { title: "Find".to_owned(), how: "type the text to find".to_owned(), ..Question::default() }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        self.line.set(line);
        Reaction::Find(self.line.value().to_owned(), true)
    }
}
