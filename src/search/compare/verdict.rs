//! What came of changing something: whether a session ended better than the one it is compared with, and what its recording saved.

use crate::calls::Usage;
use crate::search::ask::Ask;
use crate::search::event::{OutcomeKind, Seq, Source};
use crate::search::state::State;
use crate::text::one_line;
use std::collections::HashMap;
use std::sync::Arc;

/// How the second of two sessions ended, seen from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionVerdict {
    /// Better.
    Better,
    /// Worse.
    Worse,
    /// The same.
    Same,
    /// What is known does not decide it.
    Open,
}

impl SessionVerdict {
    /// The word of `tot diff --json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Open => "open",
        }
    }
}

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: SessionVerdict,
    /// By what, in a sentence.
    pub why: String,
}

/// Compares how two sessions ended: by the answer that is expected, if one is; else by how far each came, then by whether the graph
/// supports the answer. Values are the model's own opinion and decide nothing.
#[must_use]
pub fn judge(before: &State, after: &State, expected: Option<&str>) -> Judgement {
    let judged = |verdict, why: String| Judgement { verdict, why };
    let question =
        |state: &State| state.started.as_deref().map(|started| started.question.split_whitespace().collect::<Vec<_>>().join(" "));
    if question(before) != question(after) {
        return judged(SessionVerdict::Open, "they answer different questions".to_owned());
    }
    let (a, b) = (before.summary(), after.summary());
    let (Some(ended_a), Some(ended_b)) = (a.outcome, b.outcome) else {
        let which = match (a.outcome, b.outcome) {
            (None, None) => "neither has",
            (None, _) => "A has not",
            _ => "B has not",
        };
        return judged(SessionVerdict::Open, format!("{which} ended yet"));
    };
    let said = |answers: &[String]| if answers.is_empty() { "no answer".to_owned() } else { one_line(&answers.join(" | ")) };
    if let Some(expected) = expected.filter(|text| !text.trim().is_empty()) {
        let wanted = one_line(expected);
        let right = [is_expected(&a.answers, expected), is_expected(&b.answers, expected)];
        return match right {
            [false, true] => {
                judged(SessionVerdict::Better, format!("B has the expected answer ({wanted}), A has not ({})", said(&a.answers)))
            }
            [true, false] => {
                judged(SessionVerdict::Worse, format!("A had the expected answer ({wanted}), B has not ({})", said(&b.answers)))
            }
            [true, true] => judged(SessionVerdict::Same, format!("both have the expected answer ({wanted})")),
            [false, false] => judged(SessionVerdict::Same, format!("neither has the expected answer ({wanted})")),
        };
    }
    let how = |outcome: OutcomeKind| outcome.name().replace('_', " ");
    let far = |outcome| match outcome {
        OutcomeKind::Answered => 2,
        OutcomeKind::BestEffort => 1,
        OutcomeKind::NoAnswer => 0,
    };
    if far(ended_a) != far(ended_b) {
        let verdict = if far(ended_b) > far(ended_a) { SessionVerdict::Better } else { SessionVerdict::Worse };
        return judged(verdict, format!("by how they ended: A {}, B {}", how(ended_a), how(ended_b)));
    }
    if normal(&a.answers) == normal(&b.answers) {
        return judged(SessionVerdict::Same, format!("both end with {}", said(&a.answers)));
    }
    match (a.evidence.is_empty(), b.evidence.is_empty()) {
        (true, false) => judged(SessionVerdict::Better, "facts of the graph support the answer of B, none that of A".to_owned()),
        (false, true) => judged(SessionVerdict::Worse, "facts of the graph support the answer of A, none that of B".to_owned()),
        _ => judged(
            SessionVerdict::Open,
            format!(
                "the answers differ ({}; {}), and which is right was not said (the expected answer)",
                said(&a.answers),
                said(&b.answers)
            ),
        ),
    }
}

/// Whether these answers are those that are expected (several with ` | ` between), in any order. Case, blanks and the
/// punctuation around them do not count.
#[must_use]
pub fn is_expected(answers: &[String], expected: &str) -> bool {
    let wanted: Vec<String> = expected.split(" | ").map(str::to_owned).collect();
    !answers.is_empty() && (normal(answers) == normal(&wanted) || normal(&[answers.join(" | ")]) == normal(&[expected.to_owned()]))
}

/// Texts for comparison: lower case, single blanks, without the punctuation around them, sorted, each once.
fn normal(texts: &[String]) -> Vec<String> {
    let around: &[char] = &['.', ',', ';', ':', '!', '?', '"', '\'', '“', '”', '‘', '’', '«', '»', '(', ')', '[', ']'];
    let words = |text: &String| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ").trim_matches(around).trim().to_owned();
    let mut all: Vec<String> = texts.iter().map(words).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What a recording saved: calls that were not made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Calls to the model.
    pub llm_calls: u32,
    /// Calls to KGs.
    pub kg_calls: u32,
    /// Tokens that these calls to the model took.
    pub tokens: Usage,
    /// Milliseconds on the wire, one call after the other.
    pub took_ms: u64,
    /// Calls of which tokens and time are not at hand: the session that made them was not given.
    pub unknown: u32,
}

impl Saved {
    /// Whether nothing was saved.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.llm_calls == 0 && self.kg_calls == 0
    }
}

/// What a session took from a recording: its first `copied` entries, and replies that were recorded. `source`: the session that
/// recorded them, where it is at hand.
#[must_use]
pub fn saved(state: &State, copied: Seq, source: Option<&State>) -> Saved {
    let made: HashMap<(&Arc<str>, u32), &Arc<Ask>> =
        source.into_iter().flat_map(|source| &source.asks).map(|ask| ((&ask.hash, ask.nth), ask)).collect();
    let mut saved = Saved::default();
    for ask in &state.asks {
        let taken = ask.source == Some(Source::Recorded) && !ask.live;
        let original = if taken {
            made.get(&(&ask.hash, ask.nth)).copied()
        } else if ask.seq < copied && ask.is_complete() {
            Some(ask)
        } else {
            continue;
        };
        if ask.is_llm() {
            saved.llm_calls += 1;
        } else {
            saved.kg_calls += 1;
        }
        match original {
            Some(original) => {
                saved.tokens += original.usage;
                saved.took_ms += original.took_ms;
            }
            None => saved.unknown += 1,
        }
    }
    saved
}

#[cfg(test)]
mod tests {
    use super::is_expected;

    #[test]
    fn expected_answers_are_compared_by_their_words() {
        let is = |answers: &[&str], expected| is_expected(&answers.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>(), expected);
        assert!(is(&["Michael Caine"], "michael  caine."));
        assert!(is(&["B", "A"], "a | b"));
        assert!(is(&["東京"], "東京"));
        assert!(is(&["C++"], "“c++”") && !is(&["C"], "C++"));
        assert!(!is(&["A"], "a | b"));
        assert!(!is(&[], "a"));
        assert!(!is(&["Michael"], "Michael Caine"));
    }
}
