//! What stands outside the reasoning, and where a leaked end token ends the reply.
//!
//! A block never counts. Only a closing tag: all before it was reasoning. Only an opening tag: all after it is.
//! An end token after some text ends the reply; before any text it is skipped.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The text outside the reasoning.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outside {
    /// The text.
    pub text: String,
    /// Whether the last block was never closed.
    pub unclosed: bool,
    /// Whether the end of `text` is the end of the completion.
    pub whole_tail: bool,
}

/// Reasoning tags in the spellings in use, and special tokens of chat templates.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let words = "think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflect(?:ion)?|scratchpad|monologue|cot|deliberation|plan(?:ning)?|rationale|ponder(?:ing)?|contemplation|brainstorm(?:ing)?|critique|explanation";
    let names = format!(r"(?:(?:antml|seed):|(?:inner|internal)[_ -]|chain[_-]of[_-])?(?:{words})(?:[_-][a-z]{{1,20}}){{0,2}}");
    let tag = format!(r"<\s*(?P<close>/)?\s*(?P<name>{names})(?:\s[^<>\n]{{0,100}})?(?P<empty>/)?\s*>");
    let square = r"\[(?P<sqclose>/)?(?P<sqname>THINK|THINKING|REASONING)\]";
    let white = r"◁(?P<whclose>/)?(?P<whname>think(?:ing)?)▷";
    let piped = r"<(?P<pre>/)?[|｜](?P<pipe>/|begin_of_|start_|end_of_|end_)?(?P<piname>thought|thinking|think|reasoning)[|｜]>";
    let odd = r"(?P<oddopen><\|channel>(?:thought)?|<unused94>(?:thought)?)|(?P<oddclose><channel\|>|<unused95>)";
    let token = r"(?P<token></s>|<s>|<eos>|<bos>|<pad>|<unk>|<(?:end|start)_of_turn>|<turn\|>|<\|turn>|\[EOS\]|\[/?INST\]|\[END\]|<END>|<<?/?SYS>?>|<[|｜][^<>|｜\n]{1,40}[|｜]>)";
    Regex::new(&format!("(?i){tag}|{square}|{white}|{piped}|{odd}|{token}")).expect("constant")
});

/// A role that follows a token which opens a turn.
static ROLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*(?:assistant|model|user|system)\b[ \t]*(?:\n|$)?").expect("constant"));

#[derive(Debug)]
enum Mark {
    Open(String),
    Close(String),
    Token,
    Nothing,
}

fn kind(found: &Captures<'_>) -> Mark {
    let name = |key: &str| found.name(key).map(|m| m.as_str().to_ascii_lowercase());
    if let Some(n) = name("name") {
        return match (found.name("close"), found.name("empty")) {
            (Some(_), _) => Mark::Close(n),
            (None, Some(_)) => Mark::Nothing,
            (None, None) => Mark::Open(n),
        };
    }
    for (n, close) in [("sqname", "sqclose"), ("whname", "whclose")] {
        if let Some(n) = name(n) {
            return if found.name(close).is_some() { Mark::Close(n) } else { Mark::Open(n) };
        }
    }
    if let Some(n) = name("piname") {
        let closes = found.name("pre").is_some() || name("pipe").is_some_and(|p| p == "/" || p.starts_with("end"));
        return if closes { Mark::Close(n) } else { Mark::Open(n) };
    }
    if found.name("oddopen").is_some() {
        return Mark::Open("channel".to_owned());
    }
    if found.name("oddclose").is_some() {
        return Mark::Close("channel".to_owned());
    }
    Mark::Token
}

/// `text` outside its reasoning, up to the first end token.
pub(super) fn outside(text: &str) -> Outside {
    if let Some(found) = channels(text) {
        return found;
    }
    let marks: Vec<(usize, usize, Mark)> = MARK
        .captures_iter(text)
        .map(|found| {
            let all = found.get(0).map_or(0..0, |m| m.range());
            (all.start, all.end, kind(&found))
        })
        .collect();
    let (mut out, mut at, mut i) = (String::new(), 0, 0);
    while let Some((start, end, mark)) = marks.get(i) {
        i += 1;
        if *start < at {
            continue;
        }
        out.push_str(&text[at..*start]);
        at = *end;
        match mark {
            Mark::Nothing => {}
            Mark::Close(_) => out.clear(),
            Mark::Token if out.trim().is_empty() => at += ROLE.find(&text[at..]).map_or(0, |m| m.end()),
            Mark::Token => return Outside { text: out, unclosed: false, whole_tail: false },
            Mark::Open(name) => match closing(&marks[i..], name) {
                Some(n) => {
                    i += n + 1;
                    at = marks[i - 1].1;
                }
                None => return Outside { text: out, unclosed: true, whole_tail: false },
            },
        }
    }
    out.push_str(&text[at..]);
    Outside { text: out, unclosed: false, whole_tail: true }
}

/// Where a block called `name` ends: its own closing tag, else any.
fn closing(marks: &[(usize, usize, Mark)], name: &str) -> Option<usize> {
    marks
        .iter()
        .position(|m| matches!(&m.2, Mark::Close(n) if n == name))
        .or_else(|| marks.iter().position(|m| matches!(m.2, Mark::Close(_))))
}

static CHANNEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:<\|start\|>\s*\w*\s*)?<\|channel\|>\s*(?P<name>\w+)(?:[^<>\n]{0,80}?(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>)?")
        .expect("constant")
});
static CHANNEL_END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<\|(?:end|return|start|call|channel|im_end|endoftext)\|>").expect("constant"));
/// The channels of a reply whose special tokens were dropped on the way.
static BARE_CHANNEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*analysis(?:[A-Z\p{Lo}]|\s*\n|.*assistantfinal)").expect("constant"));

/// Replies in channels (`analysis`, `commentary`, `final`): only the first `final` counts.
fn channels(text: &str) -> Option<Outside> {
    if let Some(first) = CHANNEL.find(text) {
        for found in CHANNEL.captures_iter(text) {
            if found.name("name").is_some_and(|n| n.as_str().starts_with("final")) {
                // The name may be glued to the text when `<|message|>` is missing: what follows `final` is the text.
                let from =
                    if found[0].ends_with("<|message|>") { found.get(0)?.end() } else { found.name("name")?.start() + "final".len() };
                let rest = &text[from..];
                let end = CHANNEL_END.find(rest);
                let body = end.map_or(rest, |m| &rest[..m.start()]);
                return Some(Outside { text: body.to_owned(), unclosed: false, whole_tail: end.is_none() });
            }
        }
        let before = CHANNEL_END.split(&text[..first.start()]).next().unwrap_or_default();
        return Some(Outside { text: before.to_owned(), unclosed: true, whole_tail: false });
    }
    if !BARE_CHANNEL.is_match(text) {
        return None;
    }
    Some(match text.split_once("assistantfinal") {
        Some((_, answer)) => Outside { text: answer.to_owned(), unclosed: false, whole_tail: true },
        None => Outside { text: String::new(), unclosed: true, whole_tail: false },
    })
}
