//! What a model's server turns out to refuse, in the run that finds out.

use crate::server::{Server, refusing};
use crate::support::Home;

const QUESTION: &str = "Who is Inception?";

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
