//! What a file holds: told by its name, unless its first bytes say plainly that it is something else.

use super::table::{self, Delimiter};
use oxigraph::io::{JsonLdProfileSet, RdfFormat, RdfParser};
use std::path::Path;

/// What can be read, for messages.
pub(super) const READABLE: &str = "Turtle (.ttl), N-Triples (.nt), N-Quads (.nq), TriG (.trig), RDF/XML (.rdf), JSON-LD (.jsonld) \
     or a table with subject, relation and object (.csv, .tsv), each also as .gz";

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// RDF with one fact a line.
    Lines(RdfFormat),
    /// Any other RDF.
    Document(RdfFormat),
    /// A table.
    Table(Delimiter),
}

impl Format {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines(format) | Self::Document(format) => format.name(),
            Self::Table(Delimiter::Tab) => "TSV",
            Self::Table(_) => "CSV",
        }
    }
}

const JSON_LD: RdfFormat = RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() };

/// The format of a file that begins with `head`.
///
/// # Errors
/// What it is instead, for a message.
pub(super) fn format_of(path: Option<&Path>, head: &[u8]) -> Result<Format, String> {
    if let Some(what) = no_text(head) {
        return Err(what);
    }
    let text = String::from_utf8_lossy(head);
    let start = without_comments(&text);
    let named = path.and_then(|path| by_name(path, head));
    if start.get(..14).is_some_and(|s| s.eq_ignore_ascii_case("<!doctype html"))
        || start.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("<html"))
    {
        return Err(format!("it is a web page, not data: fetch the file itself; readable are {READABLE}"));
    }
    Ok(plainly(start, head, named).or(named).unwrap_or_else(|| by_content(start, head)))
}

/// What a file is that is no text at all.
fn no_text(head: &[u8]) -> Option<String> {
    let known: [(&[u8], &str); 9] = [
        (b"PK\x03\x04", "it is a zip archive or an office document: unpack it, or save the sheet as CSV"),
        (b"%PDF", "it is a PDF document"),
        (b"\x89PNG", "it is a picture"),
        (b"BZh", "it is packed with bzip2: unpack it, or pack it with gzip"),
        (b"\xfd7zXZ", "it is packed with xz: unpack it, or pack it with gzip"),
        (b"\x28\xb5\x2f\xfd", "it is packed with zstd: unpack it, or pack it with gzip"),
        (b"\x1f\x8b", "it is packed twice: unpack it once"),
        (b"\xff\xfe", "it is UTF-16: save it as UTF-8"),
        (b"\xfe\xff", "it is UTF-16: save it as UTF-8"),
    ];
    if let Some((_, what)) = known.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(format!("{what}; readable are {READABLE}"));
    }
    let odd = head.iter().filter(|b| **b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x1b)).count();
    (odd > 2 + head.len() / 50).then(|| format!("it is no text; readable are {READABLE}"))
}

/// What follows blanks and lines that begin with `#`.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

fn by_name(path: &Path, head: &[u8]) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "ttl" | "turtle" | "n3" => Some(Format::Document(RdfFormat::Turtle)),
        "nt" | "ntriples" => Some(Format::Lines(RdfFormat::NTriples)),
        "nq" | "nquads" => Some(Format::Lines(RdfFormat::NQuads)),
        "trig" => Some(Format::Document(RdfFormat::TriG)),
        "rdf" | "owl" | "xml" => Some(Format::Document(RdfFormat::RdfXml)),
        "jsonld" | "json" => Some(Format::Document(JSON_LD)),
        "csv" => Some(Format::Table(table::sniff(head).unwrap_or(Delimiter::Comma))),
        "tsv" | "tab" if head.contains(&b'\t') => Some(Format::Table(Delimiter::Tab)),
        "tsv" | "tab" => Some(Format::Table(table::sniff(head).unwrap_or(Delimiter::Tab))),
        _ => None,
    }
}

/// What no other format can begin with, whatever the name says.
fn plainly(start: &str, head: &[u8], named: Option<Format>) -> Option<Format> {
    let word = |word: &str| start.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
    let after = |c: char| start.strip_prefix(c).map(str::trim_start);
    if start.starts_with("<?xml") || start.starts_with("<rdf:RDF") || word("<!doctype rdf") {
        return Some(Format::Document(RdfFormat::RdfXml));
    }
    // A graph or a list in TriG never begins so.
    if after('{').is_some_and(|s| s.starts_with(['"', '}'])) || after('[').is_some_and(|s| s.starts_with(['{', '"'])) {
        return Some(Format::Document(JSON_LD));
    }
    if word("@prefix ") || word("@base ") || ((word("prefix ") || word("base ")) && start.lines().next().is_some_and(|l| l.contains('<'))) {
        let same = named.filter(|format| matches!(format, Format::Document(RdfFormat::Turtle | RdfFormat::TriG)));
        // TriG holds Turtle.
        return Some(same.unwrap_or(Format::Document(RdfFormat::TriG)));
    }
    let other = matches!(named, None | Some(Format::Table(_) | Format::Document(RdfFormat::RdfXml | RdfFormat::JsonLd { .. })));
    (other && all_lines_are_facts(head)).then_some(Format::Lines(RdfFormat::NQuads))
}

/// Whether the whole lines of `head`, at least one of them, are N-Quads.
fn all_lines_are_facts(head: &[u8]) -> bool {
    let whole = match head.iter().rposition(|b| *b == b'\n') {
        Some(end) => &head[..=end],
        None => head,
    };
    let mut facts = RdfParser::from_format(RdfFormat::NQuads).for_slice(whole).peekable();
    facts.peek().is_some() && facts.all(|fact| fact.is_ok())
}

/// For a name that says nothing.
fn by_content(start: &str, head: &[u8]) -> Format {
    let rdf = start.starts_with(['<', '@', '_', '[', '(', '{']) || start.get(..6).is_some_and(|s| s.eq_ignore_ascii_case("graph "));
    match table::sniff(head) {
        Some(delimiter) if !rdf => Format::Table(delimiter),
        _ => Format::Document(RdfFormat::TriG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, head: &str) -> &'static str {
        format_of(Some(Path::new(name)), head.as_bytes()).unwrap().name()
    }

    #[test]
    fn the_name_decides_unless_the_content_is_plainly_something_else() {
        let fact = "<http://e/a> <http://e/p> <http://e/b> .\n";
        assert_eq!(of("a.NT.gz", fact), "N-Triples");
        assert_eq!(of("a.ttl", fact), "Turtle");
        assert_eq!(of("a.csv", fact), "N-Quads");
        assert_eq!(of("a", fact), "N-Quads");
        assert_eq!(of("a.nt", "# hello\n@prefix ex: <http://e/> .\n"), "TriG");
        assert_eq!(of("a.ttl", "PREFIX ex: <http://e/>\n"), "Turtle");
        assert_eq!(of("a.ttl", "\n<?xml version='1.0'?>"), "RDF/XML");
        assert_eq!(of("a.owl", "@prefix ex: <http://e/> ."), "TriG");
        assert_eq!(of("a.txt", "{ \"@id\": \"http://e/a\" }"), "JSON-LD");
        assert_eq!(of("a.xml", "[\n{\"@id\": 1}]"), "JSON-LD");
        assert_eq!(of("a", "[ ] <http://e/p> 1 ."), "TriG");
        assert_eq!(of("a.csv", "a,b,c\n"), "CSV");
        assert_eq!(of("a", "a\tb\tc\nd\te\tf\n"), "TSV");
        assert_eq!(of("a.trig", "{ <http://e/a> <http://e/p> 1 }"), "TriG");
    }

    #[test]
    fn what_is_no_data_is_named() {
        let why = |head: &[u8]| format_of(Some(Path::new("a.ttl")), head).unwrap_err();
        assert!(why(b"PK\x03\x04\x14\0").contains("save the sheet as CSV"));
        assert!(why(b"\xff\xfea\0,\0").contains("save it as UTF-8"));
        assert!(why(b"<!DOCTYPE html><html>").contains("web page"));
        assert!(why(b"\x7fELF\x02\x01\x01\0\0\0\0\0").contains("no text"));
    }
}
