//! The imperative shell: performs tasks, applies limits, takes commands. One task owns state and journal.

pub mod bank;
mod budget;
mod command;
mod drive;
mod intercept;
mod launch;
mod learnt;
mod live;
mod message;
mod models;
mod obey;
mod publish;
pub mod task;
mod waits;

pub use command::{Command, Pace, PaceChange};
pub use drive::FOLLOWABLE;
pub use launch::{Changes, Equipment, Handle, Setup, launch};
pub use learnt::{Identity, Learnt};
pub use live::{Draft, Flight, Inquiry, Live, Proposal, RunState, Snapshot, Writing};
pub use models::{Opened, Opener, no_others};
pub use waits::{ToldWaits, Wait};
