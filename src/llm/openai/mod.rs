//! `openai:MODEL`: any server that speaks OpenAI's `/chat/completions`.
//!
//! One idea a file: [`url`] the addresses, [`request`] what is sent, [`reply`] what comes back, [`wording`] and [`fault`] what
//! errors mean, [`pause`] when to ask again, [`quirks`] what was learnt of the server, [`fill`] how the slots of an ask get filled.

mod fault;
mod fill;
mod pause;
mod quirks;
mod reply;
mod request;
mod send;
mod url;
mod wording;

use super::http;
use super::{LanguageModel, LlmJob, Wire};
use crate::calls::{CallError, CallErrorKind};
use crate::redact::{Secret, Secrets};
use fault::{Context, Fault};
use futures_util::future::BoxFuture;
use quirks::Quirks;
use request::Prepared;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use url::Endpoint;

/// How long the start page waits for a server.
const CHECK_TIMEOUT: Duration = Duration::from_secs(4);

/// The settings of one adapter.
#[derive(Clone, Debug)]
pub struct OpenAiConfig {
    /// The model's name, as the server knows it.
    pub model: String,
    /// The server in any form (`http://h:11434`, `.../v1`, `.../v1/chat/completions`); `None` = OpenAI itself.
    pub base_url: Option<String>,
    /// The key; servers on one's own machine mostly need none.
    pub api_key: Option<Secret>,
    /// For one request, from its start to the end of its reply.
    pub timeout: Duration,
    /// Times that one request is sent when it fails in a way that may pass; at least 1. A request without an answer in time is
    /// sent twice at most.
    pub max_tries: u32,
    /// Requests of this adapter on the wire at once; at least 1.
    pub concurrency: usize,
    /// The pause before the second try; later ones grow.
    pub first_pause: Duration,
    /// The least output limit, in tokens, for a model that was seen to reason before it answers.
    pub reasoning_floor: u32,
}

impl OpenAiConfig {
    /// `model` at OpenAI without a key: 120 s a request, 5 tries, 4 requests at once, pauses from 0.5 s.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: None,
            api_key: None,
            timeout: Duration::from_secs(120),
            max_tries: 5,
            concurrency: 4,
            first_pause: Duration::from_millis(500),
            reasoning_floor: 4096,
        }
    }
}

/// The adapter for one model of one server. Cheap to clone: clones share what was learnt.
#[derive(Clone)]
pub struct OpenAi(Arc<Inner>);

/// What all calls of an adapter share.
struct Inner {
    name: String,
    config: OpenAiConfig,
    endpoint: Endpoint,
    context: Context,
    client: reqwest::Client,
    quirks: Quirks,
    wire_places: Semaphore,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("model", &self.0.config.model).field("address", &self.0.context.address).finish_non_exhaustive()
    }
}

impl OpenAi {
    /// An adapter. Nothing is sent yet.
    ///
    /// # Errors
    /// `Key` when OpenAI itself is meant and there is no key, or the key can't stand in a header; `Unreachable` when the
    /// URL can't be read.
    pub fn new(mut config: OpenAiConfig) -> Result<Self, CallError> {
        config.max_tries = config.max_tries.max(1);
        config.concurrency = config.concurrency.clamp(1, 64);
        let endpoint = Endpoint::parse(config.base_url.as_deref().unwrap_or(url::OFFICIAL))?;
        // From here on the URL with its secrets lives in the endpoint only.
        config.base_url = None;
        check_key(&config, &endpoint)?;
        let secrets = Secrets::new(endpoint.secrets().into_iter().chain(config.api_key.clone()));
        let has_key = config.api_key.is_some() || endpoint.has_credentials();
        Ok(Self(Arc::new(Inner {
            name: format!("openai:{}", config.model),
            context: Context::new(&config.model, &endpoint, has_key, secrets),
            client: http::client(config.timeout, endpoint.is_local())?,
            quirks: Quirks::default(),
            wire_places: Semaphore::new(config.concurrency),
            endpoint,
            config,
        })))
    }

    /// Whether the server can be used now, for the start page: one short sentence, or an error that says what to do.
    /// Asks for the list of models with a short time limit; costs nothing.
    ///
    /// # Errors
    /// `Key`, `Unreachable`, `TimedOut` or `Server`, each with a remedy.
    pub fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { inner.check().await })
    }
}

/// Refuses a missing key where one is needed, and a key that no header can carry.
fn check_key(config: &OpenAiConfig, endpoint: &Endpoint) -> Result<(), CallError> {
    let error = |message: &str| Err(CallError::new(CallErrorKind::Key, message));
    match &config.api_key {
        None if endpoint.is_official() => {
            error("api.openai.com wants a key: set OPENAI_API_KEY, or give another server with --llm-url (http://HOST:PORT needs none)")
        }
        Some(key) if !key.expose().bytes().all(|b| b.is_ascii_graphic()) => {
            error("the key in OPENAI_API_KEY has blanks or letters that no key has: copy it again")
        }
        _ => Ok(()),
    }
}

impl Inner {
    /// `request` with the key. A URL with user and password shows these instead: a request has one `Authorization`.
    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.config.api_key {
            Some(key) if !self.endpoint.has_credentials() => request.bearer_auth(key.expose()),
            _ => request,
        }
    }

    async fn check(&self) -> Result<String, CallError> {
        let limit = CHECK_TIMEOUT.min(self.config.timeout);
        let unwrap = |fault: Fault| match fault {
            Fault::Adapt(_, error) | Fault::Again(error, _) | Fault::Final(error) => error,
        };
        let request = self.authorized(self.client.get(self.endpoint.models.clone())).timeout(limit);
        let reply = request.send().await.map_err(|e| unwrap(self.context.of_transport(&e, limit)))?;
        let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
        let body = send::read_body(reply).await.map_err(|e| unwrap(self.context.of_body(e, limit)))?;
        let (model, host) = (&self.context.model, &self.context.host);
        match status {
            200..=299 => match listed_models(&body) {
                Some(all) if all.is_empty() || all.contains(&self.config.model) => Ok(format!("{host} is ready")),
                Some(_) => Ok(format!("{host} is ready, but does not list {model}")),
                None => {
                    let message = format!("what answers at {} is no chat server: check --llm-url", self.context.address);
                    Err(CallError::new(CallErrorKind::Unreachable, message))
                }
            },
            // Servers without a list of models are no worse for it.
            404 | 405 | 501 => Ok(format!("{host} answers (it lists no models)")),
            _ => Err(unwrap(self.context.of_status(status, &headers, &String::from_utf8_lossy(&body)))),
        }
    }
}

/// The ids in a reply to `GET /models`.
fn listed_models(body: &[u8]) -> Option<Vec<String>> {
    let root: serde_json::Value = serde_json::from_slice(body).ok()?;
    let list = root.get("data")?.as_array()?;
    Some(list.iter().filter_map(|m| m["id"].as_str().map(str::to_owned)).collect())
}

impl LanguageModel for OpenAi {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn about(&self) -> String {
        format!("{} at {}", self.0.context.model, self.0.context.host)
    }

    fn is_service(&self) -> bool {
        true
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        Self::check(self)
    }

    fn notes(&self) -> Vec<String> {
        self.0.quirks.notes(&self.0.context.model, self.0.config.concurrency)
    }

    /// The prompt goes as a system message (the instructions) and one user message. Every reply on the wire is reported with its
    /// tokens, also one that fills no slot because it has to be asked for again. The model asked is the adapter's own.
    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        let prepared = Prepared::new(&self.0.config.model, &job.request);
        let filling = fill::Filling::new(Arc::clone(&self.0), prepared, &job.request.slots, wire);
        Box::pin(filling.run())
    }
}
