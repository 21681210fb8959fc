//! From a node to the prompt that the model gets about it.

use super::super::ask::{Need, NotYet, What};
use super::super::event::{NodeId, Purpose, StepId};
use super::super::settings::Structured;
use super::super::state::{Node, State};
use super::shorter::{Cutter, Extent, Room};
use crate::asm::{Action, Edit, Options, PathStep, PromptContext};
use crate::calls::{Candidate, KgData, Part, PromptKind};
use crate::graph::{LocalGraph, Relation, RelationRef};

/// Tokens that a reply may take.
const fn max_tokens(kind: PromptKind, aggregate: bool) -> u32 {
    match kind {
        // A computation with its conditions is longer than an id.
        PromptKind::Relation if aggregate => 256,
        PromptKind::Match => 64,
        PromptKind::Relation | PromptKind::ScoreState => 96,
        PromptKind::Extract | PromptKind::Action | PromptKind::Entities | PromptKind::Review => 256,
        PromptKind::FinalAnswer | PromptKind::ScoreAnswer => 512,
    }
}

/// In thousandths: 0 whenever one sample is wanted, 1 when several are.
pub const fn usual_temperature(slots: u32) -> u32 {
    if slots > 1 { 1000 } else { 0 }
}

/// Whether replies of this kind can be constrained. A relation cannot where a computation may stand in its place.
const fn has_form(kind: PromptKind, aggregate: bool) -> bool {
    match kind {
        PromptKind::Relation => !aggregate,
        // Numbers and lists of names: nothing to choose from, or too little to go wrong.
        PromptKind::Extract | PromptKind::Match => false,
        PromptKind::Action | PromptKind::Entities | PromptKind::FinalAnswer => true,
        PromptKind::ScoreState | PromptKind::ScoreAnswer | PromptKind::Review => true,
    }
}

/// What a prompt is about.
pub struct Ingredients<'a> {
    /// What it is for.
    pub kind: PromptKind,
    /// The node whose graph and trajectory it shows.
    pub node: Option<NodeId>,
    /// What is on offer.
    pub options: Options,
    /// The answer that is scored.
    pub answer: Option<&'a str>,
    /// The mention that is matched.
    pub mention: Option<&'a str>,
    /// Whether the mention is an entity of the graph, looked for in another KG.
    pub linking: bool,
    /// Its candidates.
    pub candidates: &'a [Candidate],
    /// The fact that is judged, quoted.
    pub fact: Option<String>,
    /// The facts that the answer rests on, quoted.
    pub evidence: &'a [String],
    /// Samples wanted.
    pub slots: u32,
    /// What the person worded otherwise for this call.
    pub edits: &'a [Edit],
    /// The temperature, in thousandths, if it is not the usual one.
    pub temperature_milli: Option<u32>,
}

impl Ingredients<'_> {
    /// A prompt of `kind` about `node` for `slots` samples.
    pub const fn new(kind: PromptKind, node: Option<NodeId>, slots: u32) -> Self {
        Self {
            kind,
            node,
            options: Options::None,
            answer: None,
            mention: None,
            linking: false,
            candidates: &[],
            fact: None,
            evidence: &[],
            slots,
            edits: &[],
            temperature_milli: None,
        }
    }

    fn whole(&self, state: &State, graph: &LocalGraph, path: &[PathStep]) -> Need<Vec<Part>> {
        self.parts(state, Some(graph), path, 0, self.options.clone())
    }

    /// The prompt with this graph, which leaves out so many facts, and this offer.
    fn parts(&self, state: &State, graph: Option<&LocalGraph>, path: &[PathStep], omitted: usize, options: Options) -> Need<Vec<Part>> {
        let context = PromptContext {
            question: &state.started().question,
            graph,
            path,
            unlisted: offered(&self.options) - offered(&options),
            options,
            answer: self.answer,
            mention: self.mention,
            candidates: self.candidates,
            fact: self.fact.as_deref(),
            evidence: self.evidence,
            linking: self.linking,
            notes: state.settings().qualifiers,
            aggregate: state.settings().aggregate,
            omitted,
        };
        state.started().templates.edited(self.kind, &context, self.edits).map_err(|e| NotYet::Broken(e.to_string()))
    }

    /// The ask, in the room that there is for its prompt.
    pub fn build(&self, state: &State, room: &Room<'_>) -> Need<What> {
        let max_tokens = max_tokens(self.kind, state.settings().aggregate);
        let (parts, whole, left) = match self.node {
            None => (self.parts(state, None, &[], 0, self.options.clone())?, Extent::default(), Extent::default()),
            Some(node) => {
                let cutter = Cutter::of(state, node, state.graph(node));
                let path = trajectory(state, node, cutter.whole());
                let relations = if let Options::Relations(list) = &self.options { list.len() } else { 0 };
                let whole = Extent { facts: cutter.whole().edges().len(), relations };
                let cut = |keep: usize| {
                    let left = whole.with(keep);
                    let graph = cutter.with(left.facts);
                    let options = among(&self.options, &graph, left.relations);
                    self.parts(state, Some(&graph), &path, whole.facts - left.facts, options)
                };
                let length = |keep: usize| -> Need<usize> {
                    let parts = if keep == whole.lines() { self.whole(state, cutter.whole(), &path)? } else { cut(keep)? };
                    Ok(parts.iter().map(|part| part.text.len()).sum())
                };
                match room.lines(max_tokens, whole.lines(), length)? {
                    Some(keep) if keep < whole.lines() => (cut(keep)?, whole, whole.with(keep)),
                    _ => (self.whole(state, cutter.whole(), &path)?, whole, whole),
                }
            }
        };
        // Of a list that is whole nothing is to be said.
        let of = |whole: usize, left: usize| {
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            if left < whole { (number(left), number(whole - left)) } else { (0, 0) }
        };
        let ((shown, omitted), (listed, unlisted)) = (of(whole.facts, left.facts), of(whole.relations, left.relations));
        Ok(What::Llm {
            kind: self.kind,
            parts,
            temperature_milli: self.temperature_milli.unwrap_or_else(|| usual_temperature(self.slots)),
            stop: state.started().templates.profile().stops(self.kind),
            max_tokens,
            slots: self.slots,
            omitted,
            shown,
            unlisted,
            listed,
            structured: state.settings().structured != Structured::Off && has_form(self.kind, state.settings().aggregate),
        })
    }
}

/// How many entities or relations are on offer.
fn offered(options: &Options) -> usize {
    match options {
        Options::Entities(list) => list.len(),
        Options::Relations(list) => list.len(),
        Options::None | Options::Actions { .. } => 0,
    }
}

/// What of `options` is left when the prompt shows `graph` and lists so many relations: entities that it does not hold are not on offer.
/// Where none of them is left, all are: an offer of nothing is none.
fn among(options: &Options, graph: &LocalGraph, relations: usize) -> Options {
    match options {
        Options::Relations(list) => Options::Relations(list.iter().take(relations).cloned().collect()),
        Options::Entities(list) if list.iter().any(|entity| graph.entity(&entity.id).is_some()) => {
            Options::Entities(list.iter().filter(|entity| graph.entity(&entity.id).is_some()).cloned().collect())
        }
        other => other.clone(),
    }
}

/// The steps from the root to `node` as the prompt tells them.
pub fn trajectory(state: &State, node: NodeId, graph: &LocalGraph) -> Vec<PathStep> {
    let mut steps = Vec::new();
    for node in state.path_to(node) {
        match &node.action {
            Action::Root => {}
            Action::Think { text } => steps.push(PathStep::Think(text.clone())),
            Action::Expand { text } => steps.push(PathStep::Expand(text.clone())),
            Action::Answer { text, .. } => steps.push(PathStep::Answer(text.clone())),
            Action::Error { why } => steps.push(PathStep::Error(why.clone())),
            Action::SelectEntities { ids } => {
                steps.push(PathStep::Entities(ids.iter().map(|id| (id.clone(), graph.name(id).to_owned())).collect()));
            }
            Action::Aggregate { what, .. } => steps.push(PathStep::Aggregate(what.to_string())),
            Action::SelectRelation { relation } => {
                steps.push(PathStep::Relation { token: relation.token(), reading: reading(state, node, relation, graph) });
            }
        }
        if let Some(observation) = &node.observation {
            steps.push(PathStep::Observation(observation.clone()));
        }
    }
    steps
}

/// How the relation reads in its direction: as it was offered, else by the graph's label.
fn reading(state: &State, node: &Node, relation: &RelationRef, graph: &LocalGraph) -> String {
    let offered = node.parent.map(|p| offered_relations(state, p)).unwrap_or_default();
    offered.iter().find(|r| r.at == *relation).map_or_else(
        || {
            Relation {
                at: relation.clone(),
                label: Some(graph.relation_name(&relation.id).to_owned()),
                inverse_label: None,
                count: None,
                count_is_bound: false,
                identifier: false,
            }
            .reading()
        },
        Relation::reading,
    )
}

/// The relations that were listed when `node` was expanded (without identifiers), out before in, KG by KG.
pub fn offered_relations(state: &State, node: NodeId) -> Vec<Relation> {
    let listed = state.steps.iter().rev().filter(|s| s.node == Some(node));
    listed.map(|s| offered_relations_of(state, s.id)).find(|list| !list.is_empty()).unwrap_or_default()
}

/// The relations that were listed in `step`.
pub fn offered_relations_of(state: &State, step: StepId) -> Vec<Relation> {
    let mut all: Vec<Relation> = Vec::new();
    for purpose in [Purpose::ListOut, Purpose::ListIn] {
        for lane in 0..u32::try_from(state.started().kgs.len()).unwrap_or(0) {
            let reply = state.ask_of(super::round::key(step, purpose, lane)).and_then(|a| a.reply.as_deref());
            if let Some(KgData::Relations(list)) = reply.map(|r| &r.data) {
                // The same relation in two KGs is one offer: its edges are asked of both.
                for relation in list.iter().filter(|r| !r.identifier) {
                    let same = |r: &Relation| (&r.at.id, r.at.direction) == (&relation.at.id, relation.at.direction);
                    if !all.iter().any(same) {
                        all.push(relation.clone());
                    }
                }
            }
        }
    }
    all
}
