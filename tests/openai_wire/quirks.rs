//! What servers refuse or ignore: learnt once, said once, and no sample is missing in the end.

use super::server::{Answer, Seen, Server};
use super::{Outcome, adapter, config, job, run};
use serde_json::json;
use tree_of_traversals::calls::Form;
use tree_of_traversals::llm::{Ability, Chat, ChatConfig, LanguageModel};

/// A server that gives one choice, whatever `n` is; the text names the seed.
fn one_choice(seen: &Seen) -> Answer {
    Answer::texts(&[&format!("seed {}", seen.body["seed"])])
}

fn ns(server: &Server) -> Vec<usize> {
    server.seen().iter().map(Seen::n).collect()
}

async fn twice(server: &Server, slots: u32) -> (Chat, Outcome, Outcome) {
    let model = adapter(server);
    let first = run(&model, job(slots)).await;
    let second = run(&model, job(slots)).await;
    (model, first, second)
}

#[tokio::test]
async fn e01_n_ignored_is_made_up_by_more_requests_and_learnt() {
    let server = Server::start(|_, seen| one_choice(seen)).await;
    let (model, first, second) = twice(&server, 3).await;
    assert_eq!(first.texts(), ["seed 100", "seed 101", "seed 102"]);
    assert_eq!(second.texts(), ["seed 100", "seed 101", "seed 102"]);
    assert_eq!(ns(&server), [3, 1, 1, 1, 1, 1], "n is tried once");
    assert_eq!((first.replies.len(), first.usage().prompt_tokens, first.usage().completion_tokens), (3, 2700, 15));
    assert_eq!(first.tries() + second.tries(), 6);
    assert!(!server.seen()[3].has("n"));
    assert_eq!(model.notes().len(), 1, "{:?}", model.notes());
}

#[tokio::test]
async fn e01_n_refused_is_made_up_by_more_requests_and_learnt() {
    let server =
        Server::start(|_, seen| if seen.n() > 1 { Answer::error(400, "Only one completion choice is allowed") } else { one_choice(seen) })
            .await;
    let (model, first, second) = twice(&server, 3).await;
    assert_eq!(first.texts(), ["seed 100", "seed 101", "seed 102"]);
    assert_eq!(second.texts().len(), 3);
    assert_eq!(ns(&server), [3, 1, 1, 1, 1, 1, 1]);
    assert_eq!(first.tries(), 4, "the refused request is counted");
    assert!(model.notes()[0].contains("one sample a request"));
}

#[tokio::test]
async fn e01_many_slots_are_asked_for_four_at_once() {
    let server = Server::start(|_, seen| one_choice(seen).after(std::time::Duration::from_millis(30))).await;
    let got = run(&adapter(&server), job(12)).await;
    let wanted: Vec<String> = (100..112).map(|s| format!("seed {s}")).collect();
    assert_eq!(got.texts(), wanted);
    assert_eq!((server.count(), server.peak()), (12, 4));
}

#[tokio::test]
async fn a_bound_on_n_is_kept_to() {
    // llama.cpp with four places.
    let server = Server::start(|_, seen| match seen.n() {
        n if n > 4 => Answer::new(
            400,
            json!({"error": {"code": 400, "type": "invalid_request_error", "message": format!("Field 'n': Value must be between 1 <= value <= 4, but got {n}")}}),
        ),
        n => Answer::texts(&["x", "y", "z", "w"][..n]),
    })
    .await;
    let (model, first, second) = twice(&server, 6).await;
    let (mut firsts, mut seconds) = (ns(&server)[..3].to_vec(), ns(&server)[3..].to_vec());
    firsts[1..].sort_unstable();
    seconds.sort_unstable();
    assert_eq!((firsts, seconds), (vec![6, 2, 4], vec![2, 4]));
    assert_eq!(first.texts(), ["x", "y", "z", "w", "x", "y"]);
    assert_eq!((second.texts().len(), second.usage().completion_tokens), (6, 30));
    let seeds: Vec<_> = server.seen()[1..3].iter().map(|s| s.body["seed"].as_u64().unwrap()).collect();
    assert!(seeds.contains(&100) && seeds.contains(&104), "each request has the seed of its first slot: {seeds:?}");
    assert!(model.notes()[0].contains("up to 4 samples"), "{:?}", model.notes());
}

#[tokio::test]
async fn a_server_that_counts_one_choice_only_is_not_believed() {
    let texts = ["THINK: look at the cast", "EXPAND: the film", "ANSWER: nobody knows that"];
    let choices: Vec<_> = texts.iter().map(|t| json!({"finish_reason": "stop", "message": {"content": t}})).collect();
    let body = json!({"choices": choices, "usage": {"prompt_tokens": 40, "completion_tokens": 6}, "timings": {"predicted_n": 6}});
    let server = Server::replies(vec![Answer::new(200, body)]).await;
    let got = run(&adapter(&server), job(3)).await;
    assert_eq!(got.texts(), texts);
    let usage = got.replies[0].usage.unwrap();
    assert!(usage.estimated && usage.completion_tokens == 6 + 4 + 7, "{usage:?}");
}

/// A model that refuses, one after the other, what newer models refuse.
fn newer(seen: &Seen) -> Answer {
    let refuse =
        |message: &str, param: &str, code: &str| Answer::new(400, json!({"error": {"message": message, "param": param, "code": code}}));
    if seen.has("max_tokens") {
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        return refuse(message, "max_tokens", "unsupported_parameter");
    }
    if seen.has("stop") {
        return refuse("Unsupported parameter: 'stop' is not supported with this model.", "stop", "unsupported_parameter");
    }
    if seen.has("temperature") {
        let message = "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.";
        return refuse(message, "temperature", "unsupported_value");
    }
    let said: Vec<&str> = vec!["\n\nTHINK: a\nTHINK: b"; seen.n()];
    Answer::texts(&said)
}

#[tokio::test]
async fn e02_refused_parameters_are_replaced_or_dropped_once() {
    let server = Server::start(|_, seen| newer(seen)).await;
    let (model, first, second) = twice(&server, 2).await;
    assert_eq!(first.texts(), ["\n\nTHINK: a", "\n\nTHINK: a"], "the stop string is applied here, after leading white space");
    assert_eq!(second.texts().len(), 2);
    assert_eq!((server.count(), first.tries(), second.tries()), (5, 4, 1));
    let last = &server.seen()[4];
    assert_eq!(last.body["max_completion_tokens"], 100);
    assert!(!last.has("max_tokens") && !last.has("stop") && !last.has("temperature") && last.has("seed"));
    let notes = model.notes();
    assert_eq!(notes.len(), 1, "one note: {notes:?}");
    assert!(["max_completion_tokens", "stop", "temperature"].iter().all(|w| notes[0].contains(w)), "{notes:?}");
}

#[tokio::test]
async fn e02_calls_in_parallel_learn_together() {
    let server = Server::start(|_, seen| newer(seen).after(std::time::Duration::from_millis(10))).await;
    let model = adapter(&server);
    for got in futures_util::future::join_all((0..4).map(|_| run(&model, job(1)))).await {
        assert_eq!(got.texts(), ["\n\nTHINK: a"]);
    }
    assert_eq!(run(&model, job(1)).await.tries(), 1);
    assert_eq!(model.notes().len(), 1);
}

#[tokio::test]
async fn e02_a_seed_that_is_refused_in_other_words_is_dropped() {
    let body = json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]});
    let server = Server::start(move |_, seen| if seen.has("seed") { Answer::new(422, &body) } else { Answer::texts(&["x"]) }).await;
    let (_, first, second) = twice(&server, 1).await;
    assert_eq!((first.texts(), second.texts(), server.count()), (vec!["x".to_owned()], vec!["x".to_owned()], 3));
}

#[tokio::test]
async fn a_refused_system_role_is_folded_into_the_question() {
    let server = Server::start(|_, seen| {
        if seen.body["messages"][0]["role"] == "system" { Answer::error(500, "System role not supported") } else { Answer::texts(&["x"]) }
    })
    .await;
    let (_, first, second) = twice(&server, 1).await;
    assert_eq!((first.tries(), second.tries()), (2, 1));
    assert_eq!(server.seen()[2].body["messages"], json!([{"role": "user", "content": "Walk the graph.\n\nWho?\n\nAct."}]));
}

#[tokio::test]
async fn a_server_that_refuses_again_what_was_dropped_is_not_asked_for_ever() {
    let server = Server::replies(vec![Answer::error(400, "'temperature' is not supported")]).await;
    let got = run(&adapter(&server), job(1)).await;
    assert_eq!(server.count(), 2);
    assert!(got.error().message.contains("'temperature' is not supported"), "{}", got.error());
}

/// A reply of one token for each word of `text`, where log-probabilities are asked for.
fn with_logs(seen: &Seen, text: &str) -> Answer {
    let words: Vec<_> = text.split_inclusive(' ').map(|word| json!({"token": word, "logprob": -0.5, "top_logprobs": []})).collect();
    let logs = if seen.body["logprobs"] == true { json!({"content": words}) } else { json!(null) };
    let choice = json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}, "logprobs": logs});
    Answer::new(200, json!({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}))
}

fn wanting_logs(server: &Server) -> Chat {
    Chat::new(ChatConfig { log_probabilities: true, ..config(server) }).unwrap()
}

#[tokio::test]
async fn log_probabilities_come_with_the_text_up_to_where_it_is_cut() {
    let server = Server::start(|_, seen| with_logs(seen, "ANSWER: Oslo\nand more")).await;
    let plain = run(&adapter(&server), job(1)).await;
    assert!(plain.sample().tokens.is_empty() && !server.seen()[0].has("logprobs"), "they are not asked for unasked");
    let model = wanting_logs(&server);
    let sample = run(&model, job(1)).await.sample();
    assert_eq!(sample.text.as_deref(), Some("ANSWER: Oslo"));
    let tokens: Vec<(&str, i32)> = sample.tokens.iter().map(|token| (token.text.as_str(), token.log_milli)).collect();
    assert_eq!(tokens, [("ANSWER: ", -500), ("Oslo\nand ", -500)]);
    assert!((sample.probability().unwrap() - (-0.5_f64).exp()).abs() < 1e-9);
    assert_eq!(model.capabilities().unwrap().log_probabilities, Ability::Proven);
}

#[tokio::test]
async fn log_probabilities_that_are_refused_are_learnt_at_the_first_refusal_and_remembered() {
    for (status, message) in [
        (403, "You are not allowed to request logprobs from this model."),
        (400, "`logprobs` is not supported with this model"),
        (400, "Logprobs is not enabled for models/gemini-2.5-pro"),
        (422, "top_logprobs: Extra inputs are not permitted"),
    ] {
        let refuse = move |_: usize, seen: &Seen| {
            if seen.has("logprobs") { Answer::error(status, message) } else { Answer::texts(&["ANSWER: Oslo"]) }
        };
        let server = Server::start(refuse).await;
        let folder = tempfile::tempdir().unwrap();
        let model = || {
            let learned = Some(folder.path().join("learned.json"));
            Chat::new(ChatConfig { log_probabilities: true, learned, ..config(&server) }).unwrap()
        };
        let first = model();
        assert_eq!((run(&first, job(1)).await.tries(), run(&first, job(1)).await.tries()), (2, 1), "{message}");
        assert_eq!(first.capabilities().unwrap().log_probabilities, Ability::Refused);
        assert!(first.notes()[0].contains("no log-probabilities"), "{:?}", first.notes());
        let next_run = model();
        assert_eq!(next_run.capabilities().unwrap().log_probabilities, Ability::Refused);
        assert_eq!((run(&next_run, job(1)).await.tries(), server.count()), (1, 4));
    }
}

#[tokio::test]
async fn log_probabilities_that_are_left_out_are_asked_for_once_in_a_run() {
    let server = Server::start(|_, _| Answer::texts(&["ANSWER: Oslo"])).await;
    let folder = tempfile::tempdir().unwrap();
    let learned = || Some(folder.path().join("learned.json"));
    let model = Chat::new(ChatConfig { log_probabilities: true, learned: learned(), ..config(&server) }).unwrap();
    assert_eq!((run(&model, job(1)).await.texts(), run(&model, job(1)).await.tries()), (vec!["ANSWER: Oslo".to_owned()], 1));
    assert_eq!(model.capabilities().unwrap().log_probabilities, Ability::Refused);
    let asked: Vec<bool> = server.seen().iter().map(|seen| seen.has("logprobs")).collect();
    assert_eq!(asked, [true, false]);
    // The next version of the server may give them.
    let next_run = Chat::new(ChatConfig { log_probabilities: true, learned: learned(), ..config(&server) }).unwrap();
    assert_eq!(next_run.capabilities().unwrap().log_probabilities, Ability::Unknown);
}

#[tokio::test]
async fn a_question_that_is_to_learn_has_everything_that_may_be_refused() {
    let server = Server::start(|_, seen| with_logs(seen, "{\"entities\":[\"ready\"]}")).await;
    let model = Chat::new(ChatConfig { probe: true, ..config(&server) }).unwrap();
    let mut job = job(1);
    (job.request.form, job.request.stop) = (Some(Form::Entities(vec!["ready".to_owned()])), vec!["###".to_owned()]);
    let _ = run(&model, job).await.sample();
    let seen = &server.seen()[0];
    assert!(["stop", "response_format", "logprobs", "seed", "temperature", "stream"].iter().all(|field| seen.has(field)), "{}", seen.body);
    let can = model.capabilities().unwrap();
    let learnt = [can.stop, can.structured, can.log_probabilities, can.seed, can.temperature, can.limit_taken];
    assert_eq!(learnt, [Ability::Proven; 6]);
}
