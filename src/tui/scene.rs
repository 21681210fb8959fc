//! What follows from a state for the screen, derived once per state: values, standings, what is next, leftovers.

use super::theme::BY_YOU;
use super::widgets::value::Level;
use crate::asm::{Action, CUT};
use crate::graph::Direction;
use crate::search::Condition;
use crate::search::correction::YOU;
use crate::search::rejected_text;
use crate::search::why;
use crate::search::{Act, Found, NodeId, Outcome, Seq, Standing, State, Step, Valuation, Value, Warning};
pub use crate::search::{describe, entity_name, label, relation_label};
use crate::session::Timeline;
use crate::text::one_line;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A choice that became no node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What was chosen or said.
    pub text: String,
    /// Why it became nothing.
    pub why: String,
    /// Whether it only had too few votes.
    pub outvoted: bool,
    /// Samples that said so.
    pub votes: usize,
}

/// A state with what the panes need of it.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The state.
    pub state: Arc<State>,
    /// Value of every node.
    pub levels: Vec<Level>,
    /// Standing of every node.
    pub standings: Vec<Standing>,
    /// Leftovers by node.
    pub left: HashMap<NodeId, Vec<Left>>,
    /// What KGs cut of what a node brought: `100 of 512`.
    pub partial: HashMap<NodeId, String>,
    /// Remarks about the expansion of a node: something failed while the rest went on.
    pub remarks: HashMap<NodeId, String>,
    /// What a person should look at, by node.
    pub warnings: Vec<Warning>,
    /// The node that is expanded next; none where that is not decided yet, or the search ends.
    pub next: Option<NodeId>,
    /// The first of the open nodes: it is next, unless what is under way brings a better one or ends the search.
    pub first: Option<NodeId>,
    /// The node that is being expanded.
    pub working: Option<NodeId>,
    /// The answer.
    pub answer: Option<NodeId>,
    /// Whether the search has ended.
    pub finished: bool,
    /// Nodes before whose expansion the search stands still because a breakpoint names them.
    pub breaks: HashSet<NodeId>,
    /// The session, for what was known when something was decided; empty where only the state is at hand.
    pub history: Arc<Timeline>,
}

impl Scene {
    /// Derives everything from `state`.
    #[must_use]
    pub fn of(state: Arc<State>) -> Self {
        Self::with(state, &mut Found::default())
    }

    /// The same, with what was found out at another moment of the session.
    #[must_use]
    pub fn with(state: Arc<State>, found: &mut Found) -> Self {
        let finished = state.finished.as_deref().filter(|(_, seq)| *seq >= state.reconsider);
        let (answer, is_finished) = (finished.and_then(|(end, _)| end.answer), finished.is_some());
        let mut left: HashMap<NodeId, Vec<Left>> = HashMap::new();
        for leftover in state.leftovers() {
            if let Some(row) = left_of(&state, leftover.node, leftover.reading) {
                left.entry(leftover.node).or_default().push(row);
            }
        }
        Self {
            partial: partial(&state),
            remarks: remarks(&state),
            warnings: state.warnings_with(found),
            levels: levels(&state),
            standings: state.standings(),
            left,
            next: if is_finished { None } else { next(&state) },
            first: if is_finished { None } else { state.next_node() },
            working: state.open_steps().filter_map(|step| step.node).last(),
            answer,
            finished: is_finished,
            breaks: breaks(&state),
            history: Arc::default(),
            state,
        }
    }

    /// The state before an entry of the session, where that is at hand.
    #[must_use]
    pub fn before(&self, entry: Seq) -> Option<State> {
        let is_there = usize::try_from(entry).is_ok_and(|entry| entry < self.history.entries().len());
        if is_there { self.history.state_at(entry).ok() } else { None }
    }

    /// The warnings about a node.
    #[must_use]
    pub fn warnings_of(&self, id: NodeId) -> &[Warning] {
        let from = self.warnings.partition_point(|warning| warning.node < id);
        let to = self.warnings.partition_point(|warning| warning.node <= id);
        &self.warnings[from..to]
    }

    /// The value of a node.
    #[must_use]
    pub fn level(&self, id: NodeId) -> Level {
        self.levels.get(id.index()).copied().unwrap_or(Level::None)
    }

    /// The standing of a node.
    #[must_use]
    pub fn standing(&self, id: NodeId) -> Standing {
        self.standings.get(id.index()).copied().unwrap_or_default()
    }

    /// The step that expanded a node, by the strategy or the last one by hand.
    #[must_use]
    pub fn step_of(&self, id: NodeId) -> Option<&Step> {
        let expanded = self.state.node(id).and_then(|node| node.expanded);
        match expanded {
            Some(step) => self.state.step(step),
            None => self.state.steps.iter().rev().map(|step| &**step).find(|step| step.node == Some(id)),
        }
    }

    /// The position of a KG in the session.
    #[must_use]
    pub fn kg(&self, name: &str) -> usize {
        if name == YOU {
            return BY_YOU;
        }
        let started = self.state.started.as_deref();
        started.and_then(|s| s.kgs.iter().position(|(kg, _)| &**kg == name)).unwrap_or(0)
    }
}

/// The node that is expanded next, once that is decided.
fn next(state: &State) -> Option<NodeId> {
    match why::coming(state)? {
        why::Decision::Expand(node) => Some(node),
        why::Decision::Force(_) | why::Decision::End(_) => None,
    }
}

/// The nodes that a breakpoint in force names, and that can still be expanded.
fn breaks(state: &State) -> HashSet<NodeId> {
    let named = state.breakpoints().filter(|point| point.on).filter_map(|point| match point.condition {
        Condition::Node(id) => state.node(*id),
        _ => None,
    });
    named.filter(|node| node.expanded.is_none() && !node.action.is_answer()).map(|node| node.id).collect()
}

/// What KGs cut, by the node that brought the list; what was fetched since counts.
fn partial(state: &State) -> HashMap<NodeId, String> {
    let paged = state.paged();
    let brought = |node: &&Arc<crate::search::Node>| !node.delta.partial.is_empty() || paged.contains(&node.id);
    let mut all: HashMap<NodeId, String> = state.cut_somewhere().into_iter().map(|node| (node, "partial".to_owned())).collect();
    for node in state.nodes.iter().filter(brought) {
        let own = |cut: &&crate::search::Cut| match &node.action {
            Action::SelectRelation { relation } => relation.id == cut.relation && relation.direction == cut.direction,
            _ => paged.contains(&node.id),
        };
        let cuts = state.cuts(node.id);
        let cuts: Vec<_> = cuts.iter().filter(own).collect();
        if let Some(first) = cuts.first() {
            let more = if cuts.len() > 1 { format!(" (+{} lists)", cuts.len() - 1) } else { String::new() };
            all.insert(node.id, format!("{}{more}", first.extent()));
        } else if !matches!(node.action, Action::SelectRelation { .. }) && !node.delta.partial.is_empty() {
            all.insert(node.id, "partial".to_owned());
        }
    }
    all
}

/// What went wrong in expansions that went on, by node.
fn remarks(state: &State) -> HashMap<NodeId, String> {
    let noted = state.steps.iter().filter(|step| !step.notices.is_empty());
    let noted = noted.filter_map(|step| Some((step.node.or(step.children.first().copied())?, step.notices.join("; "))));
    let mut all: HashMap<NodeId, String> = HashMap::new();
    let cut = state.cut_nodes().into_iter().map(|node| (node, CUT.to_owned()));
    for (node, said) in noted.chain(state.left_out()).chain(cut) {
        all.entry(node).and_modify(|before| before.push_str(&format!("; {said}"))).or_insert(said);
    }
    all
}

/// The values in force, all in one pass over nodes and acts.
fn levels(state: &State) -> Vec<Level> {
    let mut levels: Vec<Level> = state
        .nodes
        .iter()
        .map(|node| match state.valued(node) {
            (Value::Scored(value), _) => Level::Scored(value),
            (Value::ByHand(value), _) => Level::ByHand(value),
            (Value::Unknown, Some(Valuation::NotScored)) => Level::None,
            (Value::Unknown, _) => Level::Unreadable,
            (Value::Pending, _) => Level::Pending,
        })
        .collect();
    for act in state.acts.iter().filter(|act| act.active) {
        if let Act::SetValue { node, value } = &act.what
            && let Some(level) = levels.get_mut(node.index())
        {
            *level = Level::ByHand(*value);
        }
    }
    levels
}

fn left_of(state: &State, node: NodeId, reading: &crate::search::Reading) -> Option<Left> {
    let votes = reading.slots.len();
    match &reading.outcome {
        Outcome::Outvoted(action) => {
            let text = describe(state, Some(node), action);
            Some(Left { text, why: "outvoted".to_owned(), outvoted: true, votes })
        }
        Outcome::Rejected { text, why, reason } => {
            let text = if text.is_empty() { "(nothing)".to_owned() } else { rejected_text(state, Some(node), *reason, text) };
            Some(Left { text, why: one_line(why), outvoted: false, votes })
        }
        _ => None,
    }
}

/// The glyph of an action.
#[must_use]
pub const fn glyph(action: &Action) -> &'static str {
    match action {
        Action::Root => "?",
        Action::Think { .. } => "∴",
        Action::Answer { .. } => "★",
        Action::Expand { .. } => "⇲",
        Action::SelectEntities { .. } => "◇",
        Action::SelectRelation { relation } => match relation.direction {
            Direction::Out => "→",
            Direction::In => "←",
        },
        Action::Aggregate { .. } => "Σ",
        Action::Error { .. } => "!",
    }
}
