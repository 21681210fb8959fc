//! The trace of a fact: back to the call that brought it, forward to the prompts that showed it and the answers that rest on it.

use super::act::Act;
use super::ask::Ask;
use super::correction::{Change, Correction};
use super::event::{Call, NodeId, PartId};
use super::state::State;
use super::strategy::edits;
use crate::calls::{AskId, PartKind};
use crate::graph::{Edge, EntityId, Object};
use crate::text::quoted;
use std::collections::BTreeSet;

/// Where a fact comes from and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The node that brought it into the walk, and the call whose reply held it; `None` if no call of this session did.
    pub brought_by: Option<(NodeId, AskId)>,
    /// The asks to the model whose prompt showed it, in the order of asking, in the whole tree: whichever node brought it
    /// there. Prompts that the service refused whole are none.
    pub prompts: Vec<AskId>,
    /// Those of them that were built before a person gave what the fact names the label that it has now: they had another one.
    pub before: Vec<AskId>,
    /// The nodes that these are about (where samples were drawn, or whose value was asked for), by number.
    pub nodes: Vec<NodeId>,
    /// The answers that rest on it, best first; pruned and withdrawn ones are none.
    pub answers: Vec<NodeId>,
}

/// A fact under every id that its ends have: walks may have met them in another order, or in another KG.
struct Fact<'a> {
    subject: Vec<EntityId>,
    edge: &'a Edge,
    object: Vec<EntityId>,
    /// Whether a person's correction brought or took it: then only what a prompt says tells.
    corrected: bool,
}

impl Fact<'_> {
    fn is(&self, other: &Edge) -> bool {
        let same_object = match &other.o {
            Object::Entity(id) => self.object.contains(id),
            literal @ Object::Literal(_) => *literal == self.edge.o,
        };
        other.r == self.edge.r && self.subject.contains(&other.s) && same_object
    }

    /// Whether the YAML of a graph in `text` has the fact: a subject, below it the relation with the objects in a list.
    fn is_written_in(&self, text: &str) -> bool {
        let depth = |line: &str| line.len() - line.trim_start().len();
        let is_subject = |line: &str| {
            let name = line.trim().strip_suffix(':').unwrap_or_default();
            self.subject.iter().any(|id| name == &**id || name == quoted(id))
        };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if is_subject(line) && lines.clone().take_while(|below| depth(below) > depth(line)).any(|below| self.is_in_row(below)) {
                return true;
            }
        }
        false
    }

    /// Whether `"P161 cast member": [Q123351]` names relation and object of the fact.
    fn is_in_row(&self, line: &str) -> bool {
        let Ok(serde_yaml::Value::Mapping(row)) = serde_yaml::from_str(line.trim()) else { return false };
        let is_relation = |key: &str| key.strip_prefix(&*self.edge.r).is_some_and(|label| label.is_empty() || label.starts_with(' '));
        let is_object = |item: &serde_yaml::Value| {
            // An object with what its statements say besides is a mapping from the one to the other.
            let item = item.as_mapping().and_then(|noted| noted.keys().next()).unwrap_or(item);
            item.as_str().is_some_and(|text| match &self.edge.o {
                Object::Entity(_) => self.object.iter().any(|id| &**id == text),
                Object::Literal(literal) => literal.text == text,
            })
        };
        row.iter().any(|(key, objects)| {
            key.as_str().is_some_and(is_relation) && objects.as_sequence().is_some_and(|list| list.iter().any(is_object))
        })
    }
}

fn is_label(act: &Act) -> bool {
    matches!(act, Act::Correct { correction, .. } if matches!(correction.change, Change::Label(_)))
}

impl State {
    /// The trace of `edge`, a fact of the local graph of `at`.
    #[must_use]
    pub fn trace(&self, edge: &Edge, at: NodeId) -> Trace {
        let graph = self.graph(at);
        let edge = graph.resolved(edge);
        let ids = |id: &EntityId| {
            let also = graph.entity(id).into_iter().flat_map(|entity| entity.also.iter().map(|(_, id)| id.clone()));
            std::iter::once(id.clone()).chain(also).collect::<Vec<_>>()
        };
        let object = match &edge.o {
            Object::Entity(id) => ids(id),
            Object::Literal(_) => Vec::new(),
        };
        let touches = |correction: &Correction| {
            let is_it = |other: &Edge| graph.resolved(other).same_fact(&edge);
            is_it(&correction.fact) || correction.result().is_some_and(|result| is_it(&result))
        };
        let corrected = self.acts.iter().any(|act| matches!(&act.what, Act::Correct { correction, .. } if touches(correction)));
        let fact = Fact { subject: ids(&edge.s), object, edge: &edge, corrected };
        let found = self.provenance(at, &edge);
        let brought_by = found.and_then(|from| Some((from.node, from.sources.first()?.id)));
        let reach = self.reach(&fact);
        let shown = |ask: &&Ask| self.asked_about(ask).is_some_and(|node| self.shows(ask, reach[node.index()], &fact));
        let asks: Vec<&Ask> = self.asks.iter().map(|ask| &**ask).filter(shown).collect();
        let nodes: BTreeSet<NodeId> = asks.iter().filter_map(|ask| self.asked_about(ask)).collect();
        let rests = |answer: &NodeId| {
            (fact.corrected || reach[answer.index()] != Reach::None) && self.evidence(*answer).iter().any(|edge| fact.is(edge))
        };
        let labelled = self.corrected_by(at, &edge).into_iter().filter(|act| is_label(&act.what)).map(|act| act.seq).max();
        Trace {
            brought_by,
            before: asks.iter().filter(|ask| labelled.is_some_and(|since| ask.seq < since)).map(|ask| ask.id).collect(),
            prompts: asks.iter().map(|ask| ask.id).collect(),
            nodes: nodes.into_iter().collect(),
            answers: self.answers().into_iter().filter(rests).collect(),
        }
    }

    /// Which nodes have the fact in their local graph. A parent comes before its children: one pass.
    fn reach(&self, fact: &Fact<'_>) -> Vec<Reach> {
        let mut all: Vec<Reach> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let own = if node.delta.edges.iter().any(|edge| fact.is(edge)) { Reach::Always } else { Reach::None };
            let above = node.parent.map_or(Reach::None, |parent| all[parent.index()]);
            all.push(own.max(above));
        }
        let pages = self.steps.iter().filter(|step| step.page.iter().flat_map(|page| &page.edges).any(|edge| fact.is(edge)));
        let tops: BTreeSet<NodeId> = pages.filter_map(|step| step.node).collect();
        if !tops.is_empty() {
            for node in &self.nodes {
                let above = node.parent.is_some_and(|parent| all[parent.index()] == Reach::AtTimes);
                if all[node.id.index()] == Reach::None && (above || tops.contains(&node.id)) {
                    all[node.id.index()] = Reach::AtTimes;
                }
            }
        }
        all
    }

    /// Whether the prompt of `ask` had the fact. The graph of its node tells; the text is read only where that is not enough:
    /// facts were left out, a person worded the graph, or a page brought the fact at some time.
    fn shows(&self, ask: &Ask, reach: Reach, fact: &Fact<'_>) -> bool {
        let Call::Llm(call) = &ask.call else { return false };
        let refused = ask.error.is_some() && ask.samples.iter().all(Option::is_none);
        let text = |id: &PartId| self.parts.get(id.index()).filter(|part| part.kind == PartKind::Graph).map(|part| &part.text);
        let Some(graph) = call.parts.iter().find_map(text).filter(|_| !refused) else { return false };
        let worded = edits(self, ask.key.step).iter().any(|edit| edit.part == PartKind::Graph);
        match reach {
            _ if fact.corrected => fact.is_written_in(graph),
            Reach::None if !worded => false,
            Reach::Always if !worded && call.omitted == 0 => true,
            _ => fact.is_written_in(graph),
        }
    }

    /// Every fact that an answer of the tree rests on, with an answer that does (the best one), in the order of arrival there;
    /// the answer's own first. Pruned and withdrawn answers do not count.
    #[must_use]
    pub fn evidence_facts(&self) -> Vec<(NodeId, Edge)> {
        let answer = self.finished.as_deref().and_then(|(end, _)| end.answer);
        let mut answers = self.answers();
        answers.sort_by_key(|id| Some(*id) != answer);
        let mut all: Vec<(NodeId, Edge)> = Vec::new();
        for id in answers {
            for edge in self.evidence(id) {
                if !all.iter().any(|(_, known)| known.same_fact(&edge)) {
                    all.push((id, edge));
                }
            }
        }
        all
    }
}

/// When a fact is in the local graph of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Never.
    None,
    /// Since a page came, or until it was undone.
    AtTimes,
    /// From the beginning.
    Always,
}
