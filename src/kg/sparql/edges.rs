//! The operation `edges`: the facts of entities over one relation, entity by entity.

use super::asker::Asker;
use super::describe::{Names, names};
use super::query;
use super::table::Table;
use super::term::{Iri, Term};
use super::values::{self, Detail};
use super::vocabulary::{Model, WD, id_order, is_unknown};
use crate::calls::{CallError, CallErrorKind, EdgeList};
use crate::graph::{Direction, Edge, EntityId, Object, Partial};
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;
use std::sync::Arc;

/// Rows asked for in one query at most: below what public servers cut at.
const PAGE: u64 = 2_000;

/// The far ends of one entity, and how many there are in all.
#[derive(Default)]
struct Ends {
    terms: Vec<Term>,
    total: Option<u64>,
}

/// The edges of `entities` over `relation`, at most `cap` an entity; what was cut is said.
///
/// # Errors
/// `Refused` for what is no id, else those of the queries.
pub async fn edges(
    asker: &mut Asker,
    entities: &[EntityId],
    relation: &str,
    direction: Direction,
    cap: u32,
) -> Result<EdgeList, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let predicate = vocabulary.predicate(relation)?;
    let near = entities.iter().map(|id| vocabulary.entity(id)).collect::<Result<IndexSet<_>, _>>()?;
    let cap = u64::from(cap).clamp(1, PAGE);
    let mut found = fetch(asker, &near, &predicate, direction, cap).await?;
    for ends in found.values_mut() {
        sort(asker, &mut ends.terms);
    }
    let details = details(asker, &found, &predicate, direction).await?;
    let names = name_all(asker, &found, &details, &predicate).await?;
    Ok(build(asker, &found, &details, &names, &predicate, direction))
}

/// Counts first, then all edges of entities below the cap together and of each one above it by itself.
async fn fetch(
    asker: &mut Asker,
    near: &IndexSet<Iri>,
    predicate: &Iri,
    direction: Direction,
    cap: u64,
) -> Result<IndexMap<Iri, Ends>, CallError> {
    let all: Vec<Iri> = near.iter().cloned().collect();
    let mut found: IndexMap<Iri, Ends> = all.iter().map(|iri| (iri.clone(), Ends::default())).collect();
    let counted = match asker.rows_for(&all, |chunk| query::edge_counts(chunk, predicate, direction)).await {
        Ok(tables) => Some(counts(&tables)),
        Err(error) if matches!(error.kind, CallErrorKind::TimedOut | CallErrorKind::Server) => None,
        Err(error) => return Err(error),
    };
    let (mut few, mut many): (Vec<Vec<Iri>>, Vec<Iri>) = (vec![Vec::new()], Vec::new());
    let mut rows = 0;
    for iri in all {
        let count = counted.as_ref().map(|counts| counts.get(iri.as_str()).copied().unwrap_or(0));
        found[&iri].total = count;
        match count {
            Some(0) => {}
            Some(n) if n <= cap => {
                rows += n;
                if rows > PAGE || few.last().is_some_and(|page| page.len() == query::VALUES_MAX) {
                    few.push(Vec::new());
                    rows = n;
                }
                few.last_mut().expect("there is always a last page").push(iri);
            }
            _ => many.push(iri),
        }
    }
    few.retain(|page| !page.is_empty());
    let mut queries: Vec<_> = few.iter().map(|page| query::edges_of_all(page, predicate, direction)).collect();
    queries.extend(many.iter().map(|iri| query::edges_of_one(iri, predicate, direction, cap + 1)));
    let tables = asker.rows_of_all(queries).await?;
    let (pages, singles) = tables.split_at(few.len());
    for [x, y] in pages.iter().flat_map(|table| table.pick(["x", "y"])) {
        if let (Some(x), Some(y)) = (x.and_then(Term::iri), y)
            && let Some(ends) = found.get_mut(&x)
        {
            ends.terms.push(y.clone());
        }
    }
    for (iri, table) in many.iter().zip(singles) {
        let ends = &mut found[iri];
        ends.terms = table.pick(["y"]).filter_map(|[y]| y.cloned()).collect();
        if ends.terms.len() as u64 <= cap && ends.total.is_none() {
            ends.total = Some(ends.terms.len() as u64);
        }
        ends.terms.truncate(usize::try_from(cap).unwrap_or(usize::MAX));
    }
    Ok(found)
}

fn counts(tables: &[Table]) -> HashMap<String, u64> {
    let cells = tables.iter().flat_map(|table| table.pick(["x", "n"]));
    cells.filter_map(|[x, n]| Some((x?.text().to_owned(), n?.count()?))).collect()
}

/// Entities by number, then other IRIs, then values: the same order from every engine.
fn sort(asker: &Asker, terms: &mut Vec<Term>) {
    terms.sort_by_cached_key(|term| {
        let id = asker.vocabulary.entity_id(term.text());
        let (class, number, _) = if matches!(term, Term::Iri(_)) { id_order(&id) } else { (2, 0, "") };
        (class, number, values::order(term), term.clone())
    });
    terms.dedup();
}

/// Precision and unit of each value (entity, value as text), from the statements behind the direct claims.
async fn details(
    asker: &mut Asker,
    found: &IndexMap<Iri, Ends>,
    predicate: &Iri,
    direction: Direction,
) -> Result<HashMap<(String, String), Detail>, CallError> {
    let property = asker.vocabulary.relation_id(predicate.as_str());
    let mut all = HashMap::new();
    if asker.vocabulary.model != Model::Wikidata || direction == Direction::In || !property.starts_with('P') {
        return Ok(all);
    }
    let with_values = found.iter().filter(|(_, ends)| ends.terms.iter().any(values::has_detail));
    let entities: Vec<Iri> = with_values.map(|(iri, _)| iri.clone()).collect();
    if entities.is_empty() {
        return Ok(all);
    }
    let tables = asker.rows_for(&entities, |chunk| query::value_nodes(chunk, &property)).await?;
    for [x, value, precision, unit] in tables.iter().flat_map(|t| t.pick(["x", "value", "precision", "unit"])) {
        let (Some(x), Some(value)) = (x, value) else { continue };
        let detail: &mut Detail = all.entry((x.text().to_owned(), values::key(value.text()))).or_default();
        // Two statements may say the same date with different precision: the finer one holds for both.
        let precision = precision.and_then(|p| p.text().parse().ok());
        detail.precision = detail.precision.max(precision);
        detail.unit = detail.unit.take().or_else(|| unit.map(|u| u.text().to_owned()));
    }
    Ok(all)
}

async fn name_all(
    asker: &mut Asker,
    found: &IndexMap<Iri, Ends>,
    details: &HashMap<(String, String), Detail>,
    predicate: &Iri,
) -> Result<Names, CallError> {
    let mut things: IndexSet<Iri> = found.keys().cloned().collect();
    things.insert(asker.vocabulary.relation_entity(predicate));
    for term in found.values().flat_map(|ends| &ends.terms) {
        things.extend(term.iri().filter(|iri| !is_unknown(iri.as_str())));
    }
    let mut units: Vec<Iri> = details.values().filter_map(|d| Iri::new(d.unit.as_deref()?)).collect();
    units.sort();
    things.extend(units);
    let things: Vec<Iri> = things.into_iter().collect();
    names(asker, &things, true).await
}

fn build(
    asker: &Asker,
    found: &IndexMap<Iri, Ends>,
    details: &HashMap<(String, String), Detail>,
    names: &Names,
    predicate: &Iri,
    direction: Direction,
) -> EdgeList {
    let vocabulary = &asker.vocabulary;
    let relation = vocabulary.relation_id(predicate.as_str());
    let property = vocabulary.relation_entity(predicate);
    let mut list = EdgeList { relation_label: names.label(property.as_str()).map(str::to_owned), ..EdgeList::default() };
    if list.relation_label.is_none() && vocabulary.model == Model::Plain {
        list.relation_label = Some(predicate.local_name().to_owned());
    }
    let mut mentioned: IndexSet<String> = IndexSet::new();
    for (iri, ends) in found {
        let near = vocabulary.entity_id(iri.as_str());
        for term in &ends.terms {
            let entity = match term {
                Term::Iri(text) if !is_unknown(text) && term.iri().is_some() => {
                    (vocabulary.is_entity(text) || names.label(text).is_some() || direction == Direction::In).then_some(text)
                }
                _ => None,
            };
            mentioned.insert(iri.as_str().to_owned());
            let edge = |s: EntityId, o: Object| Edge { s, r: Arc::clone(&relation), o, kg: Arc::clone(&asker.kg), notes: Vec::new() };
            if let Some(text) = entity {
                mentioned.insert(text.clone());
                let far = vocabulary.entity_id(text);
                let (s, o) = if direction == Direction::Out { (Arc::clone(&near), far) } else { (far, Arc::clone(&near)) };
                list.edges.push(edge(s, Object::Entity(o)));
            } else if direction == Direction::Out {
                let detail = details.get(&(iri.as_str().to_owned(), values::key(term.text()))).cloned().unwrap_or_default();
                let unit = detail.unit.as_deref().filter(|unit| *unit != format!("{WD}Q199"));
                let unit = unit.map(|unit| names.label(unit).map_or_else(|| vocabulary.entity_id(unit).to_string(), str::to_owned));
                let literal = values::literal(term, vocabulary.model, detail.precision, unit.as_deref());
                list.edges.push(edge(Arc::clone(&near), Object::Literal(literal)));
            }
        }
        let shown = ends.terms.len() as u64;
        if ends.total.is_none_or(|total| total > shown) {
            let of = ends.total;
            list.partial.push(Partial { entity: near, relation: Arc::clone(&relation), direction, shown, of });
        }
    }
    list.entities = mentioned.iter().map(|iri| names.entity(asker, iri)).collect();
    list
}
