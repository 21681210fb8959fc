//! Sessions that go on with another model: which one is asked, recorded and paid.

use crate::server::{Reply, Request, Server, model};
use crate::support::{Home, lines};
use serde_json::{Value, json};

const CONFIG: &str = "models:\n  small: {spec: openai:small, url: 'http://SMALL/v1'}\n  big: {spec: openai:big, url: 'http://BIG/v1'}\n\
    prices:\n  small: {input: 1, output: 1}\n  big: {input: 100, output: 100}\n";

/// A model that answers its first `calls` and then says that nothing is left to spend.
fn broke(calls: usize) -> impl Fn(usize, &Request) -> Reply + Send + Sync + 'static {
    move |number, request| {
        if number < calls {
            return model(request);
        }
        let body =
            json!({"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}});
        ("429 Too Many Requests", "application/json", body.to_string())
    }
}

fn named(server: &Server) -> Vec<String> {
    let of =
        |request: Request| serde_json::from_str::<Value>(&request.body).ok().and_then(|body| body["model"].as_str().map(str::to_owned));
    server.seen().into_iter().filter_map(of).collect()
}

#[test]
fn a_session_whose_model_has_no_quota_goes_on_with_another_and_each_is_paid_by_its_own_price() {
    let home = Home::new();
    let (small, big) = (Server::start(broke(6)), Server::start(|_, request| model(request)));
    let config = home.write("config/tot/config.yaml", CONFIG.replace("SMALL", &small.host).replace("BIG", &big.host));
    let session = home.arg("s.jsonl");
    let ask = ["ask", "Who is Inception?", "--llm", "small", "--max-expansions", "3", "--session", &session];
    home.run(&ask).ends(1).says(&["quota", "go on with: tot ask --resume"]);
    let sent = named(&small).len();
    let ran = home.run(&["ask", "--resume", &session, "--llm", "big", "--json"]);
    let out = ran.json();
    assert_eq!(named(&small).len(), sent, "the first one is not asked any more");
    assert!(!named(&big).is_empty() && named(&big).iter().all(|name| name == "big"));
    let by_model = out["llm"]["by_model"].as_array().unwrap_or_else(|| panic!("{out}"));
    let of = |n: usize, what: &str| by_model[n][what].clone();
    assert_eq!((of(0, "spec"), of(1, "spec")), (json!("small"), json!("big")));
    let cost = |n: usize| of(n, "cost").as_f64().unwrap();
    let tokens = |n: usize| of(n, "prompt_tokens").as_f64().unwrap() + of(n, "completion_tokens").as_f64().unwrap();
    assert!((cost(0) - tokens(0) / 1e6).abs() < 1e-6 && (cost(1) - tokens(1) / 1e4).abs() < 1e-6, "{out}");
    assert!((out["llm"]["cost"].as_f64().unwrap() - cost(0) - cost(1)).abs() < 2e-6);
    assert_eq!(out["llm"]["costs"], json!({"USD": out["llm"]["cost"]}));
    home.run(&["show", &session]).ends(0);
    home.run(&["replay", "--check", &session]).ends(0);
    let recorded = std::fs::read_to_string(&session).unwrap();
    assert!(recorded.contains(r#""what":{"model":{"spec":"big","name":"openai:big","service_model":"big""#), "{recorded}");
    // It stays the session's model without being named again.
    let before = named(&big).len();
    home.run(&["ask", "--resume", &session, "--max-expansions", "4", "--quiet"]);
    assert!(named(&big).len() > before && named(&small).len() == sent);
    // Where it is not known any more, the session says so and can still be looked at.
    std::fs::remove_file(&config).unwrap();
    home.run(&["ask", "--resume", &session]).ends(2).says(&["big"]);
    home.run(&["show", &session]).ends(0);
    // Another one whose price is not known takes no budget of money.
    let other = CONFIG.replace("SMALL", &small.host).replace("BIG", &big.host);
    home.write("config/tot/config.yaml", format!("{other}budgets: {{}}\n").replace("  small: {input", "  smaller: {input"));
    let refused = home.run(&["ask", "--resume", &session, "--llm", "small", "--max-cost", "1"]).ends(2);
    refused.says(&["a budget of money needs to know what small costs"]);
    assert_eq!(std::fs::read_to_string(&session).unwrap().matches(r#""what":{"model""#).count(), 1, "nothing was recorded");
}

/// The model behind a service whose window holds so many letters.
fn small_window(letters: usize) -> impl Fn(usize, &Request) -> Reply + Send + Sync + 'static {
    move |_, request| {
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let prompt = body["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).map(str::len).sum::<usize>();
        if prompt > letters {
            let error =
                json!({"error": {"message": "This model's maximum context length is 800 tokens.", "code": "context_length_exceeded"}});
            return ("400 Bad Request", "application/json", error.to_string());
        }
        let (status, kind, reply) = model(request);
        let mut reply: Value = serde_json::from_str(&reply).unwrap();
        if prompt_task(&body) == "select relation" {
            for choice in reply["choices"].as_array_mut().unwrap() {
                choice["message"]["content"] = json!("P161");
            }
        }
        (status, kind, reply.to_string())
    }
}

fn prompt_task(body: &Value) -> String {
    let last = body["messages"].as_array().and_then(|all| all.last()).and_then(|m| m["content"].as_str()).unwrap_or_default();
    last.rsplit("# TASK: ").next().and_then(|task| task.lines().next()).unwrap_or_default().to_owned()
}

#[test]
fn what_a_prompt_that_is_too_long_left_out_is_told_once() {
    let home = Home::new();
    let server = Server::start(small_window(2_200));
    let path = home.arg("window.jsonl");
    let flags = ["--llm", "openai:m", "--llm-url", &server.host, "--branching", "1", "--max-expansions", "9", "--session", &path];
    let ran = home.run(&[&["ask", "Who directed Inception?"][..], &flags].concat()).clean();
    assert_eq!(ran.err.matches("a smaller local graph is needed").count(), 1, "{}", ran.err);
    let said: Vec<&str> = ran.err.lines().filter(|line| line.contains(" facts were shown")).collect();
    assert!(!said.is_empty() && said.iter().all(|line| line.contains("the prompt was too long for the model: ")), "{}", ran.err);
    // Where one was refused, those after it are shorter before they are sent.
    let entries = lines(&path);
    let count = |name: &str| entries.iter().filter(|entry| !entry["ev"][name].is_null()).count();
    let steps = count("opened");
    assert!(count("failed") < steps, "{} refusals in {steps} steps", count("failed"));
    home.run(&["replay", "--check", &path]).ends(0);
    home.run(&["ask", "--from", &path]).says(&["answered from the recording"]);
}

#[test]
fn what_was_paid_in_two_currencies_is_said_in_both() {
    let home = Home::new();
    let (small, big) = (Server::start(broke(6)), Server::start(|_, request| model(request)));
    let in_euros = CONFIG.replace("big: {input: 100, output: 100}", "big: {input: 100, output: 100, currency: EUR}");
    home.write("config/tot/config.yaml", in_euros.replace("SMALL", &small.host).replace("BIG", &big.host));
    let session = home.arg("s.jsonl");
    home.run(&["ask", "Who is Inception?", "--llm", "small", "--max-expansions", "3", "--session", &session]).ends(1);
    let out = home.run(&["ask", "--resume", &session, "--llm", "big", "--json"]).json();
    let (cost, costs) = (&out["llm"]["cost"], &out["llm"]["costs"]);
    assert!(cost.is_null() && costs["USD"].as_f64().unwrap() > 0.0 && costs["EUR"].as_f64().unwrap() > 0.0, "{out}");
    let shown = home.run(&["show", &session]).out;
    assert!(shown.contains(" USD and ") && shown.contains(" EUR; ") && !shown.contains("cost not known"), "{shown}");
}
