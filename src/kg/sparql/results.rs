//! Reads SPARQL 1.1 Query Results JSON, and what servers make of it.
//!
//! Liberal where nothing is lost: old names for typed literals, `null` rows, cells without a value, raw control
//! characters inside strings. Strict where something is: a body that is cut, or is followed by an error text, is an
//! error, never a short result.

use super::table::{Results, Table};
use super::term::Term;
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

/// Why a body is no result.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It ends in the middle.
    #[error("the answer breaks off after {0} bytes")]
    Cut(usize),
    /// It is not JSON.
    #[error("the answer is no valid JSON at line {line}, column {column}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
    },
    /// It is JSON of another kind.
    #[error("the answer is JSON but no SPARQL result")]
    NotResults,
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    head: Head,
    boolean: Option<bool>,
    results: Option<Body>,
}

#[derive(Default, Deserialize)]
struct Head {
    #[serde(default)]
    vars: Vec<String>,
}

#[derive(Deserialize)]
struct Body {
    bindings: Vec<Option<Map<String, Value>>>,
}

/// The results in `body`.
///
/// # Errors
/// [`ReadError`], when `body` is not one whole result document.
pub fn read_results(body: &[u8]) -> Result<Results, ReadError> {
    let document = match serde_json::from_slice::<Document>(body) {
        Err(error) if error.is_syntax() => serde_json::from_slice(&without_controls(body)).map_err(|again| (again, error)),
        other => other.map_err(|error| (serde_json::Error::io(std::io::ErrorKind::InvalidData.into()), error)),
    };
    let document: Document = document.map_err(|(again, error)| {
        if error.is_eof() || again.is_eof() {
            ReadError::Cut(body.len())
        } else if error.is_data() || again.is_data() {
            ReadError::NotResults
        } else {
            ReadError::NotJson { line: error.line(), column: error.column() }
        }
    })?;
    match (document.boolean, document.results) {
        (_, Some(results)) => Ok(Results::Rows(table(document.head.vars, results.bindings))),
        (Some(truth), None) => Ok(Results::Truth(truth)),
        (None, None) => Err(ReadError::NotResults),
    }
}

fn table(vars: Vec<String>, bindings: Vec<Option<Map<String, Value>>>) -> Table {
    let rows = bindings
        .into_iter()
        .map(|row| {
            let row = row.unwrap_or_default();
            vars.iter().map(|var| row.get(var).and_then(term)).collect()
        })
        .collect();
    Table { vars, rows }
}

fn term(cell: &Value) -> Option<Term> {
    let text = |key: &str| cell.get(key).and_then(Value::as_str);
    let value = match cell.get("value")? {
        Value::String(text) => text.clone(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
        plain => plain.to_string(),
    };
    match text("type")? {
        "uri" | "iri" => Some(Term::Iri(value)),
        "bnode" => Some(Term::Blank(value)),
        "literal" | "typed-literal" | "literal-typed" => {
            let lang = text("xml:lang").or_else(|| text("lang")).filter(|lang| !lang.is_empty()).map(str::to_owned);
            let plain = ["http://www.w3.org/2001/XMLSchema#string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"];
            let datatype = text("datatype").filter(|name| !plain.contains(name)).map(str::to_owned);
            Some(Term::Literal { value, lang, datatype })
        }
        _ => None,
    }
}

/// `body` without the raw control characters that stand inside strings, where JSON forbids them.
fn without_controls(body: &[u8]) -> Vec<u8> {
    let (mut inside, mut escaped) = (false, false);
    let keep = |byte: &u8| {
        let keep = !(inside && *byte < 0x20);
        match (*byte, escaped) {
            (b'"', false) => inside = !inside,
            (b'\\', false) => escaped = inside,
            _ => escaped = false,
        }
        keep
    };
    body.iter().copied().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(body: &str) -> Vec<Vec<Option<Term>>> {
        match read_results(body.as_bytes()).unwrap() {
            Results::Rows(table) => table.rows,
            Results::Truth(_) => panic!("rows expected"),
        }
    }

    #[test]
    fn old_names_of_typed_literals() {
        for kind in ["typed-literal", "literal-typed", "literal"] {
            let body = format!(
                r#"{{"head":{{"vars":["o"]}},"results":{{"bindings":[{{"o":{{"type":"{kind}","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"12"}}}}]}}}}"#
            );
            let Some(Term::Literal { value, datatype, .. }) = &rows(&body)[0][0] else { panic!("{kind}") };
            assert_eq!((value.as_str(), datatype.as_deref()), ("12", Some("http://www.w3.org/2001/XMLSchema#integer")));
        }
    }

    #[test]
    fn null_rows_are_empty_rows() {
        let body = r#"{"head":{"vars":["x","l"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://ex.org/a"}},null,{},{"x":{"type":"uri"}}]},"meta":{"query-time-ms":5}}"#;
        let rows = rows(body);
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0], [Some(Term::Iri("http://ex.org/a".into())), None]);
        assert!(rows[1..].iter().flatten().all(Option::is_none));
    }

    #[test]
    fn plain_strings_are_alike_with_and_without_a_datatype() {
        let cell = |extra: &str| {
            format!(r#"{{"head":{{"vars":["o"]}},"results":{{"bindings":[{{"o":{{"type":"literal",{extra}"value":"België"}}}}]}}}}"#)
        };
        assert_eq!(rows(&cell("")), rows(&cell(r#""datatype":"http://www.w3.org/2001/XMLSchema#string","#)));
    }

    #[test]
    fn raw_control_characters_are_dropped_from_strings() {
        let body = "{\"head\":{\"vars\":[\"o\"]},\n\"results\":{\"bindings\":[{\"o\":{\"type\":\"literal\",\"value\":\"line one\n line \\\"two\\\"\0\"}}]}}";
        assert_eq!(rows(body)[0][0].as_ref().unwrap().text(), "line one line \"two\"");
    }

    #[test]
    fn a_cut_body_is_an_error() {
        let whole = r#"{"head":{"vars":["o"]},"results":{"bindings":[{"o":{"type":"literal","value":"a"}}]}}"#;
        for end in 1..whole.len() {
            assert!(read_results(&whole.as_bytes()[..end]).is_err(), "{end}");
        }
        let trace = "{\"head\":{\"vars\":[\"item\"]},\"results\":{\"bindings\":[{\"item\":{\"type\":\"uri\",\"value\":\"SPARQL-QUERY: x\njava.util.concurrent.TimeoutException\n\tat";
        assert!(matches!(read_results(trace.as_bytes()), Err(ReadError::Cut(_))));
        assert!(read_results(format!("{whole} failed to look up").as_bytes()).is_err());
        assert!(matches!(read_results(br#"{"error":"no"}"#), Err(ReadError::NotResults)));
        assert!(matches!(read_results(br#"{"head":{},"bindings":[failed to"#), Err(ReadError::NotJson { .. })));
    }

    #[test]
    fn an_ask_has_no_results() {
        assert_eq!(read_results(br#"{"head":{"link":[]},"boolean":true}"#).unwrap(), Results::Truth(true));
    }
}
