//! The choices as a numbered list.

use super::super::question::{InWords, Question, one, rows};
use super::super::{Desk, Reaction};
use super::OverridePopup;

impl InWords for OverridePopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let Some(view) = desk.view else { return Question::default() };
        let title = if self.instead {
            format!(
                "Instead of node {}, at node {}: which choice? The node is pruned, one undo away",
                self.selected.0,
                self.at(&view.scene).0
            )
        } else {
            format!("Otherwise than the model at node {}: which choice?", self.selected.0)
        };
        let how = match (self.both, self.instead) {
            (true, true) => "type a number; `below` for the choices below it",
            (true, false) => "type a number; `instead` to choose instead of this node",
            (false, _) => "type a number",
        };
        Question { title, rows: rows(&self.list, Some(&view.scene)), how: how.to_owned(), wrong: self.wrong.clone(), ..Question::default() }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.wrong = None;
        match line.trim() {
            word @ ("instead" | "below") if self.both => {
                self.instead = word == "instead";
                self.fill(&view.scene);
                Reaction::Stay
            }
            _ => match one(&self.list, line) {
                Ok(row) => self.pick(&view.scene, row),
                Err(why) => {
                    self.wrong = Some(why);
                    Reaction::Stay
                }
            },
        }
    }
}
