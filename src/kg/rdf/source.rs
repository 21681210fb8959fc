//! Where facts come from: files, packed or not, or a text that is compiled in.

use super::format::READABLE;
use super::load::LoadError;
use crate::text;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// Bytes looked at to tell what a file is.
const PEEK: usize = 1 << 16;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Where a graph comes from.
pub enum Source {
    /// Files, which make one graph together.
    Files {
        /// The files.
        paths: Vec<PathBuf>,
        /// Whether the first bad line refuses them all; else such lines are skipped and listed.
        strict: bool,
        /// What names in tables, which are no IRIs, are put below.
        namespace: String,
    },
    /// A text that is compiled in, in Turtle, possibly packed.
    Memory {
        /// What messages call it.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
}

impl Source {
    /// The files of the KG `kg`.
    #[must_use]
    pub fn files(kg: &str, paths: Vec<PathBuf>, strict: bool) -> Self {
        Self::Files { paths, strict, namespace: super::table::namespace(kg) }
    }
}

/// One text to be read: unpacked, without a byte order mark.
pub(super) struct Input<'a> {
    /// What messages call it.
    pub name: String,
    /// Where it is, if it is a file.
    pub path: Option<PathBuf>,
    /// The first bytes of what `reader` will give.
    pub head: Vec<u8>,
    /// All bytes. A file that breaks off ends with an error.
    pub reader: Box<dyn Read + 'a>,
}

impl<'a> Input<'a> {
    /// Opens a file.
    pub fn file(path: &Path) -> Result<Self, LoadError> {
        let name = shown(path);
        let unreadable = |why: String| LoadError::Unreadable { file: name.clone(), why };
        let about = std::fs::metadata(path).map_err(|error| unreadable(explain(&error)))?;
        if about.is_dir() {
            return Err(unreadable(format!("it is a folder; give files: {READABLE}")));
        }
        let file = File::open(path).map_err(|error| unreadable(explain(&error)))?;
        let mut input = Self::new(name.clone(), Box::new(file)).map_err(|error| unreadable(error.to_string()))?;
        input.path = Some(path.to_owned());
        Ok(input)
    }

    /// Unpacks `reader` if it is packed.
    pub fn new(name: String, reader: Box<dyn Read + 'a>) -> io::Result<Self> {
        let (head, reader) = peek(reader);
        let packed = head.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn Read + 'a> = if packed { Box::new(MultiGzDecoder::new(reader)) } else { reader };
        let (mut head, mut reader) = peek(reader);
        if head.starts_with(BOM) {
            reader.read_exact(&mut [0; 3])?;
            head.drain(..BOM.len());
        }
        Ok(Self { name, path: None, head, reader })
    }
}

/// A file as messages name it.
pub(super) fn shown(path: &Path) -> String {
    text::one_line(&path.display().to_string())
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the path after `file:`".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// The first bytes, and a reader that gives all of them. An error in between comes in its place.
fn peek<'a>(mut reader: Box<dyn Read + 'a>) -> (Vec<u8>, Box<dyn Read + 'a>) {
    let mut head = vec![0; PEEK];
    let mut filled = 0;
    let mut failed = None;
    while filled < PEEK {
        match reader.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    head.truncate(filled);
    let rest: Box<dyn Read + 'a> = match failed {
        Some(error) => Box::new(Failing(Some(error))),
        None => reader,
    };
    (head.clone(), Box::new(Cursor::new(head).chain(rest)))
}

/// Gives an error once, then nothing.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The IRI that relative IRIs in a file start from.
pub(super) fn base_iri(path: &Path) -> Option<String> {
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
