//! The `openai:MODEL` adapter with a real, small model behind llama.cpp's server.
//!
//! `. .ci/model.sh && model_install && model_start && cargo test --test real_model -- --ignored`. The assertions are about
//! structure, never about what the model says: it is tiny.

#[path = "../tui/terminal.rs"]
#[expect(dead_code, reason = "the explorer's tests use the rest")]
mod terminal;
mod walk;

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tree_of_traversals::calls::{About, AskId, CallError, CallErrorKind, Form, LlmReply, LlmRequest, Part, PartKind, PromptKind};
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel, LlmJob, OnWire, Provider};

/// Samples that the server of `.ci/model.sh` gives at once (`n_parallel`).
const AT_ONCE: usize = 4;

/// One test at a time: what shares a batch on the server can change a text's last digits, and the machine is small.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

fn model() -> Chat {
    let url = std::env::var("TOT_TEST_LLM").expect("TOT_TEST_LLM is the URL of a llama.cpp server (see .ci/model.sh)");
    let config = ChatConfig { base_url: Some(url), timeout: Duration::from_secs(300), ..ChatConfig::new(Provider::OpenAi, "local") };
    Chat::new(config).unwrap()
}

/// A question to the model for slots with these seeds.
fn job(text: &str, seeds: &[u64]) -> LlmJob {
    let part = |kind, text: &str| Part { kind, text: text.into() };
    LlmJob {
        ask: AskId(0),
        hash: "".into(),
        nth: 0,
        about: About::default(),
        request: LlmRequest {
            kind: PromptKind::Action,
            model: "local".to_owned(),
            parts: vec![part(PartKind::Instructions, "You are brief."), part(PartKind::Question, text)],
            temperature_milli: 1000,
            stop: Vec::new(),
            max_tokens: 12,
            slots: seeds.iter().enumerate().map(|(i, seed)| (u32::try_from(i).unwrap(), *seed)).collect(),
            form: None,
            form_required: false,
            completion: false,
        },
    }
}

async fn run(model: &Chat, job: LlmJob) -> (Vec<LlmReply>, Result<(), CallError>) {
    let replies: Arc<Mutex<Vec<LlmReply>>> = Arc::default();
    let sink = Arc::clone(&replies);
    let result = model.complete(job, Arc::new(move |came: OnWire| sink.lock().unwrap().extend(came.reply()))).await;
    let replies = replies.lock().unwrap().clone();
    (replies, result)
}

/// Texts by slot of a call that went well.
fn texts(replies: &[LlmReply]) -> Vec<String> {
    let mut all: Vec<(u32, String)> =
        replies.iter().flat_map(|r| &r.samples).map(|(slot, s)| (*slot, s.text.clone().expect("the server sends text"))).collect();
    all.sort();
    assert!(all.iter().enumerate().all(|(i, (slot, _))| i == usize::try_from(*slot).unwrap()), "every slot once: {all:?}");
    all.into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn the_server_is_ready() {
    let _turn = TURN.lock().await;
    let said = model().check().await.unwrap();
    assert_eq!(said, "127.0.0.1 is ready");
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn three_samples_come_in_one_reply() {
    let _turn = TURN.lock().await;
    let (replies, result) = run(&model(), job("Name a city.", &[1, 2, 3])).await;
    assert_eq!(result, Ok(()));
    assert_eq!((texts(&replies).len(), replies.len(), replies[0].tries), (3, 1, 1));
    let usage = replies[0].usage.unwrap();
    assert!(usage.prompt_tokens > 5 && usage.completion_tokens > 0, "{usage:?}");
    assert!(usage.estimated, "this server counts one choice of three: {usage:?}");
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn the_pieces_of_a_stream_are_the_reply() {
    let _turn = TURN.lock().await;
    let shown: Arc<Mutex<[String; 3]>> = Arc::default();
    let (sink, replies) = (Arc::clone(&shown), Arc::new(Mutex::new(Vec::new())));
    let whole = Arc::clone(&replies);
    let wire = move |came: OnWire| match came {
        OnWire::Piece(piece) => sink.lock().unwrap()[usize::try_from(piece.slot).unwrap()].push_str(&piece.text),
        OnWire::Dropped(slots) => panic!("nothing was to be thrown away: {slots:?}"),
        OnWire::Reply(reply) => whole.lock().unwrap().push(reply),
        OnWire::Kept { .. } => panic!("nothing is kept"),
        OnWire::Underway(..) => {}
        OnWire::Wasted(_, wasted) => panic!("nothing was to break off: {wasted:?}"),
    };
    let model = model();
    assert_eq!(model.complete(job("Name a city.", &[1, 2, 3]), Arc::new(wire)).await, Ok(()));
    assert_eq!(texts(&replies.lock().unwrap()), *shown.lock().unwrap());
    let known = model.capabilities().unwrap();
    assert_eq!((known.streaming, known.samples), (Ability::Proven, Ability::Proven));
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_form_is_kept_to() {
    let _turn = TURN.lock().await;
    let model = model();
    let mut job = job("Which relation?", &[1, 2, 3, 4]);
    (job.request.form, job.request.max_tokens) = (Some(Form::Relation(vec!["P57".to_owned(), "~P161".to_owned()])), 40);
    let (replies, result) = run(&model, job).await;
    assert_eq!(result, Ok(()));
    for text in texts(&replies) {
        let said: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON: {text:?}"));
        assert!(said == serde_json::json!({"relation": "P57"}) || said == serde_json::json!({"relation": "~P161"}), "{text}");
    }
    assert_eq!(model.capabilities().unwrap().structured, Ability::Proven);
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_text_is_continued_without_a_template() {
    let _turn = TURN.lock().await;
    let mut job = job("The capital of France is", &[1]);
    (job.request.completion, job.request.temperature_milli) = (true, 0);
    let (replies, result) = run(&model(), job).await;
    assert_eq!(result, Ok(()));
    assert!(!texts(&replies)[0].trim().is_empty());
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn more_samples_than_the_server_gives_at_once_all_come() {
    let _turn = TURN.lock().await;
    let model = model();
    let seeds: Vec<u64> = (1..=6).collect();
    let (replies, result) = run(&model, job("Name a river.", &seeds)).await;
    assert_eq!(result, Ok(()));
    assert_eq!(texts(&replies).len(), 6);
    // The server closes its connections after a stream: a request that met that was sent twice.
    let sent = |replies: &[LlmReply]| replies.iter().map(|r| r.tries).sum::<u32>();
    assert!(replies.len() == 2 && (3..=5).contains(&sent(&replies)), "one refused, then 4 + 2: {replies:?}");
    let notes = model.notes();
    assert!(notes[0].contains(&format!("up to {AT_ONCE} samples")), "{notes:?}");
    let (replies, result) = run(&model, job("Name a river.", &seeds)).await;
    assert_eq!((result, replies.len(), model.notes()), (Ok(()), 2, notes), "learnt");
    assert!(sent(&replies) <= 4, "{replies:?}");
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_seed_brings_the_same_text_again() {
    let _turn = TURN.lock().await;
    let model = model();
    let mut said = Vec::new();
    for seed in [7, 7, 8, 9, u64::MAX] {
        let (replies, result) = run(&model, job("Tell me something about the sea.", &[seed])).await;
        assert_eq!(result, Ok(()));
        said.push(texts(&replies).remove(0));
    }
    assert_eq!(said[0], said[1], "seed 7 twice");
    assert!(said[2..].iter().any(|text| *text != said[0]), "other seeds: {said:?}");
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_prompt_that_is_too_long_is_told_so() {
    let _turn = TURN.lock().await;
    let (replies, result) = run(&model(), job(&"city ".repeat(4_000), &[1])).await;
    assert_eq!(result.unwrap_err().kind, CallErrorKind::TooLong);
    assert!(replies.is_empty());
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_stop_string_ends_the_sample() {
    let _turn = TURN.lock().await;
    let model = model();
    let mut job = job("Count from one to ten in words.", &[1, 2, 3]);
    job.request.stop = vec![" ".to_owned()];
    let (replies, result) = run(&model, job).await;
    assert_eq!(result, Ok(()));
    for text in texts(&replies) {
        assert!(!text.trim_start().contains(' '), "{text:?}");
    }
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_dropped_call_leaves_the_server_free() {
    let _turn = TURN.lock().await;
    let model = model();
    let mut long = job("Write a long story.", &[1, 2, 3, 4]);
    long.request.max_tokens = 1_500;
    let call = model.complete(long, Arc::new(|_| {}));
    assert!(tokio::time::timeout(Duration::from_millis(700), call).await.is_err(), "6,000 tokens take longer");
    let (replies, result) = run(&model, job("Name a city.", &[1, 2, 3, 4])).await;
    assert_eq!((result, texts(&replies).len()), (Ok(()), 4));
}
