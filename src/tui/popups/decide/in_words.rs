//! The decision about samples as a dialogue.

use super::super::question::{InWords, Question, one, rows, split};
use super::super::{Desk, Reaction};
use super::{DecidePopup, GONE, Writing};
use crate::runner::Command;
use crate::search::Act;
use crate::text::one_line;

impl InWords for DecidePopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        Question {
            title: format!("Before it is applied: what becomes of the samples at node {}, {}?", self.held.node.0, self.asm.name()),
            text: self.note.iter().map(|note| format!("the model reads: {}", one_line(note))).collect(),
            rows: rows(&self.list, desk.view.map(|view| &view.scene)),
            how: format!(
                "`apply` applies what is chosen; `keep 1`, `drop 1`; `add CHOICE`, `instead 1 CHOICE` ({}); `note TEXT` tells the model why; \
                 `off` asks no more",
                self.form()
            ),
            wrong: self.wrong.clone().or_else(|| self.gone.then(|| GONE.to_owned())),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.wrong = None;
        self.touched = true;
        let (word, rest) = split(line);
        match word {
            "apply" if rest.is_empty() => return self.apply(),
            "off" if rest.is_empty() => return Reaction::Finish(vec![Command::Do(Act::Intercept { states: Vec::new() })]),
            "keep" | "drop" => match one(&self.list, rest) {
                Ok(at) => self.list.check(at, word == "keep"),
                Err(why) => self.wrong = Some(why),
            },
            "note" => {
                self.write(&view.scene, &view.snapshot.state, Writing::Note, rest);
            }
            "add" => {
                self.write(&view.scene, &view.snapshot.state, Writing::More, rest);
            }
            "instead" => {
                let (which, choice) = split(rest);
                // What was rejected can be replaced, too.
                match which.parse::<usize>().ok().filter(|number| (1..=self.rows.len()).contains(number)) {
                    Some(number) => {
                        self.write(&view.scene, &view.snapshot.state, Writing::Instead(number - 1), choice);
                    }
                    None => self.wrong = Some(format!("`instead` takes a number from 1 to {} and a choice", self.rows.len())),
                }
            }
            _ => self.wrong = Some("type `apply`, `keep 1`, `drop 1`, `add CHOICE`, `instead 1 CHOICE`, `note TEXT` or `off`".to_owned()),
        }
        Reaction::Stay
    }
}
