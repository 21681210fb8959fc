//! The one query of the operation `link`.

use super::identity::{Identity, MUSICBRAINZ_PROPERTIES};
use super::query::{Query, values};
use super::term::{Iri, literal};
use super::texts;
use super::vocabulary::{Model, Vocabulary, WD, WDT};
use std::collections::{BTreeMap, BTreeSet};

/// Predicates by which plain RDF says that two IRIs are one thing.
const SAME_AS: [&str; 4] = [
    "http://www.w3.org/2002/07/owl#sameAs",
    "http://www.w3.org/2004/02/skos/core#exactMatch",
    "http://schema.org/sameAs",
    "https://schema.org/sameAs",
];
/// What stands for the predicate where an id is known here as it is.
pub const SAME: &str = "same id";
/// What stands before the predicate where `?x` was asked for, not `?y`.
pub const OWN: &str = "own ";

/// Ways that are looked along in one of several queries.
const WAYS: usize = 8;

/// Whether `predicate` says that two IRIs are one thing.
pub fn is_same_as(predicate: &str) -> bool {
    SAME_AS.contains(&predicate)
}

/// What one query looks for.
#[derive(Debug)]
pub struct Lookup {
    /// Own entities, whose ids elsewhere are wanted.
    pub own: BTreeSet<Iri>,
    /// Whether those include identifiers of MusicBrainz.
    identifiers: bool,
    /// Relations between KGs.
    relations: Vec<Iri>,
    /// Values that own entities may have under any of some predicates.
    pub values: BTreeMap<Vec<Iri>, BTreeSet<String>>,
    /// IRIs that own entities may be called the same as, or that may be called the same as an own entity.
    same_as: BTreeSet<Iri>,
    /// IRIs that may be own entities themselves.
    same: BTreeSet<Iri>,
    /// Own ids that may have been merged into others.
    merged: BTreeSet<Iri>,
}

impl Lookup {
    /// Looks for nothing yet.
    pub fn new(relations: Vec<Iri>, identifiers: bool) -> Self {
        Self {
            own: BTreeSet::new(),
            identifiers,
            relations,
            values: BTreeMap::new(),
            same_as: BTreeSet::new(),
            same: BTreeSet::new(),
            merged: BTreeSet::new(),
        }
    }

    /// Looks for the own entity that is `meant`.
    pub fn add(&mut self, meant: &Identity, model: Model) {
        match (model, meant) {
            (Model::Wikidata, Identity::Wikidata(id)) => {
                if let Some(iri) = Iri::join(WD, id) {
                    self.same.insert(iri.clone());
                    self.merged.insert(iri);
                }
            }
            // There, an MBID is the value of a property.
            (Model::Wikidata, Identity::MusicBrainz { .. }) => {}
            _ => {
                let iris = meant.iris();
                self.same.extend(iris.iter().cloned());
                self.same_as.extend(iris);
            }
        }
        if model == Model::Wikidata {
            let pairs = meant.values();
            let properties: Vec<Iri> = pairs.iter().filter_map(|(property, _)| Iri::join(WDT, property)).collect();
            if let Some((_, value)) = pairs.first() {
                self.values.entry(properties).or_default().insert((*value).to_owned());
            }
        }
    }
}

/// The query (`?x ?p ?y`, with the texts of `?x`): `?x` is an own entity, `?y` what it is the same as, by `?p`. `None`
/// when there is nothing to look for.
///
/// Each part is a query of its own inside: Virtuoso would mix up the values of `?x` and `?y` in different parts.
pub fn query(lookup: &Lookup, vocabulary: &Vocabulary) -> Option<Query> {
    let parts: Vec<String> = parts(lookup, vocabulary).iter().map(|(known, ways)| part(known, ways)).collect();
    (!parts.is_empty()).then(|| {
        Query::whole(&format!(
            "SELECT DISTINCT ?x ?p ?y {} WHERE {{ {{ SELECT DISTINCT ?x ?p ?y WHERE {{ {} }} }} {} }}",
            texts::COLUMNS,
            parts.join(" UNION "),
            texts::patterns(vocabulary)
        ))
    })
}

/// The same in several queries and without texts, for an engine that finds the one too much.
pub fn queries(lookup: &Lookup, vocabulary: &Vocabulary) -> Vec<Query> {
    let parts = parts(lookup, vocabulary);
    let queries = parts.iter().flat_map(|(known, ways)| ways.chunks(WAYS).map(move |ways| part(known, ways)));
    queries.map(|part| Query::whole(&format!("SELECT DISTINCT ?x ?p ?y WHERE {{ {part} }}"))).collect()
}

/// The things that a part begins with, and the ways that lead on from them.
type Part = (String, Vec<String>);

fn parts(lookup: &Lookup, vocabulary: &Vocabulary) -> Vec<Part> {
    let same_as: Vec<Iri> = SAME_AS.iter().filter_map(|p| Iri::new(p)).collect();
    let mut parts: Vec<Part> = Vec::new();
    if !lookup.own.is_empty() {
        let identifiers = MUSICBRAINZ_PROPERTIES.iter().filter(|_| lookup.identifiers).filter_map(|(p, _)| Iri::join(WDT, p));
        let outward: BTreeSet<Iri> = identifiers.chain(lookup.relations.iter().cloned()).chain(same_as.iter().cloned()).collect();
        let mut ways: Vec<String> = outward.iter().map(|p| format!("{{ ?x {p} ?y . BIND({} AS ?p) }}", own(p))).collect();
        // What says of an item of Wikidata that it is the same as another is a merge.
        if vocabulary.model == Model::Plain {
            ways.extend(same_as.iter().map(|p| format!("{{ ?y {p} ?x . BIND({} AS ?p) }}", own(p))));
        }
        parts.push((values("x", &lookup.own), ways));
    }
    for (predicates, known) in &lookup.values {
        let ways: Vec<String> = predicates.iter().map(forward).collect();
        parts.push((values("y", known.iter().flat_map(|value| terms(value))), ways));
    }
    if !lookup.same_as.is_empty() {
        let ways: Vec<String> = same_as.iter().flat_map(|p| [forward(p), backward(p)]).collect();
        parts.push((values("y", &lookup.same_as), ways));
    }
    if !lookup.merged.is_empty() {
        parts.push((values("y", &lookup.merged), same_as.iter().take(1).map(backward).collect()));
    }
    if !lookup.same.is_empty() {
        let only: Vec<String> = same_as.iter().map(Iri::to_string).collect();
        let other = format!("FILTER(?a NOT IN ({}))", only.join(", "));
        let known =
            format!("FILTER EXISTS {{ {{ ?y ?a ?b . {other} }} UNION {{ ?c ?a ?y . {other} }} }} BIND(?y AS ?x) BIND(\"{SAME}\" AS ?p)");
        parts.push((values("y", &lookup.same), vec![known]));
    }
    parts
}

fn part(known: &str, ways: &[String]) -> String {
    format!("{{ SELECT ?x ?p ?y WHERE {{ {known} {} }} }}", ways.join(" UNION "))
}

fn own(predicate: &Iri) -> String {
    literal(&format!("{OWN}{}", predicate.as_str()), "")
}

fn forward(predicate: &Iri) -> String {
    format!("{{ ?x {predicate} ?y . BIND({predicate} AS ?p) }}")
}

fn backward(predicate: &Iri) -> String {
    format!("{{ ?y {predicate} ?x . BIND({predicate} AS ?p) }}")
}

/// A value as it may stand in the data: as a text, a whole number or an IRI.
fn terms(value: &str) -> Vec<String> {
    let mut terms = vec![literal(value, "")];
    if !value.is_empty() && value.len() < 19 && value.bytes().all(|b| b.is_ascii_digit()) {
        terms.push(value.to_owned());
    }
    terms.extend(Iri::new(value).map(|iri| iri.to_string()));
    terms
}
