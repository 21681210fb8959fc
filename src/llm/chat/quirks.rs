//! What one server turned out to want or refuse: learnt once, kept for the adapter's life.

use super::ask::Order;
use std::sync::{Mutex, PoisonError};

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
    /// Whether replies can be constrained by a schema.
    pub form: bool,
    /// Whether replies come in pieces.
    pub stream: bool,
    /// Whether tokens are asked for at the end of a stream.
    pub stream_usage: bool,
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
            form: true,
            stream: true,
            stream_usage: true,
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
    /// Structured output.
    Form,
    /// `stream`.
    Stream,
    /// `stream_options`.
    StreamUsage,
}

/// What has been learnt, shared by all calls of one adapter.
#[derive(Debug)]
pub struct Quirks(Mutex<Shape>);

impl Quirks {
    /// What is known of a server before it was asked.
    pub fn new(shape: Shape) -> Self {
        Self(Mutex::new(shape))
    }

    /// The shape that the next request should have.
    pub fn shape(&self) -> Shape {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Shape)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Learns that the server refused `parameter` of the request `sent`.
    ///
    /// Returns whether the next request will differ from `sent`: if not, nothing is gained by asking again. A call in
    /// parallel may have learnt the same before; that is no reason to give up.
    pub fn refused(&self, parameter: Parameter, sent: &Order) -> bool {
        match parameter {
            Parameter::Samples(cap) => {
                self.at_most(cap.filter(|c| (1..sent.n).contains(c)).unwrap_or(1));
                sent.n > 1
            }
            Parameter::Limit { renamed } => {
                let next = if renamed { LimitField::MaxCompletionTokens } else { LimitField::Omitted };
                match sent.limit.0 {
                    // A call in parallel that was refused the old name too changes nothing, but goes on.
                    LimitField::MaxTokens => self.change(|s| s.limit = if s.limit == LimitField::MaxTokens { next } else { s.limit }),
                    LimitField::MaxCompletionTokens => self.change(|s| s.limit = LimitField::Omitted),
                    LimitField::Omitted => return false,
                }
                true
            }
            Parameter::Temperature => {
                self.change(|s| s.temperature = false);
                sent.temperature.is_some()
            }
            Parameter::Stop => {
                self.change(|s| s.stops = Stops::Refused);
                !sent.stops.is_empty()
            }
            Parameter::Seed => {
                self.change(|s| s.seed = false);
                sent.seed.is_some()
            }
            Parameter::System => {
                self.change(|s| s.system = false);
                sent.system
            }
            Parameter::Form => {
                self.change(|s| s.form = false);
                sent.form.is_some()
            }
            Parameter::Stream => {
                self.change(|s| s.stream = false);
                sent.stream
            }
            Parameter::StreamUsage => {
                self.change(|s| s.stream_usage = false);
                sent.stream && sent.stream_usage
            }
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

    /// What the person should know, a sentence a subject: samples, parameters, reasoning.
    pub fn notes(&self, model: &str, at_once: usize) -> Vec<String> {
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
        if !shape.form {
            refused.push("structured output (replies are read as text)");
        }
        if !shape.stream {
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
            form: None,
            stream: false,
            stream_usage: false,
        }
    }

    fn limited(field: LimitField) -> Order {
        Order { limit: (field, 5), ..bare() }
    }

    #[test]
    fn a_refusal_of_what_was_not_sent_is_no_progress() {
        let quirks = Quirks::new(Shape::default());
        for p in [
            Parameter::Samples(None),
            Parameter::Limit { renamed: true },
            Parameter::Temperature,
            Parameter::Stop,
            Parameter::Seed,
            Parameter::System,
            Parameter::Form,
            Parameter::Stream,
            Parameter::StreamUsage,
        ] {
            assert!(!quirks.refused(p, &bare()), "{p:?}");
        }
    }

    #[test]
    fn the_limit_is_renamed_then_omitted() {
        let quirks = Quirks::new(Shape::default());
        assert!(quirks.refused(Parameter::Limit { renamed: true }, &limited(LimitField::MaxTokens)));
        assert_eq!(quirks.shape().limit, LimitField::MaxCompletionTokens);
        // A call in parallel that was refused the old name too changes nothing, but goes on.
        assert!(quirks.refused(Parameter::Limit { renamed: false }, &limited(LimitField::MaxTokens)));
        assert_eq!(quirks.shape().limit, LimitField::MaxCompletionTokens);
        assert!(quirks.refused(Parameter::Limit { renamed: false }, &limited(LimitField::MaxCompletionTokens)));
        assert_eq!(quirks.shape().limit, LimitField::Omitted);
    }

    #[test]
    fn the_width_only_shrinks() {
        let quirks = Quirks::new(Shape::default());
        assert!(quirks.refused(Parameter::Samples(Some(4)), &Order { n: 6, ..bare() }));
        assert_eq!(quirks.shape().width, 4);
        quirks.at_most(5);
        assert_eq!(quirks.shape().width, 4);
        // A server that names a bound and does not keep to it.
        assert!(quirks.refused(Parameter::Samples(Some(8)), &Order { n: 4, ..bare() }));
        assert_eq!(quirks.shape().width, 1);
    }

    #[test]
    fn notes_say_what_was_learnt_once() {
        let quirks = Quirks::new(Shape::default());
        assert!(quirks.notes("m", 4).is_empty());
        let full = Order { stops: vec!["\n".to_owned()], temperature: Some(0.0), ..limited(LimitField::MaxTokens) };
        for p in [Parameter::Stop, Parameter::Temperature, Parameter::Limit { renamed: true }, Parameter::Stop] {
            assert!(quirks.refused(p, &full));
        }
        let notes = quirks.notes("m", 4);
        assert_eq!(
            notes,
            [
                "m takes no max_tokens (max_completion_tokens is sent instead), no stop strings (replies are cut here), no temperature (its own holds)."
            ]
        );
    }
}
