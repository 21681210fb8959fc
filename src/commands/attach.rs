//! `tot attach`: a second terminal that follows a running search and can pause, step and continue it.

use super::follow::{Teller, say, stdin_lines};
use super::setup::session_path;
use super::{Status, ask, report};
use crate::attach::{Reply, connect};
use crate::search::{Entry, Event, HaltCause, State};
use crate::session::{Descent, Recording, Supply, last_event, read};
use crate::text::{clean, one_line, printable_json};
use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value as Json, json};
use std::fs::{File, TryLockError};
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::signal::unix::{SignalKind, signal};

/// `tot attach`
#[derive(Args, Debug)]
#[command(
    after_help = "Commands, one a line on stdin: pause, continue, step, phase, abort, undo, redo, status, help; quit leaves, the\nsearch goes on. Exit status: that of the search when it ends, 0 when you leave it, 1 when it is not running."
)]
pub struct AttachArgs {
    /// A session file, or its name in the sessions folder
    pub session: String,
    /// Print each entry of the journal as one JSON line; commands on stdin may be JSON lines, too: {"do":"pause"}
    #[arg(long)]
    pub json: bool,
}

/// What `help` says.
const HELP: &str = "pause: decide nothing new; what is on its way is taken in
continue: go on
step: until the step that is open (or comes next) is closed
phase: one decision, or one round of calls built, or sent
abort: pause and drop the calls on their way
undo, redo: take back the last act, bring it back
status: how things stand
quit: leave; the search stays as it is";

/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long a search that ended has to write its last entries and leave.
const FAREWELL: Duration = Duration::from_millis(500);

/// Follows a running search until it ends or the person leaves.
///
/// # Errors
/// The session is not running, or one readable sentence of what broke.
pub async fn run(args: AttachArgs) -> anyhow::Result<Status> {
    let path = session_path(&args.session);
    let recording = read(&path)?;
    let Some(stream) = connect(&path).await else { bail!(not_running(&path, &recording.state)) };
    let descent = Descent::of(&recording.header, &recording.entries).words(Supply::Over);
    let mut journal = Tail::of(&path, recording)?;
    let mut out = Out { json: args.json, teller: Teller::default() };
    let (read, write) = stream.into_split();
    let mut search = Search { replies: BufReader::new(read).lines(), write };
    let leaves_at_end = std::io::stdin().is_terminal();
    let (mut words, mut reading) = (stdin_lines(), true);
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let begun = std::mem::take(&mut journal.begun);
    out.entries(&journal.state, &begun)?;
    if !args.json {
        say(&format!("attached to {}; `help` lists the commands, `quit` leaves", path.display()));
        descent.iter().for_each(|words| say(words));
        // What was hit before it was opened again is not the last entry.
        let told = begun.last().is_some_and(|entry| matches!(entry.ev, Event::Halted(_)));
        journal.state.halted.iter().filter(|_| !told).for_each(|halt| say(&halt.words()));
    }
    loop {
        tokio::select! {
            _ = look.tick() => {
                let new = journal.look()?;
                out.entries(&journal.state, &new)?;
                if journal.is_finished() {
                    // Its last words: entries after the end, replies that are on their way.
                    if let Ok(said) = tokio::time::timeout(FAREWELL, search.says_until_it_leaves(&out)).await {
                        said?;
                    }
                    break;
                }
            }
            reply = search.replies.next_line() => match reply {
                Ok(Some(line)) => out.reply(&line)?,
                Ok(None) | Err(_) => break,
            },
            word = words.recv(), if reading => match word.as_deref().map(str::trim) {
                Some("") => {}
                Some("quit") => return Ok(left(&out)),
                Some("help") if args.json => out.line(&json!({ "help": HELP.lines().collect::<Vec<_>>() }).to_string())?,
                Some("help") => say(HELP),
                // A search that is gone is told by the end of its replies.
                Some(word) => search.tell(word).await,
                None if leaves_at_end => return Ok(left(&out)),
                None => reading = false,
            },
            _ = interrupt.recv() => return Ok(left(&out)),
            _ = terminate.recv() => return Ok(left(&out)),
        }
    }
    let new = journal.look()?;
    out.entries(&journal.state, &new)?;
    end(&journal, args.json)
}

/// Why nothing answers.
fn not_running(path: &Path, state: &State) -> String {
    let shown = path.display();
    // Who writes a journal holds its lock.
    let locked = File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
    if locked {
        return format!(
            "{shown}: a tot runs it, but its socket can't be reached from here: attach from a terminal with the same XDG_RUNTIME_DIR and \
             XDG_STATE_HOME, as the same user"
        );
    }
    let over = if state.finished.is_some() { "its search has ended" } else { "no tot runs it now" };
    format!("{shown}: {over}: look at it with `tot replay {shown}`, go on with `tot resume {shown}`")
}

fn left(out: &Out) -> Status {
    if !out.json {
        say("left; the search stays as it is");
    }
    Status::Ok
}

/// What the search came to, and the exit status that `tot ask` has for it.
fn end(journal: &Tail, json: bool) -> anyhow::Result<Status> {
    let (state, session) = (&journal.state, journal.path.display());
    let answer = || -> std::io::Result<()> {
        if json {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        write!(out, "{}", clean(&report::answer(state)))?;
        out.flush()
    };
    if journal.is_finished() {
        answer()?;
        return Ok(ask::status(state));
    }
    let Some(halt) = state.halted.as_deref() else {
        say(&format!("the program that ran this session left it (it ended, or went on in a fork); go on with: tot ask --resume {session}"));
        return Ok(Status::Stopped);
    };
    let go_on = format!("go on with: tot ask --resume {session}");
    match halt.cause {
        HaltCause::Budget(_) => answer()?,
        HaltCause::Breakpoint => {}
        HaltCause::Service | HaltCause::Template | HaltCause::Miss => bail!("{}; {go_on}", one_line(&halt.why)),
    }
    say(&go_on);
    Ok(Status::Stopped)
}

/// The connection to the search.
struct Search {
    replies: Lines<BufReader<OwnedReadHalf>>,
    write: OwnedWriteHalf,
}

impl Search {
    /// Tells its replies until it closes the connection.
    async fn says_until_it_leaves(&mut self, out: &Out) -> anyhow::Result<()> {
        while let Ok(Some(line)) = self.replies.next_line().await {
            out.reply(&line)?;
        }
        Ok(())
    }

    /// Sends a command: a word, or a JSON line as it is.
    async fn tell(&mut self, word: &str) {
        let line = if word.starts_with('{') { word.to_owned() } else { json!({ "do": word }).to_string() };
        let _ = self.write.write_all(format!("{line}\n").as_bytes()).await;
    }
}

/// What the person (or a program) sees.
struct Out {
    json: bool,
    teller: Teller,
}

impl Out {
    fn entries(&mut self, state: &State, entries: &[Arc<Entry>]) -> anyhow::Result<()> {
        if !self.json {
            self.teller.tell(state, entries);
            // An explorer stays when its search stands still.
            if let (Some(halt), Some(Event::Halted(_))) = (&state.halted, entries.last().map(|entry| &entry.ev)) {
                say(&halt.words());
            }
            return Ok(());
        }
        for entry in entries {
            self.line(&serde_json::to_string(&**entry)?)?;
        }
        Ok(())
    }

    fn reply(&self, line: &str) -> anyhow::Result<()> {
        if self.json {
            let reply: Json = serde_json::from_str(line).context("the search answered what is no JSON")?;
            return self.line(&json!({ "reply": reply }).to_string());
        }
        let reply: Reply = serde_json::from_str(line).context("the search answered in a way that this program does not know")?;
        say(&told(&reply));
        Ok(())
    }

    /// One line on stdout.
    fn line(&self, json: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", printable_json(json))?;
        out.flush()?;
        Ok(())
    }
}

/// A reply for a person.
fn told(reply: &Reply) -> String {
    if !reply.ok {
        let why = reply.why.as_deref().unwrap_or("it was refused");
        let possible = reply.possible.as_ref().map(|words| format!("; possible are {}, help, quit", words.join(", "))).unwrap_or_default();
        return one_line(&format!("not done: {why}{possible}"));
    }
    let state = reply.state.as_deref().unwrap_or("done");
    let event = reply.seq.filter(|seq| *seq > 0).map(|seq| format!(" after event {}", last_event(seq))).unwrap_or_default();
    let halted = reply.halted.as_deref().map(|why| format!("; {why}")).unwrap_or_default();
    let next = reply.next.as_deref().map(|next| format!("; next: {next}")).unwrap_or_default();
    one_line(&format!("{state}{event}{halted}{next}"))
}

/// A journal that another program writes.
struct Tail {
    path: PathBuf,
    file: File,
    /// Bytes up to there were read: whole lines. What is behind them may be torn, and even taken back.
    good: u64,
    state: State,
    /// Entries that were there before.
    begun: Vec<Arc<Entry>>,
}

impl Tail {
    fn of(path: &Path, recording: Recording) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        Ok(Self { path: path.to_owned(), file, good: recording.good, state: recording.state, begun: recording.entries })
    }

    /// Takes up the entries that are whole now.
    fn look(&mut self) -> anyhow::Result<Vec<Arc<Entry>>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.good))?;
        self.file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let mut entries = Vec::new();
        for line in bytes[..whole].split_inclusive(|b| *b == b'\n') {
            let (path, seq) = (self.path.display(), self.state.seq);
            let entry: Entry = serde_json::from_slice(line).with_context(|| format!("{path}: entry {seq} can't be followed"))?;
            self.state.apply(&entry).with_context(|| format!("{path}: entry {seq} can't be followed"))?;
            self.good += line.len() as u64;
            entries.push(Arc::new(entry));
        }
        Ok(entries)
    }

    /// Whether the search ended, and nothing happened since that it has to think over.
    fn is_finished(&self) -> bool {
        self.state.finished.as_deref().is_some_and(|(_, seq)| *seq >= self.state.reconsider)
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;
    use crate::session::read;
    use std::fs::OpenOptions;
    use std::io::Write;

    #[test]
    fn a_torn_line_waits_for_its_rest_and_may_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let text = include_str!("../../assets/sessions/straight.jsonl");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let begun = lines[..5].concat();
        std::fs::write(&path, &begun).unwrap();
        let mut tail = Tail::of(&path, read(&path).unwrap()).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        let mut seqs = |more: &[u8], cut_to: Option<usize>| -> Vec<u64> {
            if let Some(length) = cut_to {
                file.set_len(length as u64).unwrap();
            }
            file.write_all(more).unwrap();
            tail.look().unwrap().iter().map(|entry| entry.seq).collect()
        };
        let (half, rest) = lines[5].as_bytes().split_at(lines[5].len() / 2);
        assert!(seqs(half, None).is_empty());
        assert_eq!(seqs(&[rest, &lines[6].as_bytes()[..3]].concat(), None), [4]);
        // The disk was full: what was half written is taken back, and written again later.
        let good = lines[..6].concat().len();
        assert!(seqs(b"", Some(good)).is_empty());
        assert_eq!(seqs(lines[6..].concat().as_bytes(), None), (5..lines.len() as u64 - 1).collect::<Vec<_>>());
        assert!(tail.is_finished());
        assert_eq!(tail.state, read(&path).unwrap().state);
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let text = include_str!("../../assets/sessions/straight.jsonl");
        std::fs::write(&path, text.split_inclusive('\n').take(5).collect::<String>()).unwrap();
        let mut tail = Tail::of(&path, read(&path).unwrap()).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"seq\":4}\n").unwrap();
        let wrong = format!("{:#}", tail.look().unwrap_err());
        assert!(wrong.contains("entry 4 can't be followed") && wrong.contains("s.jsonl"), "{wrong}");
    }
}
