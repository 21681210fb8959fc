//! How fast one looks back in a session of 10,000 events, and how soon a key shows while a search of that size goes on beside it:
//! `cargo bench --bench debugger`.
//!
//! The session is made by the real runner from a scripted model and graph, on disk as always; the screen is 200x60, written as the
//! terminal gets it. Goals: each move in time and 99 of 100 keys in 16 ms, a frame at sixty a second; the keys
//! beside a search whose model takes as long as a fast one does. Beside one that takes no time at all they are measured without a goal.

use crossterm::event::{Event as TermEvent, KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tree_of_traversals::asm::Templates;
use tree_of_traversals::kg::KnowledgeGraph;
use tree_of_traversals::redact::Secrets;
use tree_of_traversals::runner::{Command, Equipment, Handle, Pace, PaceChange, RunState, Setup, Snapshot, launch};
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::strategy::TreeOfTraversals;
use tree_of_traversals::search::{Entry, Found, NodeId, Preset, Settings, Started, why};
use tree_of_traversals::session::{Header, Journal};
use tree_of_traversals::tui::app::App;
use tree_of_traversals::tui::command::KeyMap;
use tree_of_traversals::tui::theme::{Depth, Themes};
use tree_of_traversals::tui::views::start::StartData;

const SCREEN: Rect = Rect { x: 0, y: 0, width: 200, height: 60 };
const EVENTS: usize = 10_000;
/// As in `tui/run.rs`.
const FRAME: Duration = Duration::from_millis(16);
const GOAL: Duration = Duration::from_millis(16);
/// Keys that are pressed while the search runs, and how far apart: no multiple of a frame.
const KEYS: usize = 600;
const APART: Duration = Duration::from_millis(37);

/// Films with casts, and a model that never finds an answer that is good enough: the search goes on as long as it may.
fn endless() -> Scenario {
    let films = 40;
    let mut entities = serde_json::Map::new();
    let mut claims = Vec::new();
    for film in 0..films {
        entities.insert(format!("Q{film}"), json!({"label": format!("Film number {film}"), "description": "a film made for a bench"}));
        for actor in 0..15 {
            let id = format!("Q{}", 1000 + (film * 7 + actor * 3) % 200);
            entities.insert(id.clone(), json!({"label": format!("Actor {id}"), "description": "an actor made for a bench"}));
            claims.push(json!([format!("Q{film}"), "P161", id]));
        }
        claims.push(json!([format!("Q{film}"), "P57", format!("Q{}", 1000 + film)]));
        claims.push(json!([format!("Q{film}"), "P155", format!("Q{}", (film + 1) % films)]));
    }
    let score = |path: &str, value: &str| json!({"kind": "score_state", "when": {"path": path}, "replies": [value]});
    let scenario = json!({
        "format": "tot-scenario/1",
        "name": "endless",
        "query": "Which actor played in most of the films?",
        "settings": {"sample_breadth": 3, "max_depth": 30, "max_expansions": 100_000, "answer_threshold": 1.0},
        "kg": {
            "entities": entities,
            "properties": {"P161": "cast member", "P57": "director", "P155": "follows"},
            "claims": claims,
            "search": {"Film number 0": ["Q0"], "Film number 9": ["Q9"]},
        },
        "llm": {
            "rules": [
                {"kind": "extract", "replies": ["Film number 0 - film\nFilm number 9 - film"]},
                {"kind": "match", "replies": ["1"]},
                score(".*R:P155", "0.7"), score(".*R:P161", "0.6"), score(".*X:the cast", "0.55"), score(".*T:.*", "0.45"),
            ],
            "fallback": {
                "action": ["EXPAND: the cast", "THINK: the casts have to be compared", "THINK: another film may help"],
                "entities": ["Q0", "Q9", "Q0, Q9"],
                "relation": ["P155", "P161", "P57"],
                "score_state": ["0.5"], "score_answer": ["The score should be 0.4"], "final_answer": ["ANSWER: Actor Q1000"],
            },
        },
    });
    serde_json::from_value(scenario).unwrap_or_else(|error| panic!("{error}"))
}

/// The search, paused at its beginning; its journal is in `folder`.
fn start(folder: &Path) -> Handle {
    let scenario = endless();
    let none: &[Arc<Entry>] = &[];
    let journal = Journal::create(&folder.join("bench.jsonl"), &Header::new("bench", None), none).unwrap_or_else(|e| panic!("{e}"));
    let started = Started {
        question: scenario.query.clone(),
        settings: Settings { branching: 3, ..scenario.settings(Preset::Paper) },
        model: "script".into(),
        service_model: "script".into(),
        llm_url: None,
        price: None,
        model_spec: "script".into(),
        kgs: vec![("scenario".into(), "scenario".into())],
        strategy: "tree-of-traversals".into(),
        templates: Templates::built_in(),
        seed: 1,
        entities: vec![],
    };
    let equipment = Equipment {
        strategy: Box::new(TreeOfTraversals),
        model: scenario.model().unwrap_or_else(|e| panic!("{e}")),
        kgs: vec![("scenario".into(), scenario.graph() as Arc<dyn KnowledgeGraph>)],
        pace: Pace::Paused,
        pause: Duration::ZERO,
        secrets: Secrets::default(),
        others: tree_of_traversals::runner::no_others(),
        breaks: Vec::new(),
        rules: Vec::new(),
        watched: true,
        can_fork: true,
        folder: Some(folder.to_owned()),
    };
    let setup = Setup::New { started: Box::new(started), journal: Some(journal), name: "bench".into(), note: None, bank: None };
    launch(setup, equipment).unwrap_or_else(|e| panic!("{e}"))
}

/// Waits for a snapshot of which `what` holds.
async fn until(snapshots: &mut watch::Receiver<Arc<Snapshot>>, what: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
    loop {
        let now = snapshots.borrow_and_update().clone();
        if what(&now) {
            return now;
        }
        assert_ne!(now.run_state(), RunState::Finished, "the search ended after {} events", now.entries().len());
        snapshots.changed().await.unwrap_or_else(|_| panic!("the runner ended before its time"));
    }
}

/// Times of one thing.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let made = run();
        self.0.push(started.elapsed());
        made
    }

    /// One line; `goal` is for the 99th percentile.
    fn print(mut self, name: &str, goal: Option<Duration>) {
        self.0.sort_unstable();
        let at = |hundredth: usize| self.0[(self.0.len() * hundredth / 100).min(self.0.len() - 1)];
        let (median, p99, worst) = (at(50), at(99), at(100));
        let verdict = goal.map_or(String::new(), |goal| format!("  goal {goal:?}: {}", if p99 < goal { "met" } else { "MISSED" }));
        println!("{name:<44} median {median:>9.2?}  p99 {p99:>9.2?}  worst {worst:>9.2?}{verdict}");
    }
}

/// The explorer on a terminal that goes nowhere.
struct Explorer {
    app: App,
    terminal: Terminal<CrosstermBackend<std::io::Sink>>,
}

impl Explorer {
    fn new(snapshot: Arc<Snapshot>) -> Self {
        let options = TerminalOptions { viewport: Viewport::Fixed(SCREEN) };
        let terminal = Terminal::with_options(CrosstermBackend::new(std::io::sink()), options).unwrap_or_else(|e| panic!("{e}"));
        let mut app = App::new(KeyMap::default(), Themes::new(None, Depth::True).0, StartData::default());
        app.open_session(snapshot);
        let mut explorer = Self { app, terminal };
        explorer.draw();
        explorer
    }

    fn draw(&mut self) {
        let now = Instant::now();
        self.terminal.draw(|frame| self.app.draw(frame, now)).unwrap_or_else(|e| panic!("{e}"));
    }

    fn key(&mut self, code: KeyCode) {
        self.app.event(&TermEvent::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        self.app.take_effects();
    }

    fn seen(&self) -> usize {
        self.app.session().map_or(0, tree_of_traversals::tui::session_view::SessionView::seen)
    }

    /// Keys and the frame after them.
    fn press(&mut self, times: &mut Times, codes: &[KeyCode]) {
        times.time(|| {
            codes.iter().for_each(|code| self.key(*code));
            self.draw();
        });
    }
}

/// Moves in time, each with the frame after it.
fn scrub(snapshot: &Arc<Snapshot>) {
    use KeyCode::Char;
    let all = snapshot.entries().len();
    let mut explorer = Explorer::new(snapshot.clone());
    let mut repeat = |name: &str, codes: &[KeyCode], rounds: usize| {
        let mut times = Times::default();
        (0..rounds).for_each(|_| explorer.press(&mut times, codes));
        times.print(name, Some(GOAL));
        explorer.seen()
    };
    assert!(repeat("one event back", &[Char('[')], 600) == all - 600, "the keys look back");
    assert!(repeat("one event forward", &[Char(']')], 300) == all - 300);
    assert!(repeat("one expansion back", &[Char('{')], 200) < all - 600);
    repeat("one expansion forward", &[Char('}')], 100);
    let (mut first, mut latest) = (Times::default(), Times::default());
    for _ in 0..50 {
        explorer.press(&mut first, &[Char('(')]);
        assert_eq!(explorer.seen(), 1);
        explorer.press(&mut latest, &[Char(')')]);
        assert_eq!(explorer.seen(), all);
    }
    first.print("jump to the first event", Some(GOAL));
    latest.print("jump to the latest event", Some(GOAL));
    // A jump to anywhere: with the cursor in the timeline, which may be moved without looking.
    explorer.key(Char('6'));
    explorer.draw();
    let (mut jumps, mut dice, mut furthest) = (Times::default(), 1_u64, (all, 0));
    for _ in 0..200 {
        dice = tree_of_traversals::search::split_mix(dice);
        explorer.key(KeyCode::Home);
        (0..dice % 1_300).for_each(|_| explorer.key(KeyCode::PageDown));
        (0..dice / 1_300 % 40).for_each(|_| explorer.key(KeyCode::Down));
        explorer.press(&mut jumps, &[KeyCode::Enter]);
        furthest = (furthest.0.min(explorer.seen()), furthest.1.max(explorer.seen()));
    }
    assert!(furthest.0 < all / 10 && furthest.1 > all * 9 / 10, "jumps go everywhere: {furthest:?}");
    jumps.print("jump to a random event", Some(GOAL));
}

/// What is derived from the record, at its end.
fn derived(snapshot: &Snapshot) {
    let (state, timeline) = (&snapshot.state, &snapshot.timeline);
    let mut scratch = Times::default();
    (0..21).for_each(|_| drop(scratch.time(|| state.warnings())));
    scratch.print("all warnings, from scratch", None);
    let (mut again, mut found) = (Times::default(), Found::default());
    let _ = state.warnings_with(&mut found);
    (0..21).for_each(|_| drop(again.time(|| state.warnings_with(&mut found))));
    again.print("all warnings, as the screen asks for them", Some(GOAL));
    let nodes = u32::try_from(state.nodes.len()).unwrap_or(u32::MAX);
    let some = || (0..nodes).step_by(usize::try_from(nodes / 200).unwrap_or(0).max(1)).map(NodeId);
    let mut whys = Times::default();
    for node in some() {
        whys.time(|| why::node(state, node, &|seq| timeline.state_at(seq).ok()));
    }
    whys.print("why of a node", Some(GOAL));
    let mut traces = Times::default();
    for node in some() {
        if let Some(fact) = state.graph(node).edges().last() {
            traces.time(|| state.trace(fact, node));
        }
    }
    traces.print("trace of a fact", None);
}

/// What wakes the loop of the explorer.
enum Msg {
    Key(KeyCode, Instant),
    Newer,
}

fn press_keys(tell: &Sender<Msg>) {
    use KeyCode::{Char, Down, End, Home, PageDown, PageUp, Up};
    let keys = [Down, Down, Up, PageDown, Char('3'), Char('.'), PageUp, Char('2'), Down, Char('1'), Char('['), Char(')'), End, Up, Home];
    for code in keys.iter().cycle().take(KEYS) {
        std::thread::sleep(APART);
        if tell.send(Msg::Key(*code, Instant::now())).is_err() {
            return;
        }
    }
}

/// The loop of `tui/run.rs`, with keys that somebody presses; the search runs in other threads.
fn keys_beside(handle: &Handle, how: &str, goal: Option<Duration>) {
    let (tell, told) = channel();
    let (newer, mut snapshots) = (tell.clone(), handle.snapshots.clone());
    tokio::spawn(async move {
        while snapshots.changed().await.is_ok() && newer.send(Msg::Newer).is_ok() {
            tokio::time::sleep(FRAME).await;
        }
    });
    let pressing = std::thread::spawn(move || press_keys(&tell));
    let mut snapshots = handle.snapshots.clone();
    let first = snapshots.borrow_and_update().clone();
    let before = first.entries().len();
    let mut explorer = Explorer::new(first);
    let (mut shown, mut worked, mut taken) = (Times::default(), Times::default(), Times::default());
    let mut waiting: Vec<Instant> = Vec::new();
    let (mut dirty, mut drawn, mut work) = (false, Instant::now(), Duration::ZERO);
    let (mut newer, mut took_at, mut took) = (false, Instant::now(), Duration::ZERO);
    while shown.0.len() < KEYS {
        if newer && waiting.is_empty() && took_at.elapsed() >= FRAME.max(took * 2) {
            let began = Instant::now();
            let snapshot = snapshots.borrow_and_update().clone();
            taken.time(|| explorer.app.snapshot(snapshot));
            (newer, dirty, took_at, took) = (false, true, began, began.elapsed());
        }
        if dirty && (drawn.elapsed() >= FRAME || !waiting.is_empty()) {
            drawn = Instant::now();
            explorer.draw();
            dirty = false;
            if !waiting.is_empty() {
                worked.0.push(work + drawn.elapsed());
                work = Duration::ZERO;
            }
            shown.0.extend(waiting.drain(..).map(|pressed| pressed.elapsed()));
        }
        let wait = match (dirty, newer) {
            (true, _) => FRAME.saturating_sub(drawn.elapsed()),
            (false, true) => FRAME.max(took * 2).saturating_sub(took_at.elapsed()),
            (false, false) => Duration::from_secs(1),
        };
        let mut next = match told.recv_timeout(wait) {
            Ok(msg) => Some(msg),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        while let Some(msg) = next {
            match msg {
                Msg::Key(code, pressed) => {
                    let began = Instant::now();
                    explorer.key(code);
                    work += began.elapsed();
                    dirty = true;
                    waiting.push(pressed);
                }
                Msg::Newer => newer = true,
            }
            next = told.try_recv().ok();
        }
    }
    let after = handle.snapshots.borrow().entries().len();
    println!("{how}: {} snapshots taken up, events {before} to {after}", taken.0.len());
    taken.print("taking up a snapshot", None);
    worked.print("App::event and draw", None);
    shown.print("key to frame", goal);
    let _ = pressing.join();
    assert!(after > before + 500, "the search went on beside");
}

fn main() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap_or_else(|e| panic!("{e}"));
    let _inside = runtime.enter();
    let mut handle = start(folder.path());
    let began = Instant::now();
    let send = |command| handle.commands.send(command).unwrap_or_else(|e| panic!("{e}"));
    send(Command::Pace(Pace::Run));
    let mut snapshots = handle.snapshots.clone();
    runtime.block_on(until(&mut snapshots, |s| s.entries().len() >= EVENTS));
    let took = began.elapsed();
    send(Command::Pace(Pace::Paused));
    let paused = runtime.block_on(until(&mut snapshots, |s| s.run_state() == RunState::Paused));
    let (events, nodes) = (paused.entries().len(), paused.state.nodes.len());
    println!("{events} events, {nodes} nodes, made by the runner in {took:.1?}; {}x{}", SCREEN.width, SCREEN.height);
    scrub(&paused);
    derived(&paused);
    drop(paused);
    // A model that answers in a twentieth of a second is a fast one; then one that takes no time at all.
    send(Command::Speed(PaceChange::To(Duration::from_millis(50))));
    send(Command::Pace(Pace::Run));
    keys_beside(&handle, "decisions 50 ms apart", Some(GOAL));
    send(Command::Speed(PaceChange::To(Duration::ZERO)));
    keys_beside(&handle, "flat out", None);
    send(Command::Quit);
    runtime.block_on(&mut handle.task).unwrap_or_else(|e| panic!("{e}"));
}
