//! Reads an RDF file into a store: Turtle, N-Triples, N-Quads, TriG or RDF/XML, packed with gzip or not.

use crate::kg::sparql::Prefixes;
use crate::text;
use flate2::read::MultiGzDecoder;
use oxigraph::io::{RdfFormat, RdfParseError, RdfParser};
use oxigraph::model::{GraphName, Quad};
use oxigraph::store::{LoaderError, Store};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Bytes looked at to tell what a file is.
const PEEK: usize = 4096;
/// What can be read, for messages.
const READABLE: &str = "Turtle (.ttl), N-Triples (.nt), N-Quads (.nq), TriG (.trig) or RDF/XML (.rdf), each also as .gz";

/// Why a file was not loaded. Every message names the file and says what to do.
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
    /// It breaks the rules of its format.
    #[error(
        "{file}, line {line}, column {column}: {why}; correct that line, or convert the file with an RDF tool that repairs it ({format} is expected)"
    )]
    Syntax {
        /// The file.
        file: String,
        /// From 1.
        line: u64,
        /// From 1, in characters.
        column: u64,
        /// What is wrong.
        why: String,
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
    #[error("{file} could not be stored: {why}")]
    Store {
        /// The file.
        file: String,
        /// What the store says.
        why: String,
    },
}

/// Where RDF comes from.
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A text that is compiled in, in Turtle, possibly packed.
    Memory {
        /// What messages call it.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
}

/// Reads all of `source` into a new store, named graphs merged into one. Returns it with the prefixes that the source
/// declares. `progress` is told the number of facts from time to time. Blocks.
///
/// # Errors
/// [`LoadError`]; a source with an error in it is not loaded in part.
pub fn load(source: Source, progress: impl Fn(u64) + Send + Sync + 'static) -> Result<(Store, Prefixes), LoadError> {
    match source {
        Source::Memory { name, bytes } => read(name, None, Box::new(bytes), progress),
        Source::File(path) => {
            let name = text::one_line(&path.display().to_string());
            let unreadable = |why: String| LoadError::Unreadable { file: name.clone(), why };
            let about = std::fs::metadata(&path).map_err(|error| unreadable(explain(&error)))?;
            if about.is_dir() {
                return Err(unreadable(format!("it is a folder; give one file with {READABLE}")));
            }
            let file = File::open(&path).map_err(|error| unreadable(explain(&error)))?;
            read(&name, Some(&path), Box::new(file), progress)
        }
    }
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the path after `file:`".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn read(
    name: &str,
    path: Option<&Path>,
    reader: Box<dyn Read + '_>,
    progress: impl Fn(u64) + Send + Sync + 'static,
) -> Result<(Store, Prefixes), LoadError> {
    let file = name.to_owned();
    let unreadable = |why: String| LoadError::Unreadable { file: file.clone(), why };
    let (head, reader) = peek(reader).map_err(|error| unreadable(error.to_string()))?;
    let packed = head.starts_with(&[0x1f, 0x8b]);
    let reader: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(reader)) } else { reader };
    let (head, reader) = peek(reader).map_err(|error| LoadError::Broken { file: file.clone(), facts: 0, why: error.to_string() })?;
    if head.iter().all(u8::is_ascii_whitespace) {
        return Err(LoadError::Empty { file });
    }
    let format = format_of(path, &head).ok_or_else(|| unreadable(format!("it is no RDF text; give a file with {READABLE}")))?;
    let mut parser = RdfParser::from_format(format);
    if let Some(base) = path.and_then(base_iri)
        && let Ok(with_base) = parser.clone().with_base_iri(base)
    {
        parser = with_base;
    }
    let store = Store::new().map_err(|error| LoadError::Store { file: file.clone(), why: error.to_string() })?;
    let mut quads = parser.for_reader(BufReader::with_capacity(1 << 16, reader));
    let mut facts = 0;
    let mut loader = store.bulk_loader().on_progress(progress);
    let merged = quads.by_ref().map(|quad| {
        facts += 1;
        quad.map(|quad| Quad::new(quad.subject, quad.predicate, quad.object, GraphName::DefaultGraph))
    });
    loader.load_ok_quads::<RdfParseError, LoaderError>(merged).map_err(|error| failure(&file, facts, format, error))?;
    if facts == 0 {
        return Err(LoadError::Empty { file });
    }
    loader.commit().map_err(|error| LoadError::Store { file: file.clone(), why: error.to_string() })?;
    let prefixes = quads.prefixes().map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned())).collect();
    Ok((store, prefixes))
}

fn peek<'a>(mut reader: Box<dyn Read + 'a>) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut head = Vec::with_capacity(PEEK);
    reader.by_ref().take(PEEK as u64).read_to_end(&mut head)?;
    let whole = io::Cursor::new(head.clone()).chain(reader);
    Ok((head, Box::new(whole)))
}

/// The format by the file's name, else by its first bytes. `None` for what is no text.
fn format_of(path: Option<&Path>, head: &[u8]) -> Option<RdfFormat> {
    if head.contains(&0) {
        return None;
    }
    let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let start = String::from_utf8_lossy(head);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "ttl" | "turtle" | "n3" => Some(RdfFormat::Turtle),
        "nt" | "ntriples" => Some(RdfFormat::NTriples),
        "nq" | "nquads" => Some(RdfFormat::NQuads),
        "trig" => Some(RdfFormat::TriG),
        "rdf" | "owl" | "xml" => Some(RdfFormat::RdfXml),
        _ if start.starts_with("<?xml") || start.starts_with("<rdf:RDF") => Some(RdfFormat::RdfXml),
        // Turtle holds N-Triples, and TriG holds both.
        _ => Some(RdfFormat::TriG),
    }
}

/// The IRI that relative IRIs in the file start from.
fn base_iri(path: &Path) -> Option<String> {
    let absolute = std::path::absolute(path).ok()?;
    let mut iri = String::from("file://");
    for byte in absolute.to_str()?.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => iri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => iri.push(char::from(byte)),
            byte => iri.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(iri)
}

fn failure(file: &str, facts: u64, format: RdfFormat, error: LoaderError) -> LoadError {
    let file = file.to_owned();
    match error {
        LoaderError::Parsing(RdfParseError::Syntax(error)) => {
            let why = error.to_string();
            // The parser's message may begin with its own position; ours stands in front already.
            let why = why.split_once(": ").filter(|(head, _)| head.starts_with("Parser error at")).map_or(why.as_str(), |(_, rest)| rest);
            let why = text::one_line(why);
            let why = text::cut(&why, 200).into_owned();
            match error.location() {
                Some(at) => LoadError::Syntax { file, line: at.start.line + 1, column: at.start.column + 1, why, format: format.name() },
                None => LoadError::Unreadable { file, why: format!("{why} ({} is expected)", format.name()) },
            }
        }
        LoaderError::Parsing(RdfParseError::Io(error)) => {
            LoadError::Broken { file, facts: facts.saturating_sub(1), why: error.to_string() }
        }
        other => LoadError::Store { file, why: other.to_string() },
    }
}
