//! `bedrock:MODEL` on the wire.

use super::chat::{Outcome, config, job, run};
use super::services::bedrock::{MODEL, PLAIN, error, start};
use super::services::{KEY, SAID, Service, THOUGHT, html_error, json_reply};
use serde_json::json;
use std::time::Duration;
use tree_of_traversals::calls::{CallErrorKind, Form};
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel, Provider, Secret};

fn adapter(service: &Service, model: &str) -> Chat {
    Chat::new(config(Provider::Bedrock, model, &service.url(), KEY)).unwrap()
}

async fn ask(service: &Service, task: &str) -> Outcome {
    run(&adapter(service, MODEL), job(1, task)).await
}

#[tokio::test]
async fn the_body_holds_the_whole_request() {
    let service = start();
    let mut wanted = job(1, "Act.");
    wanted.request.stop.push("Oslo".to_owned());
    let got = run(&adapter(&service, MODEL), wanted).await;
    assert_eq!(got.texts(), ["ANSWER: "]);
    let mark = json!({"cachePoint": {"type": "default"}});
    assert_eq!(
        service.seen()[0],
        (
            "POST /model/us.anthropic.claude-test-v1%3A0/converse".to_owned(),
            json!({
                "system": [{"text": "Walk the graph."}, mark],
                "messages": [{"role": "user", "content": [
                    {"text": "Which city?\n\n"}, mark, {"text": "Norway: capital Oslo\n\n"}, mark, {"text": "Act."},
                ]}],
                "inferenceConfig": {"maxTokens": 100, "temperature": 1.0, "stopSequences": ["Oslo"]},
            })
        )
    );
    assert_eq!(service.asked()[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
    let known = adapter(&service, MODEL).capabilities().unwrap();
    assert_eq!((known.streaming, known.samples, known.limit.as_deref()), (Ability::No, Ability::No, Some("maxTokens")));
}

#[tokio::test]
async fn samples_reasoning_and_tokens_are_read() {
    let service = start();
    let mut wanted = job(2, "Now think hard.");
    wanted.request.stop.clear();
    let model = adapter(&service, MODEL);
    let got = run(&model, wanted).await;
    assert_eq!(got.texts(), [SAID, SAID]);
    assert!(got.samples().iter().all(|(_, s)| s.reasoning.as_deref() == Some(THOUGHT) && s.finish.as_deref() == Some("end_turn")));
    let usage = got.usage();
    assert!(!usage.estimated && usage.cached_prompt_tokens > 0 && usage.cache_write_tokens == usage.cached_prompt_tokens, "{usage:?}");
    assert_eq!(service.count(), 2);
}

#[tokio::test]
async fn a_form_is_a_tool_where_the_model_takes_tools() {
    let service = start();
    let mut wanted = job(1, "Act.");
    wanted.request.form = Some(Form::Value);
    let model = adapter(&service, MODEL);
    assert_eq!(run(&model, wanted.clone()).await.texts(), [r#"{"value":0.5}"#]);
    assert_eq!(service.seen()[0].1["toolConfig"]["toolChoice"], json!({"tool": {"name": "value"}}));
    assert_eq!(model.capabilities().unwrap().structured, Ability::Proven);
    // One without tools: learnt, and read as text.
    let model = adapter(&service, PLAIN);
    assert_eq!(run(&model, wanted.clone()).await.tries(), 2);
    assert_eq!(run(&model, wanted.clone()).await.texts(), ["ANSWER: Oslo"]);
    assert_eq!(model.capabilities().unwrap().structured, Ability::Refused);
    wanted.request.form_required = true;
    let got = run(&model, wanted).await;
    assert!(got.kind() == CallErrorKind::NoForm && got.error().message.contains("--structured"), "{}", got.error());
}

#[tokio::test]
async fn a_cache_that_is_refused_is_left_out() {
    let service = start();
    service.fails_with([error(
        403,
        "AccessDeniedException",
        "You invoked an unsupported model or your request did not allow prompt caching.",
    )]);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts().len(), got.tries()), (1, 2));
    assert!(!service.seen()[1].1.to_string().contains("cachePoint"));
}

#[tokio::test]
async fn e14_throttling_is_tried_again_with_growing_pauses() {
    let service = start();
    let throttled = || error(429, "ThrottlingException", "Too many tokens, please wait before trying again.");
    service.fails_with([throttled(), throttled()]);
    assert_eq!(ask(&service, "Act.").await.tries(), 3);
    let got = ask(&service, "be overloaded").await;
    assert_eq!((got.kind(), service.count()), (CallErrorKind::Server, 6), "it lasts: the search is halted, nothing is lost");
    let said = &got.error().message;
    assert!(said.contains("Too many tokens, please wait") && said.contains("3 tries") && !said.contains("internal.amazon"), "{said}");
}

#[tokio::test]
async fn errors_are_called_by_their_names() {
    use CallErrorKind as K;
    let service = start();
    let base = || config(Provider::Bedrock, MODEL, &service.url(), KEY);
    let got = run(&Chat::new(ChatConfig { api_key: Secret::new("wrong-key"), ..base() }).unwrap(), job(1, "x")).await;
    assert!(got.kind() == K::Key && got.error().message.contains("AWS_BEARER_TOKEN_BEDROCK"), "{}", got.error());
    let got = run(&adapter(&service, "none.such-v1:0"), job(1, "x")).await;
    assert!(got.kind() == K::Unreachable && got.error().message.contains("knows no model none.such-v1:0"), "{}", got.error());
    assert_eq!(ask(&service, &"word ".repeat(2_000)).await.kind(), K::TooLong);
    let got = ask(&service, "filter this").await;
    assert_eq!(got.kind(), K::Filtered);
    let got = ask(&service, "guard this").await;
    assert_eq!((got.kind(), got.samples().len()), (K::Filtered, 0));
    assert!(got.error().message.contains("took the reply: \"Sorry, the model cannot answer this question\""), "{}", got.error());
    assert_eq!(service.count(), 5, "none of them is repeated");
    for (reply, wanted) in [
        (error(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."), K::Quota),
        (error(403, "ExpiredTokenException", "The security token included in the request is expired"), K::Key),
        (
            error(404, "ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier."),
            K::Unreachable,
        ),
    ] {
        service.fails_with([reply]);
        let got = ask(&service, "x").await;
        assert_eq!(got.kind(), wanted, "{}", got.error());
        got.assert_clean(&[KEY]);
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    let service = start();
    for reply in [
        error(424, "ModelErrorException", "The model failed."),
        error(429, "ModelNotReadyException", "The model is not ready for inference."),
        error(408, "ModelTimeoutException", "Took too long."),
        error(500, "InternalServerException", "Oops."),
        error(503, "ServiceUnavailableException", "Later."),
        html_error(502),
        json_reply(200, "", &json!({"output": null})),
    ] {
        service.fails_with([reply]);
        assert_eq!(ask(&service, "Act.").await.tries(), 2);
    }
}

#[tokio::test]
async fn the_check_says_what_is_there() {
    let service = start();
    assert!(adapter(&service, MODEL).check().await.unwrap().ends_with("is ready"), "a profile stands for its model");
    assert!(adapter(&service, "none.such").check().await.unwrap().contains("does not list none.such"));
}

#[tokio::test]
async fn slow_replies_are_given_up() {
    let service = start();
    service.fails_with(vec![json_reply(200, "", &json!({})).after(Duration::from_secs(20)); 3]);
    let model =
        Chat::new(ChatConfig { timeout: Duration::from_millis(150), ..config(Provider::Bedrock, MODEL, &service.url(), KEY) }).unwrap();
    let got = run(&model, job(1, "x")).await;
    assert_eq!((got.kind(), service.count()), (CallErrorKind::TimedOut, 2));
}

#[test]
fn the_region_comes_from_the_environment() {
    let set = |wanted: &'static str| move |name: &str| (name == wanted).then(|| "eu-central-1".to_owned());
    let url = Some("https://bedrock-runtime.eu-central-1.amazonaws.com".to_owned());
    assert_eq!(Provider::Bedrock.base_url(None, set("AWS_REGION")), url);
    assert_eq!(Provider::Bedrock.base_url(None, set("AWS_DEFAULT_REGION")), url);
    assert_eq!(Provider::Bedrock.base_url(Some("http://h:1"), set("AWS_REGION")), Some("http://h:1".to_owned()));
    assert_eq!(Provider::Ollama.base_url(None, set("AWS_REGION")), None);
    assert_eq!(Provider::Ollama.base_url(None, |name| (name == "OLLAMA_HOST").then(|| "0.0.0.0".to_owned())), Some("0.0.0.0".to_owned()));
    assert!(Chat::new(ChatConfig::new(Provider::Bedrock, MODEL)).unwrap_err().message.contains("AWS_REGION"));
    #[cfg(not(feature = "bedrock-sigv4"))]
    no_key(url);
}

#[cfg(not(feature = "bedrock-sigv4"))]
fn no_key(url: Option<String>) {
    let amazon = ChatConfig { base_url: url, ..ChatConfig::new(Provider::Bedrock, MODEL) };
    assert!(Chat::new(amazon).unwrap_err().message.contains("AWS_BEARER_TOKEN_BEDROCK"));
}

#[tokio::test]
async fn what_was_malformed_is_asked_for_once_more() {
    for reason in ["malformed_model_output", "malformed_tool_use"] {
        let service = start();
        let content = json!([{"text": "ANSWER: Ber"}]);
        let usage = json!({"inputTokens": 9, "outputTokens": 3, "totalTokens": 12});
        let malformed = json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}});
        service.fails_with([json_reply(200, "", &malformed)]);
        let got = ask(&service, "Act.").await;
        assert_eq!((got.texts(), service.count()), (vec!["ANSWER: Oslo".to_owned()], 2), "{reason}");
    }
}
