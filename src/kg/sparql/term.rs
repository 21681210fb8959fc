//! RDF terms, and how they stand in a query. Nothing enters a query text but through [`Iri`] and [`literal`].

use super::vocabulary::PREFIXES;
use std::fmt;
use std::sync::Arc;

/// An absolute IRI that may stand between `<` and `>` in a query: it has a scheme and none of the characters that
/// SPARQL 1.1 (`IRIREF`, production 139) forbids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Iri(Arc<str>);

impl Iri {
    /// `text` as an IRI, or `None` when it is none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once(':')?;
        let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        let scheme_ok = scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        let forbidden = |c: char| c <= ' ' || matches!(c, '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\') || c.is_control();
        (starts && scheme_ok && !rest.is_empty() && !rest.contains(forbidden)).then(|| Self(text.into()))
    }

    /// The IRI `namespace` + `local`; for names of our own vocabulary.
    #[must_use]
    pub fn join(namespace: &str, local: &str) -> Option<Self> {
        Self::new(&format!("{namespace}{local}"))
    }

    /// As text, without angle brackets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What follows the last `#`, `/` or `:`: a readable name where there is no label.
    #[must_use]
    pub fn local_name(&self) -> &str {
        let trimmed = self.0.trim_end_matches(['/', '#']);
        trimmed.rsplit(['#', '/', ':']).next().filter(|name| !name.is_empty()).unwrap_or(&self.0)
    }
}

impl fmt::Display for Iri {
    /// As it stands in a query: with one of our prefixes where the rest is a plain name, else `<http://...>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |local: &&str| local.starts_with(|c: char| c.is_ascii_alphabetic()) && local.chars().all(|c| c.is_ascii_alphanumeric());
        let short = PREFIXES.iter().find_map(|(prefix, namespace)| Some((prefix, self.0.strip_prefix(namespace).filter(plain)?)));
        match short {
            Some((prefix, local)) => write!(f, "{prefix}:{local}"),
            None => write!(f, "<{}>", self.0),
        }
    }
}

/// `text` as a SPARQL string literal, in `lang` where that is not empty.
#[must_use]
pub fn literal(text: &str, lang: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    if !lang.is_empty() && lang.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        out.push('@');
        out.push_str(lang);
    }
    out
}

/// A term of a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// An IRI. It may hold characters that a query must not: see [`Term::iri`].
    Iri(String),
    /// A blank node, by the label it has in this one result.
    Blank(String),
    /// A literal.
    Literal {
        /// Its text.
        value: String,
        /// Its language.
        lang: Option<String>,
        /// Its datatype; `None` for plain strings (`xsd:string` is the same) and texts in a language.
        datatype: Option<String>,
    },
}

impl Term {
    /// The IRI, where it is one that can be asked for.
    #[must_use]
    pub fn iri(&self) -> Option<Iri> {
        match self {
            Self::Iri(text) => Iri::new(text),
            _ => None,
        }
    }

    /// Its text: the IRI, the blank node's label or the literal's value.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Iri(text) | Self::Blank(text) => text,
            Self::Literal { value, .. } => value,
        }
    }

    /// The language of a literal, `""` where it has none.
    #[must_use]
    pub fn lang(&self) -> &str {
        match self {
            Self::Literal { lang: Some(lang), .. } => lang,
            _ => "",
        }
    }

    /// Its value as a count.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.text().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_iris_get_into_a_query() {
        for good in ["http://ex.org/a", "local:big-star", "urn:uuid:1", "http://ex.org/Köln", "mailto:a@b"] {
            assert!(Iri::new(good).is_some(), "{good}");
        }
        for bad in
            ["", "Q1", "a b:c", "http://ex.org/> } DROP", "http://ex.org/a b", "x:", ":x", "http://e/\u{1}", "1a:b", "h:a\\u003e", "h:\"x"]
        {
            assert!(Iri::new(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_literal_cannot_end_early() {
        assert_eq!(literal("a\"b\\c\nd\u{7}", "en"), r#""a\"b\\c\nd"@en"#);
        assert_eq!(literal("x", "en } #"), "\"x\"");
    }

    #[test]
    fn known_names_are_short_in_a_query() {
        let shown = |iri: &str| Iri::new(iri).unwrap().to_string();
        assert_eq!(shown("http://www.wikidata.org/entity/Q42"), "wd:Q42");
        assert_eq!(shown("http://www.wikidata.org/prop/direct/P57"), "wdt:P57");
        assert_eq!(shown("http://www.wikidata.org/entity/statement/Q42-1"), "<http://www.wikidata.org/entity/statement/Q42-1>");
        assert_eq!(shown("http://schema.org/"), "<http://schema.org/>");
    }

    #[test]
    fn local_names() {
        let name = |iri: &str| Iri::new(iri).unwrap().local_name().to_owned();
        assert_eq!(name("http://ex.org/ns#born"), "born");
        assert_eq!(name("http://ex.org/a/"), "a");
        assert_eq!(name("local:big-star"), "big-star");
    }
}
