//! N-Triples and N-Quads, line by line: one bad line costs no other.

use super::document::{Problem, problem, reason};
use super::load::LoadError;
use super::sink::Sink;
use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::Quad;
use std::io::Read;

/// Bytes that are parsed in one go while all lines are good.
const CHUNK: usize = 1 << 20;

/// Reads all lines.
///
/// # Errors
/// When strict, the first flaw or a file that breaks off.
pub(super) fn read(mut reader: impl Read, format: RdfFormat, sink: &mut Sink) -> Result<(), LoadError> {
    let (mut buffer, mut line): (Vec<u8>, u64) = (Vec::with_capacity(CHUNK * 2), 1);
    loop {
        let searched = buffer.len();
        let got = reader.by_ref().take(CHUNK as u64).read_to_end(&mut buffer);
        let ended = matches!(got, Ok(0));
        let whole = match (&got, buffer[searched..].iter().rposition(|b| *b == b'\n')) {
            (Ok(0), _) => buffer.len(),
            (_, Some(end)) => searched + end + 1,
            (_, None) => 0,
        };
        chunk(&buffer[..whole], format, &mut line, sink)?;
        if let Err(error) = got {
            return sink.breaks_off(&error.to_string());
        }
        if ended {
            return Ok(());
        }
        buffer.drain(..whole);
    }
}

/// Whole lines, of which the first is `line`.
fn chunk(bytes: &[u8], format: RdfFormat, line: &mut u64, sink: &mut Sink) -> Result<(), LoadError> {
    let first = *line;
    *line += bytes.iter().filter(|b| **b == b'\n').count() as u64;
    let all: Result<Vec<Quad>, _> = RdfParser::from_format(format).for_slice(bytes).collect();
    match all {
        Ok(quads) => quads.into_iter().for_each(|quad| add(quad, sink)),
        Err(_) => {
            for (number, text) in (first..).zip(bytes.split_inclusive(|b| *b == b'\n')) {
                one(text, number, format, sink)?;
            }
        }
    }
    Ok(())
}

fn add(quad: Quad, sink: &mut Sink) {
    sink.add(quad.subject, &quad.predicate, quad.object);
}

fn one(text: &[u8], number: u64, format: RdfFormat, sink: &mut Sink) -> Result<(), LoadError> {
    let parser = RdfParser::from_format(format);
    let strict: Result<Vec<Quad>, _> = parser.clone().for_slice(text).collect();
    let error = match strict {
        Ok(quads) => {
            quads.into_iter().for_each(|quad| add(quad, sink));
            return Ok(());
        }
        Err(error) => error,
    };
    let column = error.location().map(|at| match at.start.line {
        0 => at.start.column + 1,
        // What is missing is missed on the next line.
        _ => String::from_utf8_lossy(text).trim_end().chars().count() as u64 + 1,
    });
    let lenient: Result<Vec<Quad>, _> = parser.lenient().for_slice(text).collect();
    match lenient.as_deref() {
        Ok([quad]) if !matches!(problem(quad), Some(Problem::Iri(_))) => {
            sink.keep(Some(number), column, &reason(&error.to_string()))?;
            add(quad.clone(), sink);
            Ok(())
        }
        _ => sink.skip(Some(number), column, reason(&error.to_string())),
    }
}
