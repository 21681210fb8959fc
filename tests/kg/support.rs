//! A small HTTP server for tests: it sends what a test wants, byte for byte, and remembers what it was asked.

use oxigraph::io::RdfFormat;
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Request {
    /// Request line and headers.
    pub head: String,
    /// The query of a form, decoded.
    pub query: String,
}

/// A server on a port of its own, until the test ends.
pub struct Server {
    /// `http://127.0.0.1:PORT`
    pub base: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each request with the bytes that `answer` makes of its number (from 0) and itself.
    pub async fn start(answer: impl Fn(usize, &Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (answer, record) = (Arc::new(answer), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&record)));
            }
        });
        Self { base, seen }
    }

    /// A real SPARQL engine over `turtle`.
    pub async fn with_engine(turtle: &str) -> Self {
        let store = Store::new().unwrap();
        store.load_from_slice(RdfFormat::Turtle, turtle).unwrap();
        Self::start(move |_, request| {
            let results = SparqlEvaluator::new().parse_query(&request.query).unwrap().on_store(&store).execute().unwrap();
            json(std::str::from_utf8(&written(results)).unwrap())
        })
        .await
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
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

async fn serve<F: Fn(usize, &Request) -> Vec<u8>>(mut stream: TcpStream, answer: Arc<F>, seen: Arc<Mutex<Vec<Request>>>) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 8192];
    let end = loop {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
        }
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
        }
    }
    let query = decode(&bytes[end..]);
    let request = Request { head, query: query.strip_prefix("query=").unwrap_or(&query).to_owned() };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let _ = stream.write_all(&answer(number, &request)).await;
    let _ = stream.shutdown().await;
}

fn decode(form: &[u8]) -> String {
    let mut out = Vec::new();
    let mut bytes = form.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let hex: String = bytes.by_ref().take(2).map(|b| char::from(*b)).collect();
                out.push(u8::from_str_radix(&hex, 16).unwrap());
            }
            byte => out.push(*byte),
        }
    }
    String::from_utf8(out).unwrap()
}

/// A whole response with `status` (`200 OK`), further header lines and a body.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

/// `body` as SPARQL results.
pub fn json(body: &str) -> Vec<u8> {
    response("200 OK", "Content-Type: application/sparql-results+json\r\n", body)
}
