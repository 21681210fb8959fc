//! The explorer: a debugger, a teacher and a steering wheel for one search.

pub mod command;
pub mod terminal;
pub mod theme;
pub mod widgets;
