//! The shell around the [`Dialogue`]: standard input and output, signals, the host and its connections.

use super::dialogue::{Dialogue, Line};
use crate::runner::Command;
use crate::session::{beside, read as read_session};
use crate::tui::app::Effect;
use crate::tui::command::KeyMap;
use crate::tui::wires::{Heard, Wire, watch_all};
use crate::tui::{Connection, Ended, First, Host, Options, start_data};
use std::io::{BufRead, ErrorKind, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Snapshots are taken up at most so often.
const OFTEN: Duration = Duration::from_millis(16);
/// How often the lights of the start page are looked at.
const LIGHTS: Duration = Duration::from_secs(1);
/// Bytes of a line; what is longer comes as several.
const LONGEST_LINE: u64 = 1 << 20;

/// What wakes the loop.
enum Msg {
    Line(String),
    /// There will be no more lines.
    End,
    /// News of a connection.
    Heard(Heard),
    /// A signal ends the program.
    Stop,
}

/// Runs the dialogue until the person ends it or the input does. Blocks; a tokio runtime with the runners must run elsewhere.
///
/// # Errors
/// When the output can't be written; that nobody reads it any more is an end like another.
pub fn run(first: First, host: &dyn Host, options: &Options) -> anyhow::Result<Ended> {
    let (keys, clashes) = KeyMap::new(&options.keys);
    let warnings = options.theme_warnings.iter().cloned().chain(clashes).collect();
    let dialogue = Dialogue::new(keys, start_data(host), warnings);
    let (tell, told) = channel();
    let wires = listen(tell.clone())?;
    read_input(tell)?;
    let echo = !std::io::stdin().is_terminal();
    let mut shell = Shell { dialogue, host, wires, connection: None, number: 0, echo, prompted: false, quits: false, signalled: false };
    match first {
        First::StartPage => shell.dialogue.show_start(start_data(host)),
        First::Session(connection) => shell.connect(connection),
    }
    let ended = shell.work(&told).and_then(|()| shell.end_line());
    shell.disconnect();
    match ended {
        // After SIGHUP there may be nobody to read it.
        Err(e) if e.kind() != ErrorKind::BrokenPipe && !shell.signalled => Err(e.into()),
        _ if shell.signalled => Ok(Ended::Signal(shell.dialogue.session_path().map(Path::to_owned))),
        _ => Ok(Ended::Quit),
    }
}

/// Reports signals and newer snapshots, on a thread of its own.
fn listen(tell: Sender<Msg>) -> std::io::Result<mpsc::UnboundedSender<Wire>> {
    let (wires, told) = mpsc::unbounded_channel::<Wire>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("tot-listen".to_owned()).spawn(move || {
        runtime.block_on(async move {
            for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
                let tell = tell.clone();
                if let Ok(mut signals) = signal(kind) {
                    tokio::spawn(async move { while signals.recv().await.is_some() && tell.send(Msg::Stop).is_ok() {} });
                }
            }
            let tell = move |heard| tell.send(Msg::Heard(heard)).is_ok();
            watch_all(told, OFTEN, tell).await;
        });
    })?;
    Ok(wires)
}

/// Reports what is typed, on a thread of its own. Bytes that are no text become `�`.
fn read_input(tell: Sender<Msg>) -> std::io::Result<()> {
    std::thread::Builder::new().name("tot-input".to_owned()).spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    let _ = tell.send(Msg::End);
                    return;
                }
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    if tell.send(Msg::Line(text.trim_end_matches(['\n', '\r']).to_owned())).is_err() {
                        return;
                    }
                }
            }
        }
    })?;
    Ok(())
}

struct Shell<'a> {
    dialogue: Dialogue,
    host: &'a dyn Host,
    wires: mpsc::UnboundedSender<Wire>,
    connection: Option<Connection>,
    /// Of the connection.
    number: u64,
    /// Whether lines that are taken are printed: no terminal did it.
    echo: bool,
    /// Whether the prompt stands at the end of the output.
    prompted: bool,
    quits: bool,
    /// Whether a signal ends it.
    signalled: bool,
}

impl Shell<'_> {
    /// The loop.
    fn work(&mut self, told: &Receiver<Msg>) -> std::io::Result<()> {
        let (mut ended, mut lights) = (false, Instant::now());
        loop {
            self.perform();
            self.print()?;
            if self.quits || (ended && self.dialogue.is_idle()) {
                return Ok(());
            }
            let wait = if self.connection.is_none() { LIGHTS } else { Duration::from_secs(3600) };
            match told.recv_timeout(wait) {
                Ok(Msg::Line(line)) => {
                    // The terminal has shown the line and gone on to the next one.
                    self.prompted &= self.echo;
                    self.dialogue.others(self.host.others());
                    self.dialogue.line(&line);
                }
                Ok(Msg::End) => ended = true,
                Ok(Msg::Heard(Heard::Newer(number))) if number == self.number => {
                    if let Some(connection) = &mut self.connection {
                        let snapshot = connection.snapshots.borrow_and_update().clone();
                        self.dialogue.snapshot(snapshot);
                    }
                }
                Ok(Msg::Heard(Heard::Gone(number))) if number == self.number => self.dialogue.gone(),
                Ok(Msg::Heard(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Msg::Stop) => {
                    self.signalled = true;
                    return self.print();
                }
                Err(RecvTimeoutError::Disconnected) => return self.print(),
            }
            if self.connection.is_none() && lights.elapsed() >= LIGHTS {
                lights = Instant::now();
                self.dialogue.status(self.host.status());
            }
        }
    }

    /// The prompt of a line that never came is ended.
    fn end_line(&mut self) -> std::io::Result<()> {
        if std::mem::take(&mut self.prompted) { writeln!(std::io::stdout()) } else { Ok(()) }
    }

    /// Does what there is to do, until nothing is left.
    fn perform(&mut self) {
        loop {
            let effects = self.dialogue.take_effects();
            if effects.is_empty() && !self.dialogue.wants_start() {
                return;
            }
            for effect in effects {
                self.do_one(effect);
            }
            if self.dialogue.wants_start() {
                self.dialogue.show_start(start_data(self.host));
            }
            if self.quits {
                return;
            }
            self.dialogue.go_on();
        }
    }

    fn do_one(&mut self, effect: Effect) {
        match effect {
            Effect::Send(command) => {
                let sent = self.connection.as_ref().is_some_and(|connection| connection.commands.send(command).is_ok());
                if !sent {
                    self.dialogue.gone();
                }
            }
            Effect::Start(question) => {
                let opened = self.host.start(&question);
                self.opened(opened);
            }
            Effect::Open(path, how) => {
                let opened = self.host.open(&path, how);
                self.opened(opened);
            }
            Effect::Choose(offer, spec) => {
                let said = self.host.choose(&offer, &spec).unwrap_or_else(|why| why);
                self.dialogue.say(said);
                self.dialogue.status(self.host.status());
            }
            Effect::Save(save) => self.dialogue.saved(self.host.save_prompt(save.name, &save.text, save.replace)),
            Effect::List => {
                let [session, parent] = self.dialogue.places();
                let sessions = beside(session.as_deref(), parent.as_deref());
                self.dialogue.listed(&sessions);
            }
            Effect::Read(path) => {
                let read = read_session(&path).map_err(|e| e.to_string());
                self.dialogue.read(read.as_ref().map_err(String::as_str));
            }
            Effect::Quit => self.quits = true,
            // None of these is asked for without a screen.
            Effect::Copy(_) | Effect::Mouse(_) | Effect::Redraw | Effect::Suspend => {}
        }
    }

    fn opened(&mut self, opened: Result<Connection, String>) {
        match opened {
            Ok(connection) => self.connect(connection),
            Err(why) => self.dialogue.say(why),
        }
    }

    fn connect(&mut self, mut connection: Connection) {
        self.disconnect();
        self.number += 1;
        let snapshot = connection.snapshots.borrow_and_update().clone();
        // If the listener is gone, so is the program.
        let _ = self.wires.send((self.number, connection.snapshots.clone()));
        self.connection = Some(connection);
        self.dialogue.open_session(snapshot);
    }

    fn disconnect(&mut self) {
        if let Some(connection) = self.connection.take() {
            // A runner that is gone has nothing left to save.
            let _ = connection.commands.send(Command::Quit);
        }
    }

    /// Prints what was said in whole lines, and the prompt when the next line would be taken.
    fn print(&mut self) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        for line in self.dialogue.take_lines() {
            match line {
                Line::Said(text) => {
                    let below = if std::mem::take(&mut self.prompted) { "\n" } else { "" };
                    writeln!(out, "{below}{text}")?;
                }
                Line::Taken(text) if self.echo => {
                    let prompt = if std::mem::take(&mut self.prompted) { "" } else { "> " };
                    writeln!(out, "{prompt}{text}")?;
                }
                Line::Taken(_) => {}
            }
        }
        if self.dialogue.is_ready() && !self.prompted && !self.quits {
            self.prompted = true;
            write!(out, "> ")?;
        }
        out.flush()
    }
}
