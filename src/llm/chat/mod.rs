//! One engine for every provider of models: how an ask is filled, what errors mean, when to ask again, what was learnt.
//!
//! One idea a file: [`ask`] what is asked, [`dialect`] what differs from provider to provider, [`completion`] what comes back,
//! [`wording`] and [`fault`] what errors mean, [`pause`] when to ask again, [`quirks`] what was learnt of the server,
//! [`keys`] whose key goes where, [`send`] one request, [`underway`] what it takes, [`stream`] replies in pieces, [`fill`] how the slots of an ask get filled,
//! [`luck`] whether the service was ever of use.

pub(super) mod address;
pub(super) mod ask;
pub(super) mod capabilities;
pub(super) mod completion;
pub(super) mod dialect;
mod fault;
mod fill;
mod gate;
pub mod keys;
mod learned;
mod luck;
mod pause;
pub(super) mod quirks;
mod recorded;
mod send;
pub(super) mod stream;
mod underway;
mod wording;

use super::anthropic::Anthropic;
use super::bedrock::{self, Bedrock};
use super::http;
use super::ollama::Ollama;
use super::openai::OpenAi;
use super::{LanguageModel, LlmJob, Wire};
use crate::calls::{CallError, CallErrorKind, Waiting};
use crate::redact::{self, Secret, Secrets};
use ask::Prepared;
use capabilities::Capabilities;
use dialect::Dialect;
use fault::Context;
use futures_util::future::BoxFuture;
use gate::Gate;
use learned::Memory;
use luck::Luck;
use quirks::Quirks;
use reqwest::header::HeaderMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the start page waits for a server.
const CHECK_TIMEOUT: Duration = Duration::from_secs(4);

/// Who speaks how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI's chat completions, which many servers speak.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own interface.
    Ollama,
    /// Amazon Bedrock's Converse.
    Bedrock,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Ollama, Self::Bedrock];

    /// The word before a model's name: `openai`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Bedrock => "bedrock",
        }
    }

    /// The server to ask: the one that was named, else the one that the environment names (`OLLAMA_HOST`; `AWS_REGION`,
    /// `AWS_DEFAULT_REGION`), else `None`: the provider's own.
    #[must_use]
    pub fn base_url(self, named: Option<&str>, environment: impl Fn(&str) -> Option<String>) -> Option<String> {
        let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        named.map(str::to_owned).or_else(|| match self {
            Self::OpenAi | Self::Anthropic => None,
            Self::Ollama => set("OLLAMA_HOST"),
            Self::Bedrock => {
                ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(set).and_then(|region| bedrock::address_of(region.trim()))
            }
        })
    }

    /// The dialect for `model` of the server at `base`; `None` = the provider's own.
    fn dialect(self, base: Option<&str>, model: &str) -> Result<Box<dyn Dialect>, CallError> {
        Ok(match self {
            Self::OpenAi => Box::new(OpenAi::new(base, model)?),
            Self::Anthropic => Box::new(Anthropic::new(base)?),
            Self::Ollama => Box::new(Ollama::new(base)?),
            Self::Bedrock => Box::new(Bedrock::new(base, model)?),
        })
    }
}

/// The settings of one adapter.
#[derive(Clone, Debug)]
pub struct ChatConfig {
    /// Who speaks how.
    pub provider: Provider,
    /// The model's name, as the server knows it.
    pub model: String,
    /// The server in any form (`http://h:11434`, `.../v1`, `.../v1/chat/completions`); `None` = the provider's own.
    pub base_url: Option<String>,
    /// The key; servers on one's own machine mostly need none.
    pub api_key: Option<Secret>,
    /// For one request: until its whole reply, or the first text of a reply that comes in pieces.
    pub timeout: Duration,
    /// Between two pieces of a reply.
    pub stall: Duration,
    /// Whether replies are asked for in pieces where the service can.
    pub stream: bool,
    /// Times that one request is sent when it fails in a way that may pass; at least 1. A request without an answer in time is
    /// sent twice at most.
    pub max_tries: u32,
    /// Requests of this model on the wire at once; at least 1. All models of a service together have as many as the one with the most.
    pub concurrency: usize,
    /// The pause before the second try; later ones grow.
    pub first_pause: Duration,
    /// The file that keeps between runs what was learnt of servers; `None`: nothing is kept.
    pub learned: Option<PathBuf>,
    /// Whether log-probabilities of tokens are asked for, where the service has them.
    pub log_probabilities: bool,
    /// Whether requests have everything that a service may refuse, also what they don't need: for a question that is asked to
    /// learn what the service takes.
    pub probe: bool,
    /// The least output limit, in tokens, for a model that was seen to reason before it answers.
    pub reasoning_floor: u32,
}

impl ChatConfig {
    /// `model` at the provider's own server without a key: 120 s a request, 60 s between pieces, 5 tries, 4 requests at once, pauses from 0.5 s.
    #[must_use]
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            base_url: None,
            api_key: None,
            timeout: Duration::from_secs(120),
            stall: Duration::from_secs(60),
            stream: true,
            max_tries: 5,
            concurrency: 4,
            first_pause: Duration::from_millis(500),
            learned: None,
            log_probabilities: false,
            probe: false,
            reasoning_floor: 4096,
        }
    }
}

impl ChatConfig {
    /// The usual file for what was learnt: `$XDG_CACHE_HOME/tot/learned.json`, else below `~/.cache`; `None` without a home
    /// folder.
    #[must_use]
    pub fn usual_memory() -> Option<PathBuf> {
        let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        Some(folder.or_else(|| std::env::home_dir().map(|home| home.join(".cache")))?.join("tot/learned.json"))
    }
}

/// The adapter for one model of one server. Cheap to clone: clones share what was learnt.
#[derive(Clone)]
pub struct Chat(Arc<Inner>);

/// What all calls of an adapter share.
struct Inner {
    name: String,
    config: ChatConfig,
    dialect: Box<dyn Dialect>,
    context: Context,
    client: reqwest::Client,
    quirks: Quirks,
    luck: Luck,
    gate: Gate,
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat").field("model", &self.0.name).field("address", &self.0.context.address).finish_non_exhaustive()
    }
}

impl Chat {
    /// An adapter. Nothing is sent yet.
    ///
    /// # Errors
    /// `Key` when a service that wants a key is meant and there is none, or the key can't stand in a header; `Unreachable`
    /// when the URL can't be read.
    pub fn new(mut config: ChatConfig) -> Result<Self, CallError> {
        config.max_tries = config.max_tries.max(1);
        config.concurrency = config.concurrency.clamp(1, 64);
        // From here on the URL with its secrets lives in the dialect only.
        let dialect = config.provider.dialect(config.base_url.take().as_deref(), &config.model)?;
        let address = dialect.address();
        let variable = keys::variable_for(config.provider, address);
        check_key(config.api_key.as_ref(), address, variable, dialect.signs_each())?;
        let mut shape = dialect.shape();
        shape.stream &= config.stream;
        let memory = config.learned.take().map(|path| Memory::new(path, dialect.word(), address, &config.model));
        let secrets = Secrets::new(redact::of_url(address.as_str()).into_iter().chain(config.api_key.clone()));
        let has_key = config.api_key.is_some() || address::has_credentials(address);
        Ok(Self(Arc::new(Inner {
            name: format!("{}:{}", dialect.word(), config.model),
            context: Context::new(
                &config.model,
                dialect.remedy(&crate::text::one_line(&config.model)),
                address,
                variable,
                has_key,
                secrets,
            ),
            client: http::client(config.timeout, address::is_local(address))?,
            quirks: Quirks::new(shape, memory),
            luck: Luck::default(),
            gate: Gate::new(address, config.concurrency),
            dialect,
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

    /// The models that the server lists, as it calls them.
    ///
    /// # Errors
    /// `Key`, `Unreachable`, `TimedOut` or `Server`, each with a remedy.
    pub fn models(&self) -> BoxFuture<'static, Result<Vec<String>, CallError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { inner.models().await })
    }
}

/// Refuses a missing key where one is needed, and a key that no header can carry.
fn check_key(key: Option<&Secret>, address: &reqwest::Url, variable: &str, signs: bool) -> Result<(), CallError> {
    let error = |message: String| Err(CallError::new(CallErrorKind::Key, message));
    match key {
        None if keys::needs_key(address) && !signs && !address::has_credentials(address) => error(format!(
            "{} wants a key: set {variable}, name a file that holds one with --key-file, or give another server with --llm-url (http://HOST:PORT needs none){}",
            crate::text::one_line(address.host_str().unwrap_or_default()),
            signing(variable, |name| std::env::var(name).ok())
        )),
        Some(key) if !key.expose().bytes().all(|b| b.is_ascii_graphic()) => {
            error(format!("the key in {variable} has blanks or letters that no key has: copy it again"))
        }
        _ => Ok(()),
    }
}

/// What makes AWS credentials of use that this build can't sign with.
fn signing(variable: &str, environment: impl Fn(&str) -> Option<String>) -> String {
    let set = |name: &&str| environment(name).is_some_and(|value| !value.trim().is_empty());
    let credentials = ["AWS_ACCESS_KEY_ID", "AWS_PROFILE"];
    match credentials.iter().find(|name| set(name)) {
        Some(name) if variable == Provider::Bedrock.key_variable(None) && !cfg!(feature = "bedrock-sigv4") => {
            format!(
                "; {name} is set, but this build does not sign requests: `cargo install --path . --features bedrock-sigv4` makes one that does"
            )
        }
        _ => String::new(),
    }
}

impl Inner {
    /// `request` with the key. A URL with user and password shows these instead: a request has one `Authorization`.
    async fn authorized(&self, request: reqwest::RequestBuilder) -> Result<reqwest::RequestBuilder, CallError> {
        let key = self.config.api_key.as_ref().filter(|_| !address::has_credentials(self.dialect.address()));
        let request = self.dialect.sign(request, key);
        if self.config.api_key.is_none() && self.dialect.signs_each() { self.dialect.sign_each(request).await } else { Ok(request) }
    }

    /// Asks for the list of models: status, headers and body.
    async fn list(&self) -> Result<(u16, HeaderMap, Vec<u8>), CallError> {
        let limit = CHECK_TIMEOUT.min(self.config.timeout);
        let until = Instant::now() + limit;
        let broken = |error| self.context.of_body(error).into_error();
        let request = self.authorized(self.client.get(self.dialect.models())).await?;
        let reply = send::in_time(until, limit, request.send()).await.map_err(broken)?;
        let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
        Ok((status, headers, send::read_body(reply, until, limit).await.map_err(broken)?))
    }

    fn of_list(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> CallError {
        self.context.at(&self.dialect.models()).of_status(status, headers, &String::from_utf8_lossy(body)).into_error()
    }

    async fn models(&self) -> Result<Vec<String>, CallError> {
        let (status, headers, body) = self.list().await?;
        if status != 200 {
            return Err(self.of_list(status, &headers, &body));
        }
        self.dialect.listed(&body).ok_or_else(|| self.no_server())
    }

    fn no_server(&self) -> CallError {
        let message = format!("what answers at {} is no chat server: check --llm-url", self.context.address);
        CallError::new(CallErrorKind::Unreachable, message)
    }

    async fn check(&self) -> Result<String, CallError> {
        let (status, headers, body) = self.list().await?;
        let (model, host) = (&self.context.model, &self.context.host);
        match status {
            200..=299 => match self.dialect.listed(&body) {
                Some(all) if all.iter().any(|listed| self.dialect.is_listed(listed, &self.config.model)) => Ok(format!("{host} is ready")),
                Some(_) if self.dialect.lists_all() => {
                    let message = format!("{host} has no model {model}: {}", self.context.remedy);
                    Err(CallError::new(CallErrorKind::Unreachable, message))
                }
                Some(all) if all.is_empty() => Ok(format!("{host} is ready")),
                Some(_) => Ok(format!("{host} is ready, but does not list {model}")),
                None => Err(self.no_server()),
            },
            // Servers without a list of models are no worse for it.
            404 | 405 | 501 => Ok(format!("{host} answers (it lists no models)")),
            _ => Err(self.of_list(status, &headers, &body)),
        }
    }
}

impl LanguageModel for Chat {
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

    fn waiting(&self) -> Option<Waiting> {
        self.0.gate.waiting()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.0.quirks.notes(&self.0.context.model, self.0.config.concurrency, self.0.config.log_probabilities);
        notes.extend(self.0.dialect.notes());
        notes
    }

    fn capabilities(&self) -> Option<Capabilities> {
        Some(self.0.quirks.capabilities(self.0.dialect.documented(), self.0.dialect.limit_name()))
    }

    /// The prompt goes as a system message (the instructions) and one user message. Every reply on the wire is reported with its
    /// tokens, also one that fills no slot because it has to be asked for again. The model asked is the adapter's own.
    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        let ChatConfig { model, log_probabilities, probe, .. } = &self.0.config;
        let mut prepared = Prepared::new(model, &job.request);
        (prepared.token_logs, prepared.probe) = (*log_probabilities || *probe, *probe);
        let filling = fill::Filling::new(Arc::clone(&self.0), prepared, &job.request.slots, wire);
        Box::pin(filling.run())
    }
}
