//! The commands, one file each, thin.

pub mod ask;
pub mod attach;
pub mod cli;
pub mod diff;
mod doctor;
pub mod explore;
mod export;
mod follow;
pub mod from;
pub mod kg;
pub mod models;
pub mod options;
pub mod parse;
mod prompts;
pub mod replay;
pub mod report;
pub mod review;
pub mod sessions;
pub mod setup;
pub mod show;
mod spent;

use std::fmt::Display;
use std::process::ExitCode;
use thiserror::Error;

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

/// The command line names something that there is not: exit status 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct UsageError(String);

impl UsageError {
    /// From a message that says what to do.
    pub fn of(message: impl Display) -> Self {
        Self(message.to_string())
    }
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
