//! What of a session is compared: its decisions and the acts of a person that change the search. What only looks (breakpoints that are
//! set, hit or switched, choices that wait, facts that are judged) is left out, and the numbers that it took are not counted.

use crate::search::event::{ActId, Entry, Event, Reading, StepId, StepKind, Valuation};
use crate::search::state::State;
use std::collections::HashMap;
use std::sync::Arc;

/// The decisions of a session.
pub(super) struct Decisions<'a> {
    pub(super) entries: Vec<&'a Arc<Entry>>,
    steps: HashMap<StepId, usize>,
    acts: HashMap<ActId, usize>,
}

impl<'a> Decisions<'a> {
    /// Of the session with these entries, which make `state`.
    pub(super) fn of(entries: &'a [Arc<Entry>], state: &State) -> Self {
        let walks = |step: StepId| state.step(step).is_none_or(|step| step.kind != StepKind::Review);
        let changes = |act: ActId| state.acts.get(act.index()).is_none_or(|act| !act.what.only_looks());
        let counts = |event: &Event| match event {
            Event::Opened { step, .. }
            | Event::Read { step, .. }
            | Event::Grew { step, .. }
            | Event::Paged { step, .. }
            | Event::Closed { step } => walks(*step),
            Event::Valued { .. } | Event::Finished(_) => true,
            Event::Acted { act, .. } | Event::Undone { act, .. } => changes(*act),
            _ => false,
        };
        let entries: Vec<&Arc<Entry>> = entries.iter().filter(|entry| counts(&entry.ev)).collect();
        let (mut steps, mut acts) = (HashMap::new(), HashMap::new());
        for entry in &entries {
            match &entry.ev {
                Event::Opened { step, .. } => {
                    let number = steps.len();
                    steps.entry(*step).or_insert(number);
                }
                Event::Acted { act, .. } => {
                    let number = acts.len();
                    acts.entry(*act).or_insert(number);
                }
                _ => {}
            }
        }
        Self { entries, steps, acts }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many are the same in both, from the beginning.
    pub(super) fn same_as(&self, other: &Self) -> usize {
        self.entries.iter().zip(&other.entries).take_while(|(a, b)| self.is_same(&a.ev, other, &b.ev)).count()
    }

    /// Whether two decisions come to the same. Which of several samples said a thing is chance: how many did counts. Which ask
    /// brought a value is only a number.
    fn is_same(&self, a: &Event, other: &Self, b: &Event) -> bool {
        let step = |a: &StepId, b: &StepId| self.steps.get(a) == other.steps.get(b);
        let act = |a: &ActId, b: &ActId| self.acts.get(a) == other.acts.get(b);
        let from = |a: &Valuation, b: &Valuation| match (a, b) {
            (Valuation::Asked(_), Valuation::Asked(_)) => true,
            (Valuation::Act(a), Valuation::Act(b)) => act(a, b),
            _ => a == b,
        };
        match (a, b) {
            (
                Event::Opened { step: s, kind, node, counts, act: by, why },
                Event::Opened { step: t, kind: kind_b, node: node_b, counts: counts_b, act: by_b, why: why_b },
            ) => {
                let served = match (by, by_b) {
                    (Some(a), Some(b)) => act(a, b),
                    _ => by == by_b,
                };
                step(s, t) && (kind, node, counts, why) == (kind_b, node_b, counts_b, why_b) && served
            }
            (Event::Read { step: s, lane, rows, note }, Event::Read { step: t, lane: lane_b, rows: rows_b, note: note_b }) => {
                let votes = |rows: &[Reading]| rows.iter().map(|row| row.slots.len()).collect::<Vec<_>>();
                step(s, t)
                    && (lane, note) == (lane_b, note_b)
                    && votes(rows) == votes(rows_b)
                    && rows.iter().map(|r| &r.outcome).eq(rows_b.iter().map(|r| &r.outcome))
            }
            (
                Event::Grew { step: s, children, refused, notices },
                Event::Grew { step: t, children: children_b, refused: refused_b, notices: notices_b },
            ) => step(s, t) && (children, refused, notices) == (children_b, refused_b, notices_b),
            (
                Event::Paged { step: s, node, delta, notices },
                Event::Paged { step: t, node: node_b, delta: delta_b, notices: notices_b },
            ) => step(s, t) && (node, delta, notices) == (node_b, delta_b, notices_b),
            (Event::Valued { node, value, from: f }, Event::Valued { node: node_b, value: value_b, from: g }) => {
                (node, value) == (node_b, value_b) && from(f, g)
            }
            (Event::Closed { step: s }, Event::Closed { step: t }) => step(s, t),
            (Event::Acted { act: a, what }, Event::Acted { act: b, what: what_b }) => act(a, b) && what == what_b,
            (Event::Undone { act: a, redo }, Event::Undone { act: b, redo: redo_b }) => act(a, b) && redo == redo_b,
            _ => a == b,
        }
    }
}
