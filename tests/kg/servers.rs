//! Real servers. Each variable names an endpoint that holds `tests/data/kg/wikidata.ttl` in the graph
//! `http://fixture/wikidata` and `plain.ttl` in `http://fixture/plain`, beside any other data; `.ci/servers.sh` starts
//! such servers.

use super::{data, edge_list, edges, fast, ids, objects, relations, search, sparql};
use std::sync::Arc;
use tree_of_traversals::calls::{CallErrorKind, EdgeList, KgOp};
use tree_of_traversals::graph::{Direction, Object};
use tree_of_traversals::kg::{KgSpec, KnowledgeGraph, open_with};

async fn pair(variable: &str, name: &str) -> [Arc<dyn KnowledgeGraph>; 2] {
    let url = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
    let here = open_with(&KgSpec::Files(vec![data(&format!("{name}.ttl"))]), &fast()).await.unwrap();
    [here, sparql(&format!("{url}?default-graph-uri=http%3A%2F%2Ffixture%2F{name}")).await]
}

/// All that a list says, without names of blank nodes.
fn said(list: &EdgeList) -> String {
    let edges: Vec<String> = list
        .edges
        .iter()
        .map(|edge| match &edge.o {
            Object::Entity(o) => format!("{} {} {o} {:?}", edge.s, edge.r, edge.notes),
            Object::Literal(o) => format!("{} {} {:?} {} {:?} {:?}", edge.s, edge.r, o.kind, o.text, o.lang, edge.notes),
        })
        .collect();
    let names: Vec<_> = list.entities.iter().map(|e| (&e.id, &e.label, &e.description)).collect();
    format!("{edges:#?} {names:#?} {:?} {:?}", list.partial, list.relation_label)
}

/// What the server says is what the embedded engine says.
async fn agree(variable: &str) {
    let [here, there] = pair(variable, "wikidata").await;
    for of in [
        &["Q90000001"][..],
        &["Q90000002"],
        &["Q90000001", "Q90000010", "Q90000003"],
        &["Q90000020"],
        &["Q90000020", "Q90000022"],
        &["Q90000030"],
        &["Q90000003"],
    ] {
        for direction in [Direction::Out, Direction::In] {
            let (mut ours, mut theirs) = (relations(&*here, of, direction).await, relations(&*there, of, direction).await);
            for relation in ours.iter_mut().chain(&mut theirs) {
                relation.at.kg = "kg".into();
            }
            assert_eq!(ours, theirs, "{of:?} {direction:?}");
        }
    }
    for (of, relation, direction) in [
        ("Q90000001", "P577", Direction::Out),
        ("Q90000001", "P2047", Direction::Out),
        ("Q90000001", "P161", Direction::Out),
        ("Q90000001", "P1476", Direction::Out),
        ("Q90000001", "P625", Direction::Out),
        ("Q90000001", "P856", Direction::Out),
        ("Q90000002", "P800", Direction::Out),
        ("Q90000002", "P57", Direction::In),
    ] {
        let (ours, theirs) = (edges(&*here, &[of], relation, direction, 3).await, edges(&*there, &[of], relation, direction, 3).await);
        assert_eq!(objects(&ours), objects(&theirs), "{of} {relation}");
        assert_eq!(ours.partial, theirs.partial, "{of} {relation}");
        assert_eq!(ours.relation_label, theirs.relation_label);
        let labels =
            |list: &tree_of_traversals::calls::EdgeList| list.entities.iter().map(|e| (e.id.clone(), e.label.clone())).collect::<Vec<_>>();
        assert_eq!(labels(&ours), labels(&theirs), "{of} {relation}");
    }
    for (of, relation, direction) in [
        (&["Q90000020"][..], "P39", Direction::Out),
        (&["Q90000030"], "P39", Direction::In),
        (&["Q90000020"], "P40", Direction::Out),
        (&["Q90000022"], "P40", Direction::Out),
        (&["Q90000023"], "P40", Direction::Out),
        (&["Q90000020"], "P569", Direction::Out),
        (&["Q90000021"], "P1082", Direction::Out),
        (&["Q90000020"], "P18", Direction::Out),
        (&["Q90000020"], "P9010", Direction::Out),
        (&["Q90000020"], "P9011", Direction::Out),
        (&["Q90000020", "Q90000022", "Q90000001"], "P40", Direction::Out),
        (&["Q90000020", "Q90000022", "Q90000001", "Q90000002", "Q90000003", "Q90000010", "Q90000011"], "P40", Direction::Out),
        (&["Q90000020", "Q90000022", "Q90000001", "Q90000002", "Q90000003", "Q90000010", "Q90000011"], "P57", Direction::In),
    ] {
        for all_ranks in [false, true] {
            let op = KgOp::Edges { entities: ids(of), relation: relation.into(), direction, cap: 3, offset: 0, all_ranks };
            let (ours, theirs) = (here.perform(None, op.clone()).await.unwrap(), there.perform(None, op).await.unwrap());
            // Labels of the qualifiers of a statement that no edge has are asked for by themselves.
            let most = if of == ["Q90000023"] { 2 } else { 1 };
            // What a server refuses by its estimate takes more; `gold` counts the requests of one that does not.
            assert!(ours.wire.len() <= most && !theirs.wire.is_empty(), "{of:?} {relation}");
            assert_eq!(said(&edge_list(ours)), said(&edge_list(theirs)), "{of:?} {relation} {all_ranks}");
        }
    }
    for mention in
        ["Night Ferry", "ferry", "keybound", "Ida Berg's", "sketch", "no such thing", "\"} #", "Mia Ruß", "Zoe Mobius", "zoë möbius"]
    {
        let (ours, theirs) = (search(&*here, mention).await, search(&*there, mention).await);
        assert_eq!(ours.first().map(|c| &c.entity.id), theirs.first().map(|c| &c.entity.id), "{mention}");
    }
    let [here, there] = pair(variable, "plain").await;
    for (of, relation) in [("NightFerry", "operator"), ("NightFerry", "builtOn"), ("NightFerry", "seats"), ("NightFerry", "engine")] {
        let (of, relation) = (format!("http://ex.org/{of}"), format!("http://ex.org/{relation}"));
        let (ours, theirs) =
            (edges(&*here, &[&of], &relation, Direction::Out, 9).await, edges(&*there, &[&of], &relation, Direction::Out, 9).await);
        assert_eq!(objects(&ours), objects(&theirs), "{relation}");
    }
    assert_eq!(&*search(&*there, "old lady").await[0].entity.id, "http://ex.org/NightFerry");
    assert!(search(&*there, "operated by").await.is_empty());
    assert!(there.check().await.unwrap().ends_with("plain RDF"));
}

/// A path of the server that is no endpoint.
async fn refuses(variable: &str) {
    let url = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
    let (host, _) = url.rsplit_once('/').unwrap();
    let kg = sparql(&format!("{host}/no-endpoint")).await;
    let error = kg.perform(None, KgOp::Search { mention: "x".into(), limit: 1 }).await.unwrap_err();
    assert!(error.kind == CallErrorKind::Refused && error.message.contains("is no SPARQL endpoint"), "{error}");
}

#[tokio::test]
#[ignore = "needs an Oxigraph server at TOT_TEST_OXIGRAPH"]
async fn an_oxigraph_server_agrees_with_the_embedded_engine() {
    agree("TOT_TEST_OXIGRAPH").await;
    refuses("TOT_TEST_OXIGRAPH").await;
}

#[tokio::test]
#[ignore = "needs a Virtuoso server at TOT_TEST_VIRTUOSO"]
async fn a_virtuoso_server_agrees_with_the_embedded_engine() {
    agree("TOT_TEST_VIRTUOSO").await;
    refuses("TOT_TEST_VIRTUOSO").await;
}
