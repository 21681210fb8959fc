//! What is sent: instructions as `system`, the user's turn as blocks in the order of the prompt's parts.

use crate::llm::chat::ask::{Order, Prepared};
use crate::llm::chat::quirks::{Forming, LimitField};
use serde_json::{Map, Value, json};

/// Tokens a sample may have where the server refused the number that was wanted; it wants one.
const OWN_LIMIT: u32 = 1024;

/// The body of a call.
pub fn body(ask: &Prepared, order: &Order) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(ask.model));
    put("max_tokens", json!(if order.limit.0 == LimitField::Omitted { OWN_LIMIT } else { order.limit.1 }));
    if order.system {
        put("system", json!([block(&ask.system, order.marks)]));
    }
    let mut blocks: Vec<Value> = Vec::new();
    if !order.system && !ask.system.is_empty() {
        blocks.push(block(&format!("{}\n\n", ask.system), order.marks));
    }
    let last = ask.user.len() - 1;
    blocks.extend(ask.user.iter().enumerate().map(|(at, part)| {
        let text = if at == last { part.text.clone() } else { format!("{}\n\n", part.text) };
        block(&text, order.marks && at < last && part.stays)
    }));
    put("messages", json!([{"role": "user", "content": blocks}]));
    if let Some(temperature) = order.temperature {
        put("temperature", json!(temperature));
    }
    if !order.stops.is_empty() {
        put("stop_sequences", json!(order.stops));
    }
    if let Some((Forming::Second, form)) = &order.form {
        put("output_config", json!({"format": {"type": "json_schema", "schema": form.schema()}}));
    } else if let Some((_, form)) = &order.form {
        put("tools", json!([{"name": form.name(), "description": "Gives the reply.", "input_schema": form.schema()}]));
        put("tool_choice", json!({"type": "tool", "name": form.name()}));
    }
    if order.stream {
        put("stream", json!(true));
    }
    Value::Object(body)
}

/// A block of text; `marked`: everything up to its end may be kept by the service for the next request.
fn block(text: &str, marked: bool) -> Value {
    let mut block = json!({"type": "text", "text": text});
    if marked {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}
