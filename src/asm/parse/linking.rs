//! The replies of linking: which things a question mentions, and which candidate a mention is.

use super::Unusable;
use super::choice::{Mention, Said, judge};
use super::clean::{Cleaned, clean, fold};
use super::half_json::cut_object;
use super::json;
use super::marks::{item, tail, tidy, unfenced, unquoted};
use super::play_on::{Strict, played};
use super::refusal::{REFUSES, refuses, reply_refuses};
use crate::calls::Sample;
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What stands so many letters before a number says nothing of it.
const NEAR: usize = 60;
/// A mention as long as this is no mention.
const TOO_LONG: usize = 300;

const CUT_BEFORE: Unusable = Unusable::Unreadable("the reply was cut off at the token limit before it named a candidate");

const NO_NAME: Unusable = Unusable::Unreadable("no mention was named");

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?im)^[^\p{L}\p{N}\n]*(?:\p{L}+ ){0,3}entities[^\p{L}\p{N}\n:]*:[*_]*").expect("constant"));
static NO_MENTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:none(?: found)?|n/?a|null|nothing|no (?:named )?entit(?:y|ies)(?: \p{L}+){0,6}|there are no (?:named )?entities\b.*|keine|aucune?|ninguna?|無|无|なし)?\W*$").expect("constant")
});
static NONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:none|no (?:good |exact |suitable |clear )?match(?:es)?|neither|nothing|no (?:candidate|option|one)|not any|n/a|null|kein[ers]?|aucun|ninguno|нет|ни один)\b|没有|沒有|^无|^無|なし|없음").expect("constant")
});
static WHOLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[-−]?\d+").expect("constant"));
static PICKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:\b(?:best|correct|right|closest) (?:match|choice|answer|option|candidate|one)\b|\b(?:match|answer|choice|option|candidate|number|index|pick|choose|select(?:ed|ion)?|entity)\b|\bno\.|#|答案|选择|選択|番号)[^\d\n]{0,40}?#?(?P<number>-?\d+)").expect("constant")
});

/// Mentions of an extraction reply, each once, as "label - description": what follows a leading "Entities:", a line each, up to
/// the first blank line. At least one.
///
/// # Errors
/// If it names none, or if there is nothing to read: an empty reply, null, one that was taken away.
pub fn parse_mentions(sample: &Sample) -> Result<Vec<String>, Unusable> {
    let reply = clean(sample, false)?;
    let unfenced = unfenced(&reply.text);
    let (text, _) = played(&unfenced, Strict::Yes);
    let (mut found, mut known): (Vec<String>, HashSet<String>) = (vec![], HashSet::new());
    for line in listed(&text).into_iter().filter(|line| !refuses(line)) {
        let tidied = tidy(item(&line).unwrap_or(&line));
        let tidied = tidied.trim_end_matches([',', ';']);
        // The label may have quotes of its own: `"Inception" - film`.
        let label = mention_label(tidied);
        let mention = format!("{}{}", unquoted(label), &tidied[label.len()..]);
        let short = mention.chars().count() < TOO_LONG;
        if short && !NO_MENTION.is_match(&mention) && !NO_MENTION.is_match(mention_label(&mention)) && known.insert(mention.to_lowercase())
        {
            found.push(mention);
        }
    }
    match found.is_empty() {
        true if reply_refuses(&text) => Err(Unusable::Unreadable(REFUSES)),
        true => Err(NO_NAME),
        false => Ok(found),
    }
}

/// The lines that hold mentions.
fn listed(text: &str) -> Vec<String> {
    let after = HEADING.find(text).map_or(text, |m| &text[m.end()..]);
    if let Some(start) = after.find('[')
        && let Some(Ok(items)) = serde_json::Deserializer::from_str(&after[start..]).into_iter::<Vec<String>>().next()
    {
        return items;
    }
    let mut lines: Vec<&str> = vec![];
    for line in after.lines() {
        if !line.trim().is_empty() {
            lines.push(line);
        } else if lines.len() == 1 && lines[0].trim_end().ends_with([':', '：']) {
            // "Here they are:" and a blank line are a lead-in.
            lines.clear();
        } else if !lines.is_empty() {
            break;
        }
    }
    if lines.len() > 1 && lines[0].trim_end().ends_with([':', '：']) && item(lines[0]).is_none() {
        lines.remove(0);
    }
    lines.into_iter().map(str::to_owned).collect()
}

/// The label of a mention: what stands before the first " - ".
#[must_use]
pub fn mention_label(mention: &str) -> &str {
    let end = [" - ", " – ", " — "].iter().filter_map(|dash| mention.find(dash)).min();
    mention[..end.unwrap_or(mention.len())].trim()
}

/// The pick of a matching reply, from 1 to `candidates`; `None` for "none", 0 and numbers out of range.
///
/// # Errors
/// If the reply neither holds a number nor says that none fits.
pub fn parse_match(sample: &Sample, candidates: usize) -> Result<Option<usize>, Unusable> {
    let reply: Cleaned = clean(sample, false)?;
    let (text, invented) = played(&reply.text, Strict::Yes);
    let cut = reply.cut && invented.is_none();
    let half = if cut { cut_object(&text) } else { None };
    let (text, ends_open) = match (&half, json::first_object(&text)) {
        (Some(half), _) => {
            let (whole, all) = (json::said(&half.whole), json::said(&half.all));
            let ends_open = whole != all;
            (if ends_open { all.trim_end().to_owned() } else { whole }, ends_open)
        }
        (None, Some(found)) => {
            let said = json::said(&found.object);
            (if said.trim().is_empty() && !found.object.is_empty() { "none".to_owned() } else { said }, false)
        }
        (None, None) => (text, cut),
    };
    let text = fold(&text);
    // A number that the cut runs through may be the beginning of another.
    let torn = |end: usize, digits: &str| {
        ends_open && end == text.len() && digits.parse::<usize>().is_ok_and(|n| n > 0 && n.saturating_mul(10) <= candidates)
    };
    if WHOLE.find_iter(&text).last().is_some_and(|last| torn(last.end(), last.as_str())) {
        return Err(CUT_BEFORE);
    }
    let in_range = |digits: &str| digits.parse::<usize>().ok().filter(|n| (1..=candidates).contains(n));
    let rejected = rejected(&text, &in_range);
    // "1 is a game, so 2": what is named in order to be rejected is no pick.
    let pick = |digits: &str| in_range(digits).filter(|n| !rejected.contains(n));
    let leading = text.trim_start().trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
    if let Some(number) = WHOLE.find(leading).filter(|m| m.start() == 0 && is_whole(leading, m.start(), m.end()))
        && in_range(number.as_str()).is_none_or(|n| !rejected.contains(&n))
    {
        return Ok(pick(number.as_str()));
    }
    if NONE.is_match(&text)
        && !PICKED
            .captures_iter(&text)
            .any(|c| c.name("number").is_some_and(|n| pick(n.as_str()).is_some() && after_none(&text, n.start())))
    {
        return Ok(None);
    }
    let picked: Vec<&str> = PICKED
        .captures_iter(&text)
        .filter_map(|c| c.name("number"))
        .filter(|m| is_whole(&text, m.start(), m.end()))
        .map(|m| m.as_str())
        .collect();
    if let Some(number) = picked.iter().find_map(|digits| pick(digits)) {
        return Ok(Some(number));
    }
    let all: Vec<regex::Match<'_>> =
        WHOLE.find_iter(&text).filter(|m| is_whole(&text, m.start(), m.end()) && !is_total(&text[..m.start()])).collect();
    if all.is_empty() {
        return Err(match (reply_refuses(&text), cut) {
            (true, _) => Unusable::Unreadable(REFUSES),
            (false, true) => CUT_BEFORE,
            (false, false) => Unusable::Unreadable("it names no candidate by number"),
        });
    }
    Ok(all.iter().find_map(|m| pick(m.as_str())))
}

/// The candidates that `text` (folded) rejects.
fn rejected(text: &str, in_range: &dyn Fn(&str) -> Option<usize>) -> HashSet<usize> {
    let lower = text.to_ascii_lowercase();
    let numbers = WHOLE.find_iter(&lower).filter(|m| is_whole(&lower, m.start(), m.end()) && !is_total(&lower[..m.start()]));
    let (mentions, named): (Vec<Mention>, Vec<usize>) =
        numbers.filter_map(|m| Some((Mention { start: m.start(), end: m.end() }, in_range(m.as_str())?))).unzip();
    let said = judge(&lower, &mentions).said;
    let mut all: HashMap<usize, Said> = HashMap::new();
    for (number, said) in named.into_iter().zip(said) {
        all.entry(number).and_modify(|before| *before = before.then(said)).or_insert(said);
    }
    all.into_iter().filter(|(_, said)| *said == Said::Rejected).map(|(number, _)| number).collect()
}

/// "No exact match, but the closest is 2": a pick in a later clause than the "none".
fn after_none(text: &str, at: usize) -> bool {
    NONE.find_iter(text).last().is_some_and(|m| m.end() < at && text[m.end()..at].contains([',', ';', '.']))
}

/// Whether the digits at a place are a number of their own: no part of a word or a decimal.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    let decimal = after.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
        && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && !decimal
}

/// "of the 3 candidates": how many there are, not which.
fn is_total(before: &str) -> bool {
    let mut words = tail(before, NEAR).rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase);
    match words.next().as_deref() {
        Some("of" | "all") => true,
        Some("the") => words.next().is_some_and(|word| word == "of" || word == "all"),
        _ => false,
    }
}
