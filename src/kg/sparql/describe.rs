//! Labels and descriptions, by the chain of languages.

use super::apart;
use super::asker::Asker;
use super::best_text;
use super::lookup::{Thing, Wanted, look_up};
use super::table::Table;
use super::term::{Iri, Term};
use super::texts::Texts;
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

    /// Takes in the rows of `table` that name something (`?n ?label ?about`).
    pub fn read(&mut self, table: &Table) {
        for [thing, label, about] in table.pick(["n", "label", "about"]) {
            let Some(Term::Iri(thing)) = thing else { continue };
            for (cell, texts) in [(label, &mut self.labels), (about, &mut self.descriptions)] {
                if let Some(text) = best_text::text(cell) {
                    texts.insert(thing.clone(), text);
                }
            }
        }
    }

    /// Takes in what `more` knows.
    pub fn extend(&mut self, more: Self) {
        self.labels.extend(more.labels);
        self.descriptions.extend(more.descriptions);
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

impl From<Texts> for Names {
    fn from(texts: Texts) -> Self {
        let [labels, descriptions] =
            texts.into_pairs().map(|texts| texts.into_iter().map(|(iri, text)| (iri, best_text::shown(&text))).collect());
        Self { labels, descriptions }
    }
}

/// Labels (and with `described` descriptions) of `things`, by the chain of languages; what has no label in a language of
/// the chain gets one in any other.
///
/// # Errors
/// Those of the queries.
pub async fn names(asker: &mut Asker, things: &[Iri], described: bool) -> Result<Names, CallError> {
    let mut names = Names::default();
    let vocabulary = Arc::clone(&asker.vocabulary);
    match asker.rows_for(things, |chunk| best_text::names(chunk, &vocabulary, described)).await {
        Ok(tables) => tables.iter().for_each(|table| names.read(table)),
        Err(error) if apart::is_refused(&error) => names = apart::texts(asker, things, described).await.map_err(|_| error)?.into(),
        Err(error) => return Err(error),
    }
    Ok(names)
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
