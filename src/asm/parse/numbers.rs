//! The numbers in a text that could be scores, with their scales.

use super::marks::tail;
use regex::Regex;
use std::sync::LazyLock;

/// A text with more numbers than this states no score.
const MOST: usize = 2_000;
/// So many letters of its line before and after a number are looked at.
const NEAR: usize = 1_000;

/// A number in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    /// Where it begins (its sign included), in bytes.
    pub start: usize,
    /// Where it ends, its scale included.
    pub end: usize,
    /// On the scale 0 to 1 if a scale was stated, else as written.
    pub value: f64,
    /// Whether a scale was stated (`8/10`, `80 %`, "8 out of 10").
    pub scaled: bool,
    /// Whether it was written without a decimal mark.
    pub whole: bool,
}

impl Number {
    /// Whether it lies between 0 and 1.
    pub(super) fn in_range(&self) -> bool {
        (0.0..=1.0).contains(&self.value)
    }
}

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+").expect("constant"));
static PERCENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s{0,2}(?:%|per ?cent\b|prozent\b|por ciento\b|por cento\b|pour ?cent\b|per cento\b|процент\w*|パーセント|퍼센트)")
        .expect("constant")
});
static SLASH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s?/\s?(\d+(?:[.,]\d+)?)").expect("constant"));
static OUT_OF: LazyLock<Regex> = LazyLock::new(|| {
    let units = r"(?:\s*(?:points?|stars?|punkte?n?|puntos|分))?";
    Regex::new(&format!(r"(?i)^{units}\s*\(?(?:out of(?: a (?:possible|maximum|max)(?: of)?)?|(?:of|von|sur|de|su|em|av|van|из|z) (?:max\.? )?)\s*(\d+(?:[.,]\d+)?)\)?")).expect("constant")
});
/// `0.0 - 1.0`, `0 to 10`, `[0, 1]`: the bounds of a scale.
static BOUNDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?P<low>\b[01](?:[.,]0+)?)(?P<joint>\s*(?:-|–|—|~|\.{2,3}|…)\s*|\s+(?:to|and|bis|und|à|et|a|y|e|до|и|through)\s+|\s*(?:至|到|から)\s*)(?P<high>(?:100|10|20|1|5)(?:[.,]0+)?)(?P<after>[\d.,]*\d)?")
        .expect("constant")
});
static BRACKETS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\[(]\s*0(?:\.0+)?\s*[,;]\s*1(?:\.0+)?\s*[\])]").expect("constant"));
static SCALE_OF: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)(?:scale|skala|escala|échelle) (?:of|von|de|out of)\s+(100|10|20|5)\b").expect("constant"));

/// The numbers of a text.
#[derive(Debug)]
pub(super) struct Numbers {
    /// In the order of the text; bounds of a scale and parts of words, dates and lists left out.
    pub list: Vec<Number>,
    /// The bounds left out, as byte ranges.
    pub bounds: Vec<(usize, usize)>,
}

/// Finds the numbers of `text` (folded). A stated scale ("0 to 10") applies to whole numbers without one of their own.
pub(super) fn numbers(text: &str) -> Numbers {
    if NUMBER.find_iter(text).nth(MOST).is_some() {
        return Numbers { list: vec![], bounds: vec![] };
    }
    let (bounds, scale) = bounds(text);
    let mut list: Vec<Number> = vec![];
    for found in NUMBER.find_iter(text) {
        let inside = |range: &(usize, usize)| found.start() < range.1 && range.0 < found.end();
        if bounds.iter().any(inside) || list.last().is_some_and(|n| found.start() < n.end) {
            continue;
        }
        if let Some(number) = number(text, found.start(), found.end(), scale) {
            list.push(number);
        }
    }
    Numbers { list, bounds }
}

fn bounds(text: &str) -> (Vec<(usize, usize)>, Option<f64>) {
    let mut ranges: Vec<(usize, usize)> = BRACKETS.find_iter(text).map(|m| (m.start(), m.end())).collect();
    let mut scale = None;
    for found in BOUNDS.captures_iter(text) {
        let (Some(all), Some(low), Some(high)) = (found.get(0), found.name("low"), found.name("high")) else { continue };
        let glued = text[..all.start()].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '/' | '_'));
        let high = parse(high.as_str());
        if found.name("after").is_some() || glued || (high <= 1.0 && parse(low.as_str()) >= 1.0) {
            continue;
        }
        ranges.push((all.start(), all.end()));
        if high > 1.0 {
            scale = Some(high);
        }
    }
    for found in SCALE_OF.captures_iter(text) {
        if let Some(high) = found.get(1) {
            ranges.push((high.start(), high.end()));
            scale = Some(parse(high.as_str()));
        }
    }
    (ranges, scale)
}

fn parse(digits: &str) -> f64 {
    digits.replace(',', ".").parse().unwrap_or(f64::NAN)
}

/// A letter of a script that separates words: digits next to it are part of a word.
fn is_joined(c: char) -> bool {
    let spaceless = matches!(c, '\u{e00}'..='\u{eff}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    (c.is_alphabetic() && !spaceless) || c == '_'
}

fn number(text: &str, start: usize, end: usize, scale: Option<f64>) -> Option<Number> {
    let (before, after, digits) = (&text[..start], &text[end..], &text[start..end]);
    let previous = before.chars().next_back();
    let next = after.chars().next();
    if previous
        .is_some_and(|c| is_joined(c) || c.is_numeric() || matches!(c, '#' | '€' | '£' | '¥' | '№') || (c == '$' && next != Some('$')))
        || next.is_some_and(is_joined)
    {
        return None;
    }
    // Inside a chain: a version, a date, a time.
    let chained =
        |c: Option<char>, other: Option<char>| matches!(c, Some('.' | ',' | ':' | '/')) && other.is_some_and(|d| d.is_ascii_digit());
    if chained(previous, before.chars().rev().nth(1))
        || (matches!(next, Some('.' | ',' | ':')) && after.chars().nth(1).is_some_and(|d| d.is_ascii_digit()))
    {
        return None;
    }
    let exponent =
        before.strip_suffix(['-', '+']).and_then(|b| b.strip_suffix(['e', 'E'])).is_some_and(|b| b.ends_with(|c: char| c.is_ascii_digit()));
    if exponent {
        return None;
    }
    let whole = digits.bytes().all(|b| b.is_ascii_digit());
    if (whole && digits.len() > 1 && digits.starts_with('0')) || (whole && is_list_number(before, after)) {
        return None;
    }
    let grouped = digits.contains(',')
        && (digits.matches(',').count() > 1 || (digits.len() - digits.rfind(',').unwrap_or(0) == 4 && !digits.starts_with('0')));
    let mut value = if grouped { digits.replace(',', "").parse().ok()? } else { parse(digits) };
    let (mut end, mut scaled) = (end, false);
    if let Some(found) = PERCENT.find(after) {
        (value, end, scaled) = (value / 100.0, end + found.end(), true);
    } else if let Some((of, length)) = denominator(after)? {
        (value, end, scaled) = (if of > 0.0 { value / of } else { f64::NAN }, end + length, true);
    } else if let Some(high) = scale.filter(|_| whole || value > 1.0) {
        (value, scaled) = (value / high, true);
    }
    let mut start = start;
    if is_negative(before) {
        value = -value.abs();
        start -= before.chars().next_back().map_or(0, char::len_utf8);
        if value == 0.0 {
            value = 0.0;
        }
    }
    Some(Number { start, end, value, scaled, whole })
}

/// The scale after a number and its length in bytes; `None` in `Some` if there is none, `None` if this is a date (`8/7/2010`).
#[expect(clippy::option_option, reason = "no scale and no number are two things")]
fn denominator(after: &str) -> Option<Option<(f64, usize)>> {
    if let Some(found) = SLASH.captures(after) {
        let (all, of) = (found.get(0)?, found.get(1)?);
        if after[all.end()..].trim_start().starts_with('/') {
            return None;
        }
        return Some(Some((parse(of.as_str()), all.end())));
    }
    let Some(found) = OUT_OF.captures(after) else { return Some(None) };
    let (all, of) = (found.get(0)?, parse(found.get(1)?.as_str()));
    let certain = all.as_str().to_ascii_lowercase().contains("out of");
    Some((certain || [1.0, 5.0, 10.0, 20.0, 100.0].contains(&of)).then_some((of, all.end())))
}

fn is_negative(before: &str) -> bool {
    before
        .strip_suffix(['-', '–', '—'])
        .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '%' || c == ')'))
}

/// Whether a whole number opens a list item: `1. text`, `(2) text`, `3: text`, "Step 2".
fn is_list_number(before: &str, after: &str) -> bool {
    let line = tail(before, NEAR).rsplit('\n').next().unwrap_or_default();
    let opens = line.chars().all(|c| !c.is_alphanumeric() && c != '-' && c != '–');
    let item = after.strip_prefix(['.', ')', ']', '、']).or_else(|| after.strip_prefix("**.")).or_else(|| after.strip_prefix(".**"));
    let text_after = item.is_some_and(|rest| {
        rest.starts_with([' ', '\t', '*']) && rest.lines().next().is_some_and(|l| l.chars().take(NEAR).any(char::is_alphanumeric))
    });
    let word = line.trim_end().rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    let counted = [
        "step", "point", "edge", "fact", "item", "no", "number", "schritt", "punkt", "question", "rule", "triple", "option", "paso",
        "étape",
    ]
    .contains(&word.as_str());
    (opens && text_after) || (counted && line.trim_end().ends_with(char::is_alphabetic))
}
