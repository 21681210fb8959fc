//! What the labels of relations mean: which words of a question ask for them.

use super::words::{label_stems, stem};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How well a relation accounts for a word of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The word may be used for what is at the end of it.
    Also,
    /// The word asks for it.
    Strong,
}

/// What a relation means.
#[derive(Clone, Debug, Default)]
pub(super) struct Sense {
    labels: Vec<BTreeSet<String>>,
    both: BTreeSet<String>,
    out: BTreeSet<String>,
    out_also: BTreeSet<String>,
    back: BTreeSet<String>,
    back_also: BTreeSet<String>,
    /// The far end does it to the near end: `director`, `author`, and every label that ends with "by".
    pub agent: bool,
    /// A kind of place asked for must show in the far end's label or description.
    pub typed: bool,
    /// It holds both ways: spouse, sibling, border.
    pub either: bool,
    /// It leads to a date.
    pub dated: bool,
    /// For a label that the lexicon lacks: how many words it has. Each accounts for a share.
    pub words: usize,
}

impl Sense {
    /// How well it accounts for a word, followed forwards or backwards.
    pub fn fit(&self, stemmed: &str, reverse: bool) -> Option<Fit> {
        let (strong, also) = if reverse { (&self.back, &self.back_also) } else { (&self.out, &self.out_also) };
        if self.both.contains(stemmed) || strong.contains(stemmed) {
            Some(Fit::Strong)
        } else if also.contains(stemmed) {
            Some(Fit::Also)
        } else {
            None
        }
    }
}

impl Sense {
    /// Whether a word asks for just this direction: "laureate" names who received, not what.
    pub fn is_directed(&self, stemmed: &str, reverse: bool) -> bool {
        let (here, there) = if reverse { (&self.back, &self.out) } else { (&self.out, &self.back) };
        !self.both.contains(stemmed) && here.contains(stemmed) && !there.contains(stemmed)
    }
}

fn stems(words: &str) -> BTreeSet<String> {
    words.split_ascii_whitespace().map(stem).collect()
}

/// The senses of `relations.txt`.
static SENSES: LazyLock<Vec<Sense>> = LazyLock::new(|| {
    let rows = include_str!("relations.txt").lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|row| {
        let columns: Vec<&str> = row.split('|').collect();
        let column = |i: usize| columns.get(i).map_or("", |c| c.trim());
        Sense {
            labels: column(0).split(", ").map(label_key).filter(|key| !key.is_empty()).collect(),
            both: stems(column(1)),
            out: stems(column(2)),
            out_also: stems(column(3)),
            back: stems(column(4)),
            back_also: stems(column(5)),
            agent: column(6).contains("agent"),
            typed: column(6).contains("typed"),
            either: column(6).contains("either"),
            dated: stems(column(3)).contains("when"),
            words: 0,
        }
    })
    .collect()
});

/// Every word that some relation is asked for by.
static ASKING: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| SENSES.iter().flat_map(|s| s.both.iter().chain(&s.out).chain(&s.back)).cloned().collect());

/// Whether a word asks for some usual relation.
pub(super) fn is_asking(stemmed: &str) -> bool {
    ASKING.contains(stemmed)
}

/// The words themselves, for telling "train" from "training".
static ASKING_WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let rows = include_str!("relations.txt").lines().filter(|line| !line.starts_with('#'));
    rows.flat_map(|row| row.split('|').enumerate().filter(|(i, _)| matches!(i, 1 | 2 | 4)).flat_map(|(_, c)| c.split_ascii_whitespace()))
        .collect()
});

/// Whether just this form of a word asks for some usual relation.
pub(super) fn is_asking_form(lower: &str) -> bool {
    ASKING_WORDS.contains(lower) || lower.strip_suffix('s').is_some_and(|w| ASKING_WORDS.contains(w))
}

fn label_key(label: &str) -> BTreeSet<String> {
    let mut key: BTreeSet<String> = label_stems(label).into_iter().collect();
    // `capital` and `capital of` have the same content, but not the same meaning.
    for small in ["of", "by"] {
        if label.trim().to_lowercase().ends_with(&format!(" {small}")) {
            key.insert(small.to_owned());
        }
    }
    key
}

/// The sense of a relation's label. A label that is not in the lexicon is asked for by its own words.
pub(super) fn sense(label: &str) -> Sense {
    let key = label_key(label);
    let mut sense = Sense::default();
    // Several rows may list the label (`founded` is a date here and a place there): all are taken together.
    for known in SENSES.iter().filter(|s| s.labels.contains(&key)) {
        sense.both.extend(known.both.iter().cloned());
        sense.out.extend(known.out.iter().cloned());
        sense.out_also.extend(known.out_also.iter().cloned());
        sense.back.extend(known.back.iter().cloned());
        sense.back_also.extend(known.back_also.iter().cloned());
        sense.agent |= known.agent;
        sense.typed |= known.typed;
        sense.either |= known.either;
    }
    let is_known = !sense.both.is_empty() || !sense.out.is_empty();
    sense.dated = SENSES.iter().any(|s| s.dated && s.labels.contains(&key)) && !SENSES.iter().any(|s| !s.dated && s.labels.contains(&key));
    if !is_known {
        sense.both = key.into_iter().filter(|w| w != "of" && w != "by").collect();
        sense.words = sense.both.len();
    }
    sense.agent |= label.trim().to_lowercase().ends_with(" by");
    sense
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_all_its_columns() {
        for row in include_str!("relations.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
            assert_eq!(row.split('|').count(), 7, "{row}");
        }
    }

    #[test]
    fn labels_are_asked_for_by_the_usual_words() {
        let strong = |label, word: &str, reverse| sense(label).fit(&stem(word), reverse) == Some(Fit::Strong);
        assert!(strong("place of birth", "born", false));
        assert!(strong("birthPlace", "birthplace", false));
        assert!(strong("mother", "mother", false) && !strong("mother", "mother", true) && strong("mother", "daughter", true));
        assert!(strong("author", "wrote", false) && sense("author").agent && sense("influenced by").agent);
        assert!(strong("favourite colour", "color", false), "an unknown label is asked for by its own words");
        assert!(!strong("date of birth", "year", true));
        assert_eq!(sense("date of birth").fit("when", false), Some(Fit::Also));
        assert!(sense("capital of").fit(&stem("country"), false).is_some());
    }
}
