//! Things by their ids: whether the graph knows them, what they were merged into, and what they are called.

use super::apart;
use super::asker::Asker;
use super::query::{Query, VALUES_MAX, values};
use super::term::{Iri, Term};
use super::texts::{self, Texts};
use super::vocabulary::{Model, Vocabulary, WD};
use crate::calls::CallError;
use crate::graph::Entity;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Merges that are followed, one after the other.
const MERGES: usize = 4;

/// What a graph knows of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// The thing itself: what the id was merged into, if it was.
    pub iri: Iri,
    /// The ids that were merged into it on the way, the asked one first.
    pub merged: Vec<Iri>,
    /// Whether the graph has any fact about it.
    pub known: bool,
    /// Whether it is one of the kinds that were to be told.
    pub told: bool,
    /// Its label.
    pub label: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// How many facts it is the subject of, where they were counted.
    pub facts: u64,
}

/// What is wanted beside texts and merges.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Instances of these classes are told.
    pub kinds: &'a [Iri],
    /// Count the facts: what is better known has more.
    pub counted: bool,
}

impl Thing {
    /// A thing of which nothing is known.
    pub fn unknown(iri: &Iri) -> Self {
        Self { iri: iri.clone(), merged: Vec::new(), known: false, told: false, label: None, description: None, facts: 0 }
    }

    /// As an entity of the asker's graph, with the merged ids.
    pub fn entity(&self, asker: &Asker) -> Entity {
        let id = |iri: &Iri| asker.vocabulary.entity_id(iri.as_str());
        Entity {
            id: id(&self.iri),
            kg: Arc::clone(&asker.kg),
            label: self.label.clone(),
            description: self.description.clone(),
            also: self.merged.iter().map(|old| (Arc::clone(&asker.kg), id(old))).collect(),
        }
    }
}

/// What the first look at some ids brought.
#[derive(Default)]
struct Seen {
    texts: Texts,
    known: HashSet<String>,
    told: HashSet<String>,
    merged: HashMap<String, Iri>,
    facts: HashMap<String, u64>,
}

/// What the graph knows of each of `iris`, in order. One request for all of them, one more for what some were merged
/// into.
///
/// # Errors
/// Those of the queries.
pub async fn look_up(asker: &mut Asker, iris: &[Iri], wanted: Wanted<'_>) -> Result<Vec<Thing>, CallError> {
    let mut seen = Seen::default();
    let mut asked: HashSet<Iri> = HashSet::new();
    for _ in 0..=MERGES {
        let targets = iris.iter().map(|iri| follow(&seen.merged, iri).0);
        let mut new: Vec<Iri> = Vec::new();
        for iri in targets {
            if asked.insert(iri.clone()) {
                new.push(iri);
            }
        }
        if new.is_empty() {
            break;
        }
        look(asker, &new, wanted, &mut seen).await?;
    }
    Ok(iris.iter().map(|iri| seen.thing(iri)).collect())
}

async fn look(asker: &mut Asker, iris: &[Iri], wanted: Wanted<'_>, seen: &mut Seen) -> Result<(), CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let tables = match asker.rows_for(iris, |chunk| about(chunk, wanted, &vocabulary)).await {
        Err(error) if apart::is_refused(&error) => {
            let queries = iris.chunks(VALUES_MAX).flat_map(|chunk| about_apart(chunk, wanted, &vocabulary)).collect();
            match (asker.rows_of_all(queries).await, apart::texts(asker, iris, true).await) {
                (Ok(tables), Ok(texts)) => {
                    seen.texts.extend(texts);
                    tables
                }
                _ => return Err(error),
            }
        }
        tables => tables?,
    };
    for table in &tables {
        seen.texts.read(table, &vocabulary);
        for [x, to, kind, known, n] in table.pick(["x", "to", "kind", "known", "n"]) {
            let Some(x) = x.map(Term::text) else { continue };
            if known.is_some() {
                seen.known.insert(x.to_owned());
            }
            if let Some(n) = n.and_then(Term::count) {
                seen.facts.insert(x.to_owned(), n);
            }
            if kind.is_some() {
                seen.told.insert(x.to_owned());
            }
            if let Some(to) = to.and_then(Term::iri) {
                // Of several, which no Wikibase has, the first in order: the same every time.
                let kept = seen.merged.entry(x.to_owned()).or_insert_with(|| to.clone());
                if to < *kept {
                    *kept = to;
                }
            }
        }
    }
    Ok(())
}

/// Where the merges lead from `iri`, and the ids on the way.
fn follow(merged: &HashMap<String, Iri>, iri: &Iri) -> (Iri, Vec<Iri>) {
    let (mut at, mut way) = (iri.clone(), Vec::new());
    while let Some(next) = merged.get(at.as_str()) {
        if way.len() == MERGES || way.contains(next) || *next == at {
            break;
        }
        way.push(std::mem::replace(&mut at, next.clone()));
    }
    (at, way)
}

impl Seen {
    fn thing(&self, iri: &Iri) -> Thing {
        let (iri, merged) = follow(&self.merged, iri);
        let (label, description) = (self.texts.label(iri.as_str()), self.texts.description(iri.as_str()));
        Thing {
            known: self.known.contains(iri.as_str()) || self.facts.contains_key(iri.as_str()) || label.is_some() || description.is_some(),
            facts: self.facts.get(iri.as_str()).copied().unwrap_or(0),
            told: self.told.contains(iri.as_str()),
            label: label.map(str::to_owned),
            description: description.map(str::to_owned),
            merged,
            iri,
        }
    }
}

/// What of a thing is read beside its texts: the variable, and the pattern that binds it.
fn facts(wanted: Wanted<'_>, vocabulary: &Vocabulary) -> Vec<(&'static str, String)> {
    let wikidata = vocabulary.model == Model::Wikidata;
    let mut facts = Vec::new();
    if wikidata {
        // An item that was merged into another has this one fact left. In other data `owl:sameAs` says no such thing.
        facts.push(("to", format!("?x owl:sameAs ?to . FILTER(STRSTARTS(STR(?to), \"{WD}\"))")));
    }
    if !wanted.kinds.is_empty() {
        let is = if wikidata { "wdt:P31" } else { "rdf:type" };
        let kinds: Vec<String> = wanted.kinds.iter().map(Iri::to_string).collect();
        facts.push(("kind", format!("?x {is} ?kind . FILTER(?kind IN ({}))", kinds.join(", "))));
    }
    facts
}

fn counted(all: &str) -> String {
    format!("SELECT ?x (COUNT(*) AS ?n) WHERE {{ {all} ?x ?a ?b . }} GROUP BY ?x")
}

/// What [`about`] asks for beside texts, in several queries.
fn about_apart(things: &[Iri], wanted: Wanted<'_>, vocabulary: &Vocabulary) -> Vec<Query> {
    let all = values("x", things);
    let facts = facts(wanted, vocabulary).into_iter().map(|(var, fact)| format!("SELECT ?x ?{var} WHERE {{ {all} {fact} }}"));
    let known = |fact: &str| format!("SELECT ?x (1 AS ?known) WHERE {{ {all} FILTER EXISTS {{ {fact} }} }}");
    let more = if wanted.counted { vec![counted(&all)] } else { vec![known("?x ?a ?b"), known("?c ?e ?x")] };
    facts.chain(more).map(|body| Query::whole(&body)).collect()
}

/// Texts of `things`, what they were merged into (`?to`), which of the kinds they are (`?kind`), whether there is any
/// fact about them (`?known`) and how many of those they are the subject of (`?n`).
fn about(things: &[Iri], wanted: Wanted<'_>, vocabulary: &Vocabulary) -> Query {
    let all = values("x", things);
    let more: String = facts(wanted, vocabulary).iter().map(|(_, fact)| format!(" OPTIONAL {{ {fact} }}")).collect();
    let known =
        format!("{{ SELECT ?x ?known WHERE {{ {all} FILTER EXISTS {{ {{ ?x ?a ?b }} UNION {{ ?c ?e ?x }} }} BIND(1 AS ?known) }} }}");
    let counted = format!("{{ {} }}", counted(&all));
    Query::whole(&format!(
        "SELECT DISTINCT ?x {} ?to ?kind ?known ?n WHERE {{ {{ SELECT ?x {} ?to ?kind WHERE {{ {all} {}{more} }} }} UNION {} }}",
        texts::COLUMNS,
        texts::COLUMNS,
        texts::patterns(vocabulary),
        if wanted.counted { &counted } else { &known },
    ))
}
