//! What a configuration says of one model and of how models are asked, and where a key comes from.

use super::ChatConfig;
use crate::calls::{CallError, CallErrorKind};
use crate::redact::Secret;
use crate::text::one_line;
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::io::Read;
use std::ops::RangeInclusive;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A model with what it takes to reach it: an entry of `models` in the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelProfile {
    /// The model, in the form of `--llm`.
    pub spec: String,
    /// Its server.
    pub url: Option<String>,
    /// The environment variable that holds its key.
    pub key_env: Option<String>,
    /// A file, readable by its owner only, that holds its key and nothing else.
    pub key_file: Option<PathBuf>,
    /// See [`Requests::timeout`].
    #[serde(deserialize_with = "timeout")]
    pub timeout: Option<u32>,
    /// See [`Requests::reasoning_floor`].
    #[serde(deserialize_with = "reasoning_floor")]
    pub reasoning_floor: Option<u32>,
    /// See [`Requests::concurrency`].
    #[serde(deserialize_with = "concurrency")]
    pub concurrency: Option<u32>,
    /// See [`Requests::log_probabilities`].
    pub log_probabilities: Option<bool>,
    /// No key is sent: a server that only happened to be there.
    #[serde(skip)]
    pub keyless: bool,
}

/// How models are asked: `requests` in the configuration, for all whose own entry says nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Requests {
    /// Seconds that a request may take until its reply, or the first text of a reply in pieces, is there; between two pieces
    /// half as long.
    #[serde(deserialize_with = "timeout")]
    pub timeout: Option<u32>,
    /// The least output limit, in tokens, for a model that reasons before it answers.
    #[serde(deserialize_with = "reasoning_floor")]
    pub reasoning_floor: Option<u32>,
    /// Requests of the model at its service at once. The models of a service share its places: as many as the largest of their numbers.
    #[serde(deserialize_with = "concurrency")]
    pub concurrency: Option<u32>,
    /// Whether the service is asked how likely the model held each token of a reply.
    pub log_probabilities: Option<bool>,
}

impl Requests {
    /// What is said here in the place of what is usual.
    pub fn apply(&self, config: &mut ChatConfig) {
        if let Some(seconds) = self.timeout {
            config.timeout = Duration::from_secs(seconds.into());
            config.stall = config.timeout / 2;
        }
        config.reasoning_floor = self.reasoning_floor.unwrap_or(config.reasoning_floor);
        config.concurrency = self.concurrency.and_then(|n| usize::try_from(n).ok()).unwrap_or(config.concurrency);
        config.log_probabilities = self.log_probabilities.unwrap_or(config.log_probabilities);
    }
}

/// A whole number within bounds, or nothing; a wrong one is named with what it may be.
struct Within(&'static str, RangeInclusive<u32>);

impl Visitor<'_> for Within {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, from {} to {}", self.0, self.1.start(), self.1.end())
    }

    fn visit_unit<E>(self) -> Result<Option<u32>, E> {
        Ok(None)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Option<u32>, E> {
        let within = u32::try_from(number).ok().filter(|n| self.1.contains(n));
        within.map(Some).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}

fn timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    deserializer.deserialize_any(Within("`timeout` in whole seconds", 1..=86_400))
}

fn reasoning_floor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    deserializer.deserialize_any(Within("`reasoning_floor` in tokens", 1..=1_000_000))
}

fn concurrency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    deserializer.deserialize_any(Within("`concurrency`, requests at once", 1..=64))
}

impl ModelProfile {
    /// A spec alone.
    #[must_use]
    pub fn of(spec: &str) -> Self {
        Self { spec: spec.to_owned(), ..Self::default() }
    }

    /// How it is asked: as it says itself, else as `usual`.
    #[must_use]
    pub fn requests(&self, usual: &Requests) -> Requests {
        Requests {
            timeout: self.timeout.or(usual.timeout),
            reasoning_floor: self.reasoning_floor.or(usual.reasoning_floor),
            concurrency: self.concurrency.or(usual.concurrency),
            log_probabilities: self.log_probabilities.or(usual.log_probabilities),
        }
    }

    /// The key: from the key file, else from the variable that the profile names, else from `usual`.
    ///
    /// # Errors
    /// `Key`: a key file that can't be used, a named variable that is not set; one sentence that says what to do.
    pub fn key(&self, usual: &str) -> Result<Option<Secret>, CallError> {
        if self.keyless {
            return Ok(None);
        }
        if let Some(path) = &self.key_file {
            return read_key(path).map(Some);
        }
        let set = |name: &str| std::env::var(name).ok().as_deref().and_then(Secret::new);
        match &self.key_env {
            Some(name) => {
                set(name).map(Some).ok_or_else(|| refused(format!("{} is not set: the model's key is expected there", one_line(name))))
            }
            None => Ok(set(usual)),
        }
    }
}

/// Bytes of a key file at most: no key is nearly as long.
const LONGEST: u64 = 8192;

fn refused(message: String) -> CallError {
    CallError::new(CallErrorKind::Key, message)
}

/// The key in the file at `path`, without white space around it.
///
/// # Errors
/// `Key`, one sentence that says what to do: a file that others may read, that is no plain file, that is empty or holds
/// anything but one key. Nothing of what it holds is told.
pub fn read_key(path: &Path) -> Result<Secret, CallError> {
    let shown = one_line(&path.display().to_string());
    let unreadable = |e: std::io::Error| refused(format!("the key file {shown} can't be read ({e}): mend its path or rights"));
    // Looked at first: opening a pipe would wait for whoever writes into it.
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(refused(format!("the key file {shown} is no file: give a plain file that holds the key")));
    }
    if about.permissions().mode() & 0o077 != 0 {
        let quoted = format!("'{}'", shown.replace('\'', r"'\''"));
        return Err(refused(format!("others can read the key file {shown}, so it is not used: chmod 600 {quoted}")));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let whole = text.trim_start_matches('\u{feff}');
    match Secret::new(whole) {
        _ if about.len() == 0 || (whole.trim().is_empty() && !text.is_empty()) => {
            Err(refused(format!("the key file {shown} is empty: write the key into it")))
        }
        Some(key) if about.len() <= LONGEST && key.expose().bytes().all(|b| b.is_ascii_graphic()) => Ok(key),
        _ => Err(refused(format!("the key file {shown} holds something else than one key: it has to hold the key alone"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::OpenOptionsExt;

    fn file(mode: u32, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        use std::io::Write;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it's a key");
        std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path).unwrap().write_all(bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn a_key_is_taken_from_a_private_file_without_white_space() {
        for text in ["sk-abc123", "  sk-abc123\r\n", "\u{feff}sk-abc123\n\n"] {
            let (_folder, path) = file(0o600, text.as_bytes());
            assert_eq!(read_key(&path).unwrap().expose(), "sk-abc123");
        }
    }

    #[test]
    fn a_file_that_others_may_read_is_refused_with_the_command() {
        for mode in [0o640, 0o604, 0o644] {
            let (_folder, path) = file(mode, b"sk-abc123");
            let said = read_key(&path).unwrap_err().message;
            assert!(said.contains("chmod 600 '") && said.contains(r"it'\''s a key'") && !said.contains("sk-abc123"), "{said}");
        }
    }

    #[test]
    fn what_holds_no_key_is_refused_and_never_told() {
        let long = vec![b'k'; 9000];
        for (bytes, word) in [
            (&b""[..], "is empty"),
            (b" \n\t", "is empty"),
            (b"sk-a\nsk-b", "the key alone"),
            (b"KEY = sk-a", "the key alone"),
            (b"sk-\xff\xfe", "the key alone"),
            (b"sk-\0\x01", "the key alone"),
            (&long, "the key alone"),
        ] {
            let (_folder, path) = file(0o600, bytes);
            let said = read_key(&path).unwrap_err().message;
            assert!(said.contains(word) && !said.contains("sk-"), "{said}");
        }
        let (folder, path) = file(0o600, b"sk-a");
        assert!(read_key(folder.path()).unwrap_err().message.contains("is no file"));
        assert!(read_key(&path.with_extension("none")).unwrap_err().message.contains("can't be read"));
    }
}
