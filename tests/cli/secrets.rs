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
            let mut text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
            if file.extension().is_some_and(|e| e == "gz") {
                let mut packed = flate2::read::MultiGzDecoder::new(std::fs::File::open(&file).unwrap());
                text.clear();
                std::io::Read::read_to_string(&mut packed, &mut text).unwrap();
            }
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

/// Waits until this is so.
#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < super::support::DEADLINE, "{what} did not come");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_model_that_says_the_key_puts_it_into_no_session_no_fork_and_no_packed_file() {
    let home = Home::new();
    // Every reply of the model quotes the key that it was sent.
    let server = Server::start(|_, request| {
        let (status, kind, body) = super::server::model(request);
        (
            status,
            kind,
            body.replace("what is known about it", &format!("what {KEY} knows")).replace("Inception", &format!("Inception - {KEY}")),
        )
    });
    let state = home.arg("state");
    let args = ["q?", "--llm", "openai:m", "--llm-url", &server.host, "--max-calls", "6", "--pace", "0"];
    let environment = [("OPENAI_API_KEY", KEY), ("XDG_STATE_HOME", &*state)];
    let mut terminal = super::terminal::Terminal::open_with(super::support::TOT, &args, &environment);
    let halted = |name: &Path| std::fs::read_to_string(name).unwrap_or_default().contains("\"halted\"");
    wait_until("the end of the budget", || home.sessions().iter().any(|s| halted(s)));
    let (parent, asked) = (home.sessions()[0].clone(), server.seen().len());
    terminal.wait_for("budget");
    terminal.press_for("{{", "looking back");
    terminal.press_for("f", "Fork after event");
    terminal.press_for("\r", "replies come from the parent's recording");
    terminal.wait_for("paused");
    terminal.press(" ");
    // What the recording answers is free: with the same budget the fork comes further, live.
    wait_until("the fork, live", || server.seen().len() > asked && home.sessions().iter().filter(|s| halted(s)).count() == 2);
    let (_, _, screen) = terminal.quit();
    assert!(!screen.contains(KEY));
    let fork = home.sessions().into_iter().find(|s| *s != parent).unwrap();
    let said = std::fs::read_to_string(&fork).unwrap();
    assert!(said.contains("\"parent\"") && said.contains("what *** knows") && said.contains("\"source\":\"live\""), "{said}");
    for session in [&parent, &fork] {
        let name = session.file_stem().unwrap().to_str().unwrap();
        for args in [&["sessions", "show", name][..], &["sessions", "list"], &["sessions", "pack", name]] {
            assert_kept(&ask(&home, args).ends(0), &home.path(""));
        }
        // One that was written by another hand.
        let leaky = std::fs::read_to_string(session).unwrap().replace("what *** knows", &format!("what {KEY} knows"));
        std::fs::write(session, leaky).unwrap();
        let out = format!("{name}-clean.tot.gz");
        let ran = ask(&home, &["sessions", "pack", name, "-o", &out]).ends(1).says(&["OPENAI_API_KEY", "--redact"]);
        assert!(!ran.err.contains(KEY) && !home.path(&out).exists(), "{ran:#?}");
        ask(&home, &["sessions", "pack", name, "-o", &out, "--redact"]).ends(0);
        std::fs::remove_file(session).unwrap();
        assert_kept(&ask(&home, &["show", "--json", &home.arg(&out)]), &home.path(""));
    }
}

/// What was put on the clipboard of the terminal.
fn clipboard(raw: &str) -> Vec<String> {
    use base64::Engine as _;
    let parts = raw.split("\x1b]52;c;").skip(1).map(|part| part.split('\x07').next().unwrap());
    parts.map(|part| String::from_utf8(base64::engine::general_purpose::STANDARD.decode(part).unwrap()).unwrap()).collect()
}

/// Whatever is done, and whatever the model, the graph and the person say: a key of the environment is in no session, fork, packed
/// file, export, copy, cache or template, in no reply of a second terminal and in nothing that is printed. And with the most open of
/// umasks every file is its owner's alone.
#[test]
fn a_canary_in_the_environment_is_in_nothing_that_is_written_or_shown() {
    let home = Home::new();
    // Model and graph quote the key; the person does, too.
    let server = Server::start(|_, request| {
        std::thread::sleep(std::time::Duration::from_millis(15));
        let (status, kind, body) = super::server::model(request);
        (status, kind, body.replace("what is known about it", &format!("what {KEY} knows")))
    });
    let turtle = format!(
        "@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         ex:inception rdfs:label \"Inception\" ; rdfs:comment \"a film ({KEY})\" ; ex:by ex:nolan ; ex:code \"{KEY}\" .\n\
         ex:nolan rdfs:label \"Nolan {KEY}\" . ex:by rdfs:label \"made by {KEY}\" .\n"
    );
    let kg = format!("file:{}", home.write("elsewhere/graph.ttl", &turtle));
    let question = format!("Who made Inception, {KEY}?");
    let model = ["--llm", "openai:m", "--llm-url", &server.host, "--kg", &kg];
    let open = |args: &[&str]| {
        let line = "umask 000; exec \"$0\" \"$@\"";
        let mut command = home.command("sh", &[&["-c", line, super::support::TOT], args].concat());
        command.env("OPENAI_API_KEY", KEY);
        command
    };
    let kept = |ran: &Ran| {
        for text in [&ran.out, &ran.err] {
            assert!(!text.contains(KEY), "{ran:#?}");
        }
    };

    // A search that another terminal holds, with caches on disk.
    let session = home.arg("state/tot/sessions/first.jsonl");
    let search = [&["ask", &question, "--session", &session, "--cache", "--json", "--max-expansions", "4"][..], &model].concat();
    let mut child = open(&search).spawn().unwrap();
    assert!(super::support::wait_for_lines(&mut child, Path::new(&session), 6));
    let mut attached = open(&["attach", &session, "--json"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let orders = "pause\nstatus\nstep\nphase\nundo\nnonsense\ncontinue\n";
    std::io::Write::write_all(attached.stdin.as_mut().unwrap(), orders.as_bytes()).unwrap();
    let ran = finish(attached);
    assert!(ran.out.contains("\"reply\"") && ran.out.contains("what *** knows"), "{ran:#?}");
    kept(&ran);
    kept(&finish(child).ends(3));

    // The explorer: every pane copied, a hint, a correction, a template, a fork with its reason.
    let shell = ["-c", "umask 000; exec \"$0\" \"$@\"", super::support::TOT];
    let state = home.arg("state");
    let (config, cache) = (home.arg("config"), home.arg("cache"));
    let environment = [("OPENAI_API_KEY", KEY), ("XDG_STATE_HOME", &*state), ("XDG_CONFIG_HOME", &*config), ("XDG_CACHE_HOME", &*cache)];
    let args = [&shell[..], &["resume", &session, "--pace", "0"]].concat();
    let mut terminal = super::terminal::Terminal::open_with("/bin/sh", &args, &environment);
    terminal.wait_for("no answer");
    for pane in ["1g", "2", "2.", "2.", "3", "3.", "3.", "3.", "3.", "3.", "3.", "6"] {
        terminal.press_for(&format!("{pane}y"), "letters to the clipboard");
        // The next message is another one.
        terminal.press("k");
        terminal.wait_until("the message is gone", |screen| !screen.contains("letters to the clipboard"));
    }
    terminal.press_for("1gH", "Hint: a thought by hand");
    terminal.press(&format!("remember {KEY}\r"));
    terminal.wait_for("remember ***");
    terminal.press_for("1gr", "Ask again what comes next");
    terminal.press("\x1b");
    terminal.wait_until("the popup is gone", |screen| !screen.contains("Ask again what comes next"));
    terminal.press_for("f", "Fork after event");
    terminal.press(&format!("because of {KEY}\t{KEY}"));
    terminal.press_for("\r", "paused");
    terminal.wait_until("the form is gone", |screen| !screen.contains("Fork after event"));
    terminal.press("\x03");
    let (status, _, raw) = terminal.end();
    assert_eq!(status, 0);
    let copies = clipboard(&raw);
    assert!(copies.len() >= 12 && copies.iter().any(|copy| copy.contains("***")), "{copies:#?}");
    assert!(copies.iter().all(|copy| !copy.contains(KEY)), "{copies:#?}");

    // Everything that is printed of it, and packed.
    let journals: Vec<_> = home.sessions().into_iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    assert_eq!(journals.len(), 2, "{journals:?}");
    for journal in &journals {
        let name = journal.file_stem().unwrap().to_str().unwrap();
        for args in [
            &["show", name][..],
            &["show", name, "--json"],
            &["show", name, "--why"],
            &["show", name, "--facts"],
            &["show", name, "--facts", "--json"],
            &["replay", "--check", name],
            &["diff", "first", name],
            &["diff", "first", name, "--json"],
            &["export", name, "--to", "corrections"],
            &["export", name, "--to", "corrections", "--format", "quickstatements"],
            &["sessions", "show", name],
            &["sessions", "pack", name],
            &["ask", "--from", name, "--json"],
        ] {
            kept(&finish(open(args).spawn().unwrap()));
        }
    }
    let asked = [&["ask", &question, "--cache", "--max-expansions", "4"][..], &model].concat();
    let again = [&["ask", &question, "--no-such-flag"][..], &model].concat();
    for args in [
        &["sessions", "list"][..],
        &["sessions", "list", "--json"],
        &["cache"],
        &["cache", "--json"],
        &["doctor"],
        &["models"],
        &asked,
        &again,
    ] {
        kept(&finish(open(args).spawn().unwrap()));
    }

    // Every file, packed ones unpacked; what the test itself put there is aside.
    std::fs::remove_dir_all(home.path("elsewhere")).unwrap();
    let mut files = Vec::new();
    let mut folders = vec![home.path("")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let open_to = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions()) & 0o077;
            assert_eq!(open_to, 0, "{} is open to others", path.display());
            if path.is_dir() { folders.push(path) } else { files.push(path.strip_prefix(home.path("")).unwrap().display().to_string()) }
        }
    }
    let there = |part: &str| files.iter().any(|file| file.contains(part));
    assert!(there(".copy.txt") && there(".tot.gz") && there("models.redb"), "{files:#?}");
    let nothing = Ran { status: None, out: String::new(), err: String::new() };
    assert_kept(&nothing, &home.path(""));
}

/// A private file with the key in it.
fn key_file(home: &Home, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = home.write(name, text);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// Whether the server was shown the key in the one header that carries it.
fn was_shown(server: &Server, key: &str) -> bool {
    server.seen().iter().any(|request| request.head.to_lowercase().contains(&format!("authorization: bearer {key}").to_lowercase()))
}

#[test]
fn a_key_from_a_file_reaches_the_server_and_nothing_else() {
    const FILED: &str = "canary-in-a-file-77";
    let assert_kept = |ran: &Ran, home: &Home| {
        let held = std::fs::read(home.path("key")).unwrap();
        std::fs::remove_file(home.path("key")).unwrap();
        assert_kept(ran, &home.path(""));
        let whole = home.shell("grep -rl canary-in-a-file . ; true");
        assert!(!ran.out.contains(FILED) && !ran.err.contains(FILED) && whole.out.is_empty(), "{ran:#?} {whole:#?}");
        key_file(home, "key", std::str::from_utf8(&held).unwrap());
    };
    for status in ["200 OK", "401 Unauthorized", "500 Internal Server Error"] {
        let home = Home::new();
        let server = Server::start(move |_, request| {
            if status.starts_with("200") {
                return super::server::model(request);
            }
            (status, "application/json", format!("{{\"error\":{{\"message\":\"bad key: {}\"}}}}", request.head.replace("\r\n", " ")))
        });
        let file = key_file(&home, "key", &format!(" {FILED}\n"));
        let config = format!(
            "models:\n  filed: {{spec: 'openai:m', url: '{0}', key_file: ~/key}}\n  named: {{spec: 'openai:m', url: '{0}', key_env: MY_KEY}}\n",
            server.host
        );
        home.write("config/tot/config.yaml", config);
        let short = ["--max-expansions", "1", "--json", "--cache"];
        let flag = ["ask", "q?", "--llm", "openai:m", "--llm-url", &server.host, "--key-file", &file];
        for args in [&flag[..], &["ask", "q?", "--llm", "filed"]] {
            assert_kept(&ask(&home, &[args, &short[..]].concat()), &home);
            assert!(was_shown(&server, FILED));
        }
        for args in
            [&["doctor", "--llm", "filed"][..], &["doctor", "--llm", "filed", "--json"], &["doctor", "--json"], &["cache", "--json"]]
        {
            assert_kept(&ask(&home, args), &home);
        }
        for session in home.sessions() {
            assert_kept(&ask(&home, &["show", "--json", session.to_str().unwrap()]), &home);
        }
        // A variable of one's own choice; the usual one is not sent in its place.
        let ran = finish(home.tot(&[&["ask", "q?", "--llm", "named"][..], &short].concat()).env("MY_KEY", KEY).spawn().unwrap());
        assert_kept(&ran, &home);
        assert!(was_shown(&server, KEY));
        let asked = server.seen().len();
        ask(&home, &[&["ask", "q?", "--llm", "named"][..], &short].concat()).ends(1).says(&["MY_KEY is not set"]);
        assert_eq!(server.seen().len(), asked);
    }
}

#[test]
fn a_key_file_that_others_can_read_is_refused() {
    let home = Home::new();
    let server = echo("200 OK");
    let open = home.write("open-key", KEY);
    let args = ["ask", "q?", "--llm", "openai:m", "--llm-url", &server.host, "--key-file", &open];
    let ran = ask(&home, &args).ends(1).says(&["chmod 600", "open-key"]);
    assert!(!ran.err.contains(KEY) && server.seen().is_empty(), "{ran:#?}");
}

#[test]
fn a_model_has_a_name_in_the_configuration() {
    let home = Home::new();
    let server = Server::start(|_, request| super::server::model(request));
    home.write(
        "config/tot/config.yaml",
        format!("llm: fast\nmodels:\n  fast: {{spec: 'openai:m', url: '{}'}}\n  plain: lexical\n", server.host),
    );
    let ran = home.run(&["ask", "q?", "--max-expansions", "1", "--json"]);
    assert_eq!(ran.json()["model"], "openai:m");
    assert_eq!(home.run(&["ask", "q?", "--llm", "plain", "--max-expansions", "1", "--json"]).json()["model"], "lexical");
    // A session remembers the name, and with it the server.
    let session = ran.json()["session"].as_str().unwrap().to_owned();
    let asked = server.seen().len();
    home.run(&["ask", "--resume", &session]).ends(3);
    assert_eq!(server.seen().len(), asked, "it had ended");
    home.run(&["ask", "q?", "--llm", "fsat"]).ends(2).says(&["fsat"]);
    home.write("config/tot/config.yaml", "models:\n  fast: {url: 'http://h'}\n");
    home.run(&["ask", "q?"]).ends(1).says(&["models, fast", "spec"]);
    home.write("config/tot/config.yaml", "models:\n  fast: {spec: lexical, key: sk-x}\n");
    home.run(&["ask", "q?"]).ends(1).says(&["models, fast", "key"]);
}

#[test]
fn a_session_that_goes_on_without_its_key_file_says_which_flag_brings_it() {
    let home = Home::new();
    let server = Server::start(|_, request| match request.head.contains(KEY) {
        true => super::server::model(request),
        false => ("401 Unauthorized", "application/json", "{\"error\":{\"message\":\"no key\"}}".to_owned()),
    });
    let (file, session) = (key_file(&home, "key", KEY), home.arg("s.jsonl"));
    let args =
        ["ask", "q?", "--llm", "openai:m", "--llm-url", &server.host, "--key-file", &file, "--max-calls", "2", "--session", &session];
    home.run(&args).ends(4);
    let more = ["ask", "--resume", &session, "--max-calls", "100", "--max-expansions", "2"];
    home.run(&more).ends(1).says(&["wants a key (HTTP 401)", "--key-file"]);
    home.run(&[&more[..], &["--key-file", &file]].concat()).ends(3);
}

#[cfg(not(feature = "bedrock-sigv4"))]
#[test]
fn aws_credentials_that_this_build_cannot_sign_with_are_told_of() {
    let home = Home::new();
    let asks = r#"AWS_REGION=us-east-1 "$TOT" ask Q --llm bedrock:m"#;
    let with = format!("AWS_ACCESS_KEY_ID=AKIACANARY AWS_SECRET_ACCESS_KEY=canary {asks}");
    let said = home.shell(&with).ends(1).says(&[
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_ACCESS_KEY_ID is set, but this build does not sign requests",
        "cargo install --path . --features bedrock-sigv4",
    ]);
    assert!(!said.err.to_lowercase().contains("canary"), "{}", said.err);
    assert!(!home.shell(asks).ends(1).err.contains("sigv4"));
    home.run(&["ask", "--help"]).ends(0);
}
