//! One operation's queries, with the record of what went over the wire.

use super::found::Found;
use super::query::{Query, VALUES_MAX};
use super::table::{Answer, Results, Table};
use super::term::Iri;
use super::{Transport, vocabulary::Vocabulary};
use crate::calls::{CallError, CallErrorKind, KgData, KgReply, WireNote};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;

/// How many queries of one operation are under way at once.
const PARALLEL: usize = 4;

/// Asks the queries of one operation and keeps the notes for its reply.
pub struct Asker {
    /// The engine.
    pub transport: Arc<dyn Transport>,
    /// How ids and labels stand in the data.
    pub vocabulary: Arc<Vocabulary>,
    /// The short name of the graph.
    pub kg: Arc<str>,
    wire: Vec<WireNote>,
    notes: Vec<String>,
    partial: bool,
}

impl Asker {
    /// For one operation.
    pub fn new(transport: Arc<dyn Transport>, vocabulary: Arc<Vocabulary>, kg: Arc<str>) -> Self {
        Self { transport, vocabulary, kg, wire: Vec::new(), notes: Vec::new(), partial: false }
    }

    /// The rows of one query.
    pub async fn rows(&mut self, query: Query) -> Result<Table, CallError> {
        let text = query.text.clone();
        let answer = self.transport.run(query).await?;
        self.take(text, answer)
    }

    /// The rows of several queries, in their order; the first error ends all.
    pub async fn rows_of_all(&mut self, queries: Vec<Query>) -> Result<Vec<Table>, CallError> {
        let texts: Vec<String> = queries.iter().map(|q| q.text.clone()).collect();
        let runs: Vec<_> = queries.into_iter().map(|query| self.transport.run(query)).collect();
        let answers: Vec<Answer> = stream::iter(runs).buffered(PARALLEL).try_collect().await?;
        texts.into_iter().zip(answers).map(|(text, answer)| self.take(text, answer)).collect()
    }

    /// The rows of several queries, in their order, each with its own fate.
    pub async fn rows_of_each(&mut self, queries: Vec<Query>) -> Vec<Result<Table, CallError>> {
        let texts: Vec<String> = queries.iter().map(|q| q.text.clone()).collect();
        let runs: Vec<_> = queries.into_iter().map(|query| self.transport.run(query)).collect();
        let answers: Vec<Result<Answer, CallError>> = stream::iter(runs).buffered(PARALLEL).collect().await;
        texts.into_iter().zip(answers).map(|(text, answer)| self.take(text, answer?)).collect()
    }

    /// The rows of a query that is made for at most [`VALUES_MAX`] things at a time.
    pub async fn rows_for(&mut self, things: &[Iri], query: impl Fn(&[Iri]) -> Query) -> Result<Vec<Table>, CallError> {
        self.rows_of_all(things.chunks(VALUES_MAX).map(query).collect()).await
    }

    fn take(&mut self, query: String, answer: Answer) -> Result<Table, CallError> {
        let Results::Rows(table) = answer.results else {
            return Err(CallError::new(
                CallErrorKind::BadReply,
                format!("{} answered yes or no where rows were asked for", self.transport.about()),
            ));
        };
        self.wire.push(WireNote { query, rows: table.rows.len() as u64, took_ms: answer.took_ms, tries: answer.tries });
        if let Some(note) = answer.cut {
            self.remark(note);
        }
        Ok(table)
    }

    /// Takes over what a finder says beside its entities.
    pub fn take_in(&mut self, found: &Found) {
        self.wire.extend(found.wire.iter().cloned());
        found.remarks.iter().for_each(|remark| self.remark(remark));
        found.notes.iter().for_each(|note| self.note(note));
    }

    /// Notes that more exists than the reply holds, and why.
    pub fn remark(&mut self, note: impl Into<String>) {
        self.partial = true;
        self.note(note);
    }

    /// Notes what people should know of a reply that is whole.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The reply with `data`.
    pub fn reply(self, data: KgData) -> KgReply {
        KgReply { data, partial: self.partial, notes: self.notes, wire: self.wire, cached_at: None }
    }
}
