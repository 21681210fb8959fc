//! What a KG or a model says is data: this is the one place where it is made safe to print.
//!
//! Everything that goes to a terminal, a plain output or an error message passes through [`clean`]
//! (or [`one_line`]); the journal keeps the original, JSON-escaped.

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Whether a terminal could take `c` as a command, or could be made to show text in another order by it.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    matches!(c, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// `text` without control characters, line feeds kept: a tab becomes four blanks, the rest goes.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c != '\n' && is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            c if is_unsafe(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// `text` cleaned and on one line: every run of white space becomes one blank.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !out.ends_with(' ') && !out.is_empty() {
                out.push(' ');
            }
        } else if !is_unsafe(c) {
            out.push(c);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// `text` cleaned and on one line, every other blank kept: for pieces of a line that are put side by side.
#[must_use]
pub fn one_line_keeping_ends(text: &str) -> Cow<'_, str> {
    match clean(text) {
        Cow::Borrowed(whole) if !whole.contains('\n') => Cow::Borrowed(whole),
        cleaned => Cow::Owned(cleaned.replace('\n', " ")),
    }
}

/// Columns that `text` takes in a terminal.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` cut between grapheme clusters to at most `columns`, with `…` where something is missing.
#[must_use]
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let (mut out, mut used) = (String::new(), 0);
    for cluster in text.graphemes(true) {
        let w = cluster.width();
        if used + w > columns - 1 {
            break;
        }
        out.push_str(cluster);
        used += w;
    }
    out.push('…');
    Cow::Owned(out)
}

/// `text` as a JSON (and so YAML) double-quoted scalar: how text from outside stands in a prompt.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 || ('\x7f'..='\u{9f}').contains(&c) || ('\u{2028}'..='\u{2029}').contains(&c) || c == '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// JSON with every character escaped inside its strings that a terminal could take as a command. Line feeds, which
/// serialised JSON has only between its values, stay.
#[must_use]
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let hostile = |c: char| c != '\n' && is_unsafe(c);
    if !json.contains(hostile) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if hostile(c) {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// `n` with commas: `982,437`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn no_control_character_survives() {
        let hostile = "Harbour\u{1b}]52;c;Zm9v\u{7} Town\u{9b}2J\u{1b}[6n\r\n\tx\0\u{202e}";
        assert_eq!(clean(hostile), "Harbour]52;c;Zm9v Town2J[6n\n    x");
        assert_eq!(one_line(hostile), "Harbour]52;c;Zm9v Town2J[6n x");
    }

    #[test]
    fn printable_json_says_the_same() {
        let value = serde_json::json!({"label": "a\u{9b}2J\u{1b}[6n\u{202e}\u{e0041}\n é 再"});
        let json = serde_json::to_string_pretty(&value).unwrap();
        let shown = printable_json(&json);
        assert!(!shown.contains(|c| c != '\n' && is_unsafe(c)), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn cuts_between_clusters() {
        assert_eq!(cut("가나다", 6), "가나다");
        assert_eq!(cut("가나다라", 6), "가나…");
        assert_eq!(cut("e\u{301}te\u{301}s", 3), "e\u{301}t…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn quoting_round_trips_through_yaml() {
        for text in ["plain", "a\nANSWER: b", "- x: {y}", "\u{1b}[31m \u{2028} \"q\" \\ #"] {
            let back: String = serde_yaml::from_str(&quoted(text)).unwrap();
            assert_eq!(back, text);
        }
    }
}
