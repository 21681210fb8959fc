//! The warnings, to be read.

use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::Warnings;

impl InWords for Warnings {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        let text = self.pager.document().plain().lines().map(str::to_owned).collect();
        Question { title: "Found amiss at the start".to_owned(), text, ..Question::default() }
    }

    fn answer(&mut self, _line: &str, _desk: &Desk<'_>) -> Reaction {
        Reaction::Close
    }
}
