//! How much of what is sent to the model repeats what was sent before: services that cache prefixes charge less for it.

use super::ask::Ask;
use super::event::Call;
use super::state::State;

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
        let mut earlier: Vec<String> = Vec::new();
        for prompt in self.asks.iter().filter_map(|ask| self.prompt_of(ask)) {
            let shared = earlier.iter().map(|other| shared(other, &prompt)).max().unwrap_or(0);
            sum.sent += prompt.chars().count() as u64;
            sum.repeated += prompt[..shared].chars().count() as u64;
            earlier.push(prompt);
        }
        sum
    }
}

/// Bytes of the longest common beginning, at the border of a character.
fn shared(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    other.floor_char_boundary(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_beginning_ends_between_characters() {
        assert_eq!(shared("abc", "abd"), 2);
        assert_eq!(shared("née", "née!"), 4);
        // é and è share their first byte.
        assert_eq!(shared("né", "nè"), 1);
        assert_eq!(shared("", "x"), 0);
    }

    #[test]
    fn nothing_sent_repeats_nothing() {
        assert!(PromptChars::default().share().abs() < f64::EPSILON);
    }
}
