//! The terminal is always given back: on return, on signals, when stopped, when it panics.

use super::terminal::{PATIENCE, TOT, Terminal, scenario};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tree_of_traversals::tui::terminal::Screen;

fn assert_given_back(screen: &vt100::Parser, raw: &str) {
    let screen = screen.screen();
    assert!(raw.contains("\x1b[?1049h"), "it had the alternate screen");
    assert!(!screen.alternate_screen(), "the alternate screen is left");
    assert!(!screen.hide_cursor(), "the cursor is back");
    assert!(!screen.bracketed_paste(), "bracketed paste is off");
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is the terminal's");
}

#[test]
fn quitting_gives_the_terminal_back() {
    let mut terminal = Terminal::open(&["--scenario", &scenario(), "--pace", "0"]);
    terminal.wait_for("✔ Michael Caine (1.00)");
    terminal.press_for("m", "the mouse is the explorer's");
    let (status, screen, raw) = terminal.quit();
    assert_eq!(status, 0);
    assert_given_back(&screen, &raw);
    assert!(raw.contains("\x1b[?2026h") && raw.contains("\x1b[?2026l"), "frames are synchronized updates");
}

#[test]
fn signals_give_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let mut terminal = Terminal::open(&["--scenario", &scenario(), "--pace", "0"]);
        terminal.wait_for("Michael Caine");
        let id = terminal.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        let (_, screen, raw) = terminal.end();
        assert_given_back(&screen, &raw);
    }
}

#[test]
fn suspending_gives_it_back_and_continuing_takes_it_again() {
    let mut terminal = Terminal::open(&["--scenario", &scenario(), "--pace", "0"]);
    terminal.wait_for("Michael Caine");
    terminal.press("\x1a");
    let id = terminal.child.process_id().unwrap().to_string();
    let until = Instant::now() + PATIENCE;
    let stopped = || {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
    };
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    while !stopped() {
        assert!(Instant::now() < until, "it did not stop");
        std::thread::sleep(Duration::from_millis(50));
    }
    while terminal.read_for(Duration::from_millis(300)) {}
    assert_given_back(&terminal.screen, &String::from_utf8_lossy(&terminal.raw));
    assert!(Command::new("kill").args(["-CONT", &id]).status().unwrap().success());
    terminal.wait_for("✔ Michael Caine (1.00)");
    assert!(terminal.screen.screen().alternate_screen());
    let (status, screen, raw) = terminal.quit();
    assert_eq!(status, 0);
    assert_given_back(&screen, &raw);
}

#[test]
fn without_a_terminal_it_says_what_to_do_with_status_2() {
    let run = Command::new(TOT).args(["--scenario", &scenario()]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.contains("terminal") && said.contains("tot ask"), "{said}");
    assert!(run.stdout.is_empty());
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    let this = std::env::current_exe().unwrap();
    let args = ["--exact", "given_back::a_screen_that_panics", "--ignored", "--nocapture"];
    let terminal = Terminal::open_with(this.to_str().unwrap(), &args, &[]);
    let (status, screen, raw) = terminal.end();
    assert_ne!(status, 0);
    assert_given_back(&screen, &raw);
    let (left, told) = (raw.find("\x1b[?1049l").unwrap(), raw.find("on purpose").unwrap());
    assert!(left < told, "first the screen is left, then the panic is told: {raw:?}");
}

#[test]
#[ignore = "started in a pseudo terminal by the test above; it panics"]
fn a_screen_that_panics() {
    let mut screen = Screen::open().unwrap();
    screen.set_mouse(true).unwrap();
    screen.draw(|_| panic!("on purpose")).unwrap();
}
