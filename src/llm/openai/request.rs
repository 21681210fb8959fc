//! What is sent: the body of a call.

use super::super::chat::ask::{Order, Prepared};
use serde_json::{Map, Value, json};

/// The body of a chat call.
pub fn body(ask: &Prepared, order: &Order) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(ask.model));
    put("messages", messages(ask, order.system));
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
    Value::Object(body)
}

fn messages(ask: &Prepared, system: bool) -> Value {
    let user = json!({"role": "user", "content": ask.user_text(!system)});
    if system { json!([{"role": "system", "content": ask.system}, user]) } else { json!([user]) }
}
