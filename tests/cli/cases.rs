//! Reports about other programs for question answering over graphs, as small scenarios (A01 to A07 without A05, which
//! needs MusicBrainz).

use super::support::{Home, Ran, events};
use serde_json::{Value, json};

/// A lighthouse, its keeper and a ferry. Everything in it is made up.
fn graph() -> Value {
    json!({
        "entities": {
            "Q1": {"label": "Ada Storm", "description": "a painter"}, "Q2": {"label": "Port Ellis"}, "Q3": {"label": "Norland"},
            "Q4": {"label": "painter"}, "Q7": {"label": "Lighthouse Seven"}, "Q8": {"label": "Night Ferry"}, "Q9": {"label": "Blue Line"},
        },
        "properties": {"P19": "place of birth", "P27": "citizenship", "P106": "occupation", "P137": "operator"},
        "claims": [["Q1", "P19", "Q2"], ["Q1", "P27", "Q3"], ["Q1", "P106", "Q4"], ["Q8", "P137", "Q9"]],
        "search": {"Ada Storm": ["Q1"], "Lighthouse Seven": ["Q7"], "Blue Line": ["Q9"], "Toronto": []},
    })
}

/// Asks with this graph, these rules and fallbacks over the usual ones.
fn ask(home: &Home, mention: &str, k: u32, rules: &Value, fallback: &Value, more: &[&str]) -> (Ran, String) {
    let mut replies = json!({
        "extract": [mention], "match": ["1"], "action": ["EXPAND: more"], "entities": ["none"], "relation": ["none"],
        "score_state": ["0.6"], "score_answer": ["0.1"], "final_answer": [""],
    });
    for (kind, texts) in fallback.as_object().unwrap() {
        replies[kind] = texts.clone();
    }
    let scenario = json!({
        "format": "tot-scenario/1", "name": "case", "query": "What is it?",
        "settings": {"sample_breadth": k, "max_depth": 7, "max_expansions": 12, "answer_threshold": 0.8},
        "kg": graph(), "llm": {"rules": rules, "fallback": replies},
    });
    let (file, session) = (home.write("case.json", scenario.to_string()), home.arg("case.jsonl"));
    let ran = home.run(&[&["ask", "--scenario", &file, "--session", &session][..], more].concat());
    home.run(&["replay", "--check", &session]).ends(0);
    (ran, session)
}

#[test]
fn a01_relations_that_were_never_offered_are_counted_and_shown() {
    let home = Home::new();
    let relation = |replies: &[&str]| json!([{"kind": "relation", "replies": replies}]);
    let fallback = json!({"entities": ["Q1"], "action": ["EXPAND: his papers"]});
    let (ran, session) = ask(&home, "Ada Storm", 3, &relation(&["P8811", "P27", "P8811"]), &fallback, &["--json", "--max-expansions", "3"]);
    let object = ran.json();
    let relations: Vec<&str> =
        object["tree"].as_array().unwrap().iter().filter_map(|r| r[1].as_str()).filter(|t| t.starts_with("R:")).collect();
    assert_eq!(relations, ["R:P27"], "{object:#}");
    let row = object["rejected_rows"].as_array().unwrap().iter().find(|r| r[1] == "P8811").unwrap();
    assert_eq!((row[2].as_str(), row[3].as_u64()), (Some("not_offered"), Some(4)), "{row}");
    assert!(home.run(&["show", &session]).ends(0).out.contains("rejected 4x \"P8811\""));

    let home = Home::new();
    let (ran, _) = ask(&home, "Ada Storm", 1, &relation(&["P8811"]), &fallback, &["--json"]);
    let object = ran.ends(3).json();
    assert!(object["tree"].to_string().contains("E:") || object["tree"].to_string().contains("error"), "{object:#}");
}

#[test]
fn a02_blank_samples_are_counted_and_cost_no_evaluation() {
    let home = Home::new();
    let rules =
        json!([{"kind": "action", "when": {"path": ""}, "replies": ["EXPAND: birthplace of the painter", "", "  \n", "ANSWER: 1874"]}]);
    let (ran, session) = ask(&home, "Ada Storm", 4, &rules, &json!({}), &["--json", "--max-expansions", "1"]);
    let object = ran.json();
    assert_eq!(object["nodes"], 3, "{object:#}");
    assert_eq!(object["rejected_samples"], 2, "{object:#}");
    let evaluations = events(&session, "asked").iter().filter(|a| a["key"]["purpose"] == "score").count();
    assert_eq!(evaluations, 2);
}

#[test]
fn a03_an_entity_without_relations_is_a_dead_end_that_is_never_asked_about() {
    let home = Home::new();
    let (ran, session) = ask(&home, "Lighthouse Seven", 1, &json!([]), &json!({"entities": ["Q7"]}), &[]);
    let ran = ran.ends(3);
    assert!(ran.out.contains("no answer found"), "{ran:#?}");
    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains("no relations"), "{shown:#?}");
    assert!(!events(&session, "part").iter().any(|p| p["text"].as_str().unwrap().contains("# TASK: select relation")));
    let score = events(&session, "valued").iter().filter(|v| v["from"] == "not_scored").count();
    assert!(score >= 1, "a dead end is never scored as progress");
}

#[test]
fn a04_an_edge_found_backwards_keeps_its_direction() {
    let home = Home::new();
    let rules = json!([{"kind": "relation", "replies": ["~P137"]},
        {"kind": "action", "when": {"path": ".*R:~P137"}, "replies": ["ANSWER: Night Ferry"]}]);
    let fallback = json!({"entities": ["Q9"], "score_answer": ["0.9"]});
    let (ran, session) = ask(&home, "Blue Line", 1, &rules, &fallback, &["--json"]);
    let object = ran.ends(0).json();
    assert_eq!(object["evidence"], json!([["Q8", "P137", "Q9"]]));
    let shown = home.run(&["ask", "--resume", &session]).ends(0);
    assert!(shown.out.contains("Night Ferry · operator · Blue Line"), "{shown:#?}");
    let graphs = events(&session, "part");
    let graph = graphs.iter().rfind(|p| p["kind"] == "graph").unwrap()["text"].as_str().unwrap();
    assert!(graph.contains("  Q8:\n    \"P137 operator\": [Q9]"), "{graph}");
}

#[test]
fn a06_several_answers_are_several_and_a_label_with_a_comma_is_one() {
    for (reply, answers) in
        [("ANSWER: [Spanish, Guarani]", json!(["Spanish", "Guarani"])), ("ANSWER: Spanish | Guarani", json!(["Spanish", "Guarani"]))]
    {
        let home = Home::new();
        let fallback = json!({"action": [reply], "score_answer": ["0.9"]});
        let (ran, _) = ask(&home, "Ada Storm", 1, &json!([]), &fallback, &["--json"]);
        assert_eq!(ran.ends(0).json()["answers"], answers, "{reply}");
    }
    let home = Home::new();
    let (ran, _) =
        ask(&home, "Ada Storm", 1, &json!([]), &json!({"action": ["ANSWER: Paris, Texas"], "score_answer": ["0.9"]}), &["--json"]);
    assert_eq!(ran.ends(0).json()["answers"], json!(["Paris, Texas"]));
}

#[test]
fn a07_an_answer_from_memory_is_not_accepted_and_is_called_unsupported() {
    let home = Home::new();
    let rules = json!([{"kind": "action", "when": {"path": ""}, "replies": ["ANSWER: Toronto", "THINK: is that so"]}]);
    let fallback = json!({"action": ["ANSWER: Toronto"], "score_answer": ["It is well known. score 0.7"]});
    let (ran, session) = ask(&home, "Lighthouse Seven", 2, &rules, &fallback, &[]);
    let ran = ran.ends(3);
    assert!(ran.out.contains("not supported by the graph") && ran.out.contains("best effort"), "{ran:#?}");
    let object = home.run(&["show", "--json", &session]).ends(0).json();
    assert_eq!((object["outcome"].as_str(), object["supported"].as_bool()), (Some("best_effort"), Some(false)));
    assert!(object["expanded"].as_u64().unwrap() > 1, "0.7 is below the threshold: the search went on");
}
