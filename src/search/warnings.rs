//! Warnings: what a person should look at in a search, each a row with its node. Pure functions of the state; a warning goes
//! by itself when what it is about is undone. Nodes that were withdrawn have none.

use super::ask::Ask;
use super::budget::Budget;
use super::describe::rejected_text;
use super::event::{Call, NodeId, Outcome, Purpose, Reason, Seq, StepId, StepKind, Valuation};
use super::state::{Node, State, Step, Value};
use crate::asm::Action;
use crate::calls::{AskId, CallErrorKind};
use crate::graph::{Edge, Object, Partial, RelationId};
use crate::micro::Micro;
use crate::text::{one_line, thousands};
use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// Children that are scored alike, from this many on, make a step flat.
pub const FLAT_CHILDREN: usize = 3;
/// Scores in a row that are alike, from this many on, make the search flat.
pub const FLAT_RUN: usize = 6;
/// A prompt is near a limit from this many percent of it on.
pub const NEAR_PERCENT: u64 = 90;

/// What a warning is about. Each variant says when exactly it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// The node has children, and all of them are errors.
    DeadBranch,
    /// No sample of a step could be read as something that was on offer (or all repeat a thought). Samples that never came do
    /// not count; at least one came.
    ParseFailures,
    /// All samples of a step, at least k and at least two, are the same text, and something could be read in it.
    IdenticalSamples,
    /// At least one choice of a step added no fact that was not there, and none added any; or the new facts of a node are those
    /// of an earlier node, on another walk.
    SameFacts,
    /// The model gave all children of a step, [`FLAT_CHILDREN`] or more, the same value; or its last [`FLAT_RUN`] scores in the
    /// tree are the same (said once, at the node that was scored last).
    ValuesFlat,
    /// A prompt left facts out, or is at [`NEAR_PERCENT`] or more of the shortest one that the model refused as too long (in
    /// bytes), or of the session's budget of tokens.
    PromptNearLimit,
    /// An answer that counts (neither pruned nor withdrawn) whose evidence is empty.
    Unsupported,
    /// A list of facts that the node brought was cut, and its pages did not bring the rest.
    KgPartial,
    /// A call to a KG failed in a step of the node.
    KgFailed,
    /// The call for the value of the node failed, and it has no other value.
    ValueFailed,
    /// The model could not be asked what the question mentions or which things are meant, or its reply could not be read.
    NotLinked,
}

impl WarningKind {
    /// The word of `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DeadBranch => "dead_branch",
            Self::ParseFailures => "parse_failures",
            Self::IdenticalSamples => "identical_samples",
            Self::SameFacts => "same_facts",
            Self::ValuesFlat => "values_flat",
            Self::PromptNearLimit => "prompt_near_limit",
            Self::Unsupported => "unsupported",
            Self::KgPartial => "kg_partial",
            Self::KgFailed => "kg_failed",
            Self::ValueFailed => "value_failed",
            Self::NotLinked => "not_linked",
        }
    }

    /// For people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::DeadBranch => "dead branch",
            Self::ParseFailures => "nothing readable",
            Self::IdenticalSamples => "identical samples",
            Self::SameFacts => "same facts again",
            Self::ValuesFlat => "values flat",
            Self::PromptNearLimit => "prompt near its limit",
            Self::Unsupported => "not supported",
            Self::KgPartial => "partial",
            Self::KgFailed => "KG failed",
            Self::ValueFailed => "value call failed",
            Self::NotLinked => "question not linked",
        }
    }
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// The node that it is about.
    pub node: NodeId,
    /// What it is.
    pub kind: WarningKind,
    /// In a sentence, on one line.
    pub text: String,
}

impl Warning {
    fn new(node: NodeId, kind: WarningKind, text: impl AsRef<str>) -> Self {
        Self { node, kind, text: one_line(text.as_ref()) }
    }
}

/// What was found out about a session at one moment that still holds at others: which answers have evidence, which nodes brought
/// what others had. It belongs to one session, and any moment of that may be asked about with it.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The last act or growth by hand when answers were looked at: it may have changed local graphs.
    since: Seq,
    supported: HashMap<NodeId, bool>,
    /// How many nodes were looked at.
    nodes: usize,
    /// The first node that brought these facts.
    first: HashMap<u128, NodeId>,
    /// Nodes that brought the facts of an earlier one.
    twins: Vec<(NodeId, NodeId)>,
}

impl Found {
    fn is_supported(&mut self, state: &State, answer: NodeId) -> bool {
        if self.since != state.reconsider {
            self.supported.clear();
            self.since = state.reconsider;
        }
        *self.supported.entry(answer).or_insert_with(|| !state.evidence(answer).is_empty())
    }

    /// What a node brought never changes: each is looked at once.
    fn twins<'a>(&'a mut self, state: &'a State) -> impl Iterator<Item = (&'a Node, NodeId)> {
        for node in state.nodes.iter().skip(self.nodes).filter(|node| !node.delta.edges.is_empty()) {
            let mut facts: Vec<Fact<'_>> = node.delta.edges.iter().map(fact).collect();
            facts.sort_unstable();
            let mut hash = Xxh3::new();
            facts.hash(&mut hash);
            match self.first.entry(hash.digest128()) {
                Entry::Occupied(first) => self.twins.push((node.id, *first.get())),
                Entry::Vacant(place) => {
                    place.insert(node.id);
                }
            }
        }
        self.nodes = self.nodes.max(state.nodes.len());
        self.twins.iter().filter_map(|(node, first)| Some((state.node(*node)?, *first)))
    }
}

impl State {
    /// All warnings, by node, then by kind.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings_with(&mut Found::default())
    }

    /// The same, without looking again for what was found at another moment of the same session.
    #[must_use]
    pub fn warnings_with(&self, found: &mut Found) -> Vec<Warning> {
        let mut all = Vec::new();
        if self.started.is_none() {
            return all;
        }
        self.dead_branches(&mut all);
        self.samples(&mut all);
        self.same_facts(&mut all, found);
        self.flat(&mut all);
        self.prompts(&mut all);
        let unsupported = self.answers().into_iter().filter(|id| !found.is_supported(self, *id));
        all.extend(unsupported.map(|id| {
            let said = match self.corrected_since(id) {
                Some(correction) => format!("the fact that it rests on was corrected by you: {}", correction.summary()),
                None => "no fact of its local graph names the answer: it comes from the model alone".to_owned(),
            };
            Warning::new(id, WarningKind::Unsupported, said)
        }));
        self.partial_lists(&mut all);
        self.failed_calls(&mut all);
        let standings = self.standings();
        all.retain(|warning| !standings[warning.node.index()].withdrawn);
        all.sort();
        all.dedup();
        all
    }

    fn dead_branches(&self, all: &mut Vec<Warning>) {
        let standings = self.standings();
        for node in &self.nodes {
            let mut children =
                node.children.iter().filter(|child| !standings[child.index()].withdrawn).filter_map(|child| self.node(*child));
            let Some(Node { action: Action::Error { why }, .. }) = children.next() else { continue };
            if children.all(|child| matches!(child.action, Action::Error { .. })) {
                all.push(Warning::new(node.id, WarningKind::DeadBranch, format!("nothing follows from it: {why}")));
            }
        }
    }

    /// The steps in which samples were drawn about a node and that are not undone.
    fn sampled(&self) -> impl Iterator<Item = (NodeId, &Step)> {
        let undone = |step: &Step| step.act.and_then(|act| self.acts.get(act.index())).is_some_and(|act| !act.active);
        let steps = self.steps.iter().filter(|step| matches!(step.kind, StepKind::Expand | StepKind::ForceFinal));
        steps.filter(move |step| !undone(step)).filter_map(|step| Some((step.node?, &**step)))
    }

    fn samples(&self, all: &mut Vec<Warning>) {
        let least = (self.settings().branching as usize).max(2);
        let mut asks: HashMap<StepId, &Ask> = HashMap::new();
        for ask in self.asks.iter().filter(|ask| ask.key.purpose == Purpose::Sample && ask.error.is_none()) {
            asks.insert(ask.key.step, ask);
        }
        for (node, step) in self.sampled() {
            if let Some((n, why)) = unreadable(step) {
                let samples = if n == 1 { "the only sample".to_owned() } else { format!("none of {n} samples") };
                let not = if n == 1 { "could not be used" } else { "could be used" };
                all.push(Warning::new(node, WarningKind::ParseFailures, format!("{samples} {not}: {why}")));
                continue;
            }
            let Some(ask) = asks.get(&step.id) else { continue };
            let mut texts = ask.samples.iter().map(|sample| sample.as_ref().and_then(|sample| sample.text.as_deref()).map(str::trim));
            let first = texts.next().flatten().filter(|text| !text.is_empty());
            if ask.samples.len() >= least && first.is_some() && texts.all(|text| text == first) {
                let said = format!("all {} samples are the same text: drawing several adds nothing here", ask.samples.len());
                all.push(Warning::new(node, WarningKind::IdenticalSamples, said));
            }
        }
    }

    fn same_facts(&self, all: &mut Vec<Warning>, found: &mut Found) {
        for (node, step) in self.sampled() {
            let nothing_new = |outcome: &Outcome| matches!(outcome, Outcome::Rejected { reason: Reason::NothingNew, .. });
            let chosen: Vec<String> = step
                .refused
                .iter()
                .filter(|row| nothing_new(&row.outcome))
                .filter_map(|row| match &row.outcome {
                    Outcome::Rejected { text, reason, .. } => Some(rejected_text(self, Some(node), *reason, text)),
                    _ => None,
                })
                .collect();
            let brought = step.children.iter().filter_map(|child| self.node(*child)).any(|child| !child.delta.edges.is_empty());
            if !chosen.is_empty() && !brought {
                let said = format!("what was chosen here adds no fact that is not known: {}", chosen.join(", "));
                all.push(Warning::new(node, WarningKind::SameFacts, said));
            }
        }
        for (node, first) in found.twins(self) {
            let of = match node.delta.edges.len() {
                1 => "the same fact".to_owned(),
                n => format!("the same {} facts", thousands(n as u64)),
            };
            all.push(Warning::new(node.id, WarningKind::SameFacts, format!("it brings {of} as node {}", first.0)));
        }
    }

    fn flat(&self, all: &mut Vec<Warning>) {
        let score = |node: &Node| match self.valued(node) {
            (Value::Scored(value), Some(Valuation::Asked(ask))) => Some((ask, value)),
            _ => None,
        };
        for (node, step) in self.sampled().filter(|(_, step)| step.closed) {
            let made = step.children.iter().filter_map(|child| self.node(*child)).filter(|child| child.step == step.id);
            let scores: Vec<Option<Micro>> = made.map(|child| score(child).map(|(_, value)| value)).collect();
            if let Some(Some(value)) = scores.first().filter(|_| scores.len() >= FLAT_CHILDREN)
                && scores.iter().all(|score| *score == Some(*value))
            {
                let said = format!("all {} children have the value {value}: the search has nothing to go by", scores.len());
                all.push(Warning::new(node, WarningKind::ValuesFlat, said));
            }
        }
        let mut scores: Vec<(AskId, NodeId, Micro)> =
            self.nodes.iter().filter_map(|node| score(node).map(|(ask, value)| (ask, node.id, value))).collect();
        scores.sort_unstable();
        let last = &scores[scores.len().saturating_sub(FLAT_RUN)..];
        if let Some((_, node, value)) = last.last().filter(|_| last.len() == FLAT_RUN)
            && last.iter().all(|(_, _, other)| other == value)
        {
            let said = format!("the last {FLAT_RUN} values that the model gave are all {value}");
            all.push(Warning::new(*node, WarningKind::ValuesFlat, said));
        }
    }

    fn prompts(&self, all: &mut Vec<Warning>) {
        let kind = WarningKind::PromptNearLimit;
        let mut said: BTreeMap<NodeId, String> = self.left_out().into_iter().collect();
        let length = |ask: &Ask| {
            let Call::Llm(call) = &ask.call else { return 0 };
            call.parts.iter().filter_map(|id| self.parts.get(id.index())).map(|part| part.text.len() as u64).sum()
        };
        let refused = |ask: &Ask| ask.error.as_ref().is_some_and(|error| error.kind == CallErrorKind::TooLong);
        let shortest = self.asks.iter().filter(|ask| ask.is_llm() && refused(ask)).map(|ask| length(ask)).min();
        let budget = self.settings().budgets.of(Budget::Tokens);
        if shortest.is_some() || budget.is_some() {
            for ask in self.asks.iter().filter(|ask| ask.is_llm() && !refused(ask)) {
                let Some(node) = self.asked_about(ask) else { continue };
                let (bytes, tokens) = (length(ask), ask.usage.prompt_tokens / u64::from(ask.replies.max(1)));
                if let Some(limit) = shortest.filter(|limit| is_near(bytes, *limit)) {
                    let (bytes, limit) = (thousands(bytes), thousands(limit));
                    said.entry(node)
                        .or_insert_with(|| format!("a prompt has {bytes} bytes, and one of {limit} was too long for the model"));
                } else if let Some(limit) = budget.filter(|limit| is_near(tokens, *limit)) {
                    let (tokens, limit) = (thousands(tokens), thousands(limit));
                    said.entry(node).or_insert_with(|| format!("a prompt has {tokens} tokens, and the search may use {limit}"));
                }
            }
        }
        all.extend(said.into_iter().map(|(node, said)| Warning::new(node, kind, said)));
    }

    fn partial_lists(&self, all: &mut Vec<Warning>) {
        let cut = self.cut_somewhere();
        for node in &self.nodes {
            let mut lists: Vec<&Partial> = Vec::new();
            let pages: Vec<&Step> = if node.delta.partial.is_empty() { Vec::new() } else { self.pages(node.id).collect() };
            for list in node.delta.partial.iter().chain(pages.iter().flat_map(|step| &step.page).flat_map(|page| &page.partial)) {
                lists.retain(|known| (&known.entity, &known.relation, known.direction) != (&list.entity, &list.relation, list.direction));
                if !list.is_whole() {
                    lists.push(list);
                }
            }
            let said = if let Some(first) = lists.first() {
                let more = if lists.len() > 1 { format!(" (and {} more lists)", lists.len() - 1) } else { String::new() };
                let extent = match first.of {
                    Some(of) => format!("{} of {}", thousands(first.shown), thousands(of)),
                    None => format!("the first {}, more exist", thousands(first.shown)),
                };
                format!("the facts of {} are a part: {extent}{more}", self.relation_named(node, &first.relation))
            } else if cut.contains(&node.id) {
                "a KG has more facts than it sent, and does not say of what".to_owned()
            } else {
                continue;
            };
            all.push(Warning::new(node.id, WarningKind::KgPartial, said));
        }
    }

    fn relation_named(&self, node: &Node, relation: &RelationId) -> String {
        let label = node.delta.relations.iter().find(|(id, _)| id == relation).map(|(_, label)| label.as_str());
        label.map_or_else(|| relation.to_string(), ToOwned::to_owned)
    }

    fn failed_calls(&self, all: &mut Vec<Warning>) {
        if let Some(root) = self.nodes.first() {
            all.extend(self.unlinked().iter().map(|why| Warning::new(root.id, WarningKind::NotLinked, why)));
        }
        for ask in &self.asks {
            let (Call::Kg(call), Some(error)) = (&ask.call, &ask.error) else { continue };
            let Some(step) = self.step(ask.key.step) else { continue };
            // What failed while the question was linked belongs to the root, once that is there.
            let Some(node) = step.node.or_else(|| self.nodes.first().map(|root| root.id)) else { continue };
            all.push(Warning::new(node, WarningKind::KgFailed, format!("{}: {}", call.kg, error.message)));
        }
        for node in &self.nodes {
            if let Some(error) = self.value_failed(node.id) {
                let said = format!("its value is unknown, the call for it failed: {}", error.message);
                all.push(Warning::new(node.id, WarningKind::ValueFailed, said));
            }
        }
    }
}

/// How many samples of a step came, and why the first of them is none, if none could be read.
fn unreadable(step: &Step) -> Option<(usize, &str)> {
    let (mut came, mut first) = (0, None);
    for row in step.reading(0)? {
        match &row.outcome {
            Outcome::Rejected { reason: Reason::LlmFailed, .. } => {}
            Outcome::Rejected { why, .. } => {
                came += row.slots.len();
                first = first.or(Some(why.as_str()));
            }
            _ => return None,
        }
    }
    first.map(|why| (came, why))
}

const fn is_near(used: u64, limit: u64) -> bool {
    used.saturating_mul(100) >= limit.saturating_mul(NEAR_PERCENT)
}

type Fact<'a> = (&'a str, &'a str, bool, &'a str);

fn fact(edge: &Edge) -> Fact<'_> {
    match &edge.o {
        Object::Entity(id) => (&edge.s, &edge.r, true, id),
        Object::Literal(literal) => (&edge.s, &edge.r, false, &literal.text),
    }
}
