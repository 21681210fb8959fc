//! "How many mountains of Norland are over 3500 m?" through the real binary: the graph counts, the prompt never holds a
//! mountain.

use super::support::{Home, events};

fn asset(name: &str) -> String {
    format!("{}/assets/mountains/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn ask(home: &Home, more: &[&str]) -> super::support::Ran {
    let (kg, llm) = (format!("file:{}", asset("mountains.ttl.gz")), format!("script:{}", asset("script.json")));
    let question = "How many mountains of Norland are over 3500 m?";
    home.run(&[&["ask", "--kg", &kg, "--llm", &llm, "--branching", "1"][..], more, &[question]].concat())
}

#[test]
fn nine_hundred_mountains_are_counted_without_being_listed() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let object = ask(&home, &["--actions", "+aggregate", "--json", "--session", &session]).ends(0).json();
    assert_eq!((object["outcome"].as_str(), object["answer"].as_str()), (Some("answered"), Some("900")), "{object:#}");
    assert_eq!(object["evidence"], serde_json::json!([["Q9000001", "count(~P17;P31=Q8502;P2044>3500_m)", "900"]]), "{object:#}");
    let evidence = object["evidence_text"].to_string();
    assert!(evidence.contains("Norland · number of things whose country is this, where instance of = mountain"), "{object:#}");
    let token = "G:count ~P17 where \\\"instance of\\\" = mountain and \\\"elevation above sea level\\\" > \\\"3500 m\\\"";
    assert!(object["tree"].to_string().contains(token), "{object:#}");

    let parts: Vec<String> = events(&session, "part").iter().map(|part| part["text"].as_str().unwrap().to_owned()).collect();
    assert!(parts.iter().any(|text| text.contains("\nAGGREGATE: count ~P17 where")), "the action is explained");
    assert!(parts.iter().any(|text| text.contains("number of things whose country is this")), "the count is in the graph");
    assert!(parts.iter().any(|text| text.contains("OBSERVATION: \"number of things whose country (P17) is Norland")), "{parts:#?}");
    let named = |text: &String| text.contains("Peak ") || text.contains("Q91");
    assert!(!parts.iter().any(named), "a mountain got into a prompt");
    let asked = events(&session, "asked").iter().filter(|asked| asked["key"]["purpose"] == "aggregate").count();
    assert_eq!(asked, 1);

    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains("aggregate: count ~P17"), "{shown:#?}");
    home.run(&["replay", "--check", &session]).ends(0);
}

#[test]
fn without_the_flag_it_is_not_offered_and_not_taken() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let object = ask(&home, &["--json", "--session", &session, "--max-expansions", "4"]).json();
    assert!(!object["tree"].to_string().contains("G:count"), "{object:#}");
    let offered = events(&session, "part").iter().any(|part| part["text"].as_str().unwrap().contains("AGGREGATE"));
    assert!(!offered);
}
