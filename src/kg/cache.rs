//! Replies of KGs on disk, keyed by KG and request; never across credentials.

pub use crate::cache::{CacheSettings, clear, list};

use super::{IdSpace, KnowledgeGraph};
use crate::cache::{About, Key, Store, now_ms};
use crate::calls::{AskId, CallError, KgData, KgOp, KgReply, Waiting};
use crate::graph::KgName;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The usual file, for a week. `None` without a home folder.
#[must_use]
pub fn usual() -> Option<CacheSettings> {
    CacheSettings::usual("kg.redb", Duration::from_secs(7 * 24 * 3600))
}

/// A reply with what it answers.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// When it came, in milliseconds since 1970.
    when: u64,
    /// What was asked.
    op: KgOp,
    /// The reply.
    reply: KgReply,
}

/// `kg` with its replies kept on disk. `identity` is everything that a reply depends on beside the request: the KG's
/// address, the languages, and a fingerprint of the login. It is stored as a part of hashes only.
#[must_use]
pub fn cached(kg: Arc<dyn KnowledgeGraph>, identity: &str, settings: &CacheSettings) -> Arc<dyn KnowledgeGraph> {
    if kg.is_scripted() {
        return kg;
    }
    // Replies name their KG as this session does, and a newer program may read more out of a reply.
    let mut base = Sha256::new();
    for part in [env!("CARGO_PKG_VERSION"), kg.name(), identity] {
        base.update(part.len().to_le_bytes());
        base.update(part);
    }
    let (store, max_age) = (Store::of(&settings.path, settings.max_age), settings.max_age);
    Arc::new(Cached { inner: Arc::new(Inner { kg, base, store, max_age, fresh: settings.fresh, others: Mutex::default() }) })
}

struct Cached {
    inner: Arc<Inner>,
}

struct Inner {
    kg: Arc<dyn KnowledgeGraph>,
    /// The hash of what every key begins with.
    base: Sha256,
    store: Arc<Store>,
    max_age: Duration,
    fresh: bool,
    /// The other open KGs, as text: what `Link` answers depends on them.
    others: Mutex<String>,
}

impl Inner {
    /// The key of `op`; `None` for one that can't be written down.
    fn key(&self, op: &KgOp) -> Option<Key> {
        let mut hash = self.base.clone();
        if matches!(op, KgOp::Link { .. }) {
            hash.update(self.others.lock().unwrap_or_else(PoisonError::into_inner).as_bytes());
        }
        hash.update(serde_json::to_vec(op).ok()?);
        Some(hash.finalize().into())
    }

    /// A kept reply to `op` that is not too old.
    async fn kept(self: &Arc<Self>, key: Key, op: KgOp) -> Option<KgReply> {
        let inner = Arc::clone(self);
        let entry = tokio::task::spawn_blocking(move || inner.store.get(&key).filter(|entry: &Entry| entry.op == op)).await.ok()??;
        let age = Duration::from_millis(now_ms().checked_sub(entry.when)?);
        (age <= self.max_age).then_some(KgReply { cached_at: Some(entry.when), ..entry.reply })
    }

    async fn keep(self: &Arc<Self>, key: Key, op: KgOp, reply: KgReply) {
        let inner = Arc::clone(self);
        let keep = move || {
            let what = op.name().to_owned();
            let entry = Entry { when: now_ms(), op, reply };
            let about = About { name: inner.kg.name().to_owned(), address: inner.kg.about(), when: entry.when, what, bytes: 0 };
            inner.store.put(key, &entry, about);
        };
        let _ = tokio::task::spawn_blocking(keep).await;
    }

    async fn perform(self: Arc<Self>, ask: Option<AskId>, op: KgOp) -> Result<KgReply, CallError> {
        let Some(key) = self.key(&op) else { return self.kg.perform(ask, op).await };
        let kept = if self.fresh { None } else { self.kept(key, op.clone()).await };
        let mut reply = match kept {
            Some(reply) => reply,
            None => {
                let reply = self.kg.perform(ask, op.clone()).await?;
                if lasts(&reply) {
                    self.keep(key, op, reply.clone()).await;
                }
                reply
            }
        };
        reply.notes.extend(self.store.remark());
        Ok(reply)
    }
}

/// Whether a reply is worth keeping: not one that a server cut, which may be whole the next time, and not a reason for having
/// no relations, which may pass.
fn lasts(reply: &KgReply) -> bool {
    let excuse = matches!(&reply.data, KgData::Relations(list) if list.is_empty() && !reply.notes.is_empty());
    !reply.partial && !excuse
}

impl KnowledgeGraph for Cached {
    fn name(&self) -> &str {
        self.inner.kg.name()
    }

    fn about(&self) -> String {
        self.inner.kg.about()
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        self.inner.kg.check()
    }

    fn is_scripted(&self) -> bool {
        self.inner.kg.is_scripted()
    }

    fn prime(&self, asked: &[(AskId, KgOp)]) {
        self.inner.kg.prime(asked);
    }

    fn remarks(&self) -> Vec<String> {
        self.inner.kg.remarks()
    }

    fn id_space(&self) -> IdSpace {
        self.inner.kg.id_space()
    }

    fn meet(&self, others: &[(KgName, IdSpace)]) {
        *self.inner.others.lock().unwrap_or_else(PoisonError::into_inner) = format!("{others:?}");
        self.inner.kg.meet(others);
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.kg.waiting()
    }

    fn perform(&self, ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        Box::pin(Arc::clone(&self.inner).perform(ask, op))
    }
}
