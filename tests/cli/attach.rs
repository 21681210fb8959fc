//! `tot attach`: a second terminal follows a running search, pauses, steps and continues it.

use super::support::{DEADLINE, Home, Ran, TOT, events, finish, lasting, lines, scenario, wait_for_lines};
use super::terminal::Terminal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// `tot attach --json`, its commands and what it printed so far.
struct Attached {
    child: Child,
    stdin: Option<ChildStdin>,
    out: BufReader<std::process::ChildStdout>,
    entries: Vec<Value>,
}

impl Attached {
    fn to(home: &Home, session: &str) -> Self {
        Self::by(home.tot(&["attach", session, "--json"]))
    }

    fn by(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (stdin, out) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, out, entries: Vec::new() }
    }

    /// Says a word or a line and waits for its reply.
    #[track_caller]
    fn say(&mut self, line: &str) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        loop {
            let mut text = String::new();
            assert!(self.out.read_line(&mut text).unwrap() > 0, "the search left before it replied to {line}");
            let value: Value = serde_json::from_str(&text).unwrap();
            match value.get("reply") {
                Some(reply) => return reply.clone(),
                None => self.entries.push(value),
            }
        }
    }

    /// Waits until nothing moves any more.
    #[track_caller]
    fn rests(&mut self) -> Value {
        let begun = Instant::now();
        loop {
            let reply = self.say("status");
            if reply["state"] == "paused" {
                return reply;
            }
            assert!(begun.elapsed() < DEADLINE, "{reply}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes in the rest until it ends.
    #[track_caller]
    fn ends(mut self, status: i32) -> Vec<Value> {
        for line in self.out.by_ref().lines() {
            let value: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if value.get("reply").is_none() {
                self.entries.push(value);
            }
        }
        drop(self.stdin);
        finish(self.child).ends(status);
        self.entries
    }
}

/// A search that takes a while, its session, and how it would end by itself.
fn searching(home: &Home, session: &str) -> (Child, Value) {
    let slow = home.slow("film-backtrack", 60, 40);
    let expected = lasting(home.run(&["ask", "--scenario", &scenario("film-backtrack"), "--json"]).ends(0).json());
    let mut child = home.tot(&["ask", "--scenario", &slow, "--session", session, "--json"]).spawn().unwrap();
    assert!(wait_for_lines(&mut child, Path::new(session), 12));
    (child, expected)
}

fn sockets(home: &Home) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(home.path("state/tot/attach")) else { return Vec::new() };
    folder.map(|f| f.unwrap().path()).collect()
}

/// One line to a socket, one line back.
fn over(socket: &Path, line: &[u8]) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(line).unwrap();
    let mut text = String::new();
    BufReader::new(stream).read_line(&mut text).unwrap();
    text
}

/// Whether a run ended as one that nobody touched.
#[track_caller]
fn same(ran: &Ran, expected: &Value) {
    let ended = lasting(ran.json());
    for key in ["answer", "outcome", "stop", "tree", "order", "evidence"] {
        assert_eq!(ended[key], expected[key], "{key}");
    }
    assert_eq!(ended["llm"]["calls"], expected["llm"]["calls"]);
}

#[test]
fn it_pauses_steps_and_continues_to_the_same_end() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (child, expected) = searching(&home, &session);
    let mut attached = Attached::to(&home, &session);
    let reply = attached.say("pause");
    assert_eq!(reply["ok"], true, "{reply}");
    let rest = attached.rests();
    let before = lines(&session).len();
    assert_eq!(rest["seq"], before - 1, "the header is no entry");
    assert!(rest["next"].as_str().is_some_and(|next| !next.is_empty()), "{rest}");
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(lines(&session).len(), before, "nothing is decided while it is paused");
    // A step closes one step, no more.
    let closed = events(&session, "closed").len();
    assert_eq!(attached.say("step")["ok"], true);
    attached.rests();
    assert_eq!(events(&session, "closed").len(), closed + 1);
    // A phase is less than that.
    let before = lines(&session).len();
    assert_eq!(attached.say(r#"{"do":"phase"}"#)["ok"], true);
    attached.rests();
    assert!(lines(&session).len() > before);
    assert_eq!(events(&session, "closed").len(), closed + 1);
    let refused = attached.say("undo");
    assert_eq!(refused["ok"], false, "nothing was done by hand: {refused}");
    assert!(refused["why"].as_str().unwrap().contains("nothing to undo"), "{refused}");
    assert_eq!(attached.say("continue")["ok"], true);
    let entries = attached.ends(0);
    let ran = finish(child).ends(0);
    same(&ran, &expected);
    assert_eq!(entries, lines(&session)[1..], "every entry as it is in the journal");
    home.run(&["replay", &session, "--check"]).ends(0);
}

#[test]
fn a_person_reads_what_ask_tells_and_the_answer() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (child, _) = searching(&home, &session);
    let mut attached = home.tot(&["attach", &session]).stdin(Stdio::piped()).spawn().unwrap();
    attached.stdin.take().unwrap().write_all(b"status\nnonsense\nhelp\n").unwrap();
    // Its stdin is at its end and no terminal: it goes on following.
    let attached = finish(attached).ends(0).clean();
    finish(child).ends(0);
    let shown = home.run(&["show", &session]).ends(0).out;
    let attached = attached.says(&[
        "attached to",
        "#1 ",
        " after event ",
        "`nonsense` is not understood; possible are pause, continue",
        "quit: leave",
    ]);
    let answer = attached.out.lines().next().unwrap();
    assert!(shown.contains(answer), "{answer} in {shown}");
    let alone = home.run(&["ask", "--scenario", &scenario("film-backtrack")]).ends(0);
    assert_eq!(attached.out, alone.out, "the answer, as ask prints it");
    for line in alone.err.lines().filter(|line| line.starts_with('#')) {
        assert!(attached.err.contains(line), "{line} is not told: {}", attached.err);
    }
}

#[test]
fn two_terminals_hold_one_search_and_leaving_does_not_end_it() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (mut child, expected) = searching(&home, &session);
    let (mut first, mut second) = (Attached::to(&home, &session), Attached::to(&home, &session));
    assert_eq!(first.say("pause")["ok"], true);
    first.rests();
    assert_eq!(second.say("status")["state"], "paused");
    writeln!(first.stdin.as_mut().unwrap(), "quit").unwrap();
    first.ends(0);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "who paused it has left, it waits");
    assert_eq!(second.say("abort")["state"], "paused");
    assert_eq!(second.say("continue")["state"], "running");
    let entries = second.ends(0);
    assert_eq!(entries, lines(&session)[1..]);
    let ran = finish(child).ends(0);
    same(&ran, &expected);
    assert!(sockets(&home).is_empty());
}

#[test]
fn a_paused_search_is_stopped_by_a_signal_and_goes_on_later() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (child, expected) = searching(&home, &session);
    let mut attached = Attached::to(&home, &session);
    attached.say("pause");
    attached.rests();
    super::support::send("INT", &child);
    finish(child).ends(4).says(&["stopped; go on with"]);
    attached.ends(4);
    let ran = home.run(&["ask", "--resume", &session, "--json"]).ends(0);
    same(&ran, &expected);
}

#[test]
fn only_the_person_can_use_the_socket_and_garbage_does_no_harm() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (mut child, expected) = searching(&home, &session);
    let socket = sockets(&home).pop().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
    for (line, says) in [
        (&b"garbage\n"[..], "no JSON"),
        (b"\xff\xfe\x00\n", "no JSON"),
        (b"[1]\n", "nothing to do"),
        (b"{\"do\":7}\n", "nothing to do"),
        (b"{\"do\":\"quit\"}\n", "not understood"),
        (b"{\"do\":\"\\u001b[2Jfork\"}\n", "not understood"),
        (b"{\"do\":\"pause\",\"path\":\"/tmp/x\"}\n", "takes nothing else"),
    ] {
        let reply: Value = serde_json::from_str(&over(&socket, line)).unwrap();
        assert!(reply["why"].as_str().unwrap().contains(says), "{reply}");
        assert!(!reply["why"].as_str().unwrap().contains('\u{1b}'));
        assert_eq!((&reply["ok"], &reply["possible"][0]), (&json!(false), &json!("pause")));
    }
    // A line that is too long is passed over, whatever its length; the connection goes on.
    for length in [64 * 1024, 70_000, 1 << 20] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(&[&vec![b' '; length][..], b"\n{\"do\":\"status\"}\n"].concat()).unwrap();
        let mut lines = BufReader::new(&stream).lines().map(Result::unwrap);
        let (refused, status) = (lines.next().unwrap(), lines.next().unwrap());
        assert!(refused.contains("at most 65536 bytes: this one was passed over"), "{length}: {refused}");
        assert!(status.contains(r#""ok":true"#), "{length}: {status}");
    }
    // A line of the longest length is read.
    let mut longest = br#"{"do":"status"}"#.to_vec();
    longest.resize(64 * 1024 - 1, b' ');
    longest.push(b'\n');
    assert!(over(&socket, &longest).contains(r#""ok":true"#));
    assert!(child.try_wait().unwrap().is_none(), "none of it stopped the search");
    same(&finish(child).ends(0), &expected);
    assert!(!socket.exists(), "it goes with the search");
}

#[test]
fn a_socket_left_by_a_kill_is_replaced() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (mut child, _) = searching(&home, &session);
    child.kill().unwrap();
    finish(child);
    let left = sockets(&home);
    assert_eq!(left.len(), 1);
    home.run(&["attach", &session]).ends(1).says(&["no tot runs it now", "tot replay", "tot resume"]);
    let mut child = home.tot(&["ask", "--resume", &session, "--json"]).spawn().unwrap();
    let begun = Instant::now();
    while UnixStream::connect(&left[0]).is_err() {
        assert!(begun.elapsed() < DEADLINE && child.try_wait().unwrap().is_none(), "no socket");
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut attached = Attached::to(&home, &session);
    assert_eq!(attached.say("status")["ok"], true);
    attached.ends(0);
    finish(child).ends(0);
    assert!(sockets(&home).is_empty());
}

#[test]
fn what_is_not_running_is_told() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    home.run(&["ask", "--scenario", &scenario("film-backtrack"), "--session", &session]).ends(0);
    home.run(&["attach", &session]).ends(1).says(&["its search has ended", "tot replay", "tot resume"]);
    home.run(&["attach", "nowhere"]).ends(1).says(&["there is no such file"]);
    let other = home.write("other.jsonl", "{}\n");
    home.run(&["attach", &other]).ends(1).says(&["no tot session"]);
}

#[test]
fn without_a_place_for_a_socket_the_search_runs_all_the_same() {
    let home = Home::new();
    // A file where the folder should be.
    home.write("state/tot/attach", "");
    let ran = home.run(&["ask", "--scenario", &scenario("film-backtrack")]).ends(0);
    ran.says(&["other terminals can't attach to this session"]);
}

#[test]
fn the_runtime_folder_is_preferred_and_must_be_the_same() {
    let home = Home::new();
    let (session, run) = (home.arg("s.jsonl"), home.path("run"));
    std::fs::create_dir(&run).unwrap();
    let slow = home.slow("film-backtrack", 60, 40);
    let mut child = home.tot(&["ask", "--scenario", &slow, "--session", &session]).env("XDG_RUNTIME_DIR", &run).spawn().unwrap();
    assert!(wait_for_lines(&mut child, Path::new(&session), 6));
    let folder = run.join("tot");
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!((std::fs::read_dir(&folder).unwrap().count(), sockets(&home).len()), (1, 0));
    home.run(&["attach", &session]).ends(1).says(&["a tot runs it", "XDG_RUNTIME_DIR"]);
    let mut command = home.tot(&["attach", &session, "--json"]);
    command.env("XDG_RUNTIME_DIR", &run);
    let mut attached = Attached::by(command);
    assert_eq!(attached.say("status")["ok"], true);
    attached.ends(0);
    finish(child).ends(0);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_budget_ends_it_as_it_ends_ask() {
    let home = Home::new();
    let (session, slow) = (home.arg("s.jsonl"), home.slow("film-backtrack", 60, 40));
    let mut child = home.tot(&["ask", "--scenario", &slow, "--session", &session, "--max-calls", "16"]).spawn().unwrap();
    assert!(wait_for_lines(&mut child, Path::new(&session), 6));
    let attached = home.run(&["attach", &session]).ends(4);
    let asked = finish(child).ends(4);
    assert_eq!(attached.out, asked.out, "what is known so far");
    attached.says(&["stands still: the budget of 16 calls", "go on with: tot ask --resume", &session]);
}

#[test]
fn a_person_at_a_terminal_types_commands_and_leaves() {
    let home = Home::new();
    let session = home.arg("s.jsonl");
    let (child, expected) = searching(&home, &session);
    let state = home.arg("state");
    for (keys, leaves) in [("pause\r", "\x04"), ("status\r", "\x03"), ("continue\r", "quit\r")] {
        let scratch = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::at_home(TOT, scratch, &["attach", &session], &[("XDG_STATE_HOME", &state)]);
        terminal.wait_for("attached to");
        terminal.press_for(keys, "after event ");
        terminal.press(leaves);
        let (status, _, raw) = terminal.end();
        assert_eq!(status, 0, "{raw}");
        assert!(raw.contains("left; the search stays as it is"), "{raw}");
    }
    same(&finish(child).ends(0), &expected);
}

#[test]
fn an_explorer_is_paused_from_outside_and_its_fork_has_a_socket_of_its_own() {
    let home = Home::new();
    let slow = home.slow("film-backtrack", 60, 40);
    let mut terminal =
        Terminal::at_home(TOT, tempfile::tempdir().unwrap(), &["--scenario", &slow], &[("XDG_STATE_HOME", &home.arg("state"))]);
    terminal.wait_until("the search", |_| home.sessions().iter().any(|session| lines(session).len() > 12));
    let parent = home.sessions().pop().unwrap();
    let mut attached = Attached::to(&home, parent.to_str().unwrap());
    assert_eq!(attached.say("pause")["ok"], true);
    attached.rests();
    terminal.wait_for("paused");
    assert_eq!(attached.say("step")["ok"], true);
    attached.rests();
    terminal.press_for("{{", "looking back");
    terminal.press_for("f", "Fork after event");
    terminal.press_for("\r", "replies come from the parent's recording");
    let entries = attached.ends(4);
    assert_eq!(entries, lines(&parent)[1..]);
    let fork = home.sessions().into_iter().find(|session| *session != parent).unwrap();
    home.run(&["attach", parent.to_str().unwrap()]).ends(1).says(&["no tot runs it now"]);
    let mut attached = Attached::to(&home, fork.to_str().unwrap());
    assert_eq!(attached.say("status")["state"], "paused");
    assert_eq!(sockets(&home).len(), 1);
    assert_eq!(terminal.quit().0, 0);
    attached.ends(4);
    assert!(sockets(&home).is_empty());
}
