//! Sets of prompts, one for each kind of model.

use crate::calls::PromptKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A set of prompts for a kind of model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// For models that follow instructions.
    #[default]
    Default,
    /// For small models that follow instructions: shorter, one idea a line, with examples.
    Small,
    /// For base models: a text to be continued, with worked examples and a cue at its end.
    Base,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Default, Self::Small, Self::Base];

    /// Its name on the command line and in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Small => "small",
            Self::Base => "base",
        }
    }

    /// Whether its prompts are texts to be continued, and no instructions.
    #[must_use]
    pub const fn continues(self) -> bool {
        matches!(self, Self::Base)
    }

    /// Where a reply is cut. A model that continues a text would go on to the next example; one that follows instructions
    /// stops by itself, and may begin with an empty line.
    #[must_use]
    pub fn stops(self, kind: PromptKind) -> Vec<String> {
        let stops: &[&str] = match (self, kind) {
            (Self::Default | Self::Small, _) => &[],
            (Self::Base, PromptKind::Extract | PromptKind::FinalAnswer | PromptKind::ScoreAnswer) => &["\n\n", "\nQUESTION:"],
            (Self::Base, PromptKind::Review) => &["\n\n", "\nFact:"],
            (Self::Base, _) => &["\n"],
        };
        stops.iter().map(|stop| (*stop).to_owned()).collect()
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    pub(super) const fn is_default(&self) -> bool {
        matches!(self, Self::Default)
    }

    /// Its files, compiled in. Each is a YAML mapping of template names to texts.
    pub(super) const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Default => &[
                include_str!("../../prompts/default/shared.yaml"),
                include_str!("../../prompts/default/extract.yaml"),
                include_str!("../../prompts/default/match.yaml"),
                include_str!("../../prompts/default/default.yaml"),
                include_str!("../../prompts/default/select_entities.yaml"),
                include_str!("../../prompts/default/select_relation.yaml"),
                include_str!("../../prompts/default/forced_answer.yaml"),
                include_str!("../../prompts/default/evaluate_state.yaml"),
                include_str!("../../prompts/default/evaluate_answer.yaml"),
                include_str!("../../prompts/default/review.yaml"),
            ],
            Self::Small => &[include_str!("../../prompts/small/shared.yaml"), include_str!("../../prompts/small/tasks.yaml")],
            Self::Base => &[include_str!("../../prompts/base/shared.yaml"), include_str!("../../prompts/base/tasks.yaml")],
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|profile| profile.name() == name.trim());
        found.ok_or_else(|| format!("`{name}` is no profile of prompts: choose default, small or base"))
    }
}
