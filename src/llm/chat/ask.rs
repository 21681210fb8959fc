//! What is asked: an ask made ready, and the order for one request of it.

use super::quirks::{Forming, LimitField, Shape, Stops, TokenLogs};
use crate::calls::{Form, LlmRequest, PartKind};

/// How much more a model that reasons may say than the answer alone needs.
const REASONING_FACTOR: u32 = 4;

/// Values that a schema may list: OpenAI takes no more than this when they are long.
const MOST_CHOICES: usize = 250;

/// Letters of all values of a schema.
const MOST_LETTERS: usize = 15_000;

/// An ask, made ready: everything about its requests but the slots.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The model's name at its service.
    pub model: String,
    /// The instructions; empty if there are none.
    pub system: String,
    /// The other parts, in order: the user's turn. At least one.
    pub user: Vec<Turn>,
    temperature: f64,
    max_tokens: u32,
    /// Stop strings, none of them empty.
    pub stops: Vec<String>,
    /// What a reply may be, where structured output is wanted.
    pub form: Option<Form>,
    /// Whether a service that can't constrain replies is an error.
    pub form_required: bool,
    /// Whether the prompt is a text to be continued.
    pub completion: bool,
    /// Whether log-probabilities of tokens are wanted.
    pub token_logs: bool,
    /// Whether everything is sent that a server may refuse, also what this ask does not need: so that it is learnt.
    pub probe: bool,
}

/// A part of the user's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its text.
    pub text: String,
    /// Whether other requests are likely to begin with the same text up to here: the end of the question, and of the graph.
    pub stays: bool,
}

/// What one request asks for, whatever the provider calls it.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Samples.
    pub n: usize,
    /// The seed of the first one, in 31 bits.
    pub seed: Option<u32>,
    /// The temperature.
    pub temperature: Option<f64>,
    /// The field of the output limit, and tokens a sample may have.
    pub limit: (LimitField, u32),
    /// Stop strings that the server can take. None with a form: an object ends by itself, and may have line feeds in it.
    pub stops: Vec<String>,
    /// Whether instructions go apart from the user's turn.
    pub system: bool,
    /// Whether log-probabilities of tokens are asked for.
    pub token_logs: bool,
    /// What the reply has to be, and how that is asked for.
    pub form: Option<(Forming, Form)>,
    /// Whether the reply is to come in pieces.
    pub stream: bool,
    /// Whether tokens are asked for at the end of a stream.
    pub stream_usage: bool,
    /// Whether the parts that stay are marked for the service's cache of prefixes.
    pub marks: bool,
}

impl Prepared {
    /// Splits the prompt into instructions and the user's turn (the other parts, in order).
    pub fn new(model: &str, request: &LlmRequest) -> Self {
        let (mut system, mut user): (Vec<&str>, Vec<Turn>) = (Vec::new(), Vec::new());
        for (at, part) in request.parts.iter().enumerate() {
            let text = part.text.trim_end();
            if text.is_empty() {
                continue;
            }
            if part.kind == PartKind::Instructions {
                system.push(text);
            } else {
                let goes_on = request.parts.get(at + 1).is_some_and(|next| next.kind == part.kind);
                let stays = matches!(part.kind, PartKind::Question | PartKind::Graph) && !goes_on;
                user.push(Turn { text: text.to_owned(), stays });
            }
        }
        let mut system = system.join("\n\n");
        if user.is_empty() {
            // Every service wants a user's turn.
            user.push(Turn { text: std::mem::take(&mut system), stays: false });
        }
        Self {
            model: model.to_owned(),
            system,
            user,
            temperature: f64::from(request.temperature_milli) / 1000.0,
            max_tokens: request.max_tokens,
            stops: request.stop.iter().filter(|s| !s.is_empty()).cloned().collect(),
            form: request.form.clone().filter(|form| takes_part(form, request.form_required)),
            form_required: request.form_required,
            completion: request.completion,
            token_logs: false,
            probe: false,
        }
    }

    /// The order for `n` samples from a server that takes this shape. `bare` = without stop strings.
    pub fn order(&self, shape: &Shape, floor: u32, n: usize, seed: u64, bare: bool) -> Order {
        let form = self.form.clone().filter(|_| shape.form != Forming::None && !self.completion).map(|form| (shape.form, form));
        let takes_stops = shape.stops == Stops::Sent && !bare && (form.is_none() || self.probe);
        let stops = self.stops.iter().filter(|s| shape.blank_stops || !s.trim().is_empty()).take(shape.most_stops);
        Order {
            n,
            seed: shape.seed.then(|| wire_seed(seed)),
            temperature: shape.temperature.then(|| self.temperature.min(shape.hottest)),
            limit: (shape.limit, self.limit(shape, floor)),
            stops: if takes_stops { stops.cloned().collect() } else { Vec::new() },
            system: shape.system && !self.system.is_empty() && !self.completion,
            token_logs: self.token_logs && shape.token_logs == TokenLogs::Asked,
            form,
            stream: shape.stream,
            stream_usage: shape.stream_usage,
            marks: shape.marks,
        }
    }

    /// Tokens that a sample may have: more for a model that reasons first, at least `floor`.
    pub fn limit(&self, shape: &Shape, floor: u32) -> u32 {
        if shape.reasons { self.max_tokens.saturating_mul(REASONING_FACTOR).max(floor) } else { self.max_tokens }
    }

    /// The user's turn as one text; with the instructions before it where they can't go apart.
    pub fn user_text(&self, with_system: bool) -> String {
        let system = std::iter::once(self.system.as_str()).filter(|s| with_system && !s.is_empty());
        system.chain(self.user.iter().map(|turn| turn.text.as_str())).collect::<Vec<_>>().join("\n\n")
    }

    /// Letters of the prompt.
    pub fn letters(&self) -> usize {
        self.system.chars().count() + self.user.iter().map(|turn| turn.text.chars().count()).sum::<usize>()
    }
}

/// Whether a form is worth sending: something is on offer, and not more than schemas may list (unless it has to be tried).
fn takes_part(form: &Form, required: bool) -> bool {
    match form {
        Form::Entities(choices) | Form::Relation(choices) => {
            let letters: usize = choices.iter().map(String::len).sum();
            !choices.is_empty() && (required || (choices.len() <= MOST_CHOICES && letters <= MOST_LETTERS))
        }
        Form::Action(words) => !words.is_empty(),
        Form::Answer | Form::Value | Form::ReasonedValue | Form::Verdict => true,
    }
}

/// A seed in the range that every server takes (31 bits; some read a signed 32-bit number). Smaller seeds stay as they are.
fn wire_seed(seed: u64) -> u32 {
    u32::try_from((seed ^ (seed >> 31) ^ (seed >> 62)) & 0x7fff_ffff).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{Part, PromptKind};

    fn request(parts: &[(PartKind, &str)]) -> LlmRequest {
        LlmRequest {
            kind: PromptKind::Action,
            model: "m".to_owned(),
            parts: parts.iter().map(|(kind, text)| Part { kind: *kind, text: (*text).into() }).collect(),
            temperature_milli: 700,
            stop: vec!["\n".to_owned(), String::new()],
            max_tokens: 100,
            slots: vec![(0, 1)],
            form: None,
            form_required: false,
            completion: false,
        }
    }

    #[test]
    fn instructions_go_apart_and_the_rest_is_the_users_turn() {
        let request = request(&[(PartKind::Instructions, "Be brief.\n"), (PartKind::Question, "Who?"), (PartKind::Task, "Act.\n")]);
        let ask = Prepared::new("m", &request);
        assert_eq!((ask.system.as_str(), ask.user_text(false).as_str()), ("Be brief.", "Who?\n\nAct."));
        assert_eq!(ask.user_text(true), request.prompt(), "folded, it is the whole prompt");
        let alone = Prepared::new("m", &self::request(&[(PartKind::Instructions, "Say A.")]));
        assert_eq!((alone.system.as_str(), alone.user_text(true).as_str()), ("", "Say A."));
    }

    #[test]
    fn an_order_holds_what_the_server_takes() {
        let ask = Prepared::new("m", &request(&[(PartKind::Task, "x")]));
        let order = ask.order(&Shape::default(), 0, 3, 9, false);
        assert_eq!((order.n, order.seed, order.temperature, order.stops), (3, Some(9), Some(0.7), vec!["\n".to_owned()]));
        let picky = Shape { blank_stops: false, hottest: 0.5, seed: false, ..Shape::default() };
        let order = ask.order(&picky, 0, 1, 9, false);
        assert_eq!((order.seed, order.temperature, order.stops), (None, Some(0.5), Vec::new()));
        assert!(ask.order(&Shape::default(), 0, 1, 9, true).stops.is_empty());
    }

    #[test]
    fn seeds_fit_in_31_bits_and_stay_different() {
        assert_eq!(wire_seed(42), 42);
        assert!(wire_seed(u64::MAX) < 1 << 31);
        assert_ne!(wire_seed(1 << 40), wire_seed(1 << 41));
        assert_ne!(wire_seed(1 << 62), wire_seed(1 << 63));
    }

    #[test]
    fn a_model_that_reasons_gets_room() {
        let ask = Prepared::new("m", &request(&[(PartKind::Task, "x")]));
        assert_eq!(ask.limit(&Shape::default(), 4096), 100);
        let reasons = Shape { reasons: true, ..Shape::default() };
        assert_eq!(ask.limit(&reasons, 4096), 4096);
        assert_eq!(ask.limit(&reasons, 10), 400);
    }
}
