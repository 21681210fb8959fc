//! Servers that are busy, broken or rude: what was found is never less than what is said.

use super::server::{Http, Part, Reply, api, error, start};
use super::{candidates, fast, ids, opened, search, search_reply, wikidata};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::CallErrorKind;
use tree_of_traversals::kg::{KgSettings, KnowledgeGraph};

const JSON: &str = "Content-Type: application/json\r\n";

/// What can go wrong for good, and whether it is a fault at all.
fn lasting() -> Vec<(&'static str, Reply)> {
    let body = r#"{"search":[{"id":"Q7001""#;
    vec![
        ("429 for good", Reply::whole("429 Too Many Requests", "Retry-After: 0\r\nContent-Type: text/html\r\n", "<h2>429</h2>")),
        ("503 for good", Reply::whole("503 Service Unavailable", "", "")),
        ("cut JSON", Reply::whole("200 OK", JSON, body)),
        ("cut body", Reply::bytes(format!("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n{JSON}\r\n{body}"))),
        ("web page", Reply::whole("200 OK", "Content-Type: text/html\r\n", "<html><body>Welcome</body></html>")),
        ("web page as JSON", Reply::whole("200 OK", JSON, "<html><body>Welcome</body></html>")),
        ("closed connection", Reply::hang_up()),
        ("slow drip", Reply::whole("200 OK", JSON, body.repeat(40)).dripping(Duration::from_millis(20))),
        ("JSON of another kind", Reply::whole("200 OK", JSON, r#"{"batchcomplete":true}"#)),
        ("no object", Reply::whole("200 OK", JSON, "[]")),
    ]
}

/// Wikidata with little patience.
async fn hasty(http: &Http) -> Arc<dyn KnowledgeGraph> {
    let mut settings: KgSettings = fast();
    settings.http.client.total = Duration::from_millis(300);
    opened(http, settings).await
}

#[tokio::test]
async fn a_server_that_is_busy_for_a_while_is_asked_again() {
    for part in [Part::Names, Part::Words, Part::Query] {
        for status in ["429 Too Many Requests", "503 Service Unavailable"] {
            let http = start(move |asked, times| {
                (asked == part && times < 2).then(|| Reply::whole(status, "Content-Type: text/html\r\n", "<h2>Busy</h2>"))
            });
            let reply = search_reply(&*wikidata(&http).await, "Ravensfoot").await.unwrap();
            assert!(!reply.partial && reply.notes.is_empty(), "{part:?} {status}: {:?}", reply.notes);
            assert!(reply.wire.iter().any(|note| note.tries == 3), "{part:?} {status}");
            assert_eq!(ids(&candidates(reply)), ["Q7001", "Q7007", "Q7005"], "{part:?} {status}");
        }
    }
}

#[tokio::test]
async fn one_search_is_enough_and_what_failed_is_said() {
    for (name, fault) in lasting() {
        for (part, rest) in [(Part::Names, vec!["Q7007", "Q7001", "Q7005"]), (Part::Words, vec!["Q7001", "Q7005"])] {
            let fault = fault.clone();
            let http = start(move |asked, _| (asked == part).then(|| fault.clone()));
            let reply = search_reply(&*hasty(&http).await, "Ravensfoot").await.unwrap();
            assert!(reply.partial && reply.notes[0].contains("search failed: "), "{name} {part:?}: {:?}", reply.notes);
            assert!(!reply.notes[0].contains('<'), "{:?}", reply.notes);
            assert_eq!(ids(&candidates(reply)), rest, "{name} {part:?}");
        }
    }
}

#[tokio::test]
async fn a_failure_is_never_nothing_found() {
    for (name, fault) in lasting() {
        for parts in [&[Part::Names, Part::Words][..], &[Part::Names]] {
            let fault = fault.clone();
            let http = start(move |asked, _| parts.contains(&asked).then(|| fault.clone()));
            // The full-text search finds nothing here.
            let error = search_reply(&*hasty(&http).await, "no such thing at all").await.unwrap_err();
            assert!(error.message.starts_with("http://127.0.0.1:"), "{name}: {error}");
            assert!(!error.message.contains("<html>"), "{name}: {error}");
        }
    }
}

#[tokio::test]
async fn without_the_query_service_the_names_of_the_search_stand() {
    for (name, fault) in lasting() {
        let http = start(move |asked, _| (asked == Part::Query).then(|| fault.clone()));
        let reply = search_reply(&*hasty(&http).await, "Ravensfoot").await.unwrap();
        assert!(reply.partial && reply.notes[0].contains("could not be looked up"), "{name}: {:?}", reply.notes);
        let found = candidates(reply);
        assert_eq!(found[0].entity.label.as_deref(), Some("Ravensfoot"), "{name}");
        assert!(!ids(&found).contains(&"Q7002"), "{name}: a page is known by its description, too");
    }
}

#[tokio::test]
async fn a_wrong_content_type_does_not_matter_when_the_answer_is_whole() {
    for kind in ["text/html", "text/plain", "application/octet-stream"] {
        let body = json!({"search": [{"id": "Q7001", "label": "Ravensfoot"}], "success": 1}).to_string();
        let http = start(move |part, _| (part == Part::Names).then(|| Reply::whole("200 OK", &format!("Content-Type: {kind}\r\n"), &body)));
        let reply = search_reply(&*wikidata(&http).await, "Ravensfoot").await.unwrap();
        assert!(!reply.partial, "{kind}: {:?}", reply.notes);
        assert_eq!(ids(&candidates(reply))[0], "Q7001", "{kind}");
    }
}

#[tokio::test]
async fn overload_in_a_200_is_waited_for() {
    let lag = json!({"error": {"code": "maxlag", "info": "Waiting for db7: 0.01 seconds lagged.", "lag": 0.01, "type": "db"}});
    let newer = json!({"errors": [{"code": "maxlag", "text": "Waiting for db7."}]});
    for busy in [lag, newer, error("ratelimited", "You've exceeded your rate limit."), error("readonly", "The wiki is in read-only mode.")]
    {
        let (once, always) = (busy.clone(), busy.clone());
        let http = start(move |part, times| (part != Part::Query && times == 0).then(|| api(&once)));
        let reply = search_reply(&*wikidata(&http).await, "Ravensfoot").await.unwrap();
        assert!(!reply.partial, "{busy}: {:?}", reply.notes);
        assert_eq!(ids(&candidates(reply)), ["Q7001", "Q7007", "Q7005"], "{busy}");
        let http = start(move |part, _| (part != Part::Query).then(|| api(&always)));
        let error = search_reply(&*wikidata(&http).await, "Ravensfoot").await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Busy, "{error}");
        assert!(error.message.contains("4 tries"), "{error}");
    }
}

#[tokio::test]
async fn a_wait_that_is_asked_for_is_kept() {
    let lag = json!({"error": {"code": "maxlag", "info": "Waiting for db7.", "lag": 4000.0}}).to_string();
    let http = start(move |part, times| {
        (part == Part::Names && times == 0)
            .then(|| Reply::whole("200 OK", &format!("{JSON}Retry-After: 1\r\nX-Database-Lag: 4000\r\n"), &lag))
    });
    let kg = wikidata(&http).await;
    assert_eq!(ids(&search(&*kg, "Keybound").await), ["Q7004"]);
    let names: Vec<_> = http.seen().into_iter().filter(|asked| Part::of(asked) == Part::Names).collect();
    assert!(names[1].at - names[0].at >= Duration::from_millis(950), "the header counts, not the lag");
}

#[tokio::test]
async fn other_errors_of_the_api_are_told_in_a_sentence() {
    for (code, kind) in [("internal_api_error_DBQueryError", CallErrorKind::Server), ("search-error", CallErrorKind::Refused)] {
        let http = start(move |part, _| (part != Part::Query).then(|| api(&error(code, "Something\u{1b}[31m is wrong.\nMore."))));
        let error = search_reply(&*wikidata(&http).await, "Ravensfoot").await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains("is wrong.") && !error.message.contains('\u{1b}'), "{error}");
        assert_eq!(http.seen().len(), 2, "neither is repeated");
    }
}

#[tokio::test]
async fn a_403_is_not_repeated_and_says_where_the_contact_is_set() {
    let sentence = "Requests need a user-agent that names the tool and a contact.";
    let http = start(move |_, _| Some(Reply::whole("403 Forbidden", "Content-Type: text/plain\r\n", format!("{sentence}\n"))));
    let error = search_reply(&*wikidata(&http).await, "Ravensfoot").await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Key);
    assert!(error.message.contains(sentence) && error.message.contains("TOT_CONTACT"), "{error}");
    assert_eq!(http.seen().len(), 2, "one of each search");
}

#[tokio::test]
async fn secrets_of_the_addresses_are_in_no_message() {
    let http = start(|_, _| Some(Reply::whole("400 Bad Request", "Content-Type: text/plain\r\n", "bad key zzz9")));
    let profile = tree_of_traversals::kg::KgProfile {
        url: Some(format!("{}/sparql?apikey=zzz9", http.url())),
        api_url: Some(format!("{}/w/api.php?apikey=zzz9", http.url())),
        ..Default::default()
    };
    let specs = vec![(None, profile, tree_of_traversals::kg::KgSpec::Wikidata)];
    let kg = tree_of_traversals::kg::open_all(specs, &fast()).await.unwrap().remove(0).kg;
    let error = search_reply(&*kg, "Ravensfoot").await.unwrap_err();
    assert!(!error.message.contains("zzz9") && !kg.about().contains("zzz9"), "{error}");
    assert!(http.seen()[0].target().contains("apikey=zzz9"));
}
