//! `tot sessions list`: the sessions folder as a tree of forks.

use super::super::Status;
use super::{folder, size};
use crate::search::OutcomeKind;
use crate::session::{Listed, ReadErrorKind, family, last_event, list, moment};
use crate::text::{cut, one_line, printable_json};
use serde_json::{Value as Json, json};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Columns that a question, or a reason, takes at most.
const LONGEST: usize = 100;

/// Prints the list.
///
/// # Errors
/// A folder that can't be read, or a closed output.
pub fn run(json: bool) -> anyhow::Result<Status> {
    let folder = folder()?;
    let all = read(&folder)?;
    let mut out = std::io::stdout().lock();
    if json {
        let rows: Vec<Json> = family(&all).into_iter().map(|row| object(&all[row.at], row.depth)).collect();
        writeln!(out, "{}", printable_json(&Json::Array(rows).to_string()))?;
        return Ok(Status::Ok);
    }
    if all.is_empty() {
        let _ = writeln!(std::io::stderr(), "no sessions in {}", one_line(&folder.display().to_string()));
    }
    for row in family(&all) {
        writeln!(out, "{}", line(&all[row.at], row.depth, row.orphan))?;
    }
    Ok(Status::Ok)
}

/// What is in the folder; one that is not there yet holds nothing.
///
/// # Errors
/// A folder that can't be read.
pub(super) fn read(folder: &Path) -> anyhow::Result<Vec<Listed>> {
    match list(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        other => other.map_err(|e| anyhow::anyhow!("{}: {e}", folder.display())),
    }
}

/// Words for what is out of the ordinary.
fn marks(listed: &Listed) -> Vec<&'static str> {
    let mut marks = Vec::new();
    if listed.running {
        marks.push("running");
    }
    match &listed.what {
        Ok(about) if about.torn && !listed.running => marks.push("torn"),
        Ok(_) => {}
        Err((ReadErrorKind::Newer, _)) => marks.push("newer version"),
        Err((ReadErrorKind::Damaged, _)) => marks.push("damaged"),
        Err((ReadErrorKind::NoSession, _)) => marks.push("no session"),
        Err(_) => marks.push("unreadable"),
    }
    marks
}

fn line(listed: &Listed, depth: usize, orphan: bool) -> String {
    let mut marks: Vec<String> = marks(listed).into_iter().map(str::to_owned).collect();
    let told = match &listed.what {
        Ok(about) => {
            if let Some((parent, entries)) = &about.parent {
                // It may stand in any other place: sessions are recorded wherever --session says.
                let elsewhere = if orphan { ", which is not in this folder" } else { "" };
                marks.push(format!("fork of {} after event {}{elsewhere}", one_line(parent), last_event(*entries)));
            }
            let end = if listed.running && about.outcome.is_none() { "goes on".to_owned() } else { about.end() };
            format!("{}  {}  {}", cut(&end, LONGEST), one_line(&about.model), cut(&one_line(&about.question), LONGEST))
        }
        Err((_, why)) => one_line(why.strip_prefix(&format!("{}: ", listed.path.display())).unwrap_or(why)),
    };
    let marks = if marks.is_empty() { String::new() } else { format!("  [{}]", marks.join("; ")) };
    let indent = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth.min(20) - 1)) };
    format!("{indent}{}  {}  {}  {told}{marks}", one_line(&listed.name), moment(listed.when), size(listed.bytes))
}

fn object(listed: &Listed, depth: usize) -> Json {
    let about = listed.what.as_ref().ok();
    json!({
        "name": listed.name,
        "path": listed.path.display().to_string(),
        "written": listed.when,
        "bytes": listed.bytes,
        "depth": depth,
        "parent": about.and_then(|a| a.parent.as_ref()).map(|(session, entries)| json!({"session": session, "entries": entries})),
        "question": about.map(|a| &a.question),
        "model": about.map(|a| &a.model),
        "outcome": about.and_then(|a| a.outcome).map(OutcomeKind::name),
        "answer": about.and_then(|a| a.answer.as_ref()),
        "halted": about.and_then(|a| a.halted.as_ref()),
        "expansions": about.and_then(|a| a.expanded),
        "marks": marks(listed),
        "unreadable": listed.what.as_ref().err().map(|(_, why)| why),
    })
}
