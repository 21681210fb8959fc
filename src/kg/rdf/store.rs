//! The embedded engine: queries run on a blocking thread and stop when nobody waits for them any more. (A join that is
//! built in memory stops only when it is built; our queries have none large enough for that to matter.)

use super::labels::LabelIndex;
use super::load::{LoadError, Loaded, Progress, load};
use super::source::Source;
use crate::calls::{CallError, CallErrorKind};
use crate::kg::sparql::{Answer, Hit, Prefixes, Query, Results, Table, Term, Transport};
use futures_util::future::BoxFuture;
use oxigraph::model::{Term as RdfTerm, vocab::xsd};
use oxigraph::sparql::{CancellationToken, QueryEvaluationError, QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use std::sync::Arc;
use std::time::Instant;

/// RDF in memory.
pub struct Embedded {
    about: String,
    store: Store,
    prefixes: Prefixes,
    labels: Arc<LabelIndex>,
    remarks: Vec<String>,
}

impl Embedded {
    /// Loads `source`, called `name` on the screen; `progress` is told from time to time how far it is. Blocks: not for an
    /// async thread.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(name: &str, source: &Source, progress: impl Fn(&Progress)) -> Result<Self, LoadError> {
        let Loaded { store, prefixes, report } = load(source, &progress)?;
        let labels = Arc::new(LabelIndex::of(&store)?);
        let facts = crate::kg::thousands(store.len()? as u64);
        let skipped = match report.skipped {
            0 => String::new(),
            n => format!(", {} places skipped", crate::kg::thousands(n)),
        };
        Ok(Self { about: format!("{name}: {facts} facts{skipped}"), store, prefixes, labels, remarks: report.remarks() })
    }
}

/// Cancels the query when the future that waits for it is dropped.
struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Transport for Embedded {
    fn run(&self, query: Query) -> BoxFuture<'static, Result<Answer, CallError>> {
        let store = self.store.clone();
        Box::pin(async move {
            let token = CancellationToken::new();
            let guard = CancelOnDrop(token.clone());
            let begun = Instant::now();
            let results = tokio::task::spawn_blocking(move || evaluate(&store, &query.text, token))
                .await
                .map_err(|error| CallError::new(CallErrorKind::Server, format!("the built-in query engine failed: {error}")))??;
            drop(guard);
            let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            Ok(Answer { results, cut: None, took_ms, tries: 1 })
        })
    }

    fn find(&self, mention: &str, limit: usize) -> Option<Vec<Hit>> {
        Some(self.labels.find(mention, limit))
    }

    fn prefixes(&self) -> Prefixes {
        self.prefixes.clone()
    }

    fn about(&self) -> String {
        self.about.clone()
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }
}

fn evaluate(store: &Store, text: &str, token: CancellationToken) -> Result<Results, CallError> {
    let evaluator = SparqlEvaluator::new().with_cancellation_token(token);
    let refused = |why: String| CallError::new(CallErrorKind::Refused, format!("the built-in query engine refuses a query: {why}"));
    let prepared = evaluator.parse_query(text).map_err(|error| refused(error.to_string()))?;
    match prepared.on_store(store).execute().map_err(failure)? {
        QueryResults::Boolean(truth) => Ok(Results::Truth(truth)),
        QueryResults::Graph(_) => Err(refused("only SELECT and ASK are used".to_owned())),
        QueryResults::Solutions(solutions) => {
            let vars: Vec<String> = solutions.variables().iter().map(|var| var.as_str().to_owned()).collect();
            // The first error ends the reading: after a cancel the engine goes on to yield an error for each row.
            let rows = solutions.map(|row| row.map(|row| row.values().iter().map(|term| term.as_ref().and_then(convert)).collect()));
            Ok(Results::Rows(Table { vars, rows: rows.collect::<Result<_, _>>().map_err(failure)? }))
        }
    }
}

fn failure(error: QueryEvaluationError) -> CallError {
    match error {
        QueryEvaluationError::Cancelled => CallError::new(CallErrorKind::TimedOut, "the query was cancelled"),
        other => CallError::new(CallErrorKind::Server, format!("the built-in query engine failed: {other}")),
    }
}

fn convert(term: &RdfTerm) -> Option<Term> {
    match term {
        RdfTerm::NamedNode(node) => Some(Term::Iri(node.as_str().to_owned())),
        RdfTerm::BlankNode(node) => Some(Term::Blank(node.as_str().to_owned())),
        RdfTerm::Literal(literal) => {
            let datatype = literal.datatype();
            let plain = datatype == xsd::STRING || literal.language().is_some();
            Some(Term::Literal {
                value: literal.value().to_owned(),
                lang: literal.language().map(str::to_owned),
                datatype: (!plain).then(|| datatype.as_str().to_owned()),
            })
        }
        #[allow(unreachable_patterns, reason = "the engine knows quoted triples only with a feature that is off")]
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_query_that_nobody_waits_for_stops() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let demo = Embedded::load("demo", &crate::kg::demo::source(), |_| {}).unwrap();
        let endless = Query { text: "SELECT ?a ?d WHERE { ?a ?b ?c . ?d ?e ?f }".into(), limit: None };
        let waited = runtime.block_on(async { tokio::time::timeout(Duration::from_millis(100), demo.run(endless)).await });
        assert!(waited.is_err(), "so many rows came in no time");
        let begun = Instant::now();
        // Waits for blocking threads to end.
        runtime.shutdown_timeout(Duration::from_secs(12));
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn a_query_that_is_none_is_refused() {
        let demo = Embedded::load("demo", &crate::kg::demo::source(), |_| {}).unwrap();
        let error = demo.run(Query { text: "SELECT".into(), limit: None }).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Refused);
    }
}
