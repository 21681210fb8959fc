//! Prompts that were too long for the model: what was left out of them is said, never hidden.

use super::ask::Ask;
use super::event::{Call, NodeId, StepId};
use super::state::State;
use crate::calls::CallErrorKind;
use crate::text::thousands;

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
            let said = match (call.omitted, too_long(ask)) {
                (0, false) => continue,
                (0, true) => "the prompt is too long for the model, and holds no fact to leave out".to_owned(),
                (omitted, cut_in_vain) => {
                    let (shown, all) = (u64::from(call.shown), u64::from(call.shown) + u64::from(omitted));
                    let facts = format!("{} of {} facts", thousands(shown), thousands(all));
                    if cut_in_vain {
                        format!("the prompt is too long for the model even with {facts}")
                    } else {
                        format!("the prompt was too long for the model: {facts} were shown")
                    }
                }
            };
            if !all.contains(&(node, said.clone())) {
                all.push((node, said));
            }
        }
        all
    }
}
