//! Which actions were read from the very end of a reply that met its token limit: a thought that stops in mid-sentence, a list
//! of entities that may have gone on.

use super::Action;
use crate::calls::Sample;

/// What is said where such an action is shown.
pub const CUT: &str = "cut at the token limit";

/// Letters at the end of a text that have to be the last ones of the reply: marks and quotes around it are not counted.
const END: usize = 12;

/// Whether what `action` says runs into the token limit of `sample`, which it was read from. Where the action had ended before
/// (the model played on), the limit took nothing of it.
#[must_use]
pub fn runs_into_cut(sample: &Sample, action: &Action) -> bool {
    let Some(reply) = sample.text.as_deref().filter(|_| sample.is_cut()) else { return false };
    match action {
        Action::Think { text } | Action::Expand { text } => ends_with(reply, text) || ends_with(reply, &escaped(text)),
        // The last line of a list of ids.
        Action::SelectEntities { ids } => {
            let ends = ids.iter().filter_map(|id| reply.rfind(&**id).map(|at| at + id.len()));
            ends.max().is_some_and(|end| !reply[end..].contains('\n'))
        }
        _ => false,
    }
}

/// Whether the last letters of `text` are those of `reply`.
fn ends_with(reply: &str, text: &str) -> bool {
    let mut letters = reply.chars().rev().filter(|c| c.is_alphanumeric());
    let mut ending = text.chars().rev().filter(|c| c.is_alphanumeric()).take(END).peekable();
    ending.peek().is_some() && ending.all(|letter| letters.next().is_some_and(|other| other.eq_ignore_ascii_case(&letter)))
}

/// `text` as it may stand in JSON: `\u00fc`, `\n`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            letter if letter.is_ascii() => out.push(letter),
            letter => letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::{Expect, Reply, parse};

    fn cut(expect: &Expect<'_>, text: &str, finish: &str) -> bool {
        let sample = Sample { text: Some(text.to_owned()), finish: Some(finish.to_owned()), ..Sample::default() };
        let Ok(Reply::Action(action)) = parse(expect, &sample, &|_| false) else { panic!("{text}") };
        runs_into_cut(&sample, &action)
    }

    #[test]
    fn what_ends_at_the_limit_is_told_from_what_ended_before_it() {
        let thought = "THINK: the opera was written for the lib";
        assert!(cut(&Expect::Action, thought, "length") && cut(&Expect::Action, thought, "max_tokens"));
        assert!(!cut(&Expect::Action, thought, "stop"));
        assert!(cut(&Expect::Action, r#"{"action": "THINK", "text": "the opera \u00fcber the lib"#, "length"));
        assert!(cut(&Expect::Action, r#"{"action": "THINK", "text": "\u6b4c\u5267\u662F\u4e3a"#, "length"));
        assert!(cut(&Expect::Action, "**THINK:** _歌剧是为图书_", "length"));
        assert!(cut(&Expect::Action, "EXPAND: who wrote the", "length"));
        // The first usable step counts, and it was whole.
        assert!(!cut(&Expect::Action, "THINK: the opera was written in 1876.\nTHINK: it was first perf", "length"));
        assert!(!cut(&Expect::Action, "EXPAND\n\nThe reason is tha", "length"));
    }

    #[test]
    fn a_list_that_ends_with_the_reply_may_have_gone_on() {
        let offered = ["Q1".into(), "Q22".into(), "Q3".into()];
        assert!(cut(&Expect::Entities(&offered), "Q1 (the opera), Q22 (the house), Q", "length"));
        assert!(!cut(&Expect::Entities(&offered), "Q1, Q22\nThe opera is the subject of th", "length"));
    }
}
