//! What comes back under status 200: choices in order, reasoning kept apart, tokens.

use crate::calls::{Token, Usage, Withheld};
use crate::llm::chat::completion::{Choice, Completion, NoReply, tokens_in, tokens_of};
use serde_json::Value;

/// Reads the body of a chat completion. `prompt_letters` serves to estimate tokens where the service counts none.
///
/// # Errors
/// [`NoReply`] for an error object, cut JSON, or a shape without choices.
pub fn read(body: &[u8], prompt_letters: usize) -> Result<Completion, NoReply> {
    let Ok(root) = serde_json::from_slice::<Value>(body) else {
        return Err(NoReply::Unreadable("its reply was cut or is no JSON"));
    };
    if root.get("error").is_some_and(|e| !e.is_null()) || root["object"] == "error" {
        return Err(NoReply::Error(root));
    }
    let Some(listed) = root.get("choices").and_then(Value::as_array).filter(|c| !c.is_empty()) else {
        return Err(NoReply::Unreadable("its reply has no `choices`"));
    };
    if let Some(failed) = listed.iter().find(|c| c.get("error").is_some_and(|e| !e.is_null())) {
        return Err(NoReply::Error(failed.clone()));
    }
    let mut choices = Vec::with_capacity(listed.len());
    for (at, choice) in listed.iter().enumerate() {
        // Of a reply that was taken away Gemini's endpoint sends the reason alone.
        let is_taken = || choice["finish_reason"].as_str().is_some_and(|finish| Withheld::of(finish).is_some());
        if !choice.get("message").is_some_and(Value::is_object) && !choice.get("text").is_some_and(Value::is_string) && !is_taken() {
            return Err(NoReply::Unreadable("its reply has a choice without a `message`"));
        }
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(at as u64);
        choices.push((index, read_choice(choice)));
    }
    // Stable: choices that all say index 0 stay in the order of arrival.
    choices.sort_by_key(|(index, _)| *index);
    Ok(complete(choices.into_iter().map(|(_, choice)| choice).collect(), &root, prompt_letters))
}

/// A reply of these choices, with the tokens that `root` counts.
pub fn complete(choices: Vec<Choice>, root: &Value, prompt_letters: usize) -> Completion {
    let usage = read_usage(root, &choices, prompt_letters);
    let reasoned = root.pointer("/usage/completion_tokens_details/reasoning_tokens").and_then(Value::as_u64).unwrap_or(0) > 0;
    Completion { choices, usage, reasoned }
}

/// What a choice says: its `message`, the `delta` of a stream, or the `text` of a completion.
pub fn read_choice(choice: &Value) -> Choice {
    let message = choice.get("message").or_else(|| choice.get("delta")).unwrap_or(&Value::Null);
    let reasoning = ["reasoning_content", "reasoning"].iter().filter_map(|name| text_of(message.get(name)));
    let mut read = Choice {
        finish: text_of(choice.get("finish_reason")),
        refusal: text_of(message.get("refusal")).filter(|r| !r.is_empty()),
        reasoning: reasoning.into_iter().find(|r| !r.is_empty()),
        text: text_of(choice.get("text")),
        tokens: tokens(choice),
    };
    match message.get("content") {
        Some(Value::String(text)) => read.text = Some(text.clone()),
        Some(Value::Array(parts)) => parts.iter().for_each(|part| add_part(&mut read, part)),
        _ => {}
    }
    read
}

/// The tokens of a choice with their log-probabilities: in the shape of chats, or in that of texts that are continued.
fn tokens(choice: &Value) -> Vec<Token> {
    let Some(logs) = choice.get("logprobs") else { return Vec::new() };
    match (logs["tokens"].as_array(), logs["token_logprobs"].as_array()) {
        (Some(tokens), Some(numbers)) => {
            tokens.iter().zip(numbers).filter_map(|(token, number)| Token::new(token.as_str()?, number.as_f64()?)).collect()
        }
        _ => tokens_in(logs.get("content")),
    }
}

/// Adds one element of a content array: `text`, `thinking` or `refusal`; other types (pictures) say nothing.
fn add_part(read: &mut Choice, part: &Value) {
    let into = |slot: &mut Option<String>, text: &str| slot.get_or_insert_default().push_str(text);
    match part.get("type").and_then(Value::as_str) {
        Some("text" | "output_text") | None => {
            if let Some(text) = part.get("text").or(Some(part)).and_then(Value::as_str) {
                into(&mut read.text, text);
            }
        }
        Some("thinking" | "reasoning") => match part.get("thinking").or_else(|| part.get("text")) {
            Some(Value::String(text)) => into(&mut read.reasoning, text),
            Some(Value::Array(inner)) => inner.iter().filter_map(|p| p["text"].as_str()).for_each(|t| into(&mut read.reasoning, t)),
            _ => {}
        },
        Some("refusal") => {
            if let Some(text) = part.get("refusal").and_then(Value::as_str) {
                into(&mut read.refusal, text);
            }
        }
        Some(_) => {}
    }
}

fn text_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

/// Tokens of all choices.
///
/// Some servers (llama.cpp) count one choice only when several were asked for. That is taken for evident when their `timings`
/// speak of the same number, or when the texts need more than twice the count at four letters a token. Then, and where
/// there is no count at all, the number is our estimate and marked so; it is never below the service's own.
fn read_usage(root: &Value, choices: &[Choice], prompt_letters: usize) -> Usage {
    let count = |name: &str| root.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
    let said: u64 = choices.iter().map(|c| tokens_of(c.letters())).sum();
    let (prompt, completion) = (count("prompt_tokens"), count("completion_tokens"));
    let one_choice_only = choices.len() > 1
        && completion
            .is_some_and(|tokens| root.pointer("/timings/predicted_n").and_then(Value::as_u64) == Some(tokens) || said > 2 * tokens);
    // OpenAI and most; DeepSeek.
    let cached = count("prompt_tokens_details/cached_tokens").or_else(|| count("prompt_cache_hit_tokens")).unwrap_or(0);
    Usage {
        cached_prompt_tokens: cached,
        prompt_tokens: prompt.unwrap_or(tokens_of(prompt_letters)),
        completion_tokens: match completion {
            Some(tokens) if one_choice_only => tokens.max(said),
            Some(tokens) => tokens,
            None => said,
        },
        estimated: one_choice_only || prompt.is_none() || completion.is_none(),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: &Value) -> Completion {
        read(value.to_string().as_bytes(), 400).unwrap()
    }

    #[test]
    fn choices_come_in_the_order_of_their_index() {
        let reply = of(&json!({"choices": [
            {"index": 1, "message": {"content": "b"}, "finish_reason": "stop"},
            {"index": 0, "message": {"content": "a"}, "finish_reason": "length"},
        ]}));
        let texts: Vec<_> = reply.choices.iter().map(|c| c.text.as_deref().unwrap()).collect();
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(reply.usage, Usage { prompt_tokens: 100, completion_tokens: 2, estimated: true, ..Usage::default() });
    }

    #[test]
    fn content_may_be_an_array_of_parts() {
        let reply = of(&json!({"choices": [{"message": {"content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "ANSWER: "}, {"type": "text", "text": "Oslo"}, {"type": "image_url", "image_url": {}},
        ]}}]}));
        assert_eq!(reply.choices[0].text.as_deref(), Some("ANSWER: Oslo"));
        assert_eq!(reply.choices[0].reasoning.as_deref(), Some("hm"));
        let refused = of(&json!({"choices": [{"message": {"content": [{"type": "refusal", "refusal": "No."}]}}]}));
        assert_eq!(refused.choices[0].refusal.as_deref(), Some("No."));
    }

    #[test]
    fn cached_tokens_are_counted_apart() {
        let usage = |usage: Value| of(&json!({"choices": [{"message": {"content": "x"}}], "usage": usage})).usage;
        let openai = usage(json!({"prompt_tokens": 90, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 64}}));
        assert_eq!((openai.prompt_tokens, openai.cached_prompt_tokens, openai.estimated), (90, 64, false));
        let deepseek = usage(json!({"prompt_tokens": 90, "completion_tokens": 1, "prompt_cache_hit_tokens": 70}));
        assert_eq!((deepseek.prompt_tokens, deepseek.cached_prompt_tokens), (90, 70));
    }

    #[test]
    fn a_completion_of_a_text_is_read_too() {
        let reply = of(&json!({"choices": [{"index": 0, "text": " Oslo", "finish_reason": "length"}]}));
        assert_eq!((reply.choices[0].text.as_deref(), reply.choices[0].finish.as_deref()), (Some(" Oslo"), Some("length")));
    }

    #[test]
    fn a_count_of_one_choice_is_not_trusted() {
        let two = |usage: Value, timings: Value| {
            let choice = json!({"message": {"content": "twelve chars"}});
            of(&json!({"choices": [choice, choice], "usage": usage, "timings": timings})).usage
        };
        let counted = two(json!({"prompt_tokens": 9, "completion_tokens": 8}), Value::Null);
        assert_eq!(counted, Usage { prompt_tokens: 9, completion_tokens: 8, estimated: false, ..Usage::default() });
        let llama = two(json!({"prompt_tokens": 9, "completion_tokens": 4}), json!({"predicted_n": 4}));
        assert_eq!(llama, Usage { prompt_tokens: 9, completion_tokens: 6, estimated: true, ..Usage::default() });
        let evident = two(json!({"prompt_tokens": 9, "completion_tokens": 2}), Value::Null);
        assert_eq!(evident, Usage { prompt_tokens: 9, completion_tokens: 6, estimated: true, ..Usage::default() });
    }

    #[test]
    fn what_is_no_reply_is_told_apart() {
        assert!(matches!(read(b"{\"choices\":[{\"mess", 0), Err(NoReply::Unreadable(_))));
        assert!(matches!(read(b"{\"choices\":[]}", 0), Err(NoReply::Unreadable(_))));
        assert!(matches!(read(b"{\"choices\":[{\"odd\":\"x\"}]}", 0), Err(NoReply::Unreadable(_))));
        assert!(matches!(read(b"{\"error\":{\"message\":\"m\"}}", 0), Err(NoReply::Error(_))));
        assert!(matches!(read(b"{\"choices\":[{\"error\":{\"code\":502}}]}", 0), Err(NoReply::Error(_))));
        assert!(read(b"{\"error\":null,\"choices\":[{\"message\":{\"content\":\"x\"}}]}", 0).is_ok());
    }
}
