//! The shell around the [`App`]: terminal, threads, host. Draws only when something changed: all events are drained
//! first, then one frame is drawn, at most sixty a second; after a key at once.

use super::app::{App, Effect};
use super::command::KeyMap;
use super::host::{Connection, First, Host, Offer, Options};
use super::terminal::{Screen, Signal, watch_signals};
use super::theme::{Depth, Role, Themes};
use super::views::start::StartData;
use super::wires::{Heard, Wire, watch_all};
use crate::runner::Command;
use crate::session::{Listed, Recording, beside, read as read_session};
use crossterm::event::{Event as TermEvent, poll, read};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// How often a spinner turns.
const TURN: Duration = Duration::from_millis(100);
/// How often the start page asks for lights.
const LIGHTS: Duration = Duration::from_secs(1);

/// What wakes the loop.
enum Msg {
    Term(TermEvent),
    Signal(Signal),
    /// News of a connection.
    Heard(Heard),
    /// The sessions that were asked for.
    Listed(Vec<Listed>),
    /// The session that was asked for, or why it can't be read.
    Read(Box<Result<Recording, String>>),
    /// The terminal can't be read any more.
    NoInput(String),
}

/// How the explorer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The person ended it.
    Quit,
    /// A signal did, while this session was shown (its file, where it is on disk).
    Signal(Option<PathBuf>),
}

/// Runs the explorer until the person ends it. Blocks; a tokio runtime with the runners must run elsewhere.
///
/// # Errors
/// When there is no usable terminal (a [`super::terminal::ScreenError`] inside), or when it is lost.
pub fn run(first: First, host: &dyn Host, options: Options) -> anyhow::Result<Ended> {
    let environment = |name: &str| std::env::var(name).ok();
    let ground = Depth::ground_is_light(environment).then_some("light");
    let (themes, warnings) = Themes::new(options.theme.as_deref().or(ground), Depth::of_environment(environment));
    let (keys, clashes) = KeyMap::new(&options.keys);
    let mut app = App::new(keys, themes, start_data(host));
    let mut warned: Vec<String> = options.theme_warnings;
    warned.extend(clashes);
    warned.extend(warnings.iter().map(ToString::to_string));
    app.warn(warned);
    let mut screen = Screen::open()?;
    let (tell, told) = channel();
    let wires = listen(tell.clone())?;
    read_input(tell.clone());
    let mut shell = Shell {
        app,
        host,
        wires,
        tell,
        connection: None,
        number: 0,
        dirty: true,
        newer: false,
        taken: Instant::now(),
        took: Duration::ZERO,
        pressed: false,
        signalled: false,
        looks_for_models: Some(Instant::now()),
    };
    if options.mouse {
        shell.perform(Effect::Mouse(true), &mut screen)?;
    }
    if let First::Session(connection) = first {
        shell.connect(connection);
    }
    let ended = shell.work(&told, &mut screen);
    drop(screen);
    shell.disconnect();
    ended?;
    let path = || shell.app.session().and_then(|view| view.snapshot.live.path.clone());
    Ok(if shell.signalled { Ended::Signal(path()) } else { Ended::Quit })
}

/// What the start page shows now.
pub fn start_data(host: &dyn Host) -> StartData {
    StartData {
        samples: host.samples(),
        sessions: host.sessions(),
        recorded: host.recorded(),
        status: host.status(),
        models: host.models(),
        model: host.model_line(),
        warnings: Vec::new(),
    }
}

/// Reports signals and newer snapshots, on a thread of its own.
fn listen(tell: Sender<Msg>) -> std::io::Result<mpsc::UnboundedSender<Wire>> {
    let (wires, told) = mpsc::unbounded_channel::<Wire>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("tot-listen".to_owned()).spawn(move || {
        runtime.block_on(async move {
            let signals = tell.clone();
            // Without handlers the terminal is still given back on return and panic.
            let _ = watch_signals(move |signal| signals.send(Msg::Signal(signal)).is_ok());
            let tell = move |heard| tell.send(Msg::Heard(heard)).is_ok();
            watch_all(told, FRAME, tell).await;
        });
    })?;
    Ok(wires)
}

/// Reports what the terminal sends, on a thread of its own that ends with the receiver.
fn read_input(tell: Sender<Msg>) {
    std::thread::spawn(move || {
        loop {
            let sent = match poll(Duration::from_millis(500)) {
                Ok(false) => continue,
                Ok(true) => match read() {
                    Ok(event) => tell.send(Msg::Term(event)),
                    Err(error) => tell.send(Msg::NoInput(error.to_string())),
                },
                Err(error) => tell.send(Msg::NoInput(error.to_string())).and(Err(std::sync::mpsc::SendError(Msg::Heard(Heard::Gone(0))))),
            };
            if sent.is_err() {
                return;
            }
        }
    });
}

struct Shell<'a> {
    app: App,
    host: &'a dyn Host,
    wires: mpsc::UnboundedSender<Wire>,
    tell: Sender<Msg>,
    connection: Option<Connection>,
    /// Of the connection.
    number: u64,
    dirty: bool,
    /// Whether there is a snapshot that was not taken up yet.
    newer: bool,
    /// When the last one was taken up, and how long that took: at least half of the time is left for keys.
    taken: Instant,
    took: Duration,
    /// Whether a key was pressed since the last frame: the next one is drawn at once.
    pressed: bool,
    /// Whether a signal ends it.
    signalled: bool,
    /// Since when it runs; none once it was said which models were found.
    looks_for_models: Option<Instant>,
}

/// So long models are looked for before it is said, in a session, what was found.
const FINDS: Duration = Duration::from_millis(1_500);

impl Shell<'_> {
    /// The loop.
    fn work(&mut self, told: &Receiver<Msg>, screen: &mut Screen) -> anyhow::Result<()> {
        let mut drawn = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
        let mut lights = Instant::now();
        loop {
            if self.newer && !self.pressed && self.taken.elapsed() >= FRAME.max(self.took * 2) {
                self.take_up();
            }
            if self.looks_for_models.is_some_and(|since| since.elapsed() >= FINDS) {
                self.looks_for_models = None;
                // Who named models in the configuration knows of them.
                let is_news = |offer: &Offer| !offer.chosen && !offer.configured;
                let found: Vec<String> = self.host.models().into_iter().filter(is_news).map(|offer| offer.spec).collect();
                self.dirty |= self.app.tell_models(&found);
            }
            if self.dirty && (self.pressed || drawn.elapsed() >= FRAME) {
                drawn = Instant::now();
                screen.draw(|frame| self.app.draw(frame, drawn))?;
                (self.dirty, self.pressed) = (false, false);
            }
            let wait = if self.dirty {
                FRAME.saturating_sub(drawn.elapsed())
            } else if self.newer {
                FRAME.max(self.took * 2).saturating_sub(self.taken.elapsed())
            } else if self.app.moves() {
                TURN
            } else if self.app.on_start_page() {
                LIGHTS
            } else {
                Duration::from_secs(3600)
            };
            let wait = if self.looks_for_models.is_some() { wait.min(FINDS) } else { wait };
            match told.recv_timeout(wait) {
                Ok(msg) => {
                    if self.take(msg, screen)? {
                        return Ok(());
                    }
                    // Drain, then draw once.
                    while let Ok(msg) = told.try_recv() {
                        if self.take(msg, screen)? {
                            return Ok(());
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.dirty |= self.app.moves(),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.app.has_popup() && lights.elapsed() >= LIGHTS {
                lights = Instant::now();
                self.app.others(self.host.others());
            }
            if self.app.on_start_page() && lights.elapsed() >= LIGHTS {
                lights = Instant::now();
                self.app.status(self.host.status());
                self.app.models(self.host.models(), self.host.model_line());
                self.dirty = true;
            }
        }
    }

    /// Takes a message; whether this is the end.
    fn take(&mut self, msg: Msg, screen: &mut Screen) -> anyhow::Result<bool> {
        match msg {
            Msg::Term(event) => {
                let seen = self.app.event(&event);
                self.dirty |= seen;
                // Whoever presses a key waits for no frame of the search.
                self.pressed |= seen && matches!(event, TermEvent::Key(_) | TermEvent::Paste(_));
                for effect in self.app.take_effects() {
                    if self.perform(effect, screen)? {
                        return Ok(true);
                    }
                }
            }
            // Only the newest is taken up, and not before a frame: a search that is faster than the screen never holds it up.
            Msg::Heard(Heard::Newer(number)) if number == self.number => self.newer = true,
            Msg::Heard(Heard::Gone(number)) if number == self.number => {
                self.app.say("the engine of this session has ended; everything is saved", Role::Warning);
                self.dirty = true;
            }
            Msg::Heard(_) => {}
            Msg::Signal(Signal::End) => {
                self.signalled = true;
                return Ok(true);
            }
            Msg::Signal(Signal::Stop) => screen.suspend()?,
            Msg::Signal(Signal::Continued) => {
                screen.resume()?;
                self.dirty = true;
            }
            Msg::Listed(sessions) => {
                self.app.listed(&sessions);
                self.dirty = true;
            }
            Msg::Read(read) => {
                self.app.read(read.as_ref().as_ref().map_err(String::as_str));
                self.dirty = true;
            }
            Msg::NoInput(why) => anyhow::bail!("the terminal can't be read any more: {why}"),
        }
        Ok(false)
    }

    /// Takes up the newest snapshot.
    fn take_up(&mut self) {
        self.newer = false;
        let began = Instant::now();
        if let Some(connection) = &mut self.connection {
            let snapshot = connection.snapshots.borrow_and_update().clone();
            self.app.snapshot(snapshot);
            self.dirty = true;
        }
        self.send_all();
        (self.taken, self.took) = (began, began.elapsed());
    }

    /// Sends what a snapshot made popups say; nothing else can come of one.
    fn send_all(&mut self) {
        for effect in self.app.take_effects() {
            if let Effect::Send(command) = effect {
                self.send(command);
            }
        }
    }

    fn send(&mut self, command: Command) {
        let sent = self.connection.as_ref().is_some_and(|connection| connection.commands.send(command).is_ok());
        if !sent {
            self.app.say("this session has no engine any more; open it again to go on", Role::Warning);
        }
    }

    /// Does what the app asks for; whether this is the end.
    fn perform(&mut self, effect: Effect, screen: &mut Screen) -> anyhow::Result<bool> {
        match effect {
            Effect::Send(command) => self.send(command),
            Effect::Start(question) => {
                let opened = self.host.start(&question);
                self.opened(opened);
            }
            Effect::Choose(offer, spec) => {
                match self.host.choose(&offer, &spec) {
                    Ok(said) => self.app.say(said, Role::Accent),
                    Err(why) => self.app.say(why, Role::Error),
                }
                self.app.status(self.host.status());
                self.app.models(self.host.models(), self.host.model_line());
                self.dirty = true;
            }
            Effect::Open(path, how) => {
                let opened = self.host.open(&path, how);
                self.opened(opened);
            }
            Effect::List => {
                let places = self.app.session().map(|view| view.snapshot.live.places()).unwrap_or_default();
                self.aside(move || Msg::Listed(beside(places[0].as_deref(), places[1].as_deref())));
            }
            Effect::Read(path) => self.aside(move || Msg::Read(Box::new(read_session(&path).map_err(|e| e.to_string())))),
            Effect::Save(save) => {
                let saved = self.host.save_prompt(save.name, &save.text, save.replace);
                self.app.saved(saved);
                self.dirty = true;
            }
            Effect::Copy(text) => self.copy(&text, screen)?,
            Effect::Mouse(on) => screen.set_mouse(on)?,
            Effect::Redraw => screen.redraw()?,
            Effect::Suspend => {
                screen.suspend()?;
                self.dirty = true;
            }
            Effect::Quit => return Ok(true),
        }
        Ok(false)
    }

    /// Does something slow on a thread of its own, and tells what came of it: the screen never waits for the disk.
    fn aside(&self, work: impl FnOnce() -> Msg + Send + 'static) {
        let tell = self.tell.clone();
        std::thread::spawn(move || {
            // Nobody hears it if the explorer has ended in between.
            let _ = tell.send(work());
        });
    }

    fn opened(&mut self, opened: Result<Connection, String>) {
        match opened {
            Ok(connection) => self.connect(connection),
            Err(why) => self.app.say(why, Role::Error),
        }
        self.dirty = true;
    }

    fn connect(&mut self, mut connection: Connection) {
        self.disconnect();
        self.number += 1;
        let snapshot = connection.snapshots.borrow_and_update().clone();
        // If the listener is gone, so is the terminal; the loop ends by itself.
        let _ = self.wires.send((self.number, connection.snapshots.clone()));
        self.connection = Some(connection);
        self.app.others(self.host.others());
        self.app.open_session(snapshot);
    }

    fn disconnect(&mut self) {
        if let Some(connection) = self.connection.take() {
            // A runner that is gone has nothing left to save.
            let _ = connection.commands.send(Command::Quit);
        }
    }

    /// Copies through the terminal and into a file, since nobody can know whether the terminal took it.
    fn copy(&mut self, text: &str, screen: &mut Screen) -> std::io::Result<()> {
        screen.copy(text)?;
        let path = copy_path(self.app.session().and_then(|view| view.snapshot.live.path.clone()));
        let letters = text.chars().count();
        match path.and_then(|path| write_copy(&path, text).map(|()| path)) {
            Ok(path) => self.app.say(format!("copied {letters} letters to the clipboard, and into {}", path.display()), Role::Accent),
            Err(_) => self.app.say(format!("copied {letters} letters to the clipboard (OSC 52)"), Role::Accent),
        }
        self.dirty = true;
        Ok(())
    }
}

/// The file for copies: beside the session, where only its owner writes.
fn copy_path(session: Option<PathBuf>) -> std::io::Result<PathBuf> {
    session.map(|path| path.with_extension("copy.txt")).ok_or_else(|| std::io::Error::other("the session is not on disk"))
}

/// Writes a copy; only its owner may read it.
fn write_copy(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
