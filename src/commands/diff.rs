//! `tot diff`: two sessions side by side, without model or KG.

use super::setup::session_path;
use super::{Status, report, spent};
use crate::search::{Comparison, NodeId, OutcomeKind, State, Value, compare};
use crate::session::{Recording, read};
use crate::text::{clean, one_line, printable_json};
use clap::Args;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;

/// `tot diff`
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// A session file, or its name in the sessions folder
    pub a: String,
    /// Another
    pub b: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// One of the two sessions.
struct Side {
    name: String,
    recording: Recording,
}

impl Side {
    fn open(session: &str) -> anyhow::Result<Self> {
        let path = session_path(session);
        let recording = read(&path)?;
        anyhow::ensure!(recording.state.started.is_some(), "{}: the session is empty", path.display());
        Ok(Self { name: path.display().to_string(), recording })
    }

    const fn state(&self) -> &State {
        &self.recording.state
    }
}

/// Compares two sessions.
///
/// # Errors
/// A file that is no session, or a closed output.
pub fn run(args: &DiffArgs) -> anyhow::Result<Status> {
    let sides = [Side::open(&args.a)?, Side::open(&args.b)?];
    for note in sides.iter().filter_map(|side| side.recording.note()) {
        let _ = writeln!(std::io::stderr(), "{}", clean(&note));
    }
    let [a, b] = &sides;
    let found = compare((&a.recording.entries, a.state()), (&b.recording.entries, b.state()));
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", printable_json(&object(&sides, &found).to_string()))?;
    } else {
        write!(out, "{}", clean(&text(&sides, &found)))?;
    }
    Ok(Status::Ok)
}

fn object(sides: &[Side; 2], found: &Comparison) -> Json {
    let each = |of: &dyn Fn(&Side) -> Json| json!([of(&sides[0]), of(&sides[1])]);
    let number = |id: Option<NodeId>| id.map_or(Json::Null, |id| json!(id.0));
    let value =
        |side: usize, id: Option<NodeId>| id.and_then(|id| sides[side].state().value(id).known()).map_or(Json::Null, |v| json!(v.as_f64()));
    let tree: Vec<Json> = found
        .rows
        .iter()
        .map(|row| {
            let [x, y] = row.nodes;
            json!({"depth": row.depth, "token": row.token, "nodes": [number(x), number(y)], "values": [value(0, x), value(1, y)]})
        })
        .collect();
    let setup: serde_json::Map<String, Json> = found.setup.iter().map(|(what, sides)| ((*what).to_owned(), json!(sides))).collect();
    let first = found
        .first
        .as_ref()
        .map_or(Json::Null, |first| json!({"at": first.at, "node": number(first.node), "kind": first.kind.name(), "what": first.what}));
    let facts = evidence(sides);
    json!({
        "sessions": each(&|s| json!(s.name)),
        "setup": setup,
        "same_decisions": found.same,
        "decisions": found.decisions,
        "first_difference": first,
        "tree": tree,
        "answer": each(&|s| json!(s.state().summary().answer_text)),
        "outcome": each(&|s| json!(s.state().summary().outcome.map(OutcomeKind::name))),
        "evidence": {"both": facts[0], "only_a": facts[1], "only_b": facts[2]},
        "spent": each(&|s| spent(s.state())),
    })
}

/// What a session took: expansions, calls, tokens, money.
fn spent(state: &State) -> Json {
    let counters = state.counters();
    json!({"expansions": counters.expansions, "by_hand": counters.by_hand, "llm": spent::json(state), "kg_calls": counters.kg_calls})
}

/// The facts that the answers rest on: those of both, of the first only, of the second only.
fn evidence(sides: &[Side; 2]) -> [Vec<String>; 3] {
    let of = |side: &Side| -> BTreeSet<String> {
        let summary = side.state().summary();
        let graph = summary.answer.map(|id| side.state().graph(id)).unwrap_or_default();
        summary.evidence.iter().map(|edge| report::fact(&graph, edge)).collect()
    };
    let (a, b) = (of(&sides[0]), of(&sides[1]));
    [a.intersection(&b).cloned().collect(), a.difference(&b).cloned().collect(), b.difference(&a).cloned().collect()]
}

fn text(sides: &[Side; 2], found: &Comparison) -> String {
    let mut out = String::new();
    for (letter, side) in ["A", "B"].iter().zip(sides) {
        let _ = writeln!(out, "{letter}  {}  {}", one_line(&side.name), one_line(&side.state().started().question));
    }
    for (what, [x, y]) in &found.setup {
        let _ = writeln!(out, "   other {what}: A {x}; B {y}");
    }
    let [of_a, of_b] = found.decisions;
    match &found.first {
        None => {
            let _ = writeln!(out, "\nthe same in all {of_a} decisions");
        }
        Some(first) => {
            let at = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
            let _ = writeln!(out, "\nthe same for {} decisions (of {of_a} in A, {of_b} in B)", found.same);
            let [x, y] = first.at;
            let _ = writeln!(out, "first difference ({}, entry {} of A, {} of B)\n  {}", first.kind.name(), at(x), at(y), first.what);
        }
    }
    out.push_str("\ntree (= in both, with both values where they differ)\n");
    for row in &found.rows {
        let sign = match row.nodes {
            [Some(_), Some(_)] => '=',
            [Some(_), None] => 'A',
            _ => 'B',
        };
        let values: Vec<String> = (0..2).filter_map(|side| row.nodes[side].map(|id| value(sides[side].state(), id))).collect();
        let values =
            if values.windows(2).all(|pair| pair[0] == pair[1]) { values.first().cloned().unwrap_or_default() } else { values.join(" / ") };
        let _ = writeln!(out, "{sign} {}{}  {values}", "  ".repeat(row.depth as usize), one_line(&row.token));
    }
    out.push('\n');
    for (letter, side) in ["A", "B"].iter().zip(sides) {
        let summary = side.state().summary();
        let outcome = summary.outcome.map_or("not finished", OutcomeKind::name);
        let answer = summary.answer_text.as_deref().map_or_else(|| "no answer".to_owned(), one_line);
        let worth = summary.answer.map_or_else(String::new, |id| format!(", value {}", value(side.state(), id)));
        let _ = writeln!(out, "{letter}  {answer}  ({outcome}{worth})");
    }
    let [both, only_a, only_b] = evidence(sides);
    for (sign, facts) in [('=', both), ('A', only_a), ('B', only_b)] {
        for fact in facts {
            let _ = writeln!(out, "  {sign} rests on {fact}");
        }
    }
    out.push('\n');
    for (letter, side) in ["A", "B"].iter().zip(sides) {
        let _ = writeln!(out, "{letter}  {} expansions; {}", side.state().counters().expansions, spent::paragraph(side.state()));
    }
    out
}

fn value(state: &State, id: NodeId) -> String {
    match state.value(id) {
        Value::Pending => "pending".to_owned(),
        Value::Unknown => "unknown".to_owned(),
        Value::Scored(v) => v.to_string(),
        Value::ByHand(v) => format!("{v} by hand"),
    }
}
