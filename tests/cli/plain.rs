//! `--plain`: the explorer as a dialogue in lines, over pipes and on a terminal that can't place text.

use super::hostile;
use super::server::{Server, busy_at_first, refusing};
use super::support::{DEADLINE, Home, Ran, TOT, events, finish, lines, scenario, send};
use super::terminal::Terminal;
use serde_json::json;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;
use tree_of_traversals::text::is_unsafe;

const BALLPARK: &str = "What is the name of the spring training ballpark of the team whose mascot is the Phillie Phanatic?";

/// A person at the other end of two pipes.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    all: String,
}

impl Talk {
    fn open(home: &Home, args: &[&str]) -> Self {
        let mut child = home.tot(args).stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let (tell, output) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut piece) {
                if tell.send(piece[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mut talk = Self { child, input, output, all: String::new() };
        talk.until_prompt(0);
        talk
    }

    /// Reads until the prompt stands at the end; what came after `from`.
    fn until_prompt(&mut self, from: usize) -> String {
        let begun = Instant::now();
        loop {
            let new = &self.all[from..];
            if new == "> " || new.ends_with("\n> ") {
                return new.to_owned();
            }
            assert!(begun.elapsed() < DEADLINE, "no prompt: {}", self.all);
            match self.output.recv_timeout(DEADLINE) {
                Ok(piece) => self.all.push_str(&String::from_utf8(piece).unwrap()),
                Err(_) => panic!("the output ended: {}", self.all),
            }
        }
    }

    /// Types a line; what is said until the next one would be taken.
    #[track_caller]
    fn say(&mut self, line: &str) -> String {
        let from = self.all.len();
        writeln!(self.input, "{line}").unwrap();
        let said = self.until_prompt(from);
        assert!(!said.contains(|c| c != '\n' && is_unsafe(c)), "{said:?}");
        assert!(!said.contains("there is no command"), "{said}");
        said
    }

    /// Types a line and waits until the search rests.
    #[track_caller]
    fn and_wait(&mut self, line: &str) -> String {
        self.say(line) + &self.say("wait")
    }

    /// The number of the row that has this text.
    #[track_caller]
    fn number(said: &str, text: &str) -> String {
        let row = said.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no row has {text}: {said}"));
        row.split_once(". ").unwrap_or_else(|| panic!("no number: {row}")).0.to_owned()
    }

    fn quit(mut self) {
        let _ = writeln!(self.input, "quit");
        drop(self.input);
        finish(self.child).ends(0);
    }
}

/// Types all of `lines` at once, then ends the input.
fn type_all(home: &Home, args: &[&str], lines: &str) -> Ran {
    let mut child = home.tot(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = lines.to_owned();
    let typing = std::thread::spawn(move || {
        let _ = input.write_all(lines.as_bytes());
    });
    let ran = finish(child);
    typing.join().unwrap();
    ran.clean()
}

fn session(home: &Home) -> PathBuf {
    let mut found = home.sessions();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// Of the past it is told what came then, never what the present is about to do.
#[test]
fn the_past_says_what_came_next_then() {
    let home = Home::new();
    let halted = home.arg("s.jsonl");
    home.run(&["ask", "--quiet", "--session", &halted, "--break", "expansion 3", BALLPARK]).ends(4);
    let ran = type_all(&home, &["resume", "--plain", &halted], "machine\nat 20\nmachine\nbudget\nstatus\nlatest\nmachine\n").ends(0);
    let said: Vec<&str> = ran.out.split("\n> ").collect();
    let told = |word: &str| said.iter().filter(|said| said.starts_with(word)).collect::<Vec<_>>();
    let (machine, budget, status) = (told("machine"), told("budget")[0], told("status")[0]);
    let (present, past, again) = (machine[0], machine[1], machine[2]);
    assert!(present.contains("\nnext: search: ") && again.trim_end() == present.trim_end(), "{present}{again}");
    let silent = |entry: &serde_json::Value| ["part", "replied", "failed"].iter().any(|kind| !entry["ev"][kind].is_null());
    let then = lines(&halted)[1..].iter().skip(21).position(|entry| !silent(entry)).unwrap() + 21;
    assert!(past.contains(&format!("what came next then: event {then}, ")) && !past.contains("\nnext: "), "{past}");
    assert!(budget.contains("time: not recorded"), "{budget}");
    assert!(status.contains("\nnow: breakpoint; next: ") && status.contains("\nlooking back, "), "{status}");
}

#[test]
fn a_breakpoint_on_a_node_is_said_and_marked() {
    let home = Home::new();
    let question = "Which actor played in both Inception and Interstellar?";
    let mut talk = Talk::open(&home, &["--plain", "--pace", "0", "--break", "state relation", question]);
    talk.say("wait");
    let tree = talk.say("tree");
    let node = |line: &str| line.split_once("node ")?.1.split_once(':').map(|(number, _)| number.to_owned());
    let open = tree.lines().filter(|line| line.starts_with("level") && !line.contains(", expansion "));
    let next = open.filter_map(node).next().unwrap_or_else(|| panic!("{tree}"));
    let said = talk.say(&format!("breakpoint here {next}"));
    assert!(said.contains(&format!("stands still before node {next} is expanded")), "{said}");
    let marked = |tree: &str| tree.lines().filter(|line| line.contains(", breakpoint")).filter_map(node).collect::<Vec<_>>();
    assert_eq!(marked(&talk.say("tree")), [&*next], "{}", talk.all);
    assert!(talk.say("breakpoint here 0").contains("it was expanded already"), "{}", talk.all);
    assert_eq!(marked(&talk.say("tree")), [&*next], "{}", talk.all);
    assert!(talk.say(&format!("breakpoint here {next}")).contains("is off"), "{}", talk.all);
    assert!(marked(&talk.say("tree")).is_empty(), "{}", talk.all);
    talk.quit();
}

/// A session that ended, outside the sessions folder.
fn recorded(home: &Home) -> String {
    let parent = home.arg("q71.jsonl");
    home.run(&["ask", "--quiet", "--session", &parent, BALLPARK]).ends(0);
    parent
}

#[test]
fn a_fork_keeps_saying_what_it_is_and_which_replies_are_its_parents() {
    let home = Home::new();
    let parent = recorded(&home);
    // Without a change everything comes from the recording, and nothing is counted as live.
    let mut talk = Talk::open(&home, &["replay", "--plain", &parent]);
    talk.say("at 48");
    talk.say("fork");
    talk.say("why an outdated name?");
    let forked = talk.say("yes");
    let begins = "fork of q71 after event 48, replies come from the parent's recording until a request is new, an outdated name?";
    assert!(forked.contains(begins), "{forked}");
    talk.and_wait("continue");
    let status = talk.say("status");
    assert!(status.contains("22 replies from the parent's recording, the next too until a request is new, an outdated name?"), "{status}");
    let budget = talk.say("budget");
    assert!(budget.contains("model calls: 6, 11 recorded") && budget.contains("KG calls: 4 live, 11 recorded, 1 cached"), "{budget}");
    talk.quit();
    let fork = session(&home).to_str().unwrap().to_owned();
    // The parent stands elsewhere, and is not called gone; events are counted as in the dialogue.
    let list = home.run(&["sessions", "list"]).ends(0).out;
    assert!(list.contains("[fork of q71 after event 48, which is not in this folder]"), "{list}");
    let file = home.run(&["sessions", "show", &fork]).ends(0).out;
    assert!(file.contains("fork of    q71 after event 48 · 22 replies from the parent's recording"), "{file}");
    let start = Talk::open(&home, &["--plain"]);
    assert!(start.all.contains("fork of q71 after event 48"), "{}", start.all);
    start.quit();
    let told = "fork of q71 after event 48 · 22 replies from the parent's recording · an outdated name?\n";
    let shown = home.run(&["show", &fork]).ends(0).out;
    assert!(shown.starts_with(told), "{shown}");
    assert!(shown.contains("; 16 calls to graphs, 11 of them from a recording, 1 of them from the cache"), "{shown}");
    assert_eq!(home.run(&["show", &fork, "--json"]).json()["kg"], json!({"calls": 16, "recorded": 11, "cached": 1}));
    let diff = home.run(&["diff", &parent, &fork, "--json"]).ends(0).json();
    let kg = |side: usize| [&diff["spent"][side]["kg_calls"], &diff["spent"][side]["kg_recorded"], &diff["spent"][side]["kg_cached"]];
    assert_eq!((kg(0), kg(1)), ([&json!(16), &json!(0), &json!(1)], [&json!(16), &json!(11), &json!(1)]));
    let object = home.run(&["show", &fork, "--json"]).json()["fork"].clone();
    assert_eq!((&object["parent"], &object["after_event"], &object["recorded_replies"]), (&"q71".into(), &48.into(), &22.into()));
    assert_eq!((&object["live_replies"], &object["live_since_event"]), (&0.into(), &serde_json::Value::Null));
    assert!(home.run(&["show", &parent, "--json"]).json().get("fork").is_none());
    // Opened again, it still says so.
    let mut again = Talk::open(&home, &["replay", "--plain", &fork]);
    assert!(again.say("status").contains("22 replies from the parent's recording, an outdated name?"), "{}", again.all);
    // Its header says where the parent stands, so that it can be compared with it.
    let list = again.say("compare");
    assert!(list.contains("1. parent: ") && list.contains("2. a session that stands elsewhere"), "{list}");
    assert!(again.say("1").contains("verdict: the same: both end with Bright House Field"), "{}", again.all);
    again.quit();
    // And the parent, opened by its path, with its fork in the usual folder; or with any file.
    let mut again = Talk::open(&home, &["replay", "--plain", &parent]);
    assert!(again.say("compare").contains("1. fork: an outdated name?"), "{}", again.all);
    assert!(again.say("1").contains("B: ") && again.all.contains("(forked because: an outdated name?)"), "{}", again.all);
    assert!(again.say(&format!("compare {fork}")).contains("verdict: the same: both end"), "{}", again.all);
    let gone = again.say("compare no/such.jsonl");
    assert!(gone.contains("no/such.jsonl: ") && !gone.contains("left"), "{gone}");
    again.say("");
    again.quit();
    // What is handed on does not say whose machine it was.
    let packed = home.arg("handed-on.tot.gz");
    assert!(std::fs::read_to_string(&fork).unwrap().lines().next().unwrap().contains("parent_path"));
    home.run(&["sessions", "pack", &fork, "-o", &packed]).ends(0);
    assert!(home.run(&["sessions", "show", &packed]).ends(0).out.contains("fork of    q71"));
    let mut header = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(flate2::read::GzDecoder::new(std::fs::File::open(&packed).unwrap())),
        &mut header,
    )
    .unwrap();
    assert!(header.contains("q71") && !header.contains("parent_path") && !header.contains(&*home.arg("")), "{header}");
}

#[test]
fn a_fork_that_went_live_says_since_when() {
    let home = Home::new();
    let parent = recorded(&home);
    let mut talk = Talk::open(&home, &["replay", "--plain", &parent]);
    talk.say("at 47");
    talk.say("fork");
    talk.say("yes");
    talk.say("go 0");
    talk.say("hint look at the park");
    talk.and_wait("continue");
    let fork = session(&home);
    let since = lines(&fork)[1..].iter().skip(48).find(|entry| !entry["ev"]["replied"].is_null()).unwrap()["seq"].to_string();
    let replies = lines(&fork)[1..].iter().skip(48).filter(|entry| entry["ev"]["replied"]["source"] == "live").count();
    let wanted = format!("fork of q71 after event 47, {replies} replies live since event {since}\n");
    let status = talk.say("status");
    assert!(status.contains(&wanted), "{wanted}{status}");
    talk.quit();
    let shown = home.run(&["show", fork.to_str().unwrap()]).ends(0).out;
    assert!(shown.starts_with(&wanted.replace("47, ", "47 · ")), "{shown}");
}

#[test]
fn what_is_asked_again_in_a_fork_is_live_and_said_to_be() {
    let home = Home::new();
    let parent = recorded(&home);
    let mut talk = Talk::open(&home, &["resume", "--plain", &parent]);
    talk.say("fork");
    talk.say("yes");
    talk.say("7");
    let fact = Talk::number(&talk.say("graph"), "home venue, Bright House Field");
    talk.say(&format!("correct a fact {fact}"));
    talk.say("another label");
    talk.say("BayCare Ballpark");
    let who = talk.say("none");
    let next = Talk::number(&who, "home venue, what comes next");
    talk.and_wait(&next);
    let fork = session(&home);
    let live: Vec<String> =
        lines(&fork)[1..].iter().filter(|entry| entry["ev"]["replied"]["source"] == "live").map(|entry| entry["seq"].to_string()).collect();
    let before = lines(&parent).len() - 1;
    let live: Vec<&String> = live.iter().filter(|seq| seq.parse::<usize>().unwrap() >= before).collect();
    assert_eq!(live.len(), 2, "the choice and its value");
    let status = talk.say("status");
    assert!(status.contains(&format!("until a request is new (by hand 2 live since event {})", live[0])), "{status}");
    talk.quit();
}

#[test]
fn a_whole_session_from_the_question_to_the_corrected_answer() {
    let home = Home::new();
    let mut talk = Talk::open(&home, &["--plain", BALLPARK, "--kg", "demo", "--llm", "lexical", "--pace", "0.05"]);
    assert!(talk.all.contains(&format!("question: {BALLPARK}\n")), "{}", talk.all);
    // Step by step.
    talk.and_wait("pause");
    let steps = (0..40).find(|_| {
        let said = talk.and_wait("step");
        assert!(said.contains("paused; next: "), "{said}");
        said.contains("node 1: value")
    });
    assert!(steps.is_some(), "no expansion in 40 steps");
    assert!(talk.and_wait("phase").contains("next: "));
    let tree = talk.say("tree");
    assert!(tree.contains("level 0, node 0: What is the name") && tree.contains("level 1, node 1: "), "{tree}");
    assert!(talk.say("go 0").contains("node 0: "));
    assert!(talk.say("why").contains("Every walk starts here"));
    // By hand, and back.
    talk.say("expand by hand");
    talk.say("expand the graph");
    let relations = talk.say("1");
    assert!(relations.contains("is mascot of"), "{relations}");
    assert!(talk.say("is mascot of").contains("new: "));
    let grown = talk.and_wait("yes");
    assert!(grown.contains("you: by hand from node 0"), "{grown}");
    assert!(talk.say("tree").contains("by hand"));
    assert!(talk.say("override 0").contains("another thought"));
    assert!(talk.say("").contains("left"));
    assert!(talk.and_wait("undo").contains("you: took back: by hand from node 0"));
    // Samples that are decided by the person, and a breakpoint.
    talk.say("intercept");
    let held = talk.and_wait("continue");
    assert!(held.contains("Before it is applied") && held.contains("`apply`"), "{held}");
    let held = talk.say("apply") + &talk.say("wait");
    assert!(held.contains("Before it is applied"), "{held}");
    talk.say("off");
    talk.say("breakpoint answer<threshold");
    assert!(talk.say("breakpoints").contains("on: answer<threshold"));
    talk.say("");
    let end = talk.say("wait");
    assert!(end.contains("Bright House Field") || talk.all.contains("Bright House Field"), "{end}");
    for _ in 0..10 {
        if talk.say("status").contains("Bright House Field (") {
            break;
        }
        talk.and_wait("continue");
    }
    // From the wrong answer to the fact, corrected.
    talk.say("follow");
    talk.say("follow");
    let status = talk.say("status");
    assert!(status.contains("selected: node") && status.contains("answer: Bright House Field"), "{status}");
    let answer = status.split("selected: node ").nth(1).unwrap().split(':').next().unwrap().to_owned();
    assert!(talk.say("evidence").contains("Bright House Field"));
    let fact = Talk::number(&talk.say("graph"), "home venue, Bright House Field");
    talk.say(&format!("correct a fact {fact}"));
    talk.say("another label");
    talk.say("BayCare Ballpark");
    let who = talk.say("renamed in 2018");
    let value = Talk::number(&who, &format!("node {answer}: answer: Bright House Field, its value"));
    let next = Talk::number(&who, "home venue, what comes next");
    talk.and_wait(&format!("{value}, {next}"));
    for _ in 0..10 {
        if talk.say("status").contains("BayCare Ballpark (") {
            break;
        }
        talk.and_wait("continue");
    }
    let status = talk.say("status");
    assert!(status.contains("answered: BayCare Ballpark ("), "{status}");
    // Looking back, a fork, the end; and the first session goes on.
    assert!(talk.say("first event").contains("event 0"));
    assert!(talk.say("tree").contains("there is no node yet"));
    talk.say("latest");
    let first = session(&home);
    assert!(talk.say("fork").contains("expected answer: not said"));
    assert!(talk.say("expected Bright House Field").contains("expected answer: Bright House Field"));
    assert!(talk.say("yes").contains("fork of"));
    let list = talk.say("compare");
    assert!(list.contains("1. parent: "), "{list}");
    let compared = talk.say("1");
    assert!(compared.contains("verdict: the same: neither has the expected answer (Bright House Field)"), "{compared}");
    assert_eq!(home.sessions().iter().filter(|path| path.extension().is_some_and(|ext| ext == "jsonl")).count(), 2);
    talk.quit();
    assert!(events(&first, "acted").iter().any(|acted| acted.to_string().contains("renamed in 2018")));
    let mut again = Talk::open(&home, &["resume", "--plain", first.to_str().unwrap()]);
    assert!(again.all.contains("answered: BayCare Ballpark"), "{}", again.all);
    assert!(again.say("undo").contains("you: took back"));
    again.quit();
    let replayed = type_all(&home, &["replay", "--plain", first.to_str().unwrap()], "step\ntree\n").ends(0);
    assert!(replayed.out.contains("this is a recorded session") && replayed.out.contains("level 0, node 0"), "{replayed:#?}");
}

#[test]
fn the_start_page_asks_and_opens() {
    let home = Home::new();
    let args = ["--plain", "--kg", "demo", "--llm", "lexical", "--pace", "0"];
    let ran = type_all(&home, &args, "ask Who directed Inception?\nwait\nevidence\nquit\nnever taken\n").ends(0);
    for line in [
        "questions to try:",
        "1. Which actor",
        "recordings to look at:",
        "> ask Who directed Inception?",
        "question: Who directed Inception?",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
    assert!(ran.out.contains("answered: Christopher Nolan (") && !ran.out.contains("never taken"), "{}", ran.out);
    let mut talk = Talk::open(&home, &args);
    let page = talk.say("start");
    assert!(page.contains("answered: Christopher Nolan"), "{page}");
    let own = Talk::number(&page, "Who directed Inception?, just now");
    assert!(talk.say(&format!("open {own}")).contains("answered: Christopher Nolan ("));
    assert!(talk.say(&format!("resume {own}")).contains("answered: Christopher Nolan ("));
    assert!(talk.and_wait("hint look again").contains("there is no node") || talk.say("status").contains("Who directed"), "a live session");
    talk.quit();
}

#[test]
fn hostile_labels_and_replies_move_no_terminal() {
    let home = Home::new();
    let args = hostile::world(&home);
    let args: Vec<&str> = ["--plain", "Who owns Quay Nine?", "--pace", "0", "--max-expansions", "9"]
        .into_iter()
        .chain(args.iter().map(String::as_str))
        .collect();
    let tabs = "prompt\nsamples\nvalue\ncalls\nwhy\ntrajectory\nevidence\ngraph\ngraph text\nfact 1\n";
    let mut lines = "wait\ntree\ntimeline all\n".to_owned();
    (0..6).for_each(|node| lines.push_str(&format!("go {node}\n{tabs}")));
    lines.push_str("expand by hand 0\n4\n1\nowner\nyes\nwait\noverride 0\n\ncorrect a fact 1\n1\nx\u{1b}[2J\u{9b}m\nnone\nnone\nlinked\n\n\u{1b}]0;x\u{7}\n");
    let ran = type_all(&home, &args, &lines).ends(0);
    assert!(ran.out.contains("Quay ]52;c;Zm9v Nine2J") && ran.out.contains("red2J Ida"), "{}", ran.out);
}

#[test]
fn the_end_of_the_input_and_signals_lose_nothing() {
    let home = Home::new();
    let args = ["--plain", "--scenario", &scenario("film-backtrack"), "--pace", "0"];
    let ran = type_all(&home, &args, "wait").ends(0);
    assert!(ran.out.ends_with("answered: Michael Caine (1.00)\n> \n"), "{}", ran.out);
    let saved = home.run(&["show", session(&home).to_str().unwrap()]).ends(0);
    assert!(saved.out.contains("Michael Caine"), "{saved:#?}");
    for signal in ["INT", "TERM", "HUP"] {
        let home = Home::new();
        let slow = home.slow("film-backtrack", 400, 400);
        let mut talk = Talk::open(&home, &["--plain", "--scenario", &slow]);
        talk.say("status");
        send(signal, &talk.child);
        let Talk { child, input, .. } = talk;
        finish(child).ends(4);
        drop(input);
        home.run(&["show", session(&home).to_str().unwrap()]).ends(0);
    }
    // Nobody reads any more.
    home.shell("{ yes tree | \"$TOT\" --plain; echo $? >status; } | head -n 1");
    assert_eq!(std::fs::read_to_string(home.path("status")).unwrap().trim(), "0");
    let binary = home.write("bytes", b"\xff\xfe\x00 tree\n\xc3(\n\nstatus".as_slice());
    home.shell(&format!("\"$TOT\" --plain --kg demo --llm lexical < {binary}")).ends(0).clean();
}

#[test]
fn what_is_no_command_says_the_nearest() {
    let home = Home::new();
    let ran = type_all(&home, &["--plain", "--kg", "demo", "--llm", "lexical"], "undoo\ntheme\nevent\nfrok here\n").ends(0);
    for part in ["did you mean `undo`?", "theme has no meaning here: ", "event back, event forward", "did you mean `fork here`?"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    home.run(&["--plain", "--mouse"]).ends(2);
}

#[test]
fn a_dumb_terminal_gets_lines_by_itself_and_no_escape() {
    let mut terminal =
        Terminal::open_with(TOT, &["--kg", "demo", "--llm", "lexical", "--pace", "0", "Who directed Inception?"], &[("TERM", "dumb")]);
    terminal.press("wait\n");
    terminal.wait_for("answered: Christopher Nolan");
    terminal.press("tree\nquit\n");
    let status = terminal.child.wait().unwrap();
    while terminal.read_for(std::time::Duration::from_millis(200)) {}
    let raw = String::from_utf8(terminal.raw.clone()).unwrap();
    assert!(status.success() && raw.contains("level 0, node 0"), "{raw}");
    assert!(!raw.contains(|c: char| !matches!(c, '\n' | '\r') && is_unsafe(c)), "{raw:?}");
}

#[test]
fn a_pause_that_the_model_wants_is_told() {
    let home = Home::new();
    let server = Server::start(busy_at_first());
    let url = format!("http://{}", server.host);
    let args = ["--plain", "Who directed Inception?", "--llm", "openai:mock", "--llm-url", &url, "--max-expansions", "2"];
    let ran = type_all(&home, &args, "wait\nquit\n").ends(0);
    assert_eq!(ran.out.matches("\nopenai:mock waits ").count(), 1, "{ran:#?}");
}

#[test]
fn what_is_learnt_of_the_model_is_told_and_kept() {
    let home = Home::new();
    let server = Server::start(refusing(&["temperature"]));
    let url = format!("http://{}", server.host);
    let args = ["--plain", "Who directed Inception?", "--llm", "openai:mock", "--llm-url", &url, "--max-expansions", "1"];
    let ran = type_all(&home, &args, "wait\nwarnings\nquit\n").ends(0);
    assert_eq!(ran.out.matches("mock takes no temperature (its own holds).").count(), 2, "told, then listed: {ran:#?}");
}
