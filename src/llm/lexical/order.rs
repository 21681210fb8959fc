//! The order in which a walk meets the words that ask, from a name outwards: "Where was [3] the director [1] of X
//! born [2]?". First what hangs on the name directly, then what follows, then what stands before.

use super::question::{Cue, Topic};
use super::words::{Token, is_auxiliary, is_wh};
use std::ops::Range;

/// Words over which a noun still belongs to the name on its right: "the director *of the* ...".
pub(super) fn is_link(lower: &str) -> bool {
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
pub(super) fn chain(tokens: &[Token], cues: &[Cue], topics: &[Topic], span: &Range<usize>) -> Vec<usize> {
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
pub(super) fn order(
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
