//! Every fault of the wire on every operation, at every request that the operation makes: it ends with the right error or
//! with the right data, never with an empty result that is none.

use super::support::{Engine, Reply, Request, Server};
use super::{edges_op, fast, ids};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tree_of_traversals::calls::{CallError, CallErrorKind, KgData, KgOp, KgReply};
use tree_of_traversals::graph::Direction;
use tree_of_traversals::kg::{KgSettings, KgSpec, KnowledgeGraph, open_with};

const JSON: &str = "Content-Type: application/sparql-results+json\r\n";
const GRAPH: &str = r#"
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix schema: <http://schema.org/> . @prefix wikibase: <http://wikiba.se/ontology#> .
wd:Q1 rdfs:label "West Pier"@en ; schema:description "a pier"@en ; wdt:P1 wd:Q2 , wd:Q3 ; wdt:P2 "12" .
wd:Q2 rdfs:label "Ann"@en ; wdt:P3 wd:Q1 . wd:Q3 rdfs:label "Bob"@en ; wdt:P3 wd:Q1 .
wd:P1 rdfs:label "builder"@en ; wikibase:directClaim wdt:P1 . wd:P2 rdfs:label "length"@en ; wikibase:directClaim wdt:P2 .
wd:P3 rdfs:label "built"@en ; wikibase:directClaim wdt:P3 .
"#;

/// What a server does instead of answering; given the answer that would be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    TooMany(&'static str),
    Unavailable,
    BadGateway,
    CutJson,
    CutBody,
    Page,
    Drip,
    HangUp,
    PlainType,
    Csv,
    Broken,
}

impl Fault {
    fn of(self, right: &str) -> Reply {
        match self {
            Self::TooMany(headers) => Reply::whole(
                "429 Too Many Requests",
                &format!("Content-Type: text/html\r\n{headers}"),
                "<html><h2>HTTP ERROR 429</h2></html>",
            ),
            Self::Unavailable => Reply::whole("503 Service Unavailable", "", "busy"),
            Self::BadGateway => Reply::whole("502 Bad Gateway", "Content-Type: text/html\r\n", "<html>nginx</html>"),
            Self::CutJson => Reply::whole("200 OK", JSON, &right[..right.len() - 3]),
            Self::CutBody => {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{JSON}\r\n", right.len());
                Reply::bytes(head + &right[..right.len() / 2])
            }
            Self::Page => Reply::whole("200 OK", "Content-Type: text/html\r\n", "<html><body>Sign in</body></html>"),
            Self::Drip => Reply::whole("200 OK", JSON, right).dripping(Duration::from_millis(100)),
            Self::HangUp => Reply::hang_up(),
            Self::PlainType => Reply::whole("200 OK", "Content-Type: text/plain\r\n", right),
            Self::Csv => Reply::whole("200 OK", "Content-Type: text/csv\r\n", "x,y\r\n"),
            Self::Broken => Reply::whole("500 Internal Server Error", "Content-Type: text/plain\r\n", "java.lang.NullPointerException"),
        }
    }
}

/// A faithful server with one fault: it answers requests `from` to `from + times` wrongly.
struct Faulty {
    server: Server,
    from: Arc<AtomicUsize>,
    kg: Arc<dyn KnowledgeGraph>,
}

impl Faulty {
    async fn new(fault: Fault, times: usize) -> Self {
        let (engine, from) = (Engine::new(GRAPH), Arc::new(AtomicUsize::new(usize::MAX)));
        let first = Arc::clone(&from);
        let server = Server::start(move |number, request: &Request| {
            let right = engine.json(&request.query).unwrap();
            let first = first.load(Ordering::SeqCst);
            if number >= first && number - first < times { fault.of(&right) } else { Reply::whole("200 OK", JSON, right) }
        })
        .await;
        let mut settings: KgSettings = fast();
        if fault == Fault::Drip {
            settings.http.client.total = Duration::from_secs(1);
        }
        let kg = open_with(&KgSpec::Sparql(server.base.clone()), &settings).await.unwrap();
        // The shape of the data is asked for here, once.
        kg.check().await.unwrap();
        Self { server, from, kg }
    }

    /// Performs `op` with the fault at its request number `at`; how many requests it made, too.
    async fn perform(&self, op: KgOp, at: usize) -> (Result<KgReply, CallError>, usize) {
        let before = self.server.http.seen().len();
        self.from.store(before.saturating_add(at), Ordering::SeqCst);
        let result = self.kg.perform(None, op).await;
        (result, self.server.http.seen().len() - before)
    }
}

fn ops() -> [KgOp; 5] {
    let relations = |direction| KgOp::Relations { entities: ids(&["Q1"]), direction, limit: 50 };
    [
        KgOp::Search { mention: "West Pier".into(), limit: 10 },
        relations(Direction::Out),
        relations(Direction::In),
        edges_op(&["Q1"], "P1", Direction::Out, 10),
        edges_op(&["Q1"], "P3", Direction::In, 10),
    ]
}

/// What of the data must not depend on luck: ids in their order.
fn gist(data: &KgData) -> Vec<String> {
    match data {
        KgData::Candidates(found) => found.iter().map(|c| format!("{} {:?}", c.entity.id, c.entity.label)).collect(),
        KgData::Relations(found) => found.iter().map(|r| format!("{} {:?}", r.at.token(), r.label)).collect(),
        KgData::Edges(list) => list.edges.iter().map(|e| format!("{} {} {:?}", e.s, e.r, e.o)).collect(),
        other => panic!("{other:?}"),
    }
}

/// The right data and the number of requests of `op`.
async fn right(op: &KgOp) -> (KgData, usize) {
    let (reply, requests) = Faulty::new(Fault::HangUp, 0).await.perform(op.clone(), usize::MAX).await;
    let data = reply.unwrap().data;
    assert!(!gist(&data).is_empty(), "{op:?}");
    (data, requests)
}

/// Every operation with `fault` at each of its requests, `times` times in a row; what `expect` says about each end.
async fn everywhere(fault: Fault, times: usize, expect: impl Fn(&Result<KgReply, CallError>, &KgData) -> bool) {
    for op in ops() {
        let (data, requests) = right(&op).await;
        for at in 0..requests {
            let (got, _) = Faulty::new(fault, times).await.perform(op.clone(), at).await;
            assert!(expect(&got, &data), "{fault:?} {times} times at request {at} of {op:?}: {got:?}");
            // Whatever the end: nothing is passed off as all there is.
            if let Ok(reply) = &got {
                assert!(
                    gist(&reply.data) == gist(&data) || (reply.partial && !reply.notes.is_empty()),
                    "{fault:?} at {at} of {op:?}: {reply:?}"
                );
            }
        }
    }
}

fn is_right(got: &Result<KgReply, CallError>, data: &KgData) -> bool {
    got.as_ref().is_ok_and(|reply| reply.data == *data && !reply.partial)
}

/// Fails with one of `kinds`; or has found another way to the data, or to a part of it that it calls one.
fn fails(got: &Result<KgReply, CallError>, data: &KgData, kinds: &[CallErrorKind]) -> bool {
    match got {
        Err(error) => kinds.contains(&error.kind) && error.message.starts_with("http://127.0.0.1:"),
        Ok(reply) => gist(&reply.data) == gist(data) || (reply.partial && !gist(&reply.data).is_empty()),
    }
}

#[tokio::test]
async fn a_busy_server_is_waited_for() {
    for fault in [
        Fault::TooMany("Retry-After: 0\r\n"),
        Fault::TooMany("Retry-After: soon\r\n"),
        Fault::TooMany(""),
        Fault::Unavailable,
        Fault::BadGateway,
    ] {
        everywhere(fault, 1, is_right).await;
    }
    everywhere(Fault::TooMany(""), 2, is_right).await;
}

#[tokio::test]
async fn a_server_that_stays_busy_is_an_error() {
    for fault in [Fault::TooMany(""), Fault::TooMany("Retry-After: 7200\r\n"), Fault::Unavailable] {
        everywhere(fault, usize::MAX, |got, _| got.as_ref().is_err_and(|error| error.kind == CallErrorKind::Busy)).await;
    }
}

#[tokio::test]
async fn a_cut_answer_is_an_error() {
    for fault in [Fault::CutJson, Fault::CutBody] {
        everywhere(fault, 1, |got, data| fails(got, data, &[CallErrorKind::BadReply])).await;
    }
}

#[tokio::test]
async fn what_is_no_result_is_an_error() {
    for fault in [Fault::Page, Fault::Csv] {
        everywhere(fault, 1, |got, data| fails(got, data, &[CallErrorKind::BadReply])).await;
    }
    everywhere(Fault::Broken, 1, |got, data| fails(got, data, &[CallErrorKind::Server])).await;
}

#[tokio::test]
async fn results_under_a_wrong_content_type_are_results() {
    everywhere(Fault::PlainType, usize::MAX, is_right).await;
}

#[tokio::test]
async fn a_closed_connection_is_tried_once_more() {
    everywhere(Fault::HangUp, 1, is_right).await;
    everywhere(Fault::HangUp, usize::MAX, |got, data| fails(got, data, &[CallErrorKind::BadReply])).await;
}

#[tokio::test]
async fn a_slow_drip_ends_at_the_time_out() {
    let all = ops().map(|op| async move {
        let (data, _) = right(&op).await;
        let (got, _) = Faulty::new(Fault::Drip, 1).await.perform(op.clone(), 0).await;
        assert!(fails(&got, &data, &[CallErrorKind::TimedOut]), "{op:?}: {got:?}");
        let (got, _) = Faulty::new(Fault::Drip, usize::MAX).await.perform(op.clone(), 0).await;
        assert!(got.as_ref().is_err_and(|error| error.kind == CallErrorKind::TimedOut), "{op:?}: {got:?}");
    });
    futures_util::future::join_all(all).await;
}
