//! A person's acts: on open, expanded, pruned and finished nodes, at any moment, undone and redone.

use crate::world::World;
use proptest::prelude::*;
use std::path::Path;
use tree_of_traversals::asm::{Action, AsmState};
use tree_of_traversals::graph::{Direction, Edge, Literal, LiteralKind, Object, RelationRef};
use tree_of_traversals::micro::Micro;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::breakpoint::FORMS;
use tree_of_traversals::search::correction::{Change, Correction};
use tree_of_traversals::search::{
    Act, ActId, Again, Ask, By, Event, NodeId, OtherModel, Otherwise, OutcomeKind, Preset, Setting, State, Value,
};

fn scenario(name: &str) -> Scenario {
    Scenario::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios").join(name)).unwrap()
}

fn relation(id: &str) -> Action {
    Action::SelectRelation { relation: RelationRef { kg: "scenario".into(), id: id.into(), direction: Direction::Out } }
}

pub fn act(world: &mut World, what: Act) -> Result<(), String> {
    what.check(&world.state).map_err(|e| e.0)?;
    let id = ActId(world.state.acts.len() as u32);
    world.push(By::You, Event::Acted { act: id, what });
    Ok(())
}

fn choose(node: NodeId, chain: Vec<Action>) -> Act {
    Act::Choose { node, chain, instead_of: None, value: None }
}

fn finished(world: &World) -> &tree_of_traversals::search::FinishedEvent {
    &world.state.finished.as_ref().unwrap().0
}

/// The film scenario with a fallback value, so that nodes made by hand can be scored.
pub fn film() -> Scenario {
    let mut text: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("tests/data/scenarios/film-backtrack.json").unwrap()).unwrap();
    text["llm"]["fallback"] = serde_json::json!({
        "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"],
        "entities": ["Q25188"], "relation": ["P161"], "final_answer": ["ANSWER: somebody"],
        "review": ["Reason: he was there.\nVerdict: sound"],
    });
    serde_json::from_value(text).unwrap()
}

#[test]
fn a_hop_by_hand_fetches_real_edges_is_scored_and_competes() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let before = world.state.nodes.len();
    let chain = vec![Action::Expand { text: String::new() }, Action::SelectEntities { ids: vec!["Q25188".into()] }, relation("P86")];
    act(&mut world, choose(NodeId(0), chain)).unwrap();
    world.run(usize::MAX);
    let made: Vec<_> = world.state.nodes[before..].to_vec();
    assert_eq!(made.len(), 3, "the whole chain became nodes");
    assert!(made.iter().all(|n| n.by == By::You && n.value == Value::Scored(Micro::from_millionths(350_000).unwrap())));
    let last = made.last().unwrap();
    assert_eq!(last.delta.edges.len(), 1);
    assert!(last.delta.entities.iter().any(|e| e.label.as_deref() == Some("Hans Zimmer")));
    assert!(world.state.frontier().contains(&last.id), "it competes");
    assert!(!world.state.frontier().contains(&made[0].id), "what was grown by hand is closed to the engine");
    assert_eq!(world.state.expansions(), 6, "an expansion by hand does not count");
    assert_eq!(finished(&world).outcome, OutcomeKind::Answered);
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn unknown_ids_are_refused() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let chain = vec![Action::Expand { text: String::new() }, Action::SelectEntities { ids: vec!["Q404".into()] }];
    let refused = act(&mut world, choose(NodeId(0), chain)).unwrap_err();
    assert!(refused.contains("Q404") && refused.contains("local graph"), "{refused}");
    assert!(act(&mut world, choose(NodeId(999), vec![])).is_err());
    assert!(act(&mut world, choose(NodeId(0), vec![relation("P57")])).is_err(), "a relation before entities");
    assert!(act(&mut world, Act::Accept { node: NodeId(0) }).is_err(), "the root is no answer");
}

#[test]
fn a_relation_that_fails_or_brings_nothing_leaves_no_half_made_nodes() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let before = world.state.nodes.len();
    let chain = vec![Action::Expand { text: String::new() }, Action::SelectEntities { ids: vec!["Q25188".into()] }, relation("P999")];
    act(&mut world, choose(NodeId(0), chain)).unwrap();
    world.run(usize::MAX);
    assert_eq!(world.state.nodes.len(), before);
    assert!(world.state.steps.last().unwrap().closed);
    assert_eq!(world.state.steps.last().unwrap().refused.len(), 1, "and it is shown why");
}

#[test]
fn override_prunes_the_original_and_one_undo_brings_it_back() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let director = world.state.nodes.iter().find(|n| n.action.token() == "R:P57").unwrap().clone();
    let parent = director.parent.unwrap();
    act(&mut world, Act::Choose { node: parent, chain: vec![relation("P86")], instead_of: Some(director.id), value: None }).unwrap();
    world.run(usize::MAX);
    let standings = world.state.standings();
    assert!(standings[director.id.index()].pruned);
    assert!(director.children.iter().all(|c| standings[c.index()].pruned), "with everything below it");
    let made = world.state.nodes.last().unwrap().id;
    world.push(By::You, Event::Undone { act: ActId(0), redo: false });
    world.run(usize::MAX);
    let standings = world.state.standings();
    assert!(!standings[director.id.index()].pruned);
    assert!(standings[made.index()].withdrawn, "withdrawn, never deleted");
    world.push(By::You, Event::Undone { act: ActId(0), redo: true });
    world.run(usize::MAX);
    assert!(world.state.standings()[director.id.index()].pruned && !world.state.standings()[made.index()].withdrawn);
}

#[test]
fn choosing_an_existing_child_marks_it_and_opens_it_again() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let director = world.state.nodes.iter().find(|n| n.action.token() == "R:P57").unwrap().clone();
    act(&mut world, Act::Prune { node: director.id, on: true }).unwrap();
    let before = world.state.nodes.len();
    act(&mut world, choose(director.parent.unwrap(), vec![relation("P57")])).unwrap();
    world.run(usize::MAX);
    assert_eq!(world.state.nodes.len(), before, "one choice at one node is one node");
    assert_eq!(world.state.node(director.id).unwrap().marks.len(), 1);
    assert!(!world.state.standings()[director.id.index()].pruned);
}

#[test]
fn an_answer_by_hand_stops_only_when_accepted() {
    let scenario = scenario("nolan-forced-final.json");
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    assert_eq!(finished(&world).outcome, OutcomeKind::NoAnswer);
    let answer = Action::Answer { text: "Following".into(), items: vec!["Following".into()] };
    act(&mut world, Act::Choose { node: NodeId(0), chain: vec![answer], instead_of: None, value: Some(Micro::ONE) }).unwrap();
    world.run(usize::MAX);
    assert_eq!(finished(&world).outcome, OutcomeKind::NoAnswer, "over the threshold, but nobody accepted it");
    let node = world.state.nodes.last().unwrap().id;
    assert_eq!(world.state.value(node), Value::ByHand(Micro::ONE));
    act(&mut world, Act::Accept { node }).unwrap();
    world.run(usize::MAX);
    assert_eq!((finished(&world).outcome, finished(&world).answer), (OutcomeKind::Answered, Some(node)));
}

#[test]
fn a_larger_budget_goes_on_after_the_end() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.push(By::You, Event::Acted { act: ActId(0), what: Act::Set(Setting::MaxExpansions(2)) });
    world.run(usize::MAX);
    assert_eq!(finished(&world).outcome, OutcomeKind::NoAnswer);
    assert_eq!(world.state.expansions(), 2);
    act(&mut world, Act::Set(Setting::MaxExpansions(20))).unwrap();
    world.run(usize::MAX);
    assert_eq!(finished(&world).outcome, OutcomeKind::Answered);
}

#[test]
fn the_model_can_be_asked_out_of_turn() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    // A node that the search never came to.
    let node = world.state.nodes.iter().find(|n| n.action.token() == "X:look at the films").unwrap().id;
    act(&mut world, again(node)).unwrap();
    world.run(usize::MAX);
    let asked = world.state.node(node).unwrap();
    assert_eq!(asked.children.len(), 1, "the model's choice became a child");
    let child = world.state.node(asked.children[0]).unwrap();
    assert_eq!((child.by, child.votes), (By::Engine, (6, 6)));
    assert!(child.valuation.is_some(), "and it is scored");
    assert!(!world.state.frontier().contains(&node), "it was expanded");
    assert_eq!((world.state.expansions(), asked.order), (6, None), "out of turn, and not counted");
    // Asked again at an expanded node: equal choices are the nodes that are there.
    let (nodes, root) = (world.state.nodes.len(), NodeId(0));
    act(&mut world, again(root)).unwrap();
    world.run(usize::MAX);
    assert_eq!(world.state.nodes.len(), nodes);
    // Undone: what it brought is withdrawn and the node is open again.
    world.push(By::You, Event::Undone { act: ActId(0), redo: false });
    world.run(usize::MAX);
    assert!(world.state.standings()[child_of(&world, node).index()].withdrawn);
    assert!(world.state.frontier().contains(&node));
    let answer = world.state.nodes.iter().find(|n| n.action.is_answer()).unwrap().id;
    assert!(act(&mut world, again(answer)).unwrap_err().contains("answer"));
    assert_eq!(world.reloaded(), world.state);
}

pub fn again(node: NodeId) -> Act {
    Act::again(node, Again::Samples)
}

fn child_of(world: &World, node: NodeId) -> NodeId {
    world.state.node(node).unwrap().children[0]
}

#[test]
fn linked_entities_can_be_added_and_dropped() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(60);
    let caine = world.state.graph(NodeId(0)).entity("Q13417189").cloned().unwrap();
    act(&mut world, Act::Link { add: vec![], drop: vec![caine.id.clone()] }).unwrap();
    assert!(world.state.graph(NodeId(0)).entity("Q13417189").is_none());
    assert!(act(&mut world, Act::Link { add: vec![], drop: vec![caine.id.clone()] }).is_err(), "it is gone already");
    act(&mut world, Act::Link { add: vec![caine], drop: vec![] }).unwrap();
    assert!(world.state.graph(NodeId(0)).entity("Q13417189").is_some());
}

#[derive(Clone, Debug)]
enum Whim {
    Choose(u32, u8),
    Value(u32, u32),
    Prune(u32, bool),
    Accept(u32),
    Ask(u32),
    Otherwise(u32, bool, u32),
    Model(u32),
    Review(u32, bool),
    Undo,
    Redo,
    Limit(u32),
    Break(u8),
    Intercept,
    Correct(u32, u8),
}

fn whim() -> impl Strategy<Value = (usize, Whim)> {
    let what = prop_oneof![
        (0u32..20, 0u8..5).prop_map(|(n, c)| Whim::Choose(n, c)),
        (0u32..20, 0u32..=1_000_000).prop_map(|(n, v)| Whim::Value(n, v)),
        (0u32..20, any::<bool>()).prop_map(|(n, on)| Whim::Prune(n, on)),
        (0u32..20).prop_map(Whim::Accept),
        (0u32..20).prop_map(Whim::Ask),
        (0u32..20, any::<bool>(), 0u32..=2000).prop_map(|(n, value, t)| Whim::Otherwise(n, value, t)),
        (0u32..4).prop_map(Whim::Model),
        (0u32..20, any::<bool>()).prop_map(|(n, other)| Whim::Review(n, other)),
        Just(Whim::Undo),
        Just(Whim::Redo),
        (1u32..12).prop_map(Whim::Limit),
        (0u8..16).prop_map(Whim::Break),
        Just(Whim::Intercept),
        (0u32..20, 0u8..6).prop_map(|(n, c)| Whim::Correct(n, c)),
    ];
    (1usize..120, what)
}

fn indulge(world: &mut World, whim: &Whim) {
    let (node, chain) = match whim {
        Whim::Choose(n, c) => (
            NodeId(*n),
            match c {
                0 => vec![Action::Think { text: "by hand".into() }],
                1 => vec![Action::Expand { text: String::new() }, Action::SelectEntities { ids: vec!["Q25188".into()] }, relation("P86")],
                2 => vec![Action::SelectEntities { ids: vec!["Q13417189".into()] }],
                3 => vec![relation("P161")],
                _ => vec![Action::Answer { text: "x".into(), items: vec!["x".into()] }],
            },
        ),
        _ => (NodeId(0), vec![]),
    };
    let _ = match whim {
        Whim::Choose(..) => act(world, choose(node, chain)),
        Whim::Value(n, v) => act(world, Act::SetValue { node: NodeId(*n), value: Micro::from_millionths(*v).unwrap() }),
        Whim::Prune(n, on) => act(world, Act::Prune { node: NodeId(*n), on: *on }),
        Whim::Ask(n) => act(world, again(NodeId(*n))),
        Whim::Review(n, other) => {
            let act_of = Act::review(&world.state, NodeId(*n), other.then(|| model(1)));
            act(world, act_of)
        }
        Whim::Model(n) => act(world, Act::Model(Box::new(model(*n)))),
        Whim::Otherwise(n, value, t) => otherwise(world, NodeId(*n), *value, *t),
        Whim::Accept(n) => act(world, Act::Accept { node: NodeId(*n) }),
        Whim::Limit(n) => act(world, Act::Set(Setting::MaxExpansions(*n))),
        Whim::Break(n) => act(world, Act::Break { condition: FORMS[usize::from(*n)].0.parse().unwrap() }),
        Whim::Intercept => act(world, Act::Intercept { states: vec![AsmState::Default] }),
        Whim::Correct(n, c) => correct(world, NodeId(*n), *c),
        Whim::Undo => {
            if let Some(act) = world.state.undoable() {
                world.push(By::You, Event::Undone { act, redo: false });
            }
            Ok(())
        }
        Whim::Redo => {
            if let Some(act) = world.state.redoable() {
                world.push(By::You, Event::Undone { act, redo: true });
            }
            Ok(())
        }
    };
}

/// A model that was opened: the session's own, or another one.
pub fn model(n: u32) -> OtherModel {
    let name = if n.is_multiple_of(4) { "script".to_owned() } else { format!("script:{}", n % 4) };
    OtherModel { name: name.clone(), service_model: "script".into(), ..OtherModel::named(name, None) }
}

/// Asks otherwise: for the value, or for samples in the place of what can be replaced.
fn otherwise(world: &mut World, node: NodeId, value: bool, temperature_milli: u32) -> Result<(), String> {
    let (what, replaces) = if value { (Again::Value, Vec::new()) } else { (Again::Samples, world.state.replaceable(node)) };
    let model = temperature_milli.is_multiple_of(2).then(|| Box::new(model(temperature_milli)));
    let otherwise = Otherwise { model, temperature_milli: Some(temperature_milli), replaces };
    act(world, Act::AskAgain { node, what, edits: Vec::new(), otherwise })
}

/// Corrects the last fact of a node's local graph, one way or another.
fn correct(world: &mut World, node: NodeId, how: u8) -> Result<(), String> {
    let Some(fact) = world.state.node(node).and_then(|_| world.state.graph(node).edges().last().cloned()) else { return Ok(()) };
    let literal = Object::Literal(Literal { kind: LiteralKind::Text, text: "by hand".into(), raw: None, lang: None });
    let (change, fact) = match how {
        0 => (Change::Delete, fact),
        1 => (Change::Hide, fact),
        2 => (Change::Distrust, fact),
        3 => (Change::Label("another name".into()), fact),
        4 => (Change::Object { object: literal, entity: None }, fact),
        _ => (Change::Add { entity: None }, Edge { o: literal, ..fact }),
    };
    act(world, Act::Correct { node, correction: Box::new(Correction { fact, change, reason: String::new() }) })
}

/// Samples and replies that were recorded.
fn recorded(state: &State) -> usize {
    let of = |ask: &Ask| if ask.is_llm() { ask.samples.iter().flatten().count() } else { usize::from(ask.reply.is_some()) };
    state.asks.iter().map(|ask| of(ask)).sum()
}

/// Asks that failed: they were sent, too.
fn failed(state: &State) -> usize {
    state.asks.iter().filter(|ask| ask.error.is_some()).map(|ask| ask.samples.len().max(1)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Whatever a person does, and whenever: the search ends, nothing panics, and the journal gives the same state.
    #[test]
    fn any_acts_at_any_moment_keep_the_search_sound(whims in proptest::collection::vec(whim(), 0..10), seed in 1u64..1000) {
        let scenario = film();
        let mut world = World::new(&scenario, Preset::Paper, seed);
        for (wait, whim) in &whims {
            let until = world.entries.len() + wait;
            world.run(until);
            indulge(&mut world, whim);
        }
        world.run(usize::MAX);
        prop_assert!(world.state.finished.is_some());
        prop_assert!(world.state.open_steps().next().is_none());
        prop_assert!(world.state.expansions() <= 20);
        for node in &world.state.nodes {
            prop_assert!(node.valuation.is_some(), "node {} has no value", node.id.0);
        }
        prop_assert_eq!(world.reloaded(), world.state.clone());
        // A kill at any moment loses nothing either, and nothing that was recorded is asked for again.
        for kill in 0..10 {
            let at = 1 + (seed as usize * 31 + kill * 97) % (world.entries.len() - 1);
            let before = State::from_entries(&world.entries[..at]).unwrap();
            let mut again = World::reopened(&scenario, &world.entries[..at], seed);
            again.run(usize::MAX);
            prop_assert!(again.state.finished.is_some(), "killed at {}", at);
            prop_assert_eq!(again.reloaded(), again.state.clone());
            prop_assert_eq!(&again.entries[..at], &world.entries[..at]);
            prop_assert!(again.sent <= recorded(&again.state) - recorded(&before) + failed(&again.state), "killed at {}: paid twice", at);
        }
    }
}

#[test]
fn a_graph_that_cannot_compute_refuses_and_leaves_no_half_made_nodes() {
    use tree_of_traversals::calls::{Aggregate, Function};
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    let before = world.state.nodes.len();
    let what = Aggregate { function: Function::Count, relation: "P161".into(), direction: Direction::Out, filters: Vec::new(), by: None };
    let chain = vec![
        Action::Expand { text: String::new() },
        Action::SelectEntities { ids: vec!["Q25188".into()] },
        Action::Aggregate { what, kg: "scenario".into() },
    ];
    act(&mut world, choose(NodeId(0), chain)).unwrap();
    world.run(usize::MAX);
    assert_eq!(world.state.nodes.len(), before);
    let refused = &world.state.steps.iter().rev().find(|s| s.act.is_some()).unwrap().refused;
    assert!(format!("{refused:?}").contains("scenario cannot answer `aggregate`"), "{refused:?}");
    assert_eq!(world.reloaded(), world.state);
}
