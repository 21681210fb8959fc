//! Reads the rows of tables, and gives names to what has none.

use super::cell::{self, is_long, label, like_iri, typed};
use super::header::{About, Aside, Column, Layout, about};
use super::sniff::Delimiter;
use crate::kg::rdf::load::LoadError;
use crate::kg::rdf::sink::Sink;
use crate::kg::rdf::source::Input;
use csv::{ByteRecord, ReaderBuilder};
use indexmap::IndexMap;
use oxigraph::model::{Literal, NamedNode, NamedNodeRef, Term, vocab::rdfs};
use std::collections::HashMap;

const ALT_LABEL: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#altLabel");
const DESCRIPTION: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://schema.org/description");

/// What is known of a name so far.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Facts begin at it.
    subject: bool,
    /// The tables give it a label.
    labelled: bool,
}

/// The tables of one graph. What they say is in the store only after [`Tables::finish`].
pub(in crate::kg::rdf) struct Tables {
    /// Of names that are no IRI.
    namespace: String,
    names: IndexMap<Box<str>, Known>,
    /// Facts whose object is a number: whether that is an id is known at the end.
    waiting: Vec<(usize, usize, Box<str>)>,
}

/// What is wrong with a row.
type Flaw = String;

impl Tables {
    /// No table yet.
    pub fn new(namespace: &str) -> Self {
        Self { namespace: namespace.to_owned(), names: IndexMap::new(), waiting: Vec::new() }
    }

    fn node(&self, cell: &str) -> Result<NamedNode, Flaw> {
        cell::node(&self.namespace, cell)
    }

    /// Reads a table.
    ///
    /// # Errors
    /// A table without a meaning; when strict, the first flaw or a file that breaks off.
    pub fn read(&mut self, input: Input, delimiter: Delimiter, sink: &mut Sink) -> Result<(), LoadError> {
        let builder = &mut ReaderBuilder::new();
        let mut reader = builder.delimiter(delimiter.byte()).has_headers(false).flexible(true).from_reader(input.reader);
        let (mut row, mut layout, mut width) = (ByteRecord::new(), None, 0);
        loop {
            match reader.read_byte_record(&mut row) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => return sink.breaks_off(&error.to_string()),
            }
            let line = row.position().map_or(0, csv::Position::line);
            if row.iter().all(<[u8]>::is_empty) {
                continue;
            }
            let cells = match cells(&row) {
                Ok(cells) => cells,
                Err(why) => {
                    sink.skip(Some(line), None, why)?;
                    continue;
                }
            };
            let Some(layout) = &layout else {
                width = cells.len();
                let header = Layout::of(&cells);
                if header.is_none() {
                    bare(&input.name, &cells)?;
                    self.row(&Layout::BARE, &cells, sink).or_else(|why| sink.skip(Some(line), None, why))?;
                }
                let known = header.unwrap_or(Layout::BARE);
                unread(&known, sink);
                layout = Some(known);
                continue;
            };
            let done = if cells.len() == width {
                self.row(layout, &cells, sink)
            } else {
                let end = reader.position().line();
                let lines =
                    if end > line + 1 { format!(" (the row goes on to line {}: is a quote missing?)", end - 1) } else { String::new() };
                let cells = if cells.len() == 1 { "1 cell".to_owned() } else { format!("{} cells", cells.len()) };
                Err(format!("has {cells} where the first row has {width}{lines}"))
            };
            done.or_else(|why| sink.skip(Some(line), None, why))?;
        }
    }

    fn row(&mut self, layout: &Layout, cells: &[&str], sink: &mut Sink) -> Result<(), Flaw> {
        match layout {
            Layout::Facts { ends, asides, .. } => self.fact(*ends, asides, cells, sink),
            Layout::Entities { columns } => self.entity(columns, cells, sink),
        }
    }

    fn fact(&mut self, ends: [usize; 3], asides: &[Aside], cells: &[&str], sink: &mut Sink) -> Result<(), Flaw> {
        let [subject, relation, object] = ends.map(|end| cells[end]);
        for (cell, what) in [(subject, "subject"), (relation, "relation"), (object, "object")] {
            if cell.is_empty() {
                return Err(format!("the {what} is empty"));
            }
        }
        let s = self.node(subject)?;
        if let Some(about) = about(relation).filter(|_| !like_iri(relation)) {
            self.text(subject, &s, about, None, object, sink);
            self.know(subject).subject = true;
            return Ok(());
        }
        let r = self.node(relation)?;
        // A label or description under its full IRI is a text all the same.
        let is_text = is_long(object) || (like_iri(relation) && about(local_name(relation)).is_some());
        let is_thing = !is_text && typed(object).is_none();
        if is_thing {
            sink.add(s.clone().into(), &r, self.node(object)?.into());
            self.know(object);
        } else if is_text {
            sink.add(s.clone().into(), &r, Literal::new_simple_literal(object).into());
        } else {
            let (at, over) = (self.place(subject), self.place(relation));
            self.waiting.push((at, over, object.into()));
            sink.count();
        }
        self.know(subject).subject = true;
        self.know(relation);
        for aside in asides.iter().filter(|aside| aside.of != ends[2] || is_thing) {
            let name = cells[aside.of];
            let node = self.node(name)?;
            self.text(name, &node, aside.about, aside.lang.as_deref(), cells[aside.column], sink);
        }
        Ok(())
    }

    fn entity(&mut self, columns: &[Column], cells: &[&str], sink: &mut Sink) -> Result<(), Flaw> {
        let id = cells[0];
        if id.is_empty() {
            return Err("the id is empty".to_owned());
        }
        let s = self.node(id)?;
        self.know(id).subject = true;
        let mut bad = None;
        for (column, cell) in columns.iter().zip(&cells[1..]) {
            let relation = match column {
                Column::Nameless => continue,
                Column::Text(About::Alias, lang) => {
                    parts(cell).for_each(|part| self.text(id, &s, About::Alias, lang.as_deref(), part, sink));
                    continue;
                }
                Column::Text(about, lang) => {
                    self.text(id, &s, *about, lang.as_deref(), cell, sink);
                    continue;
                }
                Column::Relation(relation) => relation,
            };
            let r = self.node(relation)?;
            let values: Vec<&str> = if is_long(cell) { vec![cell] } else { parts(cell).collect() };
            for value in values {
                self.know(relation);
                let object: Term = match typed(value) {
                    Some(literal) => literal.into(),
                    None if is_long(value) => Literal::new_simple_literal(value).into(),
                    None => match self.node(value) {
                        Ok(node) => {
                            self.know(value);
                            node.into()
                        }
                        Err(why) => {
                            bad = Some(why);
                            continue;
                        }
                    },
                };
                sink.add(s.clone().into(), &r, object);
            }
        }
        bad.map_or(Ok(()), Err)
    }

    fn know(&mut self, name: &str) -> &mut Known {
        let at = self.place(name);
        &mut self.names[at]
    }

    fn place(&mut self, name: &str) -> usize {
        match self.names.get_index_of(name) {
            Some(at) => at,
            None => self.names.insert_full(name.into(), Known::default()).0,
        }
    }

    fn text(&mut self, name: &str, node: &NamedNode, about: About, lang: Option<&str>, text: &str, sink: &mut Sink) {
        if text.is_empty() {
            return;
        }
        let tagged = lang.and_then(|lang| Literal::new_language_tagged_literal(text, lang).ok());
        let literal = tagged.unwrap_or_else(|| Literal::new_simple_literal(text));
        let predicate = match about {
            About::Label => {
                self.know(name).labelled = true;
                rdfs::LABEL
            }
            About::Alias => ALT_LABEL,
            About::Description => DESCRIPTION,
        };
        sink.add(node.clone().into(), &predicate.into_owned(), literal.into());
    }

    /// Stores what could be told only now: numbers that are ids, and the labels of names that were given none.
    pub fn finish(mut self, sink: &mut Sink) {
        let mut all_known: HashMap<usize, bool> = HashMap::new();
        for (_, relation, object) in &self.waiting {
            let is_id = self.names.get(object).is_some_and(|known| known.subject);
            *all_known.entry(*relation).or_insert(true) &= is_id;
        }
        for (subject, relation, object) in std::mem::take(&mut self.waiting) {
            let name = |at: usize| self.names.get_index(at).map_or("", |(name, _)| name);
            let (Ok(s), Ok(r)) = (self.node(name(subject)), self.node(name(relation))) else { continue };
            let object: Term = match (all_known.get(&relation), typed(&object), self.node(&object)) {
                (Some(false), Some(literal), _) | (_, Some(literal), Err(_)) => literal.into(),
                (_, _, Ok(node)) => node.into(),
                (_, None, Err(_)) => Literal::new_simple_literal(&*object).into(),
            };
            sink.store(s.into(), &r, object);
        }
        let label_of = rdfs::LABEL.into_owned();
        for (name, _) in self.names.iter().filter(|(name, known)| !known.labelled && !like_iri(name)) {
            if let Ok(node) = self.node(name) {
                sink.store(node.into(), &label_of, Literal::new_simple_literal(label(name)).into());
            }
        }
    }
}

/// The cells of a row, without the blanks around them.
fn cells(row: &ByteRecord) -> Result<Vec<&str>, Flaw> {
    let cell = |(column, bytes): (usize, &'_ [u8])| -> Result<(), Flaw> {
        let text = std::str::from_utf8(bytes).map_err(|_| format!("cell {} is not UTF-8: save the table as UTF-8", column + 1))?;
        if text.contains('\0') { Err(format!("cell {} holds a NUL byte", column + 1)) } else { Ok(()) }
    };
    row.iter().enumerate().try_for_each(cell)?;
    Ok(row.iter().map(|bytes| unwrapped(std::str::from_utf8(bytes).unwrap_or_default().trim())).collect())
}

/// `<http://...>` without the brackets.
fn unwrapped(cell: &str) -> &str {
    cell.strip_prefix('<').and_then(|cell| cell.strip_suffix('>')).filter(|inner| like_iri(inner)).unwrap_or(cell)
}

/// The values of a cell.
fn parts(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('|').map(str::trim).filter(|part| !part.is_empty())
}

fn local_name(iri: &str) -> &str {
    iri.rsplit(['#', '/', ':']).next().unwrap_or(iri)
}

/// Whether rows like the first can be read without a header.
fn bare(file: &str, first: &[&str]) -> Result<(), LoadError> {
    if first.len() == 3 {
        return Ok(());
    }
    let why = format!(
        "its first line has {} cells and is no header that is understood: begin with `subject,relation,object` (one fact a line) or with `id` \
         and one column for each relation (one thing a line), or give three columns without a header",
        first.len()
    );
    Err(LoadError::Unreadable { file: file.to_owned(), why })
}

fn unread(layout: &Layout, sink: &mut Sink) {
    match layout {
        Layout::Facts { unread, .. } if !unread.is_empty() => sink.note(&format!("columns that are not read: {}", unread.join(", "))),
        Layout::Entities { columns } if columns.contains(&Column::Nameless) => sink.note("a column without a name is not read"),
        _ => {}
    }
}
