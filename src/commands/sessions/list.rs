//! `tot sessions list`: the sessions folder as a tree of forks.

use super::super::Status;
use super::{folder, size};
use crate::search::OutcomeKind;
use crate::session::{Listed, ReadErrorKind, list, moment};
use crate::text::{cut, one_line, printable_json};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
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
        let rows: Vec<Json> = tree(&all).into_iter().map(|row| object(&all[row.at], row.depth)).collect();
        writeln!(out, "{}", printable_json(&Json::Array(rows).to_string()))?;
        return Ok(Status::Ok);
    }
    if all.is_empty() {
        let _ = writeln!(std::io::stderr(), "no sessions in {}", one_line(&folder.display().to_string()));
    }
    for row in tree(&all) {
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

/// The session that another was forked from, by place, where it is in the folder.
pub(super) fn parents(all: &[Listed]) -> Vec<Option<usize>> {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (i, listed) in all.iter().enumerate() {
        let Ok(about) = &listed.what else { continue };
        // Of several copies of a session the one that has its name is meant.
        if listed.name == about.session || !by_name.contains_key(about.session.as_str()) {
            by_name.insert(&about.session, i);
        }
    }
    let parent = |l: &Listed| by_name.get(l.what.as_ref().ok()?.parent.as_ref()?.0.as_str()).copied();
    all.iter().map(parent).collect()
}

struct Row {
    at: usize,
    depth: usize,
    /// It is a fork whose parent is not here.
    orphan: bool,
}

/// The rows in the order of the screen: whole families by their newest member, forks below their parents, newest first.
fn tree(all: &[Listed]) -> Vec<Row> {
    let parents = parents(all);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    for (i, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent.filter(|p| *p != i) {
            children[parent].push(i);
        }
    }
    // The list is newest first: a family comes where its newest member is. Headers that name each other in a ring (they
    // were written by hand) have no eldest: the walk upwards stops where it began.
    let mut eldest_first: Vec<usize> = Vec::new();
    let mut seen = vec![false; all.len()];
    let mut rows = Vec::new();
    for i in 0..all.len() {
        let (mut eldest, mut steps) = (i, 0);
        while let Some(parent) = parents[eldest].filter(|_| steps < all.len()) {
            (eldest, steps) = (parent, steps + 1);
        }
        eldest_first.push(eldest);
    }
    for eldest in eldest_first {
        let mut stack = vec![(eldest, 0)];
        while let Some((at, depth)) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let fork = all[at].what.as_ref().is_ok_and(|a| a.parent.is_some());
            rows.push(Row { at, depth, orphan: fork && parents[at].is_none() });
            stack.extend(children[at].iter().rev().map(|child| (*child, depth + 1)));
        }
    }
    rows
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
                let gone = if orphan { ", which is gone" } else { "" };
                marks.push(format!("fork of {} after {entries}{gone}", one_line(parent)));
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
