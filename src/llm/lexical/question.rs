//! Taking a question apart: which of its words ask for something, and in which order from each name outwards.

use super::lexicon::{is_asking, is_asking_form};
use super::names::spans;
use super::seen::Known;
use super::words::{Token, content_stems, is_auxiliary, is_kind, is_small, is_wh, name_key, stem, tokens as tokens_of};
use std::ops::Range;

/// A word that a walk has to account for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cue {
    /// The token it stands for.
    pub token: usize,
    /// What has to be matched; a name that the graph lacks is one cue, as written.
    pub stem: String,
    /// The word as written, or what a word like "grandmother" stands for.
    pub form: String,
    /// How much it counts when nothing accounts for it.
    pub weight: f32,
    /// Whether it is a name.
    pub is_name: bool,
    /// Its place among the steps that one word stands for ("grandmother"): a hop takes one.
    pub step: usize,
}

/// A name of the question that the graph knows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Topic {
    pub id: String,
    /// Its tokens.
    pub span: Range<usize>,
    /// Every cue, the one to be followed first in front.
    pub order: Vec<usize>,
    /// How many of `order` belong to this name more than to another.
    pub own: usize,
    /// Cues that the topic accounts for itself: "the film", "1997".
    pub told: Vec<usize>,
}

/// A question, taken apart as far as the graph knows its names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub tokens: Vec<Token>,
    pub cues: Vec<Cue>,
    pub topics: Vec<Topic>,
    /// "both A and B": an answer has to do with every topic.
    pub all_topics: bool,
    /// "how many": the answer is a number.
    pub counts: bool,
    /// "who", "where": the answer is no number, date or text.
    pub wants_thing: bool,
}

impl Question {
    /// Takes `text` apart.
    pub fn new(text: &str, graph: &Known) -> Self {
        let tokens = tokens_of(text);
        let counts = tokens.windows(2).any(|w| w[0].lower == "how" && w[1].lower == "many");
        let mut topics = topics(&tokens, graph);
        let cues = cues(&tokens, &topics);
        let chains: Vec<Vec<usize>> = topics.iter().map(|t| chain(&tokens, &cues, &topics, &t.span)).collect();
        for i in 0..topics.len() {
            let taken: Vec<usize> =
                (0..topics.len()).filter(|&j| j != i).flat_map(|j| chains[j].iter().copied()).filter(|c| !chains[i].contains(c)).collect();
            let (order, own) = order(&tokens, &cues, &topics, &topics[i].span, &chains[i], &taken);
            topics[i].told = told(&tokens, &cues, &topics[i], graph);
            (topics[i].order, topics[i].own) = (order, own);
        }
        let both = tokens.iter().any(|t| t.lower == "both");
        let all_topics = topics.len() > 1 && (both || topics.windows(2).any(|w| coordinated(&tokens, &w[0].span, &w[1].span)));
        let asks = tokens.iter().find(|t| is_wh(&t.lower)).map_or("", |t| t.lower.as_str());
        let wants_thing = matches!(asks, "who" | "whom" | "where") || asks == "which" && cues.iter().all(|c| c.stem != "when");
        Self { tokens, cues, topics, all_topics, counts, wants_thing }
    }
}

/// Whether only "and", "or", a comma or an article stands between two names.
fn coordinated(tokens: &[Token], a: &Range<usize>, b: &Range<usize>) -> bool {
    let between = tokens.get(a.end..b.start).unwrap_or_default();
    between.iter().any(|t| t.lower == "and" || t.lower == "or")
        && between.iter().all(|t| matches!(t.lower.as_str(), "and" | "or" | "," | "the"))
}

/// How many entities, from the front, were there before any fact was looked up.
fn linked(graph: &Known) -> usize {
    let joins = |i: usize| {
        let id = &graph.entities[i].id;
        graph.facts.iter().any(|f| {
            let other = if f.subject == *id { &f.object } else { &f.subject };
            (f.subject == *id || f.object == *id) && graph.entities.get_index_of(other.as_str()).is_some_and(|j| j < i)
        })
    };
    (0..graph.entities.len()).find(|&i| i > 0 && joins(i)).unwrap_or(graph.entities.len())
}

/// The names of the question that the graph knows, in the order of the question.
fn topics(tokens: &[Token], graph: &Known) -> Vec<Topic> {
    let first = linked(graph);
    let plain = tokens.iter().skip(1).all(|t| !t.capital);
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (i, entity) in graph.entities.values().enumerate() {
        let key = name_key(&entity.label);
        let words: Vec<&str> = key.split(' ').collect();
        let span = (0..tokens.len()).find_map(|at| match_at(tokens, at, &words));
        let Some(span) = span else { continue };
        let named = tokens[span.clone()].iter().any(|t| t.capital || t.is_number());
        if named && (span.start > 0 || i < first) || i < first || plain && i < first {
            found.push((span, i));
        }
    }
    found.sort_by_key(|(span, i)| (std::cmp::Reverse(span.len()), *i));
    let mut kept: Vec<(Range<usize>, usize)> = Vec::new();
    for (span, i) in found {
        if kept.iter().all(|(k, _)| span.end <= k.start || k.end <= span.start) {
            kept.push((span, i));
        }
    }
    // Linked under another name (an alias): they get the spans that are left.
    let mut free: Vec<Range<usize>> = spans(tokens);
    free.retain(|s| kept.iter().all(|(k, _)| s.end <= k.start || k.end <= s.start));
    for i in 0..first {
        if kept.iter().any(|(_, k)| *k == i) || kept.len() >= 4 {
            continue;
        }
        let label = content_stems(&graph.entities[i].label);
        let shared = |s: &Range<usize>| tokens[s.clone()].iter().filter(|t| label.contains(&t.stem)).count();
        match (0..free.len()).max_by_key(|&s| (shared(&free[s]), std::cmp::Reverse(s))) {
            Some(s) => kept.push((free.remove(s), i)),
            None if kept.is_empty() => kept.push((tokens.len()..tokens.len(), i)),
            None => {}
        }
    }
    kept.sort_by_key(|(span, _)| span.start);
    kept.into_iter().map(|(span, i)| Topic { id: graph.entities[i].id.clone(), span, order: vec![], own: 0, told: vec![] }).collect()
}

/// The tokens from `at` that spell these words, marks between them aside.
fn match_at(tokens: &[Token], at: usize, words: &[&str]) -> Option<Range<usize>> {
    let mut end = at;
    for (i, word) in words.iter().enumerate() {
        while i > 0 && tokens.get(end).is_some_and(|t| !t.is_word()) {
            end += 1;
        }
        let lower = &tokens.get(end)?.lower;
        if lower != word && lower.strip_suffix('s') != Some(word) {
            return None;
        }
        end += 1;
    }
    (end > at).then_some(at..end)
}

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

/// The cues of a question, in the order of its words.
fn cues(tokens: &[Token], topics: &[Topic]) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut side: Option<&str> = None;
    let names: Vec<Range<usize>> = if tokens.iter().skip(1).any(|t| t.capital) { spans(tokens) } else { vec![] };
    let in_topic = |i: usize| topics.iter().any(|t| t.span.contains(&i));
    let mut i = 0;
    while i < tokens.len() {
        let token = &tokens[i];
        if in_topic(i) {
            // "which prime ministers of X": a name that is a kind of people asks for those who hold it.
            if topics.iter().any(|t| t.span.start == i)
                && i > 0
                && !token.capital
                && !token.is_number()
                && tokens.iter().skip(1).any(|t| t.capital)
            {
                cues.push(Cue { token: i, stem: stem("position"), form: "position".to_owned(), weight: 1.0, is_name: false, step: 0 });
            }
            i += 1;
            continue;
        }
        if let Some(name) =
            names.iter().find(|s: &&Range<usize>| s.start == i && (s.start..s.end).all(|j| !in_topic(j)) && tokens[s.start].capital)
        {
            // "the Director of ...": a common noun in spite of its capital.
            let common = name.len() == 1 && (is_asking_form(&token.lower) || is_kind(&token.lower)) && !is_small(&token.lower);
            if common {
                cues.push(Cue { token: i, stem: token.stem.clone(), form: token.lower.clone(), weight: 1.0, is_name: false, step: 0 });
                i += 1;
                continue;
            }
            let text: Vec<&str> = tokens[name.clone()].iter().filter(|t| t.is_word()).map(|t| t.lower.as_str()).collect();
            if !text.iter().all(|w| is_small(w)) {
                cues.push(Cue { token: i, stem: text.join(" "), form: String::new(), weight: 0.6, is_name: true, step: 0 });
            }
            i = name.end;
            continue;
        }
        match token.lower.as_str() {
            "maternal" => side = Some("mother"),
            "paternal" => side = Some("father"),
            "where" | "when" => {
                cues.push(Cue { token: i, stem: token.stem.clone(), form: token.lower.clone(), weight: 1.0, is_name: false, step: 0 })
            }
            lower => {
                if let Some((_, steps)) = KIN.iter().find(|(word, _)| *word == lower) {
                    for (n, &step) in steps.iter().enumerate() {
                        let step = if n == 0 && step == "parent" { side.take().unwrap_or(step) } else { step };
                        cues.push(Cue { token: i, stem: stem(step), form: step.to_owned(), weight: 1.0, is_name: false, step: n });
                    }
                } else if token.is_word() && !is_small(lower) && !is_anaphor(tokens, i) {
                    let vague = !is_asking(&token.stem) && is_kind(lower);
                    cues.push(Cue {
                        token: i,
                        stem: token.stem.clone(),
                        form: token.lower.clone(),
                        weight: if vague { 0.4 } else { 1.0 },
                        is_name: false,
                        step: 0,
                    });
                }
            }
        }
        i += 1;
    }
    without_relative_where(tokens, cues)
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

/// Words over which a noun still belongs to the name on its right: "the director *of the* ...".
fn is_link(lower: &str) -> bool {
    matches!(
        lower,
        "of" | "the"
            | "a"
            | "an"
            | "by"
            | "in"
            | "for"
            | "from"
            | "at"
            | "on"
            | "to"
            | "with"
            | "into"
            | "both"
            | "through"
            | "'s"
            | "between"
    )
}

/// The cues that hang on a name directly: possessives after it, then what stands before it without a break.
fn chain(tokens: &[Token], cues: &[Cue], topics: &[Topic], span: &Range<usize>) -> Vec<usize> {
    let at = |i: usize| (0..cues.len()).filter(move |&n| cues[n].token == i);
    let has_cue = |i: usize| cues.iter().any(|c| c.token == i);
    let mut out: Vec<usize> = span.clone().flat_map(at).collect();
    let mut j = span.end;
    if tokens.get(j).is_some_and(|t| t.lower == "'s") {
        j += 1;
        while j < tokens.len() && (has_cue(j) || tokens[j].lower == "'s" || matches!(tokens[j].lower.as_str(), "maternal" | "paternal")) {
            out.extend(at(j));
            j += 1;
        }
    }
    let possessive = out.len();
    let mut i = span.start;
    while i > 0 {
        i -= 1;
        let lower = tokens[i].lower.as_str();
        let other = topics.iter().find(|t| t.span.contains(&i) && t.span != *span);
        if let Some(other) = other {
            if out.len() > possessive {
                break;
            }
            i = other.span.start;
        } else if has_cue(i) {
            out.extend(at(i));
        } else if matches!(lower, "and" | "or" | ",") {
            if out.len() > possessive {
                break;
            }
        } else if !(is_link(lower)
            || is_auxiliary(lower) && after_whose(tokens, i)
            || matches!(lower, "maternal" | "paternal" | "their" | "its" | "his" | "her"))
        {
            break;
        }
    }
    out
}

/// Whether "whose ..." leads up to the verb at `i`.
fn after_whose(tokens: &[Token], i: usize) -> bool {
    tokens[..i].iter().rev().find(|t| is_wh(&t.lower) || is_auxiliary(&t.lower) || t.lower == ",").is_some_and(|t| t.lower == "whose")
}

/// Where the clause that holds token `i` ends: before ", and to which ...".
fn clause_end(tokens: &[Token], i: usize) -> usize {
    (i + 1..tokens.len())
        .find(|&j| tokens[j].lower == "and" && tokens[j + 1..].iter().take(2).any(|t| is_wh(&t.lower)))
        .unwrap_or(tokens.len())
}

/// All cues in the order in which a walk from `span` meets them, and how many of them are its own.
fn order(
    tokens: &[Token],
    cues: &[Cue],
    topics: &[Topic],
    span: &Range<usize>,
    chain_of: &[usize],
    taken: &[usize],
) -> (Vec<usize>, usize) {
    let mut out = chain_of.to_vec();
    let end = clause_end(tokens, span.end.saturating_sub(1));
    let push = |out: &mut Vec<usize>, n: usize| {
        if !out.contains(&n) {
            out.push(n);
        }
    };
    // To the right, up to another name that is not merely listed beside this one.
    let stop = topics
        .iter()
        .filter(|t| t.span.start >= span.end)
        .find(|t| cues.iter().any(|c| (span.end..t.span.start).contains(&c.token)))
        .map_or(end, |t| t.span.start.min(end));
    for (n, _) in cues.iter().enumerate().filter(|(n, c)| (span.end..stop).contains(&c.token) && !taken.contains(n)) {
        push(&mut out, n);
    }
    let own = out.len();
    // Then to the left, outwards.
    let lefts: Vec<usize> = grouped_reverse(cues, 0..span.start);
    for &n in lefts.iter().filter(|n| !taken.contains(n)) {
        push(&mut out, n);
    }
    for (n, _) in cues.iter().enumerate().filter(|(n, c)| (span.end..end).contains(&c.token) && !taken.contains(n)) {
        push(&mut out, n);
    }
    // The next clause speaks of "that country", "its", "their": begin again from there.
    if end < tokens.len() {
        let pointer = (end..tokens.len()).find(|&j| matches!(tokens[j].lower.as_str(), "that" | "this" | "its" | "their" | "his" | "her"));
        if let Some(from) = pointer {
            let noun = usize::from(tokens.get(from + 2).is_some_and(|t| t.lower == "'s")) * 2;
            let rest = from + 1 + noun;
            for (n, _) in cues.iter().enumerate().filter(|(_, c)| c.token >= rest) {
                push(&mut out, n);
            }
            for n in grouped_reverse(cues, end..from) {
                push(&mut out, n);
            }
        }
    }
    for n in 0..cues.len() {
        push(&mut out, n);
    }
    (out, own)
}

/// Cues of these tokens from right to left, several of one token in their own order.
fn grouped_reverse(cues: &[Cue], within: Range<usize>) -> Vec<usize> {
    let mut out: Vec<usize> = (0..cues.len()).filter(|&n| within.contains(&cues[n].token)).collect();
    out.sort_by_key(|&n| (std::cmp::Reverse(cues[n].token), n));
    out
}

/// The cues just before a name that only say what it is: "the 1997 film Titanic", "the singer of X, Y".
fn told(tokens: &[Token], cues: &[Cue], topic: &Topic, graph: &Known) -> Vec<usize> {
    let about = graph.entities.get(&topic.id).map_or_else(String::new, |e| e.description.clone());
    let lower = about.to_lowercase();
    let words: Vec<String> = tokens_of(&about).into_iter().map(|t| t.lower).collect();
    let mut out = Vec::new();
    let mut i = topic.span.start;
    let apposition = i > 0 && tokens[i - 1].lower == ",";
    while i > 0 {
        i -= 1;
        let here: Vec<usize> = (0..cues.len()).filter(|&n| cues[n].token == i).collect();
        if here.is_empty() {
            let small = matches!(tokens[i].lower.as_str(), "the" | "a" | "an");
            let wide = apposition && (is_link(&tokens[i].lower) || tokens[i].lower == "," || tokens[i].capital);
            if small || wide {
                continue;
            }
            break;
        }
        let says = |n: usize| {
            let cue = &cues[n];
            let described = words.contains(&tokens[i].lower) && !tokens[i].lower.ends_with("ed");
            if cue.is_name {
                apposition && lower.contains(&cue.stem)
            } else {
                described || is_kind(&tokens[i].lower) && !apposition || tokens[i].is_number()
            }
        };
        if !here.iter().all(|&n| says(n)) {
            break;
        }
        out.extend(here);
    }
    out
}
