//! `--break` without a screen: exit status 4, a session to be opened in the explorer or gone on with.

use super::support::{Home, events, finish, lasting, scenario};
use serde_json::json;
use std::io::Write;
use std::process::Stdio;

#[test]
fn a_breakpoint_ends_it_with_4_and_it_goes_on_as_if_nothing_had_happened() {
    let home = Home::new();
    let film = scenario("film-backtrack");
    let whole = home.run(&["ask", "--scenario", &film, "--json"]).ends(0).json();
    let session = home.arg("s.jsonl");
    let flags = ["ask", "--scenario", &film, "--session", &session, "--break", "value<0.35", "--break", "expansion 4", "--json"];
    let stopped = home.run(&flags).ends(4).says(&["breakpoint: ", "--resume"]).json();
    assert!(stopped["halted"].as_str().is_some_and(|why| why.starts_with("breakpoint: ")), "{stopped}");
    assert_eq!(stopped["outcome"], json!(null));
    // Gone on with until nothing is hit any more.
    let mut hits = 1;
    let end = loop {
        let ran = home.run(&["ask", "--resume", &session, "--json"]);
        if ran.status == Some(4) {
            hits += 1;
            assert!(hits < 50, "{ran:?}");
            continue;
        }
        break ran.ends(0).json();
    };
    assert_eq!(events(&session, "halted").len(), hits);
    let (whole, end) = (lasting(whole), lasting(end));
    assert_eq!((&end["tree"], &end["answer"], &end["order"]), (&whole["tree"], &whole["answer"], &whole["order"]));
    home.run(&["replay", &session, "--check"]).ends(0);
}

#[test]
fn an_opened_session_says_at_which_breakpoint_it_stands_until_it_goes_on() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let flags = ["ask", "--session", &session, "--quiet", "--break", "value<0.7", "Which actor played in both Inception and Interstellar?"];
    let why = home.run(&[&flags[..], &["--json"]].concat()).ends(4).json()["halted"].as_str().unwrap().to_owned();
    let stands = format!("stands at a {why}");
    // Opened, looked at, and left: each time it says so.
    for _ in 0..2 {
        let mut looked = home.tot(&["resume", "--plain", &session]).stdin(Stdio::piped()).spawn().unwrap();
        looked.stdin.take().unwrap().write_all(b"breakpoint state relation\nstatus\n").unwrap();
        let said = finish(looked).ends(0).clean().out;
        let (opening, status) = said.split_once("> status").unwrap();
        assert!(opening.contains(&stands) && status.contains(&stands), "{stands}: {said}");
    }
    assert_eq!(events(&session, "resumed").len(), 2);
    let shown = home.run(&["show", &session]).ends(0).out;
    assert!(shown.contains(&format!("stands still here: {why}")), "{shown}");
    assert_eq!(home.run(&["show", &session, "--json"]).json()["halted"], json!(why));
    // It goes on, and stands at the next.
    let mut on = home.tot(&["resume", "--plain", &session]).stdin(Stdio::piped()).spawn().unwrap();
    on.stdin.take().unwrap().write_all(b"pause\nwait\nstatus\n").unwrap();
    let said = finish(on).ends(0).clean().out;
    assert!(!said.split_once("> wait").unwrap().1.contains(&stands), "{said}");
    assert_eq!(events(&session, "halted").len(), 2, "{said}");
}

/// A budget that is not raised stops it again, and that is recorded again: who goes on without a screen is told.
#[test]
fn what_stopped_it_before_stops_it_again() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    home.run(&["ask", "--scenario", &scenario("film-backtrack"), "--session", &session, "--max-calls", "3"]).ends(4);
    for halts in 2..4 {
        home.run(&["ask", "--resume", &session]).ends(4).says(&["the budget of 3 calls", "--max-calls N"]);
        assert_eq!(events(&session, "halted").len(), halts);
    }
    home.run(&["ask", "--resume", &session, "--max-calls", "500"]).ends(0);
    home.run(&["replay", &session, "--check"]).ends(0);
}

#[test]
fn what_is_no_condition_says_what_would_be_one() {
    let home = Home::new();
    for wrong in ["value<2", "vale<0.3", "node", "state done", "identical 1"] {
        let ran = home.run(&["ask", "anything", "--break", wrong]).ends(2);
        assert!(ran.err.contains("--break"), "{wrong}: {ran:?}");
    }
    home.run(&["ask", "anything", "--break", "nonsense"]).ends(2).says(&["relation P161", "expansion 5"]);
    assert!(home.sessions().is_empty(), "nothing begins");
}

#[test]
fn rules_hold_from_the_beginning_and_what_is_none_says_what_would_be_one() {
    let home = Home::new();
    let film = scenario("film-backtrack");
    let session = home.arg("s.jsonl");
    let flags = ["ask", "--scenario", &film, "--session", &session, "--rule", "forbid relation cast member", "--json"];
    let ended = home.run(&flags);
    let tree = ended.json()["tree"].to_string();
    assert!(!tree.contains("P161"), "{tree}");
    let acts = events(&session, "acted");
    assert_eq!(acts.len(), 1, "{acts:?}");
    home.run(&["replay", &session, "--check"]).ends(0);
    // Gone on with under the same rule nothing is set twice.
    home.run(&["ask", "--resume", &session, "--rule", "forbid relation cast member"]);
    assert_eq!(events(&session, "acted").len(), 1);
    home.run(&["ask", "anything", "--rule", "no relation P31"]).ends(2).says(&["--rule", "forbid relation P161"]);
}

#[test]
fn corrections_are_exported_only_where_there_are_some() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    home.run(&["ask", "--scenario", &scenario("film-backtrack"), "--session", &session]).ends(0);
    home.run(&["export", &session, "--to", "corrections"]).ends(1).says(&["no fact was corrected"]);
    home.run(&["export", &session, "--to", "corrections", "--lang", "e n"]).ends(2).says(&["no language"]);
    home.run(&["export", "/nowhere", "--to", "corrections"]).ends(1);
}
