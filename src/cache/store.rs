//! The file: two tables of one redb database, which several programs may have open at once.

use super::contents::prune;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use redb::{
    Builder, ConcurrencyMode, Database, DatabaseError, ReadableDatabase, StorageError, TableDefinition, TransactionError, WriteTransaction,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Packed replies by key.
pub(super) const REPLIES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("replies");
/// What each is, by the same key: all that a list needs.
pub(super) const ABOUT: TableDefinition<&[u8], &[u8]> = TableDefinition::new("about");
/// Memory for pages.
const PAGES: usize = 8 << 20;
/// Bytes of one reply, unpacked, at most.
const LARGEST_REPLY: u64 = 64 << 20;
/// How long another program's writing is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// What an entry is: all that a list of them says. The names are those of the first files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// Whose reply it is: the KG's name in the session that asked, the model's.
    #[serde(rename = "kg")]
    pub name: String,
    /// Where it is, for people.
    pub address: String,
    /// When it came, in milliseconds since 1970.
    pub when: u64,
    /// What was asked, in a word.
    #[serde(rename = "op")]
    pub what: String,
    /// Bytes, packed; set by the store.
    pub bytes: u64,
}

/// What is kept of one KG or model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name in the sessions that asked.
    pub name: String,
    /// Where it is, without secrets.
    pub address: String,
    /// How many replies.
    pub replies: u64,
    /// Bytes, packed.
    pub bytes: u64,
    /// When the oldest came, in milliseconds since 1970.
    pub oldest: u64,
    /// When the newest came.
    pub newest: u64,
}

/// What a reply is found by: a hash of all that it depends on.
pub type Key = [u8; 32];
/// An entry as it goes to the disk: its key, the packed reply, what it is.
type Packed = (Key, Vec<u8>, Vec<u8>);

/// A cache file, opened when it is first needed.
pub struct Store {
    path: PathBuf,
    max_age: Duration,
    database: OnceLock<Option<Database>>,
    /// What is on its way to the disk: whoever writes next takes all of it.
    queue: Mutex<Vec<Packed>>,
    writing: Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Nothing more is read or written.
    given_up: bool,
    /// What has to be told once.
    remark: Option<String>,
}

/// Files that are open in this program, each once.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<Store>>>> = LazyLock::new(Mutex::default);

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// The store at `path`. Replies older than `max_age` are dropped when it is opened.
    pub fn of(path: &Path, max_age: Duration) -> Arc<Self> {
        let mut open = held(&OPEN);
        open.retain(|_, store| store.strong_count() > 0);
        if let Some(store) = open.get(path).and_then(Weak::upgrade) {
            return store;
        }
        let store = Arc::new(Self {
            path: path.to_owned(),
            max_age,
            database: OnceLock::new(),
            queue: Mutex::default(),
            writing: Mutex::default(),
            state: Mutex::default(),
        });
        open.insert(path.to_owned(), Arc::downgrade(&store));
        store
    }

    /// What the person has to know about the cache, once.
    pub fn remark(&self) -> Option<String> {
        held(&self.state).remark.take()
    }

    fn give_up(&self, why: &dyn std::fmt::Display) {
        let mut state = held(&self.state);
        if !state.given_up {
            state.given_up = true;
            state.remark = Some(format!("replies are not kept, since {} can't be used: {why}", self.path.display()));
        }
    }

    fn database(&self) -> Option<&Database> {
        let open = || match open(&self.path) {
            Ok((database, aside)) => {
                if let Some(aside) = aside {
                    let remark = format!("the cache was damaged: it is set aside as {} and begun anew", aside.display());
                    held(&self.state).remark = Some(remark);
                }
                // A failure here shows again at the next use.
                let _ = prune(&database, self.max_age);
                Some(database)
            }
            Err(error) => {
                self.give_up(&error);
                None
            }
        };
        self.database.get_or_init(open).as_ref().filter(|_| !held(&self.state).given_up)
    }

    /// The entry under `key`. Blocks.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        let read = |database: &Database| -> Result<Option<Vec<u8>>, redb::Error> {
            let transaction = database.begin_read()?;
            let table = match transaction.open_table(REPLIES) {
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
                other => other?,
            };
            Ok(table.get(key.as_slice())?.map(|value| value.value().to_vec()))
        };
        match read(self.database()?) {
            Ok(packed) => unpack(&packed?),
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    /// Opens the file, which otherwise happens at the first use: what is wrong with it is known then. Blocks.
    pub fn open(&self) {
        let _ = self.database();
    }

    /// Keeps `reply` under `key`, on disk when this returns, unless another program writes for long. Blocks.
    pub fn put(&self, key: Key, reply: &impl Serialize, about: About) {
        self.later(key, reply, about);
        self.write();
    }

    /// Puts `reply` where the next [`Store::write`] finds it. Does not touch the disk.
    pub fn later(&self, key: Key, reply: &impl Serialize, about: About) {
        let Some(packed) = pack(reply) else { return };
        let Ok(about) = serde_json::to_vec(&About { bytes: packed.len() as u64, ..about }) else { return };
        held(&self.queue).push((key, packed, about));
    }

    /// Writes everything that waits to be kept. Blocks.
    pub fn write(&self) {
        let _writing = held(&self.writing);
        let batch = std::mem::take(&mut *held(&self.queue));
        if batch.is_empty() {
            return;
        }
        let Some(database) = self.database() else { return };
        let write = || -> Result<(), redb::Error> {
            let Some(transaction) = begin(database)? else { return Ok(()) };
            {
                let mut replies = transaction.open_table(REPLIES)?;
                let mut abouts = transaction.open_table(ABOUT)?;
                for (key, packed, about) in &batch {
                    replies.insert(key.as_slice(), packed.as_slice())?;
                    abouts.insert(key.as_slice(), about.as_slice())?;
                }
            }
            transaction.commit()?;
            Ok(())
        };
        if let Err(error) = write() {
            self.give_up(&error);
        }
    }
}

/// Writes what waits to be kept, in every file that is open: the last thing before the program ends.
pub fn write_all() {
    let open: Vec<Arc<Store>> = held(&OPEN).values().filter_map(Weak::upgrade).collect();
    open.iter().for_each(|store| store.write());
}

/// A transaction, `None` when another program keeps writing: what is kept is worth no long wait.
pub(super) fn begin(database: &Database) -> Result<Option<WriteTransaction>, redb::Error> {
    let until = Instant::now() + PATIENCE;
    loop {
        match database.try_begin_write() {
            Err(TransactionError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            Err(TransactionError::WouldBlock) => return Ok(None),
            other => return Ok(Some(other?)),
        }
    }
}

fn pack(entry: &impl Serialize) -> Option<Vec<u8>> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(&serde_json::to_vec(entry).ok()?).ok()?;
    packer.finish().ok()
}

fn unpack<T: DeserializeOwned>(packed: &[u8]) -> Option<T> {
    let mut json = Vec::new();
    ZlibDecoder::new(packed).take(LARGEST_REPLY).read_to_end(&mut json).ok()?;
    serde_json::from_slice(&json).ok()
}

/// How often a file that looks damaged is looked at again.
const LOOKS: u32 = 4;

/// Opens the file, made where there is none, readable by its owner only. One that is damaged is set aside: where to.
pub(super) fn open(path: &Path) -> Result<(Database, Option<PathBuf>), DatabaseError> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(StorageError::Io)?;
    }
    let opened = |path: &Path| {
        drop(OpenOptions::new().append(true).create(true).mode(0o600).open(path)?);
        // Without the check a file that something else has written into would be believed.
        let mut builder = Builder::new();
        builder.set_cache_size(PAGES).set_concurrency_mode(ConcurrencyMode::MultiWriter).set_check_integrity_on_open(true);
        builder.create(path)
    };
    // A new file is made aside and put in its place whole: another program never sees half of it, nor does a kill leave one.
    let attempt = || {
        if !path.exists() {
            let new = path.with_extension(format!("redb.{}.new", std::process::id()));
            drop(opened(&new)?);
            // It fails when another program was quicker, which is as good.
            let _ = std::fs::hard_link(&new, path);
            let _ = std::fs::remove_file(&new);
        }
        opened(path)
    };
    // What looks damaged while another program mends it after a crash is whole a moment later.
    let patient = || {
        for _ in 0..LOOKS {
            match attempt() {
                Err(error) if is_damage(&error) => std::thread::sleep(Duration::from_millis(60)),
                other => return other,
            }
        }
        attempt()
    };
    match patient() {
        Err(error) if is_damage(&error) => {
            let aside = path.with_extension("redb.damaged");
            std::fs::rename(path, &aside)?;
            Ok((attempt()?, Some(aside)))
        }
        other => Ok((other?, None)),
    }
}

fn is_damage(error: &DatabaseError) -> bool {
    match error {
        DatabaseError::Storage(StorageError::Corrupted(_)) | DatabaseError::UpgradeRequired(_) | DatabaseError::RepairAborted => true,
        DatabaseError::Storage(StorageError::Io(error)) => {
            matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
        }
        _ => false,
    }
}
