//! A `KnowledgeGraph` over any engine that runs SPARQL.

use super::asker::Asker;
use super::found::{self, Finder};
use super::link::{Ties, link};
use super::query::{self, Query};
use super::table::Results;
use super::vocabulary::{Languages, Model, Vocabulary};
use super::{Transport, describe, edges, relations, search};
use crate::calls::{AskId, CallError, CallErrorKind, KgData, KgOp, KgReply};
use crate::graph::KgName;
use crate::kg::{IdSpace, KnowledgeGraph, Waiting};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
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
    ties: Mutex<Ties>,
    finder: Option<Arc<dyn Finder>>,
}

impl SparqlGraph {
    /// The graph `name` behind `transport`, with labels in `languages`.
    pub fn new(name: &str, transport: Arc<dyn Transport>, languages: Languages) -> Self {
        Self::with(name, transport, languages, None)
    }

    /// The same with an index of names beside the engine. Such a graph has the shape of Wikidata.
    pub fn with_finder(name: &str, transport: Arc<dyn Transport>, languages: Languages, finder: Arc<dyn Finder>) -> Self {
        Self::with(name, transport, languages, Some(finder)).in_model(Model::Wikidata)
    }

    fn with(name: &str, transport: Arc<dyn Transport>, languages: Languages, finder: Option<Arc<dyn Finder>>) -> Self {
        let (vocabulary, ties) = (OnceCell::new(), Mutex::default());
        Self { inner: Arc::new(Inner { name: name.into(), transport, languages, vocabulary, ties, finder }) }
    }

    /// The graph in a shape that is known: nothing is asked to find it out.
    #[must_use]
    pub fn in_model(self, model: Model) -> Self {
        let vocabulary = Vocabulary::new(model, self.inner.languages.clone(), self.inner.transport.prefixes());
        // It is set already only when the graph was used before.
        let _ = self.inner.vocabulary.set(Arc::new(vocabulary));
        self
    }

    /// The graph with relations (id or IRI) whose values are ids of the KG that they are mapped to.
    #[must_use]
    pub fn linked_by(self, relations: &BTreeMap<String, String>) -> Self {
        let relations = relations.iter().map(|(relation, kg)| (relation.clone(), KgName::from(kg.as_str())));
        self.inner.ties().relations = relations.collect();
        self
    }

    /// Finds out the shape of the data now, for a graph that answers at once.
    ///
    /// # Errors
    /// Those of the query.
    pub async fn detect(&self) -> Result<Model, CallError> {
        Ok(self.inner.vocabulary().await?.model)
    }
}

impl Inner {
    fn ties(&self) -> std::sync::MutexGuard<'_, Ties> {
        self.ties.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
            KgOp::Search { mention, limit } => KgData::Candidates(match &self.finder {
                Some(finder) => found::search(&mut asker, &**finder, mention, *limit).await?,
                None => search::search(&mut asker, mention, *limit).await?,
            }),
            KgOp::Relations { entities, direction, limit } => {
                KgData::Relations(relations::relations(&mut asker, entities, *direction, *limit).await?)
            }
            KgOp::Edges { entities, relation, direction, cap, .. } => {
                KgData::Edges(edges::edges(&mut asker, entities, relation, *direction, *cap).await?)
            }
            KgOp::Describe { ids } => KgData::Entities(match &self.finder {
                Some(finder) => found::describe(&mut asker, &**finder, ids).await?,
                None => describe::describe(&mut asker, ids).await?,
            }),
            KgOp::Link { entities } => {
                let ties = self.ties().clone();
                KgData::Entities(link(&mut asker, entities, &ties).await?)
            }
            KgOp::Aggregate { .. } => return Err(crate::kg::cannot(&self.name, &op)),
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
        self.inner.transport.waiting().or_else(|| self.inner.finder.as_ref()?.waiting())
    }

    /// Before the first call, a graph that was not told its shape says [`IdSpace::Iri`].
    fn id_space(&self) -> IdSpace {
        match self.inner.vocabulary.get().map(|vocabulary| vocabulary.model) {
            Some(Model::Wikidata) => IdSpace::Wikidata,
            Some(Model::Plain) | None => IdSpace::Iri,
        }
    }

    fn meet(&self, others: &[(KgName, IdSpace)]) {
        self.inner.ties().others = others.to_vec();
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
