//! Recording events and showing the state.

use super::command::Pace;
use super::launch::Runner;
use super::live::Snapshot;
use crate::search::{Budget, By, Entry, Event};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Snapshots come at most so often.
pub(super) const EVERY: Duration = Duration::from_millis(16);

impl Runner {
    /// Records an event and takes it up. When the disk refuses, the event is held, the search pauses and the person
    /// is told; nothing is asked of the world before the disk takes entries again.
    pub(super) fn push(&mut self, by: By, ev: Event) {
        let ev = self.equipment.secrets.scrub(ev);
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX));
        let entry = Arc::new(Entry { seq: self.state.seq, at, by, ev });
        let before = self.timeline.entries().len().is_multiple_of(256).then(|| self.state.clone());
        if let Err(e) = self.state.apply(&entry) {
            // An adapter that reports a slot twice, say: nothing of it is recorded.
            self.tell(format!("an event was left out: {e}"));
            return;
        }
        if !matches!(entry.ev, Event::Halted(_)) {
            self.hits.extend(self.state.hits(&entry));
        }
        self.timeline.push(entry.clone(), before.as_ref().unwrap_or(&self.state));
        self.unwritten.push_back(entry);
        self.write_back();
        self.dirty = true;
    }

    /// Writes what is not on disk yet.
    pub(super) fn write_back(&mut self) {
        let Some(journal) = &mut self.journal else {
            self.unwritten.clear();
            return;
        };
        while let Some(entry) = self.unwritten.front() {
            if let Err(e) = journal.append(entry) {
                let path = journal.path().display().to_string();
                self.live.pace = Pace::Paused;
                self.tell(format!("{path} can't be written ({e}): the search is paused here, nothing is lost; make room, then go on"));
                return;
            }
            self.unwritten.pop_front();
        }
    }

    /// Says something to the person, once.
    pub(super) fn tell(&mut self, text: impl Into<String>) {
        let number = self.live.notice.as_ref().map_or(0, |(n, _)| n + 1);
        self.live.notice = Some((number, text.into()));
        self.dirty = true;
    }

    /// Keeps the time that the search runs: not while it stands still, and not while it waits for a decision of the person.
    /// Where nobody watches, a search that was halted runs until what is in flight has arrived: nobody else ends the wait.
    pub(super) fn clock(&mut self) {
        let halted = self.state.halted.as_deref().is_some_and(|halt| halt.cause.budget() != Some(Budget::Time));
        let arriving = halted && !self.equipment.watched && !self.flights.is_empty();
        let running = (self.live.pace != Pace::Paused || arriving) && !self.is_finished() && self.live.proposal.is_none();
        match (running, self.running_since) {
            (true, None) => self.running_since = Some(Instant::now()),
            (false, Some(since)) => {
                self.ran += since.elapsed();
                self.running_since = None;
            }
            _ => {}
        }
    }

    /// Whether the search ended and nothing happened since that it has to think over.
    pub(super) fn is_finished(&self) -> bool {
        self.state.finished.as_deref().is_some_and(|(_, seq)| *seq >= self.state.reconsider) && self.state.open_steps().next().is_none()
    }

    /// State, recording and what is going on, of this moment.
    pub(super) fn snapshot(&mut self) -> Snapshot {
        self.clock();
        self.live.ran_ms = super::budget::millis(self.running_time());
        self.live.flights = self.flights.values().map(|f| f.shown.clone()).collect();
        self.live.flights.sort_by_key(|f| f.ask);
        self.live.upcoming = self.upcoming();
        self.live.writing.keep_only(|ask| self.flights.contains_key(&ask));
        Snapshot { state: Arc::new(self.state.clone()), timeline: Arc::new(self.timeline.clone()), live: self.live.clone() }
    }
}
