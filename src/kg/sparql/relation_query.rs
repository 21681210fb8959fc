//! The queries for relations: both directions, counts, labels, types and inverse labels in one.

use super::best_text::{any_label, label_arms, least};
use super::query::{Query, values};
use super::term::{Iri, literal};
use super::vocabulary::{Model, Vocabulary, WDT};
use crate::graph::Direction;

/// What `?way` says of each direction, and of properties that an entity is known to have no value of.
pub const OUT: &str = "out";
/// See [`OUT`].
pub const IN: &str = "in";
/// See [`OUT`].
pub const NO_VALUE: &str = "none";

/// How `?way` calls a direction.
pub const fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Out => OUT,
        Direction::In => IN,
    }
}

/// What keeps `?p` to relations: all that is none would use up the bound.
fn only_relations(vocabulary: &Vocabulary) -> String {
    match vocabulary.model {
        Model::Wikidata => format!("FILTER(STRSTARTS(STR(?p), {}))", literal(WDT, "")),
        Model::Plain => {
            let hidden = vocabulary.labels().iter().chain(vocabulary.aliases()).chain(vocabulary.descriptions());
            let hidden: Vec<String> = hidden.filter_map(|p| Iri::new(p)).map(|p| p.to_string()).collect();
            format!("FILTER(?p NOT IN ({}))", hidden.join(", "))
        }
    }
}

fn pattern(direction: Direction) -> &'static str {
    match direction {
        Direction::Out => "?x ?p ?y .",
        Direction::In => "?y ?p ?x . FILTER(ISIRI(?y))",
    }
}

/// The number of edges of each relation, among the first `bound` and one more edges.
fn counted_in(entities: &[Iri], direction: Direction, vocabulary: &Vocabulary, bound: u64) -> String {
    format!(
        "SELECT ({} AS ?way) ?p (COUNT(*) AS ?all) WHERE {{ {{ SELECT DISTINCT ?x ?p ?y WHERE {{ {} {} {} }} LIMIT {} }} }} GROUP BY ?p",
        literal(way(direction), ""),
        values("x", entities),
        pattern(direction),
        only_relations(vocabulary),
        bound + 1
    )
}

/// Properties that entities are known to have no value of.
fn without_value(entities: &[Iri]) -> String {
    format!(
        "SELECT ({} AS ?way) ?p (COUNT(DISTINCT ?x) AS ?all) WHERE {{ {} ?x rdf:type ?none . ?q wikibase:novalue ?none . \
         ?q wikibase:directClaim ?p }} GROUP BY ?p",
        literal(NO_VALUE, ""),
        values("x", entities)
    )
}

/// What is known of `?p` itself: its property and type in the Wikidata model, the keys of its labels (`?lk`) and of those
/// of its inverse (`?ik`).
fn about(vocabulary: &Vocabulary) -> String {
    match vocabulary.model {
        Model::Wikidata => {
            let mut arms = label_arms("?property", vocabulary, "lk");
            arms.truncate(1);
            arms.push(format!("{{ ?property wdt:P1696 ?inverse . {} }}", any_label("?inverse", vocabulary, "ik")));
            format!(
                "?property wikibase:directClaim ?p . OPTIONAL {{ ?property wikibase:propertyType ?type }} OPTIONAL {{ {} }}",
                arms.join(" UNION ")
            )
        }
        Model::Plain => {
            let mut arms = label_arms("?p", vocabulary, "lk");
            for inverse in ["?p owl:inverseOf ?inverse .", "?inverse owl:inverseOf ?p ."] {
                arms.push(format!("{{ {inverse} {} }}", any_label("?inverse", vocabulary, "ik")));
            }
            arms.join(" UNION ")
        }
    }
}

/// Counts of the relations at `entities` in each of `directions` (`?way ?p ?all`).
fn counts(entities: &[Iri], directions: &[Direction], vocabulary: &Vocabulary, bound: u64) -> Vec<String> {
    let mut parts: Vec<String> = directions.iter().map(|d| counted_in(entities, *d, vocabulary, bound)).collect();
    if vocabulary.model == Model::Wikidata && directions.contains(&Direction::Out) {
        parts.push(without_value(entities));
    }
    parts
}

/// The relations at `entities` in `directions`, without what is known of them: several queries (`?way ?p ?all`).
pub fn counted_apart(entities: &[Iri], directions: &[Direction], vocabulary: &Vocabulary, bound: u64) -> Vec<Query> {
    counts(entities, directions, vocabulary, bound).iter().map(|part| Query::whole(part)).collect()
}

/// What is known of `predicates`, but for labels: several queries (`?p ?property`, `?p ?type`, and `?p ?other`: the inverse).
pub fn about_apart(predicates: &[Iri], vocabulary: &Vocabulary) -> Vec<Query> {
    let parts: &[(&str, &str)] = match vocabulary.model {
        Model::Wikidata => &[
            ("property", "?property wikibase:directClaim ?p ."),
            ("type", "?property wikibase:directClaim ?p . ?property wikibase:propertyType ?type ."),
            ("other", "?property wikibase:directClaim ?p . ?property wdt:P1696 ?other ."),
        ],
        Model::Plain => &[("other", "?p owl:inverseOf ?other ."), ("other", "?other owl:inverseOf ?p .")],
    };
    let block = values("p", predicates);
    parts.iter().map(|(var, pattern)| Query::whole(&format!("SELECT ?p ?{var} WHERE {{ {block} {pattern} }}"))).collect()
}

/// The relations at `entities` in `directions` (`?way ?p ?all ?property ?type ?label ?inverse`).
pub fn counted(entities: &[Iri], directions: &[Direction], vocabulary: &Vocabulary, bound: u64) -> Query {
    let parts = counts(entities, directions, vocabulary, bound);
    Query::whole(&format!(
        "SELECT ?way ?p ?all ?property ?type {} {} WHERE {{ {{ {{ {} }} }} OPTIONAL {{ {} }} }} GROUP BY ?way ?p ?all ?property ?type",
        least("lk", "label"),
        least("ik", "inverse"),
        parts.join(" } UNION { "),
        about(vocabulary)
    ))
}

/// All relations of entities with many edges, without counts (`?p ?property ?type ?label ?inverse`): which properties have
/// an edge at all in the Wikidata model, the first `limit` different predicates in plain RDF. Without `described`, `?p` alone.
pub fn listed(entities: &[Iri], direction: Direction, vocabulary: &Vocabulary, limit: u64, described: bool) -> Query {
    let all = match vocabulary.model {
        Model::Wikidata => {
            let exist: Vec<String> = entities
                .iter()
                .map(|x| match direction {
                    Direction::Out => format!("EXISTS {{ {x} ?p ?y }}"),
                    Direction::In => format!("EXISTS {{ ?y ?p {x} }}"),
                })
                .collect();
            format!("SELECT ?p WHERE {{ ?q wikibase:directClaim ?p . FILTER({}) }}", exist.join(" || "))
        }
        Model::Plain => format!(
            "SELECT DISTINCT ?p WHERE {{ {} {} {} }} LIMIT {limit}",
            values("x", entities),
            pattern(direction),
            only_relations(vocabulary)
        ),
    };
    if !described {
        return Query::whole(&all);
    }
    Query::whole(&format!(
        "SELECT ?p ?property ?type {} {} WHERE {{ {{ {all} }} OPTIONAL {{ {} }} }} GROUP BY ?p ?property ?type",
        least("lk", "label"),
        least("ik", "inverse"),
        about(vocabulary)
    ))
}
