//! What is sent: to `/api/chat`, or to `/api/generate` without a template for a text that is to be continued.

use crate::llm::chat::ask::{Order, Prepared};
use crate::llm::chat::quirks::LimitField;
use serde_json::{Map, Value, json};

/// Tokens of a chat template, about.
const TEMPLATE: u64 = 64;

/// The body of a call with a context of so many tokens.
pub fn body(ask: &Prepared, order: &Order, context: u64) -> Value {
    let mut options = Map::new();
    if let Some(temperature) = order.temperature {
        options.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(seed) = order.seed {
        options.insert("seed".to_owned(), json!(seed));
    }
    if !order.stops.is_empty() {
        options.insert("stop".to_owned(), json!(order.stops));
    }
    if order.limit.0 != LimitField::Omitted {
        options.insert("num_predict".to_owned(), json!(order.limit.1));
    }
    options.insert("num_ctx".to_owned(), json!(context));
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(ask.model));
    if ask.completion {
        put("prompt", json!(ask.user_text(true)));
        put("raw", json!(true));
    } else {
        let user = json!({"role": "user", "content": ask.user_text(!order.system)});
        put("messages", if order.system { json!([{"role": "system", "content": ask.system}, user]) } else { json!([user]) });
    }
    put("stream", json!(order.stream));
    // Too long a prompt is to be an error, and a reply that outgrows the context is to end. Older versions know neither word.
    put("truncate", json!(false));
    put("shift", json!(false));
    if order.token_logs {
        put("logprobs", json!(true));
    }
    if let Some((_, form)) = &order.form {
        put("format", form.schema());
    }
    put("options", Value::Object(options));
    Value::Object(body)
}

/// Tokens of the prompt, rather too many than too few: three letters of Latin script a token, one of any other.
pub fn generous_tokens(ask: &Prepared) -> u64 {
    let texts = ask.user.iter().map(|part| part.text.as_str()).chain([ask.system.as_str()]);
    let (mut ascii, mut other) = (0_u64, 0_u64);
    for letter in texts.flat_map(str::chars) {
        if letter.is_ascii() { ascii += 1 } else { other += 1 }
    }
    ascii.div_ceil(3) + other + TEMPLATE
}
