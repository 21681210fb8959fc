//! The real program in a pseudo terminal, for tests.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub const TOT: &str = env!("CARGO_BIN_EXE_tot");
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn scenario() -> String {
    format!("{}/tests/data/scenarios/film-backtrack.json", env!("CARGO_MANIFEST_DIR"))
}

pub struct Terminal {
    pub child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    pub screen: vt100::Parser,
    /// Everything that was written.
    pub raw: Vec<u8>,
    /// Whether the window is too small for the emulator of these tests, which then looks away.
    blind: bool,
    /// The terminal's settings before the program began.
    pub before: String,
    master: Box<dyn MasterPty + Send>,
    home: tempfile::TempDir,
}

impl Terminal {
    /// `tot` with these arguments on 120x40, in a home of its own.
    pub fn open(args: &[&str]) -> Self {
        Self::open_with(TOT, args, &[])
    }

    /// A program with these arguments and this environment.
    pub fn open_with(program: &str, args: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::at_home(program, tempfile::tempdir().unwrap(), args, environment)
    }

    /// The same, in a home that was lived in before.
    pub fn at_home(program: &str, home: tempfile::TempDir, args: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::of_size((120, 40), program, home, args, environment)
    }

    /// The same, in a window of so many columns and rows. Below 20x5 the emulator looks away until it is resized.
    pub fn of_size((cols, rows): (u16, u16), program: &str, home: tempfile::TempDir, args: &[&str], environment: &[(&str, &str)]) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env(name, home.path());
        }
        for (name, value) in environment {
            command.env(name, value);
        }
        let before = settings(&*pair.master);
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
        Self {
            child,
            keys,
            output,
            screen: vt100::Parser::new(40, 120, 0),
            raw: vec![],
            blind: is_tiny(cols, rows),
            before,
            master: pair.master,
            home,
        }
    }

    /// The terminal's settings now (termios): echo, whole lines, signals of keys, ...
    pub fn settings(&self) -> String {
        settings(&*self.master)
    }

    /// Takes in what was written, for at most `time` without anything.
    pub fn read_for(&mut self, time: Duration) -> bool {
        match self.output.recv_timeout(time) {
            Ok(piece) => {
                if !self.blind {
                    self.screen.process(&piece);
                }
                self.raw.extend(piece);
                true
            }
            Err(_) => false,
        }
    }

    /// What the screen shows.
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until this is so.
    pub fn wait_until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so(&self.text()) {
            assert!(Instant::now() < until, "{what} did not come:\n{}", self.text());
            self.read_for(Duration::from_millis(100));
        }
    }

    /// Waits until the screen shows this.
    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    /// Types.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Types, and waits until the screen shows this.
    pub fn press_for(&mut self, keys: &str, text: &str) {
        self.press(keys);
        self.wait_for(text);
    }

    /// Makes the window another size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let blind = std::mem::replace(&mut self.blind, is_tiny(cols, rows));
        if self.blind {
            return;
        }
        if blind {
            self.screen = vt100::Parser::new(rows, cols, 0);
            self.press("\x0c");
        } else {
            self.screen.screen_mut().set_size(rows, cols);
        }
    }

    /// The events of the session that was written last, one JSON object a line.
    pub fn journal(&self) -> Vec<serde_json::Value> {
        let folder = self.home.path().join("tot/sessions");
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
        files.sort();
        let text = std::fs::read_to_string(files.last().unwrap()).unwrap();
        text.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// How many events of this kind the journal has.
    pub fn count(&self, kind: &str) -> usize {
        self.journal().iter().filter(|entry| entry["ev"].get(kind).is_some()).count()
    }

    /// The session files, the one written last first.
    pub fn sessions(&self) -> Vec<String> {
        let folder = self.home.path().join("tot/sessions");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path().display().to_string());
        let mut files: Vec<_> = files.filter(|path| path.ends_with(".jsonl")).collect();
        files.sort();
        files.reverse();
        files
    }

    /// What `tot` prints with these arguments, in the same home.
    pub fn tot(&self, args: &[&str]) -> String {
        let mut command = std::process::Command::new(TOT);
        command.args(args).env_clear();
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env(name, self.home.path());
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    /// Waits for the end; returns the home and the exit status.
    pub fn leave(mut self) -> (tempfile::TempDir, u32) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (self.home, status.exit_code());
            }
            assert!(Instant::now() < until, "it does not end:\n{}", self.text());
            self.read_for(Duration::from_millis(50));
        }
    }

    /// Ends the program and returns its status, the screen and everything that was written.
    pub fn quit(mut self) -> (u32, vt100::Parser, String) {
        self.press("q");
        self.end()
    }

    /// Waits for the end, and that the terminal's settings are those of before; returns the exit status.
    pub fn end(mut self) -> (u32, vt100::Parser, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.exit_code();
            }
            assert!(Instant::now() < until, "it does not end:\n{}", self.text());
            self.read_for(Duration::from_millis(50));
        };
        while self.read_for(Duration::from_millis(500)) {}
        assert_eq!(self.settings(), self.before, "the terminal's settings are those of before");
        let raw = String::from_utf8_lossy(&self.raw).into_owned();
        (status, self.screen, raw)
    }
}

/// Whether a window is too small for the emulator.
const fn is_tiny(cols: u16, rows: u16) -> bool {
    cols < 20 || rows < 5
}

fn settings(terminal: &dyn MasterPty) -> String {
    format!("{:?}", terminal.get_termios().expect("a pseudo terminal has settings"))
}
