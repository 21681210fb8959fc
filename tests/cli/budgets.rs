//! `--max-calls`, `--max-tokens`, `--max-cost`, `--max-time`: exit status 4, what is known so far, and going on.

use super::server::{Server, busy_at_first, model};
use super::support::{Home, events, lasting, lines, scenario};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const QUESTION: &str = "Who directed Inception?";
const PRICED: &str = "prices:\n  openai:mo*: {input: 2, output: 8, currency: EUR}\n";

fn server() -> (Server, String) {
    let server = Server::start(|_, request| model(request));
    let url = format!("http://{}", server.host);
    (server, url)
}

/// Requests for completions that came in.
fn asked(server: &Server) -> usize {
    server.seen().iter().filter(|r| r.head.starts_with("POST")).count()
}

fn ask<'a>(url: &'a str, session: &'a str) -> Vec<&'a str> {
    vec!["ask", QUESTION, "--llm", "openai:mock", "--llm-url", url, "--structured", "off", "--max-expansions", "4", "--session", session]
}

#[test]
fn calls_stop_it_and_a_larger_limit_goes_on_without_paying_twice() {
    let home = Home::new();
    let (server, url) = server();
    let whole = home.arg("whole.jsonl");
    let expected = home.run(&[&ask(&url, &whole)[..], &["--json"]].concat()).ends(3).json();
    let all = asked(&server);
    assert_eq!(expected["llm"]["calls"], all, "one request an ask");
    let session = home.arg("s.jsonl");
    let stopped = home.run(&[&ask(&url, &session)[..], &["--max-calls", "4", "--json"]].concat()).ends(4);
    let stopped = stopped.says(&["the budget of 4 calls to the model is used up", "--resume", &session, "--max-calls N, with N above 4"]);
    let object = stopped.json();
    assert_eq!((&object["stop"], &object["outcome"], &object["llm"]["calls"]), (&json!("budget: calls"), &Value::Null, &json!(4)));
    assert_eq!(object["halted"], "the budget of 4 calls to the model is used up");
    assert_eq!(asked(&server) - all, 4);
    // Without a larger limit nothing is asked.
    let again = home.run(&["ask", "--resume", &session]).ends(4);
    assert!(again.out.starts_with("no answer yet\n"), "{again:#?}");
    assert_eq!(asked(&server) - all, 4);
    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains("stands still here: the budget of 4 calls") && shown.out.contains("at most 4 calls"), "{shown:#?}");
    // With one, it comes to the end of a search that was never stopped, at the same price.
    let end = home.run(&["ask", "--resume", &session, "--max-calls", "100", "--json"]).ends(3).json();
    assert_eq!(asked(&server) - all, all);
    let mut end = lasting(end);
    assert_eq!(end["llm"]["budgets"], json!({"calls": 100}));
    end["llm"]["budgets"] = json!({});
    assert_eq!(end, lasting(expected));
    home.run(&["replay", "--check", &session]).ends(0);
    let set: Vec<Value> = events(&session, "acted");
    assert_eq!(set[0]["what"], json!({"set": {"budget": ["calls", 100]}}), "recorded as a change of settings");
}

#[test]
fn requests_are_counted_where_a_call_takes_several() {
    let home = Home::new();
    // A server without `n`: one sample a request. The first request of all is refused for a moment.
    let answer = busy_at_first();
    let server = Server::start(move |number, request| {
        let (status, kind, body) = answer(number, request);
        let mut body: Value = serde_json::from_str(&body).unwrap_or_default();
        if let Some(choices) = body["choices"].as_array_mut() {
            choices.truncate(1);
        }
        (status, kind, body.to_string())
    });
    let url = format!("http://{}", server.host);
    let session = home.arg("s.jsonl");
    let object = home.run(&[&ask(&url, &session)[..], &["--json"]].concat()).ends(3).json();
    let sent = asked(&server) as u64;
    assert_eq!(object["llm"]["requests"], sent, "{}", object["llm"]);
    assert!(sent > object["llm"]["calls"].as_u64().unwrap());
    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains(&format!("({sent} requests, ")), "{shown:#?}");
}

#[test]
fn a_request_that_brought_nothing_is_paid_and_told_apart() {
    let home = Home::new();
    home.write("config/tot/config.yaml", PRICED);
    // The first reply breaks off in its midst.
    let server = Server::start(|number, request| match number {
        0 => ("200 OK", "text/event-stream", r#"data: {"choices":[{"index":0,"delta":{"content":"Incep"}}]}"#.to_owned() + "\n\n"),
        _ => model(request),
    });
    let url = format!("http://{}", server.host);
    let session = home.arg("s.jsonl");
    let object = home.run(&[&ask(&url, &session)[..], &["--json"]].concat()).ends(3).json();
    let (llm, extract) = (&object["llm"], &object["llm"]["by_kind"]["extract"]);
    let nothing = &llm["brought_nothing"];
    assert_eq!((&nothing["requests"], &nothing["completion_tokens"], &llm["tokens_estimated"]), (&json!(1), &json!(2), &json!(true)));
    assert_eq!((nothing, &llm["by_kind"]["action"]["brought_nothing"]["requests"]), (&extract["brought_nothing"], &json!(0)));
    let lost = nothing["prompt_tokens"].as_u64().unwrap();
    assert!(lost > 9, "its prompt, by its letters: {nothing}");
    assert_eq!(extract["prompt_tokens"], lost + 9, "and 9 of the reply that came then");
    assert_eq!((nothing["cost"].as_f64().unwrap() * 1e6).round() as u64, lost * 2 + 2 * 8);
    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains(&format!("; of this 1 request that brought nothing: ~{lost} tokens in, ~2 out, ~")), "{shown:#?}");
    home.run(&["replay", "--check", &session]).ends(0);
}

#[test]
fn money_is_counted_by_the_price_table() {
    let home = Home::new();
    home.write("config/tot/config.yaml", PRICED);
    let (server, url) = server();
    let session = home.arg("s.jsonl");
    // 9 tokens in and one a sample out: 26 millionths for a single sample, 42 for three.
    let stopped = home.run(&[&ask(&url, &session)[..], &["--max-cost", "0.0001", "--json"]].concat()).ends(4);
    let object = stopped.says(&["the budget of 0.0001 EUR is used up", "--max-cost N, with N above 0.0001"]).json();
    assert_eq!((&object["stop"], &object["llm"]["currency"]), (&json!("budget: cost"), &json!("EUR")));
    let (tokens_in, out) = (object["llm"]["prompt_tokens"].as_u64().unwrap(), object["llm"]["completion_tokens"].as_u64().unwrap());
    assert_eq!(tokens_in, 9 * asked(&server) as u64);
    let millionths = |cost: &Value| (cost.as_f64().unwrap() * 1e6).round() as u64;
    assert_eq!(millionths(&object["llm"]["cost"]), tokens_in * 2 + out * 8);
    assert!(millionths(&object["llm"]["cost"]) >= 100);
    let kinds = object["llm"]["by_kind"].as_object().unwrap();
    assert_eq!(kinds.values().map(|kind| millionths(&kind["cost"])).sum::<u64>(), tokens_in * 2 + out * 8);
    assert_eq!(kinds.values().map(|kind| kind["calls"].as_u64().unwrap()).sum::<u64>(), object["llm"]["calls"].as_u64().unwrap());
    assert!(kinds.contains_key("extract") && kinds.contains_key("action"));
    // The price is that of the start, whatever the configuration says later.
    home.write("config/tot/config.yaml", "prices:\n  openai:mock: {input: 99, output: 99}\n");
    let shown = home.run(&["show", &session, "--json"]).ends(0).json();
    assert_eq!(shown["llm"], object["llm"]);
    let text = home.run(&["show", &session]).ends(0);
    assert!(text.out.contains("EUR") && text.out.contains("extract 1x 9+1, 0.000026 EUR"), "{text:#?}");
    let end = home.run(&["ask", "--resume", &session, "--max-cost", "none", "--json"]).ends(3).json();
    assert_eq!((&end["llm"]["currency"], &end["llm"]["budgets"]), (&json!("EUR"), &json!({})));
}

#[test]
fn a_model_that_wants_a_pause_is_waited_for_and_that_is_said() {
    let home = Home::new();
    let server = Server::start(busy_at_first());
    let url = format!("http://{}", server.host);
    let ran =
        home.run(&ask(&url, &home.arg("s.jsonl"))).ends(3).says(&["  openai:mock waits ", " s: 127.0.0.1 is asked too often (HTTP 429)"]);
    assert_eq!(ran.err.matches("waits").count(), 1, "{ran:#?}");
}

#[test]
fn an_unknown_price_is_no_price_and_no_budget() {
    let home = Home::new();
    let (server, url) = server();
    let session = home.arg("s.jsonl");
    let refused = home.run(&[&ask(&url, &session)[..], &["--max-cost", "1"]].concat()).ends(2);
    refused.says(&["what openai:mock costs", "under `prices`", "--max-cost none"]);
    home.write("config/tot/config.yaml", "budgets: {cost: 1}\n");
    home.run(&ask(&url, &session)).ends(2).says(&["under `prices`"]);
    assert_eq!((asked(&server), std::path::Path::new(&session).exists()), (0, false), "nothing began");
    let stopped = home.run(&[&ask(&url, &session)[..], &["--max-cost", "none", "--max-tokens", "30", "--json"]].concat()).ends(4).json();
    assert_eq!((&stopped["llm"]["cost"], &stopped["llm"]["currency"]), (&Value::Null, &Value::Null));
    assert_eq!((&stopped["stop"], &stopped["llm"]["budgets"]), (&json!("budget: tokens"), &json!({"tokens": 30})));
    home.run(&["ask", "--resume", &session, "--max-cost", "1"]).ends(2).says(&["under `prices`"]);
    // When the price becomes known, all of the session has one.
    home.write("config/tot/config.yaml", PRICED);
    let known = home.run(&["ask", "--resume", &session, "--max-cost", "1", "--json"]).ends(4).json();
    assert!(known["llm"]["cost"].as_f64().unwrap() > 0.0 && known["llm"]["currency"] == "EUR", "{known}");
    assert_eq!(known["llm"]["calls"], stopped["llm"]["calls"]);
}

#[test]
fn what_runs_here_is_free() {
    let home = Home::new();
    let object = home.run(&["ask", QUESTION, "--max-cost", "0.000001", "--json"]).ends(0).json();
    assert_eq!((&object["llm"]["cost"], &object["llm"]["currency"]), (&json!(0.0), &Value::Null));
    assert!(object["llm"]["tokens_estimated"].as_bool().unwrap());
    let shown = home.run(&["show", object["session"].as_str().unwrap()]).ends(0);
    assert!(shown.out.contains("free of charge") && shown.out.contains("~"), "{shown:#?}");
}

#[test]
fn time_stops_it_and_is_counted_over_all_runs_of_a_session() {
    let home = Home::new();
    let scenario = home.slow("film-backtrack", 60, 40);
    let session = home.arg("s.jsonl");
    let ran = home.run(&["ask", "--scenario", &scenario, "--session", &session, "--max-time", "500ms", "--quiet"]).ends(4);
    ran.says(&["the budget of 500ms of running time is used up", "--max-time N, with N above 500ms"]);
    let before = lines(&session).len();
    home.run(&["ask", "--resume", &session, "--json"]).ends(4);
    let more: Vec<Value> = lines(&session).split_off(before);
    assert!(more.iter().all(|line| line["ev"].get("asked").is_none()), "{more:?}");
    let object = home.run(&["ask", "--resume", &session, "--max-time", "10m", "--check", "--scenario", &scenario, "--json"]).ends(0).json();
    assert!(object["elapsed_ms"].as_u64().unwrap() > 500, "{object}");
}

#[test]
fn time_ends_a_call_in_flight() {
    let home = Home::new();
    // The server takes the second request and says nothing; later it answers everything.
    let silent = Arc::new(AtomicBool::new(true));
    let server = Server::start({
        let silent = Arc::clone(&silent);
        move |_, request| {
            let second = request.head.starts_with("POST") && !request.body.contains("# TASK: extract");
            if second && silent.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_secs(40));
            }
            model(request)
        }
    });
    let url = format!("http://{}", server.host);
    let session = home.arg("s.jsonl");
    let began = Instant::now();
    let stopped = home.run(&[&ask(&url, &session)[..], &["--max-time", "2s", "--json"]].concat()).ends(4);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let object = stopped.says(&["the budget of 2s of running time is used up", "--resume", "--max-time N, with N above 2s"]).json();
    assert_eq!((&object["stop"], &object["outcome"]), (&json!("budget: time"), &Value::Null));
    silent.store(false, Ordering::SeqCst);
    home.run(&["ask", "--resume", &session, "--max-time", "10m", "--json"]).ends(3);
    home.run(&["replay", "--check", &session]).ends(0);
}

#[test]
fn the_best_answer_so_far_is_told() {
    let home = Home::new();
    let scenario = scenario("film-backtrack");
    for (limit, best) in [("3", None), ("16", Some("Leonardo DiCaprio")), ("22", Some("Christopher Nolan"))] {
        let args = ["ask", "--scenario", &scenario, "--max-calls", limit];
        let object = home.run(&[&args[..], &["--json"]].concat()).ends(4).json();
        assert_eq!((object["best_candidate"].as_str(), &object["answer"], &object["outcome"]), (best, &Value::Null, &Value::Null));
        let text = home.run(&args).ends(4).out;
        assert!(text.starts_with("no answer yet\n") && !text.contains("no answer found"), "{text}");
        match best {
            Some(best) => assert!(text.contains(&format!("best candidate, below the threshold: {best} (value ")), "{text}"),
            None => assert!(!text.contains("best candidate"), "{text}"),
        }
    }
    home.run(&["ask", "--scenario", &scenario, "--max-calls", "23"]).ends(0);
}

#[test]
fn slips_are_told_with_their_place() {
    let home = Home::new();
    for (flags, says) in [
        (["--max-calls", "ten"], "a whole number, or none"),
        (["--max-tokens", "0"], "a limit of nothing"),
        (["--max-cost", "1,5"], "write it like 0.50"),
        (["--max-time", "5d"], "90s, 5m, 1.5h"),
    ] {
        home.run(&[&["ask", QUESTION][..], &flags].concat()).ends(2).says(&[flags[0], says]);
    }
    for (config, says) in [
        ("lang: [en]\nbudgets:\n  calls: many\n", ["budgets.calls", "a whole number", "line 3"]),
        ("budgets: {time: 5m, cals: 3}\n", ["budgets", "unknown field `cals`", "line 1"]),
        ("prices:\n  openai:x:\n    input: cheap\n    output: 1\n", ["prices.openai:x.input", "million tokens", "line 3"]),
        ("prices:\n  openai:x: {input: 1, outputs: 1}\n", ["prices.openai:x", "unknown field `outputs`", "line 2"]),
    ] {
        home.write("config/tot/config.yaml", config);
        home.run(&["ask", QUESTION]).ends(1).says(&["config.yaml"]).says(&says);
    }
    home.write("config/tot/config.yaml", "budgets:\n  calls: 3\n  time: 10m\n  tokens: none\n");
    home.run(&["ask", QUESTION]).ends(4).says(&["3 calls"]);
    home.run(&["ask", QUESTION, "--max-calls", "none"]).ends(0);
}
