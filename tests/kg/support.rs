//! A SPARQL service for tests: it sends what a test wants, byte for byte, and remembers what it was asked.

#[path = "../support/engine.rs"]
mod engine;
#[path = "../support/http.rs"]
mod http;

pub use engine::Engine;
pub use http::Reply;
use http::{Asked, Http};

/// A request as it came in.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "for tests that look closer")]
pub struct Request {
    /// Request line and headers.
    pub head: String,
    /// The query of a form or of a query string, decoded.
    pub query: String,
    /// All of it.
    pub asked: Asked,
}

impl From<&Asked> for Request {
    fn from(asked: &Asked) -> Self {
        let query = asked.parameter("query").unwrap_or_default();
        Self { head: asked.head.clone(), query, asked: asked.clone() }
    }
}

/// A server on a port of its own.
pub struct Server {
    /// `http://127.0.0.1:PORT`
    pub base: String,
    /// What it remembers.
    pub http: Http,
}

impl Server {
    /// Answers each request with what `answer` makes of its number (from 0) and itself.
    #[expect(clippy::unused_async, reason = "tests wait for it")]
    pub async fn start<R: Into<Reply>>(answer: impl Fn(usize, &Request) -> R + Send + Sync + 'static) -> Self {
        let http = Http::start(move |asked| answer(asked.number, &Request::from(asked)).into());
        Self { base: http.url(), http }
    }

    /// A real SPARQL engine over `turtle`.
    pub async fn with_engine(turtle: &str) -> Self {
        let engine = Engine::new(turtle);
        Self::start(move |_, request| json(&engine.json(&request.query).unwrap())).await
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Request> {
        self.http.seen().iter().map(Request::from).collect()
    }
}

/// A whole response with `status` (`200 OK`), further header lines and a body; the connection is closed after it.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

/// `body` as SPARQL results; the connection is closed after it.
pub fn json(body: &str) -> Vec<u8> {
    response("200 OK", "Content-Type: application/sparql-results+json\r\n", body)
}
