//! What graphs answer, row by row.

use super::table::Row;
use crate::calls::{Candidate, EdgeList, KgReply};
use crate::graph::{Direction, Edge, Entity, EntityId, Object, Relation};
use serde_json::{Value, json};

pub(super) fn candidate(candidate: &Candidate) -> Row {
    let (mut object, mut cells) = entity(&candidate.entity);
    if let Some(matched) = &candidate.matched {
        object["matched"] = json!(matched);
        cells[1].push_str(&format!(" (as \"{matched}\")"));
    }
    (object, cells)
}

pub(super) fn entity(entity: &Entity) -> Row {
    let Entity { id, label, description, also, .. } = entity;
    let mut object = json!({"id": id, "label": label, "description": description});
    if !also.is_empty() {
        object["also"] = json!(also);
    }
    (object, vec![id.to_string(), label.clone().unwrap_or_default(), description.clone().unwrap_or_default()])
}

pub(super) fn relation(relation: &Relation) -> Row {
    let direction = relation.at.direction;
    let mut object = json!({"id": relation.at.id, "direction": direction, "label": relation.label, "count": relation.count});
    if relation.count_is_bound {
        object["count_is_bound"] = json!(true);
    }
    if relation.identifier {
        object["identifier"] = json!(true);
    }
    let count = relation.count.map_or_else(String::new, |n| if relation.count_is_bound { format!("{n}+") } else { n.to_string() });
    let word = if direction == Direction::Out { "out" } else { "in" };
    let label = relation.label.as_deref().map_or_else(String::new, |_| relation.reading());
    (object, vec![relation.at.id.to_string(), word.to_owned(), count, label])
}

/// An edge; its last cell is what its statements say besides.
pub(super) fn edge(list: &EdgeList, edge: &Edge, direction: Direction, reply: &KgReply) -> Row {
    let label = |id: &EntityId| list.entities.iter().find(|e| e.id == *id).and_then(|e| e.label.as_deref());
    let named = |id: &EntityId| label(id).map_or_else(|| id.to_string(), |label| format!("{label} ({id})"));
    let (o, o_label, object) = match &edge.o {
        Object::Entity(id) => (id.to_string(), label(id).map(str::to_owned), named(id)),
        Object::Literal(literal) => (literal.text.clone(), Some(literal.text.clone()), literal.text.clone()),
    };
    let near = match (&edge.o, direction) {
        (Object::Entity(id), Direction::In) => id,
        _ => &edge.s,
    };
    let mut row = json!({"s": edge.s, "r": edge.r, "o": o, "o_label": o_label, "direction": direction, "s_label": label(&edge.s)});
    if let Some(partial) = list.partial.iter().find(|p| p.entity == *near) {
        row["partial"] = json!(cut_text(partial.shown, partial.of));
    } else if reply.partial {
        row["partial"] = json!(reply.notes.first().map_or("more exist", String::as_str));
    }
    if !edge.notes.is_empty() {
        row["notes"] = json!(edge.notes);
    }
    let relation = list.relation_label.as_deref().map_or_else(|| edge.r.to_string(), |label| format!("{label} ({})", edge.r));
    let notes: Vec<String> = edge.notes.iter().map(crate::graph::Note::text).filter(|text| !text.is_empty()).collect();
    (row, vec![named(&edge.s), relation, object, notes.join(" | ")])
}

pub(super) fn cut_text(shown: u64, of: Option<u64>) -> String {
    of.map_or_else(|| format!("first {shown}, more exist"), |of| format!("{shown} of {of}"))
}

/// A number, with how it was understood.
pub(super) fn count(value: &str, reading: &str) -> Row {
    let number = value.parse::<u64>().map_or_else(|_| json!(value), Value::from);
    (json!({"count": number, "reading": reading}), vec![value.to_owned(), reading.to_owned()])
}
