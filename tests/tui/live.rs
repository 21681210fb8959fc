//! The real program in a pseudo terminal: searches, people's acts, time, forks, sizes, and what hostile graphs send.

use super::terminal::{PATIENCE, TOT, Terminal, scenario};
use std::time::{Duration, Instant};

const QUESTION: &str = "Which actor played in both Inception and Interstellar?";

/// The built-in model on the demo graph, paused at the start of the search.
fn paused() -> Terminal {
    let mut terminal = Terminal::open(&[QUESTION, "--pace", "0.3"]);
    terminal.wait_for("Which actor played");
    terminal.press_for(" ", "paused");
    terminal
}

/// Steps until the root was expanded.
fn after_one_step() -> Terminal {
    let mut terminal = paused();
    while !terminal.text().contains("#1") {
        terminal.press("s");
        terminal.wait_until("the end of a step", |screen| screen.contains("paused"));
        terminal.read_for(Duration::from_millis(300));
    }
    terminal.wait_for("paused");
    terminal
}

#[test]
fn from_the_start_page_over_a_sample_to_the_answer() {
    let mut terminal = Terminal::open(&["--pace", "0"]);
    terminal.wait_for("Questions to try");
    terminal.wait_for("no neural network");
    terminal.press("\x1b[B\r");
    terminal.wait_for("✔ Michael Caine (1.00)");
    assert!(terminal.text().contains("lexical (no neural network)"), "{}", terminal.text());
    let (status, ..) = terminal.quit();
    assert_eq!(status, 0);
}

/// A server on this machine that lists one model as Ollama does.
fn ollama() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 2048];
            let read = std::io::Read::read(&mut stream, &mut request).unwrap_or(0);
            let found = String::from_utf8_lossy(&request[..read]).starts_with("GET /api/tags ");
            let (status, body) = if found { ("200 OK", r#"{"models":[{"name":"tiny:1b"}]}"#) } else { ("404 Not Found", "{}") };
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close", body.len());
            let _ = std::io::Write::write_all(&mut stream, format!("{head}\r\n\r\n{body}").as_bytes());
        }
    });
    address
}

#[test]
fn the_start_page_offers_the_models_of_the_configuration_and_of_ollama_host() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("tot")).unwrap();
    std::fs::write(home.path().join("tot/config.yaml"), "models:\n  me: human\n").unwrap();
    let host = ollama();
    let mut terminal = Terminal::at_home(TOT, home, &["--pace", "0"], &[("OLLAMA_HOST", &host)]);
    let offered = ["● lexical", "○ me", "of the configuration: human", "○ ollama:tiny:1b", "Ollama at 127.0.0.1"];
    terminal.wait_until("the models", |screen| offered.iter().all(|part| screen.contains(part)));
    // F2 goes to the models.
    terminal.press("\x1bOQ");
    let row = |screen: &str, name: &str| screen.lines().position(|line| line.contains(name)).unwrap();
    let steps = row(&terminal.text(), "○ me") - row(&terminal.text(), "● lexical");
    terminal.press(&"\x1b[B".repeat(steps));
    terminal.press_for("\r", "me answers the next question");
    terminal.wait_for("● me");
    terminal.press(&format!("{QUESTION}\r"));
    terminal.wait_for("extract · sample 1 of 1");
    let (status, ..) = {
        terminal.press("\x03");
        terminal.end()
    };
    assert_eq!(status, 0);
}

#[test]
fn a_pause_is_a_pause_and_a_step_is_a_step() {
    let mut terminal = paused();
    // Whatever was in flight arrives; then nothing new begins.
    terminal.read_for(Duration::from_millis(500));
    let before = terminal.journal().len();
    let until = Instant::now() + Duration::from_millis(1500);
    while Instant::now() < until {
        terminal.read_for(Duration::from_millis(100));
    }
    assert_eq!(terminal.journal().len(), before, "nothing new begins while paused");
    let closed = terminal.count("closed");
    terminal.press("s");
    let until = Instant::now() + PATIENCE;
    while terminal.count("closed") == closed {
        assert!(Instant::now() < until, "{}", terminal.text());
        terminal.read_for(Duration::from_millis(100));
    }
    terminal.wait_for("paused");
    terminal.read_for(Duration::from_millis(800));
    assert_eq!(terminal.count("closed"), closed + 1, "one step");
    terminal.press(" ");
    terminal.wait_for("✔ Michael Caine");
    terminal.quit();
}

/// Brings the facts of a relation in below the selected node, by hand.
fn expand(terminal: &mut Terminal, entity: &str, relation: &str) {
    terminal.press("e");
    terminal.wait_until("the flow", |screen| screen.contains("expand the graph") || screen.contains("which entities?"));
    if terminal.text().contains("expand the graph") {
        terminal.press_for("jjj\r", "which entities?");
    }
    terminal.press(&format!("/{entity}\r "));
    terminal.wait_for("[x]");
    terminal.press_for("\r", "which relation?");
    terminal.wait_until("the relations", |screen| screen.contains("cast member") || screen.contains("director"));
    terminal.press(&format!("/{relation}\r\r"));
    terminal.wait_for("new fact");
    terminal.press("\r");
    terminal.wait_until("the node made by hand", |screen| {
        !screen.contains("Expand by hand") && screen.lines().any(|line| line.contains('✎') && line.contains(relation))
    });
}

#[test]
fn expanding_by_hand_while_paused_running_and_on_a_pruned_node() {
    let mut terminal = after_one_step();
    // The root, expanded already, while paused.
    terminal.press("1g");
    expand(&mut terminal, "Inception", "director");
    terminal.wait_for("❚❚ paused");
    // A pruned node: its branch stays pruned, the new one is open.
    terminal.press_for("gjx", "✂");
    expand(&mut terminal, "Interstellar", "composer");
    terminal.wait_for("❚❚ paused");
    terminal.wait_for("✂");
    // While it runs.
    terminal.press("----");
    terminal.press_for(" ", "running");
    terminal.press("1g");
    expand(&mut terminal, "Interstellar", "director");
    assert_eq!(terminal.count("acted"), 4);
    terminal.quit();
}

#[test]
fn escape_leaves_no_trace_in_the_journal() {
    let mut terminal = after_one_step();
    let before = terminal.journal();
    terminal.press_for("1ge", "expand the graph");
    terminal.press_for("jjj\r", "which entities?");
    terminal.press_for(" \r", "director");
    terminal.press_for("/director\r\r", "new fact");
    // Escapes that arrive together are one key: press until the popup is gone.
    let until = Instant::now() + PATIENCE;
    while terminal.text().contains("Expand by hand") {
        assert!(Instant::now() < until, "{}", terminal.text());
        terminal.press("\x1b");
        while terminal.read_for(Duration::from_millis(300)) {}
    }
    assert_eq!(terminal.journal(), before);
    terminal.quit();
}

#[test]
fn override_undo_time_and_fork() {
    let mut terminal = Terminal::open(&[QUESTION, "--pace", "0"]);
    terminal.wait_for("✔ Michael Caine (1.00)");
    // A thought instead of the answer: the answer is pruned, one undo away.
    terminal.press_for("1Go", "Instead of node");
    terminal.press("/thought\r\r");
    terminal.wait_for("Hint: a thought by hand");
    terminal.press("look at the cast again\r");
    terminal.wait_until("the thought", |screen| screen.lines().any(|line| line.contains('✎') && line.contains("look at the cast")));
    terminal.wait_for("✂");
    terminal.press("u");
    terminal.wait_until("undo", |screen| screen.contains('↶') && !screen.contains('✂'));
    let events = terminal.journal().len();
    terminal.press_for("{{", "looking back");
    assert_eq!(terminal.journal().len(), events, "looking is no event");
    terminal.press_for("f", "Fork after event");
    terminal.press_for("\r", "replies come from the parent's recording");
    terminal.wait_for("paused");
    terminal.press(" ");
    terminal.wait_for("✔ Michael Caine (1.00)");
    // Which replies were the parent's stands in the timeline.
    terminal.press_for("6z", "from the parent's recording · ask");
    terminal.quit();
}

#[test]
fn a_person_is_the_model() {
    let mut terminal = Terminal::open(&[QUESTION, "--llm", "human"]);
    let shown = ["waiting for you", " extract · sample 1 of 1", "you are the model: your reply"];
    terminal.wait_until("the first prompt", |screen| shown.iter().all(|part| screen.contains(part)));
    terminal.press("Inception - film\r");
    terminal.wait_until("the match", |screen| screen.contains(" match · sample 1 of 1") && screen.contains("1."));
    terminal.press("1\r");
    terminal.wait_for("default · node 0 · sample 1 of 3");
    terminal.press("THINK: hm, the casts\t");
    terminal.wait_until("the score", |screen| {
        screen.contains("evaluate state · node 1 · sample 1 of 1") && screen.contains("- THINK: \"hm, the casts")
    });
    terminal.press_for("\x1b", "Enter opens the prompt");
    terminal.press_for("\r", "you are the model");
    terminal.press("0.4\r");
    terminal.wait_for("default · node 1 · sample 1 of 3");
    terminal.press_for("\x1b", "0.40");
    terminal.press_for("\r", "you are the model");
    terminal.press("\x03");
    let (status, ..) = terminal.end();
    assert_eq!(status, 0, "ctrl-c ends it from a popup too");
}

/// Each prompt opens at what differs from the last one, and all of it can be read.
#[test]
fn a_person_reads_the_task_on_small_screens() {
    for (cols, rows) in [(80, 24), (40, 10)] {
        let mut terminal = Terminal::of_size((cols, rows), TOT, tempfile::tempdir().unwrap(), &[QUESTION, "--llm", "human"], &[]);
        terminal.wait_for("# TASK: extract");
        terminal.press("Inception - film\r");
        terminal.wait_for("# TASK: match");
        terminal.press("1\r");
        terminal.wait_until("the step, the node, the task and the keys", |screen| {
            let all = ["default · node 0 · sample 1 of 3", "# TASK: default", "Enter sends", "PgUp", "Esc hides"];
            all.iter().all(|part| screen.contains(part))
        });
        // What is below, then all that is above.
        let mut seen = vec![terminal.text()];
        let scrolls = ["\x1b[6~"; 8].into_iter().chain(["\x1b[5~"; 40]);
        for key in scrolls {
            terminal.press(key);
            while terminal.read_for(Duration::from_millis(60)) {}
            seen.push(terminal.text());
        }
        for part in ["expand. ", "# TASK: default", "QUESTION: ", "You answer questions"] {
            assert!(seen.iter().any(|screen| screen.contains(part)), "{part} at {cols}x{rows}:\n{}", seen.join("\n-----\n"));
        }
        drop(terminal);
    }
}

/// Processor time of the program so far, in hundredths of a second (`USER_HZ`), where the system tells.
fn used(terminal: &Terminal) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", terminal.child.process_id()?)).ok()?;
    // After the name in brackets: state, ten fields, then utime and stime.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

/// Less than a hundredth of a core while nothing moves, whatever is shown. Load on the machine does not count: it is the time
/// that the program itself used.
#[test]
fn an_idle_explorer_uses_next_to_nothing() {
    let film = scenario();
    let places: [(&[&str], &str, &str); 4] = [
        (&["--scenario", &film, "--pace", "0"], "✔ Michael Caine (1.00)", ""),
        (&["--scenario", &film, "--pace", "0"], "✔ Michael Caine (1.00)", "B"),
        (&[QUESTION, "--pace", "0", "--break", "expansion 2"], "● breakpoint", "3"),
        (&[QUESTION, "--llm", "human"], "extract · sample 1 of 1", ""),
    ];
    let mut idle: Vec<(Terminal, &str)> = Vec::new();
    for (args, known, keys) in places {
        let mut terminal = Terminal::open(args);
        terminal.wait_for(known);
        terminal.press(keys);
        while terminal.read_for(Duration::from_millis(800)) {}
        idle.push((terminal, known));
    }
    // All of them at once.
    let time = Duration::from_secs(5);
    let Some(before) = idle.iter().map(|(terminal, _)| used(terminal)).collect::<Option<Vec<u64>>>() else { return };
    std::thread::sleep(time);
    for ((terminal, known), before) in idle.into_iter().zip(before) {
        let hundredths = used(&terminal).unwrap() - before;
        println!("{known}: {hundredths} hundredths of a second in {time:?}");
        assert!(hundredths * 10 < time.as_millis() as u64 / 100, "{known}: {hundredths} hundredths of a second in {time:?}");
        drop(terminal);
    }
}

#[test]
fn every_size_is_survived() {
    let mut terminal = Terminal::open(&["--scenario", &scenario(), "--pace", "0"]);
    terminal.wait_for("✔ Michael Caine (1.00)");
    for popup in ["", ":", "?"] {
        terminal.press(popup);
        for cols in 0..=12 {
            for rows in 0..=12 {
                terminal.resize(cols, rows);
                terminal.read_for(Duration::from_millis(5));
            }
        }
        for (cols, rows) in [(200, 50), (1, 1), (20, 5), (80, 24)] {
            terminal.resize(cols, rows);
            terminal.read_for(Duration::from_millis(200));
        }
        terminal.press("\x1b");
        // Until it is quiet: Escape and the next key in one breath would be Alt with that key.
        while terminal.read_for(Duration::from_millis(300)) {}
        terminal.wait_for("Search tree");
    }
    let (status, ..) = terminal.quit();
    assert_eq!(status, 0);
}

#[test]
fn a_window_that_begins_with_one_cell_shows_everything_once_it_has_grown() {
    let film = scenario();
    let args = ["--scenario", &film, "--pace", "0"];
    let mut terminal = Terminal::of_size((1, 1), TOT, tempfile::tempdir().unwrap(), &args, &[]);
    terminal.read_for(Duration::from_secs(1));
    terminal.resize(120, 40);
    terminal.wait_for("✔ Michael Caine (1.00)");
    for part in ["Search tree", "Local graph", "Inspector", "Budget"] {
        assert!(terminal.text().contains(part), "{part}: {}", terminal.text());
    }
    assert_eq!(terminal.quit().0, 0);
}

/// Tabs, line ends and letters of two columns: after any scrolling the terminal shows what it shows when all is drawn again.
#[test]
fn nothing_of_an_earlier_frame_stays_on_the_terminal() {
    let mut file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(scenario()).unwrap()).unwrap();
    for (n, entity) in file["kg"]["entities"].as_object_mut().unwrap().values_mut().enumerate() {
        let label = entity["label"].as_str().unwrap_or_default().to_owned();
        entity["description"] = "name\tvalue\r\nnext".into();
        // Films are found by their labels.
        if n > 2 {
            entity["label"] = format!("{label}\t再生\r\n{}", "가나다".repeat(n)).into();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let mut terminal = Terminal::open(&["--scenario", path.to_str().unwrap(), "--pace", "0"]);
    terminal.wait_for("✔");
    let mut odd = 0;
    for keys in ["2", "j", "jjj", ".", "\x1b[6~", "k", ".", "l", "3", "\x1b[6~", ".", "\x1b[6~", ".", ".", "1", "g", "G", "z", "jj", "z"] {
        terminal.press(keys);
        while terminal.read_for(Duration::from_millis(350)) {}
        let kept = terminal.text();
        terminal.press("\x0c");
        while terminal.read_for(Duration::from_millis(350)) {}
        assert_eq!(kept, terminal.text(), "after {keys:?}");
        odd += usize::from(kept.contains("再生"));
    }
    assert!(odd > 5, "the odd letters were on {odd} screens");
    terminal.quit();
}

/// Text can be selected with the mouse unless the person gives it to the explorer; a key copies without it.
#[test]
fn the_mouse_is_left_to_the_terminal_and_a_key_copies_the_answer() {
    use base64::Engine as _;
    let film = scenario();
    let mut terminal = Terminal::open(&["--scenario", &film, "--pace", "0"]);
    terminal.wait_for("✔ Michael Caine (1.00)");
    for mode in ["\x1b[?1000h", "\x1b[?1002h", "\x1b[?1003h"] {
        assert!(!String::from_utf8_lossy(&terminal.raw).contains(mode), "the mouse is not captured");
    }
    // The key is found by what it is about.
    terminal.press_for(":mouse", "mouse on or off");
    terminal.press("\x1b");
    terminal.wait_until("the palette is gone", |screen| !screen.contains("mouse on or off"));
    terminal.press_for("1Gy", "letters to the clipboard");
    let raw = String::from_utf8_lossy(&terminal.raw).into_owned();
    let sent = raw.rsplit("\x1b]52;c;").next().unwrap().split('\x07').next().unwrap();
    let copied = String::from_utf8(base64::engine::general_purpose::STANDARD.decode(sent).unwrap()).unwrap();
    assert!(copied.contains("answer: Michael Caine") && !copied.contains('\x1b'), "{copied}");
    let beside = terminal.sessions()[0].replace(".jsonl", ".copy.txt");
    assert_eq!(std::fs::read_to_string(&beside).unwrap(), copied);
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&beside).unwrap().permissions()) & 0o777, 0o600);
    terminal.press_for("m", "the mouse is the explorer's; hold shift to select text");
    assert!(String::from_utf8_lossy(&terminal.raw).contains("\x1b[?1003h"));
    terminal.press_for("m", "the mouse is the terminal's");
    terminal.quit();
}

#[test]
fn control_characters_of_graph_and_model_never_reach_the_terminal() {
    let evil = "\u{1b}]52;c;Zm9v\u{7}\u{1b}[31;7;5mEVIL\u{9b}2J\u{202e}";
    let mut file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(scenario()).unwrap()).unwrap();
    let entities = file["kg"]["entities"].as_object_mut().unwrap();
    for entity in entities.values_mut() {
        let label = format!("{}{evil}", entity["label"].as_str().unwrap_or_default());
        entity["description"] = evil.into();
        if label.starts_with("Leo") || label.starts_with("Tom") {
            entity["label"] = label.into();
        }
    }
    for rule in file["llm"]["rules"].as_array_mut().unwrap() {
        if rule["kind"] == "entities" || rule["kind"] == "action" {
            rule["replies"].as_array_mut().unwrap().push(format!("nonsense {evil}").into());
        }
    }
    file["query"] = format!("{QUESTION}{evil}").into();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evil.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let mut terminal = Terminal::open(&["--scenario", path.to_str().unwrap(), "--pace", "0"]);
    terminal.wait_for("Which actor played");
    for keys in ["2", ".", ".", "3", ".", ".", ".", ".", ".", ".", "6", "(", "]", "]", ")", "1", "g"] {
        terminal.press(keys);
        terminal.read_for(Duration::from_millis(150));
    }
    terminal.wait_for("EVIL");
    let (_, _, raw) = terminal.quit();
    for bad in ["\u{1b}]52", "\u{7}", "\u{1b}[31;7;5m", "\u{9b}", "\u{202e}"] {
        assert!(!raw.contains(bad), "{bad:?} came through");
    }
}

#[test]
fn no_color_means_no_colour() {
    let args = ["--scenario", &scenario(), "--pace", "0"];
    let mut terminal = Terminal::open_with(super::terminal::TOT, &args, &[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]);
    terminal.wait_for("✔ Michael Caine (1.00)");
    let screen = terminal.screen.screen();
    for row in 0..40 {
        for col in 0..120 {
            let cell = screen.cell(row, col).unwrap();
            assert_eq!((cell.fgcolor(), cell.bgcolor()), (vt100::Color::Default, vt100::Color::Default), "at {row},{col}");
        }
    }
    assert!(terminal.text().contains("1.00 █"), "values are read without colour");
    terminal.quit();
}

#[test]
fn another_model_is_asked_once_and_the_facts_of_the_answer_are_judged() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("tot")).unwrap();
    std::fs::write(home.path().join("tot/config.yaml"), "models:\n  me: human\n").unwrap();
    let mut terminal = Terminal::at_home(env!("CARGO_BIN_EXE_tot"), home, &[QUESTION, "--pace", "0"], &[]);
    terminal.wait_for("✔ Michael Caine");
    let before = terminal.count("reviewed");
    terminal.press("V");
    let until = Instant::now() + PATIENCE;
    while terminal.count("reviewed") == before {
        assert!(Instant::now() < until, "{}", terminal.text());
        terminal.read_for(Duration::from_millis(100));
    }
    terminal.wait_for("✔ Michael Caine");
    terminal.press_for("1gr", "Ask again what comes next");
    terminal.press_for("jj\r", "Which model is asked");
    terminal.press_for("/me\r", "of the configuration: human");
    terminal.press_for("\r", "me: how long");
    terminal.press_for("\r", "me for this call");
    terminal.press_for("kk\r", "sample 1 of 3");
    terminal.press_for("THINK: said by me\t", "think: said by me");
    let named = |entry: &serde_json::Value| entry["ev"]["acted"]["what"]["ask_again"]["otherwise"]["model"]["name"] == "human";
    assert_eq!(terminal.journal().iter().filter(|entry| named(entry)).count(), 1);
    let (status, ..) = terminal.quit();
    assert_eq!(status, 0);
}
