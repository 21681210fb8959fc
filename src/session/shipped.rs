//! Three recorded sessions that come with the program: they need neither model nor graph.

use super::read::{Recording, parse};
use std::path::Path;

/// A recorded session that is compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// What stands for its path.
    pub path: &'static str,
    /// Its question.
    pub question: &'static str,
    /// What it shows.
    pub note: &'static str,
    text: &'static str,
}

const SHIPPED: [Shipped; 3] = [
    Shipped {
        path: "recorded:straight",
        question: "Which actor played in both Inception and Interstellar?",
        note: "straight to the answer",
        text: include_str!("../../assets/sessions/straight.jsonl"),
    },
    Shipped {
        path: "recorded:backtracking",
        question: "Which actor played in both Inception and Interstellar?",
        note: "a wrong branch, and backing out of it (a scripted model)",
        text: include_str!("../../assets/sessions/backtracking.jsonl"),
    },
    Shipped {
        path: "recorded:budget",
        question: "On what day was the first of Christopher Nolan's films in the graph published?",
        note: "the budget runs out (a scripted model, a failing graph)",
        text: include_str!("../../assets/sessions/budget.jsonl"),
    },
];

/// The recorded sessions.
#[must_use]
pub const fn shipped() -> &'static [Shipped] {
    &SHIPPED
}

/// The recording that `path` stands for.
#[must_use]
pub fn recorded(path: &Path) -> Option<Recording> {
    let shipped = SHIPPED.iter().find(|s| Path::new(s.path) == path)?;
    // A test reads all three: what is compiled in fits.
    parse(path, shipped.text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_can_be_read_and_ended() {
        for shipped in SHIPPED {
            let recording = parse(Path::new(shipped.path), shipped.text.as_bytes()).unwrap();
            assert_eq!(recording.state.started().question, shipped.question);
            assert!(recording.state.finished.is_some() && recording.torn.is_none());
        }
    }
}
