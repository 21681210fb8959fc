//! What an engine refuses as a whole, asked for in simple parts: the same result in more requests.
//!
//! Virtuoso estimates what a query costs before it runs it, from samples of its data, and refuses what seems to take long.
//! The more parts a query has, the wilder is the estimate: the same query passes ten times and is then said to take hours.
//! A part has one pattern over things that are named in it, which leaves little to guess.

use super::asker::Asker;
use super::best_text;
use super::query::{Query, exact_names, exact_names_apart, values};
use super::table::Table;
use super::term::{Iri, literal};
use super::texts::Texts;
use crate::calls::{CallError, CallErrorKind};
use std::fmt::Display;
use std::sync::Arc;

/// Things whose names in every language are asked for in one query: Wikidata has hundreds.
const IN_ANY: usize = 20;

/// Whether an engine refused a query by its estimate.
pub fn is_refused(error: &CallError) -> bool {
    error.kind == CallErrorKind::TooCostly
}

/// Labels (and with `described` descriptions) of `things` by the chain of languages; what has no label in the chain gets
/// one in any other language.
///
/// # Errors
/// Those of the queries.
pub async fn texts(asker: &mut Asker, things: &[Iri], described: bool) -> Result<Texts, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let labels = best_text::labels(&vocabulary);
    let descriptions = vocabulary.descriptions().iter().filter_map(|p| Iri::new(p)).filter(|_| described);
    let predicates: Vec<Iri> = labels.iter().cloned().chain(descriptions).collect();
    let chain: Vec<String> = vocabulary.languages.chain().iter().map(|tag| literal(tag, "")).collect();
    let spoken = format!(" && LCASE(LANG(?t)) IN ({})", chain.join(", "));
    let mut texts = Texts::default();
    for table in asker.rows_for(things, |chunk| said(chunk, &predicates, &spoken)).await? {
        texts.read_said(&table, &labels, &vocabulary);
    }
    let unnamed: Vec<&Iri> = things.iter().filter(|thing| texts.label(thing.as_str()).is_none()).collect();
    let queries = unnamed.chunks(IN_ANY).map(|chunk| said(chunk.iter().copied(), &labels, "")).collect();
    for table in asker.rows_of_all(queries).await? {
        texts.read_said(&table, &labels, &vocabulary);
    }
    Ok(texts)
}

/// What `things` say under `predicates` (`?x ?p ?t`).
fn said<T: Display>(things: impl IntoIterator<Item = T>, predicates: &[Iri], test: &str) -> Query {
    let predicates: Vec<String> = predicates.iter().map(Iri::to_string).collect();
    let block = values("x", things);
    Query::whole(&format!("SELECT ?x ?p ?t WHERE {{ {block} ?x ?p ?t . FILTER(?p IN ({}){test}) }}", predicates.join(", ")))
}

/// The things that are called exactly as one of `names` (`?x ?p ?t`).
///
/// # Errors
/// Those of the queries.
pub async fn named_exactly(asker: &mut Asker, names: &[String]) -> Result<Table, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    match asker.rows(exact_names(names, &vocabulary)).await {
        Err(error) if is_refused(&error) => {
            let tables = asker.rows_of_all(exact_names_apart(names, &vocabulary)).await.map_err(|_| error)?;
            Ok(Table::together(["x", "p", "t"], &tables))
        }
        table => table,
    }
}
