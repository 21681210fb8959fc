//! Anthropic's messages (platform documentation: Messages, Streaming, Errors, Prompt caching, Models).

use super::super::http::{Asked, Reply};
use super::{KEY, SAID, Service, THOUGHT, WINDOW, body, cut, instance, json_reply, pieces, stream_reply, strings, tokens};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Mutex;

/// A model that takes everything.
pub const MODEL: &str = "claude-test-1-20250101";

/// A model that takes no temperature, as newer ones do.
pub const NEWER: &str = "claude-newer-2-20260101";

const FIELDS: [&str; 15] = [
    "model",
    "max_tokens",
    "messages",
    "system",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "stream",
    "tools",
    "tool_choice",
    "metadata",
    "thinking",
    "service_tier",
    "output_config",
];

/// Starts the service.
pub fn start() -> Service {
    let kept: Mutex<HashSet<String>> = Mutex::default();
    Service::start(move |asked| answer(asked, &kept))
}

/// An error in the documented shape.
pub fn error(status: u16, kind: &str, message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    json_reply(status, "request-id: req_1\r\n", &body)
}

/// 529.
pub fn overloaded() -> Reply {
    error(529, "overloaded_error", "Overloaded")
}

/// An event of a stream.
pub fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The events of a text up to its middle.
pub fn half() -> String {
    let start = json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 1}}});
    let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let text = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ANSWER: wrong"}});
    [("message_start", start), ("content_block_start", block), ("content_block_delta", text)].iter().map(|(n, d)| event(n, d)).collect()
}

/// The overload event.
pub fn overload_event() -> String {
    event("error", &json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
}

fn invalid(message: &str) -> Reply {
    error(400, "invalid_request_error", message)
}

fn answer(asked: &Asked, kept: &Mutex<HashSet<String>>) -> Reply {
    // Older clients send the key in a header of its own, newer ones as a bearer's; where there are both, the first counts.
    let bearer = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if asked.header("x-api-key").or(bearer) != Some(KEY) {
        return error(401, "authentication_error", "invalid x-api-key");
    }
    let Some(version @ ("2023-06-01" | "2026-10-21")) = asked.header("anthropic-version") else {
        return invalid("anthropic-version: header is required");
    };
    let path = asked.target().split('?').next().unwrap();
    match (asked.method(), path) {
        ("GET", "/v1/models") => {
            let model = |id: &str| json!({"type": "model", "id": id, "display_name": id, "created_at": "2025-01-01T00:00:00Z"});
            json_reply(200, "", &json!({"data": [model(MODEL), model(NEWER)], "has_more": false, "first_id": MODEL, "last_id": NEWER}))
        }
        ("POST", "/v1/messages") => messages(&body(asked), version, kept),
        _ => error(404, "not_found_error", "Not Found"),
    }
}

/// The first thing that is wrong with a request.
fn flaw(body: &Value, version: &str) -> Option<Reply> {
    let Some(fields) = body.as_object() else { return Some(invalid("The request body is not valid JSON")) };
    if let Some(odd) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Some(invalid(&format!("{odd}: Extra inputs are not permitted")));
    }
    let model = body["model"].as_str().unwrap_or_default();
    if model != MODEL && model != NEWER {
        return Some(error(404, "not_found_error", &format!("model: {model}")));
    }
    if body["max_tokens"].as_u64().unwrap_or(0) == 0 {
        return Some(invalid("max_tokens: Field required"));
    }
    if let Some(temperature) = body.get("temperature") {
        if version != "2023-06-01" {
            return Some(invalid("temperature: Extra inputs are not permitted"));
        }
        if model == NEWER {
            return Some(invalid("`temperature` is deprecated for this model."));
        }
        if !temperature.as_f64().is_some_and(|t| (0.0..=1.0).contains(&t)) {
            return Some(invalid("temperature: range: -0.0..1.0"));
        }
    }
    if strings(&body["stop_sequences"]).iter().any(|stop| stop.trim().is_empty()) {
        return Some(invalid("stop_sequences: each stop sequence must contain non-whitespace"));
    }
    if model == NEWER && matches!(body["tool_choice"]["type"].as_str(), Some("tool" | "any")) {
        return Some(invalid("tool_choice: type \"tool\" and \"any\" are not supported for this model."));
    }
    let blocks = blocks(body);
    if blocks.is_empty() {
        return Some(invalid("messages: at least one message is required"));
    }
    if blocks.iter().any(|(text, _)| text.is_empty()) {
        return Some(invalid("messages: text content blocks must be non-empty"));
    }
    let marks = blocks.iter().filter(|(_, marked)| *marked).count();
    if marks > 4 {
        return Some(invalid(&format!("A maximum of 4 blocks with cache_control may be provided. Found {marks}.")));
    }
    let length: usize = blocks.iter().map(|(text, _)| tokens(text)).sum();
    (length > WINDOW).then(|| invalid(&format!("prompt is too long: {length} tokens > {WINDOW} maximum")))
}

/// All blocks of the prompt in order, and whether each is marked.
fn blocks(body: &Value) -> Vec<(String, bool)> {
    let of = |value: &Value| match value {
        Value::String(text) => vec![(text.clone(), false)],
        Value::Array(blocks) => {
            blocks.iter().map(|b| (b["text"].as_str().unwrap_or_default().to_owned(), b["cache_control"]["type"] == "ephemeral")).collect()
        }
        _ => Vec::new(),
    };
    let messages = body["messages"].as_array().into_iter().flatten().flat_map(|message| of(&message["content"]));
    of(&body["system"]).into_iter().chain(messages).collect()
}

/// Tokens of the prompt: new, written to the cache, read from it.
fn count(body: &Value, kept: &Mutex<HashSet<String>>) -> Value {
    let mut kept = kept.lock().unwrap();
    // Tools stand before everything else.
    let (mut prefix, mut read, mut written, mut all) = (body["tools"].to_string(), 0, 0, 0);
    for (text, marked) in blocks(body) {
        prefix.push_str(&text);
        all += tokens(&text);
        if marked && !kept.insert(prefix.clone()) {
            read = all;
        } else if marked {
            written = all;
        }
    }
    let written = written.saturating_sub(read);
    json!({"input_tokens": all - read - written, "cache_creation_input_tokens": written, "cache_read_input_tokens": read})
}

fn messages(body: &Value, version: &str, kept: &Mutex<HashSet<String>>) -> Reply {
    if let Some(flaw) = flaw(body, version) {
        return flaw;
    }
    let prompt: String = blocks(body).into_iter().map(|(text, _)| text).collect();
    if prompt.contains("be overloaded") {
        return overloaded();
    }
    let mut usage = count(body, kept);
    let limit = usize::try_from(body["max_tokens"].as_u64().unwrap()).unwrap();
    let mut content = Vec::new();
    let (mut reason, mut sequence) = ("end_turn", Value::Null);
    if prompt.contains("think hard") {
        content.push(json!({"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"}));
    }
    if prompt.contains("refuse halfway") {
        content.push(json!({"type": "text", "text": SAID}));
        reason = "refusal";
    } else if body["tool_choice"]["type"] == "tool" {
        let tool = body["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == body["tool_choice"]["name"]);
        let Some(tool) = tool else { return invalid("tool_choice: tool not found in tools") };
        content.push(json!({"type": "tool_use", "id": "toolu_1", "name": tool["name"], "input": instance(&tool["input_schema"])}));
        reason = "tool_use";
    } else if prompt.contains("refuse this") {
        reason = "refusal";
    } else {
        let schema = &body["output_config"]["format"]["schema"];
        let said = if schema.is_object() { instance(schema).to_string() } else { SAID.to_owned() };
        let (text, stop, is_cut) = cut(&said, &strings(&body["stop_sequences"]), limit);
        if let Some(stop) = stop {
            (reason, sequence) = ("stop_sequence", json!(stop));
        }
        if is_cut {
            reason = "max_tokens";
        }
        content.push(json!({"type": "text", "text": text}));
    }
    let said: usize = content.iter().map(|block| tokens(&block.to_string())).sum();
    if body["stream"] == true {
        return stream_reply("text/event-stream", &events(body, &content, reason, &sequence, &usage, said));
    }
    usage["output_tokens"] = json!(said);
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": content, "stop_reason": reason, "stop_sequence": sequence, "stop_details": details(reason), "usage": usage});
    json_reply(200, "request-id: req_1\r\n", &message)
}

fn details(reason: &str) -> Value {
    let refused = || json!({"type": "refusal", "category": "general_harms", "explanation": "The request may harm."});
    if reason == "refusal" { refused() } else { Value::Null }
}

fn events(body: &Value, content: &[Value], reason: &str, sequence: &Value, usage: &Value, said: usize) -> String {
    let mut first = usage.clone();
    first["output_tokens"] = json!(1);
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [], "stop_reason": null, "stop_sequence": null, "usage": first});
    let mut out = event("message_start", &json!({"type": "message_start", "message": message}));
    for (index, block) in content.iter().enumerate() {
        let mut begin = block.clone();
        let (kind, field, whole) = match block["type"].as_str().unwrap() {
            "text" => ("text_delta", "text", block["text"].as_str().unwrap().to_owned()),
            "thinking" => ("thinking_delta", "thinking", block["thinking"].as_str().unwrap().to_owned()),
            _ => ("input_json_delta", "partial_json", block["input"].to_string()),
        };
        match field {
            "partial_json" => begin["input"] = json!({}),
            field => begin[field] = json!(""),
        }
        out += &event("content_block_start", &json!({"type": "content_block_start", "index": index, "content_block": begin}));
        out += &event("ping", &json!({"type": "ping"}));
        for piece in pieces(&whole) {
            let delta = json!({"type": kind, field: piece});
            out += &event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        if kind == "thinking_delta" {
            let delta = json!({"type": "signature_delta", "signature": "c2ln"});
            out += &event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        out += &event("content_block_stop", &json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": reason, "stop_sequence": sequence, "stop_details": details(reason)});
    out += &event("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": said}}));
    out + &event("message_stop", &json!({"type": "message_stop"}))
}
