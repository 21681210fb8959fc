//! A SPARQL 1.1 endpoint over HTTP: POST as a form (the one way that every server takes), results as JSON.
//!
//! A reply counts only when it is a whole result document. Errors name the endpoint, quote at most one line of the
//! server, and hold no secret of the URL.

use super::http::{self, ClientSettings};
use super::sparql::{Answer, Query, ReadError, Results, Transport, read_results};
use crate::calls::{CallError, CallErrorKind};
use crate::redact::{self, Secrets};
use crate::text;
use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Manners on the wire.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Time-outs and contact.
    pub client: ClientSettings,
    /// Tries in all, when the server is busy.
    pub tries: u32,
    /// The pause after the first try; it doubles from try to try.
    pub pause: Duration,
    /// The longest wait that a server may ask for; beyond it the call fails and says so.
    pub longest_wait: Duration,
    /// Requests under way at once.
    pub parallel: usize,
    /// Bytes of one answer at most.
    pub largest_answer: usize,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            client: ClientSettings::default(),
            tries: 4,
            pause: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            parallel: 4,
            largest_answer: 64 << 20,
        }
    }
}

/// Why there is no such endpoint.
#[derive(Debug, Error)]
pub enum EndpointError {
    /// The URL is none.
    #[error("\"{0}\" is no URL of an endpoint: give it as sparql:http://HOST/PATH or sparql:https://HOST/PATH")]
    NoUrl(String),
    /// No client for it.
    #[error("no connection can be made ready ({0}): check the proxy settings and the system's certificates")]
    Client(String),
}

/// A SPARQL 1.1 endpoint.
pub struct Endpoint {
    inner: Arc<Inner>,
}

struct Inner {
    url: Url,
    /// The URL without secrets, for people.
    shown: String,
    secrets: Secrets,
    client: Client,
    settings: HttpSettings,
    slots: Semaphore,
    /// No request goes out before this: the server asked all of us to wait.
    not_before: Mutex<Option<Instant>>,
}

impl Endpoint {
    /// The endpoint at `url`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`EndpointError`].
    pub fn new(url: &str, settings: HttpSettings) -> Result<Self, EndpointError> {
        let shown = redact::url(url);
        let parsed = Url::parse(url).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
        let parsed = parsed.ok_or_else(|| EndpointError::NoUrl(shown.clone()))?;
        let client = http::client(url, &settings.client).map_err(|error| EndpointError::Client(error.without_url().to_string()))?;
        let slots = Semaphore::new(settings.parallel.max(1));
        let secrets = Secrets::of_url(url);
        Ok(Self { inner: Arc::new(Inner { url: parsed, shown, secrets, client, settings, slots, not_before: Mutex::new(None) }) })
    }
}

impl Transport for Endpoint {
    fn run(&self, query: Query) -> BoxFuture<'static, Result<Answer, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.run(&query).await })
    }

    fn about(&self) -> String {
        format!("SPARQL endpoint {}", self.inner.shown)
    }
}

/// What one try brought.
enum Tried {
    Done(Results, Option<String>),
    /// The server is busy; it may have said how long.
    Busy(CallError, Option<Duration>),
}

impl Inner {
    async fn run(&self, query: &Query) -> Result<Answer, CallError> {
        let begun = Instant::now();
        let mut tries = 0;
        loop {
            tries += 1;
            self.wait().await;
            let tried = {
                let _slot = self.slots.acquire().await.map_err(|_| self.error(CallErrorKind::Server, "is closed"))?;
                self.once(query).await?
            };
            match tried {
                Tried::Done(results, cut) => {
                    let cut = cut.or_else(|| self.maybe_cut(query, &results));
                    let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                    return Ok(Answer { results, cut, took_ms, tries });
                }
                Tried::Busy(error, _) if tries >= self.settings.tries => {
                    return Err(CallError::new(error.kind, format!("{} ({tries} tries): try again later", error.message)));
                }
                Tried::Busy(error, Some(asked)) if asked > self.settings.longest_wait => {
                    let message = format!("{} and asks to wait {} s: try again after that", error.message, asked.as_secs());
                    return Err(CallError::new(error.kind, message));
                }
                Tried::Busy(_, asked) => self.hold_back(http::pause(self.settings.pause, tries).max(asked.unwrap_or_default())),
            }
        }
    }

    /// Waits until requests may go out again.
    async fn wait(&self) {
        loop {
            let until = *self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
            match until {
                Some(until) if until > Instant::now() => tokio::time::sleep_until(until).await,
                _ => return,
            }
        }
    }

    fn hold_back(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut gate = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        *gate = Some(gate.map_or(until, |known| known.max(until)));
    }

    async fn once(&self, query: &Query) -> Result<Tried, CallError> {
        let response = self.send(query).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = self.body(response).await;
        if status.is_success() {
            let results = self.results(&headers, &body?)?;
            return Ok(Tried::Done(results, self.cut(status, &headers)));
        }
        // An error page that breaks off is an error page all the same.
        let error = self.refusal(status, &headers, &body.unwrap_or_default());
        if matches!(status.as_u16(), 429 | 502 | 503 | 504) {
            let asked = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
            return Ok(Tried::Busy(error, asked.and_then(|value| http::retry_after(value, SystemTime::now()))));
        }
        Err(error)
    }

    /// Sends the query, and again to where the server sends us, as long as that is the same host.
    async fn send(&self, query: &Query) -> Result<Response, CallError> {
        let mut url = self.url.clone();
        for _ in 0..4 {
            let request = self.client.post(url.clone()).header(ACCEPT, "application/sparql-results+json").form(&[("query", &query.text)]);
            let response = request.send().await.map_err(|error| self.failure(&error))?;
            if !matches!(response.status().as_u16(), 301 | 302 | 307 | 308) {
                return Ok(response);
            }
            let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).and_then(|value| url.join(value).ok());
            let target = target.ok_or_else(|| self.error(CallErrorKind::Server, "redirects without saying where to"))?;
            let safe = target.host_str() == url.host_str() && (target.scheme() == url.scheme() || target.scheme() == "https");
            if !safe {
                let moved = format!("has moved: use sparql:{} if you trust that host", redact::url(target.as_str()));
                return Err(self.error(CallErrorKind::Refused, &moved));
            }
            let (user, password) = (self.url.username().to_owned(), self.url.password().map(str::to_owned));
            url = target;
            if !user.is_empty() {
                let _ = url.set_username(&user);
                let _ = url.set_password(password.as_deref());
            }
        }
        Err(self.error(CallErrorKind::Server, "redirects in a circle"))
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, CallError> {
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > self.settings.largest_answer => {
                    let mb = self.settings.largest_answer >> 20;
                    return Err(self.error(CallErrorKind::BadReply, &format!("sent more than {mb} MB in one answer: ask for less")));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body),
                Err(error) if error.is_timeout() => return Err(self.failure(&error)),
                Err(_) => {
                    let message = format!("broke off its answer after {} bytes: try again, or ask for less", body.len());
                    return Err(self.error(CallErrorKind::BadReply, &message));
                }
            }
        }
    }

    fn results(&self, headers: &HeaderMap, body: &[u8]) -> Result<Results, CallError> {
        let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("").to_ascii_lowercase();
        // Virtuoso answers some ASK queries with the bare word, and calls that HTML.
        match body.trim_ascii() {
            b"true" => return Ok(Results::Truth(true)),
            b"false" => return Ok(Results::Truth(false)),
            _ => {}
        }
        if kind.contains("html") {
            return Err(self.error(
                CallErrorKind::BadReply,
                "answered with a web page, not with results: is this the address of its SPARQL endpoint?",
            ));
        }
        read_results(body).map_err(|error| {
            let tail = String::from_utf8_lossy(&body[body.len().saturating_sub(4000)..]).to_lowercase();
            if tail.contains("timeoutexception") || tail.contains("timed out") || tail.contains("query timeout") {
                return self.error(CallErrorKind::TimedOut, "ran out of time in the middle of its answer: ask for less, or try again");
            }
            let remedy = match error {
                ReadError::Cut(_) => "try again, or ask for less",
                ReadError::NotJson { .. } if kind.contains("xml") => "it answers in XML: this endpoint cannot write JSON results",
                _ => "is this the address of its SPARQL endpoint?",
            };
            let quote = if body.first() == Some(&b'{') { String::new() } else { self.quote(body) };
            self.error(CallErrorKind::BadReply, &format!("sent what cannot be read: {error}{quote}; {remedy}"))
        })
    }

    /// Why the server itself says that the results are not all.
    fn cut(&self, status: StatusCode, headers: &HeaderMap) -> Option<String> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(text::one_line);
        if let Some(state) = header("X-SQL-State").filter(|state| !state.is_empty()) {
            let out_of_time = if state == "S1TAT" { "ran out of time" } else { "stopped early" };
            return Some(format!("{} {out_of_time}: the result is not complete", self.shown));
        }
        if let Some(rows) = header("X-SPARQL-MaxRows") {
            return Some(format!("{} cut the result at {} rows", self.shown, text::cut(&rows, 12)));
        }
        (status == StatusCode::PARTIAL_CONTENT).then(|| format!("{} says that the result is partial", self.shown))
    }

    /// A round number of rows that nobody asked for is how many servers cut without a word.
    fn maybe_cut(&self, query: &Query, results: &Results) -> Option<String> {
        let Results::Rows(table) = results else { return None };
        let round = matches!(table.rows.len(), 10_000 | 20_000 | 50_000 | 100_000 | 1_000_000);
        (round && query.limit.is_none())
            .then(|| format!("{} sent exactly {} rows: it may have cut the result", self.shown, super::thousands(table.rows.len() as u64)))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> CallError {
        let html = headers.get(CONTENT_TYPE).is_some_and(|value| value.to_str().is_ok_and(|kind| kind.contains("html")));
        let quote = if html { String::new() } else { self.quote(body) };
        let code = status.as_u16();
        let (kind, what) = match code {
            400 => (CallErrorKind::Refused, "refuses the query".to_owned()),
            401 => (CallErrorKind::Key, "wants a user and password: give them as sparql:https://USER:PASSWORD@HOST/PATH".to_owned()),
            403 => (CallErrorKind::Key, "forbids this; if it wants to know whom to contact, set TOT_CONTACT".to_owned()),
            404 | 405 => (CallErrorKind::Refused, format!("is no SPARQL endpoint (status {code}): check the path")),
            429 => (CallErrorKind::Server, "says that we ask too often (status 429)".to_owned()),
            502..=504 => (CallErrorKind::Server, format!("is busy or down (status {code})")),
            500..=599 => (CallErrorKind::Server, format!("failed (status {code})")),
            _ => (CallErrorKind::Refused, format!("answered with status {code}")),
        };
        self.error(kind, &format!("{what}{quote}"))
    }

    /// `: "first line of what the server says"`, without secrets; nothing when it says nothing.
    fn quote(&self, body: &[u8]) -> String {
        let body = String::from_utf8_lossy(&body[..body.len().min(4000)]);
        let Some(line) = body.lines().map(text::one_line).find(|line| !line.is_empty()) else { return String::new() };
        let line = self.secrets.hide(&line);
        format!(": \"{}\"", text::cut(&line, 200))
    }

    fn failure(&self, error: &reqwest::Error) -> CallError {
        if error.is_timeout() {
            let seconds = self.settings.client.total.as_secs_f32();
            return self.error(CallErrorKind::TimedOut, &format!("did not answer within {seconds:.0} s: ask for less, or try again"));
        }
        if error.is_connect() {
            return self.error(CallErrorKind::Unreachable, "cannot be reached: check the address, the network and that the server runs");
        }
        self.error(CallErrorKind::BadReply, "broke off the connection: try again")
    }

    fn error(&self, kind: CallErrorKind, what: &str) -> CallError {
        CallError::new(kind, format!("{} {what}", self.shown))
    }
}
