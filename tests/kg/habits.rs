//! What the SPARQL servers of the world make of the standard, replayed: results in every shape, cuts, errors, POST and GET.

use super::support::{Engine, Reply, Request, Server};
use super::{edge_list, edges, edges_op, fast, objects, relations, search, sparql};
use oxigraph::sparql::results::QueryResultsFormat;
use std::sync::Arc;
use tree_of_traversals::calls::{CallError, CallErrorKind};
use tree_of_traversals::graph::{Direction, LiteralKind, Object};
use tree_of_traversals::kg::endpoint::{Endpoint, EndpointSettings};
use tree_of_traversals::kg::sparql::{Answer, Query, Results, Term, Transport};
use tree_of_traversals::kg::{KgProfile, KgSpec, KnowledgeGraph, open_all};

const JSON: &str = "Content-Type: application/sparql-results+json\r\n";
const ROW: &str = r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://ex.org/a"}}]}}"#;
/// A small graph of plain RDF with names of its own.
const GRAPH: &str = r#"
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:ann ex:title "Ann Arbour"@en ; ex:nick "Annie" ; ex:about "a builder"@en ; rdfs:label "node 1" ; ex:built ex:pier ; ex:sees ex:bob .
ex:bob ex:title "Bob Berg"@en ; rdfs:label "node 2" ; ex:built ex:pier ; ex:sees ex:ann .
ex:pier ex:title "West Pier"@en , "Westmole"@de ; rdfs:label "node 3" ; skos:altLabel "the pier" .
ex:built ex:title "built"@en .
"#;

async fn ask(server: &Server) -> Result<Answer, CallError> {
    let query = Query { text: "SELECT ?x WHERE { ?x ?p ?o }".into(), limit: None };
    Endpoint::new(&server.base, &fast().http).unwrap().run(query).await
}

async fn answer(reply: Reply) -> Result<Answer, CallError> {
    let server = Server::start(move |_, _| reply.clone()).await;
    ask(&server).await
}

fn cell(answer: &Answer) -> &Term {
    match &answer.results {
        Results::Rows(table) => table.rows[0][0].as_ref().unwrap(),
        Results::Truth(_) => panic!("rows expected"),
    }
}

async fn profiled(server: &Server, profile: &str) -> Arc<dyn KnowledgeGraph> {
    let profile: KgProfile = serde_yaml::from_str(profile).unwrap();
    let spec = KgSpec::Sparql(format!("{}/sparql", server.base));
    let opened = open_all(vec![(Some("ours".into()), profile, spec)], &fast()).await.unwrap();
    Arc::clone(&opened[0].kg)
}

/// Case D01: ASK without results, as the bare word, in XML; and an ASK where rows were asked for.
#[tokio::test]
async fn d01_yes_and_no_come_in_many_shapes() {
    for (kind, body, truth) in [
        ("application/sparql-results+json", r#"{"head":{"link":[]},"boolean":true}"#, true),
        ("text/html; charset=UTF-8", "true", true),
        ("text/plain", "false\r\n", false),
        // Virtuoso 7 makes a row of it.
        (
            "application/sparql-results+json",
            r#"{ "head": { "link": [], "vars": ["__ASK_RETVAL"] }, "results": { "bindings": [ { "__ASK_RETVAL": { "type": "typed-literal", "datatype": "http://www.w3.org/2001/XMLSchema#integer", "value": "1" }} ] } }"#,
            true,
        ),
        (
            "application/sparql-results+xml",
            "<?xml version=\"1.0\"?><sparql xmlns=\"http://www.w3.org/2005/sparql-results#\"><head/><boolean>true</boolean></sparql>",
            true,
        ),
        ("application/json", "\u{feff}{\"boolean\":false}", false),
    ] {
        let got = answer(Reply::whole("200 OK", &format!("Content-Type: {kind}\r\n"), body)).await.unwrap();
        assert_eq!(got.results, Results::Truth(truth), "{body}");
    }
}

/// Cases D02 and D09: old names of typed literals, plain strings with and without their datatype.
#[tokio::test]
async fn d02_d09_literals_are_alike_whatever_they_are_called() {
    let literal = |inside: &str| {
        Reply::whole("200 OK", JSON, format!(r#"{{"head":{{"vars":["o"]}},"results":{{"bindings":[{{"o":{{{inside}}}}}]}}}}"#))
    };
    let number = r#""datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"12""#;
    let first = answer(literal(&format!(r#""type":"typed-literal",{number}"#))).await.unwrap();
    for kind in ["literal-typed", "literal"] {
        assert_eq!(cell(&answer(literal(&format!(r#""type":"{kind}",{number}"#))).await.unwrap()), cell(&first));
    }
    let typed =
        answer(literal(r#""type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#string","value":"België""#)).await.unwrap();
    assert_eq!(cell(&answer(literal(r#""type":"literal","value":"België""#)).await.unwrap()), cell(&typed));
}

/// Case D03: rows are used, and marked, whichever way the server says that there are more; also at the cap of a profile.
#[tokio::test]
async fn d03_a_cut_reaches_the_reply() {
    for (status, header, why) in [
        ("200 OK", "X-SPARQL-MaxRows: 10000\r\n", "cut the result at 10000 rows"),
        ("200 OK", "X-SQL-State: S1TAT\r\n", "ran out of time"),
        ("206 Partial Content", "", "partial"),
    ] {
        let engine = Engine::new(GRAPH);
        let server = Server::start(move |_, request: &Request| {
            Reply::whole(status, &format!("{JSON}{header}"), engine.json(&request.query).unwrap())
        })
        .await;
        let reply = sparql(&server.base)
            .await
            .perform(None, edges_op(&["http://ex.org/ann"], "http://ex.org/built", Direction::Out, 5))
            .await
            .unwrap();
        assert!(reply.partial && reply.notes.iter().any(|note| note.contains(why)), "{:?}", reply.notes);
        assert_eq!(objects(&edge_list(reply)), ["http://ex.org/pier"]);
    }
    let row = r#"{"x":{"type":"uri","value":"http://ex.org/a"}}"#;
    let rows = |n: usize| format!(r#"{{"head":{{"vars":["x"]}},"results":{{"bindings":[{}]}}}}"#, vec![row; n].join(","));
    for (sent, cap, limit, cut) in [
        (10_000, None, None, true),
        (9_999, None, None, false),
        (10_000, None, Some(10_000), false),
        (7, Some(7), None, true),
        (7, Some(7), Some(7), false),
        (7, Some(7), Some(20), true),
        (10_000, Some(50_000), None, false),
    ] {
        let body = rows(sent);
        let server = Server::start(move |_, _| Reply::whole("200 OK", JSON, &body)).await;
        let settings = EndpointSettings { row_cap: cap, ..EndpointSettings::default() };
        let endpoint = Endpoint::with(&server.base, &fast().http, settings).unwrap();
        let answer = endpoint.run(Query { text: "SELECT".into(), limit }).await.unwrap();
        assert_eq!(answer.cut.is_some_and(|why| why.contains("may have cut")), cut, "{sent} {cap:?} {limit:?}");
    }
}

/// Case D04: long lists go by POST, which a server with short URLs takes; a server without POST gets a GET.
#[tokio::test]
async fn d04_post_first_and_get_where_nothing_else_is_taken() {
    let engine = Engine::new(GRAPH);
    let server = Server::start(move |_, request: &Request| {
        if request.asked.method() == "GET" {
            return Reply::whole("414 URI Too Long", "", "");
        }
        Reply::whole("200 OK", JSON, engine.json(&request.query).unwrap())
    })
    .await;
    let many: Vec<String> = (0..400).map(|n| format!("http://ex.org/{n}")).chain(["http://ex.org/ann".to_owned()]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let list = edges(&*sparql(&server.base).await, &many, "http://ex.org/built", Direction::Out, 5).await;
    assert_eq!(objects(&list), ["http://ex.org/pier"]);

    for refusal in ["405 Method Not Allowed", "415 Unsupported Media Type", "501 Not Implemented"] {
        let engine = Engine::new(GRAPH);
        let server = Server::start(move |_, request: &Request| {
            if request.asked.method() == "POST" {
                return Reply::whole(refusal, "", "no");
            }
            Reply::whole("200 OK", JSON, engine.json(&request.query).unwrap())
        })
        .await;
        let kg = sparql(&format!("{}/sparql?apikey=zzz9", server.base)).await;
        for _ in 0..2 {
            assert_eq!(
                objects(&edges(&*kg, &["http://ex.org/bob"], "http://ex.org/built", Direction::Out, 5).await),
                ["http://ex.org/pier"]
            );
        }
        let seen = server.http.seen();
        // Learnt once.
        assert_eq!(seen.iter().filter(|asked| asked.method() == "POST").count(), 1, "{refusal}");
        assert!(seen.iter().all(|asked| asked.parameter("apikey").as_deref() == Some("zzz9")));
        // What is too long for a GET is said to be.
        let long: Vec<String> = (0..90).map(|n| format!("http://ex.org/{n}/{}", "x".repeat(100))).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let error = kg.perform(None, edges_op(&long, "http://ex.org/built", Direction::Out, 5)).await.unwrap_err();
        assert!(error.message.contains("too long for a GET"), "{error}");
    }
    // Neither way: no endpoint, and nothing is learnt.
    let server = Server::start(|_, _| Reply::whole("405 Method Not Allowed", "", "")).await;
    assert!(ask(&server).await.unwrap_err().message.contains("is no SPARQL endpoint (status 405)"));
}

/// Case D05: QLever's null rows and extra keys; no query uses a label service.
#[tokio::test]
async fn d05_null_rows_are_empty_rows() {
    let body = r#"{"head":{"vars":["x","l"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://ex.org/a"}},null,{}]},"meta":{"query-time-ms":5}}"#;
    let Results::Rows(table) = answer(Reply::whole("200 OK", JSON, body)).await.unwrap().results else { panic!() };
    assert_eq!(table.rows.iter().map(|row| row.iter().flatten().count()).collect::<Vec<_>>(), [1, 0, 0]);
    let server = Server::with_engine(GRAPH).await;
    let kg = sparql(&server.base).await;
    search(&*kg, "node 1").await;
    relations(&*kg, &["http://ex.org/ann"], Direction::In).await;
    assert!(server.seen().iter().all(|request| !request.query.contains("SERVICE")));
}

/// Case D06: raw control characters inside a literal cost the characters, not the rows.
#[tokio::test]
async fn d06_raw_control_characters_do_no_harm() {
    for raw in ["line one\nline two\0", "tab\tand\u{1b}[31m", "\r\n\u{7f}"] {
        let body = format!(r#"{{"head":{{"vars":["o"]}},"results":{{"bindings":[{{"o":{{"type":"literal","value":"{raw}"}}}}]}}}}"#);
        let got = answer(Reply::whole("200 OK", JSON, body)).await.unwrap();
        assert!(!cell(&got).text().contains(|c: char| c < ' '), "{raw:?}");
    }
    // As data, through an operation: what is shown is clean.
    let engine = Engine::new("<http://ex.org/a> <http://ex.org/p> \"one\\ntwo\" .");
    let server = Server::start(move |_, request: &Request| {
        let body = engine.json(&request.query).unwrap();
        Reply::whole("200 OK", JSON, body.replace("\\n", "\n\0"))
    })
    .await;
    let list = edges(&*sparql(&server.base).await, &["http://ex.org/a"], "http://ex.org/p", Direction::Out, 5).await;
    let Object::Literal(literal) = &list.edges[0].o else { panic!() };
    assert!(literal.text.starts_with("one") && literal.text.ends_with("two"), "{literal:?}");
    assert_ne!(literal.kind, LiteralKind::Unknown);
}

/// XML is read where a server writes nothing else, and JSON is what is asked for first.
#[tokio::test]
async fn a_server_that_writes_only_xml_is_read() {
    let engine = Engine::new(GRAPH);
    let server = Server::start(move |_, request: &Request| {
        let accept = request.asked.header("accept").unwrap();
        assert!(accept.find("sparql-results+json").unwrap() < accept.find("sparql-results+xml").unwrap());
        let body = format!("\u{feff}{}", engine.results(&request.query, QueryResultsFormat::Xml).unwrap());
        Reply::whole("200 OK", "Content-Type: application/sparql-results+xml\r\n", body)
    })
    .await;
    let kg = sparql(&server.base).await;
    assert_eq!(search(&*kg, "node 2").await[0].entity.id.as_ref(), "http://ex.org/bob");
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/ann"], "http://ex.org/built", Direction::Out, 5).await), ["http://ex.org/pier"]);
    let cut = "<?xml version=\"1.0\"?><sparql><head><variable name=\"x\"/></head><results><result><binding name=\"x\"><uri>http://ex.org/a</uri></binding></result>";
    let error = answer(Reply::whole("200 OK", "Content-Type: application/sparql-results+xml\r\n", cut)).await.unwrap_err();
    assert!(error.kind == CallErrorKind::BadReply && error.message.contains("breaks off"), "{error}");
}

/// What each server says when a query fails, and what is made of it: (status, content type, body, kind, words).
#[tokio::test]
async fn failures_are_told_in_one_line_and_by_their_kind() {
    use CallErrorKind::{BadReply, Busy, Refused, Server as Down, TimedOut, TooCostly};
    let b03 = "{\"head\":{\"vars\":[\"item\"]},\"results\":{\"bindings\":[{\"item\":{\"type\":\"uri\",\"value\":\"http://www.wikidata.org/entity/Q100\"}},{\"item\":{\"type\":\"uri\",\"value\":\"SPARQL-QUERY: queryStr=SELECT ?item\njava.util.concurrent.TimeoutException\n\tat example.Task.get(Task.java:1)\n";
    let cut = &ROW[..ROW.len() - 4];
    for (status, kind, body, error, words) in [
        // Case B03, and the same outside of a 200.
        ("200 OK", "application/sparql-results+json", b03.to_owned(), TimedOut, "ran out of time in the middle"),
        ("500 X", "text/plain", "SPARQL-QUERY: queryStr=SELECT\n\njava.util.concurrent.TimeoutException\n\tat a".to_owned(), TimedOut, "java.util.concurrent.TimeoutException"),
        ("400 X", "text/plain", "SPARQL-QUERY: queryStr=SELECT\n\nx.MalformedQueryException: Encountered \"}\"\n\tat a".to_owned(), Refused, "MalformedQueryException"),
        // Virtuoso.
        ("500 X", "text/plain", "Virtuoso S1T00 Error SR171: Transaction timed out\n\nSPARQL query:\nSELECT".to_owned(), TimedOut, "SR171"),
        ("500 X", "text/plain", "Virtuoso 42000 Error The estimated execution time 4000 (sec) exceeds the limit of 400 (sec).\n\nSPARQL query:\nSELECT".to_owned(), TooCostly, "refuses the query"),
        ("400 X", "text/plain", "Virtuoso 37000 Error SP030: SPARQL compiler, line 2: syntax error at 'timed out'".to_owned(), Refused, "SP030"),
        ("500 X", "text/plain", "Virtuoso 22023 Error SR008: bad argument\n\nSPARQL query:\nSELECT \"timed out\"".to_owned(), Down, "SR008"),
        // QLever.
        ("400 X", "application/json", r#"{"exception":"Invalid SPARQL query: Token \"x\"","query":"SELECT","status":"ERROR"}"#.to_owned(), Refused, "Invalid SPARQL query"),
        ("429 X", "application/json", r#"{"exception":"Operation timed out. Cancelled.","query":"SELECT","status":"ERROR"}"#.to_owned(), TimedOut, "Operation timed out."),
        ("200 OK", "application/sparql-results+json", format!("{cut}\n!!!!>># An error has occurred while exporting the query result. The query timed out"), TimedOut, "ran out of time"),
        ("200 OK", "application/json", r#"{"exception":"Tried to allocate 9 GB","results":{"bindings":[]},"head":{"vars":[]}}"#.to_owned(), BadReply, "Tried to allocate"),
        // Neptune.
        ("500 X", "application/json", r#"{"code":"TimeLimitExceededException","detailedMessage":"Operation terminated (deadline exceeded)","requestId":"1"}"#.to_owned(), TimedOut, "Operation terminated"),
        ("400 X", "application/json", r#"{"code":"MalformedQueryException","detailedMessage":"Malformed query: Encountered","requestId":"1"}"#.to_owned(), Refused, "Malformed query"),
        ("500 X", "application/json", r#"{"code":"MemoryLimitExceededException","detailedMessage":"Query cannot be completed due to memory limitations"}"#.to_owned(), Down, "ran out of memory"),
        ("500 X", "application/json", r#"{"code":"ThrottlingException","detailedMessage":"Rate exceeded"}"#.to_owned(), Busy, "4 tries"),
        // Apache Jena Fuseki, GraphDB, Stardog.
        ("503 X", "text/plain", "Query timed out".to_owned(), TimedOut, "Query timed out"),
        ("400 X", "text/plain", "Parse error: \nEncountered \" \"}\" \"} \"\" at line 1".to_owned(), Refused, "Parse error"),
        ("500 X", "text/plain", "Query evaluation error: org.eclipse.rdf4j.query.QueryInterruptedException: Query evaluation took too long".to_owned(), TimedOut, "QueryInterruptedException"),
        ("500 X", "application/json", r#"{"message":"com.complexible.stardog.plan.eval.ExecutionException: Query execution cancelled: Execution time exceeded query timeout 5000","code":"QEIT01"}"#.to_owned(), TimedOut, "exceeded query timeout"),
        // Oxigraph, and others that find out too late.
        ("200 OK", "application/sparql-results+json", format!("{cut}failed to look up address information"), BadReply, "sent what cannot be read"),
        ("200 OK", "application/sparql-results+json", format!("{ROW}\nERROR: disk"), BadReply, "sent what cannot be read"),
        // Gateways and mistakes.
        ("200 OK", "text/html", "<html><body>Welcome</body></html>".to_owned(), BadReply, "a web page"),
        ("200 OK", "application/sparql-results+json", "<!DOCTYPE html><html><body>Please log in</body></html>".to_owned(), BadReply, "a web page"),
        ("200 OK", "text/csv", "x\r\nhttp://ex.org/a\r\n".to_owned(), BadReply, "is this the address"),
        ("200 OK", "application/sparql-results+json", String::new(), BadReply, "is this the address"),
        ("414 X", "text/html", "<html>".to_owned(), Refused, "no query of this length"),
        ("413 X", "text/html", "<html>".to_owned(), Refused, "no query of this length"),
        ("404 X", "text/html", "<html>".to_owned(), Refused, "check the path"),
        ("500 X", "text/html", "<html><body><h1>Internal Server Error</h1></body></html>".to_owned(), Down, "failed (status 500)"),
    ] {
        let got = answer(Reply::whole(status, &format!("Content-Type: {kind}\r\n"), &body)).await.unwrap_err();
        assert!(got.kind == error && got.message.contains(words), "{status} {body}\n{:?} {got}", got.kind);
        assert!(!got.message.contains('\n') && !got.message.contains("Task.java") && !got.message.contains("<html>"), "{got}");
    }
}

/// Case B02: a 403 is not repeated, its sentence is shown with the hint where to set the contact.
#[tokio::test]
async fn b02_a_server_that_wants_a_contact_is_quoted_with_the_remedy() {
    let sentence = "Requests need a user-agent that names the tool and a contact.";
    let server = Server::start(move |_, _| Reply::whole("403 Forbidden", "Content-Type: text/plain\r\n", format!("{sentence}\n"))).await;
    let error = ask(&server).await.unwrap_err();
    assert!(error.message.contains(sentence) && error.message.contains("TOT_CONTACT"), "{error}");
    assert_eq!(server.http.seen().len(), 1);
}

/// Results count by what they are, not by what they are called.
#[tokio::test]
async fn a_wrong_content_type_costs_no_results() {
    for kind in ["text/plain", "application/octet-stream", "text/html", "application/json; charset=utf-8"] {
        let got = answer(Reply::whole("200 OK", &format!("Content-Type: {kind}\r\n"), ROW)).await.unwrap();
        assert_eq!(cell(&got).text(), "http://ex.org/a", "{kind}");
    }
    assert_eq!(cell(&answer(Reply::whole("200 OK", "", ROW)).await.unwrap()).text(), "http://ex.org/a");
}

#[tokio::test]
async fn a_profile_names_the_predicates_the_graphs_and_what_is_hidden() {
    let engine = Engine::new(GRAPH);
    let server = Server::start(move |_, request: &Request| Reply::whole("200 OK", JSON, engine.json(&request.query).unwrap())).await;
    let kg = profiled(
        &server,
        "{labels: ['http://ex.org/title'], aliases: ['<http://ex.org/nick>', 'skos:altLabel'], descriptions: ['http://ex.org/about'], lang: [de, en],
          hide: ['http://ex.org/sees'], hide_reverse: ['http://ex.org/built'], default_graph: ['http://ex.org/g1', 'http://ex.org/g2']}",
    )
    .await;
    let found = search(&*kg, "Annie").await;
    let ann = &found[0].entity;
    assert_eq!((ann.label.as_deref(), ann.description.as_deref()), (Some("Ann Arbour"), Some("a builder")));
    assert_eq!(search(&*kg, "the pier").await[0].entity.label.as_deref(), Some("Westmole"));
    assert!(search(&*kg, "node 1").await.is_empty());
    let ids = |found: Vec<tree_of_traversals::graph::Relation>| found.iter().map(|r| r.at.id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(relations(&*kg, &["http://ex.org/ann"], Direction::Out).await), ["http://ex.org/built"]);
    assert_eq!(ids(relations(&*kg, &["http://ex.org/ann"], Direction::In).await), ["http://ex.org/sees"]);
    assert!(ids(relations(&*kg, &["http://ex.org/pier"], Direction::In).await).is_empty());
    // Hidden is not forbidden.
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/ann"], "http://ex.org/sees", Direction::Out, 5).await), ["http://ex.org/bob"]);
    for asked in server.http.seen() {
        let graphs: Vec<String> =
            asked.parameters().into_iter().filter(|(key, _)| key == "default-graph-uri").map(|(_, graph)| graph).collect();
        assert_eq!(graphs, ["http://ex.org/g1", "http://ex.org/g2"]);
    }
}
