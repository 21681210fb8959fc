//! The names of a question that the graph knows.

use super::names::spans;
use super::order::is_link;
use super::question::{Cue, Topic};
use super::seen::Known;
use super::words::{Token, content_stems, is_kind, name_key, tokens as tokens_of};
use std::ops::Range;

/// The names of the question that the graph knows, in the order of the question.
pub(super) fn topics(tokens: &[Token], graph: &Known) -> Vec<Topic> {
    let first = linked(graph);
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (i, entity) in graph.entities.values().enumerate() {
        let key = name_key(&entity.label);
        let words: Vec<&str> = key.split(' ').collect();
        let span = (0..tokens.len()).find_map(|at| match_at(tokens, at, &words));
        let Some(span) = span else { continue };
        let named = tokens[span.clone()].iter().any(|t| t.capital || t.is_number());
        if i < first || named && span.start > 0 {
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

/// Whether only "and", "or", a comma or an article stands between two names.
pub(super) fn coordinated(tokens: &[Token], a: &Range<usize>, b: &Range<usize>) -> bool {
    let between = tokens.get(a.end..b.start).unwrap_or_default();
    between.iter().any(|t| t.lower == "and" || t.lower == "or")
        && between.iter().all(|t| matches!(t.lower.as_str(), "and" | "or" | "," | "the"))
}

/// The cues just before a name that only say what it is: "the 1997 film Titanic", "the singer of X, Y".
pub(super) fn told(tokens: &[Token], cues: &[Cue], topic: &Topic, graph: &Known) -> Vec<usize> {
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
