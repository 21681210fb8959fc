//! The rows of the table: the facts in order of arrival, and after each list that a KG cut a remark that says so.

use super::super::super::ids::Aliases;
use super::super::super::scene::Scene;
use super::super::super::widgets::table::{Fact, Mark};
use crate::asm::Verdict;
use crate::graph::{Edge, EntityId, LocalGraph, Note, Object};
use crate::search::correction::Correction;
use crate::search::{By, Cut, NodeId};
use crate::text::one_line;
use std::collections::HashMap;

/// The table of the graph of a node. A remark stands for the list of this position in `cuts`.
pub(super) struct Rows {
    /// The rows.
    pub(super) facts: Vec<Fact>,
    /// For each row the list that it belongs to, as a position in the cuts.
    pub(super) cut_of: Vec<Option<usize>>,
}

impl Rows {
    /// The rows of the graph of node `id`.
    pub(super) fn of(scene: &Scene, id: NodeId, graph: &LocalGraph, cuts: &[Cut], aliases: &Aliases) -> Self {
        let brought = brought(scene, id, graph);
        let ids = |id: &EntityId| graph.entity(id).map_or_else(String::new, |entity| aliases.line(scene, entity));
        let edges = graph.edges();
        let cut_of: Vec<Option<usize>> = edges.iter().map(|edge| cuts.iter().position(|cut| cut.holds(edge))).collect();
        // A list whose every fact another KG had said before has no row to stand after.
        let last: Vec<Option<usize>> = (0..cuts.len()).map(|cut| cut_of.iter().rposition(|of| *of == Some(cut))).collect();
        let mut rows = Self { facts: Vec::new(), cut_of: Vec::new() };
        for (at, edge) in edges.iter().enumerate() {
            let from = brought.get(&(&edge.s, &edge.r, &edge.o)).copied();
            let mark = match from {
                Some((_, true)) => Mark::ByHand,
                Some((node, _)) if node == id => Mark::New,
                _ => Mark::None,
            };
            let mut fact = fact(scene, graph, edge, &ids);
            let correction = scene.state.correction_of(graph, edge);
            let mark = if correction.is_some() { Mark::ByHand } else { mark };
            let judged = scene.state.verdict(id, edge).map(|stands| stands.judged).filter(|judged| judged.verdict == Verdict::Doubtful);
            let doubt = judged.map(|judged| format!("⚠ doubtful (w): {}", one_line(&judged.reason)));
            fact.notes = correction
                .map(said)
                .into_iter()
                .chain(doubt)
                .chain((!fact.notes.is_empty()).then(|| fact.notes.clone()))
                .collect::<Vec<_>>()
                .join(" · ");
            rows.facts.push(Fact { node: from.map(|(node, _)| node.0), mark, edge: Some(at), ..fact });
            rows.cut_of.push(cut_of[at]);
            for cut in (0..cuts.len()).filter(|cut| last[*cut] == Some(at)) {
                rows.remark(scene, graph, cut, &cuts[cut]);
            }
        }
        for cut in (0..cuts.len()).filter(|cut| last[*cut].is_none()) {
            rows.remark(scene, graph, cut, &cuts[cut]);
        }
        for (_, correction) in scene.state.corrections() {
            if scene.state.was_brought(id, &correction.fact) && !graph.contains(&correction.fact) {
                let gone = fact(scene, graph, &correction.fact, &ids);
                rows.facts.push(Fact { mark: Mark::Gone, notes: said(correction), ..gone });
                rows.cut_of.push(None);
            }
        }
        rows
    }

    fn remark(&mut self, scene: &Scene, graph: &LocalGraph, at: usize, cut: &Cut) {
        self.cut_of.push(Some(at));
        self.facts.push(Fact {
            subject: one_line(graph.name(&cut.entity)),
            relation: one_line(graph.relation_name(&cut.relation)),
            object: format!("{} · M fetches more", cut.extent()),
            kg: scene.kg(&cut.kg),
            kg_name: cut.kg.to_string(),
            mark: Mark::Cut,
            ..Fact::default()
        });
    }
}

/// The node that brought each fact, and whether a person did.
fn brought<'a>(
    scene: &'a Scene,
    id: NodeId,
    graph: &'a LocalGraph,
) -> HashMap<(&'a EntityId, &'a crate::graph::RelationId, &'a Object), (NodeId, bool)> {
    let mut known: HashMap<Edge, (NodeId, bool)> = HashMap::new();
    for node in scene.state.path_to(id) {
        let pages = scene.state.pages(node.id).filter_map(|step| step.page.as_deref()).map(|page| (page, true));
        for (delta, by_hand) in std::iter::once((&*node.delta, node.by == By::You)).chain(pages) {
            for edge in &delta.edges {
                let edge = Edge { notes: Vec::new(), ..graph.resolved(edge) };
                known.entry(edge).or_insert((node.id, by_hand));
            }
        }
    }
    let from = |edge: &'a Edge| {
        let bare = Edge { notes: Vec::new(), ..edge.clone() };
        known.get(&bare).map(|from| ((&edge.s, &edge.r, &edge.o), *from))
    };
    graph.edges().iter().filter_map(from).collect()
}

fn fact(scene: &Scene, graph: &LocalGraph, edge: &Edge, ids: &dyn Fn(&EntityId) -> String) -> Fact {
    let (object, object_ids) = match &edge.o {
        Object::Entity(entity) => (one_line(graph.name(entity)), ids(entity)),
        Object::Literal(literal) => (one_line(&literal.text), String::new()),
    };
    Fact {
        subject: one_line(graph.name(&edge.s)),
        subject_ids: ids(&edge.s),
        relation: one_line(graph.relation_name(&edge.r)),
        object,
        object_ids,
        notes: notes(edge),
        literal: matches!(edge.o, Object::Literal(_)),
        kg: scene.kg(&edge.kg),
        kg_name: edge.kg.to_string(),
        ..Fact::default()
    }
}

/// What a person did to a fact, and why: `deleted by you (it closed in 1999)`.
fn said(correction: &Correction) -> String {
    let why = if correction.reason.is_empty() { String::new() } else { format!(" ({})", one_line(&correction.reason)) };
    format!("{} by you{why}", correction.change.done())
}

/// What the statements behind an edge say besides, on one line.
pub(super) fn notes(edge: &Edge) -> String {
    let said: Vec<String> = edge.notes.iter().map(Note::text).filter(|text| !text.is_empty()).collect();
    one_line(&said.join(" | "))
}
