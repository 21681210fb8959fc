//! What happens, told as it happens: a line an event that matters, then where the search stands when it came to rest.

use super::looks;
use super::words::worded;
use crate::graph::KgName;
use crate::runner::{RunState, ToldWaits};
use crate::search::rejected_text;
use crate::search::{Entry, Event, JudgedFact, NewNode, NodeId, Outcome, Reading, State, StepKind, Valuation, Warning, WarningKind};
use crate::text::one_line;
use crate::tui::scene::{Scene, describe, label};
use crate::tui::session_view::SessionView;
use crate::tui::views::timeline::summary;
use crate::tui::widgets::count;
use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

/// What was told of a session.
#[derive(Debug, Default)]
pub struct Told {
    entries: usize,
    session: String,
    /// Where it stood when that was told last.
    run: String,
    warnings: HashSet<(NodeId, WarningKind)>,
    /// KGs that do not answer.
    down: BTreeMap<KgName, String>,
    waits: ToldWaits,
}

impl Told {
    /// A session that is opened: what is in it already is not told event by event.
    pub fn open(view: &SessionView) -> (Self, Vec<String>) {
        let state = &view.snapshot.state;
        let mut lines = looks::started(view);
        let mut told = Self { session: view.snapshot.live.session.clone(), ..Self::default() };
        if !state.nodes.is_empty() {
            told.skip(view);
            lines.push(format!(
                "{}, {}",
                count(state.nodes.len(), "node", "nodes"),
                count(view.snapshot.entries().len(), "event", "events")
            ));
        }
        lines.extend(told.news(view));
        (told, lines)
    }

    fn skip(&mut self, view: &SessionView) {
        self.entries = view.snapshot.entries().len();
        self.warnings = of_scene(&view.scene).map(|warning| (warning.node, warning.kind)).collect();
    }

    /// What is new since the last time.
    pub fn news(&mut self, view: &SessionView) -> Vec<String> {
        let snapshot = &view.snapshot;
        let mut lines = Vec::new();
        if snapshot.live.session != self.session {
            self.session.clone_from(&snapshot.live.session);
            lines.push(match looks::descent(view) {
                Some(descent) => format!("session {}, {descent}", self.session),
                None => format!("session {}", self.session),
            });
            self.skip(view);
        }
        let new = &snapshot.entries()[self.entries.min(snapshot.entries().len())..];
        lines.extend(new.iter().flat_map(|entry| event(&snapshot.state, entry)));
        let moved = !new.is_empty();
        self.entries = snapshot.entries().len();
        // What is looked at in the past was told when it was the present.
        if view.past.is_none() {
            for warning in of_scene(&view.scene) {
                if self.warnings.insert((warning.node, warning.kind)) {
                    lines.push(format!("warning at node {}: {}: {}", warning.node.0, warning.kind.title(), one_line(&warning.text)));
                }
            }
        }
        self.tell_outages(&snapshot.state, &mut lines);
        lines.extend(self.waits.news(&snapshot.live.waits, Instant::now()));
        let run = looks::run(view);
        let told = match snapshot.run_state() {
            // It is on its way to what is told then.
            RunState::Stepping | RunState::Pausing(_) => false,
            RunState::Running => run != self.run,
            _ => moved || run != self.run,
        };
        if told {
            lines.push(run.clone());
        }
        self.run = run;
        lines
    }

    fn tell_outages(&mut self, state: &State, lines: &mut Vec<String>) {
        let down = state.down();
        let others = state.started.as_deref().is_some_and(|started| started.kgs.len() > down.len());
        let now: BTreeMap<KgName, String> = down.iter().map(|down| (down.kg.clone(), one_line(&down.sentence(others)))).collect();
        lines.extend(now.iter().filter(|(kg, _)| !self.down.contains_key(*kg)).map(|(_, sentence)| sentence.clone()));
        lines.extend(self.down.keys().filter(|kg| !now.contains_key(*kg)).map(|kg| format!("{kg} answers again")));
        self.down = now;
    }
}

/// The warnings that are told.
fn of_scene(scene: &Scene) -> impl Iterator<Item = &Warning> {
    scene.warnings.iter().filter(|warning| looks::matters(warning.kind))
}

/// An event in words; nothing for those that only carry others.
fn event(state: &State, entry: &Entry) -> Vec<String> {
    match &entry.ev {
        Event::Started(_) | Event::Part { .. } | Event::Asked { .. } | Event::Replied { .. } | Event::Closed { .. } | Event::Ran { .. } => {
            Vec::new()
        }
        Event::Opened { kind: StepKind::Expand, node: Some(node), why, counts, .. } => {
            let order = state.node(*node).and_then(|node| node.order).filter(|_| *counts);
            let number = order.map_or_else(|| "asked again: ".to_owned(), |order| format!("expansion {}: ", order + 1));
            vec![format!("{number}node {}: {} ({})", node.0, label(state, *node), one_line(why))]
        }
        Event::Read { step, rows, .. } => {
            let at = state.step(*step).and_then(|step| step.node);
            rows.iter().filter_map(|row| left(state, at, row)).collect()
        }
        Event::Grew { step, children, refused, notices } => {
            let at = state.step(*step).and_then(|step| step.node);
            let made = state.step(*step).map_or(&[][..], |step| &step.children);
            // A growth by hand makes several, one below the other, each in an event of its own.
            let id_of = |child: &NewNode| {
                let same = |id: &&NodeId| state.node(**id).is_some_and(|node| node.parent == child.parent && node.action == child.action);
                made.iter().find(same)
            };
            let mut lines: Vec<String> = Vec::new();
            for child in children {
                let votes = if child.votes.0 > 0 && child.votes.1 > 1 {
                    format!(", {} of {} votes", child.votes.0, child.votes.1)
                } else {
                    String::new()
                };
                let below = child.parent.map_or(String::new(), |parent| format!(", below node {}", parent.0));
                lines.push(match (child.merged, id_of(child)) {
                    (Some(known), _) => format!("node {} was chosen again{votes}", known.0),
                    (None, Some(id)) => format!("node {}: {}{votes}{below}", id.0, label(state, *id)),
                    (None, None) => format!("a node: {}{votes}{below}", describe(state, child.parent, &child.action)),
                });
            }
            lines.extend(refused.iter().filter_map(|row| left(state, at, row)));
            lines.extend(notices.iter().map(|notice| one_line(notice)));
            lines
        }
        Event::Reviewed { node, judged, .. } => {
            let graph = state.graph(*node);
            let told = |judged: &JudgedFact| {
                let why = if judged.reason.is_empty() { String::new() } else { format!(": {}", one_line(&judged.reason)) };
                format!("{}: {}{why}", judged.verdict.name(), graph.sentence(&judged.fact))
            };
            std::iter::once(worded(&summary(entry, state))).chain(judged.iter().map(told)).collect()
        }
        // The question's value is no news.
        Event::Valued { from: Valuation::Rule, .. } => Vec::new(),
        Event::Valued { node, value, .. } => {
            vec![format!("node {}: value {}", node.0, value.map_or_else(|| "unknown".to_owned(), |value| value.to_string()))]
        }
        Event::Acted { .. } | Event::Undone { .. } => vec![format!("you: {}", worded(&summary(entry, state)))],
        Event::Resumed { .. }
        | Event::Dropped { .. }
        | Event::Failed { .. }
        | Event::Halted(_)
        | Event::Opened { .. }
        | Event::Paged { .. }
        | Event::Finished(_) => {
            vec![worded(&summary(entry, state))]
        }
    }
}

/// A choice that became no node.
fn left(state: &State, at: Option<NodeId>, row: &Reading) -> Option<String> {
    let votes = count(row.slots.len(), "sample", "samples");
    match &row.outcome {
        Outcome::Outvoted(action) => Some(format!("outvoted: {}, {votes}", describe(state, at, action))),
        Outcome::Rejected { text, why, reason } => {
            Some(format!("rejected: {}, {votes}: {}", rejected_text(state, at, *reason, text), one_line(why)))
        }
        _ => None,
    }
}
