//! `tot sessions`: what is listed, shown, deleted and packed, and sessions that are large, deep, locked or not to be written.

use super::support::{Home, Ran, TOT, finish, lasting, lines, scenario, wait_for_lines};
use super::terminal::Terminal;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const FOLDER: &str = "state/tot/sessions";

/// A session of the folder under this name, last written so many days ago; its text.
fn session(home: &Home, name: &str, scenario_name: &str, days: u64) -> String {
    let path = home.arg(&format!("{FOLDER}/{name}.jsonl"));
    home.run(&["ask", "--scenario", &scenario(scenario_name), "--quiet", "--session", &path]);
    written(Path::new(&path), days);
    std::fs::read_to_string(path).unwrap()
}

fn written(path: &Path, days_ago: u64) {
    let when = SystemTime::now() - Duration::from_secs(days_ago * 86_400 + 60);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(when).unwrap();
}

/// A fork as the explorer makes it: a header that names its parent, and the parent's first entries.
fn fork(home: &Home, name: &str, parent: &str, text: &str, entries: usize, days: u64) {
    let header = json!({"format": "tot-session", "version": 1, "session": name, "parent": [parent, entries]});
    let prefix: String = text.split_inclusive('\n').skip(1).take(entries).collect();
    let path = home.write(&format!("{FOLDER}/{name}.jsonl"), format!("{header}\n{prefix}"));
    written(Path::new(&path), days);
}

fn file(home: &Home, name: &str) -> PathBuf {
    home.path(&format!("{FOLDER}/{name}.jsonl"))
}

fn named<'a>(rows: &'a Value, name: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {rows}"))
}

/// A running search that writes `name`.
fn running(home: &Home, name: &str) -> std::process::Child {
    let slow = home.slow("film-backtrack", 3_000, 2_000);
    let path = home.arg(&format!("{FOLDER}/{name}.jsonl"));
    let mut child = home.tot(&["ask", "--scenario", &slow, "--session", &path]).spawn().unwrap();
    assert!(wait_for_lines(&mut child, Path::new(&path), 4));
    child
}

fn end(mut child: std::process::Child) {
    child.kill().unwrap();
    finish(child);
}

#[test]
fn the_list_is_a_tree_of_forks_and_nothing_in_it_is_fatal() {
    let home = Home::new();
    home.run(&["sessions", "list"]).ends(0).says(&["no sessions in", "sessions"]);
    assert_eq!(home.run(&["sessions", "list", "--json"]).ends(0).json(), json!([]));
    let text = session(&home, "first", "film-backtrack", 9);
    session(&home, "lonely", "nolan-forced-final", 5);
    fork(&home, "fork-a", "first", &text, 40, 3);
    fork(&home, "fork-b", "fork-a", &text, 20, 2);
    fork(&home, "orphan", "nobody", &text, 12, 7);
    let torn: String = text.split_inclusive('\n').take(30).collect();
    home.write(&format!("{FOLDER}/torn.jsonl"), torn + "{\"seq\":29,\"at\"");
    home.write(&format!("{FOLDER}/newer.jsonl"), "{\"format\":\"tot-session\",\"version\":99}\n");
    home.write(&format!("{FOLDER}/strange.jsonl"), "{\"a\": \"\u{1b}[31m\"}\n");
    home.write(&format!("{FOLDER}/notes.txt"), "mine");
    std::fs::create_dir(home.path(&format!("{FOLDER}/folder.jsonl"))).unwrap();
    let child = running(&home, "runs");
    let ran = home.run(&["sessions", "list"]).ends(0).clean();
    let list = ran.out.clone();
    let line = |name: &str| list.lines().find(|l| l.contains(&format!("{name}  "))).unwrap_or_else(|| panic!("{name}: {list}"));
    assert!(line("first").starts_with("first  ") && line("first").contains("answered: Michael Caine"), "{list}");
    assert!(line("fork-a").starts_with("└ fork-a") && line("fork-a").contains("fork of first after event 39]"), "{list}");
    assert!(line("fork-b").starts_with("  └ fork-b"), "{list}");
    assert!(
        line("orphan").starts_with("orphan") && line("orphan").contains("fork of nobody after event 11, which is not in this folder]"),
        "{list}"
    );
    assert!(line("torn").contains("[torn]") && line("runs").contains("[running]") && line("runs").contains("goes on"), "{list}");
    assert!(line("newer").contains("[newer version]") && line("newer").contains("use a newer tot"), "{list}");
    assert!(line("strange").contains("[no session]") && !list.contains("notes") && !list.contains("folder.jsonl"), "{list}");
    // A family stands where its newest member is.
    let place = |name: &str| list.lines().position(|l| l.contains(&format!("{name}  "))).unwrap();
    assert!(place("first") < place("lonely") && place("first") + 1 == place("fork-a") && place("lonely") < place("orphan"), "{list}");
    let rows = home.run(&["sessions", "list", "--json"]).ends(0).json();
    assert_eq!(named(&rows, "fork-b")["depth"], 2);
    assert_eq!(named(&rows, "fork-a")["parent"], json!({"session": "first", "entries": 40}));
    assert_eq!(named(&rows, "runs")["marks"], json!(["running"]));
    assert_eq!((&named(&rows, "first")["outcome"], &named(&rows, "first")["answer"]), (&json!("answered"), &json!("Michael Caine")));
    assert_eq!(rows.as_array().unwrap().len(), 9);
    end(child);
}

#[test]
fn headers_that_name_each_other_in_a_ring_are_listed_once_each() {
    let home = Home::new();
    let text = session(&home, "a", "film-backtrack", 1);
    fork(&home, "a", "b", &text, 10, 1);
    fork(&home, "b", "a", &text, 10, 2);
    fork(&home, "self", "self", &text, 10, 3);
    let list = home.run(&["sessions", "list"]).ends(0).out;
    assert_eq!(list.lines().count(), 3, "{list}");
}

#[test]
fn one_session_is_shown_as_a_file() {
    let home = Home::new();
    let text = session(&home, "first", "film-backtrack", 9);
    fork(&home, "child", "first", &text, 40, 3);
    let ran = home.run(&["sessions", "show", "first"]).ends(0).clean();
    for words in ["forks      child", "whole", "answered: Michael Caine", "asks ", "sample ", "tokens", "started 1", "Which actor"] {
        assert!(ran.out.contains(words), "{words}: {ran:#?}");
    }
    let object = home.run(&["sessions", "show", "first", "--json"]).ends(0).json();
    let whole = lines(file(&home, "first"));
    assert_eq!(object["entries"], whole.len() - 1);
    let count = |kind: &str| whole.iter().filter(|l| l["ev"].get(kind).is_some()).count();
    for kind in ["asked", "replied", "grew", "part", "valued", "closed"] {
        assert_eq!(object["events"][kind], count(kind), "{kind}");
    }
    let asks: u64 = object["asks"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(asks as usize, count("asked"));
    assert_eq!(object["spent"], home.run(&["show", "first", "--json"]).ends(0).json()["llm"]);
    assert_eq!((&object["state"], &object["forks"]), (&json!(["whole"]), &json!(["child"])));
    let child = home.run(&["sessions", "show", "child", "--json"]).ends(0).json();
    assert_eq!((&child["parent"]["session"], &child["outcome"]), (&json!("first"), &Value::Null));
    home.run(&["sessions", "show", "child"]).ends(0);
    let torn = home.write("torn.jsonl", &text.as_bytes()[..text.len() - 5]);
    assert_eq!(home.run(&["sessions", "show", &torn, "--json"]).ends(0).json()["state"], json!(["torn"]));
    home.run(&["sessions", "show", "nowhere"]).ends(1).says(&["no such file", "tot sessions list"]);
}

#[test]
fn pruning_deletes_what_fits_and_says_what_stays() {
    let home = Home::new();
    let text = session(&home, "old", "film-backtrack", 40);
    let torn: String = text.split_inclusive('\n').take(30).collect();
    for (name, days) in [("old-open", 50), ("young-open", 1)] {
        written(Path::new(&home.write(&format!("{FOLDER}/{name}.jsonl"), &torn)), days);
    }
    fork(&home, "fork", "old", &text, 40, 2);
    let child = running(&home, "runs");
    for (name, text) in [("newer", "{\"format\":\"tot-session\",\"version\":99}\n"), ("strange", "{}\n"), ("half", &text[..20])] {
        written(Path::new(&home.write(&format!("{FOLDER}/{name}.jsonl"), text)), 400);
    }
    let damaged = text.replacen("{\"seq\":30,", "{\"seq\":30;", 1);
    written(Path::new(&home.write(&format!("{FOLDER}/damaged.jsonl"), damaged)), 400);
    home.write(&format!("{FOLDER}/old-open.jsonl.torn"), "{\"seq\"");
    home.write(&format!("{FOLDER}/mine.txt"), "mine");
    let target = home.write("elsewhere.jsonl", &text);
    std::os::unix::fs::symlink(&target, file(&home, "link")).unwrap();
    written(Path::new(&target), 400);
    let there = || home.sessions().len();
    let before = there();
    home.run(&["sessions", "prune"]).ends(2).says(&["--older-than", "--keep", "--dry-run"]);
    home.run(&["sessions", "prune", "--older-than", "soon"]).ends(2).says(&["30d"]);
    let ran = home.run(&["sessions", "prune", "--older-than", "30d", "--dry-run"]).ends(0).clean();
    for words in [
        "would go   old  ",
        "would go   old-open",
        "(its 1 fork is whole without it)",
        "stays  newer: a newer tot",
        "stays  damaged: it can't be read",
        "stays  strange: it is no session",
        "3 sessions: written since then",
        "2 of 9 would go",
    ] {
        assert!(ran.out.contains(words), "{words}: {ran:#?}");
    }
    let ran = home.run(&["sessions", "prune", "--older-than", "30d"]).ends(2).says(&["no terminal", "--yes"]);
    assert!(ran.out.contains("goes   old"), "{ran:#?}");
    assert_eq!(there(), before, "nothing has gone yet");
    // All that is given must fit.
    let ran = home.run(&["sessions", "prune", "--older-than", "30d", "--without-answer", "--keep", "2", "--yes"]).ends(0);
    assert!(ran.out.contains("1 session deleted") && !file(&home, "old-open").exists() && file(&home, "old").exists(), "{ran:#?}");
    assert!(!home.path(&format!("{FOLDER}/old-open.jsonl.torn")).exists(), "what was set aside goes with it");
    let ran = home.run(&["sessions", "prune", "--keep", "0", "--yes"]).ends(0);
    assert!(ran.out.contains("stays  runs: another tot writes it now"), "{ran:#?}");
    for name in ["runs", "newer", "strange", "half", "damaged", "link"] {
        assert!(file(&home, name).exists(), "{name}: {ran:#?}");
    }
    assert!(Path::new(&target).exists() && home.path(&format!("{FOLDER}/mine.txt")).exists());
    for name in ["old", "fork", "young-open"] {
        assert!(!file(&home, name).exists(), "{name}: {ran:#?}");
    }
    end(child);
}

#[test]
fn a_fork_outlives_its_parent() {
    let home = Home::new();
    let text = session(&home, "old", "film-backtrack", 40);
    fork(&home, "fork", "old", &text, 60, 2);
    let whole = lasting(home.run(&["show", "old", "--json"]).ends(0).json());
    home.run(&["sessions", "prune", "--keep", "1", "--yes"]).ends(0);
    assert!(!file(&home, "old").exists());
    let fork = file(&home, "fork");
    assert_eq!(lasting(home.run(&["ask", "--resume", fork.to_str().unwrap(), "--json"]).ends(0).json()), whole);
}

fn gunzip(path: impl AsRef<Path>) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_packed_session_is_the_session() {
    let home = Home::new();
    let text = session(&home, "first", "film-backtrack", 1);
    let ran = home.run(&["sessions", "pack", "first"]).ends(0).says(&["one needs the file", "film-backtrack.json"]).clean();
    assert!(ran.out.starts_with("first.tot.gz: "), "{ran:#?}");
    let packed = home.arg("first.tot.gz");
    assert_eq!(gunzip(&packed), text);
    let about = std::fs::metadata(&packed).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    let left: Vec<_> =
        std::fs::read_dir(home.path("")).unwrap().filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|e| e == "tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    // Never overwritten without the word.
    home.run(&["sessions", "pack", "first"]).ends(1).says(&["first.tot.gz", "--force", "nothing was overwritten"]);
    assert_eq!(std::fs::metadata(&packed).unwrap().ino(), about.ino());
    home.run(&["sessions", "pack", "first", "--force"]).ends(0);
    home.run(&["sessions", "pack", &packed, "-o", "again.tot.gz"]).ends(0);
    assert_eq!(gunzip(home.path("again.tot.gz")), text);
    // Looked at as it is.
    let whole = lasting(home.run(&["show", "first", "--json"]).ends(0).json());
    assert_eq!(lasting(home.run(&["show", &packed, "--json"]).ends(0).json()), whole);
    home.run(&["replay", "--check", &packed]).ends(0);
    let ran = home.run(&["diff", "first", &packed]).ends(0);
    assert!(ran.out.contains("the same in all"), "{ran:#?}");
    assert_eq!(home.run(&["sessions", "show", &packed, "--json"]).ends(0).json()["state"], json!(["packed"]));
}

#[test]
fn going_on_with_a_packed_session_unpacks_it_into_the_folder() {
    let home = Home::new();
    let text = session(&home, "first", "film-backtrack", 1);
    let whole = lasting(home.run(&["show", "first", "--json"]).ends(0).json());
    let open: String = text.split_inclusive('\n').take(60).collect();
    let torn = home.write("part.jsonl", open.clone() + "{\"seq\":59,\"at\"");
    home.run(&["sessions", "pack", &torn]).ends(0).says(&["line 61 is not whole: it was left out"]);
    let packed = home.arg("first.tot.gz");
    assert_eq!(gunzip(&packed), open);
    let before = std::fs::read(&packed).unwrap();
    home.run(&["ask", "--resume", &packed]).ends(1).says(&["was unpacked before", "go on with first"]);
    std::fs::remove_file(file(&home, "first")).unwrap();
    let ran = home.run(&["ask", "--resume", &packed, "--json"]).ends(0).says(&["unpacked to", "first.jsonl"]);
    assert_eq!(lasting(ran.json()), whole);
    assert_eq!(std::fs::metadata(file(&home, "first")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read(&packed).unwrap(), before, "what was handed over is never written");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn packed_files_from_anywhere_do_no_harm() {
    let home = Home::new();
    let text = session(&home, "first", "film-backtrack", 1);
    // A name that would lead out of the folder.
    let evil = text.replacen("\"session\":\"first\"", "\"session\":\"../../../evil\"", 1);
    let packed = home.write("evil.tot.gz", gzip(evil.as_bytes()));
    home.run(&["ask", "--resume", &packed]).ends(0);
    assert!(!home.path("evil.jsonl").exists() && !home.path("state/evil.jsonl").exists());
    assert_eq!(home.sessions().len(), 2);
    // Half of a file, and one that is none inside.
    let whole = gzip(text.as_bytes());
    let half = home.write("half.tot.gz", &whole[..whole.len() / 2]);
    home.run(&["show", &half]).ends(1).says(&["half.tot.gz", "damaged", "fetch it again"]);
    let other = home.write("other.tot.gz", gzip(b"{\"a\": 1}\n"));
    home.run(&["show", &other]).ends(1).says(&["no tot session"]);
    // A gigabyte of nothing in a megabyte: refused, in little memory.
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    let block = vec![b' '; 1 << 20];
    (0..1024).for_each(|_| bomb.write_all(&block).unwrap());
    let bomb = home.write("bomb.tot.gz", bomb.finish().unwrap());
    let ran = home.shell(&format!("ulimit -v 2000000; exec \"$TOT\" show {bomb}")).ends(1);
    assert!(ran.err.contains("longer than any of a session"), "{ran:#?}");
}

const KEY: &str = "canary-DO-NOT-STORE-42";

fn with_key(home: &Home, args: &[&str]) -> Ran {
    let ran = finish(home.tot(args).env("MY_SPECIAL_TOKEN", KEY).env("OPENAI_API_KEY", "zzz9-key").spawn().unwrap());
    assert!(!ran.out.contains(KEY) && !ran.err.contains(KEY) && !ran.err.contains("zzz9-key"), "{ran:#?}");
    ran
}

#[test]
fn a_session_with_a_secret_in_it_is_not_packed_unless_it_is_taken_out() {
    let home = Home::new();
    let text = session(&home, "first", "film-backtrack", 1);
    let secrets = [
        (KEY, "the value of MY_SPECIAL_TOKEN"),
        ("zzz9-key", "the value of OPENAI_API_KEY"),
        ("sk-proj-abcdefghij0123456789", "a key of a model's service"),
        ("Bearer abcdef0123456789", "a bearer token"),
        ("http://me:pa55w0rd@example.org/sparql", "a login in a URL"),
        ("AKIAIOSFODNN7EXAMPLE", "an access key of AWS"),
    ];
    for (i, (secret, what)) in secrets.into_iter().enumerate() {
        // In a reply of the graph, where a service could have echoed it.
        let leaky = text.replace("Michael Caine", &format!("Michael {secret} Caine"));
        let name = format!("leaky-{i}");
        home.write(&format!("{FOLDER}/{name}.jsonl"), leaky.replacen("\"first\"", &format!("\"{name}\""), 1));
        let ran = with_key(&home, &["sessions", "pack", &name]).ends(1).says(&["entry ", what, "--redact", "nothing was written"]);
        let bare = secret.rsplit(' ').next().unwrap();
        assert!(!ran.err.contains(bare) && ran.out.is_empty(), "{ran:#?}");
        let packed = home.path(&format!("{name}.tot.gz"));
        assert!(!packed.exists());
        let named: u64 = ran.err.split("entry ").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
        let lines = lines(file(&home, &name));
        assert!(lines[named as usize + 1].to_string().contains(bare), "entry {named} holds it");
        with_key(&home, &["sessions", "pack", &name, "--redact"]).ends(0).says(&["replaced by ***", what]);
        let clean = gunzip(&packed);
        assert!(!clean.contains(bare) && !clean.contains("pa55w0rd") && clean.contains("***"), "{name}");
        assert_eq!(clean.lines().count(), lines.len());
        with_key(&home, &["show", packed.to_str().unwrap()]).ends(0);
    }
    // Nothing but the clean session passes.
    with_key(&home, &["sessions", "pack", "first"]).ends(0);
    // Logins of the configuration, and a key that stands in a file.
    let key = home.write("key", "file-canary-7");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    home.write(
        "config/tot/config.yaml",
        "models:\n  filed: {spec: 'openai:m', key_file: ~/key}\nkgs:\n  shut: {spec: 'sparql:http://h/q', auth: basic, user: me, password_env: SHUT}\n",
    );
    for (secret, what) in [("file-canary-7", "the key of the model filed"), ("bWU6c2VzYW1l", "the login of the graph shut")] {
        home.write(&format!("{FOLDER}/more.jsonl"), text.replace("Michael Caine", secret));
        let ran = finish(home.tot(&["sessions", "pack", "more", "-o", "more.tot.gz"]).env("SHUT", "sesame").spawn().unwrap()).ends(1);
        assert!(ran.err.contains(what) && !ran.err.contains(secret), "{ran:#?}");
    }
}

#[test]
fn a_full_disk_leaves_no_half_of_a_packed_file() {
    let home = Home::new();
    session(&home, "first", "film-backtrack", 1);
    let ran = home.shell("trap '' XFSZ; ulimit -f 1; exec \"$TOT\" sessions pack first -o p.tot.gz").ends(1);
    assert!(ran.err.contains("p.tot.gz"), "{ran:#?}");
    let names: Vec<_> = std::fs::read_dir(home.path(""))
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .filter(|n| n.to_string_lossy().contains("p.tot"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

/// What the first entries of a session hold up to the first expansion, and the numbers that come next.
struct Grown {
    text: String,
    seq: u64,
    step: u64,
    ask: u64,
    part: u64,
}

impl Grown {
    fn from(text: &str) -> Self {
        let kept = text.lines().position(|l| l.contains("\"kind\":\"expand\"")).unwrap();
        let head: Vec<Value> = text.lines().take(kept).map(|l| serde_json::from_str(l).unwrap()).collect();
        let next = |kind: &str, id: &str| head.iter().filter_map(|l| l["ev"][kind][id].as_u64()).max().map_or(0, |n| n + 1);
        let text = text.split_inclusive('\n').take(kept).collect();
        Self { text, seq: kept as u64 - 1, step: next("opened", "step"), ask: next("asked", "ask"), part: next("part", "id") }
    }

    fn push(&mut self, by: &str, ev: Value) {
        let line = json!({"seq": self.seq, "at": 1_795_986_288_825_u64 + self.seq, "by": by, "ev": ev});
        self.text.push_str(&line.to_string());
        self.text.push('\n');
        self.seq += 1;
    }

    /// A thought below `parent`, which gets the number `node`; `prompt`: what the model was asked with.
    fn thought(&mut self, parent: u64, node: u64, prompt: Option<String>) {
        let (step, ask, part) = (self.step, self.ask, self.part);
        self.step += 1;
        self.push(
            "engine",
            json!({"opened": {"step": step, "kind": "expand", "node": parent, "counts": true, "why": "the only open node"}}),
        );
        if let Some(text) = prompt {
            (self.ask, self.part) = (ask + 1, part + 1);
            self.push("world", json!({"part": {"id": part, "kind": "graph", "text": text}}));
            let call = json!({"llm": {"kind": "action", "parts": [part], "temperature_milli": 1000, "max_tokens": 256, "slots": 1}});
            let key = json!({"step": step, "purpose": "sample", "lane": 0, "round": 0});
            self.push("world", json!({"asked": {"ask": ask, "key": key, "call": call, "hash": format!("{ask:032x}"), "nth": 0}}));
            let samples = json!([[0, {"text": format!("THINK: thought {node}"), "finish": "stop"}]]);
            let usage = json!({"prompt_tokens": 900, "completion_tokens": 7});
            let replied = json!({"ask": ask, "got": {"samples": samples}, "source": "live", "usage": usage, "took_ms": 12, "tries": 1});
            self.push("world", json!({"replied": replied}));
        }
        let child = json!({"parent": parent, "action": {"think": {"text": format!("thought {node}")}}, "votes": [1, 1]});
        self.push("engine", json!({"grew": {"step": step, "children": [child], "refused": []}}));
        self.push("engine", json!({"valued": {"node": node, "value": 500_000, "from": "rule"}}));
        self.push("engine", json!({"closed": {"step": step}}));
    }
}

#[test]
fn a_chain_of_five_thousand_nodes_opens() {
    const DEPTH: u64 = 5_000;
    let home = Home::new();
    let mut grown = Grown::from(&session(&home, "first", "film-backtrack", 1));
    (0..DEPTH).for_each(|node| grown.thought(node, node + 1, None));
    let deep = home.write(&format!("{FOLDER}/deep.jsonl"), &grown.text);
    let shown = home.run(&["show", "deep"]).ends(0);
    assert!(shown.out.contains("thought 5000") && shown.out.contains("the search was left here"), "{}", shown.err);
    let object = home.run(&["sessions", "show", &deep, "--json"]).ends(0).json();
    assert_eq!((&object["nodes"], &object["expansions"]), (&json!(DEPTH + 1), &json!(DEPTH)));
    assert_eq!(named(&home.run(&["sessions", "list", "--json"]).ends(0).json(), "deep")["marks"], json!([]));
    home.run(&["sessions", "pack", "deep"]).ends(0);
    assert_eq!(gunzip(home.path("first.tot.gz")), grown.text);
}

/// Peak memory in MB and the time of a run.
fn measured(home: &Home, args: &[&str]) -> (Ran, u64, Duration) {
    let begun = std::time::Instant::now();
    let mut child = home.tot(args).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || std::io::read_to_string(out).unwrap());
    let (mut peak, status) = (0, format!("/proc/{}/status", child.id()));
    while child.try_wait().unwrap().is_none() {
        let high = std::fs::read_to_string(&status).unwrap_or_default();
        let high = high.lines().find(|l| l.starts_with("VmHWM")).and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
        peak = peak.max(high.unwrap_or(0) / 1_000);
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut ran = finish(child);
    ran.out = reading.join().unwrap();
    (ran, peak, begun.elapsed())
}

#[test]
fn a_journal_of_a_hundred_megabytes_opens() {
    const BYTES: usize = 100_000_000;
    let home = Home::new();
    let mut grown = Grown::from(&session(&home, "first", "film-backtrack", 1));
    let mut node = 0;
    while grown.text.len() < BYTES {
        let facts = "film: cast member: actor with a name of usual length\n".repeat(400);
        grown.thought(node / 3, node + 1, Some(format!("# GRAPH {node}\n{facts}")));
        node += 1;
    }
    let answer = json!({"answer": {"text": "somebody", "items": ["somebody"]}});
    let step = grown.step;
    grown.push("engine", json!({"opened": {"step": step, "kind": "expand", "node": 0, "counts": true, "why": "the end"}}));
    let child = json!({"parent": 0, "action": answer, "votes": [1, 1]});
    grown.push("engine", json!({"grew": {"step": step, "children": [child], "refused": []}}));
    grown.push("engine", json!({"valued": {"node": node + 1, "value": 900_000, "from": "rule"}}));
    grown.push("engine", json!({"closed": {"step": step}}));
    let finished = json!({"outcome": "answered", "stop": "threshold", "answer": node + 1, "route": "graph", "why": "it is over"});
    grown.push("engine", json!({"finished": finished}));
    home.write(&format!("{FOLDER}/large.jsonl"), &grown.text);
    for args in [&["sessions", "list"][..], &["sessions", "show", "large"], &["show", "large"]] {
        let (ran, peak, took) = measured(&home, args);
        println!("{args:?}: {} ms, {peak} MB", took.as_millis());
        let ran = ran.ends(0);
        assert!(ran.out.contains("answered: somebody") || ran.out.contains("somebody\n"), "{}", ran.err);
        let most = if args.contains(&"list") { 100 } else { 600 };
        assert!(peak < most, "{args:?}: {peak} MB");
    }
}

#[test]
fn a_session_that_is_being_written_can_be_looked_at_but_not_gone_on_with() {
    let home = Home::new();
    let child = running(&home, "runs");
    home.run(&["ask", "--resume", "runs"]).ends(1).says(&["open in another tot", "close that one first", "tot show"]);
    for args in [&["show", "runs"][..], &["sessions", "show", "runs"], &["sessions", "list"], &["sessions", "pack", "runs"]] {
        home.run(args).ends(0);
    }
    assert_eq!(home.run(&["sessions", "show", "runs", "--json"]).ends(0).json()["state"], json!(["running"]));
    end(child);
    assert_eq!(home.run(&["sessions", "show", "runs", "--json"]).ends(0).json()["state"], json!(["whole"]));
}

/// `tot` as somebody who may not write what root made; as root it becomes another user.
fn as_other(home: &Home, args: &str) -> Ran {
    let root = std::fs::metadata(home.path("")).unwrap().uid() == 0;
    let other = if root { "setpriv --reuid=65534 --regid=65534 --clear-groups " } else { "" };
    home.shell(&format!("exec {other}\"$TOT\" {args}"))
}

#[test]
fn what_may_not_be_written_is_looked_at_and_stays_as_it_is() {
    let home = Home::new();
    let text = session(&home, "first", "film-backtrack", 1);
    let open: String = text.split_inclusive('\n').take(60).collect();
    let path = home.write(&format!("{FOLDER}/open.jsonl"), &open);
    for name in ["", "state", "state/tot", FOLDER] {
        std::fs::set_permissions(home.path(name), std::fs::Permissions::from_mode(0o555)).unwrap();
    }
    for name in ["first", "open"] {
        std::fs::set_permissions(file(&home, name), std::fs::Permissions::from_mode(0o444)).unwrap();
    }
    for args in ["show open", "sessions list", "sessions show open", "replay --check first"] {
        as_other(&home, args).ends(0);
    }
    as_other(&home, "ask --resume open").ends(1).says(&["you may not write it", "tot show"]);
    as_other(&home, "ask 'Who directed Inception?'").ends(0).says(&["not recorded", "--session"]);
    as_other(&home, "sessions pack first").ends(1).says(&["first.tot.gz", "ermission"]);
    let ran = as_other(&home, "sessions prune --keep 0 --yes").ends(1).says(&["open.jsonl", "ermission"]);
    assert!(ran.out.contains("0 sessions deleted"), "{ran:#?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), open);
    for name in ["", "state", "state/tot", FOLDER] {
        std::fs::set_permissions(home.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_newer_version_is_refused_unchanged_by_every_command() {
    let home = Home::new();
    let newer = "{\"format\":\"tot-session\",\"version\":99,\"future\":true}\n{\"x\":1}\n";
    let path = home.write(&format!("{FOLDER}/newer.jsonl"), newer);
    let packed = home.write("newer.tot.gz", gzip(newer.as_bytes()));
    for session in [&*path, &*packed] {
        for args in [&["show"][..], &["sessions", "show"], &["sessions", "pack"], &["ask", "--resume"], &["replay", "--check"]] {
            home.run(&[args, &[session]].concat()).ends(1).says(&["version 99", "newer tot"]);
        }
    }
    home.run(&["sessions", "prune", "--keep", "0", "--yes"]).ends(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), newer);
    assert_eq!(home.sessions().len(), 1);
}

#[test]
fn on_a_terminal_pruning_asks_first() {
    let home = Home::new();
    session(&home, "first", "film-backtrack", 1);
    let state = home.arg("state");
    for (answer, stays) in [("\r", true), ("no\r", true), ("y\r", false)] {
        let environment = [("XDG_STATE_HOME", &*state)];
        let mut terminal = Terminal::open_with(TOT, &["sessions", "prune", "--keep", "0"], &environment);
        terminal.wait_for("delete 1 session (");
        terminal.press_for(answer, if stays { "nothing was deleted" } else { "1 session deleted" });
        assert_eq!(terminal.end().0, 0);
        assert_eq!(file(&home, "first").exists(), stays);
    }
}
