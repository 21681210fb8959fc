//! A real SPARQL engine behind a test's server.

#![allow(dead_code, reason = "each test program uses a part of it")]

use oxigraph::io::RdfFormat;
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;

/// The engine.
pub struct Engine(Store);

impl Engine {
    /// Over these facts.
    pub fn new(turtle: &str) -> Self {
        let store = Store::new().unwrap();
        store.load_from_slice(RdfFormat::Turtle, turtle).unwrap();
        Self(store)
    }

    /// The results of `query` as JSON.
    ///
    /// # Errors
    /// What is wrong with the query.
    pub fn json(&self, query: &str) -> Result<String, String> {
        self.results(query, QueryResultsFormat::Json)
    }

    /// The results of `query` in `format`.
    ///
    /// # Errors
    /// What is wrong with the query.
    pub fn results(&self, query: &str, format: QueryResultsFormat) -> Result<String, String> {
        let parsed = SparqlEvaluator::new().parse_query(query).map_err(|error| error.to_string())?;
        let results = parsed.on_store(&self.0).execute().map_err(|error| error.to_string())?;
        let writer = QueryResultsSerializer::from_format(format);
        let bytes = match results {
            QueryResults::Boolean(truth) => writer.serialize_boolean_to_writer(Vec::new(), truth).unwrap(),
            QueryResults::Graph(_) => return Err("only SELECT and ASK are answered".to_owned()),
            QueryResults::Solutions(solutions) => {
                let mut rows = writer.serialize_solutions_to_writer(Vec::new(), solutions.variables().to_vec()).unwrap();
                for solution in solutions {
                    rows.serialize(&solution.map_err(|error| error.to_string())?).unwrap();
                }
                rows.finish().unwrap()
            }
        };
        Ok(String::from_utf8(bytes).unwrap())
    }
}
