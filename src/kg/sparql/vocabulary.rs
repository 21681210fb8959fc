//! The two shapes of data that are understood, and how ids stand for IRIs in each.
//!
//! In the Wikidata RDF model a relation is a property `wd:P57` with a direct claim `wdt:P57`, and ids are short
//! (`Q25188`, `P57`). In plain RDF any predicate is a relation, and ids are full IRIs.

use super::term::Iri;
use super::wording::Wording;
use crate::calls::{CallError, CallErrorKind};
use crate::graph::Direction;
use crate::text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entities of Wikidata.
pub const WD: &str = "http://www.wikidata.org/entity/";
/// Direct claims: the values of best rank.
pub const WDT: &str = "http://www.wikidata.org/prop/direct/";
/// The ontology of Wikibase.
pub const WIKIBASE: &str = "http://wikiba.se/ontology#";
/// `rdfs:label`.
pub const RDFS_LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";

/// Prefixes of our queries.
pub const PREFIXES: [(&str, &str); 11] = [
    ("wd", WD),
    ("wdt", WDT),
    ("p", "http://www.wikidata.org/prop/"),
    ("psv", "http://www.wikidata.org/prop/statement/value/"),
    ("wikibase", WIKIBASE),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("schema", "http://schema.org/"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
];
/// Predicates that hold a name, best first.
const LABELS: [&str; 5] = [
    RDFS_LABEL,
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
];
/// Predicates that hold another name.
const ALIASES: [&str; 4] = [
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://xmlns.com/foaf/0.1/nick",
];
/// Predicates that hold a short description, best first.
const DESCRIPTIONS: [&str; 5] = [
    "http://schema.org/description",
    "https://schema.org/description",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/elements/1.1/description",
];
/// Prefixes that people write besides.
pub(super) const MORE_PREFIXES: [(&str, &str); 4] = [
    ("dct", "http://purl.org/dc/terms/"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("dbr", "http://dbpedia.org/resource/"),
    ("dbo", "http://dbpedia.org/ontology/"),
];

/// Whether a name under this predicate is the label proper (`false`), an alias (`true`), or no name at all.
#[must_use]
pub fn label_predicates() -> Vec<(&'static str, bool)> {
    LABELS.iter().map(|p| (*p, false)).chain(ALIASES.iter().map(|p| (*p, true))).collect()
}

/// Prefix to namespace.
pub type Prefixes = BTreeMap<String, String>;

/// The languages of labels, wanted first; `""` stands for texts without a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages(Vec<String>);

impl Default for Languages {
    /// English, then Wikidata's language-neutral `mul`, then texts without a language.
    fn default() -> Self {
        Self::new(["en"])
    }
}

impl Languages {
    /// The chain `wanted`, then `mul`, then texts without a language. Tags that are no language tags are left out.
    pub fn new<'a>(wanted: impl IntoIterator<Item = &'a str>) -> Self {
        let mut chain: Vec<String> = Vec::new();
        for tag in wanted.into_iter().chain(["mul", ""]) {
            let tag = tag.trim().to_ascii_lowercase();
            if tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !chain.contains(&tag) {
                chain.push(tag);
            }
        }
        Self(chain)
    }

    /// The chain, best first.
    #[must_use]
    pub fn chain(&self) -> &[String] {
        &self.0
    }

    /// The place of `lang` in the chain, the length of the chain for any other.
    #[must_use]
    pub fn rank(&self, lang: &str) -> usize {
        self.0.iter().position(|tag| tag.eq_ignore_ascii_case(lang)).unwrap_or(self.0.len())
    }
}

/// The shape of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Items, properties, direct claims and statements, as Wikidata exports them.
    Wikidata,
    /// Any RDF.
    Plain,
}

/// How ids, labels and relations stand in the data.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The shape of the data.
    pub model: Model,
    /// The languages of labels.
    pub languages: Languages,
    prefixes: Prefixes,
    wording: Wording,
}

/// Whether `id` is an id of Wikidata: `Q25188`, `P57`, `L99`, a letter and digits.
pub fn is_short_id(id: &str) -> bool {
    let mut chars = id.chars();
    matches!(chars.next(), Some('Q' | 'P' | 'L')) && id.len() > 1 && id.len() < 20 && chars.all(|c| c.is_ascii_digit())
}

impl Vocabulary {
    /// The vocabulary of data in `model` that declare `prefixes`.
    #[must_use]
    pub fn new(model: Model, languages: Languages, prefixes: Prefixes) -> Self {
        Self { model, languages, prefixes, wording: Wording::default() }
    }

    /// With what the configuration says about names and relations.
    #[must_use]
    pub fn with_wording(self, wording: Wording) -> Self {
        Self { wording, ..self }
    }

    fn expand(&self, id: &str) -> Option<Iri> {
        let id = id.trim();
        if let Some(inner) = id.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            return Iri::new(inner);
        }
        if let Some((prefix, local)) = id.split_once(':')
            && !local.starts_with("//")
        {
            let known = PREFIXES.iter().chain(&MORE_PREFIXES).find(|(name, _)| *name == prefix).map(|(_, namespace)| *namespace);
            if let Some(namespace) = self.prefixes.get(prefix).map(String::as_str).or(known) {
                return Iri::join(namespace, local);
            }
        }
        Iri::new(id)
    }

    /// The IRI of an entity.
    ///
    /// # Errors
    /// `Refused`, when `id` can be no id of this graph.
    pub fn entity(&self, id: &str) -> Result<Iri, CallError> {
        let short = self.model == Model::Wikidata && is_short_id(id.trim());
        let iri = if short { Iri::join(WD, id.trim()) } else { self.expand(id) };
        iri.ok_or_else(|| self.no_id("entity", id))
    }

    /// The predicate of a relation.
    ///
    /// # Errors
    /// `Refused`, when `id` can be no relation of this graph.
    pub fn predicate(&self, id: &str) -> Result<Iri, CallError> {
        if self.model == Model::Plain {
            return self.expand(id).ok_or_else(|| self.no_id("relation", id));
        }
        let trimmed = id.trim();
        let expanded = if is_short_id(trimmed) { None } else { self.expand(trimmed) };
        let local = match &expanded {
            Some(iri) => iri.as_str().strip_prefix(WDT).or_else(|| iri.as_str().strip_prefix(WD)),
            None => Some(trimmed),
        };
        let predicate = match local {
            Some(local) if local.starts_with('P') && is_short_id(local) => Iri::join(WDT, local),
            Some(_) => None,
            None => expanded,
        };
        predicate.ok_or_else(|| self.no_id("relation", id))
    }

    fn no_id(&self, what: &str, id: &str) -> CallError {
        let example = match (self.model, what) {
            (Model::Wikidata, "relation") => "a property such as P57",
            (Model::Wikidata, _) => "an id such as Q42, or an IRI",
            (Model::Plain, _) => "an absolute IRI such as http://example.org/thing",
        };
        let shown = text::one_line(id);
        CallError::new(CallErrorKind::Refused, format!("\"{}\" is no {what} of this graph; give {example}", text::cut(&shown, 80)))
    }

    /// The id of the thing at `iri`.
    #[must_use]
    pub fn entity_id(&self, iri: &str) -> Arc<str> {
        match iri.strip_prefix(WD) {
            Some(local) if self.model == Model::Wikidata && is_short_id(local) => local.into(),
            _ => iri.into(),
        }
    }

    /// The id of the relation with the predicate `iri`.
    #[must_use]
    pub fn relation_id(&self, iri: &str) -> Arc<str> {
        match iri.strip_prefix(WDT) {
            Some(local) if self.model == Model::Wikidata && is_short_id(local) => local.into(),
            _ => iri.into(),
        }
    }

    /// Where the label of a relation stands: the property `wd:P57` for `wdt:P57`, else the predicate itself.
    #[must_use]
    pub fn relation_entity(&self, predicate: &Iri) -> Iri {
        match predicate.as_str().strip_prefix(WDT) {
            Some(local) if self.model == Model::Wikidata => Iri::join(WD, local).unwrap_or_else(|| predicate.clone()),
            _ => predicate.clone(),
        }
    }

    /// Whether `iri` is an entity by its name alone (an item, property or lexeme of Wikidata; any IRI in plain RDF).
    #[must_use]
    pub fn is_entity(&self, iri: &str) -> bool {
        self.model == Model::Plain || iri.strip_prefix(WD).is_some_and(is_short_id)
    }

    /// Whether `iri` can be a search hit: no property, lexeme or statement node of Wikidata.
    #[must_use]
    pub fn is_candidate(&self, iri: &str) -> bool {
        match iri.strip_prefix(WD) {
            Some(local) if self.model == Model::Wikidata => local.starts_with('Q') && is_short_id(local),
            _ => !is_unknown(iri) && Iri::new(iri).is_some(),
        }
    }

    /// Whether names stand under the usual predicates: those that an engine's own index is made of.
    #[must_use]
    pub const fn has_usual_names(&self) -> bool {
        self.wording.labels.is_none() && self.wording.aliases.is_none()
    }

    /// Predicates with a name: label proper first.
    #[must_use]
    pub fn labels(&self) -> &'static [&'static str] {
        self.wording.labels.unwrap_or(if self.model == Model::Wikidata { &LABELS[..1] } else { &LABELS })
    }

    /// Predicates with another name.
    #[must_use]
    pub fn aliases(&self) -> &'static [&'static str] {
        self.wording.aliases.unwrap_or(if self.model == Model::Wikidata { &ALIASES[..1] } else { &ALIASES })
    }

    /// Predicates with a description.
    #[must_use]
    pub fn descriptions(&self) -> &'static [&'static str] {
        self.wording.descriptions.unwrap_or(if self.model == Model::Wikidata { &DESCRIPTIONS[..1] } else { &DESCRIPTIONS })
    }

    /// Whether a predicate is a relation: direct claims in the Wikidata model, in plain RDF all but names and
    /// descriptions.
    #[must_use]
    pub fn is_relation(&self, predicate: &str) -> bool {
        let usual = || LABELS.contains(&predicate) || ALIASES.contains(&predicate) || DESCRIPTIONS.contains(&predicate);
        match self.model {
            Model::Wikidata => predicate.starts_with(WDT),
            Model::Plain => !usual() && !self.wording.names(predicate),
        }
    }

    /// Whether a predicate is a relation that is offered in `direction`: the configuration hides some.
    #[must_use]
    pub fn is_offered(&self, predicate: &str, direction: Direction) -> bool {
        self.is_relation(predicate) && !self.wording.hides(predicate, direction)
    }
}

/// What is in the IRI of a thing without a name.
pub const SKOLEM: &str = "/.well-known/genid/";

/// Whether `iri` stands for "some value": a skolem IRI, as Wikidata's endpoint writes blank nodes.
#[must_use]
pub fn is_unknown(iri: &str) -> bool {
    iri.contains(SKOLEM)
}

/// A key that sorts ids by their number, and ids without one by their text after those.
#[must_use]
pub fn id_order(id: &str) -> (u8, u64, &str) {
    match id.get(1..).and_then(|digits| digits.parse().ok()) {
        Some(number) if is_short_id(id) => (0, number, id),
        _ => (1, 0, id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(model: Model) -> Vocabulary {
        Vocabulary::new(model, Languages::default(), [("ex".to_owned(), "http://ex.org/".to_owned())].into())
    }

    #[test]
    fn ids_of_the_wikidata_model() {
        let v = vocabulary(Model::Wikidata);
        for id in ["Q42", "wd:Q42", "<http://www.wikidata.org/entity/Q42>", "http://www.wikidata.org/entity/Q42"] {
            assert_eq!(v.entity(id).unwrap().as_str(), "http://www.wikidata.org/entity/Q42");
        }
        assert_eq!(v.entity("local:big-star").unwrap().as_str(), "local:big-star");
        for id in ["P57", "wdt:P57", "wd:P57", "http://www.wikidata.org/prop/direct/P57"] {
            assert_eq!(v.predicate(id).unwrap().as_str(), "http://www.wikidata.org/prop/direct/P57");
        }
        for bad in ["", "Q", "42", "Q42 } #", "Q4x", "~P57"] {
            assert!(v.entity(bad).is_err(), "{bad}");
            assert!(v.predicate(bad).is_err(), "{bad}");
        }
        assert!(v.predicate("Q42").is_err());
        assert_eq!(&*v.entity_id("http://www.wikidata.org/entity/statement/Q42-1"), "http://www.wikidata.org/entity/statement/Q42-1");
        assert!(!v.is_candidate("http://www.wikidata.org/entity/P57"));
        assert!(!v.is_candidate("http://www.wikidata.org/entity/statement/Q42-1"));
    }

    #[test]
    fn ids_of_plain_rdf() {
        let v = vocabulary(Model::Plain);
        assert_eq!(v.entity("ex:a").unwrap().as_str(), "http://ex.org/a");
        assert_eq!(v.entity("local:a").unwrap().as_str(), "local:a");
        assert!(v.entity("Q42").is_err());
        assert!(v.entity("<http://ex.org/a> . ?s ?p ?o").is_err());
        assert!(!v.is_relation(RDFS_LABEL));
        assert!(v.is_relation("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"));
    }

    #[test]
    fn ids_sort_by_number() {
        let mut ids = vec!["P577", "http://a", "P57", "P1"];
        ids.sort_by_key(|id| id_order(id));
        assert_eq!(ids, ["P1", "P57", "P577", "http://a"]);
    }
}
