//! What-if on facts: a person corrects, deletes, adds, hides or distrusts an edge. Corrections are acts; those in force lie over every
//! local graph of the session. The KG is not written, and prompts that were sent stay as they were.

use super::act::Act;
use super::event::{ActId, NodeId};
use super::state::{ActRecord, State};
use crate::graph::{Delta, Edge, Entity, EntityId, KgName, LocalGraph, Object};
use crate::text::one_line;
use serde::{Deserialize, Serialize};

/// The KG that a person's facts are counted for.
pub const YOU: &str = "you";

/// What a person says of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The fact as the KG has it, between the ids of the local graph; of a new fact, the fact itself.
    pub fact: Edge,
    /// What is to become of it.
    pub change: Change,
    /// Why, in the person's words; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What becomes of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Its object is another one. An entity that the session may not know yet comes with its record.
    Object {
        /// The object.
        object: Object,
        /// What is known of it, if it is an entity.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entity: Option<Box<Entity>>,
    },
    /// Its object, an entity, has another label.
    Label(String),
    /// It is wrong: it goes.
    Delete,
    /// The KG lacks it: it comes, with the record of its object.
    Add {
        /// What is known of the object, if it is an entity.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entity: Option<Box<Entity>>,
    },
    /// It may be right, but the model is not to see it.
    Hide,
    /// The model sees it; an answer that rests on it does not count as supported by it.
    Distrust,
}

impl Change {
    /// The word for it: `deleted`.
    #[must_use]
    pub const fn done(&self) -> &'static str {
        match self {
            Self::Object { .. } => "other object",
            Self::Label(_) => "other label",
            Self::Delete => "deleted",
            Self::Add { .. } => "added",
            Self::Hide => "hidden",
            Self::Distrust => "distrusted",
        }
    }
}

impl Correction {
    /// The correction in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let object = |object: &Object| match object {
            Object::Entity(id) => id.to_string(),
            Object::Literal(literal) => format!("{:?}", literal.text),
        };
        let fact = format!("{} {} {}", self.fact.s, self.fact.r, object(&self.fact.o));
        let what = match &self.change {
            Change::Object { object: new, .. } => format!("{fact}: the object is {}", object(new)),
            Change::Label(label) => format!("{fact}: the object is called {label:?}"),
            other => format!("{fact}: {}", other.done()),
        };
        if self.reason.is_empty() { what } else { format!("{what} ({})", self.reason) }
    }

    /// The fact that stands in the graph because of it; `None` if the fact goes.
    #[must_use]
    pub fn result(&self) -> Option<Edge> {
        match &self.change {
            Change::Object { object, .. } => Some(Edge { o: object.clone(), kg: YOU.into(), notes: Vec::new(), ..self.fact.clone() }),
            Change::Add { .. } => Some(Edge { kg: YOU.into(), ..self.fact.clone() }),
            Change::Label(_) | Change::Distrust => Some(self.fact.clone()),
            Change::Delete | Change::Hide => None,
        }
    }

    /// Whether it changes the local graph of a node.
    #[must_use]
    pub fn is_about(&self, state: &State, node: NodeId) -> bool {
        let stands = || self.result().is_some_and(|result| state.graph(node).contains(&result));
        state.was_brought(node, &self.fact) || stands()
    }

    /// Whether it can be done to a graph.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn check(&self, graph: &LocalGraph) -> Result<(), String> {
        let there = graph.contains(&self.fact);
        match &self.change {
            Change::Add { .. } if there => return Err("this fact is there already".to_owned()),
            Change::Add { .. } if graph.entity(&self.fact.s).is_none() => {
                return Err(format!("{} is not in the local graph: a fact is added to an entity that is", self.fact.s));
            }
            Change::Add { .. } => {}
            _ if !there => return Err("this fact is not in the local graph (any more)".to_owned()),
            Change::Object { object, .. } if *object == self.fact.o => return Err("that is its object already".to_owned()),
            Change::Label(label) if label.trim().is_empty() => return Err("the label is empty".to_owned()),
            Change::Label(_) if !matches!(self.fact.o, Object::Entity(_)) => {
                return Err("only an entity has a label: give the fact another value instead".to_owned());
            }
            _ => {}
        }
        match self.result().map(|edge| edge.o) {
            Some(Object::Literal(literal)) if literal.text.trim().is_empty() => Err("the value is empty".to_owned()),
            _ => Ok(()),
        }
    }

    /// Lays it over a graph.
    fn lay_over(&self, graph: &mut LocalGraph) {
        match &self.change {
            Change::Add { entity } if graph.entity(&self.fact.s).is_some() => {
                let edges = self.result().into_iter().collect();
                graph.add(&Delta { entities: self.record(entity.as_deref(), graph), edges, ..Delta::default() });
            }
            Change::Object { entity, .. } => {
                if let Some(result) = self.result().filter(|_| graph.contains(&self.fact)) {
                    graph.add(&Delta { entities: self.record(entity.as_deref(), graph), ..Delta::default() });
                    graph.replace_edge(&self.fact, &result);
                }
            }
            Change::Label(label) => {
                if let Object::Entity(id) = &self.fact.o {
                    graph.relabel(id, label);
                }
            }
            Change::Delete | Change::Hide => graph.remove_edge(&self.fact),
            Change::Add { .. } | Change::Distrust => {}
        }
    }

    /// The record of the new object: what came with the correction, else its bare id.
    fn record(&self, known: Option<&Entity>, graph: &LocalGraph) -> Vec<Entity> {
        let Some(Object::Entity(id)) = self.result().map(|edge| edge.o) else { return Vec::new() };
        let bare = |id: EntityId| Entity { id, kg: self.kg(), label: None, description: None, also: Vec::new() };
        match known {
            Some(entity) => vec![entity.clone()],
            None if graph.entity(&id).is_some() => Vec::new(),
            None => vec![bare(id)],
        }
    }

    /// The KG whose fact it is about.
    #[must_use]
    pub fn kg(&self) -> KgName {
        self.fact.kg.clone()
    }
}

/// The correction that an act is.
fn correction(act: &ActRecord) -> Option<&Correction> {
    match &act.what {
        Act::Correct { correction, .. } => Some(correction),
        _ => None,
    }
}

impl State {
    /// The corrections in force, in the order in which they were made.
    pub fn corrections(&self) -> impl Iterator<Item = (ActId, &Correction)> {
        self.acts.iter().filter(|act| act.active).filter_map(|act| Some((act.id, correction(act)?)))
    }

    /// The correction in force that a fact of `graph` is as it is because of: the last one.
    #[must_use]
    pub fn correction_of(&self, graph: &LocalGraph, fact: &Edge) -> Option<&Correction> {
        let fact = graph.resolved(fact);
        let stands = |correction: &&Correction| correction.result().is_some_and(|result| graph.resolved(&result).same_fact(&fact));
        self.corrections().map(|(_, correction)| correction).filter(stands).last()
    }

    /// The acts in force that a fact of the local graph of `at` is as it is because of, in the order in which they were made: corrections
    /// of the fact itself, and of the label of what it names.
    #[must_use]
    pub fn corrected_by(&self, at: NodeId, fact: &Edge) -> Vec<&ActRecord> {
        let graph = self.graph(at);
        let fact = graph.resolved(fact);
        let of = |object: &Object| if let Object::Entity(id) = object { Some(id.clone()) } else { None };
        let ends = [Some(fact.s.clone()), of(&fact.o)];
        let about = |correction: &Correction| {
            let result = correction.result().map(|result| graph.resolved(&result));
            let named = result.as_ref().filter(|_| matches!(correction.change, Change::Label(_))).and_then(|result| of(&result.o));
            result.as_ref().is_some_and(|result| result.same_fact(&fact)) || named.is_some_and(|id| ends.contains(&Some(id)))
        };
        self.acts.iter().filter(|act| act.active && correction(act).is_some_and(about)).map(|act| &**act).collect()
    }

    /// What such an act made of a fact of the local graph of `at`, in words: `corrected by you: other label, the graph says “Bright
    /// House Field” (renamed in 2018)`; `None`: it is no correction.
    #[must_use]
    pub fn corrected_words(&self, at: NodeId, act: &ActRecord) -> Option<String> {
        let correction = correction(act)?;
        let before = self.graph_as_brought(at);
        let was = match (&correction.change, &correction.fact.o) {
            (Change::Label(_) | Change::Object { .. }, Object::Entity(id)) => Some(one_line(before.name(id))),
            (Change::Object { .. }, Object::Literal(literal)) => Some(one_line(&literal.text)),
            _ => None,
        };
        let was = was.map_or_else(String::new, |was| format!(", the graph says “{was}”"));
        let why = if correction.reason.is_empty() { String::new() } else { format!(" ({})", one_line(&correction.reason)) };
        Some(format!("corrected by you: {}{was}{why}", correction.change.done()))
    }

    /// The label that a person gave an entity: the last one in force.
    #[must_use]
    pub fn corrected_label(&self, entity: &EntityId) -> Option<&str> {
        let of = |correction: &'_ Correction| matches!(&correction.fact.o, Object::Entity(id) if id == entity);
        let labels = self.corrections().filter(|(_, correction)| of(correction)).filter_map(|(_, correction)| match &correction.change {
            Change::Label(label) => Some(label.as_str()),
            _ => None,
        });
        labels.last()
    }

    /// Whether a fact came on the way to a node, whatever a person did to it since.
    #[must_use]
    pub fn was_brought(&self, node: NodeId, fact: &Edge) -> bool {
        let graph = self.graph(node);
        let is_it = |edge: &Edge| graph.resolved(edge).same_fact(fact);
        self.path_to(node).into_iter().any(|at| {
            let pages = self.pages(at.id).filter_map(|step| step.page.as_deref()).flat_map(|page| &page.edges);
            at.delta.edges.iter().chain(pages).any(is_it)
        })
    }

    /// The last correction in force that took away what an answer rested on when it was made: then its text, and its value if
    /// that was not asked for again, are of before.
    #[must_use]
    pub fn corrected_since(&self, answer: NodeId) -> Option<&Correction> {
        let made = self.node(answer).and_then(|node| self.step(node.step))?.seq;
        let since: Vec<&Correction> =
            self.acts.iter().filter(|act| act.active && act.seq > made).filter_map(|act| correction(act)).collect();
        if since.is_empty() {
            return None;
        }
        let rested = self.evidence_in(&self.graph_as_brought(answer), answer);
        let rests = self.evidence(answer);
        let holds = |facts: &[Edge], correction: &Correction| facts.iter().any(|edge| edge.same_fact(&correction.fact));
        since.into_iter().rev().find(|correction| holds(&rested, correction) && !holds(&rests, correction))
    }

    /// Lays the corrections in force over a graph.
    pub(super) fn correct(&self, graph: &mut LocalGraph) {
        for (_, correction) in self.corrections() {
            correction.lay_over(graph);
        }
    }

    /// The local graph of a node without the facts that the person distrusts: what an answer can rest on.
    #[must_use]
    pub fn trusted_graph(&self, node: NodeId) -> LocalGraph {
        let mut graph = self.graph(node);
        for (_, correction) in self.corrections().filter(|(_, correction)| correction.change == Change::Distrust) {
            graph.remove_edge(&correction.fact);
        }
        graph
    }
}
