//! Markdown, quotes, bullets and list numbers: marks round a text that are no part of it.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A bullet, or a list number with text after it.
static BULLET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:[-*+•·‣◦▪●○–—→]\s+|(?:\(?\d{1,3}[.)、．）]|\[\d{1,3}\])\s+|[•·‣◦▪●])").expect("constant"));
static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[([^\[\]\n]+)\]\([^()\s]*\)").expect("constant"));
/// Markdown's own marks, escaped by a model that writes for a Markdown viewer.
static ESCAPED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\([*_`#\[\]])").expect("constant"));
static WIKI_LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]").expect("constant"));
static BOXED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$*\\boxed\s*\{\s*(?:\\text\s*\{([^{}]*)\}|([^{}]*))\s*\}\$*").expect("constant"));

/// The last `letters` characters of `text`.
pub(super) fn tail(text: &str, letters: usize) -> &str {
    let from = text.char_indices().rev().nth(letters.saturating_sub(1)).map_or(0, |(i, _)| i);
    &text[from..]
}

/// `line` from its first letter, digit or `<` on.
pub(super) fn lead(line: &str) -> &str {
    let line = BULLET.find(line).map_or(line, |m| &line[m.end()..]);
    line.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '<')
}

/// The item of a list line; `None` if it has no bullet and no list number.
pub(super) fn item(line: &str) -> Option<&str> {
    BULLET.find(line).map(|m| line[m.end()..].trim())
}

/// `text` without emphasis and code marks, links as their text. Marks inside a word (`M*A*S*H`, `a_b`) and a mark without
/// partner (`Sagittarius A*`) stay.
pub(super) fn unmarked(text: &str) -> String {
    let text = ESCAPED.replace_all(text, "$1");
    let text = BOXED.replace_all(&text, "${1}${2}");
    let text = WIKI_LINK.replace_all(&text, "$1");
    let text = LINK.replace_all(&text, "$1");
    if !text.contains(['*', '_', '`']) {
        return text.into_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let mut dropped = vec![false; chars.len()];
    for mark in ['*', '_', '`'] {
        pair(&chars, mark, &mut dropped);
    }
    chars.iter().zip(&dropped).filter(|(_, gone)| !**gone).map(|(c, _)| *c).collect()
}

/// Marks the runs of `mark` that pair up, and stray double asterisks and backticks.
fn pair(chars: &[char], mark: char, dropped: &mut [bool]) {
    let (mut open, mut i): (Option<(usize, usize)>, usize) = (None, 0);
    while i < chars.len() {
        if chars[i] != mark {
            i += 1;
            continue;
        }
        let start = i;
        while i < chars.len() && chars[i] == mark {
            i += 1;
        }
        let length = i - start;
        let before = start.checked_sub(1).map(|j| chars[j]);
        let after = chars.get(i).copied();
        let strong = mark == '`' || (mark == '*' && length > 1);
        let in_word = before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
        let closes = before.is_some_and(|c| !c.is_whitespace()) && (strong || !after.is_some_and(char::is_alphanumeric));
        let opens = after.is_some_and(|c| !c.is_whitespace()) && (strong || !before.is_some_and(char::is_alphanumeric));
        match open {
            Some((from, len)) if len == length && closes => {
                dropped[from..from + len].fill(true);
                dropped[start..i].fill(true);
                open = None;
            }
            _ if opens => open = Some((start, length)),
            _ => {}
        }
        if strong && !in_word {
            dropped[start..i].fill(true);
        }
    }
}

/// So many layers of quotes, and of marks and quotes in turns, are taken off: who reads a text that is wrapped a thousand
/// times layer by layer, reads it a thousand times.
const LAYERS: usize = 8;

const QUOTES: [(char, char); 12] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('‘', '’'),
    ('«', '»'),
    ('»', '«'),
    ('‹', '›'),
    ('「', '」'),
    ('『', '』'),
    ('<', '>'),
];

/// `text` without the quotes round the whole of it, and without a quote or bracket at its end that nothing opened.
pub(super) fn unquoted(text: &str) -> &str {
    let mut text = text.trim();
    for _ in 0..LAYERS {
        let next = unquoted_once(text).trim();
        if next.len() == text.len() {
            break;
        }
        text = next;
    }
    text
}

fn unquoted_once(text: &str) -> &str {
    for (open, close) in QUOTES {
        if let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
            && !has_free(inner, open)
            && !has_free(inner, close)
        {
            return inner;
        }
    }
    if text.matches('"').count() == 1 {
        if let Some(rest) = text.strip_prefix('"') {
            return rest;
        }
        if let Some(rest) = text.strip_suffix('"')
            && !rest.ends_with(|c: char| c.is_ascii_digit())
        {
            return rest;
        }
    }
    for (open, close) in [('“', '”'), ('«', '»'), ('「', '」'), ('『', '』'), ('[', ']'), ('(', ')'), ('{', '}'), ('<', '>')] {
        if text.ends_with(close) && !text.contains(open) {
            return text.trim_end_matches(close);
        }
        if matches!(open, '“' | '«' | '「' | '『')
            && !text.contains(close)
            && let Some(rest) = text.strip_prefix(open)
        {
            return rest;
        }
    }
    text
}

/// `rest` without the quote at its end that closes one opened at the end of `before`, as in `"ANSWER: 42"`.
pub(super) fn without_closing_quote<'a>(before: &str, rest: &'a str) -> &'a str {
    let opened = before.trim_end_matches(['*', '_', '`', ' ']).chars().next_back();
    let closed_by = |(open, close): &(char, char)| {
        let inner = rest.trim_end().strip_suffix(*close).filter(|_| opened == Some(*open))?;
        (!has_free(inner, *open) && !has_free(inner, *close)).then_some(inner)
    };
    QUOTES.iter().find_map(closed_by).unwrap_or(rest)
}

/// Whether `quote` occurs in `text` other than inside a word, as an apostrophe does.
fn has_free(text: &str, quote: char) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars.iter().enumerate().any(|(i, c)| {
        let word = |j: Option<usize>| j.and_then(|j| chars.get(j)).is_some_and(|c| c.is_alphanumeric());
        *c == quote && !(word(i.checked_sub(1)) && word(Some(i + 1)))
    })
}

/// `text` as it is kept: marks and quotes round it removed, white space folded. Two texts that differ only in these are equal.
pub(super) fn tidy(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut now = folded.trim_matches(['|', ' ']).to_owned();
    for _ in 0..LAYERS {
        let next = unquoted(&unmarked(&now)).to_owned();
        if next == now {
            break;
        }
        now = next;
    }
    // A mark that was taken off may leave white space behind.
    now.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` without the fence lines of code blocks.
pub(super) fn unfenced(text: &str) -> Cow<'_, str> {
    if !text.contains("```") && !text.contains("~~~") {
        return Cow::Borrowed(text);
    }
    let is_fence = |row: &str| {
        let row = row.trim();
        (row.starts_with("```") || row.starts_with("~~~")) && !row[3..].contains([' ', ':', '`']) && row.len() < 20
    };
    Cow::Owned(text.split_inclusive('\n').filter(|row| !is_fence(row)).collect())
}
