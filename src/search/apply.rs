//! The reducer: `apply` only files what is decided already. It never parses, votes or selects, never panics, and an event
//! that does not fit leaves the state as it was.

use super::ask::Ask;
use super::event::{AskKey, By, Call, Entry, Event, Got, NewNode, NodeId, Reading, Seq, Source, StepId, StepKind, Valuation};
use super::state::{ActRecord, Node, State, Step, Value};
use crate::calls::{AskId, Part};
use std::sync::Arc;
use thiserror::Error;

/// An event that does not fit the state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("entry {seq}: {what}")]
pub struct ApplyError {
    /// The entry.
    pub seq: Seq,
    /// What is wrong.
    pub what: String,
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
        let only_looks = match &entry.ev {
            Event::Acted { what, .. } => what.only_looks(),
            Event::Undone { act, .. } => self.acts.get(act.index()).is_some_and(|act| act.what.only_looks()),
            Event::Opened { kind, .. } => *kind == StepKind::Review,
            Event::Asked { key, .. } => self.is_review(key.step),
            Event::Reviewed { step, .. } | Event::Closed { step } => self.is_review(*step),
            _ => false,
        };
        // A halt is over when something is decided, asked or done again; what was still on its way does not end it, nor does a
        // person who only sets a breakpoint, nor one who opens the session to see why it stands still.
        if !only_looks
            && !matches!(
                entry.ev,
                Event::Replied { .. }
                    | Event::Failed { .. }
                    | Event::Part { .. }
                    | Event::Halted(_)
                    | Event::Ran { .. }
                    | Event::Resumed { .. }
                    | Event::Dropped { .. }
            )
        {
            self.halted = None;
        }
        self.seq += 1;
        Ok(())
    }

    fn file(&mut self, entry: &Entry) -> Result<(), String> {
        match &entry.ev {
            Event::Started(started) => self.started = Some(Arc::new((**started).clone())),
            Event::Resumed { lost, price } => {
                self.perhaps_paid += u32::try_from(lost.len()).unwrap_or(u32::MAX);
                if let Some(price) = price {
                    self.priced = Some(Arc::new(price.clone()));
                }
            }
            Event::Dropped { asks } => {
                for ask in asks {
                    self.open_ask(*ask)?;
                }
            }
            Event::Part { id, kind, text } => {
                dense(id.index(), self.parts.len(), "part")?;
                self.parts.push(Arc::new(Part { kind: *kind, text: text.clone() }));
                Arc::make_mut(&mut self.texts).insert(text.clone(), *id);
            }
            Event::Asked { ask, key, call, hash, nth } => self.file_asked(entry, *ask, *key, call, hash, *nth)?,
            Event::Replied { ask, got, usage, tries, nothing: true, .. } => {
                let ask = self.open_ask(*ask)?;
                if !matches!(got, Got::Samples(samples) if samples.is_empty()) {
                    return Err("a request that brought nothing brings no samples".to_owned());
                }
                fits(ask, got)?;
                ask.wasted += usage.unwrap_or_default();
                ask.fruitless = ask.fruitless.saturating_add(*tries);
            }
            Event::Replied { ask, got, source, usage, took_ms, tries, nothing: false } => {
                let ask = self.open_ask(*ask)?;
                fits(ask, got)?;
                ask.fill(got);
                if let (Source::Kept(at), Got::Samples(samples)) = (source, got) {
                    ask.kept += u32::try_from(samples.len()).unwrap_or(u32::MAX);
                    ask.kept_since = Some(ask.kept_since.map_or(*at, |since| since.min(*at)));
                }
                if let Some(usage) = usage {
                    ask.usage += *usage;
                }
                ask.replies += 1;
                // A model that counts no tokens is no service: its replies are no requests.
                if matches!((source, got, usage), (Source::Live, Got::Samples(_), Some(_))) {
                    ask.requests = ask.requests.saturating_add(*tries);
                }
                ask.took_ms = ask.took_ms.max(*took_ms);
                ask.source = Some(*source);
                ask.live |= source.is_live();
            }
            Event::Failed { ask, error } => self.open_ask(*ask)?.error = Some(error.clone()),
            Event::Halted(halt) => {
                if let Some(act) = halt.hits.iter().find(|act| act.index() >= self.acts.len()) {
                    return Err(format!("there is no act {}", act.0));
                }
                for act in &halt.hits {
                    Arc::make_mut(&mut self.acts[act.index()]).hits += 1;
                }
                self.halted = Some(Arc::new(halt.clone()));
            }
            Event::Ran { ms } => self.ran_ms = *ms,
            Event::Opened { step, kind, node, counts, act, why } => {
                dense(step.index(), self.steps.len(), "step")?;
                self.known(*node)?;
                if *counts {
                    let order = self.expansions();
                    let node = self.node_mut(node.ok_or("an expansion needs a node")?)?;
                    node.expanded = Some(*step);
                    node.order = Some(order);
                    self.expanded = order.saturating_add(1);
                } else if *kind == StepKind::Expand {
                    // An expansion that the person asked for: it has no place in the strategy's order.
                    let node = node.ok_or("an expansion needs a node")?;
                    let undone = |step: StepId| {
                        let act = self.step(step).and_then(|step| step.act).and_then(|act| self.acts.get(act.index()));
                        act.is_some_and(|act| !act.active)
                    };
                    if self.node(node).and_then(|node| node.expanded).is_none_or(undone) {
                        self.node_mut(node)?.expanded = Some(*step);
                    }
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
                    note: None,
                    grew: false,
                    children: Vec::new(),
                    refused: Vec::new(),
                    notices: Vec::new(),
                    page: None,
                    judged: None,
                    closed: false,
                }));
            }
            Event::Read { step, lane, rows, note } => {
                let step = self.open_step(*step)?;
                step.readings.push((*lane, rows.clone()));
                if note.is_some() {
                    step.note.clone_from(note);
                }
            }
            Event::Grew { step, children, refused, notices } => self.file_grew(*step, children, refused, notices)?,
            Event::Paged { step, node, delta, notices } => {
                self.known(Some(*node))?;
                let step = self.open_step(*step)?;
                if step.kind != StepKind::Page || step.node != Some(*node) {
                    return Err(format!("step {} brings no page for node {}", step.id.0, node.0));
                }
                step.grew = true;
                step.page = Some(Arc::new(delta.clone()));
                step.notices.clone_from(notices);
            }
            Event::Reviewed { step, node, judged } => {
                self.known(Some(*node))?;
                let step = self.open_step(*step)?;
                if step.kind != StepKind::Review || step.node != Some(*node) {
                    return Err(format!("step {} judges no facts of node {}", step.id.0, node.0));
                }
                step.judged = Some(Arc::new(judged.clone()));
            }
            Event::Valued { node, value, from } => {
                self.known(Some(*node))?;
                if let Some(step) = self.asked_again_by(*from) {
                    self.open_step(step)?.grew = true;
                }
                let node = self.node_mut(*node)?;
                if let Some(before) = node.valuation {
                    node.earlier.push((node.value, before));
                }
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
                if step.by_hand() && step.kind != StepKind::Review {
                    self.reconsider = entry.seq;
                }
            }
            Event::Finished(finished) => {
                self.known(finished.answer.into_iter().chain(finished.best_candidate))?;
                self.finished = Some(Arc::new(((**finished).clone(), entry.seq)));
            }
            Event::Acted { act, what } => {
                dense(act.index(), self.acts.len(), "act")?;
                self.known(what.nodes())?;
                let nodes_then = u32::try_from(self.nodes.len()).map_err(|_| "too many nodes".to_owned())?;
                self.acts.push(Arc::new(ActRecord { id: *act, what: what.clone(), seq: entry.seq, nodes_then, active: true, hits: 0 }));
                if !what.keeps_end() {
                    self.reconsider = entry.seq;
                }
            }
            Event::Undone { act, redo } => {
                let record = self.acts.get_mut(act.index()).ok_or_else(|| format!("there is no act {}", act.0))?;
                Arc::make_mut(record).active = *redo;
                if !record.what.keeps_end() {
                    self.reconsider = entry.seq;
                }
            }
        }
        Ok(())
    }

    /// Whether a step judges facts: that leaves the search as it is.
    pub(crate) fn is_review(&self, step: StepId) -> bool {
        self.step(step).is_some_and(|step| step.kind == StepKind::Review)
    }

    /// The step that asked for this value again.
    fn asked_again_by(&self, from: Valuation) -> Option<StepId> {
        let Valuation::Asked(ask) = from else { return None };
        let step = self.step(self.ask(ask)?.key.step)?;
        (step.kind == StepKind::Value).then_some(step.id)
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
                if call.model.is_some_and(|act| self.acts.get(act.index()).is_none_or(|act| act.what.model().is_none())) {
                    return Err("no act names the model that is asked".to_owned());
                }
                if call.slots == 0 || call.slots > 10_000 {
                    return Err(format!("{} samples in one ask", call.slots));
                }
                call.slots as usize
            }
            Call::Kg(_) => 0,
        };
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
            wasted: crate::calls::Usage::default(),
            fruitless: 0,
            replies: 0,
            requests: 0,
            took_ms: 0,
            source: None,
            live: false,
            kept: 0,
            kept_since: None,
            at: entry.at,
            seq: entry.seq,
        }));
        Ok(())
    }

    fn file_grew(&mut self, step: StepId, children: &[NewNode], refused: &[Reading], notices: &[String]) -> Result<(), String> {
        let (by, act) = {
            let step = self.open_step(step)?;
            (if step.kind == StepKind::Hand { By::You } else { By::Engine }, step.act)
        };
        // No sample said it: the person added it to what the model chose.
        let added = |new: &NewNode| new.votes.0 == 0 && new.votes.1 > 0;
        self.fits_tree(children)?;
        for new in children {
            let id = if let Some(id) = new.merged {
                // What the model chose, asked again or not, is no choice of the person.
                if let (By::You, Some(act)) = (by, act) {
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
                    by: if added(new) { By::You } else { by },
                    step,
                    value: Value::Pending,
                    valuation: None,
                    earlier: Vec::new(),
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

    /// Whether every parent is there when its child is made: nothing is half filed.
    fn fits_tree(&self, children: &[NewNode]) -> Result<(), String> {
        let mut nodes = self.nodes.len();
        for new in children {
            match new.parent.or(new.merged) {
                Some(node) if node.index() >= nodes => return Err(format!("there is no node {}", node.0)),
                None if nodes > 0 => return Err("a second root".to_owned()),
                _ => {}
            }
            match new.merged {
                // A merged node is one that was there before this event.
                Some(node) if node.index() >= self.nodes.len() => return Err(format!("there is no node {}", node.0)),
                Some(_) => {}
                None => nodes += 1,
            }
        }
        u32::try_from(nodes).map(|_| ()).map_err(|_| "too many nodes".to_owned())
    }

    /// Whether these nodes are there.
    fn known(&self, nodes: impl IntoIterator<Item = NodeId>) -> Result<(), String> {
        match nodes.into_iter().find(|n| n.index() >= self.nodes.len()) {
            Some(node) => Err(format!("there is no node {}", node.0)),
            None => Ok(()),
        }
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
