//! The state of a search: what the events up to here make. `apply` only files what is decided already.

use super::act::Act;
use super::ask::Ask;
use super::event::{
    ActId, AskKey, By, Call, Entry, Event, FinishedEvent, Got, NewNode, NodeId, PartId, Reading, Seq, Source, Started, StepId, StepKind,
    Valuation,
};
use super::settings::Settings;
use crate::asm::{Action, AsmState};
use crate::calls::{AskId, Part};
use crate::graph::{Delta, LocalGraph};
use crate::micro::Micro;
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

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
    /// Whether it grew already.
    pub grew: bool,
    /// Nodes that it made or met.
    pub children: Vec<NodeId>,
    /// Choices that failed.
    pub refused: Vec<Reading>,
    /// What went wrong on the way.
    pub notices: Vec<String>,
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
        matches!(self.kind, StepKind::Hand)
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
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Asks to the model.
    pub llm_calls: u32,
    /// Samples received.
    pub samples: u32,
    /// Sequential rounds of model calls.
    pub llm_rounds: u32,
    /// Tokens in.
    pub prompt_tokens: u64,
    /// Tokens out.
    pub completion_tokens: u64,
    /// Whether some token counts are estimates.
    pub estimated: bool,
    /// Calls to KGs.
    pub kg_calls: u32,
    /// Of these, answered from this session's earlier replies.
    pub kg_cached: u32,
    /// Asks that failed.
    pub failed: u32,
    /// Asks that were sent again after a crash and may be paid twice.
    pub perhaps_paid: u32,
    /// Expansions that count.
    pub expansions: u32,
    /// Growths by hand.
    pub by_hand: u32,
}

/// An event that does not fit the state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("entry {seq}: {what}")]
pub struct ApplyError {
    /// The entry.
    pub seq: Seq,
    /// What is wrong.
    pub what: String,
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
    pub halted: Option<String>,
    /// The last entry after which an end has to be thought over: an act, or the close of a growth by hand.
    pub reconsider: Seq,
    /// Asks in flight when a session was left.
    pub perhaps_paid: u32,
    keys: Arc<HashMap<AskKey, AskId>>,
    hashes: Arc<HashMap<Arc<str>, u32>>,
    texts: Arc<HashMap<Arc<str>, PartId>>,
}

impl State {
    /// The state after `entries`.
    ///
    /// # Errors
    /// The first entry that does not fit.
    pub fn from_entries<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Self, ApplyError> {
        let mut state = Self::default();
        for entry in entries {
            state.apply(entry)?;
        }
        Ok(state)
    }

    /// Takes up the next event.
    ///
    /// # Errors
    /// An event that does not fit leaves the state as it was.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), ApplyError> {
        let wrong = |what: String| ApplyError { seq: entry.seq, what };
        if entry.seq != self.seq {
            return Err(wrong(format!("entry {} was expected", self.seq)));
        }
        if self.started.is_none() != matches!(entry.ev, Event::Started(_)) {
            return Err(wrong("a session starts once, with `started`".to_owned()));
        }
        self.file(entry).map_err(wrong)?;
        self.seq += 1;
        Ok(())
    }

    fn file(&mut self, entry: &Entry) -> Result<(), String> {
        match &entry.ev {
            Event::Started(started) => self.started = Some(Arc::new((**started).clone())),
            Event::Resumed { lost } => {
                self.perhaps_paid += u32::try_from(lost.len()).unwrap_or(u32::MAX);
                self.halted = None;
            }
            Event::Part { id, kind, text } => {
                dense(id.index(), self.parts.len(), "part")?;
                self.parts.push(Arc::new(Part { kind: *kind, text: text.clone() }));
                Arc::make_mut(&mut self.texts).insert(text.clone(), *id);
            }
            Event::Asked { ask, key, call, hash, nth } => self.file_asked(entry, *ask, *key, call, hash, *nth)?,
            Event::Replied { ask, got, source, usage, took_ms, .. } => {
                self.halted = None;
                let ask = self.open_ask(*ask)?;
                fits(ask, got)?;
                ask.fill(got);
                if let Some(usage) = usage {
                    ask.usage.prompt_tokens += usage.prompt_tokens;
                    ask.usage.completion_tokens += usage.completion_tokens;
                    ask.usage.estimated |= usage.estimated;
                }
                ask.replies += 1;
                ask.took_ms = ask.took_ms.max(*took_ms);
                ask.source = Some(*source);
            }
            Event::Failed { ask, error } => self.open_ask(*ask)?.error = Some(error.clone()),
            Event::Halted { why } => self.halted = Some(why.clone()),
            Event::Opened { step, kind, node, counts, act, why } => {
                dense(step.index(), self.steps.len(), "step")?;
                if *counts {
                    let order = self.expansions();
                    let node = self.node_mut(node.ok_or("an expansion needs a node")?)?;
                    node.expanded = Some(*step);
                    node.order = Some(order);
                }
                self.steps.push(Arc::new(Step {
                    id: *step,
                    kind: *kind,
                    node: *node,
                    counts: *counts,
                    act: *act,
                    why: why.clone(),
                    seq: entry.seq,
                    readings: Vec::new(),
                    grew: false,
                    children: Vec::new(),
                    refused: Vec::new(),
                    notices: Vec::new(),
                    closed: false,
                }));
            }
            Event::Read { step, lane, rows } => self.open_step(*step)?.readings.push((*lane, rows.clone())),
            Event::Grew { step, children, refused, notices } => self.file_grew(*step, children, refused, notices)?,
            Event::Valued { node, value, from } => {
                let node = self.node_mut(*node)?;
                node.value = match (value, from) {
                    (Some(v), Valuation::Act(_)) => Value::ByHand(*v),
                    (Some(v), _) => Value::Scored(*v),
                    (None, _) => Value::Unknown,
                };
                node.valuation = Some(*from);
            }
            Event::Closed { step } => {
                let step = self.open_step(*step)?;
                step.closed = true;
                if step.by_hand() {
                    self.reconsider = entry.seq;
                }
            }
            Event::Finished(finished) => self.finished = Some(Arc::new(((**finished).clone(), entry.seq))),
            Event::Acted { act, what } => {
                dense(act.index(), self.acts.len(), "act")?;
                let nodes_then = u32::try_from(self.nodes.len()).map_err(|_| "too many nodes".to_owned())?;
                self.acts.push(Arc::new(ActRecord { id: *act, what: what.clone(), seq: entry.seq, nodes_then, active: true }));
                self.reconsider = entry.seq;
                self.halted = None;
            }
            Event::Undone { act, redo } => {
                let record = self.acts.get_mut(act.index()).ok_or_else(|| format!("there is no act {}", act.0))?;
                Arc::make_mut(record).active = *redo;
                self.reconsider = entry.seq;
            }
        }
        Ok(())
    }

    fn file_asked(&mut self, entry: &Entry, id: AskId, key: AskKey, call: &Call, hash: &Arc<str>, nth: u32) -> Result<(), String> {
        dense(id.0 as usize, self.asks.len(), "ask")?;
        if self.keys.contains_key(&key) {
            return Err(format!("{key:?} asked already"));
        }
        let slots = match call {
            Call::Llm(call) => {
                if let Some(part) = call.parts.iter().find(|p| p.index() >= self.parts.len()) {
                    return Err(format!("there is no part {}", part.0));
                }
                if call.slots == 0 || call.slots > 10_000 {
                    return Err(format!("{} samples in one ask", call.slots));
                }
                call.slots as usize
            }
            Call::Kg(_) => 0,
        };
        self.halted = None;
        Arc::make_mut(&mut self.keys).insert(key, id);
        *Arc::make_mut(&mut self.hashes).entry(hash.clone()).or_default() += 1;
        self.asks.push(Arc::new(Ask {
            id,
            key,
            call: call.clone(),
            hash: hash.clone(),
            nth,
            samples: vec![None; slots],
            reply: None,
            error: None,
            usage: crate::calls::Usage::default(),
            replies: 0,
            took_ms: 0,
            source: None,
            at: entry.at,
            seq: entry.seq,
        }));
        Ok(())
    }

    fn file_grew(&mut self, step: StepId, children: &[NewNode], refused: &[Reading], notices: &[String]) -> Result<(), String> {
        let (by, act) = {
            let step = self.open_step(step)?;
            (if step.by_hand() { By::You } else { By::Engine }, step.act)
        };
        for new in children {
            if let Some(parent) = new.parent.or(new.merged) {
                // A chain by hand names nodes that the same event makes: they are pushed as we go.
                self.node(parent).ok_or_else(|| format!("there is no node {}", parent.0))?;
            } else if !self.nodes.is_empty() {
                return Err("a second root".to_owned());
            }
            let id = if let Some(id) = new.merged {
                if let Some(act) = act {
                    self.node_mut(id)?.marks.push(act);
                }
                id
            } else {
                let id = NodeId(u32::try_from(self.nodes.len()).map_err(|_| "too many nodes".to_owned())?);
                let depth = match new.parent {
                    Some(parent) => {
                        let parent = self.node_mut(parent)?;
                        parent.children.push(id);
                        parent.depth + 1
                    }
                    None => 0,
                };
                self.nodes.push(Arc::new(Node {
                    id,
                    parent: new.parent,
                    depth,
                    action: new.action.clone(),
                    asm: new.action.leads_to(),
                    delta: Arc::new(new.delta.clone()),
                    observation: new.observation.clone(),
                    votes: new.votes,
                    by,
                    step,
                    value: Value::Pending,
                    valuation: None,
                    children: Vec::new(),
                    marks: Vec::new(),
                    expanded: None,
                    order: None,
                }));
                id
            };
            self.open_step(step)?.children.push(id);
        }
        let step = self.open_step(step)?;
        step.grew = true;
        step.refused = refused.to_vec();
        step.notices = notices.to_vec();
        Ok(())
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, String> {
        self.nodes.get_mut(id.index()).map(Arc::make_mut).ok_or_else(|| format!("there is no node {}", id.0))
    }

    fn open_step(&mut self, id: StepId) -> Result<&mut Step, String> {
        match self.steps.get_mut(id.index()) {
            Some(step) if !step.closed => Ok(Arc::make_mut(step)),
            Some(_) => Err(format!("step {} is over", id.0)),
            None => Err(format!("there is no step {}", id.0)),
        }
    }

    fn open_ask(&mut self, id: AskId) -> Result<&mut Ask, String> {
        match self.asks.get_mut(id.0 as usize) {
            Some(ask) if !ask.is_complete() => Ok(Arc::make_mut(ask)),
            Some(_) => Err(format!("ask {} has its reply", id.0)),
            None => Err(format!("there is no ask {}", id.0)),
        }
    }

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

    /// The value in force: the person's last one that was not undone, else the recorded one.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Value {
        let by_hand = self.acts.iter().rev().filter(|a| a.active).find_map(|a| match &a.what {
            Act::SetValue { node, value } if *node == id => Some(*value),
            _ => None,
        });
        match (by_hand, self.node(id)) {
            (Some(value), _) => Value::ByHand(value),
            (None, Some(node)) => node.value,
            (None, None) => Value::Pending,
        }
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
        let mut graph = LocalGraph::default();
        for node in self.path_to(id) {
            graph.add(&node.delta);
            if node.parent.is_none() {
                self.overlay(&mut graph);
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
    pub fn expansions(&self) -> u32 {
        u32::try_from(self.steps.iter().filter(|s| s.counts).count()).unwrap_or(u32::MAX)
    }

    /// Steps that are not over.
    pub fn open_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|s| &**s).filter(|s| !s.closed)
    }

    /// What was spent so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut c = Counters { perhaps_paid: self.perhaps_paid, expansions: self.expansions(), ..Counters::default() };
        let mut rounds = std::collections::HashSet::new();
        for ask in &self.asks {
            c.failed += u32::from(ask.error.is_some());
            if ask.is_llm() {
                c.llm_calls += 1;
                c.samples += u32::try_from(ask.samples.iter().flatten().count()).unwrap_or(u32::MAX);
                c.prompt_tokens += ask.usage.prompt_tokens;
                c.completion_tokens += ask.usage.completion_tokens;
                c.estimated |= ask.usage.estimated;
                rounds.insert((ask.key.step, ask.key.purpose, ask.key.round));
            } else {
                c.kg_calls += 1;
                c.kg_cached += u32::from(ask.source == Some(Source::Cached));
            }
        }
        c.llm_rounds = u32::try_from(rounds.len()).unwrap_or(u32::MAX);
        c.by_hand = u32::try_from(self.steps.iter().filter(|s| s.by_hand()).count()).unwrap_or(u32::MAX);
        c
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

fn dense(number: usize, expected: usize, what: &str) -> Result<(), String> {
    if number == expected { Ok(()) } else { Err(format!("{what} {number} where {what} {expected} was expected")) }
}

fn fits(ask: &Ask, got: &Got) -> Result<(), String> {
    match (&ask.call, got) {
        (Call::Kg(_), Got::Kg(_)) => Ok(()),
        (Call::Llm(_), Got::Samples(samples)) => {
            // A reply on the wire that fills no slot (it is asked for again) still cost something.
            for (slot, _) in samples {
                match ask.samples.get(*slot as usize) {
                    Some(None) => {}
                    Some(Some(_)) => return Err(format!("slot {slot} is filled")),
                    None => return Err(format!("there is no slot {slot}")),
                }
            }
            Ok(())
        }
        _ => Err("the reply is of another kind than the ask".to_owned()),
    }
}
