//! Keys and passwords: never printed, never recorded. This is the one place that knows what in a URL is secret, and
//! that takes secrets out of messages and of what is written to a journal.

use crate::text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::{Captures, Regex};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Shorter texts are not looked for: they would hit common words (`x`, `no`).
const SHORTEST: usize = 4;

/// Words that mark a parameter of a URL as secret.
const SECRET_WORDS: [&str; 9] = ["key", "token", "secret", "pass", "pwd", "auth", "sig", "credential", "jwt"];

/// Keys of known form that a service may echo masked or mistyped: `sk-ab****cd`.
static KEY_LIKE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:sk|gsk|xai|pk|key)-[A-Za-z0-9_\-*.…]{4,}").expect("the pattern is a constant and valid"));

/// Whether a text of that form is a key indeed: words are none (`--key-file`, `key-value`).
fn is_key(like: &str) -> bool {
    like.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || matches!(c, '*' | '…')) || like.len() >= 20
}

/// A key. Its `Debug` and `Display` show `***`; it can't be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// The key in `text` without surrounding white space; `None` if nothing is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.into()))
    }

    /// The key itself: for the one header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// Everything that must not be seen in messages or recordings.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<Secret>);

impl Secrets {
    /// These secrets; longer ones are replaced first, so that none is left in part.
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = Secret>) -> Self {
        let mut all: Vec<Secret> = all.into_iter().filter(|s| s.0.chars().count() >= SHORTEST).collect();
        all.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        all.dedup();
        Self(all)
    }

    /// Adds more.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Secret>) {
        *self = Self::new(std::mem::take(&mut self.0).into_iter().chain(more));
    }

    /// The secrets of a URL: see [`of_url`].
    #[must_use]
    pub fn of_url(url: &str) -> Self {
        Self::new(of_url(url))
    }

    /// `text` with every secret, and every text that looks like a key, replaced by `***`.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let masked = self.mask(text);
        let mask = |found: &Captures<'_>| if is_key(&found[0]) { MASK.to_owned() } else { found[0].to_owned() };
        KEY_LIKE.replace_all(&masked, mask).into_owned()
    }

    /// `value` with every secret in its texts replaced by `***`: what a service echoes is caught here, before it is
    /// recorded. Names of fields stay.
    #[must_use]
    pub fn scrub<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        if self.0.is_empty() {
            return value;
        }
        let Ok(json) = serde_json::to_value(&value) else { return value };
        let Some(masked) = self.masked(&json, true) else { return value };
        serde_json::from_value(masked)
            .or_else(|_| {
                // A secret that happens to be a word of the format (`live`) can't be masked where it is that word.
                serde_json::from_value(self.masked(&json, false).unwrap_or(json))
            })
            .unwrap_or(value)
    }

    /// `json` with secrets masked, `None` if it holds none; `whole`: also texts that are nothing but a secret.
    fn masked(&self, json: &Value, whole: bool) -> Option<Value> {
        let mut json = json.clone();
        self.walk(&mut json, whole).then_some(json)
    }

    fn walk(&self, json: &mut Value, whole: bool) -> bool {
        match json {
            Value::String(text) => match self.mask(text) {
                Cow::Owned(masked) if whole || masked != MASK => {
                    *text = masked;
                    true
                }
                _ => false,
            },
            Value::Array(items) => items.iter_mut().fold(false, |found, item| self.walk(item, whole) | found),
            Value::Object(fields) => fields.values_mut().fold(false, |found, field| self.walk(field, whole) | found),
            _ => false,
        }
    }

    fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for secret in &self.0 {
            if out.contains(&*secret.0) {
                out = Cow::Owned(out.replace(&*secret.0, MASK));
            }
        }
        out
    }
}

/// `url` as it may be shown and stored: `***` for user and password, and for the values of parameters whose name says
/// that they are secret. It need not be a valid URL.
#[must_use]
pub fn url(url: &str) -> String {
    let url = text::one_line(url);
    let (start, rest) = url.split_once("://").map_or(("", &*url), |(scheme, rest)| (&url[..scheme.len() + 3], rest));
    let (authority, tail) = rest.find(['/', '?', '#']).map_or((rest, ""), |i| rest.split_at(i));
    let host = authority.rsplit_once('@').map_or_else(|| authority.to_owned(), |(_, host)| format!("{MASK}@{host}"));
    let (path, query) = tail.find(['?', '#']).map_or((tail, ""), |i| tail.split_at(i));
    let mut out = format!("{start}{host}{path}");
    for piece in query.split_inclusive(['?', '#', '&']) {
        match piece.split_once('=') {
            Some((name, value)) if is_secret_name(name) => {
                let end = value.chars().last().filter(|c| matches!(c, '?' | '#' | '&')).map_or(String::new(), String::from);
                out.push_str(&format!("{name}={MASK}{end}"));
            }
            _ => out.push_str(piece),
        }
    }
    out
}

/// A text that is no URL though it was given as one, as it may be shown: all between `://` and the last `@` may be a login.
#[must_use]
pub fn malformed_url(text: &str) -> String {
    match (text.find("://"), text.rfind('@')) {
        (Some(start), Some(at)) if at > start => format!("{}{MASK}@{}", &text[..start + 3], url(&text[at + 1..])),
        _ => url(text),
    }
}

/// Whether something was taken out of a URL or spec by [`url`]: it can't be opened as it is.
#[must_use]
pub fn is_masked(url: &str) -> bool {
    url.contains(MASK)
}

/// The secrets of a URL, as written, decoded, and as a header carries them: its password (its user, if that is all),
/// and the values that [`url`] masks.
#[must_use]
pub fn of_url(url: &str) -> Vec<Secret> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    if let Some((login, _)) = authority.rsplit_once('@') {
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let shown = if password.is_empty() { user } else { password };
        found.extend([shown.to_owned(), decoded(shown), STANDARD.encode(format!("{}:{}", decoded(user), decoded(password)))]);
    }
    let pairs = rest.split(['?', '#', '&']).skip(1).filter_map(|pair| pair.split_once('='));
    for (_, value) in pairs.filter(|(name, _)| is_secret_name(name)) {
        found.extend([value.to_owned(), decoded(value)]);
    }
    found.iter().filter_map(|text| Secret::new(text)).collect()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// A percent-encoded text in clear.
pub(crate) fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok()).and_then(|two| u8::from_str_radix(two, 16).ok());
        match hex {
            Some(byte) if *first == b'%' => {
                out.push(byte);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Event, Source};

    fn secrets(all: &[&str]) -> Secrets {
        Secrets::new(all.iter().filter_map(|t| Secret::new(t)))
    }

    #[test]
    fn a_key_is_never_printed() {
        let key = Secret::new(" sk-test-DO-NOT-STORE-123\n").unwrap();
        assert_eq!(format!("{key:?} {key}"), "*** ***");
        assert_eq!(key.expose(), "sk-test-DO-NOT-STORE-123");
        assert!(Secret::new(" \n").is_none());
    }

    #[test]
    fn secrets_and_key_like_texts_are_hidden() {
        let secrets = secrets(&["zzz9", "zzz9-and-more", "x"]);
        assert_eq!(secrets.hide("bad zzz9-and-more, zzz9, x"), "bad ***, ***, x");
        assert_eq!(secrets.hide("Incorrect API key provided: sk-ab**********3456."), "Incorrect API key provided: ***");
        assert_eq!(secrets.hide("the task-force asks"), "the task-force asks");
        assert_eq!(secrets.hide("name a file with --key-file, or key-value pairs"), "name a file with --key-file, or key-value pairs");
        assert_eq!(secrets.hide("--key-file key-3fa9"), "--key-file ***");
    }

    #[test]
    fn urls_are_shown_without_secrets() {
        for (whole, shown) in [
            ("http://user:pa55w0rd@h:81/sparql?apikey=zzz9&format=json", "http://***@h:81/sparql?apikey=***&format=json"),
            ("sparql:http://token@h/q?a=1&access_token=zzz9#sig=x", "sparql:http://***@h/q?a=1&access_token=***#sig=***"),
            ("https://example.org/sparql?default-graph-uri=http%3A%2F%2Fg", "https://example.org/sparql?default-graph-uri=http%3A%2F%2Fg"),
            ("no url\u{1b}[31m?key=1", "no url[31m?key=***"),
            ("http://h/a?mail=x@y", "http://h/a?mail=x@y"),
        ] {
            assert_eq!(url(whole), shown);
            assert_eq!(is_masked(shown), whole != shown);
        }
    }

    #[test]
    fn the_secrets_of_a_url_are_found_in_every_form() {
        let of = |url: &str| of_url(url).iter().map(|s| s.expose().to_owned()).collect::<Vec<_>>();
        let found = of("http://user:pa55%40w0rd@h/sparql?apikey=zzz9%20a&format=json");
        assert_eq!(found, ["pa55%40w0rd", "pa55@w0rd", "dXNlcjpwYTU1QHcwcmQ=", "zzz9%20a", "zzz9 a"]);
        assert_eq!(of("http://s3cret@h/")[0], "s3cret");
        assert!(of("https://example.org/sparql?query=x").is_empty());
    }

    #[test]
    fn echoed_keys_are_masked_before_they_are_recorded() {
        let event = Event::Halted(crate::search::Halt {
            hits: Vec::new(),
            cause: crate::search::HaltCause::Service,
            why: "bad key sk-test-DO-NOT-STORE-123, really".into(),
        });
        let Event::Halted(crate::search::Halt { why, .. }) = secrets(&["sk-test-DO-NOT-STORE-123"]).scrub(event) else { panic!() };
        assert_eq!(why, "bad key ***, really");
    }

    #[test]
    fn a_secret_that_is_a_word_of_the_format_does_no_harm() {
        let event = || Event::Replied {
            ask: crate::calls::AskId(0),
            got: crate::search::Got::Samples(vec![(0, crate::calls::Sample::stopped("the samples are live"))]),
            source: Source::Live,
            usage: None,
            took_ms: 1,
            tries: 1,
            nothing: false,
        };
        let Event::Replied { got: crate::search::Got::Samples(samples), source, .. } = secrets(&["live", "samples"]).scrub(event()) else {
            panic!()
        };
        assert_eq!((samples[0].1.text.as_deref(), source), (Some("the *** are ***"), Source::Live));
        assert_eq!(secrets(&["zzz9"]).scrub(event()), event());
    }
}
