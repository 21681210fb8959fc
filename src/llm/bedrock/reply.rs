//! What Converse sends: blocks of text, of reasoning, or the input of the tool that carries a constrained reply.

use crate::calls::Usage;
use crate::llm::chat::completion::{Choice, Completion, NoReply, estimated};
use serde_json::Value;

/// Reads a reply.
///
/// # Errors
/// [`NoReply`] for an error object, cut JSON, or a shape without a message.
pub fn read(body: &[u8], letters: usize) -> Result<Completion, NoReply> {
    let Ok(root) = serde_json::from_slice::<Value>(body) else {
        return Err(NoReply::Unreadable("its reply was cut or is no JSON"));
    };
    let content = match root.pointer("/output/message/content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(Value::Null) => &[],
        _ if root.get("message").or_else(|| root.get("Message")).is_some_and(Value::is_string) => return Err(NoReply::Error(root)),
        _ => return Err(NoReply::Unreadable("its reply has no `output`")),
    };
    let mut choice = Choice { finish: root["stopReason"].as_str().map(str::to_owned), ..Choice::default() };
    let add = |slot: &mut Option<String>, text: &str| slot.get_or_insert_default().push_str(text);
    let mut input = None;
    for block in content {
        if let Some(text) = block["text"].as_str() {
            add(&mut choice.text, text);
        }
        if let Some(text) = block.pointer("/reasoningContent/reasoningText/text").and_then(Value::as_str) {
            add(&mut choice.reasoning, text);
        }
        input = block.pointer("/toolUse/input").map(Value::to_string).or(input);
    }
    // Text before a constrained reply is thinking aloud.
    if let Some(input) = input
        && let Some(text) = choice.text.replace(input).filter(|t| !t.trim().is_empty())
    {
        add(&mut choice.reasoning, &text);
    }
    let usage = count(&root["usage"], &choice, letters);
    Ok(Completion { choices: vec![choice], usage, reasoned: false })
}

/// Tokens: the prompt's are counted in three places (new, written to the cache, read from it).
fn count(usage: &Value, choice: &Choice, letters: usize) -> Usage {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    let (Some(fresh), Some(completion)) = (count("inputTokens"), count("outputTokens")) else {
        return estimated(letters, choice.letters());
    };
    let (cached, written) = (count("cacheReadInputTokens").unwrap_or(0), count("cacheWriteInputTokens").unwrap_or(0));
    Usage {
        prompt_tokens: fresh + cached + written,
        cached_prompt_tokens: cached,
        cache_write_tokens: written,
        completion_tokens: completion,
        estimated: false,
    }
}
