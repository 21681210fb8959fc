//! Prompts that were too long for the model: what was left out of them is said, never hidden.

use super::ask::Ask;
use super::event::{Call, LlmCall, NodeId, StepId};
use super::state::State;
use crate::calls::CallErrorKind;
use crate::text::thousands;

impl LlmCall {
    /// What its prompt shows, where something was left out because it was too long: `12 of 96 facts and 40 of 310 relations`.
    #[must_use]
    pub fn shown_of(&self) -> Option<String> {
        let of = |shown: u32, left_out: u32, what: &str| {
            let all = u64::from(shown) + u64::from(left_out);
            (left_out > 0).then(|| format!("{} of {} {what}", thousands(shown.into()), thousands(all)))
        };
        let cut = [of(self.shown, self.omitted, "facts"), of(self.listed, self.unlisted, "relations")];
        let cut: Vec<String> = cut.into_iter().flatten().collect();
        (!cut.is_empty()).then(|| cut.join(" and "))
    }
}

impl State {
    /// The node that an ask to the model is about: where samples are drawn, or whose value is asked for.
    #[must_use]
    pub fn asked_about(&self, ask: &Ask) -> Option<NodeId> {
        self.scored_by(ask).or_else(|| self.step(ask.key.step)?.node)
    }

    /// Nodes with a prompt that was cut to fit, in the order of asking, each with a sentence: `the prompt was too long for the
    /// model: 12 of 96 facts were shown`. The last word on each prompt counts.
    #[must_use]
    pub fn left_out(&self) -> Vec<(NodeId, String)> {
        self.left_out_of(|_| true)
    }

    /// The same for the asks of one step.
    #[must_use]
    pub fn left_out_in(&self, step: StepId) -> Vec<(NodeId, String)> {
        self.left_out_of(|ask| ask.key.step == step)
    }

    fn left_out_of(&self, wanted: impl Fn(&Ask) -> bool) -> Vec<(NodeId, String)> {
        let too_long = |ask: &Ask| ask.error.as_ref().is_some_and(|e| e.kind == CallErrorKind::TooLong);
        let again = |ask: &Ask| self.ask_of(super::event::AskKey { round: ask.key.round + 1, ..ask.key }).is_some();
        let mut all = Vec::new();
        for ask in self.asks.iter().filter(|ask| wanted(ask) && ask.is_complete() && !(too_long(ask) && again(ask))) {
            let Call::Llm(call) = &ask.call else { continue };
            let Some(node) = self.asked_about(ask) else { continue };
            let said = match (call.shown_of(), too_long(ask)) {
                (None, false) => continue,
                (None, true) => "the prompt is too long for the model, and holds no fact to leave out".to_owned(),
                (Some(shown), true) => format!("the prompt is too long for the model even with {shown}"),
                (Some(shown), false) => format!("the prompt was too long for the model: {shown} were shown"),
            };
            if !all.contains(&(node, said.clone())) {
                all.push((node, said));
            }
        }
        all
    }
}
