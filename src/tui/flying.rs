//! Calls in flight at one moment: what, from which KG, for how long, and what a KG waits for.

use crate::calls::AskId;
use crate::graph::KgName;
use crate::runner::{Flight, Live, Wait};
use crate::text::one_line;
use std::time::Instant;

/// What flies, and the time.
#[derive(Clone, Copy)]
pub struct Flying<'a> {
    /// What is going on.
    pub live: &'a Live,
    /// Now.
    pub now: Instant,
}

impl<'a> Flying<'a> {
    /// The calls that no person has to answer.
    pub fn calls(&self) -> impl Iterator<Item = &'a Flight> + use<'a> {
        self.live.flights.iter().filter(|flight| !flight.human)
    }

    /// Milliseconds since a call left.
    #[must_use]
    pub fn elapsed(&self, flight: &Flight) -> u64 {
        u64::try_from(self.now.saturating_duration_since(flight.since).as_millis()).unwrap_or(u64::MAX)
    }

    /// Why KGs hold requests back, with a countdown; the KG as `position` has it.
    pub fn waits(&self, position: impl Fn(&KgName) -> usize) -> Vec<(usize, String)> {
        let said = |wait: &Wait| {
            let left = wait.until.saturating_duration_since(self.now).as_millis();
            (position(&wait.kg), format!("{} waits {} s: {}", wait.kg, left.div_ceil(1000), one_line(&wait.why)))
        };
        self.live.waits.iter().filter(|wait| wait.until > self.now).map(said).collect()
    }

    /// The call of an ask, if it is on its way.
    #[must_use]
    pub fn of(&self, ask: AskId) -> Option<&'a Flight> {
        self.calls().find(|flight| flight.ask == ask)
    }

    /// What changes while samples are being written: the time, and how much there is.
    #[must_use]
    pub fn writing(&self) -> (u64, usize) {
        (self.tick(), self.live.writing.letters())
    }

    /// What changes on the screen by time alone: tenths of a second.
    #[must_use]
    pub fn tick(&self) -> u64 {
        let flights = self.calls().map(|flight| self.elapsed(flight) / 100);
        flights.max().unwrap_or(0)
    }
}
