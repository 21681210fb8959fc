//! Forking as a dialogue.

use super::super::question::{InWords, Question, split};
use super::super::{Desk, Reaction};
use super::{ForkPopup, of_node};
use crate::search::NodeId;

impl InWords for ForkPopup {
    fn question(&self, _desk: &Desk<'_>) -> Question {
        let or = |text: &str, none: &str| if text.trim().is_empty() { none.to_owned() } else { text.to_owned() };
        Question {
            title: format!("Fork after event {}: a new session with everything up to here; it goes live where it changes", self.at()),
            text: vec![
                format!("where: {}", self.places.get(self.place).map_or("", |(_, said)| said.as_str())),
                format!("why: {}", or(self.why.value(), "not said")),
                format!("expected answer: {}", or(self.expected.value(), "not said")),
                format!("at the first request that the recording does not answer it {}", if self.stop { "stops" } else { "goes on, live" }),
            ],
            how: "type `yes` to fork; `node 3` to fork there, `why TEXT`, `expected ANSWER`, `stop` or `go on` to change these first"
                .to_owned(),
            wrong: self.wrong.clone(),
            ..Question::default()
        }
    }

    fn answer(&mut self, line: &str, desk: &Desk<'_>) -> Reaction {
        self.wrong = None;
        let number = line.trim().strip_prefix("node").unwrap_or(line).trim();
        if let (Ok(number), Some(view)) = (number.parse(), desk.view) {
            match of_node(view, NodeId(number)) {
                Some(place) => {
                    self.places.push(place);
                    self.place = self.places.len() - 1;
                }
                None => self.wrong = Some(format!("there is no node {number} to fork at")),
            }
            return Reaction::Stay;
        }
        match split(line) {
            ("yes" | "y", "") => return self.fork(),
            ("why", text) => self.why.set(text),
            ("expected", text) => self.expected.set(text),
            ("stop", "") => self.stop = true,
            ("go", "on") => self.stop = false,
            _ => self.wrong = Some("type `yes`, `node 3`, `why TEXT`, `expected ANSWER`, `stop` or `go on`".to_owned()),
        }
        Reaction::Stay
    }
}
