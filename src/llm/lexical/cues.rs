//! The words of a question that a walk has to account for.

use super::lexicon::{is_asking, is_asking_form};
use super::names::spans;
use super::question::{Cue, Topic};
use super::words::{Token, is_auxiliary, is_kind, is_small, is_weak_verb, stem};
use std::ops::Range;

/// Kinship words as the steps they stand for, nearest first.
const KIN: &[(&str, &[&str])] = &[
    ("grandmother", &["parent", "mother"]),
    ("grandma", &["parent", "mother"]),
    ("grandfather", &["parent", "father"]),
    ("grandpa", &["parent", "father"]),
    ("grandparent", &["parent", "parent"]),
    ("grandparents", &["parent", "parent"]),
    ("great-grandmother", &["parent", "parent", "mother"]),
    ("great-grandfather", &["parent", "parent", "father"]),
    ("grandchild", &["child", "child"]),
    ("grandchildren", &["child", "child"]),
    ("grandson", &["child", "child"]),
    ("granddaughter", &["child", "child"]),
    ("mother-in-law", &["spouse", "mother"]),
    ("father-in-law", &["spouse", "father"]),
    ("brother-in-law", &["spouse", "sibling"]),
    ("sister-in-law", &["spouse", "sibling"]),
    ("son-in-law", &["child", "spouse"]),
    ("daughter-in-law", &["child", "spouse"]),
    ("uncle", &["parent", "sibling"]),
    ("aunt", &["parent", "sibling"]),
    ("nephew", &["sibling", "child"]),
    ("niece", &["sibling", "child"]),
    ("cousin", &["parent", "sibling", "child"]),
    ("stepmother", &["father", "spouse"]),
    ("stepfather", &["mother", "spouse"]),
];

/// How much a word counts that names a kind of thing and asks for no relation.
const VAGUE: f32 = 0.4;
/// How much a name counts that the graph lacks.
const LACKING_NAME: f32 = 0.6;

impl Cue {
    /// A word that counts fully.
    fn word(token: usize, form: &str) -> Self {
        Self { token, stem: stem(form), form: form.to_owned(), weight: 1.0, is_name: false, step: 0 }
    }
}

/// The cues of a question, in the order of its words.
pub(super) fn cues(tokens: &[Token], topics: &[Topic]) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut side: Option<&str> = None;
    let has_capitals = tokens.iter().skip(1).any(|t| t.capital);
    let names: Vec<Range<usize>> = if has_capitals { spans(tokens) } else { vec![] };
    let in_topic = |i: usize| topics.iter().any(|t| t.span.contains(&i));
    let mut i = 0;
    while i < tokens.len() {
        let token = &tokens[i];
        let name = names.iter().find(|s| s.start == i && token.capital && (s.start..s.end).all(|j| !in_topic(j)));
        if in_topic(i) {
            // "which prime ministers of X": a name that is a kind of people asks for those who hold it.
            let office = topics.iter().any(|t| t.span.start == i) && i > 0 && has_capitals && !token.capital && !token.is_number();
            cues.extend(office.then(|| Cue::word(i, "position")));
        } else if let Some(name) = name.filter(|name| !is_common(&tokens[(*name).clone()])) {
            let words: Vec<&str> = tokens[name.clone()].iter().filter(|t| t.is_word()).map(|t| t.lower.as_str()).collect();
            if !words.iter().all(|w| is_small(w)) {
                cues.push(Cue { stem: words.join(" "), weight: LACKING_NAME, is_name: true, ..Cue::word(i, "") });
            }
            i = name.end;
            continue;
        } else {
            match token.lower.as_str() {
                "maternal" => side = Some("mother"),
                "paternal" => side = Some("father"),
                lower => cues.extend(word_cues(tokens, i, lower, &mut side)),
            }
        }
        i += 1;
    }
    without_relative_where(tokens, cues)
}

/// "the Director of ...": a common noun in spite of its capital.
fn is_common(name: &[Token]) -> bool {
    matches!(name, [word] if (is_asking_form(&word.lower) || is_kind(&word.lower)) && !is_small(&word.lower))
}

/// The cues that a word stands for: none, one, or the steps of a kinship. `side` = a "maternal" or "paternal" before it.
fn word_cues(tokens: &[Token], i: usize, lower: &str, side: &mut Option<&str>) -> Vec<Cue> {
    if let Some((_, steps)) = KIN.iter().find(|(word, _)| *word == lower) {
        let mut sided = |n: usize, step| if n == 0 && step == "parent" { side.take().unwrap_or(step) } else { step };
        return steps.iter().enumerate().map(|(n, &step)| Cue { step: n, ..Cue::word(i, sided(n, step)) }).collect();
    }
    let next = tokens.get(i + 1).map_or("", |t| t.lower.as_str());
    if matches!((lower, next), ("named" | "called", "after" | "for")) {
        return vec![Cue::word(i, "namesake")];
    }
    if lower == "of" && i > 0 && tokens[i - 1].stem == "die" {
        return vec![Cue::word(i, "cause")];
    }
    // "how did", but not "how many" or "how high".
    let asks_place_or_time = matches!(lower, "where" | "when") || lower == "how" && is_auxiliary(next);
    if !asks_place_or_time && (!tokens[i].is_word() || is_small(lower) || is_anaphor(tokens, i)) {
        return vec![];
    }
    let vague = !asks_place_or_time && (!is_asking(&tokens[i].stem) && is_kind(lower) || is_weak_verb(&tokens[i].stem));
    vec![Cue { weight: if vague { VAGUE } else { 1.0 }, ..Cue::word(i, lower) }]
}

/// "that country": only points back.
fn is_anaphor(tokens: &[Token], i: usize) -> bool {
    i > 0
        && matches!(tokens[i - 1].lower.as_str(), "that" | "this" | "these" | "those")
        && tokens.get(i + 1).is_some_and(|t| t.lower == "'s")
}

/// "the place where ...", "the year when ...": the pronoun asks for nothing more.
fn without_relative_where(tokens: &[Token], mut cues: Vec<Cue>) -> Vec<Cue> {
    let asks = |c: &Cue| {
        !matches!(tokens[c.token].lower.as_str(), "where" | "when")
            || c.token == 0
            || !tokens[c.token - 1].is_word()
            || tokens[c.token - 1].lower == "and"
    };
    cues.retain(asks);
    cues
}
