//! The subcommands: one file each, thin.

/// `tot parse`: how completions would be read.
pub mod parse;
