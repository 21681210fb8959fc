//! The journal: a header line, then one entry a line. Written before it counts, one writer at a time, mode 0600.

use super::read::{self, ReadError, ReadErrorKind, Recording};
use crate::search::{Entry, Seq};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What stands in a journal's first line.
pub const FORMAT: &str = "tot-session";
/// The version that this program writes; older ones are read, newer ones are refused.
pub const VERSION: u32 = 1;
/// At most so often the disk is asked to make the journal safe against a power cut.
const SYNC_EVERY: Duration = Duration::from_millis(200);

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The session's name.
    pub session: String,
    /// The session that this one was forked from, and how many of its entries were copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<(String, Seq)>,
    /// The absolute path of the parent's file when the fork was made. It stays at home: a packed session has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_path: Option<String>,
    /// What the person said when they forked it.
    #[serde(default, skip_serializing_if = "ForkNote::is_empty")]
    pub fork: ForkNote,
}

/// What a person says of a fork when they make it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkNote {
    /// Why it is made; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The answer that is expected, several with ` | ` between; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expected: String,
}

impl ForkNote {
    /// Whether nothing was said.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.why.is_empty() && self.expected.is_empty()
    }
}

impl Header {
    /// The header of a new session.
    #[must_use]
    pub fn new(session: impl Into<String>, parent: Option<(String, Seq)>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, session: session.into(), parent, parent_path: None, fork: ForkNote::default() }
    }

    /// The same, with where the parent's file stands.
    #[must_use]
    pub fn with_parent_path(self, parent_path: Option<String>) -> Self {
        Self { parent_path, ..self }
    }

    /// The same, with what the person says of the fork.
    #[must_use]
    pub fn with_note(self, fork: ForkNote) -> Self {
        Self { fork, ..self }
    }
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    good: u64,
    sync: Option<Sender<()>>,
    syncer: Option<JoinHandle<()>>,
}

impl Journal {
    /// A new journal at `path`, which must not exist. Its folder is made (mode 0700).
    ///
    /// # Errors
    /// The file exists, or the disk refuses.
    pub fn create(path: &Path, header: &Header, entries: &[impl AsRef<Entry>]) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        lock(&file)?;
        let mut journal = Self::around(path, file, 0)?;
        let mut text = line(header)?;
        for entry in entries {
            text.push_str(&line(entry.as_ref())?);
        }
        if let Err(e) = journal.write(&text) {
            // A journal that never was leaves nothing behind.
            let _ = std::fs::remove_file(path);
            return Err(e);
        }
        Ok(journal)
    }

    /// Opens a journal to go on with it. A torn tail is set aside beside it (`NAME.torn`).
    ///
    /// # Errors
    /// [`ReadError`]: the file can't be read, is no journal, is of a newer version (it stays untouched), or another
    /// program writes it.
    pub fn reopen(path: &Path) -> Result<(Self, Recording), ReadError> {
        let mut file = Self::take(path)?;
        let recording = read::read(path)?;
        if let Some(torn) = &recording.torn {
            let saved =
                OpenOptions::new().append(true).create(true).mode(0o600).open(torn_beside(path)).and_then(|mut f| f.write_all(&torn.bytes));
            saved.and_then(|()| file.set_len(recording.good)).map_err(|e| ReadError::io(path, &e))?;
        }
        file.seek(SeekFrom::Start(recording.good)).map_err(|e| ReadError::io(path, &e))?;
        let journal = Self::around(path, file, recording.good).map_err(|e| ReadError::io(path, &e))?;
        Ok((journal, recording))
    }

    /// Whether the session at `path` could be gone on with now; nothing is changed.
    ///
    /// # Errors
    /// [`ReadError`]: it is no file that may be written, or another program writes it.
    pub fn check(path: &Path) -> Result<(), ReadError> {
        Self::take(path).map(drop)
    }

    /// The file, locked.
    fn take(path: &Path) -> Result<File, ReadError> {
        // Folders and devices are refused in the words of reading.
        drop(read::open(path)?);
        let file = OpenOptions::new().write(true).open(path).map_err(|e| ReadError::writing(path, &e))?;
        lock(&file).map_err(|e| match e.kind() {
            io::ErrorKind::WouldBlock => ReadError::of(ReadErrorKind::Locked, path, OTHER),
            _ => ReadError::io(path, &e),
        })?;
        // It may have been deleted, or another file put in its place, before the lock was there.
        let (mine, there) = (file.metadata(), std::fs::metadata(path));
        match (mine, there) {
            (Ok(mine), Ok(there)) if (mine.dev(), mine.ino()) == (there.dev(), there.ino()) => Ok(file),
            (_, Err(e)) | (Err(e), _) => Err(ReadError::io(path, &e)),
            _ => Err(ReadError::of(ReadErrorKind::Locked, path, OTHER)),
        }
    }

    fn around(path: &Path, file: File, good: u64) -> io::Result<Self> {
        let (sync, wanted) = channel::<()>();
        let handle = file.try_clone()?;
        let syncer = std::thread::Builder::new().name("journal-sync".to_owned()).spawn(move || {
            while wanted.recv().is_ok() {
                let _ = handle.sync_data();
                // Wishes that came meanwhile are one wish.
                loop {
                    match wanted.recv_timeout(SYNC_EVERY) {
                        Ok(()) => {}
                        Err(RecvTimeoutError::Timeout) => break,
                        Err(RecvTimeoutError::Disconnected) => {
                            let _ = handle.sync_data();
                            return;
                        }
                    }
                }
                let _ = handle.sync_data();
            }
        })?;
        Ok(Self { path: path.to_owned(), file, good, sync: Some(sync), syncer: Some(syncer) })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an entry, whole or not at all.
    ///
    /// # Errors
    /// The disk refuses; what was half written is taken back.
    pub fn append(&mut self, entry: &Entry) -> io::Result<()> {
        let text = line(entry)?;
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if let Err(e) = self.file.write_all(text.as_bytes()) {
            let _ = self.file.set_len(self.good);
            let _ = self.file.seek(SeekFrom::Start(self.good));
            return Err(e);
        }
        self.good += text.len() as u64;
        if let Some(sync) = &self.sync {
            let _ = sync.send(());
        }
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.sync = None;
        if let Some(syncer) = self.syncer.take() {
            let _ = syncer.join();
        }
    }
}

fn line(value: &impl Serialize) -> io::Result<String> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    Ok(text)
}

/// Why a session can't be written, and what to do.
const OTHER: &str = "the session is open in another tot: close that one first, or look at it with tot show or tot replay";

/// How often, and after how many milliseconds, a lock is tried again: whoever only looks whether a session is being
/// written holds it for a moment.
const TRIES: (u32, u64) = (5, 10);

fn lock(file: &File) -> io::Result<()> {
    for left in (0..TRIES.0).rev() {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if left > 0 => std::thread::sleep(Duration::from_millis(TRIES.1)),
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, OTHER))
}

/// Whether a program writes the session at `path` now.
#[must_use]
pub fn is_running(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Deletes the session at `path`, and what was set aside of it, unless a program writes it.
///
/// # Errors
/// It is open in another tot (`WouldBlock`), or the disk refuses.
pub fn delete(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    lock(&file)?;
    std::fs::remove_file(path)?;
    match std::fs::remove_file(torn_beside(path)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Where the torn tail of the session at `path` is set aside.
fn torn_beside(path: &Path) -> PathBuf {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".torn");
    aside.into()
}
