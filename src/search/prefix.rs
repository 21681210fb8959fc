//! How much of what is sent to the model repeats what was sent before: services that cache prefixes charge less for it.

use super::ask::Ask;
use super::event::Call;
use super::state::State;
use std::collections::BTreeSet;

/// Characters of the prompts of a session. A prompt counts once an ask, however many samples it is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptChars {
    /// All of them.
    pub sent: u64,
    /// Of these, the ones that begin an earlier prompt of the session in the same way.
    pub repeated: u64,
}

impl PromptChars {
    /// The share of characters that repeat an earlier prefix: 0 to 1, 0 when nothing was sent.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.sent == 0 { 0.0 } else { self.repeated as f64 / self.sent as f64 }
    }
}

impl State {
    /// The text of an ask's prompt as a model gets it; `None` for an ask to a KG.
    #[must_use]
    pub fn prompt_of(&self, ask: &Ask) -> Option<String> {
        let Call::Llm(call) = &ask.call else { return None };
        let texts: Vec<&str> = call.parts.iter().filter_map(|id| self.parts.get(id.index())).map(|part| part.text.trim_end()).collect();
        Some(texts.join("\n\n"))
    }

    /// The characters of all prompts so far, and how many of them repeat the longest beginning that they share with any
    /// earlier prompt.
    #[must_use]
    pub fn prompt_chars(&self) -> PromptChars {
        let mut sum = PromptChars::default();
        // In sorted order the prompt that begins most alike is a neighbour.
        let mut earlier: BTreeSet<Vec<&str>> = BTreeSet::new();
        for ask in &self.asks {
            let Call::Llm(call) = &ask.call else { continue };
            let prompt: Vec<&str> =
                call.parts.iter().filter_map(|id| self.parts.get(id.index())).map(|part| part.text.trim_end()).collect();
            let below = earlier.range(..=prompt.clone()).next_back();
            let above = earlier.range(prompt.clone()..).next();
            let repeated = below.into_iter().chain(above).map(|other| shared(other, &prompt)).max().unwrap_or(0);
            sum.sent += length(&prompt);
            sum.repeated += repeated;
            earlier.insert(prompt);
        }
        sum
    }
}

/// What stands between two parts.
const BETWEEN: u64 = 2;

/// Characters of a prompt.
fn length(parts: &[&str]) -> u64 {
    let texts: u64 = parts.iter().map(|part| part.chars().count() as u64).sum();
    texts + BETWEEN * (parts.len() as u64).saturating_sub(1)
}

/// Characters of the longest common beginning.
fn shared(one: &[&str], other: &[&str]) -> u64 {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let whole = length(&other[..same]);
    match (one.get(same), other.get(same)) {
        (Some(a), Some(b)) => {
            let more = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count() as u64;
            whole + more + if same > 0 { BETWEEN } else { 0 }
        }
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_beginning_is_counted_in_characters() {
        assert_eq!(shared(&["abc", "x"], &["abd", "x"]), 2);
        assert_eq!(shared(&["née", "x"], &["née", "xy"]), 3 + 2 + 1);
        // é and è share their first byte.
        assert_eq!(shared(&["né"], &["nè"]), 1);
        assert_eq!(shared(&["a", "b"], &["a", "b"]), length(&["a", "b"]));
        assert_eq!((shared(&["a"], &["a", "b"]), shared(&[], &["a"]), length(&[])), (1, 0, 0));
    }

    #[test]
    fn nothing_sent_repeats_nothing() {
        assert!(PromptChars::default().share().abs() < f64::EPSILON);
    }
}
