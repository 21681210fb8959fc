//! The operation `search`: entities by label and alias.

use super::apart;
use super::asker::Asker;
use super::describe::note;
use super::lookup::{Thing, Wanted, look_up};
use super::query;
use super::rank::{Fit, Hit, Matcher, fold, variants, with_any_marks};
use super::table::Table;
use super::term::Iri;
use super::vocabulary::{Model, id_order, is_short_id};
use crate::calls::{CallError, CallErrorKind, Candidate};
use crate::kg::wikidata::pages;
use std::collections::HashMap;
use std::sync::Arc;

/// Candidates that are ranked by their edges at most: a name that more things share says little.
const RANKED: usize = 300;
/// Names that a scan of all names brings at most.
const SCANNED: u64 = 300;

/// What is one of these is part of a schema, not a thing.
const SCHEMA: [&str; 5] = [
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#Property",
    "http://www.w3.org/2002/07/owl#ObjectProperty",
    "http://www.w3.org/2002/07/owl#DatatypeProperty",
    "http://www.w3.org/2002/07/owl#AnnotationProperty",
    "http://wikiba.se/ontology#Property",
];

/// Entities for `mention`, best first: the label exactly, an alias exactly, then names that begin with it or hold it;
/// among equals those with more edges, then the lower id.
///
/// # Errors
/// Those of the queries.
pub async fn search(asker: &mut Asker, mention: &str, limit: u32) -> Result<Vec<Candidate>, CallError> {
    let limit = limit as usize;
    let matcher = Matcher::new(mention);
    if matcher.folded().is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    if let Some(named) = by_id(asker, mention).await? {
        return Ok(vec![Candidate { entity: named.entity(asker), matched: None }]);
    }
    // The engine's own index holds the usual names only.
    let index = if asker.vocabulary.has_usual_names() { asker.transport.find(mention, RANKED) } else { None };
    let hits = match index {
        Some(hits) => hits,
        None => ask(asker, mention, &matcher).await?,
    };
    let mut ranked = grade(asker, &matcher, hits);
    ranked.truncate(RANKED);
    let found = weigh(asker, ranked).await?;
    let candidates = found.into_iter().take(limit).map(|(alias, hit, thing)| {
        let entity = thing.entity(asker);
        let matched = (alias && entity.label.as_deref() != Some(&hit.name)).then_some(hit.name);
        Candidate { entity, matched }
    });
    Ok(candidates.collect())
}

/// The hits with what the graph says of them, best first; without terms of a schema and pages of Wikidata, which are no
/// things. One request for all of them.
async fn weigh(asker: &mut Asker, ranked: Vec<(Fit, bool, Hit)>) -> Result<Vec<(bool, Hit, Thing)>, CallError> {
    let hits: Vec<(Iri, (Fit, bool, Hit))> = ranked.into_iter().filter_map(|hit| Some((Iri::new(&hit.2.iri)?, hit))).collect();
    let iris: Vec<Iri> = hits.iter().map(|(iri, _)| iri.clone()).collect();
    let kinds: Vec<Iri> = match asker.vocabulary.model {
        Model::Plain => SCHEMA.iter().filter_map(|kind| Iri::new(kind)).collect(),
        Model::Wikidata => pages::classes(),
    };
    let things = look_up(asker, &iris, Wanted { kinds: &kinds, counted: true }).await?;
    let mut weighed: Vec<_> = hits.into_iter().zip(things).filter(|(_, thing)| !thing.told).collect();
    weighed.sort_by_cached_key(|((iri, (fit, alias, _)), thing)| {
        let id = asker.vocabulary.entity_id(iri.as_str());
        let (class, number, _) = id_order(&id);
        (class_of(*fit), *alias, *fit, std::cmp::Reverse(thing.facts), class, number, iri.clone())
    });
    Ok(weighed.into_iter().map(|((_, (_, alias, hit)), thing)| (alias, hit, thing)).collect())
}

/// Whole names come before parts of names, whatever else there is to say.
fn class_of(fit: Fit) -> u8 {
    match fit {
        Fit::Same | Fit::Folded => 0,
        Fit::Variant => 1,
        Fit::Prefix | Fit::Phrase => 2,
        Fit::Words => 3,
    }
}

/// The best fit of each thing.
fn grade(asker: &Asker, matcher: &Matcher, hits: Vec<Hit>) -> Vec<(Fit, bool, Hit)> {
    let mut best: HashMap<String, (Fit, bool, Hit)> = HashMap::new();
    for hit in hits {
        if !asker.vocabulary.is_candidate(&hit.iri) {
            continue;
        }
        let Some(fit) = matcher.fit(&hit.name, &fold(&hit.name)) else { continue };
        let graded = (fit, hit.alias, hit);
        let key = |(fit, alias, hit): &(Fit, bool, Hit)| (class_of(*fit), *alias, *fit, hit.name.clone());
        match best.get(&graded.2.iri) {
            Some(known) if key(known) <= key(&graded) => {}
            _ => drop(best.insert(graded.2.iri.clone(), graded)),
        }
    }
    let mut all: Vec<_> = best.into_values().collect();
    all.sort_by(|(a_fit, a_alias, a), (b_fit, b_alias, b)| {
        (class_of(*a_fit), a_alias, a_fit, id_order(&a.iri)).cmp(&(class_of(*b_fit), b_alias, b_fit, id_order(&b.iri)))
    });
    all
}

/// By query: first the names exactly as they may be written, which every engine has an index for; only when that finds
/// nothing, a scan of all names.
async fn ask(asker: &mut Asker, mention: &str, matcher: &Matcher) -> Result<Vec<Hit>, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let exact = apart::named_exactly(asker, &spellings(mention)).await?;
    let hits = read(asker, &exact);
    if hits.iter().any(|hit| vocabulary.is_candidate(&hit.iri)) {
        return Ok(hits);
    }
    let written = variants(mention).into_iter().min_by_key(String::len).unwrap_or_default().to_lowercase();
    let words: Vec<String> = written.split_whitespace().map(str::to_owned).collect();
    let found = scan(asker, |predicates| query::names_with(&words, predicates, SCANNED)).await?;
    let core = matcher.folded().iter().min_by_key(|text| text.len());
    match core.and_then(|core| with_any_marks(core)) {
        Some(pattern) if found.is_empty() => scan(asker, |predicates| query::names_like(&pattern, predicates, SCANNED)).await,
        _ => Ok(found),
    }
}

/// The names that a query over all of them finds; nothing, with a remark, when the server cannot do that in time. One that
/// refuses it may still look through the names under one predicate after the other.
async fn scan(asker: &mut Asker, query: impl Fn(&[&str]) -> query::Query) -> Result<Vec<Hit>, CallError> {
    let predicates: Vec<&str> = asker.vocabulary.labels().iter().chain(asker.vocabulary.aliases()).copied().collect();
    let tables = match asker.rows(query(&predicates)).await {
        Err(error) if apart::is_refused(&error) => asker.rows_of_each(predicates.iter().map(|p| query(&[p])).collect()).await,
        table => vec![table],
    };
    let mut hits = Vec::new();
    for table in tables {
        match table {
            Ok(table) => {
                if table.rows.len() as u64 >= SCANNED {
                    asker.remark(format!("more than {SCANNED} names hold these words: only the shortest were ranked"));
                }
                hits.extend(read(asker, &table));
            }
            Err(error) if matches!(error.kind, CallErrorKind::TimedOut | CallErrorKind::TooCostly) => {
                asker.remark("nothing has exactly this name, and the server could not look through all names in time");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(hits)
}

fn read(asker: &Asker, table: &Table) -> Vec<Hit> {
    let aliases = asker.vocabulary.aliases();
    let cells = table.pick(["x", "p", "t"]);
    let hit = |[x, p, t]: [Option<&super::Term>; 3]| {
        let (iri, name) = (x?.iri()?, t?.text().to_owned());
        Some(Hit { iri: iri.as_str().to_owned(), name, alias: aliases.contains(&p?.text()) })
    };
    cells.filter_map(hit).collect()
}

/// The variants of a mention in the cases that names are written in.
fn spellings(mention: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in variants(mention) {
        let lower = text.to_lowercase();
        let title = lower.split(' ').map(capital).collect::<Vec<_>>().join(" ");
        for spelling in [text.clone(), lower.clone(), title, capital(&lower), without_marks(&text)] {
            if !spelling.is_empty() && !all.contains(&spelling) {
                all.push(spelling);
            }
        }
    }
    all
}

/// `text` with plain letters, its capitals kept where one letter stands for one.
fn without_marks(text: &str) -> String {
    let plain = |c: char| {
        let folded = fold(&c.to_string());
        if c.is_ascii() || folded.is_empty() {
            c.to_string()
        } else if c.is_uppercase() {
            capital(&folded)
        } else {
            folded
        }
    };
    text.chars().map(plain).collect()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A mention that is an id itself names its entity, or the one that it was merged into, if the graph knows it.
async fn by_id(asker: &mut Asker, mention: &str) -> Result<Option<Thing>, CallError> {
    let mention = mention.trim();
    let short = is_short_id(mention) && mention.starts_with('Q') && asker.vocabulary.model == Model::Wikidata;
    if !(short || mention.contains("://") || mention.starts_with('<')) {
        return Ok(None);
    }
    let Ok(iri) = asker.vocabulary.entity(mention) else { return Ok(None) };
    let thing = look_up(asker, &[iri], Wanted::default()).await?.pop().filter(|thing| thing.known);
    if let Some(thing) = &thing {
        note(asker, thing);
    }
    Ok(thing)
}

#[cfg(test)]
mod tests {
    use super::spellings;

    #[test]
    fn names_are_looked_up_in_several_spellings() {
        assert!(spellings("Beyoncé").iter().any(|s| s == "Beyonce"));
        let all = spellings("the dark knight");
        for wanted in ["the dark knight", "The Dark Knight", "The dark knight", "Dark Knight", "dark knight"] {
            assert!(all.iter().any(|s| s == wanted), "{wanted} in {all:?}");
        }
    }
}
