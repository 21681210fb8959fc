//! Whole searches with the real model, headless with constrained replies and in the explorer with plain text: k = 2, four expansions. Nothing is asked of the answers:
//! every request succeeds, every reply is read or visibly rejected, the search ends, tokens add up.

use super::terminal::Terminal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const QUESTION: &str = "Which actor played in both Inception and Interstellar?";
/// The longest that a search may take.
const LIMIT: Duration = Duration::from_secs(180);

fn server() -> String {
    std::env::var("TOT_TEST_LLM").expect("TOT_TEST_LLM is the URL of a llama.cpp server (see .ci/model.sh)")
}

/// The events of a session.
fn events(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap()["ev"].clone()).collect()
}

/// Checks a session from its events alone; returns tokens in and out.
fn check(events: &[Value]) -> (u64, u64) {
    let all = |kind: &str| events.iter().filter_map(|e| e.get(kind)).collect::<Vec<_>>();
    assert_eq!(all("failed"), Vec::<&Value>::new(), "every request succeeds");
    assert_eq!(all("halted"), Vec::<&Value>::new(), "nothing halts");
    assert_eq!(all("finished").len(), 1, "the search ends");
    // Samples of every ask, as they came.
    let mut samples: BTreeMap<u64, usize> = BTreeMap::new();
    let (mut prompt, mut completion) = (0, 0);
    for reply in all("replied") {
        if let Some(list) = reply["got"]["samples"].as_array() {
            *samples.entry(reply["ask"].as_u64().unwrap()).or_default() += list.len();
            prompt += reply["usage"]["prompt_tokens"].as_u64().expect("tokens are counted");
            completion += reply["usage"]["completion_tokens"].as_u64().unwrap();
        }
    }
    let mut read: BTreeMap<u64, usize> = BTreeMap::new();
    for reading in all("read") {
        let slots = reading["rows"].as_array().unwrap().iter().map(|row| row["slots"].as_array().unwrap().len()).sum::<usize>();
        *read.entry(reading["step"].as_u64().unwrap()).or_default() += slots;
    }
    let mut expected: BTreeMap<u64, usize> = BTreeMap::new();
    let mut scores = 0;
    for ask in all("asked") {
        let Some(call) = ask["call"].get("llm") else { continue };
        let got = samples.get(&ask["ask"].as_u64().unwrap()).copied().unwrap_or(0);
        assert_eq!(got as u64, call["slots"].as_u64().unwrap(), "every sample came: {ask}");
        match ask["key"]["purpose"].as_str().unwrap() {
            "sample" => *expected.entry(ask["key"]["step"].as_u64().unwrap()).or_default() += got,
            "score" => scores += 1,
            _ => {}
        }
    }
    for (step, count) in &expected {
        assert_eq!(read.get(step), Some(count), "every sample of step {step} is kept, outvoted or rejected");
    }
    let valued = all("valued").iter().filter(|v| v["from"].get("asked").is_some()).count();
    assert_eq!(valued, scores, "every score was read, or is unknown");
    assert!(prompt > 0 && completion > 0);
    (prompt, completion)
}

fn arguments<'a>(url: &'a str, structured: &'a str) -> Vec<&'a str> {
    let limits = ["--kg", "demo:wikidata", "--branching", "2", "--max-expansions", "4", "--entity", "Q25188", "--entity", "Q13417189"];
    [&["--llm", "openai:local", "--llm-url", url, "--structured", structured][..], &limits].concat()
}

/// Runs `tot ask`; returns what it printed and the events.
fn ask(structured: &str) -> (Value, Vec<Value>) {
    let (url, home) = (server(), tempfile::tempdir().unwrap());
    let session = home.path().join("walk.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tot"));
    command.args(["ask", QUESTION, "--json", "--session"]).arg(&session).args(arguments(&url, structured));
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        command.env(name, home.path());
    }
    let began = Instant::now();
    let output = command.output().unwrap();
    assert!(began.elapsed() < LIMIT, "it took {:?}", began.elapsed());
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{output:?}");
    (serde_json::from_slice(&output.stdout).unwrap(), events(&session))
}

fn add_up(result: &Value, events: &[Value]) {
    let (prompt, completion) = check(events);
    assert_eq!(result["llm"]["prompt_tokens"], prompt);
    assert_eq!(result["llm"]["completion_tokens"], completion);
    println!(
        "{} expansions, {} nodes, {} rejected samples, {prompt} tokens in, {completion} out, {} ms",
        result["expanded"], result["nodes"], result["rejected_samples"], result["elapsed_ms"]
    );
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn a_search_with_constrained_replies_walks() {
    let _turn = super::TURN.lock().await;
    let (result, events) = tokio::task::spawn_blocking(|| ask("on")).await.unwrap();
    add_up(&result, &events);
    // What is constrained names what was on offer: only a sample that was cut, or said again what was there, is rejected.
    for why in result["rejected_why"].as_array().unwrap() {
        let why = why.as_str().unwrap();
        assert!(!why.contains("offer") && !why.contains("no action"), "{why}");
    }
    assert!(result["nodes"].as_u64().unwrap() > 1, "{result}");
}

#[tokio::test]
#[ignore = "needs a llama.cpp server at TOT_TEST_LLM"]
async fn the_explorer_shows_a_search_to_its_end() {
    let _turn = super::TURN.lock().await;
    tokio::task::spawn_blocking(|| {
        let url = server();
        let mut terminal = Terminal::open(&[&[QUESTION][..], &arguments(&url, "off")].concat());
        terminal.wait_for("Which actor played");
        let began = Instant::now();
        while terminal.count("finished") == 0 {
            assert!(began.elapsed() < LIMIT, "it does not end:\n{}", terminal.text());
            terminal.read_for(Duration::from_millis(200));
        }
        terminal.read_for(Duration::from_millis(500));
        let events: Vec<Value> = terminal.journal().iter().map(|entry| entry["ev"].clone()).collect();
        check(&events);
        let (status, ..) = terminal.quit();
        assert_eq!(status, 0);
    })
    .await
    .unwrap();
}
