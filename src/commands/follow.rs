//! Following a search without a screen: progress on stderr, a person as the model on stdin, signals.

use super::report;
use crate::attach::Door;
use crate::calls::{AskId, CallErrorKind};
use crate::graph::KgName;
use crate::runner::{Command, Handle, Pace, RunState, Snapshot, ToldWaits, task};
use crate::search::{Budget, Entry, Event, Halt, NodeId, State, StepId};
use crate::text::{clean, one_line};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Instant;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How a search that was followed came to rest.
pub(super) enum End {
    /// It ended.
    Finished,
    /// It stands still: the service fails, or a budget is used up.
    Halted(Halt),
    /// A signal stopped it.
    Stopped,
    /// The disk refuses the journal.
    Unwritten,
}

impl End {
    /// The budget that is used up.
    pub(super) const fn budget(&self) -> Option<Budget> {
        match self {
            Self::Halted(halt) => halt.cause.budget(),
            _ => None,
        }
    }
}

/// What is there when a search came to rest.
pub(super) struct Followed {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) end: End,
}

/// Prints a line on stderr; a closed stderr is no reason to stop.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", clean(line));
}

/// What a person who follows a search was told.
#[derive(Default)]
pub(super) struct Teller {
    /// KGs that do not answer.
    down: Vec<KgName>,
    /// Whether a service's sentence about a prompt that is too long was told: from then on what was done about it is.
    too_long: bool,
}

impl Teller {
    /// Tells on stderr what these entries, the last of `state`, brought.
    pub(super) fn tell(&mut self, state: &State, entries: &[Arc<Entry>]) {
        // Once for each time that a KG stops answering, not for every call.
        let outages = outages(state);
        for entry in entries {
            let told_below = entry.ev.is_outage() && of_kg(state, &entry.ev).is_some_and(|kg| outages.contains_key(kg));
            if matches!(&entry.ev, Event::Failed { error, .. } if error.kind == CallErrorKind::TooLong)
                && std::mem::replace(&mut self.too_long, true)
            {
                continue;
            }
            if let Event::Closed { step } = &entry.ev {
                left_out(state, *step).iter().for_each(|line| say(line));
            }
            if let Some(line) = progress(state, &entry.ev).filter(|_| !told_below) {
                say(&line);
            }
        }
        for (_, sentence) in outages.iter().filter(|(kg, _)| !self.down.contains(*kg)) {
            say(&format!("  {sentence}"));
        }
        for kg in self.down.iter().filter(|kg| !outages.contains_key(*kg)) {
            say(&format!("  {kg} answers again"));
        }
        self.down = outages.into_keys().collect();
    }
}

/// Waits until the search came to rest; tells on stderr what happens after the first `from` entries. Ctrl-C and SIGTERM
/// stop it. While another terminal holds it, it waits.
pub(super) async fn follow(handle: &Handle, door: &mut Door, from: usize, quiet: bool) -> anyhow::Result<Followed> {
    let mut snapshots = handle.snapshots.clone();
    let mut signals = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    let mut person = Person::default();
    let (mut told, mut noticed, mut stopped) = (from, None, false);
    let mut halted = None;
    let (mut teller, mut waits, mut learnt, mut held) = (Teller::default(), ToldWaits::default(), 0, false);
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        let new = &snapshot.entries()[told..];
        if let Some(halt) = new.iter().rev().find_map(|entry| if let Event::Halted(halt) = &entry.ev { Some(halt) } else { None }) {
            halted = Some(halt.clone());
        }
        if !quiet {
            teller.tell(&snapshot.state, new);
            waits.news(&snapshot.live.waits, Instant::now()).iter().for_each(|line| say(&format!("  {line}")));
        }
        // As what was known at the start: also when only the answer is wanted.
        for note in &snapshot.live.learnt.news()[learnt..] {
            say(&format!("  {}", one_line(note)));
        }
        learnt = snapshot.live.learnt.news().len();
        told = snapshot.entries().len();
        if let Some((number, notice)) = snapshot.live.notice.as_ref().filter(|(n, _)| noticed != Some(*n)) {
            noticed = Some(*number);
            say(notice);
        }
        let finished = snapshot.run_state() == RunState::Finished;
        let rests = snapshot.live.pace == Pace::Paused && snapshot.live.flights.is_empty();
        let holds = rests && door.is_held() && !finished && !stopped && (halted.is_none() || snapshot.state.halted.is_none());
        if std::mem::replace(&mut held, holds) != holds && !quiet {
            say(if holds { "paused from another terminal: it goes on when told there, or ends here with ctrl-c" } else { "goes on" });
        }
        if finished || (rests && !holds) {
            let end = match halted {
                _ if finished => End::Finished,
                Some(halt) => End::Halted(halt),
                None if stopped => End::Stopped,
                None => End::Unwritten,
            };
            return Ok(Followed { snapshot, end });
        }
        let wanted = person.wanted(&snapshot)?;
        let [interrupt, terminate] = &mut signals;
        tokio::select! {
            changed = snapshots.changed() => changed.context("the search ended unexpectedly")?,
            () = door.changed() => {}
            line = person.line(), if wanted.is_some() => {
                let Some(text) = line else { bail!("stdin ended: {}", resumable(&snapshot)) };
                if let (Some((ask, slot)), Some(text)) = (wanted, person.whole(text)) {
                    person.answered = wanted;
                    let _ = handle.commands.send(Command::Reply { ask, slot, text });
                }
            }
            () = either(interrupt, terminate) => {
                stopped = true;
                let _ = handle.commands.send(Command::Abort);
            }
        }
    }
}

/// What the prompts of a step left out: that for the samples, and the first one for a value.
fn left_out(state: &State, step: StepId) -> Vec<String> {
    let at = state.step(step).and_then(|step| step.node);
    let (own, values): (Vec<_>, Vec<_>) = state.left_out_in(step).into_iter().partition(|(node, _)| Some(*node) == at);
    let own = own.into_iter().map(|(_, said)| format!("  {said}"));
    own.chain(values.into_iter().take(1).map(|(_, said)| format!("  for a value: {said}"))).collect()
}

/// The KGs that do not answer now, each with a sentence that says so.
fn outages(state: &State) -> BTreeMap<KgName, String> {
    let down = state.down();
    let others = state.started.as_deref().is_some_and(|started| started.kgs.len() > down.len());
    down.iter().map(|down| (down.kg.clone(), one_line(&down.sentence(others)))).collect()
}

/// The KG whose call failed.
fn of_kg<'a>(state: &'a State, event: &Event) -> Option<&'a KgName> {
    match event {
        Event::Failed { ask, .. } => state.ask(*ask)?.kg(),
        _ => None,
    }
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

fn resumable(snapshot: &Snapshot) -> String {
    snapshot
        .live
        .path
        .as_ref()
        .map_or_else(|| "the session was not recorded".to_owned(), |path| format!("go on with: tot ask --resume {}", path.display()))
}

/// One line for what a person wants to follow.
fn progress(state: &State, event: &Event) -> Option<String> {
    match event {
        Event::Opened { node: Some(node), why, counts: true, .. } => {
            Some(format!("#{} {} ({})", order(state, *node), report::label(state, *node), one_line(why)))
        }
        Event::Grew { notices, .. } => {
            let news = state.news(notices);
            (!news.is_empty()).then(|| format!("  {}", one_line(&news.join("; "))))
        }
        Event::Failed { error, .. } => Some(format!("  {}", one_line(&error.message))),
        Event::Finished(end) => Some(one_line(&end.why)),
        _ => None,
    }
}

fn order(state: &State, node: NodeId) -> u32 {
    state.node(node).and_then(|n| n.order).unwrap_or_default()
}

/// The person at stdin, for `--llm human`: each prompt is printed on stderr, and one line is read for each sample. A line that
/// ends with `\` goes on in the next one.
#[derive(Default)]
struct Person {
    asked: Option<(AskId, u32)>,
    answered: Option<(AskId, u32)>,
    /// Lines that go on in the next one.
    begun: String,
    lines: Option<UnboundedReceiver<String>>,
}

impl Person {
    /// The sample that a line is wanted for; its prompt is printed once.
    fn wanted(&mut self, snapshot: &Snapshot) -> anyhow::Result<Option<(AskId, u32)>> {
        let state = &snapshot.state;
        let Some(ask) = snapshot.live.flights.iter().find(|f| f.human).and_then(|f| state.ask(f.ask)) else { return Ok(None) };
        let Some(slot) = ask.samples.iter().position(Option::is_none).and_then(|s| u32::try_from(s).ok()) else { return Ok(None) };
        let wanted = Some((ask.id, slot));
        if wanted == self.answered {
            return Ok(None);
        }
        if wanted != self.asked {
            // Also when the first samples were given before: a session that goes on.
            let is_new = self.asked.is_none_or(|(before, _)| before != ask.id);
            self.asked = wanted;
            let strategy = super::setup::strategy_of(&state.started().strategy)?;
            if let Some(job) = task::llm_job(state, &*strategy, ask).filter(|_| is_new) {
                say(&format!("\n{}\n", job.request.prompt()));
            }
            say(&format!("sample {} of {}:", slot + 1, ask.samples.len()));
        }
        Ok(wanted)
    }

    /// The reply that ends with `line`; `None` while it goes on, or when there is nothing in it.
    fn whole(&mut self, line: String) -> Option<String> {
        if let Some(part) = line.strip_suffix('\\') {
            self.begun.push_str(part);
            self.begun.push('\n');
            return None;
        }
        let reply = std::mem::take(&mut self.begun) + &line;
        if reply.trim().is_empty() {
            say("nothing was written: write a reply, or end with ctrl-c (the session can be resumed)");
            return None;
        }
        Some(reply)
    }

    /// The next line of stdin, `None` at its end.
    async fn line(&mut self) -> Option<String> {
        self.lines.get_or_insert_with(stdin_lines).recv().await
    }
}

/// The lines of stdin, read by a thread, so that signals are heard meanwhile.
pub(super) fn stdin_lines() -> UnboundedReceiver<String> {
    let (sender, lines) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
