//! A person at the explorer, for tests.

use super::world::World;
use crossterm::event::{Event as TermEvent, KeyCode, KeyEvent, KeyModifiers};
use indexmap::IndexMap;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tree_of_traversals::runner::{Command, Inquiry, Live, Pace, Snapshot};
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{Entry, NodeId, Preset};
use tree_of_traversals::session::Timeline;
use tree_of_traversals::tui::app::{App, Effect};
use tree_of_traversals::tui::command::KeyMap;
use tree_of_traversals::tui::theme::{Depth, Themes};
use tree_of_traversals::tui::views::start::StartData;

/// A scenario of `tests/data/scenarios`.
pub fn scenario(name: &str) -> Scenario {
    Scenario::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/scenarios/{name}.json"))).unwrap()
}

/// The film question with one wrong turn, up to `limit` entries.
pub fn film(limit: usize) -> World {
    let mut world = World::new(&scenario("film-backtrack"), Preset::Paper, 1);
    world.run(limit);
    world
}

pub fn live() -> Live {
    Live {
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
        obeyed: 0,
        replaying_parent: false,
        session: "test".into(),
        path: None,
        seen_at: None,
        parent: None,
        parent_path: None,
        fork: Default::default(),
        stops_at_miss: false,
        replay: false,
        ran_ms: 1234,
    }
}

/// The snapshot of a journal.
pub fn snapshot(entries: &[Entry], live: Live) -> Arc<Snapshot> {
    let (timeline, state) = Timeline::of(entries.iter().cloned()).unwrap();
    Arc::new(Snapshot { state: Arc::new(state), timeline: Arc::new(timeline), live })
}

/// The explorer and who sits before it.
pub struct Desk {
    pub app: App,
    pub live: Live,
    pub entries: Vec<Entry>,
    pub now: Instant,
}

impl Desk {
    pub fn start_page(data: StartData) -> Self {
        let app = App::new(KeyMap::new(&IndexMap::new()).0, Themes::new(None, Depth::True).0, data);
        Self { app, live: live(), entries: vec![], now: Instant::now() }
    }

    pub fn at(world: &World) -> Self {
        let mut desk = Self::start_page(StartData::default());
        desk.entries.clone_from(&world.entries);
        desk.app.open_session(snapshot(&desk.entries, desk.live.clone()));
        desk
    }

    pub fn with(world: &World, change: impl FnOnce(&mut Live)) -> Self {
        let mut desk = Self::start_page(StartData::default());
        change(&mut desk.live);
        desk.entries.clone_from(&world.entries);
        desk.app.open_session(snapshot(&desk.entries, desk.live.clone()));
        desk
    }

    /// What the session on the screen has spent.
    pub fn counters(&self) -> tree_of_traversals::search::Counters {
        snapshot(&self.entries, self.live.clone()).state.counters()
    }

    /// A newer snapshot arrives.
    pub fn arrive(&mut self) {
        self.app.snapshot(snapshot(&self.entries, self.live.clone()));
    }

    /// Presses keys: names as in the key map, separated by blanks; `text:...` types.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace() {
            match key.strip_prefix("text:") {
                Some(text) => text.chars().for_each(|letter| self.key(KeyCode::Char(letter), KeyModifiers::NONE)),
                None => {
                    let (code, modifiers) = named(key);
                    self.key(code, modifiers);
                }
            }
        }
        self
    }

    pub fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.app.event(&TermEvent::Key(KeyEvent::new(code, modifiers)));
    }

    pub fn paste(&mut self, text: &str) {
        self.app.event(&TermEvent::Paste(text.into()));
    }

    /// Goes to the row of a node in the tree.
    pub fn select(&mut self, id: u32) {
        self.press("1 g");
        for _ in 0..60 {
            if self.app.session().unwrap().node() == Some(NodeId(id)) {
                return;
            }
            self.press("Down");
        }
        panic!("node {id} has no row");
    }

    /// What the runner was told since the last time.
    pub fn sent(&mut self) -> Vec<Command> {
        let send = |effect| match effect {
            Effect::Send(command) => Some(command),
            _ => None,
        };
        self.app.take_effects().into_iter().filter_map(send).collect()
    }

    /// Answers what was inquired from the scripted graph, and shows it.
    pub fn answer(&mut self, name: &str, commands: &[Command]) {
        let kg = scenario(name).graph();
        for command in commands {
            match command {
                Command::Inquire { id, call } => {
                    let result = kg.answer(None, &call.op).map(Arc::new);
                    self.live.inquiries.push(Inquiry { id: *id, result: Some(result) });
                }
                Command::DropInquiry(id) => self.live.inquiries.retain(|inquiry| inquiry.id != *id),
                _ => {}
            }
        }
        self.arrive();
    }

    pub fn buffer(&mut self, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let now = self.now;
        terminal.draw(|frame| self.app.draw(frame, now)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The screen as text.
    pub fn screen(&mut self, width: u16, height: u16) -> String {
        text(&self.buffer(width, height))
    }
}

fn named(key: &str) -> (KeyCode, KeyModifiers) {
    let mut letters = key.chars();
    let code = match (letters.next(), letters.next()) {
        (Some(letter), None) => KeyCode::Char(letter),
        _ => match key {
            "space" => KeyCode::Char(' '),
            "Enter" => KeyCode::Enter,
            "Escape" => KeyCode::Esc,
            "Tab" => KeyCode::Tab,
            "BackTab" => KeyCode::BackTab,
            "Up" => KeyCode::Up,
            "Down" => KeyCode::Down,
            "Left" => KeyCode::Left,
            "Right" => KeyCode::Right,
            "PageDown" => KeyCode::PageDown,
            "PageUp" => KeyCode::PageUp,
            "F2" => KeyCode::F(2),
            "Backspace" => KeyCode::Backspace,
            "ctrl-c" => return (KeyCode::Char('c'), KeyModifiers::CONTROL),
            "ctrl-u" => return (KeyCode::Char('u'), KeyModifiers::CONTROL),
            other => panic!("no key {other}"),
        },
    };
    (code, KeyModifiers::NONE)
}

/// A buffer as lines without trailing blanks.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let (mut line, mut skip) = (String::new(), 0);
        for x in buffer.area.left()..buffer.area.right() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = tree_of_traversals::text::width(symbol).saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
