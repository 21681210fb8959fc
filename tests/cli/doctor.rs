//! `tot doctor`: what works, what does not, and what to do.

use super::support::{Home, Ran};
use serde_json::{Value, json};

fn finding(ran: &Ran, what: &str) -> Value {
    let all = ran.json();
    let found = all["checks"].as_array().unwrap().iter().find(|finding| finding["what"] == what);
    found.unwrap_or_else(|| panic!("no {what}: {all}")).clone()
}

#[test]
fn without_a_configuration_everything_works() {
    let home = Home::new();
    let ran = home.run(&["doctor"]).ends(0).clean();
    for words in [
        "ok    program",
        "ok    configuration: none at",
        "ok    sessions: recorded in",
        "ok    cache:",
        "ok    kg demo",
        "note  model lexical",
    ] {
        assert!(ran.out.contains(words), "{words}: {ran:#?}");
    }
    assert!(ran.out.ends_with("everything that is configured works\n"), "{ran:#?}");
    assert!(home.sessions().is_empty());
}

#[test]
fn what_is_configured_and_does_not_work_fails_with_what_to_do() {
    let home = Home::new();
    let config = json!({
        "kg": ["demo"],
        "kgs": {
            "gone": "sparql:http://user:pa55w0rd@127.0.0.1:9/query",
            "broken": "exec:echo out of ink >&2; exit 3",
            "secret": {"spec": "sparql:http://127.0.0.1:9/", "user": "ann", "password_env": "MUSEUM_PASSWORD"},
            "missing": "file:no-such-file.ttl",
            "typo": "exce:x",
        },
        "llm": "openai:some-model", "llm_url": "http://127.0.0.1:9", "theme": "no-such-theme", "prompts": "no-such-folder",
    });
    home.write("config/tot/config.yaml", config.to_string());
    let ran = home.run(&["doctor", "--json"]).ends(1).clean();
    assert_eq!(ran.json()["works"], json!(false));
    for (what, says) in [
        ("kg gone", "check the address"),
        ("kg broken", "out of ink"),
        ("kg secret", "is not set"),
        ("kg missing", "no-such-file.ttl"),
        ("kg typo", "did you mean exec:COMMAND?"),
        ("model openai:some-model", "127.0.0.1"),
        ("theme no-such-theme", "no such theme"),
        ("prompts", "mend `prompts`"),
    ] {
        let finding = finding(&ran, what);
        assert_eq!(finding["state"], "fails", "{finding}");
        assert!(finding["says"].as_str().unwrap().contains(says), "{finding}");
    }
    assert_eq!(finding(&ran, "kg demo")["state"], "works");
    assert!(!ran.out.contains("pa55w0rd"), "{ran:#?}");
    let list = home.run(&["doctor"]).ends(1);
    assert!(list.out.contains("FAILS kg broken") && list.out.ends_with("8 things do not work\n"), "{list:#?}");
}

#[test]
fn a_configuration_that_cannot_be_read_is_said_and_the_rest_is_checked() {
    let home = Home::new();
    home.write("config/tot/config.yaml", "kg: [demo\n");
    let ran = home.run(&["doctor", "--json"]).ends(1);
    assert!(finding(&ran, "configuration")["says"].as_str().unwrap().contains("config.yaml"));
    assert_eq!(finding(&ran, "kg demo")["state"], "works");
}

#[test]
fn folders_that_cannot_be_written_are_said() {
    let home = Home::new();
    home.write("state", "a file");
    home.write("cache", "a file");
    let ran = home.run(&["doctor", "--json"]).ends(1);
    assert_eq!((&finding(&ran, "sessions")["state"], &finding(&ran, "cache")["state"]), (&json!("fails"), &json!("remark")));
}

#[test]
fn a_graph_that_hangs_does_not_hold_it_up() {
    let home = Home::new();
    let ran = home.run(&["doctor", "--json", "--kg", "exec:sleep 1000", "--kg", "demo"]).ends(1);
    assert!(finding(&ran, "kg exec")["says"].as_str().unwrap().contains("no word within 10 s"), "{ran:#?}");
    assert_eq!(finding(&ran, "kg demo")["state"], "works");
}
