//! The warnings as a numbered list.

use super::super::question::{InWords, Question, one};
use super::super::{Desk, Reaction};
use super::Warnings;

impl InWords for Warnings {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        let row = |row: &super::Row| match row.node {
            Some(node) => format!("node {}: {}", node.0, row.text),
            None => row.text.clone(),
        };
        Question {
            title: "What should be looked at".to_owned(),
            rows: self.rows.iter().map(row).collect(),
            how: "type a number to go to its node".to_owned(),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        one(&self.list, line).map_or(Reaction::Close, |at| match self.chosen(at) {
            Reaction::Stay => Reaction::Close,
            reaction => reaction,
        })
    }
}
