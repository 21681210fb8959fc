//! A completion through every reader of completions, with what must hold whatever it is. For the tests and for `fuzz/`.

use tree_of_traversals::asm::{Action, Expect, Reply, Unusable, mention_label, parse, parse_match, parse_mentions, read_aggregate};
use tree_of_traversals::calls::Sample;
use tree_of_traversals::graph::{Direction, EntityId, Relation, RelationRef};

/// `P57` or `~P57`.
pub fn relation(token: &str) -> RelationRef {
    let (id, direction) = token.strip_prefix('~').map_or((token, Direction::Out), |id| (id, Direction::In));
    RelationRef { kg: "kg".into(), id: id.into(), direction }
}

/// The relations as they are offered.
pub fn listed(relations: &[RelationRef]) -> Vec<Relation> {
    let of = |at: &RelationRef| Relation {
        at: at.clone(),
        label: Some("director".into()),
        inverse_label: None,
        count: None,
        count_is_bound: false,
        identifier: false,
    };
    relations.iter().map(of).collect()
}

/// A text in one line.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads any bytes as a completion, in every way: the target of the fuzzer. The first byte says how it ended, the second one how many
/// candidates a match was offered; what stands behind a zero byte is reasoning that came apart from the text.
///
/// # Panics
/// As [`read_every_way`].
pub fn read_bytes(data: &[u8]) {
    let [ending, candidates, rest @ ..] = data else { return };
    let (text, reasoning) = match rest.iter().position(|byte| *byte == 0) {
        Some(at) => (&rest[..at], Some(String::from_utf8_lossy(&rest[at + 1..]).into_owned())),
        None => (rest, None),
    };
    let finish = ["stop", "length", "", "max_tokens"][usize::from(ending % 4)].to_owned();
    let text = (*ending < 250).then(|| String::from_utf8_lossy(text).into_owned());
    read_every_way(&Sample { text, reasoning, finish: Some(finish), ..Sample::default() }, usize::from(candidates % 8));
}

/// Reads `sample` as a reply to every prompt there is; `candidates` are on offer for a match.
///
/// # Panics
/// Where a reply breaks what its readers promise.
pub fn read_every_way(sample: &Sample, candidates: usize) {
    let offered: Vec<EntityId> = ["Q1", "Q12", "http://ex.org/é", "local:a-b"].map(Into::into).to_vec();
    let relations = [relation("P57"), relation("~P57"), relation("~P570")];
    let known = |label: &str| label.len().is_multiple_of(2);
    let read = |expect: &Expect<'_>| parse(expect, sample, &known);
    let says_why = |unusable: Unusable| assert!(!unusable.why().is_empty());
    match read(&Expect::Entities(&offered)) {
        Ok(Reply::Action(Action::SelectEntities { ids })) => {
            assert!(!ids.is_empty());
            let places: Vec<usize> = ids.iter().map(|id| offered.iter().position(|o| o == id).unwrap()).collect();
            assert!(places.windows(2).all(|w| w[0] < w[1]));
        }
        Ok(other) => panic!("{other:?}"),
        Err(unusable) => says_why(unusable),
    }
    match read(&Expect::Relation(&relations)) {
        Ok(Reply::Action(Action::SelectRelation { relation })) => assert!(relations.contains(&relation)),
        Ok(other) => panic!("{other:?}"),
        Err(unusable) => says_why(unusable),
    }
    match read(&Expect::RelationOrAggregate(&listed(&relations))) {
        Ok(Reply::Action(Action::SelectRelation { relation })) => assert!(relations.contains(&relation)),
        Ok(Reply::Action(Action::Aggregate { what, .. })) => assert!(relations.iter().any(|r| r.id == what.relation)),
        Ok(other) => panic!("{other:?}"),
        Err(unusable) => says_why(unusable),
    }
    for expect in [Expect::Action, Expect::FinalAnswer] {
        match read(&expect) {
            Ok(Reply::Action(Action::Answer { text, items })) => {
                assert!(!text.is_empty() && !items.is_empty());
                assert_eq!(folded(&text), text);
            }
            Ok(Reply::Action(Action::Think { text })) => assert!(!text.is_empty() && folded(&text) == text),
            Ok(Reply::Action(Action::Expand { text })) => assert_eq!(folded(&text), text),
            Ok(other) => panic!("{other:?}"),
            Err(unusable) => says_why(unusable),
        }
    }
    for expect in [Expect::ScoreState, Expect::ScoreAnswer] {
        match read(&expect) {
            Ok(Reply::Score(score)) => assert!((0.0..=1.0).contains(&score.as_f64()), "{score:?}"),
            Ok(other) => panic!("{other:?}"),
            Err(unusable) => says_why(unusable),
        }
    }
    match read(&Expect::Verdict) {
        Ok(Reply::Verdict(_, reason)) => assert_eq!(folded(&reason), reason),
        Ok(other) => panic!("{other:?}"),
        Err(unusable) => says_why(unusable),
    }
    match parse_mentions(sample) {
        Ok(mentions) => {
            assert!(!mentions.is_empty());
            for mention in mentions {
                assert!(!mention.is_empty() && mention.chars().count() < 300);
                assert!(mention.starts_with(mention_label(&mention).trim()));
            }
        }
        Err(unusable) => says_why(unusable),
    }
    if let Ok(Some(pick)) = parse_match(sample, candidates) {
        assert!((1..=candidates).contains(&pick));
    }
    let text = sample.text.as_deref().unwrap_or_default();
    let _ = mention_label(text);
    if let Ok((what, _)) = read_aggregate(text, &listed(&relations)) {
        assert!(relations.iter().any(|r| r.id == what.relation));
    }
}
