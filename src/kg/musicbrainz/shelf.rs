//! What the adapter remembers in one run of the program: records that were looked up, and the kind of every entity that
//! it saw. Nothing here is needed: an id of unknown kind is found by trying the kinds in a fixed order.

use super::client::Client;
use super::id;
use super::kinds::{Kind, PROBED};
use super::record::Record;
use crate::calls::{CallError, WireNote};
use crate::graph::{Entity, EntityId, KgName};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Records kept at most; the oldest go first.
const RECORDS: usize = 2_000;
/// Entities kept at most; beyond it all are forgotten.
const ENTITIES: usize = 100_000;

/// A place for a record. Who wants it first looks it up while the others wait for that.
type Slot = Arc<tokio::sync::Mutex<Found>>;

/// What a lookup came to.
#[derive(Clone, Default)]
enum Found {
    /// None was made, or it failed.
    #[default]
    NotYet,
    /// The service knows no such entity, of any kind.
    Nothing,
    /// A record.
    Record(Arc<Record>),
}

/// Everything that was seen.
#[derive(Default)]
pub struct Shelf {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    slots: HashMap<EntityId, Slot>,
    order: VecDeque<EntityId>,
    seen: HashMap<EntityId, (Kind, Entity)>,
}

impl Shelf {
    /// The record of `given` (an MBID in any form): the one that is here, else by lookup; `None` when the service has
    /// none. Calls for the same entity at the same time make one request.
    ///
    /// # Errors
    /// `Refused` for what is no MBID, else those of the service.
    pub async fn record(
        &self,
        client: &Client,
        kg: &KgName,
        given: &str,
        wire: &mut Vec<WireNote>,
    ) -> Result<Option<Arc<Record>>, CallError> {
        let given = id::require(given)?;
        let slot = self.slot(&given.mbid);
        let mut held = slot.lock().await;
        match &*held {
            Found::NotYet => {}
            Found::Nothing => return Ok(None),
            Found::Record(record) => return Ok(Some(Arc::clone(record))),
        }
        for kind in self.order(&given) {
            let wanted = kind.wanted();
            let query: Vec<(&str, &str)> = wanted.iter().map(|wanted| ("inc", wanted.as_str())).collect();
            let Some(answer) = client.get(&[kind.path(), &given.mbid], &query, wire).await? else { continue };
            let record = Arc::new(Record::read(kind, &given.mbid, &answer.body, kg));
            self.keep(&record);
            *held = Found::Record(Arc::clone(&record));
            drop(held);
            // An old id leads to the same record as the new one.
            if record.entity.id != given.mbid
                && let Ok(mut other) = self.slot(&record.entity.id).try_lock()
            {
                *other = Found::Record(Arc::clone(&record));
            }
            return Ok(Some(record));
        }
        *held = Found::Nothing;
        Ok(None)
    }

    /// The record of `mbid`, if it is here.
    pub fn here(&self, mbid: &str) -> Option<Arc<Record>> {
        let slot = self.lock().slots.get(mbid).cloned()?;
        match &*slot.try_lock().ok()? {
            Found::Record(record) => Some(Arc::clone(record)),
            Found::NotYet | Found::Nothing => None,
        }
    }

    /// The entity `mbid` as it was last seen.
    pub fn entity(&self, mbid: &str) -> Option<Entity> {
        self.lock().seen.get(mbid).map(|(_, entity)| entity.clone())
    }

    /// Remembers an entity that came by, and its kind. What is known already stays.
    pub fn see(&self, kind: Kind, entity: &Entity) {
        let mut inner = self.lock();
        if inner.seen.len() >= ENTITIES {
            inner.seen.clear();
        }
        inner.seen.entry(entity.id.clone()).or_insert_with(|| (kind, entity.clone()));
    }

    fn keep(&self, record: &Record) {
        // The record knows more of its entity than what mentioned it.
        self.lock().seen.insert(record.entity.id.clone(), (record.kind, record.entity.clone()));
        for (kind, entity) in record.neighbours() {
            self.see(kind, entity);
        }
    }

    fn slot(&self, mbid: &EntityId) -> Slot {
        let mut inner = self.lock();
        if let Some(slot) = inner.slots.get(mbid) {
            return Arc::clone(slot);
        }
        if inner.order.len() >= RECORDS
            && let Some(oldest) = inner.order.pop_front()
        {
            inner.slots.remove(&oldest);
        }
        inner.order.push_back(mbid.clone());
        Arc::clone(inner.slots.entry(mbid.clone()).or_default())
    }

    /// The kinds to try: the one that is known, or the one that was given and then all others.
    fn order(&self, given: &id::Given) -> Vec<Kind> {
        if let Some((kind, _)) = self.lock().seen.get(&given.mbid) {
            return vec![*kind];
        }
        given.kind.into_iter().chain(PROBED.into_iter().filter(|kind| given.kind != Some(*kind))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
