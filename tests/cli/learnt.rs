//! What a model's server turns out to refuse, in the run that finds out.

use crate::server::{Server, model, refusing};
use crate::support::Home;
use serde_json::{Value, json};

const QUESTION: &str = "Who is Inception?";

/// The bodies of all chat requests.
fn bodies(server: &Server) -> Vec<Value> {
    server.seen().iter().filter_map(|request| serde_json::from_str(&request.body).ok()).collect()
}

#[test]
fn structured_output_that_is_wanted_and_refused_halts_the_search_at_once() {
    let home = Home::new();
    let server = Server::start(refusing(&["response_format"]));
    let (url, session) = (format!("http://{}/v1", server.host), home.arg("s.jsonl"));
    let ask =
        ["ask", QUESTION, "--llm", "openai:m", "--llm-url", &url, "--entity", "Q25188", "--structured", "on", "--session", &session, "-q"];
    let ran = home.run(&ask).ends(1);
    ran.says(&["takes no structured output", "--structured auto", "go on with: tot ask --resume"]);
    assert_eq!(bodies(&server).len(), 1, "no other request fares better");
    // What it says to do goes on, and it stays so.
    let go_on = ["ask", "--resume", &session, "--structured", "auto", "--max-expansions", "2", "--json"];
    let out = home.run(&go_on).json();
    assert_eq!((&out["halted"], out["expanded"].as_u64()), (&Value::Null, Some(2)), "{out}");
    assert!(std::fs::read_to_string(&session).unwrap().contains(r#""structured":"auto""#));
    home.run(&["replay", "--check", &session]).ends(0);
    home.run(&["ask", "--resume", &session, "--max-expansions", "3", "-q"]).ends(3);
}

#[test]
fn structured_output_is_not_wanted_of_what_can_never_give_it() {
    let home = Home::new();
    let server = Server::start(refusing(&[]));
    let url = format!("http://{}/v1", server.host);
    let ask = |more: &[&str]| home.run(&[&["ask", QUESTION, "--structured", "on"], more].concat());
    let base = ask(&["--llm", "openai:m", "--llm-url", &url, "--profile", "base"]).ends(2);
    base.says(&["--structured on wants every reply kept to a form", "--profile base", "use --structured auto"]);
    ask(&["--llm", "lexical"]).ends(2).says(&["lexical is no service that could"]);
    assert!(bodies(&server).is_empty());
}

#[test]
fn what_is_learnt_of_a_server_is_said_once_in_the_run_that_learns_it() {
    let home = Home::new();
    let server = Server::start(refusing(&["seed", "temperature"]));
    let (url, session) = (format!("http://{}/v1", server.host), home.arg("s.jsonl"));
    let note = "m takes no temperature (its own holds), no seed (samples can't be repeated).";
    let ask = |more: &[&str]| {
        let ask = ["ask", QUESTION, "--llm", "openai:m", "--llm-url", &url, "--entity", "Q25188", "--max-expansions", "2"];
        home.run(&[&ask[..], more].concat())
    };
    let first = ask(&["--session", &session]);
    assert_eq!(first.err.matches(note).count(), 1, "{first:#?}");
    assert!(first.err.find(note) > first.err.find("#0 "), "not before it was learnt: {first:#?}");
    // The next run knows it from the start, and says so then.
    let second = ask(&[]);
    assert_eq!(second.err.matches(note).count(), 1, "{second:#?}");
    assert!(second.err.find(note) < second.err.find("#0 "), "{second:#?}");
    // Whoever reads the result finds it there, whenever it was learnt.
    let json = ask(&["--json"]).json();
    assert_eq!(json["remarks"].as_array().unwrap().iter().filter(|remark| **remark == note).count(), 1, "{json}");
    let elsewhere = Home::new();
    let ask = ["ask", QUESTION, "--llm", "openai:m", "--llm-url", &url, "--entity", "Q25188", "--max-expansions", "2", "--json"];
    let json = elsewhere.run(&ask).json();
    assert_eq!(json["remarks"].as_array().unwrap().iter().filter(|remark| **remark == note).count(), 1, "{json}");
}

#[test]
fn how_a_model_is_asked_can_be_configured_and_the_messages_name_the_keys() {
    let home = Home::new();
    let slow = Server::start(|_, request| {
        std::thread::sleep(std::time::Duration::from_secs(4));
        model(request)
    });
    let spent = Server::start(|_, _| {
        let choice = json!({"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": ""}});
        ("200 OK", "application/json", json!({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}).to_string())
    });
    let config = format!(
        "models:\n  slow: {{spec: openai:m, url: 'http://{}', timeout: 1}}\n  spent: {{spec: openai:m, url: 'http://{}'}}\n\
         requests: {{timeout: 30, reasoning_floor: 9000, concurrency: 1}}\n",
        slow.host, spent.host
    );
    home.write("config/tot/config.yaml", &config);
    let ask = |model: &str| home.run(&["ask", QUESTION, "--llm", model, "--entity", "Q25188", "--max-expansions", "1"]);
    ask("slow").ends(1).says(&["gave no answer within 1 s; raise `timeout` of the model in the configuration"]);
    ask("spent").says(&["thought for 9000 tokens and said nothing; raise `reasoning_floor` of the model in the configuration"]);
    assert_eq!(bodies(&spent).last().unwrap()["max_tokens"], 9000);
    for (entry, wrong) in [
        ("timeout: 0", "integer `0`, expected `timeout` in whole seconds, from 1 to 86400"),
        ("timeout: soon", "string \"soon\", expected `timeout` in whole seconds"),
        ("concurrency: 65", "expected `concurrency`, requests at once, from 1 to 64"),
        ("reasoning_floor: -1", "expected `reasoning_floor` in tokens, from 1 to 1000000"),
        ("patience: 3", "unknown field `patience`"),
    ] {
        home.write("config/tot/config.yaml", format!("models:\n  mine: {{spec: lexical, {entry}}}\n"));
        home.run(&["ask", QUESTION]).ends(1).says(&["config.yaml: ", "models, mine: ", wrong]);
        home.write("config/tot/config.yaml", format!("lang: [en]\nrequests:\n  {entry}\n"));
        home.run(&["ask", QUESTION]).ends(1).says(&["config.yaml: requests", "line 3", wrong]);
    }
}

#[test]
fn a_call_that_links_the_question_and_fails_can_be_asked_again() {
    let home = Home::new();
    let refuses = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let still = refuses.clone();
    let server = Server::start(move |_, request| {
        match request.body.contains("# TASK: extract") && still.load(std::sync::atomic::Ordering::SeqCst) {
            true => ("400 Bad Request", "application/json", json!({"error": {"message": "No."}}).to_string()),
            false => model(request),
        }
    });
    let (url, session) = (format!("http://{}/v1", server.host), home.arg("s.jsonl"));
    let ran = home.run(&["ask", QUESTION, "--llm", "openai:m", "--llm-url", &url, "--session", &session, "-q"]).ends(1);
    ran.says(&["refused the request (HTTP 400): \"No\"", "go on with: tot ask --resume"]);
    assert_eq!(bodies(&server).len(), 1, "nothing is walked without an entity");
    refuses.store(false, std::sync::atomic::Ordering::SeqCst);
    let out = home.run(&["ask", "--resume", &session, "--max-expansions", "2", "--json"]).json();
    assert_eq!(
        (&out["halted"], out["expanded"].as_u64(), &out["order"][1]),
        (&Value::Null, Some(2), &json!("X:what is known about it")),
        "{out}"
    );
    home.run(&["replay", "--check", &session]).ends(0);
}
