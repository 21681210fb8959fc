//! The program itself, driven from outside: what it prints, its exit status, and what a crash leaves behind.

mod aggregate;
mod answers;
mod attach;
mod breaks;
mod budgets;
mod cases;
mod crashes;
mod diff;
mod doctor;
mod from;
mod hostile;
mod input;
mod journal;
mod kept;
mod kg;
mod learnt;
mod models;
mod plain;
mod replay;
mod review;
mod secrets;
mod server;
mod sessions;
mod show;
mod support;
#[path = "../tui/terminal.rs"]
#[expect(dead_code, reason = "the explorer's tests use the rest")]
mod terminal;
