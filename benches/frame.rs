//! How long a frame takes, printed as medians: `cargo bench --bench frame`.
//!
//! Trees are synthetic, made by events like any other; the screen is 200x60. Goals: 5 ms at 1,000 nodes, 10 ms at depth
//! 5,000. "frame" = nothing changed but the clock; "step" = one key down, another node inspected; "news" = a newer
//! snapshot, everything derived again.

use crossterm::event::{Event as TermEvent, KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tree_of_traversals::asm::{Action, Templates};
use tree_of_traversals::graph::{Delta, Direction, Edge, Entity, Object, RelationRef};
use tree_of_traversals::micro::Micro;
use tree_of_traversals::runner::{Live, Pace, Snapshot};
use tree_of_traversals::search::{By, Entry, Event, NewNode, NodeId, Preset, Settings, Started, State, StepId, StepKind, Valuation};
use tree_of_traversals::session::Timeline;
use tree_of_traversals::tui::app::App;
use tree_of_traversals::tui::command::KeyMap;
use tree_of_traversals::tui::theme::{Depth, Themes};
use tree_of_traversals::tui::views::start::StartData;

const SCREEN: Rect = Rect { x: 0, y: 0, width: 200, height: 60 };
const ROUNDS: usize = 101;

/// A journal under way.
#[derive(Default)]
struct Journal {
    entries: Vec<Entry>,
    state: State,
}

impl Journal {
    fn new() -> Self {
        let mut journal = Self::default();
        journal.push(Event::Started(Box::new(Started {
            question: "Which actor played in both Inception and Interstellar?".into(),
            settings: Settings::preset(Preset::Paper),
            model: "script".into(),
            service_model: "script".into(),
            llm_url: None,
            price: None,
            model_spec: "script".into(),
            kgs: vec![("demo".into(), "demo".into())],
            strategy: "tree-of-traversals".into(),
            templates: Templates::built_in(),
            seed: 0,
            entities: vec![],
        })));
        let root = Delta { entities: vec![entity(0)], ..Delta::default() };
        journal.grow(None, StepKind::Start, vec![(Action::Root, root)]);
        journal
    }

    fn push(&mut self, ev: Event) {
        let entry = Entry { seq: self.state.seq, at: 0, by: By::Engine, ev };
        self.state.apply(&entry).unwrap_or_else(|error| panic!("{error}"));
        self.entries.push(entry);
    }

    fn grow(&mut self, node: Option<NodeId>, kind: StepKind, children: Vec<(Action, Delta)>) {
        let step = StepId(u32::try_from(self.state.steps.len()).unwrap_or(u32::MAX));
        let first = u32::try_from(self.state.nodes.len()).unwrap_or(u32::MAX);
        let count = u32::try_from(children.len()).unwrap_or(0);
        let counts = node.is_some();
        self.push(Event::Opened { step, kind, node, counts, act: None, why: "value 0.50, the highest of 9 open nodes".into() });
        let make = |(action, delta)| NewNode { parent: node, merged: None, action, delta, observation: None, votes: (1, 3) };
        let children = children.into_iter().map(make).collect();
        self.push(Event::Grew { step, children, refused: vec![], notices: vec![] });
        for id in first..first + count {
            let value = Micro::from_millionths(id * 7919 % 1_000_000);
            self.push(Event::Valued { node: NodeId(id), value, from: Valuation::Rule });
        }
        self.push(Event::Closed { step });
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let (timeline, state) = Timeline::of(self.entries.iter().cloned()).unwrap_or_else(|error| panic!("{error}"));
        let live = Live {
            pace: Pace::Paused,
            pause: Duration::ZERO,
            flights: vec![],
            waits: vec![],
            learnt: Default::default(),
            writing: Default::default(),
            inquiries: vec![],
            proposal: None,
            upcoming: None,
            notice: None,
            replaying_parent: false,
            session: "bench".into(),
            path: None,
            seen_at: None,
            parent: None,
            parent_path: None,
            fork: Default::default(),
            stops_at_miss: false,
            obeyed: 0,
            replay: false,
            ran_ms: 0,
        };
        Arc::new(Snapshot { state: Arc::new(state), timeline: Arc::new(timeline), live })
    }
}

fn entity(n: u32) -> Entity {
    let (id, label) = (format!("Q{n}"), format!("Entity number {n}"));
    Entity { id: id.into(), kg: "demo".into(), label: Some(label), description: Some("made for a bench".into()), also: vec![] }
}

/// An action with what it brings: a thought, or a relation to a new entity.
fn child(n: u32) -> (Action, Delta) {
    if n.is_multiple_of(2) {
        return (Action::Think { text: format!("a thought about the cast of the film, number {n}") }, Delta::default());
    }
    let relation = RelationRef { kg: "demo".into(), id: "P161".into(), direction: Direction::Out };
    let edge = Edge { s: "Q0".into(), r: "P161".into(), o: Object::Entity(format!("Q{n}").into()), kg: "demo".into(), notes: Vec::new() };
    let relations = vec![("P161".into(), "cast member".into())];
    (Action::SelectRelation { relation }, Delta { entities: vec![entity(n)], relations, edges: vec![edge], partial: vec![] })
}

/// Three children a node.
fn bushy(nodes: u32) -> Journal {
    let mut journal = Journal::new();
    let mut parent = 0;
    while journal.state.nodes.len() < nodes as usize {
        let first = u32::try_from(journal.state.nodes.len()).unwrap_or(0);
        journal.grow(Some(NodeId(parent)), StepKind::Expand, (first..first + 3).map(child).collect());
        parent += 1;
    }
    journal
}

/// One child a node.
fn deep(depth: u32) -> Journal {
    let mut journal = Journal::new();
    for n in 1..=depth {
        journal.grow(Some(NodeId(n - 1)), StepKind::Expand, vec![child(n)]);
    }
    journal
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn key(app: &mut App, code: KeyCode) {
    app.event(&TermEvent::Key(KeyEvent::new(code, KeyModifiers::NONE)));
}

fn measure(name: &str, journal: &Journal, goal: Option<Duration>) {
    let (snapshot, newer) = (journal.snapshot(), journal.snapshot());
    let mut app = App::new(KeyMap::default(), Themes::new(None, Depth::True).0, StartData::default());
    let mut buffer = Buffer::empty(SCREEN);
    let started = Instant::now();
    app.open_session(snapshot.clone());
    app.draw_on(&mut buffer, SCREEN, started);
    let first = started.elapsed();
    // The middle of the tree: rows above and below, the deepest indentation.
    key(&mut app, KeyCode::End);
    (0..20).for_each(|_| key(&mut app, KeyCode::PageUp));
    let now = Instant::now();
    let frame = median(|| app.draw_on(&mut buffer, SCREEN, now));
    let step = median(|| {
        key(&mut app, KeyCode::Up);
        app.draw_on(&mut buffer, SCREEN, now);
    });
    let mut flip = false;
    let news = median(|| {
        flip = !flip;
        app.snapshot(if flip { newer.clone() } else { snapshot.clone() });
        app.draw_on(&mut buffer, SCREEN, now);
    });
    let verdict = goal.map_or(String::new(), |goal| format!("  goal {goal:?}: {}", if frame < goal { "met" } else { "MISSED" }));
    println!("{name:<22} first {first:>9.1?}  frame {frame:>9.1?}  step {step:>9.1?}  news {news:>9.1?}{verdict}");
}

fn main() {
    println!("medians of {ROUNDS}, {}x{}", SCREEN.width, SCREEN.height);
    measure("100 nodes", &bushy(100), None);
    measure("1,000 nodes", &bushy(1_000), Some(Duration::from_millis(5)));
    measure("10,000 nodes", &bushy(10_000), None);
    measure("depth 5,000", &deep(5_000), Some(Duration::from_millis(10)));
}
