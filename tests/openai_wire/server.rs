//! A server on this machine whose replies a test writes, and which remembers what it was sent.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

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
}

impl Answer {
    /// `body` under `status`.
    pub fn new(status: u16, body: impl ToString) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string(), delay: Duration::ZERO, cut: false }
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
}

type Script = dyn Fn(usize, &Seen) -> Answer + Send + Sync;

/// What the server remembers.
#[derive(Default)]
struct Memory {
    seen: Mutex<Vec<Seen>>,
    busy: AtomicUsize,
    peak: AtomicUsize,
    left: AtomicUsize,
    connections: AtomicUsize,
}

/// The server; it ends with the test's runtime.
pub struct Server {
    /// `http://127.0.0.1:PORT`
    pub url: String,
    memory: Arc<Memory>,
}

impl Server {
    /// Starts on a free port; `script` gets the number of the request (from 0) and the request.
    pub async fn start(script: impl Fn(usize, &Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (memory, script): (Arc<Memory>, Arc<Script>) = (Arc::default(), Arc::new(script));
        let shared = Arc::clone(&memory);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared), Arc::clone(&script)));
            }
        });
        Self { url, memory }
    }

    /// Starts with a list of replies; the last one is repeated.
    pub async fn replies(list: Vec<Answer>) -> Self {
        Self::start(move |at, _| list[at.min(list.len() - 1)].clone()).await
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.memory.seen.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.seen().len()
    }

    /// The most requests that were open at once.
    pub fn peak(&self) -> usize {
        self.memory.peak.load(Ordering::SeqCst)
    }

    /// Connections that were opened.
    pub fn connections(&self) -> usize {
        self.memory.connections.load(Ordering::SeqCst)
    }

    /// Requests whose client went away before the reply.
    pub fn left(&self) -> usize {
        self.memory.left.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, memory: Arc<Memory>, script: Arc<Script>) {
    memory.connections.fetch_add(1, Ordering::SeqCst);
    let mut buffer = Vec::new();
    while let Some(seen) = read_request(&mut stream, &mut buffer).await {
        let at = {
            let mut all = memory.seen.lock().unwrap();
            all.push(seen.clone());
            all.len() - 1
        };
        let busy = memory.busy.fetch_add(1, Ordering::SeqCst) + 1;
        memory.peak.fetch_max(busy, Ordering::SeqCst);
        let answer = script(at, &seen);
        let mut one = [0];
        let stays = tokio::select! {
            () = tokio::time::sleep(answer.delay) => true,
            _ = stream.peek(&mut one), if !answer.delay.is_zero() => false,
        };
        memory.busy.fetch_sub(1, Ordering::SeqCst);
        if !stays {
            memory.left.fetch_add(1, Ordering::SeqCst);
            return;
        }
        if answer.status == HANG_UP {
            return;
        }
        let mut head =
            format!("HTTP/1.1 {} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let body = if answer.cut { &answer.body.as_bytes()[..answer.body.len() / 2] } else { answer.body.as_bytes() };
        if stream.write_all(head.as_bytes()).await.is_err() || stream.write_all(body).await.is_err() || answer.cut {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Seen> {
    let mut piece = [0; 16 * 1024];
    loop {
        if let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8(buffer[..end].to_vec()).ok()?;
            let mut lines = head.lines();
            let line = lines.next()?.rsplit_once(' ')?.0.to_owned();
            let headers: HashMap<String, String> =
                lines.filter_map(|l| l.split_once(':')).map(|(n, v)| (n.to_lowercase(), v.trim().to_owned())).collect();
            let length: usize = headers.get("content-length").map_or(0, |l| l.parse().unwrap());
            if buffer.len() >= end + 4 + length {
                let body = serde_json::from_slice(&buffer[end + 4..end + 4 + length]).unwrap_or(Value::Null);
                buffer.drain(..end + 4 + length);
                return Some(Seen { line, headers, body, at: Instant::now() });
            }
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(got) => buffer.extend_from_slice(&piece[..got]),
        }
    }
}
