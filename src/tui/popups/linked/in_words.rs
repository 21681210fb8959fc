//! The linked entities as a dialogue.

use super::super::question::{InWords, Question, one, rows, split};
use super::super::{Desk, Reaction};
use super::LinkedPopup;

impl InWords for LinkedPopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let Some(view) = desk.view else { return Question::default() };
        let (title, list, how) = match &self.candidates {
            Some(candidates) => {
                (candidates.title(), &candidates.list, "type a number to take it, or `search LABEL` to look for others in the KGs")
            }
            None => (
                "What the question starts from".to_owned(),
                &self.list,
                "`drop 1` and `add 4` change what is chosen and `apply` puts it into force; `replace 1` chooses another, `same 1` says \
                 what it is in another KG, `search LABEL` looks in the KGs",
            ),
        };
        Question {
            title,
            rows: rows(list, Some(&view.scene)),
            how: how.to_owned(),
            wrong: self.wrong.clone(),
            waits: self.waiting,
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let scene = &view.scene;
        self.wrong = None;
        let (word, rest) = split(line);
        if word == "search" && !rest.is_empty() {
            return Reaction::Send(self.search(scene, rest));
        }
        if let Some(candidates) = &self.candidates {
            let act = one(&candidates.list, line).and_then(|at| candidates.act(at).ok_or_else(|| "it is that already".to_owned()));
            return match act {
                Ok(act) => self.finish(act),
                Err(why) => self.refuse(why),
            };
        }
        match (word, rest) {
            ("apply", "") => match self.act() {
                Some(act) => self.finish(act),
                None => self.refuse("nothing changed: `drop 1` or `add 2` first"),
            },
            ("add" | "drop", which) => match one(&self.list, which) {
                Ok(at) => {
                    self.list.check(at, word == "add");
                    Reaction::Stay
                }
                Err(why) => self.refuse(why),
            },
            // A mention without an entity can't be checked, but an entity can be chosen for it.
            ("replace" | "same", which) => match self.row(which) {
                Ok(at) => {
                    self.list.select(at);
                    self.choose(scene, word == "same")
                }
                Err(why) => self.refuse(why),
            },
            _ => self.refuse("type `drop 1`, `add 2`, `replace 1`, `same 1`, `search LABEL` or `apply`"),
        }
    }
}

impl LinkedPopup {
    fn refuse(&mut self, why: impl Into<String>) -> Reaction {
        self.wrong = Some(why.into());
        Reaction::Stay
    }

    /// A row by its number, whatever it is.
    fn row(&self, which: &str) -> Result<usize, String> {
        let number = which.trim().parse::<usize>().ok().filter(|number| (1..=self.rows.len()).contains(number));
        number.map(|number| number - 1).ok_or_else(|| format!("type the number of a row, from 1 to {}", self.rows.len()))
    }
}
