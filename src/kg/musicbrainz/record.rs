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
            if count.map_or(listed.len() >= LISTED, |count| count > listed.len() as u64) {
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
