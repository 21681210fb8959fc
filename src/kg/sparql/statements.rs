//! What the statements behind edges say: rank, qualifiers, and the precision, unit and bounds of values.

use super::asker::Asker;
use super::describe::Names;
use super::table::Table;
use super::term::{Iri, Term};
use super::values::{self, Detail};
use super::vocabulary::{WD, WIKIBASE, id_order, is_unknown};
use crate::graph::{Note, Qualifier, Rank};
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

const PSV: &str = "http://www.wikidata.org/prop/statement/value/";
const PQ: &str = "http://www.wikidata.org/prop/qualifier/";
const PQV: &str = "http://www.wikidata.org/prop/qualifier/value/";
const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
/// Classes of what has no value of a property.
pub const NO_VALUE: &str = "http://www.wikidata.org/prop/novalue/";
/// The unit of numbers without one, and the two calendars.
const NO_UNIT: &str = "http://www.wikidata.org/entity/Q199";
const JULIAN: &str = "http://www.wikidata.org/entity/Q1985786";

/// A value node.
#[derive(Clone, Debug, Default)]
struct Node {
    value: Option<String>,
    precision: Option<u8>,
    julian: bool,
    unit: Option<String>,
    bounds: [Option<String>; 2],
}

impl Node {
    fn read(&mut self, key: &str, value: &Term) {
        let text = value.text().to_owned();
        match key.strip_prefix(WIKIBASE) {
            Some("timeValue" | "quantityAmount") => self.value = Some(text),
            Some("timePrecision") => self.precision = text.parse().ok(),
            Some("timeCalendarModel") => self.julian = text == JULIAN,
            Some("quantityUnit") => self.unit = Some(text).filter(|unit| unit != NO_UNIT),
            Some("quantityLowerBound") => self.bounds[0] = Some(text),
            Some("quantityUpperBound") => self.bounds[1] = Some(text),
            _ => {}
        }
    }

    fn detail(&self, asker: &Asker, names: &Names) -> Detail {
        let unit = self.unit.as_deref();
        let unit = unit.map(|unit| names.label(unit).map_or_else(|| asker.vocabulary.entity_id(unit).to_string(), str::to_owned));
        let [lower, upper] = self.bounds.clone();
        Detail { precision: self.precision, julian: self.julian, unit, bounds: lower.zip(upper) }
    }
}

/// One statement.
#[derive(Debug, Default)]
struct Statement {
    rank: Rank,
    /// Qualifiers, by property; `None`: it is known that there is no value.
    qualifiers: Vec<(String, Option<Term>)>,
    /// Value nodes, by the property of the qualifier, or `None` for the value itself.
    nodes: IndexMap<(Option<String>, Term), Node>,
}

/// The statements behind edges, by the two ends.
#[derive(Debug, Default)]
pub struct Statements {
    of: HashMap<(String, Term), IndexMap<Term, Statement>>,
}

/// A fact as statements tell it: how its value reads, and what each of them says besides.
#[derive(Debug, Default)]
pub struct Told {
    /// How the value reads.
    pub detail: Detail,
    /// One note for each statement that says more.
    pub notes: Vec<Note>,
}

impl Statements {
    /// Takes in the rows of `table` that tell of statements (`?x ?y ?s ?m ?o ?k ?v`); those without `?x` are about `only`.
    pub fn read(&mut self, table: &Table, only: Option<&Iri>) {
        for [x, y, s, m, o, k, v] in table.pick(["x", "y", "s", "m", "o", "k", "v"]) {
            let (Some(y), Some(s), Some(m), Some(o)) = (y, s, m, o) else { continue };
            let Some(x) = x.map(Term::text).or_else(|| only.map(Iri::as_str)) else { continue };
            let of = self.of.entry((x.to_owned(), y.clone())).or_default();
            let statement = of.entry(s.clone()).or_default();
            let m = m.text();
            if let (Some(k), Some(v)) = (k, v) {
                let property = if m.starts_with(PSV) { None } else { m.strip_prefix(PQV).map(str::to_owned) };
                statement.nodes.entry((property, o.clone())).or_default().read(k.text(), v);
            } else if m.strip_prefix(WIKIBASE) == Some("rank") {
                statement.rank = match o.text().strip_prefix(WIKIBASE) {
                    Some("PreferredRank") => Rank::Preferred,
                    Some("DeprecatedRank") => Rank::Deprecated,
                    _ => Rank::Normal,
                };
            } else if m == RDF_TYPE {
                let none = o.text().strip_prefix(NO_VALUE).filter(|_| y != o);
                statement.add(none, None);
            } else if !m.starts_with(PQV) {
                statement.add(m.strip_prefix(PQ), Some(o));
            }
        }
    }

    /// Gives those unknown values among `ends` of `x` that have no statement the statements of unknown values that have no
    /// edge: engines may write the same unknown value twice. Which gets which makes no difference.
    pub fn pair_unknown(&mut self, x: &Iri, ends: &IndexSet<Term>) {
        let unknown = |term: &Term| matches!(term, Term::Blank(_)) || is_unknown(term.text());
        let key = |term: &Term| (x.as_str().to_owned(), term.clone());
        let mut alone: Vec<&Term> = ends.iter().filter(|term| unknown(term) && !self.of.contains_key(&key(term))).collect();
        let of_x = self.of.iter().filter(|((of, y), _)| of == x.as_str() && unknown(y) && !ends.contains(y));
        let mut free: Vec<(Rank, String, Term)> = of_x
            .flat_map(|((_, y), all)| all.iter().map(|(s, statement)| (statement.rank, s.text().to_owned(), y.clone())))
            .filter(|(rank, _, _)| *rank != Rank::Deprecated)
            .collect();
        alone.sort();
        free.sort();
        free.dedup_by(|a, b| a.2 == b.2);
        for (end, (_, _, y)) in alone.into_iter().zip(free) {
            if let Some(statements) = self.of.remove(&key(&y)) {
                self.of.insert(key(end), statements);
            }
        }
    }

    /// Takes in statements behind other edges.
    pub fn extend(&mut self, more: Self) {
        self.of.extend(more.of);
    }

    /// Things whose names notes and units are written with: properties and units.
    fn written_with(&self) -> IndexSet<Iri> {
        let mut things: IndexSet<Iri> = IndexSet::new();
        for statement in self.of.values().flat_map(IndexMap::values) {
            things.extend(statement.qualifiers.iter().filter_map(|(property, _)| Iri::join(WD, property)));
            things.extend(statement.nodes.values().filter_map(|node| Iri::new(node.unit.as_deref()?)));
        }
        things
    }

    /// All things that notes and units name, those that are values of qualifiers too.
    pub fn mentioned(&self) -> IndexSet<Iri> {
        let mut things = self.written_with();
        let statements = self.of.values().flat_map(IndexMap::values);
        things.extend(statements.flat_map(|statement| &statement.qualifiers).filter_map(|(_, value)| value.as_ref()?.iri()));
        things
    }

    /// Things that notes and units name but `names` does not.
    pub fn unnamed(&self, names: &Names) -> Vec<Iri> {
        let mut things: Vec<Iri> = self.written_with().into_iter().filter(|thing| names.label(thing.as_str()).is_none()).collect();
        things.sort();
        things
    }

    /// What is told of the edge between `x` and `y`: several facts where the same number stands in several units. With
    /// `all_ranks` each note tells its rank; else only the statements of the best rank speak.
    pub fn told(&self, asker: &Asker, names: &Names, x: &Iri, y: &Term, all_ranks: bool) -> Vec<Told> {
        let Some(of) = self.of.get(&(x.as_str().to_owned(), y.clone())) else { return vec![Told::default()] };
        let best = of.values().map(|statement| statement.rank).min().unwrap_or_default();
        let speaks = |statement: &&Statement| all_ranks || (statement.rank == best && best != Rank::Deprecated);
        let mut facts: Vec<(Option<String>, Detail, Vec<SortedNote>)> = Vec::new();
        for statement in of.values().filter(speaks) {
            let main = statement.nodes.iter().find(|((property, _), _)| property.is_none()).map(|(_, node)| node);
            let unit = main.and_then(|node| node.unit.clone());
            let detail = main.map(|node| node.detail(asker, names)).unwrap_or_default();
            let note = statement.note(asker, names, all_ranks);
            match facts.iter_mut().find(|(known, _, _)| *known == unit) {
                // Two statements may say the same date with different precision: the finer one holds for both.
                Some((_, known, notes)) => {
                    if (detail.precision, detail.bounds.is_some()) > (known.precision, known.bounds.is_some()) {
                        *known = detail;
                    }
                    notes.push(note);
                }
                None => facts.push((unit, detail, vec![note])),
            }
        }
        if facts.is_empty() {
            return vec![Told::default()];
        }
        facts.sort_by(|(a, _, _), (b, _, _)| a.cmp(b));
        facts
            .into_iter()
            .map(|(_, detail, mut notes)| {
                notes.sort();
                Told { detail, notes: worth_saying(notes.into_iter().map(|(_, note)| note).collect()) }
            })
            .collect()
    }
}

/// A note with what it is sorted by.
type SortedNote = (Vec<OrderKey>, Note);
/// What notes are sorted by: property number, then the value as a date or number, then as text.
type OrderKey = (u64, Vec<i64>, String);

/// Leaves out notes with nothing to say; but beside a deprecated statement, one that is not says just that.
fn worth_saying(notes: Vec<Note>) -> Vec<Note> {
    let deprecated = notes.iter().any(|note| note.rank == Rank::Deprecated);
    let silent = |note: &Note| note.qualifiers.is_empty() && note.rank == Rank::Normal;
    let mut kept: Vec<Note> = notes.into_iter().filter(|note| deprecated || !silent(note)).collect();
    kept.dedup_by(|a, b| silent(a) && silent(b));
    if kept.iter().all(silent) { Vec::new() } else { kept }
}

impl Statement {
    fn add(&mut self, property: Option<&str>, value: Option<&Term>) {
        let Some(property) = property else { return };
        let qualifier = (property.to_owned(), value.cloned());
        if !self.qualifiers.contains(&qualifier) {
            self.qualifiers.push(qualifier);
        }
    }

    fn note(&self, asker: &Asker, names: &Names, ranked: bool) -> SortedNote {
        let mut qualifiers: Vec<(OrderKey, Qualifier)> = self
            .qualifiers
            .iter()
            .map(|(property, value)| {
                let order = value.as_ref().map(values::order).unwrap_or_default();
                let qualifier = self.qualifier(asker, names, property, value.as_ref());
                ((id_order(property).1, order, qualifier.value.clone()), qualifier)
            })
            .collect();
        qualifiers.sort();
        let (keys, qualifiers): (Vec<OrderKey>, Vec<Qualifier>) = qualifiers.into_iter().unzip();
        let rank = if ranked { self.rank } else { Rank::Normal };
        let of_rank = (u64::from(rank == Rank::Normal) + 2 * u64::from(rank == Rank::Deprecated), Vec::new(), String::new());
        (std::iter::once(of_rank).chain(keys).collect(), Note { rank, qualifiers })
    }

    fn qualifier(&self, asker: &Asker, names: &Names, property: &str, value: Option<&Term>) -> Qualifier {
        let vocabulary = &asker.vocabulary;
        let label = names.label(&format!("{WD}{property}")).unwrap_or(property).to_owned();
        let entity = match value {
            Some(Term::Iri(iri)) if !is_unknown(iri) && (vocabulary.is_entity(iri) || names.label(iri).is_some()) => Some(iri),
            _ => None,
        };
        let text = match (entity, value) {
            (Some(iri), _) => names.label(iri).map_or_else(|| vocabulary.entity_id(iri).to_string(), str::to_owned),
            (None, Some(term)) => {
                let same = |node: &&Node| node.value.as_deref().map(values::key) == Some(values::key(term.text()));
                let nodes = self.nodes.iter().filter(|((of, _), _)| of.as_deref() == Some(property)).map(|(_, node)| node);
                let detail = nodes.into_iter().find(same).map(|node| node.detail(asker, names)).unwrap_or_default();
                values::literal(term, vocabulary.model, &detail).text
            }
            (None, None) => values::no_value().text,
        };
        Qualifier { relation: property.into(), label, value: text, entity: entity.map(|iri| vocabulary.entity_id(iri)) }
    }
}
