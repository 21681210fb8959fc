//! How requests are made: time-outs, tries, pauses, limits, login.

use super::{ClientSettings, Login};
use std::time::Duration;
use thiserror::Error;

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
