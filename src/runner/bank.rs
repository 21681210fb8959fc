//! The replies of another session: a fork and a question that is asked again (`--from`) are answered from them.

mod miss;

use crate::calls::{CallError, CallErrorKind, KgReply, Sample};
use crate::search::{Ask, Entry, Event, Got, Source, State};
use std::collections::HashMap;
use std::sync::Arc;

/// What happens when a request comes that the recording does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMiss {
    /// A fork: it and everything after it is live.
    Leave,
    /// The search halts with the miss named; nothing is ever asked.
    Stop,
    /// A fork that is looked at up to there: the search halts with the miss named, and whoever goes on goes on live.
    Halt,
    /// What is missing is asked; what is there is still taken from the recording.
    Ask,
}

/// What the other session's world said to one request.
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
#[derive(Clone, Debug)]
pub struct Bank {
    replies: HashMap<(Arc<str>, u32), Banked>,
    /// What was recorded, to say what is other in a request that is not there.
    recorded: Arc<State>,
    on_miss: OnMiss,
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
        Event::Replied { ask: ask.id, got, source: Source::Recorded, usage: None, took_ms: 0, tries: 0, nothing: false }
    }
}

impl Bank {
    /// The replies that a recording holds.
    #[must_use]
    pub fn of(entries: &[Arc<Entry>], on_miss: OnMiss) -> Self {
        // The entries of a recording fit: it was checked on reading.
        let state = State::from_entries(entries.iter().map(|e| &**e)).unwrap_or_default();
        // What a model left unanswered because the person chose another one says nothing of it.
        let failed = |ask: &Ask| ask.error.clone().filter(|error| error.kind != CallErrorKind::Superseded);
        let banked = |ask: &Ask| match (&failed(ask), &ask.reply) {
            (Some(error), _) => Some(Banked::Failed(error.clone())),
            (None, Some(reply)) => Some(Banked::Kg(reply.clone())),
            (None, None) if ask.samples.iter().any(Option::is_some) => Some(Banked::Samples(ask.samples.clone())),
            _ => None,
        };
        // What an equal call of the session answered is answered that way again.
        let of_world = state.asks.iter().filter(|ask| ask.source != Some(Source::Cached));
        let replies = of_world.filter_map(|ask| banked(ask).map(|b| ((ask.hash.clone(), ask.nth), b)));
        Self { replies: replies.collect(), recorded: Arc::new(state), on_miss }
    }

    /// The same without what the recording's own model said: another model is asked now, which may go by the same name.
    #[must_use]
    pub fn without_own_model(mut self) -> Self {
        let own = |ask: &&Arc<Ask>| ask.is_llm() && self.recorded.asked_of(ask).is_none();
        for ask in self.recorded.asks.iter().filter(own) {
            self.replies.remove(&(ask.hash.clone(), ask.nth));
        }
        self
    }

    /// These replies, and where there is none those of `beneath`, whose rule for a miss holds.
    #[must_use]
    pub fn over(mut self, beneath: Self) -> Self {
        for (asked, reply) in beneath.replies {
            self.replies.entry(asked).or_insert(reply);
        }
        Self { on_miss: beneath.on_miss, recorded: beneath.recorded, ..self }
    }

    /// What happens at a miss.
    #[must_use]
    pub const fn on_miss(&self) -> OnMiss {
        self.on_miss
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
        self.part(ask).filter(|banked| match banked {
            Banked::Samples(samples) => {
                let mut open = ask.samples.iter().enumerate().filter(|(_, s)| s.is_none());
                open.all(|(slot, _)| samples.get(slot).is_some_and(Option::is_some))
            }
            _ => true,
        })
    }

    /// What was said to this request, if any of its open slots is covered.
    #[must_use]
    pub fn part(&self, ask: &Ask) -> Option<Banked> {
        let banked = self.replies.get(&(ask.hash.clone(), ask.nth))?;
        let fills = match banked {
            Banked::Samples(samples) => ask.samples.iter().zip(samples).any(|(open, kept)| open.is_none() && kept.is_some()),
            _ => true,
        };
        fills.then(|| banked.clone())
    }
}
