//! Traces of facts: the call that brought it, the prompts that showed it, the answers that rest on it.

use crate::acts::{act, film};
use crate::world::World;
use tree_of_traversals::asm::{Edit, Wording};
use tree_of_traversals::calls::{AskId, PartKind};
use tree_of_traversals::graph::{Edge, Object};
use tree_of_traversals::search::{Act, ActId, Again, Ask, By, Call, Event, NodeId, Preset, State};

/// The graph that a prompt shows, read as the YAML that it is.
fn shown(state: &State, ask: &Ask) -> Option<serde_yaml::Value> {
    let Call::Llm(call) = &ask.call else { return None };
    let part = call.parts.iter().map(|id| &state.parts[id.index()]).find(|part| part.kind == PartKind::Graph)?;
    serde_yaml::from_str(&part.text[part.text.find("entities:")?..]).unwrap_or_else(|e| panic!("{e}\n{}", part.text))
}

fn holds(graph: &serde_yaml::Value, edge: &Edge) -> bool {
    let object = match &edge.o {
        Object::Entity(id) => id.to_string(),
        Object::Literal(literal) => literal.text.clone(),
    };
    let Some(rows) = graph["facts"][&*edge.s].as_mapping() else { return false };
    rows.iter().any(|(key, objects)| {
        key.as_str().unwrap().split(' ').next() == Some(&*edge.r)
            && objects.as_sequence().unwrap().iter().any(|item| item.as_str() == Some(&object))
    })
}

/// Compares the prompts of the traces of all facts with what the prompts say. Returns how many facts there are.
fn all_as_the_prompts_say(state: &State) -> usize {
    let graphs: Vec<(AskId, Option<serde_yaml::Value>)> = state
        .asks
        .iter()
        .filter(|ask| ask.error.is_none() || ask.samples.iter().any(Option::is_some))
        .map(|ask| (ask.id, shown(state, ask)))
        .collect();
    let mut facts: Vec<(NodeId, Edge)> = Vec::new();
    for node in &state.nodes {
        facts.extend(state.graph(node.id).edges().iter().map(|edge| (node.id, edge.clone())));
    }
    for (at, edge) in &facts {
        let there = graphs.iter().filter(|(_, graph)| graph.as_ref().is_some_and(|graph| holds(graph, edge)));
        let expected: Vec<AskId> = there.map(|(ask, _)| *ask).collect();
        assert_eq!(state.trace(edge, *at).prompts, expected, "{edge:?} at node {}", at.0);
    }
    facts.len()
}

fn after(mut world: World) -> World {
    world.run(usize::MAX);
    world
}

#[test]
fn the_prompts_of_a_trace_are_those_that_hold_the_fact() {
    let world = after(World::new(&film(), Preset::Paper, 1));
    assert!(all_as_the_prompts_say(&world.state) > 50);
}

#[test]
fn prompts_that_left_the_fact_out_and_those_that_were_refused_are_none() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| request.prompt().chars().count() > 1_950;
    world.run(usize::MAX);
    let cut = world.state.asks.iter().filter(|ask| matches!(&ask.call, Call::Llm(call) if call.omitted > 0 && call.shown > 0)).count();
    assert!(cut > 0, "some prompt shows a part of its facts");
    all_as_the_prompts_say(&world.state);
}

#[test]
fn a_trace_goes_back_to_the_call_and_forward_to_the_answers() {
    let world = after(World::new(&film(), Preset::Paper, 1));
    let state = &world.state;
    let answer = state.finished.as_ref().unwrap().0.answer.unwrap();
    let evidence = state.evidence(answer);
    assert!(!evidence.is_empty());
    for edge in &evidence {
        let trace = state.trace(edge, answer);
        let (node, ask) = trace.brought_by.unwrap();
        assert!(state.node(node).unwrap().delta.edges.contains(edge));
        assert!(state.ask(ask).unwrap().edges().unwrap().edges.iter().any(|other| other.same_fact(edge)));
        assert_eq!(trace.answers.first(), Some(&answer), "the best answer first");
        assert!(trace.nodes.contains(&node) && trace.nodes.contains(&answer), "both were scored with it: {trace:?}");
        assert!(!trace.nodes.contains(&NodeId(0)), "the question was asked about before it");
        for other in state.answers() {
            assert_eq!(trace.answers.contains(&other), state.evidence(other).contains(edge), "answer {}", other.0);
        }
    }
    assert_eq!(state.evidence_facts().iter().filter(|(of, _)| *of == answer).count(), evidence.len());
    // A fact that nothing brought has no trace.
    let nothing = Edge::new("Q25188".into(), "P9".into(), Object::Entity("Q5".into()), "scenario".into());
    assert_eq!(state.trace(&nothing, answer), tree_of_traversals::search::Trace::default());
}

#[test]
fn a_pruned_answer_does_not_count() {
    let mut world = after(World::new(&film(), Preset::Paper, 1));
    let answer = world.state.finished.as_ref().unwrap().0.answer.unwrap();
    let edge = world.state.evidence(answer).remove(0);
    act(&mut world, Act::Prune { node: answer, on: true }).unwrap();
    assert!(!world.state.trace(&edge, answer).answers.contains(&answer));
}

#[test]
fn a_graph_that_a_person_worded_shows_what_it_says() {
    let mut world = after(World::new(&film(), Preset::Paper, 1));
    let answer = world.state.finished.as_ref().unwrap().0.answer.unwrap();
    let edge = world.state.evidence(answer).remove(0);
    for (text, expected) in [("no facts are known".to_owned(), false), (format!("{}:\n  \"{}\": [Q1, Q2]", edge.s, edge.r), false), {
        let Object::Entity(object) = &edge.o else { panic!("{edge:?}") };
        (format!("{}:\n  \"{} by hand\": [Q1, {object}]", edge.s, edge.r), true)
    }] {
        let before = world.state.asks.len();
        let edits = vec![Edit { part: PartKind::Graph, with: Wording::Text(text.clone()) }];
        act(&mut world, Act::AskAgain { node: answer, what: Again::Value, edits, otherwise: Default::default() }).unwrap();
        world.run(usize::MAX);
        assert_eq!(world.state.asks.len(), before + 1);
        let ask = AskId(u32::try_from(before).unwrap());
        assert_eq!(world.state.trace(&edge, answer).prompts.contains(&ask), expected, "{text}");
    }
}

#[test]
fn a_page_is_in_the_prompts_after_it_while_it_was_in_force() {
    let (_, mut world) = crate::pages::film();
    let node = world.state.nodes.iter().find(|n| n.action.token() == "R:P161").unwrap().id;
    let cut = world.state.cuts(node).into_iter().find(|cut| &*cut.entity == "Q25188").unwrap();
    let what = Act::More { node, entity: cut.entity, relation: cut.relation, kg: cut.kg, direction: cut.direction };
    act(&mut world, what).unwrap();
    world.run(usize::MAX);
    let page = world.state.steps.last().unwrap().clone();
    let edge = world.state.graph(node).resolved(&page.page.as_ref().unwrap().edges[0]);
    assert!(world.state.trace(&edge, node).prompts.is_empty(), "every prompt was sent before it");
    let asked = |world: &World| AskId(u32::try_from(world.state.asks.len()).unwrap());
    let first = asked(&world);
    act(&mut world, Act::again(node, Again::Value)).unwrap();
    world.run(usize::MAX);
    assert_eq!(world.state.trace(&edge, node).prompts, [first]);
    assert_eq!(world.state.trace(&edge, node).nodes, [node]);
    let (by, ask) = world.state.trace(&edge, node).brought_by.unwrap();
    assert_eq!((by, world.state.ask(ask).unwrap().key.step), (node, page.id));
    // Undone, it is in no prompt that comes after; the one that was sent with it stays so.
    world.push(By::You, Event::Undone { act: ActId(0), redo: false });
    act(&mut world, Act::again(node, Again::Value)).unwrap();
    world.run(usize::MAX);
    let trace = world.state.trace(&edge, node);
    assert_eq!((trace.prompts, trace.brought_by), (vec![first], None));
}
