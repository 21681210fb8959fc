//! What can be looked at, in lines: nodes, the tree, the local graph, the machine, the budget, the timeline.

use super::words::worded;
use crate::runner::RunState;
use crate::search::{Node, NodeId, OutcomeKind, WarningKind};
use crate::text::one_line;
use crate::tui::scene::{Scene, label};
use crate::tui::session_view::SessionView;
use crate::tui::views::{budget, header, machine, timeline, tree};
use crate::tui::widgets::count;
use crate::tui::widgets::table::{Fact, Mark};
use crate::tui::widgets::value::Level;

/// Entries of the timeline that are told when no number is given.
const LATEST: usize = 20;

/// `node 5: think: look for the film, value 0.80, 2 of 3 votes, expansion 2, next`
pub fn node(scene: &Scene, id: NodeId) -> String {
    let Some(node) = scene.state.node(id) else { return format!("there is no node {}", id.0) };
    let mut parts = vec![format!("node {}: {}", id.0, label(&scene.state, id)), value(scene, node)];
    if node.votes.0 > 0 && node.votes.1 > 1 {
        parts.push(format!("{} of {} votes", node.votes.0, node.votes.1));
    }
    if let Some(order) = node.order {
        parts.push(format!("expansion {}", order + 1));
    }
    let standing = scene.standing(id);
    let marks = [
        (scene.working == Some(id), "being expanded"),
        (scene.next == Some(id) && scene.working != Some(id), "next"),
        (scene.answer == Some(id), "the answer"),
        (tree::by_hand(scene, node), "by hand"),
        (scene.breaks.contains(&id), "breakpoint"),
        (standing.pruned, "pruned"),
        (standing.withdrawn, "taken back"),
    ];
    parts.extend(marks.into_iter().filter(|(on, _)| *on).map(|(_, word)| word.to_owned()));
    if let Some(cut) = scene.partial.get(&id) {
        parts.push(if cut == "partial" { cut.clone() } else { format!("partial: {cut}") });
    }
    if let Some(remark) = scene.remarks.get(&id) {
        parts.push(one_line(remark));
    }
    let warned: Vec<&str> = scene.warnings_of(id).iter().filter(|w| matters(w.kind)).map(|warning| warning.kind.title()).collect();
    if !warned.is_empty() {
        parts.push(format!("warning: {}", warned.join(", ")));
    }
    parts.join(", ")
}

/// Whether a warning is told with its node: one that has no word of its own, and says more of the node than of the model.
pub fn matters(kind: WarningKind) -> bool {
    !matches!(kind, WarningKind::KgPartial | WarningKind::IdenticalSamples)
}

/// The walk from the question to a node, a line a step.
pub fn trajectory(view: &SessionView, id: NodeId) -> Vec<String> {
    let mut lines = Vec::new();
    for at in view.scene.state.path_to(id) {
        lines.push(format!("level {}, {}", at.depth, node(&view.scene, at.id)));
        lines.extend(at.observation.iter().map(|observation| one_line(observation)));
    }
    lines
}

fn value(scene: &Scene, node: &Node) -> String {
    match scene.level(node.id) {
        Level::None => "no value".to_owned(),
        Level::Pending => "value not there yet".to_owned(),
        Level::Unreadable => "value unknown".to_owned(),
        Level::Scored(value) => format!("value {value}"),
        Level::ByHand(value) => format!("value {value} by hand"),
    }
}

/// The nodes from the root on, each before what is below it.
pub fn in_order(scene: &Scene, from: NodeId, withdrawn: bool) -> Vec<NodeId> {
    let (mut all, mut left) = (Vec::new(), vec![from]);
    while let Some(id) = left.pop() {
        let Some(node) = scene.state.node(id) else { continue };
        if !withdrawn && scene.standing(id).withdrawn {
            continue;
        }
        all.push(id);
        left.extend(node.children.iter().rev());
    }
    all
}

/// The tree below a node, a line a node, with its level; rejected and outvoted choices where they were made.
pub fn tree(view: &SessionView, from: NodeId) -> Vec<String> {
    let scene = &view.scene;
    if scene.state.nodes.is_empty() {
        return vec!["there is no node yet: the question is linked to the graph first".to_owned()];
    }
    let mut lines = Vec::new();
    for id in in_order(scene, from, view.tree.rejected) {
        let level = scene.state.node(id).map_or(0, |node| node.depth);
        let here = if view.node() == Some(id) { ", selected" } else { "" };
        lines.push(format!("level {level}, {}{here}", node(scene, id)));
        if view.tree.rejected {
            for left in scene.left.get(&id).into_iter().flatten() {
                let what = if left.outvoted { "outvoted" } else { "rejected" };
                let why = if left.outvoted { String::new() } else { format!(": {}", left.why) };
                lines.push(format!("below node {}, {what}: {}, {}{why}", id.0, left.text, count(left.votes, "sample", "samples")));
            }
        }
    }
    lines
}

/// The local graph of the selected node, a numbered line a fact.
pub fn graph(view: &SessionView) -> Vec<String> {
    let mut lines = vec![worded(&view.graph.title())];
    lines.extend(view.graph.facts().iter().enumerate().map(|(at, row)| format!("{}. {}", at + 1, fact(row))));
    lines
}

fn fact(fact: &Fact) -> String {
    let mut parts = vec![fact.subject.clone(), fact.relation.clone()];
    if fact.mark == Mark::Cut {
        parts.push(format!("partial: {}", fact.object.split(" · ").next().unwrap_or_default()));
    } else {
        parts.push(fact.object.clone());
    }
    parts.push(format!("from {}", fact.kg_name));
    if let Some(node) = fact.node {
        parts.push(format!("brought by node {node}"));
    }
    match fact.mark {
        Mark::None => {}
        Mark::New => parts.push("new".to_owned()),
        Mark::ByHand => parts.push("by hand".to_owned()),
        Mark::Cut => parts.push("next page with this number fetches more".to_owned()),
        Mark::Gone => parts.push("taken away".to_owned()),
    }
    if !fact.notes.is_empty() {
        parts.push(fact.notes.clone());
    }
    worded(&parts.join(", "))
}

/// The state of the walk at the selected node, and what comes next, or came next then.
pub fn machine(view: &SessionView) -> Vec<String> {
    let node = view.node().and_then(|id| view.scene.state.node(id));
    let mut lines: Vec<String> = node.map(|node| format!("the state is {}", node.asm.name())).into_iter().collect();
    let aggregate = view.scene.state.started.is_some() && view.scene.state.settings().aggregate;
    lines.push(machine::sentence(node.map(|node| node.asm), node.map(|node| &node.action), aggregate).to_owned());
    lines.extend(view.upcoming().map(|next| worded(&next)));
    lines
}

/// What was spent, of how much.
pub fn budget(view: &SessionView) -> Vec<String> {
    if view.scene.state.started.is_none() {
        return vec!["the search has not begun".to_owned()];
    }
    let spent = view.scene.state.counters();
    let rows = budget::rows(&view.scene, &spent, view.ran_ms(), usize::from(u16::MAX));
    rows.into_iter().map(|(name, text, _)| worded(&format!("{name}: {}", text.trim_start_matches("⚠ ")))).collect()
}

/// The events, the latest of them, or as many of the latest as wished.
pub fn timeline(view: &SessionView, wanted: Option<usize>) -> Vec<String> {
    let entries = &view.snapshot.entries()[..view.seen().min(view.snapshot.entries().len())];
    let from = entries.len().saturating_sub(wanted.unwrap_or(LATEST));
    let line = |(at, entry): (usize, &std::sync::Arc<crate::search::Entry>)| {
        format!("event {at}, {}: {}", timeline::origin(entry).0, worded(&timeline::summary(entry, &view.snapshot.state)))
    };
    let mut lines: Vec<String> =
        (from > 0).then(|| format!("{from} events before these: timeline {} tells all", entries.len())).into_iter().collect();
    lines.extend(entries.iter().enumerate().skip(from).map(line));
    lines
}

/// What the search does: `paused; next: choose node: ...`.
pub fn run(view: &SessionView) -> String {
    let (said, _) = header::run_text(view);
    let run = said.split_once(' ').map_or(said.as_str(), |(_, words)| words);
    let answered = view.snapshot.state.finished.as_deref().is_some_and(|(end, _)| end.outcome == OutcomeKind::Answered);
    let is_end = matches!(view.snapshot.run_state(), RunState::Finished | RunState::Replay);
    let run = worded(&if answered && is_end { format!("answered: {run}") } else { run.to_owned() });
    match &view.snapshot.live.upcoming {
        Some(next) => format!("{run}; next: {}", one_line(next)),
        None => run,
    }
}

/// Which session it was forked from, and which replies came from there.
pub fn descent(view: &SessionView) -> Option<String> {
    header::descent(view).map(|words| worded(&words))
}

/// The question, the model and the graphs; of a fork, what it was forked from; why the search stands still, if it does.
pub fn started(view: &SessionView) -> Vec<String> {
    let Some(started) = view.snapshot.state.started.as_deref() else { return Vec::new() };
    let kgs: Vec<&str> = started.kgs.iter().map(|(kg, _)| &**kg).collect();
    let graphs = if kgs.len() == 1 { "graph" } else { "graphs" };
    let mut lines = vec![
        format!("question: {}", one_line(&started.question)),
        format!(
            "session {}; model: {}; {graphs}: {}",
            view.snapshot.live.session,
            view.snapshot.state.model_words(header::model),
            kgs.join(", ")
        ),
    ];
    lines.extend(descent(view));
    if !matches!(view.snapshot.run_state(), RunState::Running | RunState::Stepping) {
        lines.extend(view.scene.state.halted.as_deref().map(|halt| worded(&halt.words())));
    }
    lines
}
