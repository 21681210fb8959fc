//! A person's acts: on open, expanded, pruned and finished nodes, at any moment, undone and redone.

use crate::world::{Disk, World};
use proptest::prelude::*;
use std::path::Path;
use tree_of_traversals::asm::{Action, AsmState};
use tree_of_traversals::graph::{Direction, Edge, Literal, LiteralKind, Object, RelationRef};
use tree_of_traversals::micro::Micro;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::breakpoint::FORMS;
use tree_of_traversals::search::correction::{Change, Correction};
use tree_of_traversals::search::steer::Rule;
use tree_of_traversals::search::{
    Act, ActId, Again, Ask, By, Entry, Event, NodeId, OtherModel, Otherwise, OutcomeKind, Preset, Setting, State, Value,
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
    Pin(u32),
    Rule(usize, u32),
}

const RULES: [&str; 6] = [
    "forbid relation P161",
    "force relation P86",
    "force relation ~cast member",
    "forbid entity Inception",
    "force entity Q13417189",
    "forbid entity nobody",
];

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
        (0u32..20).prop_map(Whim::Pin),
        (0..RULES.len(), 0u32..6).prop_map(|(rule, n)| Whim::Rule(rule, n)),
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
        Whim::Pin(n) => act(world, Act::Pin { node: NodeId(*n) }),
        Whim::Rule(rule, n) => {
            let rule: Rule = RULES[*rule].parse().unwrap();
            act(world, Act::Rule(Rule { below: NodeId(*n), ..rule }))
        }
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

/// The film scenario, said and scored otherwise: other limits, replies and values, rules that are missing, a graph that fails.
#[derive(Clone, Debug)]
struct Script {
    /// k, depth, expansions.
    limits: (u32, u32, u32),
    /// For each rule: what becomes of it, and which of the replies or values it gets.
    rules: Vec<(u8, usize)>,
    /// The operation of the graph that fails, and how often.
    fault: Option<(usize, u32)>,
}

const SAID: [&str; 12] = [
    "THINK: who is in both",
    "EXPAND: look at the films",
    "EXPAND:",
    "ANSWER: Michael Caine",
    "ANSWER: nobody; Christopher Nolan",
    "Q25188",
    "Q25188, Q13417189",
    "P161",
    "P57",
    "P86",
    "no idea",
    "",
];
const SCORED: [&str; 8] = ["0.05", "0.4", "0.4", "0.55", "0.79", "0.9", "1.0", "it depends"];
const FAULTS: [&str; 4] = ["relations_forward", "relations_reverse", "edges_forward", "edges_reverse"];

fn script() -> impl Strategy<Value = Script> {
    let limits = (1u32..5, 2u32..8, 2u32..16);
    let rules = proptest::collection::vec((0u8..10, 0usize..1000), 23);
    let fault = proptest::option::of((0usize..FAULTS.len(), 1u32..3));
    (limits, rules, fault).prop_map(|(limits, rules, fault)| Script { limits, rules, fault })
}

impl Script {
    fn scenario(&self) -> Scenario {
        let mut text: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string("tests/data/scenarios/film-backtrack.json").unwrap()).unwrap();
        let (k, depth, expansions) = self.limits;
        text["settings"] = serde_json::json!({"sample_breadth": k, "max_depth": depth, "max_expansions": expansions});
        let rules = text["llm"]["rules"].as_array_mut().unwrap();
        assert_eq!(rules.len(), self.rules.len());
        let mut gone = Vec::new();
        for (at, (fate, pick)) in self.rules.iter().enumerate() {
            let kind = rules[at]["kind"].as_str().unwrap().to_owned();
            let replies = rules[at]["replies"].as_array_mut().unwrap();
            match (fate, &*kind) {
                (_, "extract" | "match") | (0..5, _) => {}
                (5, _) => gone.push(at),
                (_, "score_state" | "score_answer") => *replies = vec![SCORED[pick % SCORED.len()].into()],
                (6, _) => replies.rotate_left(1),
                _ => {
                    let place = pick % replies.len();
                    replies[place] = SAID[pick % SAID.len()].into();
                }
            }
        }
        gone.iter().rev().for_each(|at| drop(rules.remove(*at)));
        text["llm"]["fallback"] = serde_json::json!({
            "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody", "THINK: once more", "EXPAND: everything"],
            "entities": ["Q25188", "Q13417189"], "relation": ["P161", "P57"], "final_answer": ["ANSWER: somebody"],
            "review": ["Reason: he was there.\nVerdict: sound", "Verdict: doubtful", "who knows"],
        });
        if let Some((op, times)) = self.fault {
            text["kg"]["faults"] = serde_json::json!([{"op": FAULTS[op], "times": times}]);
        }
        serde_json::from_value(text).unwrap()
    }
}

/// Samples and replies that were recorded, and failures: those were sent, too.
fn recorded(state: &State) -> usize {
    let of = |ask: &Ask| match &ask.error {
        Some(_) => ask.samples.len().max(1),
        None if ask.is_llm() => ask.samples.iter().flatten().count(),
        None => usize::from(ask.reply.is_some()),
    };
    state.asks.iter().map(|ask| of(ask)).sum()
}

/// Slots and calls that are asked for and not answered.
fn in_flight(state: &State) -> usize {
    let open = |ask: &Ask| if ask.is_llm() { ask.samples.iter().filter(|s| s.is_none()).count() } else { 1 };
    state.asks.iter().filter(|ask| !ask.is_complete()).map(|ask| open(ask)).sum()
}

/// The entries of a journal but those that say that it was opened again.
fn but_resumed(entries: &[Entry]) -> Vec<Entry> {
    let kept = entries.iter().filter(|entry| !matches!(entry.ev, Event::Resumed { .. }));
    kept.enumerate().map(|(seq, entry)| Entry { seq: seq as u64, ..entry.clone() }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever the model says and a person does, and whenever: the search ends, nothing panics, and the journal gives the same
    /// state. Killed over and over, at any entries, and opened again from what was on disk, it decides and asks the same again,
    /// up to the same state; no call is made twice but those in flight at the kills. Nor is one when the world's replies come in
    /// another order from then on.
    #[test]
    fn any_acts_at_any_moment_keep_the_search_sound(
        script in script(),
        whims in proptest::collection::vec(whim(), 0..10),
        mut kills in proptest::collection::vec(0.0f64..1.0, 5),
        seed in 1u64..1000,
    ) {
        let scenario = script.scenario();
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
        prop_assert_eq!(&world.reloaded(), &world.state);
        prop_assert_eq!(world.sent(), recorded(&world.state));

        // Each life goes on from what the one before it left on disk.
        kills.sort_by(f64::total_cmp);
        let (mut disk, mut life) = (Disk::default(), None::<World>);
        let (mut lived, mut sent, mut lost, mut parted) = (0, 0, 0, false);
        for at in kills.iter().map(|part| 1 + ((world.entries.len() - 1) as f64 * part) as usize) {
            // As at the kill: a round may have been recorded in part, and then nothing of it was sent yet.
            let (here, there): (&[Entry], &[Entry]) = match &mut life {
                None => (&world.entries, &world.entries[..at]),
                Some(life) => {
                    let begun = life.entries.len();
                    life.follow(&world.entries[lived..at]);
                    let kept = begun + at - lived;
                    (&life.entries, &life.entries[..kept])
                }
            };
            prop_assert!(here.starts_with(there));
            there[disk.entries.len()..].iter().for_each(|entry| disk.write(entry));
            sent += life.as_ref().unwrap_or(&world).sent_of(disk.state.asks.len());
            lost += in_flight(&disk.state);
            lived = at;
            life = Some(world.reopened(&disk, seed));
            // What is on its way to a model that the person left arrives; killed, it is asked of the next one. From there on
            // the two lives differ by right.
            parted = disk.state.asks.iter().any(|ask| disk.state.is_superseded(ask));
            if parted {
                break;
            }
        }
        let mut life = life.unwrap();
        if parted {
            life.run(usize::MAX);
        } else {
            life.follow(&world.entries[lived..]);
        }
        sent += life.sent();
        prop_assert!(sent <= recorded(&life.state) + lost, "{} calls for {} recorded and {} in flight", sent, recorded(&life.state), lost);
        prop_assert_eq!(&life.reloaded(), &life.state);
        if parted {
            prop_assert!(life.state.finished.is_some() && life.entries.starts_with(&disk.entries), "an entry was lost");
        } else {
            let told = but_resumed(&life.entries);
            prop_assert_eq!(&told, &world.entries, "an entry was lost");
            prop_assert_eq!(&State::from_entries(&told).unwrap(), &world.state);
        }

        let mut other = world.reopened(&disk, seed + 1);
        other.run(usize::MAX);
        prop_assert!(other.state.finished.is_some());
        prop_assert_eq!(&other.reloaded(), &other.state);
        prop_assert!(other.entries.starts_with(&disk.entries));
        prop_assert!(other.sent() <= recorded(&other.state) - recorded(&disk.state), "paid twice");
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
