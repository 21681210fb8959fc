//! Bad input: a sentence that says what to do, and the exit status that fits.

use super::server::{Server, engine, model};
use super::support::{Home, Ran, data, finish, scenario};
use std::net::TcpListener;

const QUESTION: &str = "Who directed Inception?";

#[test]
fn what_the_command_line_names_and_there_is_not_is_a_usage_error() {
    let home = Home::new();
    for (args, says) in [
        (&["--kg", "demmo"][..], &["did you mean demo"][..]),
        (&["--kg", "http://127.0.0.1:1/sparql"], &["did you mean sparql:http://127.0.0.1:1/sparql"]),
        (&["--llm", "lexicl"], &["did you mean `lexical`"]),
        (&["--llm", "anthropic:"], &["anthropic:MODEL"]),
        (&["--llm-url", "http://127.0.0.1:9"], &["--llm-url says where a model is, and no model is named", "--llm, as openai:MODEL"]),
        (&["--key-file", "k"], &["--key-file says which key a model takes, and no model is named", "--llm"]),
        (&["--llm", "lexical", "--llm-url", "http://127.0.0.1:9"], &["lexical has no server: leave it out"]),
        (&["--strategy", "beam"], &["beam", "tree-of-traversals"]),
        (&["--threshold", "2"], &["between 0 and 1"]),
        (&["--threshold", "NaN"], &["between 0 and 1"]),
        (&["--branching", "0"], &["1..=64"]),
        (&["--preset", "papre"], &["paper"]),
        (&["--pace=-1"], &["between 0 and 60"]),
        (&["--no-such-flag"], &["--no-such-flag"]),
    ] {
        home.run(&[&["ask", QUESTION][..], args].concat()).ends(2).says(says);
    }
    for question in ["", "  \n "] {
        home.run(&["ask", question]).ends(2).says(&["the question is empty"]);
    }
    home.run(&["ask"]).ends(2).says(&["a question is needed: tot ask"]);
    home.run(&["kg", "search", "x", "--kg", "demmo"]).ends(2).says(&["did you mean demo"]);
    assert!(home.sessions().is_empty(), "nothing began");
}

#[test]
fn what_can_not_be_opened_is_an_error_that_names_it() {
    let home = Home::new();
    let gone = home.arg("gone.ttl");
    home.run(&["ask", QUESTION, "--kg", &format!("file:{gone}")]).ends(1).says(&["gone.ttl"]);
    home.run(&["kg", "search", "x", "--kg", &format!("file:{gone}")]).ends(1).says(&["gone.ttl"]);
    home.run(&["ask", QUESTION, "--kg", "file:."]).ends(1);
    let half = home.write("half.ttl", "@prefix ex: <http://ex.org/> .\nex:a ex:b ex:c .\nex:d ex:e \"unfinished .\n");
    let ran = home.run(&["ask", QUESTION, "--kg", &format!("file:{half}"), "--strict"]).ends(1).says(&["half.ttl", "line 3"]);
    assert!(ran.err.contains("column") || ran.err.contains("3:"), "{ran:#?}");
    home.run(&["ask", QUESTION, "--llm", "openai:gpt-4o-mini"]).ends(1).says(&["OPENAI_API_KEY", "--llm-url"]);
    home.run(&["ask", QUESTION, "--llm", "script:none.json"]).ends(1).says(&["none.json"]);
    home.run(&["ask", "--scenario", "none.json"]).ends(1).says(&["none.json"]);
    let no_scenario = home.write("x.json", "{\"format\": \"tot-scenario/9\"}");
    home.run(&["ask", "--scenario", &no_scenario]).ends(1).says(&["x.json"]);
    home.run(&["ask", QUESTION, "--prompts", "nowhere"]).ends(1).says(&["--prompts nowhere: there is no such folder"]);
    std::fs::create_dir(home.path("hollow")).unwrap();
    home.write("hollow/default.txt", "default: x\n");
    home.write("hollow/empty.yaml", "# nothing yet\n");
    home.run(&["ask", QUESTION, "--prompts", "hollow"]).ends(2).says(&["--prompts hollow holds no prompt", "*.yaml", "leave the flag out"]);
    home.run(&["parse", "none.jsonl"]).ends(1).says(&["none.jsonl"]);
    assert!(home.sessions().is_empty(), "nothing began");
}

/// Pipes instead of a terminal: a sentence and status 2, never an explorer; and no escape in what goes to a file.
#[test]
fn without_a_terminal_it_says_what_to_do_and_writes_no_escapes() {
    let home = Home::new();
    for line in
        ["echo 'Who built the pier?' | \"$TOT\"", "\"$TOT\" < /dev/null", "\"$TOT\" > out.txt", "TERM=xterm \"$TOT\" | cat >&2; \"$TOT\""]
    {
        let ran = home.shell(line).ends(2).says(&["needs a terminal", "tot ask"]).clean();
        assert_eq!(ran.out, "", "{line}");
    }
    home.shell("\"$TOT\" ask 'Who directed Inception?' > out.txt 2> err.txt < /dev/null").ends(0);
    for file in ["out.txt", "err.txt"] {
        let text = std::fs::read_to_string(home.path(file)).unwrap();
        assert!(!text.contains(|c: char| c != '\n' && c.is_control()), "{file}: {text:?}");
    }
    assert!(std::fs::read_to_string(home.path("out.txt")).unwrap().starts_with("Christopher Nolan"));
    for args in ["doctor", "models", "sessions list", "kg search Inception"] {
        home.shell(&format!("\"$TOT\" {args} > out.txt 2>&1"));
        assert!(!std::fs::read(home.path("out.txt")).unwrap().contains(&0x1b), "{args}");
    }
}

#[test]
fn a_broken_prompt_file_stops_before_anything_is_asked() {
    let home = Home::new();
    home.write("prompts/mine.yaml", "extract: |\n  fine so far\n  {{ queston }}\n");
    home.write("prompts/other.yaml", "# options?\nselect_relation: Which?\n");
    let says = ["mine.yaml, line 3", "no variable `queston`", "other.yaml, line 2", "`relations` does not occur"];
    home.run(&["ask", QUESTION, "--prompts", "prompts"]).ends(1).says(&says);
    assert!(home.sessions().is_empty(), "nothing began");
    // A session that is there keeps its own prompts.
    home.run(&["ask", QUESTION, "--session", "s.jsonl", "--max-expansions", "1"]).ends(3);
    home.write("config/tot/config.yaml", "prompts: ../../prompts\n");
    home.run(&["ask", QUESTION]).ends(1).says(&says);
    home.run(&["ask", "--resume", "s.jsonl"]).ends(3).says(&["mine.yaml, line 3", "built-in ones"]);
}

#[test]
fn a_profile_and_an_overlay_are_recorded() {
    let home = Home::new();
    home.write("prompts/mine.yaml", "extract: |\n  # TASK: extract\n  Mine.\n");
    let small = home.run(&["ask", QUESTION, "--profile", "small", "--prompts", "prompts", "--session", "s.jsonl"]).ends(0);
    assert!(small.out.starts_with("Christopher Nolan"), "the built-in model reads the small prompts too: {small:#?}");
    let session = std::fs::read_to_string(home.path("s.jsonl")).unwrap();
    assert!(
        session.contains(r##""#profile":"small","#overlaid":["extract"]"##) && session.contains("# TASK: extract\\nMine."),
        "{session}"
    );
    let shown = home.run(&["show", "s.jsonl", "--json"]).ends(0);
    let json: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert!(json["llm"]["prompt_chars"].as_u64().unwrap() > 1_000);
    assert!((0.2..1.0).contains(&json["llm"]["prefix_share"].as_f64().unwrap()), "{json}");
    home.run(&["ask", QUESTION, "--profile", "base"]).ends(2).says(&["built-in model", "--llm"]);
    home.run(&["ask", QUESTION, "--profile", "tiny"]).ends(2).says(&["`tiny`", "default, small or base"]);
    home.write("config/tot/config.yaml", "profile: base\n");
    home.run(&["ask", QUESTION]).ends(2).says(&["built-in model"]);
}

#[test]
fn a_slip_in_the_configuration_is_seen() {
    let home = Home::new();
    home.write("config/tot/config.yaml", "llm: lexical\ncolour: blue\n");
    home.run(&["ask", QUESTION]).ends(1).says(&["config.yaml", "colour", "line 2"]);
    home.write("config/tot/config.yaml", "kg: [museum]\nkgs:\n  museum: demo\n");
    home.run(&["ask", QUESTION]).ends(0);
}

#[test]
fn ollama_without_a_model_says_what_its_server_has() {
    let home = Home::new();
    let server =
        Server::start(|_, _| ("200 OK", "application/json", r#"{"models":[{"name":"qwen3:8b"},{"name":"x\u001b[2J"}]}"#.to_owned()));
    let url = format!("http://{}", server.host);
    home.run(&["ask", QUESTION, "--llm", "ollama:", "--llm-url", &url]).ends(2).says(&["ollama:qwen3:8b"]).clean();
    let ran = finish(home.tot(&["ask", QUESTION, "--llm", "ollama"]).env("OLLAMA_HOST", &server.host).spawn().unwrap());
    ran.ends(2).says(&["ollama:qwen3:8b"]);
    assert!(server.seen().iter().all(|asked| asked.head.starts_with("GET /api/tags ")));
    home.run(&["ask", QUESTION, "--llm", "ollama:", "--llm-url", "http://127.0.0.1:9"]).ends(2).says(&["ollama:MODEL", "no connection"]);
    assert!(home.sessions().is_empty(), "nothing began");
}

#[test]
fn a_key_is_sent_to_nobody_but_its_own_service() {
    let home = Home::new();
    let server = Server::start(|_, _| ("401 X", "application/json", r#"{"type":"error","error":{"message":"no"}}"#.to_owned()));
    let url = format!("http://{}", server.host);
    let ask = |llm: &str| {
        let mut command = home.tot(&["ask", QUESTION, "--llm", llm, "--llm-url", &url]);
        for variable in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "OLLAMA_API_KEY"] {
            command.env(variable, format!("key-of-{variable}"));
        }
        finish(command.spawn().unwrap()).ends(1)
    };
    for (llm, header) in [
        ("openai:m", "authorization: Bearer key-of-OPENAI_API_KEY"),
        ("anthropic:m", "x-api-key: key-of-ANTHROPIC_API_KEY"),
        ("ollama:m", "authorization: Bearer key-of-OLLAMA_API_KEY"),
        ("bedrock:m", "authorization: Bearer key-of-AWS_BEARER_TOKEN_BEDROCK"),
    ] {
        ask(llm);
        let head = server.seen().pop().unwrap().head;
        assert!(head.contains(header) && head.matches("key-of-").count() == 1, "{llm}: {head}");
    }
}

#[test]
fn an_unreachable_model_leaves_a_session_that_goes_on_when_it_is_there() {
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let session = home.arg("s.jsonl");
    let args = ["ask", QUESTION, "--llm", "openai:mock", "--llm-url", &url, "--max-expansions", "3", "--session", &session];
    let ran = home.run(&args).ends(1).says(&["no connection", &url, "tot ask --resume", &session]);
    assert_eq!(ran.out, "");
    assert!(home.run(&["ask", "--resume", &session, "--json"]).ends(1).json()["halted"].is_string());
    let server = TcpListener::bind(url.strip_prefix("http://").unwrap()).unwrap();
    let server = Server::on(server, |_, request| model(request));
    home.run(&["ask", "--resume", &session]).ends(3);
    assert!(!server.seen().is_empty(), "the session remembers its server");
    home.run(&["replay", "--check", &session]).ends(0);
}

/// Asks about a ferry on a server that fails where `fails` says so: what was printed, and the session.
fn ask_failing(home: &Home, fails: impl Fn(&str) -> bool + Send + Sync + 'static) -> (Ran, String) {
    let answer = engine(&std::fs::read_to_string(data("kg/plain.ttl")).unwrap());
    let server = Server::start(move |_, request| {
        if fails(&request.body) { ("500 Internal Server Error", "text/plain", "out of order".to_owned()) } else { answer(request) }
    });
    let script = serde_json::json!({"rules": [
        {"kind": "action", "when": {"path": ""}, "replies": ["EXPAND: who runs it", "ANSWER: nobody"]},
        {"kind": "score_answer", "when": {"answer": "nobody"}, "replies": ["0.1"]},
        {"kind": "relation", "replies": ["http://ex.org/operator", "http://ex.org/seats", "http://ex.org/operator"]},
    ], "fallback": {"extract": ["Night Ferry"], "match": ["1"], "action": ["ANSWER: 120"], "entities": ["http://ex.org/NightFerry"],
        "score_state": ["0.6"], "score_answer": ["0.9"], "final_answer": ["ANSWER: 120"]}});
    let llm = format!("script:{}", home.write("script.json", script.to_string()));
    let (session, kg) = (home.arg("s.jsonl"), format!("sparql:http://{}/sparql", server.host));
    let args = ["ask", "How many seats has the Night Ferry?", "--kg", &kg, "--llm", &llm, "--session", &session, "--branching", "2"];
    let ran = home.run(&args).ends(0).says(&["status 500", "out of order"]);
    home.run(&["replay", "--check", &session]).ends(0);
    (ran, session)
}

#[test]
fn a_graph_that_fails_in_mid_search_is_shown_and_the_search_goes_on() {
    let home = Home::new();
    // The facts of one relation fail, all else is answered.
    let (ran, session) = ask_failing(&home, |query| query.contains("operator") && !query.contains("seats"));
    assert!(ran.out.starts_with("120"), "{ran:#?}");
    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains("rejected") && shown.out.contains("status 500"), "{shown:#?}");
    assert!(home.run(&["show", "--json", &session]).json()["rejected_rows"].to_string().contains("kg_failed"));
}

#[test]
fn a_graph_that_failed_has_not_said_that_there_is_nothing() {
    let home = Home::new();
    // The relations that lead away fail, alone and together with those that lead there, of which there are none.
    let (_, session) = ask_failing(&home, |query| query.contains("%22out%22"));
    let shown = home.run(&["show", &session]).ends(0);
    assert!(shown.out.contains("error: relations could not be listed") && !shown.out.contains("the graph has none"), "{shown:#?}");
}

#[test]
fn scripted_faults_are_shown_too() {
    let home = Home::new();
    let object = home.run(&["ask", "--scenario", &scenario("nolan-forced-final"), "--json"]).json();
    assert!(object["remarks"].to_string().contains("server error"), "{object:#}");
}

#[test]
fn the_environment_names_model_and_graph_where_no_flag_does() {
    let home = Home::new();
    let run = |name: &str, value: &str| finish(home.tot(&["ask", QUESTION]).env(name, value).spawn().unwrap());
    run("TOT_LLM", "lexicl").ends(2).says(&["did you mean `lexical`"]);
    run("TOT_KG", "demmo").ends(2).says(&["did you mean demo"]);
    run("TOT_KG", "demo").ends(0);
}

/// The example of the README: a model by its name, priced by what the name stands for.
#[test]
fn a_named_model_has_the_price_of_what_it_stands_for() {
    let home = Home::new();
    let config = "llm: fast\nmodels:\n  fast: {spec: \"openai:m\", url: \"http://127.0.0.1:9\"}\n  own: lexical\nbudgets: {cost: 0.50}\n";
    home.write("config/tot/config.yaml", config);
    home.run(&["ask", QUESTION]).ends(2).says(&["what fast costs"]);
    home.run(&["ask", QUESTION, "--llm", "own"]).ends(0);
    home.write("config/tot/config.yaml", format!("{config}prices: {{openai:m*: {{input: 1, output: 2}}}}\n"));
    // The price is known: what fails now is the server that is not there.
    home.run(&["ask", QUESTION]).ends(1).says(&["no connection to http://127.0.0.1:9"]);
}

#[test]
fn a_server_on_the_command_line_is_that_of_the_model_in_the_configuration() {
    let home = Home::new();
    let server = Server::start(|_, request| model(request));
    let url = format!("http://{}", server.host);
    let args = ["ask", QUESTION, "--llm-url", &url, "--max-expansions", "2"];
    home.run(&args).ends(2).says(&["no model is named"]);
    assert!(server.seen().is_empty() && home.sessions().is_empty(), "nothing began");
    home.write("config/tot/config.yaml", "llm: fast\nmodels:\n  fast: openai:mock\n");
    home.run(&args).ends(3);
    assert!(server.seen().iter().any(|request| request.head.starts_with("POST")));
    // A session has its model, whatever is configured later.
    let session = home.sessions()[0].display().to_string();
    home.write("config/tot/config.yaml", "llm: human\n");
    home.run(&["ask", QUESTION, "--llm-url", &url]).ends(2).says(&["human has no server"]);
    home.run(&["ask", "--resume", &session, "--llm", "openai:mock", "--llm-url", &url]).ends(3);
}

#[test]
fn a_session_in_the_place_of_a_question_is_named_with_the_command_that_opens_it() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    home.run(&["ask", "Who directed Inception?", "--session", &session, "-q"]).ends(0);
    let ran = home.run(&["ask", &session]).ends(2);
    ran.says(&["is a file and no question: open the session with `tot ask --resume "]);
}
