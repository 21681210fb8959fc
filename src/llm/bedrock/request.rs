//! What is sent to Converse.

use crate::llm::chat::ask::{Order, Prepared};
use crate::llm::chat::quirks::LimitField;
use serde_json::{Map, Value, json};

/// The body of a call.
pub fn body(ask: &Prepared, order: &Order) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    let mark = || json!({"cachePoint": {"type": "default"}});
    let mut blocks: Vec<Value> = Vec::new();
    if order.system {
        let mut system = vec![json!({"text": ask.system})];
        system.extend(order.marks.then(mark));
        put("system", Value::Array(system));
    } else if !ask.system.is_empty() {
        blocks.push(json!({"text": format!("{}\n\n", ask.system)}));
    }
    let last = ask.user.len() - 1;
    for (at, part) in ask.user.iter().enumerate() {
        let text = if at == last { part.text.clone() } else { format!("{}\n\n", part.text) };
        blocks.push(json!({"text": text}));
        blocks.extend((order.marks && at < last && part.stays).then(mark));
    }
    put("messages", json!([{"role": "user", "content": blocks}]));
    let mut settings = Map::new();
    if order.limit.0 != LimitField::Omitted {
        settings.insert("maxTokens".to_owned(), json!(order.limit.1));
    }
    if let Some(temperature) = order.temperature {
        settings.insert("temperature".to_owned(), json!(temperature));
    }
    if !order.stops.is_empty() {
        settings.insert("stopSequences".to_owned(), json!(order.stops));
    }
    put("inferenceConfig", Value::Object(settings));
    if let Some((_, form)) = &order.form {
        let tool = json!({"name": form.name(), "description": "Gives the reply.", "inputSchema": {"json": form.schema()}});
        put("toolConfig", json!({"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": form.name()}}}));
    }
    Value::Object(body)
}
