//! `tot ask`: where the answer goes, where the progress goes, the exit status.

use super::support::{Home, events, scenario};

const QUESTION: &str = "Which actor played in both Inception and Interstellar?";

#[test]
fn the_answer_is_on_stdout_and_the_progress_on_stderr() {
    let home = Home::new();
    let ran = home.run(&["ask", QUESTION, "--llm", "lexical", "--kg", "demo"]).ends(0).clean();
    assert_eq!(ran.out.lines().next(), Some("Michael Caine"));
    for fact in ["Inception · cast member · Michael Caine", "Interstellar · cast member · Michael Caine"] {
        assert!(ran.out.contains(fact), "{ran:#?}");
    }
    assert!(ran.err.contains("#0 question:") && ran.err.contains("#1 ") && !ran.out.contains("#0"), "{ran:#?}");
    assert_eq!(home.sessions().len(), 1);
    let quiet = home.run(&["ask", QUESTION, "--quiet"]).ends(0);
    assert_eq!((quiet.err.as_str(), quiet.out.as_str()), ("", ran.out.as_str()));
}

#[test]
fn json_is_one_object_with_every_promised_field() {
    let home = Home::new();
    let ran = home.run(&["ask", QUESTION, "--json"]).ends(0).clean();
    assert_eq!(ran.err, "");
    let object = ran.json();
    let fields = "question answer answers value outcome best_candidate stop route strategy nodes expanded rejected order tree llm \
                  llm_rounds kg elapsed_ms path evidence session";
    for field in fields.split_whitespace() {
        assert!(object.get(field).is_some(), "{field} is missing");
    }
    for (group, fields) in
        [("llm", &["calls", "samples", "rounds", "prompt_tokens", "completion_tokens", "cost"][..]), ("kg", &["calls", "cached"])]
    {
        for field in fields {
            assert!(object[group].get(field).is_some(), "{group}.{field} is missing");
        }
    }
    assert_eq!((object["answer"].as_str(), object["outcome"].as_str()), (Some("Michael Caine"), Some("answered")));
    assert_eq!(object["evidence"][0], serde_json::json!(["Q25188", "P161", "Q123351"]));
    assert_eq!(home.sessions(), [std::path::PathBuf::from(object["session"].as_str().unwrap())]);
}

#[test]
fn every_scenario_comes_out_as_expected_under_both_presets() {
    let home = Home::new();
    let mut checked = 0;
    for file in std::fs::read_dir(super::support::data("scenarios")).unwrap() {
        let file = file.unwrap().path();
        for preset in ["paper", "reference"] {
            let ran = home.run(&["ask", "--scenario", file.to_str().unwrap(), "--preset", preset, "--check", "--quiet"]).ends(0);
            assert_eq!(ran.err, "", "{} {preset}", file.display());
            checked += 1;
        }
    }
    assert!(checked >= 10);
}

#[test]
fn a_scenario_that_comes_out_otherwise_is_named() {
    let home = Home::new();
    let text = std::fs::read_to_string(scenario("film-chain")).unwrap().replace("\"stop\": \"threshold\"", "\"stop\": \"budget\"");
    let file = home.write("other.json", text);
    home.run(&["ask", "--scenario", &file, "--check", "--quiet"]).ends(1).says(&["stop", "budget"]);
}

#[test]
fn a_question_without_an_entity_of_the_graph_is_no_answer() {
    let home = Home::new();
    let args = ["ask", "Who painted the Zzzqqx?"];
    let ran = home.run(&args).ends(3).says(&["no entity of the question was found in the graph"]);
    assert!(ran.out.contains("not supported by the graph") || ran.out.contains("no answer found"), "{ran:#?}");
    let object = home.run(&[&args[..], &["--json"]].concat()).ends(3).json();
    assert_ne!(object["outcome"], "answered");
    assert!(object["remarks"][0].as_str().unwrap().contains("no entity"), "{object:#}");
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let home = Home::new();
    home.run(&["ask", QUESTION, "--session", &home.arg("s.jsonl")]).ends(0);
    for line in [
        "\"$TOT\" show s.jsonl | head -n 1",
        "\"$TOT\" show s.jsonl --json | true",
        "\"$TOT\" kg relations Q25188 | true",
        "\"$TOT\" replay --check s.jsonl | true",
        "\"$TOT\" ask x 2>&1 >/dev/null | true",
    ] {
        home.shell(line).ends(0);
    }
    home.shell("{ \"$TOT\" show s.jsonl; echo $? >status; } | true").ends(0);
    assert_eq!(std::fs::read_to_string(home.path("status")).unwrap().trim(), "0");
}

#[test]
fn the_explorer_without_a_terminal_is_a_usage_error_with_a_hint() {
    let home = Home::new();
    home.run(&[]).ends(2).says(&["terminal", "tot ask"]);
    home.run(&[QUESTION]).ends(2).says(&["terminal", "tot ask"]);
    home.shell("TERM=dumb \"$TOT\"").ends(2).says(&["tot ask", "--plain"]);
    home.run(&["resume", "x"]).ends(2).says(&["tot ask --resume"]);
    home.run(&["replay", "x"]).ends(2).says(&["tot show"]);
}

#[test]
fn a_person_answers_on_stdin_and_its_end_leaves_a_session() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let line = format!("echo Inception | \"$TOT\" ask 'Who directed Inception?' --llm human --session {session}");
    let ran = home.shell(&line).ends(1).says(&["TASK: extract", "sample 1 of 1:", "stdin ended", "tot ask --resume"]);
    assert_eq!(ran.out, "");
    home.run(&["show", &session]).ends(0);
    home.run(&["ask", "--resume", &session, "--llm", "lexical", "--quiet"]).ends(0);
}

#[test]
fn a_person_writes_several_lines_and_nothing_is_not_taken_for_a_reply() {
    let home = Home::new();
    let session = home.arg("human.jsonl");
    // Nothing, then a reply of two lines, then the end of stdin with samples left.
    let line = format!("printf '\\n  \\nInception\\\\\\nInterstellar\\n' | \"$TOT\" ask 'Which?' --llm human --session {session}");
    let ran = home.shell(&line).ends(1).says(&["nothing was written", "stdin ended"]);
    assert_eq!(ran.err.matches("nothing was written").count(), 2, "{ran:#?}");
    let texts: Vec<String> = events(home.path("human.jsonl"), "replied")
        .iter()
        .filter_map(|replied| Some(replied["got"]["samples"][0][1]["text"].as_str()?.to_owned()))
        .collect();
    assert_eq!(texts, ["Inception\nInterstellar"]);
    // Who goes on is shown the prompt again.
    let ran = home.shell(&format!("printf '' | \"$TOT\" ask --resume {session}")).ends(1);
    assert!(ran.err.contains("# TASK"), "{ran:#?}");
}
