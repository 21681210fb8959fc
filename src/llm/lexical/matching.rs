//! Which candidate is meant: by name first, then by what the question says about it.

use super::names::{domain, spans};
use super::seen::Shown;
use super::words::{content_stems, is_kind, name_key, tokens};
use std::collections::BTreeSet;

/// The number of the candidate that is meant, from 1; 0 when none fits.
pub(super) fn pick(question: &str, mention: &str, candidates: &[Shown]) -> usize {
    let name = mention.split(" - ").next().unwrap_or(mention);
    let scored = candidates.iter().enumerate().map(|(i, c)| (i, likeness(name, c), c));
    let mut best = (0, 0.0_f32);
    for (i, likeness, candidate) in scored {
        if likeness < 0.6 {
            continue;
        }
        let score = likeness + fit(question, name, mention, candidate) - 0.02 * i as f32;
        if best.0 == 0 || score > best.1 {
            best = (i + 1, score);
        }
    }
    best.0
}

/// How alike the mention and a candidate's names are, 0.0 to 1.0.
fn likeness(name: &str, candidate: &Shown) -> f32 {
    let alike = |label: &str| {
        let (a, b) = (name_key(name), name_key(label));
        if a.is_empty() || b.is_empty() {
            return 0.0;
        }
        if a == b {
            return 1.0;
        }
        let set = |key: &str| key.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
        let (a, b) = (set(&a), set(&b));
        let shared = a.intersection(&b).count() as f32;
        let longer = a.len().max(b.len()) as f32;
        // All of the mention in a longer name: `Tsvetaeva` for `Marina Tsvetaeva`.
        let inside = a.is_subset(&b) || b.is_subset(&a);
        (shared / longer).max(if inside { 0.62 } else { 0.0 })
    };
    alike(&candidate.label).max(if candidate.alias.is_empty() { 0.0 } else { alike(&candidate.alias) - 0.1 })
}

/// How well its description fits the rest of the question.
fn fit(question: &str, name: &str, mention: &str, candidate: &Shown) -> f32 {
    let tokens = tokens(question);
    let about: BTreeSet<String> = content_stems(&candidate.description).into_iter().collect();
    let own: BTreeSet<String> = content_stems(name).into_iter().collect();
    let names = spans(&tokens);
    let mut fit = 0.0_f32;
    for (i, token) in tokens.iter().enumerate() {
        if own.contains(&token.stem) || !token.is_word() {
            continue;
        }
        let said = about.contains(&token.stem) || token.is_number() && candidate.description.contains(&token.lower);
        if said {
            // Another name or a number tells more than a kind of thing.
            fit += if token.is_number() || names.iter().any(|s| s.contains(&i)) { 0.25 } else { 0.12 };
        }
    }
    let hinted = mention.split(" - ").nth(1).unwrap_or_default();
    let wanted = if hinted.is_empty() { domain(&tokens) } else { hinted };
    if content_stems(wanted).iter().any(|w| about.contains(w)) || wanted == "person" && is_person(&candidate.description) {
        fit += 0.2;
    } else if wanted == "country" && ["state", "kingdom", "empire", "republic", "nation"].iter().any(|w| candidate.description.contains(w))
    {
        fit += 0.15;
    }
    if ["disambiguation", "family name", "given name", "surname", "wikimedia"]
        .iter()
        .any(|w| candidate.description.to_lowercase().contains(w))
    {
        fit -= 0.5;
    }
    fit.min(0.6)
}

/// Whether a description is that of a person: years of life, or a word for what people do.
fn is_person(description: &str) -> bool {
    let years = description.contains("(born ") || description.contains('–') && description.contains('(');
    let doer = tokens(description).iter().any(|t| {
        let person = ["ician", "ist", "eur", "writer", "singer", "actor", "actress", "player", "poet", "king", "queen", "author"];
        !is_kind(&t.lower) && person.iter().any(|s| t.lower.ends_with(s))
            || matches!(t.lower.as_str(), "actor" | "singer" | "writer" | "poet" | "director")
    });
    years || doer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(label: &str, description: &str, alias: &str) -> Shown {
        Shown { id: String::new(), label: label.into(), description: description.into(), alias: alias.into() }
    }

    #[test]
    fn namesakes_are_told_apart() {
        let titanics =
            [shown("Titanic", "British ocean liner", ""), shown("Titanic", "1953 film", ""), shown("Titanic", "1997 American film", "")];
        assert_eq!(pick("Who directed the 1997 film Titanic?", "Titanic", &titanics), 3);
        assert_eq!(pick("Who directed Titanic?", "Titanic - film", &titanics), 2);
        assert_eq!(pick("Who built the ocean liner Titanic?", "Titanic", &titanics), 1);
    }

    #[test]
    fn none_when_no_name_fits() {
        let candidates = [shown("Interstellar", "2014 film", ""), shown("Stella", "given name", "")];
        assert_eq!(pick("Who directed Inception?", "Inception", &candidates), 0);
        assert_eq!(pick("Who directed Inception?", "Inception", &[]), 0);
        assert_eq!(pick("Where was Tsvetaeva born?", "Tsvetaeva", &[shown("Marina Tsvetaeva", "Russian poet", "")]), 1);
        assert_eq!(pick("Where is the US?", "US", &[shown("United States of America", "country", "US")]), 1);
    }
}
