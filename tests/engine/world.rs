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
    /// Slots and KG calls that went over the wire.
    pub sent: usize,
    strategy: TreeOfTraversals,
    bank: Option<Bank>,
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
        Self {
            model: scenario.model().unwrap(),
            kg: scenario.graph(),
            entries: vec![],
            state: State::default(),
            flights: vec![],
            seed,
            sent: 0,
            strategy: TreeOfTraversals,
            bank: None,
            too_long: |_| false,
        }
    }

    /// A fork of `parent` after its first `count` entries: equal requests are answered from the parent's recording.
    pub fn forked(scenario: &Scenario, parent: &[Entry], count: usize, seed: u64) -> Self {
        let mut world = Self::empty(scenario, seed);
        for entry in &parent[..count] {
            world.state.apply(entry).unwrap();
            world.entries.push(entry.clone());
        }
        let parent: Vec<Arc<Entry>> = parent.iter().cloned().map(Arc::new).collect();
        world.bank = Some(Bank::of(&parent, OnMiss::Leave));
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

    /// The session again after a crash: `entries` is what was on disk, the doubles start afresh and are primed.
    pub fn reopened(scenario: &Scenario, entries: &[Entry], seed: u64) -> Self {
        let mut world = Self::empty(scenario, seed);
        for entry in entries {
            world.state.apply(entry).unwrap();
            world.entries.push(entry.clone());
        }
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
        if let Some(banked) = self.bank.as_ref().and_then(|b| b.reply(&recorded)) {
            self.flights.push((ask, vec![banked.event(&recorded)]));
            return;
        }
        self.bank = None;
        let mut replies = Vec::new();
        let replied = |got| Event::Replied { ask, got, source: Source::Live, usage: None, took_ms: 0, tries: 1 };
        if let Some(job) = task::llm_job(&self.state, &self.strategy, &recorded) {
            self.sent += job.request.slots.len();
            if (self.too_long)(&job.request) {
                let error = CallError::new(CallErrorKind::TooLong, "the prompt is longer than the model's window");
                self.flights.push((ask, vec![Event::Failed { ask, error }]));
                return;
            }
            let mut samples = self.model.answer(&job).unwrap_or_else(|e| panic!("{e}"));
            while !samples.is_empty() {
                let piece = 1 + self.draw(samples.len());
                replies.push(replied(Got::Samples(samples.drain(..piece).collect())));
            }
        } else {
            self.sent += 1;
            replies.push(match self.kg.answer(Some(ask), &task::kg_call(&recorded).unwrap().op) {
                Ok(reply) => replied(Got::Kg(Box::new(reply))),
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
            match next(&self.state, &self.strategy, true) {
                Next::Decide { event, by_hand } => self.push(if by_hand { By::You } else { By::Engine }, *event),
                Next::Ask { specs, .. } => {
                    for spec in specs {
                        let id = AskId(self.state.asks.len() as u32);
                        for ev in ask_events(&self.state, &spec) {
                            self.push(By::World, ev);
                        }
                        self.send(id);
                    }
                }
                Next::Wait => self.arrive(),
                Next::Done => return,
                Next::Broken(why) => panic!("{why}"),
            }
        }
    }

    /// The state that the journal alone gives, after a trip through JSON.
    pub fn reloaded(&self) -> State {
        let lines: Vec<Entry> = self.entries.iter().map(|e| serde_json::from_str(&serde_json::to_string(e).unwrap()).unwrap()).collect();
        assert_eq!(lines, self.entries, "an entry does not read back as it was written");
        State::from_entries(&lines).unwrap()
    }
}
