//! What must not leave the house in a packed session: the keys and passwords that are known here, and texts that have the
//! form of one.

use crate::redact::{MASK, Secret, decoded};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// A secret that is known here.
#[derive(Clone, Debug)]
pub struct Known {
    /// What it is called: `the value of OPENAI_API_KEY`. Never the secret itself.
    pub what: String,
    /// The secret.
    pub secret: Secret,
}

/// Shorter secrets are not looked for: they would be found in common words.
const SHORTEST: usize = 4;

/// A form of secrets: what it is called, how it looks (group 1 is the secret), and what else must hold.
type Form<Look> = (&'static str, Look, fn(&str) -> bool);

const FORMS: [Form<&str>; 10] = [
    ("a key of a model's service", r"\b((?:sk|gsk|xai|pk|rk)-[A-Za-z0-9_\-]{12,})", has_digit),
    ("a bearer token", r"(?i)\bbearer\s+([A-Za-z0-9._~+/=\-]{8,})", has_digit),
    ("a login in a URL", r#"(?i)\b[a-z][a-z0-9+.\-]{1,20}://([^\s/?\#"'<>@\[\]{}|\\^`]+)@"#, any),
    (
        "a key in a URL",
        r#"(?i)[?&](?:api_?key|access_?token|auth_?token|client_?secret|secret|password|passwd|pwd|jwt)=([^\s&\#"'<>]{4,})"#,
        any,
    ),
    ("an access key of AWS", r"\b((?:AKIA|ASIA)[0-9A-Z]{16})\b", any),
    ("a token of GitHub", r"\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})", any),
    ("a token of Hugging Face", r"\b(hf_[A-Za-z0-9]{30,})", any),
    ("a key of Google", r"\b(AIza[0-9A-Za-z_\-]{35})", any),
    ("a signed token (JWT)", r"\b(eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+)", any),
    ("a private key", r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s]*)", any),
];

static PATTERNS: LazyLock<Vec<Form<Regex>>> = LazyLock::new(|| {
    FORMS.iter().map(|(what, form, holds)| (*what, Regex::new(form).expect("the pattern is a constant and valid"), *holds)).collect()
});

fn any(text: &str) -> bool {
    !text.contains(MASK)
}

fn has_digit(text: &str) -> bool {
    any(text) && text.bytes().any(|b| b.is_ascii_digit())
}

/// Looks for secrets in texts, and takes them out.
#[derive(Clone, Debug, Default)]
pub struct Leaks(Vec<Known>);

impl Leaks {
    /// Looks for these, and for what has the form of a secret.
    #[must_use]
    pub fn new(known: impl IntoIterator<Item = Known>) -> Self {
        let mut known: Vec<Known> = known.into_iter().filter(|k| k.secret.expose().chars().count() >= SHORTEST).collect();
        // Longer ones first, so that none is left in part.
        known.sort_by(|a, b| b.secret.expose().len().cmp(&a.secret.expose().len()).then_with(|| a.what.cmp(&b.what)));
        known.dedup_by(|a, b| a.secret == b.secret);
        Self(known)
    }

    /// What is found in `text`, each once; never the secret itself.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<String> {
        let plain = if text.contains('%') { Some(decoded(text)) } else { None };
        let holds = |secret: &str| text.contains(secret) || plain.as_ref().is_some_and(|plain| plain.contains(secret));
        let mut found: Vec<String> = self.0.iter().filter(|k| holds(k.secret.expose())).map(|k| k.what.clone()).collect();
        let formed = PATTERNS
            .iter()
            .filter(|(_, form, is_one)| form.captures_iter(text).filter_map(|found| found.get(1)).any(|secret| is_one(secret.as_str())));
        found.extend(formed.map(|(what, _, _)| format!("what looks like {what}")));
        found.dedup();
        found
    }

    /// `text` with everything that [`Leaks::find`] finds replaced by `***`.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for known in &self.0 {
            out = out.replace(known.secret.expose(), MASK);
        }
        for (_, form, is_one) in PATTERNS.iter() {
            let mut masked = String::new();
            let mut from = 0;
            for secret in form.captures_iter(&out).filter_map(|found| found.get(1)).filter(|secret| is_one(secret.as_str())) {
                masked.push_str(&out[from..secret.start()]);
                masked.push_str(MASK);
                from = secret.end();
            }
            masked.push_str(&out[from..]);
            out = masked;
        }
        // Written with percent signs it can't be cut out exactly.
        if self.find(&out).is_empty() { out } else { MASK.to_owned() }
    }

    /// What is found in the texts of `json`, names of fields included.
    #[must_use]
    pub fn find_in(&self, json: &Value) -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = vec![json];
        while let Some(value) = rest.pop() {
            match value {
                Value::String(text) => found.extend(self.find(text)),
                Value::Array(items) => rest.extend(items),
                Value::Object(fields) => {
                    found.extend(fields.keys().flat_map(|name| self.find(name)));
                    rest.extend(fields.values());
                }
                _ => {}
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Takes what is found out of the texts of `json`; names of fields stay.
    pub fn mask_in(&self, json: &mut Value) {
        match json {
            Value::String(text) if !self.find(text).is_empty() => *text = self.mask(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_in(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask_in(field)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaks() -> Leaks {
        let known = |what: &str, secret: &str| Known { what: what.to_owned(), secret: Secret::new(secret).unwrap() };
        Leaks::new([known("the value of A", "zzz9/x"), known("the value of B", "zzz9/x-and-more"), known("short", "abc")])
    }

    #[test]
    fn known_secrets_are_found_however_they_are_written() {
        let leaks = leaks();
        assert_eq!(leaks.find("it is zzz9/x."), ["the value of A"]);
        assert_eq!(leaks.find("abc"), Vec::<String>::new());
        assert_eq!(leaks.find("http://h/?q=zzz9%2Fx"), ["the value of A"]);
        assert_eq!(leaks.mask("a zzz9/x-and-more, zzz9/x"), "a ***, ***");
        assert_eq!(leaks.mask("http://h/?q=zzz9%2Fx"), "***");
    }

    #[test]
    fn forms_of_secrets_are_found_and_taken_out() {
        let leaks = Leaks::default();
        for (text, masked) in [
            ("key sk-proj-abcDEF123456789 here", "key *** here"),
            ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
            ("http://me:pa55w0rd@host/x", "http://***@host/x"),
            ("see https://h/x?a=1&api_key=abcd&b=2", "see https://h/x?a=1&api_key=***&b=2"),
            ("AKIAIOSFODNN7EXAMPLE", "***"),
            ("two: AKIAIOSFODNN7EXAMPLE, ASIAIOSFODNN7EXAMPLE", "two: ***, ***"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "***"),
            ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln y", "x *** y"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE=\n-----END RSA PRIVATE KEY-----", "***-----END RSA PRIVATE KEY-----"),
        ] {
            assert_eq!(leaks.find(text).len(), 1, "{text}");
            assert_eq!(leaks.mask(text), masked);
            assert!(leaks.find(masked).is_empty(), "{masked}");
        }
    }

    #[test]
    fn what_people_write_is_no_secret() {
        let leaks = Leaks::default();
        for text in [
            "the task-force of sk-learn-contributors",
            "a bearer of good news, Bearer certificates",
            "http://***@host/x?api_key=***",
            "https://example.org/@user/mail?x=a@b",
            "mail me@example.org; http://h/a?mail=x@y",
            "What does AKIA mean? hf_ and ghp_ are prefixes",
            "https://www.wikidata.org/wiki/Q42?uselang=en&key=value",
        ] {
            assert!(leaks.find(text).is_empty(), "{text}: {:?}", leaks.find(text));
        }
    }
}
