//! A `KnowledgeGraph` over any engine that runs SPARQL.

use super::asker::Asker;
use super::query::{self, Query};
use super::table::Results;
use super::vocabulary::{Languages, Model, Vocabulary};
use super::{Transport, aggregate, describe, edges, relations, search};
use crate::calls::{AskId, CallError, CallErrorKind, KgData, KgOp, KgReply};
use crate::kg::{KnowledgeGraph, Waiting};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A knowledge graph behind a [`Transport`]. Whether it has the shape of Wikidata or is plain RDF is found out at the
/// first call.
pub struct SparqlGraph {
    inner: Arc<Inner>,
}

struct Inner {
    name: Arc<str>,
    transport: Arc<dyn Transport>,
    languages: Languages,
    vocabulary: OnceCell<Arc<Vocabulary>>,
}

impl SparqlGraph {
    /// The graph `name` behind `transport`, with labels in `languages`.
    pub fn new(name: &str, transport: Arc<dyn Transport>, languages: Languages) -> Self {
        Self { inner: Arc::new(Inner { name: name.into(), transport, languages, vocabulary: OnceCell::new() }) }
    }
}

impl Inner {
    /// The shape of the data. Asked once; an error is not remembered.
    async fn vocabulary(&self) -> Result<Arc<Vocabulary>, CallError> {
        let detect = || async {
            let model = if truth(&*self.transport, query::is_wikidata()).await? { Model::Wikidata } else { Model::Plain };
            Ok(Arc::new(Vocabulary::new(model, self.languages.clone(), self.transport.prefixes())))
        };
        self.vocabulary.get_or_try_init(detect).await.cloned()
    }

    async fn perform(&self, op: KgOp) -> Result<KgReply, CallError> {
        let vocabulary = self.vocabulary().await?;
        let mut asker = Asker::new(Arc::clone(&self.transport), vocabulary, Arc::clone(&self.name));
        let data = match &op {
            KgOp::Search { mention, limit } => KgData::Candidates(search::search(&mut asker, mention, *limit).await?),
            KgOp::Relations { entities, direction, limit } => {
                KgData::Relations(relations::relations(&mut asker, entities, *direction, *limit).await?)
            }
            KgOp::Edges { entities, relation, direction, cap, .. } => {
                KgData::Edges(edges::edges(&mut asker, entities, relation, *direction, *cap).await?)
            }
            KgOp::Describe { ids } => KgData::Entities(describe::describe(&mut asker, ids).await?),
            // A graph of this kind knows no other: linking by identifiers is for graphs that name each other.
            KgOp::Link { .. } => KgData::Entities(Vec::new()),
            KgOp::Aggregate { entities, what, cap } => KgData::Aggregate(aggregate::aggregate(&mut asker, entities, what, *cap).await?),
        };
        Ok(asker.reply(data))
    }
}

async fn truth(transport: &dyn Transport, query: Query) -> Result<bool, CallError> {
    match transport.run(query).await?.results {
        Results::Truth(truth) => Ok(truth),
        Results::Rows(_) => {
            Err(CallError::new(CallErrorKind::BadReply, format!("{} answered rows to a yes-or-no question", transport.about())))
        }
    }
}

impl KnowledgeGraph for SparqlGraph {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn about(&self) -> String {
        self.inner.transport.about()
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.transport.waiting()
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            if !truth(&*inner.transport, Query::ping()).await? {
                return Err(CallError::new(
                    CallErrorKind::Refused,
                    format!("{} holds no facts: load some, or name a graph in the URL (?default-graph-uri=...)", inner.transport.about()),
                ));
            }
            let shape = match inner.vocabulary().await?.model {
                Model::Wikidata => "Wikidata's RDF model",
                Model::Plain => "plain RDF",
            };
            Ok(format!("{}, {shape}", inner.transport.about()))
        })
    }

    fn perform(&self, _ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { inner.perform(op).await })
    }
}
