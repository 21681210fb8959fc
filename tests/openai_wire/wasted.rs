//! Requests that end without a reply after the service had begun to answer are paid: what they took is told.

use super::server::{Answer, Server};
use super::{adapter, against, config, job, run};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{CallErrorKind, Usage};
use tree_of_traversals::llm::{Chat, ChatConfig, LanguageModel, OnWire};

fn text(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
}

fn end() -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
}

fn counted() -> Value {
    json!({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 5}})
}

/// An estimate of the prompt of all jobs here, by its letters, and of a reply of so many tokens.
fn about(completion_tokens: u64) -> Usage {
    let letters: usize = job(1).request.parts.iter().map(|part| part.text.chars().count()).sum();
    Usage { prompt_tokens: letters.div_ceil(4) as u64, completion_tokens, estimated: true, ..Usage::default() }
}

#[tokio::test]
async fn a_stream_that_breaks_is_paid_beside_the_reply_that_came_then() {
    let broken = Answer::stream(&[text("ANSWER: Os")]);
    let whole = Answer::stream(&[text("ANSWER: Oslo"), end(), counted()]);
    let (_, got) = against(vec![broken, whole], 1).await;
    assert_eq!(got.texts(), ["ANSWER: Oslo"]);
    let wasted: Vec<(Usage, u32)> = got.wasted().iter().map(|wasted| (wasted.usage, wasted.requests)).collect();
    assert_eq!(wasted, [(about(3), 1)], "ten letters, four a token");
    assert_eq!(got.usage(), Usage { prompt_tokens: 900, completion_tokens: 5, ..Usage::default() }, "the reply is counted as ever");
}

#[tokio::test]
async fn reasoning_and_every_choice_of_a_stream_count() {
    let thought = json!({"choices": [{"index": 1, "delta": {"reasoning_content": "twelve chars"}}]});
    let (_, got) = against(vec![Answer::stream(&[text("four"), thought])], 2).await;
    assert_eq!(got.kind(), CallErrorKind::BadReply);
    assert_eq!(got.wasted().iter().map(|wasted| wasted.usage).collect::<Vec<_>>(), [about(4); 3]);
}

#[tokio::test]
async fn what_the_service_has_counted_counts() {
    let mut piece = text("ANSWER: Os");
    piece["usage"] = json!({"prompt_tokens": 900, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 768}});
    let (_, got) = against(vec![Answer::stream(&[piece])], 1).await;
    let wanted = Usage { prompt_tokens: 900, cached_prompt_tokens: 768, completion_tokens: 3, estimated: true, ..Usage::default() };
    assert_eq!(got.wasted()[0].usage, wanted, "more came than it had counted");
}

#[tokio::test]
async fn a_refusal_costs_nothing() {
    let overload = json!({"error": {"type": "overloaded_error", "message": "Overloaded"}});
    for refusal in [
        Answer::error(400, "no"),
        Answer::error(401, "no"),
        Answer::error(429, "slow"),
        Answer::error(500, "broken"),
        Answer::new(200, &overload),
        Answer::stream(&[&overload]),
        Answer::hang_up(),
        Answer::raw_stream(""),
        Answer::new(200, "<html><meta name=\"content\" content=\"x\"></html>"),
    ] {
        let (_, got) = against(vec![refusal.clone()], 1).await;
        assert!(got.result.is_err() && got.wasted().is_empty(), "{refusal:?}: {:?}", got.wasted());
        let out = got.wire.iter().filter(|came| matches!(came, OnWire::Underway(0, Some(_)))).count();
        let over = got.wire.iter().filter(|came| matches!(came, OnWire::Underway(0, None))).count();
        assert!(out > 0 && out == over, "{refusal:?}: {out} and {over}");
    }
    let (_, got) = against(vec![Answer::stream(&[text("ANSWER: wrong"), overload])], 1).await;
    assert_eq!(got.wasted().len(), 3, "after text it is no refusal");
}

#[tokio::test]
async fn a_request_without_an_answer_in_time_is_paid() {
    let silent = Server::replies(vec![Answer::texts(&["x"]).after(Duration::from_secs(30))]).await;
    let stalls = Server::replies(vec![Answer::stream(&[text("ANSW")]).then(Duration::from_secs(30), end())]).await;
    for (server, wanted) in [(silent, about(0)), (stalls, about(1))] {
        let limits = ChatConfig { timeout: Duration::from_millis(200), stall: Duration::from_millis(100), ..config(&server) };
        let got = run(&Chat::new(limits).unwrap(), job(1)).await;
        assert_eq!(got.kind(), CallErrorKind::TimedOut);
        assert_eq!(got.wasted().iter().map(|wasted| wasted.usage).collect::<Vec<_>>(), [wanted; 2]);
        assert!(got.wasted().iter().all(|wasted| wasted.took_ms >= 90));
    }
}

#[tokio::test]
async fn a_whole_reply_that_is_cut_is_paid() {
    let said = "x".repeat(4_000);
    let (_, got) = against(vec![Answer::choice(&json!({"content": said}), "stop").cut()], 1).await;
    let usage = got.wasted()[0].usage;
    assert!(usage.prompt_tokens == about(0).prompt_tokens && (450..=520).contains(&usage.completion_tokens), "{usage:?}");
}

/// Who drops a call that is out knows what it has taken.
#[tokio::test]
async fn what_is_out_says_what_it_takes() {
    let server = Server::replies(vec![Answer::stream(&[text("ANSW")]).then(Duration::from_secs(60), end())]).await;
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(adapter(&server).complete(job(1), Arc::new(move |came| drop(sender.send(came)))));
    let mut told = Vec::new();
    while told.len() < 2 {
        match tokio::time::timeout(Duration::from_secs(10), receiver.recv()).await.unwrap().unwrap() {
            OnWire::Underway(request, so_far) => told.push((request, so_far)),
            OnWire::Piece(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told, [(0, Some(about(0))), (0, Some(about(1)))]);
    call.abort();
}
