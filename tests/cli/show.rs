//! `tot show`: what a session says of itself beside tree and answer.

use super::server::{Server, model};
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

#[test]
fn warnings_are_rows_in_text_and_json() {
    let home = Home::new();
    let session = session(&home, "film-backtrack", &[]);
    let whole = home.run(&["show", &session, "--json"]).ends(0).json();
    let warnings = whole["warnings"].as_array().unwrap();
    assert!(!warnings.is_empty());
    let text = home.run(&["show", &session]).ends(0).clean().out;
    let section = text.split("\nwarnings\n").nth(1).unwrap();
    for (line, warning) in section.lines().zip(warnings) {
        let (node, said) = (warning["node"].as_u64().unwrap(), warning["text"].as_str().unwrap());
        assert!(line.starts_with(&format!("  node {node}: ")) && line.ends_with(said), "{line}: {warning}");
        assert!(warning["kind"].as_str().unwrap().chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    }
}

#[test]
fn a_warning_of_many_nodes_is_one_line() {
    let home = Home::new();
    let session = home.arg("lost.jsonl");
    // The built-in model knows nothing of this question.
    home.run(&["ask", "Who composed the music of Alien?", "--quiet", "--session", &session]);
    let whole = home.run(&["show", &session, "--json"]).ends(0).json();
    let dead: Vec<&Value> = whole["warnings"].as_array().unwrap().iter().filter(|w| w["kind"] == "parse_failures").collect();
    assert!(dead.len() > 8, "{dead:?}");
    let text = home.run(&["show", &session]).ends(0).clean().out;
    let lines = text.lines().filter(|line| line.contains(": nothing readable: ")).count();
    let distinct: std::collections::HashSet<&str> = dead.iter().map(|w| w["text"].as_str().unwrap()).collect();
    assert_eq!(lines, distinct.len(), "{text}");
    assert!(text.contains(" more: nothing readable: "), "{text}");
}

#[test]
fn why_is_told_of_every_node_and_of_the_end() {
    let home = Home::new();
    let session = session(&home, "film-backtrack", &[]);
    let whole = home.run(&["show", &session, "--json"]).ends(0).json();
    let told = home.run(&["show", &session, "--why", "--json"]).ends(0).clean().json();
    let nodes = told["nodes"].as_array().unwrap();
    assert_eq!(nodes.len() as u64, whole["nodes"].as_u64().unwrap());
    assert!(nodes.iter().all(|node| !node["why"].as_array().unwrap().is_empty()), "{told}");
    let expanded = nodes.iter().filter(|node| node["why"].to_string().contains("It was expanded as number ")).count();
    assert_eq!(expanded as u64, whole["expanded"].as_u64().unwrap());
    assert!(told["end"][0].as_str().unwrap().to_lowercase().starts_with(whole["why"].as_str().unwrap()), "{told}");
    let text = home.run(&["show", &session, "--why"]).ends(0).clean().out;
    assert!(text.starts_with("node 0: question: ") && text.contains("\nwhy it ended:\n  The answer of node "), "{text}");
    assert!(text.contains("Next best was node "), "{text}");
    home.run(&["show", &session, "--why", "--facts"]).ends(2);
}

#[test]
fn a_value_whose_call_failed_is_told_everywhere() {
    let home = Home::new();
    let server = Server::start(|_, request| {
        if request.body.contains("# TASK: evaluate") {
            let body = json!({"error": {"message": "bad \u{1b}[2J input", "type": "invalid_request_error"}});
            return ("400 Bad Request", "application/json", body.to_string());
        }
        model(request)
    });
    let path = home.arg("failed.jsonl");
    let flags = ["--llm", "openai:m", "--llm-url", &server.host, "--branching", "1", "--max-expansions", "2", "--session", &path, "--json"];
    let ran = home.run(&[&["ask", "Who directed Inception?"][..], &flags].concat()).clean().json();
    let failed = |warning: &&Value| warning["kind"] == "value_failed";
    let warning = ran["warnings"].as_array().unwrap().iter().find(failed).unwrap_or_else(|| panic!("{ran}"));
    assert!(warning["text"].as_str().unwrap().contains("the call for it failed: "), "{warning}");
    let shown = home.run(&["show", &path]).ends(0).clean().out;
    assert!(shown.contains("  unknown (the call failed)") && shown.contains("value call failed: its value is unknown"), "{shown}");
    let why = home.run(&["show", &path, "--why"]).ends(0).clean().out;
    assert!(why.contains("Its value is unknown: the call for it failed (") && why.contains("bad"), "{why}");
    assert!(!why.contains("model's reply"), "{why}");
}

#[test]
fn a_reply_that_was_cut_and_read_all_the_same_is_named_as_cut() {
    let home = Home::new();
    // Every choice of an action ends at the token limit.
    let cut = Server::start(|_, request| {
        let (status, kind, body) = model(request);
        (status, kind, if body.contains("EXPAND") { body.replace(r#""stop""#, r#""length""#) } else { body })
    });
    let (session, url) = (home.arg("cut.jsonl"), format!("http://{}/v1", cut.host));
    let ask = ["ask", "Who is Inception?", "--llm", "openai:m", "--llm-url", &url, "--max-expansions", "3", "--session", &session];
    let asked = home.run(&[&ask[..], &["--json"]].concat()).json();
    let rows: Vec<&str> = asked["cut_rows"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.ends_with("X:what is known about it")), "{asked}");
    let shown = home.run(&["show", &session]).ends(0).clean().out;
    let cut: Vec<&str> = shown.lines().filter(|line| line.contains("  cut at the token limit")).collect();
    assert!(cut.len() == rows.len() && cut.iter().all(|line| line.contains("what is known about it")), "{shown}");
    home.run(&["replay", "--check", &session]).ends(0);
    let whole = Server::start(|_, request| model(request));
    let url = format!("http://{}/v1", whole.host);
    let asked = home.run(&["ask", "Who is Inception?", "--llm", "openai:m", "--llm-url", &url, "--max-expansions", "3", "--json"]).json();
    assert_eq!(asked["cut_rows"], json!([]));
    // The reader of completions says it too.
    let row = |finish: &str| json!({"state": "default", "completion": "THINK: for the lib", "finish_reason": finish}).to_string();
    let read = home.run(&["parse", &home.write("rows.jsonl", format!("{}\n{}\n", row("length"), row("stop")))]).ends(0).out;
    let read: Vec<Value> = read.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&read[0]["cut"], &read[1]["cut"]), (&json!(true), &Value::Null));
}
