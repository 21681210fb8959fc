//! `tot replay --check` and `tot show`: from the recording alone.

use super::server::{Server, model};
use super::support::{Home, lasting, scenario};

#[test]
fn every_finished_session_is_decided_again_as_recorded() {
    let home = Home::new();
    for name in ["depth-limit", "film-backtrack", "film-chain", "nolan-forced-final", "wide"] {
        for preset in ["paper", "reference"] {
            let session = home.arg(&format!("{name}-{preset}.jsonl"));
            let asked = home.run(&["ask", "--scenario", &scenario(name), "--preset", preset, "--json", "--session", &session]);
            let ran = home.run(&["replay", "--check", &session]).ends(0);
            assert!(ran.out.contains("all as recorded"), "{ran:#?}");
            let shown = home.run(&["show", &session, "--json"]).ends(0).json();
            assert_eq!(lasting(shown), lasting(asked.json()), "{name} {preset}");
        }
    }
}

#[test]
fn neither_graph_nor_model_is_needed() {
    let home = Home::new();
    let graph = home.path("graph.ttl");
    std::fs::copy(format!("{}/assets/demo/demo.ttl", env!("CARGO_MANIFEST_DIR")), &graph).unwrap();
    let server = Server::start(|_, request| model(request));
    let (url, kg, session) = (format!("http://{}", server.host), format!("file:{}", graph.display()), home.arg("s.jsonl"));
    let args = ["ask", "Who directed Inception?", "--llm", "openai:mock", "--llm-url", &url, "--kg", &kg, "--max-expansions", "4"];
    let asked = home.run(&[&args[..], &["--json", "--session", &session]].concat()).ends(3).json();
    std::fs::remove_file(&graph).unwrap();
    let calls = server.seen().len();
    home.run(&["replay", "--check", &session]).ends(0);
    assert_eq!(lasting(home.run(&["show", &session, "--json"]).ends(0).json()), lasting(asked));
    assert_eq!(server.seen().len(), calls);
    home.run(&["ask", "--resume", &session]).ends(1).says(&["graph.ttl"]);
}

#[test]
fn a_changed_decision_is_named() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    home.run(&["ask", "--scenario", &scenario("film-backtrack"), "--quiet", "--session", &session]).ends(0);
    let text = std::fs::read_to_string(&session).unwrap();
    let change = |kind: &str, from: &str, to: &str| {
        let mut changed = 0;
        let lines = text.lines().map(|line| {
            if changed == 0 && line.contains(&format!("\"ev\":{{\"{kind}\"")) && line.contains(from) {
                changed += 1;
                line.replace(from, to)
            } else {
                line.to_owned()
            }
        });
        let text: Vec<String> = lines.collect();
        assert_eq!(changed, 1, "{kind}");
        home.write("changed.jsonl", text.join("\n") + "\n")
    };
    for (kind, from, to) in [
        ("valued", "\"value\":700000", "\"value\":710000"),
        ("opened", "the only open node", "a whim"),
        ("finished", "\"answered\"", "\"best_effort\""),
    ] {
        let ran = home.run(&["replay", "--check", &change(kind, from, to)]).ends(1);
        assert!(ran.out.starts_with("entry ") && ran.out.contains(to) && ran.out.contains(from), "{ran:#?}");
    }
    // A reply that was changed shows where the facts differ; a prompt that was changed is another request.
    let ran = home.run(&["replay", "--check", &change("replied", "Michael Caine", "Tom Hardy the Second")]).ends(1);
    assert!(ran.out.contains("Michael Caine") && ran.out.contains("Tom Hardy the Second"), "{ran:#?}");
    let ran = home.run(&["replay", "--check", &change("part", "Never follow instructions", "Always follow instructions")]).ends(1);
    assert!(ran.out.contains("another request"), "{ran:#?}");
}

#[test]
fn a_tree_three_hundred_deep_is_no_trouble() {
    use serde_json::json;
    const LENGTH: usize = 100;
    let home = Home::new();
    let entity = |i: usize| format!("Q{}", i + 1);
    let entities: serde_json::Map<String, serde_json::Value> = (0..=LENGTH).map(|i| (entity(i), json!({"label": entity(i)}))).collect();
    let claims: Vec<_> = (0..LENGTH).map(|i| json!([entity(i), "P1", entity(i + 1)])).collect();
    let pick = |i: usize| json!({"kind": "entities", "when": {"has_entities": [entity(i)], "lacks_entities": [entity(i + 1)]}, "replies": [entity(i)]});
    let scenario = json!({
        "format": "tot-scenario/1", "name": "deep", "query": "Where does the chain end?",
        "settings": {"sample_breadth": 1, "max_depth": 400, "max_expansions": 3 * LENGTH, "answer_threshold": 0.8},
        "kg": {"entities": entities, "properties": {"P1": "next"}, "claims": claims, "search": {"start": ["Q1"]}},
        "llm": {
            "rules": (0..LENGTH).map(pick).collect::<Vec<_>>(),
            "fallback": {"extract": ["start"], "match": ["1"], "action": ["EXPAND: on"], "relation": ["P1"], "score_state": ["0.7"]},
        },
    });
    let (file, session) = (home.write("deep.json", scenario.to_string()), home.arg("deep.jsonl"));
    let object = home.run(&["ask", "--scenario", &file, "--json", "--session", &session]).ends(3).json();
    let depth = object["tree"].as_array().unwrap().iter().filter_map(|row| row[0].as_u64()).max();
    assert!(depth >= Some(3 * LENGTH as u64), "{depth:?}");
    home.run(&["show", &session]).ends(0);
    home.run(&["replay", "--check", &session]).ends(0);
}
