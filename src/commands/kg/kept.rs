//! `tot kg cache` and `tot cache`: what is kept on disk, and forgetting it.

use super::table::{Shown, shown};
use crate::cache::{self, CacheSettings, Kept};
use anyhow::Context;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lists, or forgets the replies of one graph or model (`Some(Some(name))`) or of all (`Some(None)`). `models`: those of
/// models, too.
pub(super) fn run(forget: Option<Option<&str>>, json: bool, models: bool) -> anyhow::Result<Shown> {
    let nowhere = "there is no home folder, so nothing is kept";
    let mut files = vec![("kg", crate::kg::cache::usual().context(nowhere)?)];
    files.extend(crate::llm::cache::usual().filter(|_| models).map(|file| ("model", file)));
    let lists = if models { "tot cache" } else { "tot kg cache" };
    if let Some(name) = forget {
        let counts = files.iter().map(|(_, CacheSettings { path, .. })| cache::clear(path, name)).collect::<anyhow::Result<Vec<u64>>>()?;
        let count: u64 = counts.iter().sum();
        let of = name.map_or_else(String::new, |name| format!(" of {name}"));
        let out = if json { format!("{}\n", json!({ "forgotten": count })) } else { String::new() };
        let mut remarks = vec![format!("forgotten: {count} replies{of}")];
        if count == 0 && name.is_some() {
            remarks.push(format!("{lists} lists whose replies are kept"));
        }
        return Ok(Shown { out, remarks, failed: false });
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let old = |ms: u64| cache::age(now.saturating_sub(ms / 1000));
    let row = |kind: &str, kept: Kept| {
        let Kept { name, address, replies, bytes, oldest, newest } = kept;
        let cells = vec![name.clone(), replies.to_string(), size(bytes), old(oldest), old(newest), address.clone()];
        let mut object = json!({ "address": address, "replies": replies, "bytes": bytes, "oldest": oldest, "newest": newest });
        object[kind] = name.into();
        (object, cells)
    };
    let mut rows = Vec::new();
    for (kind, file) in &files {
        rows.extend(cache::list(&file.path)?.into_iter().map(|kept| row(kind, kept)));
    }
    let nothing = rows.is_empty() && !json;
    let places: Vec<String> = files.iter().map(|(_, file)| file.path.display().to_string()).collect();
    let whose = if models { "of" } else { "kg" };
    let mut shown =
        shown(json, &[whose, "replies", "size", "oldest", "newest", "address"], rows, vec![format!("in {}", places.join(" and "))]);
    if nothing {
        "no replies are kept".clone_into(&mut shown.remarks[0]);
    }
    Ok(shown)
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KB", bytes / 1_024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}
