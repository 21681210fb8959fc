//! Keys and passwords never reach a journal, a message or an export.

use crate::search::Event;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// Words that mark a query parameter as secret.
const SECRET_WORDS: &[&str] = &["key", "token", "secret", "pass", "auth", "sig"];

/// `url` without user name and password, and without the values of query parameters that look like keys.
#[must_use]
pub fn redact_url(url: &str) -> String {
    let (start, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (&url[..scheme.len() + 3], rest));
    let (authority, tail) = rest.find(['/', '?', '#']).map_or((rest, ""), |i| rest.split_at(i));
    let host = authority.rsplit_once('@').map_or(authority.to_owned(), |(_, host)| format!("{MASK}@{host}"));
    let Some((path, query)) = tail.split_once('?') else { return format!("{start}{host}{tail}") };
    let pairs: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if SECRET_WORDS.iter().any(|w| name.to_lowercase().contains(w)) => format!("{name}={MASK}"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{start}{host}{path}?{}", pairs.join("&"))
}

/// Secrets of a URL: user, password and the values that [`redact_url`] masks.
#[must_use]
pub fn secrets_of_url(url: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    if let Some((user, _)) = authority.rsplit_once('@') {
        found.extend(user.split(':').skip(1).map(str::to_owned));
    }
    if let Some((_, query)) = rest.split_once('?') {
        let pairs = query.split('&').filter_map(|p| p.split_once('='));
        found.extend(
            pairs.filter(|(name, _)| SECRET_WORDS.iter().any(|w| name.to_lowercase().contains(w))).map(|(_, value)| value.to_owned()),
        );
    }
    found.retain(|s| s.len() >= 4);
    found
}

/// `event` with every occurrence of a secret masked. What a service echoes back is caught here, before it is recorded.
#[must_use]
pub fn scrub(event: Event, secrets: &[String]) -> Event {
    if secrets.is_empty() {
        return event;
    }
    let Ok(mut text) = serde_json::to_string(&event) else { return event };
    let mut found = false;
    for secret in secrets {
        let escaped = serde_json::to_string(secret).unwrap_or_default();
        let escaped = escaped.trim_matches('"');
        if !escaped.is_empty() && text.contains(escaped) {
            text = text.replace(escaped, MASK);
            found = true;
        }
    }
    if found { serde_json::from_str(&text).unwrap_or(event) } else { event }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Event;

    #[test]
    fn urls_lose_their_secrets() {
        let url = "http://user:pa55w0rd@h:81/sparql?apikey=zzz9&format=json";
        assert_eq!(redact_url(url), "http://***@h:81/sparql?apikey=***&format=json");
        assert_eq!(secrets_of_url(url), ["pa55w0rd", "zzz9"]);
        assert_eq!(redact_url("https://example.org/sparql"), "https://example.org/sparql");
    }

    #[test]
    fn echoed_keys_are_masked() {
        let event = Event::Halted { why: "bad key sk-test-DO-NOT-STORE-123, really".into() };
        let Event::Halted { why } = scrub(event, &["sk-test-DO-NOT-STORE-123".into()]) else { panic!() };
        assert_eq!(why, "bad key ***, really");
    }
}
