//! Obeying: what a person tells the runner becomes events, or a refusal.

use super::bank::{Bank, OnMiss};
use super::command::{Command, Pace, PaceChange};
use super::launch::{Changes, Runner};
use super::live::Inquiry;
use super::message::Message;
use super::task;
use crate::calls::{AskId, KgCall, Sample};
use crate::search::{Act, ActId, By, Event, Got, Halt, HaltCause, Seq, Source, kg_hash};
use crate::session::{ForkNote, Header, Journal, Timeline, new_session_name};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What an order leads to.
pub(super) enum Outcome {
    /// Go on.
    Go,
    /// End.
    Quit,
}

/// The longest pause between decisions.
const SLOWEST: Duration = Duration::from_secs(8);
/// The shortest one that is not none.
const FASTEST: Duration = Duration::from_millis(20);

impl Runner {
    pub(super) fn obey(&mut self, command: Command) -> Outcome {
        self.dirty = true;
        self.live.obeyed += 1;
        match command {
            Command::Quit => return Outcome::Quit,
            Command::Speed(change) => self.live.pause = changed(self.live.pause, change),
            Command::Inquire { id, call } => self.inquire(id, call),
            Command::DropInquiry(id) => self.drop_inquiry(id),
            Command::Fork { at, stop, note } => self.fork(at, stop, note),
            _ if self.live.replay => self.tell("this is a recording: press f to fork it here and go on live"),
            Command::Pace(pace) => self.set_pace(pace),
            Command::Abort => self.abort(),
            Command::Cancel(ask) => self.cancel(ask),
            Command::Do(act) => self.act(act),
            Command::Undo => self.undo(self.state.undoable(), false),
            Command::Switch(act, on) => self.switch(act, on),
            Command::Decide { seq, rows, note } => self.decide(seq, rows, note),
            Command::Redo => self.undo(self.state.redoable(), true),
            Command::Reply { ask, slot, text } => self.reply(ask, slot, text),
        }
        Outcome::Go
    }

    fn set_pace(&mut self, pace: Pace) {
        self.write_back();
        if !self.unwritten.is_empty() {
            return;
        }
        // A fork that stopped at the first miss: who goes on now goes on live.
        let missed = matches!(self.state.halted.as_deref(), Some(Halt { cause: HaltCause::Miss, .. }));
        if pace != Pace::Paused && missed && self.bank.as_ref().is_some_and(|bank| bank.on_miss() == OnMiss::Halt) {
            self.leave_recording();
        }
        self.live.pace = pace;
        self.stalled.clear();
        self.gate = Instant::now();
    }

    pub(super) fn act(&mut self, act: Act) {
        let act = match self.with_model(act) {
            Ok(act) => act,
            Err(error) => {
                self.tell(error.message);
                return;
            }
        };
        match act.check(&self.state) {
            Err(refused) => self.tell(refused.0),
            Ok(()) => {
                let id = ActId(u32::try_from(self.state.acts.len()).unwrap_or(u32::MAX));
                if !act.only_looks() {
                    self.stalled.clear();
                }
                self.push(By::You, Event::Acted { act: id, what: act });
            }
        }
    }

    fn switch(&mut self, act: ActId, on: bool) {
        let is_on = self.state.acts.get(act.index()).filter(|act| act.what.is_switch()).map(|act| act.active);
        match is_on {
            None => self.tell("there is nothing to switch"),
            Some(now) if now != on => {
                self.stalled.clear();
                self.push(By::You, Event::Undone { act, redo: on });
            }
            Some(_) => {}
        }
    }

    fn undo(&mut self, act: Option<ActId>, redo: bool) {
        match act {
            Some(act) => {
                if self.state.acts.get(act.index()).is_some_and(|act| !act.what.only_looks()) {
                    self.stalled.clear();
                }
                self.push(By::You, Event::Undone { act, redo });
            }
            None if redo => self.tell("there is nothing to redo"),
            None => self.tell("there is nothing to undo: only what you did by hand can be taken back"),
        }
    }

    fn reply(&mut self, ask: AskId, slot: u32, text: String) {
        let open = self.state.ask(ask).is_some_and(|a| a.samples.get(slot as usize).is_some_and(Option::is_none) && a.error.is_none());
        if !open {
            self.tell("this prompt is answered already");
            return;
        }
        let got = Got::Samples(vec![(slot, Sample::stopped(text))]);
        self.push(By::You, Event::Replied { ask, got, source: Source::You, usage: None, took_ms: 0, tries: 1, nothing: false });
        if self.state.ask(ask).is_some_and(crate::search::Ask::is_complete) {
            self.flights.remove(&ask);
        }
    }

    fn inquire(&mut self, id: u64, call: KgCall) {
        self.drop_inquiry(id);
        let Some(kg) = self.kg(&call.kg) else {
            self.tell(format!("{} is not open in this session", call.kg));
            return;
        };
        let (hash, reports) = (kg_hash(&call), self.reports.clone());
        let looking = kg.perform(None, call.op);
        let task = tokio::spawn(async move {
            let result = looking.await;
            let _ = reports.send(Message::Inquiry { id, hash, result });
        });
        self.inquiries.insert(id, task.abort_handle());
        self.live.inquiries.push(Inquiry { id, result: None });
    }

    fn drop_inquiry(&mut self, id: u64) {
        if let Some(task) = self.inquiries.remove(&id) {
            task.abort();
        }
        self.live.inquiries.retain(|i| i.id != id);
    }

    /// A new session that holds everything up to and with entry `seq` and goes live from there. It starts paused.
    fn fork(&mut self, seq: Seq, stop: bool, note: ForkNote) {
        if !self.equipment.can_fork {
            self.tell("this recording can't be forked: its model or graph can't be opened (tot resume says why)");
            return;
        }
        let count = usize::try_from(seq).unwrap_or(usize::MAX).saturating_add(1).min(self.timeline.entries().len());
        let parent = (self.live.session.clone(), count as u64);
        let prefix = self.timeline.entries()[..count].to_vec();
        let name = new_session_name();
        let hide = |text: &str| self.equipment.secrets.hide(text);
        let note = ForkNote { why: hide(&note.why), expected: hide(&note.expected) };
        // Whoever looks for the parent need not search for it: it may stand in any place.
        let file = self.live.path.as_ref().or(self.live.seen_at.as_ref()).and_then(|path| path.canonicalize().ok());
        let parent_path = file.as_deref().and_then(Path::to_str).map(hide);
        let header = Header::new(&name, Some(parent.clone())).with_parent_path(parent_path.clone()).with_note(note.clone());
        let journal = match &self.equipment.folder {
            None => None,
            Some(folder) => match Journal::create(&folder.join(format!("{name}.jsonl")), &header, &prefix) {
                Ok(journal) => Some(journal),
                Err(e) => {
                    self.tell(format!("the fork can't be recorded ({e}): nothing was changed"));
                    return;
                }
            },
        };
        self.drop_flights();
        self.record_time();
        self.dropped.clear();
        self.stalled.clear();
        let Ok((timeline, state)) = Timeline::of(prefix.iter().map(|e| (**e).clone())) else {
            self.tell("the fork could not be made: an entry does not fit");
            return;
        };
        let own = Bank::of(self.timeline.entries(), if stop { OnMiss::Halt } else { OnMiss::Leave });
        // A question that goes on from a recording keeps it in its forks.
        let bank = match self.bank.take() {
            Some(recording) if recording.on_miss() == OnMiss::Ask && !stop => own.over(recording),
            _ => own,
        };
        (self.timeline, self.state) = (timeline, state);
        self.hits.clear();
        self.live.proposal = None;
        self.journal = journal;
        self.unwritten.clear();
        self.bank = Some(bank);
        self.previews.clear();
        self.live.session = name;
        self.live.path = self.journal.as_ref().map(|j| j.path().to_owned());
        self.live.seen_at = None;
        self.live.parent = Some(parent);
        self.live.parent_path = parent_path.map(PathBuf::from);
        self.live.fork = note;
        self.live.stops_at_miss = stop;
        self.live.replay = false;
        self.live.replaying_parent = true;
        self.live.pace = Pace::Paused;
        self.ran = Duration::from_millis(self.state.ran_ms);
        self.running_since = None;
        self.prime();
        self.tell(if stop {
            "forked: paused here; space goes on, and it stops at the first request that the parent never made"
        } else {
            "forked: paused here; space goes on. Equal requests are answered from the parent until the first that it never made"
        });
    }

    /// From here on a fork is live.
    pub(super) fn leave_recording(&mut self) {
        self.bank = None;
        self.live.replaying_parent = false;
        self.tell("from here on the fork is live");
    }

    /// Tells models and KGs with a memory what the journal holds.
    fn prime(&self) {
        self.prime_models();
        for (name, kg) in &self.equipment.kgs {
            kg.prime(&task::kg_history(&self.state, name));
        }
    }

    /// Goes on with a session that was left: what was in flight then is sent again.
    pub(super) fn reopen(&mut self, changes: Changes) {
        self.prime();
        let lost: Vec<AskId> = self.state.asks.iter().filter(|a| !a.is_complete()).map(|a| a.id).collect();
        let price = changes.price.filter(|_| self.state.price().is_none());
        self.push(By::Engine, Event::Resumed { lost, price });
        for setting in changes.settings {
            self.act(Act::Set(setting));
        }
        if let Some(model) = changes.model {
            self.act(Act::Model(Box::new(model)));
        }
    }
}

fn changed(pause: Duration, change: PaceChange) -> Duration {
    match change {
        PaceChange::To(pause) => pause.min(SLOWEST),
        PaceChange::Slower => (pause * 2).clamp(FASTEST, SLOWEST),
        PaceChange::Faster if pause <= FASTEST => Duration::ZERO,
        PaceChange::Faster => pause / 2,
    }
}
