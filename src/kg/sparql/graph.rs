//! A `KnowledgeGraph` over any engine that runs SPARQL.

use super::asker::Asker;
use super::found::{self, Finder};
use super::link::{Ties, link};
use super::pair::{Call, Outcome, Pairs};
use super::query::{self, Query};
use super::relations::{self, Both, Half};
use super::table::Results;
use super::vocabulary::{Languages, Model, Vocabulary};
use super::wording::Wording;
use super::{Transport, aggregate, apart, describe, edges, search};
use crate::calls::{AskId, CallError, CallErrorKind, KgData, KgOp, KgReply, Waiting};
use crate::graph::{Direction, EntityId, KgName};
use crate::kg::{IdSpace, KnowledgeGraph};
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
    wording: Wording,
    vocabulary: OnceCell<Arc<Vocabulary>>,
    pairs: Pairs,
    ties: Mutex<Ties>,
    finder: Option<Arc<dyn Finder>>,
}

impl SparqlGraph {
    /// The graph `name` behind `transport`, with labels in `languages`.
    pub fn new(name: &str, transport: Arc<dyn Transport>, languages: Languages) -> Self {
        Self::worded(name, transport, languages, Wording::default())
    }

    /// As [`SparqlGraph::new`], with what the configuration says about names and relations.
    pub fn worded(name: &str, transport: Arc<dyn Transport>, languages: Languages, wording: Wording) -> Self {
        Self::with(name, transport, languages, wording, None)
    }

    /// The same with an index of names beside the engine. Such a graph has the shape of Wikidata.
    pub fn with_finder(name: &str, transport: Arc<dyn Transport>, languages: Languages, wording: Wording, finder: Arc<dyn Finder>) -> Self {
        Self::with(name, transport, languages, wording, Some(finder)).in_model(Model::Wikidata)
    }

    fn with(name: &str, transport: Arc<dyn Transport>, languages: Languages, wording: Wording, finder: Option<Arc<dyn Finder>>) -> Self {
        let (vocabulary, pairs, ties) = (OnceCell::new(), Pairs::default(), Mutex::default());
        Self { inner: Arc::new(Inner { name: name.into(), transport, languages, wording, vocabulary, pairs, ties, finder }) }
    }

    /// The graph in a shape that is known: nothing is asked to find it out.
    #[must_use]
    pub fn in_model(self, model: Model) -> Self {
        let vocabulary = Vocabulary::new(model, self.inner.languages.clone(), self.inner.transport.prefixes());
        let vocabulary = vocabulary.with_wording(self.inner.wording.clone());
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
            let is_wikidata = match truth(&*self.transport, query::is_wikidata()).await {
                Err(error) if apart::is_refused(&error) => {
                    let [declared, claimed] = query::is_wikidata_apart();
                    truth(&*self.transport, declared).await? || truth(&*self.transport, claimed).await?
                }
                truth => truth?,
            };
            let model = if is_wikidata { Model::Wikidata } else { Model::Plain };
            Ok(Arc::new(Vocabulary::new(model, self.languages.clone(), self.transport.prefixes()).with_wording(self.wording.clone())))
        };
        self.vocabulary.get_or_try_init(detect).await.cloned()
    }

    async fn asker(&self) -> Result<Asker, CallError> {
        Ok(Asker::new(Arc::clone(&self.transport), self.vocabulary().await?, Arc::clone(&self.name)))
    }

    /// Relations in both directions.
    async fn both(&self, entities: &[EntityId], limit: u32) -> Outcome {
        let mut asker = self.asker().await?;
        let mut found = relations::find(&mut asker, entities, &[Direction::Out, Direction::In], limit).await?.into_iter();
        let halves = [found.next().unwrap_or_default(), found.next().unwrap_or_default()];
        if halves.iter().all(|half| half.relations.is_empty()) {
            found::why_nothing(&mut asker, self.finder.as_deref(), entities).await;
        }
        let reply = asker.reply(KgData::Relations(Vec::new()));
        Ok(Arc::new(Both { halves, partial: reply.partial, remarks: reply.notes, wire: reply.wire }))
    }

    /// One direction of what was asked for together. Where both together are too much for the engine, it is asked by
    /// itself, so that a direction that fails does not take the other one with it.
    async fn half(&self, call: Call, joined: bool, entities: &[EntityId], direction: Direction, limit: u32) -> Result<KgReply, CallError> {
        let (half, partial, remarks, wire) = match call.await {
            Ok(both) => {
                let half = both.halves[usize::from(direction == Direction::In)].clone();
                let mut wire = both.wire.clone();
                if joined {
                    // The other half tells of the tries; this one only of the query that it shared.
                    wire.iter_mut().for_each(|note| (note.tries, note.took_ms) = (0, 0));
                }
                (half, both.partial, both.remarks.clone(), wire)
            }
            Err(error) if relations::is_too_much(&error) => {
                let mut asker = self.asker().await?;
                let half: Half = relations::find_one(&mut asker, entities, direction, limit).await?;
                let reply = asker.reply(KgData::Relations(Vec::new()));
                (half, reply.partial, reply.notes, reply.wire)
            }
            Err(error) => return Err(error),
        };
        let partial = partial || !half.remarks.is_empty();
        let notes: Vec<String> = remarks.into_iter().chain(half.remarks).collect();
        Ok(KgReply { partial, notes, wire, ..KgReply::of(KgData::Relations(half.relations)) })
    }

    async fn perform(&self, op: KgOp) -> Result<KgReply, CallError> {
        let mut asker = self.asker().await?;
        let data = match &op {
            KgOp::Search { mention, limit } => KgData::Candidates(match &self.finder {
                Some(finder) => found::search(&mut asker, &**finder, mention, *limit).await?,
                None => search::search(&mut asker, mention, *limit).await?,
            }),
            KgOp::Edges { entities, relation, direction, cap, offset, all_ranks } => {
                let wanted = edges::Wanted { relation, direction: *direction, cap: *cap, offset: *offset, all_ranks: *all_ranks };
                KgData::Edges(edges::edges(&mut asker, entities, &wanted).await?)
            }
            KgOp::Describe { ids } => KgData::Entities(match &self.finder {
                Some(finder) => found::describe(&mut asker, &**finder, ids).await?,
                None => describe::describe(&mut asker, ids).await?,
            }),
            KgOp::Link { entities } => {
                let ties = self.ties().clone();
                KgData::Entities(link(&mut asker, entities, &ties).await?)
            }
            KgOp::Aggregate { entities, what, cap } => KgData::Aggregate(aggregate::aggregate(&mut asker, entities, what, *cap).await?),
            // Both directions are asked together: see `perform` of the graph.
            KgOp::Relations { .. } => return Err(crate::kg::cannot(&self.name, &op)),
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

    fn remarks(&self) -> Vec<String> {
        self.inner.transport.remarks()
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
            let mut about = format!("{}, {shape}", inner.transport.about());
            if let Some(finder) = &inner.finder {
                about.push_str(&format!(", {}", finder.check().await?));
            }
            Ok(about)
        })
    }

    fn perform(&self, _ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        let inner = Arc::clone(&self.inner);
        let KgOp::Relations { entities, direction, limit } = op else {
            return Box::pin(async move { inner.perform(op).await });
        };
        // Before the future is returned, so that the second of two asks in a row finds the call of the first.
        let (call, joined) = self.inner.pairs.join(&entities, direction, limit, || {
            let (inner, entities) = (Arc::clone(&inner), entities.clone());
            Box::pin(async move { inner.both(&entities, limit).await })
        });
        Box::pin(async move { inner.half(call, joined, &entities, direction, limit).await })
    }
}
