//! The reading of completions: what a model sent becomes a typed reply, or a reason why it can't be used.
//!
//! Nothing is guessed. Nothing relies on the server having honoured a stop string. Reasoning never counts, the first usable
//! step wins, and what a model plays on after it is dropped. One file an idea: `clean` (what was meant to be read),
//! `reasoning` (what was not), `play_on` (where an invented dialogue begins), `marks` (Markdown and quotes), `keywords`,
//! `menu`, `actions`, `final_answer`, `answers`, `json`, `half_json` (JSON that was cut), `ids`, `choice` (what is said of the ids
//! that are named), `aggregate` (a computation, in
//! `grammar`), `numbers`, `scores`, `linking`, `verdict`, `refusal`.

mod actions;
mod aggregate;
mod answers;
mod choice;
mod clean;
mod final_answer;
mod grammar;
mod half_json;
mod ids;
mod json;
mod keywords;
mod linking;
mod marks;
mod menu;
mod numbers;
mod play_on;
mod reasoning;
mod refusal;
mod scores;
mod verdict;

pub use grammar::read_aggregate;
pub use linking::{mention_label, parse_match, parse_mentions};

use super::{Action, Verdict};
use crate::calls::Sample;
use crate::graph::{EntityId, Relation, RelationRef};
use crate::micro::Micro;
use std::fmt;

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
    /// One of these relations, or a computation over one of them.
    RelationOrAggregate(&'a [Relation]),
    /// The value of an intermediate node.
    ScoreState,
    /// The value of an answer.
    ScoreAnswer,
    /// What a fact is thought to be.
    Verdict,
}

impl Expect<'_> {
    /// Whether something of what is on offer has to be named.
    const fn offers(&self) -> bool {
        matches!(self, Self::Entities(_) | Self::Relation(_) | Self::RelationOrAggregate(_))
    }
}

/// A usable reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An action.
    Action(Action),
    /// A value.
    Score(Micro),
    /// A verdict on a fact and its reason, which may be empty.
    Verdict(Verdict, String),
}

/// Why a completion can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// No action, id or score could be read.
    Unreadable(&'static str),
    /// What it names was not on offer.
    NotOffered(&'static str),
}

impl Unusable {
    /// The reason as a short plain sentence, without capital and full stop.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::Unreadable(why) | Self::NotOffered(why) => why,
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why())
    }
}

/// Reads `sample` as a reply to `expect`. `known` = labels of the graph, so that `Paris, Texas` stays one answer.
///
/// A reply that was cut at the token limit is used where the cut does no harm: a cut thought or reason is kept; an answer,
/// an id or a number that runs into the cut is not taken if more of it may be missing.
///
/// # Errors
/// [`Unusable::NotOffered`] for ids of which none was on offer, else [`Unusable::Unreadable`], each with a reason for people.
pub fn parse(expect: &Expect<'_>, sample: &Sample, known: &dyn Fn(&str) -> bool) -> Result<Reply, Unusable> {
    let reply = match clean::clean(sample, matches!(expect, Expect::FinalAnswer)) {
        // No text names nothing of what is on offer; why is another matter.
        Err(Unusable::Unreadable(why)) if expect.offers() && sample.text.is_some() && why.starts_with(clean::EMPTY) => {
            return Err(Unusable::NotOffered(why));
        }
        cleaned => cleaned?,
    };
    let read = match expect {
        Expect::Action => actions::action(&reply, known).map(Reply::Action),
        Expect::FinalAnswer => final_answer::final_answer(&reply, known).map(Reply::Action),
        Expect::Entities(offered) => ids::entities(&reply, offered).map(|ids| Reply::Action(Action::SelectEntities { ids })),
        Expect::Relation(offered) => ids::relation(&reply, offered).map(|relation| Reply::Action(Action::SelectRelation { relation })),
        Expect::RelationOrAggregate(offered) => aggregate::relation_or_aggregate(&reply, offered).map(Reply::Action),
        Expect::ScoreState => scores::score(&reply, true).map(Reply::Score),
        Expect::ScoreAnswer => scores::score(&reply, false).map(Reply::Score),
        Expect::Verdict => verdict::verdict(&reply).map(|(verdict, reason)| Reply::Verdict(verdict, reason)),
    };
    refusal::unless_refused(read, &reply, known)
}
