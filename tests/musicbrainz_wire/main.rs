//! MusicBrainz over a local web service with the habits of the public one.

mod cases;
mod faults;
#[path = "../support/http.rs"]
mod http;
mod links;
mod operations;
mod records;
mod server;

use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{CallError, Candidate, EdgeList, KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, Edge, Entity, EntityId, Object, Relation};
use tree_of_traversals::kg::http::{ClientSettings, HttpSettings};
use tree_of_traversals::kg::{KgProfile, KgSettings, KnowledgeGraph, musicbrainz};

const LIGHTS: &str = "a0000000-0000-4000-8000-000000000001";
const IDA: &str = "44444444-4444-4444-8444-444444444444";
const LOW_TIDE: &str = "b0000000-0000-4000-8000-000000000001";
const EBB: &str = "c0000000-0000-4000-8000-000000000001";
const MEMBER: &str = "5be4c609-9afa-4ea0-910b-12ffb71e3821";

/// The manners that tests use: quick, patient with a server once more.
fn manners() -> HttpSettings {
    HttpSettings {
        client: ClientSettings { contact: Some("tests@example.org".to_owned()), ..ClientSettings::default() },
        tries: 3,
        pause: Duration::from_millis(1),
        longest_wait: Duration::from_secs(2),
        every: Duration::from_millis(1),
        ..HttpSettings::default()
    }
}

/// MusicBrainz at `url`.
fn open_with(url: &str, http: HttpSettings) -> Arc<dyn KnowledgeGraph> {
    let profile = KgProfile { url: Some(url.to_owned()), ..KgProfile::default() };
    musicbrainz::open("musicbrainz", &profile, &KgSettings { http, ..KgSettings::default() }).unwrap()
}

fn open(service: &server::Service) -> Arc<dyn KnowledgeGraph> {
    open_with(&service.url, manners())
}

fn search_for(mention: &str, limit: u32) -> KgOp {
    KgOp::Search { mention: mention.to_owned(), limit }
}

fn relations_of(ids: &[&str], direction: Direction) -> KgOp {
    KgOp::Relations { entities: ids.iter().map(|id| (*id).into()).collect(), direction, limit: 200 }
}

fn edges_of(ids: &[&str], relation: &str, direction: Direction, cap: u32, offset: u32) -> KgOp {
    let entities = ids.iter().map(|id| (*id).into()).collect();
    KgOp::Edges { entities, relation: relation.into(), direction, cap, offset, all_ranks: false }
}

async fn ask(kg: &Arc<dyn KnowledgeGraph>, op: KgOp) -> KgReply {
    kg.perform(None, op).await.unwrap()
}

async fn fails(kg: &Arc<dyn KnowledgeGraph>, op: KgOp) -> CallError {
    kg.perform(None, op).await.unwrap_err()
}

fn candidates(reply: KgReply) -> Vec<Candidate> {
    let KgData::Candidates(candidates) = reply.data else { panic!("{reply:?}") };
    candidates
}

fn relations(reply: KgReply) -> Vec<Relation> {
    let KgData::Relations(relations) = reply.data else { panic!("{reply:?}") };
    relations
}

fn edges(reply: KgReply) -> EdgeList {
    let KgData::Edges(edges) = reply.data else { panic!("{reply:?}") };
    edges
}

fn entities(reply: KgReply) -> Vec<Entity> {
    let KgData::Entities(entities) = reply.data else { panic!("{reply:?}") };
    entities
}

/// `subject relation object`, by ids.
fn triple(edge: &Edge) -> (EntityId, String, String) {
    let object = match &edge.o {
        Object::Entity(id) => id.to_string(),
        Object::Literal(value) => value.text.clone(),
    };
    (edge.s.clone(), edge.r.to_string(), object)
}
