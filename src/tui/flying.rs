//! Calls in flight at one moment: what, from which KG, for how long, and what requests wait for.

use super::scene::Scene;
use super::theme::{Role, kg_sign};
use crate::calls::AskId;
use crate::graph::KgName;
use crate::runner::{Flight, Live, Wait};
use crate::text::one_line;
use std::time::Instant;

/// The sign and the colour of a call: of the KG that is asked, else of the model.
#[must_use]
pub fn sign(kg: Option<&KgName>, scene: &Scene) -> (&'static str, Role) {
    kg.map_or(("∴", Role::Dim), |kg| (kg_sign(scene.kg(kg)), Role::of_kg(scene.kg(kg))))
}

/// A KG or a model that requests wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its sign.
    pub sign: &'static str,
    /// Its colour.
    pub role: Role,
    /// Its name.
    pub who: String,
    /// How many seconds yet.
    pub seconds: u128,
    /// Why.
    pub why: String,
    /// All of it in one line.
    pub text: String,
}

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

    /// What KGs and models wait for.
    #[must_use]
    pub fn waits(&self, scene: &Scene) -> Vec<Held> {
        let said = |wait: &Wait| {
            let (sign, role) = sign(wait.kg.as_ref(), scene);
            Held {
                sign,
                role,
                who: one_line(&wait.who),
                seconds: wait.seconds(self.now),
                why: one_line(&wait.why),
                text: wait.said(self.now),
            }
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
