//! A SPARQL 1.1 endpoint over HTTP: POST as a form (the way that nearly every server takes), results as JSON or XML.
//!
//! A reply counts only when it is a whole result document. Errors name the endpoint, quote at most one line of the
//! server, and hold no secret of the URL.

mod faults;

use super::http::{HttpSettings, Request, Response, Service, ServiceError, Verdict};
use super::sparql::{Answer, Iri, Query, ReadError, Results, Transport, read_results};
use crate::calls::{CallError, CallErrorKind, Waiting};
use crate::text;
use futures_util::future::BoxFuture;
use reqwest::{StatusCode, Url};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is understood, JSON first.
const ACCEPT: &str = "application/sparql-results+json, application/json;q=0.9, application/sparql-results+xml;q=0.8, application/xml;q=0.7";

/// Bytes of a URL that servers take at the least.
const LONGEST_URL: usize = 8000;

/// What the configuration says about an endpoint, beside manners and login.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointSettings {
    /// The graphs that are asked, instead of the endpoint's default graph.
    pub default_graph: Vec<Iri>,
    /// Rows at which the endpoint cuts a result without a word.
    pub row_cap: Option<u64>,
}

/// A SPARQL 1.1 endpoint.
pub struct Endpoint {
    inner: Arc<Inner>,
}

struct Inner {
    url: Url,
    service: Service,
    settings: EndpointSettings,
    /// Whether the server has refused a POST: it is asked by GET from then on.
    by_get: AtomicBool,
}

impl Endpoint {
    /// The endpoint at `url`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn new(url: &str, http: &HttpSettings) -> Result<Self, ServiceError> {
        Self::with(url, http, EndpointSettings::default())
    }

    /// As [`Endpoint::new`], with what the configuration says.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn with(url: &str, http: &HttpSettings, settings: EndpointSettings) -> Result<Self, ServiceError> {
        let (service, url) = Service::new(url, http).map_err(|error| match error {
            ServiceError::NoUrl(url) => ServiceError::NoEndpoint(url),
            other => other,
        })?;
        let service = service.named_with("sparql:");
        Ok(Self { inner: Arc::new(Inner { url, service, settings, by_get: AtomicBool::new(false) }) })
    }

    /// What a person should know about how the login travels, if there is something.
    #[must_use]
    pub fn login_note(&self) -> Option<&'static str> {
        self.inner.service.login_note()
    }
}

impl Transport for Endpoint {
    fn run(&self, query: Query) -> BoxFuture<'static, Result<Answer, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.run(&query).await })
    }

    fn about(&self) -> String {
        let note = self.login_note().map_or_else(String::new, |note| format!(" ({note})"));
        format!("SPARQL endpoint {}{note}", self.inner.service.shown())
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.service.waiting()
    }
}

impl Inner {
    async fn run(&self, query: &Query) -> Result<Answer, CallError> {
        let response = self.response(query).await?;
        let results = self.results(&response)?;
        let cut = self.cut(&response).or_else(|| self.maybe_cut(query, &results));
        Ok(Answer { results, cut, took_ms: response.took_ms, tries: response.tries })
    }

    /// The answer to the query: by POST, or by GET where the server takes nothing else.
    async fn response(&self, query: &Query) -> Result<Response, CallError> {
        let mut form = vec![("query".to_owned(), query.text.clone())];
        form.extend(self.settings.default_graph.iter().map(|graph| ("default-graph-uri".to_owned(), graph.as_str().to_owned())));
        let mut url = self.url.clone();
        url.query_pairs_mut().extend_pairs(&form);
        let short = url.as_str().len() <= LONGEST_URL;
        if !self.by_get.load(Ordering::Relaxed) {
            let post = Request::post(self.url.clone(), form, ACCEPT);
            let no_post = |response: &Response| short && matches!(response.status.as_u16(), 405 | 415 | 501);
            let judge = |response: &Response| if no_post(response) { Verdict::Take } else { self.judge(response) };
            let response = self.service.send(&post, &judge).await?;
            if !no_post(&response) {
                return Ok(response);
            }
        } else if !short {
            return Err(self.service.error(CallErrorKind::Refused, "takes no POST, and this query is too long for a GET: ask for less"));
        }
        let response = self.service.send(&Request::get(url, ACCEPT), &|response| self.judge(response)).await?;
        self.by_get.store(true, Ordering::Relaxed);
        Ok(response)
    }

    fn judge(&self, response: &Response) -> Verdict {
        faults::judge(&self.service, response)
    }

    fn results(&self, response: &Response) -> Result<Results, CallError> {
        let (kind, body) = (response.kind(), response.body.as_slice());
        let bad = |what: &str| self.service.error(CallErrorKind::BadReply, what);
        read_results(body).map_err(|error| match error {
            ReadError::Fault(said) => faults::told(&self.service, &said),
            _ if faults::breaks_off_for_time(body) => {
                self.service.error(CallErrorKind::TimedOut, "ran out of time in the middle of its answer: ask for less, or try again")
            }
            ReadError::NotResults | ReadError::NotXml { .. } if kind.contains("html") || faults::is_page(body) => {
                bad("answered with a web page, not with results: is this the address of its SPARQL endpoint?")
            }
            ReadError::NotJson { .. } if kind.contains("html") => {
                bad("answered with a web page, not with results: is this the address of its SPARQL endpoint?")
            }
            _ => {
                let remedy = match error {
                    ReadError::Cut(_) if !body.is_empty() => "try again, or ask for less",
                    _ => "is this the address of its SPARQL endpoint?",
                };
                let quote = if matches!(body.first(), Some(b'{' | b'<')) { String::new() } else { self.service.quote(body) };
                bad(&format!("sent what cannot be read: {error}{quote}; {remedy}"))
            }
        })
    }

    /// Why the server itself says that the results are not all.
    fn cut(&self, response: &Response) -> Option<String> {
        let header = |name: &str| response.header(name).map(text::one_line);
        if let Some(state) = header("X-SQL-State").filter(|state| !state.is_empty() && state != "00000") {
            let out_of_time = if state == "S1TAT" { "ran out of time" } else { "stopped early" };
            return Some(format!("{} {out_of_time}: the result is not complete", self.service.shown()));
        }
        if let Some(rows) = header("X-SPARQL-MaxRows") {
            return Some(format!("{} cut the result at {} rows", self.service.shown(), text::cut(&rows, 12)));
        }
        (response.status == StatusCode::PARTIAL_CONTENT).then(|| format!("{} says that the result is partial", self.service.shown()))
    }

    /// A server that cuts without a word is known by the number of rows: its cap, where the configuration names it, else
    /// a round one that nobody asked for.
    fn maybe_cut(&self, query: &Query, results: &Results) -> Option<String> {
        let Results::Rows(table) = results else { return None };
        let rows = table.rows.len() as u64;
        let at_the_cap = match self.settings.row_cap {
            Some(cap) => rows == cap && query.limit != Some(cap),
            None => matches!(rows, 10_000 | 20_000 | 50_000 | 100_000 | 1_000_000) && query.limit.is_none(),
        };
        at_the_cap.then(|| format!("{} sent exactly {} rows: it may have cut the result", self.service.shown(), super::thousands(rows)))
    }
}
