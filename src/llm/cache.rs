//! Replies of models on disk: the same request gets the same samples again, until they are too old or asked for anew.
//!
//! A sample is found by everything that it depends on: the model and its server, the login (hashed), the whole prompt with its
//! parameters, how many equal requests came before, the slot and its seed. Another `--seed` therefore asks anew. Only
//! services are kept; a sample that says nothing or was taken away is a sample too: the same search comes out again. One that the
//! service broke off is asked for again.

use super::{LanguageModel, LlmJob, OnWire, Wire};
use crate::cache::{About, CacheSettings, Key, Store, now_ms};
use crate::calls::{CallError, LlmReply, Sample, Waiting, Withheld};
use crate::redact::Secrets;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Changes when what is stored changes.
const FORMAT: &str = "tot model replies 1";

/// The usual file, for 30 days. `None` without a home folder.
#[must_use]
pub fn usual() -> Option<CacheSettings> {
    CacheSettings::usual("models.redb", Duration::from_secs(30 * 24 * 3600))
}

/// `model` with its replies kept on disk; one that is no service is given back as it is. `identity` is everything that a reply
/// depends on beside the request: address and login. It is stored as a part of hashes only; `secrets` that a service says back are
/// masked.
#[must_use]
pub fn cached(model: Arc<dyn LanguageModel>, identity: &str, secrets: Secrets, settings: &CacheSettings) -> Arc<dyn LanguageModel> {
    if !model.is_service() {
        return model;
    }
    let mut base = Sha256::new();
    for part in [FORMAT, model.name(), identity] {
        field(&mut base, part.as_bytes());
    }
    let (store, max_age) = (Store::of(&settings.path, settings.max_age), settings.max_age);
    // Here and not at the first call, so that a file that is damaged is told of before the search begins.
    store.open();
    let remarks = Mutex::new(store.remark().into_iter().collect());
    Arc::new(Cached { inner: Arc::new(Inner { model, base, secrets, store, max_age, fresh: settings.fresh, remarks }) })
}

struct Cached {
    inner: Arc<Inner>,
}

struct Inner {
    model: Arc<dyn LanguageModel>,
    /// The hash of what every key begins with.
    base: Sha256,
    secrets: Secrets,
    store: Arc<Store>,
    max_age: Duration,
    fresh: bool,
    /// What went wrong with the file.
    remarks: Mutex<Vec<String>>,
}

/// A sample with when it came, in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct Entry {
    when: u64,
    sample: Sample,
}

fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

impl Inner {
    /// The keys of the slots of `job`, in their order.
    fn keys(&self, job: &LlmJob) -> Vec<(u32, Key)> {
        let request = &job.request;
        let mut hash = self.base.clone();
        field(&mut hash, job.hash.as_bytes());
        field(&mut hash, request.model.as_bytes());
        for part in &request.parts {
            field(&mut hash, part.text.as_bytes());
        }
        field(&mut hash, format!("{:?}", (request.temperature_milli, &request.stop, request.max_tokens, request.completion)).as_bytes());
        field(&mut hash, request.form.as_ref().map_or_else(String::new, |form| form.schema().to_string()).as_bytes());
        hash.update(job.nth.to_le_bytes());
        let key = |(slot, seed): &(u32, u64)| {
            let mut hash = hash.clone();
            hash.update(slot.to_le_bytes());
            hash.update(seed.to_le_bytes());
            (*slot, hash.finalize().into())
        };
        request.slots.iter().map(key).collect()
    }

    /// The kept samples that are not too old, each with when it came.
    async fn kept(self: &Arc<Self>, keys: Vec<(u32, Key)>) -> Vec<(u32, Entry)> {
        let inner = Arc::clone(self);
        let oldest = now_ms().saturating_sub(u64::try_from(self.max_age.as_millis()).unwrap_or(u64::MAX));
        let look = move || {
            let kept = |(slot, key): (u32, Key)| Some((slot, inner.store.get(&key).filter(|entry: &Entry| entry.when >= oldest)?));
            keys.into_iter().filter_map(kept).collect()
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// `wire`, which also keeps what comes. Nothing here waits for the disk: what is not written when the program ends is
    /// written by [`crate::cache::write_all`].
    fn keeping(self: &Arc<Self>, keys: Vec<(u32, Key)>, what: String, wire: Wire) -> Wire {
        let inner = Arc::clone(self);
        Arc::new(move |came: OnWire| {
            if let OnWire::Reply(reply) = &came {
                inner.keep(&keys, &what, reply);
            }
            wire(came);
        })
    }

    fn keep(self: &Arc<Self>, keys: &[(u32, Key)], what: &str, reply: &LlmReply) {
        let when = now_ms();
        for (slot, sample) in reply.samples.iter().filter(|(_, sample)| sample.withheld() != Some(Withheld::BrokenOff)) {
            let Some((_, key)) = keys.iter().find(|(of, _)| of == slot) else { continue };
            let about = About { name: self.model.name().to_owned(), address: self.model.about(), when, what: what.to_owned(), bytes: 0 };
            self.store.later(*key, &self.secrets.scrub(Entry { when, sample: sample.clone() }), about);
        }
        let inner = Arc::clone(self);
        let write = move || {
            inner.store.write();
            inner.remarks.lock().unwrap_or_else(PoisonError::into_inner).extend(inner.store.remark());
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }

    async fn complete(self: Arc<Self>, mut job: LlmJob, wire: Wire) -> Result<(), CallError> {
        let keys = self.keys(&job);
        let kept = if self.fresh { Vec::new() } else { self.kept(keys.clone()).await };
        for (slot, entry) in kept {
            job.request.slots.retain(|(wanted, _)| *wanted != slot);
            wire(OnWire::Kept { samples: vec![(slot, entry.sample)], at: entry.when });
        }
        if job.request.slots.is_empty() {
            return Ok(());
        }
        let what = format!("{:?}", job.request.kind).to_lowercase();
        let wire = self.keeping(keys, what, wire);
        self.model.complete(job, wire).await
    }
}

impl LanguageModel for Cached {
    fn name(&self) -> &str {
        self.inner.model.name()
    }

    fn about(&self) -> String {
        self.inner.model.about()
    }

    fn is_instant(&self) -> bool {
        self.inner.model.is_instant()
    }

    fn is_service(&self) -> bool {
        self.inner.model.is_service()
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        self.inner.model.check()
    }

    fn is_human(&self) -> bool {
        self.inner.model.is_human()
    }

    fn capabilities(&self) -> Option<super::Capabilities> {
        self.inner.model.capabilities()
    }

    fn prime(&self, asked: &[LlmJob]) {
        self.inner.model.prime(asked);
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.model.waiting()
    }

    fn notes(&self) -> Vec<String> {
        let remarks = self.inner.remarks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        [remarks, self.inner.model.notes()].concat()
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        Box::pin(Arc::clone(&self.inner).complete(job, wire))
    }
}
