//! The fields of a record that hold values or areas.

use super::describe;
use super::fact::{Fact, Far, Group, literal, qualifier};
use super::json;
use super::kinds::Kind;
use super::values;
use crate::graph::{Direction, KgName, Literal, LiteralKind, Note};
use serde_json::Value;

/// How a field is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A text, or a list of texts.
    Text,
    /// The same, and it identifies the entity elsewhere.
    Identifier,
    /// A date.
    Date,
    /// Milliseconds.
    Length,
    /// A number.
    Count,
    /// Said only when it is true.
    Truth,
    /// Latitude and longitude.
    Coordinates,
}

/// (field, label, shape), in the order in which they are offered. A dot leads into an object.
const FIELDS: &[(&str, &str, Shape)] = &[
    ("type", "type", Shape::Text),
    ("primary-type", "primary type", Shape::Text),
    ("secondary-types", "secondary type", Shape::Text),
    ("gender", "gender", Shape::Text),
    ("country", "country code", Shape::Text),
    ("life-span.begin", "begin date", Shape::Date),
    ("life-span.end", "end date", Shape::Date),
    ("date", "release date", Shape::Date),
    ("first-release-date", "first release date", Shape::Date),
    ("length", "length", Shape::Length),
    ("video", "is a video", Shape::Truth),
    ("status", "release status", Shape::Text),
    ("packaging", "packaging", Shape::Text),
    ("language", "language", Shape::Text),
    ("languages", "language", Shape::Text),
    ("text-representation.language", "language", Shape::Text),
    ("text-representation.script", "script", Shape::Text),
    ("time", "time", Shape::Text),
    ("cancelled", "was cancelled", Shape::Truth),
    ("setlist", "set list", Shape::Text),
    ("address", "address", Shape::Text),
    ("coordinates", "coordinates", Shape::Coordinates),
    ("description", "description", Shape::Text),
    ("barcode", "barcode", Shape::Identifier),
    ("asin", "ASIN", Shape::Identifier),
    ("isrcs", "ISRC", Shape::Identifier),
    ("iswcs", "ISWC", Shape::Identifier),
    ("ipis", "IPI code", Shape::Identifier),
    ("isnis", "ISNI code", Shape::Identifier),
    ("label-code", "label code", Shape::Identifier),
    ("iso-3166-1-codes", "ISO 3166-1 code", Shape::Identifier),
    ("iso-3166-2-codes", "ISO 3166-2 code", Shape::Identifier),
    ("iso-3166-3-codes", "ISO 3166-3 code", Shape::Identifier),
];

/// The facts that the fields of a record of `kind` hold.
pub fn facts(kind: Kind, record: &Value, kg: &KgName) -> Vec<Fact> {
    let mut facts = areas(kind, record, kg);
    for (path, label, shape) in FIELDS {
        // A work has its languages twice; the list is the whole of it.
        if *path == "language" && !json::list(record, "languages").is_empty() {
            continue;
        }
        let label = spoken(kind, path).unwrap_or(label);
        facts.extend(read(record, path, *shape).into_iter().map(|value| of_value(path, label, value, *shape == Shape::Identifier)));
    }
    if json::object(record, "life-span").is_some_and(|span| json::truth(span, "ended") && json::text(span, "end").is_none()) {
        facts.push(of_value("life-span.ended", "has ended", literal(LiteralKind::Text, "yes", "true"), false));
    }
    facts.extend(media(record));
    facts.extend(json::list(record, "attributes").iter().filter_map(attribute));
    for info in json::list(record, "label-info") {
        let number = json::text(info, "catalog-number");
        facts
            .extend(number.map(|number| of_value("catalog-number", "catalogue number", literal(LiteralKind::Text, number, number), false)));
    }
    facts
}

/// What begin and end mean for people and companies.
const fn spoken(kind: Kind, path: &str) -> Option<&'static str> {
    if !matches!(kind, Kind::Artist | Kind::Label) {
        return None;
    }
    match path.as_bytes() {
        b"life-span.begin" => Some("born or founded"),
        b"life-span.end" => Some("died or dissolved"),
        b"begin-area" => Some("born or founded in"),
        b"end-area" => Some("died or dissolved in"),
        _ => None,
    }
}

/// Where it is from, where it began and ended, where a release came out.
fn areas(kind: Kind, record: &Value, kg: &KgName) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (field, old, label) in [("area", "area", "area"), ("begin-area", "begin_area", "begin area"), ("end-area", "end_area", "end area")]
    {
        let Some(area) = json::object(record, field).or_else(|| json::object(record, old)) else { continue };
        facts.extend(of_area(field, spoken(kind, field).unwrap_or(label), area, Note::default(), kg));
    }
    for event in json::list(record, "release-events") {
        let date = json::text(event, "date");
        let note = Note { qualifiers: date.map(|date| qualifier("date", "date", date)).into_iter().collect(), ..Note::default() };
        match json::object(event, "area") {
            Some(area) => facts.extend(of_area("release-events", "released in", area, note, kg)),
            None => facts.extend(date.map(|date| of_value("release-events", "released in", values::date(date), false))),
        }
    }
    facts
}

fn of_area(field: &str, label: &str, area: &Value, note: Note, kg: &KgName) -> Option<Fact> {
    let far = Far::Entity(Kind::Area, Box::new(describe::entity(Kind::Area, area, kg)?));
    Some(Fact { relation: field.into(), label: label.to_owned(), inverse: None, direction: Direction::Out, far, note, group: Group::Link })
}

fn of_value(field: &str, label: &str, value: Literal, identifier: bool) -> Fact {
    Fact {
        relation: field.into(),
        label: label.to_owned(),
        inverse: None,
        direction: Direction::Out,
        far: Far::Literal(value),
        note: Note::default(),
        group: if identifier { Group::Identifier } else { Group::Value },
    }
}

/// The values at `path`: none for null and for what has another shape.
fn read(record: &Value, path: &str, shape: Shape) -> Vec<Literal> {
    let (holder, key) = match path.split_once('.') {
        Some((object, key)) => match json::object(record, object) {
            Some(holder) => (holder, key),
            None => return Vec::new(),
        },
        None => (record, path),
    };
    let one = match shape {
        Shape::Text | Shape::Identifier => {
            let plain = |text: &str| literal(LiteralKind::Text, text, text);
            let listed = json::list(holder, key).iter().filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
            return json::shown(holder, key).map(|text| plain(&text)).into_iter().chain(listed.map(plain)).collect();
        }
        Shape::Date => json::text(holder, key).map(values::date),
        Shape::Length => json::number(holder, key).map(|ms| literal(LiteralKind::Quantity, &values::length(ms), &format!("{ms} ms"))),
        Shape::Count => json::number(holder, key).map(|n| literal(LiteralKind::Quantity, &n.to_string(), &n.to_string())),
        Shape::Truth => json::truth(holder, key).then(|| literal(LiteralKind::Text, "yes", "true")),
        Shape::Coordinates => json::object(holder, key).and_then(values::coordinates),
    };
    one.into_iter().collect()
}

/// The formats of a release's media, each once, and how many tracks they hold together.
fn media(record: &Value) -> Vec<Fact> {
    let media = json::list(record, "media");
    let mut facts: Vec<Fact> = Vec::new();
    for format in media.iter().filter_map(|medium| json::text(medium, "format")) {
        let fact = of_value("format", "medium format", literal(LiteralKind::Text, format, format), false);
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let counts: Vec<u64> = media.iter().filter_map(|medium| json::number(medium, "track-count")).collect();
    if !counts.is_empty() {
        let total = serde_json::json!({ "track-count": counts.iter().fold(0_u64, |sum, n| sum.saturating_add(*n)) });
        facts.extend(
            read(&total, "track-count", Shape::Count).into_iter().map(|count| of_value("track-count", "number of tracks", count, false)),
        );
    }
    facts
}

/// An attribute of a work: a key, a form, or its number at a collecting society (free text called "... ID").
fn attribute(attribute: &Value) -> Option<Fact> {
    let value = json::shown(attribute, "value")?;
    let name = json::text(attribute, "type").unwrap_or("attribute");
    let id = json::text(attribute, "type-id").unwrap_or(name);
    let identifier = json::text(attribute, "value-id").is_none() && name.ends_with(" ID");
    Some(of_value(id, name, literal(LiteralKind::Text, &value, &value), identifier))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(kind: Kind, record: &Value) -> Vec<String> {
        let text = |fact: &Fact| match &fact.far {
            Far::Literal(value) => format!("{}: {}", fact.label, value.text),
            Far::Entity(_, entity) => format!("{}: {} [{}]", fact.label, entity.name(), fact.note.text()),
        };
        facts(kind, record, &"musicbrainz".into()).iter().map(text).collect()
    }

    /// C04: nothing is made of null.
    #[test]
    fn a_record_of_nulls_has_no_facts() {
        let record = json!({"id": "33333333-3333-4333-8333-333333333333", "name": "Otter Hall", "type": null, "gender": null, "country": null,
            "area": null, "begin-area": null, "disambiguation": "", "life-span": {"begin": null, "end": null, "ended": null}, "relations": [],
            "isnis": null, "media": null, "label-info": [{"label": null, "catalog-number": null}], "attributes": null, "length": null});
        assert_eq!(shown(Kind::Artist, &record), Vec::<String>::new());
        assert_eq!(shown(Kind::Artist, &Value::Null), Vec::<String>::new());
    }

    /// C07: the type as sent, or nothing.
    #[test]
    fn a_type_that_nobody_knows_is_shown_as_sent() {
        assert_eq!(
            shown(Kind::Work, &json!({"type": "Hologram show", "type-id": "55555555-5555-4555-8555-555555555555"})),
            ["type: Hologram show"]
        );
        assert_eq!(shown(Kind::Work, &json!({"title": "Untyped"})), Vec::<String>::new());
    }

    #[test]
    fn values_are_whole_and_readable() {
        let release = json!({"date": "1973-03-24", "status": "Official", "barcode": "0123", "text-representation": {"language": "eng", "script": null},
            "release-events": [{"date": "1973-03", "area": {"id": "66666666-6666-4666-8666-666666666666", "name": "Norway"}}, {"date": "1974", "area": null}],
            "media": [{"format": "CD", "track-count": 10}, {"format": "CD", "track-count": 3}],
            "label-info": [{"label": null, "catalog-number": "HL 1"}]});
        assert_eq!(
            shown(Kind::Release, &release),
            [
                "released in: Norway [date 1973-03]",
                "released in: 1974",
                "release date: 24 March 1973",
                "release status: Official",
                "language: eng",
                "barcode: 0123",
                "medium format: CD",
                "number of tracks: 13",
                "catalogue number: HL 1"
            ]
        );
        let place = json!({"coordinates": {"latitude": 51.5, "longitude": -0.1}, "life-span": {"begin": "1931", "ended": true}, "address": "3 Quay"});
        assert_eq!(shown(Kind::Place, &place), ["begin date: 1931", "address: 3 Quay", "coordinates: 51.5, -0.1", "has ended: yes"]);
        let work = json!({"iswcs": ["T-1", ""], "language": "eng", "languages": ["eng"], "attributes": [{"type": "Key", "value": "C major", "value-id": "v"}, {"type": "ASCAP ID", "value": "7"}]});
        let work = facts(Kind::Work, &work, &"musicbrainz".into());
        let identifiers: Vec<&str> = work.iter().filter(|fact| fact.group == Group::Identifier).map(|fact| fact.label.as_str()).collect();
        assert_eq!(identifiers, ["ISWC", "ASCAP ID"]);
    }

    #[test]
    fn a_length_reads_as_minutes_and_keeps_what_was_sent() {
        let facts = facts(Kind::Recording, &json!({"length": 242_640, "video": false}), &"musicbrainz".into());
        assert_eq!(facts[0].far, Far::Literal(literal(LiteralKind::Quantity, "4:02", "242640 ms")));
        assert_eq!(facts.len(), 1);
    }
}
