//! The verdict that a reply states about a fact: sound, doubtful or unknown, with its reason; or unreadable, never a guess.
//!
//! The first "Verdict:" counts; without one, a word with which the reply begins. "Not sound" is doubtful, "not sure" unknown.

use super::Unusable;
use super::clean::Cleaned;
use super::half_json::cut_object;
use super::json;
use super::marks::{unfenced, unmarked};
use crate::asm::Verdict;
use crate::text::{cut, one_line};
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

const NOTHING: Unusable = Unusable::Unreadable("no verdict was stated");
const CUT_BEFORE: Unusable = Unusable::Unreadable("the reply was cut off at the token limit before it stated a verdict");

/// Columns of a reason that are kept.
const LONGEST: usize = 300;

static CUE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\bverdict\b[\s*_]*(?:is|:|=|：)[\s*_:]*|判定[:：]\s*").expect("constant"));
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix)^["'“\[(<*\s]*(?:it\s+is\s+)?
        (?:(?P<unknown>unknown|unsure|uncertain|unclear|undecided|not\s+(?:sure|certain|clear|known)|can(?:not|'t)\s+tell)
          |(?P<not>not\s+|isn't\s+)?
           (?:(?P<sound>sound|true|correct|right|accurate|confirmed|plausible)
             |(?P<doubtful>doubtful|doubted|false|wrong|incorrect|inaccurate|outdated|obsolete|questionable|dubious|implausible)))\b"#,
    )
    .expect("constant")
});
static REASON: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\b(?:reason|because|why)\b[\s*_]*[:：]?\s*").expect("constant"));

/// Reads `reply`: the verdict and its reason, which may be empty.
pub(super) fn verdict(reply: &Cleaned) -> Result<(Verdict, String), Unusable> {
    let text = unfenced(&reply.text);
    let nothing = if reply.cut { CUT_BEFORE } else { NOTHING };
    if reply.cut
        && let Some(half) = cut_object(&text)
    {
        // A word that the cut runs through may be the beginning of another.
        let (Some(verdict), _) = keyed(&half.whole) else { return Err(nothing) };
        return Ok((word(verdict).ok_or(nothing)?.0, tidy(keyed(&half.all).1)));
    }
    if let Some(found) = json::first_object(&text)
        && let (Some(said), reason) = keyed(&found.object)
    {
        return Ok((word(said).ok_or(nothing)?.0, tidy(reason)));
    }
    let text = text.lines().map(unmarked).collect::<Vec<_>>().join("\n");
    let (before, said) = match CUE.find(&text) {
        Some(cue) => (&text[..cue.start()], &text[cue.end()..]),
        None => ("", text.trim_start()),
    };
    let (verdict, rest) = word(said).ok_or(nothing)?;
    let mut lines = rest.lines();
    let same = lines.next().unwrap_or_default().trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '"' | '(' | '“'));
    let below = lines.find(|line| !line.trim().is_empty()).filter(|line| REASON.find(line).is_some_and(|found| found.start() == 0));
    let reason = [same, below.unwrap_or_default(), before].into_iter().find(|text| text.chars().any(char::is_alphanumeric));
    Ok((verdict, tidy(reason.unwrap_or_default())))
}

/// The verdict and the reason of a JSON object.
fn keyed(object: &Map<String, Value>) -> (Option<&str>, &str) {
    let verdict = object.iter().find(|(key, _)| key.to_lowercase().contains("verdict")).and_then(|(_, said)| said.as_str());
    let reason = object.iter().find(|(key, _)| json::is_reasoning_key(key)).and_then(|(_, reason)| reason.as_str());
    (verdict, reason.unwrap_or_default())
}

/// The verdict that `text` begins with, and what follows it.
fn word(text: &str) -> Option<(Verdict, &str)> {
    let found = WORD.captures(text)?;
    let verdict = match (found.name("unknown"), found.name("sound").is_some(), found.name("not").is_some()) {
        (Some(_), ..) => Verdict::Unknown,
        (None, sound, not) if sound != not => Verdict::Sound,
        _ => Verdict::Doubtful,
    };
    Some((verdict, &text[found.get(0)?.end()..]))
}

fn tidy(reason: &str) -> String {
    let reason = one_line(reason.trim());
    let reason = match REASON.find(&reason) {
        Some(found) if found.start() == 0 => &reason[found.end()..],
        _ => &reason,
    };
    cut(reason.trim(), LONGEST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Expect, Reply, Unusable, parse};
    use crate::asm::Verdict::{self, Doubtful, Sound, Unknown};
    use crate::calls::Sample;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(Verdict, String), Unusable> {
        match parse(&Expect::Verdict, &Sample::stopped(text), &|_| false)? {
            Reply::Verdict(verdict, reason) => Ok((verdict, reason)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_verdict_is_read_with_its_reason_wherever_it_stands() {
        for (text, verdict, reason) in [
            ("Reason: Paris is in France.\nVerdict: doubtful", Doubtful, "Paris is in France."),
            ("Verdict: sound - it is well known", Sound, "it is well known"),
            ("**Verdict:** Sound.\n\nReason: as everybody knows", Sound, "as everybody knows"),
            ("<think>sound? no.</think>It was renamed in 2018.\nVERDICT: **outdated**", Doubtful, "It was renamed in 2018."),
            ("unknown", Unknown, ""),
            ("Doubtful: the club moved", Doubtful, "the club moved"),
            ("Verdict: not sound", Doubtful, ""),
            ("Verdict: not wrong", Sound, ""),
            ("Verdict: not sure, I was not there", Unknown, "I was not there"),
            ("Verdict is unclear", Unknown, ""),
            ("Reason: a\nVerdict: sound\n\nFact: \"x\"\nReason: b\nVerdict: doubtful", Sound, "a"),
            ("{\"reason\": \"it moved\", \"verdict\": \"doubtful\"}", Doubtful, "it moved"),
            ("```json\n{\"verdict\": \"SOUND\", \"reason\": \"\"}\n```", Sound, ""),
        ] {
            assert_eq!(read(text), Ok((verdict, reason.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_states_none_is_unreadable_and_never_guessed() {
        for text in ["", "I think so.", "Verdict:", "Verdict: perhaps", "The fact is sound advice", "{\"verdict\": 3}", "sounds good"] {
            assert!(matches!(read(text), Err(Unusable::Unreadable(_))), "{text}");
        }
    }

    #[test]
    fn a_reason_is_one_line_and_not_endless() {
        let (_, reason) = read(&format!("{}\u{1b}[2J\nmore\nVerdict: sound", "word ".repeat(400))).unwrap();
        assert!(!reason.contains(['\n', '\u{1b}']) && reason.chars().count() <= 300, "{}", reason.len());
    }

    proptest! {
        #[test]
        fn nothing_panics_and_what_is_read_is_safe(text in "(?s).{0,200}", head in "(Verdict: |verdict is |\\{\"verdict\": \")?(sound|not |doubtful|un)?") {
            for text in [format!("{head}{text}"), format!("{text}\n{head}"), text] {
                if let Ok((_, reason)) = read(&text) {
                    prop_assert!(!reason.contains(crate::text::is_unsafe) && !reason.contains('\n'));
                }
            }
        }
    }
}
