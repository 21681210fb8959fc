//! Comparing with another session: which one, then both trees side by side with matching nodes in one row.

mod in_words;

use super::super::scene::label;
use super::super::session_view::SessionView;
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::pager::scroll_mark;
use super::super::widgets::wrap::wrapped_lines;
use super::super::widgets::{popup, put, scroll_to};
use super::{Desk, Popup, Reaction, with_keys};
use crate::runner::Snapshot;
use crate::search::{Comparison, PairRow, Side, State, compare, value_words};
use crate::session::{Listed, Recording, moment, session_path};
use crate::text::{cut, one_line, width};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// From this width on the two trees stand side by side.
const BESIDE: u16 = 96;

/// The last row of the list.
const ELSEWHERE: &str = "a session that stands elsewhere";

/// Where the flow is.
#[derive(Debug)]
enum Stage {
    /// The sessions of the folder are on their way.
    Listing,
    /// One is chosen; the last row is for a file that stands elsewhere.
    Choosing(Vec<PathBuf>, PickList),
    /// The path of one is typed.
    Typing(LineInput),
    /// It is being read; with what was typed, if its path was.
    Reading(String, Option<String>),
    /// Both are shown.
    Shown(Box<Shown>),
    /// It can't be.
    Failed(String),
}

/// A comparison on the screen.
#[derive(Debug)]
struct Shown {
    states: [Arc<State>; 2],
    names: [String; 2],
    /// Which of the two is the session on the screen.
    here: usize,
    found: Comparison,
    rows: Vec<Row>,
    cursor: usize,
    offset: usize,
    height: usize,
    width: usize,
}

/// A row of the comparison.
#[derive(Debug)]
enum Row {
    /// A line above or below the trees.
    Text(String, Role),
    /// A node of either tree, by its place in the comparison.
    Pair(usize),
}

/// The flow.
#[derive(Debug)]
pub struct ComparePopup {
    stage: Stage,
    wrong: Option<String>,
}

impl Default for ComparePopup {
    fn default() -> Self {
        Self { stage: Stage::Listing, wrong: None }
    }
}

/// How close another session is to the one on the screen: closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kin {
    Parent,
    Fork,
    SameQuestion,
    Other,
}

impl Kin {
    fn of(listed: &Listed, view: &SessionView) -> Option<Self> {
        let (about, live) = (listed.what.as_ref().ok()?, &view.snapshot.live);
        // Where its file is known, the list leaves it out; what stands nowhere is known by its name only.
        if live.places()[0].is_none() && about.session == live.session {
            return None;
        }
        let question = view.snapshot.state.started.as_deref().map(|started| &started.question);
        Some(if live.parent.as_ref().is_some_and(|(parent, _)| *parent == about.session) {
            Self::Parent
        } else if about.parent.as_ref().is_some_and(|(parent, _)| *parent == live.session) {
            Self::Fork
        } else if Some(&about.question) == question {
            Self::SameQuestion
        } else {
            Self::Other
        })
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Parent => "parent: ",
            Self::Fork => "fork: ",
            Self::SameQuestion => "same question: ",
            Self::Other => "",
        }
    }
}

impl ComparePopup {
    fn choose(paths: &[PathBuf], at: usize) -> (Stage, Reaction) {
        match paths.get(at) {
            Some(path) => (Stage::Reading(one_line(&path.display().to_string()), None), Reaction::Read(path.clone())),
            None => (Stage::Typing(LineInput::new("")), Reaction::Stay),
        }
    }

    /// Reads the session whose path or name was typed.
    fn open(&mut self, typed: &str) -> Reaction {
        let typed = typed.trim();
        if typed.is_empty() {
            self.wrong = Some("type the path of a session file, or the name of a session".to_owned());
            return Reaction::Stay;
        }
        // No shell stands between that would know what ~ means.
        let at_home = typed.strip_prefix("~/").and_then(|rest| Some(std::env::home_dir()?.join(rest)));
        let path = at_home.unwrap_or_else(|| session_path(typed));
        self.stage = Stage::Reading(one_line(&path.display().to_string()), Some(typed.to_owned()));
        Reaction::Read(path)
    }
}

impl Shown {
    fn new(here: &Snapshot, other: &Recording) -> Self {
        let live = &here.live;
        let copied = |parent: &Option<(String, u64)>| parent.as_ref().map_or(0, |(_, copied)| *copied);
        let this = Side { entries: here.entries(), state: &here.state, copied: copied(&live.parent), expected: &live.fork.expected };
        let header = &other.header;
        let that = Side { entries: &other.entries, state: &other.state, copied: copied(&header.parent), expected: &header.fork.expected };
        let name = |session: &str, why: &str| {
            let why = if why.is_empty() { String::new() } else { format!(" (forked because: {})", one_line(why)) };
            format!("{}{why}", one_line(session))
        };
        let (this_name, that_name) =
            (format!("this session, {}", name(&live.session, &live.fork.why)), name(&header.session, &header.fork.why));
        // What was made of the other stands second.
        let fork_of_this = header.parent.as_ref().is_some_and(|(parent, _)| *parent == live.session);
        let (this_state, that_state) = (here.state.clone(), Arc::new(other.state.clone()));
        let (found, states, names) = if fork_of_this {
            (compare(this, that), [this_state, that_state], [this_name, that_name])
        } else {
            (compare(that, this), [that_state, this_state], [that_name, this_name])
        };
        let here = usize::from(!fork_of_this);
        Self { states, names, here, found, rows: Vec::new(), cursor: 0, offset: 0, height: 0, width: 0 }
    }

    /// Lays everything out for so many columns.
    fn lay_out(&mut self, columns: usize) {
        if self.width == columns && !self.rows.is_empty() {
            return;
        }
        self.width = columns;
        let mut rows = Vec::new();
        let say = |rows: &mut Vec<Row>, text: &str, role| {
            rows.extend(wrapped_lines(text, columns).into_iter().map(|line| Row::Text(line, role)));
        };
        for (letter, name) in ["A", "B"].iter().zip(&self.names) {
            say(&mut rows, &format!("{letter}  {name}"), Role::Title);
        }
        say(&mut rows, &self.found.verdict(), Role::Accent);
        for line in self.found.beginning() {
            say(&mut rows, &line, Role::Text);
        }
        rows.push(Row::Text(String::new(), Role::Text));
        rows.extend((0..self.found.rows.len()).map(Row::Pair));
        rows.push(Row::Text(String::new(), Role::Text));
        for line in self.found.end([&self.states[0], &self.states[1]]) {
            say(&mut rows, &line, Role::Text);
        }
        self.rows = rows;
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
    }

    /// To the next (or previous) node that is not the same in both.
    fn jump(&mut self, forward: bool) {
        let differs = |row: &Row| match row {
            Row::Pair(at) => self.found.rows.get(*at).is_some_and(|pair| self.differs(pair)),
            Row::Text(..) => false,
        };
        let found = if forward {
            (self.cursor + 1..self.rows.len()).find(|at| differs(&self.rows[*at]))
        } else {
            (0..self.cursor).rev().find(|at| differs(&self.rows[*at]))
        };
        self.cursor = found.unwrap_or(self.cursor);
    }

    fn differs(&self, pair: &PairRow) -> bool {
        match pair.nodes {
            [Some(a), Some(b)] => self.states[0].value(a) != self.states[1].value(b),
            _ => true,
        }
    }

    fn key(&mut self, key: &KeyEvent) -> Reaction {
        let page = self.height.saturating_sub(1).max(1);
        let last = self.rows.len().saturating_sub(1);
        let ctrl = key.modifiers == KeyModifiers::CONTROL;
        self.cursor = match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return Reaction::Close,
            KeyCode::Enter => {
                let node = match self.rows.get(self.cursor) {
                    Some(Row::Pair(at)) => self.found.rows.get(*at).and_then(|pair| pair.nodes[self.here]),
                    _ => None,
                };
                return node.map_or(Reaction::Stay, Reaction::Select);
            }
            KeyCode::Char('n') => {
                self.jump(true);
                self.cursor
            }
            KeyCode::Char('N') => {
                self.jump(false);
                self.cursor
            }
            KeyCode::PageDown => self.cursor + page,
            KeyCode::Char('d') if ctrl => self.cursor + page,
            KeyCode::PageUp => self.cursor.saturating_sub(page),
            KeyCode::Char('u') if ctrl => self.cursor.saturating_sub(page),
            KeyCode::Down | KeyCode::Char('j') => self.cursor + 1,
            KeyCode::Up | KeyCode::Char('k') => self.cursor.saturating_sub(1),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            _ => self.cursor,
        }
        .min(last);
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        self.lay_out(usize::from(area.width.saturating_sub(1)));
        self.height = area.height.into();
        self.offset = scroll_to(self.offset, self.cursor, self.height, self.rows.len());
        for (at, y) in (self.offset..self.rows.len()).zip(area.y..area.bottom()) {
            let row = Rect { y, height: 1, width: area.width.saturating_sub(1), ..area };
            match &self.rows[at] {
                Row::Text(text, role) => {
                    put(buf, row, row.x, y, text, theme.style(*role));
                }
                Row::Pair(pair) => {
                    if let Some(pair) = self.found.rows.get(*pair) {
                        self.pair(buf, row, pair, theme);
                    }
                }
            }
            if at == self.cursor {
                buf.set_style(row, theme.style(Role::Selection));
            }
        }
        scroll_mark(buf, area, self.offset, self.height, self.rows.len(), theme);
    }

    fn pair(&self, buf: &mut Buffer, row: Rect, pair: &PairRow, theme: &Theme) {
        let sign = match pair.nodes {
            [Some(_), Some(_)] if self.differs(pair) => "≠",
            [Some(_), Some(_)] => "=",
            [Some(_), None] => "A",
            _ => "B",
        };
        let role = match sign {
            "=" => Role::Dim,
            "≠" => Role::Warning,
            _ => Role::Accent,
        };
        let x = put(buf, row, row.x, row.y, &format!("{sign} "), theme.style(role));
        let rest = Rect { x, width: row.right().saturating_sub(x), ..row };
        let indent = "  ".repeat((pair.depth as usize).min(20));
        if row.width < BESIDE {
            let values: Vec<String> = (0..2).filter_map(|side| pair.nodes[side].map(|id| value_words(&self.states[side], id))).collect();
            let values = if self.differs(pair) { values.join(" / ") } else { values.first().cloned().unwrap_or_default() };
            let side = usize::from(pair.nodes[0].is_none());
            let text = pair.nodes[side].map_or_else(String::new, |id| label(&self.states[side], id));
            return cell(buf, rest, &format!("{indent}{text}"), &values, Role::Text, theme);
        }
        let half = rest.width / 2;
        for (side, node) in pair.nodes.into_iter().enumerate() {
            let Some(id) = node else { continue };
            let x = rest.x + if side == 0 { 0 } else { half };
            let at = Rect { x, width: half.saturating_sub(2), ..rest };
            // What is the same stands in the second column dimmed: the eye goes to what differs.
            let same = side == 1 && !self.differs(pair);
            let text = format!("{indent}{}", label(&self.states[side], id));
            cell(buf, at, &text, &value_words(&self.states[side], id), if same { Role::Dim } else { Role::Text }, theme);
        }
    }
}

/// A text with its value at the right.
fn cell(buf: &mut Buffer, at: Rect, text: &str, value: &str, role: Role, theme: &Theme) {
    let wide = u16::try_from(width(value)).unwrap_or(0);
    let room = Rect { width: at.width.saturating_sub(wide + 1), ..at };
    put(buf, room, at.x, at.y, text, theme.style(role));
    put(buf, at, at.right().saturating_sub(wide), at.y, value, theme.style(Role::Dim));
}

impl Popup for ComparePopup {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match &mut self.stage {
            Stage::Choosing(paths, list) => match list.key(key) {
                Picked::Item(at) => {
                    let (stage, reaction) = Self::choose(paths, at);
                    self.stage = stage;
                    reaction
                }
                Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
                _ => Reaction::Stay,
            },
            Stage::Typing(line) => match key.code {
                KeyCode::Esc => Reaction::Close,
                KeyCode::Enter => {
                    let typed = line.value().to_owned();
                    self.open(&typed)
                }
                _ => {
                    if line.key(key) {
                        self.wrong = None;
                    }
                    Reaction::Stay
                }
            },
            Stage::Shown(shown) => shown.key(key),
            _ if matches!(key.code, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q')) => Reaction::Close,
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        match &mut self.stage {
            Stage::Choosing(_, list) => list.paste(text),
            Stage::Typing(line) => line.paste(text),
            _ => {}
        }
    }

    fn listed(&mut self, sessions: &[Listed], desk: &Desk<'_>) {
        let (Stage::Listing, Some(view)) = (&self.stage, desk.view) else { return };
        let mut found: Vec<(Kin, &Listed)> = sessions.iter().filter_map(|listed| Some((Kin::of(listed, view)?, listed))).collect();
        // Sorting is stable: within a kin the newest comes first.
        found.sort_by_key(|(kin, _)| *kin);
        if found.is_empty() {
            self.wrong = Some(match &view.snapshot.live.parent {
                Some((parent, _)) => format!(
                    "{}, which this session was forked from, is neither in its folder nor in that of the sessions: type where it is",
                    one_line(parent)
                ),
                None => {
                    "no other session is in its folder or in that of the sessions: `f` forks this one; or type the path of one".to_owned()
                }
            });
            self.stage = Stage::Typing(LineInput::new(""));
            return;
        }
        let item = |(kin, listed): &(Kin, &Listed)| {
            let about = listed.what.as_ref().ok();
            let why = about.map(|about| one_line(&about.fork.why)).filter(|why| !why.is_empty());
            let question = about.map_or_else(String::new, |about| one_line(&about.question));
            let label = format!("{}{}", kin.word(), why.unwrap_or(question));
            let end = about.map_or_else(String::new, |about| cut(&about.end(), 40).into_owned());
            Item { detail: moment(listed.when), right: end, ..Item::new(label) }
        };
        let elsewhere = Item { detail: "its path is typed".to_owned(), ..Item::new(ELSEWHERE) };
        let items = found.iter().map(item).chain([elsewhere]).collect();
        self.stage = Stage::Choosing(found.iter().map(|(_, listed)| listed.path.clone()).collect(), PickList::one(items));
    }

    fn read(&mut self, read: Result<&Recording, &str>, desk: &Desk<'_>) {
        let (Stage::Reading(_, typed), Some(view)) = (&mut self.stage, desk.view) else { return };
        let why = match read {
            Ok(other) if other.state.started.is_some() => {
                self.stage = Stage::Shown(Box::new(Shown::new(&view.snapshot, other)));
                return;
            }
            Ok(_) => "that session is empty",
            Err(why) => why,
        };
        self.stage = match typed.take() {
            Some(typed) => {
                self.wrong = Some(one_line(why));
                Stage::Typing(LineInput::new(&typed))
            }
            None => Stage::Failed(why.to_owned()),
        };
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let (wide, high, keys) = match &self.stage {
            Stage::Shown(_) => (area.width, area.height, "↑ ↓ rows  n N next or previous difference  Enter goes to the node  Esc closes"),
            Stage::Typing(_) => (110, 7, "Enter compares  Esc closes"),
            Stage::Choosing(..) => (110, 24, "Enter compares  / finds  Esc closes"),
            Stage::Listing | Stage::Reading(..) | Stage::Failed(_) => (90, 7, "Esc closes"),
        };
        let title = match &self.stage {
            Stage::Shown(_) => "Two sessions side by side",
            _ => "Compare with …",
        };
        let inner = popup(buf, area, wide, high, title, theme);
        let body = with_keys(buf, inner, keys, theme);
        match &mut self.stage {
            Stage::Listing => {
                put(buf, body, body.x, body.y, "looking for sessions", theme.style(Role::Dim));
            }
            Stage::Reading(path, _) => {
                put(buf, body, body.x, body.y, &format!("reading {path}"), theme.style(Role::Dim));
            }
            Stage::Failed(why) => {
                for (line, y) in wrapped_lines(why, body.width.into()).iter().zip(body.y..body.bottom()) {
                    put(buf, body, body.x, y, line, theme.style(Role::Warning));
                }
            }
            Stage::Typing(line) => {
                let x = put(buf, body, body.x, body.y, "› ", theme.style(Role::Key));
                let row = Rect { x, width: body.right().saturating_sub(x), height: body.height.min(1), ..body };
                line.render(buf, row, "the path of a session file, or the name of a session", theme);
                let below = Rect { y: body.y + 2, ..body };
                for (line, y) in self.wrong.iter().flat_map(|why| wrapped_lines(why, body.width.into())).zip(below.y..body.bottom()) {
                    put(buf, body, body.x, y, &line, theme.style(Role::Warning));
                }
            }
            Stage::Choosing(_, list) => list.render(buf, body, "finds a session by a few letters", theme),
            Stage::Shown(shown) => shown.draw(buf, body, theme),
        }
    }
}
