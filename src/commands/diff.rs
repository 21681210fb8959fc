//! `tot diff`: two sessions side by side, without model or KG.

use super::setup::session_path;
use super::{Status, spent};
use crate::search::{Comparison, NodeId, OutcomeKind, Saved, Side as Compared, State, compare, value_words};
use crate::session::{Recording, read};
use crate::text::{clean, one_line, printable_json};
use clap::Args;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::Write;

/// `tot diff`
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// A session file, or its name in the sessions folder
    pub a: String,
    /// Another
    pub b: String,
    /// The right answer, several with ` | ` between: B is better if only B has it (a fork may carry its own)
    #[arg(long, value_name = "ANSWER")]
    pub expected: Option<String>,
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

    fn compared<'a>(&'a self, expected: Option<&'a str>) -> Compared<'a> {
        let header = &self.recording.header;
        Compared {
            entries: &self.recording.entries,
            state: &self.recording.state,
            copied: header.parent.as_ref().map_or(0, |(_, copied)| *copied),
            expected: expected.unwrap_or(&header.fork.expected),
        }
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
    let [a, b] = sides.each_ref().map(|side| side.compared(args.expected.as_deref()));
    let found = compare(a, b);
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
            json!({"depth": row.depth, "token": row.token, "label": row.label, "nodes": [number(x), number(y)], "values": [value(0, x), value(1, y)]})
        })
        .collect();
    let setup: serde_json::Map<String, Json> = found.setup.iter().map(|(what, sides)| ((*what).to_owned(), json!(sides))).collect();
    let first = found
        .first
        .as_ref()
        .map_or(Json::Null, |first| json!({"at": first.at, "node": number(first.node), "kind": first.kind.name(), "what": first.what}));
    let facts = &found.facts;
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
        "saved": found.saved.iter().map(saved).collect::<Vec<_>>(),
        "forked_because": each(&|s| json!(s.recording.header.fork.why)),
        "verdict": found.judged.verdict.name(),
        "verdict_why": found.judged.why,
    })
}

/// What a recording saved.
fn saved(saved: &Saved) -> Json {
    json!({
        "llm_calls": saved.llm_calls,
        "kg_calls": saved.kg_calls,
        "prompt_tokens": saved.tokens.prompt_tokens,
        "completion_tokens": saved.tokens.completion_tokens,
        "tokens_estimated": saved.tokens.estimated,
        "took_ms": saved.took_ms,
        "calls_not_known": saved.unknown,
    })
}

/// What a session took: expansions, calls, tokens, money.
fn spent(state: &State) -> Json {
    let counters = state.counters();
    json!({"expansions": counters.expansions, "by_hand": counters.by_hand, "llm": spent::json(state), "kg_calls": counters.kg_calls,
        "kg_recorded": counters.kg_recorded, "kg_cached": counters.kg_cached})
}

fn text(sides: &[Side; 2], found: &Comparison) -> String {
    let mut out = String::new();
    for (letter, side) in ["A", "B"].iter().zip(sides) {
        let _ = writeln!(out, "{letter}  {}  {}", one_line(&side.name), one_line(&side.state().started().question));
        let why = &side.recording.header.fork.why;
        if !why.is_empty() {
            let _ = writeln!(out, "   forked because: {}", one_line(why));
        }
    }
    out.push('\n');
    for line in found.beginning() {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("\ntree (= in both, with both values where they differ)\n");
    for row in &found.rows {
        let sign = match row.nodes {
            [Some(_), Some(_)] => '=',
            [Some(_), None] => 'A',
            _ => 'B',
        };
        let values: Vec<String> = (0..2).filter_map(|side| row.nodes[side].map(|id| value_words(sides[side].state(), id))).collect();
        let values =
            if values.windows(2).all(|pair| pair[0] == pair[1]) { values.first().cloned().unwrap_or_default() } else { values.join(" / ") };
        let _ = writeln!(out, "{sign} {}{}  {values}", "  ".repeat(row.depth as usize), row.label);
    }
    out.push('\n');
    for line in found.end(sides.each_ref().map(Side::state)) {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "\n{}", found.verdict());
    out
}
