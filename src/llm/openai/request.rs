//! What is sent: the body of a chat call.

use super::quirks::{Shape, Stops};
use crate::calls::{LlmRequest, PartKind};
use serde_json::{Map, Value, json};

/// Servers take four stop strings; the rest is applied here only.
const MOST_STOPS: usize = 4;

/// How much more a model that reasons may say than the answer alone needs.
const REASONING_FACTOR: u32 = 4;

/// An ask, made ready: everything about its requests but the slots.
#[derive(Clone, Debug)]
pub struct Prepared {
    model: String,
    system: String,
    user: String,
    temperature: f64,
    max_tokens: u32,
    /// Stop strings, none of them empty.
    pub stops: Vec<String>,
}

impl Prepared {
    /// Splits the prompt into a system message (the instructions) and one user message (the rest, in order).
    pub fn new(model: &str, request: &LlmRequest) -> Self {
        let texts = |instructions: bool| {
            let parts = request.parts.iter().filter(|p| (p.kind == PartKind::Instructions) == instructions);
            parts.map(|p| p.text.trim_end()).collect::<Vec<_>>().join("\n\n")
        };
        let (mut system, mut user) = (texts(true), texts(false));
        if user.is_empty() {
            // Chat templates want a user's turn.
            std::mem::swap(&mut system, &mut user);
        }
        Self {
            model: model.to_owned(),
            system,
            user,
            temperature: f64::from(request.temperature_milli) / 1000.0,
            max_tokens: request.max_tokens,
            stops: request.stop.iter().filter(|s| !s.is_empty()).cloned().collect(),
        }
    }

    /// The body of a request for `n` samples. `bare` = without stop strings.
    pub fn body(&self, shape: &Shape, floor: u32, n: usize, seed: u64, bare: bool) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert("messages".to_owned(), self.messages(shape.system));
        if n > 1 {
            body.insert("n".to_owned(), json!(n));
        }
        if shape.temperature {
            body.insert("temperature".to_owned(), json!(self.temperature));
        }
        if let Some(name) = shape.limit.name() {
            body.insert(name.to_owned(), json!(self.limit(shape, floor)));
        }
        if shape.stops == Stops::Sent && !bare && !self.stops.is_empty() {
            body.insert("stop".to_owned(), json!(self.stops.iter().take(MOST_STOPS).collect::<Vec<_>>()));
        }
        if shape.seed {
            body.insert("seed".to_owned(), json!(wire_seed(seed)));
        }
        body
    }

    /// Tokens that a sample may have: more for a model that reasons first, at least `floor`.
    pub fn limit(&self, shape: &Shape, floor: u32) -> u32 {
        if shape.reasons { self.max_tokens.saturating_mul(REASONING_FACTOR).max(floor) } else { self.max_tokens }
    }

    /// Letters of the prompt.
    pub fn letters(&self) -> usize {
        self.system.chars().count() + self.user.chars().count()
    }

    fn messages(&self, with_system: bool) -> Value {
        if self.system.is_empty() {
            json!([{"role": "user", "content": self.user}])
        } else if with_system {
            json!([{"role": "system", "content": self.system}, {"role": "user", "content": self.user}])
        } else {
            json!([{"role": "user", "content": format!("{}\n\n{}", self.system, self.user)}])
        }
    }
}

/// A seed in the range that every server takes (31 bits; some read a signed 32-bit number). Smaller seeds stay as they are.
const fn wire_seed(seed: u64) -> u64 {
    (seed ^ (seed >> 31) ^ (seed >> 62)) & 0x7fff_ffff
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
    fn instructions_are_the_system_message_and_the_rest_one_user_message() {
        let ask = request(&[(PartKind::Instructions, "Be brief.\n"), (PartKind::Question, "Who?"), (PartKind::Task, "Act.\n")]);
        let body = Value::from(Prepared::new("m", &ask).body(&Shape::default(), 0, 3, 9, false));
        assert_eq!(
            body,
            json!({
                "model": "m",
                "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?\n\nAct."}],
                "n": 3, "temperature": 0.7, "max_tokens": 100, "stop": ["\n"], "seed": 9,
            })
        );
        let folded = Shape { system: false, ..Shape::default() };
        let body = Prepared::new("m", &ask).body(&folded, 0, 1, 9, true);
        assert_eq!(body["messages"], json!([{"role": "user", "content": "Be brief.\n\nWho?\n\nAct."}]));
        assert!(!body.contains_key("n") && !body.contains_key("stop"));
        assert_eq!(body["messages"][0]["content"], ask.prompt(), "folded, it is the whole prompt");
    }

    #[test]
    fn instructions_alone_are_said_by_the_user() {
        let body = Prepared::new("m", &request(&[(PartKind::Instructions, "Say A.")])).body(&Shape::default(), 0, 1, 9, false);
        assert_eq!(body["messages"], json!([{"role": "user", "content": "Say A."}]));
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
