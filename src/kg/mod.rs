//! The `KnowledgeGraph` interface and its kinds. A KG never calls a model.
//!
//! `spec` opens what the command line names; `sparql` holds the queries and readers that every kind shares; `rdf` is
//! the embedded engine, `endpoint` the one over HTTP; `demo` is compiled in.

mod absent;
mod applied;
pub mod cache;
pub mod demo;
pub mod endpoint;
pub mod exec;
pub mod http;
pub mod musicbrainz;
mod profile;
pub mod rdf;
pub mod sparql;
mod spec;
pub mod wikidata;

pub use absent::Absent;
pub use profile::{AuthKind, KgProfile};
pub use spec::{FORMS, KgSettings, KgSpec, Opened, SpecError, Status, open, open_all, open_with};

use crate::calls::{AskId, CallError, CallErrorKind, KgOp, KgReply, Waiting};
use crate::graph::KgName;
use futures_util::future::BoxFuture;

/// A knowledge graph: anything that can search, list relations and list edges can be explored.
pub trait KnowledgeGraph: Send + Sync {
    /// The short name that sessions and screens show.
    fn name(&self) -> &str;

    /// One line for the screen: where it is and what is in it.
    fn about(&self) -> String;

    /// Whether it can be used now; an error says what to do. Asked by the start page.
    fn check(&self) -> BoxFuture<'static, Result<String, CallError>>;

    /// Whether it follows a script that counts calls: its replies are not cached.
    fn is_scripted(&self) -> bool {
        false
    }

    /// Told, in order, every call that the journal holds, before a session goes on or a fork begins: doubles with a
    /// memory forget what they knew and take up where the journal is.
    fn prime(&self, _asked: &[(AskId, KgOp)]) {}

    /// What an id of this KG means beyond it. Ids of space [`IdSpace::Own`] begin with the KG's name, so that equal ids of
    /// two open KGs always mean the same thing.
    fn id_space(&self) -> IdSpace {
        IdSpace::Own
    }

    /// Told once, before the first call, which other KGs are open: whose ids `Link` is to answer with.
    fn meet(&self, _others: &[(KgName, IdSpace)]) {}

    /// What the KG waits for right now, if it holds requests back: "asked to wait by ... (status 429)". For the screen.
    fn waiting(&self) -> Option<Waiting> {
        None
    }

    /// What a person should know before asking, one line each: lines of a file that were skipped, a file that breaks off.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Performs `op`. What must happen in the order of asks happens before the future is returned; `ask` is `None`
    /// for inquiries that belong to no session. Dropping the future cancels the call.
    fn perform(&self, ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>>;
}

/// What an id means beyond its KG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdSpace {
    /// Ids of Wikidata: `Q42`. The same in every KG of this space.
    Wikidata,
    /// MBIDs of MusicBrainz, whole UUIDs.
    MusicBrainz,
    /// Absolute IRIs.
    Iri,
    /// Nothing: the KG's own.
    Own,
}

/// The error of a KG that does not know an operation.
#[must_use]
pub(crate) fn cannot(kg: &str, op: &KgOp) -> CallError {
    CallError::new(CallErrorKind::Refused, format!("{kg} cannot answer `{}`", op.name()))
}

pub(crate) use crate::text::thousands;

/// A point in time as people read it, in Wikidata's precision (7 century, 8 decade, 9 year, 10 month, 11 day).
#[must_use]
pub fn date_text(iso: &str, precision: u8) -> String {
    sparql::Date::parse(iso).map_or_else(|| iso.to_owned(), |date| date.format(precision))
}
