//! Reading a journal: a torn tail costs that line only, a newer version is refused untouched.

use super::journal::{FORMAT, Header, VERSION};
use crate::search::{Entry, State};
use serde::de::IgnoredAny;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Why a file is no session.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ReadError(String);

impl ReadError {
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => ": there is no such file; `tot` without arguments lists recent sessions",
            io::ErrorKind::PermissionDenied => ": you may not read it",
            io::ErrorKind::IsADirectory => ": it is a folder; name a session file in it",
            _ => "",
        };
        if hint.is_empty() { Self(format!("{}: {error}", path.display())) } else { Self(format!("{}{hint}", path.display())) }
    }

    fn at(path: &Path, what: impl std::fmt::Display) -> Self {
        Self(format!("{}: {what}", path.display()))
    }
}

/// What is left of a last line that was not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its number, from 1.
    pub line: usize,
}

/// A journal in memory.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its first line.
    pub header: Header,
    /// Its entries.
    pub entries: Vec<Arc<Entry>>,
    /// The state that they make.
    pub state: State,
    /// A last line that was not finished.
    pub torn: Option<Torn>,
    /// Bytes up to there are whole lines.
    pub good: u64,
}

impl Recording {
    /// A remark on a torn tail, for people.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.torn.as_ref().map(|t| {
            format!(
                "line {} is not finished (the program was killed while it wrote it, or still writes): it is left out, nothing else is lost",
                t.line
            )
        })
    }
}

/// Reads the journal at `path`.
///
/// # Errors
/// A sentence with file, line and what to do.
pub fn read(path: &Path) -> Result<Recording, ReadError> {
    if path.is_dir() {
        return Err(ReadError::io(path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    // A device never ends.
    if std::fs::metadata(path).is_ok_and(|m| m.file_type().is_char_device()) {
        return Err(ReadError::at(path, "it is no file; name a session file"));
    }
    let bytes = std::fs::read(path).map_err(|e| ReadError::io(path, &e))?;
    parse(path, &bytes)
}

/// Reads a journal that is in memory; `path` is what messages call it.
///
/// # Errors
/// A sentence with file, line and what to do.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Recording, ReadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::at(path, "the file is empty: it holds no session"));
    }
    let mut lines = Vec::new();
    let (mut start, mut good) = (0, 0);
    while let Some(end) = bytes[start..].iter().position(|b| *b == b'\n') {
        lines.push(&bytes[start..start + end]);
        start += end + 1;
        good = start;
    }
    let mut torn = (start < bytes.len()).then(|| Torn { bytes: bytes[start..].to_vec(), line: lines.len() + 1 });
    let Some(first) = lines.first() else {
        return Err(ReadError::at(path, "this is no tot session: its first line is not whole"));
    };
    let header = header(path, first)?;
    let (mut state, mut entries) = (State::default(), Vec::new());
    let last = lines.len() - 1;
    for (i, line) in lines.iter().enumerate().skip(1) {
        let entry: Entry = match serde_json::from_slice(line) {
            Ok(entry) => entry,
            Err(_) if i == last && torn.is_none() && looks_torn(line) => {
                good -= line.len() + 1;
                torn = Some(Torn { bytes: [line, &b"\n"[..]].concat(), line: i + 1 });
                break;
            }
            Err(e) => {
                return Err(ReadError::at(
                    path,
                    format!("line {} is damaged ({e}): what stands before it can be kept with `head -n {i} FILE > NEW`", i + 1),
                ));
            }
        };
        state.apply(&entry).map_err(|e| ReadError::at(path, format!("line {}: {e}: the journal does not fit together here", i + 1)))?;
        entries.push(Arc::new(entry));
    }
    Ok(Recording { header, entries, state, torn, good: good as u64 })
}

/// A crash of the machine can leave a last line of zeros or half a block, line feed included. What is whole JSON, or is
/// no beginning of an entry, comes from elsewhere: it is not set aside silently.
fn looks_torn(line: &[u8]) -> bool {
    line.contains(&0) || (line.starts_with(b"{\"seq\":") && serde_json::from_slice::<IgnoredAny>(line).is_err())
}

fn header(path: &Path, line: &[u8]) -> Result<Header, ReadError> {
    let value: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| ReadError::at(path, "this is no tot session: its first line is no header"))?;
    if value["format"] != FORMAT {
        return Err(ReadError::at(path, "this is no tot session: its first line is no header of one"));
    }
    match value["version"].as_u64() {
        Some(v) if v > u64::from(VERSION) => Err(ReadError::at(
            path,
            format!("the session has version {v}, this program reads up to version {VERSION}: use a newer tot; the file was left as it is"),
        )),
        _ => serde_json::from_value(value).map_err(|e| ReadError::at(path, format!("the header can't be read: {e}"))),
    }
}
