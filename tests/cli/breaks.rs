//! `--break` without a screen: exit status 4, a session to be opened in the explorer or gone on with.

use super::support::{Home, events, lasting, scenario};
use serde_json::json;

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
