//! Prompts that the model takes for too long: the graph is cut, what was used least recently first, and it is said.

use crate::acts::{act, again, film};
use crate::world::World;
use serde_json::{Value, json};
use std::path::Path;
use tree_of_traversals::asm::Action;
use tree_of_traversals::calls::{CallErrorKind, LlmRequest, PromptKind};
use tree_of_traversals::graph::{EntityId, Object};
use tree_of_traversals::runner::bank::OnMiss;
use tree_of_traversals::runner::task;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::strategy::{self, TreeOfTraversals};
use tree_of_traversals::search::{Act, Ask, By, Call, LlmCall, NodeId, Preset, Purpose};

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
    for ask in cut.iter().filter(|ask| ask.key.round > 0) {
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
    assert!(call.shown > 0 && call.omitted > 0 && (call.shown + call.omitted) as usize == all, "{call:?}");
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
    // The graph held no fact, and the offer is soon as short as an offer may be: the same prompt is not sent again.
    let asks: Vec<_> = world.state.asks.iter().filter_map(|a| call(a)).filter(|c| c.kind == PromptKind::Relation).collect();
    assert_eq!(asks.len(), 2 * failed.len());
    let all = asks[1].listed + asks[1].unlisted;
    let parent = failed[0].parent.unwrap();
    let remarks = world.state.remarks();
    assert!(
        remarks.iter().any(|r| *r == format!("node {}: the prompt is too long for the model even with 8 of {all} relations", parent.0)),
        "{remarks:?}"
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

fn refused(world: &World) -> Vec<&Ask> {
    let too_long = |ask: &&Ask| ask.error.as_ref().is_some_and(|error| error.kind == CallErrorKind::TooLong);
    world.state.asks.iter().map(|ask| &**ask).filter(too_long).collect()
}

/// What follows `from` in a prompt, up to the next heading.
fn section<'a>(prompt: &'a str, from: &str) -> &'a str {
    prompt.split(from).nth(1).unwrap_or_default().split("\n# ").next().unwrap_or_default()
}

#[test]
fn what_only_facts_that_were_left_out_brought_is_left_out_with_them() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    let cast = world.state.nodes.iter().find(|n| n.action.token() == "R:P161").unwrap().id;
    act(&mut world, Act::Choose { node: cast, chain: vec![Action::Expand { text: String::new() }], instead_of: None, value: None })
        .unwrap();
    world.run(usize::MAX);
    let end = world.state.nodes.iter().rev().find(|n| n.by == By::You).unwrap().id;
    world.too_long = |request| request.kind == PromptKind::Entities && letters(request) > 2_400;
    act(&mut world, again(end)).unwrap();
    world.run(usize::MAX);
    let state = &world.state;
    let first = refused(&world)[0];
    assert!(state.prompt_of(first).unwrap().chars().count() > 2_400);
    let offers = state.asks.iter().filter(|ask| call(ask).is_some_and(|c| c.omitted > 0 && c.kind == PromptKind::Entities));
    let mut seen = 0;
    for ask in offers {
        let prompt = state.prompt_of(ask).unwrap();
        let node = state.step(ask.key.step).unwrap().node.unwrap();
        let (shown, all) = (section(&prompt, "# TASK: select entities"), state.graph(node).entities().len());
        let listed = shown.lines().filter(|line| line.starts_with("- ")).count();
        assert!(listed < all && shown.contains(&format!("({listed} of {all} entities are listed")), "{prompt}");
        let facts = facts(&world, ask);
        let selected: Vec<EntityId> = state
            .path_to(node)
            .iter()
            .filter_map(|n| if let Action::SelectEntities { ids } = &n.action { Some(ids.clone()) } else { None })
            .flatten()
            .collect();
        for entity in state.graph(node).entities() {
            let stays = facts.contains(&*entity.id) || selected.contains(&entity.id) || state.graph(NodeId(0)).entity(&entity.id).is_some();
            let line = format!("\n- {}: ", entity.id);
            assert_eq!(prompt.contains(&line), stays, "{}: {prompt}", entity.id);
            assert_eq!(prompt.contains(&format!("\n  {}: {{", entity.id)), stays, "{}: {prompt}", entity.id);
        }
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn a_prompt_is_cut_step_by_step_and_what_was_refused_is_remembered() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| letters(request) > 1_950;
    world.run(usize::MAX);
    let length = |ask: &Ask| world.state.prompt_of(ask).unwrap().len();
    for (n, ask) in refused(&world).iter().enumerate() {
        // Nothing as long as what was refused in an earlier step, for a reply as long, is sent again.
        let known = |other: &&&Ask| {
            other.key.step < ask.key.step
                && length(other) <= length(ask)
                && call(other).unwrap().max_tokens <= call(ask).unwrap().max_tokens
        };
        let before = refused(&world)[..n].iter().find(known).copied();
        assert!(before.is_none(), "{:?} was sent although {:?} was refused", ask.key, before.map(|b| b.key));
    }
    // Something of the facts is left wherever any fits.
    let cut: Vec<&LlmCall> =
        world.state.asks.iter().filter(|a| a.error.is_none()).filter_map(|a| call(a)).filter(|c| c.omitted > 0).collect();
    assert!(cut.len() > 3 && cut.iter().all(|call| call.shown > 0), "{cut:?}");
    // The half of the asks that were cut went through at first.
    let at_once = world.state.asks.iter().filter(|a| a.key.round == 0 && call(a).is_some_and(|c| c.omitted > 0)).count();
    assert!(at_once > 0, "some prompt was cut before it was sent");
}

#[test]
fn how_prompts_are_cut_follows_from_the_record_and_not_from_the_order_of_arrival() {
    let prompts = |world: &World| {
        let mut all: Vec<String> =
            world.state.asks.iter().filter(|a| a.is_llm()).map(|a| format!("{:?} {}", a.key, world.state.prompt_of(a).unwrap())).collect();
        all.sort();
        all
    };
    let run = |seed: u64| {
        let mut world = World::new(&film(), Preset::Paper, seed);
        world.too_long = |request| letters(request) > 1_950;
        world.run(usize::MAX);
        assert_eq!(world.reloaded(), world.state, "{seed}");
        world
    };
    let first = run(1);
    for seed in 2..12 {
        assert_eq!(prompts(&run(seed)), prompts(&first), "{seed}");
    }
}

#[test]
fn a_fork_cuts_as_its_parent_did_and_needs_no_live_call() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| letters(request) > 1_950;
    world.run(usize::MAX);
    assert!(!refused(&world).is_empty());
    for at in (1..=world.entries.len()).step_by(5) {
        let mut fork = world.forked(at, OnMiss::Stop, at as u64);
        fork.run(usize::MAX);
        assert_eq!(fork.sent(), 0, "forked at {at}: a live call for what was recorded");
        assert_eq!(fork.state.nodes, world.state.nodes, "forked at {at}");
        assert_eq!(fork.reloaded(), fork.state);
    }
}

#[test]
fn a_person_who_asks_again_gets_the_whole_prompt_tried() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| letters(request) > 1_950;
    world.run(usize::MAX);
    let cut = world.state.asks.iter().find(|a| call(a).is_some_and(|c| c.omitted > 0) && a.key.purpose == Purpose::Sample).unwrap();
    let node = world.state.step(cut.key.step).unwrap().node.unwrap();
    let before = world.state.asks.len();
    world.too_long = |_| false;
    act(&mut world, again(node)).unwrap();
    world.run(usize::MAX);
    let asked = world.state.asks[before..].iter().find(|a| a.key.purpose == Purpose::Sample).unwrap();
    assert_eq!(call(asked).unwrap().omitted, 0);
    assert!(asked.error.is_none());
}

/// The film question in a graph that knows 300 more relations of the first film.
fn wide() -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json");
    let mut value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for n in 0..300 {
        let id = format!("P{}", 9_000 + n);
        value["kg"]["properties"][&id] = json!(format!("some further relation of number {n}"));
        value["kg"]["claims"].as_array_mut().unwrap().push(json!(["Q25188", id, "Q910000201"]));
    }
    value["llm"]["fallback"] = json!({"score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"], "entities": ["Q25188"], "relation": ["P161"]});
    serde_json::from_value(value).unwrap()
}

/// In a small window, with every relation that a graph has.
fn in_a_window(scenario: &Scenario, too_long: fn(&LlmRequest) -> bool) -> World {
    let mut settings = scenario.settings(Preset::Paper);
    settings.relation_limit = 1_000;
    let mut world = World::with_settings(scenario, settings, 1);
    world.too_long = too_long;
    world.run(usize::MAX);
    world
}

/// The tokens that a prompt lists as relations.
fn listed(prompt: &str) -> Vec<&str> {
    let list = section(prompt, "# TASK: select relation").lines().filter_map(|line| line.strip_prefix("- "));
    list.map(|line| line.split(": ").next().unwrap()).collect()
}

#[test]
fn hundreds_of_relations_are_cut_to_fit_as_they_are_offered() {
    let scenario = wide();
    let world = in_a_window(&scenario, |request| letters(request) > 5_000);
    let state = &world.state;
    let cut: Vec<&Ask> = state.asks.iter().map(|ask| &**ask).filter(|ask| call(ask).is_some_and(|c| c.unlisted > 0)).collect();
    assert!(cut.iter().any(|ask| ask.error.is_none()), "one fits: {cut:?}");
    for ask in &cut {
        let (prompt, call) = (state.prompt_of(ask).unwrap(), call(ask).unwrap());
        let node = state.step(ask.key.step).unwrap().node.unwrap();
        let offered: Vec<String> = strategy::offered(state, node).iter().map(|relation| relation.at.token()).collect();
        let shown = listed(&prompt);
        assert!(offered.len() > 300 && shown.len() >= 8 && shown.len() < offered.len(), "{} of {}", shown.len(), offered.len());
        assert_eq!(shown, offered[..shown.len()], "the first ones stay, in their order");
        assert_eq!((call.listed as usize, (call.listed + call.unlisted) as usize), (shown.len(), offered.len()));
        assert!(prompt.contains(&format!("\n({} of {} relations are listed", shown.len(), offered.len())), "{prompt}");
        assert!(call.shown == 0, "facts go first");
        // A constrained reply can name what is listed, and nothing else.
        let job = task::llm_job(state, &TreeOfTraversals, ask).unwrap();
        assert_eq!(job.about.options, shown);
    }
    let (fits, most) =
        cut.iter().filter(|ask| ask.error.is_none()).map(|ask| (ask, state.prompt_of(ask).unwrap().len())).max_by_key(|(_, n)| *n).unwrap();
    assert!(most > 2_500, "half of the window at least is used: {most} in {fits:?}");
    let said =
        format!("{} of {} relations were shown", call(fits).unwrap().listed, call(fits).unwrap().listed + call(fits).unwrap().unlisted);
    assert!(state.remarks().iter().any(|remark| remark.contains(&said)), "{said}: {:?}", state.remarks());
    assert_eq!(world.reloaded(), world.state);
    // The choices are those of a model without bounds.
    let whole = in_a_window(&scenario, |_| false);
    assert!(whole.state.asks.iter().all(|ask| call(ask).is_none_or(|call| call.unlisted == 0)));
    assert_eq!(state.summary().tree, whole.state.summary().tree);
}

#[test]
fn a_few_relations_stay_on_offer_however_little_room_there_is() {
    let world = in_a_window(&wide(), |request| request.kind == PromptKind::Relation);
    let asked = |ask: &&Ask| call(ask).is_some_and(|call| call.kind == PromptKind::Relation);
    let asks: Vec<&Ask> = world.state.asks.iter().map(|ask| &**ask).filter(asked).collect();
    assert!(world.state.finished.is_some() && !asks.is_empty());
    assert_eq!(asks.iter().map(|ask| listed(&world.state.prompt_of(ask).unwrap()).len()).min(), Some(8));
    let said = world.state.left_out();
    assert!(
        said.iter().any(|(_, said)| said.contains("too long for the model even with") && said.contains("8 of 309 relations")),
        "{said:?}"
    );
}

#[test]
fn a_prompt_with_nothing_to_leave_out_is_not_sent_again() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.too_long = |request| request.kind == PromptKind::Entities;
    world.run(usize::MAX);
    let first = world.state.asks.iter().find(|ask| call(ask).is_some_and(|c| c.kind == PromptKind::Entities)).unwrap();
    assert!(world.state.ask_of(tree_of_traversals::search::AskKey { round: 1, ..first.key }).is_none());
    let said = world.state.left_out();
    assert!(said.iter().any(|(_, said)| said == "the prompt is too long for the model, and holds no fact to leave out"), "{said:?}");
}
