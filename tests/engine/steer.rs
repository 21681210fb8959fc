//! Pins, and relations or entities that are forced or forbidden.

use crate::acts::{act, film};
use crate::world::World;
use tree_of_traversals::asm::{Action, AsmState};
use tree_of_traversals::search::{Act, By, Event, NodeId, Outcome, Preset, Reason, why};

/// The first node with this state after its action that nobody has expanded yet.
fn first(world: &mut World, asm: AsmState) -> NodeId {
    for _ in 0..500 {
        world.run(world.entries.len() + 1);
        if let Some(node) = world.state.frontier().into_iter().find(|id| world.state.node(*id).unwrap().asm == asm) {
            return node;
        }
    }
    panic!("no open node in this state");
}

fn relations(world: &World) -> Vec<String> {
    let of = |action: &Action| if let Action::SelectRelation { relation } = action { Some(relation.token()) } else { None };
    world.state.nodes.iter().filter_map(|node| of(&node.action)).collect()
}

#[test]
fn a_pinned_node_comes_next_and_only_once() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    // Two are open: the worse one is pinned.
    while world.state.frontier().len() < 2 {
        world.run(world.entries.len() + 1);
    }
    let best = world.state.next_node().unwrap();
    let other = world.state.frontier().into_iter().find(|id| *id != best).unwrap();
    act(&mut world, Act::Pin { node: other }).unwrap();
    assert_eq!(world.state.next_node(), Some(other));
    assert!(act(&mut world, Act::Pin { node: other }).is_err_and(|why| why.contains("pinned already")));
    let pin = world.state.pin_of(other).unwrap();
    world.push(By::You, Event::Undone { act: pin, redo: false });
    assert_eq!(world.state.next_node(), Some(best), "taken back it waits like any other");
    world.push(By::You, Event::Undone { act: pin, redo: true });
    let opened = world.state.steps.len();
    while world.state.node(other).unwrap().expanded.is_none() {
        world.run(world.entries.len() + 1);
    }
    let next = world.state.steps[opened..].iter().find(|step| step.counts).unwrap();
    assert_eq!((next.node, &*next.why), (Some(other), "you pinned it"));
    assert!(act(&mut world, Act::Pin { node: other }).is_err(), "it was expanded");
    world.run(usize::MAX);
    assert!(world.state.finished.is_some());
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn a_forbidden_relation_is_not_on_offer_and_what_the_model_says_of_it_is_rejected() {
    let scenario = film();
    let mut free = World::new(&scenario, Preset::Paper, 1);
    free.run(usize::MAX);
    assert!(relations(&free).contains(&"P161".to_owned()), "else the test shows nothing");
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(1);
    act(&mut world, Act::Rule("forbid relation cast member".parse().unwrap())).unwrap();
    assert!(act(&mut world, Act::Rule("forbid relation cast member".parse().unwrap())).is_err_and(|why| why.contains("already")));
    world.run(usize::MAX);
    assert!(world.state.finished.is_some() && !relations(&world).contains(&"P161".to_owned()), "{:?}", relations(&world));
    let rejected = world
        .state
        .leftovers()
        .any(|left| matches!(&left.reading.outcome, Outcome::Rejected { text, reason: Reason::NotOffered, .. } if text.contains("P161")));
    assert!(rejected, "the scripted model says it all the same");
    // No prompt offers it; what was read before stands.
    let offers = world.state.parts.iter().any(|part| part.text.contains("P161:") || part.text.contains("- P161"));
    assert!(!offers);
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn a_forced_relation_is_taken_without_asking_once_on_every_walk_and_only_below_its_node() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    let below = first(&mut world, AsmState::SelectingRelation);
    act(&mut world, Act::Rule(format!("force relation P86 below {}", below.0).parse().unwrap())).unwrap();
    let asks = |world: &World, node: NodeId| {
        let steps: Vec<_> = world.state.steps.iter().filter(|step| step.node == Some(node)).map(|step| step.id).collect();
        world
            .state
            .asks
            .iter()
            .filter(|ask| ask.is_llm() && steps.contains(&ask.key.step) && ask.key.purpose == tree_of_traversals::search::Purpose::Sample)
            .count()
    };
    world.run(usize::MAX);
    let children: Vec<_> = world.state.node(below).unwrap().children.iter().map(|id| world.state.node(*id).unwrap().clone()).collect();
    assert_eq!(children.len(), 1, "one choice was left");
    assert!(matches!(&children[0].action, Action::SelectRelation { relation } if relation.token() == "P86"));
    assert_eq!((children[0].by, children[0].votes, asks(&world, below)), (By::Engine, (0, 0), 0), "the model was not asked");
    assert!(!children[0].delta.edges.is_empty(), "the facts are the graph's");
    // Elsewhere, and further down on the same walk, the model chooses.
    let inside = |id: NodeId| world.state.path_to(id).iter().any(|node| node.id == below);
    let taken: Vec<NodeId> = world
        .state
        .nodes
        .iter()
        .filter(|n| matches!(&n.action, Action::SelectRelation { relation } if relation.token() == "P86"))
        .map(|n| n.id)
        .collect();
    assert!(taken.iter().all(|id| inside(*id)), "{taken:?}");
    for node in &world.state.nodes {
        let walk: Vec<_> = world.state.path_to(node.id).into_iter().filter(|n| n.votes == (0, 0) && taken.contains(&n.id)).collect();
        assert!(walk.len() <= 1, "once on every walk");
    }
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn forced_and_forbidden_entities_narrow_what_can_be_selected() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(1);
    act(&mut world, Act::Rule("force entity Interstellar".parse().unwrap())).unwrap();
    let selecting = first(&mut world, AsmState::SelectingEntities);
    world.run(usize::MAX);
    let chosen = world.state.node(selecting).unwrap().children.iter().map(|id| world.state.node(*id).unwrap().action.clone());
    assert_eq!(chosen.collect::<Vec<_>>(), [Action::SelectEntities { ids: vec!["Q13417189".into()] }]);
    // With everything forbidden there is nothing to choose, and the reason is told.
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(1);
    for film in ["Q25188", "Q13417189"] {
        act(&mut world, Act::Rule(format!("forbid entity {film}").parse().unwrap())).unwrap();
    }
    world.run(usize::MAX);
    let errors: Vec<String> =
        world.state.nodes.iter().filter_map(|n| if let Action::Error { why } = &n.action { Some(why.clone()) } else { None }).collect();
    assert!(errors.iter().any(|why| why.contains("forbidden by you")), "{errors:?}");
    assert!(world.state.finished.is_some());
}

#[test]
fn a_rule_below_a_node_that_is_still_to_come_holds_from_then_on() {
    let scenario = film();
    let mut free = World::new(&scenario, Preset::Paper, 1);
    free.run(usize::MAX);
    let cast = |world: &World| world.state.nodes.iter().position(|n| n.action.to_string().contains("P161"));
    let at = NodeId(u32::try_from(cast(&free).expect("else the test shows nothing")).unwrap());
    let parent = free.state.node(at).unwrap().parent.unwrap();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(1);
    act(&mut world, Act::Rule(format!("forbid relation P161 below {}", parent.0).parse().unwrap())).unwrap();
    world.run(usize::MAX);
    let below = |id: NodeId| world.state.path_to(id).iter().any(|node| node.id == parent);
    let chosen = world
        .state
        .nodes
        .iter()
        .filter(|n| below(n.id) && matches!(&n.action, Action::SelectRelation { relation } if &*relation.id == "P161"));
    assert_eq!(chosen.count(), 0);
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn a_pinned_node_comes_before_the_answer_that_ends_the_search() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    let answer = world.state.summary().answer;
    let open = *world.state.frontier().first().expect("a node was left open");
    act(&mut world, Act::Pin { node: open }).unwrap();
    assert_eq!(why::coming(&world.state), Some(why::Decision::Expand(open)), "what is told is what comes");
    world.run(usize::MAX);
    assert!(world.state.node(open).unwrap().expanded.is_some());
    assert_eq!(world.state.summary().answer, answer, "then it ends as before");
    assert_eq!(world.reloaded(), world.state);
}
