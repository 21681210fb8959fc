//! A service on the network: one queue for each host, retries with pauses, redirects within the host, whole bodies only.

use super::host::{Host, Shut};
use super::login::{Auth, Login, offers};
use super::{ClientSettings, client, pause, retry_after};
use crate::calls::{CallError, CallErrorKind};
use crate::kg::Waiting;
use crate::redact::{self, Secrets};
use crate::text;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, StatusCode, Url};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use thiserror::Error;
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
    /// Requests under way at once, to one host. Of several services on one host the strictest settings hold for all.
    pub parallel: usize,
    /// The least time between the beginnings of two requests to one host.
    pub every: Duration,
    /// Bytes of one answer at most.
    pub largest_answer: usize,
    /// Who we are, where the service wants to know. (A login in a URL needs none of this.)
    pub login: Option<Login>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            client: ClientSettings::default(),
            tries: 4,
            pause: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            parallel: 4,
            every: Duration::ZERO,
            largest_answer: 64 << 20,
            login: None,
        }
    }
}

/// Why there is no such service.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// The URL is none.
    #[error("\"{0}\" is no URL of a service: give one that begins with http:// or https:// and names a host")]
    NoUrl(String),
    /// The URL of an endpoint is none.
    #[error("\"{0}\" is no URL of an endpoint: write sparql:https://HOST/PATH, or sparql:http://HOST:PORT/PATH")]
    NoEndpoint(String),
    /// No client for it.
    #[error("no connection can be made ready ({0}): check the proxy settings and the system's certificates")]
    Client(String),
}

/// What is asked of a service.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where, with its query string.
    pub url: Url,
    /// Sent as a POST form, if there is one; else it is a GET.
    pub form: Option<Vec<(String, String)>>,
    /// The kinds of content that are understood.
    pub accept: &'static str,
}

impl Request {
    /// A GET.
    #[must_use]
    pub const fn get(url: Url, accept: &'static str) -> Self {
        Self { url, form: None, accept }
    }

    /// A POST of a form.
    #[must_use]
    pub const fn post(url: Url, form: Vec<(String, String)>, accept: &'static str) -> Self {
        Self { url, form: Some(form), accept }
    }
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// Where it came from in the end (the last redirect).
    pub url: Url,
    /// The body, unpacked.
    pub body: Vec<u8>,
    /// Milliseconds, pauses included.
    pub took_ms: u64,
    /// How many tries it took.
    pub tries: u32,
}

impl Response {
    /// A header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The content type in lower case; empty where there is none.
    #[must_use]
    pub fn kind(&self) -> String {
        self.header(CONTENT_TYPE.as_str()).unwrap_or_default().to_ascii_lowercase()
    }

    /// How long the server asks to wait before the next request.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.header(RETRY_AFTER.as_str())?, SystemTime::now())
    }
}

/// What is to be made of an answer.
#[derive(Debug)]
pub enum Verdict {
    /// It is what was asked for.
    Take,
    /// The service is busy: wait (as long as it said, if it did) and ask again; after the last try this is the error.
    Busy(CallError, Option<Duration>),
    /// It failed, and asking again would not help.
    Fail(CallError),
}

/// A service at one address.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    /// How messages call it: the URL without secrets, or a name.
    shown: String,
    /// What stands before its URL on the command line: `sparql:`.
    prefix: &'static str,
    secrets: Secrets,
    client: Client,
    settings: HttpSettings,
    auth: Option<Auth>,
    host: Arc<Host>,
}

impl Service {
    /// The service at `url`, and that URL without the login that it may hold. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn new(url: &str, settings: &HttpSettings) -> Result<(Self, Url), ServiceError> {
        let shown = redact::url(url);
        let parsed = Url::parse(url).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
        let mut parsed = parsed.ok_or_else(|| ServiceError::NoUrl(shown.clone()))?;
        let client = client(url, &settings.client).map_err(|error| ServiceError::Client(error.without_url().to_string()))?;
        let host = Host::of(&parsed, settings.parallel, settings.every);
        let auth = Auth::new(settings.login.as_ref(), &parsed);
        let secrets = redact::of_url(url).into_iter().chain(auth.iter().flat_map(Auth::secrets));
        let secrets = Secrets::new(secrets);
        // Neither fails: there is a host.
        let _ = parsed.set_username("");
        let _ = parsed.set_password(None);
        let inner = Inner { shown, prefix: "", secrets, client, settings: settings.clone(), auth, host };
        Ok((Self { inner: Arc::new(inner) }, parsed))
    }

    /// The service called `name` in messages instead of by its URL.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        let inner = Inner { shown: name.to_owned(), ..(*self.inner).clone() };
        Self { inner: Arc::new(inner) }
    }

    /// The service whose URL stands behind `prefix` (`sparql:`) where a person names it.
    #[must_use]
    pub fn named_with(self, prefix: &'static str) -> Self {
        Self { inner: Arc::new(Inner { prefix, ..(*self.inner).clone() }) }
    }

    /// How messages call it.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.inner.shown
    }

    /// What a person should know about how the login travels, if there is something.
    #[must_use]
    pub fn login_note(&self) -> Option<&'static str> {
        let exposed = self.inner.auth.as_ref().is_some_and(Auth::is_exposed);
        exposed.then_some("the login goes over plain http, where others can read it: use https if the server has it")
    }

    /// Why requests are held back now, if they are.
    #[must_use]
    pub fn waiting(&self) -> Option<Waiting> {
        self.inner.host.waiting()
    }

    /// An error that names the service: `{shown} {what}`.
    #[must_use]
    pub fn error(&self, kind: CallErrorKind, what: &str) -> CallError {
        CallError::new(kind, format!("{} {what}", self.inner.shown))
    }

    /// Sends `request` until `judge` takes an answer, fails it, or the tries are used up. A connection that is closed
    /// before a byte of an answer came (kept alive by us, given up by the server) is tried once more; an answer that
    /// breaks off in the middle is not: the server did the work already and would likely fail at the same place.
    ///
    /// # Errors
    /// Those of the connection, and those of `judge`.
    pub async fn send(&self, request: &Request, judge: &(dyn Fn(&Response) -> Verdict + Sync)) -> Result<Response, CallError> {
        let inner = &*self.inner;
        let begun = Instant::now();
        let (mut tries, mut hung_up) = (0, false);
        loop {
            tries += 1;
            let sent = {
                let _slot = inner.host.enter(inner.settings.longest_wait).await.map_err(|shut| self.shut(&shut))?;
                self.once(request).await
            };
            let mut response = match sent {
                Ok(response) => response,
                Err(Fault::HungUp) if !hung_up && tries < inner.settings.tries => {
                    hung_up = true;
                    continue;
                }
                Err(Fault::HungUp) => {
                    let message = format!("ended the connection without an HTTP answer ({tries} tries): check the address, or try again");
                    return Err(self.error(CallErrorKind::BadReply, &message));
                }
                Err(Fault::Failed(error)) => return Err(error),
            };
            response.tries = tries;
            response.took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            match judge(&response) {
                Verdict::Take => return Ok(response),
                Verdict::Fail(error) => return Err(error),
                Verdict::Busy(error, Some(asked)) if asked > inner.settings.longest_wait => {
                    // Nobody else asks before that either.
                    inner.host.hold_back(asked, &error.message);
                    let message = format!("{} and asks to wait {} s: try again after that", error.message, asked.as_secs());
                    return Err(CallError::new(error.kind, message));
                }
                Verdict::Busy(error, asked) => {
                    // What the server asks for and a little by chance, so that many programs do not come back at once.
                    let growing = pause(inner.settings.pause, tries);
                    let chance = pause(inner.settings.pause, 1).saturating_sub(inner.settings.pause);
                    inner.host.hold_back(asked.map_or(growing, |asked| growing.max(asked + chance)), &error.message);
                    if tries >= inner.settings.tries {
                        return Err(CallError::new(error.kind, format!("{} ({tries} tries): try again later", error.message)));
                    }
                }
            }
        }
    }

    fn shut(&self, shut: &Shut) -> CallError {
        let message = format!("{} and asked to wait; {} s of that are left: try again after that", shut.why, shut.left.as_secs().max(1));
        CallError::new(CallErrorKind::Server, message)
    }

    /// Sends once, and again to where the server sends us, as long as that is the same host, and with the login in the
    /// form that it asks for.
    async fn once(&self, request: &Request) -> Result<Response, Fault> {
        let mut url = request.url.clone();
        let deadline = Instant::now() + self.inner.settings.client.total;
        let (mut hops, mut rounds) = (0, 0);
        loop {
            let building = match &request.form {
                Some(form) => self.inner.client.post(url.clone()).form(form),
                None => self.inner.client.get(url.clone()),
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let mut building = building.header(ACCEPT, request.accept).timeout(left).build().map_err(|error| self.fault(&error))?;
            if let Some(auth) = &self.inner.auth {
                auth.sign(&mut building);
            }
            let response = self.inner.client.execute(building).await.map_err(|error| self.fault(&error))?;
            // Also the body of what is not used is read: the connection serves again after that.
            let response = self.whole(response, url.clone()).await?;
            match response.status.as_u16() {
                401 if self.inner.auth.as_ref().is_some_and(|auth| auth.challenged(&response.headers, rounds)) => rounds += 1,
                301 | 302 | 307 | 308 => {
                    hops += 1;
                    if hops > 3 {
                        return Err(self.error(CallErrorKind::Server, "redirects in a circle").into());
                    }
                    url = self.target(&response)?;
                }
                _ => return Ok(response),
            }
        }
    }

    /// Where a redirect leads, when that is the same service.
    fn target(&self, response: &Response) -> Result<Url, CallError> {
        let target = response.header(LOCATION.as_str()).and_then(|value| response.url.join(value).ok());
        let mut target = target.ok_or_else(|| self.error(CallErrorKind::Server, "redirects without saying where to"))?;
        if !same_service(&response.url, &target) {
            let target = redact::url(target.as_str());
            let moved = format!("has moved to another place: use {}{target} if you trust it", self.inner.prefix);
            return Err(self.error(CallErrorKind::Refused, &moved));
        }
        let _ = target.set_username("");
        let _ = target.set_password(None);
        Ok(target)
    }

    async fn whole(&self, mut response: reqwest::Response, url: Url) -> Result<Response, CallError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        let largest = self.inner.settings.largest_answer;
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > largest => {
                    let mb = largest >> 20;
                    return Err(self.error(CallErrorKind::BadReply, &format!("sent more than {mb} MB in one answer: ask for less")));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                // An error page that breaks off is an error page all the same.
                Err(_) if !status.is_success() => break,
                Err(error) if error.is_timeout() => return Err(self.timed_out()),
                Err(_) => {
                    let message = format!("broke off its answer after {} bytes: try again, or ask for less", body.len());
                    return Err(self.error(CallErrorKind::BadReply, &message));
                }
            }
        }
        Ok(Response { status, headers, url, body, took_ms: 0, tries: 1 })
    }

    /// What a status other than success usually means.
    #[must_use]
    pub fn by_status(&self, response: &Response) -> Verdict {
        if response.status.is_success() {
            return Verdict::Take;
        }
        let quote = if response.kind().contains("html") { String::new() } else { self.quote(&response.body) };
        let code = response.status.as_u16();
        let (kind, what) = match code {
            401 => (CallErrorKind::Key, self.wants_login(response)),
            403 => (CallErrorKind::Key, "forbids this; if it wants to know whom to contact, set TOT_CONTACT".to_owned()),
            404 => (CallErrorKind::Refused, "has nothing there (status 404)".to_owned()),
            429 => (CallErrorKind::Server, "says that we ask too often (status 429)".to_owned()),
            502..=504 => (CallErrorKind::Server, format!("is busy or down (status {code})")),
            500..=599 => (CallErrorKind::Server, format!("failed (status {code})")),
            400..=499 => (CallErrorKind::Refused, format!("refuses the request (status {code})")),
            _ => (CallErrorKind::Refused, format!("answered with status {code}")),
        };
        let error = self.error(kind, &format!("{what}{quote}"));
        if matches!(code, 429 | 502..=504) { Verdict::Busy(error, response.retry_after()) } else { Verdict::Fail(error) }
    }

    /// What to do about a status 401.
    fn wants_login(&self, response: &Response) -> String {
        if let Some(auth) = &self.inner.auth {
            return auth.refused(&response.headers).to_owned();
        }
        let has = |scheme| offers(&response.headers, scheme);
        if has("bearer") && !has("basic") && !has("digest") {
            return "wants a token: name the environment variable that holds it as `password_env` for this graph under `kgs` in the configuration"
                .to_owned();
        }
        let in_url = if self.inner.prefix.is_empty() { String::new() } else { format!("as {}https://USER:PASSWORD@HOST/PATH, or ", self.inner.prefix) };
        format!("wants a user and password: give them {in_url}as `user` and `password_env` for this graph under `kgs` in the configuration")
    }

    /// `: "first line of what the server says"`, without secrets; nothing when it says nothing.
    #[must_use]
    pub fn quote(&self, body: &[u8]) -> String {
        let body = String::from_utf8_lossy(&body[..body.len().min(4000)]);
        let Some(line) = body.lines().map(text::one_line).find(|line| !line.is_empty()) else { return String::new() };
        let line = self.inner.secrets.hide(&line);
        format!(": \"{}\"", text::cut(&line, 200))
    }

    fn timed_out(&self) -> CallError {
        let seconds = self.inner.settings.client.total.as_secs_f32();
        self.error(CallErrorKind::TimedOut, &format!("did not answer within {seconds} s: ask for less, or try again"))
    }

    fn fault(&self, error: &reqwest::Error) -> Fault {
        if error.is_connect() {
            let what = if error.is_timeout() { "does not take the connection" } else { "cannot be reached" };
            let message = format!("{what}: check the address, the network and that the server runs");
            return self.error(CallErrorKind::Unreachable, &message).into();
        }
        if error.is_timeout() { self.timed_out().into() } else { Fault::HungUp }
    }
}

/// Why a request has no answer.
enum Fault {
    /// The connection ended before an answer began.
    HungUp,
    /// It failed.
    Failed(CallError),
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

/// Whether `to` is served by whom serves `from`: what was meant for one may be sent to the other. From http to https of
/// the same host is, the way back is not.
fn same_service(from: &Url, to: &Url) -> bool {
    let port = from.port_or_known_default() == to.port_or_known_default();
    from.host_str() == to.host_str() && if from.scheme() == to.scheme() { port } else { from.scheme() == "http" && to.scheme() == "https" }
}
