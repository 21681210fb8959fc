//! Reads SPARQL 1.1 Query Results, in JSON (and what servers make of it) or in XML.
//!
//! Liberal where nothing is lost: old names for typed literals, `null` rows, cells without a value, raw control
//! characters inside strings. Strict where something is: a body that is cut, or is followed by an error text, is an
//! error, never a short result.

use super::results_xml::read_xml;
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
    /// It is not XML.
    #[error("the answer is no valid XML at byte {byte}")]
    NotXml {
        /// From 0.
        byte: u64,
    },
    /// It is JSON or XML of another kind.
    #[error("the answer is no SPARQL result")]
    NotResults,
    /// It is the server's word that something went wrong, whatever else it holds.
    #[error("the answer says that something went wrong")]
    Fault(String),
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    head: Head,
    boolean: Option<Value>,
    results: Option<Body>,
    // Not of the standard: how servers report what went wrong, sometimes beside results that are empty or cut.
    exception: Option<Value>,
    error: Option<Value>,
    code: Option<Value>,
    #[serde(rename = "detailedMessage")]
    detailed_message: Option<Value>,
    message: Option<Value>,
}

impl Document {
    /// What the server says went wrong, if it does.
    fn fault(&self) -> Option<String> {
        let nothing = self.results.is_none() && self.boolean.is_none();
        let said = [&self.exception, &self.error].into_iter().flatten().find(|said| !said.is_null() && **said != Value::Bool(false));
        let said = said.or_else(|| [&self.detailed_message, &self.message, &self.code].into_iter().flatten().find(|_| nothing));
        said.map(|said| said.as_str().map_or_else(|| said.to_string(), str::to_owned))
    }
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

/// The results in `body`: JSON, XML, or the bare word that Virtuoso answers some ASK queries with.
///
/// # Errors
/// [`ReadError`], when `body` is not one whole result document.
pub fn read_results(body: &[u8]) -> Result<Results, ReadError> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match body.trim_ascii() {
        b"true" => Ok(Results::Truth(true)),
        b"false" => Ok(Results::Truth(false)),
        [b'<', ..] => read_xml(body.trim_ascii_start()),
        _ => read_json(body),
    }
}

fn read_json(body: &[u8]) -> Result<Results, ReadError> {
    let document = match serde_json::from_slice::<Document>(body) {
        Err(error) if error.is_syntax() => {
            // Once more without what JSON forbids inside strings, and with a mark for bytes that are no text.
            let mended = String::from_utf8_lossy(&without_controls(body)).into_owned();
            serde_json::from_str(&mended).map_err(|again| (Some(again), error))
        }
        other => other.map_err(|error| (None, error)),
    };
    let document: Document = document.map_err(|(again, error)| {
        let either = |is: fn(&serde_json::Error) -> bool| is(&error) || again.as_ref().is_some_and(is);
        if either(serde_json::Error::is_eof) {
            ReadError::Cut(body.len())
        } else if either(serde_json::Error::is_data) {
            ReadError::NotResults
        } else {
            ReadError::NotJson { line: error.line(), column: error.column() }
        }
    })?;
    if let Some(fault) = document.fault() {
        return Err(ReadError::Fault(fault));
    }
    match (document.boolean, document.results) {
        (_, Some(results)) if document.head.vars.is_empty() && results.bindings.iter().flatten().any(|row| !row.is_empty()) => {
            Err(ReadError::NotResults)
        }
        (_, Some(results)) => Ok(truth_or_rows(table(document.head.vars, results.bindings))),
        (Some(Value::Bool(truth)), None) => Ok(Results::Truth(truth)),
        (Some(Value::String(word)), None) if word == "true" || word == "false" => Ok(Results::Truth(word == "true")),
        _ => Err(ReadError::NotResults),
    }
}

/// Virtuoso answers some ASK queries with a row that holds 1, or with none.
fn truth_or_rows(table: Table) -> Results {
    if table.vars != ["__ASK_RETVAL"] {
        return Results::Rows(table);
    }
    let word = table.rows.first().and_then(|row| row.first()?.as_ref()).map_or("", Term::text);
    Results::Truth(matches!(word, "1" | "true"))
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
            let lang = text("xml:lang").or_else(|| text("lang"));
            Some(literal(value, lang.map(str::to_owned), text("datatype").map(str::to_owned)))
        }
        _ => None,
    }
}

/// A literal. A plain string is the same with and without its datatype (case D09).
pub(super) fn literal(value: String, lang: Option<String>, datatype: Option<String>) -> Term {
    let plain = ["http://www.w3.org/2001/XMLSchema#string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"];
    let datatype = datatype.filter(|name| !name.is_empty() && !plain.contains(&name.as_str()));
    Term::Literal { value, lang: lang.filter(|lang| !lang.is_empty()), datatype }
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
        assert!(matches!(read_results(br#"{"answer":"no"}"#), Err(ReadError::NotResults)));
        assert!(matches!(read_results(br#"{"head":{},"bindings":[failed to"#), Err(ReadError::NotJson { .. })));
    }

    #[test]
    fn an_ask_has_no_results() {
        assert_eq!(read_results(br#"{"head":{"link":[]},"boolean":true}"#).unwrap(), Results::Truth(true));
        for (rows, truth) in [(r#"{"__ASK_RETVAL":{"type":"typed-literal","value":"1"}}"#, true), ("", false)] {
            let body = format!(r#"{{"head":{{"link":[],"vars":["__ASK_RETVAL"]}},"results":{{"bindings":[{rows}]}}}}"#);
            assert_eq!(read_results(body.as_bytes()).unwrap(), Results::Truth(truth));
        }
    }

    #[test]
    fn what_went_wrong_is_never_an_empty_result() {
        let rows = r#""head":{"vars":["x"]},"results":{"bindings":[]}"#;
        for (body, said) in [
            (r#"{"exception":"Operation timed out.","query":"SELECT","resultsize":0,"status":"ERROR"}"#.to_owned(), "Operation timed out."),
            (format!(r#"{{{rows},"exception":"out of memory"}}"#), "out of memory"),
            (format!(r#"{{{rows},"error":{{"code":7}}}}"#), r#"{"code":7}"#),
            (
                r#"{"code":"TimeLimitExceededException","detailedMessage":"Operation terminated (deadline exceeded)"}"#.to_owned(),
                "Operation terminated (deadline exceeded)",
            ),
            (r#"{"message":"no such database"}"#.to_owned(), "no such database"),
        ] {
            match read_results(body.as_bytes()) {
                Err(ReadError::Fault(fault)) => assert_eq!(fault, said),
                other => panic!("{body}: {other:?}"),
            }
        }
        assert!(read_results(format!(r#"{{{rows},"error":null,"message":"fine","meta":{{}}}}"#).as_bytes()).is_ok());
    }

    #[test]
    fn marks_before_the_text_and_ends_of_lines_do_not_matter() {
        let json =
            "\u{feff}{\r\n\"head\":{\"vars\":[\"o\"]},\r\n\"results\":{\"bindings\":[{\"o\":{\"type\":\"literal\",\"value\":\"a\"}}]}}\r\n";
        assert_eq!(rows(json).len(), 1);
        let xml = "\u{feff}\r\n<sparql><head><variable name='o'/></head>\r\n<results><result><binding name='o'><literal>a</literal></binding></result></results></sparql>\r\n";
        assert_eq!(rows(xml), rows(json));
        assert_eq!(read_results(b"\xef\xbb\xbf true\r\n").unwrap(), Results::Truth(true));
    }

    #[test]
    fn bytes_that_are_no_text_cost_no_row() {
        let body = b"{\"head\":{\"vars\":[\"o\"]},\"results\":{\"bindings\":[{\"o\":{\"type\":\"literal\",\"value\":\"caf\xe9\"}}]}}";
        let Results::Rows(table) = read_results(body).unwrap() else { panic!() };
        assert_eq!(table.rows[0][0].as_ref().unwrap().text(), "caf\u{fffd}");
    }
}
