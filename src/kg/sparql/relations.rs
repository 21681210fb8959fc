//! The operation `relations`: what leads away from entities, or to them.

use super::asker::Asker;
use super::describe::names;
use super::query;
use super::term::Iri;
use super::vocabulary::{Model, WIKIBASE, id_order};
use crate::calls::{CallError, CallErrorKind};
use crate::graph::{Direction, EntityId, Relation, RelationRef};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Edges that are looked at when counting all of them takes too long.
const BOUND: u64 = 20_000;

/// The relations of `entities` together in `direction`, by property number, at most `limit`.
///
/// # Errors
/// `Refused` for what is no id, else those of the queries.
pub async fn relations(asker: &mut Asker, entities: &[EntityId], direction: Direction, limit: u32) -> Result<Vec<Relation>, CallError> {
    let mut iris = entities.iter().map(|id| asker.vocabulary.entity(id)).collect::<Result<Vec<_>, _>>()?;
    iris.sort();
    iris.dedup();
    if iris.is_empty() {
        return Ok(Vec::new());
    }
    let (counts, bounded) = counts(asker, &iris, direction).await?;
    let vocabulary = Arc::clone(&asker.vocabulary);
    let mut found: Vec<(Iri, u64)> = counts.into_iter().filter(|(p, _)| vocabulary.is_offered(p.as_str(), direction)).collect();
    found.sort_by(|(a, _), (b, _)| {
        let (a, b) = (vocabulary.relation_id(a.as_str()), vocabulary.relation_id(b.as_str()));
        id_order(&a).cmp(&id_order(&b))
    });
    if found.len() > limit as usize {
        asker.remark(format!("first {limit} of {} relations", found.len()));
        found.truncate(limit as usize);
    }
    let properties: Vec<Iri> = found.iter().map(|(p, _)| vocabulary.relation_entity(p)).collect();
    let names = names(asker, &properties, false).await?;
    let types = property_types(asker, &properties).await?;
    let inverses = if direction == Direction::In { inverse_labels(asker, &properties).await? } else { HashMap::new() };
    Ok(found
        .into_iter()
        .zip(&properties)
        .map(|((predicate, count), property)| {
            let label = names.label(property.as_str()).map(str::to_owned);
            let label = label.or_else(|| (vocabulary.model == Model::Plain).then(|| predicate.local_name().to_owned()));
            let identifier = match types.get(property.as_str()) {
                Some(kind) => kind.strip_prefix(WIKIBASE) == Some("ExternalId"),
                None => vocabulary.model == Model::Wikidata && label.as_deref().is_some_and(names_an_id),
            };
            Relation {
                at: RelationRef { kg: Arc::clone(&asker.kg), id: vocabulary.relation_id(predicate.as_str()), direction },
                label,
                inverse_label: inverses.get(property.as_str()).cloned(),
                count: Some(count),
                count_is_bound: bounded,
                identifier,
            }
        })
        .collect())
}

/// How properties read in reverse: the label of the property that the graph calls their inverse, by IRI.
async fn inverse_labels(asker: &mut Asker, properties: &[Iri]) -> Result<HashMap<String, String>, CallError> {
    let model = asker.vocabulary.model;
    let tables = asker.rows_for(properties, |chunk| query::inverses(chunk, model)).await?;
    let cells = tables.iter().flat_map(|table| table.pick(["x", "inverse"]));
    let mut pairs: Vec<(String, Iri)> = cells.filter_map(|[x, inverse]| Some((x?.text().to_owned(), inverse?.iri()?))).collect();
    pairs.sort();
    pairs.dedup_by(|later, first| later.0 == first.0);
    let inverses: Vec<Iri> = pairs.iter().map(|(_, inverse)| inverse.clone()).collect();
    let names = names(asker, &inverses, false).await?;
    Ok(pairs.into_iter().filter_map(|(x, inverse)| Some((x, names.label(inverse.as_str())?.to_owned()))).collect())
}

/// Whether a label says that its values are identifiers: it holds the whole word "ID".
fn names_an_id(label: &str) -> bool {
    label.split(|c: char| !c.is_alphanumeric()).any(|word| word == "ID")
}

/// Predicates and counts; when the engine cannot count them all in time, those of the first edges as lower bounds.
async fn counts(asker: &mut Asker, iris: &[Iri], direction: Direction) -> Result<(BTreeMap<Iri, u64>, bool), CallError> {
    let whole = asker.rows_for(iris, |chunk| query::relation_counts(chunk, direction, None)).await;
    let (tables, bounded) = match whole {
        Err(error) if matches!(error.kind, CallErrorKind::TimedOut | CallErrorKind::Server) => {
            let tables = asker.rows_for(iris, |chunk| query::relation_counts(chunk, direction, Some(BOUND))).await.map_err(|_| error)?;
            asker.remark("the server could not count every edge: relations of the first ones, counts are lower bounds");
            (tables, true)
        }
        other => (other?, false),
    };
    let mut counts = BTreeMap::new();
    for [p, n] in tables.iter().flat_map(|table| table.pick(["p", "n"])) {
        if let Some(predicate) = p.and_then(super::Term::iri) {
            *counts.entry(predicate).or_insert(0) += n.and_then(super::Term::count).unwrap_or(0);
        }
    }
    Ok((counts, bounded))
}

/// The `wikibase:propertyType` of properties, by IRI.
async fn property_types(asker: &mut Asker, properties: &[Iri]) -> Result<HashMap<String, String>, CallError> {
    if asker.vocabulary.model == Model::Plain || properties.is_empty() {
        return Ok(HashMap::new());
    }
    let tables = asker.rows_for(properties, query::property_types).await?;
    let cells = tables.iter().flat_map(|table| table.pick(["x", "type"]));
    Ok(cells.filter_map(|[x, kind]| Some((x?.text().to_owned(), kind?.text().to_owned()))).collect())
}

#[cfg(test)]
mod tests {
    use super::names_an_id;

    #[test]
    fn an_identifier_is_a_whole_word() {
        assert!(names_an_id("IMDb ID"));
        assert!(names_an_id("ID of the film"));
        assert!(!names_an_id("IDEA prize"));
        assert!(!names_an_id("identity card"));
    }
}
