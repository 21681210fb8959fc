//! What goes over the wire: addresses, bodies, headers, slots, cancellation.

use super::server::{Answer, Seen, Server};
use super::{KEY, adapter, against, config, job, run};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tree_of_traversals::calls::CallErrorKind;
use tree_of_traversals::llm::{Chat, ChatConfig, LanguageModel, OnWire, Provider, Secret};

#[tokio::test]
async fn e08_every_form_of_base_url_reaches_the_chat_call_once() {
    for (tail, path) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/api/paas/v4", "/api/paas/v4/chat/completions"),
        ("/openai/v1?api-version=3", "/openai/v1/chat/completions?api-version=3"),
    ] {
        let server = Server::replies(vec![Answer::texts(&["THINK: x"])]).await;
        let model = Chat::new(ChatConfig { base_url: Some(format!("{}{tail}", server.url)), ..config(&server) }).unwrap();
        assert_eq!(run(&model, job(1)).await.texts(), ["THINK: x"]);
        let lines: Vec<String> = server.seen().into_iter().map(|s| s.line).collect();
        assert_eq!(lines, [format!("POST {path}")], "{tail}");
    }
}

#[tokio::test]
async fn e08_a_404_names_the_whole_url_and_is_not_repeated() {
    let (server, got) = against(vec![Answer::error(404, "File Not Found")], 1).await;
    assert_eq!(got.kind(), CallErrorKind::Unreachable);
    assert!(got.error().message.contains(&format!("{}/v1/chat/completions", server.url)), "{}", got.error());
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn the_body_holds_the_whole_request() {
    let (server, got) = against(vec![Answer::texts(&["a", "b", "c"])], 3).await;
    assert_eq!(got.texts(), ["a", "b", "c"]);
    let seen = &server.seen()[0];
    assert_eq!(
        seen.body,
        json!({
            "model": "gpt-test",
            "messages": [{"role": "system", "content": "Walk the graph."}, {"role": "user", "content": "Who?\n\nAct."}],
            "n": 3, "temperature": 1.0, "max_tokens": 100, "stop": ["\n"], "seed": 100,
            "stream": true, "stream_options": {"include_usage": true},
        })
    );
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
    assert!(seen.headers["accept-encoding"].contains("gzip"));
    assert!(seen.headers["user-agent"].starts_with("tot/"), "{}", seen.headers["user-agent"]);
    assert_eq!((server.count(), got.usage().prompt_tokens, got.usage().completion_tokens, got.tries()), (1, 900, 15, 1));
}

#[tokio::test]
async fn a_local_server_is_asked_without_a_key() {
    let server = Server::replies(vec![Answer::texts(&["x"])]).await;
    let model = Chat::new(ChatConfig { api_key: None, ..config(&server) }).unwrap();
    assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    assert!(!server.seen()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_url_with_a_password_sends_that_and_not_the_key() {
    let server = Server::replies(vec![Answer::texts(&["x"])]).await;
    let url = server.url.replace("http://", "http://user:pa55w0rd@");
    let model = Chat::new(ChatConfig { base_url: Some(url), ..config(&server) }).unwrap();
    assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    assert!(server.seen()[0].headers["authorization"].starts_with("Basic "));
}

#[tokio::test]
async fn connections_are_kept() {
    let server = Server::replies(vec![Answer::texts(&["x"])]).await;
    let model = adapter(&server);
    for _ in 0..3 {
        assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    }
    assert_eq!((server.count(), server.connections()), (3, 1));
}

#[tokio::test]
async fn choices_fill_slots_in_the_order_of_their_index() {
    let choice = |index: u32, text: &str| json!({"index": index, "finish_reason": "stop", "message": {"content": text}});
    let body = json!({"choices": [choice(2, "c"), choice(0, "a"), choice(1, "b")], "usage": {"prompt_tokens": 9, "completion_tokens": 3}});
    let mut wanted = job(3);
    wanted.request.slots = vec![(7, 1), (4, 2), (9, 3)];
    let server = Server::replies(vec![Answer::new(200, body)]).await;
    let got = run(&adapter(&server), wanted).await;
    let slots: Vec<(u32, String)> = got.replies[0].samples.iter().map(|(slot, s)| (*slot, s.text.clone().unwrap())).collect();
    assert_eq!(slots, [(7, "a".to_owned()), (4, "b".to_owned()), (9, "c".to_owned())]);
    assert_eq!(server.seen()[0].body["seed"], 1);
}

#[tokio::test]
async fn replies_are_reported_as_they_arrive() {
    // One choice a request; the sample of seed 101 takes long.
    let server = Server::start(|_, seen| {
        let slow = seen.n() == 1 && seen.body["seed"] == 101;
        Answer::texts(&["x"]).after(Duration::from_millis(if slow { 5_000 } else { 0 }))
    })
    .await;
    let model = adapter(&server);
    let slots: Arc<Mutex<Vec<u32>>> = Arc::default();
    let sink = Arc::clone(&slots);
    let call = model.complete(
        job(4),
        Arc::new(move |r| sink.lock().unwrap().extend(r.reply().into_iter().flat_map(|r| r.samples).map(|(slot, _)| slot))),
    );
    assert!(tokio::time::timeout(Duration::from_millis(1_500), call).await.is_err(), "slot 1 can't be there yet");
    let mut early = slots.lock().unwrap().clone();
    early.sort_unstable();
    assert_eq!(early, [0, 2, 3]);
}

#[tokio::test]
async fn dropping_the_call_closes_its_requests() {
    let server = Server::start(|_, _| Answer::texts(&["x"]).after(Duration::from_secs(60))).await;
    let model = Chat::new(ChatConfig { timeout: Duration::from_secs(90), ..config(&server) }).unwrap();
    let call = model.complete(job(3), Arc::new(|came| assert!(matches!(came, OnWire::Underway(_, Some(_))), "nothing came: {came:?}")));
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    for _ in 0..100 {
        if server.left() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((server.count(), server.left()), (1, 1));
}

#[tokio::test]
async fn nothing_is_sent_before_the_future_runs() {
    let server = Server::replies(vec![Answer::texts(&["x"])]).await;
    let call = adapter(&server).complete(job(1), Arc::new(|_| {}));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.count(), 0);
    call.await.unwrap();
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn calls_in_parallel_share_the_limit_of_requests() {
    let server = Server::start(|_, _| Answer::texts(&["x"]).after(Duration::from_millis(30))).await;
    let model = Chat::new(ChatConfig { concurrency: 2, ..config(&server) }).unwrap();
    let calls = (0..3).map(|_| run(&model, job(3)));
    for got in futures_util::future::join_all(calls).await {
        assert_eq!(got.texts(), ["x", "x", "x"]);
    }
    assert!(server.peak() <= 2, "{}", server.peak());
}

#[tokio::test]
async fn the_check_says_what_is_there() {
    let models = |seen: &Seen| {
        assert_eq!(seen.line, "GET /v1/models");
        Answer::new(200, json!({"data": [{"id": "gpt-test"}]}))
    };
    let server = Server::start(move |_, seen| models(seen)).await;
    assert!(adapter(&server).check().await.unwrap().ends_with("is ready"));
    let other = Chat::new(ChatConfig { model: "other".to_owned(), ..config(&server) }).unwrap();
    assert!(other.check().await.unwrap().contains("does not list other"));

    let server = Server::replies(vec![Answer::new(200, "<html>hello</html>")]).await;
    assert!(adapter(&server).check().await.unwrap_err().message.contains("--llm-url"));
    let server = Server::replies(vec![Answer::error(503, "Loading model")]).await;
    assert_eq!(adapter(&server).check().await.unwrap_err().kind, CallErrorKind::Server);
    assert_eq!(server.count(), 1, "a check is quick: it tries once");
    let server = Server::replies(vec![Answer::error(401, &format!("bad key {KEY}"))]).await;
    let error = adapter(&server).check().await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Key);
    assert!(error.message.contains("OPENAI_API_KEY") && !error.message.contains(KEY), "{error}");
}

#[tokio::test]
async fn a_text_to_be_continued_goes_to_the_completions_call() {
    let body = json!({"choices": [{"index": 0, "text": " Oslo\nQ:", "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}});
    let server = Server::replies(vec![Answer::new(200, body)]).await;
    let mut wanted = job(1);
    wanted.request.completion = true;
    let got = run(&adapter(&server), wanted).await;
    assert_eq!(got.texts(), [" Oslo"]);
    let seen = &server.seen()[0];
    assert_eq!((seen.line.as_str(), &seen.body["prompt"]), ("POST /v1/completions", &json!("Walk the graph.\n\nWho?\n\nAct.")));
    assert!(!seen.has("messages"));
}

#[tokio::test]
async fn azure_gets_its_key_in_its_own_header() {
    let server =
        Server::replies(vec![Answer::texts(&["x"]), Answer::error(404, "The API deployment for this resource does not exist")]).await;
    let url = format!("{}/openai/deployments/gpt-test?api-version=2024-10-21", server.url);
    let model = Chat::new(ChatConfig { base_url: Some(url), ..config(&server) }).unwrap();
    assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /openai/deployments/gpt-test/chat/completions?api-version=2024-10-21");
    assert_eq!(seen.headers["api-key"], KEY);
    assert!(!seen.headers.contains_key("authorization"));
    let got = run(&model, job(1)).await;
    assert!(got.error().message.contains("/openai/deployments/gpt-test/chat/completions") && !got.error().message.contains(KEY));
}

#[test]
fn known_services_want_a_key_of_their_own() {
    let config = ChatConfig { base_url: Some("https://api.groq.com/openai/v1".to_owned()), ..ChatConfig::new(Provider::OpenAi, "m") };
    let error = Chat::new(config).unwrap_err();
    assert!(error.kind == CallErrorKind::Key && error.message.contains("GROQ_API_KEY"), "{error}");
}

#[test]
fn openai_itself_wants_a_key_and_says_how_to_give_it() {
    let error = Chat::new(ChatConfig::new(Provider::OpenAi, "gpt-test")).unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Key);
    assert!(error.message.contains("OPENAI_API_KEY"), "{error}");
    let with_key = ChatConfig { api_key: Secret::new(KEY), ..ChatConfig::new(Provider::OpenAi, "gpt-test") };
    assert_eq!(Chat::new(with_key).unwrap().name(), "openai:gpt-test");
    let odd = ChatConfig { api_key: Secret::new("sk test\u{7f}"), ..ChatConfig::new(Provider::OpenAi, "gpt-test") };
    assert_eq!(Chat::new(odd).unwrap_err().kind, CallErrorKind::Key);
}
