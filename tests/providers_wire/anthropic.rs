//! `anthropic:MODEL` on the wire.

use super::chat::{Outcome, config, job, run};
use super::http::Reply;
use super::services::anthropic::{MODEL, NEWER, error, half, overload_event, overloaded, start};
use super::services::{KEY, SAID, Service, THOUGHT, html_error, json_reply, stream_reply};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{CallErrorKind, Form, Usage};
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel, OnWire, Provider, Secret};

fn adapter(service: &Service) -> Chat {
    Chat::new(config(Provider::Anthropic, MODEL, &service.url(), KEY)).unwrap()
}

async fn ask(service: &Service, task: &str) -> Outcome {
    run(&adapter(service), job(1, task)).await
}

const FIRST_LINE: &str = "ANSWER: Oslo";

#[tokio::test]
async fn the_body_holds_the_whole_request() {
    let service = start();
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts(), got.shown(0, false).as_str()), (vec![FIRST_LINE.to_owned()], SAID), "the stop is applied here");
    let asked = &service.asked()[0];
    assert_eq!((asked.header("x-api-key"), asked.header("authorization")), (Some(KEY), None));
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        service.seen()[0],
        (
            "POST /v1/messages".to_owned(),
            json!({
                "model": MODEL, "max_tokens": 100,
                "system": [{"type": "text", "text": "Walk the graph.", "cache_control": mark}],
                "messages": [{"role": "user", "content": [
                    {"type": "text", "text": "Which city?\n\n", "cache_control": mark},
                    {"type": "text", "text": "Norway: capital Oslo\n\n", "cache_control": mark},
                    {"type": "text", "text": "Act."},
                ]}],
                "temperature": 1.0, "stream": true,
            })
        )
    );
}

#[tokio::test]
async fn several_samples_are_several_requests_and_their_tokens_are_added() {
    let service = start();
    let model = adapter(&service);
    let got = run(&model, job(3, "Act.")).await;
    assert_eq!(got.texts(), [FIRST_LINE; 3]);
    assert_eq!((service.count(), got.replies.len()), (3, 3), "nothing has to be learnt");
    let usage = got.usage();
    assert!(!usage.estimated && usage.completion_tokens > 0);
    // 4 + 4 + 6 letters... in three places each: new, written once, read by the others.
    let one = run(&model, job(1, "Act.")).await.usage();
    assert_eq!(usage.prompt_tokens, 3 * one.prompt_tokens);
    assert!(one.cached_prompt_tokens > 0 && one.cached_prompt_tokens < one.prompt_tokens && one.cache_write_tokens == 0, "{one:?}");
    assert_eq!(usage.cache_write_tokens, one.cached_prompt_tokens, "what is read now was written once");
}

#[tokio::test]
async fn replies_that_come_whole_are_the_same() {
    let service = start();
    let whole = Chat::new(ChatConfig { stream: false, ..config(Provider::Anthropic, MODEL, &service.url(), KEY) }).unwrap();
    let mut first = job(1, "Now think hard.");
    first.request.stop.clear();
    let (pieces, whole) = (run(&adapter(&service), first.clone()).await, run(&whole, first).await);
    assert_eq!(pieces.sample(), whole.sample());
    assert_eq!(pieces.sample().text.as_deref(), Some(SAID));
    assert_eq!(pieces.sample().reasoning.as_deref(), Some(THOUGHT));
    assert_eq!((pieces.shown(0, true).as_str(), pieces.shown(0, false).as_str()), (THOUGHT, SAID));
    let pieces_of = |got: &Outcome| got.wire.iter().filter(|came| matches!(came, OnWire::Piece(_))).count();
    assert!(pieces_of(&pieces) > 1 && pieces_of(&whole) == 0, "a reply that comes whole has no pieces");
    assert_eq!(pieces.usage().completion_tokens, whole.usage().completion_tokens);
}

#[tokio::test]
async fn stop_strings_of_white_space_are_applied_here_only() {
    let service = start();
    let mut wanted = job(1, "Act.");
    wanted.request.stop = vec!["\n".to_owned(), "Oslo".to_owned()];
    let got = run(&adapter(&service), wanted).await;
    assert_eq!(got.texts(), ["ANSWER: "]);
    assert_eq!(service.seen()[0].1["stop_sequences"], json!(["Oslo"]));
}

#[tokio::test]
async fn temperatures_are_kept_in_range_and_a_refusal_is_learnt() {
    let service = start();
    let mut hot = job(1, "Act.");
    hot.request.temperature_milli = 1_700;
    let model = Chat::new(config(Provider::Anthropic, NEWER, &service.url(), KEY)).unwrap();
    assert_eq!(run(&model, hot.clone()).await.tries(), 2);
    assert_eq!(run(&model, hot).await.tries(), 1);
    assert_eq!(service.seen()[0].1["temperature"], 1.0);
    assert!(service.seen()[2].1.get("temperature").is_none());
    assert!(model.notes().iter().any(|note| note.contains("no temperature")), "{:?}", model.notes());
    let known = model.capabilities().unwrap();
    assert_eq!((known.temperature, known.samples, known.seed), (Ability::Refused, Ability::No, Ability::No));
    assert_eq!((known.streaming, known.structured, known.limit.as_deref()), (Ability::Proven, Ability::Yes, Some("max_tokens")));
}

#[tokio::test]
async fn a_form_is_a_tool_that_has_to_be_used() {
    let service = start();
    for stream in [true, false] {
        let model = Chat::new(ChatConfig { stream, ..config(Provider::Anthropic, MODEL, &service.url(), KEY) }).unwrap();
        let mut wanted = job(1, "Act.");
        wanted.request.form = Some(Form::Relation(vec!["~P161".to_owned(), "P57".to_owned()]));
        let got = run(&model, wanted).await;
        assert_eq!(got.texts(), [r#"{"relation":"~P161"}"#], "{stream}");
        assert_eq!(got.sample().finish.as_deref(), Some("tool_use"));
        assert_eq!(model.capabilities().unwrap().structured, Ability::Proven);
    }
    let body = &service.seen()[0].1;
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "relation"}));
    assert_eq!(body["tools"][0]["input_schema"]["properties"]["relation"]["enum"], json!(["~P161", "P57"]));
}

#[tokio::test]
async fn a_model_that_can_not_be_forced_to_use_a_tool_gets_the_form_as_its_format() {
    let service = start();
    let model = Chat::new(config(Provider::Anthropic, NEWER, &service.url(), KEY)).unwrap();
    let mut wanted = job(1, "Act.");
    wanted.request.form = Some(Form::Value);
    assert_eq!(run(&model, wanted.clone()).await.texts(), [r#"{"value":0.5}"#]);
    assert_eq!(run(&model, wanted.clone()).await.tries(), 1);
    let last = &service.seen().pop().unwrap().1;
    assert_eq!(last["output_config"]["format"]["type"], "json_schema");
    assert!(last.get("tools").is_none() && last.get("tool_choice").is_none());
    // One that takes neither.
    let refused = |what: &str| error(400, "invalid_request_error", &format!("{what} is not supported on this model"));
    service.fails_with([refused("tool_choice"), refused("output_config")]);
    let model = adapter(&service);
    assert_eq!((run(&model, wanted.clone()).await.tries(), model.capabilities().unwrap().structured), (3, Ability::Refused));
}

#[tokio::test]
async fn marks_that_are_refused_are_left_out() {
    let service = start();
    service.fails_with([error(400, "invalid_request_error", "system.0.cache_control: Extra inputs are not permitted")]);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts().len(), got.tries()), (1, 2));
    assert!(!service.seen()[1].1.to_string().contains("cache_control"));
}

#[tokio::test]
async fn a_cut_reply_keeps_its_reason_and_a_refusal_is_named() {
    let service = start();
    let mut short = job(1, "Act.");
    (short.request.stop, short.request.max_tokens) = (Vec::new(), 1);
    let got = run(&adapter(&service), short).await.sample();
    assert_eq!((got.text.as_deref(), got.finish.as_deref()), (Some("ANSW"), Some("max_tokens")));
    let got = ask(&service, "refuse this").await;
    assert_eq!(got.kind(), CallErrorKind::Refused);
    assert!(got.error().message.contains("refuses to answer: \"The request may harm\""), "{}", got.error());
    // A refusal in mid-reply: what was said before is no answer.
    for stream in [false, true] {
        let model = Chat::new(ChatConfig { stream, ..config(Provider::Anthropic, MODEL, &service.url(), KEY) }).unwrap();
        let got = run(&model, job(1, "refuse halfway")).await;
        assert_eq!((got.kind(), got.shown(0, false)), (CallErrorKind::Refused, String::new()));
        assert!(got.error().message.contains("\"The request may harm\""), "{}", got.error());
    }
}

#[tokio::test]
async fn errors_are_called_by_their_names() {
    use CallErrorKind as K;
    let service = start();
    let url = service.url();
    let kind = async |config: ChatConfig, task: &str| {
        let got = run(&Chat::new(config).unwrap(), job(1, task)).await;
        got.assert_clean(&[KEY]);
        (got.kind(), got.error().message.clone())
    };
    let base = || config(Provider::Anthropic, MODEL, &url, KEY);
    let (key, said) = kind(ChatConfig { api_key: Secret::new("sk-ant-wrong"), ..base() }, "x").await;
    assert!(key == K::Key && said.contains("ANTHROPIC_API_KEY") && said.contains("invalid x-api-key"), "{said}");
    let (none, said) = kind(ChatConfig { api_key: None, ..base() }, "x").await;
    assert!(none == K::Key && said.contains("wants a key"), "{said}");
    let (model, said) = kind(ChatConfig { model: "claude-none".to_owned(), ..base() }, "x").await;
    assert!(model == K::Unreachable && said.contains("knows no model claude-none") && said.contains("anthropic:MODEL"), "{said}");
    let (long, said) = kind(base(), &"word ".repeat(2_000)).await;
    assert!(long == K::TooLong && said.contains("2000 maximum"), "{said}");
    assert_eq!(service.count(), 4, "none of them is repeated");
    let (busy, said) = kind(base(), "be overloaded").await;
    assert!(busy == K::Server && said.contains("Overloaded") && said.contains("3 tries") && !said.contains('{'), "{said}");
    for (reply, wanted) in [
        (error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), K::Quota),
        (error(403, "permission_error", "Your API key does not have permission to use the specified resource."), K::Key),
        (error(413, "request_too_large", "Request exceeds the maximum size"), K::TooLong),
        (error(400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000"), K::TooLong),
        (html_error(404), K::Unreachable),
    ] {
        service.fails_with([reply]);
        assert_eq!(kind(base(), "x").await.0, wanted);
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    let service = start();
    for faults in [
        vec![overloaded(), overloaded()],
        vec![error(429, "rate_limit_error", "slow"), error(500, "api_error", "Internal server error")],
        vec![html_error(502), html_error(503)],
        vec![Reply::hang_up(), stream_reply("text/event-stream", &format!("{}{}", half(), overload_event()))],
        vec![stream_reply("text/event-stream", &half()), stream_reply("text/event-stream", "")],
    ] {
        service.fails_with(faults);
        let got = ask(&service, "Act.").await;
        assert_eq!((got.texts(), got.tries(), got.shown(0, false).as_str()), (vec![FIRST_LINE.to_owned()], 3, SAID));
    }
}

#[tokio::test]
async fn e05_text_before_an_overload_is_thrown_away() {
    let service = start();
    service.fails_with([stream_reply("text/event-stream", &format!("{}{}", half(), overload_event()))]);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts(), got.dropped(), got.shown(0, false).as_str()), (vec![FIRST_LINE.to_owned()], 1, SAID));
    service.fails_with(vec![stream_reply("text/event-stream", &overload_event()); 3]);
    let got = ask(&service, "Act.").await;
    assert_eq!(got.kind(), CallErrorKind::Server);
    assert!(got.error().message.contains("Overloaded"), "{}", got.error());
}

#[tokio::test]
async fn a_message_that_broke_off_is_paid_as_its_beginning_counts_it() {
    let service = start();
    service.fails_with([stream_reply("text/event-stream", &half())]);
    let got = ask(&service, "Act.").await;
    assert_eq!(got.texts(), [FIRST_LINE]);
    let wanted = Usage { prompt_tokens: 9, completion_tokens: 4, estimated: true, ..Usage::default() };
    assert_eq!(got.wasted().iter().map(|wasted| wasted.usage).collect::<Vec<_>>(), [wanted], "9 by the service, 13 letters came");
    assert!(!got.usage().estimated);
    // An overload before any text is a refusal, whatever was counted before it.
    let begun = half().lines().take(3).map(|line| format!("{line}\n")).collect::<String>();
    service.fails_with([stream_reply("text/event-stream", &format!("{begun}{}", overload_event()))]);
    assert_eq!(ask(&service, "Act.").await.wasted(), []);
}

#[tokio::test]
async fn a_stream_without_its_last_count_is_estimated() {
    let service = start();
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    let stream =
        format!("{}event: message_delta\ndata: {end}\n\nevent: message_stop\ndata: {}\n\n", half(), json!({"type": "message_stop"}));
    service.fails_with([stream_reply("text/event-stream", &stream)]);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts().len(), service.count()), (1, 1));
    // The beginning counts one token; the 13 letters that came are more.
    assert_eq!(got.usage(), Usage { prompt_tokens: 9, completion_tokens: 4, estimated: true, ..Usage::default() });
}

#[tokio::test]
async fn the_pause_is_as_long_as_the_service_asks() {
    let service = start();
    let slow = |headers: &str| Reply::whole("429 X", &format!("content-type: application/json\r\n{headers}"), "{}");
    service.fails_with([slow("retry-after: 0.3\r\n")]);
    ask(&service, "Act.").await.texts();
    let asked = service.asked();
    assert!(asked[1].at - asked[0].at >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_stall_is_given_up_and_a_cancelled_call_hangs_up() {
    let service = start();
    let stalls = || stream_reply("text/event-stream", &half()).then(Duration::from_secs(30), overload_event());
    service.fails_with([stalls(), stalls(), stalls()]);
    let config = ChatConfig { stall: Duration::from_millis(100), ..config(Provider::Anthropic, MODEL, &service.url(), KEY) };
    let got = run(&Chat::new(config).unwrap(), job(1, "Act.")).await;
    assert_eq!((got.kind(), service.count(), got.dropped()), (CallErrorKind::TimedOut, 2, 2));
    let call = adapter(&service).complete(job(1, "Act."), Arc::new(|_| {}));
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    for _ in 0..200 {
        if service.left() == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(service.left(), 3, "the server sees that nobody listens");
}

#[tokio::test]
async fn the_check_says_what_is_there() {
    let service = start();
    let check = async |model: &str, key: &str| Chat::new(config(Provider::Anthropic, model, &service.url(), key)).unwrap().check().await;
    assert!(check(MODEL, KEY).await.unwrap().ends_with("is ready"));
    assert!(check("claude-test-1", KEY).await.unwrap().ends_with("is ready"), "a name without its date");
    assert!(check("claude-none", KEY).await.unwrap().contains("does not list claude-none"));
    assert_eq!(check(MODEL, "wrong-key").await.unwrap_err().kind, CallErrorKind::Key);
    assert_eq!(adapter(&service).models().await.unwrap(), [MODEL, NEWER]);
}

#[tokio::test]
async fn a_text_to_be_continued_is_one_user_message() {
    let service = start();
    let mut wanted = job(1, "A:");
    wanted.request.completion = true;
    run(&adapter(&service), wanted).await.texts();
    let body = &service.seen()[0].1;
    assert!(body.get("system").is_none());
    let said: String = body["messages"][0]["content"].as_array().unwrap().iter().map(|b| b["text"].as_str().unwrap()).collect();
    assert_eq!(said, "Walk the graph.\n\nWhich city?\n\nNorway: capital Oslo\n\nA:");
}

#[test]
fn anthropic_itself_wants_its_own_key() {
    let error = Chat::new(ChatConfig::new(Provider::Anthropic, MODEL)).unwrap_err();
    assert!(error.kind == CallErrorKind::Key && error.message.contains("ANTHROPIC_API_KEY"), "{error}");
}

#[tokio::test]
async fn a_turn_that_was_paused_is_asked_for_once_more() {
    let service = start();
    let paused = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [{"type": "text", "text": "ANSWER: Ber"}], "stop_reason": "pause_turn", "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 3}});
    service.fails_with([json_reply(200, "", &paused)]);
    let got = ask(&service, "Act.").await;
    assert_eq!((got.texts(), service.count()), (vec!["ANSWER: Oslo".to_owned()], 2));
}
