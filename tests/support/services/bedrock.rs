//! Amazon Bedrock's Converse (API reference: Converse, its errors, ListFoundationModels), with a key as bearer.

use super::super::http::{Asked, Reply, decoded};
use super::{KEY, SAID, Service, THOUGHT, WINDOW, body, cut, instance, json_reply, strings, tokens};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Mutex;

/// A model whose service keeps prefixes and takes tools.
pub const MODEL: &str = "us.anthropic.claude-test-v1:0";

/// A model that takes no tools.
pub const PLAIN: &str = "meta.plain-v1:0";

const FIELDS: [&str; 8] = [
    "messages",
    "system",
    "inferenceConfig",
    "toolConfig",
    "guardrailConfig",
    "additionalModelRequestFields",
    "performanceConfig",
    "requestMetadata",
];

/// Starts the service.
pub fn start() -> Service {
    let kept: Mutex<HashSet<String>> = Mutex::default();
    Service::start(move |asked| answer(asked, &kept))
}

/// An error in the documented shape.
pub fn error(status: u16, kind: &str, message: &str) -> Reply {
    json_reply(
        status,
        &format!("x-amzn-errortype: {kind}:http://internal.amazon.com/coral/com.amazon.bedrock/\r\n"),
        &json!({"message": message}),
    )
}

fn invalid(message: &str) -> Reply {
    error(400, "ValidationException", message)
}

fn answer(asked: &Asked, kept: &Mutex<HashSet<String>>) -> Reply {
    if asked.header("authorization") != Some(&format!("Bearer {KEY}")) {
        return error(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.");
    }
    let parts: Vec<&str> = asked.target().split('/').collect();
    match (asked.method(), &parts[..]) {
        ("GET", ["", "foundation-models"]) => {
            json_reply(200, "", &json!({"modelSummaries": [{"modelId": "anthropic.claude-test-v1:0"}, {"modelId": PLAIN}]}))
        }
        ("POST", ["", "model", model, "converse"]) => converse(&decoded(model), &body(asked), kept),
        _ => error(404, "UnknownOperationException", ""),
    }
}

fn blocks(body: &Value) -> Vec<&Value> {
    let messages = body["messages"].as_array().into_iter().flatten().flat_map(|m| m["content"].as_array().into_iter().flatten());
    body["system"].as_array().into_iter().flatten().chain(messages).collect()
}

fn converse(model: &str, body: &Value, kept: &Mutex<HashSet<String>>) -> Reply {
    if model != MODEL && model != PLAIN {
        return invalid("The provided model identifier is invalid.");
    }
    let Some(fields) = body.as_object() else { return error(400, "SerializationException", "") };
    if let Some(odd) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return invalid(&format!(
            "Malformed input request: #: extraneous key [{odd}] is not permitted, please reformat your input and try again."
        ));
    }
    let settings = &body["inferenceConfig"];
    if settings["temperature"].as_f64().is_some_and(|t| !(0.0..=1.0).contains(&t)) {
        return invalid(
            "1 validation error detected: Value at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than or equal to 1",
        );
    }
    let stops = strings(&settings["stopSequences"]);
    if stops.iter().any(|stop| stop.trim().is_empty()) {
        return invalid("stop_sequences: each stop sequence must contain non-whitespace");
    }
    let marked = blocks(body).iter().any(|b| b.get("cachePoint").is_some());
    if model == PLAIN && marked {
        return error(403, "AccessDeniedException", "You invoked an unsupported model or your request did not allow prompt caching.");
    }
    if model == PLAIN && body.get("toolConfig").is_some() {
        return invalid("This model doesn't support tool use.");
    }
    let prompt: String = blocks(body).iter().filter_map(|b| b["text"].as_str()).collect();
    if prompt.is_empty() {
        return invalid("The text field in the ContentBlock object is blank.");
    }
    if tokens(&prompt) > WINDOW {
        return invalid("Input is too long for requested model.");
    }
    if prompt.contains("be overloaded") {
        return error(429, "ThrottlingException", "Too many tokens, please wait before trying again.");
    }
    let (mut prefix, mut read, mut written, mut all) = (body["toolConfig"].to_string(), 0, 0, 0);
    for block in blocks(body) {
        if let Some(text) = block["text"].as_str() {
            prefix.push_str(text);
            all += tokens(text);
        } else if !kept.lock().unwrap().insert(prefix.clone()) {
            read = all;
        } else {
            written = all;
        }
    }
    let written = written.saturating_sub(read);
    let mut content = Vec::new();
    if prompt.contains("think hard") {
        content.push(json!({"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": "c2ln"}}}));
    }
    let limit = settings["maxTokens"].as_u64().map_or(1 << 20, |n| usize::try_from(n).unwrap());
    let mut reason = "end_turn";
    let tool = &body["toolConfig"]["tools"][0]["toolSpec"];
    if prompt.contains("guard this") {
        content.push(json!({"text": "Sorry, the model cannot answer this question."}));
        reason = "guardrail_intervened";
    } else if tool.is_object() {
        content.push(json!({"toolUse": {"toolUseId": "tooluse_1", "name": tool["name"], "input": instance(&tool["inputSchema"]["json"])}}));
        reason = "tool_use";
    } else if prompt.contains("filter this") {
        reason = "content_filtered";
    } else {
        let (text, stop, is_cut) = cut(SAID, &stops, limit);
        reason = if is_cut { "max_tokens" } else { stop.map_or(reason, |_| "stop_sequence") };
        content.push(json!({"text": text}));
    }
    let said: usize = content.iter().map(|block| tokens(&block.to_string())).sum();
    let usage = json!({"inputTokens": all - read - written, "outputTokens": said, "totalTokens": all + said, "cacheReadInputTokens": read, "cacheWriteInputTokens": written});
    json_reply(
        200,
        "",
        &json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}),
    )
}
