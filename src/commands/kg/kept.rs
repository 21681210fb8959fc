//! `tot kg cache`: what is kept on disk, and forgetting it.

use super::table::{Shown, shown};
use crate::kg::cache::{self, CacheSettings, Kept};
use anyhow::Context;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lists, or forgets the replies of one graph (`Some(Some(name))`) or of all (`Some(None)`).
pub(super) fn run(forget: Option<Option<&str>>, json: bool) -> anyhow::Result<Shown> {
    let path = CacheSettings::usual().context("there is no home folder, so nothing is kept")?.path;
    if let Some(kg) = forget {
        let count = cache::clear(&path, kg)?;
        let of = kg.map_or_else(String::new, |kg| format!(" of {kg}"));
        let out = if json { format!("{}\n", json!({ "forgotten": count })) } else { String::new() };
        let mut remarks = vec![format!("forgotten: {count} replies{of}")];
        if count == 0 && kg.is_some() {
            remarks.push("tot kg cache lists whose replies are kept".to_owned());
        }
        return Ok(Shown { out, remarks, failed: false });
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let old = |ms: u64| cache::age(now.saturating_sub(ms / 1000));
    let row = |kept: Kept| {
        let cells =
            vec![kept.kg.clone(), kept.replies.to_string(), size(kept.bytes), old(kept.oldest), old(kept.newest), kept.address.clone()];
        (json!(kept), cells)
    };
    let rows: Vec<_> = cache::list(&path)?.into_iter().map(row).collect();
    let nothing = rows.is_empty() && !json;
    let mut shown = shown(json, &["kg", "replies", "size", "oldest", "newest", "address"], rows, vec![format!("in {}", path.display())]);
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
