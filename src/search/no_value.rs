//! Why a node that was to be scored has no value: the call failed, or the model's reply states none.

use super::ask::Ask;
use super::event::{NodeId, Valuation};
use super::state::{State, Value};
use super::strategy;
use crate::calls::CallError;
use crate::text::one_line;

/// What became of the ask for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoValue<'a> {
    /// There was no reply.
    Failed(&'a CallError),
    /// The reply states no value: why, in a few words.
    Unread(&'static str),
}

impl NoValue<'_> {
    /// As a clause: `the call for it failed (no such model)`, `the model's reply could not be used (the reply is empty)`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Failed(error) => format!("the call for it failed ({})", one_line(&error.message).trim_end_matches('.')),
            Self::Unread(why) => format!("the model's reply could not be used ({why})"),
        }
    }

    /// In a word or two, where there is room for no more.
    #[must_use]
    pub const fn mark(&self) -> &'static str {
        match self {
            Self::Failed(_) => "the call failed",
            Self::Unread(_) => "not readable",
        }
    }
}

impl State {
    /// Why the value of `id` is unknown, if it was asked for; nothing where it is known, pending, by hand or not wanted.
    #[must_use]
    pub fn no_value(&self, id: NodeId) -> Option<NoValue<'_>> {
        let ask = self.asked_in_vain(id)?;
        Some(match &ask.error {
            Some(error) => NoValue::Failed(error),
            // A newer reader may find a number where the one that decided found none: what was decided stands.
            None => NoValue::Unread(strategy::why_unread(self, id, ask).unwrap_or("no score was stated")),
        })
    }

    /// The error of the call for the value of `id`, if that is why it has none.
    #[must_use]
    pub fn value_failed(&self, id: NodeId) -> Option<&CallError> {
        self.asked_in_vain(id)?.error.as_ref()
    }

    fn asked_in_vain(&self, id: NodeId) -> Option<&Ask> {
        let (Value::Unknown, Some(Valuation::Asked(ask))) = self.valued(self.node(id)?) else { return None };
        self.ask(ask).filter(|_| self.value(id) == Value::Unknown)
    }
}
