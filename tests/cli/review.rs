//! `tot review`: the model judges facts, the session is added to, and nothing else is asked.

use crate::server::{Server, model};
use crate::support::{Home, finish};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// The question, answered by the built-in model.
fn answered(home: &Home) -> String {
    let session = home.arg("s.jsonl");
    home.run(&["ask", "Which actor played in both Inception and Interstellar?", "--session", &session, "--quiet"]).ends(0);
    session
}

/// A model that doubts every fact about a `word` and finds the others sound; a fact a prompt.
fn judge(word: &'static str) -> Server {
    Server::start(move |_, request| {
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let prompt: String = body["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect();
        let fact = prompt.lines().find_map(|line| line.strip_prefix("Fact: ")).unwrap_or_default();
        let doubtful = fact.contains(word);
        let text = if doubtful { "Reason: \u{1b}[31mI doubt it.\nVerdict: doubtful" } else { "Reason: well known\nVerdict: sound" };
        let text = if body["response_format"].is_null() {
            text.to_owned()
        } else {
            json!({"reason": if doubtful { "\u{1b}[31mI doubt it." } else { "well known" }, "verdict": if doubtful { "doubtful" } else { "sound" }})
                .to_string()
        };
        let choice = json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}});
        let reply = json!({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}});
        ("200 OK", "application/json", reply.to_string())
    })
}

#[test]
fn another_model_judges_each_fact_and_the_session_keeps_it() {
    let home = Home::new();
    let session = answered(&home);
    let judge = judge("Interstellar");
    let url = format!("http://{}/v1", judge.host);
    let before = std::fs::read_to_string(&session).unwrap();
    let ran = home.run(&["review", &session, "--llm", "openai:judge", "--llm-url", &url]).ends(0).clean();
    assert!(ran.out.contains("judged by openai:judge") && ran.out.contains("doubtful: [31mI doubt it."), "{ran:#?}");
    let after = std::fs::read_to_string(&session).unwrap();
    assert!(after.starts_with(&before) && after.contains(r#""reviewed":"#));
    let facts = after[before.len()..].matches(r#""verdict":"#).count();
    assert!(facts > 1 && judge.seen().len() == facts, "a call a fact, and no other: {}", judge.seen().len());
    // As JSON, of a node that is named; a second review is a new one.
    let shown = home.run(&["show", &session, "--json"]).json();
    assert_eq!(shown["review"]["facts"].as_array().unwrap().len(), facts);
    let node = shown["review"]["node"].to_string();
    let out = home.run(&["review", &session, "--node", &node, "--llm", "openai:judge", "--llm-url", &url, "--json"]).ends(0).json();
    let verdicts: Vec<&str> = out["facts"].as_array().unwrap().iter().map(|fact| fact["verdict"].as_str().unwrap()).collect();
    assert!(verdicts.contains(&"doubtful") && verdicts.contains(&"sound"), "{out}");
    assert_eq!((&out["model"], &out["session"]), (&json!("openai:judge"), &json!(session)));
    assert_eq!(judge.seen().len(), facts * 2);
    // It replays without a model, and the answer is told with what was found.
    home.run(&["replay", "--check", &session]).ends(0);
    assert!(home.run(&["show", &session]).ends(0).clean().out.contains("; doubtful: [31mI doubt it.)"));
    // The session still goes on with its own model, and is at its end.
    let count = judge.seen().len();
    home.run(&["ask", "--resume", &session, "--quiet"]).ends(0);
    assert_eq!(judge.seen().len(), count);
}

#[test]
fn the_session_s_own_model_judges_and_the_built_in_one_says_that_it_can_t() {
    let home = Home::new();
    let session = answered(&home);
    let ran = home.run(&["review", &session]).ends(0).says(&["the built-in model knows no facts", "--llm"]).clean();
    assert!(ran.out.contains(" 0 doubtful, ") && ran.out.contains("unknown: the built-in model compares words"), "{ran:#?}");
}

#[test]
fn who_does_not_know_takes_no_verdict_back() {
    let home = Home::new();
    let session = answered(&home);
    let judge = judge("Interstellar");
    let url = format!("http://{}/v1", judge.host);
    home.run(&["review", &session, "--llm", "openai:judge", "--llm-url", &url]).ends(0);
    let ran = home.run(&["review", &session]).ends(0).clean();
    assert!(ran.out.contains("judged by lexical") && ran.out.contains(" 0 doubtful, "), "{ran:#?}");
    assert!(ran.out.contains("what was said before stands: doubtful: [31mI doubt it., by openai:judge"), "{ran:#?}");
    // Who said what, and when; and that another one did not know.
    let shown = home.run(&["show", &session]).ends(0).clean().out;
    assert!(
        shown.contains("; doubtful: [31mI doubt it. (openai:judge, 20") && shown.contains("; sound: well known (openai:judge, "),
        "{shown}"
    );
    assert!(shown.contains(" UTC; lexical, asked later, did not know)") && !shown.contains("unknown:"), "{shown}");
    let review = home.run(&["show", &session, "--json"]).json()["review"].clone();
    assert_eq!(review["model"], "lexical");
    for fact in review["facts"].as_array().unwrap() {
        assert!(fact["verdict"] != "unknown" && fact["model"] == "openai:judge" && fact["at"].is_u64(), "{fact}");
        assert_eq!((&fact["last"]["verdict"], &fact["last"]["model"]), (&json!("unknown"), &json!("lexical")));
    }
    // The explorer's Evidence says the same.
    let mut looked = home.tot(&["replay", "--plain", &session]).stdin(Stdio::piped()).spawn().unwrap();
    looked.stdin.take().unwrap().write_all(format!("{}\nevidence\n", review["node"]).as_bytes()).unwrap();
    let evidence = finish(looked).ends(0).clean().out;
    assert!(evidence.contains("doubtful: [31mI doubt it.") && evidence.contains("lexical, asked later, did not know"), "{evidence}");
    assert!(evidence.contains("A fact that you doubt too"), "{evidence}");
    // Who knows better is the last to be heard.
    let other = self::judge("nothing is doubted");
    let url = format!("http://{}/v1", other.host);
    home.run(&["review", &session, "--llm", "openai:other", "--llm-url", &url]).ends(0);
    let shown = home.run(&["show", &session]).ends(0).out;
    assert!(shown.contains("; sound: well known)") && !shown.contains("doubt"), "{shown}");
}

#[test]
fn what_can_t_be_judged_is_said_and_leaves_the_session_as_it_was() {
    let home = Home::new();
    let session = answered(&home);
    home.run(&["review", &session, "--node", "0"]).ends(2).says(&["only an answer rests on facts"]);
    home.run(&["review", &session, "--node", "4000"]).ends(2).says(&["node 4000"]);
    home.run(&["review", &home.arg("none.jsonl")]).ends(1);
    home.run(&["review", &session, "--llm", "opnai:x"]).ends(1).says(&["did you mean `openai`?"]);
    let before = std::fs::read_to_string(&session).unwrap();
    // A service that fails: the review is taken back, and can be asked for again.
    let broke = Server::start(|_, _| {
        let body = json!({"error": {"message": "Incorrect API key provided", "type": "invalid_request_error", "code": "invalid_api_key"}});
        ("401 Unauthorized", "application/json", body.to_string())
    });
    let url = format!("http://{}/v1", broke.host);
    home.run(&["review", &session, "--llm", "openai:judge", "--llm-url", &url]).ends(1).says(&["key", "nothing was judged"]);
    assert!(std::fs::read_to_string(&session).unwrap().len() > before.len());
    let shown = home.run(&["show", &session, "--json"]).json();
    assert_eq!((&shown["review"], &shown["halted"], &shown["outcome"]), (&Value::Null, &Value::Null, &json!("answered")));
    let judge = judge("Interstellar");
    let url = format!("http://{}/v1", judge.host);
    home.run(&["review", &session, "--llm", "openai:judge", "--llm-url", &url]).ends(0);
    home.run(&["replay", "--check", &session]).ends(0);
    // A budget of calls has to leave one for each fact.
    let lean = home.arg("lean.jsonl");
    let question = "Which actor played in both Inception and Interstellar?";
    home.run(&["ask", question, "--session", &lean, "--quiet", "--max-calls", "1000"]).ends(0);
    let calls = home.run(&["show", &lean, "--json"]).json()["llm"]["calls"].as_u64().unwrap() + 1;
    home.run(&["ask", "--resume", &lean, "--quiet", "--max-calls", &calls.to_string()]).ends(0);
    home.run(&["review", &lean]).ends(2).says(&["each fact is a call to the model", "leaves 1"]);
    // Without an answer there is nothing to judge; a session that somebody writes is left alone.
    let empty = home.arg("empty.jsonl");
    let server = Server::start(|_, request| model(request));
    let there = format!("http://{}/v1", server.host);
    home.run(&["ask", "Who is Inception?", "--llm", "openai:m", "--llm-url", &there, "--max-expansions", "1", "--session", &empty]).ends(3);
    home.run(&["review", &empty]).ends(1).says(&["no answer yet"]);
}
