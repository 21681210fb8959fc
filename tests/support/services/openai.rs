//! OpenAI's chat completions, completions and models (API reference).

use super::super::http::{Asked, Reply};
use super::{KEY, SAID, Service, THOUGHT, WINDOW, body, cut, instance, json_reply, log_of, pieces, stream_reply, strings, tokens};
use serde_json::{Value, json};

/// The model.
pub const MODEL: &str = "gpt-test";

/// Starts the service.
pub fn start() -> Service {
    Service::start(answer)
}

/// An error in the documented shape.
pub fn error(status: u16, kind: &str, code: Option<&str>, param: Option<&str>, message: &str) -> Reply {
    json_reply(status, "", &json!({"error": {"message": message, "type": kind, "param": param, "code": code}}))
}

fn answer(asked: &Asked) -> Reply {
    if asked.header("authorization") != Some(&format!("Bearer {KEY}")) {
        return error(401, "invalid_request_error", Some("invalid_api_key"), None, "Incorrect API key provided: sk-te***t123.");
    }
    match (asked.method(), asked.target()) {
        ("GET", "/v1/models") => {
            json_reply(200, "", &json!({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "me"}]}))
        }
        ("POST", "/v1/chat/completions") => complete(&body(asked), true),
        ("POST", "/v1/completions") => complete(&body(asked), false),
        (_, target) => error(404, "invalid_request_error", None, None, &format!("Invalid URL ({} {target})", asked.method())),
    }
}

/// The log-probabilities of the tokens of `text` (a piece is a token here), where the body asks for them: in the shape of chats,
/// or in that of texts that are continued.
fn logs(body: &Value, text: &str, is_chat: bool) -> Value {
    let wanted = if is_chat { body["logprobs"] == true } else { body["logprobs"].is_u64() };
    let tokens = pieces(text);
    if !wanted || tokens.is_empty() {
        return Value::Null;
    }
    let one = |token: &String| json!({"token": token, "logprob": log_of(token), "bytes": token.as_bytes()});
    if is_chat {
        let all = tokens.iter().map(|token| {
            let mut entry = one(token);
            entry["top_logprobs"] = json!([one(token)]);
            entry
        });
        return json!({"content": all.collect::<Vec<_>>(), "refusal": null});
    }
    let numbers: Vec<f64> = tokens.iter().map(|token| log_of(token)).collect();
    let offsets: Vec<usize> = (0..tokens.len()).map(|at| at * 5).collect();
    json!({"tokens": tokens, "token_logprobs": numbers, "top_logprobs": null, "text_offset": offsets})
}

fn complete(body: &Value, is_chat: bool) -> Reply {
    let model = body["model"].as_str().unwrap_or_default();
    if model != MODEL {
        let message = format!("The model `{model}` does not exist or you do not have access to it.");
        return error(404, "invalid_request_error", Some("model_not_found"), None, &message);
    }
    let prompt = match is_chat {
        true => body["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect::<Vec<_>>().join("\n"),
        false => body["prompt"].as_str().unwrap_or_default().to_owned(),
    };
    if prompt.is_empty() {
        return error(400, "invalid_request_error", None, Some("messages"), "Missing required parameter: 'messages'.");
    }
    if tokens(&prompt) > WINDOW {
        let message = format!(
            "This model's maximum context length is {WINDOW} tokens. However, your messages resulted in {} tokens.",
            tokens(&prompt)
        );
        return error(400, "invalid_request_error", Some("context_length_exceeded"), Some("messages"), &message);
    }
    if prompt.contains("be overloaded") {
        return error(429, "requests", Some("rate_limit_exceeded"), None, "Rate limit reached for requests");
    }
    if is_chat && body.get("top_logprobs").is_some() && body["logprobs"] != true {
        let message = "Invalid value for 'top_logprobs': this parameter requires 'logprobs' to be set to true.";
        return error(400, "invalid_request_error", None, Some("top_logprobs"), message);
    }
    let n = body["n"].as_u64().unwrap_or(1);
    let format = &body["response_format"];
    let text = match format["type"].as_str() {
        Some("json_schema")
            if format["json_schema"]["strict"] == true && format["json_schema"]["schema"]["additionalProperties"] != false =>
        {
            let message =
                "Invalid schema for response_format: In context=(), 'additionalProperties' is required to be supplied and to be false.";
            return error(400, "invalid_request_error", None, Some("response_format"), message);
        }
        Some("json_schema") => instance(&format["json_schema"]["schema"]).to_string(),
        _ => SAID.to_owned(),
    };
    let stops = match &body["stop"] {
        Value::String(stop) => vec![stop.clone()],
        other => strings(other),
    };
    let limit = body["max_tokens"].as_u64().or(body["max_completion_tokens"].as_u64());
    let (text, _, is_cut) = cut(&text, &stops, limit.map_or(1 << 20, |n| usize::try_from(n).unwrap()));
    let finish = if is_cut { "length" } else { "stop" };
    let said = tokens(&text) * usize::try_from(n).unwrap();
    let usage = json!({"prompt_tokens": tokens(&prompt), "completion_tokens": said, "total_tokens": tokens(&prompt) + said, "prompt_tokens_details": {"cached_tokens": tokens(&prompt) / 2}});
    let object = if is_chat { "chat.completion" } else { "text_completion" };
    let head = |object: &str| json!({"id": "cmpl-1", "object": object, "created": 1, "model": MODEL});
    if body["stream"] == true {
        let mut events = Vec::new();
        let object = if is_chat { "chat.completion.chunk" } else { object };
        let with_usage = body["stream_options"]["include_usage"] == true;
        let mut push = |choices: Value, usage: Option<&Value>| {
            let mut event = head(object);
            event["choices"] = choices;
            if with_usage {
                event["usage"] = usage.cloned().unwrap_or(Value::Null);
            }
            events.push(event);
        };
        let choice = |index: u64, delta: Value, text: &str, finish: Option<&str>| match is_chat {
            true => {
                let logs = logs(body, delta["content"].as_str().unwrap_or_default(), true);
                json!([{"index": index, "delta": delta, "finish_reason": finish, "logprobs": logs}])
            }
            false => json!([{"index": index, "text": text, "finish_reason": finish, "logprobs": logs(body, text, false)}]),
        };
        for index in 0..n {
            push(choice(index, json!({"role": "assistant", "content": ""}), "", None), None);
            if prompt.contains("think hard") {
                push(choice(index, json!({"reasoning_content": THOUGHT}), "", None), None);
            }
        }
        for piece in pieces(&text) {
            (0..n).for_each(|index| push(choice(index, json!({"content": piece}), &piece, None), None));
        }
        (0..n).for_each(|index| push(choice(index, json!({}), "", Some(finish)), None));
        if with_usage {
            push(json!([]), Some(&usage));
        }
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        return stream_reply("text/event-stream", &format!("{body}data: [DONE]\n\n"));
    }
    let choice = |index: u64| match is_chat {
        true => {
            let message = json!({"role": "assistant", "content": text, "refusal": null});
            json!({"index": index, "message": message, "finish_reason": finish, "logprobs": logs(body, &text, true)})
        }
        false => json!({"index": index, "text": text, "finish_reason": finish, "logprobs": logs(body, &text, false)}),
    };
    let mut reply = head(object);
    reply["choices"] = (0..n).map(choice).collect();
    reply["usage"] = usage;
    json_reply(200, "", &reply)
}
