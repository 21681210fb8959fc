//! Turtle, TriG, RDF/XML and JSON-LD.
//!
//! In Turtle and TriG what stands between an error and the next full stop is lost, and the reading goes on. RDF/XML ends
//! at an error in the XML, JSON-LD at one in the JSON; what was read before is kept.

use super::load::LoadError;
use super::sink::Sink;
use super::source::{Input, base_iri};
use crate::kg::sparql::Prefixes;
use oxigraph::io::{RdfFormat, RdfParseError, RdfParser};
use oxigraph::model::{NamedNodeRef, NamedOrBlankNode, Quad, Term};
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

/// Reads a document; returns the prefixes that it declares.
///
/// # Errors
/// When strict, the first flaw or a file that breaks off.
pub(super) fn read(input: Input, format: RdfFormat, sink: &mut Sink) -> Result<Prefixes, LoadError> {
    let mut parser = RdfParser::from_format(format);
    if let Some(base) = input.path.as_deref().and_then(base_iri)
        && let Ok(with_base) = parser.clone().with_base_iri(base)
    {
        parser = with_base;
    }
    let goes_on = matches!(format, RdfFormat::Turtle | RdfFormat::TriG);
    // Those that cannot go on after an error are not told of small ones: bad IRIs are found here instead.
    let checked_here = !goes_on && !sink.is_strict();
    if checked_here {
        parser = parser.lenient();
    }
    let line = Rc::new(Cell::new(1));
    let reader: Box<dyn Read + '_> = match format {
        // The only parser that says no lines.
        RdfFormat::RdfXml => Box::new(ByLine { inner: BufReader::with_capacity(1 << 16, input.reader), begun: 0, line: Rc::clone(&line) }),
        _ => input.reader,
    };
    let known_line = || (format == RdfFormat::RdfXml).then(|| line.get());
    let mut quads = parser.for_reader(reader);
    while let Some(next) = quads.next() {
        match next {
            Ok(quad) => match checked_here.then(|| has_bad_iri(&quad)).flatten() {
                Some(why) => sink.skip(known_line(), None, why)?,
                None => sink.add(quad.subject, &quad.predicate, quad.object),
            },
            Err(RdfParseError::Io(error)) => {
                sink.breaks_off(&error.to_string())?;
                break;
            }
            Err(RdfParseError::Syntax(error)) => {
                let place = error.location().map(|at| (at.start.line + 1, at.start.column + 1));
                let (at, column) = (place.map(|(line, _)| line).or_else(known_line), place.map(|(_, column)| column));
                sink.skip(at, column, reason(&error.to_string()))?;
                // A JSON-LD parser ends by itself where the JSON is broken.
                if !goes_on && (at.is_some() || format == RdfFormat::RdfXml) {
                    if sink.facts() > 0 {
                        let at = at.map_or_else(String::new, |line| format!(" at line {line}"));
                        sink.note(&format!("the reading ENDED{at}, what follows is missing: correct the file"));
                    }
                    break;
                }
            }
        }
    }
    Ok(quads.prefixes().map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned())).collect())
}

/// What is wrong with the first IRI of a fact that is none.
pub(super) fn has_bad_iri(quad: &Quad) -> Option<String> {
    let subject = if let NamedOrBlankNode::NamedNode(node) = &quad.subject { Some(node.as_ref()) } else { None };
    let object = match &quad.object {
        Term::NamedNode(node) => Some(node.as_ref()),
        Term::Literal(literal) => Some(literal.datatype()),
        Term::BlankNode(_) => None,
    };
    let all = [subject, Some(quad.predicate.as_ref()), object];
    all.into_iter().flatten().find_map(|node| {
        let error = NamedNodeRef::new(node.as_str()).err()?;
        Some(format!("<{}> is no IRI: {error}", node.as_str()))
    })
}

/// A parser's message without the position that it may begin with.
pub(super) fn reason(message: &str) -> String {
    message.split_once(": ").filter(|(head, _)| head.starts_with("Parser error at")).map_or(message, |(_, rest)| rest).to_owned()
}

/// Gives one line at a time, and knows which was the last.
struct ByLine<R> {
    inner: R,
    /// Lines that were given to their end.
    begun: u64,
    line: Rc<Cell<u64>>,
}

impl<R: BufRead> Read for ByLine<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let buffer = self.inner.fill_buf()?;
        let most = &buffer[..buffer.len().min(out.len())];
        let end = most.iter().position(|b| *b == b'\n');
        let n = end.map_or(most.len(), |end| end + 1);
        out[..n].copy_from_slice(&most[..n]);
        if n > 0 {
            self.line.set(self.begun + 1);
            self.begun += u64::from(end.is_some());
        }
        self.inner.consume(n);
        Ok(n)
    }
}
