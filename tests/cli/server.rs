//! A small HTTP server on a port of its own: it answers what a test wants and counts.

use oxigraph::io::RdfFormat;
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Request line and headers.
    pub head: String,
    /// The body.
    pub body: String,
}

/// Status line and body.
pub type Reply = (&'static str, &'static str, String);

/// The server; its thread ends with the test program.
pub struct Server {
    /// `127.0.0.1:PORT`
    pub host: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each request with what `answer` makes of its number (from 0) and itself.
    pub fn start(answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    /// As [`Server::start`], at a place that is taken already.
    pub fn on(listener: TcpListener, answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let host = listener.local_addr().unwrap().to_string();
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (answer, record) = (Arc::new(answer), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, record) = (Arc::clone(&answer), Arc::clone(&record));
                // A client that was killed is no fault of the test.
                std::thread::spawn(move || serve(stream, &*answer, &record).ok());
            }
        });
        Self { host, seen }
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(usize, &Request) -> Reply, seen: &Mutex<Vec<Request>>) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 8192];
    let mut read = |bytes: &mut Vec<u8>| -> std::io::Result<bool> {
        let n = stream.read(&mut chunk)?;
        bytes.extend_from_slice(&chunk[..n]);
        Ok(n > 0)
    };
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if !read(&mut bytes)? {
            return Ok(());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        if !read(&mut bytes)? {
            return Ok(());
        }
    }
    let request = Request { head, body: String::from_utf8_lossy(&bytes[end..]).into_owned() };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let (status, kind, body) = answer(number, &request);
    write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// A model of sorts: it follows the first option and never finds an answer. It answers at once; `n` is honoured.
pub fn model(request: &Request) -> Reply {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let prompt: String = body["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect();
    let first_option = || {
        let task = prompt.rsplit("# TASK").next().unwrap_or_default();
        task.lines().find_map(|l| l.strip_prefix("- ")).and_then(|l| l.split([' ', ':']).next()).unwrap_or("none").to_owned()
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

/// A SPARQL engine over `turtle`.
pub fn engine(turtle: &str) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let store = Store::new().unwrap();
    store.load_from_slice(RdfFormat::Turtle, turtle).unwrap();
    move |request| {
        let query = decode(request.body.strip_prefix("query=").unwrap_or_default());
        let results = SparqlEvaluator::new().parse_query(&query).unwrap().on_store(&store).execute().unwrap();
        ("200 OK", "application/sparql-results+json", String::from_utf8(written(results)).unwrap())
    }
}

fn written(results: QueryResults<'_>) -> Vec<u8> {
    let writer = QueryResultsSerializer::from_format(QueryResultsFormat::Json);
    match results {
        QueryResults::Boolean(truth) => writer.serialize_boolean_to_writer(Vec::new(), truth).unwrap(),
        QueryResults::Graph(_) => panic!("only SELECT and ASK are asked"),
        QueryResults::Solutions(solutions) => {
            let mut rows = writer.serialize_solutions_to_writer(Vec::new(), solutions.variables().to_vec()).unwrap();
            for solution in solutions {
                rows.serialize(&solution.unwrap()).unwrap();
            }
            rows.finish().unwrap()
        }
    }
}

fn decode(form: &str) -> String {
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
