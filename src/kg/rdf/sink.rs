//! Where what was read goes: facts into the store, flaws into the report or, when strict, into an error.

use super::load::{LoadError, Progress};
use super::report::{Flaw, LoadReport};
use oxigraph::model::{BlankNode, GraphNameRef, NamedNode, NamedOrBlankNode, QuadRef, Term};
use oxigraph::store::Transaction;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Facts between two looks at the clock.
const LOOK: u64 = 4096;
/// Between two reports of progress.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes what the readers of one graph find. Named graphs are merged into one.
pub(super) struct Sink<'a> {
    transaction: Transaction<'a>,
    progress: &'a dyn Fn(&Progress),
    at: Progress,
    said: Instant,
    strict: bool,
    report: LoadReport,
    /// Blank nodes of the present file, numbered as they came: they are the same at every load, and no other file's.
    blanks: HashMap<BlankNode, usize>,
    /// Facts and skipped places of the files before this one.
    before: (u64, u64),
    /// The first flaw of the present file.
    first: Option<Flaw>,
}

impl<'a> Sink<'a> {
    /// For a graph that is made of `files` files.
    pub fn new(transaction: Transaction<'a>, files: usize, strict: bool, progress: &'a dyn Fn(&Progress)) -> Self {
        Self {
            transaction,
            progress,
            at: Progress { facts: 0, file: String::new(), number: 0, of: files },
            said: Instant::now(),
            strict,
            report: LoadReport::default(),
            blanks: HashMap::new(),
            before: (0, 0),
            first: None,
        }
    }

    /// The next file.
    pub fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.at.file);
        self.at.number += 1;
        self.blanks.clear();
        self.before = (self.report.facts, self.report.skipped);
        self.first = None;
        self.say();
    }

    fn say(&mut self) {
        self.said = Instant::now();
        self.at.facts = self.report.facts;
        (self.progress)(&self.at);
    }

    /// Whether the first flaw ends the loading.
    pub const fn is_strict(&self) -> bool {
        self.strict
    }

    /// Facts of the present file so far.
    pub const fn facts(&self) -> u64 {
        self.report.facts - self.before.0
    }

    /// Skipped places of the present file so far.
    pub const fn skipped(&self) -> u64 {
        self.report.skipped - self.before.1
    }

    /// The first flaw of the present file.
    pub fn take_first_flaw(&mut self) -> Option<Flaw> {
        self.first.take()
    }

    /// Stores a fact that was read.
    pub fn add(&mut self, subject: NamedOrBlankNode, predicate: &NamedNode, object: Term) {
        self.store(subject, predicate, object);
        self.count();
    }

    /// Counts a fact that is stored later.
    pub fn count(&mut self) {
        self.report.facts += 1;
        if self.report.facts.is_multiple_of(LOOK) && self.said.elapsed() >= PAUSE {
            self.say();
        }
    }

    /// Stores a fact that is counted already, or that no file says.
    pub fn store(&mut self, subject: NamedOrBlankNode, predicate: &NamedNode, object: Term) {
        let subject = match subject {
            NamedOrBlankNode::BlankNode(node) => self.blank(node).into(),
            named @ NamedOrBlankNode::NamedNode(_) => named,
        };
        let object = match object {
            Term::BlankNode(node) => self.blank(node).into(),
            other => other,
        };
        self.transaction.insert(QuadRef::new(&subject, predicate, &object, GraphNameRef::DefaultGraph));
    }

    fn blank(&mut self, node: BlankNode) -> BlankNode {
        let next = self.blanks.len();
        let number = self.blanks.entry(node).or_insert(next);
        BlankNode::new_unchecked(format!("f{}b{number}", self.at.number))
    }

    /// A place that cannot be read is skipped.
    ///
    /// # Errors
    /// When strict, the flaw.
    pub fn skip(&mut self, line: Option<u64>, column: Option<u64>, why: impl Into<String>) -> Result<(), LoadError> {
        self.flaw(line, column, why.into())?;
        self.report.skipped += 1;
        Ok(())
    }

    /// A line that breaks a rule is taken as it stands.
    ///
    /// # Errors
    /// When strict, the flaw.
    pub fn keep(&mut self, line: Option<u64>, column: Option<u64>, why: &str) -> Result<(), LoadError> {
        self.flaw(line, column, format!("{why}: kept as written"))?;
        self.report.kept += 1;
        Ok(())
    }

    fn flaw(&mut self, line: Option<u64>, column: Option<u64>, why: String) -> Result<(), LoadError> {
        let flaw = Flaw { file: self.at.file.clone(), line, column, why };
        if self.strict {
            return Err(LoadError::Flaw(flaw));
        }
        self.first.get_or_insert_with(|| flaw.clone());
        self.report.list(flaw);
        Ok(())
    }

    /// The present file ends before its end.
    ///
    /// # Errors
    /// When strict, or when nothing was read before.
    pub fn breaks_off(&mut self, why: &str) -> Result<(), LoadError> {
        let (file, facts) = (self.at.file.clone(), self.facts());
        if self.strict || facts == 0 {
            return Err(LoadError::Broken { file, facts, why: why.to_owned() });
        }
        let facts = crate::kg::thousands(facts);
        self.report.notes.push(format!("{file} BREAKS OFF after {facts} facts ({why}): the rest is missing; fetch or pack the file again"));
        Ok(())
    }

    /// Something else that a person has to know about the present file.
    pub fn note(&mut self, note: &str) {
        self.report.notes.push(format!("{}: {note}", self.at.file));
    }

    /// All is read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn finish(self) -> Result<LoadReport, LoadError> {
        let store = |error: oxigraph::store::StorageError| LoadError::Store { why: error.to_string() };
        self.transaction.commit().map_err(store)?;
        Ok(self.report)
    }
}
