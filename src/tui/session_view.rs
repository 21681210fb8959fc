//! A session on the screen: the newest snapshot, the place in time that is looked at, and the panes.

use super::command::{Context, NodeFacts, Pane, Run};
use super::flying::Flying;
use super::scene::Scene;
use super::views::graph::{GraphPane, Looked};
use super::views::inspector::{self, Tab};
use super::views::timeline::{self, TimelinePane};
use super::views::tree::TreePane;
use super::widgets::pager::Pager;
use super::widgets::wrap::Document;
use crate::asm::Action;
use crate::runner::{RunState, Snapshot};
use crate::search::{Entry, Event, Found, NodeId, State};
use std::sync::Arc;
use std::time::Instant;

/// What is looked for in the panes.
#[derive(Clone, Debug, Default)]
pub struct Find {
    /// The text, in lower case; empty = nothing.
    pub needle: String,
}

/// Everything that is shown of one session.
#[derive(Debug)]
pub struct SessionView {
    /// The newest snapshot.
    pub snapshot: Arc<Snapshot>,
    /// How many entries the view has seen; none = all of them, the present.
    pub past: Option<usize>,
    /// What is shown: of the present, or of the past that is looked at.
    pub scene: Scene,
    /// The search tree.
    pub tree: TreePane,
    /// The local graph.
    pub graph: GraphPane,
    /// The inspector's tab.
    pub tab: Tab,
    /// The inspector's text.
    pub inspector: Pager,
    /// The timeline.
    pub timeline: TimelinePane,
    /// The pane with the focus.
    pub focus: Pane,
    /// Whether the focused pane is shown alone.
    pub zoom: bool,
    /// Whether the selection follows the search.
    pub follow: bool,
    /// What is looked for.
    pub find: Find,
    /// When the last frame was drawn.
    pub now: Instant,
    inspected: Option<Inspected>,
    found: Found,
}

/// What the inspector's text was made of.
#[derive(Clone, Debug, PartialEq)]
struct Inspected {
    node: NodeId,
    tab: Tab,
    seq: u64,
    looked: Option<Looked>,
    tick: (u64, usize),
}

impl SessionView {
    /// A view of `snapshot`, in the present.
    #[must_use]
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let mut found = Found::default();
        let mut scene = Scene::with(snapshot.state.clone(), &mut found);
        scene.history = snapshot.timeline.clone();
        let recorded = snapshot.live.replay;
        let mut view = Self {
            snapshot,
            past: None,
            scene,
            tree: TreePane::new(),
            graph: GraphPane::default(),
            tab: Tab::default(),
            inspector: Pager::default(),
            timeline: TimelinePane::default(),
            focus: Pane::Tree,
            zoom: false,
            follow: !recorded,
            find: Find::default(),
            now: Instant::now(),
            inspected: None,
            found,
        };
        view.tree.rebuild(&view.scene);
        view.follow_search();
        view.select_latest_entry();
        view
    }

    /// Takes up a newer snapshot. While the view is in the past only the header and the timeline change.
    pub fn update(&mut self, snapshot: Arc<Snapshot>) {
        let other = snapshot.live.session != self.snapshot.live.session;
        let changed = other || !Arc::ptr_eq(&snapshot.state, &self.snapshot.state);
        let at_end = self.timeline.selected + 1 >= self.snapshot.entries().len();
        self.snapshot = snapshot;
        if other {
            self.past = None;
            self.tree.forget();
            self.graph.forget();
            self.inspected = None;
            self.found = Found::default();
        }
        if self.past.is_none() {
            if changed {
                self.show(self.snapshot.state.clone());
            }
            if at_end || other {
                self.select_latest_entry();
            }
        }
    }

    fn select_latest_entry(&mut self) {
        self.timeline.selected = self.snapshot.entries().len().saturating_sub(1);
    }

    fn show(&mut self, state: Arc<State>) {
        self.scene = Scene::with(state, &mut self.found);
        self.scene.history = self.snapshot.timeline.clone();
        self.tree.rebuild(&self.scene);
        if self.follow {
            self.follow_search();
        }
    }

    /// Selects what the search works on: the node of the open step, else the next one, else the answer.
    pub fn follow_search(&mut self) {
        let wanted = self.scene.working.or(self.scene.next).or(self.scene.answer);
        if let Some(id) = wanted.filter(|id| self.scene.state.node(*id).is_some()) {
            self.tree.reveal(&self.scene, id);
        }
    }

    /// The selected node.
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.tree.selected()
    }

    /// Selects a node, because a person wants to look at it.
    pub fn select(&mut self, id: NodeId) {
        self.follow = false;
        self.tree.reveal(&self.scene, id);
    }

    /// How many entries the view has seen.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.past.unwrap_or_else(|| self.snapshot.entries().len())
    }

    /// What comes next, in a sentence for people; of the past, what came next then. `None`: nothing is known to come.
    #[must_use]
    pub fn upcoming(&self) -> Option<String> {
        let Some(seen) = self.past else { return self.snapshot.live.upcoming.as_ref().map(|next| format!("next: {next}")) };
        let entries = self.snapshot.entries();
        // Texts of prompts, replies and times are no steps of their own.
        let step = |entry: &Entry| {
            !matches!(
                entry.ev,
                Event::Part { .. }
                    | Event::Replied { .. }
                    | Event::Failed { .. }
                    | Event::Ran { .. }
                    | Event::Resumed { .. }
                    | Event::Dropped { .. }
            )
        };
        let at = (seen..entries.len()).find(|at| step(&entries[*at]))?;
        Some(format!("what came next then: event {at}, {}", timeline::summary(&entries[at], &self.snapshot.state)))
    }

    /// Milliseconds that the search had run; of the past only where they were recorded.
    #[must_use]
    pub fn ran_ms(&self) -> Option<u64> {
        match self.past {
            None => Some(self.snapshot.live.ran_ms),
            Some(_) => Some(self.scene.state.ran_ms).filter(|ms| *ms > 0),
        }
    }

    /// Looks at the state after `count` entries (at least the first; all of them = the present).
    pub fn look_at(&mut self, count: usize) {
        let all = self.snapshot.entries().len();
        let count = count.clamp(1.min(all), all);
        if count == all {
            self.past = None;
            self.show(self.snapshot.state.clone());
        } else if let Ok(state) = self.snapshot.timeline.state_at(count as u64) {
            self.past = Some(count);
            self.show(Arc::new(state));
        }
        self.timeline.selected = count.saturating_sub(1);
    }

    /// Looks one event earlier or later.
    pub fn event(&mut self, forward: bool) {
        let seen = self.seen();
        self.look_at(if forward { seen + 1 } else { seen.saturating_sub(1) });
    }

    /// Looks one expansion earlier or later: at the moment after its last value, or at its beginning.
    pub fn expansion(&mut self, forward: bool) {
        let entries = self.snapshot.entries();
        let begins = |at: &usize| matches!(&entries[*at].ev, Event::Opened { counts: true, .. });
        let seen = self.seen();
        let count = if forward {
            (seen..entries.len()).find(begins).map_or(entries.len(), |at| at + 1)
        } else {
            (0..seen.saturating_sub(1)).rev().find(begins).map_or(1, |at| at + 1)
        };
        self.look_at(count);
    }

    /// Puts the panes that depend on the selected node in order, before they are drawn.
    pub fn settle(&mut self) {
        let node = self.node();
        self.graph.show(&self.scene, node);
        let flying = Flying { live: &self.snapshot.live, now: self.now };
        let Some(id) = node else {
            // The question is being linked: there are calls before there is a node.
            let document = match self.tab {
                Tab::Calls => inspector::in_flight(&self.scene, &flying),
                Tab::Samples => inspector::written(&self.scene, &flying),
                _ => Document::default(),
            };
            self.inspector.replace(document);
            self.inspected = None;
            return;
        };
        let looked = self.graph.looked_at();
        let key = Inspected {
            node: id,
            tab: self.tab,
            seq: self.scene.state.seq,
            looked: looked.clone().filter(|_| self.tab == Tab::Fact),
            tick: match self.tab {
                Tab::Calls => (flying.tick(), 0),
                Tab::Samples | Tab::Value => flying.writing(),
                _ => (0, 0),
            },
        };
        if self.inspected.as_ref() == Some(&key) {
            return;
        }
        let same_place = self.inspected.as_ref().is_some_and(|was| (was.node, was.tab, &was.looked) == (id, self.tab, &key.looked));
        let document = inspector::document(&self.scene, id, self.tab, looked.as_ref(), &flying);
        if same_place {
            self.inspector.replace(document);
        } else {
            self.inspector.set(document);
        }
        self.inspected = Some(key);
    }

    /// The selected answer, or that of the search.
    #[must_use]
    pub fn answer(&self) -> Option<NodeId> {
        let state = &self.snapshot.state;
        let is_answer = |id: &NodeId| state.node(*id).is_some_and(|node| node.action.is_answer());
        self.node().filter(is_answer).or_else(|| state.finished.as_deref().and_then(|(end, _)| end.answer.or(end.best_candidate)))
    }

    /// What decides which commands apply now.
    #[must_use]
    pub fn context(&self) -> Context {
        let state = &self.scene.state;
        let live = &self.snapshot.live;
        let node = self.node().and_then(|id| state.node(id)).map(|node| NodeFacts {
            state: node.asm,
            is_root: node.parent.is_none(),
            is_answer: node.action.is_answer(),
            is_error: matches!(node.action, Action::Error { .. }),
            has_choices: !node.children.is_empty() || self.scene.left.contains_key(&node.id),
        });
        Context {
            run: self.run(),
            past: self.past.is_some(),
            at_start: self.seen() <= 1,
            session: true,
            in_flight: live.flights.len(),
            paced: !live.pause.is_zero(),
            used_up: self.snapshot.state.halted.as_ref().is_some_and(|halt| halt.cause.budget().is_some()),
            node,
            has_answer: self.answer().is_some(),
            can_undo: self.snapshot.state.undoable().is_some(),
            can_redo: self.snapshot.state.redoable().is_some(),
            finding: !self.find.needle.is_empty(),
            has_next: self.scene.next.or(self.scene.first).is_some(),
            has_more: self.graph.cut().is_some(),
            has_warnings: !self.scene.warnings.is_empty() || self.scene.state.halted.is_some(),
            has_fact: self.graph.looked_at().is_some(),
            has_edge: matches!(self.graph.looked_at(), Some(Looked::Fact(_))),
            pane: Some(self.focus),
        }
    }

    /// What the search does.
    #[must_use]
    pub fn run(&self) -> Run {
        match self.snapshot.run_state() {
            RunState::Running => Run::Running,
            RunState::Pausing(_) => Run::Pausing,
            RunState::Paused => Run::Paused,
            RunState::Stepping => Run::Stepping,
            RunState::WaitingForYou => Run::Waiting,
            RunState::Finished => Run::Finished,
            RunState::Replay => Run::Recorded,
        }
    }
}
