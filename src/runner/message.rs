//! What tasks report to the runner.

use crate::calls::{AskId, CallError, KgReply};
use crate::llm::OnWire;
use std::sync::Arc;

/// A report of a task. `flight` tells apart a call that was dropped and one that was sent again for the same ask.
#[derive(Debug)]
pub enum Message {
    /// What comes over the wire of a call to the model.
    Llm {
        /// The ask.
        ask: AskId,
        /// The flight.
        flight: u64,
        /// What came.
        came: OnWire,
    },
    /// A call to the model is over.
    LlmDone {
        /// The ask.
        ask: AskId,
        /// The flight.
        flight: u64,
        /// How.
        result: Result<(), CallError>,
    },
    /// A KG replied.
    Kg {
        /// The ask.
        ask: AskId,
        /// The flight.
        flight: u64,
        /// What.
        result: Result<KgReply, CallError>,
        /// Milliseconds.
        took_ms: u64,
    },
    /// A KG replied to an inquiry.
    Inquiry {
        /// The sender's number.
        id: u64,
        /// Hash of the call.
        hash: Arc<str>,
        /// What.
        result: Result<KgReply, CallError>,
    },
}
