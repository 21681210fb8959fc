//! `tot diff`: what two sessions share, what differs first, and why.

use super::support::{Home, scenario};
use serde_json::{Value, json};

/// Runs a scripted search into `name`; returns the session's path.
fn session(home: &Home, name: &str, flags: &[&str]) -> String {
    let path = home.arg(name);
    let file = scenario("film-backtrack");
    home.run(&[&["ask", "--quiet", "--scenario", &file, "--session", &path][..], flags].concat());
    path
}

fn compared(home: &Home, a: &str, b: &str) -> Value {
    home.run(&["diff", a, b, "--json"]).ends(0).json()
}

#[test]
fn a_session_is_the_same_as_itself_and_as_its_twin() {
    let home = Home::new();
    let (a, b) = (session(&home, "a.jsonl", &[]), session(&home, "b.jsonl", &[]));
    for other in [&a, &b] {
        let found = compared(&home, &a, other);
        assert_eq!((&found["first_difference"], &found["setup"]), (&Value::Null, &json!({})));
        assert_eq!(found["same_decisions"], found["decisions"][0]);
        let rows = found["tree"].as_array().unwrap();
        assert!(rows.len() > 5 && rows.iter().all(|r| r["nodes"][0] == r["nodes"][1] && r["values"][0] == r["values"][1]));
    }
    let shown = home.run(&["diff", &a, &b]).ends(0).clean().out;
    assert!(shown.contains("the same in all") && shown.contains("\n= Which actor"), "{shown}");
}

#[test]
fn people_read_labels_and_programs_tokens() {
    let home = Home::new();
    let (a, b) = (session(&home, "a.jsonl", &[]), session(&home, "b.jsonl", &["--branching", "1"]));
    let texts = [home.run(&["diff", &a, &b]), home.run(&["show", &a]), home.run(&["show", &b, "--why"])].map(|ran| ran.ends(0).out);
    assert!(texts[0].contains("expand: look at the films") && texts[0].contains("cast member"), "{}", texts[0]);
    for text in texts {
        let token = |line: &&str| [" T:", " A:", " X:", " S:", " R:", "“T:", "“A:", "“X:", "“S:", "“R:"].iter().any(|t| line.contains(t));
        assert_eq!(text.lines().find(token), None, "{text}");
    }
    let rows = compared(&home, &a, &b)["tree"].as_array().unwrap().clone();
    let words = |token: &str| rows.iter().find(|row| row["token"] == token).map(|row| row["label"].as_str().unwrap().to_owned());
    assert_eq!(words("X:look at the films").as_deref(), Some("expand: look at the films"), "{rows:?}");
}

#[test]
fn what_only_looks_is_no_difference() {
    let home = Home::new();
    let (a, b) = (home.arg("a.jsonl"), home.arg("b.jsonl"));
    let ask = ["ask", "--quiet", "--kg", "demo", "--llm", "lexical", "Who wrote Lady Susan?", "--session"];
    home.run(&[&ask[..], &[&a]].concat()).ends(0);
    home.run(&[&ask[..], &[&b, "--break", "state relation", "--break", "value<0.1"]].concat()).ends(4);
    // Standing at the breakpoint: everything so far is the same.
    let found = compared(&home, &a, &b);
    assert_eq!((&found["first_difference"]["kind"], &found["same_decisions"]), (&json!("length"), &found["decisions"][1]), "{found}");
    while home.run(&["ask", "--quiet", "--resume", &b]).status == Some(4) {}
    // To its end, with its hits, and with the facts judged: so is the rest.
    home.run(&["review", &b]).ends(0);
    for [a, b] in [[&a, &b], [&b, &a]] {
        let found = compared(&home, a, b);
        assert_eq!((&found["first_difference"], &found["verdict"]), (&Value::Null, &json!("same")), "{found}");
        assert_eq!((&found["same_decisions"], &found["decisions"][0]), (&found["decisions"][0], &found["decisions"][1]), "{found}");
    }
}

#[test]
fn an_act_that_changes_the_search_is_a_difference_beside_breakpoints() {
    let home = Home::new();
    let (a, b) = (session(&home, "a.jsonl", &["--break", "state relation"]), session(&home, "b.jsonl", &["--rule", "forbid relation P57"]));
    let found = compared(&home, &a, &b);
    assert_eq!(found["first_difference"]["kind"], "act", "{found}");
    assert!(found["first_difference"]["what"].as_str().unwrap().contains("forbid relation P57"), "{found}");
}

#[test]
fn what_a_person_made_of_samples_is_their_act() {
    let home = Home::new();
    let (a, b) = (session(&home, "a.jsonl", &[]), home.arg("b.jsonl"));
    let told = std::fs::read_to_string(&a).unwrap();
    let mut reads = 0;
    let decided = told.lines().map(|line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        reads += usize::from(entry["ev"]["read"].is_object());
        if entry["ev"]["read"].is_object() && reads == 3 {
            entry["by"] = json!("you");
            entry["ev"]["read"]["note"] = json!("prefer the cast");
        }
        format!("{entry}\n")
    });
    std::fs::write(&b, decided.collect::<String>()).unwrap();
    let found = compared(&home, &a, &b)["first_difference"].clone();
    let what = found["what"].as_str().unwrap();
    assert_eq!(found["kind"], "act", "{found}");
    assert!(what.starts_with("a person decided") && what.ends_with("and tells the model “prefer the cast”"), "{found}");
}

#[test]
fn sessions_of_different_questions_are_not_judged() {
    let home = Home::new();
    let (a, b) = (session(&home, "a.jsonl", &[]), home.arg("b.jsonl"));
    home.run(&["ask", "--quiet", "--session", &b, "--kg", "demo", "--llm", "lexical", "Who wrote Lady Susan?"]).ends(0);
    let found = compared(&home, &a, &b);
    assert_eq!((&found["verdict"], &found["verdict_why"]), (&json!("open"), &json!("they answer different questions")), "{found}");
    let expected = home.run(&["diff", &a, &b, "--expected", "Jane Austen"]).ends(0).out;
    assert!(expected.contains("verdict: open: they answer different questions"), "{expected}");
}

#[test]
fn another_threshold_ends_otherwise_after_the_same_walk() {
    let home = Home::new();
    let (a, b) = (session(&home, "a.jsonl", &[]), session(&home, "b.jsonl", &["--threshold", "0.3"]));
    let found = compared(&home, &a, &b);
    assert_eq!(found["setup"]["settings"], json!(["threshold 800000", "threshold 300000"]));
    assert!(found["same_decisions"].as_u64().unwrap() > 3, "{found}");
    assert!(["end", "node"].contains(&found["first_difference"]["kind"].as_str().unwrap()), "{found}");
    // Every node of each tree stands in one row.
    for side in 0..2 {
        let rows = found["tree"].as_array().unwrap();
        let mut nodes: Vec<u64> = rows.iter().filter_map(|r| r["nodes"][side].as_u64()).collect();
        nodes.sort_unstable();
        assert_eq!(nodes, (0..nodes.len() as u64).collect::<Vec<_>>());
    }
}

#[test]
fn a_prompt_that_differs_is_named_by_its_part() {
    let home = Home::new();
    std::fs::create_dir(home.path("prompts")).unwrap();
    home.write("prompts/mine.yaml", "default: |\n  # TASK: default\n  Choose. THINK, EXPAND or ANSWER.\n");
    let (a, b) = (session(&home, "a.jsonl", &[]), session(&home, "b.jsonl", &["--prompts", &home.arg("prompts"), "--branching", "1"]));
    let found = compared(&home, &a, &b);
    assert_eq!(found["first_difference"]["kind"], "prompt", "{found}");
    assert!(found["first_difference"]["what"].as_str().unwrap().starts_with("the prompts differ in task"), "{found}");
    assert!(found["setup"]["prompts"].is_array(), "{found}");
}

#[test]
fn what_is_no_session_is_named() {
    let home = Home::new();
    let a = session(&home, "a.jsonl", &[]);
    home.run(&["diff", &a, "no-such"]).ends(1).says(&["no-such"]);
}
