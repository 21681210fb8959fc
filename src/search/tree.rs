//! What follows from the nodes and acts: which nodes are open, which comes next, which answer is best, what it rests on.

use super::act::Act;
use super::event::{By, NodeId, Outcome, OutcomeKind, Purpose, Reading, StepKind};
use super::state::{Node, State, Value};
use crate::asm::Action;
use crate::graph::{Edge, EntityId, LocalGraph, Object};
use crate::micro::Micro;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};

/// What the acts in force make of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Closed to the search by the person.
    pub pruned: bool,
    /// New samples that the person asked for took its place; it is pruned, too.
    pub replaced: bool,
    /// Made by an act that was undone, or below such a node.
    pub withdrawn: bool,
    /// Grown by hand: closed to the strategy.
    pub grown_by_hand: bool,
}

/// A row of the tree, in pre-order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// The node.
    pub node: NodeId,
    /// Steps from the root.
    pub depth: u32,
    /// Its action as a token.
    pub token: String,
    /// Its value in force.
    pub value: Option<Micro>,
    /// Its place in the order of expansions.
    pub order: Option<u32>,
    /// Whether it is an answer.
    pub terminal: bool,
}

/// A rejected or outvoted choice with the node it was made at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover<'a> {
    /// The node that was expanded.
    pub node: NodeId,
    /// What was read.
    pub reading: &'a Reading,
}

/// The result of a search, as `ask --json` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How it ended; `None` while it goes on.
    pub outcome: Option<OutcomeKind>,
    /// The answer's node.
    pub answer: Option<NodeId>,
    /// The answer.
    pub answer_text: Option<String>,
    /// The single answers in it.
    pub answers: Vec<String>,
    /// The best answer node that was not accepted.
    pub best_candidate: Option<NodeId>,
    /// Nodes in the tree.
    pub nodes: usize,
    /// Expansions that count.
    pub expanded: u32,
    /// Rejected children.
    pub rejected: usize,
    /// Their samples.
    pub rejected_samples: usize,
    /// Outvoted choices.
    pub outvoted: usize,
    /// Paths in the order of expansion.
    pub order: Vec<String>,
    /// The tree in pre-order.
    pub tree: Vec<TreeRow>,
    /// The facts that the answer rests on.
    pub evidence: Vec<Edge>,
}

impl State {
    /// What the acts in force make of every node.
    #[must_use]
    pub fn standings(&self) -> Vec<Standing> {
        let mut all = vec![Standing::default(); self.nodes.len()];
        for node in &self.nodes {
            let undone = self.step(node.step).and_then(|s| s.act).and_then(|a| self.acts.get(a.index())).is_some_and(|a| !a.active);
            let i = node.id.index();
            all[i].withdrawn = undone || node.parent.is_some_and(|p| all[p.index()].withdrawn);
            let marked = node.marks.iter().any(|a| self.acts.get(a.index()).is_some_and(|a| a.active));
            if let Some(parent) = node.parent.filter(|_| (node.by == By::You && !all[i].withdrawn) || marked) {
                all[parent.index()].grown_by_hand = true;
            }
        }
        for act in self.acts.iter().filter(|a| a.active) {
            match &act.what {
                Act::Prune { node, on } => self.cover(&mut all, *node, act.nodes_then, *on),
                Act::Choose { instead_of: Some(node), .. } => self.cover(&mut all, *node, act.nodes_then, true),
                Act::AskAgain { otherwise, .. } => {
                    // What was chosen again stands where it stood.
                    let again = |id: NodeId| self.steps.iter().any(|step| step.act == Some(act.id) && step.children.contains(&id));
                    for node in otherwise.replaces.iter().filter(|id| !again(**id)) {
                        (all[node.index()].pruned, all[node.index()].replaced) = (true, true);
                    }
                }
                _ => {}
            }
            for node in self.nodes.iter().filter(|n| n.marks.contains(&act.id)) {
                (all[node.id.index()].pruned, all[node.id.index()].replaced) = (false, false);
            }
        }
        all
    }

    /// Sets `pruned` on `top` and everything below it that existed when the act was done.
    fn cover(&self, all: &mut [Standing], top: NodeId, nodes_then: u32, on: bool) {
        let mut inside = vec![false; nodes_then as usize];
        for node in self.nodes.iter().take(nodes_then as usize).skip(top.index()) {
            let i = node.id.index();
            inside[i] = node.id == top || node.parent.is_some_and(|p| inside[p.index()]);
            if inside[i] {
                (all[i].pruned, all[i].replaced) = (on, false);
            }
        }
    }

    /// Whether the strategy could expand this node now.
    fn is_open(&self, node: &Node, standing: Standing) -> bool {
        let undone = |step| self.step(step).and_then(|s| s.act).and_then(|a| self.acts.get(a.index())).is_some_and(|a| !a.active);
        !node.action.is_answer()
            && node.expanded.is_none_or(undone)
            && !standing.pruned
            && !standing.withdrawn
            && !standing.grown_by_hand
            && self.value(node.id) != Value::Pending
    }

    /// Nodes that can be expanded and are not yet.
    #[must_use]
    pub fn frontier(&self) -> Vec<NodeId> {
        let standings = self.standings();
        self.nodes.iter().filter(|n| self.is_open(n, standings[n.id.index()])).map(|n| n.id).collect()
    }

    /// The node that comes next: one that is pinned, the one pinned first before the others; else known values before unknown ones before error nodes; then the highest value; then the
    /// deepest; then the one created first (scenarios, rule 12).
    #[must_use]
    pub fn next_node(&self) -> Option<NodeId> {
        let open = self.frontier();
        self.pinned_of(&open).or_else(|| open.into_iter().max_by_key(|id| self.rank(*id)))
    }

    /// The open node that a person pinned, the first of several.
    #[must_use]
    pub fn pinned_next(&self) -> Option<NodeId> {
        // Mostly nothing is pinned.
        self.pins().next()?;
        self.pinned_of(&self.frontier())
    }

    fn pinned_of(&self, open: &[NodeId]) -> Option<NodeId> {
        self.pins().map(|(_, node)| node).find(|node| open.contains(node))
    }

    /// The sort key of selection and of the best answer: larger is better.
    #[must_use]
    pub fn rank(&self, id: NodeId) -> (u8, Option<Micro>, u32, Reverse<NodeId>) {
        let node = &self.nodes[id.index()];
        let value = self.value(id).known();
        let class = match (&node.action, value) {
            (_, Some(_)) => 2,
            (Action::Error { .. }, None) => 0,
            (_, None) => 1,
        };
        (class, value, node.depth, Reverse(id))
    }

    /// Answer nodes that count, best first: value (unknown last), then deepest, then created first.
    #[must_use]
    pub fn answers(&self) -> Vec<NodeId> {
        let standings = self.standings();
        let counts = |n: &Node| n.action.is_answer() && !standings[n.id.index()].pruned && !standings[n.id.index()].withdrawn;
        let mut answers: Vec<NodeId> = self.nodes.iter().filter(|n| counts(n)).map(|n| n.id).collect();
        answers.sort_by_key(|id| Reverse(self.rank(*id)));
        answers
    }

    /// The tree in pre-order.
    #[must_use]
    pub fn tree_rows(&self) -> Vec<TreeRow> {
        let mut rows = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<NodeId> = self.nodes.first().map(|n| n.id).into_iter().collect();
        while let Some(id) = stack.pop() {
            let node = &self.nodes[id.index()];
            rows.push(TreeRow {
                node: id,
                depth: node.depth,
                token: node.action.token(),
                value: self.value(id).known(),
                order: node.order,
                terminal: node.action.is_answer(),
            });
            stack.extend(node.children.iter().rev());
        }
        rows
    }

    /// Choices that became no node, by step: rejected ones and outvoted ones.
    pub fn leftovers(&self) -> impl Iterator<Item = Leftover<'_>> {
        self.steps.iter().filter(|s| s.kind != StepKind::Start).filter_map(|s| s.node.map(|n| (n, s))).flat_map(|(node, step)| {
            let read = step.readings.iter().flat_map(|(_, rows)| rows);
            read.chain(&step.refused)
                .filter(|r| matches!(r.outcome, Outcome::Rejected { .. } | Outcome::Outvoted(_)))
                .map(move |reading| Leftover { node, reading })
        })
    }

    /// Listings that failed while another came: path of the node, and operation in the scenarios' words.
    #[must_use]
    pub fn failed_listings(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (step, node) in self.steps.iter().filter_map(|s| Some((s.id, s.node?))) {
            let listings = self.asks.iter().filter(|a| a.key.step == step).filter_map(|a| match a.key.purpose {
                Purpose::ListOut => Some((a, "relations_forward")),
                Purpose::ListIn => Some((a, "relations_reverse")),
                _ => None,
            });
            let (failed, came): (Vec<_>, Vec<_>) = listings.partition(|(ask, _)| ask.error.is_some());
            if !came.is_empty() {
                found.extend(failed.iter().map(|(_, op)| (self.path_text(node), (*op).to_owned())));
            }
        }
        found
    }

    /// The facts of the local graph of `answer` that it rests on: for every thing it names, the shortest ways from the
    /// question's entities to it. Empty when the graph knows nothing of it.
    #[must_use]
    pub fn evidence(&self, answer: NodeId) -> Vec<Edge> {
        self.evidence_in(&self.trusted_graph(answer), answer)
    }

    /// The same in another graph than the answer's own.
    pub(super) fn evidence_in(&self, graph: &LocalGraph, answer: NodeId) -> Vec<Edge> {
        let Some(Action::Answer { text, items }) = self.node(answer).map(|n| &n.action) else { return Vec::new() };
        let roots: Vec<EntityId> = self.graph(NodeId(0)).entities().map(|e| e.id.clone()).collect();
        let mut keep: HashSet<usize> = HashSet::new();
        for item in items.iter().chain(std::iter::once(text)) {
            let targets = named(graph, item);
            for (target, touching) in &targets {
                let mut found = false;
                for root in roots.iter().filter(|r| target.as_ref() != Some(r)) {
                    found |= walk(graph, root, touching, &mut keep);
                }
                if !found {
                    keep.extend(touching);
                }
            }
            if !targets.is_empty() && items.iter().any(|i| i == text) {
                break;
            }
        }
        let mut keep: Vec<usize> = keep.into_iter().collect();
        keep.sort_unstable();
        keep.into_iter().map(|i| graph.edges()[i].clone()).collect()
    }

    /// The result so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let finished = self.finished.as_deref().map(|(f, _)| f);
        let answer = finished.and_then(|f| f.answer);
        let (answer_text, answers) = match answer.and_then(|id| self.node(id)).map(|n| &n.action) {
            Some(Action::Answer { text, items }) => (Some(text.clone()), items.clone()),
            _ => (None, Vec::new()),
        };
        let mut order: Vec<(u32, NodeId)> = self.nodes.iter().filter_map(|n| n.order.map(|o| (o, n.id))).collect();
        order.sort_unstable();
        let (mut rejected, mut rejected_samples, mut outvoted) = (0, 0, 0);
        for left in self.leftovers() {
            if matches!(left.reading.outcome, Outcome::Outvoted(_)) {
                outvoted += 1;
            } else {
                rejected += 1;
                rejected_samples += left.reading.slots.len();
            }
        }
        Summary {
            outcome: finished.map(|f| f.outcome),
            answer,
            answer_text,
            answers,
            best_candidate: finished.and_then(|f| f.best_candidate),
            nodes: self.nodes.len(),
            expanded: self.expansions(),
            rejected,
            rejected_samples,
            outvoted,
            order: order.into_iter().map(|(_, id)| self.path_text(id)).collect(),
            tree: self.tree_rows(),
            evidence: answer.map(|a| self.evidence(a)).unwrap_or_default(),
        }
    }
}

/// Letters and digits of `text` in lower case, words separated by one blank.
fn folded(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Things of the graph that `item` names: an entity (or `None` for a literal) with the edges that touch it.
fn named(graph: &LocalGraph, item: &str) -> Vec<(Option<EntityId>, Vec<usize>)> {
    let wanted = folded(item);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(Option<EntityId>, Vec<usize>)> = Vec::new();
    for entity in graph.entities().filter(|e| folded(e.name()) == wanted) {
        let touches = |e: &Edge| e.s == entity.id || matches!(&e.o, Object::Entity(o) if *o == entity.id);
        let edges: Vec<usize> = graph.edges().iter().enumerate().filter(|(_, e)| touches(e)).map(|(i, _)| i).collect();
        if !edges.is_empty() {
            found.push((Some(entity.id.clone()), edges));
        }
    }
    for (i, edge) in graph.edges().iter().enumerate() {
        if matches!(&edge.o, Object::Literal(l) if folded(&l.text) == wanted) {
            found.push((None, vec![i]));
        }
    }
    found
}

/// Marks the edges of a shortest way from `root` to one of the edges in `touching`; false if there is none.
fn walk(graph: &LocalGraph, root: &EntityId, touching: &[usize], keep: &mut HashSet<usize>) -> bool {
    let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, edge) in graph.edges().iter().enumerate() {
        at.entry(&edge.s).or_default().push(i);
        if let Object::Entity(o) = &edge.o {
            at.entry(o).or_default().push(i);
        }
    }
    let goal: HashSet<usize> = touching.iter().copied().collect();
    let mut came: HashMap<&str, Option<(usize, &str)>> = HashMap::from([(&**root, None)]);
    let mut queue = VecDeque::from([&**root]);
    while let Some(here) = queue.pop_front() {
        for &i in at.get(here).into_iter().flatten() {
            if goal.contains(&i) {
                keep.insert(i);
                let mut back = here;
                while let Some(Some((edge, from))) = came.get(back) {
                    keep.insert(*edge);
                    back = from;
                }
                return true;
            }
            let edge = &graph.edges()[i];
            let Object::Entity(o) = &edge.o else { continue };
            let there: &str = if &*edge.s == here { o } else { &edge.s };
            if !came.contains_key(there) {
                came.insert(there, Some((i, here)));
                queue.push_back(there);
            }
        }
    }
    false
}
