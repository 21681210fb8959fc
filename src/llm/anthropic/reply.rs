//! What comes back under status 200: blocks of text, of thinking, or the input of the tool that carries a constrained reply.

use crate::calls::Usage;
use crate::llm::chat::completion::{Choice, Completion, NoReply, estimated};
use serde_json::Value;

/// Reads a message.
///
/// # Errors
/// [`NoReply`] for an error object, cut JSON, or a shape without content.
pub fn read(body: &[u8], letters: usize) -> Result<Completion, NoReply> {
    let Ok(root) = serde_json::from_slice::<Value>(body) else {
        return Err(NoReply::Unreadable("its reply was cut or is no JSON"));
    };
    if root["type"] == "error" || root.get("error").is_some_and(|e| !e.is_null()) {
        return Err(NoReply::Error(root));
    }
    let content = match root.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(Value::Null) => &[],
        _ => return Err(NoReply::Unreadable("its reply has no `content`")),
    };
    let mut said = Said::default();
    for block in content {
        said.begin(block);
        if block["type"] == "tool_use" {
            said.input(&block["input"].to_string());
        }
    }
    let finish = root["stop_reason"].as_str().map(str::to_owned);
    Ok(said.complete(finish, &root["stop_details"], &root["usage"], letters))
}

/// What the blocks of a reply say together.
#[derive(Debug, Default)]
pub struct Said {
    text: Option<String>,
    reasoning: Option<String>,
    input: Option<String>,
}

impl Said {
    /// A block begins, or is there as a whole (but for the input of a tool).
    pub fn begin(&mut self, block: &Value) {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match block["type"].as_str() {
            Some("text") => self.text(text("text")),
            Some("thinking") => self.thinking(text("thinking")),
            Some("tool_use") => self.input(""),
            // Redacted thinking is cipher.
            _ => {}
        }
    }

    /// More text.
    pub fn text(&mut self, text: &str) {
        self.text.get_or_insert_default().push_str(text);
    }

    /// More thinking.
    pub fn thinking(&mut self, text: &str) {
        if !text.is_empty() {
            self.reasoning.get_or_insert_default().push_str(text);
        }
    }

    /// More of the input of the tool.
    pub fn input(&mut self, json: &str) {
        self.input.get_or_insert_default().push_str(json);
    }

    /// The reply. Text before a constrained reply is thinking aloud.
    pub fn complete(mut self, finish: Option<String>, details: &Value, usage: &Value, letters: usize) -> Completion {
        if let Some(input) = self.input
            && let Some(text) = self.text.replace(input).filter(|t| !t.trim().is_empty())
        {
            self.reasoning.get_or_insert_default().push_str(&text);
        }
        let refused = finish.as_deref() == Some("refusal");
        let why = ["explanation", "category"].iter().find_map(|name| details[*name].as_str());
        let refusal = refused.then(|| why.unwrap_or("stop_reason: refusal").to_owned());
        let thought = usage.pointer("/output_tokens_details/thinking_tokens").and_then(Value::as_u64).unwrap_or(0) > 0;
        let choice = Choice { text: self.text, reasoning: self.reasoning, finish, refusal, tokens: Vec::new() };
        let usage = counted(usage).unwrap_or_else(|| estimated(letters, choice.letters()));
        Completion { choices: vec![choice], usage, reasoned: thought }
    }
}

/// Tokens as the service counts them: the prompt's in three places (new, written to the cache, read from it).
pub fn counted(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    let (fresh, completion) = (count("input_tokens")?, count("output_tokens")?);
    let written = count("cache_creation_input_tokens").unwrap_or(0);
    let cached = count("cache_read_input_tokens").unwrap_or(0);
    Some(Usage {
        prompt_tokens: fresh + written + cached,
        cached_prompt_tokens: cached,
        cache_write_tokens: written,
        completion_tokens: completion,
        estimated: false,
    })
}
