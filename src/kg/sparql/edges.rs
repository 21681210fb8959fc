//! The operation `edges`: the facts of entities over one relation, entity by entity.
//!
//! Few entities are asked in one query, each with a page of its own. Many are asked together first; those that have too
//! many edges for that get pages of their own after it.

use super::apart::is_refused;
use super::asker::Asker;
use super::describe::{Names, names};
use super::edge_query::{BOUND, Page};
use super::query::Query;
use super::relations::is_too_much;
use super::statements::{NO_VALUE, Statements, Told};
use super::table::Table;
use super::term::{Iri, Term};
use super::values;
use super::vocabulary::{Model, WD, WDT, id_order, is_unknown};
use crate::calls::{CallError, EdgeList};
use crate::graph::{Direction, Edge, EntityId, Object, Partial};
use indexmap::{IndexMap, IndexSet};
use std::cmp::Reverse;
use std::sync::Arc;

/// Edges asked for in one query at most: with their names and statements, below what servers cut at.
const ROWS: u64 = 1_000;
/// Entities with a page of their own in one query at most: engines take long to plan more.
const OF_EACH: u64 = 5;
/// Entities asked together in one query at most.
const OF_ALL: usize = 25;
/// Rows of value nodes that are asked for by themselves.
const VALUE_ROWS: u64 = 9_000;

/// Which edges are wanted.
pub struct Wanted<'a> {
    /// The relation: id or IRI.
    pub relation: &'a str,
    /// Its direction.
    pub direction: Direction,
    /// At most so many an entity.
    pub cap: u32,
    /// So many of each entity are skipped.
    pub offset: u32,
    /// Statements of every rank.
    pub all_ranks: bool,
}

/// The far ends of one entity on this page, and how many there are in all.
#[derive(Default)]
struct Ends {
    terms: IndexSet<Term>,
    /// The class of what has no value, where it is known that there is none (beside those of other ranks).
    none: Option<Term>,
    total: Option<u64>,
    more: bool,
}

/// What the queries found.
#[derive(Default)]
struct Found {
    ends: IndexMap<Iri, Ends>,
    names: Names,
    statements: Statements,
}

/// The edges of `entities`; what was cut is said.
///
/// # Errors
/// `Refused` for what is no id, else those of the queries.
pub async fn edges(asker: &mut Asker, entities: &[EntityId], wanted: &Wanted<'_>) -> Result<EdgeList, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let predicate = vocabulary.predicate(wanted.relation)?;
    let near = entities.iter().map(|id| vocabulary.entity(id)).collect::<Result<IndexSet<_>, _>>()?;
    let near: Vec<Iri> = near.into_iter().collect();
    let id = predicate.as_str().strip_prefix(WDT).filter(|id| vocabulary.model == Model::Wikidata && id.starts_with('P'));
    let page = Page {
        predicate: &predicate,
        property: id.filter(|_| vocabulary.is_entity(vocabulary.relation_entity(&predicate).as_str())),
        direction: wanted.direction,
        cap: u64::from(wanted.cap).clamp(1, ROWS),
        offset: u64::from(wanted.offset),
        all_ranks: wanted.all_ranks,
        vocabulary: &vocabulary,
    };
    let mut found = Found::default();
    found.ends.extend(near.iter().map(|iri| (iri.clone(), Ends::default())));
    let of_each = usize::try_from((ROWS / page.cap).clamp(1, OF_EACH)).unwrap_or(1);
    let left = if near.len() > of_each { ask_together(asker, &near, &page, &mut found).await? } else { near };
    ask_each(asker, &left, of_each, &page, &mut found).await?;
    for (x, ends) in &found.ends {
        found.statements.pair_unknown(x, &ends.terms);
    }
    let unnamed = found.statements.unnamed(&found.names);
    if !unnamed.is_empty() {
        found.names.extend(names(asker, &unnamed, false).await?);
    }
    Ok(build(asker, &found, &page))
}

/// Asks for the edges of many entities together; returns the entities that have too many for that.
async fn ask_together(asker: &mut Asker, near: &[Iri], page: &Page<'_>, found: &mut Found) -> Result<Vec<Iri>, CallError> {
    let queries = near.chunks(OF_ALL).map(|chunk| page.of_all(chunk, ROWS)).collect();
    let mut left = Vec::new();
    for (chunk, table) in near.chunks(OF_ALL).zip(asker.rows_of_each(queries).await) {
        match one_way_or_other(asker, table, || page.of_all_apart(chunk, ROWS), chunk, page).await {
            Ok(here) => {
                if here.far_ends() > ROWS {
                    left.extend_from_slice(chunk);
                    continue;
                }
                found.extend(here);
                for iri in chunk {
                    found.ends.entry(iri.clone()).or_default().cut(page);
                }
            }
            Err(error) if is_too_much(&error) => left.extend_from_slice(chunk),
            Err(error) => return Err(error),
        }
    }
    Ok(left)
}

/// Asks for a page of each entity. Where ordering, counting and reading the statements is too much for the engine, it is
/// asked for less.
async fn ask_each(asker: &mut Asker, near: &[Iri], of_each: usize, page: &Page<'_>, found: &mut Found) -> Result<(), CallError> {
    let queries = near.chunks(of_each).map(|chunk| page.of_each(chunk)).collect();
    for (chunk, table) in near.chunks(of_each).zip(asker.rows_of_each(queries).await) {
        match one_way_or_other(asker, table, || page.of_each_apart(chunk), chunk, page).await {
            Ok(here) => found.extend(here),
            Err(error) if is_too_much(&error) => ask_for_less(asker, chunk, page, found).await.map_err(|_| error)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What the whole query found; where the engine refuses that, what `apart` finds, and then the names.
async fn one_way_or_other(
    asker: &mut Asker,
    whole: Result<Table, CallError>,
    apart: impl FnOnce() -> Vec<Query>,
    near: &[Iri],
    page: &Page<'_>,
) -> Result<Found, CallError> {
    let mut here = Found::default();
    let refusal = match whole {
        Ok(table) => {
            here.read(&table, near, page);
            return Ok(here);
        }
        Err(error) if is_refused(&error) => error,
        Err(error) => return Err(error),
    };
    let Ok(tables) = asker.rows_of_all(apart()).await else { return Err(refusal) };
    for table in &tables {
        here.read(table, near, page);
    }
    if here.far_ends() <= ROWS {
        let far = here.ends.values().flat_map(|ends| ends.terms.iter().filter_map(Term::iri));
        let relation = page.vocabulary.relation_entity(page.predicate);
        let things: IndexSet<Iri> = near.iter().cloned().chain([relation]).chain(far).chain(here.statements.mentioned()).collect();
        here.names = names(asker, &things.into_iter().collect::<Vec<_>>(), true).await.map_err(|_| refusal)?;
    }
    Ok(here)
}

/// The edges in the engine's own order; then precision and units, if it can.
async fn ask_for_less(asker: &mut Asker, near: &[Iri], page: &Page<'_>, found: &mut Found) -> Result<(), CallError> {
    let table = asker.rows(page.bare(near)).await?;
    asker.remark("edges in the order of the server: it could not sort and count them in time");
    found.read(&table, near, page);
    for iri in near {
        found.ends.entry(iri.clone()).or_default().cut_bare(page);
    }
    let Some(property) = page.property else { return Ok(()) };
    if page.direction == Direction::Out {
        match asker.rows(page.value_nodes(near, property, VALUE_ROWS)).await {
            Ok(table) => found.statements.read(&table, None),
            Err(error) if is_too_much(&error) => {
                asker.remark("dates and numbers may lack precision and units: the server could not look them up")
            }
            Err(error) => return Err(error),
        }
    }
    asker.remark("qualifiers are missing: the server could not look them up in time");
    Ok(())
}

impl Found {
    fn far_ends(&self) -> u64 {
        self.ends.values().map(|ends| ends.terms.len() as u64).sum()
    }

    /// Takes in what was found of other entities.
    fn extend(&mut self, more: Self) {
        self.ends.extend(more.ends);
        self.names.extend(more.names);
        self.statements.extend(more.statements);
    }

    /// Takes in what was found of `near`.
    fn read(&mut self, table: &Table, near: &[Iri], page: &Page<'_>) {
        let only = if let [one] = near { Some(one) } else { None };
        for [x, y, s, n, all] in table.pick(["x", "y", "s", "n", "all"]) {
            let Some(x) = x.and_then(Term::iri).or_else(|| only.cloned()).filter(|_| n.is_none()) else { continue };
            let ends = self.ends.entry(x).or_default();
            match y {
                Some(y) if is_none(y) && (s.is_none() || page.all_ranks) => ends.none = Some(y.clone()),
                Some(y) if is_none(y) => {}
                Some(y) if s.is_none() => drop(ends.terms.insert(y.clone())),
                _ => {}
            }
            if let Some(n) = all.and_then(Term::count) {
                ends.total = Some(n).filter(|n| *n <= BOUND);
                ends.more = n > BOUND;
            }
        }
        self.names.read(table);
        self.statements.read(table, only);
    }
}

/// Whether `term` is the class of what has no value.
fn is_none(term: &Term) -> bool {
    matches!(term, Term::Iri(iri) if iri.starts_with(NO_VALUE))
}

impl Ends {
    /// Keeps this page of all far ends, in the order in which an engine pages.
    fn cut(&mut self, page: &Page<'_>) {
        self.total = Some(self.terms.len() as u64);
        let mut terms: Vec<Term> = self.terms.drain(..).collect();
        terms.sort_by_cached_key(|term| (Reverse(matches!(term, Term::Iri(_))), term.text().chars().count(), term.text().to_owned()));
        let skip = usize::try_from(page.offset).unwrap_or(usize::MAX);
        self.terms = terms.into_iter().skip(skip).take(usize::try_from(page.cap).unwrap_or(usize::MAX)).collect();
    }

    /// Keeps this page of one that was asked for with one far end more.
    fn cut_bare(&mut self, page: &Page<'_>) {
        let here = self.terms.len() as u64;
        self.more = here > page.cap;
        self.total = Some(page.offset + here).filter(|_| !self.more);
        self.terms.truncate(usize::try_from(page.cap).unwrap_or(usize::MAX));
    }

    /// Entities by number, then other IRIs, then values: the same order from every engine. That there is no value is said
    /// last, on the first page.
    fn sorted(&self, asker: &Asker, page: &Page<'_>) -> Vec<&Term> {
        let mut terms: Vec<&Term> = self.terms.iter().collect();
        terms.sort_by_cached_key(|term| {
            let id = asker.vocabulary.entity_id(term.text());
            let (class, number, _) = match term {
                Term::Iri(_) => id_order(&id),
                _ => (2, 0, ""),
            };
            (class, number, values::order(term), (*term).clone())
        });
        let room = page.offset == 0 && (terms.len() as u64) < page.cap;
        terms.extend(self.none.iter().filter(|_| room));
        terms
    }
}

fn build(asker: &Asker, found: &Found, page: &Page<'_>) -> EdgeList {
    let vocabulary = &asker.vocabulary;
    let relation = vocabulary.relation_id(page.predicate.as_str());
    let label = found.names.label(vocabulary.relation_entity(page.predicate).as_str()).map(str::to_owned);
    let label = label.or_else(|| (vocabulary.model == Model::Plain).then(|| page.predicate.local_name().to_owned()));
    let mut list = EdgeList { relation_label: label, ..EdgeList::default() };
    let mut mentioned: IndexSet<&str> = IndexSet::new();
    for (iri, ends) in &found.ends {
        let near = vocabulary.entity_id(iri.as_str());
        for term in ends.sorted(asker, page) {
            mentioned.insert(iri.as_str());
            let far = entity(asker, found, page, term);
            mentioned.extend(far);
            for told in found.statements.told(asker, &found.names, iri, term, page.all_ranks) {
                let (s, o) = match (page.direction, far.map(|far| vocabulary.entity_id(far))) {
                    (Direction::Out, Some(far)) => (Arc::clone(&near), Object::Entity(far)),
                    (Direction::In, Some(far)) => (far, Object::Entity(Arc::clone(&near))),
                    (Direction::Out, None) => (Arc::clone(&near), Object::Literal(value(term, vocabulary.model, &told))),
                    (Direction::In, None) => continue,
                };
                list.edges.push(Edge { s, r: Arc::clone(&relation), o, kg: Arc::clone(&asker.kg), notes: told.notes });
            }
        }
        // With the pages before this one.
        let shown = page.offset + ends.terms.len() as u64;
        let (of, whole) = (ends.total, ends.total.is_some_and(|total| total <= shown));
        if !whole && (ends.more || of.is_some()) {
            list.partial.push(Partial { entity: near, relation: Arc::clone(&relation), direction: page.direction, shown, of });
        }
    }
    list.entities = mentioned.iter().map(|iri| found.names.entity(asker, iri)).collect();
    list
}

/// The entity that `term` is: what has an id or a label; in reverse, all that has a fact.
fn entity<'a>(asker: &Asker, found: &Found, page: &Page<'_>, term: &'a Term) -> Option<&'a str> {
    let Term::Iri(text) = term else { return None };
    if is_unknown(text) || is_none(term) || term.iri().is_none() {
        return None;
    }
    let lexeme = text.strip_prefix(WD).is_some_and(|local| local.starts_with('L'));
    let known = asker.vocabulary.is_entity(text) || lexeme || found.names.label(text).is_some();
    (known || page.direction == Direction::In).then_some(text.as_str())
}

fn value(term: &Term, model: Model, told: &Told) -> crate::graph::Literal {
    match term {
        _ if is_none(term) => values::no_value(),
        _ => values::literal(term, model, &told.detail),
    }
}
