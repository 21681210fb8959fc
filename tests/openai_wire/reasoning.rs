//! Replies that say nothing: reasoning only, null, empty, refused, filtered.

use super::server::{Answer, Seen, Server};
use super::{Outcome, adapter, against, job, run};
use serde_json::{Value, json};
use tree_of_traversals::asm::{Expect, Reply, parse};
use tree_of_traversals::calls::{CallErrorKind, Sample};
use tree_of_traversals::llm::LanguageModel;

fn reasoning_only() -> Answer {
    Answer::choice(&json!({"role": "assistant", "content": null, "reasoning_content": "Let me look at the graph."}), "stop")
}

fn spent() -> Answer {
    let choice = json!({"finish_reason": "length", "message": {"role": "assistant", "content": ""}});
    let usage = json!({"prompt_tokens": 900, "completion_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 10}});
    Answer::new(200, json!({"choices": [choice], "usage": usage}))
}

#[tokio::test]
async fn e03_a_stop_that_fires_in_the_reasoning_is_left_out() {
    let server = Server::start(|_, seen| {
        let said = json!({"content": "THINK: a\nTHINK: b", "reasoning_content": "Let me look.\nYes."});
        if seen.has("stop") { reasoning_only() } else { Answer::choice(&said, "stop") }
    })
    .await;
    let model = adapter(&server);
    let got = run(&model, job(1)).await;
    assert_eq!(got.texts(), ["THINK: a"]);
    assert_eq!(got.samples()[0].1.reasoning.as_deref(), Some("Let me look.\nYes."));
    assert_eq!((server.count(), got.replies.len(), got.usage().prompt_tokens), (2, 2, 1800), "the reply that said nothing is counted too");
    assert!(got.replies[0].samples.is_empty());
    // Learnt: no stop string from now on.
    assert_eq!(run(&model, job(1)).await.texts(), ["THINK: a"]);
    assert_eq!(server.count(), 3);
    assert!(model.notes()[0].contains("stop strings are applied here"), "{:?}", model.notes());
}

#[tokio::test]
async fn e03_reasoning_is_never_taken_for_the_answer() {
    let (server, got) = against(vec![reasoning_only()], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::BadReply, 2));
    assert!(got.samples().is_empty() && got.error().message.contains("reasoned and gave no answer"), "{}", got.error());
}

#[tokio::test]
async fn e03_reasoning_in_tags_is_known_too() {
    let server = Server::start(|_, seen| {
        let whole = "<think>\nhm\n</think>\n\nTHINK: a\nTHINK: b";
        if seen.has("stop") { Answer::texts(&["<think>"]) } else { Answer::texts(&[whole]) }
    })
    .await;
    let got = run(&adapter(&server), job(1)).await;
    assert_eq!(got.texts(), ["<think>\nhm\n</think>\n\nTHINK: a"], "cut after the answer's line, not in the reasoning");
}

#[tokio::test]
async fn a_reply_cut_to_nothing_by_its_first_line_feed_is_asked_for_without_stop() {
    let server = Server::start(|_, seen| Answer::texts(&[if seen.has("stop") { "" } else { "\n0.8\nbecause" }])).await;
    let model = adapter(&server);
    assert_eq!(run(&model, job(1)).await.texts(), ["\n0.8"]);
    // Not a habit of the server: the next call has its stop string again.
    run(&model, job(1)).await;
    let stops: Vec<bool> = server.seen().iter().map(|s| s.has("stop")).collect();
    assert_eq!(stops, [true, false, true, false]);
}

#[tokio::test]
async fn an_empty_reply_without_reasoning_is_a_sample() {
    let (server, got) = against(vec![Answer::texts(&[""])], 1).await;
    assert_eq!((got.texts(), server.count()), (vec![String::new()], 2));
    let (_, got) = against(vec![Answer::choice(&json!({"content": null}), "stop")], 1).await;
    assert_eq!(got.texts(), ["<null>"]);
}

#[tokio::test]
async fn null_and_empty_are_told_apart_in_pieces_too() {
    let (null, empty) = ("<null>".to_owned(), String::new());
    let of = |deltas: &[Value]| {
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        let events = deltas.iter().map(|delta| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}));
        let events: Vec<Value> = events.chain([end]).collect();
        async move { against(vec![Answer::stream(&events)], 1).await.1 }
    };
    let opening = json!({"role": "assistant", "content": ""});
    let (none, nothing) = (json!({"content": null}), json!({"role": "assistant"}));
    for (deltas, text, why) in [
        (vec![opening.clone()], &empty, "the reply is empty"),
        (vec![opening.clone(), json!({"content": ""})], &empty, "the reply is empty"),
        (vec![none.clone()], &null, "the service sent no text"),
        (vec![nothing.clone()], &null, "the service sent no text"),
        // The opening is no text where the service says that there is none.
        (vec![opening.clone(), none.clone()], &null, "the service sent no text"),
        (vec![none.clone(), json!({"content": ""})], &null, "the service sent no text"),
    ] {
        let got = of(&deltas).await;
        assert_eq!(got.texts(), [text.as_str()], "{deltas:?}");
        assert_eq!(read(&got), [Err(why)], "{deltas:?}");
    }
    // A null beside text is none of its pieces.
    let got = of(&[opening, none.clone(), json!({"content": "THINK: "}), none, json!({"content": "x"})]).await;
    assert_eq!(got.texts(), ["THINK: x"]);
}

#[tokio::test]
async fn e04_a_limit_spent_on_reasoning_is_raised_once_and_learnt() {
    let server =
        Server::start(|_, seen| if seen.body["max_tokens"].as_u64().unwrap() < 4096 { spent() } else { Answer::texts(&["ANSWER: Oslo"]) })
            .await;
    let model = adapter(&server);
    let got = run(&model, job(1)).await;
    assert_eq!((got.texts(), got.usage().completion_tokens), (vec!["ANSWER: Oslo".to_owned()], 15));
    run(&model, job(1)).await;
    let limits: Vec<_> = server.seen().iter().map(|s| s.body["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(limits, [100, 4096, 4096]);
    assert!(model.notes()[0].contains("output limits are raised"), "{:?}", model.notes());
}

#[tokio::test]
async fn e04_a_limit_spent_twice_is_an_error_of_its_own() {
    let (server, got) = against(vec![spent()], 1).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::OutputSpent, 2));
    assert!(got.error().message.contains("output limit spent on reasoning"), "{}", got.error());
    assert_eq!(got.usage().completion_tokens, 20);
}

fn mixed(finish: &str, message: &Value) -> Answer {
    let ok = |i: u32| json!({"index": i, "finish_reason": "stop", "message": {"content": "THINK: x"}});
    Answer::new(200, json!({"choices": [ok(0), {"index": 1, "finish_reason": finish, "message": message}, ok(2)]}))
}

#[tokio::test]
async fn one_filtered_sample_among_others_spoils_nothing() {
    let (server, got) = against(vec![mixed("content_filter", &json!({"content": null}))], 3).await;
    assert_eq!(got.texts(), ["THINK: x", "<null>", "THINK: x"]);
    assert_eq!(got.samples()[1].1.finish.as_deref(), Some("content_filter"));
    assert_eq!(server.count(), 1);
    // The sentence of refusal stays to be looked at.
    let (_, got) = against(vec![mixed("stop", &json!({"content": null, "refusal": "I can't."}))], 3).await;
    assert_eq!(got.texts(), ["THINK: x", "I can't.", "THINK: x"]);
    assert_eq!(got.samples()[1].1.finish.as_deref(), Some("refusal"));
}

/// What the reader of completions makes of each sample.
fn read(got: &Outcome) -> Vec<Result<String, &'static str>> {
    let read = |sample: &Sample| match parse(&Expect::Action, sample, &|_| false) {
        Ok(Reply::Action(action)) => Ok(format!("{action:?}")),
        Ok(other) => panic!("{other:?}"),
        Err(unusable) => Err(unusable.why()),
    };
    got.samples().iter().map(|(_, sample)| read(sample)).collect()
}

#[tokio::test]
async fn what_a_filter_left_of_a_reply_is_kept_and_not_read() {
    for (finish, message, why) in [
        ("content_filter", json!({"content": "ANSWER: Chris"}), "the service's content filter took the reply"),
        ("SAFETY", json!({"content": "ANSWER: Chris"}), "the service's content filter took the reply"),
        ("stop", json!({"content": "ANSWER: Chris", "refusal": "I can't."}), "the model refuses to answer"),
    ] {
        let (server, got) = against(vec![mixed(finish, &message)], 3).await;
        assert_eq!((got.texts(), server.count()), (vec!["THINK: x".to_owned(), "ANSWER: Chris".to_owned(), "THINK: x".to_owned()], 1));
        let read = read(&got);
        assert!(read[0].is_ok() && read[2].is_ok(), "{read:?}");
        assert_eq!(read[1], Err(why));
    }
}

/// Of a reply that was taken away Gemini's compatible endpoint says why in the reason, and may send no message at all.
#[tokio::test]
async fn a_reply_that_gemini_filters_is_called_so() {
    let choice = json!({"index": 0, "finish_reason": "content_filter: PROHIBITED_CONTENT"});
    let half = json!({"index": 0, "finish_reason": "content_filter: SAFETY", "message": {"role": "assistant", "content": "ANSWER: Chris"}});
    let piece = json!({"choices": [{"index": 0, "delta": {"content": "ANSWER: Chris"}, "finish_reason": "content_filter: SAFETY"}]});
    for answer in [
        Answer::new(200, json!({"choices": [choice]})),
        Answer::new(200, json!({"choices": [half]})),
        Answer::stream(&[json!({"choices": [choice]}), json!("[DONE]")]),
        Answer::stream(&[piece, json!("[DONE]")]),
    ] {
        let (server, got) = against(vec![answer], 1).await;
        assert_eq!((got.kind(), server.count()), (CallErrorKind::Filtered, 1), "{}", got.error());
    }
}

#[tokio::test]
async fn nothing_but_halves_that_a_filter_left_is_a_filtered_call() {
    for text in ["ANSWER: Chris", "{\"action\":\"ANSWER\",\"text\":\"Chris"] {
        let (server, got) = against(vec![Answer::choice(&json!({"content": text}), "content_filter")], 2).await;
        assert_eq!((got.kind(), got.samples().len(), server.count()), (CallErrorKind::Filtered, 0, 2));
        assert!(got.error().message.contains("content filter of 127.0.0.1 took the reply; rephrase"), "{}", got.error());
        assert_eq!(got.usage().completion_tokens, 14, "they are paid");
    }
}

#[tokio::test]
async fn the_pieces_of_a_filtered_reply_are_taken_back() {
    let chunk = |text: &str, finish: Value| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]});
    let stream = Answer::stream(&[chunk("ANSWER: ", Value::Null), chunk("Chris", json!("content_filter")), json!("[DONE]")]);
    let (_, got) = against(vec![stream], 1).await;
    assert_eq!((got.kind(), got.dropped(), got.shown(0, false)), (CallErrorKind::Filtered, 1, String::new()));
}

#[tokio::test]
async fn a_reply_that_the_service_broke_off_is_asked_for_once_more() {
    for finish in ["error", "insufficient_system_resource", "abort", "ABORT"] {
        let broken = || Answer::choice(&json!({"content": "ANSWER: Chris"}), finish);
        let (server, got) = against(vec![broken(), Answer::texts(&["ANSWER: Oslo"])], 1).await;
        assert_eq!((got.texts(), server.count()), (vec!["ANSWER: Oslo".to_owned()], 2), "{finish}");
        assert_eq!(got.replies.len(), 2, "what was broken off is paid all the same");
        let (server, got) = against(vec![broken()], 1).await;
        assert_eq!((got.kind(), got.samples().len(), server.count()), (CallErrorKind::BadReply, 0, 2), "{finish}");
        let message = &got.error().message;
        assert!(message.contains(&format!("127.0.0.1 broke the reply off, twice: \"{finish}\"; ask again later")), "{message}");
    }
    // Among others: its slot alone is asked for again, then it is a sample that is not read.
    let server = Server::start(|at, _| {
        if at == 0 { mixed("error", &json!({"content": "ANSWER: Ch"})) } else { Answer::choice(&json!({"content": "ANSWER: C"}), "error") }
    })
    .await;
    let got = run(&adapter(&server), job(3)).await;
    assert_eq!((got.samples().len(), server.count()), (3, 2));
    let slot = got.samples().iter().position(|(slot, _)| *slot == 1).unwrap();
    assert_eq!(read(&got)[slot], Err("the service broke the reply off"));
    // An end that nobody knows says nothing.
    let (server, got) = against(vec![Answer::choice(&json!({"content": "ANSWER: Oslo"}), "wibble")], 1).await;
    assert_eq!((got.texts(), server.count()), (vec!["ANSWER: Oslo".to_owned()], 1));
    assert!(read(&got)[0].is_ok());
}

#[tokio::test]
async fn the_pieces_of_a_reply_that_broke_off_are_taken_back() {
    let chunk = |text: &str, finish: Value| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]});
    let broken = Answer::stream(&[chunk("ANSWER: ", Value::Null), chunk("Chr", json!("error")), json!("[DONE]")]);
    let whole = Answer::stream(&[chunk("ANSWER: Oslo", json!("stop")), json!("[DONE]")]);
    let (_, got) = against(vec![broken, whole], 1).await;
    assert_eq!((got.texts(), got.dropped(), got.shown(0, false)), (vec!["ANSWER: Oslo".to_owned()], 1, "ANSWER: Oslo".to_owned()));
}

#[tokio::test]
async fn a_filtered_sample_waits_for_one_with_text() {
    // One choice a request; the first says nothing.
    let server =
        Server::start(
            |at, _: &Seen| {
                if at == 0 { Answer::choice(&json!({"content": null}), "content_filter") } else { Answer::texts(&["THINK: x"]) }
            },
        )
        .await;
    let got = run(&adapter(&server), job(2)).await;
    assert_eq!(got.texts(), ["<null>", "THINK: x"]);
    assert_eq!((got.replies.len(), server.count()), (2, 2), "no reply is reported that was not on the wire");
}

#[tokio::test]
async fn nothing_but_refusals_is_a_refused_call() {
    let refusal = json!({"content": null, "refusal": "I'm sorry, \u{1b}[31mno.\nNever."});
    let (server, got) = against(vec![Answer::choice(&refusal, "stop")], 2).await;
    assert_eq!((got.kind(), server.count()), (CallErrorKind::Refused, 2));
    assert!(got.error().message.contains("\"I'm sorry, [31mno\""), "{}", got.error());
    let (_, got) = against(vec![Answer::choice(&json!({"content": ""}), "content_filter")], 1).await;
    assert_eq!(got.kind(), CallErrorKind::Filtered);
}
