//! Keys and passwords reach neither a session nor an output, also when a server echoes them.

use super::server::Server;
use super::support::{Home, Ran, finish};
use std::path::Path;

const KEY: &str = "sk-test-DO-NOT-STORE-123";
const SECRETS: [&str; 4] = [KEY, "pa55w0rd", "zzz9", "dXNlcjpwYTU1dzByZA"];

fn ask(home: &Home, args: &[&str]) -> Ran {
    finish(home.tot(args).env("OPENAI_API_KEY", KEY).spawn().unwrap())
}

/// No secret in what was printed or in any file below `folder`.
#[track_caller]
fn assert_kept(ran: &Ran, folder: &Path) {
    for secret in SECRETS {
        assert!(!ran.out.contains(secret) && !ran.err.contains(secret), "{secret}: {ran:#?}");
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()) {
            if file.is_dir() {
                folders.push(file);
                continue;
            }
            let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
            for secret in SECRETS {
                assert!(!text.contains(secret), "{secret} in {}", file.display());
            }
        }
    }
}

/// A server that says everything it was shown, under this status.
fn echo(status: &'static str) -> Server {
    Server::start(move |_, request| {
        let said = format!("bad key {KEY} and zzz9 of user:pa55w0rd\\n{}", request.head.replace("\r\n", "\\n"));
        (status, "application/json", format!("{{\"error\":{{\"message\":\"{said}\"}}}}"))
    })
}

#[test]
fn a_server_that_echoes_the_key_puts_it_nowhere() {
    for status in ["401 Unauthorized", "400 Bad Request", "500 Internal Server Error"] {
        let home = Home::new();
        let server = echo(status);
        let kg = format!("sparql:http://user:pa55w0rd@{}/sparql?apikey=zzz9", server.host);
        let url = format!("http://user:pa55w0rd@{}/v1?apikey=zzz9", server.host);
        let question = "Who directed Inception?";
        // The graph echoes: the search goes on with an empty graph.
        let ran = ask(&home, &["ask", question, "--kg", &kg, "--llm", "lexical"]).ends(3);
        assert!(ran.err.contains("***@127.0.0.1"), "{ran:#?}");
        assert_kept(&ran, &home.path(""));
        // The model echoes: the search stops and can be resumed.
        if !status.starts_with("500") {
            for llm in [vec!["--llm-url", &url], vec!["--llm-url", &server.host]] {
                let ran = ask(&home, &[&["ask", question, "--llm", "openai:m", "--kg", &kg, "--json"][..], &llm].concat());
                assert_kept(&ran, &home.path(""));
            }
        }
        for session in home.sessions() {
            let session = session.to_str().unwrap().to_owned();
            for args in [&["show", &session][..], &["show", "--json", &session], &["replay", "--check", &session]] {
                let ran = ask(&home, args);
                assert_kept(&ran, &home.path(""));
            }
            // What was not recorded has to be given again, and that is said.
            let ran = ask(&home, &["ask", "--resume", &session]).ends(1).says(&["without the password or key", "--kg"]);
            assert_kept(&ran, &home.path(""));
        }
        let ran = ask(&home, &["kg", "search", "x", "--kg", &kg]).ends(1);
        assert_kept(&ran, &home.path(""));
        let typo = kg.replace("sparql:", "sparkle:");
        assert_kept(&ask(&home, &["ask", question, "--kg", &typo]).ends(2), &home.path(""));
        assert!(server.seen().iter().any(|r| r.head.contains("zzz9")), "the server was shown what it needs");
    }
}
