//! The next page of a list that a KG cut: fetched by hand, undone, read by the prompts that come after it.

use crate::world::{Disk, World};
use std::path::Path;
use tree_of_traversals::calls::{KgOp, PromptKind};
use tree_of_traversals::graph::{Direction, to_yaml};
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{Act, ActId, Again, By, Call, Cut, Event, NodeId, Preset, Purpose, State};

/// The film scenario on a graph that gives two edges of an entity at a time.
pub fn film() -> (Scenario, World) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json");
    let mut value: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    value["llm"]["fallback"] = serde_json::json!({
        "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"],
        "entities": ["Q25188"], "relation": ["P161"], "final_answer": ["ANSWER: somebody"],
    });
    let scenario: Scenario = serde_json::from_value(value).unwrap();
    let mut settings = scenario.settings(Preset::Paper);
    settings.edge_cap = 2;
    let mut world = World::with_settings(&scenario, settings, 1);
    world.run(usize::MAX);
    (scenario, world)
}

/// The node that brought casts, and the cut list of one film there.
fn cast(world: &World) -> (NodeId, Cut) {
    let node = world.state.nodes.iter().find(|n| n.action.token() == "R:P161").expect("the cast is asked for").id;
    let cuts = world.state.cuts(node);
    (node, cuts.into_iter().find(|cut| &*cut.entity == "Q25188").expect("it was cut"))
}

fn more(node: NodeId, cut: &Cut) -> Act {
    Act::More { node, entity: cut.entity.clone(), relation: cut.relation.clone(), kg: cut.kg.clone(), direction: cut.direction }
}

fn act(world: &mut World, what: Act) -> Result<ActId, String> {
    what.check(&world.state).map_err(|e| e.0)?;
    let id = ActId(world.state.acts.len() as u32);
    world.push(By::You, Event::Acted { act: id, what });
    Ok(id)
}

fn facts(state: &State, node: NodeId) -> usize {
    state.graph(node).edges().len()
}

#[test]
fn pages_come_one_by_one_until_everything_is_there() {
    let (_, mut world) = film();
    let (node, cut) = cast(&world);
    let of = cut.of.unwrap();
    assert_eq!((cut.shown, cut.direction), (2, Direction::Out));
    let below = world.state.node(node).unwrap().children.first().copied();
    let (mut before, nodes) = (facts(&world.state, node), world.state.nodes.len());
    let mut shown = 2;
    while shown < of {
        act(&mut world, more(node, &cut)).unwrap();
        world.run(usize::MAX);
        shown = (shown + 2).min(of);
        let after = facts(&world.state, node);
        assert!(after > before, "{before} facts, then {after}");
        before = after;
        let now = world.state.cuts(node).into_iter().find(|c| c.entity == cut.entity);
        assert_eq!(now.map(|c| c.shown), (shown < of).then_some(shown));
        let said = format!("Q25188 P161: {shown} of {of} shown");
        assert_eq!(to_yaml(&world.state.graph(node), false).contains(&said), shown < of, "the prompt says how far it goes");
    }
    let asked = world.state.asks.iter().filter(|a| a.key.purpose == Purpose::Edges).filter_map(|a| match &a.call {
        Call::Kg(call) => match &call.op {
            KgOp::Edges { offset, cap: 2, .. } if *offset > 0 => Some(*offset),
            _ => None,
        },
        Call::Llm(_) => None,
    });
    assert_eq!(asked.collect::<Vec<_>>(), (1..of.div_ceil(2) as u32).map(|n| n * 2).collect::<Vec<_>>());
    let refused = act(&mut world, more(node, &cut)).unwrap_err();
    assert!(refused.contains("nothing was cut here"), "{refused}");
    assert_eq!(world.state.nodes.len(), nodes, "a page makes no node");
    assert_eq!(world.state.counters().by_hand, 0, "and is no growth");
    if let Some(below) = below {
        let all = world.state.graph(node).edges().to_vec();
        assert!(all.iter().all(|edge| world.state.graph(below).contains(edge)), "what is below it has the page too");
    }
    let parent = world.state.node(node).unwrap().parent.unwrap();
    assert!(facts(&world.state, parent) < before, "what is above it has not");
    assert!(world.state.finished.is_some());
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn undo_takes_a_page_out_and_redo_puts_it_back() {
    let (_, mut world) = film();
    let (node, cut) = cast(&world);
    let before = world.state.graph(node);
    let done = act(&mut world, more(node, &cut)).unwrap();
    assert!(act(&mut world, more(node, &cut)).unwrap_err().contains("on its way"));
    world.run(usize::MAX);
    let after = world.state.graph(node);
    assert_ne!(after, before);
    world.push(By::You, Event::Undone { act: done, redo: false });
    world.run(usize::MAX);
    assert_eq!(world.state.graph(node), before);
    world.push(By::You, Event::Undone { act: done, redo: true });
    world.run(usize::MAX);
    assert_eq!(world.state.graph(node), after);
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn prompts_that_come_after_it_hold_the_page() {
    let (_, mut world) = film();
    let (node, cut) = cast(&world);
    act(&mut world, more(node, &cut)).unwrap();
    world.run(usize::MAX);
    let new: Vec<_> = world.state.steps.last().unwrap().page.as_deref().unwrap().entities.iter().map(|e| e.id.to_string()).collect();
    assert!(!new.is_empty());
    let asked = world.state.asks.len();
    act(&mut world, Act::again(node, Again::Samples)).unwrap();
    world.run(usize::MAX);
    let samples = world.state.asks[asked..].iter().find_map(|ask| match &ask.call {
        Call::Llm(call) if call.kind == PromptKind::Action => Some(call.parts.clone()),
        _ => None,
    });
    let text: String = samples.unwrap().iter().map(|part| world.state.parts[part.index()].text.to_string()).collect();
    assert!(new.iter().all(|id| text.contains(id)), "{new:?}\n{text}");
}

#[test]
fn a_crash_while_a_page_is_on_its_way_loses_nothing() {
    let (_, mut world) = film();
    let (node, cut) = cast(&world);
    let whole = {
        act(&mut world, more(node, &cut)).unwrap();
        let acted = world.entries.len();
        world.run(usize::MAX);
        acted
    };
    for count in whole..world.entries.len() {
        let mut again = world.reopened(&Disk::of(&world.entries[..count]), 3);
        again.run(usize::MAX);
        assert_eq!(again.state.graph(node), world.state.graph(node), "after {count} entries");
        assert!(again.state.open_steps().next().is_none());
    }
}
