//! Browsing: a list of linked entities beyond what a lookup shows, page by page.

use super::Call;
use super::json;
use super::kinds::Kind;
use super::record::Cut;
use crate::calls::CallError;
use crate::graph::EntityId;
use serde_json::Value;
use std::collections::HashSet;

/// The service gives so many at once at most.
const PAGE: usize = 100;
/// Requests for one list at most: a server that sends them one by one is not followed without end.
const PAGES: usize = 50;
/// The same for a list of which only a part is wanted: that part may be nothing at all.
const SIFTED: usize = 10;

/// A part of a list.
pub struct Browsed {
    /// The listed records.
    pub records: Vec<Value>,
    /// How many there are, where the service says so.
    pub of: Option<u64>,
    /// Whether there are more after these.
    pub more: bool,
}

/// `cap` members of a list of the entity `owner` from `offset` on; `None` when the service does not browse it. Pages are
/// often shorter than asked for: the next one begins after what came.
///
/// # Errors
/// Those of the service.
pub async fn browse(call: &mut Call<'_>, cut: Cut, owner: &EntityId, offset: u32, cap: u32) -> Result<Option<Browsed>, CallError> {
    let list = cut.list;
    // Where only a part is wanted, that is counted from the beginning.
    let sifted = list.field.is_some();
    let (skip, pages) = if sifted { (offset as usize, SIFTED) } else { (0, PAGES) };
    let cap = (cap as usize).saturating_add(skip);
    let mut browsed = Browsed { records: Vec::new(), of: cut.count, more: true };
    let mut seen: HashSet<String> = HashSet::new();
    let mut at = if sifted { 0 } else { u64::from(offset) };
    for _ in 0..pages {
        // One more than wanted tells whether there is more where the service does not count.
        let missing = cap.saturating_sub(browsed.records.len()).saturating_add(usize::from(browsed.of.is_none()));
        let limit = if sifted { PAGE } else { missing.clamp(1, PAGE) }.to_string();
        let (from, mut query) = (at.to_string(), vec![(list.owner.path(), &**owner)]);
        if !matches!(list.of, Kind::Work | Kind::Artist) {
            query.push(("inc", "artist-credits"));
        }
        query.extend([("limit", limit.as_str()), ("offset", from.as_str())]);
        let Some(answer) = call.kg.client.get(&[list.of.path()], &query, &mut call.wire).await? else { return Ok(None) };
        let page = json::list(&answer.body, list.of.plural());
        browsed.of = json::number(&answer.body, &format!("{}-count", list.of.path())).or(browsed.of);
        at = at.saturating_add(page.len() as u64);
        for record in page {
            // The list may have moved between two requests.
            if json::text(record, "id").is_some_and(|id| seen.insert(id.to_owned())) && list.holds(record, owner) {
                browsed.records.push(record.clone());
            }
        }
        // An empty page before the count is reached is the service's fault, and no end of the list.
        browsed.more = browsed.of.map_or(!page.is_empty(), |of| at < of);
        if page.is_empty()
            || !browsed.more
            || browsed.records.len() > cap
            || (browsed.of.is_some() && !sifted && browsed.records.len() == cap)
        {
            break;
        }
    }
    if browsed.records.len() > cap {
        browsed.records.truncate(cap);
        browsed.more = true;
    }
    if sifted {
        browsed.of = (!browsed.more).then_some(browsed.records.len() as u64);
        browsed.records.drain(..skip.min(browsed.records.len()));
    }
    for record in &browsed.records {
        if let Some(entity) = super::describe::entity(list.of, record, &call.kg.name) {
            call.kg.shelf.see(list.of, &entity);
        }
    }
    Ok(Some(browsed))
}
