//! A computation by hand, from the key to the fact in the local graph: the explorer, the runner and a real graph.

use super::desk::Desk;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::asm::{Action, Templates};
use tree_of_traversals::graph::Entity;
use tree_of_traversals::kg::{KgSettings, KgSpec, open_with};
use tree_of_traversals::redact::Secrets;
use tree_of_traversals::runner::{Command, Equipment, Handle, Pace, RunState, Setup, Snapshot, launch};
use tree_of_traversals::scenario::ScriptedModel;
use tree_of_traversals::search::strategy::TreeOfTraversals;
use tree_of_traversals::search::{By, Preset, Settings, Started};
use tree_of_traversals::tui::views::start::StartData;

const NORLAND: &str = "Q9000001";

/// A session about Norland whose model knows nothing; it is over at once.
async fn session() -> Handle {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/mountains/mountains.ttl.gz");
    let kg = open_with(&KgSpec::Files(vec![file]), &KgSettings::default()).await.unwrap();
    let script = serde_json::json!({"rules": [], "fallback": {
        "action": ["ANSWER: no idea"], "score_state": ["0.4"], "score_answer": ["0.0"],
    }});
    let model = ScriptedModel::new(&serde_json::from_value(script).unwrap(), Duration::ZERO).unwrap();
    let norland = Entity { id: NORLAND.into(), kg: kg.name().into(), label: None, description: None, also: vec![] };
    let started = Started {
        question: "How many mountains of Norland are over 3500 m?".into(),
        settings: Settings { branching: 1, ..Settings::preset(Preset::Paper) },
        model: "script".into(),
        service_model: "script".into(),
        llm_url: None,
        price: None,
        model_spec: "script".into(),
        kgs: vec![(kg.name().into(), "file".into())],
        strategy: "tree-of-traversals".into(),
        templates: Templates::built_in(),
        seed: 1,
        entities: vec![norland],
    };
    let equipment = Equipment {
        strategy: Box::new(TreeOfTraversals),
        model: Arc::new(model),
        others: tree_of_traversals::runner::no_others(),
        kgs: vec![(kg.name().into(), kg)],
        pace: Pace::Run,
        pause: Duration::ZERO,
        secrets: Secrets::default(),
        breaks: Vec::new(),
        rules: Vec::new(),
        watched: true,
        can_fork: false,
        folder: None,
    };
    launch(Setup::New { started: Box::new(started), journal: None, name: "first".into(), note: None, bank: None }, equipment).unwrap()
}

/// Waits until `what` holds of a snapshot.
async fn until(handle: &mut Handle, what: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
    let waiting = async {
        loop {
            let now = handle.snapshots.borrow_and_update().clone();
            if what(&now) {
                return now;
            }
            handle.snapshots.changed().await.expect("the runner goes on");
        }
    };
    tokio::time::timeout(Duration::from_secs(120), waiting).await.expect("this comes to pass")
}

/// Tells the runner what the explorer said, waits until every inquiry is answered, and shows that.
async fn pass_on(desk: &mut Desk, handle: &mut Handle) -> Vec<Command> {
    let sent = desk.sent();
    let asked: Vec<u64> = sent.iter().filter_map(|c| if let Command::Inquire { id, .. } = c { Some(*id) } else { None }).collect();
    for command in &sent {
        handle.commands.send(command.clone()).unwrap();
    }
    let answered = |s: &Snapshot| asked.iter().all(|id| s.live.inquiries.iter().any(|i| i.id == *id && i.result.is_some()));
    let snapshot = until(handle, answered).await;
    desk.app.snapshot(snapshot);
    sent
}

/// Opens the line of computation over `~P17` at the root.
async fn open_line(desk: &mut Desk, handle: &mut Handle) -> String {
    desk.press("1 g e Down Down Down Enter Enter");
    pass_on(desk, handle).await;
    desk.press("/ text:country Enter #");
    desk.screen(160, 50)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_has_the_graph_count_and_the_count_becomes_a_fact() {
    let mut handle = session().await;
    let over = until(&mut handle, |s| s.run_state() == RunState::Finished).await;
    let nodes = over.state.nodes.len();
    let mut desk = Desk::start_page(StartData::default());
    desk.app.open_session(over);

    let screen = open_line(&mut desk, &mut handle).await;
    assert!(screen.contains("› count ~P17") && screen.contains("is asked for the count over: is country of, backwards"), "{screen}");
    desk.press("Tab");
    assert!(desk.screen(160, 50).contains("› max ~P17"), "Tab takes another function");
    desk.press("BackTab space");
    desk.paste("where P2044 over 3500");
    assert!(desk.screen(160, 50).contains("a condition needs one of ="), "{}", desk.screen(160, 50));
    assert_eq!(desk.press("Enter").sent(), [], "what can't be read is not asked");
    // Out of the line, the text to find, the relations, the entities, the menu.
    let sent = desk.press("Escape Escape Escape Escape Escape").sent();
    assert!(!desk.app.has_popup() && sent.iter().all(|command| matches!(command, Command::DropInquiry(_))), "{sent:?}");

    open_line(&mut desk, &mut handle).await;
    desk.press("space");
    desk.paste("where \"instance of\" = mountain and P2044 > 3500");
    desk.press("Enter");
    pass_on(&mut desk, &mut handle).await;
    let screen = desk.screen(160, 50);
    assert!(screen.contains("(P2044) > 3500: 900") && screen.contains("1 new fact, 0 new entities"), "{screen}");
    assert!(!screen.contains("Peak"), "{screen}");
    desk.press("Enter");
    pass_on(&mut desk, &mut handle).await;
    // The search goes on from what was grown, until it is over again.
    let grown = |s: &Snapshot| s.state.nodes.iter().find(|n| matches!(n.action, Action::Aggregate { .. })).cloned();
    let done = until(&mut handle, |s| grown(s).is_some() && s.run_state() == RunState::Finished).await;
    let node = grown(&done).unwrap();
    assert!(node.id.index() >= nodes && node.by == By::You);
    let Action::Aggregate { what, .. } = &node.action else { panic!("{:?}", node.action) };
    assert_eq!(what.to_string(), "count ~P17 where \"instance of\" = mountain and P2044 > 3500");
    let graph = done.state.graph(node.id);
    assert_eq!((graph.edges().len(), graph.entities().len()), (1, 1), "the count alone came in");
    desk.app.snapshot(done);

    // The new node in words, its arrow in the machine, the count in the local graph.
    desk.press("1 * g");
    for _ in 0..20 {
        if desk.app.session().unwrap().node() == Some(node.id) {
            break;
        }
        desk.press("Down");
    }
    let screen = desk.screen(200, 60);
    assert!(screen.contains("Σ count ~P17 where"), "{screen}");
    assert!(screen.contains("AGGREGATE") && screen.contains("900"), "{screen}");
    handle.commands.send(Command::Quit).unwrap();
    handle.task.await.unwrap();
}
