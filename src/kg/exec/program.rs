//! The process: started by the shell in a group of its own, asked line by line, ended with all that it started.

use super::groups::Group;
use super::lines::{Lines, Next};
use crate::calls::{CallError, CallErrorKind};
use crate::text;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

/// How long a program may take to end after its standard input was closed.
const GRACE: Duration = Duration::from_secs(1);
/// How long the last words of a program that ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Lines of its standard error that are kept for messages, and bytes of one.
const KEPT: (usize, usize) = (5, 4 << 10);
/// Replies larger than this are read on a thread that may take its time.
const LARGE: usize = 256 << 10;

type Answer = Result<Value, CallError>;

/// A program that runs. When it is dropped the process is asked to end, and killed if it does not.
pub(super) struct Program {
    desk: Arc<Desk>,
    /// Lines for its standard input.
    to: mpsc::UnboundedSender<Vec<u8>>,
    end: Arc<Notify>,
    good: AtomicBool,
}

/// What the tasks around the process share.
struct Desk {
    name: String,
    shown: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    /// The number of the next request.
    next: u64,
    /// Lines that came.
    heard: u64,
    /// Why it can't be asked any more.
    over: Option<CallError>,
    /// The last lines of its standard error.
    said: VecDeque<String>,
}

/// The command as messages show it.
pub(super) fn shown(command: &str) -> String {
    format!("program `{}`", text::cut(&text::one_line(command), 60))
}

impl Program {
    /// Starts `command` by the shell. `largest`: bytes of one line at most.
    pub(super) fn start(name: &str, command: &str, largest: usize) -> Result<Self, CallError> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own: Ctrl-C at our terminal is not meant for it, and it can be killed with all its children.
        // A graph calls no model, so it needs no model's key.
        shell.process_group(0).kill_on_drop(true).env_remove("OPENAI_API_KEY");
        let fails =
            |what: &str| CallError::new(CallErrorKind::Unreachable, format!("{name}: the {} can't be started: {what}", shown(command)));
        let mut child = shell.spawn().map_err(|error| fails(&error.to_string()))?;
        let (Some(leader), Some(input), Some(output), Some(errors)) =
            (child.id(), child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(fails("it ended at once"));
        };
        let end = Arc::new(Notify::new());
        let group = Group::new(leader, Arc::clone(&end));
        let desk = Arc::new(Desk { name: name.to_owned(), shown: shown(command), state: Mutex::default() });
        let (to, lines) = mpsc::unbounded_channel();
        let around = Around {
            writer: tokio::spawn(write(input, lines)),
            reader: tokio::spawn(read(output, Arc::clone(&desk), largest)),
            errors: tokio::spawn(listen(errors, Arc::clone(&desk))),
        };
        tokio::spawn(guard(child, group, Arc::clone(&desk), around, Arc::clone(&end)));
        Ok(Self { desk, to, end, good: AtomicBool::new(false) })
    }

    /// Why it can't be asked any more, if so.
    pub(super) fn over(&self) -> Option<CallError> {
        self.desk.state().over.clone()
    }

    /// Remembers that it gave a good reply.
    pub(super) fn did_well(&self) {
        self.good.store(true, Ordering::Relaxed);
    }

    /// Whether it ever gave a good reply.
    pub(super) fn was_good(&self) -> bool {
        self.good.load(Ordering::Relaxed)
    }

    /// Sends `request` under a number of its own and waits for what answers it. Also gives the line that was sent.
    pub(super) async fn call(&self, mut request: Map<String, Value>, limit: Duration) -> Result<(Value, String), CallError> {
        let (sender, receiver) = oneshot::channel();
        let (id, heard) = {
            let mut state = self.desk.state();
            if let Some(why) = &state.over {
                return Err(why.clone());
            }
            let id = state.next;
            state.next += 1;
            state.waiting.insert(id, sender);
            (id, state.heard)
        };
        let _forget = Forget { desk: &self.desk, id };
        request.insert("id".to_owned(), id.into());
        let line = Value::Object(request).to_string();
        let _ = self.to.send(format!("{line}\n").into_bytes());
        match tokio::time::timeout(limit, receiver).await {
            Ok(answer) => Ok((answer.unwrap_or_else(|_| Err(self.desk.error(CallErrorKind::Server, "ended")))?, line)),
            Err(_) => Err(self.late(limit, heard)),
        }
    }

    /// A call took too long. A program that said nothing at all meanwhile hangs: it is ended, and started anew at the
    /// next call.
    fn late(&self, limit: Duration, heard: u64) -> CallError {
        let seconds = limit.as_secs_f32();
        let error = self.desk.error(CallErrorKind::TimedOut, &format!("did not answer within {seconds:.0} s: ask for less, or try again"));
        if self.desk.state().heard == heard {
            self.desk.close(&error);
            self.end.notify_one();
        }
        error
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end.notify_one();
    }
}

/// Forgets a request when nobody waits for it any more.
struct Forget<'a> {
    desk: &'a Desk,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.desk.state().waiting.remove(&self.id);
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, kind: CallErrorKind, what: &str) -> CallError {
        CallError::new(kind, format!("{}: the {} {what}", self.name, self.shown))
    }

    /// Fails every call under way.
    fn fail(&self, error: &CallError) {
        let waiting = std::mem::take(&mut self.state().waiting);
        for (_, call) in waiting {
            let _ = call.send(Err(error.clone()));
        }
    }

    /// Fails every call under way and every later one.
    fn close(&self, error: &CallError) {
        self.state().over.get_or_insert_with(|| error.clone());
        self.fail(error);
    }

    /// What it said last on its standard error, in quotes.
    fn last_words(&self) -> String {
        let state = self.state();
        if state.said.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = state.said.iter().map(String::as_str).collect();
        let lines = lines.join(" / ");
        // The end says most.
        let skip = lines.chars().count().saturating_sub(300);
        let tail: String = lines.chars().skip(skip).collect();
        format!(", having said \"{}{tail}\"", if skip > 0 { "…" } else { "" })
    }

    /// Takes a line of its standard output.
    fn hear(&self, line: Result<Value, String>) {
        self.state().heard += 1;
        let quote = |text: &str| text::cut(&text::one_line(text), 100).into_owned();
        let stray = |what: &str| self.fail(&self.error(CallErrorKind::BadReply, what));
        let mut answer = match line {
            Ok(Value::Object(answer)) => answer,
            Ok(other) => return stray(&format!("wrote a line that is no JSON object: {}", quote(&other.to_string()))),
            Err(line) => {
                return stray(&format!("wrote a line that is no JSON: \"{}\"; remarks belong on its standard error", quote(&line)));
            }
        };
        let Some(id) = answer.get("id").and_then(Value::as_u64) else {
            return stray("wrote a reply without the `id` of its request");
        };
        let (call, known) = {
            let mut state = self.state();
            (state.waiting.remove(&id), id < state.next)
        };
        let Some(call) = call else {
            // A reply that nobody waits for any more is no fault.
            if !known {
                stray(&format!("answered a request that was never made (id {id})"));
            }
            return;
        };
        let _ = call.send(match (answer.remove("ok"), answer.remove("error")) {
            (_, Some(error)) => Err(self.refusal(&error)),
            (Some(ok), None) => Ok(ok),
            (None, None) => Err(self.error(CallErrorKind::BadReply, "sent a reply with neither `ok` nor `error`")),
        });
    }

    /// An error that the program itself tells of: a text, or an object with `kind` and `message`.
    fn refusal(&self, error: &Value) -> CallError {
        let message = error.as_str().or_else(|| error.get("message")?.as_str()).unwrap_or("it does not say why");
        let kind = error.get("kind").cloned().and_then(|kind| serde_json::from_value(kind).ok()).unwrap_or(CallErrorKind::Refused);
        CallError::new(kind, format!("{}: {}", self.name, text::cut(&text::one_line(message), 300)))
    }
}

/// The tasks around a process.
struct Around {
    writer: JoinHandle<()>,
    reader: JoinHandle<()>,
    errors: JoinHandle<()>,
}

async fn write(mut input: ChildStdin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        // A program that does not read any more is noticed by its end, or by the time that its answers take.
        if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}

async fn read(output: ChildStdout, desk: Arc<Desk>, largest: usize) {
    let mut lines = Lines::new(output, largest);
    loop {
        match lines.next().await {
            Next::Line(line) if line.trim_ascii().is_empty() => {}
            Next::Line(line) if line.len() > LARGE => {
                if let Ok(line) = tokio::task::spawn_blocking(move || parse(&line)).await {
                    desk.hear(line);
                }
            }
            Next::Line(line) => desk.hear(parse(&line)),
            Next::TooLong => {
                let what =
                    format!("wrote a line of more than {} bytes: make it ask for less at once", super::super::thousands(largest as u64));
                return desk.close(&desk.error(CallErrorKind::BadReply, &what));
            }
            Next::End => return,
        }
    }
}

/// The JSON of a line, or how it begins.
fn parse(line: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(line).map_err(|_| String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned())
}

async fn listen(errors: ChildStderr, desk: Arc<Desk>) {
    let mut lines = Lines::new(errors, 1 << 20);
    loop {
        let line = match lines.next().await {
            Next::Line(line) => text::one_line(&String::from_utf8_lossy(&line[..line.len().min(KEPT.1)])),
            Next::End => return,
            Next::TooLong => {
                // It must not be held up by what nobody reads.
                let _ = tokio::io::copy(&mut lines.into_stream(), &mut tokio::io::sink()).await;
                return;
            }
        };
        if !line.is_empty() {
            let said = &mut desk.state().said;
            if said.len() == KEPT.0 {
                said.pop_front();
            }
            said.push_back(line);
        }
    }
}

/// Waits for the end of the process, by itself or because it has to, and leaves nothing of it behind.
async fn guard(mut child: Child, group: Group, desk: Arc<Desk>, mut around: Around, end: Arc<Notify>) {
    let (status, by_itself) = tokio::select! {
        status = child.wait() => (status.ok(), true),
        () = end.notified() => (None, false),
        // It can't answer any more: its output is closed, or a line of it was too long.
        _ = &mut around.reader => (tokio::time::timeout(GRACE, child.wait()).await.ok().and_then(Result::ok), true),
    };
    if status.is_some() {
        let words = async {
            if !around.reader.is_finished() {
                let _ = (&mut around.reader).await;
            }
            let _ = (&mut around.errors).await;
        };
        let _ = tokio::time::timeout(LAST_WORDS, words).await;
    }
    if by_itself {
        let how = status.map_or_else(|| "closed its standard output".to_owned(), ended);
        let what = format!("{how}{}: run the command by hand to see why", desk.last_words());
        desk.close(&desk.error(CallErrorKind::Server, &what));
    } else {
        desk.close(&desk.error(CallErrorKind::Server, "was ended"));
    }
    around.writer.abort();
    if status.is_none() && tokio::time::timeout(GRACE, child.wait()).await.is_err() {
        group.kill();
        let _ = child.wait().await;
    }
    drop(group);
    around.reader.abort();
    around.errors.abort();
}

fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(0), _) => "ended".to_owned(),
        (Some(127), _) => "ended with status 127 (there is no such command)".to_owned(),
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
