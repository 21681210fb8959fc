//! Labels and descriptions, the best one of each thing chosen by the engine: one row a thing instead of one a language.
//!
//! Each text gets a key that sorts it: its language's place in the chain, its predicate's place, the text. The least
//! key wins. Texts in a language outside the chain come last, so that a label in any language is better than none;
//! descriptions are only wanted in the chain.

use super::query::{Query, values};
use super::term::{Iri, Term, literal};
use super::vocabulary::{Languages, Model, Vocabulary};

/// Letters of a text that are asked for: engines that sort in memory refuse long ones.
const LONGEST: usize = 400;
/// Stands for "no text": it sorts after every key.
const NONE: &str = "~";
/// The predicate of lemmas, which name lexemes in the Wikidata model.
const LEMMA: &str = "http://wikiba.se/ontology#lemma";

/// The place of the language of `?t` in the chain, as two digits; 99 outside of it.
fn language_place(languages: &Languages) -> String {
    let chain = languages.chain().iter().take(90).enumerate();
    let place = chain.collect::<Vec<_>>().into_iter().rev();
    place.fold("\"99\"".to_owned(), |rest, (n, tag)| format!("IF(LCASE(LANG(?t)) = {}, \"{n:02}\", {rest})", literal(tag, "")))
}

/// The key of `?t`, found under the predicate at `place` (a term of one letter).
fn key(languages: &Languages, place: &str) -> String {
    format!("CONCAT({}, {place}, SUBSTR(STR(?t), 1, {LONGEST}))", language_place(languages))
}

/// The letter for the predicate at `place`: digits for labels, letters for descriptions.
fn letter(place: usize, first: char) -> char {
    let place = u8::try_from(place).unwrap_or(9).min(9);
    char::from(u8::try_from(first).unwrap_or(b'0') + place)
}

/// The predicates that hold a label, best first.
pub fn labels(vocabulary: &Vocabulary) -> Vec<Iri> {
    let lemma = (vocabulary.model == Model::Wikidata).then_some(&LEMMA);
    vocabulary.labels().iter().chain(lemma).filter_map(|p| Iri::new(p)).collect()
}

/// Alternatives that bind `?var` to the keys of the labels of `thing`.
pub fn label_arms(thing: &str, vocabulary: &Vocabulary, var: &str) -> Vec<String> {
    let arm = |(place, p)| {
        let place = literal(&letter(place, '0').to_string(), "");
        format!("{{ {thing} {p} ?t . FILTER(STR(?t) != \"\") BIND({} AS ?{var}) }}", key(&vocabulary.languages, &place))
    };
    labels(vocabulary).into_iter().enumerate().map(arm).collect()
}

/// Binds `?var` to the keys of the labels of `thing`, whichever predicate they stand under. For a few things.
pub fn any_label(thing: &str, vocabulary: &Vocabulary, var: &str) -> String {
    let all: Vec<String> = labels(vocabulary).iter().map(Iri::to_string).collect();
    format!("{thing} ?named ?t . FILTER(?named IN ({})) BIND({} AS ?{var})", all.join(", "), key(&vocabulary.languages, "\"0\""))
}

/// The least of the keys bound to `?var`, as `?name`. (An engine may give up on a group in which a row has none.)
pub fn least(var: &str, name: &str) -> String {
    format!("(MIN(COALESCE(?{var}, \"{NONE}\")) AS ?{name})")
}

/// A sub-select: the things that `things` binds to `?n`, with `?label` and (with `described`) `?about`.
pub fn named(things: &str, vocabulary: &Vocabulary, described: bool) -> String {
    let arm = |p: Iri, letter: char, filter: &str| {
        format!("{{ ?n {p} ?t . FILTER({filter}) BIND({} AS ?place) }}", literal(&letter.to_string(), ""))
    };
    let known = labels(vocabulary).into_iter().enumerate();
    let mut arms: Vec<String> = known.map(|(n, p)| arm(p, letter(n, '0'), "STR(?t) != \"\"")).collect();
    // The key is written once for all predicates: engines take long to plan an expression in each.
    let key = key(&vocabulary.languages, "?place");
    let least = |test: &str, name: &str| format!("(MIN(IF(BOUND(?t) && ?place {test} \"a\", {key}, \"{NONE}\")) AS ?{name})");
    let mut columns = format!("?n {}", least("<", "label"));
    if described {
        let chain: Vec<String> = vocabulary.languages.chain().iter().map(|tag| literal(tag, "")).collect();
        let wanted = format!("LCASE(LANG(?t)) IN ({})", chain.join(", "));
        let known = vocabulary.descriptions().iter().filter_map(|p| Iri::new(p)).enumerate();
        arms.extend(known.map(|(n, p)| arm(p, letter(n, 'a'), &wanted)));
        columns.push_str(&format!(" {}", least(">=", "about")));
    }
    format!("SELECT {columns} WHERE {{ {things} OPTIONAL {{ {} }} }} GROUP BY ?n", arms.join(" UNION "))
}

/// Label and description of `things` (`?n ?label ?about`).
pub fn names(things: &[Iri], vocabulary: &Vocabulary, described: bool) -> Query {
    Query::whole(&named(&values("n", things), vocabulary, described))
}

/// The text of a key. `None` where there is none.
pub fn text(cell: Option<&Term>) -> Option<String> {
    let key = cell?.text();
    key.get(3..).filter(|_| key != NONE).filter(|text| !text.trim().is_empty()).map(shown)
}

/// A text as far as it is asked for, with a mark where it may go on.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST - 1) {
        Some((last, c)) => format!("{}…", &text[..last + c.len_utf8()]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_sorts_by_language_then_predicate() {
        let place = language_place(&Languages::new(["de", "en"]));
        let wanted = r#"IF(LCASE(LANG(?t)) = "de", "00", IF(LCASE(LANG(?t)) = "en", "01", IF(LCASE(LANG(?t)) = "mul", "02", IF(LCASE(LANG(?t)) = "", "03", "99"))))"#;
        assert_eq!(place, wanted);
        assert!("000Zebra" < "001Ape" && "001Ape" < "010Ape" && "010Ape" < "990Ape" && "990Ape" < NONE);
    }

    #[test]
    fn a_key_gives_its_text_back() {
        let read = |key: &str| text(Some(&Term::Literal { value: key.into(), lang: None, datatype: None }));
        assert_eq!(read("000Night Ferry").as_deref(), Some("Night Ferry"));
        assert_eq!(read("990дверь").as_deref(), Some("дверь"));
        assert_eq!((read("~"), read("000  "), read("é"), read("")), (None, None, None, None));
        assert!(read(&format!("000{}", "x".repeat(LONGEST))).unwrap().ends_with('…'));
    }
}
