//! `anthropic:MODEL`: Anthropic's messages.

mod reply;
mod request;
mod stream;

use super::chat::address;
use super::chat::ask::{Order, Prepared};
use super::chat::capabilities::{Ability, Capabilities};
use super::chat::completion::{Completion, NoReply};
use super::chat::dialect::{Dialect, names_in};
use super::chat::quirks::{Shape, TokenLogs};
use super::chat::stream::{Framing, Reader};
use crate::calls::CallError;
use crate::redact::Secret;
use reqwest::{RequestBuilder, Url};
use serde_json::Value;

/// Where Anthropic is.
const OFFICIAL: &str = "https://api.anthropic.com";

/// The version of the interface that is spoken here. The one after it (2026-10-21) takes no temperature from any model; this one
/// is served beside it, and models that refuse one are learnt.
const VERSION: &str = "2023-06-01";

/// Anthropic's messages.
#[derive(Debug)]
pub struct Anthropic {
    messages: Url,
    models: Url,
}

impl Anthropic {
    /// For the server at `base`: a host, with or without `/v1` or `/v1/messages`; `None` = Anthropic itself.
    ///
    /// # Errors
    /// `Unreachable` when it is no http(s) URL.
    pub fn new(base: Option<&str>) -> Result<Self, CallError> {
        let url = address::parse(base.unwrap_or(OFFICIAL))?;
        let mut path = address::path(&url);
        let _ = ["messages", "models"].iter().any(|tail| address::strip_end(&mut path, &[tail]));
        if !path.last().is_some_and(|last| address::is_version(last)) {
            path.push("v1".to_owned());
        }
        let mut models = address::at(&url, &path, "models");
        models.query_pairs_mut().append_pair("limit", "1000");
        Ok(Self { messages: address::at(&url, &path, "messages"), models })
    }
}

impl Dialect for Anthropic {
    fn word(&self) -> &'static str {
        "anthropic"
    }

    fn address(&self) -> &Url {
        &self.messages
    }

    /// A form is asked for by a tool that has to be used; models that can't be forced to take it as the format of the reply.
    fn shape(&self) -> Shape {
        Shape {
            token_logs: TokenLogs::Refused,
            width: 1,
            seed: false,
            blank_stops: false,
            hottest: 1.0,
            marks: true,
            second_form: true,
            ..Shape::default()
        }
    }

    fn documented(&self) -> Capabilities {
        Capabilities {
            samples: Ability::No,
            stop: Ability::Yes,
            seed: Ability::No,
            temperature: Ability::Unknown,
            log_probabilities: Ability::No,
            structured: Ability::Yes,
            streaming: Ability::Yes,
            ..Capabilities::unknown()
        }
    }

    fn write(&self, ask: &Prepared, order: &Order) -> (Url, Value) {
        (self.messages.clone(), request::body(ask, order))
    }

    fn sign(&self, request: RequestBuilder, key: Option<&Secret>) -> RequestBuilder {
        let request = request.header("anthropic-version", VERSION);
        match key {
            Some(key) => request.header("x-api-key", key.expose()),
            None => request,
        }
    }

    fn read(&self, body: &[u8], letters: usize) -> Result<Completion, NoReply> {
        reply::read(body, letters)
    }

    fn reader(&self, letters: usize) -> Option<(Framing, Box<dyn Reader>)> {
        Some((Framing::Events, Box::new(stream::Stream::new(letters))))
    }

    fn models(&self) -> Url {
        self.models.clone()
    }

    fn listed(&self, body: &[u8]) -> Option<Vec<String>> {
        names_in(body, "data", &["id"])
    }

    /// Names without a date stand for the newest of their kind.
    fn is_listed(&self, listed: &str, model: &str) -> bool {
        let alias = model.strip_suffix("-latest").unwrap_or(model);
        listed == model || listed.strip_prefix(alias).is_some_and(|rest| rest.starts_with("-20"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reaches_the_messages_call_once() {
        for base in ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/messages", "h:1"] {
            let dialect = Anthropic::new(Some(base)).unwrap();
            assert_eq!(dialect.messages.as_str(), "http://h:1/v1/messages", "{base}");
            assert_eq!(dialect.models.as_str(), "http://h:1/v1/models?limit=1000", "{base}");
        }
        assert_eq!(Anthropic::new(None).unwrap().messages.as_str(), "https://api.anthropic.com/v1/messages");
        assert_eq!(Anthropic::new(Some("https://proxy/anthropic")).unwrap().messages.as_str(), "https://proxy/anthropic/v1/messages");
    }

    #[test]
    fn a_name_without_its_date_is_known() {
        let dialect = Anthropic::new(None).unwrap();
        assert!(dialect.is_listed("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"));
        assert!(dialect.is_listed("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"));
        assert!(!dialect.is_listed("claude-sonnet-4-5-20250929", "claude-sonnet"));
    }
}
