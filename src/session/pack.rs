//! A session as one packed file, to hand to somebody: checked for secrets, written beside its place, read back, and only
//! then put there. And the way back into the sessions folder.

use super::folder::new_session_name;
use super::leaks::Leaks;
use super::read::{self, ReadError, lines_of, next_line, read};
use crate::search::{Entry, Seq};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What a packed session's name ends with.
const ENDING: &str = ".tot.gz";

/// A secret that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The entry that holds it; `None`: the header.
    pub entry: Option<Seq>,
    /// What it is; never the secret itself.
    pub what: String,
}

/// What was packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Entries.
    pub entries: usize,
    /// Bytes of the journal.
    pub bytes: u64,
    /// Bytes of the packed file.
    pub packed: u64,
    /// The line that was left out, since it is not whole.
    pub torn: Option<usize>,
    /// What was replaced by `***`.
    pub redacted: Vec<Finding>,
}

/// Why a session was not packed or unpacked.
#[derive(Debug, Error)]
pub enum PackError {
    /// It is no session.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It holds secrets.
    #[error("the session holds {} that nobody else should see", if .0.len() == 1 { "a secret" } else { "secrets" })]
    Secrets(Vec<Finding>),
    /// A secret can't be taken out without breaking the journal.
    #[error("entry {0} holds a secret in the place of a word that the journal needs: it can't be replaced, so nothing was written")]
    Stuck(Seq),
    /// The file is there.
    #[error("{} is there already: nothing was overwritten", .0.display())]
    Exists(PathBuf),
    /// The disk refuses.
    #[error("{path}: {error}", path = .0.display(), error = .1)]
    Disk(PathBuf, io::Error),
    /// What was written can't be read.
    #[error("what was written can't be read back ({0}): nothing was kept; is the disk all right?")]
    Unreadable(String),
}

/// A file name for the session called `session`, which may come from anywhere; `None` if it is no name for a file.
fn safe(session: &str) -> Option<&str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!session.is_empty() && session.len() <= 100 && !session.starts_with(['.', '-']) && session.chars().all(fits)).then_some(session)
}

/// What a packed session is called: `NAME.tot.gz`.
#[must_use]
pub fn file_name(session: &str) -> String {
    format!("{}{ENDING}", safe(session).unwrap_or("session"))
}

/// Packs the session at `from` into the new file `to` (mode 0600).
///
/// Secrets refuse it, unless they are to be replaced (`redact`). A last line that is not whole is left out. An existing file
/// is only replaced with `force`.
///
/// # Errors
/// [`PackError`]; then nothing was written.
pub fn pack(from: &Path, to: &Path, leaks: &Leaks, redact: bool, force: bool) -> Result<Packed, PackError> {
    let recording = read(from)?;
    let (entries, torn) = (recording.entries.len(), recording.torn.as_ref().map(|torn| torn.line));
    drop(recording);
    if !force && std::fs::symlink_metadata(to).is_ok() {
        return Err(PackError::Exists(to.to_owned()));
    }
    let mut findings = Vec::new();
    each_line(from, entries, |number, line| {
        let (entry, line) = (number.checked_sub(1), &*to_hand_on(number, line));
        let json: Value = serde_json::from_slice(line).unwrap_or(Value::Null);
        findings.extend(leaks.find_in(&json).into_iter().map(|what| Finding { entry, what }));
        Ok(())
    })?;
    if !findings.is_empty() && !redact {
        return Err(PackError::Secrets(findings));
    }
    let mut bytes = 0;
    let beside = Beside::new(to)?;
    let disk = |e| PackError::Disk(to.to_owned(), e);
    let mut out = GzEncoder::new(BufWriter::new(beside.file().map_err(disk)?), Compression::best());
    each_line(from, entries, |number, line| {
        let line = &*to_hand_on(number, line);
        let clean = if findings.iter().any(|f| f.entry == number.checked_sub(1)) { Some(redacted(leaks, number, line)?) } else { None };
        let line = clean.as_deref().unwrap_or(line);
        bytes += line.len() as u64 + 1;
        out.write_all(line).and_then(|()| out.write_all(b"\n")).map_err(disk)
    })?;
    let file = out.finish().and_then(|buffer| buffer.into_inner().map_err(io::IntoInnerError::into_error)).map_err(disk)?;
    file.sync_all().map_err(disk)?;
    let packed = file.metadata().map_err(disk)?.len();
    beside.check(entries)?;
    beside.put(force)?;
    Ok(Packed { entries, bytes, packed, torn, redacted: findings })
}

/// A line as others get it: where the parent's file stood says whose machine it was, and is of no use elsewhere.
fn to_hand_on(number: u64, line: &[u8]) -> Cow<'_, [u8]> {
    let header = || read::header(Path::new(""), line).ok().filter(|header| header.parent_path.is_some());
    match (number == 0).then(header).flatten().map(|header| serde_json::to_vec(&header.with_parent_path(None))) {
        Some(Ok(line)) => Cow::Owned(line),
        _ => Cow::Borrowed(line),
    }
}

/// A line without its secrets; line 0 is the header.
fn redacted(leaks: &Leaks, number: u64, line: &[u8]) -> Result<Vec<u8>, PackError> {
    let stuck = || PackError::Stuck(number.saturating_sub(1));
    let mut json: Value = serde_json::from_slice(line).map_err(|_| stuck())?;
    leaks.mask_in(&mut json);
    let text = serde_json::to_vec(&json).map_err(|_| stuck())?;
    let fits = if number == 0 { read::header(Path::new(""), &text).is_ok() } else { serde_json::from_slice::<Entry>(&text).is_ok() };
    if fits && leaks.find_in(&json).is_empty() { Ok(text) } else { Err(stuck()) }
}

/// Puts a packed session into `folder` under its own name, so that it can be gone on with; its new place.
///
/// # Errors
/// [`PackError`]: it is no session, or one of its name is there.
pub fn unpack(from: &Path, folder: &Path) -> Result<PathBuf, PackError> {
    let recording = read(from)?;
    let entries = recording.entries.len();
    let name = safe(&recording.header.session).map_or_else(new_session_name, str::to_owned);
    drop(recording);
    let to = folder.join(format!("{name}.jsonl"));
    let disk = |e| PackError::Disk(to.clone(), e);
    if std::fs::symlink_metadata(&to).is_ok() {
        return Err(PackError::Exists(to));
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(disk)?;
    let beside = Beside::new(&to)?;
    let mut out = BufWriter::new(beside.file().map_err(disk)?);
    each_line(from, entries, |_, line| out.write_all(line).and_then(|()| out.write_all(b"\n")).map_err(disk))?;
    let file = out.into_inner().map_err(|e| disk(e.into_error()))?;
    file.sync_all().map_err(disk)?;
    beside.check(entries)?;
    beside.put(false)?;
    Ok(to)
}

/// Hands on the header (number 0) and the first `entries` entries of a session (from 1), without their line feeds.
fn each_line(path: &Path, entries: usize, mut take: impl FnMut(u64, &[u8]) -> Result<(), PackError>) -> Result<(), PackError> {
    let (mut from, _) = lines_of(read::open(path)?).map_err(|e| ReadError::io(path, &e))?;
    let mut line = Vec::new();
    for number in 0..=entries {
        next_line(path, &mut from, number + 1, &mut line)?;
        take(number as u64, line.strip_suffix(b"\n").unwrap_or(&line))?;
    }
    Ok(())
}

/// A file that is written beside its place; it goes away unless it is put there.
struct Beside {
    to: PathBuf,
    at: PathBuf,
}

impl Beside {
    fn new(to: &Path) -> Result<Self, PackError> {
        let Some(name) = to.file_name() else {
            return Err(PackError::Disk(to.to_owned(), io::Error::other("this is no name for a file")));
        };
        let at = to.with_file_name(format!(".{}.{:x}.tmp", name.to_string_lossy(), std::process::id()));
        Ok(Self { to: to.to_owned(), at })
    }

    fn file(&self) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.at)
    }

    /// What was written is read back before it counts.
    fn check(&self, entries: usize) -> Result<(), PackError> {
        let again = read(&self.at).map_err(|e| PackError::Unreadable(e.to_string()))?;
        if again.entries.len() == entries && again.torn.is_none() {
            return Ok(());
        }
        Err(PackError::Unreadable(format!("{} of {entries} entries", again.entries.len())))
    }

    fn put(self, force: bool) -> Result<(), PackError> {
        let disk = |e| PackError::Disk(self.to.clone(), e);
        if force {
            return std::fs::rename(&self.at, &self.to).map_err(disk);
        }
        // A link never replaces what came there meanwhile; where there are no links, looking has to do.
        match std::fs::hard_link(&self.at, &self.to) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(PackError::Exists(self.to.clone())),
            Err(_) if std::fs::symlink_metadata(&self.to).is_ok() => Err(PackError::Exists(self.to.clone())),
            Err(_) => std::fs::rename(&self.at, &self.to).map_err(disk),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_anywhere_are_names_of_files() {
        assert_eq!(file_name("20261130-070500-abcdef"), "20261130-070500-abcdef.tot.gz");
        for wrong in ["../../etc/passwd", "a/b", ".hidden", "-rf", "", "a\u{1b}[31m"] {
            assert_eq!(file_name(wrong), "session.tot.gz");
        }
    }
}
