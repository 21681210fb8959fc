//! Asks: what was asked of the world, and what is missing for the next decision.

use super::event::{AskKey, Call, Got, Seq, Source, UnixMs};
use crate::calls::{AskId, CallError, KgCall, KgReply, Part, PromptKind, Sample, Usage};
use std::sync::Arc;

/// An ask, as the journal has it so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its number.
    pub id: AskId,
    /// Who asks.
    pub key: AskKey,
    /// What is asked.
    pub call: Call,
    /// Hash of what is asked.
    pub hash: Arc<str>,
    /// Equal requests before it.
    pub nth: u32,
    /// Samples by slot (empty for a KG).
    pub samples: Vec<Option<Sample>>,
    /// A KG's reply.
    pub reply: Option<Arc<KgReply>>,
    /// Why it failed.
    pub error: Option<CallError>,
    /// Tokens of all replies on the wire.
    pub usage: Usage,
    /// Tokens of requests that brought nothing: cancelled, broken off, not answered in time. An estimate.
    pub wasted: Usage,
    /// How many requests that were.
    pub fruitless: u32,
    /// Replies on the wire.
    pub replies: u32,
    /// Requests to the model's service that these replies took: with those that fill up samples, and each that was tried again.
    pub requests: u32,
    /// Milliseconds on the wire, of the slowest reply.
    pub took_ms: u64,
    /// Where the last reply came from.
    pub source: Option<Source>,
    /// Whether a reply came from the world now, and not from a recording.
    pub live: bool,
    /// Samples that came from the cache on disk.
    pub kept: u32,
    /// When the oldest of these came.
    pub kept_since: Option<UnixMs>,
    /// When it was asked.
    pub at: UnixMs,
    /// The journal entry that asked.
    pub seq: Seq,
}

impl Ask {
    /// Whether nothing more will come.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.error.is_some() || self.reply.is_some() || (!self.samples.is_empty() && self.samples.iter().all(Option::is_some))
    }

    /// What the model was asked for; `None` for an ask to a KG.
    #[must_use]
    pub const fn kind(&self) -> Option<PromptKind> {
        match &self.call {
            Call::Llm(call) => Some(call.kind),
            Call::Kg(_) => None,
        }
    }

    /// Whether it was or will be asked of the world: every reply so far came from there, or none is there yet.
    #[must_use]
    pub const fn is_paid(&self) -> bool {
        self.live || self.source.is_none()
    }

    /// Whether a model was asked.
    #[must_use]
    pub const fn is_llm(&self) -> bool {
        matches!(self.call, Call::Llm(_))
    }

    /// Takes up a reply. The caller has checked that it fits.
    pub(super) fn fill(&mut self, got: &Got) {
        match got {
            Got::Samples(samples) => {
                for (slot, sample) in samples {
                    self.samples[*slot as usize] = Some(sample.clone());
                }
            }
            Got::Kg(reply) => self.reply = Some(Arc::new((**reply).clone())),
        }
    }
}

/// An ask that should be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskSpec {
    /// Who asks.
    pub key: AskKey,
    /// What.
    pub what: What,
}

/// What is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Samples of a model.
    Llm {
        /// What the prompt is for.
        kind: PromptKind,
        /// Its parts.
        parts: Vec<Part>,
        /// In thousandths.
        temperature_milli: u32,
        /// Stop strings.
        stop: Vec<String>,
        /// Tokens per sample.
        max_tokens: u32,
        /// Samples.
        slots: u32,
        /// Facts left out.
        omitted: u32,
        /// Facts that it shows all the same; 0 when none was left out.
        shown: u32,
        /// Relations on offer that were left out.
        unlisted: u32,
        /// Relations that it lists all the same; 0 when none was left out.
        listed: u32,
        /// Whether the reply is to be constrained to what is on offer, where the service can.
        structured: bool,
    },
    /// A call to a KG.
    Kg(KgCall),
}

/// Why there is no decision yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotYet {
    /// These asks are missing.
    Ask(Vec<AskSpec>),
    /// Replies are on their way.
    Wait,
    /// There is nothing to do.
    Nothing,
    /// A prompt template can't be filled in: what is wrong with it.
    Broken(String),
}

/// Either what a decision needs, or why it is not there yet. A strategy reads top to bottom with `?`.
pub type Need<T> = Result<T, NotYet>;
