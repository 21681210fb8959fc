//! Where facts come from, how the question was matched, and KGs that do not answer.

use crate::world::World;
use std::path::Path;
use tree_of_traversals::calls::{CallError, CallErrorKind};
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{Event, Origin, Preset, Purpose, State};

fn film() -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json");
    let mut world = World::new(&Scenario::load(&path).unwrap(), Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

#[test]
fn every_fact_of_every_node_is_traced_to_its_call() {
    let world = film();
    let mut seen = 0;
    for node in &world.state.nodes {
        for edge in world.state.graph(node.id).edges() {
            let from = world.state.provenance(node.id, edge).expect("a fact came from somewhere");
            assert!(world.state.path_to(node.id).iter().any(|n| n.id == from.node), "the node that brought it is on the way");
            assert!(from.sources.iter().all(|ask| ask.key.purpose == Purpose::Edges && ask.kg().is_some()));
            assert!(!from.sources.is_empty() && !from.by_hand());
            assert!(from.sources[0].facts().iter().flat_map(|list| &list.edges).any(|other| other.same_fact(edge)));
            seen += 1;
        }
    }
    assert!(seen > 50);
    let root = &world.state.nodes[0];
    let elsewhere = world.state.graph(world.state.nodes.last().unwrap().id).edges()[0].clone();
    assert_eq!(world.state.provenance(root.id, &elsewhere), None, "what is not in a graph comes from nowhere");
}

#[test]
fn matches_tell_mention_candidates_and_choice() {
    let world = film();
    let matches = world.state.matches();
    assert_eq!(matches.len(), 2);
    for (m, id) in matches.iter().zip(["Q25188", "Q13417189"]) {
        let picked = m.picked.unwrap();
        assert_eq!((&*picked.id, &**m.kg), (id, "scenario"));
        assert!(m.candidates.iter().any(|c| c.entity.id == picked.id));
        let Origin::Matched(found) = world.state.origin(picked) else { panic!("{:?}", world.state.origin(picked)) };
        assert_eq!(found[0].mention, m.mention);
    }
}

/// The journal of `world` up to its last call to the KG, which failed so.
fn failing(world: &World, kind: CallErrorKind) -> State {
    let last = world.state.asks.iter().rev().find(|ask| ask.kg().is_some()).unwrap().id;
    let at = world.entries.iter().position(|e| matches!(&e.ev, Event::Replied { ask, .. } if *ask == last)).unwrap();
    let mut entries = world.entries[..=at].to_vec();
    entries[at].ev = Event::Failed { ask: last, error: CallError::new(kind, "it went wrong: try again") };
    State::from_entries(&entries).unwrap()
}

#[test]
fn a_kg_is_down_when_its_last_call_failed_for_its_own_reasons() {
    let world = film();
    assert!(world.state.down().is_empty());
    for (kind, word) in [
        (CallErrorKind::Unreachable, "down"),
        (CallErrorKind::Server, "down"),
        (CallErrorKind::Busy, "busy"),
        (CallErrorKind::TimedOut, "no answer"),
        (CallErrorKind::Key, "no access"),
    ] {
        let state = failing(&world, kind);
        let down = state.down();
        assert_eq!(down.iter().map(|down| (&**down.kg, down.word())).collect::<Vec<_>>(), [("scenario", word)]);
        assert_eq!(state.remarks().iter().filter(|remark| remark.contains("it went wrong")).count(), 1, "{:?}", state.remarks());
        assert!(state.news(&["relations failed: it went wrong: try again".to_owned(), "else".to_owned()]) == ["else"]);
    }
    for kind in [CallErrorKind::Cancelled, CallErrorKind::Refused, CallErrorKind::BadReply] {
        assert!(failing(&world, kind).down().is_empty(), "{kind:?} is about the request or the person");
    }
}
