//! Reads SPARQL Query Results XML, for endpoints that write nothing else. As liberal as the reader of JSON (odd IRIs and
//! blank nodes are taken as they stand), and as strict: a document that ends early is an error, never a short result.

use super::results::{ReadError, literal};
use super::table::{Results, Table};
use super::term::Term;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader};

/// What the document said so far.
#[derive(Default)]
struct Document {
    vars: Vec<String>,
    rows: Vec<Vec<Option<Term>>>,
    truth: Option<bool>,
    has_rows: bool,
    /// The row that is being read.
    row: Vec<Option<Term>>,
    /// The column of the binding that is being read; `None` also for a variable that was not announced.
    column: Option<usize>,
    lang: Option<String>,
    datatype: Option<String>,
    text: String,
}

/// The results in `body`.
///
/// # Errors
/// [`ReadError`], when `body` is not one whole result document.
pub fn read_xml(body: &[u8]) -> Result<Results, ReadError> {
    let mut reader = Reader::from_reader(body);
    reader.config_mut().expand_empty_elements = true;
    let mut document = Document::default();
    let mut depth = 0_usize;
    let mut whole = false;
    loop {
        let at = reader.buffer_position();
        let invalid = || ReadError::NotXml { byte: at };
        match reader.read_event() {
            // Cut in the middle of a tag, or of what stands between tags.
            Err(Error::Syntax(_)) => return Err(ReadError::Cut(body.len())),
            Err(_) => return Err(invalid()),
            Ok(Event::Start(tag)) => {
                let local = tag.local_name();
                if whole || (depth == 0 && local.as_ref() != b"sparql") {
                    return Err(if whole { invalid() } else { ReadError::NotResults });
                }
                depth += 1;
                document.opens(local.as_ref(), &tag).ok_or_else(invalid)?;
            }
            Ok(Event::End(tag)) => {
                depth -= 1;
                whole = depth == 0;
                document.closes(tag.local_name().as_ref());
            }
            Ok(Event::Text(text)) => {
                let text = text.unescape().map_err(|_| invalid())?;
                if depth == 0 && !text.trim().is_empty() {
                    return Err(if whole { invalid() } else { ReadError::NotResults });
                }
                document.text.push_str(&text);
            }
            Ok(Event::CData(text)) => document.text.push_str(&String::from_utf8_lossy(&text)),
            Ok(Event::Eof) if whole => return document.results(),
            Ok(Event::Eof) => return Err(ReadError::Cut(body.len())),
            Ok(_) => {}
        }
    }
}

impl Document {
    fn opens(&mut self, name: &[u8], tag: &BytesStart<'_>) -> Option<()> {
        let attribute = |wanted: &[u8]| -> Option<Option<String>> {
            let Some(found) = tag.attributes().filter_map(Result::ok).find(|a| a.key.as_ref() == wanted) else { return Some(None) };
            Some(Some(found.unescape_value().ok()?.into_owned()))
        };
        self.text.clear();
        match name {
            b"variable" => self.vars.extend(attribute(b"name")?),
            b"results" => self.has_rows = true,
            b"result" => self.row = vec![None; self.vars.len()],
            b"binding" => {
                let name = attribute(b"name")?;
                self.column = self.vars.iter().position(|var| Some(var) == name.as_ref());
            }
            b"literal" | b"typed-literal" => {
                self.lang = attribute(b"xml:lang")?;
                self.datatype = attribute(b"datatype")?;
            }
            _ => {}
        }
        Some(())
    }

    fn closes(&mut self, name: &[u8]) {
        let text = std::mem::take(&mut self.text);
        let term = match name {
            b"uri" => Term::Iri(text.trim().to_owned()),
            b"bnode" => Term::Blank(text.trim().to_owned()),
            b"literal" | b"typed-literal" => literal(text, self.lang.take(), self.datatype.take()),
            b"result" => {
                self.rows.push(std::mem::take(&mut self.row));
                return;
            }
            b"boolean" => {
                self.truth = match text.trim() {
                    "true" | "1" => Some(true),
                    "false" | "0" => Some(false),
                    _ => None,
                };
                return;
            }
            _ => return,
        };
        if let Some(cell) = self.column.and_then(|column| self.row.get_mut(column)) {
            *cell = Some(term);
        }
    }

    fn results(self) -> Result<Results, ReadError> {
        match (self.has_rows, self.truth) {
            (true, _) => Ok(Results::Rows(Table { vars: self.vars, rows: self.rows })),
            (false, Some(truth)) => Ok(Results::Truth(truth)),
            (false, None) => Err(ReadError::NotResults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"<?xml version="1.0"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
  <head><variable name="x"/><variable name="l"/></head>
  <results distinct="false" ordered="true">
    <result>
      <binding name="x"><uri>http://ex.org/a b?x=1&amp;y=2</uri></binding>
      <binding name="l"><literal xml:lang="en">Fish &amp; <![CDATA[<Chips>]]></literal></binding>
    </result>
    <result><binding name="x"><bnode>nodeID://b10001</bnode></binding><binding name="z"><literal>not announced</literal></binding></result>
    <result><binding name="x"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">12</literal></binding><binding name="l"><literal/></binding></result>
    <result/>
  </results>
</sparql>
"#;

    #[test]
    fn rows_of_every_kind_of_term() {
        let Results::Rows(table) = read_xml(WHOLE.as_bytes()).unwrap() else { panic!() };
        let integer = Some("http://www.w3.org/2001/XMLSchema#integer".to_owned());
        let literal = |value: &str, lang: Option<&str>, datatype| {
            Some(Term::Literal { value: value.to_owned(), lang: lang.map(str::to_owned), datatype })
        };
        assert_eq!(table.vars, ["x", "l"]);
        assert_eq!(table.rows[0], [Some(Term::Iri("http://ex.org/a b?x=1&y=2".into())), literal("Fish & <Chips>", Some("en"), None)]);
        assert_eq!(table.rows[1], [Some(Term::Blank("nodeID://b10001".into())), None]);
        assert_eq!(table.rows[2], [literal("12", None, integer), literal("", None, None)]);
        assert_eq!(table.rows[3], [None, None]);
        let crlf = WHOLE.replace('\n', "\r\n");
        assert!(read_xml(crlf.as_bytes()).is_ok());
    }

    #[test]
    fn yes_and_no() {
        for (text, truth) in [("true", true), (" false\n", false)] {
            let body = format!("<sparql xmlns='http://www.w3.org/2005/sparql-results#'><head/><boolean>{text}</boolean></sparql>");
            assert_eq!(read_xml(body.as_bytes()).unwrap(), Results::Truth(truth));
        }
    }

    #[test]
    fn a_cut_document_is_an_error() {
        let end = WHOLE.trim_end().len();
        for cut in (1..end).filter(|cut| WHOLE.is_char_boundary(*cut)) {
            assert!(read_xml(&WHOLE.as_bytes()[..cut]).is_err(), "{cut}");
        }
        assert!(matches!(read_xml(&WHOLE.as_bytes()[..end - 20]), Err(ReadError::Cut(_))));
        for more in ["<error>no</error>", "ERROR: out of memory", "<sparql/>"] {
            assert!(read_xml(format!("{WHOLE}{more}").as_bytes()).is_err(), "{more}");
        }
        for other in ["<html><body>Welcome</body></html>", "<sparql><head/></sparql>", "plain", "<sparql><results></sparql></results>"] {
            assert!(read_xml(other.as_bytes()).is_err(), "{other}");
        }
    }
}
