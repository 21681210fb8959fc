//! Two sessions side by side: how far they are the same, what differs first, and which nodes are in both trees.

mod decisions;
mod verdict;
mod words;

pub use verdict::{Judgement, Saved, SessionVerdict, is_expected, judge, saved};
pub use words::value as value_words;

use self::decisions::Decisions;
use super::ask::Ask;
use super::describe::{act_words, describe, label};
use super::event::{AskKey, By, Call, Entry, Event, NodeId, Outcome, Reading, Seq, Started, StepId};
use super::settings::Settings;
use super::state::State;
use crate::calls::PartKind;
use crate::text::one_line;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

/// What differs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// What the model was shown.
    Prompt,
    /// What the model said to the same prompt, or what was made of it.
    Choice,
    /// What a graph said.
    Fact,
    /// What a node is worth.
    Value,
    /// Which node was expanded.
    Node,
    /// What a person did.
    Act,
    /// How the search ended.
    End,
    /// One goes on where the other stops.
    Length,
}

impl DifferenceKind {
    /// The word of `tot diff --json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Choice => "choice",
            Self::Fact => "fact",
            Self::Value => "value",
            Self::Node => "node",
            Self::Act => "act",
            Self::End => "end",
            Self::Length => "length",
        }
    }
}

/// The first decision that is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where: the entry in each session that has one.
    pub at: [Option<Seq>; 2],
    /// The node that it is about, in the first session that has one.
    pub node: Option<NodeId>,
    /// What differs.
    pub kind: DifferenceKind,
    /// In a sentence, with what stands in each.
    pub what: String,
}

/// A node of either tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRow {
    /// Steps from the root.
    pub depth: u32,
    /// Its action as a token.
    pub token: String,
    /// Its action in words, with the labels of the first tree that has it.
    pub label: String,
    /// Its number in each tree that has it.
    pub nodes: [Option<NodeId>; 2],
}

/// Two sessions compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What they started from differently: what, and its text in each.
    pub setup: Vec<(&'static str, [String; 2])>,
    /// Decisions, and acts that change the search, that are the same, from the beginning.
    pub same: usize,
    /// Decisions, and acts that change the search, of each.
    pub decisions: [usize; 2],
    /// The first that is not the same.
    pub first: Option<Difference>,
    /// Both trees in one, in pre-order: children of the first in its order, then those that only the second has.
    pub rows: Vec<PairRow>,
    /// Facts that the answers rest on: those of both, of the first only, of the second only.
    pub facts: [Vec<String>; 3],
    /// How the second ended, seen from the first.
    pub judged: Judgement,
    /// What each took from a recording instead of asking for it.
    pub saved: [Saved; 2],
}

/// A session to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its entries.
    pub entries: &'a [Arc<Entry>],
    /// The state that they make.
    pub state: &'a State,
    /// Of a fork: how many entries are copies of its parent's.
    pub copied: Seq,
    /// The answer that a person expects; may be empty.
    pub expected: &'a str,
}

/// Compares two sessions. The answer expected of the second counts for both; else that of the first.
#[must_use]
pub fn compare(a: Side<'_>, b: Side<'_>) -> Comparison {
    let (of_a, of_b) = (Decisions::of(a.entries, a.state), Decisions::of(b.entries, b.state));
    let same = of_a.same_as(&of_b);
    let states = [a.state, b.state];
    let expected = [b.expected, a.expected].into_iter().find(|text| !text.trim().is_empty());
    Comparison {
        setup: setup(states),
        same,
        decisions: [of_a.len(), of_b.len()],
        first: difference(of_a.entries.get(same).copied(), of_b.entries.get(same).copied(), states),
        rows: side_by_side(states),
        facts: facts(states),
        judged: judge(a.state, b.state, expected),
        saved: [saved(a.state, a.copied, Some(b.state)), saved(b.state, b.copied, Some(a.state))],
    }
}

/// The facts that the answers rest on: those of both, of the first only, of the second only.
fn facts(states: [&State; 2]) -> [Vec<String>; 3] {
    let of = |state: &State| -> BTreeSet<String> {
        let summary = state.summary();
        let graph = summary.answer.map(|id| state.graph(id)).unwrap_or_default();
        summary.evidence.iter().map(|edge| graph.sentence(edge)).collect()
    };
    let [a, b] = states.map(of);
    [a.intersection(&b).cloned().collect(), a.difference(&b).cloned().collect(), b.difference(&a).cloned().collect()]
}

fn setup([a, b]: [&State; 2]) -> Vec<(&'static str, [String; 2])> {
    let (Some(a), Some(b)) = (a.started.as_deref(), b.started.as_deref()) else { return Vec::new() };
    let mut found = Vec::new();
    let mut put = |what, x: String, y: String| {
        if x != y {
            found.push((what, [x, y]));
        }
    };
    put("question", one_line(&a.question), one_line(&b.question));
    put("model", one_line(&a.model), one_line(&b.model));
    let kgs = |s: &Started| s.kgs.iter().map(|(name, spec)| format!("{name} ({})", one_line(spec))).collect::<Vec<_>>().join(", ");
    put("graphs", kgs(a), kgs(b));
    put("strategy", a.strategy.clone(), b.strategy.clone());
    put("seed", a.seed.to_string(), b.seed.to_string());
    let entities = |s: &Started| s.entities.iter().map(|e| one_line(&e.id)).collect::<Vec<_>>().join(", ");
    put("entities", entities(a), entities(b));
    if a.templates != b.templates {
        put("prompts", "its own".to_owned(), "others".to_owned());
    }
    found.extend(settings(&a.settings, &b.settings));
    found
}

/// Settings that differ, each under the name that a session file gives it.
fn settings(a: &Settings, b: &Settings) -> Vec<(&'static str, [String; 2])> {
    let fields = |s| serde_json::to_value(s).ok().and_then(|v| v.as_object().cloned()).unwrap_or_default();
    let (a, b) = (fields(a), fields(b));
    let names: Vec<&String> = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).collect();
    let text = |v: Option<&serde_json::Value>| v.map_or_else(|| "-".to_owned(), ToString::to_string);
    let changed: Vec<&String> = names.into_iter().filter(|name| a.get(*name) != b.get(*name)).collect();
    if changed.is_empty() {
        return Vec::new();
    }
    let side = |of: &serde_json::Map<String, serde_json::Value>| {
        changed.iter().map(|name| format!("{name} {}", text(of.get(*name)))).collect::<Vec<_>>().join(", ")
    };
    vec![("settings", [side(&a), side(&b)])]
}

fn difference(a: Option<&Arc<Entry>>, b: Option<&Arc<Entry>>, states: [&State; 2]) -> Option<Difference> {
    let at = [a.map(|e| e.seq), b.map(|e| e.seq)];
    let (kind, node, what) = match (a.map(|e| &e.ev), b.map(|e| &e.ev)) {
        (None, None) => return None,
        (Some(event), None) => {
            (DifferenceKind::Length, node_of(event, states[0]), format!("A goes on where B stops: {}", short(event, states[0])))
        }
        (None, Some(event)) => {
            (DifferenceKind::Length, node_of(event, states[1]), format!("B goes on where A stops: {}", short(event, states[1])))
        }
        (Some(x), Some(y)) => {
            let decided = |entry: Option<&Arc<Entry>>| entry.is_some_and(|e| e.by == By::You && matches!(e.ev, Event::Read { .. }));
            let (kind, why) = if decided(a) || decided(b) {
                (DifferenceKind::Act, "a person decided what becomes of the samples".to_owned())
            } else {
                kind(x, y, states)
            };
            let (a, b) = (x, y);
            let node = node_of(a, states[0]).or_else(|| node_of(b, states[1]));
            (kind, node, format!("{why}: A {}; B {}", short(a, states[0]), short(b, states[1])))
        }
    };
    Some(Difference { at, node, kind, what })
}

/// The node that a decision is about.
fn node_of(event: &Event, state: &State) -> Option<NodeId> {
    let of_step = |step: &StepId| state.step(*step).and_then(|s| s.node);
    match event {
        Event::Opened { node, .. } => *node,
        Event::Valued { node, .. } | Event::Paged { node, .. } | Event::Reviewed { node, .. } => Some(*node),
        Event::Read { step, .. } | Event::Grew { step, .. } | Event::Closed { step } => of_step(step),
        Event::Finished(end) => end.answer,
        _ => None,
    }
}

/// What the two decisions differ in, and why in a few words.
fn kind(a: &Event, b: &Event, states: [&State; 2]) -> (DifferenceKind, String) {
    use DifferenceKind as K;
    let word = |kind, why: &str| (kind, why.to_owned());
    match (a, b) {
        (Event::Acted { .. } | Event::Undone { .. }, _) | (_, Event::Acted { .. } | Event::Undone { .. }) => {
            word(K::Act, "a person did something")
        }
        (Event::Opened { .. }, Event::Opened { .. }) => word(K::Node, "another node was expanded"),
        (Event::Read { step, .. }, Event::Read { step: other, .. }) => {
            let asks = states[0].asks.iter().filter(|ask| ask.key.step == *step && ask.is_llm());
            let keys: Vec<_> = asks.map(|ask| [ask.key, AskKey { step: *other, ..ask.key }]).collect();
            prompts(&keys, states)
                .map_or_else(|| word(K::Choice, "the prompts are the same, the replies differ"), |parts| (K::Prompt, parts))
        }
        (Event::Grew { children: x, .. }, Event::Grew { children: y, .. }) => {
            if x.iter().map(|c| &c.action).eq(y.iter().map(|c| &c.action)) {
                word(K::Fact, "the graphs said something else")
            } else {
                word(K::Choice, "other children")
            }
        }
        (Event::Paged { .. }, Event::Paged { .. }) => word(K::Fact, "the graphs said something else"),
        (Event::Valued { node, .. }, Event::Valued { node: other, .. }) if node == other => {
            let [a, b] = states.map(|state| score_of(state, *node));
            let keys: Vec<_> = a.zip(b).map(|(a, b)| [a, b]).into_iter().collect();
            prompts(&keys, states).map_or_else(|| word(K::Value, "the prompts are the same, the values differ"), |parts| (K::Prompt, parts))
        }
        (Event::Finished(_), _) | (_, Event::Finished(_)) => word(K::End, "one ends here, or otherwise"),
        _ => word(K::Choice, "the walks part"),
    }
}

/// Who asked for the value of a node.
fn score_of(state: &State, node: NodeId) -> Option<AskKey> {
    state.asks.iter().rev().find(|ask| state.scored_by(ask) == Some(node)).map(|ask| ask.key)
}

/// Which parts of the prompts of the same asks differ, as a sentence; `None` when none does.
fn prompts(keys: &[[AskKey; 2]], [a, b]: [&State; 2]) -> Option<String> {
    let mut parts: Vec<&'static str> = Vec::new();
    for [of_a, of_b] in keys {
        let (Some(x), Some(y)) = (a.ask_of(*of_a), b.ask_of(*of_b)) else { continue };
        for (name, x, y) in texts(x, a).into_iter().zip(texts(y, b)).map(|((name, x), (_, y))| (name, x, y)) {
            if x != y && !parts.contains(&name) {
                parts.push(name);
            }
        }
        if texts(x, a).len() != texts(y, b).len() && parts.is_empty() {
            parts.push("parts");
        }
    }
    (!parts.is_empty()).then(|| format!("the prompts differ in {}", parts.join(", ")))
}

/// The parts of a prompt by name.
fn texts<'a>(ask: &Ask, state: &'a State) -> Vec<(&'static str, &'a str)> {
    let Call::Llm(call) = &ask.call else { return Vec::new() };
    let name = |kind| match kind {
        PartKind::Instructions => "instructions",
        PartKind::Question => "question",
        PartKind::Graph => "graph",
        PartKind::Path => "path",
        PartKind::Task => "task",
    };
    call.parts.iter().filter_map(|id| state.parts.get(id.index())).map(|part| (name(part.kind), &*part.text)).collect()
}

/// A decision in a few words.
fn short(event: &Event, state: &State) -> String {
    let place = |node: &NodeId| {
        if state.node(*node).is_some() { format!("node {} ({})", node.0, label(state, *node)) } else { format!("node {}", node.0) }
    };
    match event {
        Event::Opened { node: Some(node), why, .. } => format!("expands {}: {}", place(node), one_line(why)),
        Event::Opened { .. } => "begins".to_owned(),
        Event::Read { step, rows, note, .. } => {
            let at = state.step(*step).and_then(|step| step.node);
            let said = |row: &Reading| format!("{}x {}", row.slots.len(), outcome(&row.outcome, at, state));
            let told = note.as_ref().map_or_else(String::new, |note| format!(", and tells the model “{}”", one_line(note)));
            format!("reads {}{told}", listed(rows.iter().map(said)))
        }
        Event::Grew { children, .. } => format!("gets {}", listed(children.iter().map(|c| describe(state, c.parent, &c.action)))),
        Event::Paged { node, delta, .. } => format!("gets a page of {} facts at {}", delta.edges.len(), place(node)),
        Event::Valued { node, value, .. } => {
            format!("values {} at {}", place(node), value.map_or_else(|| "unknown".to_owned(), |v| v.to_string()))
        }
        Event::Reviewed { node, judged, .. } => format!("judges {} facts of {}", judged.len(), place(node)),
        Event::Closed { .. } => "ends the step".to_owned(),
        Event::Finished(end) => format!("ends: {}", one_line(&end.why)),
        Event::Acted { what, .. } => act_words(state, what),
        Event::Undone { act, redo } => {
            let what = state.acts.get(act.index()).map_or_else(String::new, |record| act_words(state, &record.what));
            format!("{}: {what}", if *redo { "did again" } else { "took back" })
        }
        _ => String::new(),
    }
}

fn outcome(outcome: &Outcome, at: Option<NodeId>, state: &State) -> String {
    use Outcome as O;
    match outcome {
        O::Kept(action) => describe(state, at, action),
        O::Outvoted(action) => format!("{} (outvoted)", describe(state, at, action)),
        O::Rejected { why, .. } => format!("rejected ({})", one_line(why)),
        O::Mention(text) => one_line(text),
        O::Entity(entity) | O::Linked { to: entity, .. } => entity.as_ref().map_or_else(|| "none".to_owned(), |e| one_line(e.name())),
    }
}

/// The first few of many.
fn listed(items: impl Iterator<Item = impl AsRef<str> + Debug>) -> String {
    const MOST: usize = 4;
    let all: Vec<_> = items.collect();
    if all.is_empty() {
        return "nothing".to_owned();
    }
    let shown: Vec<&str> = all.iter().take(MOST).map(AsRef::as_ref).collect();
    let more = if all.len() > MOST { format!(" and {} more", all.len() - MOST) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Both trees in one: a child is in both when its parents are the same and its action is.
fn side_by_side([a, b]: [&State; 2]) -> Vec<PairRow> {
    let (children_a, children_b) = (children(a), children(b));
    let mut rows = Vec::with_capacity(a.nodes.len().max(b.nodes.len()));
    let roots = [a.nodes.first().map(|n| n.id), b.nodes.first().map(|n| n.id)];
    let mut stack: Vec<[Option<NodeId>; 2]> = if roots == [None, None] { Vec::new() } else { vec![roots] };
    while let Some(nodes) = stack.pop() {
        let known = nodes[0].and_then(|id| a.node(id)).or_else(|| nodes[1].and_then(|id| b.node(id)));
        let Some(known) = known else { continue };
        rows.push(PairRow {
            depth: known.depth,
            token: if known.parent.is_none() { "root".to_owned() } else { known.action.token() },
            label: if nodes[0].is_some() { label(a, known.id) } else { label(b, known.id) },
            nodes,
        });
        let of = |id: Option<NodeId>, all: &HashMap<NodeId, Vec<NodeId>>| id.and_then(|id| all.get(&id)).cloned().unwrap_or_default();
        let (left, mut right) = (of(nodes[0], &children_a), of(nodes[1], &children_b));
        let mut pairs: Vec<[Option<NodeId>; 2]> = Vec::new();
        for child in left {
            let action = a.node(child).map(|n| &n.action);
            let same = right.iter().position(|other| b.node(*other).map(|n| &n.action) == action);
            pairs.push([Some(child), same.map(|at| right.remove(at))]);
        }
        pairs.extend(right.into_iter().map(|child| [None, Some(child)]));
        stack.extend(pairs.into_iter().rev());
    }
    rows
}

fn children(state: &State) -> HashMap<NodeId, Vec<NodeId>> {
    let mut all: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for node in &state.nodes {
        if let Some(parent) = node.parent {
            all.entry(parent).or_default().push(node.id);
        }
    }
    all
}
