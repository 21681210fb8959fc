//! The demo graph and its questions, compiled in: the program runs with no network.
//!
//! `assets/demo/make.py` writes the graph from tables of facts, in the Wikidata RDF model.

use super::rdf::Source;

/// The graph, in Turtle.
const GRAPH: &[u8] = include_bytes!("../../assets/demo/demo.ttl");
/// The same for music, with the identifiers of MusicBrainz.
const MUSICBRAINZ: &[u8] = include_bytes!("../../assets/demo/musicbrainz.ttl");
/// The questions, as a table with a header.
const QUESTIONS: &str = include_str!("../../assets/demo/questions.tsv");

/// Where the demo graph is loaded from.
#[must_use]
pub fn source() -> Source {
    Source::Memory { name: "the demo graph", bytes: GRAPH }
}

/// Where its part in the shape of MusicBrainz is loaded from.
#[must_use]
pub fn musicbrainz() -> Source {
    Source::Memory { name: "the demo graph's MusicBrainz part", bytes: MUSICBRAINZ }
}

/// A question on the demo graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleQuestion {
    /// `demo-01` and so on.
    pub id: String,
    /// The question.
    pub question: String,
    /// The right answers, in any order; none when the graph has no such fact.
    pub gold: Vec<String>,
    /// The longest chain of relations that leads to an answer.
    pub hops: u32,
    /// `chain`, `intersection`, `comparison`, `count`, `date`, `two-kgs`, `reverse` or `unanswerable`.
    pub kind: String,
    /// Whether it needs the facts with ids of our own (`local:...`), which are part of the demo graph.
    pub needs_local: bool,
}

/// The sample questions, in the order of the table.
#[must_use]
pub fn questions() -> Vec<SampleQuestion> {
    QUESTIONS.lines().skip(1).filter_map(question).collect()
}

fn question(line: &str) -> Option<SampleQuestion> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [id, question, gold, _path, hops, kind, needs_local] = fields[..] else { return None };
    Some(SampleQuestion {
        id: id.to_owned(),
        question: question.to_owned(),
        gold: gold.split('|').filter(|answer| !answer.is_empty()).map(str::to_owned).collect(),
        hops: hops.parse().ok()?,
        kind: kind.to_owned(),
        needs_local: needs_local == "yes",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_question() {
        let all = questions();
        assert_eq!(all.len(), QUESTIONS.lines().count() - 1);
        assert_eq!(all[0].question, "Which actor played in both Inception and Interstellar?");
        assert_eq!(all[0].gold, ["Michael Caine"]);
        assert!(all.iter().all(|q| (q.kind == "unanswerable") == q.gold.is_empty()));
    }
}
