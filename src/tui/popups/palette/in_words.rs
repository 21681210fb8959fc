//! The commands as a numbered list.

use super::super::question::{InWords, Question, one, rows};
use super::super::{Desk, Reaction};
use super::Palette;
use crate::tui::command::Control;

impl InWords for Palette {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        Question {
            title: "Commands".to_owned(),
            rows: rows(&self.list, None),
            how: "type a number or a name".to_owned(),
            wrong: self.wrong.clone(),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        match one(&self.list, line) {
            Ok(at) => Reaction::Run(Control::ALL[at]),
            Err(why) => {
                self.wrong = Some(why);
                Reaction::Stay
            }
        }
    }
}
