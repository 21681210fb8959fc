//! The result of a search, as text and as JSON.

use super::spent;
use crate::asm::{Action, CUT};
use crate::graph::{Edge, Object};
use crate::micro::Micro;
use crate::search::{By, JudgedFact, NodeId, Outcome, StandingVerdict, State, StepKind, Value, Warning, WarningKind};
use crate::search::{describe, rejected_text};
use crate::session::moment;
use crate::text::{one_line, quoted};
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::fmt::Write;

/// The object that `ask --json` and `show --json` print. `session` is the file (or the name) of the session.
#[must_use]
pub fn json(state: &State, session: &str, elapsed_ms: u64) -> Json {
    let summary = state.summary();
    let started = state.started();
    let finished = state.finished.as_deref().map(|(f, _)| f);
    let counters = state.counters();
    let text_of = |id: NodeId| match state.node(id).map(|n| &n.action) {
        Some(Action::Answer { text, .. }) => Some(text.clone()),
        _ => None,
    };
    let tree: Vec<Json> = summary.tree.iter().map(|r| json!([r.depth, r.token, number(r.value), r.order, r.terminal])).collect();
    let path: Vec<String> =
        summary.answer.map(|id| state.path_to(id).iter().skip(1).map(|n| n.action.token()).collect()).unwrap_or_default();
    let graph = summary.answer.map(|id| state.graph(id)).unwrap_or_default();
    let (mut rejected_rows, mut rejected_why, mut outvoted_rows) = (Vec::new(), Vec::new(), Vec::new());
    for left in state.leftovers() {
        let at = state.path_text(left.node);
        match &left.reading.outcome {
            Outcome::Rejected { text, reason, why } => {
                rejected_rows.push(json!([at, text, reason.name(), left.reading.slots.len()]));
                rejected_why.push(why.as_str());
            }
            Outcome::Outvoted(action) => outvoted_rows.push(json!([at, action.token(), left.reading.slots.len()])),
            _ => {}
        }
    }
    let cut_rows: Vec<String> = state.cut_nodes().into_iter().map(|node| state.path_text(node)).collect();
    let mut out = Map::new();
    let mut put = |key: &str, value: Json| out.insert(key.to_owned(), value);
    put("question", json!(started.question));
    put("answer", json!(summary.answer_text));
    put("answers", json!(summary.answers));
    put("value", number(summary.answer.and_then(|id| state.value(id).known())));
    put("outcome", json!(summary.outcome.map(crate::search::OutcomeKind::name)));
    put("best_candidate", json!(best_so_far(state).and_then(text_of)));
    put("stop", json!(stop(state)));
    put("route", json!(finished.map(|f| f.route.name())));
    put("why", json!(finished.map(|f| f.why.as_str())));
    put("supported", json!(summary.answer.map(|_| !summary.evidence.is_empty())));
    put("strategy", json!(started.strategy));
    put("model", json!(started.model));
    put("nodes", json!(summary.nodes));
    put("expanded", json!(summary.expanded));
    put("by_hand", json!(counters.by_hand));
    put("rejected", json!(summary.rejected));
    put("rejected_samples", json!(summary.rejected_samples));
    put("outvoted", json!(summary.outvoted));
    put("forced_final", json!(state.steps.iter().any(|s| s.kind == StepKind::ForceFinal)));
    put("order", json!(summary.order));
    put("tree", Json::Array(tree));
    put("rejected_rows", Json::Array(rejected_rows));
    put("rejected_why", json!(rejected_why));
    put("outvoted_rows", Json::Array(outvoted_rows));
    put("cut_rows", json!(cut_rows));
    put("notices", json!(state.failed_listings()));
    put("remarks", json!(state.remarks()));
    put("warnings", Json::Array(state.warnings().iter().map(warning).collect()));
    put("llm", spent::json(state));
    put("llm_rounds", json!(counters.llm_rounds));
    let mut kg = json!({ "calls": counters.kg_calls, "recorded": counters.kg_recorded, "cached": counters.kg_cached });
    if let Some(oldest) = counters.kg_oldest {
        kg["oldest_cached_at"] = json!(oldest);
    }
    put("kg", kg);
    put("elapsed_ms", json!(elapsed_ms));
    put("path", json!(path));
    put("evidence", Json::Array(summary.evidence.iter().map(evidence).collect()));
    put("evidence_text", json!(summary.evidence.iter().map(|e| graph.sentence(e)).collect::<Vec<_>>()));
    put("review", summary.answer.map_or(Json::Null, |node| review(state, node)));
    put("halted", json!(state.halted.as_ref().map(|halt| halt.why.as_str())));
    put("session", json!(session));
    Json::Object(out)
}

/// What ended the search, in one word; of one that stands still at a budget, which budget.
fn stop(state: &State) -> Option<String> {
    match (state.halted.as_ref().and_then(|halt| halt.cause.budget()), state.finished.as_deref()) {
        (Some(budget), _) => Some(format!("budget: {}", budget.name())),
        (None, Some((end, _))) => Some(end.stop.name().to_owned()),
        (None, None) => None,
    }
}

/// The best answer that did not become the answer: of a search that has not ended, the best so far.
fn best_so_far(state: &State) -> Option<NodeId> {
    match state.finished.as_deref() {
        Some((end, _)) => end.best_candidate,
        None => state.answers().into_iter().next(),
    }
}

fn number(value: Option<Micro>) -> Json {
    value.map_or(Json::Null, |v| json!(v.as_f64()))
}

fn warning(warning: &Warning) -> Json {
    json!({ "node": warning.node, "kind": warning.kind.name(), "text": warning.text })
}

/// The warnings under a heading, one a line with all nodes that it is about; nothing where there are none.
#[must_use]
pub fn warnings(state: &State) -> String {
    let mut rows: IndexMap<(WarningKind, String), Vec<NodeId>> = IndexMap::new();
    for warning in state.warnings() {
        rows.entry((warning.kind, warning.text)).or_default().push(warning.node);
    }
    let mut out = if rows.is_empty() { String::new() } else { "warnings\n".to_owned() };
    for ((kind, text), nodes) in rows {
        const MOST: usize = 8;
        let numbers: Vec<String> = nodes.iter().take(MOST).map(|node| node.0.to_string()).collect();
        let more = if nodes.len() > MOST { format!(" and {} more", nodes.len() - MOST) } else { String::new() };
        let of = if nodes.len() == 1 { "node" } else { "nodes" };
        let _ = writeln!(out, "  {of} {}{more}: {}: {text}", numbers.join(", "), kind.title());
    }
    out
}

/// A fact as JSON: subject, relation, object.
pub fn evidence(edge: &Edge) -> Json {
    let object = match &edge.o {
        Object::Entity(id) => id.to_string(),
        Object::Literal(l) => l.text.clone(),
    };
    json!([edge.s, edge.r, object])
}

/// A verdict with its reason: `doubtful: it was renamed in 2018`.
#[must_use]
pub fn verdict(judged: &JudgedFact) -> String {
    let why = if judged.reason.is_empty() { String::new() } else { format!(": {}", one_line(&judged.reason)) };
    format!("{}{why}", judged.verdict.name())
}

/// The verdict that stands, and who gave it where somebody who was asked later did not know.
fn standing(state: &State, stands: &StandingVerdict) -> String {
    let by = stands.said_by(state, |at| format!("{} UTC", moment(at / 1000))).map_or_else(String::new, |by| format!(" ({by})"));
    format!("{}{by}", verdict(stands.judged))
}

/// The last review of an answer as JSON, with the verdicts that stand; `null` where there is none. Of a fact that the last reviewer did
/// not know and an earlier one judged, `last` has what the last one said.
#[must_use]
pub fn review(state: &State, node: NodeId) -> Json {
    let Some((step, judged)) = state.review(node) else { return Json::Null };
    let graph = state.graph(node);
    let facts: Vec<Json> = judged
        .iter()
        .map(|last| {
            let stands = state.verdict(node, &last.fact);
            let (judged, by) = stands.as_ref().map_or((last, step), |stands| (stands.judged, stands.step));
            let mut object = json!({
                "fact": evidence(&last.fact), "text": graph.sentence(&last.fact), "kg": last.fact.kg,
                "verdict": judged.verdict.name(), "reason": judged.reason, "model": state.reviewer(by), "at": state.reviewed_at(by),
            });
            if by.id != step.id {
                object["last"] = json!({"verdict": last.verdict.name(), "reason": last.reason, "model": state.reviewer(step)});
            }
            object
        })
        .collect();
    json!({ "node": node, "model": state.reviewer(step), "facts": facts })
}

/// The answer and the facts it rests on, as `tot ask` prints them.
#[must_use]
pub fn answer(state: &State) -> String {
    let summary = state.summary();
    let mut out = String::new();
    match (&summary.answer_text, summary.answer) {
        (Some(text), Some(node)) => {
            let _ = writeln!(out, "{}", one_line(text));
            let value = state.value(node).known().map_or_else(|| "unknown".to_owned(), |v| v.to_string());
            let below =
                if summary.outcome == Some(crate::search::OutcomeKind::BestEffort) { ", a best effort below the threshold" } else { "" };
            let _ = writeln!(out, "\nvalue {value}{below}");
            if summary.evidence.is_empty() {
                out.push_str("not supported by the graph: no fact of it names the answer\n");
            } else {
                out.push_str("rests on\n");
                let graph = state.graph(node);
                for edge in &summary.evidence {
                    let yours = state.correction_of(&graph, edge).map_or_else(String::new, |correction| {
                        let why = if correction.reason.is_empty() { String::new() } else { format!(": {}", one_line(&correction.reason)) };
                        format!("; {} by you{why}", correction.change.done())
                    });
                    let judged = state.verdict(node, edge).map_or_else(String::new, |stands| format!("; {}", standing(state, &stands)));
                    let from = format!("{}, {} {}", edge.kg, one_line(&edge.s), one_line(&edge.r));
                    let _ = writeln!(out, "  {}  ({from}{yours}{judged})", graph.sentence(edge));
                }
            }
        }
        _ => {
            out.push_str(if summary.outcome.is_some() { "no answer found\n" } else { "no answer yet\n" });
            let best = best_so_far(state);
            if let Some(Action::Answer { text, .. }) = best.and_then(|id| state.node(id)).map(|n| &n.action) {
                let value = best.and_then(|id| state.value(id).known()).map_or_else(|| "unknown".to_owned(), |v| v.to_string());
                let _ = writeln!(out, "best candidate, below the threshold: {} (value {value})", one_line(text));
            }
        }
    }
    out
}

/// The tree as text, one node a line, with values, votes and marks.
#[must_use]
pub fn tree(state: &State) -> String {
    let (standings, cut) = (state.standings(), state.cut_nodes());
    let mut left_of: HashMap<NodeId, Vec<_>> = HashMap::new();
    for left in state.leftovers() {
        left_of.entry(left.node).or_default().push(left);
    }
    let mut out = String::new();
    for row in state.tree_rows() {
        let node = &state.nodes[row.node.index()];
        let indent = "  ".repeat(row.depth as usize);
        let value = match state.value(row.node) {
            Value::Pending => "pending".to_owned(),
            Value::Unknown => match state.no_value(row.node) {
                Some(why) => format!("unknown ({})", why.mark()),
                None => "unknown".to_owned(),
            },
            Value::Scored(v) => v.to_string(),
            Value::ByHand(v) => format!("{v} by hand"),
        };
        let _ = write!(out, "{indent}{}  {value}", label(state, row.node));
        if let Some(order) = row.order {
            let _ = write!(out, "  #{order}");
        }
        if node.votes.1 > 1 {
            let _ = write!(out, "  {}/{}", node.votes.0, node.votes.1);
        }
        if node.by == By::You {
            out.push_str("  by hand");
        }
        if cut.contains(&row.node) {
            let _ = write!(out, "  {CUT}");
        }
        let standing = standings[row.node.index()];
        for (on, word) in
            [(standing.pruned && !standing.replaced, "pruned"), (standing.replaced, "replaced"), (standing.withdrawn, "withdrawn")]
        {
            if on {
                let _ = write!(out, "  {word}");
            }
        }
        out.push('\n');
        for left in left_of.remove(&row.node).unwrap_or_default() {
            let n = left.reading.slots.len();
            let _ = match &left.reading.outcome {
                Outcome::Rejected { text, why, reason } => {
                    let said = rejected_text(state, Some(row.node), *reason, text);
                    writeln!(out, "{indent}  rejected {n}x {}: {}", quoted(&said), one_line(why))
                }
                Outcome::Outvoted(action) => writeln!(out, "{indent}  outvoted {n}x {}", describe(state, Some(row.node), action)),
                _ => Ok(()),
            };
        }
    }
    out
}

/// A node in words: its action, with labels in the place of ids.
#[must_use]
pub fn label(state: &State, id: NodeId) -> String {
    let Some(node) = state.node(id) else { return String::new() };
    match &node.action {
        Action::Root => format!("question: {}", one_line(&state.started().question)),
        Action::Think { text } => format!("think: {}", one_line(text)),
        Action::Answer { text, .. } => format!("answer: {}", one_line(text)),
        Action::Expand { text } if text.is_empty() => "expand".to_owned(),
        Action::Expand { text } => format!("expand: {}", one_line(text)),
        Action::SelectEntities { ids } => {
            let graph = state.graph(id);
            let names: Vec<String> = ids.iter().map(|id| one_line(graph.name(id))).collect();
            format!("entities: {}", names.join(", "))
        }
        Action::SelectRelation { relation } => {
            let graph = state.graph(id);
            format!("relation: {} {}", one_line(&relation.token()), one_line(graph.relation_name(&relation.id)))
        }
        Action::Aggregate { what, .. } => format!("aggregate: {}", one_line(&what.to_string())),
        Action::Error { why } => format!("error: {}", one_line(why)),
    }
}
