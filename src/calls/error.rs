//! Why a call brought nothing.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What kind of failure it was. Decides whether the step goes on or the search halts (see [`CallErrorKind::about_service`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallErrorKind {
    /// The prompt is longer than the model's window.
    TooLong,
    /// A content filter took the reply.
    Filtered,
    /// The model or server refuses this request (bad parameter, refusal).
    Refused,
    /// The output limit was spent on hidden reasoning: nothing was said.
    OutputSpent,
    /// The reply was no reply: cut, not in the documented shape, an error text under status 200.
    BadReply,
    /// The server failed, after the adapter's retries.
    Server,
    /// The server asks us to come back later, and still did after the adapter's retries.
    Busy,
    /// No answer in time, after the adapter's retries.
    TimedOut,
    /// The server refuses the request without running it, because it estimates that it would take too long: the same
    /// asked for in simpler requests may be answered.
    TooCostly,
    /// The service can't keep replies to a form, and it was said that it must (`--structured on`).
    NoForm,
    /// The key is missing, wrong or may not do this.
    Key,
    /// Money or quota is used up.
    Quota,
    /// No connection to the service.
    Unreachable,
    /// The person cancelled this call.
    Cancelled,
    /// The person chose another model before it was answered: that one is asked instead.
    Superseded,
}

impl CallErrorKind {
    /// Whether a *model* call that fails so fails for every request: the search halts and can be resumed.
    /// (For a KG every failure is about the request: the search goes on with what the other branches have.)
    #[must_use]
    pub const fn about_service(self) -> bool {
        matches!(self, Self::NoForm | Self::Key | Self::Quota | Self::Unreachable | Self::Server | Self::Busy | Self::TimedOut)
    }
}

/// A failed call: one readable sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct CallError {
    /// The kind.
    pub kind: CallErrorKind,
    /// One sentence with the remedy; it may quote the service (secrets removed).
    pub message: String,
}

impl CallError {
    /// A new error.
    pub fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
