//! Whether a search came out as a scenario expects.

use crate::search::{NodeId, Outcome, Preset, State};
use serde::Deserialize;

/// Depth, token, value, place in the order of expansions, terminal.
type ExpectedRow = (u32, String, Option<f64>, Option<u32>, bool);

/// An expectation block.
#[derive(Clone, Debug, Deserialize)]
pub struct Expectation {
    /// Its key in the file.
    #[serde(skip)]
    pub name: String,
    /// The preset to run with.
    pub preset: Preset,
    answer: Option<String>,
    outcome: String,
    best_candidate: Option<String>,
    stop: String,
    #[serde(default)]
    forced_final: bool,
    nodes: usize,
    expanded: u32,
    rejected: usize,
    rejected_samples: usize,
    #[serde(default)]
    outvoted: usize,
    max_sequential_llm_rounds: Option<u32>,
    order: Vec<String>,
    tree: Vec<ExpectedRow>,
    #[serde(default)]
    rejected_rows: Option<Vec<(String, String, String, usize)>>,
    #[serde(default)]
    outvoted_rows: Option<Vec<(String, String, usize)>>,
    #[serde(default)]
    notices: Vec<(String, String)>,
}

impl Expectation {
    pub(super) fn read(name: &str, value: &serde_json::Value) -> anyhow::Result<Self> {
        let mut block: Self = serde_json::from_value(value.clone()).map_err(|e| anyhow::anyhow!("block `{name}`: {e}"))?;
        name.clone_into(&mut block.name);
        Ok(block)
    }
}

/// Every difference between what was expected and what came out, one sentence each.
#[must_use]
pub fn compare(expected: &Expectation, state: &State) -> Vec<String> {
    let mut wrong = Vec::new();
    let summary = state.summary();
    let mut same = |what: &str, expected: &dyn std::fmt::Debug, found: &dyn std::fmt::Debug| {
        let (a, b) = (format!("{expected:?}"), format!("{found:?}"));
        if a != b {
            wrong.push(format!("{what}: expected {a}, found {b}"));
        }
    };
    let text = |node: Option<NodeId>| node.and_then(|n| state.node(n)).map(|n| n.action.token()[2..].to_owned());
    same("answer", &expected.answer, &text(summary.answer));
    same("outcome", &Some(expected.outcome.as_str()), &summary.outcome.map(|o| o.name()));
    same("best candidate", &expected.best_candidate, &text(summary.best_candidate));
    same("stop", &Some(expected.stop.as_str()), &state.finished.as_deref().map(|(f, _)| f.stop.name()));
    same("forced final", &expected.forced_final, &state.steps.iter().any(|s| s.kind == crate::search::StepKind::ForceFinal));
    same("nodes", &expected.nodes, &summary.nodes);
    same("expanded", &expected.expanded, &summary.expanded);
    same("rejected", &expected.rejected, &summary.rejected);
    same("rejected samples", &expected.rejected_samples, &summary.rejected_samples);
    same("outvoted", &expected.outvoted, &summary.outvoted);
    same("order", &expected.order, &summary.order);
    let micro = |v: &Option<f64>| v.map(|v| format!("{v:.6}"));
    let tree: Vec<_> = summary
        .tree
        .iter()
        .map(|r| (r.depth, r.token.clone(), micro(&r.value.map(crate::micro::Micro::as_f64)), r.order, r.terminal))
        .collect();
    let wanted: Vec<_> = expected.tree.iter().map(|(d, t, v, o, x)| (*d, t.clone(), micro(v), *o, *x)).collect();
    same("tree", &wanted, &tree);
    let (mut rejected, mut outvoted) = (Vec::new(), Vec::new());
    for left in state.leftovers() {
        let path = state.path_text(left.node);
        match &left.reading.outcome {
            Outcome::Rejected { text, reason, .. } => {
                rejected.push((path, text.clone(), reason.name().to_owned(), left.reading.slots.len()))
            }
            Outcome::Outvoted(action) => outvoted.push((path, action.token(), left.reading.slots.len())),
            _ => {}
        }
    }
    let sorted = |mut rows: Vec<(String, String, String, usize)>| {
        rows.sort();
        rows
    };
    if let Some(rows) = &expected.rejected_rows {
        same("rejected rows", &sorted(rows.clone()), &sorted(rejected));
    }
    if let Some(rows) = &expected.outvoted_rows {
        let (mut a, mut b) = (rows.clone(), outvoted);
        a.sort();
        b.sort();
        same("outvoted rows", &a, &b);
    }
    same("notices", &expected.notices, &state.failed_listings());
    let rounds = state.counters().llm_rounds;
    if let Some(max) = expected.max_sequential_llm_rounds.filter(|max| rounds > *max) {
        wrong.push(format!("model rounds: at most {max} expected, {rounds} found"));
    }
    wrong
}
