//! From a base URL in any form to the two addresses that are asked.

use crate::calls::{CallError, CallErrorKind};
use crate::redact::{self, Secret};
use reqwest::Url;

/// Where OpenAI itself is.
pub const OFFICIAL: &str = "https://api.openai.com/v1";

/// The addresses of one server.
#[derive(Clone)]
pub struct Endpoint {
    /// For completions.
    pub chat: Url,
    /// For the list of models.
    pub models: Url,
}

impl Endpoint {
    /// Reads `base`: a host, a host with `/v1`, or the whole address of the chat call, with or without a slash at its end.
    ///
    /// A path that ends in `chat/completions` is taken as it is; one with a version (`v1`, `v4`, `v1beta`) gets
    /// `chat/completions`; any other gets `v1/chat/completions`. A query (`?api-version=...`) stays at the end.
    ///
    /// # Errors
    /// `Unreachable` when it is no http(s) URL.
    pub fn parse(base: &str) -> Result<Self, CallError> {
        let base = base.trim();
        let mut url =
            Url::parse(&with_scheme(base)).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host()).ok_or_else(|| {
                CallError::new(
                    CallErrorKind::Unreachable,
                    "the model server's URL can't be read: give --llm-url as http://HOST:PORT or https://HOST/v1",
                )
            })?;
        url.set_fragment(None);
        let mut path: Vec<String> = url.path().split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect();
        let whole = strip_end(&mut path, &["chat", "completions"]);
        if !whole {
            let _ = strip_end(&mut path, &["completions"]) || strip_end(&mut path, &["models"]) || strip_end(&mut path, &["chat"]);
            if !path.iter().any(|s| is_version(s)) {
                path.push("v1".to_owned());
            }
        }
        let at = |tail: &str| {
            let mut url = url.clone();
            let mut path = path.clone();
            path.push(tail.to_owned());
            url.set_path(&path.join("/"));
            url
        };
        Ok(Self { chat: at("chat/completions"), models: at("models") })
    }

    /// Whether this is OpenAI's own service, which wants a key.
    pub fn is_official(&self) -> bool {
        self.chat.host_str() == Some("api.openai.com")
    }

    /// Whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        let host = self.chat.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Whether the URL itself carries a user and password, which then are what the server is shown.
    pub fn has_credentials(&self) -> bool {
        !self.chat.username().is_empty() || self.chat.password().is_some()
    }

    /// The address of the chat call for messages, without secrets.
    pub fn shown(&self) -> String {
        redact::url(self.chat.as_str())
    }

    /// The secrets in the URL.
    pub fn secrets(&self) -> Vec<Secret> {
        redact::of_url(self.chat.as_str())
    }
}

/// `base` with a scheme: `http` for this machine and for addresses with a port, `https` else.
fn with_scheme(base: &str) -> String {
    if base.contains("://") || base.is_empty() {
        return base.to_owned();
    }
    let host = base.split(['/', '?']).next().unwrap_or_default();
    let plain = host == "localhost" || host.contains(':') || host.parse::<std::net::IpAddr>().is_ok();
    format!("{}://{base}", if plain { "http" } else { "https" })
}

/// Takes `tail` off the end of `path`; whether it was there.
fn strip_end(path: &mut Vec<String>, tail: &[&str]) -> bool {
    let found = path.len() >= tail.len() && path[path.len() - tail.len()..].iter().map(String::as_str).eq(tail.iter().copied());
    if found {
        path.truncate(path.len() - tail.len());
    }
    found
}

/// `v1`, `v4`, `v1beta`, ...
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(base: &str) -> String {
        Endpoint::parse(base).unwrap().shown()
    }

    #[test]
    fn every_form_reaches_the_chat_call_once() {
        for base in [
            "http://h:11434",
            "http://h:11434/",
            "http://h:11434/v1",
            "http://h:11434/v1/",
            "http://h:11434/v1/chat/completions",
            "http://h:11434/v1/chat/completions/",
            "http://h:11434//v1//",
            "http://h:11434/v1/models",
            "h:11434",
            " h:11434/v1 ",
        ] {
            assert_eq!(chat(base), "http://h:11434/v1/chat/completions", "{base}");
            assert_eq!(Endpoint::parse(base).unwrap().models.as_str(), "http://h:11434/v1/models", "{base}");
        }
        assert_eq!(chat("http://h/api/paas/v4"), "http://h/api/paas/v4/chat/completions");
        assert_eq!(chat("https://h/api"), "https://h/api/v1/chat/completions");
        assert_eq!(chat("https://h/v1beta/openai/"), "https://h/v1beta/openai/chat/completions");
        assert_eq!(chat("http://h/chat/completions"), "http://h/chat/completions");
        assert_eq!(chat(OFFICIAL), "https://api.openai.com/v1/chat/completions");
        assert_eq!(chat("api.openai.com"), "https://api.openai.com/v1/chat/completions");
    }

    #[test]
    fn a_query_stays_and_secrets_are_not_shown() {
        let endpoint = Endpoint::parse("http://user:pa55%40w0rd@h:1/v1?api-version=2&apikey=zzz9").unwrap();
        assert_eq!(endpoint.shown(), "http://***@h:1/v1/chat/completions?api-version=2&apikey=***");
        assert_eq!(endpoint.chat.query(), Some("api-version=2&apikey=zzz9"));
        assert!(endpoint.has_credentials());
        let secrets: Vec<String> = endpoint.secrets().iter().map(|s| s.expose().to_owned()).collect();
        assert!(["pa55@w0rd", "pa55%40w0rd", "zzz9"].iter().all(|s| secrets.iter().any(|found| found == s)), "{secrets:?}");
    }

    #[test]
    fn what_is_no_url_is_refused_with_the_remedy() {
        for base in ["", "ftp://h/v1", "http://", "::::"] {
            assert!(Endpoint::parse(base).err().unwrap().message.contains("--llm-url"), "{base}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        assert!(Endpoint::parse("http://[::1]:8080").unwrap().is_local());
        assert!(Endpoint::parse("http://127.0.0.1:8080").unwrap().is_local());
        assert!(!Endpoint::parse("http://h").unwrap().is_local());
        assert!(Endpoint::parse(OFFICIAL).unwrap().is_official());
    }
}
