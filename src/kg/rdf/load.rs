//! Loads files into one store: what is read by which reader, and what comes of it.

use super::format::{Format, READABLE, format_of};
use super::report::{Flaw, LoadReport};
use super::sink::Sink;
use super::source::{Input, Source};
use super::table::Tables;
use super::{document, lines};
use crate::kg::sparql::Prefixes;
use oxigraph::io::RdfFormat;
use oxigraph::store::{StorageError, Store};
use thiserror::Error;

/// Why files were not loaded. Every message names the file and says what to do.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read at all.
    #[error("cannot read {file}: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says, or what it is instead.
        why: String,
    },
    /// It breaks off or is damaged.
    #[error("{file} breaks off after {facts} facts ({why}): fetch or pack the file again")]
    Broken {
        /// The file.
        file: String,
        /// Facts read before.
        facts: u64,
        /// What the reader says.
        why: String,
    },
    /// It breaks the rules of its format, and no flaw is allowed.
    #[error("{}: {}; correct that line, or load without --strict, which skips and lists such lines", .0.place(), .0.why)]
    Flaw(Flaw),
    /// Nothing in it can be read.
    #[error("{}: {}; nothing in this file could be read as {format} ({skipped} such places): is it what its name says?", .first.place(), .first.why)]
    Nothing {
        /// The first flaw.
        first: Flaw,
        /// How many there are.
        skipped: u64,
        /// The format it was read as.
        format: &'static str,
    },
    /// There is no fact in it.
    #[error("{file} holds no facts: give a file with {READABLE}")]
    Empty {
        /// The file.
        file: String,
    },
    /// The store failed.
    #[error("the facts could not be stored: {why}")]
    Store {
        /// What the store says.
        why: String,
    },
}

impl From<StorageError> for LoadError {
    fn from(error: StorageError) -> Self {
        Self::Store { why: error.to_string() }
    }
}

/// How far the loading is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Facts read, of all files.
    pub facts: u64,
    /// The file that is being read.
    pub file: String,
    /// Its number, from 1.
    pub number: usize,
    /// How many files there are.
    pub of: usize,
}

/// Facts, the prefixes that their files declare, and what there is to say about the loading.
pub struct Loaded {
    /// The facts, in the default graph.
    pub store: Store,
    /// Where two files give one prefix two meanings, the first holds.
    pub prefixes: Prefixes,
    /// What was skipped.
    pub report: LoadReport,
}

/// Reads all of `source` into a new store, named graphs merged into one, the files' blank nodes kept apart. `progress`
/// is told from time to time how far it is. Blocks.
///
/// # Errors
/// [`LoadError`]: a file that is missing or no data; when nothing at all could be read; when strict, at the first flaw.
pub fn load(source: &Source, progress: &dyn Fn(&Progress)) -> Result<Loaded, LoadError> {
    let store = Store::new()?;
    let (files, strict, namespace) = match source {
        Source::Files { paths, strict, namespace } => (paths.len(), *strict, namespace.as_str()),
        Source::Memory { .. } => (1, true, "local:"),
    };
    let mut sink = Sink::new(store.start_transaction()?, files, strict, progress);
    let mut reading = Reading { prefixes: Prefixes::new(), tables: Tables::new(namespace), files };
    match source {
        Source::Memory { name, bytes } => {
            let input = Input::new((*name).to_owned(), Box::new(*bytes));
            let input = input.map_err(|error| LoadError::Unreadable { file: (*name).to_owned(), why: error.to_string() })?;
            reading.file(input, &mut sink)?;
        }
        Source::Files { paths, .. } => {
            for path in paths {
                reading.file(Input::file(path)?, &mut sink)?;
            }
        }
    }
    reading.tables.finish(&mut sink);
    let report = sink.finish()?;
    if report.facts == 0 {
        let file = if let Source::Files { paths, .. } = source {
            paths.iter().map(|path| super::source::shown(path)).collect::<Vec<_>>().join(", ")
        } else {
            String::new()
        };
        return Err(LoadError::Empty { file });
    }
    Ok(Loaded { store, prefixes: reading.prefixes, report })
}

/// What is kept between files.
struct Reading {
    prefixes: Prefixes,
    tables: Tables,
    files: usize,
}

impl Reading {
    fn file(&mut self, input: Input, sink: &mut Sink) -> Result<(), LoadError> {
        let file = input.name.clone();
        sink.begin(&file);
        let format = match input.head.iter().all(u8::is_ascii_whitespace) {
            // Nothing is in it, or it breaks off: this reader says which.
            true => Ok(Format::Lines(RdfFormat::NQuads)),
            false => format_of(input.path.as_deref(), &input.head),
        };
        let format = format.map_err(|why| LoadError::Unreadable { file: file.clone(), why })?;
        match format {
            Format::Lines(rdf) => lines::read(input.reader, rdf, sink)?,
            Format::Document(rdf) => {
                for (prefix, namespace) in document::read(input, rdf, sink)? {
                    self.prefixes.entry(prefix).or_insert(namespace);
                }
            }
            Format::Table(delimiter) => self.tables.read(input, delimiter, sink)?,
        }
        if sink.facts() > 0 {
            return Ok(());
        }
        match sink.take_first_flaw() {
            Some(first) => Err(LoadError::Nothing { first, skipped: sink.skipped(), format: format.name() }),
            None => self.nothing(file, "it holds no facts", sink),
        }
    }

    /// One empty file among several is only worth a note.
    fn nothing(&self, file: String, note: &str, sink: &mut Sink) -> Result<(), LoadError> {
        if sink.is_strict() || self.files == 1 {
            return Err(LoadError::Empty { file });
        }
        sink.note(note);
        Ok(())
    }
}
