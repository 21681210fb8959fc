//! "according to MusicBrainz", "in Wikidata": where a question wants its answer from is no part of what it asks for.

/// Graphs that questions name.
const GRAPHS: [&str; 3] = ["wikidata", "musicbrainz", "dbpedia"];
/// How they are named as a source.
const BEFORE: [&str; 3] = ["according to ", "in ", "from "];

/// `question` without the phrases that name a graph as its source.
pub(super) fn without_sources(question: &str) -> String {
    let mut text = question.to_owned();
    for phrase in BEFORE.iter().flat_map(|before| GRAPHS.iter().map(move |graph| format!("{before}{graph}"))) {
        while let Some(at) = find(&text, &phrase) {
            let end = at + phrase.len();
            let before = text[..at].trim_end_matches([' ', ',']);
            let after = text[end..].trim_start_matches([' ', ',']);
            let blank = if before.is_empty() || after.is_empty() || after.starts_with(['?', '.', '!']) { "" } else { " " };
            text = format!("{before}{blank}{after}");
        }
    }
    text
}

/// Where `phrase` stands in `text` as whole words, in any case.
fn find(text: &str, phrase: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    lower
        .match_indices(phrase)
        .map(|(at, _)| at)
        .find(|at| edge(lower[..*at].chars().next_back()) && edge(lower[at + phrase.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::without_sources;

    #[test]
    fn a_source_is_left_out() {
        for (asked, left) in [
            ("Where, according to MusicBrainz, was the band founded?", "Where was the band founded?"),
            ("Which work did he compose according to MusicBrainz?", "Which work did he compose?"),
            ("According to Wikidata, who is the mother of X?", "who is the mother of X?"),
            ("Who is a member in wikidata?", "Who is a member?"),
            ("What is the inception of Wikidata?", "What is the inception of Wikidata?"),
            ("Who worked in Wikidatania?", "Who worked in Wikidatania?"),
        ] {
            assert_eq!(without_sources(asked), left);
        }
    }
}
