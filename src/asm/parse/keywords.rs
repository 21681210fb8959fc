//! Where a line names an action.

use super::clean::{fold, unfolded};
use super::marks::{tail, without_closing_quote};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// So many keywords in mid-line are looked at: a line with more is no step.
pub(super) const A_LINE: usize = 8;
/// So many letters before a keyword are looked at.
const NEAR: usize = 60;

/// An action of the state `default`, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Think,
    Expand,
    Answer,
}

/// A keyword in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    pub keyword: Keyword,
    /// Byte offset of the keyword, or of what decorates it.
    pub from: usize,
    /// What follows it in the line.
    pub rest: &'a str,
    /// Whether it stands without colon, alone.
    pub bare: bool,
}

/// List numbers, marks and labels such as "Action:" that may stand before a keyword.
const BEFORE: &str = r"^[^\p{L}\p{N}]*(?:(?:\d{1,3}|[a-z]|[ivx]{1,4})\s*[.)\]:、]+[^\p{L}\p{N}]*)?(?:(?:(?:my|the|next|chosen|selected) ){0,2}(?:action|step|option|choice|response|output|assistant|reply|动作|行动|操作|下一步|步骤)\s*\d*[^\p{L}\p{N}]*[:.)-][^\p{L}\p{N}]*)?";
const NAMES: &str = r"(?P<think>THINK)|(?P<expand>EXPAND(?:\\?[_ -]?KG)?)|(?P<answer>(?:FINAL[ _]?)?ANSWER)";
/// What may stand between a keyword and its colon: a number, the keyword in another language, brackets and marks.
const CLOSERS: &str = r#"(?:\s*[#(]?\d{1,2}\)?)?(?:\s*\([^()\n:]{1,24}\)|/[^\x00-\x7f]{1,8})?[\])}>*_`"'”’»」』】\s]*"#;

static START: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i){BEFORE}(?:{NAMES})(?:{CLOSERS}:|】|\s*[,|;]\s*{INPUTS}\s*:)[:*_`\s]*")).expect("constant"));
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i:{BEFORE})(?:{NAMES})(?:\s*\([^()\x00-\x7f]{{1,12}}\))?[^\p{{L}}\p{{N}}/]*$")).expect("constant")
});
static MIDDLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?:^|[^A-Za-z0-9_])(?P<all>(?:{NAMES}){CLOSERS}:[:*_`\s]*)")).expect("constant"));
static ANSWER_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)(?:^|[^A-Za-z0-9_])(?P<all>(?P<answer>(?:final[ _]?)?answer(?: is)?){CLOSERS}:[:*_`\s]*)")).expect("constant")
});
static THOUGHT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^[^\p{L}\p{N}]*(?:\d{1,3}\s*[.)]\s*)?thought\s*\d*[*_`\s]*:\s*").expect("constant"));
/// Labels of what belongs to an action that was named apart: those of an agent's format, and the keys of the structured form.
const INPUTS: &str = r"(?:action[ _]?)?(?:input|text|argument|content|value|parameter)s?";
static INPUT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^[^\p{{L}}\p{{N}}]*{INPUTS}\s*\d*[*_`\s]*:\s*")).expect("constant"));
static REASON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[^\p{L}\p{N}]*(?:reason(?:ing)?|explanation|rationale|justification|理由|原因)[*_`\s]*:\s*").expect("constant")
});
/// "Action: answer", in any letter case.
static APART: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)^[^\p{{L}}\p{{N}}]*(?:next )?(?:action|动作|行动|操作)[*_`\s]*:[^\p{{L}}\p{{N}}]*(?:{NAMES})[^\p{{L}}\p{{N}}/]*$"
    ))
    .expect("constant")
});
/// Words before a keyword in mid-line that take it back: "I should not ANSWER: yet."
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:\b(?:not|never|cannot|can't|don't|won't|shouldn't|instead of|rather than|before|without|no need to|too early to)\s+(?:(?:i|we|can|could|to|yet|be|just|the|an?|give|use|choose|go|for|with)\s+){0,4}|(?:不能|不要|不应该?|不该|不必|不用|无需|先不|别|而不是)\s*)$")
        .expect("constant")
});

fn keyword(found: &Captures<'_>) -> Keyword {
    if found.name("think").is_some() {
        Keyword::Think
    } else if found.name("expand").is_some() {
        Keyword::Expand
    } else {
        Keyword::Answer
    }
}

/// The keyword itself, without what decorates it.
fn named<'a>(found: &Captures<'a>) -> Option<regex::Match<'a>> {
    ["think", "expand", "answer"].into_iter().find_map(|name| found.name(name))
}

/// The keyword at the start of `line`: with a colon in any letter case, or alone in upper case.
pub(super) fn at_start(line: &str) -> Option<Hit<'_>> {
    let folded = fold(line);
    if let Some(found) = START.captures(&folded) {
        let keyword = keyword(&found);
        let mut end = found.get(0)?.end();
        // "ANSWER: ANSWER: x" says it twice.
        if let Some(again) = START.captures(&folded[end..]).filter(|again| self::keyword(again) == keyword) {
            end += again.get(0)?.end();
        }
        let before = &line[..unfolded(line, &folded, named(&found)?.start())];
        let rest = without_closing_quote(before, &line[unfolded(line, &folded, end)..]);
        return Some(Hit { keyword, from: 0, rest, bare: false });
    }
    let found = BARE.captures(&folded).or_else(|| APART.captures(&folded))?;
    Some(Hit { keyword: keyword(&found), from: 0, rest: "", bare: true })
}

/// The first upper-case keyword with a colon anywhere in `line`, if nothing before it takes it back.
pub(super) fn in_middle(line: &str) -> Option<Hit<'_>> {
    let folded = fold(line);
    let is_meant = |found: &Captures<'_>| !found.name("all").is_some_and(|all| DENIED.is_match(tail(&folded[..all.start()], NEAR)));
    hit(&MIDDLE.captures_iter(&folded).take(A_LINE).find(is_meant)?, line, &folded)
}

/// The last label of an answer in `line`, in any letter case.
pub(super) fn last_answer_label(line: &str) -> Option<Hit<'_>> {
    let folded = fold(line);
    let found = ANSWER_LABEL.captures_iter(&folded).last()?;
    hit(&found, line, &folded)
}

fn hit<'a>(found: &Captures<'_>, line: &'a str, folded: &str) -> Option<Hit<'a>> {
    let all = found.name("all")?;
    let from = unfolded(line, folded, all.start());
    let rest = without_closing_quote(&line[..from], &line[unfolded(line, folded, all.end())..]);
    Some(Hit { keyword: keyword(found), from, rest, bare: false })
}

/// The text of a "Thought:" line.
pub(super) fn thought(line: &str) -> Option<&str> {
    labelled(&THOUGHT, line)
}

/// The text of an "Action Input:" or "Text:" line.
pub(super) fn action_input(line: &str) -> Option<&str> {
    labelled(&INPUT, line)
}

/// The text of a "Reason:" line.
pub(super) fn reason(line: &str) -> Option<&str> {
    labelled(&REASON, line)
}

fn labelled<'a>(pattern: &Regex, line: &'a str) -> Option<&'a str> {
    let folded = fold(line);
    pattern.find(&folded).map(|m| &line[unfolded(line, &folded, m.end())..])
}
