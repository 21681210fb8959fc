//! A second terminal: a running search opens a Unix socket, through which others that may read the person's files can pause,
//! step and continue it. The journal is what they follow; the socket only takes commands. `assets/attach.md` is its description
//! for people who write programs against it.
//!
//! * **Client to search**: one JSON object a line, `{"do":"pause"}`; see [`Order`] for the words.
//! * **Search to client**: one line for each of them, in their order: `{"ok":true,"state":"paused","seq":123}`, where `seq` is the
//!   number of entries in the journal when the command had been taken up, or `{"ok":false,"why":"..."}`; see [`Reply`].
//! * A line longer than [`LONGEST_LINE`] is passed over and answered with an error. No command ends the search or touches a file.
//! * The end of the connection means that no program runs this session any more (it ended, or went on in a fork).

mod door;
mod place;

pub use door::{Door, launch};

use serde::{Deserialize, Serialize};
use std::path::Path;
use tokio::net::UnixStream;

/// Bytes of the longest line that a search reads.
pub const LONGEST_LINE: usize = 64 * 1024;

/// What a client may tell a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Decide nothing new; what is on its way is taken in.
    Pause,
    /// Go on.
    Continue,
    /// Until the step that is open (or comes next) is closed.
    Step,
    /// One phase: a decision, or a round of calls built, or sent.
    Phase,
    /// Pause and drop the calls on their way.
    Abort,
    /// Take back the last act.
    Undo,
    /// Bring it back.
    Redo,
    /// Only say how things stand.
    Status,
}

impl Order {
    /// All of them, as they are written.
    pub const WORDS: [&'static str; 8] = ["pause", "continue", "step", "phase", "abort", "undo", "redo", "status"];

    /// Whether the search stands still after it by the client's wish.
    const fn holds(self) -> bool {
        matches!(self, Self::Pause | Self::Step | Self::Phase | Self::Abort)
    }
}

/// A line of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What is wanted.
    #[serde(rename = "do")]
    pub order: Order,
}

/// What a search answers to a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Whether it was done.
    pub ok: bool,
    /// `running`, `pausing` (calls are still on their way), `paused`, `stepping`, `waiting` (for a person), `finished`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Entries in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// While it stands still: what comes next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// While it stands still for a reason of its own (a breakpoint, a budget, a service): which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted: Option<String>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// When the line was not understood: the words that are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possible: Option<Vec<String>>,
}

impl Reply {
    fn refused(why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::default() }
    }

    fn not_understood(why: impl Into<String>) -> Self {
        Self { possible: Some(Order::WORDS.map(str::to_owned).to_vec()), ..Self::refused(why) }
    }
}

/// Connects to the search that writes this journal; `None` when none does.
pub async fn connect(journal: &Path) -> Option<UnixStream> {
    for socket in place::candidates(journal) {
        if let Ok(stream) = UnixStream::connect(&socket).await {
            return Some(stream);
        }
    }
    None
}
