//! The example of `assets/adapters`, as it comes.

use super::{edges_op, museum, patient, search};
use std::sync::Arc;
use tree_of_traversals::calls::{EdgeList, KgData, KgOp};
use tree_of_traversals::graph::{Direction, LiteralKind, Object, Relation};
use tree_of_traversals::kg::{IdSpace, KnowledgeGraph};

async fn open() -> Arc<dyn KnowledgeGraph> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/adapters");
    museum(&format!("python3 {folder}/csv_graph.py {folder}/museum.csv"), &patient()).await
}

async fn edges(kg: &dyn KnowledgeGraph, op: KgOp) -> EdgeList {
    let reply = kg.perform(None, op).await.unwrap();
    let KgData::Edges(list) = reply.data else { panic!("{reply:?}") };
    list
}

fn objects(list: &EdgeList) -> Vec<&str> {
    fn text(object: &Object) -> &str {
        match object {
            Object::Entity(id) => id,
            Object::Literal(literal) => &literal.text,
        }
    }
    list.edges.iter().map(|edge| text(&edge.o)).collect()
}

async fn relations(kg: &dyn KnowledgeGraph, of: &str, direction: Direction) -> Vec<Relation> {
    let op = KgOp::Relations { entities: vec![of.into()], direction, limit: 50 };
    let KgData::Relations(list) = kg.perform(None, op).await.unwrap().data else { panic!() };
    list
}

#[tokio::test]
async fn a_question_is_walked_from_its_mention_to_a_dated_fact() {
    let kg = open().await;
    assert_eq!(kg.id_space(), IdSpace::Own);
    let reply = search(&*kg, "rembrandt").await.unwrap();
    let KgData::Candidates(found) = &reply.data else { panic!("{reply:?}") };
    assert_eq!((&*found[0].entity.id, found[0].entity.label.as_deref()), ("museum:Rembrandt", Some("Rembrandt")));
    assert_eq!((reply.wire.len(), reply.wire[0].rows, reply.partial), (1, 1, false));
    assert!(reply.wire[0].query.contains("\"mention\":\"rembrandt\""), "{}", reply.wire[0].query);

    let out = relations(&*kg, "museum:Rembrandt", Direction::Out).await;
    let shown: Vec<_> = out.iter().map(|r| (&*r.at.id, r.label.as_deref(), r.count)).collect();
    assert_eq!(shown, [("museum:born_in", Some("born in"), Some(1)), ("museum:residence", Some("residence"), Some(2))]);
    let back = relations(&*kg, "museum:Rembrandt", Direction::In).await;
    assert_eq!((&*back[0].at.id, back[0].count, back[0].at.direction), ("museum:creator", Some(3), Direction::In));

    let lived = edges(&*kg, edges_op(&["museum:Rembrandt"], "museum:residence", Direction::Out, 10, 0)).await;
    assert_eq!(objects(&lived), ["museum:Leiden", "museum:Amsterdam"]);
    assert_eq!(lived.edges[1].notes[0].text(), "from 1631, until 1669");
    assert_eq!((lived.relation_label.as_deref(), lived.partial.len()), (Some("residence"), 0));
    assert!(lived.entities.iter().any(|e| &*e.id == "museum:Amsterdam" && e.label.as_deref() == Some("Amsterdam")));
}

#[tokio::test]
async fn reverse_edges_stand_in_their_true_direction_and_come_page_by_page() {
    let kg = open().await;
    let page = |offset| edges_op(&["museum:Rembrandt"], "museum:creator", Direction::In, 2, offset);
    let first = edges(&*kg, page(0)).await;
    let subjects: Vec<&str> = first.edges.iter().map(|e| &*e.s).collect();
    assert_eq!(subjects, ["museum:The_Night_Watch", "museum:The_Jewish_Bride"]);
    assert_eq!(objects(&first), ["museum:Rembrandt", "museum:Rembrandt"]);
    assert_eq!((first.partial[0].shown, first.partial[0].of), (2, Some(3)));
    let rest = edges(&*kg, page(2)).await;
    assert_eq!((&*rest.edges[0].s, rest.edges.len(), rest.partial.len()), ("museum:The_Anatomy_Lesson", 1, 0));
}

#[tokio::test]
async fn values_have_their_kind_and_ids_may_be_given_without_the_name() {
    let kg = open().await;
    let of = |relation: &'static str| edges_op(&["The_Night_Watch"], relation, Direction::Out, 5, 0);
    let kind = |list: &EdgeList| match &list.edges[0].o {
        Object::Literal(literal) => (literal.kind, literal.text.clone()),
        other @ Object::Entity(_) => panic!("{other:?}"),
    };
    assert_eq!(kind(&edges(&*kg, of("made_in")).await), (LiteralKind::Date, "1642".to_owned()));
    assert_eq!(kind(&edges(&*kg, of("height_in_cm")).await), (LiteralKind::Quantity, "379.5".to_owned()));
}

#[tokio::test]
async fn what_it_cannot_do_is_refused_or_left_out() {
    let kg = open().await;
    assert!(kg.check().await.unwrap().contains("16 facts of"));
    let linked = kg.perform(None, KgOp::Link { entities: Vec::new() }).await.unwrap();
    assert_eq!(linked.data, KgData::Entities(Vec::new()));
    let described = kg.perform(None, KgOp::Describe { ids: vec!["museum:Leiden".into(), "museum:Atlantis".into()] }).await.unwrap();
    let KgData::Entities(known) = described.data else { panic!() };
    let named: Vec<_> = known.iter().map(|e| (&*e.id, e.label.is_some())).collect();
    assert_eq!(named, [("museum:Leiden", true), ("museum:Atlantis", false)], "in the order of the question");
}

#[tokio::test]
async fn many_calls_at_once_are_each_answered() {
    let kg = open().await;
    let calls = (0..40).map(|n| {
        let kg = kg.clone();
        async move { (n % 2, search(&*kg, if n % 2 == 0 { "delft" } else { "leiden" }).await.unwrap()) }
    });
    for (odd, reply) in futures_util::future::join_all(calls).await {
        let KgData::Candidates(found) = reply.data else { panic!() };
        assert_eq!(&*found[0].entity.id, if odd == 0 { "museum:Delft" } else { "museum:Leiden" });
    }
}
