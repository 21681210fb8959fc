//! A comparison in words: the lines above and below the two trees, for `tot diff` and the explorer.

use super::{Comparison, Saved, Verdict};
use crate::search::event::{NodeId, OutcomeKind};
use crate::search::spent_words::spent_words;
use crate::search::state::{State, Value};
use crate::text::{one_line, thousands};

/// What stands for the two sessions.
const LETTERS: [char; 2] = ['A', 'B'];

impl Comparison {
    /// What they began with differently, how far they are the same, and what differs first.
    #[must_use]
    pub fn beginning(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.setup.iter().map(|(what, [a, b])| format!("other {what}: A {a}; B {b}")).collect();
        let [of_a, of_b] = self.decisions;
        match &self.first {
            None => lines.push(format!("the same in all {of_a} decisions")),
            Some(first) => {
                lines.push(format!("the same for {} decisions (of {of_a} in A, {of_b} in B)", self.same));
                let at = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
                let [x, y] = first.at.map(at);
                lines.push(format!("first difference ({}, entry {x} of A, {y} of B): {}", first.kind.name(), first.what));
            }
        }
        lines
    }

    /// How each ended, on which facts, and what it took.
    #[must_use]
    pub fn end(&self, states: [&State; 2]) -> Vec<String> {
        let mut lines: Vec<String> = LETTERS.iter().zip(states).map(|(letter, state)| format!("{letter}  {}", ending(state))).collect();
        for (sign, facts) in ['=', 'A', 'B'].into_iter().zip(&self.facts) {
            lines.extend(facts.iter().map(|fact| format!("  {sign} rests on {fact}")));
        }
        for ((letter, state), saved) in LETTERS.iter().zip(states).zip(&self.saved) {
            lines.push(format!("{letter}  {} expansions; {}", state.counters().expansions, spent_words(state)));
            if !saved.is_none() {
                lines.push(format!("{letter}  its recording saved {}", saved_words(saved)));
            }
        }
        lines
    }

    /// The verdict in a sentence.
    #[must_use]
    pub fn verdict(&self) -> String {
        let said = match self.judged.verdict {
            Verdict::Better => "B is better",
            Verdict::Worse => "B is worse",
            Verdict::Same => "the same",
            Verdict::Open => "open",
        };
        format!("verdict: {said}: {}", self.judged.why)
    }
}

fn ending(state: &State) -> String {
    let summary = state.summary();
    let outcome = summary.outcome.map_or("not finished", OutcomeKind::name);
    let answer = summary.answer_text.as_deref().map_or_else(|| "no answer".to_owned(), one_line);
    let worth = summary.answer.map_or_else(String::new, |id| format!(", value {}", value(state, id)));
    format!("{answer}  ({outcome}{worth})")
}

/// A value for people: `0.70`, `0.70 by hand`, `unknown`.
#[must_use]
pub fn value(state: &State, id: NodeId) -> String {
    match state.value(id) {
        Value::Pending => "pending".to_owned(),
        Value::Unknown => "unknown".to_owned(),
        Value::Scored(v) => v.to_string(),
        Value::ByHand(v) => format!("{v} by hand"),
    }
}

/// `12 calls to the model (5,210 tokens), 9 to graphs, 14.2 s of waiting`
fn saved_words(saved: &Saved) -> String {
    let calls = |n: u32, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let tilde = if saved.tokens.estimated { "~" } else { "" };
    let tokens = saved.tokens.prompt_tokens + saved.tokens.completion_tokens;
    let seconds = format!("{}.{} s", saved.took_ms / 1000, saved.took_ms % 1000 / 100);
    let unknown = match saved.unknown {
        0 => String::new(),
        n => format!("; tokens and time of {n} of them are not known here"),
    };
    format!(
        "{} ({tilde}{} tokens) and {} to graphs, {seconds} of waiting for replies{unknown}",
        calls(saved.llm_calls, "call to the model", "calls to the model"),
        thousands(tokens),
        calls(saved.kg_calls, "call", "calls"),
    )
}
