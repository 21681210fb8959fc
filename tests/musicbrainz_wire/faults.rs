//! Every fault on every operation: the call fails in one readable sentence, or is asked again; nothing half is passed off
//! as a result.

use super::http::{Http, Reply};
use super::server::{Asked, Fault, Habits, Service, fixtures, load};
use super::*;
use tree_of_traversals::calls::CallErrorKind;

/// Search, relations, edges of a lookup, edges by browsing.
fn operations() -> [(&'static str, KgOp); 4] {
    [
        ("search", search_for("artist:Harbour Lights", 5)),
        ("relations", relations_of(&["artist/a0000000-0000-4000-8000-000000000001"], Direction::Out)),
        ("edges", edges_of(&["artist/a0000000-0000-4000-8000-000000000001"], MEMBER, Direction::In, 5, 0)),
        ("more edges", edges_of(&["artist/a0000000-0000-4000-8000-000000000001"], "release-groups", Direction::Out, 50, 0)),
    ]
}

/// Fails the requests of a list that is browsed, or all others.
fn faulty(fault: fn() -> Reply, browsing: bool, asked: &Asked) -> Option<Reply> {
    (asked.get("offset").is_some() == browsing).then(fault)
}

/// A fault of one kind: for lookups and searches, and for browsing.
macro_rules! always {
    ($name:ident, $bytes:expr) => {
        fn $name() -> [Fault; 2] {
            fn bytes() -> Reply {
                $bytes
            }
            [|_, asked| faulty(bytes, false, asked), |_, asked| faulty(bytes, true, asked)]
        }
    };
}

const JSON: &str = "Content-Type: application/json\r\n";

always!(
    too_often,
    Reply::whole("429 Too Many Requests", "Retry-After: 0\r\nContent-Type: text/html\r\n", "<html><h1>Slow down</h1></html>")
);
always!(unavailable, Reply::whole("503 Service Unavailable", JSON, "{\"error\":\"The server is busy.\"}"));
always!(broken, Reply::whole("500 Internal Server Error", JSON, "{\"error\":\"oops\"}"));
always!(refused, Reply::whole("400 Bad Request", JSON, "{\"error\":\"no valid request\"}"));
always!(forbidden, Reply::whole("403 Forbidden", JSON, "{\"error\":\"blocked\"}"));
always!(cut_json, Reply::whole("200 OK", JSON, "{\"id\": \"a0000000-0000-4000-8000-000000000001\", \"name\": \"Harb"));
always!(cut_body, Reply::bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"id\": \"a00"));
always!(page, Reply::whole("200 OK", "Content-Type: text/html\r\n", "<!DOCTYPE html><title>MusicBrainz</title>"));
always!(page_called_json, Reply::whole("200 OK", JSON, "\n <html><body>Maintenance</body></html>"));
always!(closed, Reply::hang_up());
always!(no_json, Reply::whole("200 OK", JSON, "Harbour Lights\u{1b}[31m"));
always!(a_list, Reply::whole("200 OK", JSON, "[1, 2]"));
always!(error_in_200, Reply::whole("200 OK", JSON, "{\"error\":\"search is down\"}"));

#[tokio::test]
async fn a_fault_is_one_sentence_and_never_a_result() {
    use CallErrorKind::{BadReply, Busy, Key, Refused, Server as Failed};
    let faults: [([Fault; 2], CallErrorKind, &str, usize); 13] = [
        (too_often(), Busy, "says that we ask too often (status 429)", 2),
        (unavailable(), Busy, "is busy (status 503): \"The server is busy.\"", 2),
        (broken(), Failed, "failed (status 500)", 1),
        (refused(), Refused, "refuses the request: \"no valid request\"", 1),
        (forbidden(), Key, "set TOT_CONTACT", 1),
        (cut_json(), BadReply, "broke off its answer", 1),
        (cut_body(), BadReply, "broke off its answer", 1),
        (page(), BadReply, "answered with a web page", 1),
        (page_called_json(), BadReply, "answered with a web page", 1),
        (closed(), BadReply, "connection", 0),
        (no_json(), BadReply, "sent what is no JSON", 1),
        (a_list(), BadReply, "JSON that is no record", 1),
        (error_in_200(), BadReply, "answered with an error: \"search is down\"", 1),
    ];
    for (fault, kind, says, requests) in faults {
        for (name, op) in operations() {
            let browsing = name == "more edges";
            let service = Service::start(load(&fixtures()), Habits { fault: Some(fault[usize::from(browsing)]), ..Habits::default() });
            let kg = open_with(&service.url, HttpSettings { tries: 2, ..manners() });
            let error = fails(&kg, op).await;
            assert_eq!(error.kind, kind, "{name}: {error}");
            assert!(error.message.starts_with("MusicBrainz ") && error.message.contains(says), "{name}: {error}");
            assert!(!error.message.contains('\n') && !error.message.contains('\u{1b}') && !error.message.contains('<'), "{name}: {error}");
            if requests > 0 {
                assert_eq!(service.paths().len(), requests + usize::from(browsing), "{name}: {says}");
            }
        }
    }
}

/// What passes is asked again, and then it is as if nothing had been.
#[tokio::test]
async fn what_passes_is_waited_out() {
    fn once(number: usize, _: &Asked) -> Option<Reply> {
        match number {
            0 => Some(Reply::whole("429 Too Many Requests", "", "")),
            1 => Some(Reply::whole("503 Service Unavailable", "Retry-After: 0\r\n", "")),
            _ => None,
        }
    }
    for (name, op) in operations() {
        let service = Service::start(load(&fixtures()), Habits { fault: Some(once), ..Habits::default() });
        let reply = ask(&open(&service), op.clone()).await;
        let untroubled = Service::usual();
        let expected = ask(&open(&untroubled), op).await;
        assert_eq!((reply.data, reply.partial, reply.notes), (expected.data, expected.partial, expected.notes), "{name}");
        assert_eq!(reply.wire[0].tries, 3, "{name}");
    }
}

/// Data is data under any name.
#[tokio::test]
async fn a_wrong_content_type_is_no_fault() {
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/octet-stream\r\n"] {
        let server = Http::start(move |_| {
            Reply::whole(
                "200 OK",
                kind,
                "{\"id\": \"a0000000-0000-4000-8000-000000000001\", \"name\": \"Harbour Lights\", \"type\": \"Group\", \"artists\": []}",
            )
        });
        let kg = open_with(&server.url(), manners());
        assert_eq!(relations(ask(&kg, operations()[1].1.clone()).await).len(), 1);
    }
}

/// A server that sends a byte at a time is not waited for without end.
#[tokio::test]
async fn a_slow_drip_ends_in_time() {
    let body = format!("{{\"id\": \"{LIGHTS}\"}}{}", " ".repeat(1000));
    let server = Http::start(move |_| Reply::whole("200 OK", JSON, &body).dripping(Duration::from_millis(20)));
    for (name, op) in operations() {
        let client = ClientSettings { total: Duration::from_millis(300), ..manners().client };
        let kg = open_with(&server.url(), HttpSettings { client, ..manners() });
        let error = fails(&kg, op).await;
        assert_eq!(error.kind, CallErrorKind::TimedOut, "{name}: {error}");
    }
}

/// A kind that cannot be searched is said; the others are.
#[tokio::test]
async fn a_search_of_one_kind_that_fails_does_not_take_the_others_along() {
    fn no_works(_: usize, asked: &Asked) -> Option<Reply> {
        (asked.path == "work").then(|| Reply::whole("200 OK", JSON, "{\"works\": ["))
    }
    let service = Service::start(load(&fixtures()), Habits { fault: Some(no_works), ..Habits::default() });
    let reply = ask(&open(&service), search_for("Ebb", 5)).await;
    assert!(reply.partial && reply.notes[0] == "not searched: work" && reply.notes[1].contains("broke off"), "{:?}", reply.notes);
    assert_eq!(candidates(reply)[0].entity.id, EBB.into());
    assert_eq!(service.paths().len(), 11);
}

/// A service that is down is not asked eleven times.
#[tokio::test]
async fn a_search_gives_up_on_a_service_that_is_down() {
    let server = Http::start(|_| Reply::whole("503 Service Unavailable", "", ""));
    let kg = open_with(&server.url(), HttpSettings { tries: 2, ..manners() });
    let error = fails(&kg, search_for("Ebb", 5)).await;
    assert!(error.message.starts_with("MusicBrainz is busy"), "{error}");
    assert_eq!(server.seen().len(), 2);
}

/// A web page with "not found" is no answer about an entity: it is the wrong address.
#[tokio::test]
async fn the_wrong_address_is_called_that() {
    let server = Http::start(|_| Reply::whole("404 Not Found", "Content-Type: text/html\r\n", "<html>nothing here</html>"));
    let kg = open_with(&format!("{}/wiki", server.url()), manners());
    let error = fails(&kg, relations_of(&[LIGHTS], Direction::Out)).await;
    assert!(error.message.contains("its address ends in /ws/2"), "{error}");
    assert!(kg.check().await.is_err());
}
