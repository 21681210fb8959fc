//! The menu of the prompt sent back: what is offered is not what is chosen.

use super::clean::fold;
use super::keywords::{self, Keyword};
use regex::Regex;
use std::sync::LazyLock;

/// `<your thought>`, `[your answer]`, `{answer}`, `your answer here`, `...`
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    let slot = r"(?:\p{L}+[ _-]){0,4}(?:your|thoughts?|answers?|reasons?|reasoning|text|here|placeholder|entity|entities|step)(?:[ _-]\p{L}+){0,6}";
    let plain = r"(?:your|insert|the) (?:(?:next|own|final|short|new) )?(?:thought|answer|reason|reasoning|text)(?: (?:goes )?here)?";
    Regex::new(&format!(r"(?i)^(?:<{slot}>|\[{slot}\]|\{{+{slot}\}}+|\({slot}\)$|{plain}\s*[.…]*$|(?:\.{{3}}|…)\s*$)")).expect("constant")
});
static SEGMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\s*(?:/|\||\bor\b|,|\)\s*\()\s*").expect("constant"));
static BARE_WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[^\p{L}\p{N}]*(THINK|EXPAND(?:_KG)?|ANSWER)[^\p{L}\p{N}]*$").expect("constant"));
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:options?|choose|available|possible|following|one of|actions? (?:are|is)|can either)\b[^\n]*[:：]\s*$")
        .expect("constant")
});

/// Whether `text` begins with a slot that was to be filled in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '"'));
    PLACEHOLDER.is_match(&fold(text))
}

/// For each line, whether it is part of a menu.
pub(super) fn lines(rows: &[String]) -> Vec<bool> {
    let hits: Vec<_> = rows.iter().map(|row| keywords::at_start(row)).collect();
    let mut menu: Vec<bool> = rows.iter().map(|row| is_one_line_menu(row)).collect();
    let follows = |i: usize| (i + 1..rows.len()).find(|j| !rows[*j].trim().is_empty());
    let mut hollow = vec![];
    let mut slots = false;
    for (i, hit) in hits.iter().enumerate() {
        let Some(hit) = hit else { continue };
        if is_placeholder(hit.rest) {
            slots = true;
            menu[i] = true;
        } else if hit.rest.trim().is_empty() && follows(i).is_none_or(|j| hits[j].is_some()) {
            hollow.push((i, hit.keyword));
        }
    }
    if slots || hollow.iter().any(|(_, keyword)| *keyword != hollow[0].1) {
        for (i, _) in &hollow {
            menu[*i] = true;
        }
    }
    headed(rows, &hits, &mut menu);
    menu
}

/// All three keywords right after a line such as "You can choose one of:".
fn headed(rows: &[String], hits: &[Option<keywords::Hit<'_>>], menu: &mut [bool]) {
    let filled: Vec<usize> = (0..rows.len()).filter(|i| !rows[*i].trim().is_empty()).collect();
    for four in filled.windows(4) {
        let names: Vec<Keyword> = four[1..].iter().filter_map(|i| hits[*i].map(|h| h.keyword)).collect();
        let all = [Keyword::Think, Keyword::Expand, Keyword::Answer].iter().all(|k| names.contains(k));
        if all && HEADER.is_match(&rows[four[0]]) {
            for i in &four[1..] {
                menu[*i] = true;
            }
        }
    }
}

/// `THINK: <your thought> / EXPAND / ANSWER: <your answer>`, `THINK, EXPAND or ANSWER`, and prose that names all three with colons.
fn is_one_line_menu(row: &str) -> bool {
    if keywords::at_start(row).is_none() && names_all(row) {
        return true;
    }
    let (mut kinds, mut real): (Vec<Keyword>, bool) = (vec![], false);
    let segments: Vec<&str> = SEGMENT.split(row).collect();
    for segment in &segments {
        let Some(hit) = keywords::at_start(segment) else { continue };
        if !kinds.contains(&hit.keyword) {
            kinds.push(hit.keyword);
        }
        real |= !hit.bare && !hit.rest.trim().is_empty() && !is_placeholder(hit.rest);
    }
    let slashed = row.contains([' ', '|']) && (row.contains(" / ") || row.contains(['|', '(']));
    let bare_only = segments.iter().filter(|s| BARE_WORD.is_match(&fold(s))).count() >= 2 && !real;
    (kinds.len() == 3 && slashed) || (kinds.len() >= 2 && !real) || bare_only
}

fn names_all(row: &str) -> bool {
    let (mut rest, mut kinds) = (row, vec![]);
    for _ in 0..keywords::A_LINE {
        let Some(hit) = keywords::in_middle(rest) else { break };
        if !kinds.contains(&hit.keyword) {
            kinds.push(hit.keyword);
        }
        rest = hit.rest;
    }
    kinds.len() == 3
}
