//! The state of a search: what the events up to here make, and what can be asked of it. `apply.rs` is the reducer.

use super::act::Act;
use super::ask::Ask;
use super::event::{ActId, AskKey, By, FinishedEvent, Halt, NodeId, PartId, Purpose, Reading, Seq, Started, StepId, StepKind, Valuation};
use super::review::Reviewed;
use super::settings::Settings;
use crate::asm::{Action, AsmState};
use crate::calls::{AskId, Part};
use crate::graph::{Delta, LocalGraph};
use crate::micro::Micro;
use crate::price::{self, Price};
use std::collections::HashMap;
use std::sync::Arc;

/// The value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Not there yet.
    Pending,
    /// Asked for, and no number could be read; or not scored on purpose.
    Unknown,
    /// The model's, or by rule.
    Scored(Micro),
    /// The person's.
    ByHand(Micro),
}

impl Value {
    /// The number, where there is one.
    #[must_use]
    pub const fn known(self) -> Option<Micro> {
        match self {
            Self::Scored(v) | Self::ByHand(v) => Some(v),
            Self::Pending | Self::Unknown => None,
        }
    }
}

/// A point of the search tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// Its parent (an index: no chain of pointers).
    pub parent: Option<NodeId>,
    /// Steps from the root.
    pub depth: u32,
    /// The action that led to it.
    pub action: Action,
    /// Where the machine stands after it.
    pub asm: AsmState,
    /// What it added to the local graph.
    pub delta: Arc<Delta>,
    /// What the trajectory says after the action.
    pub observation: Option<String>,
    /// Samples that voted for it, of how many.
    pub votes: (u32, u32),
    /// Whether the engine or the person made it.
    pub by: By,
    /// The step that made it.
    pub step: StepId,
    /// The recorded value (see [`State::value`] for the one in force).
    pub value: Value,
    /// Where the value came from.
    pub valuation: Option<Valuation>,
    /// The values before it, where it was asked for again, oldest first.
    pub earlier: Vec<(Value, Valuation)>,
    /// Its children, in order.
    pub children: Vec<NodeId>,
    /// Acts that chose this existing node.
    pub marks: Vec<ActId>,
    /// The step in which the strategy expanded it.
    pub expanded: Option<StepId>,
    /// Its place in the order of expansions, from 0.
    pub order: Option<u32>,
}

/// One expansion, the start, or a growth by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number.
    pub id: StepId,
    /// What it is.
    pub kind: StepKind,
    /// The node it is about.
    pub node: Option<NodeId>,
    /// Whether it counts as an expansion.
    pub counts: bool,
    /// The act that it serves.
    pub act: Option<ActId>,
    /// Why.
    pub why: String,
    /// The entry that opened it.
    pub seq: Seq,
    /// What was read, by lane.
    pub readings: Vec<(u32, Vec<Reading>)>,
    /// What the person who decided wants the model to know.
    pub note: Option<String>,
    /// Whether it grew already.
    pub grew: bool,
    /// Nodes that it made or met.
    pub children: Vec<NodeId>,
    /// Choices that failed.
    pub refused: Vec<Reading>,
    /// What went wrong on the way.
    pub notices: Vec<String>,
    /// The page that it brought.
    pub page: Option<Arc<Delta>>,
    /// What the model thinks of the facts that it was asked about.
    pub judged: Option<Reviewed>,
    /// Whether it is over.
    pub closed: bool,
}

impl Step {
    /// What was read in a lane.
    #[must_use]
    pub fn reading(&self, lane: u32) -> Option<&[Reading]> {
        self.readings.iter().find(|(l, _)| *l == lane).map(|(_, rows)| rows.as_slice())
    }

    /// Whether it serves an act of the person.
    #[must_use]
    pub const fn by_hand(&self) -> bool {
        self.act.is_some()
    }
}

/// An act with its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActRecord {
    /// Its number.
    pub id: ActId,
    /// What.
    pub what: Act,
    /// The entry.
    pub seq: Seq,
    /// Nodes that existed then: a prune covers only those.
    pub nodes_then: u32,
    /// Whether it is in force (not undone).
    pub active: bool,
    /// How often the breakpoint that it set was hit.
    pub hits: u32,
}

/// The state that the events make. Cheap to clone: everything large is shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The number of the next entry.
    pub seq: Seq,
    /// What the session started from.
    pub started: Option<Arc<Started>>,
    /// Nodes, by number.
    pub nodes: Vec<Arc<Node>>,
    /// Steps, by number.
    pub steps: Vec<Arc<Step>>,
    /// Asks, by number.
    pub asks: Vec<Arc<Ask>>,
    /// Texts of prompts, by number.
    pub parts: Vec<Arc<Part>>,
    /// Acts, by number.
    pub acts: Vec<Arc<ActRecord>>,
    /// The last end of the search and its entry.
    pub finished: Option<Arc<(FinishedEvent, Seq)>>,
    /// Why the search stands still, if it does.
    pub halted: Option<Arc<Halt>>,
    /// What tokens cost, where that became known after the start.
    pub(super) priced: Option<Arc<Price>>,
    /// Milliseconds that the search ran, as far as it was recorded (only with a budget of time).
    pub ran_ms: u64,
    /// The last entry after which an end has to be thought over: an act, or the close of a growth by hand.
    pub reconsider: Seq,
    /// Asks in flight when a session was left.
    pub perhaps_paid: u32,
    /// Steps that count as expansions.
    pub(super) expanded: u32,
    pub(super) keys: Arc<HashMap<AskKey, AskId>>,
    pub(super) hashes: Arc<HashMap<Arc<str>, u32>>,
    pub(super) texts: Arc<HashMap<Arc<str>, PartId>>,
}

impl State {
    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index()).map(|n| &**n)
    }

    /// A step.
    #[must_use]
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.steps.get(id.index()).map(|s| &**s)
    }

    /// An ask.
    #[must_use]
    pub fn ask(&self, id: AskId) -> Option<&Ask> {
        self.asks.get(id.0 as usize).map(|a| &**a)
    }

    /// The ask of a key.
    #[must_use]
    pub fn ask_of(&self, key: AskKey) -> Option<&Ask> {
        self.keys.get(&key).and_then(|id| self.ask(*id))
    }

    /// The number of a text that is stored.
    #[must_use]
    pub fn part_of(&self, text: &str) -> Option<PartId> {
        self.texts.get(text).copied()
    }

    /// How many requests with this hash were made.
    #[must_use]
    pub fn asked_before(&self, hash: &str) -> u32 {
        self.hashes.get(hash).copied().unwrap_or(0)
    }

    /// What the session started from.
    ///
    /// # Panics
    /// Before the first event.
    #[must_use]
    pub fn started(&self) -> &Started {
        self.started.as_deref().expect("a session begins with `started`")
    }

    /// What the model's tokens cost, if that is known.
    #[must_use]
    pub fn price(&self) -> Option<&Price> {
        let started = self.started.as_deref()?;
        self.priced.as_deref().or(started.price.as_ref()).or_else(|| price::by_nature(&started.model_spec))
    }

    /// The settings in force: those of the start with the changes that were not undone.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let mut settings = self.started().settings.clone();
        for act in self.acts.iter().filter(|a| a.active) {
            if let Act::Set(setting) = &act.what {
                setting.apply(&mut settings);
            }
        }
        settings
    }

    /// The states in which the person decides what becomes of the samples.
    #[must_use]
    pub fn intercepted(&self) -> &[AsmState] {
        let last = self.acts.iter().rev().filter(|act| act.active).find_map(|act| match &act.what {
            Act::Intercept { states } => Some(states.as_slice()),
            _ => None,
        });
        last.unwrap_or_default()
    }

    /// The value in force: the person's last one that was not undone, else the recorded one.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Value {
        let by_hand = self.acts.iter().rev().filter(|a| a.active).find_map(|a| match &a.what {
            Act::SetValue { node, value } if *node == id => Some(*value),
            _ => None,
        });
        match (by_hand, self.node(id)) {
            (Some(value), _) => Value::ByHand(value),
            (None, Some(node)) => self.valued(node).0,
            (None, None) => Value::Pending,
        }
    }

    /// The recorded value that counts, and where it came from: the newest that was not taken back.
    #[must_use]
    pub fn valued(&self, node: &Node) -> (Value, Option<Valuation>) {
        let undone = |from: Valuation| {
            let Valuation::Asked(ask) = from else { return false };
            let step = self.ask(ask).and_then(|ask| self.step(ask.key.step)).filter(|step| step.kind == StepKind::Value);
            step.and_then(|step| step.act).and_then(|act| self.acts.get(act.index())).is_some_and(|act| !act.active)
        };
        match node.valuation {
            Some(from) if undone(from) => {
                let before = node.earlier.iter().rev().find(|(_, from)| !undone(*from));
                before.map_or((Value::Pending, None), |(value, from)| (*value, Some(*from)))
            }
            from => (node.value, from),
        }
    }

    /// The node whose value an ask is for.
    #[must_use]
    pub fn scored_by(&self, ask: &Ask) -> Option<NodeId> {
        let step = self.step(ask.key.step).filter(|_| ask.key.purpose == Purpose::Score)?;
        if step.kind == StepKind::Value { step.node } else { step.children.get(ask.key.lane as usize).copied() }
    }

    /// Whether a person asked for this again: it is never answered from a recording.
    #[must_use]
    pub fn asked_again(&self, ask: &Ask) -> bool {
        ask.is_llm() && self.asks_again(ask.key.step)
    }

    /// Whether a person asked for what this step asks.
    #[must_use]
    pub fn asks_again(&self, step: StepId) -> bool {
        let act = self.step(step).and_then(|step| step.act).and_then(|act| self.acts.get(act.index()));
        act.is_some_and(|act| matches!(act.what, Act::AskAgain { .. } | Act::Review { .. }))
    }

    /// Whether an ask to the model serves only a person who took back that they asked.
    #[must_use]
    pub fn is_taken_back(&self, ask: &Ask) -> bool {
        let act = self.step(ask.key.step).and_then(|step| step.act).and_then(|act| self.acts.get(act.index()));
        self.asked_again(ask) && act.is_some_and(|act| !act.active)
    }

    /// Nodes from the root to `id`.
    #[must_use]
    pub fn path_to(&self, id: NodeId) -> Vec<&Node> {
        let mut path: Vec<&Node> = std::iter::successors(self.node(id), |n| n.parent.and_then(|p| self.node(p))).collect();
        path.reverse();
        path
    }

    /// The path of a node as tokens joined by ` > `; the root's is empty.
    #[must_use]
    pub fn path_text(&self, id: NodeId) -> String {
        let tokens: Vec<String> = self.path_to(id).iter().skip(1).map(|n| n.action.token()).collect();
        tokens.join(" > ")
    }

    /// The local graph of a node: what the way from the root brought, with what the person linked and dropped.
    #[must_use]
    pub fn graph(&self, id: NodeId) -> LocalGraph {
        let mut graph = self.graph_as_brought(id);
        self.correct(&mut graph);
        graph
    }

    /// The same without the person's corrections.
    pub(super) fn graph_as_brought(&self, id: NodeId) -> LocalGraph {
        let mut graph = LocalGraph::default();
        for node in self.path_to(id) {
            graph.add(&node.delta);
            if node.parent.is_none() {
                self.overlay(&mut graph);
            }
            for page in self.pages(node.id).filter_map(|step| step.page.as_deref()) {
                graph.add(page);
            }
        }
        graph
    }

    fn overlay(&self, graph: &mut LocalGraph) {
        for act in self.acts.iter().filter(|a| a.active) {
            if let Act::Link { add, drop } = &act.what {
                for id in drop {
                    graph.drop_entity(id);
                }
                graph.add(&Delta { entities: add.clone(), ..Delta::default() });
            }
        }
    }

    /// Expansions of the strategy so far.
    #[must_use]
    pub const fn expansions(&self) -> u32 {
        self.expanded
    }

    /// Steps that are not over.
    pub fn open_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|s| &**s).filter(|s| !s.closed)
    }

    /// The act that undo would take back: the last one in force.
    #[must_use]
    pub fn undoable(&self) -> Option<ActId> {
        self.acts.iter().rev().find(|a| a.active).map(|a| a.id)
    }

    /// The act that redo would bring back: the first of those undone at the end.
    #[must_use]
    pub fn redoable(&self) -> Option<ActId> {
        self.acts.iter().rev().take_while(|a| !a.active).last().map(|a| a.id)
    }
}
