//! `tot doctor`: what works, what does not, and what to do.

use super::server::Server;
use super::support::{Home, Ran, finish};
use serde_json::{Value, json};
use std::collections::HashMap;

fn finding(ran: &Ran, what: &str) -> Value {
    let all = ran.json();
    let found = all["checks"].as_array().unwrap().iter().find(|finding| finding["what"] == what);
    found.unwrap_or_else(|| panic!("no {what}: {all}")).clone()
}

#[test]
fn without_a_configuration_everything_works() {
    let home = Home::new();
    let ran = home.run(&["doctor"]).ends(0).clean();
    for words in [
        "ok    program",
        "ok    configuration: none at",
        "ok    sessions: recorded in",
        "ok    cache:",
        "ok    kg demo",
        "note  model lexical",
    ] {
        assert!(ran.out.contains(words), "{words}: {ran:#?}");
    }
    assert!(ran.out.ends_with("everything that is configured works\n"), "{ran:#?}");
    assert!(home.sessions().is_empty());
}

#[test]
fn what_is_configured_and_does_not_work_fails_with_what_to_do() {
    let home = Home::new();
    let config = json!({
        "kg": ["demo"],
        "kgs": {
            "gone": "sparql:http://user:pa55w0rd@127.0.0.1:9/query",
            "broken": "exec:echo out of ink >&2; exit 3",
            "secret": {"spec": "sparql:http://127.0.0.1:9/", "user": "ann", "password_env": "MUSEUM_PASSWORD"},
            "missing": "file:no-such-file.ttl",
            "typo": "exce:x",
        },
        "llm": "openai:some-model", "llm_url": "http://127.0.0.1:9", "theme": "no-such-theme", "prompts": "no-such-folder",
    });
    home.write("config/tot/config.yaml", config.to_string());
    let ran = home.run(&["doctor", "--json"]).ends(1).clean();
    assert_eq!(ran.json()["works"], json!(false));
    for (what, says) in [
        ("kg gone", "check the address"),
        ("kg broken", "out of ink"),
        ("kg secret", "is not set"),
        ("kg missing", "no-such-file.ttl"),
        ("kg typo", "did you mean exec:COMMAND?"),
        ("model openai:some-model", "127.0.0.1"),
        ("theme no-such-theme", "no such theme"),
        ("prompts", "mend `prompts`"),
    ] {
        let finding = finding(&ran, what);
        assert_eq!(finding["state"], "fails", "{finding}");
        assert!(finding["says"].as_str().unwrap().contains(says), "{finding}");
    }
    assert_eq!(finding(&ran, "kg demo")["state"], "works");
    assert!(!ran.out.contains("pa55w0rd"), "{ran:#?}");
    let list = home.run(&["doctor"]).ends(1);
    assert!(list.out.contains("FAILS kg broken") && list.out.ends_with("8 things do not work\n"), "{list:#?}");
}

#[test]
fn a_configuration_that_cannot_be_read_is_said_and_the_rest_is_checked() {
    let home = Home::new();
    home.write("config/tot/config.yaml", "kg: [demo\n");
    let ran = home.run(&["doctor", "--json"]).ends(1);
    assert!(finding(&ran, "configuration")["says"].as_str().unwrap().contains("config.yaml"));
    assert_eq!(finding(&ran, "kg demo")["state"], "works");
}

#[test]
fn folders_that_cannot_be_written_are_said() {
    let home = Home::new();
    home.write("state", "a file");
    home.write("cache", "a file");
    let ran = home.run(&["doctor", "--json"]).ends(1);
    assert_eq!((&finding(&ran, "sessions")["state"], &finding(&ran, "cache")["state"]), (&json!("fails"), &json!("remark")));
}

#[test]
fn a_graph_that_hangs_does_not_hold_it_up() {
    let home = Home::new();
    let ran = home.run(&["doctor", "--json", "--kg", "exec:sleep 1000", "--kg", "demo"]).ends(1);
    assert!(finding(&ran, "kg exec")["says"].as_str().unwrap().contains("no word within 10 s"), "{ran:#?}");
    assert_eq!(finding(&ran, "kg demo")["state"], "works");
}

#[test]
fn a_configured_model_is_asked_one_cheap_question_and_a_found_one_nothing() {
    let home = Home::new();
    let server = Server::start(|_, request| match request.head.split(' ').nth(1) {
        Some("/v1/models") => ("200 OK", "application/json", r#"{"data":[{"id":"small"},{"id":"evil\u001b[31m"}]}"#.to_owned()),
        Some("/v1/chat/completions") => {
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let n = body["n"].as_u64().unwrap_or(1);
            let choice = |i| json!({"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": "ready\u{1b}[31m"}});
            let choices: Vec<Value> = (0..n).map(choice).collect();
            ("200 OK", "application/json", json!({"choices": choices, "usage": {"prompt_tokens": 21, "completion_tokens": 4}}).to_string())
        }
        _ => ("404 Not Found", "text/plain", String::new()),
    });
    let doctor = |args: &[&str]| {
        let mut command = home.tot(&[&["doctor"], args].concat());
        command.env("TOT_MODEL_SERVERS", format!("{},10.255.255.1:80", server.host)).env("GROQ_API_KEY", "gsk-canary-123");
        finish(command.spawn().unwrap()).clean()
    };
    let chats = || server.seen().iter().filter(|r| r.head.contains("chat/completions")).count();
    // Only found: named, with how it is used; nothing is sent that costs.
    let ran = doctor(&["--json"]).ends(0);
    let found = finding(&ran, "found openai:small");
    assert!(found["says"].as_str().unwrap().contains(&format!("--llm openai:small --llm-url http://{}/v1", server.host)), "{found}");
    assert!(finding(&ran, "found openai:llama-3.1-8b-instant")["says"].as_str().unwrap().contains("GROQ_API_KEY is set"));
    assert!(!ran.out.contains("canary") && !ran.out.contains("evil"), "{ran:#?}");
    assert_eq!(chats(), 0);
    assert!(server.seen().iter().all(|r| !r.head.contains("canary")));
    // Configured: asked.
    home.write("config/tot/config.yaml", format!("models:\n  mine: {{spec: 'openai:small', url: 'http://{}/v1'}}\n", server.host));
    let ran = doctor(&["--json"]).ends(0);
    let mine = finding(&ran, "model mine");
    let says = mine["says"].as_str().unwrap();
    assert!(says.contains("it answered “ready") && says.contains("21 tokens in, 4 out"), "{mine}");
    let samples = mine["details"].as_array().unwrap().iter().find(|d| d["name"] == "samples").unwrap();
    assert_eq!((&samples["how"], &samples["value"]), (&json!("learned"), &json!("2 in one request")));
    assert_eq!(chats(), 1);
    let body: Value = serde_json::from_str(&server.seen().iter().find(|r| r.head.contains("chat/completions")).unwrap().body).unwrap();
    assert_eq!(body["n"], 2);
    assert!(body.get("max_tokens").or_else(|| body.get("max_completion_tokens")).unwrap().as_u64().unwrap() <= 16, "{body}");
    for flag in ["--no-ask", "--offline"] {
        let ran = doctor(&["--json", flag]).ends(0);
        assert!(finding(&ran, "model mine")["says"].as_str().unwrap().contains("not asked"));
    }
    assert_eq!(chats(), 1);
    assert!(doctor(&[]).ends(0).out.contains("samples           2 in one request (learned)"));
    // What this server took is learned, what it left out too; that it was asked is in the request.
    let details = |ran: &Ran, of: &str| -> HashMap<String, (String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let all = finding(ran, of)["details"].as_array().unwrap().clone();
        all.iter().map(|d| (text(&d["name"]), (text(&d["how"]), text(&d["value"])))).collect()
    };
    let is = |how: &str, value: &str| (how.to_owned(), value.to_owned());
    let known = details(&ran, "model mine");
    assert_eq!(known["log-probabilities"], is("learned", "no"));
    for taken in ["native n", "stop strings", "seed", "temperature", "structured output"] {
        assert_eq!(known[taken], is("learned", "yes"), "{taken}");
    }
    assert_eq!(known["output limit"], is("learned", "max_tokens"));
    assert!(["logprobs", "stop", "response_format"].iter().all(|field| body.get(field).is_some()), "{body}");
    // What documents say needs no question; what nobody says is not known.
    let unasked = doctor(&["--json", "--no-ask", "--llm", "mine"]).ends(0);
    let unasked = details(&unasked, "model mine");
    assert_eq!((&unasked["log-probabilities"], &unasked["output limit"]), (&is("unknown", "not known"), &is("assumed", "max_tokens")));
    // A server that answers nothing useful fails, with what it says.
    let broken = Server::start(|_, request| match request.head.split(' ').next() {
        Some("GET") => ("200 OK", "application/json", r#"{"data":[]}"#.to_owned()),
        _ => ("402 Payment Required", "application/json", r#"{"error":{"message":"no credit left"}}"#.to_owned()),
    });
    let ran = doctor(&["--json", "--llm", "openai:m", "--llm-url", &broken.host]).ends(1);
    assert!(finding(&ran, "model openai:m")["says"].as_str().unwrap().contains("no credit left"));
}
