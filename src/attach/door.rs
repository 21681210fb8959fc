//! The search's side: a socket for the session that the runner is on now, and what clients say turned into the runner's commands.

use super::place::socket_of;
use super::{LONGEST_LINE, Order, Reply, Request};
use crate::runner::{self, Command, Equipment, Handle, Pace, RunState, Setup, Snapshot};
use crate::text::{cut, one_line};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::WeakUnboundedSender;
use tokio::sync::{Mutex, watch};
use tokio::task::{JoinHandle, JoinSet};

/// Connections at a time.
const MOST: usize = 32;
/// A command is taken up within a few milliseconds; what is not seen by then (another client was faster) is answered as it stands.
const TAKEN_UP: Duration = Duration::from_secs(1);

/// The socket of one session. Its file goes with it.
#[derive(Debug)]
struct Listener {
    socket: UnixListener,
    path: PathBuf,
    /// Device and inode: a socket that another program put in its place is not removed.
    is: Option<(u64, u64)>,
}

impl Listener {
    /// Opens the socket of the journal at this path, which the caller has locked: a socket that is there was left by a program
    /// that was killed, and is replaced. Within a tokio runtime.
    ///
    /// # Errors
    /// The socket can't be made.
    fn open(journal: &Path) -> io::Result<Self> {
        let path = socket_of(journal)?;
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let socket = UnixListener::bind(&path)?;
        let is = identity(&path);
        let listener = Self { socket, path, is };
        std::fs::set_permissions(&listener.path, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if self.is.is_some() && identity(&self.path) == self.is {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::symlink_metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// The way in for other terminals, as long as the runner lives.
#[derive(Debug)]
pub struct Door {
    held: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl Door {
    /// Whether the search stands still because another terminal wants it so.
    #[must_use]
    pub fn is_held(&self) -> bool {
        *self.held.borrow()
    }

    /// Waits until [`Door::is_held`] changes; for ever when it never does.
    pub async fn changed(&mut self) {
        if self.held.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Waits for its end, after the runner's: then no file is left.
    pub async fn closed(self) {
        let _ = self.task.await;
    }
}

/// Starts a runner that other terminals can attach to; the socket is there before the search begins. `fail` is told, once for
/// each session, why a socket can't be opened: the search runs without. Within a tokio runtime.
///
/// # Errors
/// The first entries can't be written.
pub fn launch(setup: Setup, equipment: Equipment, fail: impl Fn(String) + Send + 'static) -> io::Result<(Handle, Door)> {
    let place = match &setup {
        Setup::New { journal: Some(journal), .. } | Setup::Resume { journal, .. } => Some(journal.path().to_owned()),
        Setup::New { journal: None, .. } | Setup::Replay { .. } => None,
    };
    let listener = listen(place.as_deref(), &fail);
    let handle = runner::launch(setup, equipment)?;
    let (hold, held) = watch::channel(false);
    let (commands, snapshots) = (handle.commands.downgrade(), handle.snapshots.clone());
    let desk = Desk { commands, snapshots, hold: Arc::new(hold), turn: Arc::default() };
    let task = tokio::spawn(keep(desk, place, listener, fail));
    Ok((handle, Door { held, task }))
}

/// The file of the session that a runner is on, if it is one that goes on.
fn place_of(snapshot: &Snapshot) -> Option<PathBuf> {
    snapshot.live.path.clone().filter(|_| !snapshot.live.replay)
}

fn listen(place: Option<&Path>, fail: &impl Fn(String)) -> Option<Listener> {
    match Listener::open(place?) {
        Ok(listener) => Some(listener),
        Err(e) => {
            fail(format!("other terminals can't attach to this session ({e})"));
            None
        }
    }
}

/// Serves the session that the runner is on, until the runner ends.
async fn keep(desk: Desk, mut place: Option<PathBuf>, mut listener: Option<Listener>, fail: impl Fn(String)) {
    let mut snapshots = desk.snapshots.clone();
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            changed = snapshots.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = place_of(&snapshots.borrow_and_update());
                if now != place {
                    // A fork: who followed the session that was left is told by the end of the connection.
                    clients = JoinSet::new();
                    drop(listener.take());
                    listener = listen(now.as_deref(), &fail);
                    place = now;
                }
            }
            client = accept(listener.as_ref()) => match client {
                Ok(stream) if clients.len() < MOST => {
                    clients.spawn(desk.clone().serve(stream));
                }
                Ok(stream) => turn_away(&stream),
                // Out of file handles, say: it passes.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
            Some(_) = clients.join_next() => {}
        }
    }
}

/// Says why a connection is closed at once, if that can be said without waiting.
fn turn_away(stream: &UnixStream) {
    let reply = Reply::refused(format!("{MOST} terminals are attached already: leave one of them first"));
    if let Ok(text) = serde_json::to_string(&reply) {
        let _ = stream.try_write(format!("{text}\n").as_bytes());
    }
}

async fn accept(listener: Option<&Listener>) -> io::Result<UnixStream> {
    match listener {
        Some(listener) => listener.socket.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// What a client deals with.
#[derive(Clone)]
struct Desk {
    /// Weak: a client does not keep a runner alive.
    commands: WeakUnboundedSender<Command>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    hold: Arc<watch::Sender<bool>>,
    /// One command at a time, so that what one client holds is not let go by what another said before.
    turn: Arc<Mutex<()>>,
}

impl Desk {
    async fn serve(mut self, stream: UnixStream) {
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        loop {
            let mut line = Vec::new();
            match (&mut read).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let reply = if line.len() > LONGEST_LINE {
                // Whatever its length, no more of it than this is kept.
                if line.last() != Some(&b'\n') && !pass_over(&mut read).await {
                    return;
                }
                Reply::refused(format!("a line holds at most {LONGEST_LINE} bytes: this one was passed over"))
            } else {
                match request(&line) {
                    Ok(order) => self.obey(order).await,
                    Err(why) => Reply::not_understood(why),
                }
            };
            let Ok(mut text) = serde_json::to_string(&reply) else { return };
            text.push('\n');
            if write.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    async fn obey(&mut self, order: Order) -> Reply {
        let Some(command) = command_of(order) else { return standing(&self.snapshots.borrow()) };
        let turn = self.turn.clone();
        let _mine = turn.lock().await;
        let before = self.snapshots.borrow_and_update().clone();
        // Before the command: who runs the search must not take the pause for its end.
        if order.holds() {
            self.hold.send_replace(true);
        }
        if self.commands.upgrade().is_none_or(|commands| commands.send(command).is_err()) {
            return Reply::refused("the search has ended");
        }
        let snapshots = &mut self.snapshots;
        let taken_up = async {
            while snapshots.changed().await.is_ok() {
                if is_taken_up(order, &before, &snapshots.borrow_and_update()) {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(TAKEN_UP, taken_up).await;
        let now = self.snapshots.borrow().clone();
        if order == Order::Continue {
            self.hold.send_replace(false);
        }
        let number = |snapshot: &Snapshot| snapshot.live.notice.as_ref().map(|(n, _)| *n);
        match &now.live.notice {
            // What the runner said instead of doing it.
            Some((_, notice)) if number(&now) != number(&before) && !is_done(order, &before, &now) => Reply::refused(one_line(notice)),
            _ => standing(&now),
        }
    }
}

/// Reads to the end of a line; whether it has one.
async fn pass_over(read: &mut (impl AsyncBufRead + Unpin)) -> bool {
    loop {
        let Ok(bytes) = read.fill_buf().await else { return false };
        let (here, end) = (bytes.len(), bytes.iter().position(|byte| *byte == b'\n'));
        if here == 0 {
            return false;
        }
        read.consume(end.map_or(here, |at| at + 1));
        if end.is_some() {
            return true;
        }
    }
}

/// What a line asks for, or what is wrong with it.
fn request(line: &[u8]) -> Result<Order, String> {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(line) else {
        return Err(r#"the line is no JSON: write {"do":"WORD"}"#.to_owned());
    };
    match (serde_json::from_value::<Request>(value.clone()), value["do"].as_str()) {
        (Ok(request), _) => Ok(request.order),
        (Err(_), Some(word)) if Order::WORDS.contains(&word) => Err(format!("`{word}` takes nothing else: write {{\"do\":\"{word}\"}}")),
        (Err(_), Some(word)) => Err(format!("`{}` is not understood", cut(&one_line(word), 40))),
        (Err(_), None) => Err(r#"the line says nothing to do: write {"do":"WORD"}"#.to_owned()),
    }
}

const fn command_of(order: Order) -> Option<Command> {
    Some(match order {
        Order::Pause => Command::Pace(Pace::Paused),
        Order::Continue => Command::Pace(Pace::Run),
        Order::Step => Command::Pace(Pace::Step),
        Order::Phase => Command::Pace(Pace::Phase),
        Order::Abort => Command::Abort,
        Order::Undo => Command::Undo,
        Order::Redo => Command::Redo,
        Order::Status => return None,
    })
}

/// Whether a snapshot shows what a command was for.
fn is_done(order: Order, before: &Snapshot, now: &Snapshot) -> bool {
    let grew = now.entries().len() > before.entries().len();
    let finished = now.run_state() == RunState::Finished;
    let pace = now.live.pace;
    match order {
        Order::Pause => pace == Pace::Paused || finished,
        Order::Abort => (pace == Pace::Paused && now.live.flights.is_empty()) || finished,
        Order::Continue => pace == Pace::Run || finished || now.state.halted.is_some(),
        Order::Step => pace == Pace::Step || (pace == Pace::Paused && grew) || finished,
        Order::Phase => pace == Pace::Phase || (pace == Pace::Paused && (grew || before.live.flights != now.live.flights)) || finished,
        Order::Undo | Order::Redo => {
            let undone = |snapshot: &Snapshot| {
                snapshot.state.undoable() != before.state.undoable() || snapshot.state.redoable() != before.state.redoable()
            };
            undone(now)
        }
        Order::Status => true,
    }
}

/// Whether a snapshot is of a moment after the command.
fn is_taken_up(order: Order, before: &Snapshot, now: &Snapshot) -> bool {
    let told = |snapshot: &Snapshot| snapshot.live.notice.as_ref().map(|(n, _)| *n);
    is_done(order, before, now) || (matches!(order, Order::Undo | Order::Redo) && told(now) != told(before))
}

/// How things stand.
fn standing(snapshot: &Snapshot) -> Reply {
    let state = match snapshot.run_state() {
        RunState::Running => "running",
        RunState::Pausing(_) => "pausing",
        RunState::Paused => "paused",
        RunState::Stepping => "stepping",
        RunState::WaitingForYou => "waiting",
        RunState::Finished => "finished",
        RunState::Replay => "replay",
    };
    Reply {
        ok: true,
        state: Some(state.to_owned()),
        seq: Some(snapshot.entries().len() as u64),
        next: snapshot.live.upcoming.as_deref().map(one_line),
        halted: snapshot.state.halted.as_deref().filter(|_| state == "paused").map(crate::search::Halt::words),
        ..Reply::default()
    }
}
