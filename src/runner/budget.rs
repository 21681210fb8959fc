//! Budgets at the gate: nothing is asked of the model that a used-up budget forbids, and nothing at all when the time is
//! up. What is in flight is taken in; only where nobody watches, the end of the time ends it too.

use super::command::Pace;
use super::launch::Runner;
use crate::search::{Budget, By, Call, Event, Halt, HaltCause};
use std::time::{Duration, Instant};

impl Runner {
    /// Stands still; asks that are open stay open.
    pub(super) fn halt(&mut self, cause: HaltCause, why: String) {
        // Whoever goes on without raising a budget stands where they stood: that is nothing new.
        let again = cause.budget().is_some() && self.halted_here().is_some_and(|halt| halt.cause == cause);
        let was_on = self.live.pace != Pace::Paused;
        self.live.pace = Pace::Paused;
        self.clock();
        if !again {
            self.record_time();
            self.push(By::Engine, Event::Halted(Halt { cause, why, hits: Vec::new() }));
        } else if was_on {
            self.tell(format!("{why}: it has to be raised before the search goes on"));
        }
    }

    /// Why it stands still, if that was found since the session was opened: a program that ends there must have said so itself.
    pub(super) fn halted_here(&self) -> Option<&Halt> {
        let halt = self.state.halted.as_deref()?;
        let mut last = self.timeline.entries().iter().rev().filter(|entry| matches!(entry.ev, Event::Halted(_) | Event::Resumed { .. }));
        last.next().is_some_and(|entry| matches!(entry.ev, Event::Halted(_))).then_some(halt)
    }

    /// Stands still because of a budget.
    fn halt_by(&mut self, budget: Budget) {
        let limit = self.state.settings().budgets.of(budget).unwrap_or_default();
        let currency = self.state.common_price().map_or("", |price| price.currency.as_str()).to_owned();
        let spent = if budget == Budget::Time { millis(self.running_time()) } else { self.state.counters().against(budget) };
        let over =
            if spent > limit && budget != Budget::Time { format!(" ({} used)", budget.words(spent, &currency)) } else { String::new() };
        self.halt(HaltCause::Budget(budget), format!("the budget of {} is used up{over}", budget.words(limit, &currency)));
    }

    /// Halts if these events, which record an ask, are a call to the model that a budget forbids. A call that a recording
    /// answers is none.
    pub(super) fn is_forbidden(&mut self, events: &[Event]) -> bool {
        let Some(Event::Asked { call: Call::Llm(call), hash, nth, key, .. }) = events.last() else { return false };
        if !self.state.asks_again(key.step) && self.bank.as_ref().is_some_and(|bank| bank.holds(hash, *nth, call.slots)) {
            return false;
        }
        self.is_used_up(true)
    }

    /// Halts if a budget forbids a call to the model. `new`: it would count as a call of its own.
    pub(super) fn is_used_up(&mut self, new: bool) -> bool {
        let used_up = self.state.forbids_call(new);
        if let Some(budget) = used_up {
            self.halt_by(budget);
        }
        used_up.is_some()
    }

    /// Halts when the time is up. A person who has not answered yet is asked again when it goes on. Where somebody watches,
    /// what is in flight may still arrive: it is paid for, and the person can drop it. Where nobody does, nothing waits for it:
    /// it is dropped and, as after an abort, asked again when the session goes on.
    pub(super) fn look_at_the_time(&mut self) {
        if self.time_is_up_at().is_some_and(|end| Instant::now() >= end) {
            if self.equipment.watched {
                self.flights.retain(|_, flight| !flight.shown.human);
            } else {
                self.drop_flights();
            }
            self.halt_by(Budget::Time);
        }
    }

    /// When the budget of time is used up, while the search runs.
    pub(super) fn time_is_up_at(&self) -> Option<Instant> {
        let since = self.running_since?;
        let limit = self.state.settings().budgets.of(Budget::Time)?;
        since.checked_add(Duration::from_millis(limit).saturating_sub(self.ran))
    }

    /// How long the search has run, pauses not counted.
    pub(super) fn running_time(&self) -> Duration {
        self.ran + self.running_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Records how long the search has run, where that is limited: so that it is known when the session is opened again.
    pub(super) fn record_time(&mut self) {
        let ms = millis(self.running_time());
        if ms > self.state.ran_ms && self.state.settings().budgets.of(Budget::Time).is_some() {
            self.push(By::Engine, Event::Ran { ms });
        }
    }
}

/// In milliseconds.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
