//! The facts that an answer rests on, each with the node that brought it.

use super::super::super::scene::Scene;
use super::super::super::theme::{Role, kg_sign};
use super::super::super::widgets::count;
use super::super::super::widgets::wrap::Document;
use super::{heading, line};
use crate::graph::{Edge, Object};
use crate::search::{NodeId, State};

pub(super) fn document(scene: &Scene, id: NodeId) -> Document {
    let mut document = Document::default();
    let Some(node) = scene.state.node(id) else { return document };
    if !node.action.is_answer() {
        line(&mut document, Role::Dim, "This node is no answer. Select an answer (★) to see the facts it rests on.");
        return document;
    }
    let edges = scene.state.evidence(id);
    if edges.is_empty() {
        heading(&mut document, "Not in the graph");
        let said = "The local graph names nothing of this answer: it comes from the model alone. Treat it as a guess.";
        document.push(Role::Warning, said);
        return document;
    }
    heading(&mut document, count(edges.len(), "fact", "facts"));
    let graph = scene.state.graph(id);
    for edge in edges {
        let object = match &edge.o {
            Object::Entity(entity) => graph.name(entity).to_owned(),
            Object::Literal(literal) => literal.text.clone(),
        };
        let kg = scene.kg(&edge.kg);
        document.push_line([
            (Role::of_kg(kg), format!("{} ", kg_sign(kg))),
            (Role::Title, graph.name(&edge.s).to_owned()),
            (Role::Dim, format!("  {}  ", graph.relation_name(&edge.r))),
            (Role::Title, object),
        ]);
        let from = brought_by(&scene.state, id, &edge).map_or(String::new(), |node| format!(" · brought by node {}", node.0));
        line(&mut document, Role::Dim, format!("    {} {}{from}", edge.kg, edge.r));
    }
    document
}

/// The node on the way to `id` whose step brought `edge`.
pub fn brought_by(state: &State, id: NodeId, edge: &Edge) -> Option<NodeId> {
    state.path_to(id).into_iter().find(|node| node.delta.edges.iter().any(|other| other.same_fact(edge))).map(|node| node.id)
}
