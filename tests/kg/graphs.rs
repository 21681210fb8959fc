//! The same questions to the embedded engine and to an endpoint over HTTP, in both models.

use super::support::Server;
use super::{data, edges, edges_op, fast, ids, objects, relations, search, sparql};
use std::sync::Arc;
use tree_of_traversals::calls::{CallErrorKind, KgData, KgOp};
use tree_of_traversals::graph::{Direction, LiteralKind, Object};
use tree_of_traversals::kg::{KgSpec, KnowledgeGraph, demo, open, open_with};

/// The file in process, and the same data behind HTTP.
pub(super) async fn both(name: &str) -> [Arc<dyn KnowledgeGraph>; 2] {
    let server = Server::with_engine(&std::fs::read_to_string(data(name)).unwrap()).await;
    [open_with(&KgSpec::Files(vec![data(name)]), &fast()).await.unwrap(), sparql(&server.base).await]
}

#[tokio::test]
async fn search_prefers_the_same_letters_then_labels_then_aliases() {
    for kg in both("wikidata.ttl").await {
        let found = search(&*kg, "Night Ferry").await;
        let found: Vec<&str> = found.iter().map(|c| &*c.entity.id).collect();
        assert_eq!(found[..2], ["Q90000001", "Q90000012"], "{}", kg.about());
        let alias = &search(&*kg, "ferry").await[0];
        assert_eq!((&*alias.entity.id, alias.matched.as_deref()), ("Q90000001", Some("The Ferry")));
        assert_eq!(alias.entity.description.as_deref(), Some("film of 1977"));
        assert_eq!(alias.entity.kg.as_ref(), kg.name());
        assert_eq!(&*search(&*kg, "Mia Ruß's").await[0].entity.id, "Q90000004");
        assert_eq!(&*search(&*kg, "otto hàll").await[0].entity.id, "Q90000003");
        assert_eq!(&*search(&*kg, "zoe mobius").await[0].entity.id, "Q90000005");
        assert_eq!(&*search(&*kg, "sketch").await[0].entity.id, "local:sketch");
        assert_eq!(&*search(&*kg, "Keybound").await[0].entity.id, "Q90000010");
        assert_eq!(&*search(&*kg, "Q90000011").await[0].entity.id, "Q90000011");
    }
}

#[tokio::test]
async fn search_offers_no_properties_and_survives_hostile_mentions() {
    for kg in both("wikidata.ttl").await {
        assert!(search(&*kg, "director").await.iter().all(|c| !c.entity.id.starts_with('P')));
        for mention in ["", "  ", "\"} UNION { ?s ?p ?o } #", "\\", "a\nb\0", "(", "'", "\"\""] {
            search(&*kg, mention).await;
        }
    }
}

#[tokio::test]
async fn relations_have_labels_counts_and_a_stable_order() {
    for kg in both("wikidata.ttl").await {
        let out = relations(&*kg, &["Q90000001", "Q90000010"], Direction::Out).await;
        let shown: Vec<(&str, Option<&str>, u64)> = out.iter().map(|r| (&*r.at.id, r.label.as_deref(), r.count.unwrap())).collect();
        assert_eq!(shown[..3], [("P57", Some("director"), 2), ("P161", Some("cast member"), 2), ("P345", Some("film number"), 1)]);
        let identifiers: Vec<&str> = out.iter().filter(|r| r.identifier).map(|r| &*r.at.id).collect();
        assert_eq!(identifiers, ["P345", "P9001"]);
        let back = relations(&*kg, &["Q90000002"], Direction::In).await;
        assert_eq!(back.iter().map(|r| (&*r.at.id, r.count)).collect::<Vec<_>>(), [("P57", Some(5))]);
        assert_eq!(back[0].reading(), "is director of");
        let cast = relations(&*kg, &["Q90000003"], Direction::In).await;
        assert_eq!(cast[0].reading(), "acted in");
        assert!(relations(&*kg, &["Q1"], Direction::Out).await.is_empty());
    }
}

#[tokio::test]
async fn relations_beyond_the_limit_are_said() {
    // Of nine properties two lead to identifiers: these take no places of the others.
    for kg in both("wikidata.ttl").await {
        let reply = kg.perform(None, KgOp::Relations { entities: ids(&["Q90000001"]), direction: Direction::Out, limit: 2 }).await.unwrap();
        assert!(reply.partial && reply.notes[0].contains("first 2 of 7 relations"), "{:?}", reply.notes);
    }
}

#[tokio::test]
async fn values_read_as_people_read_them() {
    for kg in both("wikidata.ttl").await {
        let list = edges(&*kg, &["Q90000001"], "P577", Direction::Out, 10).await;
        assert_eq!(objects(&list), ["15 March 44 BCE", "1970s", "24 May 1978"]);
        assert_eq!(list.relation_label.as_deref(), Some("publication date"));
        let Object::Literal(date) = &list.edges[0].o else { panic!() };
        assert_eq!((date.kind, date.raw.as_deref()), (LiteralKind::Date, Some("-0043-03-15T00:00:00Z")));
        assert_eq!(objects(&edges(&*kg, &["Q90000001"], "P2047", Direction::Out, 10).await), ["7", "101.5 minute"]);
        assert_eq!(objects(&edges(&*kg, &["Q90000001"], "P856", Direction::Out, 10).await), ["https://ferry.example.org/film"]);
        assert_eq!(objects(&edges(&*kg, &["Q90000001"], "P625", Direction::Out, 10).await), ["48.85, 2.35"]);
        let title = edges(&*kg, &["Q90000001"], "P1476", Direction::Out, 10).await;
        let Object::Literal(title) = &title.edges[0].o else { panic!() };
        assert_eq!((title.text.as_str(), title.lang.as_deref()), ("La Nuit\nferry", Some("fr")));
    }
}

#[tokio::test]
async fn unknown_values_are_no_entities_and_things_without_label_are() {
    for kg in both("wikidata.ttl").await {
        let list = edges(&*kg, &["Q90000002"], "P800", Direction::Out, 10).await;
        let unknown: Vec<_> = list.edges.iter().filter(|e| matches!(&e.o, Object::Literal(l) if l.kind == LiteralKind::Unknown)).collect();
        assert_eq!(unknown.len(), 2);
        assert!(!unknown[0].same_fact(unknown[1]));
        let entities: Vec<&str> =
            list.edges.iter().filter_map(|e| if let Object::Entity(id) = &e.o { Some(&**id) } else { None }).collect();
        assert_eq!(entities, ["Q90000001", "Q90000009", "local:sketch"]);
        let known = |id: &str| list.entities.iter().find(|e| &*e.id == id).unwrap();
        assert_eq!(known("Q90000009").label, None);
        assert_eq!(known("local:sketch").label.as_deref(), Some("Sketch of a Ferry"));
        assert!(list.entities.iter().all(|e| !e.id.contains("genid")));
    }
}

#[tokio::test]
async fn reverse_edges_keep_their_true_direction_and_caps_are_said() {
    for kg in both("wikidata.ttl").await {
        let list = edges(&*kg, &["Q90000003", "Q90000002"], "P57", Direction::In, 3).await;
        let subjects: Vec<&str> = list.edges.iter().map(|e| &*e.s).collect();
        assert_eq!(subjects, ["Q90000001", "Q90000010", "Q90000011"]);
        assert!(list.edges.iter().all(|e| matches!(&e.o, Object::Entity(o) if &**o == "Q90000002")));
        assert_eq!(list.partial.len(), 1);
        assert_eq!((&*list.partial[0].entity, list.partial[0].shown, list.partial[0].of), ("Q90000002", 3, Some(5)));
        let whole = edges(&*kg, &["Q90000002"], "P57", Direction::In, 5).await;
        assert!(whole.partial.is_empty() && whole.edges.len() == 5);
    }
}

#[tokio::test]
async fn labels_follow_the_chain_of_languages() {
    for kg in both("wikidata.ttl").await {
        let asked = ids(&["Q90000001", "Q90000010", "Q90000011", "Q90000009"]);
        let KgData::Entities(entities) = kg.perform(None, KgOp::Describe { ids: asked }).await.unwrap().data else { panic!() };
        let labels: Vec<Option<&str>> = entities.iter().map(|e| e.label.as_deref()).collect();
        assert_eq!(labels, [Some("Night Ferry"), Some("Keybound"), Some("дверь"), None]);
    }
}

#[tokio::test]
async fn every_query_is_in_the_reply() {
    for kg in both("wikidata.ttl").await {
        let reply = kg.perform(None, edges_op(&["Q90000001"], "P161", Direction::Out, 10)).await.unwrap();
        assert!(reply.wire.len() == 1 && reply.wire.iter().all(|note| note.query.contains("SELECT") && note.tries == 1));
        assert!(!reply.partial && reply.notes.is_empty());
    }
}

#[tokio::test]
async fn what_is_no_id_is_refused_before_anything_is_sent() {
    for kg in both("wikidata.ttl").await {
        for id in ["", "Q1 . ?s ?p ?o", "<http://ex.org/a> } #", "Night Ferry"] {
            let error = kg.perform(None, edges_op(&[id], "P57", Direction::Out, 10)).await.unwrap_err();
            assert_eq!(error.kind, CallErrorKind::Refused, "{id}");
            assert!(error.message.contains("is no entity of this graph"), "{error}");
        }
        let error = kg.perform(None, edges_op(&["Q1"], "Q57", Direction::Out, 10)).await.unwrap_err();
        assert!(error.message.contains("no relation"), "{error}");
    }
}

#[tokio::test]
async fn plain_rdf_has_full_iris_and_labels_of_four_kinds() {
    for kg in both("plain.ttl").await {
        let found = search(&*kg, "night ferry").await;
        assert_eq!(&*found[0].entity.id, "http://ex.org/NightFerry");
        assert_eq!(found[0].entity.description.as_deref(), Some("a ship"));
        assert_eq!(search(&*kg, "Old Lady").await[0].matched.as_deref(), Some("Old Lady"));
        assert!(search(&*kg, "operated by").await.is_empty());
        let asked = ids(&["http://ex.org/BlueLine", "http://ex.org/ida", "<http://ex.org/otto>"]);
        let KgData::Entities(entities) = kg.perform(None, KgOp::Describe { ids: asked }).await.unwrap().data else { panic!() };
        let labels: Vec<Option<&str>> = entities.iter().map(|e| e.label.as_deref()).collect();
        assert_eq!(labels, [Some("Blue Line"), Some("Ida Berg"), Some("Otto Hall")]);
    }
}

#[tokio::test]
async fn plain_rdf_relations_are_predicates() {
    for kg in both("plain.ttl").await {
        let out = relations(&*kg, &["http://ex.org/NightFerry"], Direction::Out).await;
        let shown: Vec<(&str, &str)> = out.iter().map(|r| (&*r.at.id, r.label.as_deref().unwrap())).collect();
        assert_eq!(
            shown,
            [
                ("http://ex.org/builtOn", "builtOn"),
                ("http://ex.org/engine", "engine"),
                ("http://ex.org/legend", "legend"),
                ("http://ex.org/operator", "operated by"),
                ("http://ex.org/seats", "seats"),
                ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type"),
            ]
        );
        let list = edges(&*kg, &["http://ex.org/BlueLine"], "http://ex.org/operator", Direction::In, 10).await;
        assert_eq!(&*list.edges[0].s, "http://ex.org/NightFerry");
        assert_eq!(objects(&list), ["http://ex.org/BlueLine"]);
        let back = relations(&*kg, &["http://ex.org/BlueLine"], Direction::In).await;
        assert_eq!(back[0].inverse_label.as_deref(), Some("operates"));
        let value = |relation: &'static str| async { edges(&*kg, &["http://ex.org/NightFerry"], relation, Direction::Out, 10).await };
        assert_eq!(objects(&value("http://ex.org/builtOn").await), ["24 May 2001"]);
        assert_eq!(objects(&value("http://ex.org/legend").await), ["-0012-11-29"]);
        assert_eq!(objects(&value("http://ex.org/seats").await), ["120"]);
        assert_eq!(objects(&value("http://ex.org/engine").await), ["unnamed node"]);
    }
}

#[tokio::test]
async fn a_file_lends_its_prefixes() {
    let kg = open_with(&KgSpec::Files(vec![data("plain.ttl")]), &fast()).await.unwrap();
    let list = edges(&*kg, &["ex:NightFerry"], "ex:operator", Direction::Out, 10).await;
    assert_eq!(objects(&list), ["http://ex.org/BlueLine"]);
    assert_eq!(kg.check().await.unwrap(), "plain.ttl: 19 facts, plain RDF");
}

#[tokio::test]
async fn the_demo_graph_answers_its_first_question() {
    let kg = open("demo").await.unwrap();
    let cast = |film| {
        let kg = &kg;
        async move { objects(&edges(&**kg, &[film], "P161", Direction::Out, 100).await).iter().map(|o| (*o).to_owned()).collect::<Vec<_>>() }
    };
    let (inception, interstellar) = (cast("Q25188").await, cast("Q13417189").await);
    let both: Vec<&String> = inception.iter().filter(|actor| interstellar.contains(actor)).collect();
    assert_eq!(both, ["Q123351"]);
    assert_eq!(search(&*kg, "michael caine").await[0].entity.label.as_deref(), Some("Michael Caine"));
    assert_eq!(&*search(&*kg, "big star").await[0].entity.id, "local:big-star");
    assert_eq!(demo::questions()[0].gold, ["Michael Caine"]);
}

#[tokio::test]
async fn a_dropped_call_leaves_the_graph_usable() {
    for kg in both("wikidata.ttl").await {
        drop(kg.perform(None, edges_op(&["Q90000002"], "P57", Direction::In, 3)));
        let started = kg.perform(None, edges_op(&["Q90000002"], "P57", Direction::In, 3));
        let _ = tokio::time::timeout(std::time::Duration::from_micros(1), started).await;
        assert_eq!(edges(&*kg, &["Q90000002"], "P57", Direction::In, 3).await.edges.len(), 3);
    }
}
