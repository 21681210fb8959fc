//! How many requests an operation costs, and what becomes of one that is shared.

use super::support::{Server, json, response};
use super::{data, edge_list, edges, edges_op, ids, relations, sparql};
use std::fmt::Write as _;
use std::sync::Arc;
use tree_of_traversals::calls::{CallErrorKind, KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, Relation};
use tree_of_traversals::kg::KnowledgeGraph;

/// A graph over HTTP whose shape is known already, and the server.
async fn ready(turtle: &str) -> (Server, Arc<dyn KnowledgeGraph>, usize) {
    let server = Server::with_engine(turtle).await;
    let kg = sparql(&server.base).await;
    kg.check().await.unwrap();
    let asked = server.seen().len();
    (server, kg, asked)
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(data(name)).unwrap()
}

fn relations_op(of: &[&str], direction: Direction) -> KgOp {
    KgOp::Relations { entities: ids(of), direction, limit: 100 }
}

fn found(reply: &KgReply) -> &[Relation] {
    match &reply.data {
        KgData::Relations(found) => found,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn both_directions_cost_one_request() {
    for (file, of) in [
        ("wikidata.ttl", vec!["Q90000020"]),
        ("wikidata.ttl", vec!["Q90000002", "Q90000030"]),
        ("plain.ttl", vec!["http://ex.org/BlueLine"]),
    ] {
        let (server, kg, before) = ready(&fixture(file)).await;
        let (out, back) = (kg.perform(None, relations_op(&of, Direction::Out)), kg.perform(None, relations_op(&of, Direction::In)));
        let (back, out) = (back.await.unwrap(), out.await.unwrap());
        assert_eq!(server.seen().len() - before, 1, "{of:?}");
        assert!(!found(&out).is_empty() && found(&out).iter().all(|r| r.at.direction == Direction::Out && r.label.is_some()));
        assert!(!found(&back).is_empty() && found(&back).iter().all(|r| r.at.direction == Direction::In && r.label.is_some()));
        // The one request is told of once; the other half only names the query.
        let tries = |reply: &KgReply| reply.wire.iter().map(|note| note.tries).sum::<u32>();
        assert_eq!((tries(&out), tries(&back), back.wire.len()), (1, 0, 1));
        assert!(!out.partial && !back.partial);
    }
}

#[tokio::test]
async fn a_later_ask_is_asked_anew() {
    let (server, kg, before) = ready(&fixture("wikidata.ttl")).await;
    relations(&*kg, &["Q90000002"], Direction::Out).await;
    // The other half may come a moment after the first one was answered: a look into the cache on disk lies between.
    relations(&*kg, &["Q90000002"], Direction::In).await;
    assert_eq!(server.seen().len() - before, 1);
    // One half that is given up does not take the other with it, and leaves nothing to be joined later.
    let (out, back) =
        (kg.perform(None, relations_op(&["Q90000002"], Direction::Out)), kg.perform(None, relations_op(&["Q90000002"], Direction::In)));
    drop(out);
    assert_eq!(found(&back.await.unwrap())[0].count, Some(5));
    drop(kg.perform(None, relations_op(&["Q90000002"], Direction::Out)));
    assert_eq!(relations(&*kg, &["Q90000002"], Direction::In).await[0].count, Some(5));
    assert_eq!(server.seen().len() - before, 3);
}

#[tokio::test]
async fn a_direction_that_fails_leaves_the_other_one() {
    let server = Server::start(|_, request| {
        let q = &request.query;
        if q.contains("ASK {") {
            json(r#"{"boolean":false}"#)
        } else if q.contains("(\"in\" AS ?way)") {
            response("500 Internal Server Error", "", "out of memory")
        } else {
            let cells = r#""way":{"type":"literal","value":"out"},"p":{"type":"uri","value":"http://ex.org/p"},"all":{"type":"literal","value":"9"}"#;
            json(&format!(r#"{{"head":{{"vars":["way","p","all"]}},"results":{{"bindings":[{{{cells}}}]}}}}"#))
        }
    })
    .await;
    let kg = sparql(&server.base).await;
    let (out, back) = (
        kg.perform(None, relations_op(&["http://ex.org/a"], Direction::Out)),
        kg.perform(None, relations_op(&["http://ex.org/a"], Direction::In)),
    );
    let (out, back) = (out.await.unwrap(), back.await.unwrap_err());
    assert_eq!((found(&out)[0].count, found(&out)[0].count_is_bound, back.kind), (Some(9), false, CallErrorKind::Server));
    assert_eq!((out.wire.len(), out.partial), (1, false));
}

#[tokio::test]
async fn edges_cost_one_request_with_names_counts_and_statements() {
    let many = ["Q90000020", "Q90000022", "Q90000001", "Q90000002", "Q90000003", "Q90000010", "Q90000011", "Q90000012"];
    for (of, relation, direction, found) in [
        (&many[..1], "P39", Direction::Out, 2),
        (&many[..3], "P40", Direction::Out, 4),
        (&many[2..5], "P57", Direction::In, 5),
        (&many[..], "P57", Direction::Out, 4),
        (&many[..], "P40", Direction::Out, 4),
        (&many[..], "P39", Direction::In, 0),
    ] {
        let (server, kg, before) = ready(&fixture("wikidata.ttl")).await;
        let reply = kg.perform(None, edges_op(of, relation, direction, 50)).await.unwrap();
        assert_eq!((server.seen().len() - before, reply.wire.len()), (1, 1), "{of:?} {relation}");
        let list = edge_list(reply);
        assert_eq!((list.edges.len(), list.partial.len()), (found, 0), "{of:?} {relation}: {:?}", list.edges);
        assert!(list.relation_label.is_some() && list.entities.iter().filter(|e| e.label.is_none()).count() == 0);
        // In the order of the entities that were asked for.
        let at = |id: &str| of.iter().position(|asked| *asked == id);
        let near: Vec<usize> = list.edges.iter().filter_map(|e| at(&e.s)).collect();
        assert!(direction == Direction::In || near.is_sorted(), "{near:?}");
    }
    let (server, kg, before) = ready(&fixture("plain.ttl")).await;
    let list = edges(&*kg, &["http://ex.org/NightFerry"], "http://ex.org/operator", Direction::Out, 50).await;
    assert_eq!(list.entities[1].label.as_deref(), Some("Blue Line"));
    assert_eq!(server.seen().len() - before, 1);
}

#[tokio::test]
async fn many_entities_are_paged_alike_together_and_alone() {
    let (_server, kg, _) = ready(&fixture("wikidata.ttl")).await;
    let many = ["Q90000003", "Q90000004", "Q90000005", "Q90000010", "Q90000011", "Q90000002"];
    for offset in [0, 2] {
        let op = |of: &[&str]| KgOp::Edges {
            entities: ids(of),
            relation: "P57".into(),
            direction: Direction::In,
            cap: 2,
            offset,
            all_ranks: false,
        };
        let together = edge_list(kg.perform(None, op(&many)).await.unwrap());
        let alone = edge_list(kg.perform(None, op(&many[5..])).await.unwrap());
        assert_eq!((together.edges.len(), &together.edges, &together.partial), (2, &alone.edges, &alone.partial));
    }
}

/// More edges than are counted: all of one relation, but for a few.
pub(super) fn hub() -> String {
    let mut turtle = String::from(
        "@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .\n\
         @prefix wikibase: <http://wikiba.se/ontology#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         wd:P1 wikibase:directClaim wdt:P1 ; rdfs:label \"part of\"@en . wd:P2 wikibase:directClaim wdt:P2 ; rdfs:label \"rim of\"@en .\n\
         wd:P3 wikibase:directClaim wdt:P3 ; rdfs:label \"never\"@en . wd:Q7 wdt:P2 wd:Q1 . wd:Q1 wdt:P2 wd:Q7 .\n",
    );
    for n in 10..20_060 {
        let _ = writeln!(turtle, "wd:Q{n} wdt:P1 wd:Q1 .");
    }
    turtle
}

#[tokio::test]
async fn a_hub_is_counted_within_bounds() {
    let (server, kg, before) = ready(&hub()).await;
    let back = relations(&*kg, &["Q1"], Direction::In).await;
    let shown: Vec<(&str, Option<&str>)> = back.iter().map(|r| (&*r.at.id, r.label.as_deref())).collect();
    assert_eq!(shown, [("P1", Some("part of")), ("P2", Some("rim of"))]);
    assert!(back[0].count_is_bound && back[0].count.is_some_and(|n| n >= 20_000), "{:?}", back[0]);
    assert_eq!(server.seen().len() - before, 2, "a hub's relations are counted, then listed");
    let out = relations(&*kg, &["Q1"], Direction::Out).await;
    assert_eq!((out.len(), out[0].count, out[0].count_is_bound), (1, Some(1), false));
    let page = edges(&*kg, &["Q1"], "P1", Direction::In, 3).await;
    assert_eq!((page.edges.len(), page.partial[0].shown, page.partial[0].of), (3, 3, None));
    assert_eq!(page.edges, edges(&*kg, &["Q1"], "P1", Direction::In, 3).await.edges);
}
