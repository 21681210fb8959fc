//! `tot sessions show`: one session as a file, what is in it, and how it ended. The tree is for `tot show`.

use super::super::setup::session_path;
use super::super::{Status, spent};
use super::{folder, list, size};
use crate::search::{Event, State, spent_words};
use crate::session::{Descent, Recording, Supply, is_packed, is_running, moment, read};
use crate::text::{clean, one_line, printable_json};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

/// Prints what is known of a session.
///
/// # Errors
/// A file that is no session, or a closed output.
pub fn run(session: &str, as_json: bool) -> anyhow::Result<Status> {
    let path = session_path(session);
    // Asked first: what is written meanwhile is no torn line.
    let running = is_running(&path);
    let recording = read(&path)?;
    anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
    let seen = Seen {
        bytes: std::fs::metadata(&path).map_or(0, |m| m.len()),
        forks: forks(&recording.header.session),
        packed: is_packed(&path),
        path: &path,
        running,
        recording: &recording,
    };
    let mut out = std::io::stdout().lock();
    if as_json {
        writeln!(out, "{}", printable_json(&seen.object().to_string()))?;
    } else {
        write!(out, "{}", clean(&seen.text()))?;
    }
    Ok(Status::Ok)
}

/// The sessions of the folder that were forked from this one. A folder that can't be read has none.
fn forks(session: &str) -> Vec<String> {
    let all = folder().and_then(|folder| list::read(&folder)).unwrap_or_default();
    let of =
        |l: &crate::session::Listed| l.what.as_ref().is_ok_and(|about| about.parent.as_ref().is_some_and(|(parent, _)| parent == session));
    all.into_iter().filter(of).map(|l| l.name).collect()
}

struct Seen<'a> {
    path: &'a Path,
    bytes: u64,
    running: bool,
    packed: bool,
    forks: Vec<String>,
    recording: &'a Recording,
}

/// The name that the journal has for a variant.
fn name(of: &impl Serialize) -> String {
    match serde_json::to_value(of) {
        Ok(Json::String(name)) => name,
        Ok(Json::Object(fields)) => fields.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

/// How often each name occurs, most frequent first.
fn tally(names: impl Iterator<Item = String>) -> Map<String, Json> {
    let mut counts: Vec<(String, u64)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, n)) => *n += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.into_iter().map(|(name, n)| (name, json!(n))).collect()
}

/// `extract 1, sample 12`
fn words(tally: &Map<String, Json>) -> String {
    let each: Vec<String> = tally.iter().map(|(name, n)| format!("{} {n}", name.replace('_', " "))).collect();
    if each.is_empty() { "none".to_owned() } else { each.join(", ") }
}

/// The name of an event without writing it out: a KG's reply may be large.
fn event_name(event: &Event) -> String {
    let debug = match event {
        Event::Started(_) => "started",
        Event::Replied { .. } => "replied",
        Event::Part { .. } => "part",
        Event::Grew { .. } => "grew",
        other => return name(other),
    };
    debug.to_owned()
}

impl Seen<'_> {
    const fn state(&self) -> &State {
        &self.recording.state
    }

    fn events(&self) -> Map<String, Json> {
        tally(self.recording.entries.iter().map(|entry| event_name(&entry.ev)))
    }

    fn asks(&self) -> Map<String, Json> {
        tally(self.state().asks.iter().map(|ask| name(&ask.key.purpose)))
    }

    fn acts(&self) -> Map<String, Json> {
        tally(self.state().acts.iter().map(|act| name(&act.what)))
    }

    fn undone(&self) -> usize {
        self.state().acts.iter().filter(|act| !act.active).count()
    }

    /// What is to be said of the file.
    fn file_state(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        if self.running {
            all.push("running");
        }
        if self.recording.torn.is_some() && !self.running {
            all.push("torn");
        }
        if self.packed {
            all.push("packed");
        }
        if all.is_empty() {
            all.push("whole");
        }
        all
    }

    fn span(&self) -> (u64, u64) {
        let at = |entry: Option<&std::sync::Arc<crate::search::Entry>>| entry.map_or(0, |e| e.at);
        (at(self.recording.entries.first()), at(self.recording.entries.last()))
    }

    fn object(&self) -> Json {
        let (state, header, started) = (self.state(), &self.recording.header, self.state().started());
        let end = state.finished.as_deref().map(|(end, _)| end);
        let (began, last) = self.span();
        json!({
            "session": header.session, "version": header.version, "path": self.path.display().to_string(), "bytes": self.bytes,
            "state": self.file_state(), "torn_line": self.recording.torn.as_ref().map(|torn| torn.line),
            "parent": header.parent.as_ref().map(|(session, entries)| json!({"session": session, "entries": entries})),
            "forks": self.forks,
            "question": started.question, "model": started.model, "model_now": state.model(state.model_now()).name,
            "kgs": started.kgs.iter().map(|(name, spec)| json!({"name": name, "spec": spec})).collect::<Vec<_>>(),
            "strategy": started.strategy,
            "began_ms": began, "last_ms": last,
            "entries": self.recording.entries.len(), "events": self.events(),
            "nodes": state.nodes.len(), "expansions": state.expansions(),
            "asks": self.asks(), "samples": state.counters().llm.samples, "acts": self.acts(), "undone": self.undone(),
            "spent": spent::json(state),
            "outcome": end.map(|end| end.outcome.name()), "stop": end.map(|end| end.stop.name()), "why": end.map(|end| &end.why),
            "answer": self.answer(), "halted": state.halted.as_ref().map(|halt| &halt.why),
        })
    }

    fn answer(&self) -> Option<String> {
        let node = self.state().node(self.state().finished.as_deref()?.0.answer?)?;
        if let crate::asm::Action::Answer { text, .. } = &node.action { Some(text.clone()) } else { None }
    }

    fn text(&self) -> String {
        let (state, header, started) = (self.state(), &self.recording.header, self.state().started());
        let mut out = String::new();
        let mut row = |what: &str, text: &str| {
            let _ = writeln!(out, "{what:<10} {}", one_line(text));
        };
        row("session", &header.session);
        row("file", &format!("{} ({}, version {})", self.path.display(), size(self.bytes), header.version));
        let mut told = Vec::new();
        for word in self.file_state() {
            told.push(match word {
                "running" => "another tot writes it now".to_owned(),
                "torn" => self.recording.note().unwrap_or_default(),
                "packed" => "packed".to_owned(),
                _ => "whole".to_owned(),
            });
        }
        row("state", &told.join("; "));
        let descent = Descent::of(header, &self.recording.entries);
        if let Some(words) = descent.words(Supply::Over) {
            match words.strip_prefix("fork of ") {
                Some(fork) => row("fork of", &format!("{fork} (everything before that is copied: it stands by itself)")),
                None => row("replies", &words),
            }
        }
        if !self.forks.is_empty() {
            row("forks", &self.forks.join(", "));
        }
        row("question", &started.question);
        row("model", &state.model_words(str::to_owned));
        let kgs: Vec<String> =
            started.kgs.iter().map(|(name, spec)| if **name == **spec { spec.clone() } else { format!("{name} ({spec})") }).collect();
        row("graphs", &kgs.join(", "));
        row("method", &started.strategy);
        let (began, last) = self.span();
        row("written", &format!("{} to {} UTC", moment(began / 1000), moment(last / 1000)));
        row("entries", &format!("{}: {}", self.recording.entries.len(), words(&self.events())));
        row("tree", &format!("{} nodes, {} expansions", state.nodes.len(), state.expansions()));
        row("asks", &format!("{}: {}", state.asks.len(), words(&self.asks())));
        row("samples", &state.counters().llm.samples.to_string());
        let undone = if self.undone() > 0 { format!(" ({} of them undone)", self.undone()) } else { String::new() };
        row("acts", &format!("{}{undone}", words(&self.acts())));
        let spent = spent_words(state);
        row("spent", spent.strip_prefix("spent: ").unwrap_or(&spent));
        let end = match (state.finished.as_deref(), state.halted.as_deref()) {
            (_, Some(halt)) => format!("it stands still: {}", halt.why),
            (Some((end, _)), None) => {
                let answer = self.answer().map_or(String::new(), |answer| format!(": {}", one_line(&answer)));
                format!("{}{answer} ({}; {})", end.outcome.name().replace('_', " "), end.stop.name(), end.why)
            }
            (None, None) if self.running => "it goes on".to_owned(),
            (None, None) => "it was left before its end: go on with `tot resume` or `tot ask --resume`".to_owned(),
        };
        row("end", &end);
        out
    }
}
