//! A service on the network: one queue for each host, retries with pauses, redirects within the host, whole bodies only.

use super::host::{Host, Shut};
use super::login::{Auth, Next};
use super::{HttpSettings, Request, Response, ServiceError, Verdict, client, pause};
use crate::calls::Waiting;
use crate::calls::{CallError, CallErrorKind};
use crate::redact::{self, Secrets};
use reqwest::header::{ACCEPT, LOCATION};
use reqwest::{Client, Url};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

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
    /// Where it is: the login goes nowhere else.
    home: Url,
    secrets: Secrets,
    client: Client,
    settings: HttpSettings,
    auth: Option<Auth>,
    host: Arc<Host>,
    /// Where forms go since the server said that the address has changed for good.
    moved: Arc<Mutex<HashMap<Url, Url>>>,
}

impl Service {
    /// The service at `url`, and that URL without the login that it may hold. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn new(url: &str, settings: &HttpSettings) -> Result<(Self, Url), ServiceError> {
        let shown = redact::url(url);
        let parsed = Url::parse(url).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
        let mut parsed = parsed.ok_or_else(|| ServiceError::NoUrl(redact::malformed_url(url)))?;
        let client = client(url, &settings.client).map_err(|error| ServiceError::Client(error.without_url().to_string()))?;
        let host = Host::of(&parsed, settings.parallel, settings.every);
        let auth = Auth::new(settings.login.as_ref(), &parsed);
        let secrets = redact::of_url(url).into_iter().chain(auth.iter().flat_map(Auth::secrets));
        let secrets = Secrets::new(secrets);
        // Neither fails: there is a host.
        let _ = parsed.set_username("");
        let _ = parsed.set_password(None);
        let inner = Inner {
            shown,
            prefix: "",
            home: parsed.clone(),
            secrets,
            client,
            settings: settings.clone(),
            auth,
            host,
            moved: Arc::default(),
        };
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

    pub(super) fn auth(&self) -> Option<&Auth> {
        self.inner.auth.as_ref()
    }

    pub(super) fn prefix(&self) -> &'static str {
        self.inner.prefix
    }

    /// `text` without secrets.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.inner.secrets.hide(text)
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
        let moved = || self.inner.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let known = if request.form.is_some() { moved().get(&request.url).cloned() } else { None };
        let mut url = known.unwrap_or_else(|| request.url.clone());
        let mut for_good = true;
        let mut deadline = Instant::now() + self.inner.settings.client.total;
        let (mut hops, mut rounds, mut bare) = (0, 0, false);
        loop {
            if hops + rounds > 0 {
                // Also this one keeps its distance; the time that it stands in the queue is not the server's.
                let queued = Instant::now();
                let turn = self.inner.host.turn(self.inner.settings.longest_wait).await;
                turn.map_err(|shut| self.shut(&shut))?;
                deadline += queued.elapsed();
            }
            let building = match &request.form {
                Some(form) => self.inner.client.post(url.clone()).form(form),
                None => self.inner.client.get(url.clone()),
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let mut building = building.header(ACCEPT, request.accept).timeout(left).build().map_err(|error| self.fault(&error))?;
            if let Some(auth) = self.inner.auth.as_ref().filter(|_| !bare && same_service(&self.inner.home, &url)) {
                auth.sign(&mut building);
            }
            let response = self.inner.client.execute(building).await.map_err(|error| self.fault(&error))?;
            self.inner.host.answered();
            // Also the body of what is not used is read: the connection serves again after that.
            let response = self.whole(response, url.clone()).await?;
            match response.status.as_u16() {
                401 => match self.inner.auth.as_ref().map_or(Next::GiveUp, |auth| auth.challenged(&response.headers, rounds, bare)) {
                    Next::GiveUp => return Ok(response),
                    next => (rounds, bare) = (rounds + 1, next == Next::Bare),
                },
                301 | 302 | 307 | 308 => {
                    hops += 1;
                    if hops > 3 {
                        return Err(self.error(CallErrorKind::Server, "redirects in a circle").into());
                    }
                    url = self.target(&response)?;
                    for_good &= matches!(response.status.as_u16(), 301 | 308);
                    if for_good && request.form.is_some() {
                        moved().insert(request.url.clone(), url.clone());
                    }
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
