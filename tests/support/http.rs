//! A small HTTP server for tests, on a port of its own: it sends what a test wants, byte for byte, and remembers what
//! it was asked. Connections are kept alive as the protocol says. Its threads end with the test program.
//!
//! Test programs include it with `#[path]`, each with helpers of its own around it.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// How many came before it.
    pub number: usize,
    /// The connection it came on, from 0.
    pub connection: usize,
    /// Request line and headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
    /// When it had come in.
    pub at: Instant,
}

impl Asked {
    /// `POST`
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// Path and query string.
    pub fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }

    /// The parameters: of the query string, then of the form.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let query = self.target().split_once('?').map_or("", |(_, query)| query);
        let body = String::from_utf8_lossy(&self.body);
        let form = if self.header("content-type").is_some_and(|kind| kind.contains("form-urlencoded")) { &*body } else { "" };
        let pairs = query.split('&').chain(form.split('&')).filter(|pair| !pair.is_empty());
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(key, value)| (decoded(key), decoded(value))).collect()
    }

    /// The first parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<String> {
        self.parameters().into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// A text of a form in clear.
pub fn decoded(form: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = form.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let hex: String = bytes.by_ref().take(2).map(char::from).collect();
                out.push(u8::from_str_radix(&hex, 16).unwrap());
            }
            byte => out.push(byte),
        }
    }
    String::from_utf8(out).unwrap()
}

/// What is sent for a request: all bytes of it. The connection stays open when the bytes are a whole response of a
/// stated length that does not say `Connection: close`.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Nothing: the connection is closed at once.
    pub bytes: Vec<u8>,
    /// Sent so much later; a client that leaves meanwhile is counted.
    pub delay: Duration,
    /// After the head, one byte each time; else all at once.
    pub drip: Option<Duration>,
    /// What follows, each after a wait; a client that leaves meanwhile is counted.
    pub later: Vec<(Duration, Vec<u8>)>,
}

impl Reply {
    /// These bytes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), delay: Duration::ZERO, drip: None, later: Vec::new() }
    }

    /// A whole response that keeps the connection. `headers` are lines that end in CRLF.
    pub fn whole(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        Self::bytes(bytes)
    }

    /// The connection is closed without an answer.
    pub fn hang_up() -> Self {
        Self::bytes(Vec::new())
    }

    /// Sent after `delay`.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The body comes a byte at a time, every `drip`.
    pub fn dripping(self, drip: Duration) -> Self {
        Self { drip: Some(drip), ..self }
    }

    /// These bytes come `wait` after the others.
    pub fn then(mut self, wait: Duration, bytes: impl Into<Vec<u8>>) -> Self {
        self.later.push((wait, bytes.into()));
        self
    }

    fn keeps(&self) -> bool {
        let Some(end) = end_of_head(&self.bytes) else { return false };
        let head = String::from_utf8_lossy(&self.bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        let all = self.bytes.len() + self.later.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        length == Some(all - end) && !head.contains("connection: close")
    }
}

impl From<Vec<u8>> for Reply {
    fn from(bytes: Vec<u8>) -> Self {
        Self::bytes(bytes)
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

#[derive(Default)]
struct Memory {
    seen: Mutex<Vec<Asked>>,
    connections: AtomicUsize,
    busy: AtomicUsize,
    peak: AtomicUsize,
    left: AtomicUsize,
}

/// The server.
#[derive(Clone)]
pub struct Http {
    /// `127.0.0.1:PORT`
    pub host: String,
    memory: Arc<Memory>,
}

impl Http {
    /// Answers each request with what `answer` makes of it.
    pub fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    /// As [`Http::start`], at a place that is taken already.
    pub fn on(listener: TcpListener, answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let host = listener.local_addr().unwrap().to_string();
        let (answer, memory) = (Arc::new(answer), Arc::<Memory>::default());
        let shared = Arc::clone(&memory);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, memory) = (Arc::clone(&answer), Arc::clone(&shared));
                // A client that went away is no fault of the server.
                std::thread::spawn(move || serve(stream, &*answer, &memory).ok());
            }
        });
        Self { host, memory }
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("http://{}", self.host)
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Asked> {
        self.memory.seen.lock().unwrap().clone()
    }

    /// Connections that were opened.
    pub fn connections(&self) -> usize {
        self.memory.connections.load(Ordering::SeqCst)
    }

    /// The most requests that were open at once.
    pub fn peak(&self) -> usize {
        self.memory.peak.load(Ordering::SeqCst)
    }

    /// Requests whose client went away before the reply.
    pub fn left(&self) -> usize {
        self.memory.left.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(&Asked) -> Reply, memory: &Memory) -> std::io::Result<()> {
    let connection = memory.connections.fetch_add(1, Ordering::SeqCst);
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some((head, body)) = read_request(&mut stream, &mut buffer)? {
        let asked = {
            let mut seen = memory.seen.lock().unwrap();
            let asked = Asked { number: seen.len(), connection, head, body, at: Instant::now() };
            seen.push(asked.clone());
            asked
        };
        let busy = memory.busy.fetch_add(1, Ordering::SeqCst) + 1;
        memory.peak.fetch_max(busy, Ordering::SeqCst);
        let reply = answer(&asked);
        let stays = reply.delay.is_zero() || waits(&stream, reply.delay)?;
        memory.busy.fetch_sub(1, Ordering::SeqCst);
        if !stays {
            memory.left.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        }
        send(&mut stream, &reply)?;
        for (wait, bytes) in &reply.later {
            if !wait.is_zero() && !waits(&stream, *wait)? {
                memory.left.fetch_add(1, Ordering::SeqCst);
                return Ok(());
            }
            stream.write_all(bytes)?;
        }
        if !reply.keeps() {
            break;
        }
    }
    stream.shutdown(Shutdown::Both)
}

/// Waits for `delay`; whether the client is still there then.
fn waits(stream: &TcpStream, delay: Duration) -> std::io::Result<bool> {
    stream.set_read_timeout(Some(delay))?;
    let got = stream.peek(&mut [0]);
    stream.set_read_timeout(None)?;
    match got {
        Ok(_) => Ok(false),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(true),
        Err(_) => Ok(false),
    }
}

fn send(stream: &mut TcpStream, reply: &Reply) -> std::io::Result<()> {
    let Some(drip) = reply.drip else { return stream.write_all(&reply.bytes) };
    let (head, body) = reply.bytes.split_at(end_of_head(&reply.bytes).unwrap_or(0));
    stream.write_all(head)?;
    for byte in body {
        std::thread::sleep(drip);
        stream.write_all(&[*byte])?;
    }
    Ok(())
}

/// The next request on a connection, `None` when the client is done with it.
fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut piece = [0; 16 * 1024];
    loop {
        if let Some(end) = end_of_head(buffer) {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length =
                head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
            if buffer.len() >= end + length {
                let rest = buffer.split_off(end + length);
                let body = buffer.split_off(end);
                *buffer = rest;
                return Ok(Some((head, body)));
            }
        }
        match stream.read(&mut piece)? {
            0 => return Ok(None),
            n => buffer.extend_from_slice(&piece[..n]),
        }
    }
}
