//! `openai:MODEL`: any server that speaks OpenAI's `/chat/completions`.

mod known;
mod reply;
mod request;
mod stream;
mod url;

use super::chat::ask::{Order, Prepared};
use super::chat::capabilities::Capabilities;
use super::chat::completion::{Completion, NoReply};
use super::chat::dialect::{Dialect, names_in};
use super::chat::quirks::Shape;
use super::chat::stream::{Framing, Reader};
use crate::calls::CallError;
use crate::redact::Secret;
use known::Known;
use reqwest::{RequestBuilder, Url};
use serde_json::Value;
use url::Endpoint;

/// OpenAI's chat completions.
#[derive(Debug)]
pub struct OpenAi {
    endpoint: Endpoint,
    known: Known,
}

impl OpenAi {
    /// For `model` of the server at `base`, in any form; `None` = OpenAI itself.
    ///
    /// # Errors
    /// `Unreachable` when it is no http(s) URL.
    pub fn new(base: Option<&str>, model: &str) -> Result<Self, CallError> {
        let endpoint = Endpoint::parse(base.unwrap_or(url::OFFICIAL))?;
        let known = known::known(&endpoint.chat, model);
        Ok(Self { endpoint, known })
    }
}

impl Dialect for OpenAi {
    fn word(&self) -> &'static str {
        "openai"
    }

    fn address(&self) -> &Url {
        &self.endpoint.chat
    }

    fn shape(&self) -> Shape {
        self.known.shape
    }

    fn write(&self, ask: &Prepared, order: &Order) -> (Url, Value) {
        let url = if ask.completion { &self.endpoint.completions } else { &self.endpoint.chat };
        (url.clone(), request::body(ask, order))
    }

    fn sign(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        match key {
            Some(key) if self.endpoint.azure => request.header("api-key", key.expose()),
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }

    fn documented(&self) -> Capabilities {
        self.known.capabilities.clone()
    }

    fn read(&self, body: &[u8], letters: usize) -> Result<Completion, NoReply> {
        reply::read(body, letters)
    }

    fn reader(&self, letters: usize) -> Option<(Framing, Box<dyn Reader>)> {
        Some((Framing::Events, Box::new(stream::Stream::new(letters))))
    }

    fn models(&self) -> Url {
        self.endpoint.models.clone()
    }

    fn listed(&self, body: &[u8]) -> Option<Vec<String>> {
        names_in(body, "data", &["id"])
    }
}
