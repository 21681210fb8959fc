//! A virtual world without tokio, clock or network: replies arrive in an order that a seed decides, in pieces.

use std::sync::Arc;
use tree_of_traversals::asm::Templates;
use tree_of_traversals::calls::{AskId, CallError, CallErrorKind, LlmRequest};
use tree_of_traversals::kg::KnowledgeGraph;
use tree_of_traversals::llm::LanguageModel;
use tree_of_traversals::runner::bank::{Bank, OnMiss};
use tree_of_traversals::runner::task;
use tree_of_traversals::scenario::{Scenario, ScriptedKg, ScriptedModel};
use tree_of_traversals::search::strategy::{Strategy, TreeOfTraversals};
use tree_of_traversals::search::{By, Entry, Event, Got, Next, Preset, Settings, Source, Started, State, ask_events, next, split_mix};

/// What of a session is on disk, read back as it was written.
#[derive(Clone, Default)]
pub struct Disk {
    /// The entries.
    pub entries: Vec<Entry>,
    /// The state that they make.
    pub state: State,
}

impl Disk {
    /// A disk with these entries.
    pub fn of(entries: &[Entry]) -> Self {
        let mut disk = Self::default();
        entries.iter().for_each(|entry| disk.write(entry));
        disk
    }

    /// Writes the next entry, and reads it back.
    pub fn write(&mut self, entry: &Entry) {
        let read: Entry = serde_json::from_str(&serde_json::to_string(entry).unwrap()).unwrap();
        assert_eq!(read, *entry, "an entry does not read back as it was written");
        self.state.apply(&read).unwrap_or_else(|e| panic!("{e}\n{read:?}"));
        self.entries.push(read);
    }
}

/// A session in a virtual world.
pub struct World {
    model: Arc<ScriptedModel>,
    kg: Arc<ScriptedKg>,
    /// The journal.
    pub entries: Vec<Entry>,
    /// The live state.
    pub state: State,
    flights: Vec<(AskId, Vec<Event>)>,
    seed: u64,
    /// Slots and KG calls that went over the wire, by ask.
    calls: Vec<(AskId, usize)>,
    strategy: TreeOfTraversals,
    bank: Option<Bank>,
    /// How many entries were on disk when this life of the session began, and the state that they make.
    begun: (usize, State),
    /// Which prompts the model refuses as too long.
    pub too_long: fn(&LlmRequest) -> bool,
}

impl World {
    /// A fresh session of a scenario.
    pub fn new(scenario: &Scenario, preset: Preset, seed: u64) -> Self {
        Self::with_settings(scenario, scenario.settings(preset), seed)
    }

    /// A fresh session under these limits and rules.
    pub fn with_settings(scenario: &Scenario, settings: Settings, seed: u64) -> Self {
        Self::with_prompts(scenario, settings, Templates::built_in(), seed)
    }

    /// A fresh session with these prompts.
    pub fn with_prompts(scenario: &Scenario, settings: Settings, templates: Templates, seed: u64) -> Self {
        let started = Started {
            question: scenario.query.clone(),
            settings,
            model: "script".into(),
            service_model: "script".into(),
            llm_url: None,
            price: None,
            model_spec: "script".into(),
            kgs: vec![("scenario".into(), "scenario".into())],
            strategy: TreeOfTraversals.name().into(),
            templates,
            seed: 7,
            entities: vec![],
        };
        let mut world = Self::empty(scenario, seed);
        world.push(By::Engine, Event::Started(Box::new(started)));
        world
    }

    fn empty(scenario: &Scenario, seed: u64) -> Self {
        Self::among(scenario.model().unwrap(), scenario.graph(), seed)
    }

    fn among(model: Arc<ScriptedModel>, kg: Arc<ScriptedKg>, seed: u64) -> Self {
        Self {
            model,
            kg,
            entries: vec![],
            state: State::default(),
            flights: vec![],
            seed,
            calls: vec![],
            strategy: TreeOfTraversals,
            bank: None,
            begun: (0, State::default()),
            too_long: |_| false,
        }
    }

    /// A fork after the first `count` entries: equal requests are answered from the recording, and a request that it does not
    /// answer is taken as `on_miss` says ([`OnMiss::Stop`]: the test fails).
    pub fn forked(&self, count: usize, on_miss: OnMiss, seed: u64) -> Self {
        let mut world = Self::among(self.model.clone(), self.kg.clone(), seed);
        for entry in &self.entries[..count] {
            world.state.apply(entry).unwrap();
            world.entries.push(entry.clone());
        }
        let parent: Vec<Arc<Entry>> = self.entries.iter().cloned().map(Arc::new).collect();
        world.bank = Some(Bank::of(&parent, on_miss));
        world.prime();
        let open: Vec<AskId> = world.state.asks.iter().filter(|a| !a.is_complete()).map(|a| a.id).collect();
        for ask in open {
            world.send(ask);
        }
        world
    }

    fn prime(&self) {
        self.model.prime(&task::llm_history(&self.state, &self.strategy));
        self.kg.prime(&task::kg_history(&self.state, &"scenario".into()));
    }

    /// The session again after a crash: what was on disk is all that is left, model and KG are told what the journal holds.
    pub fn reopened(&self, disk: &Disk, seed: u64) -> Self {
        let mut world = Self::among(self.model.clone(), self.kg.clone(), seed);
        world.begun = (disk.entries.len(), disk.state.clone());
        (world.entries, world.state) = (disk.entries.clone(), disk.state.clone());
        world.prime();
        let lost: Vec<AskId> = world.state.asks.iter().filter(|a| !a.is_complete()).map(|a| a.id).collect();
        world.push(By::Engine, Event::Resumed { lost: lost.clone(), price: None });
        for ask in lost {
            // Asked of a model that the person left: the one that is asked now gets it.
            if world.state.is_superseded(world.state.ask(ask).unwrap()) {
                let error = CallError::new(CallErrorKind::Superseded, "another model is asked instead");
                world.push(By::You, Event::Failed { ask, error });
            } else {
                world.send(ask);
            }
        }
        world
    }

    /// Slots and KG calls that went over the wire.
    pub fn sent(&self) -> usize {
        self.sent_of(usize::MAX)
    }

    /// The same, of the first `asks` asks only.
    pub fn sent_of(&self, asks: usize) -> usize {
        self.calls.iter().filter(|(ask, _)| (ask.0 as usize) < asks).map(|(_, calls)| calls).sum()
    }

    fn draw(&mut self, below: usize) -> usize {
        self.seed = split_mix(self.seed);
        (self.seed % below.max(1) as u64) as usize
    }

    /// Records an event.
    pub fn push(&mut self, by: By, ev: Event) {
        let entry = Entry { seq: self.state.seq, at: 0, by, ev };
        self.state.apply(&entry).unwrap_or_else(|e| panic!("{e}\n{entry:?}"));
        self.entries.push(entry);
    }

    fn send(&mut self, ask: AskId) {
        let recorded = self.state.ask(ask).unwrap().clone();
        if let Some(bank) = &self.bank {
            if let Some(banked) = bank.reply(&recorded) {
                self.flights.push((ask, vec![banked.event(&recorded)]));
                return;
            }
            assert_eq!(bank.on_miss(), OnMiss::Leave, "{}", bank.miss(&self.state, &recorded));
            self.bank = None;
        }
        let mut replies = Vec::new();
        if let Some(job) = task::llm_job(&self.state, &self.strategy, &recorded) {
            self.calls.push((ask, job.request.slots.len()));
            if (self.too_long)(&job.request) {
                let error = CallError::new(CallErrorKind::TooLong, "the prompt is longer than the model's window");
                self.flights.push((ask, vec![Event::Failed { ask, error }]));
                return;
            }
            let mut samples = self.model.answer(&job).unwrap_or_else(|e| panic!("{e}"));
            while !samples.is_empty() {
                let piece = 1 + self.draw(samples.len());
                replies.push(live(ask, Got::Samples(samples.drain(..piece).collect())));
            }
        } else {
            self.calls.push((ask, 1));
            replies.push(match self.kg.answer(Some(ask), &task::kg_call(&recorded).unwrap().op) {
                Ok(reply) => live(ask, Got::Kg(Box::new(reply))),
                Err(error) => Event::Failed { ask, error },
            });
        }
        self.flights.push((ask, replies));
    }

    fn arrive(&mut self) {
        let i = self.draw(self.flights.len());
        let ev = self.flights[i].1.remove(0);
        if self.flights[i].1.is_empty() {
            self.flights.remove(i);
        }
        self.push(By::World, ev);
    }

    /// Goes on until nothing is left to do, or the journal has `limit` entries.
    pub fn run(&mut self, limit: usize) {
        while self.entries.len() < limit {
            match self.decide() {
                Went::On => {}
                Went::Waiting => self.arrive(),
                Went::Done => return,
            }
        }
    }

    /// One decision, or one round of asks: all of it is recorded before anything is sent.
    fn decide(&mut self) -> Went {
        match next(&self.state, &self.strategy, true) {
            Next::Decide { event, by_hand } => self.push(if by_hand { By::You } else { By::Engine }, *event),
            Next::Ask { specs, .. } => {
                let first = self.state.asks.len();
                for spec in specs {
                    for ev in ask_events(&self.state, &spec) {
                        self.push(By::World, ev);
                    }
                }
                (first..self.state.asks.len()).for_each(|ask| self.send(AskId(ask as u32)));
            }
            Next::Wait => return Went::Waiting,
            Next::Done => return Went::Done,
            Next::Broken(why) => panic!("{why}"),
        }
        Went::On
    }

    /// Goes on as another life of this session did: the world's replies and the person's acts are those of `rest`, in that order.
    /// Every decision and every request must be the same again, and nothing may be answered that is not on its way. The last round
    /// of asks is recorded whole, also when `rest` ends in it.
    pub fn follow(&mut self, rest: &[Entry]) {
        let begun = self.entries.len();
        for (i, entry) in rest.iter().enumerate() {
            if self.entries.len() == begun + i {
                match &entry.ev {
                    Event::Acted { .. } | Event::Undone { .. } => self.push(entry.by, entry.ev.clone()),
                    Event::Replied { ask, .. } | Event::Failed { ask, .. } => self.deliver(*ask, &entry.ev),
                    _ => assert_eq!(self.decide(), Went::On, "{:?} was decided at entry {}", entry.ev, entry.seq),
                }
            }
            let mine = &self.entries[begun + i];
            assert_eq!((mine.by, &mine.ev), (entry.by, &entry.ev), "entry {}", entry.seq);
        }
    }

    /// Lets a reply of another life arrive, for an ask that is on its way.
    fn deliver(&mut self, ask: AskId, ev: &Event) {
        let at = self.flights.iter().position(|(flying, _)| *flying == ask).unwrap_or_else(|| panic!("{ask:?} is not on its way"));
        let (_, replies) = self.flights.remove(at);
        if let Event::Replied { got: Got::Samples(came), .. } = ev {
            let open = replies.into_iter().filter_map(|reply| match reply {
                Event::Replied { got: Got::Samples(samples), .. } => Some(samples),
                _ => None,
            });
            let (now, later): (Vec<_>, Vec<_>) = open.flatten().partition(|(slot, _)| came.iter().any(|(other, _)| slot == other));
            assert_eq!(now.len(), came.len(), "a slot of {ask:?} was answered that is not on its way");
            if !later.is_empty() {
                self.flights.push((ask, vec![live(ask, Got::Samples(later))]));
            }
        }
        self.push(By::World, ev.clone());
    }

    /// The state that the journal alone gives, after a trip through JSON.
    pub fn reloaded(&self) -> State {
        let (begun, state) = &self.begun;
        // What was on disk when this life began was read back then.
        let mut disk = Disk { entries: vec![], state: state.clone() };
        self.entries[*begun..].iter().for_each(|entry| disk.write(entry));
        disk.state
    }
}

/// How far one step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    /// Something was decided or asked.
    On,
    /// Replies are on their way.
    Waiting,
    /// There is nothing to do.
    Done,
}

fn live(ask: AskId, got: Got) -> Event {
    Event::Replied { ask, got, source: Source::Live, usage: None, took_ms: 0, tries: 1, nothing: false }
}
