//! An entity that was looked up: what it is and all that its record says.

use super::fact::{Fact, Far};
use super::kinds::Kind;
use super::lists::{self, LISTED, LISTS, List};
use super::{describe, fields, json, relationships};
use crate::graph::{Direction, Entity, EntityId, KgName, LiteralKind};
use serde_json::Value;

/// What one lookup brought.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its kind.
    pub kind: Kind,
    /// The entity, with the id of the body; `also` has the id that was asked for when it was merged into this one.
    pub entity: Entity,
    /// Its facts: lists first, then relationships, then values. Lists may be cut (see `cut`).
    pub facts: Vec<Fact>,
    /// The lists of which the lookup shows the beginning only.
    pub cut: Vec<Cut>,
}

/// A list that is longer than what a lookup shows.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Which list.
    pub list: &'static List,
    /// How long it is, where the service says so.
    pub count: Option<u64>,
}

impl Record {
    /// Reads the answer to a lookup of `asked`, an entity of `kind`, for the KG called `kg`.
    #[must_use]
    pub fn read(kind: Kind, asked: &EntityId, body: &Value, kg: &KgName) -> Self {
        let nameless = || Entity { id: asked.clone(), kg: kg.clone(), label: describe::label(body), description: None, also: Vec::new() };
        let mut entity = describe::entity(kind, body, kg).unwrap_or_else(nameless);
        if entity.id != *asked {
            entity.also.push((kg.clone(), asked.clone()));
        }
        let mut facts = Vec::new();
        let mut cut = Vec::new();
        for list in LISTS.iter().filter(|list| list.owner == kind) {
            let listed = json::list(body, list.of.plural());
            facts.extend(list.facts(listed, kg));
            let count = json::number(body, &format!("{}-count", list.of.path()));
            if list.field.is_some() || count.map_or(listed.len() >= LISTED, |count| count > listed.len() as u64) {
                cut.push(Cut { list, count });
            }
        }
        facts.extend(lists::facts(kind, body, kg));
        facts.extend(relationships::facts(body, kg));
        facts.extend(fields::facts(kind, body, kg));
        Self { kind, entity, facts, cut }
    }

    /// The facts over one relation.
    pub fn over<'a>(&'a self, relation: &'a str, direction: Direction) -> Vec<&'a Fact> {
        self.facts.iter().filter(|fact| &*fact.relation == relation && fact.direction == direction).collect()
    }

    /// The list that is over `relation`, if the lookup shows only its beginning.
    #[must_use]
    pub fn cut(&self, relation: &str, direction: Direction) -> Option<Cut> {
        self.cut.iter().copied().find(|cut| cut.list.relation == relation && cut.list.direction == direction)
    }

    /// Its ids in Wikidata, from its links to pages there.
    #[must_use]
    pub fn wikidata(&self) -> Vec<EntityId> {
        let page = |fact: &Fact| match &fact.far {
            Far::Literal(value) if value.kind == LiteralKind::Url && fact.label == "wikidata" => wikidata_id(&value.text),
            _ => None,
        };
        let mut ids: Vec<EntityId> = self.facts.iter().filter_map(page).collect();
        ids.dedup();
        ids
    }

    /// The entities at the far ends of its facts.
    pub fn neighbours(&self) -> impl Iterator<Item = (Kind, &Entity)> {
        self.facts.iter().filter_map(|fact| match &fact.far {
            Far::Entity(kind, entity) => Some((*kind, &**entity)),
            Far::Literal(_) => None,
        })
    }
}

/// `Q42` of `https://www.wikidata.org/wiki/Q42`, `http://www.wikidata.org/entity/Q42` and the like.
#[must_use]
pub fn wikidata_id(url: &str) -> Option<EntityId> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let rest = rest.strip_prefix("www.").or_else(|| rest.strip_prefix("m.")).unwrap_or(rest).strip_prefix("wikidata.org/")?;
    let id = rest.strip_prefix("wiki/").or_else(|| rest.strip_prefix("entity/"))?;
    let id = id.split(['?', '#']).next().unwrap_or(id).trim_start_matches("Special:EntityPage/");
    is_qid(id).then(|| id.to_ascii_uppercase().into())
}

/// Whether `id` is one of an item of Wikidata.
#[must_use]
pub fn is_qid(id: &str) -> bool {
    let digits = id.strip_prefix(['Q', 'q']).unwrap_or_default();
    !digits.is_empty() && digits.len() <= 12 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ID: &str = "11111111-1111-4111-8111-111111111111";

    fn read(kind: Kind, body: &Value) -> Record {
        Record::read(kind, &ID.into(), body, &"musicbrainz".into())
    }

    #[test]
    fn a_page_of_an_item_is_known_in_every_spelling() {
        for url in [
            "https://www.wikidata.org/wiki/Q42",
            "http://www.wikidata.org/entity/Q42",
            "https://wikidata.org/wiki/q42#P31",
            "https://m.wikidata.org/wiki/Special:EntityPage/Q42",
        ] {
            assert_eq!(wikidata_id(url).as_deref(), Some("Q42"), "{url}");
        }
        for url in [
            "https://www.wikidata.org/wiki/Property:P434",
            "https://en.wikipedia.org/wiki/Q42",
            "https://www.wikidata.org/wiki/Q42/x",
            "Q42",
        ] {
            assert_eq!(wikidata_id(url), None, "{url}");
        }
    }

    /// C06: 25 entries, or a count beyond what is here, mean that the list goes on.
    #[test]
    fn a_list_of_25_may_go_on() {
        let groups =
            |n: usize| (0..n).map(|at| json!({"id": format!("22222222-2222-4222-8222-{at:012}"), "title": "x"})).collect::<Vec<_>>();
        let cut = |body: Value| read(Kind::Artist, &body).cut("release-groups", Direction::Out).map(|cut| cut.count);
        assert_eq!(cut(json!({"release-groups": groups(24)})), None);
        assert_eq!(cut(json!({"release-groups": groups(25)})), Some(None));
        assert_eq!(cut(json!({"release-groups": groups(25), "release-group-count": 25})), None);
        assert_eq!(cut(json!({"release-groups": groups(3), "release-group-count": 31})), Some(Some(31)));
    }

    /// Whatever stands in whatever place of a record, it is read without a panic, and never as "null".
    #[test]
    fn no_field_of_any_type_breaks_a_record() {
        let records = [
            (Kind::Artist, include_str!("../../../tests/data/musicbrainz/artist.json")),
            (Kind::Release, include_str!("../../../tests/data/musicbrainz/release.json")),
            (Kind::Recording, include_str!("../../../tests/data/musicbrainz/recording.json")),
            (Kind::ReleaseGroup, include_str!("../../../tests/data/musicbrainz/release-group.json")),
            (Kind::Work, include_str!("../../../tests/data/musicbrainz/work.json")),
            (Kind::Place, include_str!("../../../tests/data/musicbrainz/place.json")),
            (Kind::Event, include_str!("../../../tests/data/musicbrainz/event.json")),
        ];
        for (kind, text) in records {
            let whole: Value = serde_json::from_str(text).unwrap();
            let record = &whole[0];
            let mut places = Vec::new();
            pointers(record, String::new(), &mut places);
            assert!(places.len() > 10);
            for place in &places {
                for other in [Value::Null, json!(-7), json!(""), json!("?"), json!([null]), json!({}), json!(true)] {
                    let mut changed = record.clone();
                    *changed.pointer_mut(place).unwrap() = other;
                    let read = read(kind, &changed);
                    assert!(!format!("{read:?}").contains("null"), "{place}");
                }
            }
        }
    }

    /// Every place in `value`, as JSON pointers; of long lists the first members.
    fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| pointers(value, format!("{at}/{}", key.replace('/', "~1")), found))
            }
            Value::Array(members) => members.iter().take(3).enumerate().for_each(|(n, value)| pointers(value, format!("{at}/{n}"), found)),
            _ => {}
        }
        found.push(at);
    }
}
