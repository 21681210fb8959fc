//! Replies in pieces: shown as they come, whole in the end, thrown away when they break.

use super::server::{Answer, Seen, Server};
use super::{Outcome, adapter, against, config, job, run};
use serde_json::{Value, json};
use std::time::Duration;
use tree_of_traversals::calls::{CallErrorKind, Piece};
use tree_of_traversals::llm::{Chat, ChatConfig, LanguageModel, OnWire};

fn delta(index: u32, delta: &Value, finish: Option<&str>) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]})
}

fn text(index: u32, text: &str) -> Value {
    delta(index, &json!({"content": text}), None)
}

fn end(index: u32) -> Value {
    delta(index, &json!({}), Some("stop"))
}

fn usage() -> Value {
    json!({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 768}}})
}

/// The text of a slot that was shown and not thrown away again.
fn shown(got: &Outcome, wanted: u32, of_reasoning: bool) -> String {
    let mut text = String::new();
    for came in &got.wire {
        match came {
            OnWire::Piece(Piece { slot, reasoning, text: more }) if *slot == wanted && *reasoning == of_reasoning => text.push_str(more),
            OnWire::Dropped(slots) if slots.contains(&wanted) => text.clear(),
            _ => {}
        }
    }
    text
}

fn dropped(got: &Outcome) -> Vec<Vec<u32>> {
    got.wire.iter().filter_map(|came| if let OnWire::Dropped(slots) = came { Some(slots.clone()) } else { None }).collect()
}

#[tokio::test]
async fn several_choices_come_in_one_stream() {
    let role = delta(0, &json!({"role": "assistant", "content": ""}), None);
    let events = [role, text(1, "THINK"), text(0, "ANSWER: "), text(1, ": b"), text(0, "Oslo"), end(1), end(0), usage()];
    let events: Vec<String> = events.iter().map(Value::to_string).chain(["[DONE]".to_owned()]).collect();
    let (server, got) = against(vec![Answer::stream(&events)], 2).await;
    assert_eq!(got.texts(), ["ANSWER: Oslo", "THINK: b"]);
    assert_eq!((shown(&got, 0, false), shown(&got, 1, false)), ("ANSWER: Oslo".to_owned(), "THINK: b".to_owned()));
    assert_eq!((server.count(), got.replies.len(), got.usage().completion_tokens, dropped(&got).len()), (1, 1, 5, 0));
    let usage = got.replies[0].usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.cached_prompt_tokens, usage.estimated), (900, 768, false));
}

#[tokio::test]
async fn pieces_are_shown_before_the_reply_is_whole() {
    let events = [delta(0, &json!({"reasoning_content": "hm"}), None), text(0, "ANSW")];
    let answer = Answer::stream(&events).then(Duration::from_secs(60), end(0));
    let server = Server::replies(vec![answer]).await;
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let call = adapter(&server).complete(job(1), std::sync::Arc::new(move |came| drop(sender.send(came))));
    let call = tokio::spawn(call);
    let mut next = async || loop {
        match tokio::time::timeout(Duration::from_secs(10), receiver.recv()).await.unwrap().unwrap() {
            OnWire::Underway(..) => {}
            came => return came,
        }
    };
    assert_eq!(next().await, OnWire::Piece(Piece { slot: 0, reasoning: true, text: "hm".to_owned() }));
    assert_eq!(next().await, OnWire::Piece(Piece { slot: 0, reasoning: false, text: "ANSW".to_owned() }));
    // Cancelling closes the connection: the server sees it, and does not go on writing.
    call.abort();
    for _ in 0..200 {
        if server.left() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((server.count(), server.left()), (1, 1));
}

#[tokio::test]
async fn e06_a_stream_without_its_end_is_no_reply() {
    let cut = Answer::stream(&[text(0, "ANSWER: Os")]);
    let whole = Answer::stream(&[text(0, "ANSWER: Oslo"), end(0)]);
    let (server, got) = against(vec![cut.clone(), whole], 1).await;
    assert_eq!((got.texts(), server.count()), (vec!["ANSWER: Oslo".to_owned()], 2), "(a) is repeated, (b) is complete without [DONE]");
    assert_eq!((dropped(&got), shown(&got, 0, false)), (vec![vec![0]], "ANSWER: Oslo".to_owned()));
    let (server, got) = against(vec![cut], 1).await;
    assert_eq!((got.kind(), server.count(), got.replies.len()), (CallErrorKind::BadReply, 3, 0));
    assert!(got.error().message.contains("ended in the midst"), "{}", got.error());
}

#[tokio::test]
async fn e06_the_last_event_needs_no_blank_line() {
    let body = format!("data: {}\n\ndata: {}", text(0, "ANSWER: Oslo"), end(0));
    let (server, got) = against(vec![Answer::raw_stream(&body)], 1).await;
    assert_eq!((got.texts(), server.count()), (vec!["ANSWER: Oslo".to_owned()], 1));
    assert!(got.replies[0].usage.unwrap().estimated, "nothing was counted");
}

#[tokio::test]
async fn one_choice_that_did_not_end_spoils_the_reply() {
    let (_, got) = against(vec![Answer::stream(&[text(0, "a"), text(1, "b"), end(0)])], 2).await;
    assert_eq!(got.kind(), CallErrorKind::BadReply);
}

#[tokio::test]
async fn e05_an_error_in_a_stream_throws_away_what_came() {
    let overload = json!({"error": {"type": "overloaded_error", "message": "Overloaded"}});
    let broken = Answer::stream(&[text(0, "ANSWER: wrong"), overload]);
    let whole = Answer::stream(&[text(0, "ANSWER: Oslo"), end(0)]);
    let (server, got) = against(vec![broken.clone(), whole], 1).await;
    assert_eq!((got.texts(), got.tries(), server.count()), (vec!["ANSWER: Oslo".to_owned()], 2, 2));
    assert_eq!((dropped(&got), shown(&got, 0, false)), (vec![vec![0]], "ANSWER: Oslo".to_owned()));
    let (server, got) = against(vec![broken], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::Server, 3));
    assert!(got.error().message.contains("Overloaded") && !got.error().message.contains('{'), "{}", got.error());
}

#[tokio::test]
async fn too_long_in_a_stream_keeps_its_meaning() {
    let error = json!({"error": {"code": "context_length_exceeded", "message": "too long"}});
    let (server, got) = against(vec![Answer::stream(&[error])], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::TooLong, 1));
}

#[tokio::test]
async fn a_stream_that_stalls_is_given_up() {
    let stalls = Answer::stream(&[text(0, "ANSW")]).then(Duration::from_secs(30), end(0));
    let server = Server::replies(vec![stalls]).await;
    let model = Chat::new(ChatConfig { stall: Duration::from_millis(120), ..config(&server) }).unwrap();
    let got = run(&model, job(1)).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::TimedOut, 2));
    let said = &got.error().message;
    assert!(said.contains("began its answer and sent nothing more for 0.12 s") && !said.contains("no answer"), "{said}");
    assert_eq!(dropped(&got).len(), 2);
}

#[tokio::test]
async fn pings_do_not_make_up_for_a_first_text_that_never_comes() {
    let ping = || (Duration::from_millis(40), ": PROCESSING");
    let answer = (0..100).fold(Answer::raw_stream(": PROCESSING\n\n"), |answer, _| answer.then(ping().0, ping().1));
    let server = Server::replies(vec![answer]).await;
    let model = Chat::new(ChatConfig { timeout: Duration::from_millis(300), max_tries: 1, ..config(&server) }).unwrap();
    let got = tokio::time::timeout(Duration::from_secs(3), run(&model, job(1))).await.expect("given up in time");
    assert!(matches!(got.kind(), CallErrorKind::TimedOut | CallErrorKind::BadReply), "{}", got.error());
    assert!(!got.error().message.contains("began its answer"), "{}", got.error());
}

#[tokio::test]
async fn what_keeps_a_line_alive_is_no_text() {
    let empty = json!({"choices": []});
    let answer = (0..100).fold(Answer::stream(&[text(0, "ANSW")]), |answer, _| answer.then(Duration::from_millis(40), &empty));
    let server = Server::replies(vec![answer]).await;
    let model = Chat::new(ChatConfig { stall: Duration::from_millis(200), max_tries: 1, ..config(&server) }).unwrap();
    let got = tokio::time::timeout(Duration::from_secs(2), run(&model, job(1))).await.expect("given up in time");
    assert_eq!(got.kind(), CallErrorKind::TimedOut);
}

#[tokio::test]
async fn a_whole_reply_in_the_place_of_a_stream_is_read_and_paid_once() {
    let whole = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "ANSWER: Oslo"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 3}});
    let (server, got) = against(vec![Answer::raw_stream(&format!("\n{whole}"))], 1).await;
    assert_eq!(got.texts(), ["ANSWER: Oslo"]);
    assert_eq!((server.count(), got.usage().prompt_tokens, got.usage().completion_tokens), (1, 9, 3));
}

#[tokio::test]
async fn a_long_stream_may_take_longer_than_the_limit_for_its_first_text() {
    let answer = (0..8).fold(Answer::stream(&[text(0, "a")]), |answer, _| answer.then(Duration::from_millis(60), text(0, "b")));
    let server = Server::replies(vec![answer.then(Duration::ZERO, end(0))]).await;
    let model = Chat::new(ChatConfig { timeout: Duration::from_millis(300), ..config(&server) }).unwrap();
    assert_eq!(run(&model, job(1)).await.texts(), ["abbbbbbbb"]);
}

#[tokio::test]
async fn streaming_that_is_refused_is_learnt() {
    let server = Server::start(|_, seen: &Seen| match (seen.has("stream_options"), seen.has("stream")) {
        (true, _) => Answer::error(400, "Unrecognized request argument supplied: stream_options"),
        (_, true) => Answer::error(400, "'stream' is not supported with this model"),
        _ => Answer::texts(&["x"]),
    })
    .await;
    let model = adapter(&server);
    assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    assert_eq!(run(&model, job(1)).await.tries(), 1);
    assert_eq!(server.count(), 4);
    assert!(model.notes()[0].contains("replies come whole"), "{:?}", model.notes());
}

#[tokio::test]
async fn pieces_of_a_slot_that_is_asked_again_are_thrown_away() {
    // A stop that fires in the reasoning: the slot is asked for again.
    let server = Server::start(|_, seen: &Seen| {
        if seen.has("stop") {
            Answer::stream(&[delta(0, &json!({"reasoning_content": "Let me"}), None), end(0)])
        } else {
            Answer::stream(&[text(0, "THINK: a\nTHINK: b"), end(0)])
        }
    })
    .await;
    let got = run(&adapter(&server), job(1)).await;
    assert_eq!(got.texts(), ["THINK: a"]);
    assert_eq!((dropped(&got), shown(&got, 0, true)), (vec![vec![0]], String::new()));
}

#[tokio::test]
async fn replies_can_be_asked_for_whole() {
    let server = Server::replies(vec![Answer::texts(&["x"])]).await;
    let model = Chat::new(ChatConfig { stream: false, ..config(&server) }).unwrap();
    assert_eq!(run(&model, job(1)).await.texts(), ["x"]);
    assert!(!server.seen()[0].has("stream") && !server.seen()[0].has("stream_options"));
}
