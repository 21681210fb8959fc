//! Going on: decisions and asks, as far as the gate lets them.

use super::bank::OnMiss;
use super::command::Pace;
use super::launch::Runner;
use super::live::Flight;
use super::message::Message;
use super::task;
use super::waits::Wait;
use crate::calls::{AskId, CallError, CallErrorKind, LlmReply, Usage, Waiting, Wasted};
use crate::llm::{LanguageModel, OnWire};
use crate::search::{Ask, By, Call, Event, Got, HaltCause, Next, Outcome, Source, State, Step, StepKind, ask_events, kg_hash, next};
use crate::text::thousands;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call on its way.
pub(super) struct InFlight {
    pub(super) number: u64,
    pub(super) abort: Option<tokio::task::AbortHandle>,
    pub(super) shown: Flight,
    /// What each of its requests that are out has taken by now.
    pub(super) out: BTreeMap<u32, Usage>,
}

impl InFlight {
    /// What is paid for its requests if it is dropped now; `None`: none is out.
    fn wasted(&self) -> Option<Wasted> {
        let mut all = Wasted { took_ms: super::budget::millis(self.shown.since.elapsed()), ..Wasted::default() };
        for usage in self.out.values() {
            all.usage += *usage;
            all.requests += 1;
        }
        (all.requests > 0).then_some(all)
    }
}

impl Runner {
    /// Decides and asks until something has to arrive, the gate is shut, or nothing is left to do.
    pub(super) fn drive(&mut self) {
        loop {
            self.clock();
            if self.live.replay || !self.unwritten.is_empty() {
                return;
            }
            self.look_at_the_time();
            if self.running_since.is_none() {
                self.record_time();
            }
            self.halt_at_breakpoint();
            self.live.proposal = None;
            let engine = self.engine_may();
            self.send_open(engine);
            if self.halt_at_miss() {
                return;
            }
            // A budget may have shut the gate, or a reply from a recording hit a breakpoint.
            self.halt_at_breakpoint();
            let engine = engine && self.live.pace != Pace::Paused;
            match next(&self.state, &*self.equipment.strategy, engine) {
                Next::Decide { event, by_hand } => {
                    if !by_hand && self.holds_back(&event) {
                        return;
                    }
                    let weight = weight(&event);
                    let closes = matches!(&*event, Event::Closed { .. } | Event::Finished(_));
                    let told = by_hand.then(|| outcome(&self.state, &event)).flatten();
                    self.push(if by_hand { By::You } else { By::Engine }, *event);
                    if let Some(told) = told {
                        self.tell(told);
                    }
                    if !by_hand {
                        self.passed_gate(weight, closes);
                    }
                    if closes {
                        self.record_time();
                    }
                }
                Next::Ask { specs, by_hand } => {
                    let mut forbidden = false;
                    let mut asked = Vec::new();
                    for spec in specs {
                        let id = AskId(u32::try_from(self.state.asks.len()).unwrap_or(u32::MAX));
                        let events = ask_events(&self.state, &spec);
                        // Once is enough: of a round, what a budget still allows is asked.
                        if is_of_model(&events) && (forbidden || self.is_forbidden(&events)) {
                            forbidden = true;
                            continue;
                        }
                        for event in events {
                            self.push(By::World, event);
                        }
                        asked.push(id);
                    }
                    // Before anything leaves: a breakpoint may be about the prompt, and a step by phase shows what is built.
                    let hit = self.halt_at_breakpoint();
                    let hold = !by_hand && (hit || self.builds_first(&asked));
                    if self.unwritten.is_empty() && !hold {
                        asked.into_iter().for_each(|id| self.send(id));
                    }
                    if forbidden {
                        return;
                    }
                    if !by_hand {
                        self.passed_gate(0.5, false);
                    }
                }
                Next::Broken(why) => {
                    self.halt(HaltCause::Template, format!("{why}: mend the template and resume the session"));
                    return;
                }
                Next::Wait | Next::Done => return,
            }
        }
    }

    /// Whether the gate is open for the engine.
    fn engine_may(&mut self) -> bool {
        let running = self.live.pace != Pace::Paused;
        self.gated = running && Instant::now() < self.gate;
        running && !self.gated
    }

    /// When the gate opens by itself. Asked after [`Runner::drive`]: the answer must not depend on another look at the
    /// clock, or a gate that opened in between would wake nobody.
    pub(super) fn gate_timer(&self) -> Option<Instant> {
        self.gated.then_some(self.gate)
    }

    pub(super) fn passed_gate(&mut self, weight: f64, closes: bool) {
        self.gate = Instant::now() + self.live.pause.mul_f64(weight);
        match self.live.pace {
            Pace::Phase => self.live.pace = Pace::Paused,
            Pace::Step if closes => self.live.pace = Pace::Paused,
            _ => {}
        }
        self.dirty = true;
    }

    /// Sends asks that are open and not on their way (after an abort, a halt, a crash). While the engine is paused only
    /// those that serve an act of the person and were not dropped by it.
    fn send_open(&mut self, engine: bool) {
        let by_hand = |ask: &Ask| self.state.step(ask.key.step).is_some_and(Step::by_hand) && !self.dropped.contains(&ask.id);
        let idle = |ask: &Ask| !ask.is_complete() && !self.flights.contains_key(&ask.id) && !self.stalled.contains(&ask.id);
        let idle = |ask: &Ask| idle(ask) && (engine || by_hand(ask));
        let mut open: Vec<AskId> = self.state.asks.iter().filter(|a| idle(a)).map(|a| a.id).collect();
        self.supersede(&open);
        open.retain(|id| self.state.ask(*id).is_some_and(|ask| !ask.is_complete()));
        let bank = self.bank.as_ref();
        let state = &self.state;
        let costs = |ask: &Ask| ask.is_llm() && (state.asked_again(ask) || bank.is_none_or(|bank| bank.reply(ask).is_none()));
        let costly: Vec<AskId> = open.iter().copied().filter(|id| self.state.ask(*id).is_some_and(costs)).collect();
        if !costly.is_empty() && self.is_used_up(false) {
            open.retain(|id| !costly.contains(id));
        }
        let again: Vec<AskId> = open.iter().copied().filter(|id| self.dropped.remove(id)).collect();
        if !again.is_empty() {
            self.push(By::World, Event::Resumed { lost: again, price: None });
        }
        let of_engine = |id: &AskId| self.state.ask(*id).and_then(|ask| self.state.step(ask.key.step)).is_some_and(|step| !step.by_hand());
        let held = engine && self.live.pace == Pace::Phase && open.iter().any(of_engine);
        for ask in open {
            self.send(ask);
        }
        if held {
            self.passed_gate(0.5, false);
        }
    }

    /// Whether a step by phase stops between building these prompts and sending them.
    fn builds_first(&self, asked: &[AskId]) -> bool {
        self.live.pace == Pace::Phase && asked.iter().any(|id| self.state.ask(*id).is_some_and(Ask::is_llm))
    }

    /// Answers an ask from what is known already, or sends it.
    fn send(&mut self, id: AskId) {
        let Some(ask) = self.state.ask(id).cloned() else { return };
        if self.answer_from_bank(&ask) || self.answer_from_session(&ask) || self.misses(&ask) {
            return;
        }
        // The recording may have held some of the samples.
        let Some(ask) = self.state.ask(id).cloned() else { return };
        let number = self.next_flight;
        self.next_flight += 1;
        let by = self.state.asked_of(&ask);
        let model = match ask.is_llm().then(|| self.model_of(by)).transpose() {
            Ok(model) => model,
            // A review can be asked for again: it stops no search.
            Err(error) if self.state.is_review(ask.key.step) => return self.push(By::World, Event::Failed { ask: id, error }),
            Err(error) => {
                self.stalled.insert(id);
                if self.halted_here().is_none_or(|halt| halt.why != error.message) {
                    self.halt(HaltCause::Service, error.message);
                }
                return;
            }
        };
        let human = model.as_ref().is_some_and(|model| model.is_human());
        let kg = task::kg_call(&ask).map(|call| call.kg.clone());
        let shown = Flight { ask: id, since: Instant::now(), what: task::describe(&self.state, &ask), kg, human };
        let abort = if human { None } else { self.call(&ask, model, number) };
        self.flights.insert(id, InFlight { number, abort, shown, out: BTreeMap::new() });
        self.dirty = true;
    }

    fn call(&self, ask: &Ask, model: Option<Arc<dyn LanguageModel>>, flight: u64) -> Option<tokio::task::AbortHandle> {
        let (id, reports) = (ask.id, self.reports.clone());
        if let (Some(model), Some(job)) = (model, task::llm_job(&self.state, &*self.equipment.strategy, ask)) {
            let wire = reports.clone();
            let report = move |came: OnWire| {
                let _ = wire.send(Message::Llm { ask: id, flight, came });
            };
            let call = model.complete(job, Arc::new(report));
            let task = tokio::spawn(async move {
                let result = call.await;
                let _ = reports.send(Message::LlmDone { ask: id, flight, result });
            });
            return Some(task.abort_handle());
        }
        let call = task::kg_call(ask)?.clone();
        let Some(kg) = self.kg(&call.kg) else {
            let result = Err(CallError::new(crate::calls::CallErrorKind::Unreachable, format!("{} is not open in this session", call.kg)));
            let _ = reports.send(Message::Kg { ask: id, flight, result, took_ms: 0 });
            return None;
        };
        let began = Instant::now();
        let call = kg.perform(Some(id), call.op);
        let task = tokio::spawn(async move {
            let result = call.await;
            let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let _ = reports.send(Message::Kg { ask: id, flight, result, took_ms });
        });
        Some(task.abort_handle())
    }

    pub(super) fn kg(&self, name: &str) -> Option<Arc<dyn crate::kg::KnowledgeGraph>> {
        self.equipment.kgs.iter().find(|(n, _)| **n == *name).map(|(_, kg)| kg.clone())
    }

    /// A fork is answered from its parent's recording until the first miss, a question with `--from` from the recording
    /// wherever it can.
    fn answer_from_bank(&mut self, ask: &Ask) -> bool {
        let bank = self.bank.as_ref().filter(|_| !self.state.asked_again(ask));
        let Some(banked) = bank.and_then(|bank| bank.reply(ask)) else { return false };
        let event = banked.event(ask);
        self.push(By::World, event);
        true
    }

    /// What a recording does not answer: whether that stops the search. If not, the samples that it holds are taken and the
    /// rest is asked.
    fn misses(&mut self, ask: &Ask) -> bool {
        // What a person asks for again was never in a recording.
        let Some(bank) = self.bank.as_ref().filter(|_| !self.state.asked_again(ask)) else { return false };
        match bank.on_miss() {
            OnMiss::Leave => {
                self.leave_recording();
                return false;
            }
            OnMiss::Stop | OnMiss::Halt => {
                let why = bank.miss(&self.state, ask);
                self.stalled.insert(ask.id);
                self.missed.get_or_insert(why);
                return true;
            }
            OnMiss::Ask => {}
        }
        let (part, why) = (bank.part(ask).map(|banked| banked.event(ask)), bank.miss(&self.state, ask));
        if std::mem::take(&mut self.live.replaying_parent) {
            self.tell(format!("from here on live ({why}); equal requests are still answered from the recording"));
        }
        if let Some(event) = part {
            self.push(By::World, event);
        }
        false
    }

    /// Halts when a round asked what the recording does not answer: after the whole round, since an ask ends a halt.
    fn halt_at_miss(&mut self) -> bool {
        match self.missed.take() {
            Some(why) => {
                self.halt(HaltCause::Miss, why);
                true
            }
            None => false,
        }
    }

    /// An equal call to a KG that was answered before, in this session or as a preview.
    fn answer_from_session(&mut self, ask: &Ask) -> bool {
        let Call::Kg(call) = &ask.call else { return false };
        let (reply, source) = if let Some(preview) = self.previews.remove(&kg_hash(call)) {
            (preview, Source::Preview)
        } else {
            let repeatable = self.kg(&call.kg).is_some_and(|kg| !kg.is_scripted());
            let earlier = self.state.asks.iter().rev().filter(|a| a.id != ask.id && a.hash == ask.hash).find_map(|a| a.reply.clone());
            match earlier.filter(|_| repeatable) {
                Some(reply) => (reply, Source::Cached),
                None => return false,
            }
        };
        self.push(By::World, replied(ask.id, Got::Kg(Box::new((*reply).clone())), source));
        true
    }

    /// Drops every call in flight.
    pub(super) fn drop_flights(&mut self) {
        let mut flights: Vec<(AskId, InFlight)> = self.flights.drain().collect();
        flights.sort_by_key(|(ask, _)| *ask);
        for (ask, flight) in flights {
            self.let_go(ask, flight);
        }
        self.dirty = true;
    }

    /// Drops a call that was in flight; its ask stays open. What its requests have taken by now is recorded.
    fn let_go(&mut self, ask: AskId, flight: InFlight) {
        if let Some(wasted) = flight.wasted() {
            self.push(By::World, brought_nothing(ask, wasted));
        }
        if let Some(abort) = flight.abort {
            abort.abort();
            self.dropped.insert(ask);
        }
    }

    /// Pauses and drops every call in flight, as the person wants: the journal says which.
    pub(super) fn abort(&mut self) {
        self.live.pace = Pace::Paused;
        let mut asks: Vec<AskId> = self.flights.iter().filter(|(_, flight)| flight.abort.is_some()).map(|(ask, _)| *ask).collect();
        asks.retain(|ask| self.state.ask(*ask).is_some_and(|ask| !ask.is_complete()));
        asks.sort_unstable();
        self.drop_flights();
        if !asks.is_empty() {
            self.push(By::You, Event::Dropped { asks });
        }
    }

    /// Cancels one call. To a KG: its ask fails, and the step goes on with the rest. To a model: the search pauses and the ask stays
    /// open, as with [`Runner::abort`], so that no sample that is paid for is lost; what else is in flight may arrive.
    pub(super) fn cancel(&mut self, ask: AskId) {
        let Some(flight) = self.flights.get(&ask).filter(|flight| !flight.shown.human) else {
            self.tell("this call has ended already");
            return;
        };
        if flight.shown.kg.is_none() {
            self.live.pace = Pace::Paused;
            let what = flight.shown.what.clone();
            if let Some(flight) = self.flights.remove(&ask) {
                self.let_go(ask, flight);
            }
            self.push(By::You, Event::Dropped { asks: vec![ask] });
            self.tell(format!("{what}: dropped, and the search pauses; it is asked again when the search goes on"));
            return;
        }
        if let Some(abort) = &flight.abort {
            abort.abort();
        }
        let what = flight.shown.what.clone();
        self.flights.remove(&ask);
        let error = CallError::new(crate::calls::CallErrorKind::Cancelled, "cancelled by you");
        self.push(By::You, Event::Failed { ask, error });
        self.tell(format!("{what}: cancelled; the search goes on without it"));
    }

    /// Asks the KGs and models that something is wanted of whether it waits, and says when to look again.
    pub(super) fn look_at_waits(&mut self) -> Option<Instant> {
        let kgs = !self.inquiries.is_empty() || self.flights.values().any(|flight| flight.shown.kg.is_some());
        let models = self.flights.values().any(|flight| flight.shown.kg.is_none() && !flight.shown.human);
        let busy = kgs || models;
        let mut waits = Vec::new();
        if kgs {
            for (name, kg) in &self.equipment.kgs {
                let wait = |Waiting { until, why }| Wait { who: name.to_string(), kg: Some(name.clone()), until, why };
                waits.extend(kg.waiting().map(wait));
            }
        }
        if models {
            for model in self.models.opened() {
                waits.extend(model.waiting().map(|Waiting { until, why }| Wait { who: model.name().to_owned(), kg: None, until, why }));
            }
        }
        if waits != self.live.waits {
            self.live.waits = waits;
            self.dirty = true;
        }
        busy.then(|| Instant::now() + LOOK)
    }

    /// Takes in what a task reports.
    pub(super) fn hear(&mut self, message: Message) {
        if matches!(&message, Message::LlmDone { .. } | Message::Llm { came: OnWire::Reply(_), .. }) {
            self.look_at_models();
        }
        match message {
            Message::Llm { ask, flight, came: OnWire::Piece(piece) } if self.is_current(ask, flight) => self.live.writing.add(ask, piece),
            Message::Llm { ask, flight, came: OnWire::Dropped(slots) } if self.is_current(ask, flight) => {
                self.live.writing.drop_slots(ask, &slots);
            }
            Message::Llm { ask, flight, came: OnWire::Underway(request, so_far) } if self.is_current(ask, flight) => {
                if let Some(flight) = self.flights.get_mut(&ask) {
                    match so_far {
                        Some(usage) => flight.out.insert(request, usage),
                        None => flight.out.remove(&request),
                    };
                }
            }
            Message::Llm { ask, flight, came: OnWire::Wasted(request, wasted) } if self.is_current(ask, flight) => {
                if let Some(flight) = self.flights.get_mut(&ask) {
                    flight.out.remove(&request);
                }
                self.push(By::World, brought_nothing(ask, wasted));
            }
            Message::Llm { ask, flight, came: OnWire::Reply(reply) } if self.is_current(ask, flight) => {
                self.live.writing.drop_slots(ask, &reply.samples.iter().map(|(slot, _)| *slot).collect::<Vec<_>>());
                let LlmReply { samples, usage, took_ms, tries } = reply;
                self.push(
                    By::World,
                    Event::Replied { ask, got: Got::Samples(samples), source: Source::Live, usage, took_ms, tries, nothing: false },
                );
                // With the last slot the call is over, whatever its task still has to say.
                if self.state.ask(ask).is_some_and(Ask::is_complete) {
                    self.flights.remove(&ask);
                }
            }
            Message::Llm { ask, flight, came: OnWire::Kept { samples, at } } if self.is_current(ask, flight) => {
                let kept = Event::Replied {
                    ask,
                    got: Got::Samples(samples),
                    source: Source::Kept(at),
                    usage: None,
                    took_ms: 0,
                    tries: 0,
                    nothing: false,
                };
                self.push(By::World, kept);
                if self.state.ask(ask).is_some_and(Ask::is_complete) {
                    self.flights.remove(&ask);
                }
            }
            Message::LlmDone { ask, flight, result } if self.is_current(ask, flight) => {
                self.flights.remove(&ask);
                match result {
                    Ok(()) => self.check_filled(ask),
                    Err(error) if self.halts(ask, &error) => {
                        // An ask that got all its samples before the failure has what it needs.
                        if self.state.ask(ask).is_some_and(|a| !a.is_complete()) {
                            self.stalled.insert(ask);
                            self.halt(HaltCause::Service, error.message);
                        }
                    }
                    Err(error) => self.push(By::World, Event::Failed { ask, error }),
                }
            }
            Message::Kg { ask, flight, result, took_ms } if self.is_current(ask, flight) => {
                self.flights.remove(&ask);
                let event = match result {
                    Ok(reply) => {
                        let tries = reply.wire.iter().map(|w| w.tries).max().unwrap_or(1);
                        Event::Replied {
                            ask,
                            got: Got::Kg(Box::new(reply)),
                            source: Source::Live,
                            usage: None,
                            took_ms,
                            tries,
                            nothing: false,
                        }
                    }
                    Err(error) => Event::Failed { ask, error },
                };
                self.push(By::World, event);
            }
            Message::Inquiry { id, hash, result } if self.inquiries.remove(&id).is_some() => {
                let result = result.map(Arc::new);
                if let Ok(reply) = &result {
                    self.previews.insert(hash, reply.clone());
                }
                if let Some(inquiry) = self.live.inquiries.iter_mut().find(|i| i.id == id) {
                    inquiry.result = Some(result);
                }
            }
            _ => {}
        }
        self.dirty = true;
    }

    /// Whether a failed call to a model halts the search and stays open, to be asked again: one that fails for the service's sake,
    /// and any that links the question, as nothing can be walked without that. A prompt that is too long is made shorter instead.
    fn halts(&self, ask: AskId, error: &CallError) -> bool {
        let Some(step) = self.state.ask(ask).map(|ask| ask.key.step) else { return false };
        let links = self.state.step(step).is_some_and(|step| step.kind == StepKind::Start);
        !self.state.is_review(step) && (error.kind.about_service() || (links && error.kind != CallErrorKind::TooLong))
    }

    fn is_current(&self, ask: AskId, flight: u64) -> bool {
        self.flights.get(&ask).is_some_and(|f| f.number == flight)
    }

    /// A call that says it is done without having filled its slots has failed.
    fn check_filled(&mut self, ask: AskId) {
        if self.state.ask(ask).is_some_and(|a| !a.is_complete()) {
            let error = CallError::new(CallErrorKind::BadReply, "the model sent fewer samples than were asked for");
            self.push(By::World, Event::Failed { ask, error });
        }
    }
}

fn is_of_model(events: &[Event]) -> bool {
    matches!(events.last(), Some(Event::Asked { call: Call::Llm(_), .. }))
}

fn replied(ask: AskId, got: Got, source: Source) -> Event {
    Event::Replied { ask, got, source, usage: None, took_ms: 0, tries: 0, nothing: false }
}

fn brought_nothing(ask: AskId, wasted: Wasted) -> Event {
    let Wasted { usage, took_ms, requests } = wasted;
    let (got, usage) = (Got::Samples(Vec::new()), Some(usage));
    Event::Replied { ask, got, source: Source::Live, usage, took_ms, tries: requests, nothing: true }
}

/// What a person is told of an act of theirs that came to something else than a new node: a page, or a refusal.
fn outcome(state: &State, event: &Event) -> Option<String> {
    match event {
        Event::Paged { notices, .. } if !notices.is_empty() => Some(notices.join("; ")),
        Event::Paged { node, delta, .. } => {
            let reach = delta.partial.first()?;
            let graph = state.graph(*node);
            let list = format!("{} of {}", graph.relation_name(&reach.relation), graph.name(&reach.entity));
            let shown = thousands(reach.shown);
            Some(match reach.of {
                _ if reach.is_whole() => format!("{list}: all {shown} are here now"),
                Some(of) => format!("{list}: {shown} of {} are here now", thousands(of)),
                None => format!("{list}: {shown} are here now, more exist"),
            })
        }
        Event::Grew { children, refused, .. } if children.is_empty() => match &refused.first()?.outcome {
            Outcome::Rejected { why, .. } => Some(why.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// How much of the pause a decision is followed by: what a person has to look at longer counts more.
fn weight(event: &Event) -> f64 {
    match event {
        Event::Opened { kind: StepKind::Expand, .. } | Event::Read { .. } | Event::Grew { .. } => 1.0,
        Event::Valued { .. } => 0.5,
        _ => 0.0,
    }
}

/// How often KGs and models are asked whether they wait.
const LOOK: Duration = Duration::from_millis(200);

/// The pause between decisions that a person can follow, for a model that answers at once.
pub const FOLLOWABLE: Duration = Duration::from_millis(350);
