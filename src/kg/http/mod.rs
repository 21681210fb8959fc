//! HTTP for every adapter: one way to build a client, to name ourselves and to wait.

mod exchange;
mod host;
mod login;
mod said;
mod service;
mod settings;

pub use exchange::{Request, Response, Verdict};
pub use login::Login;
pub use service::Service;
pub use settings::{HttpSettings, ServiceError};

use crate::text;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// How long to wait for whom.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// For the connection.
    pub connect: Duration,
    /// For a request with its whole answer.
    pub total: Duration,
    /// Whom a service can reach about our requests: a mail address or a page.
    pub contact: Option<String>,
}

impl Default for ClientSettings {
    /// Ten seconds to connect, sixty in all; the contact from `TOT_CONTACT`.
    fn default() -> Self {
        let contact = std::env::var("TOT_CONTACT").ok().filter(|contact| !contact.trim().is_empty());
        Self { connect: Duration::from_secs(10), total: Duration::from_secs(60), contact }
    }
}

/// `tree-of-traversals/0.1.0 (contact)`: public services refuse programs that do not name themselves.
#[must_use]
pub fn user_agent(contact: Option<&str>) -> String {
    let contact = contact.map(text::one_line).filter(|contact| !contact.is_empty() && contact.is_ascii());
    let contact = contact.unwrap_or_else(|| "no contact set, see TOT_CONTACT".to_owned()).replace(['(', ')'], " ");
    format!("{}/{} ({contact})", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// A client for the service at `url`. No redirect is followed by itself, since that would turn a POST into a GET; no
/// proxy stands before this machine's own services.
///
/// # Errors
/// When the client cannot be built (no certificates, a bad proxy setting).
pub fn client(url: &str, settings: &ClientSettings) -> Result<reqwest::Client, reqwest::Error> {
    // It fails when a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(user_agent(settings.contact.as_deref()))
        .connect_timeout(settings.connect)
        .timeout(settings.total)
        .redirect(reqwest::redirect::Policy::none());
    let builder = if is_loopback(url) { builder.no_proxy() } else { builder };
    builder.build()
}

/// Whether `url` is on this machine.
#[must_use]
pub fn is_loopback(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or("").trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The pause before try number `tries` + 1: `base` doubled each time, and up to half of it more by chance, so that
/// many programs do not come back at once.
#[must_use]
pub fn pause(base: Duration, tries: u32) -> Duration {
    let whole = base.saturating_mul(1 << tries.saturating_sub(1).min(10));
    let chance = std::hash::RandomState::new().build_hasher().finish() % 512;
    whole + whole.saturating_mul(u32::try_from(chance).unwrap_or(0)) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_name_ourselves() {
        assert_eq!(user_agent(Some("me@ex.org\r\n")), format!("tree-of-traversals/{} (me@ex.org)", env!("CARGO_PKG_VERSION")));
        assert!(user_agent(Some("Łódź")).ends_with("(no contact set, see TOT_CONTACT)"));
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for here in ["http://localhost:1/", "http://127.0.0.1/", "http://[::1]:8/"] {
            assert!(is_loopback(here), "{here}");
        }
        assert!(!is_loopback("http://localhost.example.org/"));
    }

    #[test]
    fn pauses_grow() {
        let base = Duration::from_millis(100);
        for _ in 0..50 {
            let (first, third) = (pause(base, 1), pause(base, 3));
            assert!((100..=150).contains(&first.as_millis()) && (400..=600).contains(&third.as_millis()));
        }
    }
}
