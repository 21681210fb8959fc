//! What a session took from another one: a fork from its parent's recording, a question that is asked again (`--from`) from the
//! recording that it was given.

use super::journal::{ForkNote, Header};
use crate::search::{Entry, Event, Seq, Source};
use crate::text::one_line;
use std::sync::Arc;

/// Where a session comes from.
#[derive(Clone, Copy, Debug)]
pub struct Descent<'a> {
    /// The session that it was forked from, and how many of its entries were copied.
    pub parent: Option<&'a (String, Seq)>,
    /// What the person said when they forked it.
    pub note: &'a ForkNote,
    /// The entries so far, the copied ones first.
    pub entries: &'a [Arc<Entry>],
}

/// Replies after the entries that were copied, by where they came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// From the recording.
    pub recorded: usize,
    /// From the world.
    pub live: usize,
    /// The number of the event that brought the first of these.
    pub live_since: Option<Seq>,
}

/// Whether the recording goes on answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// Not any more, or not while nobody runs the session.
    Over,
    /// Until the first request that it does not hold; `stops`: where the search stands still then.
    UntilNew {
        /// Whether the search stops there instead of going on live.
        stops: bool,
    },
}

impl<'a> Descent<'a> {
    /// Of a session as it was read.
    #[must_use]
    pub const fn of(header: &'a Header, entries: &'a [Arc<Entry>]) -> Self {
        Self { parent: header.parent.as_ref(), note: &header.fork, entries }
    }

    /// The number of the last event that was copied from the parent: events are counted from 0 wherever a person meets them.
    #[must_use]
    pub fn after(&self) -> Option<Seq> {
        self.parent.map(|(_, copied)| last_event(*copied))
    }

    /// Which replies came from where.
    #[must_use]
    pub fn taken(&self) -> Taken {
        let copied = self.parent.map_or(0, |(_, copied)| usize::try_from(*copied).unwrap_or(usize::MAX));
        let mut taken = Taken::default();
        for entry in self.entries.iter().skip(copied) {
            match &entry.ev {
                Event::Replied { source: Source::Recorded, .. } => taken.recorded += 1,
                Event::Replied { source, nothing: false, .. } if source.is_live() => {
                    taken.live += 1;
                    taken.live_since.get_or_insert(entry.seq);
                }
                _ => {}
            }
        }
        taken
    }

    /// `fork of q71 after event 47 · 11 replies from the parent's recording, 4 live since event 102 · an outdated name?`; `None`: the
    /// session comes from no other one.
    #[must_use]
    pub fn words(&self, supply: Supply) -> Option<String> {
        let taken = self.taken();
        let (whose, of) = match self.parent {
            Some((parent, copied)) => {
                ("the parent's recording", format!("fork of {} after event {}", one_line(parent), last_event(*copied)))
            }
            None if taken.recorded > 0 || supply != Supply::Over => ("an earlier recording", "asked again".to_owned()),
            None => return None,
        };
        let replies = |n: usize| if n == 1 { "1 reply".to_owned() } else { format!("{n} replies") };
        let recorded = (taken.recorded > 0).then(|| format!("{} from {whose}", replies(taken.recorded)));
        let since = taken.live_since.map_or_else(String::new, |since| format!("live since event {since}"));
        let said = match (supply, recorded) {
            (Supply::Over, Some(recorded)) if taken.live > 0 => format!("{recorded}, {} {since}", taken.live),
            (Supply::Over, Some(recorded)) => recorded,
            (Supply::Over, None) if taken.live > 0 => format!("{} {since}", replies(taken.live)),
            (Supply::Over, None) => String::new(),
            (Supply::UntilNew { stops }, recorded) => {
                let first = match recorded {
                    Some(recorded) => format!("{recorded}, the next too"),
                    None => format!("replies come from {whose}"),
                };
                let then = if stops { ", where it stops" } else { "" };
                // What the person asks for again is never answered from a recording, and does not end it.
                let by_hand = if taken.live > 0 { format!(" (by hand {} {since})", taken.live) } else { String::new() };
                format!("{first} until a request is new{then}{by_hand}")
            }
        };
        let parts = [of, said, one_line(self.note.why.trim())];
        Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · "))
    }
}

/// The number of the last of so many events.
#[must_use]
pub const fn last_event(entries: Seq) -> Seq {
    entries.saturating_sub(1)
}
