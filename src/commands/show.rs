//! `tot show`: a session as text or JSON, without model or KG.

use super::setup::session_path;
use super::{Status, report, spent};
use crate::session::read;
use crate::text::{clean, one_line, printable_json};
use clap::Args;
use std::io::Write;

/// `tot show`
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// A session file, or its name in the sessions folder
    pub session: String,
    /// Print one JSON object, as `tot ask --json` does
    #[arg(long)]
    pub json: bool,
}

/// Prints a session.
///
/// # Errors
/// A file that is no session, or a closed output.
pub fn run(args: &ShowArgs) -> anyhow::Result<Status> {
    let path = session_path(&args.session);
    let recording = read(&path)?;
    if let Some(note) = recording.note() {
        let _ = writeln!(std::io::stderr(), "{note}");
    }
    anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
    let state = &recording.state;
    let elapsed = match (recording.entries.first(), recording.entries.last()) {
        (Some(first), Some(last)) => last.at.saturating_sub(first.at),
        _ => 0,
    };
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", printable_json(&report::json(state, &path.display().to_string(), elapsed).to_string()))?;
        return Ok(Status::Ok);
    }
    writeln!(out, "{}", clean(&report::tree(state)))?;
    match (state.finished.as_deref(), state.halted.as_deref()) {
        (Some((end, _)), None) => writeln!(out, "{}{}", clean(&report::answer(state)), one_line(&end.why))?,
        (_, Some(halt)) => writeln!(
            out,
            "{}the search stands still here: {}; go on with `tot resume` or `tot ask --resume`",
            clean(&report::answer(state)),
            one_line(&halt.why)
        )?,
        (None, None) => writeln!(out, "the search was left here: go on with `tot resume` or `tot ask --resume`")?,
    }
    writeln!(out, "\n{}", clean(&spent::paragraph(state)))?;
    Ok(Status::Ok)
}
