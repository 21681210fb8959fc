//! The imperative shell: performs tasks, applies limits, takes commands. One task owns state and journal.

mod command;
mod live;

pub use command::{Command, Pace, PaceChange};
pub use live::{Flight, Inquiry, Live, RunState, Snapshot};
