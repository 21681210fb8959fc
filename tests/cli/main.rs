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
mod replay;
mod secrets;
mod server;
mod show;
mod support;
#[allow(dead_code)]
#[path = "../tui/terminal.rs"]
mod terminal;
