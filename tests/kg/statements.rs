//! What statements say: qualifiers, ranks, precision, units and bounds, what is unknown and what there is none of.

use super::graphs::both;
use super::{data, edge_list, edges, edges_op, fast, ids, objects, relations};
use tree_of_traversals::calls::{EdgeList, KgOp};
use tree_of_traversals::graph::{Direction, Edge, LiteralKind, Object, Rank};
use tree_of_traversals::kg::sparql::Languages;
use tree_of_traversals::kg::{KgSettings, KgSpec, KnowledgeGraph, open_with};

async fn all_ranks(kg: &dyn KnowledgeGraph, of: &str, relation: &str, direction: Direction) -> EdgeList {
    let op = KgOp::Edges { entities: ids(&[of]), relation: relation.into(), direction, cap: 20, offset: 0, all_ranks: true };
    edge_list(kg.perform(None, op).await.unwrap())
}

fn notes(edge: &Edge) -> Vec<String> {
    edge.notes.iter().map(tree_of_traversals::graph::Note::text).collect()
}

fn kinds(list: &EdgeList) -> Vec<LiteralKind> {
    list.edges.iter().filter_map(|edge| if let Object::Literal(l) = &edge.o { Some(l.kind) } else { None }).collect()
}

const FIRST_TERM: &str = "start time 1994, end time May 2001, diocese Hafen";
const SECOND_TERM: &str = "start time 5 May 2009, end time unknown value, proportion 0.5 percent";

#[tokio::test]
async fn qualifiers_are_notes_of_one_edge() {
    for kg in both("wikidata.ttl").await {
        let list = edges(&*kg, &["Q90000020"], "P39", Direction::Out, 10).await;
        assert_eq!(objects(&list), ["Q90000030", "Q90000031"], "{}", kg.about());
        assert_eq!(notes(&list.edges[0]), [FIRST_TERM, SECOND_TERM]);
        assert!(list.edges[1].notes.is_empty() && list.partial.is_empty());
        let diocese = &list.edges[0].notes[0].qualifiers[2];
        assert_eq!((&*diocese.relation, diocese.entity.as_deref()), ("P708", Some("Q90000032")));
        let back = edges(&*kg, &["Q90000030"], "P39", Direction::In, 10).await;
        assert_eq!((&*back.edges[0].s, objects(&back)), ("Q90000020", vec!["Q90000030"]));
        assert_eq!(notes(&back.edges[0]), [FIRST_TERM, SECOND_TERM]);
    }
}

#[tokio::test]
async fn ranks_are_told_when_all_are_asked_for() {
    for kg in both("wikidata.ttl").await {
        let list = all_ranks(&*kg, "Q90000020", "P39", Direction::Out).await;
        assert_eq!(objects(&list), ["Q90000030", "Q90000031", "Q90000033"]);
        assert_eq!(notes(&list.edges[0]), [FIRST_TERM, SECOND_TERM]);
        assert_eq!(notes(&list.edges[2]), ["start time no value; deprecated"]);
        assert_eq!(list.edges[2].notes[0].rank, Rank::Deprecated);
        let wrong = all_ranks(&*kg, "Q90000033", "P39", Direction::In).await;
        assert_eq!(wrong.edges.iter().map(|e| &*e.s).collect::<Vec<_>>(), ["Q90000020"]);
        assert!(edges(&*kg, &["Q90000033"], "P39", Direction::In, 10).await.edges.is_empty());
        let born = all_ranks(&*kg, "Q90000020", "P569", Direction::Out).await;
        assert_eq!(objects(&born), ["1641 (Julian)", "25 December 1642 (Julian)"]);
        assert_eq!((notes(&born.edges[0]), notes(&born.edges[1])), (vec![], vec!["preferred rank".to_owned()]));
        let best = edges(&*kg, &["Q90000020"], "P569", Direction::Out, 10).await;
        assert_eq!((objects(&best), notes(&best.edges[0])), (vec!["25 December 1642 (Julian)"], vec![]));
        // A relation without statements has the same edges either way.
        assert_eq!(objects(&all_ranks(&*kg, "Q90000001", "P161", Direction::Out).await), ["Q90000003", "Q90000004"]);
        assert_eq!(all_ranks(&*kg, "Q90000003", "P161", Direction::In).await.edges.len(), 1);
    }
}

#[tokio::test]
async fn what_there_is_none_of_is_a_leaf_and_a_relation() {
    for kg in both("wikidata.ttl").await {
        for list in
            [edges(&*kg, &["Q90000020"], "P40", Direction::Out, 10).await, all_ranks(&*kg, "Q90000020", "P40", Direction::Out).await]
        {
            assert_eq!((objects(&list), kinds(&list)), (vec!["no value"], vec![LiteralKind::NoValue]));
            assert_eq!(list.relation_label.as_deref(), Some("child"));
        }
        let out = relations(&*kg, &["Q90000020"], Direction::Out).await;
        let child = out.iter().find(|r| &*r.at.id == "P40").unwrap();
        assert_eq!((child.label.as_deref(), child.count), (Some("child"), Some(1)));
        assert!(relations(&*kg, &["Q90000020"], Direction::In).await.iter().all(|r| r.count == Some(1)));
    }
}

#[tokio::test]
async fn two_unknown_values_stay_two_and_keep_their_notes() {
    for kg in both("wikidata.ttl").await {
        for list in
            [edges(&*kg, &["Q90000022"], "P40", Direction::Out, 10).await, all_ranks(&*kg, "Q90000022", "P40", Direction::Out).await]
        {
            assert_eq!(objects(&list), ["Q90000020", "unknown value", "unknown value"]);
            assert!(!list.edges[1].same_fact(&list.edges[2]));
            let said: Vec<String> = list.edges.iter().flat_map(notes).collect();
            assert_eq!(said, ["diocese Hafen"]);
            assert!(list.entities.iter().all(|e| e.id.starts_with('Q')), "{:?}", list.entities);
        }
        let one = edges(&*kg, &["Q90000023"], "P40", Direction::Out, 10).await;
        assert_eq!((objects(&one), notes(&one.edges[0])), (vec!["unknown value"], vec!["start time 17th century".to_owned()]));
        assert_eq!(all_ranks(&*kg, "Q90000023", "P40", Direction::Out).await.edges.len(), 2);
    }
}

#[tokio::test]
async fn quantities_have_units_and_bounds() {
    for kg in both("wikidata.ttl").await {
        let list = edges(&*kg, &["Q90000021"], "P1082", Direction::Out, 10).await;
        // The same number in two units is two facts.
        assert_eq!(objects(&list), ["9 percent", "9 minute", "14 (12 to 15) minute", "1200 ± 50.5"]);
        assert!(list.partial.is_empty());
    }
}

#[tokio::test]
async fn media_are_whole_lexemes_have_lemmas_and_strings_are_alike() {
    for kg in both("wikidata.ttl").await {
        let image = edges(&*kg, &["Q90000020"], "P18", Direction::Out, 10).await;
        assert_eq!(objects(&image), ["http://commons.wikimedia.org/wiki/Special:FilePath/Ada%20Quay%20%281%29.jpg"]);
        assert_eq!(kinds(&image), [LiteralKind::Url]);
        let word = edges(&*kg, &["Q90000020"], "P9010", Direction::Out, 10).await;
        assert_eq!(objects(&word), ["L9000123"]);
        let lexeme = word.entities.iter().find(|e| &*e.id == "L9000123").unwrap();
        assert_eq!(lexeme.label.as_deref(), Some("Fähre"));
        let motto = edges(&*kg, &["Q90000020"], "P9011", Direction::Out, 10).await;
        assert_eq!((objects(&motto), kinds(&motto)), (vec!["Belgie", "België"], vec![LiteralKind::Text; 2]));
    }
}

#[tokio::test]
async fn names_follow_the_chain_then_mul_then_any() {
    let settings = |tags: &[&str]| KgSettings { languages: Languages::new(tags.iter().copied()), ..fast() };
    let named = |list: &EdgeList, id: &str| {
        let entity = list.entities.iter().find(|e| &*e.id == id).unwrap();
        (entity.label.clone().unwrap_or_default(), entity.description.clone())
    };
    let spec = KgSpec::Files(vec![data("wikidata.ttl")]);
    let german = open_with(&spec, &settings(&["zh", "de"])).await.unwrap();
    let list = edges(&*german, &["Q90000020"], "P39", Direction::Out, 10).await;
    assert_eq!(list.relation_label.as_deref(), Some("Amt"));
    // No German label, one for every language.
    assert_eq!(named(&list, "Q90000031"), ("Lotse".to_owned(), None));
    // Neither: a label in any language is better than none; a description is not.
    assert_eq!(named(&list, "Q90000030"), ("harbour master".to_owned(), None));
    assert_eq!(notes(&list.edges[0])[0], "Beginn 1994, Ende May 2001, diocese Hafen");
    let russian = open_with(&spec, &settings(&["ru"])).await.unwrap();
    let KgOp::Edges { entities, .. } = edges_op(&["Q90000032"], "P31", Direction::Out, 1) else { panic!() };
    let reply = russian.perform(None, KgOp::Describe { ids: entities }).await.unwrap();
    assert!(format!("{:?}", reply.data).contains("Порт"), "{:?}", reply.data);
}

#[tokio::test]
async fn pages_follow_each_other_without_gaps() {
    for kg in both("wikidata.ttl").await {
        let mut seen = Vec::new();
        let mut partial = Vec::new();
        for offset in [0, 2, 4] {
            let op = KgOp::Edges {
                entities: ids(&["Q90000002"]),
                relation: "P57".into(),
                direction: Direction::In,
                cap: 2,
                offset,
                all_ranks: false,
            };
            let list = edge_list(kg.perform(None, op).await.unwrap());
            seen.extend(list.edges.iter().map(|e| e.s.to_string()));
            partial.push(list.partial.first().map(|p| (p.shown, p.of)));
        }
        assert_eq!(seen, ["Q90000001", "Q90000010", "Q90000011", "Q90000012", "Q90000013"]);
        assert_eq!(partial, [Some((2, Some(5))), Some((4, Some(5))), None]);
    }
}
