//! What of the question was not linked because the model could not be asked for it, or its reply could not be read: the graph
//! may have it all the same.

use super::event::{Outcome, Reason, StepKind};
use super::state::{State, Step};

impl Step {
    /// Why a step that links the question did not find out what it mentions, or which things are meant: a sentence each, of the
    /// last time that it was tried. None where a graph has nothing, or the model says that none of its candidates is meant.
    #[must_use]
    pub fn unlinked(&self) -> Vec<String> {
        if self.kind != StepKind::Start {
            return Vec::new();
        }
        let last = (0..).take_while(|round| self.reading(2 * round).is_some()).last().unwrap_or_default();
        let failed = |lane: u32| {
            self.reading(lane).unwrap_or_default().iter().filter_map(|row| match &row.outcome {
                Outcome::Rejected { text, reason: Reason::LlmFailed | Reason::Unreadable, why } => Some((text.as_str(), why.as_str())),
                _ => None,
            })
        };
        let mentions = failed(2 * last).map(|(_, why)| format!("what the question mentions is not known: {why}"));
        let matches = failed(2 * last + 1).map(|(mention, why)| format!("which “{mention}” is meant is not known: {why}"));
        mentions.chain(matches).collect()
    }
}

impl State {
    /// The same, of the session's question.
    #[must_use]
    pub fn unlinked(&self) -> Vec<String> {
        self.steps.iter().find(|step| step.kind == StepKind::Start).map(|step| step.unlinked()).unwrap_or_default()
    }
}
