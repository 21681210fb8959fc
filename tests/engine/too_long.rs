//! Prompts that the model takes for too long: the graph is cut, what was used least recently first, and it is said.

use crate::acts::{act, again, film};
use crate::world::World;
use tree_of_traversals::asm::Action;
use tree_of_traversals::calls::{CallErrorKind, LlmRequest, PromptKind};
use tree_of_traversals::graph::{EntityId, Object};
use tree_of_traversals::search::{Act, Ask, By, Call, LlmCall, Preset, Purpose};

fn call(ask: &Ask) -> Option<&LlmCall> {
    match &ask.call {
        Call::Llm(call) => Some(call),
        Call::Kg(_) => None,
    }
}

fn letters(request: &LlmRequest) -> usize {
    request.prompt().chars().count()
}

/// The facts of a prompt, as `subject relation` with the objects of each.
fn facts(world: &World, ask: &Ask) -> String {
    let prompt = world.state.prompt_of(ask).unwrap();
    prompt.split("facts:").nth(1).unwrap().split("# ").next().unwrap().to_owned()
}

#[test]
fn it_is_asked_again_with_fewer_facts_several_times_and_says_so() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| letters(request) > 1_950;
    world.run(usize::MAX);
    let cut: Vec<&Ask> = world.state.asks.iter().map(|a| &**a).filter(|a| call(a).is_some_and(|c| c.omitted > 0)).collect();
    assert!(cut.iter().any(|ask| ask.key.round >= 2), "some prompt was cut twice: {cut:#?}");
    for ask in &cut {
        let before = world.state.ask_of(tree_of_traversals::search::AskKey { round: ask.key.round - 1, ..ask.key }).unwrap();
        assert_eq!(before.error.as_ref().unwrap().kind, CallErrorKind::TooLong);
        let (now, then) = (call(ask).unwrap(), call(before).unwrap());
        assert!(now.omitted > then.omitted && now.slots == then.slots);
        let prompt = world.state.prompt_of(ask).unwrap();
        let said = format!("\n# {} of {} facts are shown", now.shown, now.shown + now.omitted);
        assert!(prompt.contains(&said), "{said}: {prompt}");
        assert!(prompt.chars().count() < world.state.prompt_of(before).unwrap().chars().count());
        // The question's entities stay, whatever goes.
        assert!(prompt.contains("  Q25188: {") && prompt.contains("  Q13417189: {"), "{prompt}");
        assert!(ask.error.is_none() || now.shown > 0, "{ask:?}");
    }
    let remarks = world.state.remarks();
    assert!(remarks.iter().any(|r| r.contains("too long for the model: ") && r.contains(" facts were shown")), "{remarks:?}");
    assert_eq!(world.reloaded(), world.state);
    // The answers are those of the script: cutting prompts changes nothing else.
    let mut whole = World::new(&film(), Preset::Paper, 1);
    whole.run(usize::MAX);
    assert_eq!(world.state.summary().tree, whole.state.summary().tree);
    assert!(!whole.state.remarks().iter().any(|r| r.contains("too long")));
}

#[test]
fn what_was_used_last_stays() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    let cast = world.state.nodes.iter().find(|n| n.action.token() == "R:P161").unwrap().clone();
    let objects: Vec<EntityId> =
        cast.delta.edges.iter().filter_map(|e| if let Object::Entity(id) = &e.o { Some(id.clone()) } else { None }).collect();
    let (first, others): (&EntityId, Vec<&EntityId>) = (&objects[0], objects[1..].iter().filter(|id| **id != objects[0]).collect());
    // The one whose fact came first is selected last.
    let chain = vec![Action::Expand { text: String::new() }, Action::SelectEntities { ids: vec![first.clone()] }];
    act(&mut world, Act::Choose { node: cast.id, chain, instead_of: None, value: None }).unwrap();
    world.run(usize::MAX);
    let end = world.state.nodes.iter().rev().find(|n| n.by == By::You).unwrap().id;
    let before = world.state.asks.len();
    world.too_long = |request| request.kind == PromptKind::Relation && !request.prompt().contains(" facts are shown");
    act(&mut world, again(end)).unwrap();
    world.run(usize::MAX);
    let cut = world.state.asks[before..].iter().find(|a| call(a).is_some_and(|c| c.omitted > 0)).unwrap();
    let (kept, call) = (facts(&world, cut), call(cut).unwrap());
    let all = world.state.graph(end).edges().len();
    assert_eq!((call.shown as usize, call.omitted as usize), (all / 2, all - all / 2));
    assert!(kept.contains(&**first), "selected last: {first} in {kept}");
    let once = |id: &&&EntityId| objects.iter().filter(|o| o == *id).count() == 1;
    let older = others.iter().find(once).unwrap();
    assert!(!kept.contains(&***older), "used longest ago: {older} in {kept}");
    assert!(kept.contains(&**objects.last().unwrap()), "of equals the later one");
}

#[test]
fn when_nothing_is_left_to_leave_out_the_node_fails_and_the_search_goes_on() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| request.kind == PromptKind::Relation;
    world.run(usize::MAX);
    assert!(world.state.finished.is_some() && world.state.open_steps().next().is_none());
    let failed: Vec<_> =
        world.state.nodes.iter().filter(|n| matches!(&n.action, Action::Error { why } if why.contains("longer than"))).collect();
    assert!(!failed.is_empty(), "the failure is a node");
    // The graph held no fact: the same prompt is not sent again.
    let asks = |world: &World| world.state.asks.iter().filter(|a| call(a).is_some_and(|c| c.kind == PromptKind::Relation)).count();
    assert_eq!(asks(&world), failed.len());
    let parent = failed[0].parent.unwrap();
    let remarks = world.state.remarks();
    assert!(
        remarks.iter().any(|r| *r == format!("node {}: the prompt is too long for the model, and holds no fact to leave out", parent.0))
    );
    // With a model that takes it, it can be asked again.
    world.too_long = |_| false;
    act(&mut world, again(parent)).unwrap();
    world.run(usize::MAX);
    let children = &world.state.node(parent).unwrap().children;
    assert!(children.iter().any(|c| world.state.node(*c).unwrap().action.token() == "R:P161"), "{children:?}");
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn a_model_that_takes_no_prompt_at_all_ends_the_search() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |_| true;
    world.run(usize::MAX);
    assert!(world.state.finished.is_some());
    let twice = world.state.asks.iter().filter(|a| a.key.purpose == Purpose::Extract).count();
    assert_eq!(twice, 2, "once in each round of linking");
    // Facts were there, but nothing but the smallest prompt is left.
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| request.kind == PromptKind::ScoreState && request.prompt().contains("cast member");
    world.run(usize::MAX);
    let last = world.state.asks.iter().filter(|a| a.key.purpose == Purpose::Score).max_by_key(|a| a.key.round).unwrap();
    assert!(last.key.round >= 3 && call(last).unwrap().shown == 0, "{last:?}");
    let said = world.state.left_out();
    assert!(said.iter().any(|(_, said)| said.contains("even with 0 of 24 facts")), "{said:?}");
}
