//! `ollama:MODEL`: Ollama's own interface, where the size of the context can be asked for.

mod reply;
mod request;

use super::chat::address;
use super::chat::ask::{Order, Prepared};
use super::chat::capabilities::{Ability, Capabilities};
use super::chat::completion::{Completion, NoReply};
use super::chat::dialect::{Dialect, names_in};
use super::chat::quirks::Shape;
use super::chat::stream::{Framing, Reader};
use crate::calls::{CallError, CallErrorKind};
use reqwest::Url;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where Ollama listens by default.
pub const LOCAL: &str = "http://127.0.0.1:11434";

/// Its port.
const PORT: u16 = 11434;

/// The context that is asked for at least, in tokens: Ollama's own default.
const SMALLEST_CONTEXT: u64 = 4096;

/// The context that is asked for at most. Longer prompts are refused here: a model that is given more than it was loaded
/// with is loaded anew, and memory grows with it.
const LARGEST_CONTEXT: u64 = 32_768;

/// Ollama.
#[derive(Debug)]
pub struct Ollama {
    chat: Url,
    generate: Url,
    tags: Url,
    /// The context that the model was asked to have. It only grows: each change makes the server load the model anew.
    context: AtomicU64,
}

impl Ollama {
    /// For the server at `base`, in any form that `OLLAMA_HOST` may have (`host`, `host:port`, a URL), with or without `/api`
    /// or `/v1`; `None` = this machine.
    ///
    /// # Errors
    /// `Unreachable` when it is no http(s) URL.
    pub fn new(base: Option<&str>) -> Result<Self, CallError> {
        let (url, mut path) = server(base)?;
        path.push("api".to_owned());
        Ok(Self {
            chat: address::at(&url, &path, "chat"),
            generate: address::at(&url, &path, "generate"),
            tags: address::at(&url, &path, "tags"),
            context: AtomicU64::new(SMALLEST_CONTEXT),
        })
    }

    /// The context for a call, in steps of powers of two.
    fn context(&self, ask: &Prepared, order: &Order) -> u64 {
        let wanted = needs(ask, order).next_power_of_two().min(LARGEST_CONTEXT);
        self.context.fetch_max(wanted, Ordering::SeqCst).max(wanted)
    }
}

/// The server at `base`, and the path below which its interfaces are.
fn server(base: Option<&str>) -> Result<(Url, Vec<String>), CallError> {
    let url = address::parse(&with_port(base.unwrap_or(LOCAL)))?;
    let mut path = address::path(&url);
    let tails: [&[&str]; 6] = [&["v1", "chat", "completions"], &["v1"], &["api", "chat"], &["api", "generate"], &["api", "tags"], &["api"]];
    let _ = tails.iter().any(|tail| address::strip_end(&mut path, tail));
    Ok((url, path))
}

/// Where the server that `OLLAMA_HOST` names (in any of its forms) lists its models.
///
/// # Errors
/// `Unreachable` when it is no http(s) URL.
pub fn list_of(host: &str) -> Result<Url, CallError> {
    let (url, mut path) = server(Some(host))?;
    path.push("api".to_owned());
    Ok(address::at(&url, &path, "tags"))
}

/// Tokens that a call needs, counted generously.
fn needs(ask: &Prepared, order: &Order) -> u64 {
    request::generous_tokens(ask) + u64::from(order.limit.1)
}

/// `OLLAMA_HOST` may be a bare host, and the address to listen on instead of the one to call.
fn with_port(base: &str) -> String {
    let base = base.trim().trim_end_matches('/');
    let bare = !base.contains("://");
    let base = if bare { format!("http://{base}") } else { base.to_owned() };
    let Ok(mut url) = Url::parse(&base) else { return base };
    if url.host_str() == Some("0.0.0.0") {
        let _ = url.set_host(Some("127.0.0.1"));
    }
    if bare && url.port().is_none() {
        let _ = url.set_port(Some(PORT));
    }
    url.to_string()
}

impl Dialect for Ollama {
    fn word(&self) -> &'static str {
        "ollama"
    }

    fn address(&self) -> &Url {
        &self.chat
    }

    fn shape(&self) -> Shape {
        Shape { width: 1, most_stops: 16, ..Shape::default() }
    }

    fn documented(&self) -> Capabilities {
        Capabilities {
            samples: Ability::No,
            stop: Ability::Yes,
            seed: Ability::Yes,
            temperature: Ability::Yes,
            structured: Ability::Yes,
            streaming: Ability::Yes,
            ..Capabilities::unknown()
        }
    }

    fn limit_name(&self) -> Option<&'static str> {
        Some("num_predict")
    }

    /// Ollama cuts what is too long without a word, older versions always: it is not sent.
    fn refuse(&self, ask: &Prepared, order: &Order) -> Option<CallError> {
        let needed = needs(ask, order);
        (needed > LARGEST_CONTEXT).then(|| {
            let message = format!(
                "the prompt is too long for {}: about {needed} tokens with the reply, more than the {LARGEST_CONTEXT} that Ollama is asked for; a smaller local graph is needed",
                crate::text::one_line(&ask.model)
            );
            CallError::new(CallErrorKind::TooLong, message)
        })
    }

    fn write(&self, ask: &Prepared, order: &Order) -> (Url, Value) {
        let context = self.context(ask, order);
        let url = if ask.completion { &self.generate } else { &self.chat };
        (url.clone(), request::body(ask, order, context))
    }

    fn read(&self, body: &[u8], letters: usize) -> Result<Completion, NoReply> {
        reply::read(body, letters)
    }

    fn reader(&self, letters: usize) -> Option<(Framing, Box<dyn Reader>)> {
        Some((Framing::Lines, Box::new(reply::Stream::new(letters))))
    }

    fn models(&self) -> Url {
        self.tags.clone()
    }

    fn listed(&self, body: &[u8]) -> Option<Vec<String>> {
        names_in(body, "models", &["name", "model"])
    }

    /// A name without a tag means the tag `latest`.
    fn is_listed(&self, listed: &str, model: &str) -> bool {
        listed == model || listed.strip_suffix(":latest") == Some(model)
    }

    fn lists_all(&self) -> bool {
        true
    }

    fn remedy(&self, model: &str) -> String {
        format!("fetch it with `ollama pull {model}`, or choose another with --llm ollama:MODEL")
    }

    fn notes(&self) -> Option<String> {
        let context = self.context.load(Ordering::SeqCst);
        (context > SMALLEST_CONTEXT)
            .then(|| format!("Ollama is asked for a context of {context} tokens, which takes memory; by itself it would cut the prompts."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_ollama_host_reaches_the_chat_call() {
        for (base, chat) in [
            ("http://h:1", "http://h:1/api/chat"),
            ("http://h:1/", "http://h:1/api/chat"),
            ("http://h:1/v1", "http://h:1/api/chat"),
            ("http://h:1/v1/chat/completions", "http://h:1/api/chat"),
            ("http://h:1/api/chat", "http://h:1/api/chat"),
            ("h:1", "http://h:1/api/chat"),
            ("h", "http://h:11434/api/chat"),
            ("0.0.0.0", "http://127.0.0.1:11434/api/chat"),
            ("0.0.0.0:9", "http://127.0.0.1:9/api/chat"),
            ("https://ollama.com", "https://ollama.com/api/chat"),
            ("https://proxy/ollama", "https://proxy/ollama/api/chat"),
        ] {
            assert_eq!(Ollama::new(Some(base)).unwrap().chat.as_str(), chat, "{base}");
        }
        let local = Ollama::new(None).unwrap();
        assert_eq!((local.chat.as_str(), local.tags.as_str()), ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/tags"));
    }

    #[test]
    fn a_name_without_a_tag_is_the_latest() {
        let dialect = Ollama::new(None).unwrap();
        assert!(dialect.is_listed("llama3.2:latest", "llama3.2") && dialect.is_listed("qwen3:8b", "qwen3:8b"));
        assert!(!dialect.is_listed("qwen3:8b", "qwen3"));
    }
}
