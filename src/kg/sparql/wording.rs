//! What the configuration says about the names and relations of a graph, instead of or beside what is usual.

use super::term::Iri;
use super::vocabulary::{MORE_PREFIXES, PREFIXES, WD, WDT};
use crate::graph::Direction;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Predicates, best first.
type Predicates = &'static [&'static str];

/// Which predicates hold names, and which relations are not offered. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    pub(super) labels: Option<Predicates>,
    pub(super) aliases: Option<Predicates>,
    pub(super) descriptions: Option<Predicates>,
    hidden: BTreeSet<String>,
    hidden_reverse: BTreeSet<String>,
}

impl Wording {
    /// With `labels` as the predicates that hold a label, best first; none: the usual ones.
    #[must_use]
    pub fn labels(self, labels: &[Iri]) -> Self {
        Self { labels: lasting(labels), ..self }
    }

    /// With `aliases` as the predicates that hold another name; none: the usual ones.
    #[must_use]
    pub fn aliases(self, aliases: &[Iri]) -> Self {
        Self { aliases: lasting(aliases), ..self }
    }

    /// With `descriptions` as the predicates that hold a description, best first; none: the usual ones.
    #[must_use]
    pub fn descriptions(self, descriptions: &[Iri]) -> Self {
        Self { descriptions: lasting(descriptions), ..self }
    }

    /// With `hidden` not offered in `direction`.
    #[must_use]
    pub fn hide(mut self, hidden: &[Iri], direction: Direction) -> Self {
        let set = if direction == Direction::Out { &mut self.hidden } else { &mut self.hidden_reverse };
        set.extend(hidden.iter().map(|iri| iri.as_str().to_owned()));
        self
    }

    pub(super) fn names(&self, predicate: &str) -> bool {
        [self.labels, self.aliases, self.descriptions].into_iter().flatten().any(|all| all.contains(&predicate))
    }

    pub(super) fn hides(&self, predicate: &str, direction: Direction) -> bool {
        let set = if direction == Direction::Out { &self.hidden } else { &self.hidden_reverse };
        set.contains(predicate)
    }
}

/// `iris` for as long as the program runs: a configuration names few, and each list is kept once.
fn lasting(iris: &[Iri]) -> Option<Predicates> {
    static KEPT: LazyLock<Mutex<BTreeMap<Vec<String>, Predicates>>> = LazyLock::new(Mutex::default);
    if iris.is_empty() {
        return None;
    }
    let key: Vec<String> = iris.iter().map(|iri| iri.as_str().to_owned()).collect();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let list = kept.entry(key.clone()).or_insert_with(|| {
        let words: Vec<&'static str> = key.into_iter().map(|word| &*word.leak()).collect();
        words.leak()
    });
    Some(list)
}

/// A predicate as a configuration names it: an IRI, with or without angle brackets, a name with a usual prefix
/// (`skos:prefLabel`), or a property of Wikidata (`P31`), which stands for its direct claim.
#[must_use]
pub fn predicate(text: &str) -> Option<Iri> {
    let text = text.trim();
    let text = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(text);
    if let Some(digits) = text.strip_prefix('P')
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit())
    {
        return Iri::join(WDT, text);
    }
    let (prefix, local) = text.split_once(':')?;
    if local.starts_with("//") || matches!(prefix, "urn" | "tag" | "local") {
        return match text.strip_prefix(WD).filter(|local| local.starts_with('P')) {
            Some(property) => Iri::join(WDT, property),
            None => Iri::new(text),
        };
    }
    let (_, namespace) = PREFIXES.iter().chain(&MORE_PREFIXES).find(|(known, _)| *known == prefix)?;
    Iri::join(if *namespace == WD { WDT } else { namespace }, local)
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::{Languages, Model, Vocabulary};
    use super::*;

    fn iri(text: &str) -> Iri {
        predicate(text).unwrap()
    }

    #[test]
    fn predicates_are_named_in_several_ways() {
        for (text, whole) in [
            ("http://ex.org/name", "http://ex.org/name"),
            (" <http://ex.org/name> ", "http://ex.org/name"),
            ("skos:prefLabel", "http://www.w3.org/2004/02/skos/core#prefLabel"),
            ("dct:title", "http://purl.org/dc/terms/title"),
            ("P31", "http://www.wikidata.org/prop/direct/P31"),
            ("wd:P31", "http://www.wikidata.org/prop/direct/P31"),
            ("http://www.wikidata.org/entity/P31", "http://www.wikidata.org/prop/direct/P31"),
            ("urn:x:name", "urn:x:name"),
        ] {
            assert_eq!(iri(text).as_str(), whole, "{text}");
        }
        for bad in ["", "name", "skso:prefLabel", "http://ex.org/a b", "http://ex.org/> } DROP", "P", "Q42"] {
            assert!(predicate(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn the_configuration_replaces_and_hides() {
        let usual = Vocabulary::new(Model::Plain, Languages::default(), [].into());
        let (name, knows) = ("http://ex.org/name", "http://ex.org/knows");
        let wording = Wording::default().labels(&[iri(name)]).hide(&[iri(knows)], Direction::In).hide(&[iri("P31")], Direction::Out);
        let own = usual.clone().with_wording(wording.clone());
        assert_eq!((own.labels(), own.aliases()), (&[name][..], usual.aliases()));
        assert!(usual.is_relation(name) && !own.is_relation(name) && !own.is_relation("http://www.w3.org/2000/01/rdf-schema#label"));
        assert!(own.is_offered(knows, Direction::Out) && !own.is_offered(knows, Direction::In) && own.is_relation(knows));
        let wikidata = Vocabulary::new(Model::Wikidata, Languages::default(), [].into()).with_wording(wording);
        let p31 = "http://www.wikidata.org/prop/direct/P31";
        assert!(!wikidata.is_offered(p31, Direction::Out) && wikidata.is_offered(p31, Direction::In));
        assert_eq!(Wording::default().labels(&[]), Wording::default());
    }
}
