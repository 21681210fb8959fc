//! What is asked of a model, and what comes back.

use crate::graph::EntityId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// Which things does the question mention?
    Extract,
    /// Which candidate is the mention?
    Match,
    /// State `default`: think, answer or expand.
    Action,
    /// State `selecting entities`.
    Entities,
    /// State `selecting relation`.
    Relation,
    /// The forced answer, when depth or budget is used up.
    FinalAnswer,
    /// The value of an intermediate node.
    ScoreState,
    /// The value of an answer.
    ScoreAnswer,
    /// What a fact is thought to be, which an answer rests on.
    Review,
}

impl PromptKind {
    /// Every kind, in the order in which a question needs them.
    pub const ALL: [Self; 9] = [
        Self::Extract,
        Self::Match,
        Self::Action,
        Self::Entities,
        Self::Relation,
        Self::FinalAnswer,
        Self::ScoreState,
        Self::ScoreAnswer,
        Self::Review,
    ];

    /// Its place in [`PromptKind::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name, as journals have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Match => "match",
            Self::Action => "action",
            Self::Entities => "entities",
            Self::Relation => "relation",
            Self::FinalAnswer => "final_answer",
            Self::ScoreState => "score_state",
            Self::ScoreAnswer => "score_answer",
            Self::Review => "review",
        }
    }
}

/// What a part of a prompt holds. Parts that stay the same from call to call come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// What is shared by all prompts.
    Instructions,
    /// The question.
    Question,
    /// The local graph.
    Graph,
    /// The trajectory.
    Path,
    /// The task of the state, with its options.
    Task,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// What it holds.
    pub kind: PartKind,
    /// Its text.
    pub text: Arc<str>,
}

/// What a reply may be, for services that can constrain it. A reply is then an object of this shape, which the reader of
/// completions understands like any other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `{"action": "THINK", "text": "..."}`: one of these words, with a text.
    Action(Vec<String>),
    /// `{"reasoning": "...", "answer": "..."}`: the reasons first.
    Answer,
    /// `{"entities": ["Q1", "Q2"]}`: some of these ids.
    Entities(Vec<String>),
    /// `{"relation": "P57"}`: one of these tokens.
    Relation(Vec<String>),
    /// `{"value": 0.8}`: 0 to 1.
    Value,
    /// `{"reasoning": "...", "value": 0.7}`: the reasons first, then 0 to 1.
    ReasonedValue,
    /// `{"reason": "...", "verdict": "sound"}`: the reason first, then one of the words.
    Verdict,
}

impl Form {
    /// A name for services that want one: letters and underscores.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Action(_) => "action",
            Self::Answer => "answer",
            Self::Entities(_) => "entities",
            Self::Relation(_) => "relation",
            Self::Value | Self::ReasonedValue => "value",
            Self::Verdict => "verdict",
        }
    }

    /// The JSON schema. It keeps to what strict modes take: every property required, none besides, no bounds on numbers.
    #[must_use]
    pub fn schema(&self) -> Value {
        let properties = match self {
            Self::Action(words) => json!({"action": {"type": "string", "enum": words}, "text": {"type": "string"}}),
            Self::Answer => json!({"reasoning": {"type": "string"}, "answer": {"type": "string"}}),
            Self::Entities(ids) => json!({"entities": {"type": "array", "items": {"type": "string", "enum": ids}}}),
            Self::Relation(tokens) => json!({"relation": {"type": "string", "enum": tokens}}),
            Self::Value => json!({"value": {"type": "number"}}),
            // Objects keep the order of their keys here: the reasons are written before the value.
            Self::Verdict => json!({"reason": {"type": "string"}, "verdict": {"type": "string", "enum": ["sound", "doubtful", "unknown"]}}),
            Self::ReasonedValue => json!({"reasoning": {"type": "string"}, "value": {"type": "number"}}),
        };
        let required: Vec<&String> = properties.as_object().map(|all| all.keys().collect()).unwrap_or_default();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

/// A request for samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmRequest {
    /// What the prompt is for.
    pub kind: PromptKind,
    /// The model's name, as its service knows it.
    pub model: String,
    /// The prompt, stable parts first.
    pub parts: Vec<Part>,
    /// 0.0 to 2.0, in thousandths.
    pub temperature_milli: u32,
    /// The reply is cut before the first of these. Not every server honours them: nothing relies on it.
    pub stop: Vec<String>,
    /// Tokens per sample, at most.
    pub max_tokens: u32,
    /// Which samples of the ask are wanted: slot number and seed of each.
    pub slots: Vec<(u32, u64)>,
    /// What a reply may be, where structured output is wanted.
    pub form: Option<Form>,
    /// Whether a service that can't constrain replies is an error (`--structured on`).
    pub form_required: bool,
    /// Whether the prompt is a text to be continued, for base models, and no instruction.
    pub completion: bool,
}

impl LlmRequest {
    /// The whole prompt as one text, parts separated by blank lines.
    #[must_use]
    pub fn prompt(&self) -> String {
        let texts: Vec<&str> = self.parts.iter().map(|p| p.text.trim_end()).collect();
        texts.join("\n\n")
    }
}

/// What the search knows about a request beside its text. Only scripted models may look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The way from the root as tokens: `T:a thought > X: > S:Q1+Q2 > R:~P57`. `None` when an answer is scored.
    pub path: Option<String>,
    /// The mention, as extracted.
    pub term: Option<String>,
    /// The answer that is scored.
    pub answer: Option<String>,
    /// Entities of the local graph.
    pub entities: Vec<EntityId>,
    /// What is on offer.
    pub options: Vec<String>,
}

/// One completion, raw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The text as received; `None` when the service sent null.
    pub text: Option<String>,
    /// Reasoning that the service sent apart from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why it ended, in the service's word (`stop`, `length`, ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// The tokens of the text, each with how likely the model held it, where that was asked for and the service says it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Token>,
}

/// A token of a completion, with how likely the model held it where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// The natural logarithm of its probability, in thousandths: 0 or less.
    pub log_milli: i32,
}

impl Token {
    /// A token of this log-probability; `None` for a number that is none (above 0, not finite).
    #[must_use]
    pub fn new(text: &str, log_probability: f64) -> Option<Self> {
        // Rounding may bring a certain token a hair above.
        let is_one = log_probability.is_finite() && log_probability < 0.001;
        #[expect(clippy::cast_possible_truncation, reason = "rounded and within bounds")]
        let log_milli = (log_probability * 1000.0).round().clamp(-1e9, 0.0) as i32;
        is_one.then(|| Self { text: text.to_owned(), log_milli })
    }

    /// The probability, 0 to 1.
    #[must_use]
    pub fn probability(&self) -> f64 {
        (f64::from(self.log_milli) / 1000.0).exp()
    }
}

/// Who took a reply away. What is left of it is no answer: the beginning of one, or the sentence of a filter.
/// (A reply that met its token limit is another matter: see [`Sample::is_cut`].)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// A content filter of the service.
    Filtered,
    /// The model refuses.
    Refused,
    /// The service broke it off for a reason of its own: the model failed, the server shut down or had no room, what came was
    /// malformed. It may go well the next time.
    BrokenOff,
}

impl Withheld {
    /// What `finish` says, in whichever service's word.
    #[must_use]
    pub fn of(finish: &str) -> Option<Self> {
        let finish = finish.to_ascii_lowercase();
        // Gemini's compatible endpoint: `content_filter: PROHIBITED_CONTENT`.
        match finish.split(':').next().unwrap_or_default().trim() {
            // OpenAI, Azure, Gemini's compatible endpoint, OpenRouter; Bedrock; Zhipu.
            "content_filter" | "content_filtered" | "guardrail_intervened" | "sensitive" => Some(Self::Filtered),
            // Gemini's own words, which proxies hand on.
            "safety" | "image_safety" | "recitation" | "blocklist" | "prohibited_content" | "spii" => Some(Self::Filtered),
            // Anthropic, and what adapters call an OpenAI `refusal`.
            "refusal" => Some(Self::Refused),
            // OpenRouter, Mistral, vLLM, Cohere; DeepSeek; vLLM and SGLang (`abort`); Zhipu.
            "error" | "insufficient_system_resource" | "abort" | "aborted" | "network_error" => Some(Self::BrokenOff),
            // Bedrock; Gemini: what the model wrote could not be taken apart.
            "malformed_model_output" | "malformed_tool_use" | "malformed_function_call" | "malformed_response" => Some(Self::BrokenOff),
            // Ollama, which loaded or unloaded the model instead; Anthropic, a turn that was to be gone on with.
            "load" | "unload" | "pause_turn" => Some(Self::BrokenOff),
            _ => None,
        }
    }
}

/// The words of services for the token limit.
const CUT: [&str; 5] = ["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"];

/// Whether `finish` says that the token limit was met, in whichever service's word.
#[must_use]
pub fn is_cut(finish: &str) -> bool {
    CUT.iter().any(|word| finish.eq_ignore_ascii_case(word))
}

impl Sample {
    /// Who took it away, if somebody did: its text is to be looked at, not to be read.
    #[must_use]
    pub fn withheld(&self) -> Option<Withheld> {
        Withheld::of(self.finish.as_deref()?)
    }

    /// The probability of a token on average: the geometric mean over all tokens that say it, 0 to 1.
    #[must_use]
    pub fn probability(&self) -> Option<f64> {
        let sum: i64 = self.tokens.iter().map(|token| i64::from(token.log_milli)).sum();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        (!self.tokens.is_empty()).then(|| (sum as f64 / 1000.0 / self.tokens.len() as f64).exp())
    }

    /// Whether it met the token limit: its end is missing.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.finish.as_deref().is_some_and(is_cut)
    }

    /// A sample that ended by itself.
    pub fn stopped(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), finish: Some("stop".to_owned()), ..Self::default() }
    }
}

/// Tokens of one reply on the wire, as the service counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, all of them.
    pub prompt_tokens: u64,
    /// Of these, read from the service's own cache of prefixes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_prompt_tokens: u64,
    /// Of these, written to that cache (some services charge more for them).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Tokens of all samples of the reply.
    pub completion_tokens: u64,
    /// Whether the numbers are our estimate (four letters a token) because the service gave none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.prompt_tokens += more.prompt_tokens;
        self.cached_prompt_tokens += more.cached_prompt_tokens;
        self.cache_write_tokens += more.cache_write_tokens;
        self.completion_tokens += more.completion_tokens;
        self.estimated |= more.estimated;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What requests have taken that ended without a reply after the service had begun to answer: they were cancelled, broke off, or got
/// no answer in time. Nobody counts it, but it is paid all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wasted {
    /// Tokens, always estimated: the prompt's as the service counted them or by its letters, the reply's by the text that came.
    pub usage: Usage,
    /// Milliseconds on the wire.
    pub took_ms: u64,
    /// Requests.
    pub requests: u32,
}

/// A piece of a sample that is still being written. Pieces are shown and forgotten: what counts is the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The slot.
    pub slot: u32,
    /// Whether it is reasoning, not answer.
    pub reasoning: bool,
    /// The text that came.
    pub text: String,
}

/// One reply on the wire: it fills some slots of an ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmReply {
    /// Slot and sample.
    pub samples: Vec<(u32, Sample)>,
    /// Tokens.
    pub usage: Option<Usage>,
    /// Milliseconds on the wire.
    pub took_ms: u64,
    /// How many tries it took.
    pub tries: u32,
}
