//! How the slots of an ask get filled: by one request for all, where the server can; else by more, some at once.

use super::Inner;
use super::ask::{Order, Prepared};
use super::completion::{self, Choice, Completion};
use super::fault;
use super::quirks::{LimitField, Shape};
use super::send::{Sent, Want};
use crate::calls::{CallError, CallErrorKind, LlmReply, Sample, Token, Withheld};
use crate::llm::{OnWire, Wire};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::watch;

/// An ask under way.
pub struct Filling {
    inner: Arc<Inner>,
    ask: Arc<Prepared>,
    wire: Wire,
    /// Slots that no request in flight asks for.
    open: VecDeque<Want>,
    /// Slots whose reply says nothing, or was taken away. They are handed over with a reply that can be read; if none can, the
    /// call fails.
    mute: Vec<(u32, Sample, CallError)>,
    /// Whether any slot has a reply that can be read.
    spoken: bool,
    /// The first error: nothing new is sent, what is in flight is waited for (it is paid).
    failed: Option<CallError>,
    /// Tells the requests in flight that nothing is to be tried again.
    ending: watch::Sender<bool>,
}

/// What becomes of one choice.
enum Verdict {
    /// The slot is filled.
    Keep(Sample),
    /// The slot is asked for again, without stop strings.
    WithoutStop,
    /// The slot is asked for again, with a higher limit.
    MoreRoom,
    /// The slot is asked for again, once: the service broke the reply off. The rest is for when it does so twice.
    BrokenOff(Sample, CallError),
    /// The reply says nothing or was taken away, and asking again would not help.
    Mute(Sample, CallError),
}

impl Filling {
    /// Makes everything ready; nothing is sent yet.
    pub fn new(inner: Arc<Inner>, ask: Prepared, slots: &[(u32, u64)], wire: Wire) -> Self {
        let open = slots.iter().map(|&(slot, seed)| Want { slot, seed, bare: false, broken: false, sent: 0 }).collect();
        Self { inner, ask: Arc::new(ask), wire, open, mute: Vec::new(), spoken: false, failed: None, ending: watch::Sender::new(false) }
    }

    /// Fills every slot, or fails. Dropping the future cancels what is in flight.
    pub async fn run(mut self) -> Result<(), CallError> {
        let mut flights: FuturesUnordered<BoxFuture<'static, Sent>> = FuturesUnordered::new();
        loop {
            while self.failed.is_none() && flights.len() < self.inner.config.concurrency {
                let Some(wants) = self.next_group() else { break };
                flights.push(self.flight(wants));
            }
            let Some(sent) = flights.next().await else { break };
            match sent {
                Sent::Arrived { wants, completion, shape, order, took_ms, tries } => {
                    let samples = self.read(wants, &completion, &shape, &order);
                    (self.wire)(OnWire::Reply(LlmReply { samples, usage: Some(completion.usage), took_ms, tries }));
                }
                Sent::Back(wants) => self.reopen(wants),
                Sent::Failed(error) => {
                    self.ending.send_replace(true);
                    self.failed.get_or_insert(error);
                }
            }
        }
        let inner = Arc::clone(&self.inner);
        let ended = match (self.failed, self.mute.into_iter().next()) {
            (Some(error), _) | (None, Some((_, _, error))) => Err(error),
            (None, None) => Ok(()),
        };
        ended.map_err(|error| inner.luck.of(error))
    }

    fn flight(&self, wants: Vec<Want>) -> BoxFuture<'static, Sent> {
        let (inner, ask, ending) = (Arc::clone(&self.inner), Arc::clone(&self.ask), self.ending.subscribe());
        let wire = Arc::clone(&self.wire);
        Box::pin(async move { inner.send(&ask, wants, ending, &wire).await })
    }

    /// The next slots that one request can ask for: as many as the server gives, all with or all without stop strings.
    fn next_group(&mut self) -> Option<Vec<Want>> {
        let bare = self.open.front()?.bare;
        let width = self.inner.quirks.shape().width;
        let size = self.open.iter().take(width).take_while(|w| w.bare == bare).count();
        Some(self.open.drain(..size).collect())
    }

    /// Puts slots back, in front and in order.
    fn reopen(&mut self, wants: Vec<Want>) {
        for want in wants.into_iter().rev() {
            self.open.push_front(want);
        }
    }

    /// Sorts the choices of a reply into slots; returns what can be handed over now.
    fn read(&mut self, wants: Vec<Want>, completion: &Completion, shape: &Shape, order: &Order) -> Vec<(u32, Sample)> {
        if completion.choices.len() < wants.len() {
            self.inner.quirks.at_most(completion.choices.len());
        }
        let (mut samples, mut again, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        let mut choices = completion.choices.iter();
        for mut want in wants {
            want.sent = 0;
            let Some(choice) = choices.next() else {
                again.push(want);
                continue;
            };
            match self.judge(choice, completion.reasoned, shape, order) {
                Verdict::Keep(sample) => samples.push((want.slot, sample)),
                Verdict::WithoutStop => again.push(Want { bare: true, ..want }),
                Verdict::MoreRoom => again.push(want),
                Verdict::BrokenOff(..) if !want.broken => again.push(Want { broken: true, ..want }),
                Verdict::Mute(sample, error) | Verdict::BrokenOff(sample, error) => {
                    // What was shown of it while it came looked like an answer.
                    dropped.push(want.slot);
                    self.mute.push((want.slot, sample, error));
                }
            }
        }
        dropped.extend(again.iter().map(|want| want.slot));
        if shape.stream && !dropped.is_empty() {
            (self.wire)(OnWire::Dropped(dropped));
        }
        self.reopen(again);
        self.spoken |= !samples.is_empty();
        if self.spoken {
            self.inner.luck.served();
        }
        if self.spoken {
            samples.extend(self.mute.drain(..).map(|(slot, sample, _)| (slot, sample)));
        }
        samples
    }

    /// Decides about one choice, and learns from it.
    fn judge(&self, choice: &Choice, counted_reasoning: bool, shape: &Shape, order: &Order) -> Verdict {
        let mut sample = Sample {
            text: choice.text.clone(),
            reasoning: choice.reasoning.clone(),
            finish: choice.finish.clone(),
            tokens: choice.tokens.clone(),
        };
        let text = choice.text.as_deref().unwrap_or_default();
        if let Some(withheld) = choice.withheld() {
            let error = self.taken(withheld, choice);
            if withheld == Withheld::Refused {
                sample.finish = Some("refusal".to_owned());
                sample.text = sample.text.filter(|text| !text.is_empty()).or_else(|| choice.refusal.clone());
            }
            return if withheld == Withheld::BrokenOff { Verdict::BrokenOff(sample, error) } else { Verdict::Mute(sample, error) };
        }
        if completion::says_something(text) {
            if order.form.is_none()
                && let Some(text) = &mut sample.text
                && completion::cut_at_stop(text, &self.ask.stops)
            {
                sample.finish = Some("stop".to_owned());
                keep_tokens(&mut sample.tokens, text.len());
            }
            return Verdict::Keep(sample);
        }
        let reasoned = counted_reasoning || choice.reasoning.is_some() || !text.trim().is_empty();
        let quirks = &self.inner.quirks;
        let model = &self.inner.context.model;
        match () {
            () if choice.is_cut() => {
                quirks.reasons();
                if !shape.reasons && shape.limit != LimitField::Omitted {
                    return Verdict::MoreRoom;
                }
                let limit = self.ask.limit(shape, self.inner.config.reasoning_floor);
                let message = if shape.limit == LimitField::Omitted {
                    format!(
                        "output limit spent on reasoning: {model} thought up to its own limit and said nothing; use a model that reasons less"
                    )
                } else {
                    format!(
                        "output limit spent on reasoning: {model} thought for {limit} tokens and said nothing; raise `reasoning_floor` of the model in the configuration, or use a model that reasons less"
                    )
                };
                Verdict::Mute(sample, CallError::new(CallErrorKind::OutputSpent, message))
            }
            () if !order.stops.is_empty() => {
                if reasoned {
                    quirks.stops_cut_reasoning();
                }
                Verdict::WithoutStop
            }
            () if reasoned => {
                let message = format!("{model} reasoned and gave no answer; ask again or use another model");
                Verdict::Mute(sample, CallError::new(CallErrorKind::BadReply, message))
            }
            // The model says nothing at all: a sample like any other.
            () => Verdict::Keep(sample),
        }
    }

    /// The error where no reply can be read because they were taken away.
    fn taken(&self, withheld: Withheld, choice: &Choice) -> CallError {
        let context = &self.inner.context;
        let (kind, what, said, remedy) = match withheld {
            Withheld::Refused => (CallErrorKind::Refused, format!("{} refuses to answer", context.model), &choice.refusal, REPHRASE),
            Withheld::Filtered => {
                // The text of a guardrail is its own sentence, which says why; of any other filter it is half an answer.
                let own = choice.finish.as_deref() == Some("guardrail_intervened");
                let what = format!("the content filter of {} took the reply", context.host);
                (CallErrorKind::Filtered, what, if own { &choice.text } else { &None }, REPHRASE)
            }
            Withheld::BrokenOff => {
                let what = format!("{} broke the reply off, twice", context.host);
                (CallErrorKind::BadReply, what, &choice.finish, "ask again later or use another model")
            }
        };
        let quote = fault::quote(&context.printable(said.as_deref().unwrap_or_default()));
        CallError::new(kind, format!("{what}{quote}; {remedy}"))
    }
}

/// Leaves out the tokens after the first so many bytes of text.
fn keep_tokens(tokens: &mut Vec<Token>, bytes: usize) {
    let mut came = 0;
    tokens.retain(|token| {
        let is_within = came < bytes;
        came += token.text.len();
        is_within
    });
}

/// What helps where a reply was taken away for what it is about.
const REPHRASE: &str = "rephrase the question or use another model";
