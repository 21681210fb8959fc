//! The gold paths of a question set, walked on a real server: `.ci/servers.sh` with `TOT_CI_GRAPH` starts one that holds
//! the graph, and `TOT_CI_QUESTIONS` names the questions.

use super::{edge_list, ids, sparql};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tree_of_traversals::calls::{KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, Edge, Object};
use tree_of_traversals::kg::KnowledgeGraph;

const CAP: u32 = 100;

/// What the walks cost.
#[derive(Default)]
struct Cost {
    relations: Vec<Duration>,
    edges: Vec<Duration>,
    /// The most requests that one expansion took: both directions of relations together, one page of edges.
    most: [u32; 2],
}

fn requests(reply: &KgReply) -> u32 {
    reply.wire.iter().map(|note| note.tries).sum()
}

fn holds(edge: &Edge, s: &str, p: &str, o: &str) -> bool {
    let object = match &edge.o {
        Object::Entity(id) => &**id == o,
        Object::Literal(literal) => {
            let text = literal.raw.as_deref().unwrap_or(&literal.text);
            let numbers = (text.trim_start_matches('+').parse::<f64>(), o.parse::<f64>());
            text == o || matches!(numbers, (Ok(a), Ok(b)) if (a - b).abs() < 1e-6)
        }
    };
    &*edge.s == s && &*edge.r == p && object
}

/// Whether the triple is found from one of its ends, as a walk would find it.
async fn follow(kg: &dyn KnowledgeGraph, known: &HashSet<String>, [s, p, o]: [&str; 3], cost: &mut Cost) -> bool {
    let (near, direction) = if known.contains(s) { (s, Direction::Out) } else { (o, Direction::In) };
    let begun = Instant::now();
    let ask = |direction| kg.perform(None, KgOp::Relations { entities: ids(&[near]), direction, limit: 1_000 });
    let (out, back) = (ask(Direction::Out), ask(Direction::In));
    let replies = [out.await.unwrap(), back.await.unwrap()];
    cost.relations.push(begun.elapsed());
    cost.most[0] = cost.most[0].max(replies.iter().map(requests).sum());
    let offered = replies.iter().any(|reply| match &reply.data {
        KgData::Relations(found) => found.iter().any(|r| &*r.at.id == p && r.at.direction == direction),
        _ => false,
    });
    if !offered {
        return false;
    }
    let mut offset = 0;
    loop {
        let begun = Instant::now();
        let op = KgOp::Edges { entities: ids(&[near]), relation: p.into(), direction, cap: CAP, offset, all_ranks: false };
        let reply = kg.perform(None, op).await.unwrap();
        cost.edges.push(begun.elapsed());
        cost.most[1] = cost.most[1].max(requests(&reply));
        let list = edge_list(reply);
        if list.edges.iter().any(|edge| holds(edge, s, p, o)) {
            return true;
        }
        if list.partial.is_empty() || list.edges.is_empty() {
            return false;
        }
        offset += CAP;
    }
}

async fn walk(variable: &str) {
    let url = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
    let file = std::env::var("TOT_CI_QUESTIONS").expect("TOT_CI_QUESTIONS is not set");
    let questions: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let kg = sparql(&format!("{url}?default-graph-uri=http%3A%2F%2Ffixture%2Flarge")).await;
    kg.check().await.unwrap();
    let mut cost = Cost::default();
    let (mut whole, mut triples, mut missed) = (0, 0, Vec::new());
    for question in &questions {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let mut known: HashSet<String> = question["topic_entities"].as_array().unwrap().iter().map(|e| text(&e["qid"])).collect();
        let before = missed.len();
        for triple in question["gold_path"].as_array().unwrap() {
            let [s, p, o] = [0, 1, 2].map(|at| text(&triple[at]));
            triples += 1;
            if !follow(&*kg, &known, [&s, &p, &o], &mut cost).await {
                missed.push(format!("{}: {s} {p} {o}", text(&question["id"])));
            }
            known.extend([s, o]);
        }
        whole += usize::from(missed.len() == before);
    }
    for times in [&mut cost.relations, &mut cost.edges] {
        times.sort();
    }
    let shown = |times: &[Duration]| format!("median {:?}, longest {:?}", times[times.len() / 2], times[times.len() - 1]);
    println!("{variable}: {whole} of {} paths, {} of {triples} triples found", questions.len(), triples - missed.len());
    println!("relations: at most {} request(s), {}", cost.most[0], shown(&cost.relations));
    println!("edges: at most {} request(s) a page, {}, {} pages", cost.most[1], shown(&cost.edges), cost.edges.len());
    assert!(missed.is_empty(), "{missed:#?}");
    assert_eq!(cost.most, [1, 1]);
}

#[tokio::test]
#[ignore = "needs an Oxigraph server at TOT_TEST_OXIGRAPH with TOT_CI_GRAPH, and TOT_CI_QUESTIONS"]
async fn an_oxigraph_server_has_every_gold_triple() {
    walk("TOT_TEST_OXIGRAPH").await;
}

#[tokio::test]
#[ignore = "needs a Virtuoso server at TOT_TEST_VIRTUOSO with TOT_CI_GRAPH, and TOT_CI_QUESTIONS"]
async fn a_virtuoso_server_has_every_gold_triple() {
    walk("TOT_TEST_VIRTUOSO").await;
}
