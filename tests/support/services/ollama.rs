//! Ollama's own interface (`docs/api.md`): `/api/chat`, `/api/generate`, `/api/tags`, lines of JSON.

use super::super::http::{Asked, Reply};
use super::{SAID, Service, THOUGHT, WINDOW, body, cut, instance, json_reply, log_of, pieces, stream_reply, strings, tokens};
use serde_json::{Value, json};

/// A model.
pub const MODEL: &str = "llama-test";

/// A model that thinks first.
pub const THINKER: &str = "thinker:8b";

/// How old the server is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// It knows `truncate`.
    New,
    /// It cuts what is too long without a word.
    Old,
}

/// Starts the service.
pub fn start(age: Age) -> Service {
    Service::start(move |asked| answer(asked, age))
}

/// An error in the documented shape.
pub fn error(status: u16, message: &str) -> Reply {
    json_reply(status, "", &json!({"error": message}))
}

fn answer(asked: &Asked, age: Age) -> Reply {
    match (asked.method(), asked.target()) {
        ("GET", "/api/tags") => {
            let model = |name: &str| json!({"name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1, "digest": "d", "details": {"format": "gguf", "family": "llama", "families": ["llama"], "parameter_size": "1B", "quantization_level": "Q4_0", "parent_model": ""}});
            json_reply(200, "", &json!({"models": [model("llama-test:latest"), model(THINKER)]}))
        }
        ("POST", "/api/chat") => chat(&body(asked), age, true),
        ("POST", "/api/generate") => chat(&body(asked), age, false),
        _ => Reply::whole("404 X", "content-type: text/plain\r\n", "404 page not found"),
    }
}

/// The context that a call has: what it asks for, else the default.
fn context(body: &Value) -> usize {
    body["options"]["num_ctx"].as_u64().map_or(512, |n| usize::try_from(n).unwrap())
}

fn chat(body: &Value, age: Age, is_chat: bool) -> Reply {
    if !body.is_object() {
        return error(400, "invalid character 'x' looking for beginning of value");
    }
    let model = body["model"].as_str().unwrap_or_default();
    if ![MODEL, "llama-test:latest", THINKER].contains(&model) {
        return error(404, &format!("model '{model}' not found"));
    }
    let mut prompt = match is_chat {
        true => body["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect::<Vec<_>>().join("\n"),
        false => body["prompt"].as_str().unwrap_or_default().to_owned(),
    };
    if prompt.contains("be overloaded") {
        return error(503, "server busy, please try again. maximum pending requests exceeded");
    }
    let window = context(body);
    if tokens(&prompt) > window || tokens(&prompt) > 50 * WINDOW {
        if age == Age::New && body["truncate"] == false {
            let inner = json!({"error": {"code": 400, "message": format!("request ({} tokens) exceeds the available context size ({window} tokens), try increasing it", tokens(&prompt)), "type": "exceed_context_size_error"}});
            return error(400, &inner.to_string());
        }
        prompt = prompt.chars().rev().take(window * 4).collect::<Vec<_>>().into_iter().rev().collect();
    }
    let text = match &body["format"] {
        Value::Object(_) => instance(&body["format"]).to_string(),
        Value::Null => SAID.to_owned(),
        Value::String(format) if format == "json" => "{}".to_owned(),
        Value::String(format) if format.is_empty() => SAID.to_owned(),
        other => return error(400, &format!("invalid format: {other}; expected \"json\" or a valid JSON Schema object")),
    };
    let options = &body["options"];
    let limit = options["num_predict"].as_u64().map_or(1 << 20, |n| usize::try_from(n).unwrap());
    let (text, _, is_cut) = cut(&text, &strings(&options["stop"]), limit);
    let thought = if model == THINKER && body["think"] != false { THOUGHT } else { "" };
    let head = || json!({"model": model, "created_at": "2026-01-01T00:00:00Z"});
    let piece = |text: &str, thought: &str| {
        let mut line = head();
        if is_chat {
            line["message"] = json!({"role": "assistant", "content": text});
            if !thought.is_empty() {
                line["message"]["thinking"] = json!(thought);
            }
        } else {
            line["response"] = json!(text);
        }
        line["done"] = json!(false);
        // Since 0.12.11; older ones take the question and leave them out.
        if age == Age::New && body["logprobs"] == true && !text.is_empty() {
            let one = |token: &String| json!({"token": token, "logprob": log_of(token), "bytes": token.as_bytes()});
            line["logprobs"] = pieces(text).iter().map(one).collect();
        }
        line
    };
    let finish = |mut line: Value| {
        line["done"] = json!(true);
        line["done_reason"] = json!(if is_cut { "length" } else { "stop" });
        // A prompt that was in the cache is not counted by some versions.
        if !prompt.contains("cached prompt") {
            line["prompt_eval_count"] = json!(tokens(&prompt));
        }
        for (name, n) in
            [("eval_count", tokens(&text)), ("total_duration", 5), ("load_duration", 1), ("prompt_eval_duration", 1), ("eval_duration", 1)]
        {
            line[name] = json!(n);
        }
        line
    };
    if body["stream"] == false {
        return json_reply(200, "", &finish(piece(&text, thought)));
    }
    let mut lines: Vec<Value> = pieces(thought).iter().map(|t| piece("", t)).collect();
    lines.extend(pieces(&text).iter().map(|t| piece(t, "")));
    lines.push(finish(piece("", "")));
    stream_reply("application/x-ndjson", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}
