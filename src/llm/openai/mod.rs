//! `openai:MODEL`: any server that speaks OpenAI's `/chat/completions`.

mod reply;
mod request;
mod stream;
mod url;

use super::chat::ask::{Order, Prepared};
use super::chat::capabilities::{Ability, Capabilities};
use super::chat::completion::{Completion, NoReply};
use super::chat::dialect::{Dialect, names_in};
use super::chat::stream::{Framing, Reader};
use crate::calls::CallError;
use crate::redact::Secret;
use reqwest::{RequestBuilder, Url};
use serde_json::Value;
use url::Endpoint;

/// OpenAI's chat completions.
#[derive(Debug)]
pub struct OpenAi(Endpoint);

impl OpenAi {
    /// For the server at `base`, in any form; `None` = OpenAI itself.
    ///
    /// # Errors
    /// `Unreachable` when it is no http(s) URL.
    pub fn new(base: Option<&str>) -> Result<Self, CallError> {
        Endpoint::parse(base.unwrap_or(url::OFFICIAL)).map(Self)
    }
}

impl Dialect for OpenAi {
    fn word(&self) -> &'static str {
        "openai"
    }

    fn address(&self) -> &Url {
        &self.0.chat
    }

    fn write(&self, ask: &Prepared, order: &Order) -> (Url, Value) {
        let url = if ask.completion { &self.0.completions } else { &self.0.chat };
        (url.clone(), request::body(ask, order))
    }

    fn sign(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) if self.0.azure => request.header("api-key", key.expose()),
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }

    /// Of OpenAI's own service much is written, of servers that speak like it nothing can be known.
    fn documented(&self, _model: &str) -> Capabilities {
        if !self.0.azure && self.0.chat.host_str() != Some("api.openai.com") {
            return Capabilities::unknown();
        }
        // Models that reason take neither stop strings nor a temperature.
        Capabilities {
            samples: Ability::Yes,
            seed: Ability::Yes,
            structured: Ability::Yes,
            streaming: Ability::Yes,
            ..Capabilities::unknown()
        }
    }

    fn read(&self, body: &[u8], letters: usize) -> Result<Completion, NoReply> {
        reply::read(body, letters)
    }

    fn reader(&self, letters: usize) -> Option<(Framing, Box<dyn Reader>)> {
        Some((Framing::Events, Box::new(stream::Stream::new(letters))))
    }

    fn models(&self) -> Url {
        self.0.models.clone()
    }

    fn listed(&self, body: &[u8]) -> Option<Vec<String>> {
        names_in(body, "data", &["id"])
    }
}
