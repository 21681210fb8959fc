//! The text of an answer and the single answers in it.

use super::marks::{item, tidy, unquoted};
use super::menu::is_placeholder;
use crate::asm::Action;
use indexmap::IndexSet;
use regex::Regex;
use std::sync::LazyLock;

/// The words that join the last item of a list.
static AND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\s+(?:and|und|et|y|e|och|og|en|ja|i|и|&)\s+").expect("constant"));
/// `"a", "b"`: each item in quotes of its own.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"^\s*["“][^"“”]*["”](?:\s*,\s*["“][^"“”]*["”])+\s*$"#).expect("constant"));
static LEADING_AND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)^(?:and|und|et|y|e|och|og|en|ja|i|и|&)\s+").expect("constant"));

/// The answer in `lines`: the rest of the label's line, or what stands below it. `None` if it is empty or a slot of the menu.
pub(super) fn answer(lines: &[String], known: &dyn Fn(&str) -> bool) -> Option<Action> {
    let bulleted: Vec<String> = lines.iter().filter_map(|line| item(line)).map(tidy).filter(|t| says_something(t)).collect();
    if lines.len() > 1 && !bulleted.is_empty() {
        let items = distinct(bulleted);
        return Some(Action::Answer { text: items.join(", "), items });
    }
    let joined = lines.join(" ");
    let text = tidy(without_bullet(&joined));
    if !says_something(&text) || is_placeholder(joined.trim()) || is_placeholder(&text) {
        return None;
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'))
        && !inner.contains(['[', ']'])
        && !known(&text)
    {
        let items = distinct(bracketed(inner, known));
        return if items.is_empty() { None } else { Some(Action::Answer { text: items.join(", "), items }) };
    }
    let items = distinct(split(&text, known));
    Some(Action::Answer { text, items })
}

/// An answer given as a list.
pub(super) fn listed(items: Vec<String>) -> Option<Action> {
    let items = distinct(items.iter().map(|i| tidy(i)).filter(|t| says_something(t) && !is_placeholder(t)).collect());
    if items.is_empty() { None } else { Some(Action::Answer { text: items.join(", "), items }) }
}

/// Whether more than punctuation is there.
pub(super) fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_ascii_punctuation() && !matches!(c, '…' | '–' | '—' | '：' | '。' | '、'))
        || (!text.is_empty() && text.chars().all(|c| matches!(c, '+' | '=' | '#' | '$' | '%' | '&' | '@')))
}

fn without_bullet(text: &str) -> &str {
    let text = text.trim();
    ["- ", "* ", "+ ", "• ", "– ", "— "].iter().find_map(|bullet| text.strip_prefix(bullet)).unwrap_or(text)
}

fn distinct(items: Vec<String>) -> Vec<String> {
    let items: IndexSet<String> = items.into_iter().filter(|item| !item.is_empty()).collect();
    items.into_iter().collect()
}

/// The items of `[a, b]`, quoted or not.
fn bracketed(inner: &str, known: &dyn Fn(&str) -> bool) -> Vec<String> {
    if let Ok(items) = serde_json::from_str::<Vec<serde_json::Value>>(&format!("[{inner}]")) {
        return items.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), tidy)).collect();
    }
    let mark = if inner.contains([';', '；']) { [';', '；'] } else { [',', '，'] };
    rejoined(&pieces(inner, &mark), known)
}

/// The single answers in `text`; `text` itself if it is no list for certain.
fn split(text: &str, known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let whole = || vec![text.to_owned()];
    if known(text) {
        return whole();
    }
    for marks in [&['|', '｜'][..], &[';', '；'], &['、']] {
        if text.contains(marks) {
            let parts = pieces(text, marks);
            return if parts.len() > 1 { parts } else { whole() };
        }
    }
    let commas = pieces(text, &[',', '，']);
    if commas.len() > 1 {
        if QUOTED.is_match(text) {
            return bracketed(text, known);
        }
        let mut parts = last_joined(rejoined(&commas, known), known);
        if parts.len() < 2 || !is_list(text, &parts, known) {
            return whole();
        }
        if let Some(last) = parts.last_mut().filter(|last| last.chars().count() > 3 && last.ends_with('.')) {
            last.pop();
        }
        return parts;
    }
    let halves: Vec<String> = AND.splitn(text, 2).map(tidy).collect();
    if halves.len() == 2 && halves.iter().all(|half| known(half)) { halves } else { whole() }
}

fn pieces(text: &str, marks: &[char]) -> Vec<String> {
    // A comma between digits belongs to a number.
    let bytes = text.as_bytes();
    let (mut out, mut from) = (vec![], 0);
    for (at, mark) in text.match_indices(marks) {
        let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
        if mark == "," && digit(at.checked_sub(1)) && digit(Some(at + 1)) {
            continue;
        }
        out.push(&text[from..at]);
        from = at + mark.len();
    }
    out.push(&text[from..]);
    out.into_iter().map(|piece| tidy(unquoted(piece))).filter(|piece| says_something(piece)).collect()
}

/// Neighbouring pieces that are one known label ("Paris, Texas") put together again; at most three at a time.
fn rejoined(parts: &[String], known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let (mut out, mut i) = (vec![], 0);
    while i < parts.len() {
        let longest = (2..=3).rev().filter(|n| i + n <= parts.len()).find_map(|n| {
            let label = parts[i..i + n].join(", ");
            known(&label).then_some((n, label))
        });
        let (n, label) = longest.unwrap_or_else(|| (1, parts[i].clone()));
        out.push(label);
        i += n;
    }
    out
}

/// `[.., "B and C"]` or `[.., "and C"]` with the joining word taken out.
fn last_joined(mut parts: Vec<String>, known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let Some(last) = parts.pop() else { return parts };
    if known(&last) {
        parts.push(last);
        return parts;
    }
    let rest = LEADING_AND.replace(&last, "").into_owned();
    if rest == last {
        parts.extend(AND.splitn(&last, 2).map(tidy));
    } else {
        parts.push(rest);
    }
    parts
}

/// Whether `parts` of a text with commas are a list, and not a place ("Reno, Nevada"), a date or a sentence: each is known,
/// or there are three or more short ones, alike in how they begin.
fn is_list(text: &str, parts: &[String], known: &dyn Fn(&str) -> bool) -> bool {
    if parts.iter().all(|part| known(part)) {
        return true;
    }
    let short = parts.iter().all(|p| p.chars().count() <= 40 && p.split(' ').count() <= 5);
    let digits = parts.iter().filter(|p| p.chars().all(|c| c.is_ascii_digit())).count();
    let lower = parts.iter().filter(|p| p.starts_with(char::is_lowercase)).count();
    let alike = (digits == 0 || digits == parts.len()) && (lower == 0 || (lower == parts.len() && parts.iter().all(|p| !p.contains(' '))));
    let ends_as_sentence = text.ends_with(['.', '!', '?']) && parts.last().is_some_and(|p| p.split(' ').count() > 3);
    parts.len() >= 3 && short && alike && !ends_as_sentence && !text.contains(". ")
}
