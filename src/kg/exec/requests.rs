//! What a program is asked: one JSON object a line.

use super::ids::Ids;
use crate::calls::KgOp;
use crate::graph::{Direction, EntityId};
use crate::kg::IdSpace;
use serde_json::{Map, Value, json};

/// The version of the protocol.
const VERSION: u32 = 1;

type Request = Map<String, Value>;

fn object(value: Value) -> Request {
    if let Value::Object(object) = value { object } else { Map::new() }
}

/// The first request.
pub(super) fn hello(name: &str, lang: &[String]) -> Request {
    let lang: Vec<&String> = lang.iter().filter(|tag| !tag.is_empty()).collect();
    object(json!({"tot": VERSION, "id": 0, "op": "hello", "name": name, "lang": lang}))
}

/// The operation's name in the protocol, and the request without its number.
pub(super) fn of(op: &KgOp, ids: &Ids) -> (&'static str, Request) {
    let list = |entities: &[EntityId]| entities.iter().map(|id| ids.inward(id).to_owned()).collect::<Vec<String>>();
    let way = |direction: Direction| if direction == Direction::Out { "out" } else { "in" };
    let (word, fields) = match op {
        KgOp::Search { mention, limit } => ("search", json!({"mention": mention, "limit": limit})),
        KgOp::Relations { entities, direction, limit } => {
            ("relations", json!({"entities": list(entities), "direction": way(*direction), "limit": limit}))
        }
        KgOp::Edges { entities, relation, direction, cap, offset, all_ranks } => (
            "edges",
            json!({"entities": list(entities), "relation": ids.inward(relation), "direction": way(*direction), "cap": cap,
                   "offset": offset, "all_ranks": all_ranks}),
        ),
        KgOp::Describe { ids: wanted } => ("describe", json!({"ids": list(wanted)})),
        KgOp::Link { entities } => {
            let entities: Vec<Value> = entities
                .iter()
                .map(|entity| json!({"id": ids.inward(&entity.id), "kg": entity.kg, "label": entity.label, "also": entity.also}))
                .collect();
            let kgs: Vec<Value> = ids.others.iter().map(|(name, space)| json!({"name": name, "ids": space_name(*space)})).collect();
            ("link", json!({"entities": entities, "kgs": kgs}))
        }
        KgOp::Aggregate { entities, what, cap } => {
            let mut what = what.clone();
            what.relation = ids.inward(&what.relation).into();
            what.by = what.by.map(|by| ids.inward(&by).into());
            for filter in &mut what.filters {
                filter.relation = ids.inward(&filter.relation).into();
                filter.value = ids.inward(&filter.value).to_owned();
            }
            ("aggregate", json!({"entities": list(entities), "what": what, "cap": cap}))
        }
    };
    let mut request = object(json!({"id": 0, "op": word}));
    request.extend(object(fields));
    (word, request)
}

/// A kind of ids, as the protocol calls it.
const fn space_name(space: IdSpace) -> &'static str {
    match space {
        IdSpace::Wikidata => "wikidata",
        IdSpace::MusicBrainz => "musicbrainz",
        IdSpace::Iri => "iri",
        IdSpace::Own => "own",
    }
}
