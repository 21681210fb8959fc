//! Knowledge graphs that speak SPARQL 1.1: one set of queries and readers for every engine.
//!
//! A [`Transport`] runs a query (in process, or over HTTP); [`SparqlGraph`] makes a `KnowledgeGraph` of it, in the
//! Wikidata RDF model or for plain RDF. Only standard SPARQL is used, so that the same text runs everywhere.

mod aggregate;
mod apart;
mod asker;
mod best_text;
mod dates;
mod describe;
mod edge_query;
mod edges;
mod found;
mod graph;
mod identity;
mod link;
mod link_query;
mod lookup;
mod pair;
mod query;
mod rank;
mod relation_query;
mod relations;
mod results;
mod results_xml;
mod search;
mod statements;
mod table;
mod term;
mod texts;
mod values;
mod vocabulary;
mod wording;

pub use dates::Date;
pub use found::{Finder, Found, FoundEntity};
pub use graph::SparqlGraph;
pub use query::Query;
pub use rank::{Fit, Hit, Matcher, fold};
pub(in crate::kg) use rank::{variants, without_operators};
pub use results::{ReadError, read_results};
pub use table::{Answer, Results, Table};
pub use term::{Iri, Term, literal};
pub use vocabulary::{Languages, Model, Prefixes, RDFS_LABEL, Vocabulary, is_short_id, label_predicates};
pub use wording::{Wording, predicate};

use crate::calls::CallError;
use crate::calls::Waiting;
use futures_util::future::BoxFuture;

/// Runs queries.
pub trait Transport: Send + Sync + 'static {
    /// Runs `query`. Dropping the future cancels it.
    fn run(&self, query: Query) -> BoxFuture<'static, Result<Answer, CallError>>;

    /// Entities whose label or alias is like `mention`, where the engine has an index of its own: best first, at most
    /// `limit` and ties. `None` when it must be asked by query.
    fn find(&self, _mention: &str, _limit: usize) -> Option<Vec<Hit>> {
        None
    }

    /// Why requests are held back now, if they are.
    fn waiting(&self) -> Option<Waiting> {
        None
    }

    /// What a person should know before asking: lines of a file that were skipped. One line each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The prefixes that the data declare.
    fn prefixes(&self) -> Prefixes {
        Prefixes::default()
    }

    /// One line: where it is and what is in it.
    fn about(&self) -> String;
}
