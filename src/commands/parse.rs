//! `tot parse FILE.jsonl`: how completions would be read, one JSON object a line. For people who work on prompts.

use crate::asm::{Action, Expect, Reply, Unusable, parse, runs_into_cut};
use crate::calls::Sample;
use crate::graph::{Direction, EntityId, Relation, RelationRef};
use crate::text;
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// A line of the file. Other keys are ignored.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(default)]
    id: Value,
    state: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    labels: HashMap<String, String>,
    #[serde(default)]
    aggregate: bool,
    #[serde(default)]
    finish_reason: Option<String>,
    completion: Option<String>,
}

/// Reads each completion of the JSON Lines file at `path` and prints `{"id", "outcome"}` a line to `out`, with `"why"` where it
/// can't be used, and `"cut": true` where what was read runs into the token limit. A row has `state` (`default`, `select_entities`, `select_relation`, `evaluate_state`, `evaluate_answer`, `review`),
/// `completion` (text or null) and, as they apply, `id`, `options`, `labels` (id to label) and `finish_reason`.
/// Without `options` all actions of `default` are on offer; `["ANSWER"]` stands for the forced answer. `"aggregate": true` in `select_relation` offers AGGREGATE
/// beside the relations.
///
/// # Errors
/// If the file can't be read or `out` can't be written. Lines that are no rows are named on standard error; the others are still
/// read, and the command fails at the end.
pub fn run(path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    run_to(path, out, &mut std::io::stderr())
}

/// As [`run`], with messages about lines going to `messages`.
///
/// # Errors
/// As [`run`].
pub fn run_to(path: &Path, out: &mut dyn Write, messages: &mut dyn Write) -> anyhow::Result<()> {
    let name = text::one_line(&path.display().to_string());
    let file = File::open(path).with_context(|| format!("cannot open {name}: give the path of a JSON Lines file"))?;
    let (mut bad, mut first_bad) = (0_u64, 0);
    for (number, line) in (1_usize..).zip(BufReader::new(file).split(b'\n')) {
        let line = line.with_context(|| format!("cannot read {name} at line {number}"))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match read_row(&line) {
            Ok(report) => writeln!(out, "{}", text::printable_json(&report.to_string()))?,
            Err(why) => {
                bad += 1;
                first_bad = if bad == 1 { number } else { first_bad };
                writeln!(messages, "{name}:{number}: {}", text::one_line(&why))?;
            }
        }
    }
    match bad {
        0 => Ok(()),
        1 => bail!("line {first_bad} of {name} could not be read as a row; correct it and run again"),
        _ => bail!("{bad} lines of {name} could not be read as rows, the first at line {first_bad}; correct them and run again"),
    }
}

/// The report on a line, or what is wrong with the line and what to do.
fn read_row(line: &[u8]) -> Result<Value, String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let row: Row = serde_json::from_slice(line)
        .map_err(|e| format!("not a row ({e}); a row is one JSON object with \"state\" and \"completion\", such as {{\"state\": \"default\", \"completion\": \"EXPAND\"}}"))?;
    let entities: Vec<EntityId> = row.options.iter().map(|id| id.as_str().into()).collect();
    let relations: Vec<RelationRef> = row.options.iter().map(|id| relation(id)).collect();
    let listed: Vec<Relation> = relations.iter().map(|at| named(at, &row.labels)).collect();
    let expect = match row.state.as_str() {
        "default" if row.options == ["ANSWER"] => Expect::FinalAnswer,
        "default" => Expect::Action,
        "select_entities" => Expect::Entities(&entities),
        "select_relation" if row.aggregate => Expect::RelationOrAggregate(&listed),
        "select_relation" => Expect::Relation(&relations),
        "evaluate_state" => Expect::ScoreState,
        "evaluate_answer" => Expect::ScoreAnswer,
        "review" => Expect::Verdict,
        other => {
            return Err(format!(
                "unknown state {other:?}; use default, select_entities, select_relation, evaluate_state, evaluate_answer or review"
            ));
        }
    };
    let sample = Sample { text: row.completion.clone(), finish: row.finish_reason.clone(), ..Sample::default() };
    let labels: HashSet<&str> = row.labels.values().map(String::as_str).collect();
    let read = parse(&expect, &sample, &|label| labels.contains(label)).and_then(|reply| on_offer(reply, &row));
    let cut = matches!(&read, Ok(Reply::Action(action)) if runs_into_cut(&sample, action));
    Ok(report(&row.id, &read, cut))
}

/// `reply`, if its action is one of the row's options. (In a search an answer is always on offer, and a form rules out the rest.)
fn on_offer(reply: Reply, row: &Row) -> Result<Reply, Unusable> {
    let (word, missing) = match &reply {
        Reply::Action(Action::Think { .. }) => ("THINK", "it names THINK, which is not on offer"),
        Reply::Action(Action::Expand { .. }) => ("EXPAND", "it names EXPAND, which is not on offer"),
        Reply::Action(Action::Answer { .. }) => ("ANSWER", "it names ANSWER, which is not on offer"),
        _ => return Ok(reply),
    };
    if row.options.is_empty() || row.options.iter().any(|option| option == word) { Ok(reply) } else { Err(Unusable::NotOffered(missing)) }
}

/// A relation as written in prompts: `P57`, or `~P57` for the reverse.
fn relation(token: &str) -> RelationRef {
    let (id, direction) = token.strip_prefix('~').map_or((token, Direction::Out), |id| (id, Direction::In));
    RelationRef { kg: "file".into(), id: id.into(), direction }
}

/// A relation on offer with its label, given by id or by token.
fn named(at: &RelationRef, labels: &HashMap<String, String>) -> Relation {
    let label = labels.get(&*at.id).or_else(|| labels.get(&at.token())).cloned();
    Relation { at: at.clone(), label, inverse_label: None, count: None, count_is_bound: false, identifier: false }
}

fn report(id: &Value, read: &Result<Reply, Unusable>, cut: bool) -> Value {
    match read {
        Ok(reply) if cut => json!({"id": id, "outcome": outcome(reply), "cut": true}),
        Ok(reply) => json!({"id": id, "outcome": outcome(reply)}),
        Err(unusable) => json!({"id": id, "outcome": "error", "why": unusable.why()}),
    }
}

fn outcome(reply: &Reply) -> Value {
    match reply {
        Reply::Verdict(verdict, reason) => json!({"verdict": verdict.name(), "reason": reason}),
        Reply::Score(score) => json!({"score": score.as_f64()}),
        Reply::Action(Action::Think { text }) => json!({"action": "THINK", "text": text}),
        Reply::Action(Action::Expand { text }) => json!({"action": "EXPAND", "text": text}),
        Reply::Action(Action::Answer { text, items }) => json!({"action": "ANSWER", "text": text, "answers": items}),
        Reply::Action(Action::SelectEntities { ids }) => json!({"entities": ids}),
        Reply::Action(Action::SelectRelation { relation }) => {
            let direction = if relation.direction == Direction::Out { "out" } else { "in" };
            json!({"relation": relation.id, "direction": direction})
        }
        Reply::Action(Action::Aggregate { what, .. }) => json!({"aggregate": what.to_string()}),
        Reply::Action(Action::Root | Action::Error { .. }) => json!("error"),
    }
}
