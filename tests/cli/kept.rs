//! `--cache`: replies of models on disk.

use super::server::{Server, model};
use super::support::{Home, Ran, finish, lasting, send, wait_for_lines};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const QUESTION: &str = "Who directed Inception?";

fn ask(home: &Home, server: &Server, more: &[&str]) -> Ran {
    let base = ["ask", QUESTION, "--llm", "openai:m", "--llm-url", &server.host, "--max-expansions", "3", "--json"];
    let branching: &[&str] = if more.contains(&"--branching") { &[] } else { &["--branching", "2"] };
    home.run(&[&base, branching, more].concat())
}

/// The object without what differs between a live run and one from the cache.
fn result(ran: &Ran) -> serde_json::Value {
    let mut object = lasting(ran.json());
    object["llm"] = serde_json::json!([object["llm"]["calls"], object["llm"]["samples"], object["llm"]["rounds"]]);
    object
}

#[test]
fn a_second_run_sends_nothing_and_another_seed_asks_anew() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let first = ask(&home, &server, &["--cache"]);
    let asked = server.seen().len();
    assert!(asked > 5, "{first:#?}");
    let second = ask(&home, &server, &["--cache"]);
    assert_eq!(server.seen().len(), asked, "{second:#?}");
    assert_eq!(result(&first), result(&second));
    let (live, kept) = (&first.json()["llm"], &second.json()["llm"]);
    assert_eq!((&live["cached"], &live["samples_cached"]), (&0.into(), &0.into()));
    assert_eq!((&kept["cached"], &kept["samples_cached"]), (&kept["calls"], &kept["samples"]));
    assert_eq!(kept["prompt_tokens"], 0, "nothing was paid");
    assert!(live["prompt_tokens"].as_u64().unwrap() > 0);
    // Without the flag nothing is taken from there, and --fresh asks again.
    ask(&home, &server, &[]);
    assert_eq!(server.seen().len(), 2 * asked);
    ask(&home, &server, &["--cache", "--fresh"]);
    assert_eq!(server.seen().len(), 3 * asked);
    ask(&home, &server, &["--cache", "--seed", "7"]);
    assert_eq!(server.seen().len(), 4 * asked, "another seed gives other samples");
    // Part of what is wanted is there: only the rest is asked for.
    let more = ask(&home, &server, &["--cache", "--branching", "3"]);
    assert!(more.json()["llm"]["samples_cached"].as_u64().unwrap() > 0, "{more:#?}");
    let last = server.seen();
    assert!(last[4 * asked..].iter().any(|r| r.body.contains("\"n\":1") || !r.body.contains("\"n\":")), "{last:?}");
}

#[test]
fn the_configuration_switches_it_on_and_the_files_are_private() {
    let home = Home::new();
    home.write("config/tot/config.yaml", "cache_replies: true\n");
    let server = Server::start(|_, request| model(request));
    ask(&home, &server, &[]);
    let asked = server.seen().len();
    ask(&home, &server, &[]);
    assert_eq!(server.seen().len(), asked);
    let mode = |name: &str| std::fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("cache/tot"), mode("cache/tot/models.redb")), (0o700, 0o600));
    let listed: serde_json::Value = serde_json::from_str(&home.run(&["cache", "--json"]).ends(0).out).unwrap();
    assert_eq!(listed[0]["model"], "openai:m", "{listed}");
    assert!(listed[0]["replies"].as_u64().unwrap() > 0);
    home.run(&["cache", "--clear", "openai:m"]).ends(0).says(&["forgotten"]);
    ask(&home, &server, &[]);
    assert_eq!(server.seen().len(), 2 * asked);
    // Another key is another account.
    let base = ["ask", QUESTION, "--llm", "openai:m", "--llm-url", &server.host, "--max-expansions", "3", "--branching", "2"];
    finish(home.tot(&base).env("OPENAI_API_KEY", "sk-another-account").spawn().unwrap());
    assert_eq!(server.seen().len(), 3 * asked);
    let bytes = String::from_utf8_lossy(&std::fs::read(home.path("cache/tot/models.redb")).unwrap()).into_owned();
    assert!(!bytes.contains("another-account"));
}

#[test]
fn a_kill_in_the_middle_keeps_what_came() {
    let home = Home::new();
    let slow = Arc::new(AtomicBool::new(true));
    let is_slow = slow.clone();
    let server = Server::start(move |number, request| {
        if is_slow.load(Ordering::SeqCst) && number > 3 {
            std::thread::sleep(Duration::from_millis(400));
        }
        model(request)
    });
    let session = home.arg("killed.jsonl");
    let args = ["ask", QUESTION, "--llm", "openai:m", "--llm-url", &server.host, "--max-expansions", "3", "--branching", "2", "--cache"];
    let mut child = home.tot(&[&args[..], &["--session", &session]].concat()).spawn().unwrap();
    assert!(wait_for_lines(&mut child, home.path("killed.jsonl").as_path(), 30));
    std::thread::sleep(Duration::from_millis(150));
    send("KILL", &child);
    finish(child);
    slow.store(false, Ordering::SeqCst);
    let before = server.seen().len();
    let ran = home.run(&[&args[..], &["--json"]].concat());
    let object = ran.json();
    let (kept, calls) = (object["llm"]["cached"].as_u64().unwrap(), object["llm"]["calls"].as_u64().unwrap());
    assert!(kept >= 3 && kept < calls, "{object}");
    assert_eq!((server.seen().len() - before) as u64, calls - kept);
}

#[test]
fn a_damaged_file_is_set_aside_and_said_once() {
    let server = Server::start(|_, request| model(request));
    let whole = {
        let home = Home::new();
        ask(&home, &server, &["--cache"]);
        std::fs::read(home.path("cache/tot/models.redb")).unwrap()
    };
    let mut version = whole.clone();
    version[..64].iter_mut().for_each(|byte| *byte ^= 0x5a);
    for bytes in [b"no database at all\n".repeat(1000), whole[..whole.len() / 3].to_vec(), version] {
        let home = Home::new();
        home.write("cache/tot/models.redb", &bytes);
        let ran = ask(&home, &server, &["--cache"]);
        assert_eq!(ran.err.matches("was damaged").count(), 1, "{ran:#?}");
        assert_eq!(std::fs::read(home.path("cache/tot/models.redb.damaged")).unwrap().len(), bytes.len());
        let again = ask(&home, &server, &["--cache"]);
        assert_eq!(again.json()["llm"]["cached"], again.json()["llm"]["calls"]);
    }
    // A place that can't be written costs a remark and no reply.
    let home = Home::new();
    home.write("cache/tot/models.redb/file", "");
    let ran = ask(&home, &server, &["--cache"]).says(&["replies are not kept, since"]);
    assert_eq!(ran.json()["llm"]["cached"], 0);
}

#[test]
fn a_reply_that_says_nothing_is_kept_like_any_other() {
    // Half an answer of a filter, the words of a refusal, nothing: each as the last choice of the samples of an action.
    for (text, finish) in [("ANSWER: Chr", "content_filter"), ("I can't help", "refusal"), ("", "stop")] {
        let home = Home::new();
        let server = Server::start(move |_, request| {
            let (status, kind, body) = model(request);
            let mut body: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
            if let Some([first, .., last]) = body["choices"].as_array_mut().map(Vec::as_mut_slice)
                && first["message"]["content"].as_str().is_some_and(|text| text.starts_with("EXPAND"))
            {
                last["message"]["content"] = text.into();
                last["finish_reason"] = finish.into();
            }
            (status, kind, body.to_string())
        });
        let more = ["--cache", "--structured", "off"];
        let first = ask(&home, &server, &more);
        let asked = server.seen().len();
        let second = ask(&home, &server, &more);
        let again = &server.seen()[asked..];
        assert!(again.is_empty(), "{finish}: {again:?}\n{first:#?}");
        assert_eq!(second.json()["tree"], first.json()["tree"], "the same search comes out");
    }
}
