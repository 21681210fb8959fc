//! Session files in every bad state: a sentence that says what to do, and never a byte lost that was whole.

use super::support::{Home, finish, lasting, lines, scenario, wait_for_lines};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A finished session of a scenario: its path and text.
fn session(home: &Home) -> (String, String) {
    let path = home.arg("s.jsonl");
    home.run(&["ask", "--scenario", &scenario("film-backtrack"), "--quiet", "--session", &path]).ends(0);
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

fn cut_at(text: &str, lines: usize) -> String {
    text.split_inclusive('\n').take(lines).collect()
}

#[test]
fn a_torn_last_line_costs_that_line_only() {
    let home = Home::new();
    let (path, text) = session(&home);
    let whole = lasting(home.run(&["show", &path, "--json"]).ends(0).json());
    let head = cut_at(&text, 60);
    let tails: [&[u8]; 4] =
        [b"{\"seq\":59,\"at\":1,\"by\":\"wor", b"{\"seq\":59,\"at\":1,\"why\":\"caf\xc3", b"{\"seq\":59,\"at\":1,\n", b"\0\0\0\0\0\0\n"];
    for (i, tail) in tails.iter().enumerate() {
        let bytes = [head.as_bytes(), tail].concat();
        let torn = home.write(&format!("torn-{i}.jsonl"), &bytes);
        home.run(&["show", &torn]).ends(0).says(&["line 61 is not finished", "nothing else is lost"]);
        assert_eq!(std::fs::read(&torn).unwrap(), bytes, "looking at it changes nothing");
        let ran = home.run(&["ask", "--resume", &torn, "--json"]).ends(0).says(&["line 61 is not finished"]);
        assert_eq!(lasting(ran.json()), whole);
        let after = std::fs::read(&torn).unwrap();
        assert!(after.starts_with(head.as_bytes()), "what was whole is still there");
        assert_eq!(std::fs::read(format!("{torn}.torn")).unwrap(), *tail);
        assert_eq!(std::fs::metadata(format!("{torn}.torn")).unwrap().permissions().mode() & 0o777, 0o600);
        home.run(&["replay", "--check", &torn]).ends(0);
    }
}

#[test]
fn what_is_no_session_is_refused_with_a_sentence_and_stays_as_it_is() {
    let home = Home::new();
    let (_, text) = session(&home);
    let header = cut_at(&text, 1);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    let nested = format!("{{\"seq\":59,\"at\":1,\"by\":\"you\",\"ev\":{deep}}}\n");
    let files: [(&str, Vec<u8>, &str); 11] = [
        ("empty", vec![], "empty"),
        ("line feed", b"\n".to_vec(), "empty"),
        ("picture", png.to_vec(), "no tot session"),
        ("header", header.clone().into_bytes(), "empty"),
        ("half a header", header.as_bytes()[..20].to_vec(), "no tot session"),
        ("other JSON", b"{\"a\": 1}\n{\"b\": 2}\n".to_vec(), "no tot session"),
        ("newer", b"{\"format\":\"tot-session\",\"version\":99,\"future\":true}\n{\"x\":1}\n".to_vec(), "version 99"),
        ("damaged", text.replacen("{\"seq\":30,", "{\"seq\":30;", 1).into_bytes(), "line 32 is damaged"),
        ("a line short", text.split_inclusive('\n').filter(|l| !l.contains("\"seq\":30,")).collect::<String>().into_bytes(), "line 32"),
        ("deep", (cut_at(&text, 60) + &deep + "\n").into_bytes(), "line 61 is damaged"),
        ("deep inside", (cut_at(&text, 60) + &nested).into_bytes(), "line 61 is damaged"),
    ];
    for (name, bytes, says) in files {
        let file = home.write(&format!("{name}.jsonl"), &bytes);
        for args in [&["show", &file][..], &["show", "--json", &file], &["replay", "--check", &file], &["ask", "--resume", &file]] {
            let ran = home.run(args).ends(1).says(&[says, &file]).clean();
            assert_eq!(ran.out, "", "{name}");
        }
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{name}");
    }
    let newer = home.arg("newer.jsonl");
    home.run(&["ask", "--resume", &newer]).ends(1).says(&["version 99", "version 1", "newer tot"]);
    std::fs::create_dir(home.path("folder")).unwrap();
    for args in [&["show", "folder"][..], &["ask", "--resume", "folder"]] {
        home.run(args).ends(1).says(&["it is a folder"]);
    }
    home.run(&["show", "nowhere"]).ends(1).says(&["there is no such file"]);
    home.run(&["show", "/dev/zero"]).ends(1).says(&["/dev/zero", "it is no file"]);
}

#[test]
fn unknown_fields_and_an_older_version_are_no_trouble() {
    let home = Home::new();
    let (_, text) = session(&home);
    let text = text.replacen("\"version\":1", "\"version\":0,\"colour\":\"blue\"", 1).replace("{\"seq\":", "{\"mood\":[1,{}],\"seq\":");
    let file = home.write("more.jsonl", text);
    home.run(&["show", &file]).ends(0);
    home.run(&["replay", "--check", &file]).ends(0);
}

#[test]
fn a_session_has_one_writer() {
    let home = Home::new();
    let (scenario, path) = (home.slow("film-backtrack", 80, 40), home.arg("s.jsonl"));
    let mut first = home.tot(&["ask", "--scenario", &scenario, "--session", &path]).spawn().unwrap();
    assert!(wait_for_lines(&mut first, Path::new(&path), 10));
    home.run(&["ask", "--resume", &path]).ends(1).says(&["open in another tot", "close that one first"]);
    home.run(&["ask", "--scenario", &scenario, "--session", &path]).ends(1).says(&[&path, "new file"]);
    home.run(&["show", &path]).ends(0);
    finish(first).ends(0);
    home.run(&["replay", "--check", &path]).ends(0);
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let home = Home::new();
    let mine = home.write("mine.txt", "my own text");
    home.run(&["ask", "x", "--session", &mine]).ends(1).says(&["mine.txt", "new file"]);
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "my own text");
    home.run(&["ask", "x", "--session", "/dev/full"]).ends(1).says(&["/dev/full", "new file"]);
}

#[test]
fn only_the_owner_may_read_a_session_whatever_the_umask() {
    let home = Home::new();
    home.shell("umask 000; exec \"$TOT\" ask 'Who directed Inception?' --quiet").ends(0);
    home.shell("umask 000; exec \"$TOT\" ask 'Who directed Inception?' --quiet --session new/folder/s.jsonl").ends(0);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in ["state", "state/tot", "state/tot/sessions", "new", "new/folder"] {
        assert_eq!(mode(&home.path(folder)), 0o700, "{folder}");
    }
    assert_eq!(mode(&home.sessions()[0]), 0o600);
    assert_eq!(mode(&home.path("new/folder/s.jsonl")), 0o600);
}

#[test]
fn a_state_folder_that_can_not_be_written_is_a_warning() {
    let home = Home::new();
    home.write("state", "a file where the folder should be");
    let ran = home.run(&["ask", "Who directed Inception?"]).ends(0).says(&["not recorded", "--session"]);
    assert!(ran.out.starts_with("Christopher Nolan"), "{ran:#?}");
}

/// A limit on the size of files stands for a full disk: a write is cut short, the next one fails.
fn full(home: &Home, blocks: u32, rest: &str) -> super::support::Ran {
    home.shell(&format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$TOT\" ask {rest}"))
}

#[test]
fn a_full_disk_loses_nothing_and_leaves_nothing_half() {
    let home = Home::new();
    let (whole, _) = session(&home);
    let whole = lasting(home.run(&["show", &whole, "--json"]).ends(0).json());
    let new = format!("--scenario {} --session", scenario("film-backtrack"));
    full(&home, 4, &format!("{new} none.jsonl")).ends(1).says(&["can't be recorded", "make room"]);
    assert!(!home.path("none.jsonl").exists());
    let ran = full(&home, 40, &format!("{new} part.jsonl")).ends(1);
    let ran = ran.says(&["part.jsonl", "can't be written", "make room", "tot ask --resume"]);
    assert_eq!(ran.out, "");
    let bytes = std::fs::read(home.path("part.jsonl")).unwrap();
    assert!(bytes.ends_with(b"\n") && lines(home.path("part.jsonl")).len() > 10, "whole lines only");
    let before = bytes.clone();
    full(&home, 4, "--resume part.jsonl").ends(1).says(&["can't be written", "tot ask --resume"]);
    assert_eq!(std::fs::read(home.path("part.jsonl")).unwrap(), before, "the old file is intact");
    assert_eq!(lasting(home.run(&["ask", "--resume", "part.jsonl", "--json"]).ends(0).json()), whole);
    home.run(&["replay", "--check", "part.jsonl"]).ends(0);
}
