//! What is sent: the body of a call.

use super::super::chat::ask::{Order, Prepared};
use serde_json::{Map, Value, json};

/// The body of a chat call, or of one that continues a text.
pub fn body(ask: &Prepared, order: &Order) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(ask.model));
    if ask.completion {
        put("prompt", json!(ask.user_text(true)));
    } else {
        put("messages", messages(ask, order.system));
    }
    if order.n > 1 {
        put("n", json!(order.n));
    }
    if let Some(temperature) = order.temperature {
        put("temperature", json!(temperature));
    }
    if let (Some(name), limit) = (order.limit.0.name(), order.limit.1) {
        put(name, json!(limit));
    }
    if !order.stops.is_empty() {
        put("stop", json!(order.stops));
    }
    if let Some(seed) = order.seed {
        put("seed", json!(seed));
    }
    if order.token_logs && ask.completion {
        put("logprobs", json!(1));
    } else if order.token_logs {
        put("logprobs", json!(true));
        // llama.cpp gives the likeliest tokens, and none at all for 0.
        put("top_logprobs", json!(1));
    }
    if let Some((_, form)) = &order.form {
        let schema = json!({"name": form.name(), "strict": true, "schema": form.schema()});
        put("response_format", json!({"type": "json_schema", "json_schema": schema}));
    }
    if order.stream {
        put("stream", json!(true));
        if order.stream_usage {
            put("stream_options", json!({"include_usage": true}));
        }
    }
    Value::Object(body)
}

fn messages(ask: &Prepared, system: bool) -> Value {
    let user = json!({"role": "user", "content": ask.user_text(!system)});
    if system { json!([{"role": "system", "content": ask.system}, user]) } else { json!([user]) }
}
