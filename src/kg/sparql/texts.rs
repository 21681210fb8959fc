//! Labels and descriptions as part of a query for something else, so that they cost no request of their own.

use super::table::Table;
use super::term::{Iri, literal};
use super::vocabulary::Vocabulary;
use std::collections::HashMap;

/// A name of a thing, with how good it is: by language first, then by predicate, then by its own order.
type Graded = (usize, usize, String);

/// What things are called, by IRI.
#[derive(Debug, Default)]
pub struct Texts {
    labels: HashMap<String, Graded>,
    descriptions: HashMap<String, Graded>,
}

/// The variables that [`patterns`] binds.
pub const COLUMNS: &str = "?t ?tp ?d ?dp ?u ?up";

/// Patterns that bind, where there is such a text of `?x`: `?t` to a label in a language of the chain (`?tp` is its
/// predicate), `?d` and `?dp` to a description, `?u` and `?up` to a label in any other language when there is none in
/// the chain. They stand behind what binds `?x`. (As alternatives, engines would read every label of the graph.)
pub fn patterns(vocabulary: &Vocabulary) -> String {
    let chain: Vec<String> = vocabulary.languages.chain().iter().map(|lang| literal(lang, "")).collect();
    let spoken = |var: &str| format!("LCASE(LANG(?{var})) IN ({})", chain.join(", "));
    [
        optional("t", vocabulary.labels(), &spoken("t")),
        optional("d", vocabulary.descriptions(), &spoken("d")),
        optional("u", vocabulary.labels(), "!BOUND(?t) && ISLITERAL(?u)"),
    ]
    .join(" ")
}

fn optional(var: &str, predicates: &[&str], test: &str) -> String {
    let known = predicates.iter().filter_map(|name| Iri::new(name));
    let parts: Vec<String> = known.map(|p| format!("{{ ?x {p} ?{var} . BIND({p} AS ?{var}p) }}")).collect();
    format!("OPTIONAL {{ {} FILTER({test}) }}", parts.join(" UNION "))
}

impl Texts {
    /// Takes the texts of every row of a table with the columns `x` and [`COLUMNS`].
    pub fn read(&mut self, table: &Table, vocabulary: &Vocabulary) {
        let any = vocabulary.languages.chain().len();
        for [x, t, tp, d, dp, u, up] in table.pick(["x", "t", "tp", "d", "dp", "u", "up"]) {
            let Some(x) = x.map(super::Term::text) else { continue };
            let rank = |lang: &str| vocabulary.languages.rank(lang);
            if let (Some(t), Some(p)) = (t, tp) {
                keep(&mut self.labels, x, t.text(), vocabulary.labels(), p.text(), rank(t.lang()));
            }
            if let (Some(d), Some(p)) = (d, dp) {
                keep(&mut self.descriptions, x, d.text(), vocabulary.descriptions(), p.text(), rank(d.lang()));
            }
            if let (Some(u), Some(p)) = (u, up) {
                keep(&mut self.labels, x, u.text(), vocabulary.labels(), p.text(), any);
            }
        }
    }

    /// Takes in texts one by one (`?x ?p ?t`); `labels` are the predicates that hold a label, best first.
    pub fn read_said(&mut self, table: &Table, labels: &[Iri], vocabulary: &Vocabulary) {
        let labels: Vec<&str> = labels.iter().map(Iri::as_str).collect();
        for [x, p, t] in table.pick(["x", "p", "t"]) {
            let (Some(x), Some(p), Some(t)) = (x, p, t) else { continue };
            let rank = vocabulary.languages.rank(t.lang());
            keep(&mut self.labels, x.text(), t.text(), &labels, p.text(), rank);
            keep(&mut self.descriptions, x.text(), t.text(), vocabulary.descriptions(), p.text(), rank);
        }
    }

    /// Takes in what `more` knows.
    pub fn extend(&mut self, more: Self) {
        self.labels.extend(more.labels);
        self.descriptions.extend(more.descriptions);
    }

    /// The best label of all things at `iris`.
    pub fn best_label<'a>(&self, iris: impl IntoIterator<Item = &'a str>) -> Option<&str> {
        let labels = iris.into_iter().filter_map(|iri| self.labels.get(iri));
        labels.min_by_key(|(rank, _, text)| (*rank, text)).map(|(_, _, text)| text.as_str())
    }

    /// Labels, then descriptions, by IRI.
    pub fn into_pairs(self) -> [Vec<(String, String)>; 2] {
        [self.labels, self.descriptions].map(|texts| texts.into_iter().map(|(iri, (_, _, text))| (iri, text)).collect())
    }

    /// The label of the thing at `iri`.
    pub fn label(&self, iri: &str) -> Option<&str> {
        self.labels.get(iri).map(|(_, _, text)| text.as_str())
    }

    /// Its description.
    pub fn description(&self, iri: &str) -> Option<&str> {
        self.descriptions.get(iri).map(|(_, _, text)| text.as_str())
    }
}

fn keep(kept: &mut HashMap<String, Graded>, x: &str, text: &str, predicates: &[&str], predicate: &str, rank: usize) {
    let Some(place) = predicates.iter().position(|name| *name == predicate) else { return };
    if text.trim().is_empty() {
        return;
    }
    let graded = (rank, place, text.to_owned());
    match kept.get_mut(x) {
        Some(known) if *known <= graded => {}
        Some(known) => *known = graded,
        None => drop(kept.insert(x.to_owned(), graded)),
    }
}
