//! The operation `relations`: what leads away from entities, and to them.
//!
//! Counting is bounded: so many edges a direction are looked at. Of entities with more, a second query lists every
//! relation, since a hub's first edges may all be of one.

use super::apart;
use super::asker::Asker;
use super::best_text;
use super::describe::names;
use super::query::VALUES_MAX;
use super::relation_query::{self as query, NO_VALUE, way};
use super::table::Table;
use super::term::{Iri, Term};
use super::vocabulary::{Model, Vocabulary, WIKIBASE, id_order};
use crate::calls::{CallError, CallErrorKind, WireNote};
use crate::graph::{Direction, EntityId, Relation, RelationRef};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Edges that are looked at, a direction.
const BOUND: u64 = 20_000;
/// The same, when the engine could not do that in time.
const SMALL_BOUND: u64 = 2_000;
/// Entities whose relations are listed one by one in one query.
const LISTED: usize = 10;
/// Different predicates of plain RDF that are listed.
const PREDICATES: u64 = 1_000;

/// The relations in one direction.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// The relations, by property number.
    pub relations: Vec<Relation>,
    /// What was left out.
    pub remarks: Vec<String>,
}

/// The relations in both directions, asked together.
#[derive(Debug)]
pub struct Both {
    /// Forward, then reverse.
    pub halves: [Half; 2],
    /// Whether the engine says that it cut something.
    pub partial: bool,
    /// What there is to say: what was cut, or why there is nothing.
    pub remarks: Vec<String>,
    /// What went over the wire.
    pub wire: Vec<WireNote>,
}

/// Whether asking for less may help.
pub const fn is_too_much(error: &CallError) -> bool {
    matches!(error.kind, CallErrorKind::TimedOut | CallErrorKind::TooCostly | CallErrorKind::Server)
}

/// What is known of one predicate.
#[derive(Default)]
struct Seen {
    count: Option<u64>,
    property: Option<String>,
    kind: Option<String>,
    label: Option<String>,
    inverse: Option<String>,
}

/// What is known of one predicate, before its labels are.
#[derive(Default)]
struct Known {
    property: Option<Iri>,
    kind: Option<String>,
    inverses: Vec<Iri>,
}

/// The predicates of one direction.
#[derive(Default)]
struct Found {
    seen: BTreeMap<Iri, Seen>,
    bounded: bool,
}

/// The relations of `entities` together in each of `directions`, at most `limit` a direction.
///
/// # Errors
/// `Refused` for what is no id, else those of the queries.
pub async fn find(asker: &mut Asker, entities: &[EntityId], directions: &[Direction], limit: u32) -> Result<Vec<Half>, CallError> {
    find_within(asker, entities, directions, limit, BOUND).await
}

/// The relations in one direction, with less counting when the engine cannot do it all.
///
/// # Errors
/// As [`find`].
pub async fn find_one(asker: &mut Asker, entities: &[EntityId], direction: Direction, limit: u32) -> Result<Half, CallError> {
    let found = match find_within(asker, entities, &[direction], limit, BOUND).await {
        Err(error) if is_too_much(&error) => {
            let found = find_within(asker, entities, &[direction], limit, SMALL_BOUND).await.map_err(|_| error)?;
            asker.remark("the server could not count every edge: relations of the first ones, counts are lower bounds");
            found.into_iter().map(|half| Half { relations: half.relations.into_iter().map(as_bound).collect(), ..half }).collect()
        }
        other => other?,
    };
    Ok(found.into_iter().next().unwrap_or_default())
}

fn as_bound(relation: Relation) -> Relation {
    Relation { count_is_bound: relation.count.is_some(), ..relation }
}

async fn find_within(
    asker: &mut Asker,
    entities: &[EntityId],
    directions: &[Direction],
    limit: u32,
    bound: u64,
) -> Result<Vec<Half>, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let mut iris = entities.iter().map(|id| vocabulary.entity(id)).collect::<Result<Vec<_>, _>>()?;
    iris.sort();
    iris.dedup();
    let (tables, mut unnamed) = match asker.rows_for(&iris, |chunk| query::counted(chunk, directions, &vocabulary, bound)).await {
        Err(error) if apart::is_refused(&error) => {
            let queries = iris.chunks(VALUES_MAX).flat_map(|chunk| query::counted_apart(chunk, directions, &vocabulary, bound)).collect();
            (asker.rows_of_all(queries).await.map_err(|_| error)?, true)
        }
        tables => (tables?, false),
    };
    let mut halves = Vec::new();
    for direction in directions {
        let mut found = Found::default();
        for table in &tables {
            found.read_counts(table, *direction, bound);
        }
        let mut remarks = Vec::new();
        if found.bounded {
            unnamed |= list_all(asker, &iris, *direction, &mut found, &mut remarks).await?;
        }
        halves.push((*direction, found, remarks));
    }
    if unnamed {
        name_apart(asker, &mut halves).await?;
    }
    name_the_unnamed(asker, &mut halves).await?;
    Ok(halves.into_iter().map(|(direction, found, remarks)| half(asker, direction, found, limit, remarks)).collect())
}

impl Found {
    fn read_counts(&mut self, table: &Table, direction: Direction, bound: u64) {
        let mut edges = 0;
        for [to, p, all, property, kind, label, inverse] in table.pick(["way", "p", "all", "property", "type", "label", "inverse"]) {
            let Some(to) = to.map(Term::text) else { continue };
            let without = to == NO_VALUE && direction == Direction::Out;
            if to != way(direction) && !without {
                continue;
            }
            let n = all.and_then(Term::count).unwrap_or(0);
            edges += if without { 0 } else { n };
            if let Some(seen) = self.read_about(p, property, kind, label, inverse) {
                *seen.count.get_or_insert(0) += n;
            }
        }
        self.bounded |= edges > bound;
    }

    fn read_about(
        &mut self,
        p: Option<&Term>,
        property: Option<&Term>,
        kind: Option<&Term>,
        label: Option<&Term>,
        inverse: Option<&Term>,
    ) -> Option<&mut Seen> {
        let seen = self.seen.entry(p?.iri()?).or_default();
        let text = |cell: Option<&Term>| cell.map(|term| term.text().to_owned());
        seen.property = seen.property.take().or_else(|| text(property));
        seen.kind = seen.kind.take().or_else(|| text(kind));
        seen.label = seen.label.take().or_else(|| best_text::text(label));
        seen.inverse = seen.inverse.take().or_else(|| best_text::text(inverse));
        Some(seen)
    }
}

/// Adds the relations that only edges beyond the bound have; whether they came without all that is known of them.
async fn list_all(
    asker: &mut Asker,
    iris: &[Iri],
    direction: Direction,
    found: &mut Found,
    remarks: &mut Vec<String>,
) -> Result<bool, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let queries =
        |described| iris.chunks(LISTED).map(|chunk| query::listed(chunk, direction, &vocabulary, PREDICATES, described)).collect();
    let mut tables = asker.rows_of_all(queries(true)).await;
    let apart = tables.as_ref().is_err_and(apart::is_refused);
    if apart {
        tables = asker.rows_of_all(queries(false)).await;
    }
    match tables {
        Ok(tables) => {
            for [p, property, kind, label, inverse] in tables.iter().flat_map(|t| t.pick(["p", "property", "type", "label", "inverse"])) {
                found.read_about(p, property, kind, label, inverse);
            }
        }
        Err(error) if is_too_much(&error) => remarks
            .push(format!("relations of the first {} edges: the server could not list those of the others", crate::kg::thousands(BOUND))),
        Err(error) => return Err(error),
    }
    Ok(apart)
}

/// What is known of the relations, asked for by themselves.
async fn name_apart(asker: &mut Asker, halves: &mut [(Direction, Found, Vec<String>)]) -> Result<(), CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let predicates: BTreeSet<Iri> = halves.iter().flat_map(|(_, found, _)| found.seen.keys().cloned()).collect();
    let predicates: Vec<Iri> = predicates.into_iter().collect();
    let queries = predicates.chunks(VALUES_MAX).flat_map(|chunk| query::about_apart(chunk, &vocabulary)).collect();
    let mut known: BTreeMap<Iri, Known> = BTreeMap::new();
    for table in asker.rows_of_all(queries).await? {
        for [p, property, kind, inverse] in table.pick(["p", "property", "type", "other"]) {
            let Some(p) = p.and_then(Term::iri) else { continue };
            let known = known.entry(p).or_default();
            known.property = known.property.take().or_else(|| property.and_then(Term::iri));
            known.kind = known.kind.take().or_else(|| kind.map(|term| term.text().to_owned()));
            known.inverses.extend(inverse.and_then(Term::iri));
        }
    }
    // In plain RDF the predicate itself is what has a label.
    let plain = vocabulary.model == Model::Plain;
    let named = predicates.iter().filter(|_| plain).chain(known.values().flat_map(|known| known.property.iter().chain(&known.inverses)));
    let named: BTreeSet<Iri> = named.cloned().collect();
    let nothing = Known::default();
    let texts = apart::texts(asker, &named.into_iter().collect::<Vec<_>>(), false).await?;
    for (p, seen) in halves.iter_mut().flat_map(|(_, found, _)| &mut found.seen) {
        let known = known.get(p).unwrap_or(&nothing);
        let named = if plain { Some(p) } else { known.property.as_ref() };
        let label = |text: Option<&str>| text.map(best_text::shown);
        seen.label = seen.label.take().or_else(|| label(texts.label(named?.as_str())));
        seen.inverse = seen.inverse.take().or_else(|| label(texts.best_label(known.inverses.iter().map(Iri::as_str))));
        seen.property = seen.property.take().or_else(|| known.property.as_ref().map(|property| property.as_str().to_owned()));
        seen.kind = seen.kind.take().or_else(|| known.kind.clone());
    }
    Ok(())
}

/// Labels of properties that the graph does not declare as such: asked for by name. Rare.
async fn name_the_unnamed(asker: &mut Asker, halves: &mut [(Direction, Found, Vec<String>)]) -> Result<(), CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    if vocabulary.model == Model::Plain {
        return Ok(());
    }
    let all = halves.iter().flat_map(|(_, found, _)| &found.seen);
    let unnamed = all.filter(|(p, seen)| seen.property.is_none() && vocabulary.is_relation(p.as_str()));
    let mut properties: Vec<Iri> = unnamed.map(|(p, _)| vocabulary.relation_entity(p)).collect();
    properties.sort();
    properties.dedup();
    let names = names(asker, &properties, false).await?;
    for (p, seen) in halves.iter_mut().flat_map(|(_, found, _)| &mut found.seen) {
        if seen.property.is_none() {
            seen.label = names.label(vocabulary.relation_entity(p).as_str()).map(str::to_owned);
        }
    }
    Ok(())
}

fn half(asker: &Asker, direction: Direction, found: Found, limit: u32, mut remarks: Vec<String>) -> Half {
    let vocabulary = &asker.vocabulary;
    let bounded = found.bounded;
    let mut seen: Vec<(Iri, Seen)> = found.seen.into_iter().filter(|(p, _)| vocabulary.is_offered(p.as_str(), direction)).collect();
    seen.sort_by(|(a, _), (b, _)| {
        let (a, b) = (vocabulary.relation_id(a.as_str()), vocabulary.relation_id(b.as_str()));
        id_order(&a).cmp(&id_order(&b))
    });
    let all = seen.into_iter().map(|(predicate, seen)| relation(asker, vocabulary, direction, &predicate, seen, bounded));
    // Identifiers are hidden later: they must not take the places of what is offered.
    let (mut identifiers, mut relations): (Vec<Relation>, Vec<Relation>) = all.partition(|relation| relation.identifier);
    if relations.len() > limit as usize {
        remarks.push(format!("first {limit} of {} relations", relations.len()));
        relations.truncate(limit as usize);
    }
    identifiers.truncate(limit as usize);
    relations.append(&mut identifiers);
    relations.sort_by(|a, b| id_order(&a.at.id).cmp(&id_order(&b.at.id)));
    Half { relations, remarks }
}

fn relation(asker: &Asker, vocabulary: &Vocabulary, direction: Direction, predicate: &Iri, seen: Seen, bounded: bool) -> Relation {
    let plain = vocabulary.model == Model::Plain;
    let label = seen.label.or_else(|| plain.then(|| predicate.local_name().to_owned()));
    let identifier = match &seen.kind {
        Some(kind) => kind.strip_prefix(WIKIBASE) == Some("ExternalId"),
        None => !plain && label.as_deref().is_some_and(names_an_id),
    };
    Relation {
        at: RelationRef { kg: Arc::clone(&asker.kg), id: vocabulary.relation_id(predicate.as_str()), direction },
        label,
        inverse_label: seen.inverse.filter(|_| direction == Direction::In),
        count: seen.count,
        count_is_bound: bounded && seen.count.is_some(),
        identifier,
    }
}

/// Whether a label says that its values are identifiers: it holds the whole word "ID".
fn names_an_id(label: &str) -> bool {
    label.split(|c: char| !c.is_alphanumeric()).any(|word| word == "ID")
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
