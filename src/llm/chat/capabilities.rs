//! What a model can and cannot, as far as it is known.

use serde::Serialize;

/// Whether a service takes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// It does, by its documentation.
    Yes,
    /// It does not, by its documentation.
    No,
    /// It took it when it was asked.
    Proven,
    /// It refused it, or left it out, when it was asked.
    Refused,
    /// Nobody knows yet.
    Unknown,
}

impl Ability {
    /// Whether it can be counted on.
    #[must_use]
    pub const fn is_there(self) -> bool {
        matches!(self, Self::Yes | Self::Proven)
    }

    /// What is known in the end: what was learnt counts more than what was written.
    pub(super) const fn after(self, proven: bool, refused: bool) -> Self {
        if refused {
            Self::Refused
        } else if proven {
            Self::Proven
        } else {
            self
        }
    }
}

/// What one model at one service can and cannot. `Yes` and `No` are documented, `Proven` and `Refused` learnt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// Several samples in one request (`n`). Where not, more requests are sent.
    pub samples: Ability,
    /// The most samples that one request brings, if there is a known bound.
    pub most_samples: Option<usize>,
    /// Stop strings. They are applied here in any case.
    pub stop: Ability,
    /// A seed.
    pub seed: Ability,
    /// A temperature.
    pub temperature: Ability,
    /// Log-probabilities of tokens.
    pub log_probabilities: Ability,
    /// Replies that keep to a schema.
    pub structured: Ability,
    /// Replies that come piece by piece.
    pub streaming: Ability,
    /// The name of the output limit in a request; `None` when the service's own holds.
    pub limit: Option<String>,
    /// Whether the service takes the limit under that name.
    pub limit_taken: Ability,
    /// Whether the model reasons before it answers.
    pub reasons: Ability,
}

impl Capabilities {
    /// Nothing is known.
    #[must_use]
    pub const fn unknown() -> Self {
        Self {
            samples: Ability::Unknown,
            most_samples: None,
            stop: Ability::Unknown,
            seed: Ability::Unknown,
            temperature: Ability::Unknown,
            log_probabilities: Ability::Unknown,
            structured: Ability::Unknown,
            streaming: Ability::Unknown,
            limit: None,
            limit_taken: Ability::Unknown,
            reasons: Ability::Unknown,
        }
    }
}
