//! `--from`: a question asked again, answered from a recording.

use super::server::{Server, model};
use super::support::{Home, Ran, lasting, lines, scenario};
use serde_json::{Value, json};

/// The object without what counts where replies came from.
fn result(ran: &Ran) -> Value {
    let mut object = lasting(ran.json());
    object["llm"] = json!([object["llm"]["calls"], object["llm"]["samples"], object["llm"]["rounds"]]);
    object["kg"]["cached"] = Value::Null;
    object["kg"]["recorded"] = Value::Null;
    object
}

fn session(ran: &Ran) -> String {
    ran.json()["session"].as_str().unwrap().to_owned()
}

/// A recorded question over a server, and its file.
fn recorded(home: &Home, server: &Server, more: &[&str]) -> (Ran, String) {
    let base = ["ask", "Who directed Inception?", "--llm", "openai:m", "--llm-url", &server.host, "--branching", "2", "--json"];
    let ran = home.run(&[&base, more].concat());
    let file = session(&ran);
    (ran, file)
}

#[test]
fn every_scenario_gives_the_same_result_without_its_world() {
    for name in ["depth-limit", "film-backtrack", "film-chain", "nolan-forced-final", "wide"] {
        let home = Home::new();
        let first = home.run(&["ask", "--scenario", &scenario(name), "--json"]);
        let again = home.run(&["ask", "--from", &session(&first), "--json"]).says(&["answered from the recording"]);
        assert_eq!(result(&first), result(&again), "{name}");
        assert_eq!(first.status, again.status);
        // What was taken from there is written down, and holds for itself.
        let sources: Vec<Value> = lines(session(&again)).iter().filter_map(|l| l["ev"]["replied"].get("source").cloned()).collect();
        assert!(!sources.is_empty() && sources.iter().all(|source| source == "recorded"), "{sources:?}");
        let third = home.run(&["ask", "--from", &session(&again), "--json"]);
        assert_eq!(result(&first), result(&third), "{name}");
    }
}

#[test]
fn no_model_graph_or_key_is_needed_and_nothing_is_sent() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let (first, file) = recorded(&home, &server, &["--max-expansions", "4", "--seed", "5"]);
    let asked = server.seen().len();
    // A service that wants a key, without one.
    let text = std::fs::read_to_string(&file).unwrap();
    let moved =
        home.write("moved.jsonl", text.replace(&format!("\"llm_url\":\"{}\"", server.host), "\"llm_url\":\"https://api.openai.com/v1\""));
    for from in [&file, &moved] {
        let again = home.run(&["ask", "--from", from, "--json"]);
        assert_eq!(result(&first), result(&again));
        assert_eq!(lines(session(&again))[1]["ev"]["started"]["seed"], 5);
    }
    assert_eq!(server.seen().len(), asked);
    // Settings that are given win: the same replies under other rules.
    let fewer = home.run(&["ask", "--from", &file, "--max-expansions", "2", "--json"]).ends(3).json();
    assert_eq!(fewer["expanded"], 2);
    let looser = home.run(&["ask", "--from", &file, "--threshold", "0.4", "--json"]).json();
    assert_eq!(looser["tree"], first.json()["tree"], "no answer there: the same walk");
    assert_eq!(server.seen().len(), asked);
}

#[test]
fn a_request_that_is_not_there_is_named_and_never_sent() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let (_, file) = recorded(&home, &server, &["--max-expansions", "2"]);
    let asked = server.seen().len();
    let prompts = home.path("prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    let original = std::fs::read_to_string(format!("{}/prompts/default/default.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert!(original.contains("# TASK: default"));
    std::fs::write(prompts.join("default.yaml"), original.replace("# TASK: default", "# TASK: default\n  Be brave.")).unwrap();
    let museum = format!("file:{}", super::support::data("kg/plain.ttl"));
    let folder = prompts.to_str().unwrap();
    for (flags, words) in [
        (&["--max-expansions", "9"][..], &["from demo", "never asked there"][..]),
        (&["--prompts", folder], &["samples of node 0 (action)", "task is new there", "Be brave."]),
        (&["--branching", "3"], &["samples of node 0", "it holds 2 of the 3 samples"]),
        (&["--llm", "openai:other"], &["mentions of the question (extract)", "the model is openai:other and was openai:m there"]),
        (&["--structured", "off"], &["and was constrained there"]),
        (&["--kg", &museum], &["file was not open there"]),
        (&["Who wrote Inception?"], &["question is new there", "Who wrote Inception?"]),
    ] {
        let ran = home.run(&[&["ask"][..], flags, &["--from", &file]].concat());
        ran.ends(1).says(&["the recording does not answer this request", "--live"]).says(words);
    }
    assert_eq!(server.seen().len(), asked, "nothing was sent");
    home.run(&["ask", "--from", &file, "--resume", &file]).ends(2).says(&["--from begins a new session"]);
    home.run(&["ask", "--from", &home.arg("none.jsonl")]).ends(1).says(&["no such file"]);
    home.run(&["ask", "q", "--live"]).ends(2).says(&["--from"]);
}

#[test]
fn live_asks_exactly_what_is_missing() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let (_, file) = recorded(&home, &server, &["--max-expansions", "2"]);
    let before = server.seen().len();
    let live = home.run(&["ask", "--from", &file, "--live", "--max-expansions", "5", "--json"]);
    assert_eq!(live.err.matches("from here on live").count(), 1, "{live:#?}");
    let sent = server.seen().len() - before;
    let sources = |file: &str| {
        lines(file)
            .iter()
            .filter_map(|l| Some((l["ev"]["replied"]["got"].get("samples")?.clone(), l["ev"]["replied"]["source"].clone())))
            .collect::<Vec<_>>()
    };
    let replies = sources(&session(&live));
    let of = |what: &str| replies.iter().filter(|(_, source)| *source == json!(what)).count();
    assert_eq!((of("live"), of("recorded")), (sent, before), "{replies:?}");
    // The same as a search that was live from the start.
    let (whole, _) = recorded(&home, &server, &["--max-expansions", "5"]);
    assert_eq!(whole.json()["tree"], live.json()["tree"]);
    assert_eq!(whole.json()["order"], live.json()["order"]);
    // More samples of the same request: only the missing ones are asked for.
    let before = server.seen().len();
    let more = home.run(&["ask", "--from", &file, "--live", "--branching", "3", "--json"]);
    let first: Value = serde_json::from_str(&server.seen()[before].body).unwrap();
    assert!(first["n"].as_u64().unwrap_or(1) == 1, "one sample was missing: {first}");
    assert!(more.json()["llm"]["samples"].as_u64().unwrap() > 0);
}

#[test]
fn a_recording_that_was_cut_answers_as_far_as_it_goes() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let (first, file) = recorded(&home, &server, &["--max-expansions", "3"]);
    let text = std::fs::read_to_string(&file).unwrap();
    let all: Vec<&str> = text.lines().collect();
    for keep in [all.len() / 3, all.len() / 2, all.len() - 12] {
        let asked = server.seen().len();
        let cut = home.write(&format!("cut-{keep}.jsonl"), format!("{}\n{}", all[..keep].join("\n"), &all[keep][..all[keep].len() / 2]));
        let bytes = std::fs::read(&cut).unwrap();
        let ran = home.run(&["ask", "--from", &cut, "--json"]).ends(1).says(&["the recording does not answer this request"]);
        assert!(ran.json()["halted"].as_str().unwrap().contains("recording"), "{ran:#?}");
        assert_eq!(std::fs::read(&cut).unwrap(), bytes, "the recording stays as it was");
        assert_eq!(server.seen().len(), asked);
        // The session that stopped can go on live.
        let session = session(&ran);
        let went_on = home.run(&["ask", "--resume", &session, "--json"]);
        assert_eq!(went_on.json()["tree"], first.json()["tree"]);
        std::fs::remove_file(session).unwrap();
        let live = server.seen().len();
        assert!(live > asked);
        let again = home.run(&["ask", "--from", &cut, "--live", "--json"]);
        assert_eq!(again.json()["tree"], first.json()["tree"]);
        assert_eq!(server.seen().len() - live, live - asked, "the same calls were missing");
    }
    for damaged in ["", "{}\n", "not json\n"] {
        let path = home.write("damaged.jsonl", damaged);
        home.run(&["ask", "--from", &path]).ends(1);
    }
}

/// A file from somebody else may name any server: a key of this machine goes there only when somebody here names it.
#[test]
fn a_server_that_only_a_recording_names_gets_no_key() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let (_, file) = recorded(&home, &server, &["--max-expansions", "1"]);
    let asked = server.seen().len();
    let run = |args: &[&str]| {
        let child = home.tot(args).env("OPENAI_API_KEY", "sk-test-DO-NOT-STORE-123").spawn().unwrap();
        super::support::finish(child)
    };
    let keys = |from: usize| server.seen()[from..].iter().filter(|r| r.head.to_lowercase().contains("authorization:")).count();
    run(&["ask", "--from", &file, "--live", "--max-expansions", "3", "--json"]).says(&["no key is sent to", "name it with --llm-url"]);
    let after = server.seen().len();
    assert!(after > asked && keys(asked) == 0, "{} requests, {} with a key", after - asked, keys(asked));
    run(&["ask", "--from", &file, "--live", "--max-expansions", "3", "--llm-url", &server.host, "--json"]);
    assert!(keys(after) > 0, "named here, it gets one");
}
