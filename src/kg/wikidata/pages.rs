//! Items of Wikidata that stand for pages about names and lists, not for things.

use crate::kg::sparql::Iri;

/// Classes whose instances are never offered as candidates, with the beginning of the descriptions that such items have
/// (in English) where no statement is at hand.
pub const PAGES: [(&str, &str); 12] = [
    ("Q4167410", "Wikimedia disambiguation page"),
    ("Q22808320", "Wikimedia human name disambiguation page"),
    ("Q13406463", "Wikimedia list article"),
    ("Q12139612", "Wikimedia enumeration"),
    ("Q4167836", "Wikimedia category"),
    ("Q11266439", "Wikimedia template"),
    ("Q19887878", "Wikimedia infobox template"),
    ("Q15184295", "Wikimedia module"),
    ("Q15623926", "Wikimedia set index article"),
    ("Q17442446", "Wikimedia internal item"),
    ("Q14204246", "Wikimedia project page"),
    ("Q17633526", "Wikinews article"),
];

/// The classes, as IRIs.
#[must_use]
pub fn classes() -> Vec<Iri> {
    PAGES.iter().filter_map(|(id, _)| Iri::join("http://www.wikidata.org/entity/", id)).collect()
}

/// Whether `description` is that of such a page.
pub fn is_page(description: &str) -> bool {
    PAGES.iter().any(|(_, page)| description.get(..page.len()).is_some_and(|start| start.eq_ignore_ascii_case(page)))
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn pages_are_told_by_their_description() {
        assert!(is_page("Wikimedia disambiguation page"));
        assert!(is_page("wikimedia list article about ships"));
        assert!(!is_page("Wikimédia"));
        assert!(!is_page("list"));
        assert!(!is_page("Wikimedia Foundation's first office"));
    }
}
