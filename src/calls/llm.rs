//! What is asked of a model, and what comes back.

use crate::graph::EntityId;
use serde::{Deserialize, Serialize};
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
}

impl Sample {
    /// A sample that ended by itself.
    pub fn stopped(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), reasoning: None, finish: Some("stop".to_owned()) }
    }
}

/// Tokens of one reply on the wire, as the service counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of all samples of the reply.
    pub completion_tokens: u64,
    /// Whether the numbers are our estimate (four letters a token) because the service gave none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
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
