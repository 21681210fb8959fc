//! `ollama:MODEL` on the wire.

use super::chat::{Outcome, config, job, run};
use super::http::Reply;
use super::services::ollama::{Age, MODEL, THINKER, error, start};
use super::services::{SAID, Service, THOUGHT, html_error, stream_reply};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{CallErrorKind, Form};
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel, Provider};

fn at(service: &Service, model: &str) -> ChatConfig {
    ChatConfig { api_key: None, ..config(Provider::Ollama, model, &service.url(), "-") }
}

fn adapter(service: &Service) -> Chat {
    Chat::new(at(service, MODEL)).unwrap()
}

async fn ask(service: &Service, task: &str) -> Outcome {
    run(&adapter(service), job(1, task)).await
}

#[tokio::test]
async fn the_body_holds_the_whole_request() {
    let service = start(Age::New);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts(), got.shown(0, false).as_str()), (vec!["ANSWER: Oslo".to_owned()], "ANSWER: Oslo"));
    assert_eq!(
        service.seen()[0],
        (
            "POST /api/chat".to_owned(),
            json!({
                "model": MODEL,
                "messages": [
                    {"role": "system", "content": "Walk the graph."},
                    {"role": "user", "content": "Which city?\n\nNorway: capital Oslo\n\nAct."},
                ],
                "stream": true, "truncate": false, "shift": false,
                "options": {"temperature": 1.0, "seed": 100, "stop": ["\n"], "num_predict": 100, "num_ctx": 4096},
            })
        )
    );
    assert!(service.asked()[0].header("authorization").is_none());
    let usage = got.usage();
    assert!(!usage.estimated && usage.prompt_tokens > 0 && usage.completion_tokens == 3, "{usage:?}");
    let known = adapter(&service).capabilities().unwrap();
    assert_eq!((known.samples, known.seed, known.limit.as_deref()), (Ability::No, Ability::Yes, Some("num_predict")));
}

#[tokio::test]
async fn several_samples_are_several_requests_with_their_own_seeds() {
    let service = start(Age::New);
    let got = run(&adapter(&service), job(3, "Act.")).await;
    assert_eq!(got.texts().len(), 3);
    let mut seeds: Vec<u64> = service.seen().iter().map(|(_, body)| body["options"]["seed"].as_u64().unwrap()).collect();
    seeds.sort_unstable();
    assert_eq!(seeds, [100, 101, 102]);
}

#[tokio::test]
async fn thinking_is_kept_apart_however_it_comes() {
    let service = start(Age::New);
    for stream in [true, false] {
        let mut wanted = job(1, "Act.");
        wanted.request.stop.clear();
        let got = run(&Chat::new(ChatConfig { stream, ..at(&service, THINKER) }).unwrap(), wanted).await;
        let sample = got.sample();
        assert_eq!(
            (sample.text.as_deref(), sample.reasoning.as_deref(), sample.finish.as_deref()),
            (Some(SAID), Some(THOUGHT), Some("stop"))
        );
    }
}

#[tokio::test]
async fn a_limit_spent_on_thinking_is_raised() {
    let service = start(Age::New);
    let spent = json!({"model": THINKER, "message": {"role": "assistant", "content": "", "thinking": "Let me"}, "done": true, "done_reason": "length", "eval_count": 100, "prompt_eval_count": 9});
    service.fails_with([stream_reply("application/x-ndjson", &format!("{spent}\n"))]);
    let model = Chat::new(at(&service, THINKER)).unwrap();
    let got = run(&model, job(1, "Act.")).await;
    assert_eq!(got.texts(), ["ANSWER: Oslo"]);
    let limits: Vec<_> = service.seen().iter().map(|(_, body)| body["options"]["num_predict"].as_u64().unwrap()).collect();
    assert_eq!(limits, [100, 4096]);
    assert_eq!(service.seen()[1].1["options"]["num_ctx"], 8192, "the context has room for it");
    assert_eq!(model.capabilities().unwrap().reasons, Ability::Proven);
}

#[tokio::test]
async fn a_form_is_the_format() {
    let service = start(Age::New);
    let mut wanted = job(1, "Act.");
    wanted.request.form = Some(Form::Entities(vec!["Q1".to_owned(), "Q2".to_owned()]));
    assert_eq!(run(&adapter(&service), wanted.clone()).await.texts(), [r#"{"entities":["Q1"]}"#]);
    assert_eq!(service.seen()[0].1["format"]["properties"]["entities"]["items"]["enum"], json!(["Q1", "Q2"]));
    // A model whose grammar can't be made.
    service.fails_with([error(400, "invalid JSON schema in format")]);
    let model = adapter(&service);
    assert_eq!(run(&model, wanted).await.texts(), ["ANSWER: Oslo"]);
    assert_eq!(model.capabilities().unwrap().structured, Ability::Refused);
}

#[tokio::test]
async fn the_context_grows_with_the_prompt_and_never_shrinks() {
    let service = start(Age::Old);
    let model = adapter(&service);
    let long = "word ".repeat(3_000);
    for task in ["short", &long, "short"] {
        run(&model, job(1, task)).await.texts();
    }
    let contexts: Vec<_> = service.seen().iter().map(|(_, body)| body["options"]["num_ctx"].as_u64().unwrap()).collect();
    assert_eq!(contexts, [4096, 8192, 8192], "a change makes the server load the model anew");
    assert!(model.notes().iter().any(|note| note.contains("8192")), "{:?}", model.notes());
    // Other scripts have a token for each letter.
    run(&model, job(1, &"语".repeat(9_000))).await.texts();
    assert_eq!(service.seen()[3].1["options"]["num_ctx"], 16_384);
}

#[tokio::test]
async fn what_is_too_long_is_an_error_and_never_cut_in_silence() {
    let service = start(Age::Old);
    let got = ask(&service, &"word ".repeat(30_000)).await;
    assert_eq!((got.kind(), service.count()), (CallErrorKind::TooLong, 0), "older servers would cut it");
    assert!(got.error().message.contains("32768"), "{}", got.error());
    // A newer one says so itself, for a model whose own window is smaller.
    let service = start(Age::New);
    let inner = json!({"error": {"code": 400, "message": "request (3051 tokens) exceeds the available context size (2048 tokens), try increasing it", "type": "exceed_context_size_error"}});
    service.fails_with([error(400, &inner.to_string())]);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.kind(), service.count()), (CallErrorKind::TooLong, 1));
    assert!(got.error().message.contains("3051 tokens") && !got.error().message.contains('{'), "{}", got.error());
}

#[tokio::test]
async fn a_text_to_be_continued_goes_without_a_template() {
    let service = start(Age::New);
    let mut wanted = job(1, "A:");
    wanted.request.completion = true;
    assert_eq!(run(&adapter(&service), wanted).await.texts(), ["ANSWER: Oslo"]);
    let (line, body) = &service.seen()[0];
    assert_eq!((line.as_str(), &body["raw"]), ("POST /api/generate", &json!(true)));
    assert_eq!(body["prompt"], "Walk the graph.\n\nWhich city?\n\nNorway: capital Oslo\n\nA:");
    assert!(body.get("messages").is_none());
}

#[tokio::test]
async fn a_prompt_that_is_not_counted_is_estimated() {
    let service = start(Age::New);
    let usage = ask(&service, "the cached prompt").await.usage();
    assert!(usage.estimated && usage.prompt_tokens > 10 && usage.completion_tokens == 3, "{usage:?}");
}

#[tokio::test]
async fn errors_are_called_by_their_names() {
    let service = start(Age::New);
    let got = run(&Chat::new(at(&service, "none")).unwrap(), job(1, "x")).await;
    assert_eq!((got.kind(), service.count()), (CallErrorKind::Unreachable, 1));
    assert!(got.error().message.contains("ollama pull none"), "{}", got.error());
    let got = ask(&service, "be overloaded").await;
    assert_eq!((got.kind(), service.count()), (CallErrorKind::Server, 4));
    assert!(got.error().message.contains("server busy"), "{}", got.error());
    service.fails_with([error(401, "unauthorized")]);
    assert!(ask(&service, "x").await.error().message.contains("OLLAMA_API_KEY"));
}

#[tokio::test]
async fn faults_in_a_stream_are_seen_and_repeated() {
    let line = |content: &str, done: bool| json!({"message": {"role": "assistant", "content": content}, "done": done}).to_string();
    let half = line("ANSWER: wrong", false);
    let broken = [
        format!("{half}\n"),
        format!("{half}\n{{\"error\":\"llama runner process has terminated: signal: killed\"}}\n"),
        format!("{half}\n{{\"mess"),
        String::new(),
    ];
    let service = start(Age::New);
    for body in broken {
        service.fails_with([stream_reply("application/x-ndjson", &body), html_error(502)]);
        let got = ask(&service, "Act.").await;
        assert_eq!((got.texts(), got.tries()), (vec!["ANSWER: Oslo".to_owned()], 3), "{body}");
        assert_eq!((got.dropped(), got.shown(0, false).as_str()), (usize::from(!body.is_empty()), "ANSWER: Oslo"), "{body}");
    }
    // A last line without its line feed is complete.
    service.fails_with([stream_reply("application/x-ndjson", &line("ANSWER: Bergen", true))]);
    assert_eq!(ask(&service, "Act.").await.texts(), ["ANSWER: Bergen"]);
    service.fails_with([Reply::hang_up()]);
    assert_eq!(ask(&service, "Act.").await.tries(), 2);
}

#[tokio::test]
async fn a_cancelled_call_hangs_up() {
    let service = start(Age::New);
    let first = json!({"message": {"role": "assistant", "content": "ANSW"}, "done": false}).to_string();
    service.fails_with([stream_reply("application/x-ndjson", &format!("{first}\n")).then(Duration::from_secs(60), "{}\n")]);
    let call = adapter(&service).complete(job(1, "Act."), Arc::new(|_| {}));
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    for _ in 0..200 {
        if service.left() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(service.left(), 1);
}

#[tokio::test]
async fn the_check_knows_what_is_there() {
    let service = start(Age::New);
    let check = async |model: &str| Chat::new(at(&service, model)).unwrap().check().await;
    assert!(check(MODEL).await.unwrap().ends_with("is ready"), "`latest` need not be said");
    assert!(check(THINKER).await.unwrap().ends_with("is ready"));
    let error = check("none").await.unwrap_err();
    assert!(error.kind == CallErrorKind::Unreachable && error.message.contains("ollama pull none"), "{error}");
    assert_eq!(adapter(&service).models().await.unwrap(), ["llama-test:latest", THINKER]);
}

#[tokio::test]
async fn log_probabilities_come_since_the_version_that_has_them() {
    for (age, known) in [(Age::New, Ability::Proven), (Age::Old, Ability::Refused)] {
        for stream in [true, false] {
            let service = start(age);
            let model = Chat::new(ChatConfig { log_probabilities: true, stream, ..at(&service, MODEL) }).unwrap();
            let got = run(&model, job(1, "Act.")).await;
            let sample = got.sample();
            let text: String = sample.tokens.iter().map(|token| token.text.as_str()).collect();
            assert_eq!(model.capabilities().unwrap().log_probabilities, known);
            match age {
                Age::New => assert_eq!((text.as_str(), sample.tokens.iter().map(|t| t.log_milli).min()), ("ANSWER: Oslo", Some(-1200))),
                Age::Old => assert!(sample.tokens.is_empty()),
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_only_loads_the_model_is_asked_once_more() {
    // As documented for a request that loads or unloads a model: no text, no counts.
    let only = |what: &str| {
        let line = json!({"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": ""}, "done_reason": what, "done": true});
        stream_reply("application/x-ndjson", &format!("{line}\n"))
    };
    for what in ["load", "unload"] {
        let service = start(Age::New);
        service.fails_with([only(what)]);
        let got = ask(&service, "Act.").await;
        assert_eq!((got.texts(), service.count()), (vec!["ANSWER: Oslo".to_owned()], 2), "{what}");
        service.fails_with([only(what), only(what)]);
        let got = ask(&service, "Act.").await;
        assert_eq!((got.kind(), service.count()), (CallErrorKind::BadReply, 4), "{what}");
        assert!(got.error().message.contains(&format!("broke the reply off, twice: \"{what}\"")), "{}", got.error());
    }
}
