//! Reading the URL of a server as people write it.

use crate::calls::{CallError, CallErrorKind};
use reqwest::Url;

/// Reads `base`, with or without a scheme. Its fragment is dropped; a query stays.
///
/// # Errors
/// `Unreachable` when it is no http(s) URL.
pub fn parse(base: &str) -> Result<Url, CallError> {
    let base = base.trim();
    let url = Url::parse(&with_scheme(base)).ok().filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
    let mut url = url.ok_or_else(|| {
        CallError::new(
            CallErrorKind::Unreachable,
            "the model server's URL can't be read: give --llm-url as http://HOST:PORT or https://HOST/v1",
        )
    })?;
    url.set_fragment(None);
    Ok(url)
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

/// Whether the server is on this machine.
pub fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether the URL itself carries a user and password, which then are what the server is shown.
pub fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// The parts of the path, none of them empty.
pub fn path(url: &Url) -> Vec<String> {
    url.path().split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

/// `url` with this path: `parts`, then `tail`.
pub fn at(url: &Url, parts: &[String], tail: &str) -> Url {
    let mut url = url.clone();
    let parts = parts.join("/");
    url.set_path(if parts.is_empty() { tail.to_owned() } else { format!("{parts}/{tail}") }.as_str());
    url
}

/// Takes `tail` off the end of `path`; whether it was there.
pub fn strip_end(path: &mut Vec<String>, tail: &[&str]) -> bool {
    let found = path.len() >= tail.len() && path[path.len() - tail.len()..].iter().map(String::as_str).eq(tail.iter().copied());
    if found {
        path.truncate(path.len() - tail.len());
    }
    found
}

/// `v1`, `v4`, `v1beta`, ...
pub fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_url_is_refused_with_the_remedy() {
        for base in ["", "ftp://h/v1", "http://", "::::"] {
            assert!(parse(base).err().unwrap().message.contains("--llm-url"), "{base}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        assert!(is_local(&parse("http://[::1]:8080").unwrap()));
        assert!(is_local(&parse("127.0.0.1:8080").unwrap()));
        assert!(!is_local(&parse("http://h").unwrap()));
    }
}
