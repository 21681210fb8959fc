//! The `LanguageModel` interface and its kinds: models behind services (one engine in [`chat`], a dialect for each provider), the
//! built-in lexical model, a person.

mod absent;
mod anthropic;
mod bedrock;
pub mod cache;
pub mod chat;
pub mod found;
mod http;
mod human;
pub mod lexical;
mod ollama;
mod openai;
mod profile;
mod spec;

pub use crate::redact::Secret;
pub use absent::Absent;
pub use chat::capabilities::{Ability, Capabilities};
pub use chat::{Chat, ChatConfig, Provider};
pub use human::Human;
pub use lexical::Lexical;
pub use profile::{ModelProfile, Requests, read_key};
pub use spec::{ModelSpec, ModelSpecError};

use crate::calls::{About, AskId, CallError, LlmReply, LlmRequest, Piece, Sample, Usage, Waiting, Wasted};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// What comes over the wire while a call lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnWire {
    /// A reply, whole.
    Reply(LlmReply),
    /// A piece of a sample that is being written. A reply that holds the slot ends it.
    Piece(Piece),
    /// Samples that were kept on disk, and when they came (milliseconds since 1970).
    Kept {
        /// Slot and sample.
        samples: Vec<(u32, Sample)>,
        /// When they came.
        at: u64,
    },
    /// What was written for these slots does not count: it is asked for again.
    Dropped(Vec<u32>),
    /// The request of this number is out: what it has taken if it is dropped now. `None`: it is over.
    Underway(u32, Option<Usage>),
    /// The request of this number ended without a reply, and is paid all the same.
    Wasted(u32, Wasted),
}

impl OnWire {
    /// The whole reply, if it is one.
    #[must_use]
    pub fn reply(self) -> Option<LlmReply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::Piece(_) | Self::Dropped(_) | Self::Kept { .. } | Self::Underway(..) | Self::Wasted(..) => None,
        }
    }
}

/// Where an adapter reports what comes over the wire, as it arrives.
pub type Wire = Arc<dyn Fn(OnWire) + Send + Sync>;

/// A request on its way to a model.
#[derive(Clone, Debug)]
pub struct LlmJob {
    /// The ask it serves.
    pub ask: AskId,
    /// What is asked: all that a real model gets.
    pub request: LlmRequest,
    /// Hash of what is asked, without the number of samples and the seeds.
    pub hash: Arc<str>,
    /// How many equal requests came before it.
    pub nth: u32,
    /// What the search knows beside; for scripted models only.
    pub about: About,
}

/// A language model, as a black box.
pub trait LanguageModel: Send + Sync {
    /// The name that sessions and screens show: `lexical`, `openai:gpt-4o`, ...
    fn name(&self) -> &str;

    /// One line for the screen: what it is, and that it is no neural network if it is none.
    fn about(&self) -> String {
        self.name().to_owned()
    }

    /// Whether it answers at once, so that a search with it is paced for people.
    fn is_instant(&self) -> bool {
        false
    }

    /// Whether it is a model behind a service: asking it may cost, and its replies may be constrained.
    fn is_service(&self) -> bool {
        false
    }

    /// Whether it can be used now, for the start page: a short sentence, or an error that says what to do.
    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let about = self.about();
        Box::pin(async move { Ok(about) })
    }

    /// Whether a person types the replies: its asks stay open until then.
    fn is_human(&self) -> bool {
        false
    }

    /// Told, in order, every request that the journal holds, before a session goes on or a fork begins. Models with a
    /// memory (scripts that count) forget what they knew and take up where the journal is; others need not care.
    fn prime(&self, _asked: &[LlmJob]) {}

    /// What the adapter found out about its service that the person should know, one sentence each:
    /// "takes no stop strings (replies are cut here)". Empty while there is nothing to say.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a request waits for right now, if one was refused for the moment and is sent again later. For the screen.
    fn waiting(&self) -> Option<Waiting> {
        None
    }

    /// What it can and cannot, where that is a question: models behind a service.
    fn capabilities(&self) -> Option<Capabilities> {
        None
    }

    /// Asks for the slots of `job`. What must happen in the order of asks happens before the future is returned.
    /// Everything on the wire goes to `wire`; the future ends when all slots were filled or the call failed.
    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>>;
}
