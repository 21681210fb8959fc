//! A SPARQL 1.1 endpoint over HTTP: POST as a form (the one way that every server takes), results as JSON.
//!
//! A reply counts only when it is a whole result document. Errors name the endpoint, quote at most one line of the
//! server, and hold no secret of the URL.

use super::Waiting;
use super::http::{HttpSettings, Request, Response, Service, ServiceError, Verdict};
use super::sparql::{Answer, Query, ReadError, Results, Transport, read_results};
use crate::calls::{CallError, CallErrorKind};
use crate::text;
use futures_util::future::BoxFuture;
use reqwest::{StatusCode, Url};
use std::sync::Arc;

/// A SPARQL 1.1 endpoint.
pub struct Endpoint {
    inner: Arc<Inner>,
}

struct Inner {
    url: Url,
    service: Service,
}

impl Endpoint {
    /// The endpoint at `url`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn new(url: &str, settings: &HttpSettings) -> Result<Self, ServiceError> {
        let (service, url) = Service::new(url, settings)?;
        Ok(Self { inner: Arc::new(Inner { url, service }) })
    }
}

impl Transport for Endpoint {
    fn run(&self, query: Query) -> BoxFuture<'static, Result<Answer, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.run(&query).await })
    }

    fn about(&self) -> String {
        format!("SPARQL endpoint {}", self.inner.service.shown())
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.service.waiting()
    }
}

impl Inner {
    async fn run(&self, query: &Query) -> Result<Answer, CallError> {
        let form = vec![("query".to_owned(), query.text.clone())];
        let request = Request::post(self.url.clone(), form, "application/sparql-results+json");
        let response = self.service.send(&request, &|response| self.judge(response)).await?;
        let results = self.results(&response)?;
        let cut = self.cut(&response).or_else(|| self.maybe_cut(query, &results));
        Ok(Answer { results, cut, took_ms: response.took_ms, tries: response.tries })
    }

    fn judge(&self, response: &Response) -> Verdict {
        let quote = || if response.kind().contains("html") { String::new() } else { self.service.quote(&response.body) };
        let fail = |kind, what: &str| Verdict::Fail(self.service.error(kind, &format!("{what}{}", quote())));
        match response.status.as_u16() {
            400 => fail(CallErrorKind::Refused, "refuses the query"),
            401 => fail(CallErrorKind::Key, "wants a user and password: give them as sparql:https://USER:PASSWORD@HOST/PATH"),
            code @ (404 | 405) => fail(CallErrorKind::Refused, &format!("is no SPARQL endpoint (status {code}): check the path")),
            _ => self.service.by_status(response),
        }
    }

    fn results(&self, response: &Response) -> Result<Results, CallError> {
        let (kind, body) = (response.kind(), response.body.as_slice());
        // Virtuoso answers some ASK queries with the bare word, and calls that HTML.
        match body.trim_ascii() {
            b"true" => return Ok(Results::Truth(true)),
            b"false" => return Ok(Results::Truth(false)),
            _ => {}
        }
        if kind.contains("html") {
            return Err(self.service.error(
                CallErrorKind::BadReply,
                "answered with a web page, not with results: is this the address of its SPARQL endpoint?",
            ));
        }
        read_results(body).map_err(|error| {
            let tail = String::from_utf8_lossy(&body[body.len().saturating_sub(4000)..]).to_lowercase();
            if tail.contains("timeoutexception") || tail.contains("timed out") || tail.contains("query timeout") {
                return self
                    .service
                    .error(CallErrorKind::TimedOut, "ran out of time in the middle of its answer: ask for less, or try again");
            }
            let remedy = match error {
                ReadError::Cut(_) => "try again, or ask for less",
                ReadError::NotJson { .. } if kind.contains("xml") => "it answers in XML: this endpoint cannot write JSON results",
                _ => "is this the address of its SPARQL endpoint?",
            };
            let quote = if body.first() == Some(&b'{') { String::new() } else { self.service.quote(body) };
            self.service.error(CallErrorKind::BadReply, &format!("sent what cannot be read: {error}{quote}; {remedy}"))
        })
    }

    /// Why the server itself says that the results are not all.
    fn cut(&self, response: &Response) -> Option<String> {
        let header = |name: &str| response.header(name).map(text::one_line);
        if let Some(state) = header("X-SQL-State").filter(|state| !state.is_empty()) {
            let out_of_time = if state == "S1TAT" { "ran out of time" } else { "stopped early" };
            return Some(format!("{} {out_of_time}: the result is not complete", self.service.shown()));
        }
        if let Some(rows) = header("X-SPARQL-MaxRows") {
            return Some(format!("{} cut the result at {} rows", self.service.shown(), text::cut(&rows, 12)));
        }
        (response.status == StatusCode::PARTIAL_CONTENT).then(|| format!("{} says that the result is partial", self.service.shown()))
    }

    /// A round number of rows that nobody asked for is how many servers cut without a word.
    fn maybe_cut(&self, query: &Query, results: &Results) -> Option<String> {
        let Results::Rows(table) = results else { return None };
        let round = matches!(table.rows.len(), 10_000 | 20_000 | 50_000 | 100_000 | 1_000_000);
        (round && query.limit.is_none()).then(|| {
            format!("{} sent exactly {} rows: it may have cut the result", self.service.shown(), super::thousands(table.rows.len() as u64))
        })
    }
}
