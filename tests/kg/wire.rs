//! An endpoint that misbehaves: what is used, what is marked, what is refused.

use super::support::{Request, Server, json, response};
use super::{edge_list, edges_op, fast, sparql};
use std::time::{Duration, Instant, SystemTime};
use tree_of_traversals::calls::{CallError, CallErrorKind};
use tree_of_traversals::graph::{Direction, LiteralKind, Object};
use tree_of_traversals::kg::endpoint::Endpoint;
use tree_of_traversals::kg::http::HttpSettings;
use tree_of_traversals::kg::sparql::{Answer, Query, Results, Transport};
use tree_of_traversals::kg::{KgSpec, open_with};

const ROW: &str = r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://ex.org/a"}}]}}"#;

fn query() -> Query {
    Query { text: "SELECT ?x WHERE { ?x ?p ?o }".into(), limit: None }
}

async fn ask(url: &str, settings: HttpSettings) -> Result<Answer, CallError> {
    Endpoint::new(url, &settings).unwrap().run(query()).await
}

async fn answer(bytes: Vec<u8>) -> Result<Answer, CallError> {
    let server = Server::start(move |_, _| bytes.clone()).await;
    ask(&server.base, fast().http).await
}

fn rows(answer: &Answer) -> usize {
    match &answer.results {
        Results::Rows(table) => table.rows.len(),
        Results::Truth(_) => panic!("rows expected"),
    }
}

#[tokio::test]
async fn the_query_goes_out_as_a_form_with_our_name() {
    let server = Server::start(|_, _| json(ROW)).await;
    assert_eq!(rows(&ask(&server.base, fast().http).await.unwrap()), 1);
    let Request { head, query, .. } = &server.seen()[0];
    let head = head.to_lowercase();
    assert!(head.starts_with("post / http/1.1"), "{head}");
    assert!(head.contains("content-type: application/x-www-form-urlencoded"), "{head}");
    assert!(head.contains("accept: application/sparql-results+json"), "{head}");
    assert!(head.contains("user-agent: tree-of-traversals/"), "{head}");
    assert_eq!(query, "SELECT ?x WHERE { ?x ?p ?o }");
}

#[tokio::test]
async fn a_cut_body_is_an_error_and_a_time_out_is_told() {
    let whole = json(ROW);
    for end in [whole.len() - 1, whole.len() - ROW.len() / 2, whole.len() - ROW.len()] {
        let error = answer(whole[..end].to_vec()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::BadReply, "{error}");
    }
    // The length is right, but the JSON ends in the middle.
    let error = answer(json(&ROW[..ROW.len() - 3])).await.unwrap_err();
    assert!(error.kind == CallErrorKind::BadReply && error.message.contains("breaks off"), "{error}");
    let trace = "{\"head\":{\"vars\":[\"item\"]},\"results\":{\"bindings\":[{\"item\":{\"type\":\"uri\",\"value\":\"http://www.wikidata.org/entity/Q100\"}},{\"item\":{\"type\":\"uri\",\"value\":\"SPARQL-QUERY: queryStr=SELECT ?item\njava.util.concurrent.TimeoutException\n\tat example.Task.get(Task.java:1)\n";
    let error = answer(json(trace)).await.unwrap_err();
    assert!(error.kind == CallErrorKind::TimedOut && !error.message.contains("Task.java"), "{error}");
}

#[tokio::test]
async fn an_error_text_under_200_is_an_error() {
    let inside = r#"{"head":{"vars":["x"]},"bindings":[failed to lookup address information"#;
    for body in [inside, "Virtuoso 37000 Error SP030: syntax error", "", "{\"error\":\"busy\"}", &format!("{ROW}\nERROR: disk")] {
        let error = answer(json(body)).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::BadReply, "{body}: {error}");
        assert!(error.message.starts_with("http://127.0.0.1:"), "{error}");
    }
    let page = response("200 OK", "Content-Type: text/html; charset=utf-8\r\n", "<html><body>Welcome</body></html>");
    let error = answer(page).await.unwrap_err();
    assert!(error.message.contains("web page") && !error.message.contains("<html>"), "{error}");
}

#[tokio::test]
async fn ask_replies_come_in_two_shapes() {
    for bytes in [json(r#"{"head":{"link":[]},"boolean":true}"#), response("200 OK", "Content-Type: text/html; charset=UTF-8\r\n", "true")]
    {
        assert_eq!(answer(bytes).await.unwrap().results, Results::Truth(true));
    }
    let server = Server::start(|_, _| json(r#"{"head":{},"boolean":true}"#)).await;
    let error = sparql(&server.base).await.perform(None, edges_op(&["Q1"], "P1", Direction::Out, 5)).await.unwrap_err();
    assert!(error.message.contains("yes or no where rows were asked for"), "{error}");
}

#[tokio::test]
async fn what_the_server_cut_is_marked() {
    let head = "Content-Type: application/sparql-results+json\r\n";
    for (bytes, why) in [
        (response("200 OK", &format!("{head}X-SPARQL-MaxRows: 10000\r\n"), ROW), "at 10000 rows"),
        (response("200 OK", &format!("{head}X-SQL-State: S1TAT\r\n"), ROW), "ran out of time"),
        (response("206 Partial Content", head, ROW), "partial"),
    ] {
        let answer = answer(bytes).await.unwrap();
        assert_eq!(rows(&answer), 1);
        assert!(answer.cut.as_deref().unwrap().contains(why), "{:?}", answer.cut);
    }
    let row = r#"{"x":{"type":"uri","value":"http://ex.org/a"}}"#;
    let many = |n: usize| json(&format!(r#"{{"head":{{"vars":["x"]}},"results":{{"bindings":[{}]}}}}"#, vec![row; n].join(",")));
    assert!(answer(many(10_000)).await.unwrap().cut.unwrap().contains("may have cut"));
    assert_eq!(answer(many(9_999)).await.unwrap().cut, None);
}

#[tokio::test]
async fn a_mark_reaches_the_reply_and_odd_cells_do_not_hurt() {
    let server = Server::start(|_, request| {
        let head = "Content-Type: application/sparql-results+json\r\nX-SQL-State: S1TAT\r\n";
        let q = &request.query;
        if q.contains("ASK {") {
            json(r#"{"head":{},"boolean":true}"#)
        } else if q.contains("?x ?y") {
            let x = r#""x":{"type":"uri","value":"http://www.wikidata.org/entity/Q1"}"#;
            let cells = [
                r#","y":{"type":"bnode","value":"b17"}"#,
                r#","y":{"type":"uri","value":"http://www.wikidata.org/.well-known/genid/8f1c2a"}"#,
                r#","y":{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"12"}"#,
                r#","y":{"type":"literal-typed","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"13"}"#,
                r#","y":{"type":"uri"}"#,
                "",
            ];
            let mut rows: Vec<String> = cells.iter().map(|y| format!("{{{x}{y}}}")).collect();
            rows.push(format!(
                r#"{{{x},"all":{{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"7"}}}}"#
            ));
            response(
                "200 OK",
                head,
                &format!(r#"{{"head":{{"vars":["x","y","all"]}},"results":{{"bindings":[{},null,{{}}]}}}}"#, rows.join(",")),
            )
        } else {
            json(r#"{"head":{"vars":[]},"results":{"bindings":[null]}}"#)
        }
    })
    .await;
    let reply = sparql(&server.base).await.perform(None, edges_op(&["Q1"], "P1", Direction::Out, 50)).await.unwrap();
    assert!(reply.partial && reply.notes[0].contains("ran out of time"), "{:?}", reply.notes);
    let list = edge_list(reply);
    assert_eq!((list.partial[0].shown, list.partial[0].of), (4, Some(7)));
    let kinds: Vec<LiteralKind> =
        list.edges.iter().filter_map(|e| if let Object::Literal(l) = &e.o { Some(l.kind) } else { None }).collect();
    assert_eq!(kinds, [LiteralKind::Unknown, LiteralKind::Unknown, LiteralKind::Quantity, LiteralKind::Quantity]);
    assert!(server.seen().iter().all(|r| !r.query.contains("8f1c2a") && !r.query.contains("b17")));
}

#[tokio::test]
async fn a_busy_server_is_asked_again_after_the_wait_it_wants() {
    let page = "<html><body><h2>HTTP ERROR 429</h2></body></html>";
    let server = Server::start(move |number, _| match number {
        0 => response("429 Too Many Requests", "Retry-After: 1\r\nContent-Type: text/html\r\n", page),
        1 => response("503 Service Unavailable", "Retry-After: 0\r\n", "busy"),
        _ => json(ROW),
    })
    .await;
    let begun = Instant::now();
    let answer = ask(&server.base, fast().http).await.unwrap();
    assert_eq!((rows(&answer), answer.tries), (1, 3));
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn nobody_asks_while_the_server_wants_a_pause() {
    let server = Server::start(|number, _| match number {
        0 => response("429 Too Many Requests", "Retry-After: 1\r\n", ""),
        _ => json(ROW),
    })
    .await;
    let endpoint = Endpoint::new(&server.base, &fast().http).unwrap();
    let first = tokio::spawn(endpoint.run(query()));
    while server.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let begun = Instant::now();
    endpoint.run(query()).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(700), "{:?}", begun.elapsed());
    assert_eq!(first.await.unwrap().unwrap().tries, 2);
}

#[tokio::test]
async fn a_long_wait_or_a_lasting_fault_is_given_up_with_a_remedy() {
    let hour = response("429 Too Many Requests", "Retry-After: 3600\r\n", "");
    let error = answer(hour).await.unwrap_err();
    assert!(error.message.contains("3600 s"), "{error}");
    let date = http_date(SystemTime::now() + Duration::from_secs(7200));
    let error = answer(response("503 Service Unavailable", &format!("Retry-After: {date}\r\n"), "")).await.unwrap_err();
    assert!(error.message.contains("asks to wait 7"), "{error}");
    let server = Server::start(|_, _| response("502 Bad Gateway", "", "")).await;
    let error = ask(&server.base, fast().http).await.unwrap_err();
    assert_eq!((error.kind, server.seen().len()), (CallErrorKind::Busy, 4));
    assert!(error.message.contains("4 tries"), "{error}");
}

/// As `date -u` writes it; checked against the reader's own test vectors in `kg::http`.
fn http_date(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let (mut days, clock) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    format!("Mon, {:02} {} {year} {:02}:{:02}:{:02} GMT", days + 1, names[month], clock / 3600, clock / 60 % 60, clock % 60)
}

#[tokio::test]
async fn a_refusal_is_not_repeated_and_quotes_one_line() {
    let server = Server::start(|_, _| {
        let body = "Virtuoso 37000 Error SP030: SPARQL compiler, line 2: \u{1b}[31msyntax error at '}'\n\nSPARQL query:\nSELECT secret";
        response("400 Bad Request", "Content-Type: text/plain\r\n", body)
    })
    .await;
    let error = ask(&server.base, fast().http).await.unwrap_err();
    assert_eq!((error.kind, server.seen().len()), (CallErrorKind::Refused, 1));
    assert!(error.message.contains("refuses the query: \"Virtuoso 37000 Error SP030"), "{error}");
    assert!(!error.message.contains("SELECT secret") && !error.message.contains('\u{1b}'), "{error}");
    let forbidden = answer(response("403 Forbidden", "Content-Type: text/plain\r\n", "Requests need a user-agent.\n")).await.unwrap_err();
    assert!(forbidden.kind == CallErrorKind::Key && forbidden.message.contains("TOT_CONTACT"), "{forbidden}");
    assert!(forbidden.message.contains("Requests need a user-agent."), "{forbidden}");
    assert_eq!(answer(response("404 Not Found", "", "")).await.unwrap_err().kind, CallErrorKind::Refused);
    assert_eq!(answer(response("500 Internal Server Error", "", "x")).await.unwrap_err().kind, CallErrorKind::Server);
}

#[tokio::test]
async fn secrets_of_the_url_are_in_no_message() {
    let server = Server::start(|_, _| response("401 Unauthorized", "", "bad key zzz9 for user pa55w0rd")).await;
    let url = format!("{}/sparql?apikey=zzz9", server.base.replace("//", "//someone:pa55w0rd@"));
    let kg = sparql(&url).await;
    let error = kg.perform(None, edges_op(&["Q1"], "P1", Direction::Out, 5)).await.unwrap_err();
    for text in [error.to_string(), kg.about()] {
        assert!(!text.contains("zzz9") && !text.contains("pa55w0rd") && !text.contains("someone"), "{text}");
    }
    assert_eq!(error.kind, CallErrorKind::Key);
    let head = &server.seen()[0].head;
    assert!(head.starts_with("POST /sparql?apikey=zzz9 ") && head.to_lowercase().contains("authorization: basic"), "{head}");
}

#[tokio::test]
async fn a_redirect_is_followed_on_the_same_host_only() {
    let server = Server::start(|_, request| {
        if request.head.starts_with("POST /new") { json(ROW) } else { response("301 Moved Permanently", "Location: /new\r\n", "") }
    })
    .await;
    assert_eq!(rows(&ask(&server.base, fast().http).await.unwrap()), 1);
    assert_eq!(server.seen()[1].query, "SELECT ?x WHERE { ?x ?p ?o }");
    let away = answer(response("302 Found", "Location: http://other.example.org/sparql\r\n", "")).await.unwrap_err();
    assert!(away.message.contains("use sparql:http://other.example.org/sparql"), "{away}");
    assert!(answer(response("301 Moved", "Location: /\r\n", "")).await.unwrap_err().message.contains("circle"));
}

#[tokio::test]
async fn silence_and_absence_are_told_apart() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let mut settings = fast().http;
    settings.client.total = Duration::from_millis(200);
    let error = ask(&silent, settings.clone()).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::TimedOut, "{error}");
    drop(listener);
    let error = ask(&silent, settings).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Unreachable, "{error}");
    assert!(error.message.contains("check the address"), "{error}");
}

#[tokio::test]
async fn a_body_without_end_is_refused() {
    let mut settings = fast().http;
    settings.largest_answer = 1000;
    let server = Server::start(|_, _| json(&" ".repeat(5000))).await;
    assert!(ask(&server.base, settings).await.unwrap_err().message.contains("ask for less"));
}

#[tokio::test]
async fn long_lists_are_split_and_names_cannot_break_out() {
    let server = Server::start(|_, request| {
        json(if request.query.contains("ASK {") { r#"{"boolean":false}"# } else { r#"{"head":{"vars":[]},"results":{"bindings":[]}}"# })
    })
    .await;
    let kg = sparql(&server.base).await;
    let many: Vec<String> = (0..400).map(|n| format!("http://ex.org/{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    kg.perform(None, edges_op(&many, "http://ex.org/p", Direction::Out, 5)).await.unwrap();
    assert!(server.seen().iter().all(|r| r.query.matches("<http://ex.org/").count() <= 102));
    let mention = "x\"@en } ?s ?p ?o . FILTER(\"a\")";
    super::search(&*kg, mention).await;
    let asked = server.seen().into_iter().find(|r| r.query.contains("FILTER(\\\"")).unwrap();
    assert!(oxigraph::sparql::SparqlEvaluator::new().parse_query(&asked.query).is_ok(), "{}", asked.query);
}

#[tokio::test]
async fn a_slow_count_falls_back_to_lower_bounds() {
    let server = Server::start(|_, request| {
        let q = &request.query;
        if q.contains("ASK {") {
            json(r#"{"boolean":false}"#)
        } else if q.contains("LIMIT 20001") {
            response("500 Internal Server Error", "", "Virtuoso 42000 Error The estimated execution time exceeds the limit")
        } else if q.contains("COUNT") {
            let cells = r#""way":{"type":"literal","value":"in"},"p":{"type":"uri","value":"http://ex.org/p"},"all":{"type":"literal","value":"9"}"#;
            json(&format!(r#"{{"head":{{"vars":["way","p","all"]}},"results":{{"bindings":[{{{cells}}}]}}}}"#))
        } else {
            let x = r#""x":{"type":"uri","value":"http://ex.org/a"}"#;
            let rows: Vec<String> = (0..4).map(|n| format!(r#"{{{x},"y":{{"type":"uri","value":"http://ex.org/{n}"}}}}"#)).collect();
            json(&format!(r#"{{"head":{{"vars":["x","y"]}},"results":{{"bindings":[{}]}}}}"#, rows.join(",")))
        }
    })
    .await;
    let kg = sparql(&server.base).await;
    let found = super::relations(&*kg, &["http://ex.org/a"], Direction::In).await;
    assert_eq!((found[0].count, found[0].count_is_bound), (Some(9), true));
    let reply = kg.perform(None, edges_op(&["http://ex.org/a"], "http://ex.org/p", Direction::In, 3)).await.unwrap();
    assert!(reply.partial && reply.notes[0].contains("in the order of the server"), "{:?}", reply.notes);
    let list = edge_list(reply);
    assert_eq!((list.edges.len(), list.partial[0].shown, list.partial[0].of), (3, 3, None));
}

#[tokio::test]
async fn what_is_no_url_is_refused() {
    for url in ["nonsense", "ftp://h/", "http://", "//h/sparql"] {
        let error = open_with(&KgSpec::Sparql(url.into()), &fast()).await.err().unwrap();
        assert!(error.to_string().contains("is no URL of an endpoint"), "{error}");
    }
}
