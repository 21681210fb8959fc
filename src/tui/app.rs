//! The explorer's state and how it changes. Pure: events in, effects and cells out; the shell around it ([`super::run`])
//! has the terminal, the threads and the host.

mod acts;
mod draw;
mod in_words;
mod look;
mod mouse;

use super::command::{Context, Control, KeyMap, Pane};
use super::host::{Offer, OpenHow, Other, PromptSaved, Status};
use super::popups::decide::DecidePopup;
use super::popups::reply::ReplyPopup;
use super::popups::{Desk, Popup, Reaction, SaveTemplate};
use super::session_view::SessionView;
use super::theme::{Role, Themes};
use super::views::start::{StartData, StartPage};
use crate::calls::AskId;
use crate::runner::{Command, Snapshot};
use crate::search::Seq;
use crate::session::{Listed, Recording};
use crossterm::event::{Event as TermEvent, KeyEvent, KeyEventKind};
use ratatui::layout::Rect;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What the shell has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Tell the runner.
    Send(Command),
    /// Start a session with this question.
    Start(String),
    /// Ask this model, an offer, under this spec.
    Choose(Offer, String),
    /// Open a session of the disk.
    Open(PathBuf, OpenHow),
    /// List the sessions of the folder of the session shown.
    List,
    /// Read a session, to be compared.
    Read(PathBuf),
    /// Save a template of a prompt.
    Save(SaveTemplate),
    /// Copy a text.
    Copy(String),
    /// Capture the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Draw everything again.
    Redraw,
    /// Stop until continued.
    Suspend,
    /// End.
    Quit,
}

/// What is shown.
#[derive(Debug)]
enum Page {
    Start(Box<StartPage>),
    Session(Box<SessionView>),
}

/// The explorer.
#[derive(Debug)]
pub struct App {
    keys: KeyMap,
    /// Models that a session can go on with.
    others: Vec<Other>,
    themes: Themes,
    page: Page,
    popups: Vec<Box<dyn Popup>>,
    effects: Vec<Effect>,
    message: Option<(String, Role)>,
    mouse: bool,
    /// The last notice of the runner that was shown.
    noticed: Option<u64>,
    /// What was found amiss at the start.
    warnings: Vec<String>,
    /// Asks whose prompt was opened for the person by itself: once each.
    offered: HashSet<AskId>,
    /// The samples that were opened for the person by itself, by the entry they become: once each.
    held: Option<Seq>,
    /// Numbers for inquiries.
    inquiries: u64,
    /// Where things were drawn, for the mouse.
    spots: draw::Spots,
}

impl App {
    /// The explorer on its start page.
    #[must_use]
    pub fn new(keys: KeyMap, themes: Themes, data: StartData) -> Self {
        Self {
            keys,
            others: Vec::new(),
            themes,
            page: Page::Start(Box::new(StartPage::new(data))),
            popups: Vec::new(),
            effects: Vec::new(),
            message: None,
            mouse: false,
            noticed: None,
            warnings: Vec::new(),
            offered: HashSet::new(),
            held: None,
            inquiries: 1,
            spots: draw::Spots::default(),
        }
    }

    /// Shows a session from its first snapshot.
    pub fn open_session(&mut self, snapshot: Arc<Snapshot>) {
        self.popups.clear();
        self.noticed = None;
        self.offered.clear();
        self.held = None;
        self.page = Page::Session(Box::new(SessionView::new(snapshot)));
        self.after_snapshot();
    }

    /// Takes up a newer snapshot of the session.
    pub fn snapshot(&mut self, snapshot: Arc<Snapshot>) {
        if let Page::Session(view) = &mut self.page {
            view.update(snapshot);
            self.after_snapshot();
        }
    }

    fn after_snapshot(&mut self) {
        let Page::Session(view) = &mut self.page else { return };
        if let Some((number, text)) = &view.snapshot.live.notice
            && Some(*number) != self.noticed
        {
            self.noticed = Some(*number);
            self.message = Some((text.clone(), Role::Accent));
        }
        let human = view.snapshot.live.flights.iter().find(|flight| flight.human).map(|flight| flight.ask);
        if let Some(ask) = human.filter(|ask| self.popups.is_empty() && !self.offered.contains(ask)) {
            self.offered.insert(ask);
            self.popups.push(Box::new(ReplyPopup::new(ask)));
        }
        let held =
            view.snapshot.live.proposal.clone().filter(|held| self.popups.is_empty() && view.past.is_none() && self.held != Some(held.seq));
        if let Some(held) = held {
            self.held = Some(held.seq);
            view.select(held.node);
            self.popups.push(Box::new(DecidePopup::new(&view.scene, &held)));
        }
        let desk = Desk { view: Some(view), keys: &self.keys, others: &self.others };
        let reaction = self.popups.last_mut().map(|popup| popup.update(&desk));
        if let Some(reaction) = reaction {
            self.react(reaction);
        }
    }

    /// Shows other lights on the start page.
    pub fn status(&mut self, status: Vec<Status>) {
        if let Page::Start(page) = &mut self.page {
            page.set_status(status);
        }
    }

    /// Shows other models on the start page, and the one in use.
    pub fn models(&mut self, models: Vec<Offer>, in_use: String) {
        if let Page::Start(page) = &mut self.page {
            page.set_models(models, in_use);
        }
    }

    /// Takes up which models a session can go on with.
    pub fn others(&mut self, others: Vec<Other>) {
        self.others = others;
    }

    /// Says something in the footer until the next key.
    pub fn say(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some((text.into(), role));
    }

    /// Tells what came of saving a template of a prompt.
    pub fn saved(&mut self, saved: Result<PromptSaved, String>) {
        match saved {
            Ok(PromptSaved::Exists(path)) => {
                if let Some(popup) = self.popups.last_mut() {
                    popup.exists(&path);
                }
            }
            Ok(PromptSaved::Written { path, by_itself: true }) => {
                self.say(format!("saved in {}: sessions from now on use it; this one keeps its own", path.display()), Role::Good);
            }
            Ok(PromptSaved::Written { path, by_itself: false }) => {
                let folder = path.parent().unwrap_or(&path).display().to_string();
                self.say(format!("saved in {}: used with --prompts {folder}, this session keeps its own", path.display()), Role::Good);
            }
            Err(why) => self.say(why, Role::Error),
        }
    }

    /// Tells which sessions there are.
    pub fn listed(&mut self, sessions: &[Listed]) {
        let Page::Session(view) = &self.page else { return };
        if let Some(popup) = self.popups.last_mut() {
            popup.listed(sessions, &Desk { view: Some(view), keys: &self.keys, others: &self.others });
        }
    }

    /// Tells what became of reading a session.
    pub fn read(&mut self, read: Result<&Recording, &str>) {
        let Page::Session(view) = &self.page else { return };
        if let Some(popup) = self.popups.last_mut() {
            popup.read(read, &Desk { view: Some(view), keys: &self.keys, others: &self.others });
        }
    }

    /// Tells what was found amiss at the start: on the start page, and in one line until the next key. `W` shows all of it.
    pub fn warn(&mut self, warnings: Vec<String>) {
        if let Some(first) = warnings.first() {
            // On the start page letters begin a question.
            let key = match self.page {
                Page::Start(_) => format!("{} {}", self.keys.key(Control::Palette), Control::Warnings.spec().name),
                Page::Session(_) => self.keys.key(Control::Warnings),
            };
            let more = if warnings.len() > 1 { format!(" and {} more", warnings.len() - 1) } else { String::new() };
            self.say(format!("⚠ {first}{more} · {key} shows it whole"), Role::Warning);
        }
        if let Page::Start(page) = &mut self.page {
            page.set_warnings(warnings.clone());
        }
        self.warnings = warnings;
    }

    /// What the shell has to do, once.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether the start page is shown.
    #[must_use]
    pub const fn on_start_page(&self) -> bool {
        matches!(self.page, Page::Start(_))
    }

    /// Whether something moves by itself: a spinner, a clock.
    #[must_use]
    pub fn moves(&self) -> bool {
        match &self.page {
            Page::Start(_) => false,
            Page::Session(view) => view.snapshot.live.flights.iter().any(|flight| !flight.human) || self.popups.iter().any(|p| p.waits()),
        }
    }

    /// The session shown.
    #[must_use]
    pub fn session(&self) -> Option<&SessionView> {
        match &self.page {
            Page::Session(view) => Some(view),
            Page::Start(_) => None,
        }
    }

    /// Whether a popup is open.
    #[must_use]
    pub fn has_popup(&self) -> bool {
        !self.popups.is_empty()
    }

    fn context(&self) -> Context {
        let context = self.session().map_or_else(Context::default, SessionView::context);
        Context { has_warnings: context.has_warnings || !self.warnings.is_empty(), ..context }
    }

    /// Takes an event of the terminal; whether the screen may look different now.
    pub fn event(&mut self, event: &TermEvent) -> bool {
        match event {
            TermEvent::Key(key) if key.kind == KeyEventKind::Release => return false,
            TermEvent::Key(key) => self.key(key),
            TermEvent::Paste(text) => self.paste(text),
            TermEvent::Mouse(mouse) => return self.mouse_event(mouse),
            TermEvent::Resize(..) | TermEvent::FocusGained | TermEvent::FocusLost => {}
        }
        true
    }

    fn key(&mut self, key: &KeyEvent) {
        self.message = None;
        let always = self.keys.control(key).filter(|control| matches!(control, Control::Suspend | Control::Redraw));
        if let Some(control) = always {
            return self.run(control);
        }
        if key.code == crossterm::event::KeyCode::Char('c') && key.modifiers == crossterm::event::KeyModifiers::CONTROL {
            return self.run(Control::Quit);
        }
        if let Some(popup) = self.popups.last_mut() {
            let view = match &self.page {
                Page::Session(view) => Some(&**view),
                Page::Start(_) => None,
            };
            let reaction = popup.key(key, &Desk { view, keys: &self.keys, others: &self.others });
            return self.react(reaction);
        }
        if let Page::Start(page) = &mut self.page {
            let effects = page.key(key, &self.keys);
            match effects {
                Ok(effects) => self.effects.extend(effects),
                Err(control) => self.run(control),
            }
            return;
        }
        if let Some(control) = self.keys.control(key) {
            self.try_run(control);
        }
    }

    fn paste(&mut self, text: &str) {
        if let Some(popup) = self.popups.last_mut() {
            popup.paste(text);
        } else if let Page::Start(page) = &mut self.page {
            page.paste(text);
        }
    }

    fn react(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::Stay => {}
            Reaction::Close => {
                self.popups.pop();
            }
            Reaction::Send(commands) => self.effects.extend(commands.into_iter().map(Effect::Send)),
            Reaction::Finish(commands) => {
                self.popups.pop();
                self.effects.extend(commands.into_iter().map(Effect::Send));
            }
            Reaction::Run(control) => {
                self.popups.pop();
                self.try_run(control);
            }
            Reaction::Become(popup, commands) => {
                self.popups.pop();
                self.popups.push(popup);
                self.effects.extend(commands.into_iter().map(Effect::Send));
            }
            Reaction::Read(path) => self.effects.push(Effect::Read(path)),
            Reaction::Select(node) => {
                self.popups.pop();
                if let Page::Session(view) = &mut self.page {
                    view.look_at(usize::MAX);
                    view.select(node);
                    view.focus = Pane::Tree;
                }
            }
            Reaction::Save(save) => self.effects.push(Effect::Save(save)),
            Reaction::Find(needle, done) => {
                if done {
                    self.popups.pop();
                }
                self.find(&needle);
            }
        }
    }

    /// Runs a command if it applies; if not, says why.
    pub fn try_run(&mut self, control: Control) {
        self.settle();
        match control.applies(&self.context()) {
            Ok(()) => self.run(control),
            Err(why) => self.say(format!("{}: {why}", control.spec().name), Role::Warning),
        }
    }

    /// Several keys may come before the next frame: what they move in must be that of the selected node.
    fn settle(&mut self) {
        if let Page::Session(view) = &mut self.page
            && view.focus != Pane::Tree
        {
            view.settle();
        }
    }

    fn run(&mut self, control: Control) {
        self.settle();
        match control {
            Control::Quit => self.effects.push(Effect::Quit),
            Control::Suspend => self.effects.push(Effect::Suspend),
            Control::Redraw => self.effects.push(Effect::Redraw),
            Control::Theme => {
                self.themes.cycle();
                let name = format!("theme: {}", self.themes.current().name);
                self.say(name, Role::Accent);
            }
            Control::Mouse => {
                self.mouse = !self.mouse;
                self.effects.push(Effect::Mouse(self.mouse));
                let said = if self.mouse {
                    "the mouse is the explorer's; hold shift to select text, or `m` again"
                } else {
                    "the mouse is the terminal's: text can be selected"
                };
                self.say(said, Role::Accent);
            }
            Control::Palette => self.popups.push(Box::new(super::popups::palette::Palette::new(&self.keys, &self.context()))),
            Control::Warnings => {
                let scene = self.session().map(|view| &view.scene);
                self.popups.push(Box::new(super::popups::warnings::Warnings::new(&self.warnings, scene)));
            }
            Control::Help => self.popups.push(Box::new(super::popups::help::Help::new(&self.keys, &self.context()))),
            _ if self.acts(control) => {}
            _ => self.look(control),
        }
    }

    /// The rectangle and pane at a place of the screen last drawn.
    fn spot(&self, x: u16, y: u16) -> Option<(Pane, Rect)> {
        self.spots.panes.iter().copied().find(|(_, rect)| rect.contains((x, y).into()))
    }
}
