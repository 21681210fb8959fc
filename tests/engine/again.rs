//! Asking again, by hand: new samples, an edited prompt, a value; undone, replayed, at any node.

use crate::acts::{act, again, film};
use crate::world::World;
use std::sync::Arc;
use tree_of_traversals::asm::{Action, Edit, Wording};
use tree_of_traversals::calls::PartKind;
use tree_of_traversals::micro::Micro;
use tree_of_traversals::runner::bank::{Bank, Banked, OnMiss};
use tree_of_traversals::search::strategy::{kind_at, prompt_at, temperature_at};
use tree_of_traversals::search::{
    Act, ActId, Again, Ask, By, Call, Entry, Event, NodeId, Otherwise, Preset, Purpose, State, Valuation, Value, read_temperature,
};

fn finished() -> World {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

fn with(node: NodeId, what: Again, edits: Vec<Edit>) -> Act {
    Act::AskAgain { node, what, edits, otherwise: Default::default() }
}

fn template(part: PartKind, text: &str) -> Edit {
    Edit { part, with: Wording::Template(text.to_owned()) }
}

fn last(world: &World, purpose: Purpose) -> Ask {
    (**world.state.asks.iter().rev().find(|a| a.key.purpose == purpose).unwrap()).clone()
}

fn undo(world: &mut World, redo: bool) {
    let act = if redo { world.state.redoable() } else { world.state.undoable() };
    world.push(By::You, Event::Undone { act: act.unwrap(), redo });
    world.run(usize::MAX);
}

#[test]
fn new_samples_are_another_request_and_never_come_from_a_recording() {
    let mut world = finished();
    let first = world.state.asks.iter().find(|a| a.key.purpose == Purpose::Sample).unwrap().clone();
    let (sent, expansions) = (world.sent(), world.state.expansions());
    act(&mut world, again(NodeId(0))).unwrap();
    world.run(usize::MAX);
    let now = last(&world, Purpose::Sample);
    assert_eq!((&now.hash, now.nth), (&first.hash, first.nth + 1), "the same is asked, and its samples have other seeds");
    assert!(world.state.asked_again(&now) && !world.state.asked_again(&first));
    assert_eq!((world.sent() - sent, world.state.expansions()), (3, expansions));
}

/// Equal requests with different replies: a recording answers the first with the first, the second with the second, and a third,
/// or one with another word in it, with nothing.
#[test]
fn a_recording_answers_equal_requests_in_their_order_and_no_other() {
    let mut scenario = serde_json::to_value(serde_json::json!({
        "format": "tot-scenario/1", "name": "twice", "query": "Which city is the capital?",
        "settings": {"sample_breadth": 1, "max_expansions": 3},
        "kg": {"entities": {"Q20": {"label": "Norway"}}, "search": {"Norway": ["Q20"]}},
        "llm": {"rules": [
            {"kind": "action", "when": {"path": "", "nth": 0}, "replies": ["EXPAND: its cities"]},
            {"kind": "action", "when": {"path": "", "nth": 1}, "replies": ["ANSWER: Oslo"]},
        ], "fallback": {"extract": ["Norway"], "match": ["1"], "action": ["ANSWER: nowhere"], "entities": ["none"], "relation": ["none"],
            "score_state": ["0.5"], "score_answer": ["0.3"], "final_answer": ["ANSWER: nowhere"]}},
    }))
    .unwrap();
    let mut world = World::new(&serde_json::from_value(scenario.clone()).unwrap(), Preset::Paper, 1);
    world.run(usize::MAX);
    act(&mut world, again(NodeId(0))).unwrap();
    world.run(usize::MAX);
    let asks: Vec<Ask> = world.state.asks.iter().filter(|ask| ask.key.purpose == Purpose::Sample).map(|ask| (**ask).clone()).collect();
    let equal: Vec<&Ask> = asks.iter().filter(|ask| ask.hash == asks[0].hash).collect();
    assert_eq!(equal.iter().map(|ask| ask.nth).collect::<Vec<_>>(), [0, 1]);

    let entries: Vec<Arc<Entry>> = world.entries.iter().cloned().map(Arc::new).collect();
    let bank = Bank::of(&entries, OnMiss::Stop);
    let open = |ask: &Ask, nth| Ask { samples: vec![None; ask.samples.len()], nth, reply: None, error: None, ..ask.clone() };
    let said = |ask: &Ask, nth| match bank.reply(&open(ask, nth)) {
        Some(Banked::Samples(samples)) => samples[0].as_ref().and_then(|sample| sample.text.clone()),
        _ => None,
    };
    assert_eq!(said(equal[0], 0).as_deref(), Some("EXPAND: its cities"));
    assert_eq!(said(equal[0], 1).as_deref(), Some("ANSWER: Oslo"));
    assert_eq!(said(equal[0], 2), None);
    assert!(bank.miss(&world.state, &open(equal[0], 2)).contains("asked 2 times there, and now once more"));
    // The tree is that of the recording, from it alone.
    assert_eq!(world.reloaded(), world.state);
    // One other word in the question: nothing of an old reply is taken.
    scenario["query"] = "Which town is the capital?".into();
    let mut other = World::new(&serde_json::from_value(scenario).unwrap(), Preset::Paper, 1);
    other.run(usize::MAX);
    let ask = other.state.asks.iter().find(|ask| ask.key.purpose == Purpose::Sample).unwrap();
    assert_eq!(said(ask, 0), None);
    assert!(bank.miss(&other.state, ask).contains("question is new there"), "{}", bank.miss(&other.state, ask));
}

#[test]
fn an_edited_text_is_sent_as_it_is_and_recorded() {
    let mut world = finished();
    let text = "# TASK: default\nSay ANSWER: {{ not filled in }}.  ";
    let edits = vec![Edit { part: PartKind::Task, with: Wording::Text(text.to_owned()) }];
    let (_, shown) = prompt_at(&world.state, NodeId(0), Again::Samples, &edits).unwrap();
    act(&mut world, with(NodeId(0), Again::Samples, edits)).unwrap();
    world.run(usize::MAX);
    let sent = world.state.prompt_of(&last(&world, Purpose::Sample)).unwrap();
    assert!(sent.ends_with("\n\n# TASK: default\nSay ANSWER: {{ not filled in }}."), "{sent}");
    assert_eq!(sent, shown.iter().map(|p| &*p.text).collect::<Vec<_>>().join("\n\n"), "what was shown is what is sent");
    assert!(world.state.acts[0].what.summary().contains("with an edited prompt"));
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn an_edited_template_is_filled_in_and_a_broken_one_refused() {
    let mut world = finished();
    let node = world.state.nodes.iter().find(|n| n.action.token() == "S:Q25188+Q13417189").unwrap().id;
    for (text, wrong) in [
        ("Which?", "`relations` does not occur"),
        ("{% for r in relations %}", "syntax error"),
        ("{{ relations }} {{ relation }}", "no variable `relation`"),
    ] {
        let refused = act(&mut world, with(node, Again::Samples, vec![template(PartKind::Task, text)])).unwrap_err();
        assert!(refused.contains(wrong) && refused.contains("`select_relation`, line 1"), "{refused}");
    }
    let edits =
        vec![template(PartKind::Task, "Pick:\n{% for r in relations %}\n* {{ r }}\n{% endfor %}"), template(PartKind::Instructions, "")];
    act(&mut world, with(node, Again::Samples, edits)).unwrap();
    world.run(usize::MAX);
    let sent = world.state.prompt_of(&last(&world, Purpose::Sample)).unwrap();
    assert!(sent.starts_with("QUESTION: ") && sent.contains("Pick:\n* P31: \"instance of\"") && !sent.contains("Rules:"), "{sent}");
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn a_template_that_fails_only_here_costs_the_act_not_the_search() {
    let mut world = finished();
    // Fine with the samples of the check; with this question it fails.
    let edits = vec![template(PartKind::Task, "{% if 'Inception' in question %}{{ 1 / 0 }}{{ question.x.y }}{% endif %}")];
    let before = world.state.nodes.len();
    act(&mut world, with(NodeId(0), Again::Samples, edits)).unwrap();
    world.run(usize::MAX);
    let made = world.state.nodes.last().unwrap();
    assert_eq!(world.state.nodes.len(), before + 1);
    assert!(matches!(&made.action, Action::Error { why } if why.contains("prompt template `default`, line 1")), "{:?}", made.action);
    undo(&mut world, false);
    assert!(world.state.standings()[made_id(&world)].withdrawn);
    assert!(world.state.open_steps().next().is_none());
}

fn made_id(world: &World) -> usize {
    world.state.nodes.len() - 1
}

/// The film, in which one node gets another value when it is asked for a second time.
fn wavering() -> World {
    let mut text: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("tests/data/scenarios/film-backtrack.json").unwrap()).unwrap();
    text["llm"]["fallback"] = serde_json::json!({ "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"],
        "entities": ["Q25188"], "relation": ["P161"], "final_answer": ["ANSWER: somebody"] });
    for rule in text["llm"]["rules"].as_array_mut().unwrap() {
        if rule["kind"] == "score_state" && rule["when"]["path"] == "X:look at the films" {
            rule["when"]["nth"] = 0.into();
        }
    }
    let mut world = World::new(&serde_json::from_value(text).unwrap(), Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

#[test]
fn a_value_is_asked_for_again_and_undo_gives_the_old_one_back() {
    let mut world = wavering();
    let node = world.state.nodes.iter().find(|n| n.action.token() == "X:look at the films").unwrap().id;
    let scored = |n: u32| Value::Scored(Micro::from_millionths(n).unwrap());
    assert_eq!(world.state.value(node), scored(600_000));
    act(&mut world, with(node, Again::Value, vec![])).unwrap();
    world.run(usize::MAX);
    assert_eq!(world.state.value(node), scored(350_000));
    let asked = last(&world, Purpose::Score);
    assert_eq!(world.state.valued(world.state.node(node).unwrap()).1, Some(Valuation::Asked(asked.id)));
    assert_eq!((world.state.scored_by(&asked), world.state.asked_about(&asked)), (Some(node), Some(node)));
    assert_eq!(world.reloaded(), world.state);
    undo(&mut world, false);
    assert_eq!(world.state.value(node), scored(600_000));
    undo(&mut world, true);
    assert_eq!(world.state.value(node), scored(350_000));
    // Twice at once: both are recorded, the later counts, and it ends.
    act(&mut world, with(node, Again::Value, vec![])).unwrap();
    act(&mut world, with(node, Again::Value, vec![])).unwrap();
    world.run(usize::MAX);
    assert_eq!((world.state.node(node).unwrap().earlier.len(), world.state.open_steps().count()), (3, 0));
    // A value by hand is the person's.
    act(&mut world, Act::SetValue { node, value: Micro::ONE }).unwrap();
    assert!(act(&mut world, with(node, Again::Value, vec![])).unwrap_err().contains("undo it first"));
    assert!(act(&mut world, with(NodeId(0), Again::Value, vec![])).unwrap_err().contains("by rule"));
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn an_answer_can_be_valued_again_but_not_continued() {
    let mut world = finished();
    let answer = world.state.nodes.iter().find(|n| n.action.is_answer()).unwrap().id;
    assert!(act(&mut world, again(answer)).unwrap_err().contains("nothing follows an answer"));
    let edits = vec![template(PartKind::Task, "Right? {{ answer }}\nScore: x")];
    act(&mut world, with(answer, Again::Value, edits)).unwrap();
    world.run(usize::MAX);
    let sent = world.state.prompt_of(&last(&world, Purpose::Score)).unwrap();
    assert!(sent.ends_with("Right? \"Leonardo DiCaprio\"\nScore: x"), "{sent}");
    assert_eq!(world.state.node(answer).unwrap().earlier.len(), 1);
}

#[test]
fn pruned_nodes_can_be_asked_and_the_prompt_is_known_before() {
    let mut world = finished();
    let node = world.state.nodes.iter().find(|n| n.action.token() == "X:look at the films").unwrap().id;
    act(&mut world, Act::Prune { node, on: true }).unwrap();
    let (kind, shown) = prompt_at(&world.state, node, Again::Samples, &[]).unwrap();
    assert_eq!(kind, kind_at(&world.state, node, Again::Samples));
    act(&mut world, again(node)).unwrap();
    world.run(usize::MAX);
    let sent = world.state.prompt_of(&last(&world, Purpose::Sample)).unwrap();
    assert_eq!(sent, shown.iter().map(|p| &*p.text).collect::<Vec<_>>().join("\n\n"));
    let child = world.state.node(node).unwrap().children[0];
    // Where the relations were never listed the prompt is not known before.
    assert!(prompt_at(&world.state, child, Again::Samples, &[]).unwrap_err().contains("not listed yet"));
}

fn otherwise(node: NodeId, what: Again, otherwise: Otherwise) -> Act {
    Act::AskAgain { node, what, edits: vec![], otherwise }
}

fn temperature(ask: &Ask) -> u32 {
    match &ask.call {
        Call::Llm(call) => call.temperature_milli,
        Call::Kg(_) => panic!("a model has a temperature"),
    }
}

#[test]
fn another_temperature_is_another_request_and_holds_for_this_call_alone() {
    let mut world = finished();
    let node = world.state.nodes.iter().find(|n| n.action.token() == "X:look at the films").unwrap().id;
    let usual = last(&world, Purpose::Sample);
    let at = |milli| Otherwise { temperature_milli: Some(milli), ..Otherwise::default() };
    assert_eq!((temperature_at(&world.state, node, Again::Samples), temperature_at(&world.state, node, Again::Value)), (1000, 0));
    act(&mut world, otherwise(node, Again::Samples, at(300))).unwrap();
    world.run(usize::MAX);
    let asked = last(&world, Purpose::Sample);
    assert_eq!((temperature(&asked), temperature(&last(&world, Purpose::Score))), (300, 0), "what came of it is scored as always");
    act(&mut world, again(node)).unwrap();
    world.run(usize::MAX);
    let now = last(&world, Purpose::Sample);
    assert!(now.hash != asked.hash && temperature(&now) == temperature(&usual), "the next call is as usual");
    act(&mut world, otherwise(node, Again::Value, at(700))).unwrap();
    world.run(usize::MAX);
    assert_eq!(temperature(&last(&world, Purpose::Score)), 700);
    assert!(act(&mut world, otherwise(node, Again::Value, at(2001))).unwrap_err().contains("from 0 to 2"));
    assert!(world.state.acts[0].what.summary().ends_with(", at temperature 0.3"), "{}", world.state.acts[0].what.summary());
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn temperatures_are_read_as_people_write_them() {
    assert_eq!(
        ["", " 0,7 ", "1", "2.0", "0"].map(|text| read_temperature(text).unwrap()),
        [None, Some(700), Some(1000), Some(2000), Some(0)]
    );
    for wrong in ["warm", "2.1", "-1", "NaN", "inf"] {
        assert!(read_temperature(wrong).unwrap_err().contains("from 0 to 2"), "{wrong}");
    }
}

/// The tokens of the children of the root with their standing: `r` replaced, `w` withdrawn.
fn children(state: &State) -> Vec<String> {
    let standings = state.standings();
    let mark = |id: NodeId| {
        let standing = standings[id.index()];
        assert!(!standing.replaced || standing.pruned, "what was replaced is out of the search");
        [(standing.replaced, " r"), (standing.withdrawn, " w")].iter().filter(|(on, _)| *on).map(|(_, sign)| *sign).collect::<String>()
    };
    let root = state.node(NodeId(0)).unwrap();
    root.children.iter().map(|id| format!("{}{}", state.node(*id).unwrap().action.token(), mark(*id))).collect()
}

/// The film, whose root gets other choices when it is asked for a second time.
fn changing() -> World {
    let mut text: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("tests/data/scenarios/film-backtrack.json").unwrap()).unwrap();
    text["llm"]["fallback"] = serde_json::json!({ "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"],
        "entities": ["Q25188"], "relation": ["P161"], "final_answer": ["ANSWER: somebody"] });
    let rules = text["llm"]["rules"].as_array_mut().unwrap();
    let at_root = rules.iter().position(|rule| rule["kind"] == "action" && rule["when"]["path"] == "").unwrap();
    let mut second = rules[at_root].clone();
    rules[at_root]["when"]["nth"] = 0.into();
    second["replies"] = serde_json::json!(["EXPAND: look at the films", "THINK: something else"]);
    rules.insert(at_root + 1, second);
    let mut world = World::new(&serde_json::from_value(text).unwrap(), Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

#[test]
fn new_samples_take_the_place_of_what_nobody_went_on_from() {
    let mut world = changing();
    let before = children(&world.state);
    let root = NodeId(0);
    // By hand: no sample of the model.
    act(&mut world, Act::Choose { node: root, chain: vec![Action::Think { text: "mine".into() }], instead_of: None, value: None }).unwrap();
    world.run(usize::MAX);
    let free = world.state.replaceable(root);
    let unexpanded = |id: &&NodeId| world.state.node(**id).is_some_and(|n| n.expanded.is_none() && n.by == By::Engine);
    assert_eq!(free, world.state.node(root).unwrap().children.iter().filter(unexpanded).copied().collect::<Vec<_>>());
    assert!(!free.is_empty() && free.len() < before.len());
    let expanded = world.state.node(root).unwrap().children.iter().copied().find(|id| !free.contains(id)).unwrap();
    for wrong in [expanded, world.state.nodes.last().unwrap().id, NodeId(404)] {
        let replaces = vec![wrong];
        let refused = act(&mut world, otherwise(root, Again::Samples, Otherwise { replaces, ..Otherwise::default() })).unwrap_err();
        assert!(refused.contains("can't be replaced"), "{refused}");
    }
    let replaces = Otherwise { replaces: free.clone(), ..Otherwise::default() };
    assert!(act(&mut world, otherwise(root, Again::Value, replaces.clone())).is_err());
    act(&mut world, otherwise(root, Again::Samples, replaces)).unwrap();
    world.run(usize::MAX);
    let after = children(&world.state);
    let made = world.state.nodes.iter().rev().find(|n| n.action.token() == "T:something else").unwrap().id;
    assert_eq!(after.last().unwrap(), "T:something else");
    for id in &free {
        let token = world.state.node(*id).unwrap().action.token();
        let standing = world.state.standings()[id.index()];
        assert_eq!(standing.replaced, token != "X:look at the films", "{token}: what was chosen again stays");
        assert_eq!(world.state.frontier().contains(id), !standing.replaced && !world.state.node(*id).unwrap().action.is_answer());
    }
    assert!(!world.state.answers().iter().any(|id| world.state.standings()[id.index()].replaced));
    // One undo, and everything is as it was.
    undo(&mut world, false);
    let back = children(&world.state);
    assert!(back.iter().all(|child| !child.contains(" r")) && back.last().unwrap() == "T:something else w", "{back:?}");
    undo(&mut world, true);
    assert_eq!(children(&world.state), after);
    assert!(world.state.standings()[made.index()] == Default::default());
    assert_eq!(world.reloaded(), world.state);
    // Who wants one of them back opens it again.
    let gone = *free.iter().find(|id| world.state.standings()[id.index()].replaced).unwrap();
    act(&mut world, Act::Prune { node: gone, on: false }).unwrap();
    let standing = world.state.standings()[gone.index()];
    assert!(!standing.pruned && !standing.replaced);
}

#[test]
fn older_sessions_call_it_ask() {
    let older: Act = serde_json::from_str(r#"{"ask":{"node":3}}"#).unwrap();
    assert_eq!(older, again(NodeId(3)));
    assert_eq!(serde_json::to_string(&older).unwrap(), r#"{"ask_again":{"node":3}}"#);
}

#[test]
fn every_decision_comes_out_again() {
    let mut world = wavering();
    let nodes: Vec<NodeId> = world.state.nodes.iter().map(|n| n.id).collect();
    for node in nodes {
        let task = vec![Edit { part: PartKind::Path, with: Wording::Text("# PATH: none".to_owned()) }];
        let _ = act(&mut world, with(node, Again::Samples, task.clone()));
        let _ = act(&mut world, with(node, Again::Value, task));
        let replaces = world.state.replaceable(node);
        let _ =
            act(&mut world, otherwise(node, Again::Samples, Otherwise { temperature_milli: Some(500), replaces, ..Otherwise::default() }));
        world.run(usize::MAX);
    }
    let undone = ActId(world.state.acts[1].id.0);
    world.push(By::You, Event::Undone { act: undone, redo: false });
    world.run(usize::MAX);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.jsonl");
    let entries: Vec<std::sync::Arc<_>> = world.entries.iter().cloned().map(std::sync::Arc::new).collect();
    let header = tree_of_traversals::session::Header::new("s", None);
    drop(tree_of_traversals::session::Journal::create(&path, &header, &entries).unwrap());
    let status = tree_of_traversals::commands::replay::check(path.to_str().unwrap()).unwrap();
    assert_eq!(status, tree_of_traversals::commands::Status::Ok);
}
