//! The replies of a parent session: a fork is answered from them until it asks something that the parent never asked.

use crate::calls::{CallError, KgReply, Sample};
use crate::search::{Ask, Entry, Event, Got, Source, State};
use std::collections::HashMap;
use std::sync::Arc;

/// What the parent's world said to one request.
#[derive(Clone, Debug)]
pub enum Banked {
    /// Samples by slot.
    Samples(Vec<Option<Sample>>),
    /// A KG's reply.
    Kg(Arc<KgReply>),
    /// It failed.
    Failed(CallError),
}

/// Recorded replies by what was asked: (hash, nth).
#[derive(Clone, Debug, Default)]
pub struct Bank {
    replies: HashMap<(Arc<str>, u32), Banked>,
}

impl Banked {
    /// The event that answers `ask` with it: only slots that are open are filled.
    #[must_use]
    pub fn event(self, ask: &Ask) -> Event {
        let got = match self {
            Self::Failed(error) => return Event::Failed { ask: ask.id, error },
            Self::Kg(reply) => Got::Kg(Box::new((*reply).clone())),
            Self::Samples(samples) => {
                let open = ask.samples.iter().zip(samples).enumerate().filter(|(_, (here, _))| here.is_none());
                Got::Samples(open.filter_map(|(slot, (_, s))| s.map(|s| (u32::try_from(slot).unwrap_or(u32::MAX), s))).collect())
            }
        };
        Event::Replied { ask: ask.id, got, source: Source::Recorded, usage: None, took_ms: 0, tries: 0 }
    }
}

impl Bank {
    /// The replies that a recording holds.
    #[must_use]
    pub fn of(entries: &[Arc<Entry>]) -> Self {
        let Ok(state) = State::from_entries(entries.iter().map(|e| &**e)) else { return Self::default() };
        let banked = |ask: &Ask| match (&ask.error, &ask.reply) {
            (Some(error), _) => Some(Banked::Failed(error.clone())),
            (None, Some(reply)) => Some(Banked::Kg(reply.clone())),
            (None, None) if ask.samples.iter().any(Option::is_some) => Some(Banked::Samples(ask.samples.clone())),
            _ => None,
        };
        let replies = state.asks.iter().filter_map(|ask| banked(ask).map(|b| ((ask.hash.clone(), ask.nth), b)));
        Self { replies: replies.collect() }
    }

    /// Whether all samples of this request to a model were recorded, or its failure.
    #[must_use]
    pub fn holds(&self, hash: &Arc<str>, nth: u32, slots: u32) -> bool {
        match self.replies.get(&(hash.clone(), nth)) {
            Some(Banked::Samples(samples)) => samples.iter().flatten().count() >= slots as usize,
            Some(Banked::Failed(_)) => true,
            Some(Banked::Kg(_)) | None => false,
        }
    }

    /// What was said to this request, if all of its open slots are covered.
    #[must_use]
    pub fn reply(&self, ask: &Ask) -> Option<Banked> {
        match self.replies.get(&(ask.hash.clone(), ask.nth))? {
            Banked::Samples(samples) => {
                let open = ask.samples.iter().enumerate().filter(|(_, s)| s.is_none());
                let covered = open.clone().all(|(slot, _)| samples.get(slot).is_some_and(Option::is_some));
                covered.then(|| Banked::Samples(samples.clone()))
            }
            other => Some(other.clone()),
        }
    }
}
