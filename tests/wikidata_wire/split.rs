//! Items that exist, of which the query service holds nothing.

use super::server::{Part, start};
use super::{ask, ids, search_reply, wikidata};
use tree_of_traversals::calls::{KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, Entity};
use tree_of_traversals::kg::KnowledgeGraph;

fn entities(reply: &KgReply) -> &[Entity] {
    match &reply.data {
        KgData::Entities(entities) => entities,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_article_is_found_by_name_and_by_words() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    for mention in ["On tidal clocks", "tidal clocks scholarly"] {
        let found = super::candidates(search_reply(&*kg, mention).await.unwrap());
        // The list is no page that the query service could tell us about.
        assert_eq!(ids(&found), ["Q7010"], "{mention}");
        assert_eq!(found[0].entity.label.as_deref(), Some("On tidal clocks"), "{mention}");
        assert_eq!(found[0].entity.description.as_deref(), Some("scholarly article"), "{mention}");
    }
}

#[tokio::test]
async fn describe_tells_what_exists_from_what_does_not() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    let reply = ask(&*kg, KgOp::Describe { ids: ["Q7010", "Q404", "Q7001", "Q7006"].map(Into::into).into() }).await.unwrap();
    let shown: Vec<(&str, Option<&str>)> = entities(&reply).iter().map(|e| (&*e.id, e.label.as_deref())).collect();
    assert_eq!(shown, [("Q7010", Some("On tidal clocks")), ("Q404", None), ("Q7001", Some("Ravensfoot")), ("Q7001", Some("Ravensfoot"))]);
    let notes = reply.notes.join("\n");
    assert!(notes.contains("Q7010 exists, but SPARQL endpoint"), "{notes}");
    assert!(notes.contains("another endpoint can be set"), "{notes}");
    assert!(notes.contains("holds nothing about Q404"), "{notes}");
    assert!(notes.contains("Q7001: Q7006 redirects here"), "{notes}");
    let parts: Vec<Part> = http.seen().iter().map(Part::of).collect();
    assert_eq!(parts, [Part::Query, Part::Entities], "one for all, one for what is unknown");
}

#[tokio::test]
async fn without_the_entity_api_the_unknown_stays_unknown() {
    let http = start(|part, _| (part == Part::Entities).then(super::server::Reply::hang_up));
    let kg = wikidata(&http).await;
    let reply = ask(&*kg, KgOp::Describe { ids: vec!["Q7010".into(), "Q7001".into()] }).await.unwrap();
    assert_eq!(entities(&reply)[1].label.as_deref(), Some("Ravensfoot"));
    assert!(reply.partial && reply.notes.iter().any(|note| note.contains("could not be looked up")), "{:?}", reply.notes);
}

/// The relations of `id` in both directions, as a search asks for them, and what was noted.
async fn relations(kg: &dyn KnowledgeGraph, id: &str) -> (usize, String) {
    let op = |direction| KgOp::Relations { entities: vec![id.into()], direction, limit: 100 };
    let (out, back) = futures_util::future::join(kg.perform(None, op(Direction::Out)), kg.perform(None, op(Direction::In))).await;
    let (out, back) = (out.unwrap(), back.unwrap());
    let count = |reply: &KgReply| if let KgData::Relations(found) = &reply.data { found.len() } else { panic!("{reply:?}") };
    assert!(!out.partial && !back.partial);
    (count(&out) + count(&back), out.notes.into_iter().chain(back.notes).collect::<Vec<_>>().join("\n"))
}

#[tokio::test]
async fn no_relations_of_an_item_that_exists_is_said_to_be_the_endpoints_doing() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    let (count, notes) = relations(&*kg, "Q7010").await;
    assert_eq!(count, 0);
    assert!(notes.contains("Q7010 exists, but") && notes.contains("another endpoint can be set"), "{notes}");
    let parts: Vec<Part> = http.seen().iter().map(Part::of).collect();
    assert_eq!(parts, [Part::Query, Part::Entities]);
    let (count, notes) = relations(&*kg, "Q7006").await;
    assert!(count == 0 && notes.contains("Q7001: Q7006 redirects here"), "{notes}");
    let (_, notes) = relations(&*kg, "Q404").await;
    assert!(notes.contains("holds nothing about Q404"), "{notes}");
    let before = http.seen().len();
    let (count, notes) = relations(&*kg, "Q7001").await;
    assert!(count > 0 && notes.is_empty(), "{notes}");
    assert_eq!(http.seen().len() - before, 1);
}

#[tokio::test]
async fn a_reason_that_cannot_be_looked_up_costs_no_relations() {
    let http = start(|part, _| (part == Part::Entities).then(super::server::Reply::hang_up));
    let (count, notes) = relations(&*wikidata(&http).await, "Q7010").await;
    assert!(count == 0 && notes.contains("could not be looked up"), "{notes}");
}
