//! The limits and rules of a search (ALGORITHMS section 0: presets `paper` and `reference`).

use super::budget::{Budget, Budgets};
use crate::micro::Micro;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A named set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// As the paper has it.
    Paper,
    /// As its authors' program has it.
    Reference,
}

/// What happens when the search ends without an accepted answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnExhausted {
    /// No answer when the budget ran out; the best one when the frontier is empty.
    None,
    /// The best answer node, if there is one.
    Best,
    /// The best answer node; if there is none, forced answers are drawn.
    Force,
}

/// Whether replies are constrained to what is on offer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// Where the service can; elsewhere replies are read as text.
    Auto,
    /// Always: a service that can't is an error.
    On,
    /// Never.
    #[default]
    Off,
}

/// Everything that decides how a search goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// k: children of an expansion, at most.
    pub branching: u32,
    /// Depth from which only an answer is possible in state `default`.
    pub max_depth: u32,
    /// Expansions of the strategy, at most.
    pub max_expansions: u32,
    /// An answer with at least this value ends the search.
    pub threshold: Micro,
    /// Samples when entities are selected, in multiples of k (k = 1: always one).
    pub entity_factor: u32,
    /// Samples when a relation is selected, in multiples of k (k = 1: always one).
    pub relation_factor: u32,
    /// When the search ends without an accepted answer.
    pub on_exhausted: OnExhausted,
    /// Relations offered per direction, at most.
    pub relation_limit: u32,
    /// Edges per entity, at most.
    pub edge_cap: u32,
    /// Candidates per mention, at most.
    pub candidate_limit: u32,
    /// Whether the model is shown what statements say besides (qualifiers).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub qualifiers: bool,
    /// Whether statements of every rank are taken, not only those of the best one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_ranks: bool,
    /// Whether AGGREGATE is offered beside the relations.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aggregate: bool,
    /// Whether replies are constrained to what is on offer.
    #[serde(default, skip_serializing_if = "is_off")]
    pub structured: Structured,
    /// How much may be spent.
    #[serde(default, skip_serializing_if = "Budgets::is_none")]
    pub budgets: Budgets,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
const fn is_off(structured: &Structured) -> bool {
    matches!(structured, Structured::Off)
}

impl Settings {
    /// The settings of a preset.
    #[must_use]
    pub const fn preset(preset: Preset) -> Self {
        let threshold = match Micro::from_millionths(800_000) {
            Some(t) => t,
            None => Micro::ONE,
        };
        let paper = Self {
            branching: 3,
            max_depth: 7,
            max_expansions: 20,
            threshold,
            entity_factor: 2,
            relation_factor: 2,
            on_exhausted: OnExhausted::None,
            relation_limit: 100,
            edge_cap: 100,
            candidate_limit: 10,
            qualifiers: false,
            all_ranks: false,
            aggregate: false,
            structured: Structured::Off,
            budgets: Budgets::NONE,
        };
        match preset {
            Preset::Paper => paper,
            Preset::Reference => Self { max_expansions: 25, relation_factor: 3, on_exhausted: OnExhausted::Force, ..paper },
        }
    }

    /// Samples asked for in one expansion.
    #[must_use]
    pub const fn samples(&self, factor: u32) -> u32 {
        if self.branching <= 1 { 1 } else { self.branching * factor }
    }
}

/// A change of one setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// k.
    Branching(u32),
    /// The depth limit.
    MaxDepth(u32),
    /// The budget of expansions.
    MaxExpansions(u32),
    /// The threshold.
    Threshold(Micro),
    /// The rule for the end.
    OnExhausted(OnExhausted),
    /// How much may be spent; `None`: no limit.
    Budget(Budget, Option<u64>),
    /// When replies are constrained. Asks that are open already are sent as they were recorded, but may be answered as text.
    Structured(Structured),
}

impl Setting {
    /// Whether the value makes sense.
    ///
    /// # Errors
    /// A sentence that says what is possible.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Branching(0) => Err("k must be at least 1".to_owned()),
            Self::Branching(k) if *k > 32 => Err("k above 32 is not possible".to_owned()),
            Self::Budget(budget, Some(limit)) => budget.check(*limit),
            Self::MaxExpansions(0) => Err("at least one expansion is needed".to_owned()),
            _ => Ok(()),
        }
    }

    /// Puts it into force.
    pub const fn apply(&self, settings: &mut Settings) {
        match *self {
            Self::Branching(k) => settings.branching = k,
            Self::MaxDepth(d) => settings.max_depth = d,
            Self::MaxExpansions(n) => settings.max_expansions = n,
            Self::Threshold(t) => settings.threshold = t,
            Self::OnExhausted(rule) => settings.on_exhausted = rule,
            Self::Budget(budget, limit) => settings.budgets.set(budget, limit),
            Self::Structured(when) => settings.structured = when,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branching(k) => write!(f, "k set to {k}"),
            Self::MaxDepth(d) => write!(f, "max depth set to {d}"),
            Self::MaxExpansions(n) => write!(f, "max expansions set to {n}"),
            Self::Threshold(t) => write!(f, "threshold set to {t}"),
            Self::Budget(budget, Some(limit)) => write!(f, "budget of {} set to {}", budget.name(), budget.written(*limit)),
            Self::Budget(budget, None) => write!(f, "budget of {} lifted", budget.name()),
            Self::Structured(when) => write!(
                f,
                "structured output set to {}",
                match when {
                    Structured::Off => "off",
                    Structured::Auto => "auto",
                    Structured::On => "on",
                }
            ),
            Self::OnExhausted(rule) => write!(
                f,
                "at the end without an answer: {}",
                match rule {
                    OnExhausted::None => "none",
                    OnExhausted::Best => "best",
                    OnExhausted::Force => "force",
                }
            ),
        }
    }
}
