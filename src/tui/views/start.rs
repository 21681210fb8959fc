//! The start page: a question to type, samples, recent sessions and recordings, and a light for every KG and model.

use super::super::app::Effect;
use super::super::command::{Control, KeyMap};
use super::super::host::{Light, Offer, OpenHow, SampleQuestion, SessionInfo, Status};
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::pager::scroll_mark;
use super::super::widgets::{count, pane, put, scroll_to};
use crate::text::{self, one_line};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;

/// What the start page shows.
#[derive(Clone, Debug, Default)]
pub struct StartData {
    /// Questions to try.
    pub samples: Vec<SampleQuestion>,
    /// Recent sessions.
    pub sessions: Vec<SessionInfo>,
    /// Shipped recordings.
    pub recorded: Vec<SessionInfo>,
    /// Lights.
    pub status: Vec<Status>,
    /// Models to choose from.
    pub models: Vec<Offer>,
    /// The model in use.
    pub model: String,
    /// What was found amiss when the program began.
    pub warnings: Vec<String>,
}

const MODELS: &str = "Models to ask";
const RECORDINGS: &str = "Recordings to look at";
const SESSIONS: &str = "Your sessions";
/// From this width on the two lists stand side by side.
const BESIDE: u16 = 110;

/// A row that can be picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Heading(&'static str),
    Sample(usize),
    Model(usize),
    Session(usize),
    Recorded(usize),
}

/// The start page.
#[derive(Debug)]
pub struct StartPage {
    data: StartData,
    question: LineInput,
    rows: Vec<Row>,
    /// The selected row; none while the question line has the focus.
    at: Option<usize>,
    /// The first row in view, of the samples and of what was recorded.
    offsets: [usize; 2],
    /// Which of the earlier questions stands in the line.
    history: Option<usize>,
    /// The offer whose model is named in a line of its own, and that line.
    naming: Option<(Offer, LineInput)>,
}

impl StartPage {
    /// The page, the cursor in the question line.
    #[must_use]
    pub fn new(data: StartData) -> Self {
        let rows = Self::rows(&data);
        Self { data, question: LineInput::default(), rows, at: None, offsets: [0; 2], history: None, naming: None }
    }

    fn rows(data: &StartData) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut section = |heading, count, row: fn(usize) -> Row| {
            if count > 0 {
                rows.push(Row::Heading(heading));
                rows.extend((0..count).map(row));
            }
        };
        // Whoever has models to choose from chooses first.
        section(MODELS, data.models.len(), Row::Model);
        section("Questions to try", data.samples.len(), Row::Sample);
        section(RECORDINGS, data.recorded.len(), Row::Recorded);
        section(SESSIONS, data.sessions.len(), Row::Session);
        rows
    }

    /// Shows other models, and the one in use. What is selected stays selected.
    pub fn set_models(&mut self, models: Vec<Offer>, in_use: String) {
        self.data.model = in_use;
        if self.data.models == models {
            return;
        }
        let same = |offer: &Offer, other: &Offer| (&offer.spec, &offer.about) == (&other.spec, &other.about);
        let selected = self.at.and_then(|at| match self.rows[at] {
            Row::Model(n) => {
                let before = self.data.models.get(n)?;
                models.iter().position(|offer| same(offer, before)).map(Row::Model)
            }
            row => Some(row),
        });
        self.data.models = models;
        self.rows = Self::rows(&self.data);
        self.at = selected.and_then(|row| self.rows.iter().position(|other| *other == row));
    }

    /// Shows other lights.
    pub fn set_status(&mut self, status: Vec<Status>) {
        self.data.status = status;
    }

    /// Shows what was found amiss.
    pub fn set_warnings(&mut self, warnings: Vec<String>) {
        self.data.warnings = warnings;
    }

    /// Takes a paste into the question line.
    pub fn paste(&mut self, text: &str) {
        if let Some((_, line)) = &mut self.naming {
            return line.paste(text);
        }
        self.at = None;
        self.question.paste(text);
    }

    /// Takes a key: what the shell has to do, or a command to run.
    ///
    /// # Errors
    /// A command of the table that the page does not handle itself.
    pub fn key(&mut self, key: &KeyEvent, keys: &KeyMap) -> Result<Vec<Effect>, Control> {
        if self.naming.is_some() {
            return Ok(self.name(key));
        }
        if keys.control(key) == Some(Control::Model) {
            match self.rows.iter().position(|row| *row == Row::Heading(MODELS)) {
                Some(heading) => self.at = Some(heading + 1),
                None => return Err(Control::Model),
            }
            return Ok(Vec::new());
        }
        match (key.code, self.at) {
            (KeyCode::Down | KeyCode::Tab, _) => self.step(true),
            (KeyCode::Up | KeyCode::BackTab, Some(_)) => self.step(false),
            (KeyCode::Up, None) => self.recall(),
            (KeyCode::Left, Some(at)) if at >= self.split() => self.jump(0),
            (KeyCode::Right, Some(at)) if at < self.split() => self.jump(self.split()),
            (KeyCode::Esc, Some(_)) => self.at = None,
            (KeyCode::Esc, None) if !self.question.value().is_empty() => self.question.set(""),
            (KeyCode::Enter, None) => {
                let question = self.question.value().trim().to_owned();
                if !question.is_empty() {
                    return Ok(vec![Effect::Start(question)]);
                }
                self.step(true);
            }
            (KeyCode::Enter, Some(at)) if matches!(self.rows[at], Row::Model(_)) => return Ok(self.choose(at)),
            (KeyCode::Enter, Some(at)) => return Ok(self.open(self.rows[at], false)),
            (KeyCode::Char('p'), Some(at)) if key.modifiers.is_empty() => return Ok(self.open(self.rows[at], true)),
            (KeyCode::F(1), _) => return Err(Control::Help),
            (KeyCode::Char(letter), Some(_)) if key.modifiers == KeyModifiers::NONE || key.modifiers == KeyModifiers::SHIFT => {
                let control = keys.control(key);
                let handled = matches!(control, Some(Control::Quit | Control::Help | Control::Palette | Control::Theme | Control::Mouse));
                match (handled, control) {
                    (true, Some(control)) => return Err(control),
                    (_, Some(Control::Up)) => self.step(false),
                    (_, Some(Control::Down)) => self.step(true),
                    _ if letter.is_alphanumeric() => {
                        // Whoever types wants to ask.
                        self.at = None;
                        self.question.key(key);
                    }
                    _ => {}
                }
            }
            (_, None) if self.question.key(key) => self.history = None,
            _ => {}
        }
        Ok(Vec::new())
    }

    /// Takes the model of a row, or asks for its name first.
    fn choose(&mut self, at: usize) -> Vec<Effect> {
        let Row::Model(n) = self.rows[at] else { return Vec::new() };
        let Some(offer) = self.data.models.get(n).cloned() else { return Vec::new() };
        if offer.proposed && !offer.chosen {
            let mut line = LineInput::default();
            line.set(&offer.spec);
            self.naming = Some((offer, line));
            return Vec::new();
        }
        let spec = offer.spec.clone();
        self.at = None;
        vec![Effect::Choose(offer, spec)]
    }

    /// A key while a model is named.
    fn name(&mut self, key: &KeyEvent) -> Vec<Effect> {
        let Some((offer, mut line)) = self.naming.take() else { return Vec::new() };
        match key.code {
            KeyCode::Esc => {}
            KeyCode::Enter if !line.value().trim().is_empty() => {
                let spec = line.value().trim().to_owned();
                self.at = None;
                return vec![Effect::Choose(offer, spec)];
            }
            _ => {
                line.key(key);
                self.naming = Some((offer, line));
            }
        }
        Vec::new()
    }

    fn step(&mut self, down: bool) {
        let picks: Vec<usize> = (0..self.rows.len()).filter(|at| !matches!(self.rows[*at], Row::Heading(_))).collect();
        self.at = match self.at.and_then(|at| picks.iter().position(|pick| *pick == at)) {
            None if down => picks.first().copied(),
            None => None,
            Some(at) if down => picks.get(at + 1).or(picks.last()).copied(),
            Some(at) => at.checked_sub(1).and_then(|at| picks.get(at)).copied(),
        };
    }

    /// Selects the first row that can be picked from `start` on.
    fn jump(&mut self, start: usize) {
        let found = (start..self.rows.len()).find(|at| !matches!(self.rows[*at], Row::Heading(_)));
        self.at = found.or(self.at);
    }

    /// Puts the question before the one in the line there.
    fn recall(&mut self) {
        let next = self.history.map_or(0, |at| at + 1);
        if let Some(session) = self.data.sessions.get(next) {
            self.question.set(&session.question);
            self.history = Some(next);
        }
    }

    fn open(&self, row: Row, replay: bool) -> Vec<Effect> {
        let how = if replay { OpenHow::Replay } else { OpenHow::Resume };
        match row {
            Row::Heading(_) | Row::Model(_) => Vec::new(),
            Row::Sample(at) => self.data.samples.get(at).map(|sample| Effect::Start(sample.question.clone())).into_iter().collect(),
            Row::Session(at) => self.data.sessions.get(at).map(|session| Effect::Open(session.path.clone(), how)).into_iter().collect(),
            Row::Recorded(at) => {
                self.data.recorded.get(at).map(|session| Effect::Open(session.path.clone(), OpenHow::Replay)).into_iter().collect()
            }
        }
    }

    /// Draws the page.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, message: Option<&(String, Role)>, keys: &KeyMap, theme: &Theme) {
        let footer = Rect { y: area.bottom() - 1, height: 1, ..area };
        let mut rest = Rect { height: area.height - 1, ..area };
        if area.width < 40 || area.height < 10 {
            self.question.render(buf, area, "a question", theme);
            return;
        }
        let mut take = |rows: u16| {
            let taken = Rect { height: rows.min(rest.height), ..rest };
            rest.y += taken.height;
            rest.height -= taken.height;
            taken
        };
        let head = take(2);
        let x = put(buf, head, head.x + 1, head.y, "tot ", theme.style(Role::Accent));
        put(buf, head, x, head.y, "· questions answered by walks over knowledge graphs", theme.style(Role::Dim));
        let others = self.data.models.iter().filter(|offer| !offer.chosen).count();
        let found = match others {
            0 => String::new(),
            _ => format!("  · {} found: {} chooses", count(others, "other", "others"), keys.key(Control::Model)),
        };
        // What can be done comes before the rest of what the model is.
        let room = usize::from(head.width).saturating_sub(text::width(&found) + 2);
        let model = text::cut(&format!("model: {}", self.data.model), room).into_owned();
        let x = put(buf, head, head.x + 1, head.y + 1, &model, theme.style(Role::Text));
        put(buf, head, x, head.y + 1, &found, theme.style(Role::Key));
        let title = self.naming.as_ref().map_or_else(|| "Ask".to_owned(), |(offer, _)| format!("Which model? {}", one_line(&offer.about)));
        let ask = pane(buf, take(3), &title, self.at.is_none() || self.naming.is_some(), theme);
        let x = put(buf, ask, ask.x, ask.y, "› ", theme.style(Role::Key));
        let line = Rect { x, width: ask.right().saturating_sub(x), ..ask };
        match &mut self.naming {
            Some((_, name)) => name.render(buf, line, "provider:model", theme),
            None => self.question.render(buf, line, "a question about the graph; Enter asks it", theme),
        }
        let lines = self.data.status.len() + self.data.warnings.len();
        let lights = take(u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2).min(12).min(area.height / 3).max(3));
        self.render_lights(buf, lights, theme);
        self.render_rows(buf, rest, theme);
        buf.set_style(footer, theme.style(Role::Header));
        match message {
            Some((message, role)) => super::footer::render_message(buf, footer, message, *role, theme),
            None => {
                let keys = match self.at.map(|at| self.rows[at]) {
                    _ if self.naming.is_some() => "Enter takes it for the next question (asking it may cost)  Esc leaves it".to_owned(),
                    Some(Row::Model(_)) => "Enter takes it for the next question; nothing is sent before you ask".to_owned(),
                    None => {
                        let models = if others > 0 { format!("  {} models", keys.key(Control::Model)) } else { String::new() };
                        format!("Enter asks{models}  ↓ samples and sessions  ↑ earlier questions  F1 help  ctrl-c quit")
                    }
                    Some(Row::Session(_)) => format!("Enter goes on with it  p plays it back  {} quit", keys.key(Control::Quit)),
                    Some(Row::Recorded(_)) => format!("Enter plays it  {} quit", keys.key(Control::Quit)),
                    Some(_) => format!("Enter asks it  letters begin a question of your own  {} quit", keys.key(Control::Quit)),
                };
                put(buf, footer, footer.x + 1, footer.y, &keys, theme.style(Role::Header).patch(theme.style(Role::Dim)));
            }
        }
    }

    fn render_lights(&self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        let inner = pane(buf, area, "Knowledge graphs and model", false, theme);
        for (status, y) in self.data.status.iter().zip(inner.y..inner.bottom()) {
            let (sign, role) = match status.light {
                Light::Ready => ("● ready      ", Role::Good),
                Light::Checking => ("◌ checking   ", Role::Dim),
                Light::NoKey => ("▲ no key     ", Role::Error),
                Light::Unreachable => ("✗ unreachable", Role::Error),
                Light::Broken => ("✗ broken     ", Role::Error),
            };
            let x = put(buf, inner, inner.x, y, sign, theme.style(role));
            let what = one_line(&status.what);
            let pad = " ".repeat(14_usize.saturating_sub(text::width(&what)));
            let x = put(buf, inner, x + 1, y, &format!("{what}{pad} "), theme.style(Role::Title));
            put(buf, inner, x, y, &status.line, theme.style(Role::Dim));
        }
        let below = inner.y.saturating_add(u16::try_from(self.data.status.len()).unwrap_or(u16::MAX));
        for (warning, y) in self.data.warnings.iter().zip(below..inner.bottom()) {
            put(buf, inner, inner.x, y, &format!("⚠ {warning}"), theme.style(Role::Warning));
        }
    }

    /// Samples, and beside or below them what was recorded.
    fn render_rows(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        let split = self.split();
        let whole = 0..self.rows.len();
        let (left, right) = (0..split, split..self.rows.len());
        if area.width < BESIDE || left.is_empty() || right.is_empty() {
            self.offsets[0] = self.render_list(buf, area, "Or pick", whole, self.offsets[0], theme);
            return;
        }
        let half = Rect { width: area.width / 2, ..area };
        let rest = Rect { x: area.x + half.width, width: area.width - half.width, ..area };
        self.offsets[0] = self.render_list(buf, half, "Or ask one of these", left, self.offsets[0], theme);
        self.offsets[1] = self.render_list(buf, rest, "Or look at what was recorded", right, self.offsets[1], theme);
    }

    /// Where what was recorded begins.
    fn split(&self) -> usize {
        self.rows.iter().position(|row| *row == Row::Heading(RECORDINGS) || *row == Row::Heading(SESSIONS)).unwrap_or(self.rows.len())
    }

    /// Draws some of the rows with a border; returns the first one in view, counted from the first of them.
    fn render_list(&self, buf: &mut Buffer, area: Rect, title: &str, rows: Range<usize>, offset: usize, theme: &Theme) -> usize {
        let here = self.at.filter(|at| rows.contains(at));
        let inner = pane(buf, area, title, here.is_some(), theme);
        let selected = here.map_or(offset, |at| at - rows.start);
        let offset = scroll_to(offset, selected, inner.height.into(), rows.len());
        for (at, y) in (rows.start + offset..rows.end).zip(inner.y..inner.bottom()) {
            let row = Rect { y, height: 1, width: inner.width.saturating_sub(1), ..inner };
            self.render_row(buf, row, self.rows[at], theme);
            if self.at == Some(at) {
                buf.set_style(row, theme.style(Role::Selection));
            }
        }
        scroll_mark(buf, inner, offset, inner.height.into(), rows.len(), theme);
        offset
    }

    fn render_row(&self, buf: &mut Buffer, area: Rect, row: Row, theme: &Theme) {
        match row {
            Row::Heading(text) => {
                put(buf, area, area.x, area.y, text, theme.style(Role::Accent));
            }
            Row::Sample(n) => {
                if let Some(sample) = self.data.samples.get(n) {
                    let hops = if sample.hops == 1 { "1 hop".to_owned() } else { format!("{} hops", sample.hops) };
                    two(buf, area, &sample.question, &format!("{} · {hops}", sample.kind), theme);
                }
            }
            Row::Model(n) => {
                if let Some(offer) = self.data.models.get(n) {
                    let sign = if offer.chosen { "●" } else { "○" };
                    two(buf, area, &format!("{sign} {}", one_line(&offer.spec)), &offer.about, theme);
                }
            }
            Row::Session(n) | Row::Recorded(n) => {
                let list = if matches!(row, Row::Session(_)) { &self.data.sessions } else { &self.data.recorded };
                if let Some(session) = list.get(n) {
                    let about = [&session.outcome, &session.note, &session.when];
                    let about: Vec<&str> = about.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
                    let indent = if session.depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(session.depth.min(8) - 1)) };
                    // Below its parent a fork has the same question: why it was made says more.
                    let what = if session.because.is_empty() { &session.question } else { &session.because };
                    two(buf, area, &format!("{indent}{what}"), &about.join(" · "), theme);
                }
            }
        }
    }
}

/// A row with a remark at the right edge.
fn two(buf: &mut Buffer, row: Rect, left: &str, right: &str, theme: &Theme) {
    let right = one_line(right);
    let right = text::cut(&right, usize::from(row.width) / 2);
    let wide = u16::try_from(text::width(&right)).unwrap_or(0);
    let room = Rect { width: row.width.saturating_sub(wide + 2), ..row };
    put(buf, room, row.x + 2, row.y, left, theme.style(Role::Text));
    put(buf, row, row.right().saturating_sub(wide), row.y, &right, theme.style(Role::Dim));
}
