//! MusicBrainz, through its web service (ws/2).
//!
//! Ids are whole MBIDs. An MBID does not say of which kind its entity is, and a lookup needs the kind: the adapter
//! remembers the kind of all that it saw (`shelf`), and tries the kinds in a fixed order where it does not know it.
//! One lookup brings all that is said about an entity (`record`): its relationships with direction and remarks
//! (`relationships`), its lists and credits (`lists`), its values (`fields`). Relations and edges of that entity then need
//! no further request, but for lists that are longer than a lookup shows: those are browsed (`browse`).

mod browse;
mod client;
mod describe;
mod edges;
mod fact;
mod fields;
mod id;
mod json;
mod kinds;
mod link;
mod lists;
mod phrases;
mod record;
mod relations;
mod relationships;
mod search;
mod shelf;
mod values;

use super::spec::SpecError;
use super::{IdSpace, KgProfile, KgSettings, KnowledgeGraph, cannot};
use crate::calls::{AskId, CallError, CallErrorKind, KgData, KgOp, KgReply, Waiting, WireNote};
use crate::graph::{Entity, EntityId, KgName};
use client::Client;
use futures_util::future::BoxFuture;
use record::Record;
use shelf::Shelf;
use std::sync::{Arc, Mutex, PoisonError};

/// The public web service.
pub const URL: &str = "https://musicbrainz.org/ws/2";

/// The artist "Various Artists", which every copy of the database has.
const KNOWN: &str = "89ad4ac3-39f7-470e-963a-56509c546377";

/// MusicBrainz called `name`, at the address of `profile`, else the public one. Nothing is asked before the first call.
/// Requests go out one at a time, one a second; a profile for a mirror may set another rate.
///
/// # Errors
/// [`SpecError`], when the address is none.
pub fn open(name: &str, profile: &KgProfile, settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let client = Client::new(URL, profile, &settings.http)?;
    let contact = settings.http.client.contact.is_some();
    Ok(Arc::new(MusicBrainz {
        inner: Arc::new(Inner { name: name.into(), client, contact, shelf: Shelf::default(), others: Mutex::default() }),
    }))
}

/// MusicBrainz as a knowledge graph.
struct MusicBrainz {
    inner: Arc<Inner>,
}

/// What all calls share.
struct Inner {
    name: KgName,
    client: Client,
    /// Whether requests say whom to contact.
    contact: bool,
    shelf: Shelf,
    others: Mutex<Vec<(KgName, IdSpace)>>,
}

impl KnowledgeGraph for MusicBrainz {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn about(&self) -> String {
        format!("MusicBrainz at {}: artists, music, labels, places, events", self.inner.client.shown())
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            // It answers whether it knows that artist or not.
            inner.client.get(&["artist", KNOWN], &[], &mut Vec::new()).await?;
            let contact = if inner.contact { "" } else { "; set TOT_CONTACT to an address at which its keepers can reach you" };
            Ok(format!("MusicBrainz answers at {}{contact}", inner.client.shown()))
        })
    }

    fn id_space(&self) -> IdSpace {
        IdSpace::MusicBrainz
    }

    fn meet(&self, others: &[(KgName, IdSpace)]) {
        *self.inner.others.lock().unwrap_or_else(PoisonError::into_inner) = others.to_vec();
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.client.waiting()
    }

    fn perform(&self, _ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            let mut call = Call { kg: &inner, wire: Vec::new(), notes: Vec::new(), partial: false };
            let data = match op {
                KgOp::Search { mention, limit } => KgData::Candidates(search::search(&mut call, &mention, limit).await?),
                KgOp::Relations { entities, direction, limit } => {
                    KgData::Relations(relations::relations(&mut call, &entities, direction, limit).await?)
                }
                // There are no ranks.
                KgOp::Edges { entities, relation, direction, cap, offset, all_ranks: _ } => {
                    KgData::Edges(edges::edges(&mut call, &entities, &edges::Page { relation, direction, cap, offset }).await?)
                }
                KgOp::Describe { ids } => KgData::Entities(call.describe(&ids).await?),
                KgOp::Link { entities } => KgData::Entities(link::link(&mut call, &entities).await?),
                KgOp::Aggregate { .. } => return Err(cannot(&inner.name, &op)),
            };
            Ok(KgReply { data, partial: call.partial, notes: call.notes, wire: call.wire, cached_at: None })
        })
    }
}

/// One call under way, with what will be said about it.
struct Call<'a> {
    kg: &'a Inner,
    wire: Vec<WireNote>,
    notes: Vec<String>,
    partial: bool,
}

impl Call<'_> {
    /// The record of one entity; `None` when there is none.
    async fn record(&mut self, id: &str) -> Result<Option<Arc<Record>>, CallError> {
        self.kg.shelf.record(&self.kg.client, &self.kg.name, id, &mut self.wire).await
    }

    /// The records of entities, in their order. One that fails or is not there is left out with a note, as long as
    /// another one came.
    async fn records(&mut self, ids: &[EntityId]) -> Result<Vec<Arc<Record>>, CallError> {
        let mut records: Vec<Arc<Record>> = Vec::new();
        let mut failure = None;
        for id in ids {
            let failed = match self.record(id).await {
                // Two ids of one entity are one entity.
                Ok(Some(record)) if records.iter().any(|known| known.entity.id == record.entity.id) => continue,
                Ok(Some(record)) => {
                    records.push(record);
                    continue;
                }
                Ok(None) => self.nothing(id),
                Err(error) => error,
            };
            self.remark(&failed);
            failure.get_or_insert(failed);
        }
        match failure {
            Some(error) if records.is_empty() => Err(error),
            _ => Ok(records),
        }
    }

    fn nothing(&self, id: &str) -> CallError {
        let id = crate::text::one_line(id);
        self.kg.client.error(CallErrorKind::Refused, &format!("has nothing with the id {id}: it was deleted, or is no id of MusicBrainz"))
    }

    /// Says that a part of the reply is missing.
    fn remark(&mut self, failed: &CallError) {
        self.partial = true;
        if !self.notes.contains(&failed.message) {
            self.notes.push(failed.message.clone());
        }
    }

    /// One entity for each id, in order. What was seen before is not asked again.
    async fn describe(&mut self, ids: &[EntityId]) -> Result<Vec<Entity>, CallError> {
        let kg = self.kg.name.clone();
        let unknown = |id: &EntityId| Entity { id: id.clone(), kg: kg.clone(), label: None, description: None, also: Vec::new() };
        let mut entities = Vec::new();
        for given in ids {
            let id = match id::require(given) {
                Ok(read) => read.mbid,
                // Ids of another KG alone are none of this one's business; among others one is a slip.
                Err(error) if ids.iter().all(|id| id::parse(id).is_none()) => return Err(error),
                Err(error) => {
                    entities.push(unknown(given));
                    self.remark(&error);
                    continue;
                }
            };
            if let Some(entity) = self.kg.shelf.entity(&id).filter(|entity| entity.label.is_some()) {
                entities.push(entity);
                continue;
            }
            if let Some(record) = self.record(given).await? {
                entities.push(link::known(self.kg, &record));
            } else {
                let missing = self.nothing(&id);
                self.remark(&missing);
                entities.push(unknown(&id));
            }
        }
        Ok(entities)
    }
}
