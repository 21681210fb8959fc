//! The commands, one file each, thin.

pub mod ask;
pub mod cli;
pub mod explore;
pub mod kg;
pub mod options;
pub mod parse;
pub mod replay;
pub mod report;
pub mod setup;
pub mod show;

use std::process::ExitCode;

/// How a command ended, as its exit status says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Answered, or done.
    Ok,
    /// An error; its message was printed.
    Error,
    /// The command line can't be understood, or there is no terminal.
    Usage,
    /// No answer, or a best effort below the threshold.
    NoAnswer,
    /// Stopped before the end; resumable.
    Stopped,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Ok => 0,
            Status::Error => 1,
            Status::Usage => 2,
            Status::NoAnswer => 3,
            Status::Stopped => 4,
        })
    }
}
