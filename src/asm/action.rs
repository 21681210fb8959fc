//! The states of the machine and the typed actions that lead from one to the next (Tree-of-Traversals, section 3).

use crate::calls::Aggregate;
use crate::graph::{EntityId, KgName, RelationRef};
use crate::text::one_line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a walk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AsmState {
    /// Think, answer or expand.
    Default,
    /// EXPAND was chosen: which entities?
    SelectingEntities,
    /// Entities were chosen: which relation?
    SelectingRelation,
    /// An answer was given: nothing follows.
    Done,
}

impl AsmState {
    /// As the screen says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::SelectingEntities => "selecting entities",
            Self::SelectingRelation => "selecting relation",
            Self::Done => "done",
        }
    }
}

/// A step of a walk. Typed: nothing is ever found out by searching for a keyword in a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The start: the question with its linked entities.
    Root,
    /// A thought.
    Think {
        /// The thought.
        text: String,
    },
    /// A proposed answer; ends the branch.
    Answer {
        /// The answer as given.
        text: String,
        /// The single answers in it.
        items: Vec<String>,
    },
    /// The graph is to be expanded.
    Expand {
        /// The reason; may be empty.
        text: String,
    },
    /// Entities to expand, in graph order, each once.
    SelectEntities {
        /// Their ids.
        ids: Vec<EntityId>,
    },
    /// The relation to follow.
    SelectRelation {
        /// The relation and direction.
        relation: RelationRef,
    },
    /// The KG computes something over a relation of the selected entities (only offered when the settings say so).
    Aggregate {
        /// What.
        what: Aggregate,
        /// The KG that computes it: the one that offers the relation.
        kg: KgName,
    },
    /// No sample of an expansion was usable.
    Error {
        /// Why, in one sentence.
        why: String,
    },
}

impl Action {
    /// The state that this action leads to.
    #[must_use]
    pub const fn leads_to(&self) -> AsmState {
        match self {
            Self::Root | Self::Think { .. } | Self::SelectRelation { .. } | Self::Aggregate { .. } | Self::Error { .. } => {
                AsmState::Default
            }
            Self::Expand { .. } => AsmState::SelectingEntities,
            Self::SelectEntities { .. } => AsmState::SelectingRelation,
            Self::Answer { .. } => AsmState::Done,
        }
    }

    /// The state in which this action can be taken (an error node can follow any).
    #[must_use]
    pub const fn taken_in(&self) -> Option<AsmState> {
        match self {
            Self::Think { .. } | Self::Answer { .. } | Self::Expand { .. } => Some(AsmState::Default),
            Self::SelectEntities { .. } => Some(AsmState::SelectingEntities),
            Self::SelectRelation { .. } | Self::Aggregate { .. } => Some(AsmState::SelectingRelation),
            Self::Root | Self::Error { .. } => None,
        }
    }

    /// Whether this is an answer.
    #[must_use]
    pub const fn is_answer(&self) -> bool {
        matches!(self, Self::Answer { .. })
    }

    /// Whether a KG is asked for facts when it is carried out.
    #[must_use]
    pub const fn brings_facts(&self) -> bool {
        matches!(self, Self::SelectRelation { .. } | Self::Aggregate { .. })
    }

    /// As a token of a path: `T:text`, `A:text`, `X:text`, `S:Q1+Q2`, `R:~P57`, `G:count ~P17 where P2044 > 3500`, `E:`; the
    /// root is empty.
    #[must_use]
    pub fn token(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Think { text } => format!("T:{}", one_line(text)),
            Self::Answer { text, .. } => format!("A:{}", one_line(text)),
            Self::Expand { text } => format!("X:{}", one_line(text)),
            Self::SelectEntities { ids } => format!("S:{}", ids.join("+")),
            Self::SelectRelation { relation } => format!("R:{}", relation.token()),
            Self::Aggregate { what, .. } => format!("G:{}", one_line(&what.to_string())),
            Self::Error { .. } => "E:".to_owned(),
        }
    }

    /// As a reply of a model says it; nothing for what no reply can say.
    #[must_use]
    pub fn as_reply(&self) -> String {
        match self {
            Self::Root | Self::Error { .. } => String::new(),
            Self::Think { text } => format!("THINK: {}", one_line(text)),
            Self::Answer { text, .. } => format!("ANSWER: {}", one_line(text)),
            Self::Expand { text } if text.trim().is_empty() => "EXPAND".to_owned(),
            Self::Expand { text } => format!("EXPAND: {}", one_line(text)),
            Self::SelectEntities { ids } => ids.join(", "),
            Self::SelectRelation { relation } => relation.token(),
            Self::Aggregate { what, .. } => one_line(&what.to_string()),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.token())
    }
}

/// What a fact is thought to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is right, as far as the judge knows.
    Sound,
    /// It is wrong or outdated, or something else is meant.
    Doubtful,
    /// The judge cannot tell, or told nothing that can be read.
    Unknown,
}

impl Verdict {
    /// Its word, in replies and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Doubtful => "doubtful",
            Self::Unknown => "unknown",
        }
    }
}
