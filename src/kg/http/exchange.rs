//! A request, its answer, and what is made of it.

use crate::calls::CallError;
use crate::redact;
use crate::retry_after::retry_after;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{StatusCode, Url};
use std::fmt;
use std::time::{Duration, SystemTime};

/// What is asked of a service.
#[derive(Clone)]
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

impl fmt::Debug for Request {
    /// Without the secrets of the URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.form.is_some() { "POST" } else { "GET" }, redact::url(self.url.as_str()))
    }
}

/// A whole answer.
#[derive(Clone)]
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

impl fmt::Debug for Response {
    /// Without the secrets of the URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}, {} bytes", self.status, redact::url(self.url.as_str()), self.body.len())
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
