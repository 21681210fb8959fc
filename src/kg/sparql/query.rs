//! The queries, as text: standard SPARQL 1.1, each with the prefixes that it uses, so that no endpoint needs to know one.

use super::term::{Iri, literal};
use super::vocabulary::{PREFIXES, Vocabulary};
use std::fmt::Display;

/// Further prefixes of our queries, for what stands around statements in the Wikidata model.
pub const STATEMENT_PREFIXES: [(&str, &str); 3] = [
    ("ps", "http://www.wikidata.org/prop/statement/"),
    ("pq", "http://www.wikidata.org/prop/qualifier/"),
    ("wdno", "http://www.wikidata.org/prop/novalue/"),
];
/// At most so many terms in one VALUES block: longer lists are split, since servers limit the size of a query.
pub const VALUES_MAX: usize = 100;
/// Names that are looked for in one of several queries.
const NAMES: usize = 30;

/// A query on its way to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The text.
    pub text: String,
    /// The LIMIT it asks for, if any: a full page then is no sign that the server cut something.
    pub limit: Option<u64>,
}

impl Query {
    /// `body` with the prefixes that it may use. (A literal may look like one: a prefix too many does no harm.)
    pub(super) fn whole(body: &str) -> Self {
        let mut text = String::new();
        let known = PREFIXES.iter().chain(&STATEMENT_PREFIXES);
        for (prefix, namespace) in known.filter(|(prefix, _)| body.contains(&format!("{prefix}:"))) {
            text.push_str(&format!("PREFIX {prefix}: <{namespace}>\n"));
        }
        text.push_str(body);
        Self { text, limit: None }
    }

    pub(super) fn limited(body: &str, limit: u64) -> Self {
        Self { limit: Some(limit), ..Self::whole(&format!("{body} LIMIT {limit}")) }
    }

    /// A query that every engine answers at once: is there anything?
    #[must_use]
    pub fn ping() -> Self {
        Self::whole("ASK { ?s ?p ?o }")
    }
}

/// `VALUES ?var { ... }`.
pub(super) fn values<T: Display>(var: &str, terms: impl IntoIterator<Item = T>) -> String {
    let mut out = format!("VALUES ?{var} {{");
    for term in terms {
        out.push(' ');
        out.push_str(&term.to_string());
    }
    out.push_str(" }");
    out
}

fn predicates(names: &[&str]) -> String {
    values("p", names.iter().filter_map(|name| Iri::new(name)))
}

/// `?x ?p ?t` for each of these predicates, as alternatives. (A second VALUES for `?p` would read well, but engines
/// then look at every triple of every thing, or worse: 1.2 s instead of 0.02 s for 100 labels in Oxigraph.)
fn named(names: &[&str]) -> String {
    let known = names.iter().filter_map(|name| Iri::new(name));
    let parts: Vec<String> = known.map(|p| format!("{{ ?x {p} ?t . BIND({p} AS ?p) }}")).collect();
    parts.join(" UNION ")
}

/// Does the graph hold Wikidata's direct claims?
pub fn is_wikidata() -> Query {
    Query::whole(&format!("ASK {{ {{ {} }} UNION {{ {} }} }}", DECLARED, claimed()))
}

/// The same as two questions of which one is to be answered with yes.
pub fn is_wikidata_apart() -> [Query; 2] {
    [DECLARED.to_owned(), claimed()].map(|pattern| Query::whole(&format!("ASK {{ {pattern} }}")))
}

const DECLARED: &str = "?property wikibase:directClaim ?p";

fn claimed() -> String {
    let common = ["P31", "P279", "P17", "P106", "P27", "P57", "P131", "P577"].map(|p| format!("wdt:{p}"));
    format!("{} ?s ?p ?o", values("p", common))
}

/// Things with exactly one of these names (`?x ?p ?t`).
pub fn exact_names(names: &[String], vocabulary: &Vocabulary) -> Query {
    let all: Vec<&str> = vocabulary.labels().iter().chain(vocabulary.aliases()).copied().collect();
    let chain = vocabulary.languages.chain();
    let literals = names.iter().flat_map(|name| chain.iter().map(move |lang| literal(name, lang)));
    Query::whole(&format!("SELECT DISTINCT ?x ?p ?t WHERE {{ {} {} }}", values("t", literals), named(&all)))
}

/// The same in several queries: few names and one predicate in each.
pub fn exact_names_apart(names: &[String], vocabulary: &Vocabulary) -> Vec<Query> {
    let predicates = vocabulary.labels().iter().chain(vocabulary.aliases());
    let all: Vec<String> = names.iter().flat_map(|name| vocabulary.languages.chain().iter().map(|lang| literal(name, lang))).collect();
    predicates
        .flat_map(|p| {
            all.chunks(NAMES).map(|some| Query::whole(&format!("SELECT ?x ?p ?t WHERE {{ {} {} }}", values("t", some), named(&[*p]))))
        })
        .collect()
}

/// Things with a name under one of `predicates` that holds every one of `words` (`?x ?p ?t`), short names first. Reads every name: slow.
pub fn names_with(words: &[String], predicates: &[&str], limit: u64) -> Query {
    let tests: Vec<String> = words.iter().map(|word| format!("CONTAINS(LCASE(STR(?t)), {})", literal(word, ""))).collect();
    scan(&tests.join(" && "), predicates, limit)
}

/// Things with a name under one of `predicates` in which `pattern` matches in any case (`?x ?p ?t`), short names first. Reads every name: slow.
pub fn names_like(pattern: &str, predicates: &[&str], limit: u64) -> Query {
    scan(&format!("REGEX(STR(?t), {}, \"i\")", literal(pattern, "")), predicates, limit)
}

fn scan(test: &str, among: &[&str], limit: u64) -> Query {
    let head = format!("SELECT DISTINCT ?x ?p ?t (STRLEN(STR(?t)) AS ?long) WHERE {{ {} ?x ?p ?t .", predicates(among));
    Query::limited(&format!("{head} FILTER({test}) }} ORDER BY ?long ?x"), limit)
}
