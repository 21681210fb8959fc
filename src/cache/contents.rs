//! What a cache file holds: listing it, forgetting it, keeping it small.

use super::store::{ABOUT, About, Kept, REPLIES, begin, open};
use redb::{Database, ReadableDatabase, ReadableTable};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Bytes of replies at most; beyond, the oldest go.
const LARGEST: u64 = 128 << 20;

/// Every entry's key and what it is.
fn abouts(database: &Database) -> Result<Vec<(Vec<u8>, About)>, redb::Error> {
    let transaction = database.begin_read()?;
    let table = match transaction.open_table(ABOUT) {
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
        other => other?,
    };
    let mut all = Vec::new();
    for row in table.iter()? {
        let (key, value) = row?;
        if let Ok(about) = serde_json::from_slice(value.value()) {
            all.push((key.value().to_vec(), about));
        }
    }
    Ok(all)
}

fn remove<'a>(database: &Database, keys: impl Iterator<Item = &'a [u8]>) -> Result<(), redb::Error> {
    let mut keys = keys.peekable();
    if keys.peek().is_none() {
        return Ok(());
    }
    let Some(transaction) = begin(database)? else { return Ok(()) };
    {
        let mut replies = transaction.open_table(REPLIES)?;
        let mut abouts = transaction.open_table(ABOUT)?;
        for key in keys {
            replies.remove(key)?;
            abouts.remove(key)?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Drops what is too old, and the oldest of what is too much.
pub(super) fn prune(database: &Database, max_age: Duration) -> Result<(), redb::Error> {
    let mut all = abouts(database)?;
    all.sort_by_key(|(_, about)| std::cmp::Reverse(about.when));
    let oldest = super::now_ms().saturating_sub(u64::try_from(max_age.as_millis()).unwrap_or(u64::MAX));
    let mut bytes = 0;
    let gone = all.iter().filter(|(_, about)| {
        bytes += about.bytes;
        about.when < oldest || bytes > LARGEST
    });
    remove(database, gone.map(|(key, _)| key.as_slice()))
}

/// What the cache at `path` keeps, KG by KG or model by model. Nothing where there is no file. Blocks.
///
/// # Errors
/// One sentence, when the file can't be used.
pub fn list(path: &Path) -> anyhow::Result<Vec<Kept>> {
    let Some(database) = existing(path)? else { return Ok(Vec::new()) };
    let mut kept: BTreeMap<(String, String), Kept> = BTreeMap::new();
    for (_, about) in abouts(&database)? {
        let of = kept.entry((about.name.clone(), about.address.clone())).or_insert(Kept {
            name: about.name,
            address: about.address,
            replies: 0,
            bytes: 0,
            oldest: about.when,
            newest: about.when,
        });
        of.replies += 1;
        of.bytes += about.bytes;
        of.oldest = of.oldest.min(about.when);
        of.newest = of.newest.max(about.when);
    }
    Ok(kept.into_values().collect())
}

/// Forgets what the cache at `path` keeps, of the KG or model of this name or of all; how many replies that were. Blocks.
///
/// # Errors
/// One sentence, when the file can't be used.
pub fn clear(path: &Path, name: Option<&str>) -> anyhow::Result<u64> {
    let Some(mut database) = existing(path)? else { return Ok(0) };
    let all = abouts(&database)?;
    let gone: Vec<&[u8]> =
        all.iter().filter(|(_, about)| name.is_none_or(|name| name == about.name)).map(|(key, _)| key.as_slice()).collect();
    remove(&database, gone.iter().copied())?;
    let left = abouts(&database)?.len();
    if left + gone.len() > all.len() {
        anyhow::bail!("another program writes to {} all the time: try again", path.display());
    }
    // The room is given back when nobody else has the file open; else it is used again.
    let _ = database.compact();
    Ok(gone.len() as u64)
}

fn existing(path: &Path) -> anyhow::Result<Option<Database>> {
    if !path.exists() {
        return Ok(None);
    }
    let opened = open(path).map_err(|error| anyhow::anyhow!("the cache {} can't be used: {error}; remove the file", path.display()))?;
    Ok(Some(opened.0))
}
