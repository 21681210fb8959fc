//! Which KGs answer, as the journal tells it: the search goes on with the rest, and the screen says so.

use super::ask::Ask;
use super::event::{Event, Source};
use super::state::State;
use crate::calls::{CallError, CallErrorKind};
use crate::graph::KgName;

/// A KG whose last call failed for a reason that is its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Down<'a> {
    /// The KG.
    pub kg: &'a KgName,
    /// What its last call came to.
    pub error: &'a CallError,
}

impl Down<'_> {
    /// One word for the header.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self.error.kind {
            CallErrorKind::Key | CallErrorKind::Quota => "no access",
            CallErrorKind::TimedOut => "no answer",
            CallErrorKind::Busy => "busy",
            _ => "down",
        }
    }

    /// One sentence: `musicbrainz is down: ...; the search goes on with the rest`.
    #[must_use]
    pub fn sentence(&self, others: bool) -> String {
        let state = match self.error.kind {
            CallErrorKind::Key | CallErrorKind::Quota => "gives no access",
            CallErrorKind::TimedOut => "does not answer",
            CallErrorKind::Busy => "is busy",
            _ => "is down",
        };
        let rest = if others { "; the search goes on with the rest" } else { "" };
        format!("{} {state}: {}{rest}", self.kg, self.error.message)
    }
}

/// Whether `ask` reached the KG, or tried to: here, or in the session that it was taken from. What a cache answered says nothing
/// of the KG.
fn tells(ask: &Ask) -> bool {
    let from_disk = ask.reply.as_deref().is_some_and(|reply| reply.cached_at.is_some());
    match &ask.error {
        Some(error) => is_its_own(error.kind),
        None => ask.reply.is_some() && !from_disk && matches!(ask.source, Some(Source::Live | Source::Preview | Source::Recorded)),
    }
}

/// Whether a failure is about the service, not about the request or the person.
const fn is_its_own(kind: CallErrorKind) -> bool {
    use CallErrorKind::{Busy, Key, Quota, Server, TimedOut, Unreachable};
    matches!(kind, Unreachable | TimedOut | Server | Busy | Key | Quota)
}

impl State {
    /// The KGs whose last call that tells failed, in the order of the session. One that answers again is not among them.
    #[must_use]
    pub fn down(&self) -> Vec<Down<'_>> {
        let kgs = self.started.as_deref().map_or(&[][..], |started| &started.kgs);
        let last = |kg: &KgName| self.asks.iter().rev().map(|ask| &**ask).find(|ask| ask.kg() == Some(kg) && tells(ask));
        kgs.iter().filter_map(|(kg, _)| Some(Down { kg, error: last(kg)?.error.as_ref()? })).collect()
    }

    /// What went wrong and did not stop the search, each once: remarks of steps, and KGs that are down.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let down = self.down();
        let others = self.started.as_deref().is_some_and(|started| started.kgs.len() > down.len());
        let mut all = Vec::new();
        for step in &self.steps {
            all.extend(news(&step.notices, &down));
        }
        all.extend(down.iter().map(|down| down.sentence(others)));
        all.extend(self.left_out().into_iter().map(|(node, said)| format!("node {}: {said}", node.0)));
        let mut seen = std::collections::HashSet::new();
        all.retain(|remark| seen.insert(remark.clone()));
        all
    }

    /// Notices of a step, each once, without those that only say that a KG is down: that is told by itself.
    #[must_use]
    pub fn news(&self, notices: &[String]) -> Vec<String> {
        news(notices, &self.down())
    }
}

/// Notices that say more than that a KG is down, each once.
fn news(notices: &[String], down: &[Down<'_>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for notice in notices.iter().filter(|notice| !down.iter().any(|down| notice.contains(&down.error.message))) {
        if !all.contains(notice) {
            all.push(notice.clone());
        }
    }
    all
}

impl Event {
    /// Whether it is a failure that makes the KG count as down.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        matches!(self, Self::Failed { error, .. } if is_its_own(error.kind))
    }
}
