//! Labels and descriptions, by the chain of languages.

use super::asker::Asker;
use super::lookup::{Thing, Wanted, look_up};
use super::query;
use super::table::Table;
use super::term::Iri;
use crate::calls::CallError;
use crate::graph::{Entity, EntityId};
use std::collections::HashMap;
use std::sync::Arc;

/// The label and description of things, by IRI.
#[derive(Debug, Default)]
pub struct Names {
    labels: HashMap<String, String>,
    descriptions: HashMap<String, String>,
}

impl Names {
    /// The label of the thing at `iri`.
    pub fn label(&self, iri: &str) -> Option<&str> {
        self.labels.get(iri).map(String::as_str)
    }

    /// The entity at `iri` with what is known of it.
    pub fn entity(&self, asker: &Asker, iri: &str) -> Entity {
        Entity {
            id: asker.vocabulary.entity_id(iri),
            kg: Arc::clone(&asker.kg),
            label: self.labels.get(iri).cloned(),
            description: self.descriptions.get(iri).cloned(),
            also: Vec::new(),
        }
    }
}

/// Keeps, for each thing, the best text: first by language, then by predicate, then by its own order.
fn best(tables: &[Table], text: &str, predicates: &[&str], rank: impl Fn(&str) -> usize) -> HashMap<String, String> {
    let mut found: HashMap<String, (usize, usize, String)> = HashMap::new();
    for [x, p, t] in tables.iter().flat_map(|table| table.pick(["x", "p", text])) {
        let (Some(x), Some(p), Some(t)) = (x, p, t) else { continue };
        let Some(place) = predicates.iter().position(|name| *name == p.text()) else { continue };
        if t.text().trim().is_empty() {
            continue;
        }
        let candidate = (rank(t.lang()), place, t.text().to_owned());
        match found.get(x.text()) {
            Some(known) if *known <= candidate => {}
            _ => drop(found.insert(x.text().to_owned(), candidate)),
        }
    }
    found.into_iter().map(|(x, (_, _, text))| (x, text)).collect()
}

/// Labels (and with `described` descriptions) of `things`; what has no text in a language of the chain gets a label in
/// any other.
///
/// # Errors
/// Those of the queries.
pub async fn names(asker: &mut Asker, things: &[Iri], described: bool) -> Result<Names, CallError> {
    if things.is_empty() {
        return Ok(Names::default());
    }
    let vocabulary = Arc::clone(&asker.vocabulary);
    let mut wanted = vocabulary.labels().to_vec();
    if described {
        wanted.extend(vocabulary.descriptions());
    }
    let tables = asker.rows_for(things, |chunk| query::texts(chunk, &wanted, &vocabulary, false)).await?;
    let rank = |lang: &str| vocabulary.languages.rank(lang);
    let mut labels = best(&tables, "t", vocabulary.labels(), rank);
    let descriptions = best(&tables, "t", vocabulary.descriptions(), rank);
    let missing: Vec<Iri> = things.iter().filter(|thing| !labels.contains_key(thing.as_str())).cloned().collect();
    if !missing.is_empty() {
        let tables = asker.rows_for(&missing, |chunk| query::texts(chunk, vocabulary.labels(), &vocabulary, true)).await?;
        labels.extend(best(&tables, "name", vocabulary.labels(), |_| 0));
    }
    Ok(Names { labels, descriptions })
}

/// The operation `describe`: one entity for each id, in order. What was merged into another is that other one, with the
/// old id in `also`; what the graph knows nothing about has no label. Both are noted.
///
/// # Errors
/// `Refused` for what is no id, else those of the queries.
pub async fn describe(asker: &mut Asker, ids: &[EntityId]) -> Result<Vec<Entity>, CallError> {
    let iris = ids.iter().map(|id| asker.vocabulary.entity(id)).collect::<Result<Vec<_>, _>>()?;
    let things = look_up(asker, &iris, Wanted::default()).await?;
    for thing in &things {
        note(asker, thing);
    }
    Ok(things.iter().map(|thing| thing.entity(asker)).collect())
}

/// Notes what people should know of a thing that was asked for by its id.
pub fn note(asker: &mut Asker, thing: &Thing) {
    let id = asker.vocabulary.entity_id(thing.iri.as_str());
    for old in &thing.merged {
        let old = asker.vocabulary.entity_id(old.as_str());
        asker.note(format!("{id}: {old} redirects here"));
    }
    if !thing.known {
        asker.note(format!("{} holds nothing about {id}", asker.transport.about()));
    }
}
