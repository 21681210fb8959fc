//! The reading of completions.

use super::Action;
use crate::calls::Sample;
use crate::graph::{EntityId, RelationRef};
use crate::micro::Micro;

/// What a prompt asked for, with what was on offer.
#[derive(Clone, Debug)]
pub enum Expect<'a> {
    /// State `default`: THINK, EXPAND or ANSWER.
    Action,
    /// The forced answer: reasoning, then the answer.
    FinalAnswer,
    /// Some of these entities.
    Entities(&'a [EntityId]),
    /// One of these relations.
    Relation(&'a [RelationRef]),
    /// The value of an intermediate node.
    ScoreState,
    /// The value of an answer.
    ScoreAnswer,
}

/// A usable reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An action.
    Action(Action),
    /// A value.
    Score(Micro),
}

/// Why a completion can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// No action, id or score could be read.
    Unreadable(&'static str),
    /// What it names was not on offer.
    NotOffered(&'static str),
}

/// Reads `sample` as a reply to `expect`. `known` = labels of the graph, so that `Paris, Texas` stays one answer.
pub fn parse(_expect: &Expect<'_>, _sample: &Sample, _known: &dyn Fn(&str) -> bool) -> Result<Reply, Unusable> {
    Err(Unusable::Unreadable("not written yet"))
}

/// Mentions of an extraction reply.
pub fn parse_mentions(_sample: &Sample) -> Vec<String> {
    vec![]
}

/// The 1-based pick of a matching reply.
pub fn parse_match(_sample: &Sample, _candidates: usize) -> Result<Option<usize>, Unusable> {
    Ok(None)
}

impl Unusable {
    /// Why, in a few plain words.
    #[must_use]
    pub const fn sentence(&self) -> &'static str {
        match self {
            Self::Unreadable(why) | Self::NotOffered(why) => why,
        }
    }
}

/// The label of a mention: what stands before the first " - ".
#[must_use]
pub fn mention_label(mention: &str) -> &str {
    mention.split_once(" - ").map_or(mention, |(label, _)| label).trim()
}
