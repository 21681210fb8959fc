//! Relationships: the typed, directed links of the service.

use super::describe;
use super::fact::{Fact, Far, Group, literal, qualifier};
use super::json;
use super::kinds::Kind;
use super::phrases;
use crate::graph::{Direction, KgName, LiteralKind, Note, Qualifier};
use serde_json::Value;

/// The facts of the `relations` of a record, in the service's order.
pub fn facts(record: &Value, kg: &KgName) -> Vec<Fact> {
    json::list(record, "relations").iter().filter_map(|relation| fact(relation, kg)).collect()
}

/// The fact of one relationship; `None` when it has no far end.
fn fact(relation: &Value, kg: &KgName) -> Option<Fact> {
    let (kind, target) = target(relation)?;
    let name = json::text(relation, "type").unwrap_or("relationship");
    let id = json::text(relation, "type-id").unwrap_or(name);
    // The direction of a link to a page only says which kind comes first in the alphabet: the page is always the value.
    let is_page = kind == "url";
    let backward = json::text(relation, "direction").is_some_and(|direction| direction.eq_ignore_ascii_case("backward"));
    let direction = if backward && !is_page { Direction::In } else { Direction::Out };
    let far = if is_page {
        let resource = json::text(target, "resource")?;
        Far::Literal(literal(LiteralKind::Url, resource, resource))
    } else {
        match Kind::parse(kind).and_then(|kind| Some((kind, describe::entity(kind, target, kg)?))) {
            Some((kind, entity)) => Far::Entity(kind, Box::new(entity)),
            // A kind that cannot be looked up: its name is all there is to it.
            None => Far::Literal(literal(LiteralKind::Text, &describe::label(target)?, json::text(target, "id").unwrap_or_default())),
        }
    };
    let direction = if matches!(far, Far::Literal(_)) { Direction::Out } else { direction };
    let (label, inverse) = phrases::reading(id, name);
    let group = match (is_page, phrases::is_database(name)) {
        (true, true) => Group::Identifier,
        (true, false) => Group::Page,
        (false, _) => Group::Relationship,
    };
    Some(Fact { relation: id.into(), label, inverse, direction, far, note: note(relation, direction), group })
}

/// The kind and record of the far end. `target-type` has `_` where addresses have `-`; a record that lacks it is
/// recognised by the field that holds the far end.
fn target(relation: &Value) -> Option<(&str, &Value)> {
    if let Some(kind) = json::text(relation, "target-type") {
        let spellings = [kind.to_owned(), kind.replace('_', "-"), kind.replace('-', "_")];
        return spellings.iter().find_map(|key| json::object(relation, key)).map(|found| (kind, found));
    }
    let known = ["url", "release_group"].into_iter().chain(super::kinds::PROBED.into_iter().map(Kind::path));
    known.into_iter().find_map(|key| json::object(relation, key).map(|found| (key, found)))
}

/// Attributes, dates, credits. Dates stay as written, in the precision that the service vouches for.
fn note(relation: &Value, direction: Direction) -> Note {
    let mut qualifiers = attributes(relation);
    for key in ["begin", "end"] {
        qualifiers.extend(json::text(relation, key).map(|date| qualifier(key, key, date)));
    }
    if json::truth(relation, "ended") && json::text(relation, "end").is_none() {
        qualifiers.push(qualifier("ended", "ended", ""));
    }
    // The service calls the entity that was looked up the source. Here the subject is the same from both ends.
    let (subject, object) = match direction {
        Direction::Out => ("source-credit", "target-credit"),
        Direction::In => ("target-credit", "source-credit"),
    };
    qualifiers.extend(json::text(relation, subject).map(|name| qualifier("source-credit", "subject credited as", name)));
    qualifiers.extend(json::text(relation, object).map(|name| qualifier("target-credit", "object credited as", name)));
    qualifiers.extend(json::number(relation, "ordering-key").map(|place| qualifier("ordering-key", "place in order", &place.to_string())));
    Note { qualifiers, ..Note::default() }
}

/// `guitar`, `number 3`, `guitar family credited as acoustic guitar`.
fn attributes(relation: &Value) -> Vec<Qualifier> {
    let of = |table: &str, name: &str| relation.get(table).and_then(|table| json::shown(table, name));
    let mut names: Vec<&str> = json::list(relation, "attributes").iter().filter_map(Value::as_str).map(str::trim).collect();
    // A value whose attribute is not in the list is no less said.
    names.extend(relation.get("attribute-values").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str()));
    let mut seen: Vec<&str> = Vec::new();
    let mut qualifiers = Vec::new();
    for name in names {
        if name.is_empty() || seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let id = of("attribute-ids", name).unwrap_or_else(|| "attribute".to_owned());
        let credit = of("attribute-credits", name).map(|credit| format!("credited as {credit}"));
        let value: Vec<String> = of("attribute-values", name).into_iter().chain(credit).collect();
        qualifiers.push(qualifier(&id, name, &value.join(", ")));
    }
    qualifiers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Object;
    use serde_json::json;

    fn kg() -> KgName {
        "musicbrainz".into()
    }

    fn only(relation: Value) -> Fact {
        let facts = facts(&json!({ "relations": [relation] }), &kg());
        assert_eq!(facts.len(), 1);
        facts.into_iter().next().unwrap()
    }

    /// C05: the edge keeps its true direction, attributes and dates.
    #[test]
    fn a_backward_relationship_comes_from_its_source() {
        let fact = only(json!({"type": "member of band", "type-id": "5be4c609-9afa-4ea0-910b-12ffb71e3821", "direction": "backward",
            "target-type": "artist", "attributes": ["guitar"], "attribute-values": {}, "ended": true, "begin": "1994", "end": "2001-05",
            "artist": {"id": "44444444-4444-4444-8444-444444444444", "name": "Ida Berg", "sort-name": "Berg, Ida", "disambiguation": ""}}));
        assert_eq!((fact.direction, fact.inverse), (Direction::In, Some("has member")));
        let edge = fact.edge(&"77777777-7777-4777-8777-777777777777".into(), &kg());
        assert_eq!(&*edge.s, "44444444-4444-4444-8444-444444444444");
        assert_eq!(edge.o, Object::Entity("77777777-7777-4777-8777-777777777777".into()));
        assert_eq!(edge.notes[0].text(), "guitar, begin 1994, end 2001-05");
    }

    #[test]
    fn values_and_credits_of_attributes_are_kept() {
        let fact = only(json!({"type": "part of", "type-id": "707d947d-9563-328a-9a7d-0c5b9c3a9791", "direction": "forward",
            "target-type": "series", "series": {"id": "88888888-8888-4888-8888-888888888888", "name": "Quay Nights"},
            "attributes": ["number", "acoustic guitar"], "attribute-values": {"number": "3", "year": 1961},
            "attribute-credits": {"acoustic guitar": "old guitar"}, "attribute-ids": {"number": "a59c5830-5ec7-38fe-9a21-c7ea54f6650a"},
            "ended": true, "begin": null, "end": null, "ordering-key": 3}));
        assert_eq!(fact.note.text(), "number 3, acoustic guitar credited as old guitar, year 1961, ended, place in order 3");
        assert_eq!(&*fact.note.qualifiers[0].relation, "a59c5830-5ec7-38fe-9a21-c7ea54f6650a");
    }

    /// The service writes credits as seen from the record; the note must say the same from both ends.
    #[test]
    fn credits_belong_to_the_same_end_whichever_was_looked_up() {
        let from_target = only(json!({"type": "vocal", "direction": "backward", "target-type": "artist", "target-credit": "Frida",
            "source-credit": "", "artist": {"id": "44444444-4444-4444-8444-444444444444", "name": "Ida Berg"}}));
        let from_source = only(json!({"type": "vocal", "direction": "forward", "target-type": "recording", "source-credit": "Frida",
            "target-credit": "", "recording": {"id": "99999999-9999-4999-8999-999999999999", "title": "Low Tide"}}));
        assert_eq!(from_target.note.text(), "subject credited as Frida");
        assert_eq!(from_target.note, from_source.note);
    }

    #[test]
    fn a_page_is_a_value_in_either_direction() {
        for direction in ["forward", "backward"] {
            let fact = only(json!({"type": "wikidata", "type-id": "587fdd8f-080e-46a9-97af-6425ebbcb3a2", "direction": direction,
                "target-type": "url", "url": {"id": "x", "resource": "https://www.wikidata.org/wiki/Q42"}}));
            assert_eq!((fact.direction, fact.group), (Direction::Out, Group::Identifier));
            assert!(matches!(&fact.far, Far::Literal(l) if l.kind == LiteralKind::Url && l.text == "https://www.wikidata.org/wiki/Q42"));
        }
    }

    /// C07, for relationships: an unknown kind is kept by its name, a known one is found under every spelling.
    #[test]
    fn unknown_kinds_and_missing_fields_do_not_stop_the_rest() {
        let record = json!({"relations": [
            {"type": "shown at", "target-type": "hologram", "hologram": {"id": "h1", "name": "Blue Room"}},
            {"type": "single from", "target-type": "release_group", "release_group": {"id": "99999999-9999-4999-8999-999999999999", "title": "X"}},
            {"artist": {"id": "44444444-4444-4444-8444-444444444444", "name": null}},
            {"type": "empty", "target-type": "artist", "artist": null},
            null, 7
        ]});
        let facts = facts(&record, &kg());
        assert_eq!(facts.len(), 3);
        assert!(matches!(&facts[0].far, Far::Literal(l) if l.text == "Blue Room"));
        assert!(matches!(&facts[1].far, Far::Entity(Kind::ReleaseGroup, e) if e.label.as_deref() == Some("X")));
        assert!(matches!(&facts[2].far, Far::Entity(Kind::Artist, e) if e.label.is_none()) && facts[2].label == "relationship");
    }
}
