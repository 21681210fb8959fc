//! A server on this machine whose replies a test writes, and which remembers what it was sent.

#[path = "../support/http.rs"]
mod http;

use http::{Asked, Http, Reply};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A request as received.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `POST /v1/chat/completions`
    pub line: String,
    /// By lower-case name.
    pub headers: HashMap<String, String>,
    /// The body; null if there was none.
    pub body: Value,
    /// When.
    pub at: Instant,
}

impl From<&Asked> for Seen {
    fn from(asked: &Asked) -> Self {
        let headers = asked.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        Self {
            line: format!("{} {}", asked.method(), asked.target()),
            headers: headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned())).collect(),
            body: serde_json::from_slice(&asked.body).unwrap_or(Value::Null),
            at: asked.at,
        }
    }
}

impl Seen {
    /// Samples asked for.
    pub fn n(&self) -> usize {
        self.body["n"].as_u64().map_or(1, |n| usize::try_from(n).unwrap())
    }

    /// Whether the body has `field`.
    pub fn has(&self, field: &str) -> bool {
        self.body.get(field).is_some()
    }
}

/// The status that stands for no reply.
const HANG_UP: u16 = 0;

/// A reply to be sent.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    delay: Duration,
    cut: bool,
    /// Events of a stream, each after a wait; the body is the part that comes at once.
    events: Option<Vec<(Duration, String)>>,
}

impl Answer {
    /// `body` under `status`.
    pub fn new(status: u16, body: impl ToString) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string(), delay: Duration::ZERO, cut: false, events: None }
    }

    /// No reply at all: the connection is closed.
    pub fn hang_up() -> Self {
        Self::new(HANG_UP, "")
    }

    /// OpenAI's error shape.
    pub fn error(status: u16, message: &str) -> Self {
        Self::new(status, json!({"error": {"message": message}}))
    }

    /// A completion with these texts as choices, 900 prompt tokens and 5 tokens a choice.
    pub fn texts(texts: &[&str]) -> Self {
        let choices = texts.iter().enumerate();
        let choices: Vec<Value> =
            choices.map(|(i, t)| json!({"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": t}})).collect();
        Self::new(200, json!({"choices": choices, "usage": {"prompt_tokens": 900, "completion_tokens": 5 * texts.len()}}))
    }

    /// A completion of one choice with this message and finish reason.
    pub fn choice(message: &Value, finish: &str) -> Self {
        Self::new(
            200,
            json!({"choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": {"prompt_tokens": 900, "completion_tokens": 7}}),
        )
    }

    /// A stream that begins with these events, as they stand on the wire without `data: `.
    pub fn stream(events: &[impl ToString]) -> Self {
        let body: String = events.iter().map(|event| format!("data: {}\n\n", event.to_string())).collect();
        Self { events: Some(Vec::new()), ..Self::new(200, body) }
    }

    /// A stream of exactly these bytes.
    pub fn raw_stream(body: &str) -> Self {
        Self { events: Some(Vec::new()), ..Self::new(200, body) }
    }

    /// One more event of the stream, after a wait.
    pub fn then(mut self, wait: Duration, event: impl ToString) -> Self {
        let events = self.events.get_or_insert_default();
        events.push((wait, format!("data: {}\n\n", event.to_string())));
        self
    }

    pub fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// Sent after `delay`.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Only its first half is sent, then the connection is closed.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// As it goes over the wire.
    fn reply(self) -> Reply {
        if self.status == HANG_UP {
            return Reply::hang_up().after(self.delay);
        }
        if let Some(events) = self.events {
            // Until the connection closes, as HTTP/1.0 servers do.
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let first = Reply::bytes(format!("{head}{}", self.body)).after(self.delay);
            return events.into_iter().fold(first, |reply, (wait, event)| reply.then(wait, event));
        }
        let mut headers = "content-type: application/json\r\n".to_owned();
        for (name, value) in &self.headers {
            headers.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut reply = Reply::whole(&format!("{} X", self.status), &headers, &self.body).after(self.delay);
        if self.cut {
            reply.bytes.truncate(reply.bytes.len() - self.body.len().div_ceil(2));
        }
        reply
    }
}

/// The server; it ends with the test program.
pub struct Server {
    /// `http://127.0.0.1:PORT`
    pub url: String,
    http: Http,
}

impl Server {
    /// Starts on a free port; `script` gets the number of the request (from 0) and the request.
    #[expect(clippy::unused_async, reason = "tests wait for it")]
    pub async fn start(script: impl Fn(usize, &Seen) -> Answer + Send + Sync + 'static) -> Self {
        let http = Http::start(move |asked| script(asked.number, &Seen::from(asked)).reply());
        Self { url: http.url(), http }
    }

    /// Starts with a list of replies; the last one is repeated.
    pub async fn replies(list: Vec<Answer>) -> Self {
        Self::start(move |at, _| list[at.min(list.len() - 1)].clone()).await
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.http.seen().iter().map(Seen::from).collect()
    }

    pub fn count(&self) -> usize {
        self.http.seen().len()
    }

    /// The most requests that were open at once.
    pub fn peak(&self) -> usize {
        self.http.peak()
    }

    /// Connections that were opened.
    pub fn connections(&self) -> usize {
        self.http.connections()
    }

    /// Requests whose client went away before the reply.
    pub fn left(&self) -> usize {
        self.http.left()
    }
}
