//! A server on a port of its own: it answers what a test wants and counts.

#[path = "../support/http.rs"]
mod http;
#[path = "../support/engine.rs"]
mod sparql;

use http::{Asked, Http};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Request line and headers.
    pub head: String,
    /// The body.
    pub body: String,
}

impl From<&Asked> for Request {
    fn from(asked: &Asked) -> Self {
        Self { head: asked.head.clone(), body: String::from_utf8_lossy(&asked.body).into_owned() }
    }
}

/// Status line, content type and body.
pub type Reply = (&'static str, &'static str, String);

/// The server; its threads end with the test program.
pub struct Server {
    /// `127.0.0.1:PORT`
    pub host: String,
    http: Http,
}

impl Server {
    /// Answers each request with what `answer` makes of its number (from 0) and itself.
    pub fn start(answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    /// As [`Server::start`], at a place that is taken already.
    pub fn on(listener: TcpListener, answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let http = Http::on(listener, move |asked| {
            let (status, kind, body) = answer(asked.number, &Request::from(asked));
            http::Reply::whole(status, &format!("Content-Type: {kind}\r\n"), body)
        });
        Self { host: http.host.clone(), http }
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Request> {
        self.http.seen().iter().map(Request::from).collect()
    }
}

/// A model of sorts: it follows the first option and never finds an answer. It answers at once; `n` is honoured.
pub fn model(request: &Request) -> Reply {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let prompt: String = body["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect();
    let first_option = || {
        let task = prompt.rsplit("# TASK").next().unwrap_or_default();
        let option = task.lines().find_map(|l| l.strip_prefix("- ")).and_then(|l| l.split(' ').next()).unwrap_or("none");
        option.trim_end_matches(':').to_owned()
    };
    let text = match prompt.rsplit("# TASK: ").next().and_then(|t| t.lines().next()).unwrap_or_default() {
        "extract" => "Inception".to_owned(),
        "match" => "1".to_owned(),
        "default" => "EXPAND: what is known about it".to_owned(),
        "select entities" | "select relation" => first_option(),
        _ => "0.5".to_owned(),
    };
    let n = body["n"].as_u64().unwrap_or(1);
    let choice = |i| json!({"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": text}});
    let choices: Vec<Value> = (0..n).map(choice).collect();
    ("200 OK", "application/json", json!({"choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": n}}).to_string())
}

/// The same model behind a service that wants a pause before it takes the first prompt.
pub fn busy_at_first() -> impl Fn(usize, &Request) -> Reply + Send + Sync + 'static {
    let busy = AtomicBool::new(true);
    move |_, request| match request.head.starts_with("POST") && busy.swap(false, Ordering::SeqCst) {
        true => ("429 Too Many Requests", "application/json\r\nRetry-After: 3", json!({"error": {"message": "Slow down"}}).to_string()),
        false => model(request),
    }
}

/// The model behind a server that refuses requests with any of these fields, one at a time, in OpenAI's words.
pub fn refusing(fields: &'static [&'static str]) -> impl Fn(usize, &Request) -> Reply + Send + Sync + 'static {
    move |_, request| {
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        match fields.iter().find(|field| body.get(**field).is_some()) {
            Some(field) => {
                let message = format!("Unsupported parameter: '{field}' is not supported with this model.");
                let error = json!({"error": {"message": message, "type": "invalid_request_error", "param": field, "code": "unsupported_parameter"}});
                ("400 Bad Request", "application/json", error.to_string())
            }
            None => model(request),
        }
    }
}

/// A SPARQL engine over `turtle`.
pub fn engine(turtle: &str) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let engine = sparql::Engine::new(turtle);
    move |request| {
        let query = http::decoded(request.body.strip_prefix("query=").unwrap_or_default());
        ("200 OK", "application/sparql-results+json", engine.json(&query).unwrap())
    }
}
