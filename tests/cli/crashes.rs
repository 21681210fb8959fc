//! Kills at any moment: the session goes on to what it would have been, and nothing recorded is asked again.

use super::server::{Server, model};
use super::support::{Home, events, finish, lasting, lines, send, wait_for_lines};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::search::{Node, Summary, split_mix};
use tree_of_traversals::session::read;

/// The slots that each ask wants and the ones that were filled: each once.
fn assert_nothing_twice(session: &Path) {
    let mut open: HashMap<u64, u64> = HashMap::new();
    for line in lines(session) {
        let ev = &line["ev"];
        if let Some(asked) = ev.get("asked") {
            let slots = asked["call"]["llm"]["slots"].as_u64().unwrap_or(1);
            assert!(open.insert(asked["ask"].as_u64().unwrap(), slots).is_none(), "asked twice: {ev}");
        }
        if let Some(failed) = ev.get("failed") {
            assert_ne!(open.insert(failed["ask"].as_u64().unwrap(), 0), Some(0), "ended twice: {ev}");
        }
        if let Some(replied) = ev.get("replied") {
            let got = replied["got"]["samples"].as_array().map_or(1, |s| s.len() as u64);
            let left = open.get_mut(&replied["ask"].as_u64().unwrap()).unwrap();
            *left = left.checked_sub(got).unwrap_or_else(|| panic!("replied twice: {ev}"));
        }
    }
    assert!(open.values().all(|left| *left == 0), "{open:?}");
}

/// What was recorded of the world, in order of the asks: hash, occurrence and samples or rows.
fn world(session: &Path) -> Vec<String> {
    let mut asks: Vec<String> = events(session, "asked").iter().map(|a| format!("{} {}", a["hash"], a["nth"])).collect();
    asks.sort();
    asks
}

fn finished(home: &Home, session: &str) -> Value {
    let ran = home.run(&["ask", "--resume", session, "--json"]).ends(0);
    lasting(ran.json())
}

#[test]
fn killed_at_many_moments_it_goes_on_as_if_nothing_had_happened() {
    let home = Home::new();
    let scenario = home.slow("film-backtrack", 30, 20);
    let whole = home.arg("whole.jsonl");
    let expected = lasting(home.run(&["ask", "--scenario", &scenario, "--json", "--session", &whole]).ends(0).json());
    let total = lines(&whole).len();
    let mut killed = 0;
    for at in (1..total).step_by(total / 10) {
        let session = home.arg(&format!("at-{at}.jsonl"));
        let mut child = home.tot(&["ask", "--scenario", &scenario, "--json", "--session", &session]).spawn().unwrap();
        wait_for_lines(&mut child, Path::new(&session), at);
        child.kill().unwrap();
        if finish(child).status.is_none() {
            killed += 1;
        }
        let torso = lines(&session).len();
        // The header alone is no session yet: there is nothing to lose.
        if torso < 2 {
            home.run(&["ask", "--resume", &session]).ends(1).says(&["empty"]);
            continue;
        }
        let shown = home.run(&["show", &session]).ends(0);
        let over = !events(&session, "finished").is_empty();
        assert_eq!(shown.out.contains("the search was left here"), !over, "{shown:#?}");
        assert!(over || !shown.out.contains("no answer found"), "an open search has not failed: {shown:#?}");
        assert_eq!(home.run(&["show", &session, "--json"]).ends(0).json()["question"], expected["question"]);
        assert_eq!(finished(&home, &session), expected, "killed at {at}");
        assert_nothing_twice(Path::new(&session));
        assert_eq!(world(Path::new(&session)), world(Path::new(&whole)), "killed at {at}");
        home.run(&["replay", "--check", &session]).ends(0);
    }
    assert!(killed >= 4, "only {killed} runs were still going when they were killed");
}

#[test]
fn killed_again_and_again_it_comes_to_the_same_end() {
    let home = Home::new();
    let scenario = home.slow("nolan-forced-final", 20, 15);
    let whole = home.arg("whole.jsonl");
    let args = ["ask", "--scenario", &scenario, "--json", "--session"];
    let expected = home.run(&[&args[..], &[&whole]].concat());
    let (status, expected) = (expected.status, lasting(expected.json()));
    let session = home.arg("killed.jsonl");
    let mut child = home.tot(&[&args[..], &[&session]].concat()).spawn().unwrap();
    let mut kills = 0;
    for at in (2..).step_by(11) {
        if !wait_for_lines(&mut child, Path::new(&session), at) {
            break;
        }
        child.kill().unwrap();
        finish(child);
        kills += 1;
        child = home.tot(&["ask", "--resume", &session, "--json"]).spawn().unwrap();
    }
    let last = finish(child);
    assert_eq!((last.status, lasting(last.json())), (status, expected), "after {kills} kills");
    assert!(kills >= 4, "{kills} kills");
    assert_nothing_twice(Path::new(&session));
    assert_eq!(world(Path::new(&session)), world(Path::new(&whole)));
    home.run(&["replay", "--check", &session]).ends(0);
}

/// What a search came to, without the moments at which it was recorded.
fn tree(session: &str) -> (Vec<Arc<Node>>, Summary) {
    let state = read(Path::new(session)).unwrap().state;
    (state.nodes.clone(), state.summary())
}

/// kill -9 at random moments: while it starts, reads the journal, asks, waits or writes, until the search is over.
#[test]
fn a_server_gets_no_call_twice_but_those_in_flight_at_a_kill() {
    let home = Home::new();
    let serve = || {
        Server::start(|_, request| {
            std::thread::sleep(Duration::from_millis(25));
            model(request)
        })
    };
    let (calm, server) = (serve(), serve());
    let ask = |server: &Server, session: &str| {
        let url = format!("http://{}", server.host);
        let flags = ["--llm", "openai:mock", "--llm-url", &url, "--max-expansions", "20", "--quiet", "--session", session];
        home.tot(&[&["ask", "Who directed Inception?"][..], &flags].concat()).spawn().unwrap()
    };
    let (whole, session) = (home.arg("whole.jsonl"), home.arg("s.jsonl"));
    finish(ask(&calm, &whole)).ends(3);

    let (mut kills, mut had, mut chance) = (0, 0, 20_u64);
    let mut child = ask(&server, &session);
    loop {
        chance = split_mix(chance);
        let pause = Duration::from_millis(chance / 4 % 60);
        // One life in four may end while the program still starts: then nothing new was recorded.
        let grew = (kills >= 4 && chance.is_multiple_of(4)) || wait_for_lines(&mut child, Path::new(&session), had + 2);
        std::thread::sleep(pause);
        if !grew || child.try_wait().unwrap().is_some() || kills == 200 {
            break;
        }
        child.kill().unwrap();
        finish(child);
        kills += 1;
        had = lines(&session).len();
        child = home.tot(&["ask", "--resume", &session, "--quiet"]).spawn().unwrap();
    }
    finish(child).ends(3);
    let replies = events(&session, "replied").iter().filter(|r| r["got"].get("samples").is_some()).count();
    let lost: usize = events(&session, "resumed").iter().map(|r| r["lost"].as_array().unwrap().len()).sum();
    let (calls, needed) = (server.seen().len(), calm.seen().len());
    println!("{kills} kills; {calls} calls, {needed} without a kill; {replies} replies recorded, {lost} in flight at kills");
    assert!((20..200).contains(&kills) && replies >= 15, "{kills} kills, {replies} replies");
    assert!(calls <= replies + lost, "{calls} calls for {replies} replies and {lost} in flight at kills");
    assert_eq!(replies, needed, "every reply was recorded once");
    assert_nothing_twice(Path::new(&session));
    assert_eq!(tree(&session), tree(&whole), "after {kills} kills");
    assert_eq!(world(Path::new(&session)), world(Path::new(&whole)));
    home.run(&["replay", "--check", &session]).ends(0);
}

#[test]
fn signals_stop_it_with_a_session_that_goes_on() {
    let home = Home::new();
    let scenario = home.slow("film-backtrack", 60, 40);
    let whole = home.arg("whole.jsonl");
    let expected = lasting(home.run(&["ask", "--scenario", &scenario, "--json", "--session", &whole]).ends(0).json());
    for signal in ["INT", "TERM"] {
        let session = home.arg(&format!("{signal}.jsonl"));
        let mut child = home.tot(&["ask", "--scenario", &scenario, "--session", &session]).spawn().unwrap();
        assert!(wait_for_lines(&mut child, Path::new(&session), 20));
        send(signal, &child);
        let stopped = finish(child).ends(4).says(&["stopped; go on with: tot ask --resume", &session]);
        assert_eq!(stopped.out, "");
        assert_eq!(finished(&home, &session), expected);
        assert_nothing_twice(Path::new(&session));
    }
}

#[test]
fn resuming_what_is_finished_gives_the_answer_again() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let args = ["ask", "Who directed Inception?", "--json", "--session", &session];
    let first = lasting(home.run(&args).ends(0).json());
    assert_eq!(finished(&home, &session), first);
    assert_eq!(finished(&home, &session), first);
    let ran = home.run(&["ask", "--resume", &session, "--threshold", "0.1", "--seed", "3"]).ends(0);
    ran.says(&["--threshold, --seed: left as the session began with"]);
}
