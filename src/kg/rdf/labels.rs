//! All names of a store, for search without reading the store each time.

use crate::kg::sparql::{Fit, Hit, Matcher, fold, label_predicates};
use oxigraph::model::{NamedNode, NamedOrBlankNode, Term};
use oxigraph::store::{StorageError, Store};
use std::collections::{HashMap, HashSet};

/// One name of one thing.
struct Name {
    thing: u32,
    text: Box<str>,
    /// `None` where it is the same as the text.
    folded: Option<Box<str>>,
    alias: bool,
}

impl Name {
    fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.text)
    }
}

/// The names of a store, by their folded text.
#[derive(Default)]
pub struct LabelIndex {
    things: Vec<Box<str>>,
    names: Vec<Name>,
    exact: HashMap<Box<str>, Vec<u32>>,
}

impl LabelIndex {
    /// Of all labels and aliases in `store`, in every language.
    ///
    /// # Errors
    /// Those of the store.
    pub fn of(store: &Store) -> Result<Self, StorageError> {
        let mut index = Self::default();
        let mut things: HashMap<NamedNode, u32> = HashMap::new();
        let mut seen: HashSet<(u32, Box<str>)> = HashSet::new();
        for (predicate, alias) in label_predicates() {
            let predicate = NamedNode::new_unchecked(predicate);
            for quad in store.quads_for_pattern(None, Some(predicate.as_ref()), None, None) {
                let quad = quad?;
                let (NamedOrBlankNode::NamedNode(subject), Term::Literal(literal)) = (quad.subject, quad.object) else { continue };
                let text: Box<str> = literal.value().into();
                let next = u32::try_from(index.things.len()).unwrap_or(u32::MAX);
                let thing = *things.entry(subject).or_insert_with_key(|iri| {
                    index.things.push(iri.as_str().into());
                    next
                });
                if seen.insert((thing, text.clone())) {
                    index.add(thing, text, alias);
                }
            }
        }
        Ok(index)
    }

    fn add(&mut self, thing: u32, text: Box<str>, alias: bool) {
        let folded: Box<str> = fold(&text).into();
        if folded.is_empty() {
            return;
        }
        let at = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.exact.entry(folded.clone()).or_default().push(at);
        let folded = (folded != text).then_some(folded);
        self.names.push(Name { thing, text, folded, alias });
    }

    /// Names like `mention`: every name that is the same but for case, marks, article or the like, then the shortest of
    /// those that hold it, to at most `limit` of the latter.
    pub fn find(&self, mention: &str, limit: usize) -> Vec<Hit> {
        let matcher = Matcher::new(mention);
        let mut found: Vec<u32> = Vec::new();
        for folded in matcher.folded() {
            for at in self.exact.get(folded.as_str()).into_iter().flatten() {
                if !found.contains(at) {
                    found.push(*at);
                }
            }
        }
        let mut partly: Vec<(Fit, usize, u32)> = Vec::new();
        for (at, name) in (0..).zip(&self.names) {
            if let Some(fit @ (Fit::Prefix | Fit::Phrase | Fit::Words)) = matcher.fit(&name.text, name.folded()) {
                partly.push((fit, name.text.len(), at));
            }
        }
        let key = |(fit, length, at): &(Fit, usize, u32)| (*fit, *length, &self.things[self.names[*at as usize].thing as usize], *at);
        partly.sort_by(|a, b| key(a).cmp(&key(b)));
        found.extend(partly.into_iter().take(limit).map(|(_, _, at)| at));
        found.into_iter().map(|at| self.hit(at)).collect()
    }

    fn hit(&self, at: u32) -> Hit {
        let name = &self.names[at as usize];
        Hit { iri: self.things[name.thing as usize].to_string(), name: name.text.to_string(), alias: name.alias }
    }
}
