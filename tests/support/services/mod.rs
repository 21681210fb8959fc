//! Servers of models on this machine that behave as the documented services do: they check what they are sent, refuse what
//! the real ones refuse, count tokens, and answer by rules. Faults are put in front by tests.
//!
//! The same servers are asked by our adapters and by the providers' own Python clients, so that server and adapter don't
//! share one misunderstanding.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod anthropic;
pub mod bedrock;
pub mod ollama;
pub mod openai;

use super::http::{Asked, Http, Reply};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The key that the services accept.
pub const KEY: &str = "sk-test-DO-NOT-STORE-123";

/// Tokens that a prompt may have.
pub const WINDOW: usize = 2_000;

/// A service on a port of its own.
pub struct Service {
    http: Http,
    faults: Arc<Mutex<VecDeque<Reply>>>,
}

impl Service {
    /// Answers each request with what `answer` makes of it.
    pub fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let faults: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let queue = Arc::clone(&faults);
        let http = Http::start(move |asked| queue.lock().unwrap().pop_front().unwrap_or_else(|| answer(asked)));
        Self { http, faults }
    }

    /// The next requests are answered with these replies instead.
    pub fn fails_with(&self, replies: impl IntoIterator<Item = Reply>) {
        self.faults.lock().unwrap().extend(replies);
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        self.http.url()
    }

    /// The requests so far: method and target, and the body.
    pub fn seen(&self) -> Vec<(String, Value)> {
        let line = |asked: &Asked| format!("{} {}", asked.method(), asked.target());
        self.http.seen().iter().map(|asked| (line(asked), body(asked))).collect()
    }

    /// As they came in.
    pub fn asked(&self) -> Vec<Asked> {
        self.http.seen()
    }

    /// Requests so far.
    pub fn count(&self) -> usize {
        self.http.seen().len()
    }

    /// Requests whose client went away before the reply, or in the midst of it.
    pub fn left(&self) -> usize {
        self.http.left()
    }

    /// The most requests that were open at once.
    pub fn peak(&self) -> usize {
        self.http.peak()
    }
}

/// The body of a request; null if it is no JSON.
pub fn body(asked: &Asked) -> Value {
    serde_json::from_slice(&asked.body).unwrap_or(Value::Null)
}

/// JSON under a status, with further header lines.
pub fn json_reply(status: u16, headers: &str, body: &Value) -> Reply {
    Reply::whole(&format!("{status} X"), &format!("content-type: application/json\r\n{headers}"), body.to_string())
}

/// A stream of this kind, to the end of the connection.
pub fn stream_reply(kind: &str, body: &str) -> Reply {
    Reply::bytes(format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}"))
}

/// An error page of a proxy.
pub fn html_error(status: u16) -> Reply {
    Reply::whole(&format!("{status} X"), "content-type: text/html\r\n", "<html><body><h1>Bad gateway</h1></body></html>")
}

/// Tokens of a text.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The smallest value that a schema allows.
pub fn instance(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().unwrap();
            Value::Object(properties.iter().map(|(name, schema)| (name.clone(), instance(schema))).collect())
        }
        Some("array") => json!([instance(&schema["items"])]),
        Some("number") => json!(0.5),
        _ => json!("some text"),
    }
}

/// What a model says to a prompt without a form.
pub const SAID: &str = "ANSWER: Oslo\nThat is the capital.";

/// What it thought before, when the prompt says "think hard".
pub const THOUGHT: &str = "Let me look at the graph.";

/// A reply, cut at stop strings and at so many tokens: the text, and whether a stop or the limit ended it.
pub fn cut(text: &str, stops: &[String], limit: usize) -> (String, Option<String>, bool) {
    let stop = stops.iter().filter_map(|stop| Some((text.find(stop.as_str())?, stop.clone()))).min();
    let text = stop.as_ref().map_or(text, |(at, _)| &text[..*at]);
    let short: String = text.chars().take(limit * 4).collect();
    let is_cut = short.len() < text.len();
    (short, stop.map(|(_, stop)| stop).filter(|_| !is_cut), is_cut)
}

/// A text in pieces of some letters, as models write.
pub fn pieces(text: &str) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(5).map(|piece| piece.iter().collect()).collect()
}

/// The log-probability of a token: the name of a place is the least sure.
pub fn log_of(token: &str) -> f64 {
    if token.contains("Os") { -1.2 } else { -0.1 }
}

/// The texts of an array.
pub fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}
