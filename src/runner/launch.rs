//! Starting a runner: on a new question, on a session that was left, or on a recording that is only looked at.

use super::bank::Bank;
use super::command::{Command, Pace};
use super::live::{Live, Snapshot};
use super::message::Message;
use super::models::{Models, Opener};
use super::obey::Outcome;
use crate::graph::KgName;
use crate::kg::KnowledgeGraph;
use crate::llm::LanguageModel;
use crate::price::Price;
use crate::redact::Secrets;
use crate::search::steer::Rule;
use crate::search::strategy::Strategy;
use crate::search::{Act, ActId, By, Condition, Entry, Event, OtherModel, Setting, Started, State};
use crate::session::{Journal, Recording, Timeline};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// How a runner begins.
pub enum Setup {
    /// A new session.
    New {
        /// What it starts from.
        started: Box<Started>,
        /// Where it is recorded; `None`: nowhere.
        journal: Option<Journal>,
        /// Its name.
        name: String,
        /// Something to tell the person first (that it is not recorded, say).
        note: Option<String>,
        /// Replies of an earlier session that answer equal requests (`--from`).
        bank: Option<Bank>,
    },
    /// A session that was left.
    Resume {
        /// What was read.
        recording: Box<Recording>,
        /// Where it goes on being recorded.
        journal: Journal,
        /// What is new in it.
        changes: Changes,
    },
    /// A recording that is only looked at.
    Replay {
        /// What was read.
        recording: Box<Recording>,
        /// Something to tell the person first (that another program writes it, say).
        note: Option<String>,
    },
}

/// What is new in a session that is opened again.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Limits and rules that the person gave now.
    pub settings: Vec<Setting>,
    /// What the model's tokens cost, if that was not known before.
    pub price: Option<Price>,
    /// The model that goes on with it, if that is another than the one that was asked last.
    pub model: Option<OtherModel>,
}

/// What a runner works with.
pub struct Equipment {
    /// The method.
    pub strategy: Box<dyn Strategy>,
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// Opens further models that a person names.
    pub others: Opener,
    /// The KGs, by name.
    pub kgs: Vec<(KgName, Arc<dyn KnowledgeGraph>)>,
    /// The pace at the beginning.
    pub pace: Pace,
    /// The pause between decisions.
    pub pause: Duration,
    /// Texts that must never be recorded.
    pub secrets: Secrets,
    /// Breakpoints that the person wants from the beginning.
    pub breaks: Vec<Condition>,
    /// Rules that the person wants from the beginning.
    pub rules: Vec<Rule>,
    /// Whether a person is there who can decide about samples (not so without a screen).
    pub watched: bool,
    /// Whether a recording can be forked: model and KGs could be opened.
    pub can_fork: bool,
    /// Where forks are recorded.
    pub folder: Option<PathBuf>,
}

/// A running session.
pub struct Handle {
    /// What it is told.
    pub commands: mpsc::UnboundedSender<Command>,
    /// What it shows.
    pub snapshots: watch::Receiver<Arc<Snapshot>>,
    /// Its end.
    pub task: tokio::task::JoinHandle<()>,
}

/// The one owner of state and journal.
pub(super) struct Runner {
    pub(super) equipment: Equipment,
    pub(super) state: State,
    pub(super) timeline: Timeline,
    pub(super) journal: Option<Journal>,
    /// Entries that the disk refused; they are written first when it takes entries again.
    pub(super) unwritten: VecDeque<Arc<Entry>>,
    pub(super) live: Live,
    pub(super) models: Models,
    pub(super) flights: HashMap<crate::calls::AskId, super::drive::InFlight>,
    pub(super) next_flight: u64,
    /// Asks whose flight was dropped by the person: sent again on continuing.
    pub(super) dropped: HashSet<crate::calls::AskId>,
    /// Asks whose service failed: sent again when the person goes on or acts, never by themselves.
    pub(super) stalled: HashSet<crate::calls::AskId>,
    pub(super) bank: Option<Bank>,
    /// The first request of the round that the bank does not answer, when nothing may be asked.
    pub(super) missed: Option<String>,
    pub(super) previews: HashMap<Arc<str>, Arc<crate::calls::KgReply>>,
    pub(super) inquiries: HashMap<u64, tokio::task::AbortHandle>,
    /// When the engine may decide again.
    pub(super) gate: Instant,
    /// Whether going on stopped at the gate: then its timer wakes the runner.
    pub(super) gated: bool,
    pub(super) reports: mpsc::UnboundedSender<Message>,
    pub(super) running_since: Option<Instant>,
    pub(super) ran: Duration,
    /// Breakpoints that were hit by what was recorded last, until the search stands still.
    pub(super) hits: Vec<(ActId, String)>,
    pub(super) dirty: bool,
}

/// Starts a runner on the current tokio runtime.
///
/// # Errors
/// The first entries can't be written.
pub fn launch(setup: Setup, equipment: Equipment) -> std::io::Result<Handle> {
    let (commands, orders) = mpsc::unbounded_channel();
    let (reports, messages) = mpsc::unbounded_channel();
    let mut runner = Runner::new(setup, equipment, reports)?;
    let (snapshots, watching) = watch::channel(Arc::new(runner.snapshot()));
    let task = tokio::spawn(async move { runner.run(orders, messages, snapshots).await });
    Ok(Handle { commands, snapshots: watching, task })
}

impl Runner {
    fn new(setup: Setup, equipment: Equipment, reports: mpsc::UnboundedSender<Message>) -> std::io::Result<Self> {
        let mut changes = Changes::default();
        let (name, journal, recording, started, note, bank, replay) = match setup {
            Setup::New { started, journal, name, note, bank } => (name, journal, None, Some(started), note, bank, false),
            Setup::Resume { recording, journal, changes: new } => {
                changes = new;
                (recording.header.session.clone(), Some(journal), Some(recording), None, None, None, false)
            }
            Setup::Replay { recording, note } => (recording.header.session.clone(), None, Some(recording), None, note, None, true),
        };
        let live = Live {
            pace: if replay { Pace::Paused } else { equipment.pace },
            pause: equipment.pause,
            flights: Vec::new(),
            waits: Vec::new(),
            learnt: Arc::default(),
            writing: super::live::Writing::default(),
            inquiries: Vec::new(),
            proposal: None,
            upcoming: None,
            notice: None,
            obeyed: 0,
            replaying_parent: bank.is_some(),
            session: name,
            path: journal.as_ref().map(|j| j.path().to_owned()),
            seen_at: recording.as_ref().filter(|_| replay).map(|r| r.path.clone()),
            parent: recording.as_ref().and_then(|r| r.header.parent.clone()),
            parent_path: recording.as_ref().and_then(|r| r.header.parent_path.as_ref()).map(PathBuf::from),
            fork: recording.as_ref().map(|r| r.header.fork.clone()).unwrap_or_default(),
            stops_at_miss: false,
            replay,
            ran_ms: 0,
        };
        let mut runner = Self {
            equipment,
            state: State::default(),
            timeline: Timeline::default(),
            journal,
            unwritten: VecDeque::new(),
            live,
            models: Models::default(),
            flights: HashMap::new(),
            next_flight: 0,
            dropped: HashSet::new(),
            stalled: HashSet::new(),
            bank,
            missed: None,
            previews: HashMap::new(),
            inquiries: HashMap::new(),
            gate: Instant::now(),
            gated: false,
            reports,
            running_since: None,
            ran: Duration::ZERO,
            hits: Vec::new(),
            dirty: true,
        };
        if let Some(started) = started {
            runner.push(By::Engine, Event::Started(started));
            if !runner.unwritten.is_empty() {
                // A session that never began leaves nothing behind.
                if let Some(journal) = runner.journal.take() {
                    let _ = std::fs::remove_file(journal.path());
                }
                return Err(std::io::Error::other(
                    "the session can't be recorded, the disk is full: make room, or give another place with --session PATH",
                ));
            }
        }
        let note = note.or_else(|| recording.as_ref().and_then(|r| r.note()));
        if let Some(recording) = recording {
            runner.adopt(*recording);
            runner.file_first_model(changes.model.as_ref());
            if let Some(note) = note {
                runner.tell(note);
            }
            if !replay {
                runner.reopen(changes);
            }
        } else {
            runner.file_first_model(None);
            if let Some(note) = note {
                runner.tell(note);
            }
        }
        if !replay {
            runner.set_breaks();
            runner.set_rules();
        }
        Ok(runner)
    }

    /// Sets the breakpoints of the command line that are not set yet; those that are switched off are switched on.
    fn set_breaks(&mut self) {
        for condition in std::mem::take(&mut self.equipment.breaks) {
            let known = self.state.breakpoints().find(|point| *point.condition == condition).map(|point| (point.act, point.on));
            match known {
                Some((_, true)) => {}
                Some((act, false)) => self.push(By::You, Event::Undone { act, redo: true }),
                None => self.act(Act::Break { condition }),
            }
        }
    }

    /// Sets the rules of the command line that are not in force yet; those that are switched off are switched on.
    fn set_rules(&mut self) {
        for rule in std::mem::take(&mut self.equipment.rules) {
            let known = self.state.rules().find(|(_, other, _)| **other == rule).map(|(act, _, on)| (act, on));
            match known {
                Some((_, true)) => {}
                Some((act, false)) => self.push(By::You, Event::Undone { act, redo: true }),
                None => self.act(Act::Rule(rule)),
            }
        }
    }

    /// Takes up what a recording holds.
    fn adopt(&mut self, recording: Recording) {
        // The recording was checked on reading: its entries fit.
        if let Ok((timeline, state)) = Timeline::of(recording.entries.iter().map(|e| (**e).clone())) {
            (self.timeline, self.state) = (timeline, state);
            self.ran = Duration::from_millis(self.state.ran_ms);
        }
    }

    async fn run(
        &mut self,
        mut orders: mpsc::UnboundedReceiver<Command>,
        mut messages: mpsc::UnboundedReceiver<Message>,
        snapshots: watch::Sender<Arc<Snapshot>>,
    ) {
        let mut published = Instant::now().checked_sub(super::publish::EVERY).unwrap_or_else(Instant::now);
        loop {
            self.drive();
            let look = self.look_at_waits();
            let now = Instant::now();
            if self.dirty && now.duration_since(published) >= super::publish::EVERY {
                self.dirty = false;
                published = now;
                // Nobody watching is no reason to stop: a headless search goes on.
                let _ = snapshots.send(Arc::new(self.snapshot()));
            }
            let redraw = self.dirty.then(|| published + super::publish::EVERY);
            let wake = [redraw, self.gate_timer(), look, self.time_is_up_at()].into_iter().flatten().min();
            let timer = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                order = orders.recv() => match order.map(|o| self.obey(o)) {
                    None | Some(Outcome::Quit) => break,
                    Some(Outcome::Go) => {}
                },
                Some(message) = messages.recv() => self.hear(message),
                () = timer => {}
            }
        }
        self.drop_flights();
        self.record_time();
        // What the disk refused before gets its last chance.
        self.write_back();
        let _ = snapshots.send(Arc::new(self.snapshot()));
        self.journal = None;
    }
}
