//! Names in a question: where they stand, and what to look up for them.

use super::lexicon::is_asking;
use super::words::{Token, is_auxiliary, is_kind, is_small, is_wh, stem, tokens};
use std::ops::Range;

/// Small words that can stand inside a name when a capital follows.
const INNER: &str = "of the and de da di du des del della der den das dos la le les los las el al van von zu zum am im an auf y e et und i a in on for with to at from \
    d' l' bin ibn ben op aan sur ter ten upon or as by than";

/// Inner words that may also tie two names together.
const TIES: &str = "and or in on for with to at from as by than";

/// Words that begin a question with a capital though they are no name.
const OPENERS: &str = "which who whom whose what when where why how is are was were do does did has have had can could name list give tell show find in on at to from \
    for by into of the a an and please with during after before through under over per since until";

fn among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

/// The runs of tokens that look like names: by capital letters or, when there are none, by what is left
/// when small words and words that ask for a relation are taken away.
pub(super) fn spans(tokens: &[Token]) -> Vec<Range<usize>> {
    let spans = capital_spans(tokens);
    if spans.is_empty() { plain_spans(tokens) } else { spans }
}

fn starts_name(tokens: &[Token], i: usize) -> bool {
    let token = &tokens[i];
    let next_capital = tokens.get(i + 1).is_some_and(|t| t.capital);
    if token.is_number() {
        let year = token.lower.len() == 4;
        return next_capital && !year;
    }
    token.capital && !(is_sentence_start(tokens, i) && among(OPENERS, &token.lower) && !opens_title(tokens, i))
}

fn is_sentence_start(tokens: &[Token], i: usize) -> bool {
    i == 0 || matches!(tokens[i - 1].lower.as_str(), "." | "?" | "!" | ":")
}

/// `The Beatles were ...`: an article with a capital at the start belongs to a name that follows.
fn opens_title(tokens: &[Token], i: usize) -> bool {
    matches!(tokens[i].lower.as_str(), "the" | "a" | "an") && tokens.get(i + 1).is_some_and(|t| t.capital)
}

fn capital_spans(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if let Some(end) = quoted_until(tokens, i) {
            spans.push(i + 1..end);
            i = end + 1;
        } else if starts_name(tokens, i) {
            let end = name_end(tokens, i);
            spans.push(i..end);
            i = end;
        } else {
            i += 1;
        }
    }
    spans
}

/// The end of a name in quotation marks that begins at `i`.
fn quoted_until(tokens: &[Token], i: usize) -> Option<usize> {
    let close = match tokens[i].lower.as_str() {
        "\"" => "\"",
        "“" | "„" => "”",
        "«" => "»",
        "'" | "‘" => "'",
        _ => return None,
    };
    let length = tokens[i + 1..].iter().position(|t| t.lower == close || (close == "”" && t.lower == "“"))?;
    (length > 0).then_some(i + 1 + length)
}

fn name_end(tokens: &[Token], start: usize) -> usize {
    let goes_on = |i: usize| tokens.get(i).is_some_and(|t| t.capital || t.is_number());
    let mut end = start + 1;
    while end < tokens.len() {
        let token = &tokens[end];
        if token.capital || token.is_number() {
            end += 1;
        } else if among(INNER, &token.lower) {
            let inner = tokens[end..].iter().take(3).take_while(|t| among(INNER, &t.lower) && !t.capital).count();
            if !goes_on(end + inner) {
                break;
            }
            end += inner + 1;
        } else if goes_over_mark(tokens, end) {
            end += 2;
        } else {
            break;
        }
    }
    end
}

/// Whether a mark stands at `i` that can be inside a name: "X-Men: The Last Stand", "Harry Connick, Jr.".
fn goes_over_mark(tokens: &[Token], i: usize) -> bool {
    let Some(next) = tokens.get(i + 1) else { return false };
    match tokens[i].lower.as_str() {
        ":" | "/" | "&" | "-" | "–" | "!" | "'s" => next.capital || next.is_number(),
        "," => among("jr. sr. jr sr d.c. inc.", &next.lower),
        _ => false,
    }
}

/// Names in a question without capitals.
fn plain_spans(tokens: &[Token]) -> Vec<Range<usize>> {
    let content = |i: usize| {
        tokens.get(i).is_some_and(|t| {
            t.is_word() && !is_small(&t.lower) && !is_asking(&t.stem) && !is_kind(&t.lower) && (!t.is_number() || t.lower.len() != 4)
        })
    };
    let spans = runs(tokens, &content);
    if !spans.is_empty() {
        return spans;
    }
    // "who directed inception": a name that is also a word that asks. The last run without the first word.
    let any = |i: usize| tokens.get(i).is_some_and(|t| t.is_word() && !is_small(&t.lower));
    let Some(first) = (0..tokens.len()).find(|&i| any(i)) else { return vec![] };
    runs(tokens, &|i| i > first && any(i)).pop().into_iter().collect()
}

/// The runs of tokens for which `content` holds, tied by "of", "the", "and".
fn runs(tokens: &[Token], content: &dyn Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if !content(i) {
            i += 1;
            continue;
        }
        let mut end = i + 1;
        loop {
            let inner = tokens[end.min(tokens.len())..]
                .iter()
                .take(2)
                .take_while(|t| matches!(t.lower.as_str(), "of" | "the" | "and" | "de"))
                .count();
            if content(end) {
                end += 1;
            } else if inner > 0 && content(end + inner) {
                end += inner + 1;
            } else {
                break;
            }
        }
        spans.push(i..end);
        i = end;
    }
    spans
}

/// The text of a run of tokens.
pub(super) fn text_of<'a>(question: &'a str, tokens: &[Token], span: &Range<usize>) -> &'a str {
    if span.is_empty() { "" } else { &question[tokens[span.start].at.start..tokens[span.end - 1].at.end] }
}

/// What to look up for the names of a question, with a short disambiguation, likeliest first.
pub(super) fn mentions(question: &str) -> Vec<(String, String)> {
    let tokens = tokens(question);
    let found = spans(&tokens);
    let mut out: Vec<(String, String)> = Vec::new();
    let mut add = |span: Range<usize>| {
        let text = text_of(question, &tokens, &span).trim_matches(|c: char| c == ',' || c.is_whitespace()).to_owned();
        if !text.is_empty() && !out.iter().any(|(known, _)| *known == text) {
            out.push((text, hint(&tokens, span.start)));
        }
    };
    for span in &found {
        add(span.clone());
    }
    if capital_spans(&tokens).is_empty() {
        // Without capitals the borders are a guess: a word less at either end, all after the last verb.
        let words = tokens.iter().rposition(Token::is_word).map_or(0, |i| i + 1);
        let verb =
            tokens[..words].iter().rposition(|t| is_auxiliary(&t.lower) || is_small(&t.lower) && t.lower == "of").map_or(words, |i| i + 1);
        for span in found.iter().filter(|s| s.len() > 1) {
            add(span.start..span.end - 1);
            add(span.start + 1..span.end);
        }
        add(verb..words);
    }
    for span in &found {
        tail(&tokens, span).into_iter().for_each(&mut add);
    }
    title(&tokens, &found).into_iter().for_each(&mut add);
    for span in &found {
        parts(&tokens, span).into_iter().for_each(&mut add);
    }
    out.truncate(5);
    out.extend(found.iter().filter_map(|span| office(question, &tokens, span)).take(1).map(|name| (name, "office".to_owned())));
    out
}

/// "prime ministers of Australia" as the name of an office.
fn office(question: &str, tokens: &[Token], span: &Range<usize>) -> Option<String> {
    const OFFICES: &str = "minister president king queen emperor mayor governor chancellor secretary speaker pope bishop";
    let of = span.start.checked_sub(1).filter(|&i| tokens[i].lower == "of")?;
    let noun = of.checked_sub(1)?;
    let singular = tokens[noun].lower.strip_suffix('s').unwrap_or(&tokens[noun].lower);
    if !among(OFFICES, singular) {
        return None;
    }
    let capital = |word: &str| word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect::<String>();
    let before =
        noun.checked_sub(1).filter(|&i| among("prime vice foreign first", &tokens[i].lower)).map(|i| capital(&tokens[i].lower) + " ");
    Some(format!("{}{} of {}", before.unwrap_or_default(), capital(singular), text_of(question, tokens, span)))
}

/// `Inception and Interstellar` may be two names: the parts at each "and", then at each other tie.
fn parts(tokens: &[Token], span: &Range<usize>) -> Vec<Range<usize>> {
    let mut out = split(tokens, span, &|t: &Token| matches!(t.lower.as_str(), "and" | "or"));
    let halves = if out.is_empty() { vec![span.clone()] } else { out.clone() };
    for half in halves {
        out.extend(split(tokens, &half, &|t: &Token| t.lower == "'s" || among(TIES, &t.lower) && !t.capital));
    }
    out
}

fn split(tokens: &[Token], span: &Range<usize>, is_tie: &dyn Fn(&Token) -> bool) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = span.start;
    for i in span.clone() {
        if i > start && is_tie(&tokens[i]) {
            parts.push(start..i);
            start = i + 1;
            while start < span.end && matches!(tokens[start].lower.as_str(), "the" | "a" | "an" | "both") && !tokens[start].capital {
                start += 1;
            }
        }
    }
    if !parts.is_empty() && start < span.end {
        parts.push(start..span.end);
    }
    parts
}

/// A name that may go on in small letters: "Malacca sultanate", "Conservatoire national supérieur d'art dramatique".
fn tail(tokens: &[Token], span: &Range<usize>) -> Option<Range<usize>> {
    let plain = |t: &&Token| t.is_word() && !is_auxiliary(&t.lower) && !is_wh(&t.lower) && !is_small(&t.lower);
    let rest: Vec<&Token> = tokens[span.end..].iter().take_while(plain).collect();
    let is_name = rest.iter().any(|t| !is_asking(&t.stem) && !is_kind(&t.lower));
    is_name.then(|| span.start..span.end + rest.len())
}

/// A title with commas: "The Good, the Bad and the Ugly".
fn title(tokens: &[Token], found: &[Range<usize>]) -> Option<Range<usize>> {
    let pair = found.windows(2).find(|pair| {
        let between = &tokens[pair[0].end..pair[1].start];
        between.first().is_some_and(|t| t.lower == ",") && between[1..].iter().all(|t| among(INNER, &t.lower))
    })?;
    Some(pair[0].start..pair[1].end)
}

/// What the question says about a name just before it: `1997 film`; else what the words around suggest.
fn hint(tokens: &[Token], start: usize) -> String {
    let before: Vec<&Token> = tokens[..start]
        .iter()
        .rev()
        .take_while(|t| t.is_number() || is_kind(&t.lower) && !among("name kind type label", &t.lower))
        .collect();
    if before.is_empty() {
        return domain(tokens).to_owned();
    }
    before.iter().rev().map(|t| t.lower.as_str()).collect::<Vec<_>>().join(" ")
}

/// What kind of thing a question is about, going by the words that ask.
pub(super) fn domain(tokens: &[Token]) -> &'static str {
    const DOMAINS: &[(&str, &str)] = &[
        ("film", "directed starred starring cast movie film screenplay actor actress soundtrack cinematographer shot filmed"),
        (
            "person",
            "born die married spouse wife husband mother father child son daughter sibling occupation educated buried employer studied citizen",
        ),
        ("written work", "wrote author written"),
        ("country", "capital currency president anthem population"),
        ("band", "band singer album"),
    ];
    let said = |list: &str| tokens.iter().any(|t| list.split(' ').any(|w| stem(w) == t.stem));
    DOMAINS.iter().find(|(_, words)| said(words)).map_or("named in the question", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: &str) -> Vec<String> {
        mentions(question).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn two_names_or_one() {
        let both = found("Which actor played in both Inception and Interstellar?");
        assert!(both.contains(&"Inception".into()) && both.contains(&"Interstellar".into()), "{both:?}");
        assert_eq!(found("Who wrote Pride and Prejudice?")[0], "Pride and Prejudice");
        assert_eq!(found("Who is the mother of Bob Dylan's wife?"), ["Bob Dylan"]);
    }

    #[test]
    fn names_of_all_shapes() {
        for (question, name) in [
            ("Who directed In the Name of the King?", "In the Name of the King"),
            ("In which country is the place where All About My Mother is set?", "All About My Mother"),
            ("Which label signed Harry Connick, Jr.?", "Harry Connick, Jr."),
            ("Where is 16 Blocks set?", "16 Blocks"),
            ("Who employed V. V. Bunak?", "V. V. Bunak"),
            ("Who starred in X-Men: The Last Stand?", "X-Men: The Last Stand"),
            ("What is the capital of the Kingdom of the Two Sicilies?", "Kingdom of the Two Sicilies"),
            ("Canberra is the capital of which country?", "Canberra"),
            ("Who was born in Frankfurt am Main?", "Frankfurt am Main"),
            ("who directed cleopatra?", "cleopatra"),
            ("where was the film bitter rice located", "bitter rice"),
            (
                "Where is the headquarters of Conservatoire national supérieur d'art dramatique?",
                "Conservatoire national supérieur d'art dramatique",
            ),
            ("Who wrote “the raven”?", "the raven"),
        ] {
            assert!(found(question).contains(&name.to_owned()), "{question} {:?}", found(question));
        }
    }

    #[test]
    fn a_hint_tells_namesakes_apart() {
        assert_eq!(mentions("Who directed the 1997 film Titanic?")[0], ("Titanic".to_owned(), "1997 film".to_owned()));
        assert_eq!(mentions("Who is the spouse of Emily Blunt?")[0].1, "person");
    }
}
