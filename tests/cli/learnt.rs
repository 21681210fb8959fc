//! What a model's server turns out to refuse, in the run that finds out.

use crate::server::{Server, refusing};
use crate::support::Home;
use serde_json::Value;

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
