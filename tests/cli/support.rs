//! A home folder of its own for every test, the program in it, and what it printed.

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tree_of_traversals::text::is_unsafe;

/// The program.
pub const TOT: &str = env!("CARGO_BIN_EXE_tot");
/// Longer than anything takes on a loaded machine; only a hang is caught.
pub const DEADLINE: Duration = Duration::from_secs(180);

/// A home folder that goes with the test.
pub struct Home(TempDir);

/// What a run left.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// stdout.
    pub out: String,
    /// stderr.
    pub err: String,
}

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// As an argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// A file in it; its path as an argument.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        self.arg(name)
    }

    /// `program` with this home and nothing else of the environment.
    pub fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path("")).env("XDG_STATE_HOME", self.path("state")).env("XDG_CONFIG_HOME", self.path("config"));
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command.current_dir(self.path("")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn tot(&self, args: &[&str]) -> Command {
        self.command(TOT, args)
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        finish(self.tot(args).spawn().unwrap())
    }

    /// Runs a line of the shell in which `tot` is `"$TOT"`.
    pub fn shell(&self, line: &str) -> Ran {
        finish(self.command("sh", &["-c", line]).env("TOT", TOT).spawn().unwrap())
    }

    /// The sessions of the state folder.
    pub fn sessions(&self) -> Vec<PathBuf> {
        let Ok(folder) = std::fs::read_dir(self.path("state/tot/sessions")) else { return Vec::new() };
        folder.map(|f| f.unwrap().path()).collect()
    }

    /// A scenario of the test data whose calls take milliseconds.
    pub fn slow(&self, scenario_name: &str, llm: u64, kg: u64) -> String {
        let mut value: Value = serde_json::from_str(&std::fs::read_to_string(scenario(scenario_name)).unwrap()).unwrap();
        value["latency_ms"] = serde_json::json!({"llm": llm, "kg": kg});
        self.write(&format!("slow-{scenario_name}.json"), value.to_string())
    }
}

impl Ran {
    #[track_caller]
    pub fn ends(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:#?}");
        assert!(!self.err.contains("panicked"), "{self:#?}");
        self
    }

    /// Whether stderr says all of `words`.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "stderr does not say {word:?}: {self:#?}");
        }
        self
    }

    /// stdout as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.out.trim_end().lines().count(), 1, "{self:#?}");
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }

    /// No character that could move a terminal on either output.
    #[track_caller]
    pub fn clean(self) -> Self {
        for text in [&self.out, &self.err] {
            assert!(!text.contains(|c| c != '\n' && is_unsafe(c)), "{self:#?}");
        }
        self
    }
}

/// Waits for the end.
#[track_caller]
pub fn finish(mut child: Child) -> Ran {
    let drain = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                pipe.read_to_end(&mut bytes).unwrap();
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = drain(child.stdout.take().map(|p| Box::new(p) as Box<dyn Read + Send>));
    let err = drain(child.stderr.take().map(|p| Box::new(p) as Box<dyn Read + Send>));
    let status = wait(&mut child);
    Ran { status: status.code(), out: out.join().unwrap(), err: err.join().unwrap() }
}

fn wait(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > DEADLINE {
            child.kill().unwrap();
            panic!("the program hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the file at `path` has `lines` lines; false if `child` ended before.
pub fn wait_for_lines(child: &mut Child, path: &Path, lines: usize) -> bool {
    let begun = Instant::now();
    loop {
        let have = std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
        if have >= lines {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        assert!(begun.elapsed() < DEADLINE, "the session does not grow");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal by name.
pub fn send(signal: &str, child: &Child) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
    assert!(sent.success());
}

/// A scenario of the test data.
pub fn scenario(name: &str) -> String {
    data(&format!("scenarios/{name}.json"))
}

/// A file of the test data.
pub fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The whole lines of a session as JSON, the header first.
pub fn lines(path: impl AsRef<Path>) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap();
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    bytes[..whole].split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(|l| serde_json::from_slice(l).unwrap()).collect()
}

/// The events of this kind in a session.
pub fn events(path: impl AsRef<Path>, kind: &str) -> Vec<Value> {
    lines(path).iter().filter_map(|line| line["ev"].get(kind).cloned()).collect()
}

/// The object of `ask --json` without what differs from run to run.
pub fn lasting(mut object: Value) -> Value {
    object["elapsed_ms"] = Value::Null;
    object["session"] = Value::Null;
    object["llm"]["perhaps_paid_twice"] = Value::Null;
    object
}
