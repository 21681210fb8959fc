//! What-if on facts, on the demo graph with the built-in model: the outdated name of question demo-71, and what each kind of
//! correction does to graphs, evidence and prompts.

use super::{Bench, Pace, film};
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::asm::Action;
use tree_of_traversals::calls::{AskId, PartKind};
use tree_of_traversals::commands::options::SearchOptions;
use tree_of_traversals::commands::setup::Workshop;
use tree_of_traversals::config::Config;
use tree_of_traversals::graph::{Edge, Entity, Literal, LiteralKind, Object};
use tree_of_traversals::runner::{Command, Equipment, Setup, Snapshot, launch};
use tree_of_traversals::search::correction::{Change, Correction};
use tree_of_traversals::search::{Act, Again, Call, NodeId, OutcomeKind, SessionVerdict, Side, WarningKind, compare};
use tree_of_traversals::session::{Header, Journal, read};

const QUESTION: &str = "What is the name of the spring training ballpark of the team whose mascot is the Phillie Phanatic?";

async fn demo() -> Bench {
    let options = SearchOptions { kg: vec!["demo".to_owned()], llm: Some("lexical".to_owned()), ..SearchOptions::default() };
    let workshop = Workshop::open(&options, &Config::default(), None).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let none: &[Arc<tree_of_traversals::search::Entry>] = &[];
    let journal = Journal::create(&folder.path().join("first.jsonl"), &Header::new("first", None), none).unwrap();
    let started = Box::new(workshop.started(QUESTION));
    let setup = Setup::New { started, journal: Some(journal), name: "first".into(), note: None, bank: None };
    let equipment = workshop.equipment("tree-of-traversals", Pace::Run, true).unwrap();
    let equipment = Equipment { pause: Duration::ZERO, folder: Some(folder.path().to_owned()), ..equipment };
    Bench { handle: launch(setup, equipment).unwrap(), folder }
}

fn correct(node: NodeId, fact: &Edge, change: Change) -> Command {
    let correction = Correction { fact: fact.clone(), change, reason: "renamed in 2018".to_owned() };
    Command::Do(Act::Correct { node, correction: Box::new(correction) })
}

fn answer(snapshot: &Snapshot) -> String {
    snapshot.state.summary().answer_text.unwrap_or_default()
}

/// The node and the fact that hold an object with this name.
fn fact_with(snapshot: &Snapshot, object: &str) -> (NodeId, Edge) {
    let found = snapshot.state.nodes.iter().rev().find_map(|node| {
        let graph = snapshot.state.graph(node.id);
        let named = |edge: &&Edge| matches!(&edge.o, Object::Entity(id) if graph.name(id) == object);
        graph.edges().iter().find(named).map(|edge| (node.id, edge.clone()))
    });
    found.unwrap_or_else(|| panic!("a fact about {object}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_outdated_ballpark_is_found_from_the_answer_corrected_and_answered_right() {
    let mut bench = demo().await;
    let wrong = bench.finished().await;
    assert_eq!(answer(&wrong), "Bright House Field");
    // Back from the answer: the fact, the node that brought it, who read it; forward: the answer that rests on it.
    let at = wrong.state.summary().answer.unwrap();
    let evidence = wrong.state.evidence(at);
    let graph = wrong.state.graph(at);
    let fact = evidence.iter().find(|edge| matches!(&edge.o, Object::Entity(id) if graph.name(id) == "Bright House Field")).unwrap();
    let trace = wrong.state.trace(fact, at);
    let brought = trace.brought_by.expect("a call brought it").0;
    assert!(trace.answers == [at] && trace.nodes.contains(&brought) && trace.nodes.contains(&at), "{trace:?}");
    bench.send(correct(at, fact, Change::Label("BayCare Ballpark".to_owned())));
    bench.send(Command::Do(Act::again(at, Again::Value)));
    bench.send(Command::Do(Act::again(brought, Again::Samples)));
    let right = bench.until(|s| answer(s) == "BayCare Ballpark" && s.state.open_steps().next().is_none()).await;
    assert_eq!(right.state.summary().outcome, Some(OutcomeKind::Answered));
    assert!(right.state.value(at).known() < wrong.state.value(at).known(), "the old answer lost its value");
    // The old answer did not come from the model alone.
    let warned = right.state.warnings().into_iter().find(|w| w.node == at && w.kind == WarningKind::Unsupported).unwrap();
    assert!(warned.text.contains("was corrected by you") && right.state.corrected_since(at).is_some(), "{warned:?}");
    assert_eq!(right.state.corrected_since(right.state.summary().answer.unwrap()), None);
    let now = right.state.summary().answer.unwrap();
    let graph = right.state.graph(now);
    let rests = right.state.evidence(now);
    assert!(rests.iter().any(|edge| right.state.correction_of(&graph, edge).is_some_and(|c| c.reason == "renamed in 2018")));
    // The trace tells what was said before the correction from what was said after it.
    let named = rests.iter().find(|edge| right.state.correction_of(&graph, edge).is_some()).unwrap();
    let (trace, of) = (right.state.trace(named, now), right.state.corrected_by(now, named));
    let words: Vec<String> = of.iter().filter_map(|act| right.state.corrected_words(now, act)).collect();
    assert_eq!(words, ["corrected by you: other label, the graph says “Bright House Field” (renamed in 2018)"]);
    let showed = |ask: AskId, name: &str| {
        let Some(Call::Llm(call)) = right.state.ask(ask).map(|ask| &ask.call) else { return false };
        let mut parts = call.parts.iter().map(|part| &right.state.parts[part.index()]);
        parts.any(|part| part.kind == PartKind::Graph && part.text.contains(name))
    };
    assert!(!trace.before.is_empty() && trace.before.len() < trace.prompts.len(), "{trace:?}");
    for ask in &trace.prompts {
        let old = trace.before.contains(ask);
        assert_eq!((showed(*ask, "Bright House Field"), showed(*ask, "BayCare Ballpark")), (old, !old), "{ask:?}");
    }
    // Both compared: equal up to the correction.
    let compared = compare(
        Side { entries: wrong.entries(), state: &wrong.state, copied: 0, expected: "" },
        Side { entries: right.entries(), state: &right.state, copied: 0, expected: "BayCare Ballpark" },
    );
    assert!(compared.first.is_some(), "{compared:?}");
    assert_eq!(compared.judged.verdict, SessionVerdict::Better, "{compared:?}");
    // Taken back, the old name is there again, and the recording holds it all.
    bench.send(Command::Undo);
    bench.send(Command::Undo);
    bench.send(Command::Undo);
    let back = bench.until(|s| s.state.corrections().next().is_none() && s.state.open_steps().next().is_none()).await;
    fact_with(&back, "Bright House Field");
    let end = bench.finished().await;
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "reload == live");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_kind_of_correction_does_what_it_says() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let end = bench.finished().await;
    let best = end.state.summary().answer.unwrap();
    let fact = end.state.evidence(best).into_iter().find(|edge| matches!(edge.o, Object::Entity(_))).unwrap();
    let parts = end.state.parts.len();
    let mut acts = 0;
    // Refused with a sentence: a fact that is not there, a label of a value, an object that it has already.
    for (fact, change, says) in [
        (Edge { s: "Q0".into(), ..fact.clone() }, Change::Delete, "not in the local graph"),
        (fact.clone(), Change::Object { object: fact.o.clone(), entity: None }, "its object already"),
        (fact.clone(), Change::Label("  ".into()), "the label is empty"),
        (fact.clone(), Change::Add { entity: None }, "there already"),
    ] {
        bench.send(correct(best, &fact, change));
        let told = bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, text)| text.contains(says))).await;
        assert_eq!(told.state.acts.len(), 0, "{says}");
    }
    let mut done = async |bench: &mut Bench, change: Change| {
        bench.send(correct(best, &fact, change));
        acts += 1;
        bench.until(|s| s.state.acts.len() == acts && s.state.acts[acts - 1].active).await
    };
    let undone = async |bench: &mut Bench| {
        bench.send(Command::Undo);
        bench.until(|s| s.state.corrections().next().is_none()).await
    };
    for change in [Change::Delete, Change::Hide] {
        let now = done(&mut bench, change).await;
        assert!(!now.state.graph(best).contains(&fact) && now.state.was_brought(best, &fact));
        assert!(!now.state.evidence(best).iter().any(|edge| edge.same_fact(&fact)));
        let back = undone(&mut bench).await;
        assert!(back.state.graph(best).contains(&fact));
    }
    let now = done(&mut bench, Change::Distrust).await;
    assert!(now.state.graph(best).contains(&fact) && !now.state.trusted_graph(best).contains(&fact));
    assert!(!now.state.evidence(best).iter().any(|edge| edge.same_fact(&fact)), "no answer rests on it");
    undone(&mut bench).await;
    let other = Entity { id: "Q7".into(), kg: "scenario".into(), label: Some("Somebody".into()), description: None, also: vec![] };
    let object = Object::Entity(other.id.clone());
    let now = done(&mut bench, Change::Object { object: object.clone(), entity: Some(Box::new(other)) }).await;
    let graph = now.state.graph(best);
    assert!(!graph.contains(&fact) && graph.name("Q7") == "Somebody");
    let placed = |edges: &[Edge], edge: &Edge| edges.iter().position(|e| e.same_fact(edge));
    let here = placed(graph.edges(), &Edge { o: object, ..fact.clone() });
    assert!(here.is_some() && here == placed(end.state.graph(best).edges(), &fact), "it stands where the wrong one stood");
    undone(&mut bench).await;
    let value = Object::Literal(Literal { kind: LiteralKind::Text, text: "a \u{1b}[31mvalue".into(), raw: None, lang: None });
    let new = Edge { o: value, ..fact.clone() };
    bench.send(correct(best, &new, Change::Add { entity: None }));
    let now = bench.until(|s| s.state.corrections().count() == 1).await;
    let has = |node: NodeId| now.state.graph(node).contains(&new);
    assert!(now.state.nodes.iter().all(|n| has(n.id) == now.state.graph(n.id).entity(&new.s).is_some()), "where its subject is");
    assert_eq!(now.state.parts.len(), parts, "what was sent stays as it was, and nobody was asked");
    // The model reads it from here on, cleaned.
    let expandable = now.state.nodes.iter().rev().find(|n| !n.action.is_answer() && !matches!(n.action, Action::Error { .. })).unwrap().id;
    let seen = now.state.graph(expandable).contains(&new);
    bench.send(Command::Do(Act::again(expandable, Again::Samples)));
    let asked = bench.until(|s| s.state.acts.len() > now.state.acts.len() && s.state.open_steps().next().is_none()).await;
    let read_it = asked.state.parts[parts..].iter().any(|part| part.text.contains("value") && part.text.contains("[31m"));
    assert!(!seen || read_it, "it stands in the prompt");
    assert!(asked.state.parts.iter().all(|part| !part.text.contains('\u{1b}')));
}
