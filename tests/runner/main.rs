//! The runner on a real tokio runtime, with scripted world and real time: pace, abort, failures, acts, previews, forks.

mod budgets;
mod corrections;
mod forks;
mod models;
mod stops;
mod wasted;

use futures_util::future::BoxFuture;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tree_of_traversals::asm::Action;
use tree_of_traversals::calls::{CallError, CallErrorKind, KgCall, KgOp};
use tree_of_traversals::graph::{Direction, RelationRef};
use tree_of_traversals::kg::KnowledgeGraph;
use tree_of_traversals::llm::{LanguageModel, LlmJob, Wire};
use tree_of_traversals::micro::Micro;
use tree_of_traversals::redact::Secrets;
use tree_of_traversals::runner::{Command, Equipment, Handle, Pace, RunState, Setup, Snapshot, launch};
use tree_of_traversals::scenario::{Expectation, Scenario, compare};
use tree_of_traversals::search::strategy::TreeOfTraversals;
use tree_of_traversals::search::{Act, By, Entry, Event, HaltCause, NodeId, Preset, Source, Started};
use tree_of_traversals::session::{ForkNote, Header, Journal, read};
use tree_of_traversals::tui::views::timeline::summary;

/// The film scenario with a latency, and a fallback value for nodes made by hand.
fn film(latency_ms: u64) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json");
    let mut value: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    value["latency_ms"] = serde_json::json!({ "llm": latency_ms, "kg": latency_ms });
    value["llm"]["fallback"] = serde_json::json!({
        "score_state": ["0.35"], "score_answer": ["0.1"], "action": ["ANSWER: somebody"], "entities": ["Q25188"], "relation": ["P161"],
    });
    serde_json::from_value(value).unwrap()
}

fn expected(scenario: &Scenario) -> Expectation {
    scenario.expectations().unwrap().into_iter().find(|b| b.preset == Preset::Paper).unwrap()
}

struct Bench {
    handle: Handle,
    folder: tempfile::TempDir,
}

impl Bench {
    fn start(scenario: &Scenario, pace: Pace) -> Self {
        Self::with_model(scenario, pace, scenario.model().unwrap())
    }

    fn with_model(scenario: &Scenario, pace: Pace, model: Arc<dyn LanguageModel>) -> Self {
        Self::with(scenario, pace, model, |_| {})
    }

    fn with(scenario: &Scenario, pace: Pace, model: Arc<dyn LanguageModel>, change: impl FnOnce(&mut Started)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let none: &[Arc<Entry>] = &[];
        let journal = Journal::create(&folder.path().join("first.jsonl"), &Header::new("first", None), none).unwrap();
        let mut started = started(scenario);
        change(&mut started);
        let setup = Setup::New { started: Box::new(started), journal: Some(journal), name: "first".into(), note: None, bank: None };
        let handle = launch(setup, equipment(scenario, pace, model, folder.path())).unwrap();
        Self { handle, folder }
    }

    fn send(&self, command: Command) {
        self.handle.commands.send(command).unwrap();
    }

    /// Waits until `what` holds of a snapshot.
    async fn until(&mut self, what: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
        let waiting = async {
            loop {
                let now = self.handle.snapshots.borrow_and_update().clone();
                if what(&now) {
                    return now;
                }
                self.handle.snapshots.changed().await.expect("the runner goes on");
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("this comes to pass within a minute")
    }

    async fn finished(&mut self) -> Arc<Snapshot> {
        self.until(|s| s.run_state() == RunState::Finished).await
    }

    async fn quit(self) -> tempfile::TempDir {
        self.send(Command::Quit);
        self.handle.task.await.unwrap();
        self.folder
    }
}

fn equipment(scenario: &Scenario, pace: Pace, model: Arc<dyn LanguageModel>, folder: &Path) -> Equipment {
    Equipment {
        strategy: Box::new(TreeOfTraversals),
        model,
        others: tree_of_traversals::runner::no_others(),
        kgs: vec![("scenario".into(), scenario.graph() as Arc<dyn KnowledgeGraph>)],
        pace,
        pause: Duration::ZERO,
        secrets: Secrets::default(),
        breaks: Vec::new(),
        rules: Vec::new(),
        watched: true,
        can_fork: true,
        folder: Some(folder.to_owned()),
    }
}

fn started(scenario: &Scenario) -> Started {
    Started {
        question: scenario.query.clone(),
        settings: scenario.settings(Preset::Paper),
        model: "script".into(),
        service_model: "script".into(),
        llm_url: None,
        price: None,
        model_spec: "script".into(),
        kgs: vec![("scenario".into(), "scenario".into())],
        strategy: "tree-of-traversals".into(),
        templates: tree_of_traversals::asm::Templates::built_in(),
        seed: 1,
        entities: vec![],
    }
}

fn decisions(snapshot: &Snapshot) -> usize {
    snapshot.entries().iter().filter(|e| e.by == By::Engine || matches!(e.ev, Event::Asked { .. })).count()
}

fn hop(node: u32) -> Act {
    let relation = RelationRef { kg: "scenario".into(), id: "P86".into(), direction: Direction::Out };
    let chain = vec![
        Action::Expand { text: String::new() },
        Action::SelectEntities { ids: vec!["Q25188".into()] },
        Action::SelectRelation { relation },
    ];
    Act::Choose { node: NodeId(node), chain, instead_of: None, value: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scenario_comes_out_exactly_and_the_journal_holds_it() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let live = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &live.state), Vec::<String>::new());
    let folder = bench.quit().await;
    let recording = read(&folder.path().join("first.jsonl")).unwrap();
    assert_eq!(recording.state, *live.state, "reload == live");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_pause_nothing_new_starts_but_what_flies_arrives() {
    let scenario = film(60);
    let mut bench = Bench::start(&scenario, Pace::Run);
    bench.until(|s| s.state.expansions() == 2 && !s.live.flights.is_empty()).await;
    bench.send(Command::Pace(Pace::Paused));
    let paused = bench.until(|s| matches!(s.run_state(), RunState::Pausing(_) | RunState::Paused)).await;
    let before = decisions(&paused);
    let landed = bench.until(|s| s.run_state() == RunState::Paused).await;
    assert!(landed.live.flights.is_empty());
    tokio::time::sleep(Duration::from_millis(250)).await;
    let later = bench.until(|_| true).await;
    assert_eq!(decisions(&later), before, "no decision and no ask after the pause");
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_is_one_expansion_and_a_phase_one_decision() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    bench.send(Command::Pace(Pace::Step));
    bench.until(|s| s.run_state() == RunState::Paused && s.state.nodes.len() == 1).await;
    for n in 1..=3 {
        bench.send(Command::Pace(Pace::Step));
        let state = bench.until(|s| s.run_state() == RunState::Paused && s.state.expansions() == n).await;
        assert!(state.state.steps.iter().all(|s| s.closed));
    }
    let before = decisions(&*bench.until(|_| true).await);
    bench.send(Command::Pace(Pace::Phase));
    let after = bench.until(|s| s.run_state() == RunState::Paused && decisions(s) > before).await;
    assert_eq!(decisions(&after), before + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abort_drops_the_flights_and_going_on_sends_them_again() {
    let scenario = film(80);
    let mut bench = Bench::start(&scenario, Pace::Run);
    bench.until(|s| s.state.expansions() == 2 && !s.live.flights.is_empty()).await;
    bench.send(Command::Abort);
    let aborted = bench.until(|s| s.run_state() == RunState::Paused).await;
    assert!(aborted.state.asks.iter().any(|a| !a.is_complete()), "the asks stay open");
    let last = aborted.entries().last().unwrap();
    let Event::Dropped { asks } = &last.ev else { panic!("{last:?}") };
    assert!(last.by == By::You && asks.iter().all(|ask| !aborted.state.ask(*ask).unwrap().is_complete()), "{last:?}");
    assert!(summary(last, &aborted.state).starts_with("dropped: "), "{}", summary(last, &aborted.state));
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert!(end.state.counters().perhaps_paid > 0, "and are counted as perhaps paid");
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_call_to_the_model_can_be_dropped_and_is_asked_again() {
    let scenario = film(120);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let of_model = |s: &Snapshot| s.live.flights.iter().find(|f| f.kg.is_none()).map(|f| (f.ask, f.what.clone()));
    let flying = bench.until(|s| of_model(s).is_some()).await;
    let (ask, what) = of_model(&flying).unwrap();
    bench.send(Command::Cancel(ask));
    let dropped = bench.until(|s| s.run_state() == RunState::Paused).await;
    assert!(dropped.state.ask(ask).is_some_and(|a| !a.is_complete() && a.error.is_none()), "it stays open");
    assert!(dropped.live.notice.as_ref().is_some_and(|(_, n)| n.contains(&what) && n.contains("asked again")), "{:?}", dropped.live.notice);
    let told = |s: &Snapshot| s.entries().iter().filter(|e| matches!(&e.ev, Event::Dropped { asks } if *asks == [ask])).count();
    assert_eq!(told(&dropped), 1);
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert!(end.entries().iter().any(|e| matches!(&e.ev, Event::Resumed { lost, .. } if *lost == [ask])));
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_call_to_a_kg_can_be_cancelled_and_the_search_goes_on_with_the_rest() {
    let scenario = film(120);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let listing = |s: &Snapshot| {
        let flight = s.live.flights.iter().find(|f| f.kg.is_some() && f.what.starts_with("reverse relations"))?;
        Some((flight.ask, flight.what.clone()))
    };
    let flying = bench.until(|s| listing(s).is_some()).await;
    let (ask, what) = listing(&flying).unwrap();
    bench.send(Command::Cancel(ask));
    let cancelled = bench.until(|s| s.state.ask(ask).is_some_and(|a| a.error.is_some())).await;
    let error = cancelled.state.ask(ask).unwrap().error.clone().unwrap();
    assert_eq!((error.kind, error.message.as_str()), (CallErrorKind::Cancelled, "cancelled by you"));
    assert!(cancelled.state.down().is_empty(), "the KG is not to blame");
    assert!(cancelled.entries().iter().any(|e| e.by == By::You && matches!(e.ev, Event::Failed { .. })));
    bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, n)| n.contains(&what))).await;
    let end = bench.finished().await;
    assert!(end.state.steps.iter().flat_map(|s| &s.notices).any(|n| n.contains("reverse relations failed: cancelled by you")));
    assert_eq!(compare(&expected(&scenario), &end.state).iter().filter(|d| d.contains("answer")).count(), 0);
    // A call that is over can't be cancelled.
    bench.send(Command::Cancel(ask));
    bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, n)| n.contains("ended already"))).await;
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hop_by_hand_runs_while_paused_and_uses_the_preview() {
    let scenario = film(5);
    let mut bench = Bench::start(&scenario, Pace::Paused);
    bench.send(Command::Pace(Pace::Step));
    bench.until(|s| s.run_state() == RunState::Paused && s.state.nodes.len() == 1).await;
    let op = KgOp::Edges {
        entities: vec!["Q25188".into()],
        relation: "P86".into(),
        direction: Direction::Out,
        cap: 100,
        offset: 0,
        all_ranks: false,
    };
    let before = bench.until(|_| true).await.entries().len();
    bench.send(Command::Inquire { id: 7, call: KgCall { kg: "scenario".into(), op } });
    let seen = bench.until(|s| s.live.inquiries.iter().any(|i| i.id == 7 && i.result.is_some())).await;
    assert_eq!(seen.entries().len(), before, "a look leaves no trace");
    bench.send(Command::DropInquiry(7));
    bench.send(Command::Do(hop(0)));
    let grown = bench.until(|s| s.state.steps.len() == 2 && s.state.steps.iter().all(|s| s.closed)).await;
    assert_eq!(grown.state.nodes.len(), 4);
    assert_eq!(grown.run_state(), RunState::Paused);
    assert!(grown.state.asks.iter().any(|a| a.source == Some(Source::Preview)), "the preview is the reply");
    assert_eq!(grown.state.expansions(), 0);
    // It survives a kill: the file alone gives the same state.
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state.nodes.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_act_is_told_and_not_recorded() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let end = bench.finished().await;
    bench.send(Command::Do(Act::Accept { node: NodeId(0) }));
    let told = bench.until(|s| s.live.notice.is_some()).await;
    assert!(told.live.notice.as_ref().unwrap().1.contains("no answer"));
    assert_eq!(told.entries().len(), end.entries().len());
    bench.send(Command::Undo);
    bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, n)| n.contains("nothing to undo"))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_starts_paused_needs_no_live_call_and_goes_live_at_the_change() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let end = bench.finished().await;
    let at = end.entries().iter().find(|e| matches!(e.ev, Event::Opened { counts: true, node: Some(NodeId(1)), .. })).unwrap().seq;
    bench.send(Command::Fork { at, stop: false, note: Default::default() });
    let fork = bench.until(|s| s.live.parent.is_some()).await;
    assert_eq!(fork.run_state(), RunState::Paused);
    assert_eq!(fork.entries().len() as u64, at + 1);
    assert!(fork.live.replaying_parent && fork.live.session != "first");
    bench.send(Command::Pace(Pace::Run));
    let same = bench.finished().await;
    assert!(same.live.replaying_parent, "nothing was asked that the parent never asked");
    assert_eq!(same.state.summary(), end.state.summary());
    // The change: another value sends the search another way.
    bench.send(Command::Do(Act::SetValue { node: NodeId(2), value: Micro::ONE }));
    bench.send(Command::Do(Act::Prune { node: NodeId(1), on: true }));
    let live = bench.until(|s| !s.live.replaying_parent && s.run_state() == RunState::Finished).await;
    assert_ne!(live.state.summary().order, end.state.summary().order);
    let name = live.live.session.clone();
    let folder = bench.quit().await;
    let recording = read(&folder.path().join(format!("{name}.jsonl"))).unwrap();
    assert_eq!(recording.header.parent, Some(("first".to_owned(), at + 1)));
    assert_eq!(recording.state, *live.state);
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "the parent is as it was");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_may_stop_at_the_first_request_that_its_parent_never_made_and_goes_live_from_there() {
    let scenario = film(1);
    let mut bench = Bench::start(&scenario, Pace::Run);
    let end = bench.finished().await;
    let at = end.entries().iter().find(|e| matches!(e.ev, Event::Opened { counts: true, node: Some(NodeId(1)), .. })).unwrap().seq;
    let note = ForkNote { why: "what if the other way".into(), expected: "Michael Caine".into() };
    bench.send(Command::Fork { at, stop: true, note: note.clone() });
    bench.until(|s| s.live.parent.is_some()).await;
    // A thought that nobody had: its value was never asked for.
    let thought = Action::Think { text: "what if not".into() };
    bench.send(Command::Do(Act::Choose { node: NodeId(0), chain: vec![thought], instead_of: None, value: None }));
    let stopped = bench.until(|s| s.state.halted.is_some()).await;
    assert_eq!(stopped.state.halted.as_ref().unwrap().cause, HaltCause::Miss);
    assert!(stopped.live.replaying_parent && stopped.live.stops_at_miss && stopped.run_state() == RunState::Paused);
    let live = |s: &tree_of_traversals::runner::Snapshot| {
        let after = |e: &&std::sync::Arc<tree_of_traversals::search::Entry>| e.seq > at;
        s.entries().iter().filter(after).filter(|e| matches!(e.ev, Event::Replied { source: Source::Live, .. })).count()
    };
    assert_eq!(live(&stopped), 0, "nothing was asked of the world");
    bench.send(Command::Pace(Pace::Run));
    let end = bench.until(|s| s.run_state() == RunState::Finished).await;
    assert!(!end.live.replaying_parent && live(&end) > 0);
    let name = end.live.session.clone();
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join(format!("{name}.jsonl"))).unwrap().header.fork, note);
}

/// A scripted model whose service is down for the first `down` calls.
struct Flaky {
    inner: Arc<dyn LanguageModel>,
    down: AtomicU32,
    kind: CallErrorKind,
}

impl LanguageModel for Flaky {
    fn name(&self) -> &str {
        "script"
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        if self.down.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok() {
            let kind = self.kind;
            return Box::pin(async move { Err(CallError::new(kind, "the model is not there: start it")) });
        }
        self.inner.complete(job, wire)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_down_halts_the_search_and_spoils_nothing() {
    let scenario = film(1);
    let model = Flaky { inner: scenario.model().unwrap(), down: AtomicU32::new(1), kind: CallErrorKind::Unreachable };
    let mut bench = Bench::with_model(&scenario, Pace::Run, Arc::new(model));
    let halted = bench.until(|s| s.state.halted.is_some()).await;
    assert_eq!(halted.run_state(), RunState::Paused);
    assert!(halted.state.halted.as_ref().unwrap().why.contains("start it"));
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_request_that_links_the_question_halts_and_is_asked_again() {
    let scenario = film(1);
    let model = Flaky { inner: scenario.model().unwrap(), down: AtomicU32::new(1), kind: CallErrorKind::Filtered };
    let mut bench = Bench::with_model(&scenario, Pace::Run, Arc::new(model));
    let halted = bench.until(|s| s.state.halted.is_some()).await;
    assert!(halted.state.nodes.is_empty(), "nothing is walked without that");
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
}
