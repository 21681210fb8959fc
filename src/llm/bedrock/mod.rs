//! `bedrock:MODEL`: Amazon Bedrock's Converse.

mod reply;
mod request;
#[cfg(feature = "bedrock-sigv4")]
mod sigv4;

use super::chat::address;
use super::chat::ask::{Order, Prepared};
use super::chat::capabilities::{Ability, Capabilities};
use super::chat::completion::{Completion, NoReply};
use super::chat::dialect::{Dialect, names_in};
use super::chat::quirks::{Shape, TokenLogs};
use super::chat::stream::{Framing, Reader};
use crate::calls::{CallError, CallErrorKind};
#[cfg(feature = "bedrock-sigv4")]
use futures_util::future::BoxFuture;
#[cfg(feature = "bedrock-sigv4")]
use reqwest::RequestBuilder;
use reqwest::Url;
use serde_json::Value;

/// Amazon Bedrock.
#[derive(Debug)]
pub struct Bedrock {
    converse: Url,
    models: Url,
    /// Whether the model is one whose service keeps prefixes.
    marks: bool,
    #[cfg(feature = "bedrock-sigv4")]
    signer: sigv4::Signer,
}

impl Bedrock {
    /// For `model` at `base`: the address of the runtime of a region, or of a proxy.
    ///
    /// # Errors
    /// `Unreachable` without an address, or when it is no http(s) URL.
    pub fn new(base: Option<&str>, model: &str) -> Result<Self, CallError> {
        let base = base.ok_or_else(|| {
            let message = "bedrock: needs a region: set AWS_REGION, or give --llm-url https://bedrock-runtime.REGION.amazonaws.com";
            CallError::new(CallErrorKind::Unreachable, message)
        })?;
        let url = address::parse(base)?;
        let mut path = address::path(&url);
        if let Some(at) = path.iter().position(|part| part == "model") {
            path.truncate(at);
        }
        let mut converse = address::at(&url, &path, "model");
        if let Ok(mut parts) = converse.path_segments_mut() {
            parts.push(model).push("converse");
        }
        // In names of models a colon is no part of an address' grammar.
        converse.set_path(&converse.path().replace(':', "%3A"));
        // Models are listed by the control plane, whose host has another name.
        let mut models = address::at(&url, &path, "foundation-models");
        if let Some(rest) = url.host_str().and_then(|host| host.strip_prefix("bedrock-runtime")) {
            let host = format!("bedrock{rest}");
            let _ = models.set_host(Some(&host));
        }
        Ok(Self {
            #[cfg(feature = "bedrock-sigv4")]
            signer: sigv4::Signer::new(&url),
            converse,
            models,
            marks: ["anthropic.claude", "amazon.nova"].iter().any(|name| model.contains(name)),
        })
    }
}

/// The address of a region's runtime; `None` for a text that is no name of a region.
#[must_use]
pub fn address_of(region: &str) -> Option<String> {
    let named = !region.is_empty() && region.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let end = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    named.then(|| format!("https://bedrock-runtime.{region}.{end}"))
}

impl Dialect for Bedrock {
    fn word(&self) -> &'static str {
        "bedrock"
    }

    fn address(&self) -> &Url {
        &self.converse
    }

    fn shape(&self) -> Shape {
        Shape {
            token_logs: TokenLogs::Refused,
            width: 1,
            seed: false,
            blank_stops: false,
            hottest: 1.0,
            marks: self.marks,
            stream: false,
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
            streaming: Ability::No,
            ..Capabilities::unknown()
        }
    }

    fn limit_name(&self) -> Option<&'static str> {
        Some("maxTokens")
    }

    fn write(&self, ask: &Prepared, order: &Order) -> (Url, Value) {
        (self.converse.clone(), request::body(ask, order))
    }

    #[cfg(feature = "bedrock-sigv4")]
    fn sign_each(&self, request: RequestBuilder) -> BoxFuture<'_, Result<RequestBuilder, CallError>> {
        Box::pin(self.signer.sign(request))
    }

    fn signs_each(&self) -> bool {
        cfg!(feature = "bedrock-sigv4")
    }

    fn read(&self, body: &[u8], letters: usize) -> Result<Completion, NoReply> {
        reply::read(body, letters)
    }

    /// Its streams are framed in binary, which nothing here reads.
    fn reader(&self, _letters: usize) -> Option<(Framing, Box<dyn Reader>)> {
        None
    }

    fn models(&self) -> Url {
        self.models.clone()
    }

    fn listed(&self, body: &[u8]) -> Option<Vec<String>> {
        names_in(body, "modelSummaries", &["modelId"])
    }

    /// A profile (`us.` before a model's name, or an ARN) stands for a model.
    fn is_listed(&self, listed: &str, model: &str) -> bool {
        model.starts_with("arn:") || model == listed || model.split_once('.').is_some_and(|(_, rest)| rest == listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_and_a_model_make_the_address() {
        let base = address_of("eu-central-1").unwrap();
        let dialect = Bedrock::new(Some(&base), "us.anthropic.claude-3-5-haiku-20241022-v1:0").unwrap();
        let wanted = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.anthropic.claude-3-5-haiku-20241022-v1%3A0/converse";
        assert_eq!(dialect.converse.as_str(), wanted);
        assert_eq!(dialect.models.as_str(), "https://bedrock.eu-central-1.amazonaws.com/foundation-models");
        assert!(
            dialect.marks && dialect.is_listed("anthropic.claude-3-5-haiku-20241022-v1:0", "us.anthropic.claude-3-5-haiku-20241022-v1:0")
        );
        assert_eq!(address_of("evil.example/"), None);
        assert!(address_of("cn-north-1").unwrap().ends_with(".amazonaws.com.cn"));
    }

    #[test]
    fn an_arn_is_one_part_of_the_path() {
        let arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0";
        let dialect = Bedrock::new(Some("http://127.0.0.1:9/"), arn).unwrap();
        let wanted =
            "http://127.0.0.1:9/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.amazon.nova-lite-v1%3A0/converse";
        assert_eq!(dialect.converse.as_str(), wanted);
        assert_eq!(dialect.models.as_str(), "http://127.0.0.1:9/foundation-models");
    }

    #[test]
    fn without_a_region_the_remedy_is_said() {
        assert!(Bedrock::new(None, "m").unwrap_err().message.contains("AWS_REGION"));
    }
}
