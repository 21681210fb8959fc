//! `tot`: see the library's `commands`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tree_of_traversals::commands::cli::main().into()
}
