//! What a program answers, checked before anyone else sees it.

use super::ids::Ids;
use super::wire::{
    About, AggregateWire, Candidates, EdgeWire, EdgesWire, Entities, EntityWire, HelloWire, LiteralWire, NoteWire, ObjectWire,
    QualifierWire, RelationWire, Relations, Space,
};
use crate::calls::{AggregateResult, Candidate, EdgeList, KgData, KgOp, KgReply};
use crate::graph::{
    Direction, Edge, Entity, EntityId, Literal, LiteralKind, Note, Object, Partial, Qualifier, Relation, RelationId, RelationRef,
};
use crate::kg::IdSpace;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// What a program says of itself.
pub(super) struct Hello {
    /// One line for people.
    pub(super) about: Option<String>,
    /// What its ids are.
    pub(super) space: IdSpace,
    /// What it can do.
    pub(super) ops: Vec<String>,
}

fn form<T: serde::de::DeserializeOwned>(answer: Value) -> Result<T, String> {
    serde_json::from_value(answer).map_err(|error| error.to_string())
}

/// Reads the answer to `hello`.
pub(super) fn hello(answer: Value) -> Result<Hello, String> {
    let wire: HelloWire = form(answer)?;
    let space = match wire.ids {
        Space::Own => IdSpace::Own,
        Space::Wikidata => IdSpace::Wikidata,
        Space::MusicBrainz => IdSpace::MusicBrainz,
        Space::Iri => IdSpace::Iri,
    };
    let usual = || ["search", "relations", "edges", "describe"].map(str::to_owned).to_vec();
    Ok(Hello { about: wire.about.filter(|about| !about.trim().is_empty()), space, ops: wire.ops.unwrap_or_else(usual) })
}

/// Reads the answer to `op`. What is more than was asked for is cut, and said.
pub(super) fn read(answer: Value, op: &KgOp, ids: &Ids) -> Result<KgReply, String> {
    let About { more, remarks } = About::deserialize(&answer).map_err(|error| error.to_string())?;
    let (data, cut) = match op {
        KgOp::Search { limit, .. } => {
            let (list, _) = first(form::<Candidates>(answer)?.candidates, *limit);
            let list: Result<Vec<Candidate>, String> = list
                .into_iter()
                .map(|mut wire| {
                    let matched = wire.matched.take();
                    Ok(Candidate { entity: entity(wire, ids)?, matched })
                })
                .collect();
            // More hits than were wanted are the rule, not something to remark on.
            (KgData::Candidates(list?), false)
        }
        KgOp::Relations { direction, limit, .. } => {
            let (list, cut) = first(form::<Relations>(answer)?.relations, *limit);
            (KgData::Relations(list.into_iter().map(|wire| relation(wire, *direction, ids)).collect::<Result<_, _>>()?), cut)
        }
        KgOp::Edges { entities, relation, direction, cap, offset, .. } => {
            let asked = Asked { entities, relation, direction: *direction, cap: *cap, offset: *offset };
            (KgData::Edges(edges(form(answer)?, &asked, ids)?), false)
        }
        KgOp::Describe { ids: asked } => {
            let list = form::<Entities>(answer)?.entities;
            let known = list.into_iter().map(|wire| entity(wire, ids)).collect::<Result<Vec<_>, _>>()?;
            // In the order of the question; what the program does not know is an entity without a name.
            let of = |id: &EntityId| {
                let id = ids.outward(ids.inward(id))?;
                let bare = || Entity { id: id.clone(), kg: Arc::clone(&ids.kg), label: None, description: None, also: Vec::new() };
                let is = |e: &&Entity| e.id == id || e.also.iter().any(|(_, other)| *other == id);
                Ok(known.iter().find(is).cloned().unwrap_or_else(bare))
            };
            (KgData::Entities(asked.iter().map(of).collect::<Result<_, String>>()?), false)
        }
        KgOp::Link { .. } => {
            let list = form::<Entities>(answer)?.entities;
            (KgData::Entities(list.into_iter().map(|wire| entity(wire, ids)).collect::<Result<_, _>>()?), false)
        }
        KgOp::Aggregate { what, .. } => (KgData::Aggregate(aggregate(form(answer)?, &what.relation, ids)?), false),
    };
    let mut notes = remarks;
    if more || cut {
        notes.push(format!("{} has more than is here", ids.kg));
    }
    Ok(KgReply { partial: more || cut, notes, ..KgReply::of(data) })
}

/// Rows of a reply, for the record of the request.
pub(super) fn rows(data: &KgData) -> u64 {
    let count = match data {
        KgData::Candidates(list) => list.len(),
        KgData::Relations(list) => list.len(),
        KgData::Edges(list) => list.edges.len(),
        KgData::Entities(list) => list.len(),
        KgData::Aggregate(result) => result.lists.iter().map(|list| list.edges.len()).sum(),
    };
    count as u64
}

fn first<T>(mut list: Vec<T>, limit: u32) -> (Vec<T>, bool) {
    let cut = list.len() > limit as usize;
    list.truncate(limit as usize);
    (list, cut)
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn entity(wire: EntityWire, ids: &Ids) -> Result<Entity, String> {
    let also = wire.also.iter().map(|(kg, id)| ids.elsewhere(kg, id)).collect::<Result<_, _>>()?;
    Ok(Entity {
        id: ids.outward(&wire.id)?,
        kg: Arc::clone(&ids.kg),
        label: filled(wire.label),
        description: filled(wire.description),
        also,
    })
}

fn relation(wire: RelationWire, direction: Direction, ids: &Ids) -> Result<Relation, String> {
    Ok(Relation {
        at: RelationRef { kg: Arc::clone(&ids.kg), id: ids.relation(&wire.id)?, direction },
        label: filled(wire.label),
        inverse_label: filled(wire.inverse_label),
        count: wire.count,
        count_is_bound: wire.at_least,
        identifier: wire.identifier,
    })
}

/// What edges were asked for.
struct Asked<'a> {
    entities: &'a [EntityId],
    relation: &'a RelationId,
    direction: Direction,
    cap: u32,
    offset: u32,
}

fn edges(wire: EdgesWire, asked: &Asked, ids: &Ids) -> Result<EdgeList, String> {
    let relation = ids.relation(ids.inward(asked.relation))?;
    // Each entity that was asked for, as it was named, by its whole id.
    let mut near: HashMap<EntityId, (usize, u64)> = HashMap::new();
    for (at, id) in asked.entities.iter().enumerate() {
        near.entry(ids.outward(ids.inward(id))?).or_insert((at, 0));
    }
    let mut kept: Vec<(usize, Edge)> = Vec::new();
    for wire in wire.edges {
        let edge = edge(wire, &relation, ids)?;
        let id = match (&edge.o, asked.direction) {
            (Object::Entity(id), Direction::In) => id,
            (Object::Literal(_), Direction::In) => {
                return Err("an edge that leads to an asked entity has a value in its place (`o`)".to_owned());
            }
            (_, Direction::Out) => &edge.s,
        };
        let Some((at, count)) = near.get_mut(id) else { return Err(format!("an edge is about {id}, which was not asked for")) };
        *count += 1;
        if *count <= u64::from(asked.cap) {
            kept.push((*at, edge));
        }
    }
    // Entity by entity in the order of asking, each in the order of the program.
    kept.sort_by_key(|(at, _)| *at);
    let edges: Vec<Edge> = kept.into_iter().map(|(_, edge)| edge).collect();
    let mut partial: Vec<(usize, Partial)> = Vec::new();
    let said: HashMap<EntityId, Option<u64>> =
        wire.partial.iter().map(|part| Ok((ids.outward(&part.entity)?, part.of))).collect::<Result<_, String>>()?;
    for (id, (at, count)) in &near {
        let here = u64::from(asked.offset) + *count;
        let of = match said.get(id) {
            Some(of) => *of,
            None if *count > u64::from(asked.cap) => Some(here),
            None => continue,
        };
        let shown = (*count).min(u64::from(asked.cap));
        let cut = Partial {
            entity: Arc::clone(id),
            relation: Arc::clone(&relation),
            direction: asked.direction,
            shown: u64::from(asked.offset) + shown,
            of: of.map(|of| of.max(here)),
        };
        partial.push((*at, cut));
    }
    partial.sort_by_key(|(at, _)| *at);
    let partial = partial.into_iter().map(|(_, part)| part).collect();
    let entities = mentioned(&edges, wire.entities, ids)?;
    Ok(EdgeList { edges, entities, relation_label: filled(wire.relation_label), partial })
}

/// Every entity of `edges`, in order of arrival, with what the program says of it.
fn mentioned(edges: &[Edge], said: Vec<EntityWire>, ids: &Ids) -> Result<Vec<Entity>, String> {
    let mut known: HashMap<EntityId, Entity> = HashMap::new();
    for wire in said {
        let entity = entity(wire, ids)?;
        known.insert(Arc::clone(&entity.id), entity);
    }
    let bare = |id: &EntityId| Entity { id: Arc::clone(id), kg: Arc::clone(&ids.kg), label: None, description: None, also: Vec::new() };
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    for edge in edges {
        let far = if let Object::Entity(id) = &edge.o { Some(id) } else { None };
        for id in std::iter::once(&edge.s).chain(far) {
            if seen.insert(Arc::clone(id)) {
                out.push(known.remove(id).unwrap_or_else(|| bare(id)));
            }
        }
    }
    Ok(out)
}

fn edge(wire: EdgeWire, relation: &RelationId, ids: &Ids) -> Result<Edge, String> {
    let r = wire.r.map_or_else(|| Ok(Arc::clone(relation)), |r| ids.relation(ids.inward(&r)))?;
    let o = match wire.o {
        ObjectWire::Entity(id) => Object::Entity(ids.outward(&id)?),
        ObjectWire::Number(number) => {
            Object::Literal(Literal { kind: LiteralKind::Quantity, text: number.to_string(), raw: None, lang: None })
        }
        ObjectWire::Literal(wire) => Object::Literal(literal(wire)?),
    };
    let notes = wire.notes.into_iter().map(|wire| note(wire, ids)).collect::<Result<_, _>>()?;
    Ok(Edge { s: ids.outward(&wire.s)?, r, o, kg: Arc::clone(&ids.kg), notes })
}

fn literal(wire: LiteralWire) -> Result<Literal, String> {
    let kind = wire.kind.unwrap_or(LiteralKind::Text);
    let text = match (filled(wire.text), kind) {
        (Some(text), _) => text,
        (None, LiteralKind::Unknown) => "unknown value".to_owned(),
        (None, LiteralKind::NoValue) => "no value".to_owned(),
        (None, _) => return Err("a value has no `text`".to_owned()),
    };
    Ok(Literal { kind, text, raw: filled(wire.raw), lang: filled(wire.lang) })
}

fn note(wire: NoteWire, ids: &Ids) -> Result<Note, String> {
    let qualifier = |q: QualifierWire| {
        let relation = ids.relation(&q.relation)?;
        let entity = q.entity.map(|id| ids.outward(&id)).transpose()?;
        Ok(Qualifier { label: filled(q.label).unwrap_or_else(|| q.relation.clone()), relation, value: q.value, entity })
    };
    Ok(Note { rank: wire.rank, qualifiers: wire.qualifiers.into_iter().map(qualifier).collect::<Result<_, String>>()? })
}

fn aggregate(wire: AggregateWire, relation: &RelationId, ids: &Ids) -> Result<AggregateResult, String> {
    let value = match wire.value {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(other) => return Err(format!("`value` is neither a text nor a number: {other}")),
    };
    let relation = ids.relation(ids.inward(relation))?;
    let edges: Vec<Edge> = wire.edges.into_iter().map(|wire| edge(wire, &relation, ids)).collect::<Result<_, _>>()?;
    let entities = mentioned(&edges, wire.entities, ids)?;
    Ok(AggregateResult { value, lists: vec![EdgeList { edges, entities, ..EdgeList::default() }], reading: wire.reading })
}
