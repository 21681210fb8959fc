//! What one server turned out to want or refuse: learnt once, kept for the adapter's life.

use super::ask::Order;
use super::capabilities::Capabilities;
use super::completion::Completion;
use super::learned::Memory;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The field that carries the output limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitField {
    /// `max_tokens`, which every server knew once.
    MaxTokens,
    /// `max_completion_tokens`, which newer OpenAI models want.
    MaxCompletionTokens,
    /// None: the server's own limit holds.
    Omitted,
}

impl LimitField {
    /// Its name in a request.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::MaxTokens => Some("max_tokens"),
            Self::MaxCompletionTokens => Some("max_completion_tokens"),
            Self::Omitted => None,
        }
    }
}

/// How a reply is kept to a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forming {
    /// In the provider's first way.
    First,
    /// In its second, for models that refuse the first.
    Second,
    /// Not at all: it is read as text.
    None,
}

/// What happens to stop strings. They are applied here in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stops {
    /// Sent.
    Sent,
    /// The server refuses them.
    Refused,
    /// The server lets them fire inside the reasoning, so that no answer comes.
    CutReasoning,
}

/// What happens to log-probabilities of tokens, where they are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenLogs {
    /// They are asked for.
    Asked,
    /// The server refuses them.
    Refused,
    /// The server takes the question and leaves them out.
    LeftOut,
}

/// The shape that requests to this server have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Samples that one request may ask for (`n`).
    pub width: usize,
    /// The field of the output limit.
    pub limit: LimitField,
    /// Stop strings.
    pub stops: Stops,
    /// How many stop strings a request may have; the rest is applied here only.
    pub most_stops: usize,
    /// Whether stop strings of white space are taken.
    pub blank_stops: bool,
    /// Whether a temperature is sent.
    pub temperature: bool,
    /// The highest temperature that is taken.
    pub hottest: f64,
    /// Whether a seed is sent.
    pub seed: bool,
    /// Whether instructions go in a message of role `system`.
    pub system: bool,
    /// Log-probabilities, where they are wanted.
    pub token_logs: TokenLogs,
    /// How replies are constrained by a schema.
    pub form: Forming,
    /// Whether the provider has a second way to do so.
    pub second_form: bool,
    /// Whether replies come in pieces.
    pub stream: bool,
    /// Whether tokens are asked for at the end of a stream.
    pub stream_usage: bool,
    /// Whether parts that stay are marked for the service's cache of prefixes.
    pub marks: bool,
    /// Whether the model thinks before it answers, so that output limits need room for it.
    pub reasons: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            width: usize::MAX,
            limit: LimitField::MaxTokens,
            stops: Stops::Sent,
            most_stops: 4,
            blank_stops: true,
            temperature: true,
            hottest: 2.0,
            seed: true,
            system: true,
            token_logs: TokenLogs::Asked,
            form: Forming::First,
            second_form: false,
            stream: true,
            stream_usage: true,
            marks: false,
            reasons: false,
        }
    }
}

/// A part of a request that a server may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `n`, with the largest value the server named.
    Samples(Option<usize>),
    /// `max_tokens`; whether the server says to use `max_completion_tokens`.
    Limit { renamed: bool },
    /// `temperature`.
    Temperature,
    /// `stop`.
    Stop,
    /// `seed`.
    Seed,
    /// The role `system`.
    System,
    /// Log-probabilities.
    TokenLogs,
    /// Structured output.
    Form,
    /// The schema of this one request, for its size.
    ThisForm,
    /// `stream`.
    Stream,
    /// `stream_options`.
    StreamUsage,
    /// Marks for the cache of prefixes.
    Marks,
}

impl Parameter {
    /// Whether it is about the form of the reply.
    pub const fn is_form(self) -> bool {
        matches!(self, Self::Form | Self::ThisForm)
    }

    /// Whether a request has it.
    fn is_in(self, sent: &Order) -> bool {
        match self {
            Self::Samples(_) => sent.n > 1,
            Self::Limit { .. } => sent.limit.0 != LimitField::Omitted,
            Self::Temperature => sent.temperature.is_some(),
            Self::Stop => !sent.stops.is_empty(),
            Self::Seed => sent.seed.is_some(),
            Self::System => sent.system,
            Self::TokenLogs => sent.token_logs,
            Self::Form | Self::ThisForm => sent.form.is_some(),
            Self::Stream => sent.stream,
            Self::StreamUsage => sent.stream && sent.stream_usage,
            Self::Marks => sent.marks,
        }
    }
}

/// What a refusal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Something of the server, for all requests to come.
    Learnt,
    /// Something of this one request.
    Here,
    /// Nothing that helps: what is refused was not sent.
    Nothing,
}

impl Shape {
    /// The shape without what the server refused of the request `sent`.
    pub fn leave_out(&mut self, parameter: Parameter, sent: &Order) {
        match parameter {
            Parameter::Samples(cap) => self.width = self.width.min(cap.filter(|c| (1..sent.n).contains(c)).unwrap_or(1)),
            Parameter::Limit { renamed } => {
                let next = if renamed { LimitField::MaxCompletionTokens } else { LimitField::Omitted };
                // A call in parallel that was refused the old name too changes nothing.
                match sent.limit.0 {
                    LimitField::MaxTokens if self.limit == LimitField::MaxTokens => self.limit = next,
                    LimitField::MaxCompletionTokens => self.limit = LimitField::Omitted,
                    LimitField::MaxTokens | LimitField::Omitted => {}
                }
            }
            Parameter::Temperature => self.temperature = false,
            Parameter::Stop => self.stops = Stops::Refused,
            Parameter::Seed => self.seed = false,
            Parameter::System => self.system = false,
            Parameter::TokenLogs => self.token_logs = TokenLogs::Refused,
            Parameter::ThisForm => self.form = Forming::None,
            Parameter::Form => {
                let first = sent.form.as_ref().is_some_and(|(way, _)| *way == Forming::First);
                self.form = match self.form {
                    Forming::First if self.second_form && first => Forming::Second,
                    // A call in parallel was refused the first way too.
                    Forming::Second if first => Forming::Second,
                    _ => Forming::None,
                };
            }
            Parameter::Stream => self.stream = false,
            Parameter::StreamUsage => self.stream_usage = false,
            Parameter::Marks => self.marks = false,
        }
    }
}

/// What has been learnt, shared by all calls of one adapter.
#[derive(Debug)]
pub struct Quirks {
    /// What was assumed before anything was learnt.
    base: Shape,
    state: Mutex<State>,
    memory: Option<Memory>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    shape: Shape,
    proven: Proven,
}

/// What the server took, and what came of it.
#[derive(Clone, Copy, Debug, Default)]
struct Proven {
    samples: bool,
    stop: bool,
    seed: bool,
    temperature: bool,
    token_logs: bool,
    form: bool,
    stream: bool,
    limit: Option<LimitField>,
}

impl Quirks {
    /// What is assumed of a server before it was asked; what was learnt in earlier runs is remembered.
    pub fn new(base: Shape, memory: Option<Memory>) -> Self {
        let shape = memory.as_ref().map_or(base, |memory| memory.recall(base));
        Self { base, state: Mutex::new(State { shape, proven: Proven::default() }), memory }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shape that the next request should have.
    pub fn shape(&self) -> Shape {
        self.state().shape
    }

    fn change(&self, change: impl FnOnce(&mut Shape)) {
        let (before, after) = {
            let mut state = self.state();
            let before = state.shape;
            change(&mut state.shape);
            (before, state.shape)
        };
        if let Some(memory) = self.memory.as_ref().filter(|_| before != after) {
            memory.keep(&self.base, &after);
        }
    }

    /// Learns from a request that went well: what it brought, in pieces or not.
    pub fn took(&self, sent: &Order, got: &Completion, streamed: bool) {
        let has_logs = got.choices.iter().any(|choice| !choice.tokens.is_empty());
        let left_out = sent.token_logs && !has_logs && got.choices.iter().any(|choice| choice.text.as_ref().is_some_and(|t| !t.is_empty()));
        if left_out {
            self.change(|shape| shape.token_logs = TokenLogs::LeftOut);
        }
        let proven = &mut self.state().proven;
        proven.token_logs |= sent.token_logs && has_logs;
        proven.limit = Some(sent.limit.0).filter(|field| *field != LimitField::Omitted).or(proven.limit);
        proven.samples |= sent.n > 1 && got.choices.len() > 1;
        proven.stop |= !sent.stops.is_empty();
        proven.seed |= sent.seed.is_some();
        proven.temperature |= sent.temperature.is_some();
        proven.form |= sent.form.is_some();
        proven.stream |= streamed;
    }

    /// What is known: by documentation, and from what came of requests.
    pub fn capabilities(&self, documented: Capabilities, limit_name: Option<&str>) -> Capabilities {
        let State { shape, proven } = *self.state();
        let base = &self.base;
        Capabilities {
            samples: documented.samples.after(proven.samples, base.width > 1 && shape.width == 1),
            most_samples: (shape.width < usize::MAX).then_some(shape.width),
            stop: documented.stop.after(proven.stop && shape.stops == Stops::Sent, shape.stops != base.stops),
            seed: documented.seed.after(proven.seed, base.seed && !shape.seed),
            temperature: documented.temperature.after(proven.temperature, base.temperature && !shape.temperature),
            log_probabilities: documented.log_probabilities.after(proven.token_logs, shape.token_logs != base.token_logs),
            structured: documented.structured.after(proven.form, base.form != Forming::None && shape.form == Forming::None),
            streaming: documented.streaming.after(proven.stream, base.stream && !shape.stream),
            limit_taken: documented.limit_taken.after(proven.limit == Some(shape.limit), shape.limit == LimitField::Omitted),
            limit: shape.limit.name().map(|name| limit_name.unwrap_or(name).to_owned()),
            reasons: documented.reasons.after((shape.reasons && !base.reasons) || shape.stops == Stops::CutReasoning, false),
        }
    }

    /// Learns that the server refused `parameter` of the request `sent`. What it took before is refused for this request's own
    /// sake, a schema for its size, say: that says nothing of others.
    ///
    /// A call in parallel may have learnt the same before; that is no reason to give up.
    pub fn refused(&self, parameter: Parameter, sent: &Order) -> Refusal {
        if !parameter.is_in(sent) {
            return Refusal::Nothing;
        }
        if self.took_before(parameter, sent) {
            return Refusal::Here;
        }
        self.change(|shape| shape.leave_out(parameter, sent));
        Refusal::Learnt
    }

    fn took_before(&self, parameter: Parameter, sent: &Order) -> bool {
        let proven = self.state().proven;
        match parameter {
            Parameter::ThisForm => true,
            Parameter::Form => proven.form,
            Parameter::Limit { renamed } => !renamed && proven.limit == Some(sent.limit.0),
            Parameter::Temperature => proven.temperature,
            Parameter::Stop => proven.stop,
            Parameter::Seed => proven.seed,
            // Nothing about them differs from request to request.
            Parameter::Samples(_)
            | Parameter::System
            | Parameter::TokenLogs
            | Parameter::Stream
            | Parameter::StreamUsage
            | Parameter::Marks => false,
        }
    }

    /// Learns that one request brings at most `width` samples.
    pub fn at_most(&self, width: usize) {
        self.change(|s| s.width = s.width.min(width.max(1)));
    }

    /// Learns that stop strings fire inside the model's reasoning.
    pub fn stops_cut_reasoning(&self) {
        self.change(|s| s.stops = if s.stops == Stops::Sent { Stops::CutReasoning } else { s.stops });
    }

    /// Learns that the model thinks before it answers.
    pub fn reasons(&self) {
        self.change(|s| s.reasons = true);
    }

    /// What the person should know, a sentence a subject: samples, parameters, reasoning. `token_logs`: whether log-probabilities
    /// are wanted.
    pub fn notes(&self, model: &str, at_once: usize, token_logs: bool) -> Vec<String> {
        let shape = self.shape();
        let mut notes = Vec::new();
        match shape.width {
            usize::MAX => {}
            1 => {
                notes.push(format!("{model} gives one sample a request: several are asked for by more requests, up to {at_once} at once."))
            }
            n => notes
                .push(format!("{model} gives up to {n} samples a request: more are asked for by more requests, up to {at_once} at once.")),
        }
        let mut refused = Vec::new();
        match shape.limit {
            LimitField::MaxTokens => {}
            LimitField::MaxCompletionTokens if self.base.limit == LimitField::MaxCompletionTokens => {}
            LimitField::MaxCompletionTokens => refused.push("max_tokens (max_completion_tokens is sent instead)"),
            LimitField::Omitted => refused.push("output limit (its own holds)"),
        }
        if shape.stops == Stops::Refused {
            refused.push("stop strings (replies are cut here)");
        }
        if !shape.temperature {
            refused.push("temperature (its own holds)");
        }
        if !shape.seed {
            refused.push("seed (samples can't be repeated)");
        }
        if !shape.system {
            refused.push("system message (instructions go with the question)");
        }
        if token_logs && shape.token_logs != TokenLogs::Asked {
            refused.push("log-probabilities (how sure it is can't be shown)");
        }
        if shape.form == Forming::None {
            refused.push("structured output (replies are read as text)");
        }
        if self.base.stream && !shape.stream {
            refused.push("streaming (replies come whole)");
        }
        if !refused.is_empty() {
            notes.push(format!("{model} takes no {}.", refused.join(", no ")));
        }
        match (shape.reasons, shape.stops == Stops::CutReasoning) {
            (true, true) => {
                notes.push(format!("{model} reasons before it answers: output limits are raised and stop strings applied here."))
            }
            (true, false) => notes.push(format!("{model} reasons before it answers: output limits are raised.")),
            (false, true) => notes.push(format!("{model} reasons before it answers: stop strings are applied here.")),
            (false, false) => {}
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request without any optional part.
    fn bare() -> Order {
        Order {
            n: 1,
            seed: None,
            temperature: None,
            limit: (LimitField::Omitted, 5),
            stops: Vec::new(),
            system: false,
            token_logs: false,
            form: None,
            stream: false,
            stream_usage: false,
            marks: false,
        }
    }

    fn limited(field: LimitField) -> Order {
        Order { limit: (field, 5), ..bare() }
    }

    #[test]
    fn a_refusal_of_what_was_not_sent_is_no_progress() {
        let quirks = Quirks::new(Shape::default(), None);
        for p in [
            Parameter::Samples(None),
            Parameter::Limit { renamed: true },
            Parameter::Temperature,
            Parameter::Stop,
            Parameter::Seed,
            Parameter::System,
            Parameter::TokenLogs,
            Parameter::Form,
            Parameter::ThisForm,
            Parameter::Stream,
            Parameter::StreamUsage,
            Parameter::Marks,
        ] {
            assert_eq!(quirks.refused(p, &bare()), Refusal::Nothing, "{p:?}");
        }
    }

    #[test]
    fn what_was_taken_before_is_refused_for_this_request_only() {
        let quirks = Quirks::new(Shape::default(), None);
        let sent =
            Order { form: Some((Forming::First, crate::calls::Form::Value)), temperature: Some(0.5), ..limited(LimitField::MaxTokens) };
        let got = Completion { choices: Vec::new(), usage: crate::calls::Usage::default(), reasoned: false };
        assert_eq!(quirks.refused(Parameter::ThisForm, &sent), Refusal::Here, "a schema that is too large says nothing of others");
        quirks.took(&sent, &got, false);
        for parameter in [Parameter::Form, Parameter::Limit { renamed: false }, Parameter::Temperature] {
            assert_eq!(quirks.refused(parameter, &sent), Refusal::Here, "{parameter:?}");
        }
        assert_eq!(quirks.shape(), Shape::default());
        let mut shape = quirks.shape();
        [Parameter::Form, Parameter::Limit { renamed: false }].iter().for_each(|p| shape.leave_out(*p, &sent));
        assert_eq!((shape.form, shape.limit), (Forming::None, LimitField::Omitted));
    }

    #[test]
    fn the_limit_is_renamed_then_omitted() {
        let quirks = Quirks::new(Shape::default(), None);
        assert_eq!(quirks.refused(Parameter::Limit { renamed: true }, &limited(LimitField::MaxTokens)), Refusal::Learnt);
        assert_eq!(quirks.shape().limit, LimitField::MaxCompletionTokens);
        // A call in parallel that was refused the old name too changes nothing, but goes on.
        assert_eq!(quirks.refused(Parameter::Limit { renamed: false }, &limited(LimitField::MaxTokens)), Refusal::Learnt);
        assert_eq!(quirks.shape().limit, LimitField::MaxCompletionTokens);
        assert_eq!(quirks.refused(Parameter::Limit { renamed: false }, &limited(LimitField::MaxCompletionTokens)), Refusal::Learnt);
        assert_eq!(quirks.shape().limit, LimitField::Omitted);
    }

    #[test]
    fn the_width_only_shrinks() {
        let quirks = Quirks::new(Shape::default(), None);
        assert_eq!(quirks.refused(Parameter::Samples(Some(4)), &Order { n: 6, ..bare() }), Refusal::Learnt);
        assert_eq!(quirks.shape().width, 4);
        quirks.at_most(5);
        assert_eq!(quirks.shape().width, 4);
        // A server that names a bound and does not keep to it.
        assert_eq!(quirks.refused(Parameter::Samples(Some(8)), &Order { n: 4, ..bare() }), Refusal::Learnt);
        assert_eq!(quirks.shape().width, 1);
    }

    #[test]
    fn notes_say_what_was_learnt_once() {
        let quirks = Quirks::new(Shape::default(), None);
        assert!(quirks.notes("m", 4, true).is_empty());
        let full = Order { stops: vec!["\n".to_owned()], temperature: Some(0.0), ..limited(LimitField::MaxTokens) };
        for p in [Parameter::Stop, Parameter::Temperature, Parameter::Limit { renamed: true }, Parameter::Stop] {
            assert_eq!(quirks.refused(p, &full), Refusal::Learnt);
        }
        let notes = quirks.notes("m", 4, false);
        assert_eq!(
            notes,
            [
                "m takes no max_tokens (max_completion_tokens is sent instead), no stop strings (replies are cut here), no temperature (its own holds)."
            ]
        );
    }
}
