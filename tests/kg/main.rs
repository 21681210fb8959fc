//! The knowledge graphs: in process, over HTTP against a server that misbehaves, and against real servers.

mod aggregate;
mod cache;
mod estimates;
mod faults;
mod files;
mod gold;
mod graphs;
mod habits;
mod links;
mod login;
mod manners;
mod round_trips;
mod servers;
mod statements;
mod support;
mod tables;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{Candidate, EdgeList, KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, EntityId, Object, Relation};
use tree_of_traversals::kg::http::HttpSettings;
use tree_of_traversals::kg::{KgSettings, KgSpec, KnowledgeGraph, open_with};

/// A file of `tests/data/kg`.
fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", "kg", name].iter().collect()
}

/// Short pauses, so that tests do not wait.
fn fast() -> KgSettings {
    let http = HttpSettings { pause: Duration::from_millis(2), ..HttpSettings::default() };
    KgSettings { http, ..KgSettings::default() }
}

async fn sparql(url: &str) -> Arc<dyn KnowledgeGraph> {
    open_with(&KgSpec::Sparql(url.to_owned()), &fast()).await.unwrap()
}

fn ids(ids: &[&str]) -> Vec<EntityId> {
    ids.iter().map(|id| EntityId::from(*id)).collect()
}

async fn search(kg: &dyn KnowledgeGraph, mention: &str) -> Vec<Candidate> {
    match kg.perform(None, KgOp::Search { mention: mention.into(), limit: 10 }).await.unwrap().data {
        KgData::Candidates(found) => found,
        other => panic!("{other:?}"),
    }
}

async fn relations(kg: &dyn KnowledgeGraph, of: &[&str], direction: Direction) -> Vec<Relation> {
    match kg.perform(None, KgOp::Relations { entities: ids(of), direction, limit: 100 }).await.unwrap().data {
        KgData::Relations(found) => found,
        other => panic!("{other:?}"),
    }
}

fn edges_op(of: &[&str], relation: &str, direction: Direction, cap: u32) -> KgOp {
    KgOp::Edges { entities: ids(of), relation: relation.into(), direction, cap, offset: 0, all_ranks: false }
}

async fn edges(kg: &dyn KnowledgeGraph, of: &[&str], relation: &str, direction: Direction, cap: u32) -> EdgeList {
    edge_list(kg.perform(None, edges_op(of, relation, direction, cap)).await.unwrap())
}

fn edge_list(reply: KgReply) -> EdgeList {
    match reply.data {
        KgData::Edges(list) => list,
        other => panic!("{other:?}"),
    }
}

/// The far ends, as text.
fn objects(list: &EdgeList) -> Vec<&str> {
    list.edges
        .iter()
        .map(|edge| match &edge.o {
            Object::Entity(id) => &**id,
            Object::Literal(literal) => &literal.text,
        })
        .collect()
}
