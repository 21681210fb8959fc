//! The `LanguageModel` interface and its kinds: OpenAI-compatible servers, the built-in lexical model, scripts, a person.

pub mod chat;
mod http;
mod human;
pub mod lexical;
mod openai;
mod spec;

pub use crate::redact::Secret;
pub use chat::{Chat, ChatConfig, Provider};
pub use human::Human;
pub use lexical::Lexical;
pub use spec::{ModelSpec, ModelSpecError};

use crate::calls::{About, AskId, CallError, LlmReply, LlmRequest};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Where an adapter reports each reply on the wire, as it arrives.
pub type Wire = Arc<dyn Fn(LlmReply) + Send + Sync>;

/// A request on its way to a model.
#[derive(Clone, Debug)]
pub struct LlmJob {
    /// The ask it serves.
    pub ask: AskId,
    /// What is asked: all that a real model gets.
    pub request: LlmRequest,
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

    /// Asks for the slots of `job`. What must happen in the order of asks happens before the future is returned.
    /// Every reply on the wire goes to `wire`; the future ends when all slots were filled or the call failed.
    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>>;
}
