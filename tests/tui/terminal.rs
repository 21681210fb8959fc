//! The real program in a pseudo terminal: it is always given back.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const TOT: &str = env!("CARGO_BIN_EXE_tot");
const PATIENCE: Duration = Duration::from_secs(60);

fn scenario() -> String {
    format!("{}/tests/data/scenarios/film-backtrack.json", env!("CARGO_MANIFEST_DIR"))
}

struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that was written.
    raw: Vec<u8>,
    _master: Box<dyn MasterPty + Send>,
    _home: tempfile::TempDir,
}

impl Terminal {
    fn open(args: &[&str]) -> Self {
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let home = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(TOT);
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env(name, home.path());
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (tell, output) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut piece) {
                if tell.send(piece[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, keys, output, screen: vt100::Parser::new(40, 120, 0), raw: vec![], _master: pair.master, _home: home }
    }

    /// Waits until the screen shows this.
    fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.screen.screen().contents().contains(text) {
            assert!(Instant::now() < until, "{text} did not come:\n{}", self.screen.screen().contents());
            if let Ok(piece) = self.output.recv_timeout(Duration::from_millis(200)) {
                self.screen.process(&piece);
                self.raw.extend(piece);
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end and returns the exit status.
    fn end(mut self) -> (u32, vt100::Parser, String) {
        let status = self.child.wait().unwrap().exit_code();
        while let Ok(piece) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.screen.process(&piece);
            self.raw.extend(piece);
        }
        (status, self.screen, String::from_utf8_lossy(&self.raw).into_owned())
    }
}

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
    terminal.press("m");
    terminal.wait_for("the mouse is the explorer's");
    terminal.press("q");
    let (status, screen, raw) = terminal.end();
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
    while let Ok(piece) = terminal.output.recv_timeout(Duration::from_millis(300)) {
        terminal.screen.process(&piece);
        terminal.raw.extend(piece);
    }
    assert_given_back(&terminal.screen, &String::from_utf8_lossy(&terminal.raw));
    assert!(Command::new("kill").args(["-CONT", &id]).status().unwrap().success());
    terminal.wait_for("✔ Michael Caine (1.00)");
    assert!(terminal.screen.screen().alternate_screen());
    terminal.press("q");
    let (status, screen, raw) = terminal.end();
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
