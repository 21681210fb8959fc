//! `tot show`: what a session says of itself beside tree and answer.

use super::support::{Home, scenario};
use serde_json::{Value, json};

/// Runs a scripted search; returns the session's path.
fn session(home: &Home, name: &str, flags: &[&str]) -> String {
    let path = home.arg(&format!("{name}.jsonl"));
    home.run(&[&["ask", "--quiet", "--scenario", &scenario(name), "--session", &path][..], flags].concat());
    path
}

#[test]
fn facts_come_with_their_call_their_prompts_and_their_answers() {
    let home = Home::new();
    let session = session(&home, "film-backtrack", &[]);
    let shown = home.run(&["show", &session, "--facts", "--json"]).ends(0).clean().json();
    let whole = home.run(&["show", &session, "--json"]).ends(0).json();
    let facts = shown["facts"].as_array().unwrap();
    for (fact, text) in whole["evidence"].as_array().unwrap().iter().zip(whole["evidence_text"].as_array().unwrap()) {
        let found = facts.iter().find(|f| f["fact"] == *fact).unwrap_or_else(|| panic!("{fact} in {shown}"));
        assert_eq!(found["text"], *text);
        assert!(found["brought_by"]["call"].is_u64() && found["brought_by"]["from"] == "live", "{found}");
        assert!(found["prompts"].as_array().unwrap().len() >= found["nodes"].as_array().unwrap().len());
        assert!(found["nodes"].as_array().unwrap().contains(&found["brought_by"]["node"]), "{found}");
    }
    let text = home.run(&["show", &session, "--facts"]).ends(0).clean().out;
    assert!(text.starts_with(facts[0]["text"].as_str().unwrap()), "{text}");
    assert!(text.contains("rests on it: answer: ") && text.contains(" prompts, about nodes "), "{text}");
}

#[test]
fn a_session_without_supported_answers_has_no_facts() {
    let home = Home::new();
    let session = session(&home, "film-backtrack", &["--max-expansions", "2", "--on-exhausted", "none"]);
    let none = home.run(&["show", &session, "--facts", "--json"]).ends(0).json();
    assert_eq!(none["facts"], json!([]));
    assert_ne!(none["question"], Value::Null);
    let said = home.run(&["show", &session, "--facts"]).ends(0).out;
    assert!(said.starts_with("no facts: "), "{said}");
}
