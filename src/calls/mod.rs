//! Requests to and replies from models and KGs, and their errors: data only.

mod aggregate;
mod error;
mod kg;
mod llm;

pub use aggregate::{Aggregate, AggregateResult, Day, Filter, Function, ITSELF, Test, Value};
pub use error::{CallError, CallErrorKind};
pub use kg::{Candidate, EdgeList, KgCall, KgData, KgOp, KgReply, WireNote};
pub use llm::{About, Form, LlmReply, LlmRequest, Part, PartKind, Piece, PromptKind, Sample, Token, Usage, Wasted, Withheld, is_cut};

use serde::{Deserialize, Serialize};

/// The number of an ask in its session, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskId(pub u32);

/// Why requests are held back, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Until then.
    pub until: std::time::Instant,
    /// Why, for people: "MusicBrainz is busy (status 503)".
    pub why: String,
}
