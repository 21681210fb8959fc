//! What comes back, whoever sent it: choices in order, reasoning kept apart, tokens.

use crate::calls::{Token, Usage, Withheld, is_cut};
use serde_json::Value;

/// Letters a token has, about, where a service gives no count.
const LETTERS_A_TOKEN: usize = 4;

/// Tokens of so many letters, about.
pub fn tokens_of(letters: usize) -> u64 {
    letters.div_ceil(LETTERS_A_TOKEN) as u64
}

/// One choice of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What was said; `None` for null.
    pub text: Option<String>,
    /// Reasoning that came in a field of its own.
    pub reasoning: Option<String>,
    /// Why it ended, in the service's word.
    pub finish: Option<String>,
    /// The model's sentence of refusal.
    pub refusal: Option<String>,
    /// Its tokens with their log-probabilities, where these were asked for and came.
    pub tokens: Vec<Token>,
}

impl Choice {
    /// Whether the output limit ended it.
    pub fn is_cut(&self) -> bool {
        self.finish.as_deref().is_some_and(is_cut)
    }

    /// Who took it away, if somebody did.
    pub fn withheld(&self) -> Option<Withheld> {
        let refused = self.refusal.as_ref().map(|_| Withheld::Refused);
        refused.or_else(|| Withheld::of(self.finish.as_deref()?))
    }

    /// Letters of all that was said.
    pub fn letters(&self) -> usize {
        [&self.text, &self.reasoning, &self.refusal].into_iter().flatten().map(|t| t.chars().count()).sum()
    }
}

/// The tokens of a list of objects that have `token` and `logprob`, as OpenAI's interface and Ollama's have them. One without a
/// number, or with one that is no logarithm of a probability, is left out.
pub fn tokens_in(list: Option<&Value>) -> Vec<Token> {
    let listed = list.and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(|item| Token::new(item["token"].as_str()?, item["logprob"].as_f64()?)).collect()
}

/// What of a text came by now, in pieces.
///
/// Services begin and end a stream with an empty text whatever the reply is: it is a reply without letters only as long as none says
/// null. One that says null and never a letter is null, like one without any piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    said: Option<String>,
    null: bool,
}

impl Pieces {
    /// The next piece.
    pub fn add(&mut self, piece: &str) {
        self.said.get_or_insert_default().push_str(piece);
    }

    /// A piece that is null.
    pub fn add_null(&mut self) {
        self.null = true;
    }

    /// The whole; `None` for null.
    pub fn whole(self) -> Option<String> {
        self.said.filter(|text| !text.is_empty() || !self.null)
    }
}

/// Tokens where the service counts none.
pub fn estimated(prompt_letters: usize, letters: usize) -> Usage {
    Usage { prompt_tokens: tokens_of(prompt_letters), completion_tokens: tokens_of(letters), estimated: true, ..Usage::default() }
}

/// A readable reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// In the order of their `index`; at least one.
    pub choices: Vec<Choice>,
    /// Tokens.
    pub usage: Usage,
    /// Whether the service counted tokens of hidden reasoning.
    pub reasoned: bool,
}

/// Why a body is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoReply {
    /// It is an error in spite of its status; the whole body is kept for the reader of errors.
    Error(Value),
    /// It is cut, or not in the documented shape.
    Unreadable(&'static str),
}

/// Where the answer begins in `text`: after white space and after closed blocks of reasoning (`<think>..</think>`), or after a
/// closing tag whose opening was in the prompt. `None` when a block stays open: nothing was answered.
pub fn answer_start(text: &str) -> Option<usize> {
    const TAGS: [(&str, &str); 3] = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];
    let mut at = text.len() - text.trim_start().len();
    loop {
        let rest = &text[at..];
        let opened = TAGS.iter().find(|(open, _)| rest.get(..open.len()).is_some_and(|start| start.eq_ignore_ascii_case(open)));
        let end = match opened {
            Some((_, close)) => Some(find_ignoring_case(rest, close)? + close.len()),
            None => TAGS.iter().find_map(|(_, close)| find_ignoring_case(rest, close).map(|found| found + close.len())),
        };
        let Some(end) = end else { return Some(at) };
        at += end;
        at += text[at..].len() - text[at..].trim_start().len();
    }
}

fn find_ignoring_case(text: &str, ascii: &str) -> Option<usize> {
    text.as_bytes().windows(ascii.len()).position(|w| w.eq_ignore_ascii_case(ascii.as_bytes()))
}

/// Whether `text` holds an answer: anything but white space and reasoning.
pub fn says_something(text: &str) -> bool {
    answer_start(text).is_some_and(|at| at < text.len())
}

/// Cuts `text` before the first stop string of its answer; whether it was cut. White space and reasoning before the answer are
/// skipped, so that a reply which begins with a line feed is not cut to nothing.
pub fn cut_at_stop(text: &mut String, stops: &[String]) -> bool {
    let Some(start) = answer_start(text) else { return false };
    let found = stops.iter().filter(|s| !s.is_empty()).filter_map(|s| text[start..].find(s.as_str())).min();
    if let Some(found) = found {
        text.truncate(start + found);
    }
    found.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> String {
        let mut text = text.to_owned();
        cut_at_stop(&mut text, &["\n".to_owned(), "Q:".to_owned()]);
        text
    }

    #[test]
    fn stops_cut_the_answer_and_nothing_before_it() {
        assert_eq!(cut("THINK: a\nTHINK: b"), "THINK: a");
        assert_eq!(cut("a Q: b\nc"), "a ");
        assert_eq!(cut("\n\n0.8\nbecause"), "\n\n0.8");
        assert_eq!(cut("<think>\nlong\n</think>\n\nANSWER: x\nmore"), "<think>\nlong\n</think>\n\nANSWER: x");
        assert_eq!(cut("long\nthought</THINK>\nANSWER: x\nmore"), "long\nthought</THINK>\nANSWER: x");
        assert_eq!(cut("<think>open\nfor ever"), "<think>open\nfor ever");
        assert_eq!(cut("ß가\n"), "ß가");
    }

    #[test]
    fn reasoning_alone_says_nothing() {
        for text in ["", " \n", "<think>open", "<think>a</think>\n", "<Thinking>a</Thinking>"] {
            assert!(!says_something(text), "{text:?}");
        }
        for text in ["x", "<think>a</think>x", "<b>x</b>"] {
            assert!(says_something(text), "{text:?}");
        }
    }
}
