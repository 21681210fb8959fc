//! The scripted KG: entities, claims in file order, and faults.

use crate::calls::{AskId, CallError, CallErrorKind, Candidate, EdgeList, KgData, KgOp, KgReply, WireNote};
use crate::graph::{Direction, Edge, Entity, EntityId, Literal, LiteralKind, Object, Partial, Relation, RelationRef};
use crate::kg::KnowledgeGraph;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The name of a scenario's KG.
const NAME: &str = "scenario";

/// The `kg` key of a scenario.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Graph {
    #[serde(default)]
    entities: IndexMap<String, Names>,
    #[serde(default)]
    properties: IndexMap<String, String>,
    #[serde(default)]
    claims: Vec<(String, String, Value)>,
    #[serde(default)]
    search: IndexMap<String, Vec<String>>,
    #[serde(default)]
    faults: Option<Vec<Fault>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Names {
    label: Option<String>,
    description: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Value {
    Entity(String),
    Text { text: String },
    Time { time: String, precision: u8 },
}

#[derive(Clone, Debug, Deserialize)]
struct Fault {
    op: String,
    #[serde(default)]
    entities: Vec<String>,
    property: Option<String>,
    times: Option<u64>,
}

#[derive(Debug, Default)]
struct Memory {
    used: Vec<u64>,
    asks: HashMap<AskId, bool>,
}

/// A KG that follows a script.
#[derive(Debug)]
pub struct ScriptedKg {
    graph: Graph,
    latency: Duration,
    memory: Mutex<Memory>,
}

impl ScriptedKg {
    pub(super) fn new(graph: Graph, latency: Duration) -> Self {
        let used = vec![0; graph.faults.as_ref().map_or(0, Vec::len)];
        Self { graph, latency, memory: Mutex::new(Memory { used, asks: HashMap::new() }) }
    }

    /// Whether a fault takes this call. The same ask always fares the same.
    fn fails(&self, ask: Option<AskId>, op: &KgOp) -> bool {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = ask.and_then(|a| memory.asks.get(&a)) {
            return *known;
        }
        let mut fails = false;
        for (i, fault) in self.graph.faults.iter().flatten().enumerate() {
            if fault.hits(op) && fault.times.is_none_or(|times| memory.used[i] < times) {
                // A look at the graph outside the session uses nothing up.
                if ask.is_some() {
                    memory.used[i] += 1;
                }
                fails = true;
                break;
            }
        }
        if let Some(ask) = ask {
            memory.asks.insert(ask, fails);
        }
        fails
    }

    fn entity(&self, id: &str) -> Entity {
        let names = self.graph.entities.get(id);
        Entity {
            id: id.into(),
            kg: NAME.into(),
            label: names.and_then(|n| n.label.clone()),
            description: names.and_then(|n| n.description.clone()),
            also: Vec::new(),
        }
    }

    /// The reply to `op`, at once.
    ///
    /// # Errors
    /// The scripted fault.
    pub fn answer(&self, ask: Option<AskId>, op: &KgOp) -> Result<KgReply, CallError> {
        if self.fails(ask, op) {
            return Err(CallError::new(CallErrorKind::Server, format!("the {} failed with a server error (scripted)", op.name())));
        }
        let data = match op {
            KgOp::Search { mention, limit } => {
                let ids = self.graph.search.get(mention).map(Vec::as_slice).unwrap_or_default();
                KgData::Candidates(
                    ids.iter().take(*limit as usize).map(|id| Candidate { entity: self.entity(id), matched: None }).collect(),
                )
            }
            KgOp::Relations { entities, direction, limit } => KgData::Relations(self.relations(entities, *direction, *limit)),
            KgOp::Edges { entities, relation, direction, cap, offset, .. } => {
                KgData::Edges(self.edges(entities, relation, *direction, (*offset as usize, *cap as usize)))
            }
            KgOp::Describe { ids } => KgData::Entities(ids.iter().map(|id| self.entity(id)).collect()),
            KgOp::Link { .. } => KgData::Entities(Vec::new()),
            KgOp::Aggregate { .. } => return Err(crate::kg::cannot(NAME, op)),
        };
        let mut reply = KgReply::of(data);
        let took_ms = u64::try_from(self.latency.as_millis()).unwrap_or(u64::MAX);
        reply.wire.push(WireNote { query: format!("scenario: {}", op.name()), rows: rows(&reply.data), took_ms, tries: 1 });
        Ok(reply)
    }

    /// Claims that touch one of `entities` in this direction.
    fn claims(&self, entity: &str, direction: Direction) -> impl Iterator<Item = &(String, String, Value)> {
        self.graph.claims.iter().filter(move |(s, _, o)| match direction {
            Direction::Out => s == entity,
            Direction::In => matches!(o, Value::Entity(o) if o == entity),
        })
    }

    fn relations(&self, entities: &[EntityId], direction: Direction, limit: u32) -> Vec<Relation> {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for entity in entities {
            for (_, property, _) in self.claims(entity, direction) {
                *counts.entry(property).or_default() += 1;
            }
        }
        let label = |id: &str| self.graph.properties.get(id).cloned();
        let mut ids: Vec<&str> = counts.keys().copied().filter(|id| !label(id).is_some_and(|l| l.contains("ID"))).collect();
        ids.sort_by_key(|id| (id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().unwrap_or(u64::MAX), (*id).to_owned()));
        ids.truncate(limit as usize);
        let relation = |id: &str| Relation {
            at: RelationRef { kg: NAME.into(), id: id.into(), direction },
            label: label(id),
            inverse_label: None,
            count: counts.get(id).copied(),
            count_is_bound: false,
            identifier: false,
        };
        ids.into_iter().map(relation).collect()
    }

    fn edges(&self, entities: &[EntityId], relation: &str, direction: Direction, (offset, cap): (usize, usize)) -> EdgeList {
        let mut list = EdgeList { relation_label: self.graph.properties.get(relation).cloned(), ..EdgeList::default() };
        let mut seen: Vec<&str> = Vec::new();
        for entity in entities {
            let all: Vec<_> = self.claims(entity, direction).filter(|(_, p, _)| p == relation).collect();
            let end = all.len().min(offset.saturating_add(cap));
            if end < all.len() {
                let (shown, of) = (end as u64, Some(all.len() as u64));
                list.partial.push(Partial { entity: entity.clone(), relation: relation.into(), direction, shown, of });
            }
            for (s, property, o) in all.into_iter().take(end).skip(offset) {
                let object = match o {
                    Value::Entity(id) => Object::Entity(id.as_str().into()),
                    Value::Text { text } => Object::Literal(Literal { kind: LiteralKind::Text, text: text.clone(), raw: None, lang: None }),
                    Value::Time { time, precision } => Object::Literal(Literal {
                        kind: LiteralKind::Date,
                        text: crate::kg::date_text(time, *precision),
                        raw: Some(time.clone()),
                        lang: None,
                    }),
                };
                for id in [Some(s.as_str()), if let Value::Entity(id) = o { Some(id.as_str()) } else { None }].into_iter().flatten() {
                    if !seen.contains(&id) {
                        seen.push(id);
                        list.entities.push(self.entity(id));
                    }
                }
                list.edges.push(Edge { s: s.as_str().into(), r: property.as_str().into(), o: object, kg: NAME.into(), notes: Vec::new() });
            }
        }
        list
    }
}

impl Fault {
    fn hits(&self, op: &KgOp) -> bool {
        let (name, entities, property) = match op {
            KgOp::Relations { entities, direction: Direction::Out, .. } => ("relations_forward", entities, None),
            KgOp::Relations { entities, direction: Direction::In, .. } => ("relations_reverse", entities, None),
            KgOp::Edges { entities, relation, direction: Direction::Out, .. } => ("edges_forward", entities, Some(relation)),
            KgOp::Edges { entities, relation, direction: Direction::In, .. } => ("edges_reverse", entities, Some(relation)),
            _ => return false,
        };
        self.op == name
            && (self.entities.is_empty() || entities.iter().any(|e| self.entities.iter().any(|f| **e == **f)))
            && self.property.as_ref().is_none_or(|p| property.is_some_and(|r| **r == **p))
    }
}

fn rows(data: &KgData) -> u64 {
    let n = match data {
        KgData::Candidates(list) => list.len(),
        KgData::Relations(list) => list.len(),
        KgData::Edges(list) => list.edges.len(),
        KgData::Entities(list) => list.len(),
        KgData::Aggregate(result) => result.lists.iter().map(|list| list.edges.len()).sum(),
    };
    n as u64
}

impl KnowledgeGraph for ScriptedKg {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> String {
        format!("the scenario's graph: {} entities, {} claims", self.graph.entities.len(), self.graph.claims.len())
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let about = self.about();
        async move { Ok(about) }.boxed()
    }

    fn is_scripted(&self) -> bool {
        true
    }

    fn prime(&self, asked: &[(AskId, KgOp)]) {
        let used = vec![0; self.graph.faults.as_ref().map_or(0, Vec::len)];
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = Memory { used, asks: HashMap::new() };
        for (ask, op) in asked {
            self.fails(Some(*ask), op);
        }
    }

    fn perform(&self, ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        let answer = self.answer(ask, &op);
        let latency = self.latency;
        async move {
            if !latency.is_zero() {
                tokio::time::sleep(latency).await;
            }
            answer
        }
        .boxed()
    }
}
