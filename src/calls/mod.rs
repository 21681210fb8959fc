//! Requests to and replies from models and KGs, and their errors: data only.

mod error;
mod kg;
mod llm;

pub use error::{CallError, CallErrorKind};
pub use kg::{Aggregate, AggregateResult, Candidate, EdgeList, Filter, Function, KgCall, KgData, KgOp, KgReply, Test, WireNote};
pub use llm::{About, LlmReply, LlmRequest, Part, PartKind, PromptKind, Sample, Usage};

use serde::{Deserialize, Serialize};

/// The number of an ask in its session, dense from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskId(pub u32);
