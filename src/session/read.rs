//! Reading a journal: a torn tail costs that line only, a newer version is refused untouched.

use super::journal::{FORMAT, Header, VERSION};
use crate::search::{Entry, State};
use flate2::bufread::MultiGzDecoder;
use serde::de::IgnoredAny;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Why a file is no session, or can't be gone on with.
#[derive(Debug, Error)]
#[error("{text}")]
pub struct ReadError {
    text: String,
    kind: ReadErrorKind,
}

/// What kind of trouble a session file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The disk refuses.
    Disk,
    /// It is no session, or an empty one.
    NoSession,
    /// A newer program wrote it.
    Newer,
    /// A line of it is damaged.
    Damaged,
    /// Another program writes it: it can be read only.
    Locked,
    /// It may be read, but not written.
    ReadOnly,
}

impl ReadError {
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => ": there is no such file; `tot sessions list` lists sessions",
            io::ErrorKind::PermissionDenied => ": you may not read it",
            io::ErrorKind::IsADirectory => ": it is a folder; name a session file in it",
            _ => "",
        };
        let text = if hint.is_empty() { format!("{}: {error}", path.display()) } else { format!("{}{hint}", path.display()) };
        Self { text, kind: ReadErrorKind::Disk }
    }

    /// From the attempt to open a session that goes on.
    pub(super) fn writing(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::of(
                ReadErrorKind::ReadOnly,
                path,
                "you may not write it, so it can't be gone on with: look at it with tot show or tot replay, or copy it to a folder of yours",
            ),
            _ => Self::io(path, error),
        }
    }

    pub(super) fn of(kind: ReadErrorKind, path: &Path, what: impl std::fmt::Display) -> Self {
        Self { text: format!("{}: {what}", path.display()), kind }
    }

    /// What kind of trouble it is.
    #[must_use]
    pub const fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// Whether the session is whole and can be looked at, only not written.
    #[must_use]
    pub const fn can_be_looked_at(&self) -> bool {
        matches!(self.kind, ReadErrorKind::Locked | ReadErrorKind::ReadOnly)
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
    /// Its file, or what stands for it in messages.
    pub path: PathBuf,
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

/// A line of a journal is never longer: a packed file whose line goes on and on is a trap.
const LONGEST_LINE: u64 = 256 << 20;

/// A packed journal is not unpacked beyond this: a file of a few kB can swell to anything.
const LARGEST_UNPACKED: u64 = 1 << 30;

/// What a packed session begins with (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

const NO_HEADER: &str = "this is no tot session: its first line is no header";

/// Reads the journal at `path`, plain or packed.
///
/// # Errors
/// A sentence with file, line and what to do.
pub fn read(path: &Path) -> Result<Recording, ReadError> {
    let file = open(path)?;
    let (from, packed) = lines_of(file).map_err(|e| ReadError::io(path, &e))?;
    read_from(path, from, if packed { LARGEST_UNPACKED } else { u64::MAX })
}

/// A session file, opened for reading: folders and devices, which never end, are refused.
pub(super) fn open(path: &Path) -> Result<File, ReadError> {
    if path.is_dir() {
        return Err(ReadError::io(path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    if std::fs::metadata(path).is_ok_and(|m| m.file_type().is_char_device()) {
        return Err(ReadError::of(ReadErrorKind::NoSession, path, "it is no file; name a session file"));
    }
    File::open(path).map_err(|e| ReadError::io(path, &e))
}

/// Whether the file at `path` is packed.
#[must_use]
pub fn is_packed(path: &Path) -> bool {
    let mut start = [0; 2];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == GZIP
}

/// What stands in a session file, unpacked if it is packed, and whether it is. Never more than a buffer of it is in memory.
pub(super) fn lines_of(file: File) -> io::Result<(Box<dyn BufRead>, bool)> {
    let mut plain = BufReader::with_capacity(1 << 16, file);
    if plain.fill_buf()?.starts_with(&GZIP) {
        return Ok((Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(plain))), true));
    }
    Ok((Box::new(plain), false))
}

/// Reads a journal that is in memory; `path` is what messages call it.
///
/// # Errors
/// A sentence with file, line and what to do.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Recording, ReadError> {
    read_from(path, bytes, u64::MAX)
}

/// One line, with its line feed if it has one; empty at the end.
pub(super) fn next_line(path: &Path, from: &mut impl BufRead, number: usize, line: &mut Vec<u8>) -> Result<(), ReadError> {
    line.clear();
    from.take(LONGEST_LINE).read_until(b'\n', line).map_err(|e| match e.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => ReadError::of(
            ReadErrorKind::Damaged,
            path,
            format!("the packed file is damaged at line {number} of its journal ({e}): fetch it again from where it came"),
        ),
        _ => ReadError::io(path, &e),
    })?;
    if line.len() as u64 >= LONGEST_LINE {
        return Err(ReadError::of(ReadErrorKind::NoSession, path, format!("line {number} is longer than any of a session: it is none")));
    }
    Ok(())
}

fn is_at_end(from: &mut impl BufRead) -> bool {
    from.fill_buf().is_ok_and(<[u8]>::is_empty)
}

/// `largest`: bytes that are read at most.
fn read_from(path: &Path, mut from: impl BufRead, largest: u64) -> Result<Recording, ReadError> {
    let no_session = |what: &str| Err(ReadError::of(ReadErrorKind::NoSession, path, what));
    let mut line = Vec::new();
    next_line(path, &mut from, 1, &mut line)?;
    if line.iter().all(u8::is_ascii_whitespace) {
        while !line.is_empty() && line.iter().all(u8::is_ascii_whitespace) {
            next_line(path, &mut from, 1, &mut line)?;
        }
        return no_session(if line.is_empty() { "the file is empty: it holds no session" } else { NO_HEADER });
    }
    if line.pop() != Some(b'\n') {
        return no_session("this is no tot session: its first line is not whole");
    }
    let header = header(path, &line)?;
    let mut good = line.len() as u64 + 1;
    let (mut state, mut entries, mut torn) = (State::default(), Vec::new(), None);
    for number in 2.. {
        next_line(path, &mut from, number, &mut line)?;
        if line.is_empty() {
            break;
        }
        if line.last() != Some(&b'\n') {
            torn = Some(Torn { bytes: std::mem::take(&mut line), line: number });
            break;
        }
        let entry: Entry = match serde_json::from_slice(&line[..line.len() - 1]) {
            Ok(entry) => entry,
            Err(_) if looks_torn(&line) && is_at_end(&mut from) => {
                torn = Some(Torn { bytes: std::mem::take(&mut line), line: number });
                break;
            }
            Err(e) => {
                let kept = number - 1;
                return Err(ReadError::of(
                    ReadErrorKind::Damaged,
                    path,
                    format!("line {number} is damaged ({e}): what stands before it can be kept with `head -n {kept} FILE > NEW`"),
                ));
            }
        };
        let wrong = |e| ReadError::of(ReadErrorKind::Damaged, path, format!("line {number}: {e}: the journal does not fit together here"));
        state.apply(&entry).map_err(wrong)?;
        good += line.len() as u64;
        if good > largest {
            let gib = largest >> 30;
            let what = format!("it unpacks to more than {gib} GiB: if you trust it, unpack it with `gunzip -c FILE > NEW.jsonl`");
            return Err(ReadError::of(ReadErrorKind::NoSession, path, what));
        }
        entries.push(Arc::new(entry));
    }
    Ok(Recording { path: path.to_owned(), header, entries, state, torn, good })
}

/// A crash of the machine can leave a last line of zeros or half a block, line feed included. What is whole JSON, or is
/// no beginning of an entry, comes from elsewhere: it is not set aside silently.
fn looks_torn(line: &[u8]) -> bool {
    line.contains(&0) || (line.starts_with(b"{\"seq\":") && serde_json::from_slice::<IgnoredAny>(line).is_err())
}

pub(super) fn header(path: &Path, line: &[u8]) -> Result<Header, ReadError> {
    let value: serde_json::Value = serde_json::from_slice(line).map_err(|_| ReadError::of(ReadErrorKind::NoSession, path, NO_HEADER))?;
    if value["format"] != FORMAT {
        return Err(ReadError::of(ReadErrorKind::NoSession, path, "this is no tot session: its first line is no header of one"));
    }
    match value["version"].as_u64() {
        Some(v) if v > u64::from(VERSION) => Err(ReadError::of(
            ReadErrorKind::Newer,
            path,
            format!("the session has version {v}, this program reads up to version {VERSION}: use a newer tot; the file was left as it is"),
        )),
        _ => serde_json::from_value(value)
            .map_err(|e| ReadError::of(ReadErrorKind::NoSession, path, format!("the header can't be read: {e}"))),
    }
}
