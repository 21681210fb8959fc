//! A `KnowledgeGraph` over any engine that runs SPARQL.

use super::asker::Asker;
use super::pair::{Call, Outcome, Pairs};
use super::query::{self, Query};
use super::relations::{self, Both, Half};
use super::table::Results;
use super::vocabulary::{Languages, Model, Vocabulary};
use super::wording::Wording;
use super::{Transport, describe, edges, search};
use crate::calls::{AskId, CallError, CallErrorKind, KgData, KgOp, KgReply};
use crate::graph::{Direction, EntityId};
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
    wording: Wording,
    vocabulary: OnceCell<Arc<Vocabulary>>,
    pairs: Pairs,
}

impl SparqlGraph {
    /// The graph `name` behind `transport`, with labels in `languages`.
    pub fn new(name: &str, transport: Arc<dyn Transport>, languages: Languages) -> Self {
        Self::worded(name, transport, languages, Wording::default())
    }

    /// As [`SparqlGraph::new`], with what the configuration says about names and relations.
    pub fn worded(name: &str, transport: Arc<dyn Transport>, languages: Languages, wording: Wording) -> Self {
        Self { inner: Arc::new(Inner { name: name.into(), transport, languages, wording, vocabulary: OnceCell::new(), pairs: Pairs::default() }) }
    }
}

impl Inner {
    /// The shape of the data. Asked once; an error is not remembered.
    async fn vocabulary(&self) -> Result<Arc<Vocabulary>, CallError> {
        let detect = || async {
            let model = if truth(&*self.transport, query::is_wikidata()).await? { Model::Wikidata } else { Model::Plain };
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
        let reply = asker.reply(KgData::Relations(Vec::new()));
        Ok(Arc::new(Both { halves, remarks: reply.notes, wire: reply.wire }))
    }

    /// One direction of what was asked for together. Where both together are too much for the engine, it is asked by
    /// itself, so that a direction that fails does not take the other one with it.
    async fn half(&self, call: Call, joined: bool, entities: &[EntityId], direction: Direction, limit: u32) -> Result<KgReply, CallError> {
        let (half, remarks, wire) = match call.await {
            Ok(both) => {
                let half = both.halves[usize::from(direction == Direction::In)].clone();
                let mut wire = both.wire.clone();
                if joined {
                    // The other half tells of the tries; this one only of the query that it shared.
                    wire.iter_mut().for_each(|note| (note.tries, note.took_ms) = (0, 0));
                }
                (half, both.remarks.clone(), wire)
            }
            Err(error) if relations::is_too_much(&error) => {
                let mut asker = self.asker().await?;
                let half: Half = relations::find_one(&mut asker, entities, direction, limit).await?;
                let reply = asker.reply(KgData::Relations(Vec::new()));
                (half, reply.notes, reply.wire)
            }
            Err(error) => return Err(error),
        };
        let notes: Vec<String> = remarks.into_iter().chain(half.remarks).collect();
        Ok(KgReply { partial: !notes.is_empty(), notes, wire, ..KgReply::of(KgData::Relations(half.relations)) })
    }

    async fn perform(&self, op: KgOp) -> Result<KgReply, CallError> {
        let mut asker = self.asker().await?;
        let data = match &op {
            KgOp::Search { mention, limit } => KgData::Candidates(search::search(&mut asker, mention, *limit).await?),
            KgOp::Edges { entities, relation, direction, cap, offset, all_ranks } => {
                let wanted = edges::Wanted { relation, direction: *direction, cap: *cap, offset: *offset, all_ranks: *all_ranks };
                KgData::Edges(edges::edges(&mut asker, entities, &wanted).await?)
            }
            KgOp::Describe { ids } => KgData::Entities(describe::describe(&mut asker, ids).await?),
            // A graph of this kind knows no other: linking by identifiers is for graphs that name each other.
            KgOp::Link { .. } => KgData::Entities(Vec::new()),
            KgOp::Relations { .. } | KgOp::Aggregate { .. } => return Err(crate::kg::cannot(&self.name, &op)),
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
