//! Asking again, by hand: new samples, an edited prompt, a value; undone, replayed, at any node.

use crate::acts::{act, again, film};
use crate::world::World;
use tree_of_traversals::asm::{Action, Edit, Wording};
use tree_of_traversals::calls::PartKind;
use tree_of_traversals::micro::Micro;
use tree_of_traversals::search::strategy::{kind_at, prompt_at};
use tree_of_traversals::search::{Act, ActId, Again, Ask, By, Event, NodeId, Preset, Purpose, Valuation, Value};

fn finished() -> World {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

fn with(node: NodeId, what: Again, edits: Vec<Edit>) -> Act {
    Act::AskAgain { node, what, edits }
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
