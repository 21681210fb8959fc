//! What a thing is to the word that asks: "the capital of X", "X is the capital of ...", "directed by X".

use super::words::{Token, is_auxiliary, is_wh};
use std::ops::Range;

/// What a thing is to the word that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// "the capital of X", "X's capital".
    Possessor,
    /// "whose capital is X", "X as capital".
    Filler,
    /// "X is the capital of ...".
    FillerOf,
    /// "who directed X", "born in X".
    Object {
        preposition: bool,
    },
    /// "directed by X".
    By,
    /// "X directed", "did X direct".
    Subject,
    /// "X was directed".
    Passive,
    Unclear,
}

impl Role {
    /// Whether the relation is to be followed backwards; `None` when the sentence does not tell.
    pub fn reverse(self, label: &str, agent: bool, named: bool) -> Option<bool> {
        // "a member of X" asks for who is "member of" it; "the band of X" does not.
        let leads_of = named && label.ends_with(" of");
        match self {
            Self::Possessor => Some(leads_of),
            Self::Filler => Some(!leads_of),
            Self::FillerOf => Some(!leads_of),
            Self::Object { .. } if agent => Some(false),
            Self::Object { preposition } => preposition.then_some(true),
            Self::By => agent.then_some(true),
            Self::Subject => Some(agent),
            Self::Passive => Some(false),
            Self::Unclear => None,
        }
    }
}

/// The role of what the tokens `span` stand for, towards the word at `cue`.
pub(super) fn role(tokens: &[Token], span: &Range<usize>, cue: usize) -> Role {
    let is = |i: usize, words: &[&str]| tokens.get(i).is_some_and(|t| words.contains(&t.lower.as_str()));
    if cue < span.start {
        let between = &tokens[cue + 1..span.start];
        let has = |word: &str| between.iter().any(|t| t.lower == word);
        if let Some(relative) = between.iter().position(|t| is_wh(&t.lower)) {
            let of = between[..relative].first().is_some_and(|t| t.lower == "of");
            return if of && cue > 0 { Role::Possessor } else { Role::Unclear };
        }
        let whose = (0..cue).rev().take(3).any(|i| is(i, &["whose"]));
        if between.iter().any(|t| is_auxiliary(&t.lower)) {
            return if whose { Role::Filler } else { Role::Unclear };
        }
        return match between {
            _ if has("by") => Role::By,
            _ if has("of") => Role::Possessor,
            _ if between.iter().all(|t| matches!(t.lower.as_str(), "the" | "a" | "an" | "both")) => Role::Object { preposition: false },
            _ => Role::Object { preposition: true },
        };
    }
    if cue < span.end {
        return Role::Unclear;
    }
    let between = &tokens[span.end..cue];
    let has = |word: &str| between.iter().any(|t| t.lower == word);
    if has("'s") {
        Role::Possessor
    } else if has("as") || has("in") && is(cue, &["cast"]) {
        Role::Filler
    } else if is(cue + 1, &["of"]) && between.iter().any(|t| is_auxiliary(&t.lower)) {
        Role::FillerOf
    } else if between.iter().any(|t| matches!(t.lower.as_str(), "is" | "was" | "were" | "are" | "been"))
        || tokens[..span.start].iter().rev().take(2).any(|t| matches!(t.lower.as_str(), "was" | "were" | "is"))
    {
        Role::Passive
    } else {
        Role::Subject
    }
}
