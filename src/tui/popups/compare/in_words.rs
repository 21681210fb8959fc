//! Comparing as a dialogue.

use super::super::super::scene::label;
use super::super::question::{InWords, Question, one, rows};
use super::super::{Desk, Reaction};
use super::{ComparePopup, Shown, Stage};
use crate::search::value_words;
use crate::session::session_path;

impl Shown {
    /// Everything that the popup shows, a line each.
    fn told(&self) -> Vec<String> {
        let mut lines = vec![format!("A: {}", self.names[0]), format!("B: {}", self.names[1]), self.found.verdict()];
        lines.extend(self.found.beginning());
        for pair in &self.found.rows {
            let side = usize::from(pair.nodes[0].is_none());
            let text = pair.nodes[side].map_or_else(String::new, |id| label(&self.states[side], id));
            let of = |side: usize| pair.nodes[side].map(|id| value_words(&self.states[side], id)).unwrap_or_default();
            lines.push(match pair.nodes {
                [Some(_), Some(_)] if self.differs(pair) => {
                    format!("depth {}: {text}, in both, value {} in A and {} in B", pair.depth, of(0), of(1))
                }
                [Some(_), Some(_)] => format!("depth {}: {text}, in both, value {}", pair.depth, of(0)),
                [Some(_), None] => format!("depth {}: {text}, only in A, value {}", pair.depth, of(0)),
                _ => format!("depth {}: {text}, only in B, value {}", pair.depth, of(1)),
            });
        }
        lines.extend(self.found.end([&self.states[0], &self.states[1]]));
        lines
    }
}

impl InWords for ComparePopup {
    fn question(&self, desk: &Desk<'_>) -> Question {
        match &self.stage {
            Stage::Listing => Question { title: "looking for sessions".to_owned(), waits: true, ..Question::default() },
            Stage::Reading(path, _) => Question { title: format!("reading {path}"), waits: true, ..Question::default() },
            Stage::Choosing(_, list) => Question {
                title: "Compare with which session?".to_owned(),
                rows: rows(list, desk.view.map(|view| &view.scene)),
                how: "type a number, or the path of a session file".to_owned(),
                wrong: self.wrong.clone(),
                ..Question::default()
            },
            Stage::Typing(_) => Question {
                title: "Compare with which file?".to_owned(),
                how: "type the path of a session file, or the name of a session".to_owned(),
                wrong: self.wrong.clone(),
                ..Question::default()
            },
            Stage::Shown(shown) => Question { title: "Two sessions compared".to_owned(), text: shown.told(), ..Question::default() },
            Stage::Failed(why) => Question { title: why.clone(), ..Question::default() },
        }
    }

    fn answer(&mut self, line: &str, _desk: &Desk<'_>) -> Reaction {
        self.wrong = None;
        let (paths, list) = match &self.stage {
            Stage::Choosing(paths, list) => (paths, list),
            Stage::Typing(_) => return self.open(line),
            _ => return Reaction::Close,
        };
        match one(list, line) {
            // What is a file is not the name of a row.
            _ if line.contains('/') || session_path(line.trim()).is_file() => self.open(line),
            Ok(at) => {
                let (stage, reaction) = Self::choose(paths, at);
                self.stage = stage;
                reaction
            }
            Err(why) => {
                self.wrong = Some(why);
                Reaction::Stay
            }
        }
    }
}
