//! What of a completion was meant to be read: without invisible characters, reasoning, leaked tokens and wrappers.

use super::refusal::REFUSES;
use super::{Unusable, reasoning};
use crate::calls::{Sample, Withheld};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Why a reply without anything in it is of no use.
pub(super) const EMPTY: &str = "the reply is empty";

/// A completion made ready for reading.
#[derive(Debug)]
pub(super) struct Cleaned {
    /// The text; may be blank.
    pub text: String,
    /// Whether the token limit cut the reply and `text` runs up to that cut.
    pub cut: bool,
    /// Whether a reasoning block was opened and never closed.
    pub unclosed: bool,
}

/// Readies `sample`. With `answer_tag`, `<answer>x</answer>` is read as `ANSWER: x`; else that tag is only a wrapper.
///
/// # Errors
/// If the reply was taken away (see [`Sample::withheld`]), if there is no text, or nothing but an unfinished reasoning.
pub(super) fn clean(sample: &Sample, answer_tag: bool) -> Result<Cleaned, Unusable> {
    match sample.withheld() {
        Some(Withheld::Filtered) => return Err(Unusable::Unreadable("the service's content filter took the reply")),
        Some(Withheld::Refused) => return Err(Unusable::Unreadable(REFUSES)),
        Some(Withheld::BrokenOff) => return Err(Unusable::Unreadable("the service broke the reply off")),
        None => {}
    }
    let raw = sample.text.as_deref().ok_or(Unusable::Unreadable("the service sent no text"))?;
    let visible = visible(raw);
    let outside = reasoning::outside(&visible);
    if outside.unclosed && outside.text.trim().is_empty() {
        return Err(Unusable::Unreadable("the reply ends inside its reasoning"));
    }
    let cut = outside.whole_tail && sample.is_cut();
    let text = unwrapped(&outside.text, answer_tag);
    if text.trim().is_empty() && !outside.unclosed {
        return Err(Unusable::Unreadable(if cut { "the reply is empty: the token limit was met first" } else { EMPTY }));
    }
    Ok(Cleaned { text, cut, unclosed: outside.unclosed })
}

/// `raw` with line feeds as the only control characters and without invisible ones. A joiner stays between two
/// non-ASCII characters, where scripts and emoji need it.
fn visible(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push(' '),
            '\u{200c}' | '\u{200d}' => {
                if out.chars().next_back().is_some_and(|p| !p.is_ascii()) && chars.peek().is_some_and(|n| !n.is_ascii()) {
                    out.push(c);
                }
            }
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Characters that take no room and carry no meaning of their own.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// Tags that wrap the whole of a reply or its value.
static WRAPPER: LazyLock<Regex> = LazyLock::new(|| {
    let names = "answer|final[_ ]?answer|final|response|output|result|solution|reply|action|tool_call|entities|entity|relation|property|score|rating|think|expand|p|br|div|li|ul|ol|h[1-6]|b|i|u|em|strong|code|span";
    Regex::new(&format!(r"(?i)<(/?)({names})\s*/?>")).expect("constant")
});

/// A special token of which only the beginning came.
static HALF_TOKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<[|｜][A-Za-z_▁ ]{0,30}[|｜]?\s*$").expect("constant"));

/// `text` without wrapper tags: `<score>` and an upper-case `<ANSWER>` become the label they stand for.
fn unwrapped(text: &str, answer_tag: bool) -> String {
    let text = HALF_TOKEN.replace(text, "");
    WRAPPER
        .replace_all(&text, |tag: &Captures<'_>| {
            let (closing, name) = (&tag[1] == "/", &tag[2]);
            let lower = name.to_ascii_lowercase();
            match (closing, lower.as_str()) {
                (_, "b" | "i" | "u" | "em" | "strong" | "code" | "span") => "",
                (false, "br") => "\n",
                (true, _) => "\n",
                (false, "score" | "rating") => "score: ",
                (false, "expand") if name == "EXPAND" => "EXPAND: ",
                (false, "answer") if name == "ANSWER" => "ANSWER: ",
                (false, "answer" | "final_answer" | "final answer" | "finalanswer") if answer_tag => "\nANSWER: ",
                _ => "",
            }
        })
        .into_owned()
}

/// `c` as the ASCII character it stands for: full-width forms, look-alike colons and tildes, digits of other scripts.
/// One character stays one character.
pub(super) fn fold_char(c: char) -> char {
    match c {
        _ if c.is_ascii() => c,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' | '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
        '\u{fe55}' | '\u{a789}' | '\u{2d0}' | '\u{2236}' | '\u{fe13}' | '\u{fe30}' | '\u{a4fd}' | '\u{589}' => ':',
        '\u{2dc}' | '\u{223c}' | '\u{223d}' | '\u{301c}' | '\u{2053}' | '\u{2f7}' | '\u{223f}' | '\u{3030}' => '~',
        '\u{2010}' | '\u{2011}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{66b}' => '.',
        '\u{66a}' | '\u{fe6a}' => '%',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{660}'..='\u{669}' => digit(c, 0x660),
        '\u{6f0}'..='\u{6f9}' => digit(c, 0x6f0),
        '\u{966}'..='\u{96f}' => digit(c, 0x966),
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((c as u32 - 0x1d7ce) % 10, 10).unwrap_or(c),
        _ => c,
    }
}

fn digit(c: char, zero: u32) -> char {
    char::from_digit(c as u32 - zero, 10).unwrap_or(c)
}

/// `text` with every character folded.
pub(super) fn fold(text: &str) -> String {
    text.chars().map(fold_char).collect()
}

/// The byte offset in `original` that belongs to byte `at` of its folded form.
pub(super) fn unfolded(original: &str, folded: &str, at: usize) -> usize {
    let count = folded[..at].chars().count();
    original.char_indices().nth(count).map_or(original.len(), |(i, _)| i)
}
