//! Errors: which are tried again and how often, what they are called, and that no secret is in them.

use super::server::{Answer, Server};
use super::{KEY, adapter, against, config, job, run};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tree_of_traversals::calls::CallErrorKind;
use tree_of_traversals::llm::{Chat, ChatConfig, LanguageModel as _, Provider};

#[tokio::test]
async fn g04_a_key_that_is_echoed_is_not_in_the_error() {
    for body in [json!({"error": format!("bad key {KEY}")}), json!({"error": {"message": format!("Incorrect API key provided: {KEY}.")}})] {
        let server = Server::replies(vec![Answer::new(401, body)]).await;
        let url = format!("{}/v1?apikey=zzz9", server.url.replace("http://", "http://user:pa55w0rd@"));
        let model = Chat::new(ChatConfig { base_url: Some(url), ..config(&server) }).unwrap();
        let got = run(&model, job(1)).await;
        assert_eq!((got.kind(), server.count()), (CallErrorKind::Key, 1));
        assert!(got.error().message.contains("OPENAI_API_KEY"), "{}", got.error());
        got.assert_clean(&[KEY, "pa55w0rd", "zzz9"]);
        let shown = format!("{model:?} {:?}", config(&server));
        assert!(!shown.contains(KEY) && !shown.contains("pa55w0rd") && !shown.contains("zzz9"), "{shown}");
    }
}

#[tokio::test]
async fn g04_secrets_of_the_url_are_in_no_error() {
    for answer in [
        Answer::error(404, "no /v1/chat/completions?apikey=zzz9"),
        Answer::new(200, "{").cut(),
        Answer::error(302, "").header("location", "http://user:pa55w0rd@else/v1?apikey=zzz9"),
    ] {
        let server = Server::replies(vec![answer]).await;
        let url = format!("{}/v1?apikey=zzz9", server.url.replace("http://", "http://user:pa55w0rd@"));
        let got = run(&Chat::new(ChatConfig { base_url: Some(url), ..config(&server) }).unwrap(), job(1)).await;
        got.assert_clean(&[KEY, "pa55w0rd", "zzz9"]);
    }
    // A port where nobody listens.
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://user:pa55w0rd@{}/v1?apikey=zzz9", listener.local_addr().unwrap())
    };
    let model = Chat::new(ChatConfig { base_url: Some(gone), ..ChatConfig::new(Provider::OpenAi, "m") }).unwrap();
    let got = run(&model, job(1)).await;
    assert_eq!(got.kind(), CallErrorKind::Unreachable);
    assert!(got.error().message.contains("http://***@127.0.0.1:") && got.error().message.contains("start the server"), "{}", got.error());
    got.assert_clean(&["pa55w0rd", "zzz9"]);
    assert_eq!(model.check().await.unwrap_err().kind, CallErrorKind::Unreachable);
}

#[tokio::test]
async fn kinds_that_asking_again_does_not_help_are_asked_once() {
    use CallErrorKind as K;
    for (answer, kind, word) in [
        (Answer::error(401, "no"), K::Key, "set OPENAI_API_KEY"),
        (Answer::error(403, "no"), K::Key, "set OPENAI_API_KEY"),
        (Answer::error(400, "API key not valid. Please pass a valid API key."), K::Key, "set OPENAI_API_KEY"),
        (Answer::error(402, "pay"), K::Quota, "top up"),
        (
            Answer::new(429, json!({"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}})),
            K::Quota,
            "top up",
        ),
        (Answer::error(400, "The request is malformed"), K::Refused, "The request is malformed"),
        (Answer::new(400, json!({"error": {"code": "content_filter", "message": "filtered"}})), K::Filtered, "filter"),
        (Answer::error(404, "model \"gpt-test\" not found, try pulling it first"), K::Unreachable, "knows no model gpt-test"),
        (Answer::error(307, "").header("location", "https://else/v1"), K::Unreachable, "https://else/v1"),
        (Answer::error(429, "slow down").header("retry-after", 3600), K::Server, "3600 s"),
    ] {
        let (server, got) = against(vec![answer], 1).await;
        assert_eq!((got.kind(), server.count()), (kind, 1), "{}", got.error());
        assert!(got.error().message.contains(word), "{}", got.error());
        got.assert_clean(&[KEY]);
    }
}

#[tokio::test]
async fn e07_too_long_is_known_in_every_wording_and_not_repeated() {
    for body in [
        r#"{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9011 tokens","type":"BadRequestError","code":400}"#,
        r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9011 tokens > 8192 maximum"}}"#,
        r#"{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":9031,"n_ctx":2048}}"#,
    ] {
        let (server, got) = against(vec![Answer::new(400, body)], 1).await;
        assert_eq!((got.kind(), server.count()), (CallErrorKind::TooLong, 1), "{body}");
    }
}

#[tokio::test]
async fn e05_what_may_pass_is_tried_again_and_has_a_limit() {
    for status in [429, 500, 502, 503, 504, 529] {
        let overload = Answer::new(status, json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}));
        let (server, got) = against(vec![overload.clone(), overload.clone(), Answer::texts(&["x"])], 1).await;
        assert_eq!((got.texts(), got.tries(), server.count()), (vec!["x".to_owned()], 3, 3), "{status}");
        let (server, got) = against(vec![overload], 1).await;
        assert_eq!((got.kind(), server.count()), (CallErrorKind::Server, 3), "{status}");
        let said = &got.error().message;
        assert!(said.contains("Overloaded") && said.contains("3 tries") && !said.contains('{'), "one line, no JSON: {said}");
    }
}

#[tokio::test]
async fn a_model_that_is_being_loaded_is_waited_for() {
    let loading = Answer::new(503, json!({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}));
    let (server, got) = against(vec![loading, Answer::texts(&["x"])], 1).await;
    assert_eq!((got.texts().len(), server.count()), (1, 2));
}

#[tokio::test]
async fn the_pause_is_as_long_as_the_server_asks() {
    let (server, got) = against(vec![Answer::error(429, "slow").header("retry-after", "0.4"), Answer::texts(&["x"])], 1).await;
    assert_eq!(got.texts(), ["x"]);
    let seen = server.seen();
    assert!(seen[1].at - seen[0].at >= Duration::from_millis(400));
}

#[tokio::test]
async fn the_pause_may_be_asked_for_in_the_body() {
    let soon = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() + 800;
    let google = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.4s"});
    for (slow, at_least) in [
        (Answer::error(429, "Rate limit exceeded").header("x-ratelimit-remaining", 0).header("x-ratelimit-reset", soon), 400),
        (Answer::new(429, json!([{"error": {"code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED", "details": [google]}}])), 400),
        (Answer::error(429, "Rate limit reached for gpt-test in organization o on requests per min. Please try again in 400ms."), 400),
    ] {
        let (server, got) = against(vec![slow, Answer::texts(&["x"])], 1).await;
        assert_eq!(got.texts(), ["x"]);
        let seen = server.seen();
        assert!(seen[1].at - seen[0].at >= Duration::from_millis(at_least), "{:?}", seen[1].at - seen[0].at);
    }
    let (server, got) = against(vec![Answer::error(429, "Please retry in 11h2m3s.")], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::Server, 1));
    assert!(got.error().message.contains("it wants 39723 s without a request"), "{}", got.error());
}

#[tokio::test]
async fn no_request_of_the_model_goes_out_in_the_pause_that_the_server_asks_for() {
    let server = Server::replies(vec![Answer::error(429, "slow").header("retry-after", "0.5"), Answer::texts(&["x"])]).await;
    let model = adapter(&server);
    let (first, second) = (run(&model, job(1)), async {
        while server.count() == 0 || model.waiting().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let waiting = model.waiting().unwrap();
        let got = run(&model, job(1)).await;
        (waiting, got)
    });
    let (first, (waiting, second)) = tokio::join!(first, second);
    assert_eq!(waiting.why, "127.0.0.1 is asked too often (HTTP 429): \"slow\"", "the fact: nothing is to be done");
    assert_eq!((first.texts(), second.texts(), second.tries()), (vec!["x".to_owned()], vec!["x".to_owned()], 1));
    let seen = server.seen();
    assert!(seen.len() == 3 && seen[1].at - seen[0].at >= Duration::from_millis(500), "{seen:?}");
    assert_eq!(model.waiting(), None);
}

#[tokio::test]
async fn a_reply_that_is_none_is_tried_again_then_named() {
    for bad in [
        Answer::new(200, r#"{"choices":[{"message":{"content":"ANSWER: Os"#),
        Answer::texts(&["ANSWER: Oslo"]).cut(),
        Answer::new(200, json!({"error": {"message": "upstream failed", "code": 502}})),
        Answer::new(200, json!({"choices": []})),
        Answer::new(200, "<html>login</html>"),
    ] {
        let (server, got) = against(vec![bad.clone(), Answer::texts(&["ANSWER: Oslo"])], 1).await;
        assert_eq!((got.texts(), server.count()), (vec!["ANSWER: Oslo".to_owned()], 2), "{bad:?}");
        let (server, got) = against(vec![bad.clone()], 1).await;
        assert_eq!((got.kind(), server.count()), (CallErrorKind::BadReply, 3), "{bad:?}");
        assert!(got.replies.is_empty());
        got.assert_clean(&[KEY]);
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_is_tried_again() {
    let (server, got) = against(vec![Answer::hang_up(), Answer::texts(&["x"])], 1).await;
    assert_eq!((got.texts(), server.count()), (vec!["x".to_owned()], 2));
    let (server, got) = against(vec![Answer::hang_up()], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::Unreachable, 4), "the first is none of the three tries");
    assert!(got.error().message.contains(&server.url), "{}", got.error());
}

#[tokio::test]
async fn a_kept_connection_that_closes_costs_no_pause() {
    let server = Server::replies(vec![Answer::texts(&["x"]), Answer::hang_up(), Answer::texts(&["y"])]).await;
    let model = Chat::new(ChatConfig { first_pause: Duration::from_secs(3_600), ..config(&server) }).unwrap();
    assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    let got = run(&model, job(1)).await;
    assert_eq!((got.texts(), got.tries(), server.connections()), (vec!["y".to_owned()], 2, 2));
}

#[tokio::test]
async fn an_error_under_status_200_keeps_its_meaning() {
    let (server, got) = against(vec![Answer::new(200, json!({"error": {"code": 402, "message": "Insufficient credits"}}))], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::Quota, 1));
    let (server, got) = against(vec![Answer::new(200, json!({"error": {"code": "context_length_exceeded"}}))], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::TooLong, 1));
}

#[tokio::test]
async fn no_answer_in_time_is_tried_twice() {
    let server = Server::start(|_, _| Answer::texts(&["x"]).after(Duration::from_secs(30))).await;
    let model = Chat::new(ChatConfig { timeout: Duration::from_millis(150), ..config(&server) }).unwrap();
    let got = run(&model, job(1)).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::TimedOut, 2));
    assert!(got.error().message.contains("0.15 s"), "{}", got.error());
}

#[tokio::test]
async fn hostile_error_texts_are_made_harmless() {
    let hostile = format!("\u{1b}]52;c;Zm9v\u{7}no {}\nsecond line", "x".repeat(5_000));
    let (_, got) = against(vec![Answer::error(400, &hostile)], 1).await;
    got.assert_clean(&["second line"]);
    let (_, got) = against(vec![Answer::new(400, format!("<html><body>{}</body></html>", "x".repeat(5_000)))], 1).await;
    assert!(!got.error().message.contains('<'), "{}", got.error());
}

#[tokio::test]
async fn a_call_that_failed_waits_for_no_pause() {
    let server = Server::start(|at, seen| match (at, seen.body["seed"].as_u64()) {
        (0, _) => Answer::texts(&["x"]),
        (_, Some(101)) => Answer::error(401, "no").after(Duration::from_millis(50)),
        _ => Answer::error(429, "slow").header("retry-after", 60),
    })
    .await;
    let got = tokio::time::timeout(Duration::from_secs(20), run(&adapter(&server), job(4))).await.expect("no pause is waited for");
    assert_eq!((got.kind(), server.count()), (CallErrorKind::Key, 4));
}

#[tokio::test]
async fn what_came_before_an_error_is_kept_and_nothing_new_is_sent() {
    // One choice a request; the second request in the fan-out is refused.
    let server = Server::start(|_, seen| match seen.body["seed"].as_u64() {
        Some(101) => Answer::error(400, "not this one"),
        _ => Answer::texts(&["x"]).after(Duration::from_millis(60)),
    })
    .await;
    let got = run(&adapter(&server), job(9)).await;
    assert_eq!(got.kind(), CallErrorKind::Refused);
    let slots: Vec<u32> = got.samples().iter().map(|(slot, _)| *slot).collect();
    assert_eq!(slots, [0, 2, 3, 4], "requests in flight are waited for, they are paid");
    assert_eq!(server.count(), 5);
}

#[tokio::test]
async fn a_chat_server_that_says_404_is_quoted_and_not_called_none() {
    let of = async |body: serde_json::Value| {
        let (_, got) = against(vec![Answer::new(404, body)], 1).await;
        (got.kind(), got.error().message.clone())
    };
    let (kind, said) =
        of(json!({"error": {"message": "This is not a chat model. Did you mean to use v1/completions?", "type": "invalid_request_error"}}))
            .await;
    assert_eq!(kind, CallErrorKind::Unreachable);
    assert!(said.contains("127.0.0.1 refused the request (HTTP 404): \"This is not a chat model"), "{said}");
    let (_, said) = of(json!({"error": {"message": "Invalid URL (POST /x)"}})).await;
    assert!(said.contains("no chat server at"), "{said}");
    let (_, said) = of(json!({"detail": "Not Found"})).await;
    assert!(said.contains("no chat server at"), "{said}");
}

#[tokio::test]
async fn an_error_in_the_shape_of_vllm_keeps_its_sentence_in_a_stream_and_whole() {
    let error = json!({"object": "error", "message": "Internal trouble", "type": "InternalServerError", "code": 500});
    for answer in [Answer::stream(std::slice::from_ref(&error)), Answer::new(200, &error)] {
        let (_, got) = against(vec![answer], 1).await;
        assert!(got.error().message.contains("Internal trouble"), "{}", got.error());
    }
}

#[tokio::test]
async fn a_model_that_refuses_whatever_it_is_asked_halts_the_search() {
    let server = Server::start(|_, _| Answer::error(400, "User location is not supported for the API use.")).await;
    let model = adapter(&server);
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(run(&model, job(1)).await.kind());
    }
    assert_eq!(kinds, [CallErrorKind::Refused, CallErrorKind::Refused, CallErrorKind::Server]);
}
