//! The entity API: one way to ask it, and what its errors mean.

use super::replies::{ApiError, Envelope};
use crate::calls::Waiting;
use crate::calls::{CallError, CallErrorKind, WireNote};
use crate::kg::http::{HttpSettings, Request, Response, Service, ServiceError, Verdict};
use crate::redact;
use crate::text;
use reqwest::Url;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The longest pause for a service that lags behind and does not say how long to wait, in seconds.
const LAG_MAX: f64 = 5.0;
/// The error code for a parameter that it does not know the value of: a language, here.
pub const BAD_VALUE: &str = "badvalue";

/// The API of a Wikibase at one address.
#[derive(Clone)]
pub struct EntityApi {
    service: Service,
    url: Url,
}

/// Why it did not answer.
#[derive(Debug)]
pub struct ApiFailure {
    /// Its own code, where it gave one.
    pub code: Option<String>,
    /// What to tell people.
    pub error: CallError,
}

impl From<CallError> for ApiFailure {
    fn from(error: CallError) -> Self {
        Self { code: None, error }
    }
}

impl EntityApi {
    /// The API at `url` (`.../w/api.php`). Nothing is sent yet.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn new(url: &str, settings: &HttpSettings) -> Result<Self, ServiceError> {
        let (service, url) = Service::new(url, settings)?;
        Ok(Self { service, url })
    }

    /// Its address, without secrets.
    pub fn shown(&self) -> &str {
        self.service.shown()
    }

    /// Why requests are held back now, if they are.
    pub fn waiting(&self) -> Option<Waiting> {
        self.service.waiting()
    }

    /// The reply to a request with `parameters`; `rows` counts what is in it.
    ///
    /// # Errors
    /// Those of the connection and of the service; what is no whole reply of the API is an error, too.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        parameters: &[(&str, &str)],
        rows: impl Fn(&T) -> usize,
    ) -> Result<(T, WireNote), ApiFailure> {
        let mut url = self.url.clone();
        url.query_pairs_mut().extend_pairs(parameters).extend_pairs([("format", "json"), ("formatversion", "2")]);
        let query = redact::url(url.as_str());
        let response = self.service.send(&Request::get(url, "application/json"), &|response| self.judge(response)).await?;
        // What is no such thing was failed by the judge.
        if let Some(error) = error_of(&response.body) {
            return Err(ApiFailure { error: self.refusal(&error), code: Some(error.code) });
        }
        let read: T = serde_json::from_slice(&response.body).map_err(|error| self.unreadable(&error))?;
        let note = WireNote { query, rows: rows(&read) as u64, took_ms: response.took_ms, tries: response.tries };
        Ok((read, note))
    }

    fn judge(&self, response: &Response) -> Verdict {
        match self.service.by_status(response) {
            Verdict::Take => {}
            other => return other,
        }
        // Whatever the header says: it is what it reads as.
        match serde_json::from_slice::<serde_json::Value>(&response.body) {
            Ok(serde_json::Value::Object(_)) => {}
            Ok(_) => return Verdict::Fail(self.no_reply("what is no reply of it")),
            Err(_) if response.kind().contains("html") => return Verdict::Fail(self.no_reply("a web page")),
            Err(error) => return Verdict::Fail(self.unreadable(&error)),
        }
        let Some(error) = error_of(&response.body) else { return Verdict::Take };
        let busy = |what: &str| {
            let lag = error.lag.filter(|lag| lag.is_finite() && *lag > 0.0).map(|lag| Duration::from_secs_f64(lag.min(LAG_MAX)));
            let quote = self.service.quote(error.said().as_bytes());
            Verdict::Busy(self.service.error(CallErrorKind::Busy, &format!("{what}{quote}")), response.retry_after().or(lag))
        };
        match error.code.as_str() {
            "maxlag" => busy("is overloaded"),
            "ratelimited" | "actionthrottledtext" => busy("says that we ask too often"),
            "readonly" => busy("is being worked on"),
            code if code.starts_with("internal_api_error") => {
                let quote = self.service.quote(error.said().as_bytes());
                Verdict::Fail(self.service.error(CallErrorKind::Server, &format!("failed{quote}")))
            }
            _ => Verdict::Take,
        }
    }

    fn refusal(&self, error: &ApiError) -> CallError {
        let code = text::one_line(&error.code);
        let quote = self.service.quote(error.said().as_bytes());
        self.service.error(CallErrorKind::Refused, &format!("refuses the request ({}){quote}", text::cut(&code, 40)))
    }

    fn no_reply(&self, what: &str) -> CallError {
        self.service.error(CallErrorKind::BadReply, &format!("answered with {what}: is this the address of the API (.../w/api.php)?"))
    }

    fn unreadable(&self, error: &serde_json::Error) -> CallError {
        if error.is_eof() {
            return self.service.error(CallErrorKind::BadReply, "broke off its answer: try again");
        }
        let at = format!("line {}, column {}", error.line(), error.column());
        let what = format!("sent what cannot be read (at {at}): is this the address of the API (.../w/api.php)?");
        self.service.error(CallErrorKind::BadReply, &what)
    }
}

impl ApiError {
    /// The sentence of the service.
    fn said(&self) -> &str {
        if self.info.is_empty() { &self.text } else { &self.info }
    }
}

fn error_of(body: &[u8]) -> Option<ApiError> {
    serde_json::from_slice::<Envelope>(body).ok()?.error()
}
