//! What the explorer needs from the program around it: connections to runners, and what the start page shows.

use crate::runner::{Command, Snapshot};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// A session that is shown: snapshots come in, commands go out.
#[derive(Debug)]
pub struct Connection {
    /// The newest snapshot, at most 60 a second.
    pub snapshots: watch::Receiver<Arc<Snapshot>>,
    /// To the runner.
    pub commands: mpsc::UnboundedSender<Command>,
}

/// How a session of the disk is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenHow {
    /// Only looked at: no model, no KG.
    Replay,
    /// Live; it starts paused.
    Resume,
}

/// A question to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleQuestion {
    /// The question.
    pub question: String,
    /// Its kind: `intersection`, `comparison`, ...
    pub kind: String,
    /// Relations to follow, at least.
    pub hops: u32,
}

/// A session of the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its file.
    pub path: PathBuf,
    /// Its question.
    pub question: String,
    /// Of a fork: why it was made; may be empty.
    pub because: String,
    /// Sessions above it in its family: 0 for one that is no fork.
    pub depth: usize,
    /// When it was last written, for people.
    pub when: String,
    /// How it ended or where it stands, for people.
    pub outcome: String,
    /// A remark: model, strategy, parent of a fork.
    pub note: String,
}

/// Whether a KG or model can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// It answers.
    Ready,
    /// It is being asked.
    Checking,
    /// A key is missing or wrong.
    NoKey,
    /// There is no connection.
    Unreachable,
    /// Something else is wrong.
    Broken,
}

/// A status light of the start page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Which KG or model.
    pub what: String,
    /// The light.
    pub light: Light,
    /// What is there, or what to do.
    pub line: String,
}

/// A model that can be chosen for the next question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The model, in the form of `--llm`.
    pub spec: String,
    /// Where it is, and why it is offered.
    pub about: String,
    /// Whether it is the one that the next question is asked of.
    pub chosen: bool,
    /// Whether it is named in the configuration; `spec` is its name there.
    pub configured: bool,
    /// Whether the model's name is a proposal, to be looked at before it is taken.
    pub proposed: bool,
}

/// A model that a session can go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The model, in the form of `--llm`, or its name in the configuration.
    pub spec: String,
    /// Its server, where it is not the usual one (no keys).
    pub url: Option<String>,
    /// What it is, or why it is offered.
    pub about: String,
}

/// What came of saving a template of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptSaved {
    /// It is there.
    Written {
        /// The file.
        path: PathBuf,
        /// Whether sessions from now on use it by themselves: the configuration names its folder.
        by_itself: bool,
    },
    /// The file is there already with another text: nothing was changed.
    Exists(PathBuf),
}

/// The program around the explorer.
pub trait Host: Send {
    /// Starts a session with this question.
    ///
    /// # Errors
    /// A sentence with the remedy.
    fn start(&self, question: &str) -> Result<Connection, String>;

    /// Opens a session of the disk.
    ///
    /// # Errors
    /// A sentence with the remedy.
    fn open(&self, path: &Path, how: OpenHow) -> Result<Connection, String>;

    /// Questions to try.
    fn samples(&self) -> Vec<SampleQuestion>;

    /// Recent sessions, forks below their parents, the family with the newest member first.
    fn sessions(&self) -> Vec<SessionInfo>;

    /// The recordings that come with the program.
    fn recorded(&self) -> Vec<SessionInfo>;

    /// The lights of KGs and model. Cheap: asked about once a second.
    fn status(&self) -> Vec<Status>;

    /// Models that were found, with the one in use; empty while there is nothing to choose. Cheap: asked about once a second.
    fn models(&self) -> Vec<Offer>;

    /// Takes an offer of [`Host::models`] for the next question, under this spec; a sentence that says so.
    ///
    /// # Errors
    /// A sentence with the remedy.
    fn choose(&self, offer: &Offer, spec: &str) -> Result<String, String>;

    /// Models that a session can go on with: configured, found, built in. Cheap: asked about once a second.
    fn others(&self) -> Vec<Other>;

    /// Saves a template of a prompt for later sessions; a file that is there is replaced only with `replace`.
    ///
    /// # Errors
    /// A sentence with the remedy.
    fn save_prompt(&self, name: &str, text: &str, replace: bool) -> Result<PromptSaved, String>;

    /// The model in use and what it is: `lexical: built in, no neural network`.
    fn model_line(&self) -> String;
}

/// What is shown first.
#[derive(Debug)]
pub enum First {
    /// The start page.
    StartPage,
    /// A session.
    Session(Connection),
}

/// How the explorer is shown.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The theme: a built-in name or a file.
    pub theme: Option<String>,
    /// Whether mouse events are captured from the start.
    pub mouse: bool,
    /// Warnings to show once, found before the screen was there.
    pub theme_warnings: Vec<String>,
    /// Changed keys: command name to keys.
    pub keys: indexmap::IndexMap<String, Vec<String>>,
}
