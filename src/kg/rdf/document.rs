//! Turtle, TriG, RDF/XML and JSON-LD.
//!
//! Unless all is to be strict, the parsers are told to let bad IRIs and language tags pass, which are looked for here: a bad
//! IRI then costs one fact and not the rest of its statement. After an error in the grammar Turtle and TriG go on behind the
//! next full stop; RDF/XML ends at an error in the XML, JSON-LD at one in the JSON, and what was read before is kept.

use super::load::LoadError;
use super::sink::Sink;
use super::source::{Input, base_iri};
use crate::kg::sparql::Prefixes;
use oxigraph::io::{RdfFormat, RdfParseError, RdfParser};
use oxigraph::model::{Literal, NamedNodeRef, NamedOrBlankNode, Quad, Term};
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
    let strict = sink.is_strict();
    if !strict {
        parser = parser.lenient();
    }
    let turtle = matches!(format, RdfFormat::Turtle | RdfFormat::TriG);
    let line = Rc::new(Cell::new(1));
    // Not every error says where it is, and facts never do: then it is the line that was read last. (A JSON-LD parser reads
    // all before it says anything.)
    let by_line = format == RdfFormat::RdfXml || (turtle && !strict);
    let reader: Box<dyn Read + '_> = match by_line {
        true => Box::new(ByLine { inner: BufReader::with_capacity(1 << 16, input.reader), begun: 0, line: Rc::clone(&line) }),
        false => input.reader,
    };
    let known_line = || by_line.then(|| line.get());
    let mut quads = parser.for_reader(reader);
    let mut held: Option<Quad> = None;
    for next in quads.by_ref() {
        match next {
            Ok(quad) => {
                held.take().into_iter().for_each(|quad| add(quad, sink));
                match (!strict).then(|| problem(&quad)).flatten() {
                    Some(Problem::Iri(why)) => sink.skip(known_line(), None, why)?,
                    Some(Problem::Tag(why)) => {
                        sink.keep(known_line(), None, &why)?;
                        add(quad, sink);
                    }
                    // A quote that is not closed makes one text of the lines that follow, then an error.
                    None if turtle && has_line_break(&quad) => held = Some(quad),
                    None => add(quad, sink),
                }
            }
            Err(RdfParseError::Io(error)) => {
                held.take().into_iter().for_each(|quad| add(quad, sink));
                sink.breaks_off(&error.to_string())?;
                break;
            }
            Err(RdfParseError::Syntax(error)) => {
                held = None;
                let place = error.location().map(|at| (at.start.line + 1, at.start.column + 1));
                let (at, column) = (place.map(|(line, _)| line).or_else(known_line), place.map(|(_, column)| column));
                sink.skip(at, column, reason(&error.to_string()))?;
                // A JSON-LD parser ends by itself where the JSON is broken.
                if !turtle && (at.is_some() || format == RdfFormat::RdfXml) {
                    if sink.facts() > 0 {
                        let at = at.map_or_else(String::new, |line| format!(" at line {line}"));
                        sink.note(&format!("the reading ENDED{at}, what follows is missing: correct the file"));
                    }
                    break;
                }
            }
        }
    }
    held.into_iter().for_each(|quad| add(quad, sink));
    Ok(quads.prefixes().map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned())).collect())
}

fn add(quad: Quad, sink: &mut Sink) {
    sink.add(quad.subject, &quad.predicate, quad.object);
}

fn has_line_break(quad: &Quad) -> bool {
    matches!(&quad.object, Term::Literal(literal) if literal.value().contains('\n'))
}

/// What a lenient parser lets pass.
pub(super) enum Problem {
    /// An IRI that is none: nobody can ask for it.
    Iri(String),
    /// A language tag that is none, such as `zh-classical`: it harms nobody.
    Tag(String),
}

/// The first problem of a fact.
pub(super) fn problem(quad: &Quad) -> Option<Problem> {
    let subject = if let NamedOrBlankNode::NamedNode(node) = &quad.subject { Some(node.as_ref()) } else { None };
    let (object, tag) = match &quad.object {
        Term::NamedNode(node) => (Some(node.as_ref()), None),
        Term::Literal(literal) => (Some(literal.datatype()), literal.language()),
        Term::BlankNode(_) => (None, None),
    };
    let all = [subject, Some(quad.predicate.as_ref()), object];
    let bad = all.into_iter().flatten().find_map(|node| {
        let error = NamedNodeRef::new(node.as_str()).err()?;
        Some(Problem::Iri(format!("<{}> is no IRI: {error}", node.as_str())))
    });
    bad.or_else(|| {
        let tag = tag.filter(|tag| !is_known(tag))?;
        let error = Literal::new_language_tagged_literal("", tag).err()?;
        Some(Problem::Tag(format!("@{tag} is no language tag ({error})")))
    })
}

/// Most tags are two or three letters, and need no closer look.
fn is_known(tag: &str) -> bool {
    matches!(tag.len(), 2 | 3) && tag.bytes().all(|b| b.is_ascii_alphabetic())
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
