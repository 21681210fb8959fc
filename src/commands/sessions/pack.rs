//! `tot sessions pack`: one file to hand to somebody.

use super::super::setup::session_path;
use super::super::{Status, UsageError};
use super::{secrets, size};
use crate::config::Config;
use crate::kg::KgSpec;
use crate::llm::read_key;
use crate::search::Started;
use crate::session::{Finding, Known, Leaks, PackError, file_name, pack, read};
use crate::text::{clean, one_line};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// `tot sessions pack`
#[derive(Args, Debug)]
pub struct PackArgs {
    /// A session file, or its name in the sessions folder
    session: String,
    /// The file; by default NAME.tot.gz in the current folder
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write it with the secrets that are found replaced by ***
    #[arg(long)]
    redact: bool,
    /// Look for the key in this file, too (repeatable)
    #[arg(long, value_name = "PATH")]
    key_file: Vec<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// Findings that are listed at most.
const LISTED: usize = 20;

/// Packs a session.
///
/// # Errors
/// A file that is no session, secrets in it, a disk that refuses.
pub fn run(args: &PackArgs) -> anyhow::Result<Status> {
    let path = session_path(&args.session);
    let recording = read(&path)?;
    let Some(started) = recording.state.started.clone() else { anyhow::bail!("{}: the session is empty", path.display()) };
    let to = args.output.clone().unwrap_or_else(|| file_name(&recording.header.session).into());
    let others: Vec<String> = recording.state.acts.iter().filter_map(|act| act.what.model()).map(|model| model.spec.clone()).collect();
    drop(recording);
    let (mut known, blind) = secrets::known(&Config::load()?);
    for file in &args.key_file {
        let key = read_key(file).map_err(UsageError::of)?;
        known.push(Known { what: format!("the key in {}", one_line(&file.display().to_string())), secret: key });
    }
    let mut err = std::io::stderr().lock();
    for line in blind {
        let _ = writeln!(err, "{}", clean(&line));
    }
    let packed = match pack(&path, &to, &Leaks::new(known), args.redact, args.force) {
        Err(PackError::Secrets(findings)) => {
            let said = PackError::Secrets(findings.clone());
            let _ = writeln!(err, "tot: {}: {said}; nothing was written", one_line(&path.display().to_string()));
            tell(&mut err, &findings);
            let _ = writeln!(err, "--redact writes it with these replaced by ***; a key that stood in a file should be changed");
            return Ok(Status::Error);
        }
        Err(e @ PackError::Exists(_)) => anyhow::bail!("{e}: --force replaces it, -o FILE names another one"),
        other => other?,
    };
    if let Some(line) = packed.torn {
        let _ = writeln!(err, "line {line} is not whole: it was left out");
    }
    if !packed.redacted.is_empty() {
        let _ = writeln!(err, "replaced by ***; tot replay --check can find other prompts than were sent:");
        tell(&mut err, &packed.redacted);
    }
    for line in needs(&started, &others) {
        let _ = writeln!(err, "{}", clean(&line));
    }
    let shown = one_line(&to.display().to_string());
    let mut out = std::io::stdout().lock();
    writeln!(out, "{shown}: {}, {} packed to {}", format_args!("{} entries", packed.entries), size(packed.bytes), size(packed.packed))?;
    Ok(Status::Ok)
}

fn tell(err: &mut impl Write, findings: &[Finding]) {
    for finding in findings.iter().take(LISTED) {
        let place = finding.entry.map_or_else(|| "the header".to_owned(), |entry| format!("entry {entry}"));
        let _ = writeln!(err, "  {place}: {}", clean(&finding.what));
    }
    if findings.len() > LISTED {
        let _ = writeln!(err, "  and {} more", findings.len() - LISTED);
    }
}

/// What whoever gets it needs beside it, to go on with it. Looking at it needs nothing.
fn needs(started: &Started, others: &[String]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut other = Vec::new();
    let specs = started.kgs.iter().map(|(_, spec)| spec).chain([&started.model_spec]).chain(others);
    for spec in specs {
        if let Some(path) = spec.strip_prefix("scenario:").or_else(|| spec.strip_prefix("script:")) {
            files.push(path.to_owned());
        } else if let Some(command) = spec.strip_prefix("exec:") {
            other.push(format!("the program `{}`", one_line(command)));
        } else if let Ok(KgSpec::Files(paths)) = spec.parse::<KgSpec>() {
            files.extend(paths.iter().map(|path: &PathBuf| Path::new(path).display().to_string()));
        }
    }
    files.dedup();
    other.extend(files.iter().map(|file| format!("the file {}", one_line(file))));
    other.dedup();
    if other.is_empty() {
        return Vec::new();
    }
    vec![format!("anybody can look at it; to go on with it one needs {} (the journal names them so)", other.join(", "))]
}
