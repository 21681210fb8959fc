//! `tot sessions`: what is in the sessions folder, one session looked at as a file, old ones deleted, one packed for somebody.

mod list;
mod pack;
mod prune;
mod secrets;
mod show;

use super::Status;
use crate::session::sessions_folder;
use anyhow::Context;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `tot sessions`
#[derive(Args, Debug)]
pub struct SessionsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// All sessions, newest first, forks below what they were forked from
    List {
        /// One JSON array
        #[arg(long)]
        json: bool,
    },
    /// One session as a file: parent, forks, entries, asks, acts, tokens, state, end (the tree: tot show)
    Show {
        /// A session file, or its name in the sessions folder
        session: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Delete sessions that fit everything that is given; never one that is running
    Prune(prune::PruneArgs),
    /// One file to hand to somebody, checked for keys and passwords
    Pack(pack::PackArgs),
}

/// Runs `tot sessions`.
///
/// # Errors
/// One readable sentence.
pub fn run(args: &SessionsArgs) -> anyhow::Result<Status> {
    match &args.command {
        Command::List { json } => list::run(*json),
        Command::Show { session, json } => show::run(session, *json),
        Command::Prune(args) => prune::run(args),
        Command::Pack(args) => pack::run(args),
    }
}

fn folder() -> anyhow::Result<PathBuf> {
    sessions_folder().context("there is no home folder: set HOME, or XDG_STATE_HOME")
}

/// A size for people, in powers of 1000.
fn size(bytes: u64) -> String {
    let places = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", places(1_000_000)),
        _ => format!("{} GB", places(1_000_000_000)),
    }
}

/// `1 session`, `2 sessions`.
fn counted(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}
