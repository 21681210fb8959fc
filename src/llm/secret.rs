//! Keys and passwords: never printed, and taken out of whatever is.

use regex::Regex;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// What is printed in a secret's place.
const MASK: &str = "***";

/// Shorter texts are not looked for in messages: they would hit common words (`x`, `no`).
const SHORTEST: usize = 4;

/// Keys of known form that a service may echo masked or mistyped: `sk-ab****cd`.
static KEY_LIKE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:sk|gsk|xai|pk|key)-[A-Za-z0-9_\-*.…]{4,}").expect("the pattern is a constant and valid"));

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
    pub(super) fn expose(&self) -> &str {
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

/// Everything that must not be seen in a message of one adapter.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<Secret>);

impl Secrets {
    /// These secrets; longer ones are replaced first, so that none is left in part.
    pub fn new(all: impl IntoIterator<Item = Secret>) -> Self {
        let mut all: Vec<Secret> = all.into_iter().filter(|s| s.0.chars().count() >= SHORTEST).collect();
        all.sort_by_key(|s| std::cmp::Reverse(s.0.len()));
        all.dedup();
        Self(all)
    }

    /// `text` with every secret, and every text that looks like a key, replaced by `***`.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for secret in &self.0 {
            if out.contains(&*secret.0) {
                out = out.replace(&*secret.0, MASK);
            }
        }
        KEY_LIKE.replace_all(&out, MASK).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_printed() {
        let key = Secret::new(" sk-test-DO-NOT-STORE-123\n").unwrap();
        assert_eq!(format!("{key:?} {key}"), "*** ***");
        assert_eq!(key.expose(), "sk-test-DO-NOT-STORE-123");
        assert!(Secret::new(" \n").is_none());
    }

    #[test]
    fn secrets_and_key_like_texts_are_hidden() {
        let secrets = Secrets::new(["zzz9", "zzz9-and-more", "x"].iter().filter_map(|t| Secret::new(t)));
        assert_eq!(secrets.hide("bad zzz9-and-more, zzz9, x"), "bad ***, ***, x");
        assert_eq!(secrets.hide("Incorrect API key provided: sk-ab**********3456."), "Incorrect API key provided: ***");
        assert_eq!(secrets.hide("the task-force asks"), "the task-force asks");
    }
}
