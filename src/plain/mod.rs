//! `--plain`: the explorer as a linear text dialogue, for screen readers and terminals that can't place text.
//!
//! One statement a line, words instead of signs, no cursor movement, no colour, no escape sequence, nothing drawn twice.
//! The [`dialogue::Dialogue`] is pure: lines and snapshots in, lines and effects out. It puts words around the explorer's
//! own [`crate::tui::app::App`]: commands come from the one table, and flows are those of its popups, which say each step
//! in words ([`crate::tui::Question`]). The shell ([`run`]) has the standard streams, the host and the signals.
//!
//! Output comes in whole lines. On a terminal that edits the line itself, news that arrive while a line is typed stand
//! below it, and what was typed so far still counts.

pub mod dialogue;
mod looks;
mod names;

mod shell;
mod start;
mod telling;
mod words;

pub use shell::run;
