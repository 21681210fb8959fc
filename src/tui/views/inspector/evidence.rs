//! The facts that an answer rests on, each with the node that brought it.

use super::super::super::scene::Scene;
use super::super::super::theme::{Role, kg_sign};
use super::super::super::widgets::count;
use super::super::super::widgets::wrap::Document;
use super::calls::utc;
use super::{heading, line};
use crate::asm::Verdict;
use crate::graph::{Edge, Note, Object};
use crate::search::{NodeId, StepKind};
use crate::text;

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
    reviewed(&mut document, scene, id);
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
        if let Some(stands) = scene.state.verdict(id, &edge) {
            let judged = stands.judged;
            let (sign, role) = match judged.verdict {
                Verdict::Sound => ("✔", Role::Good),
                Verdict::Doubtful => ("⚠", Role::Warning),
                Verdict::Unknown => ("?", Role::Dim),
            };
            let why = if judged.reason.is_empty() { String::new() } else { format!(": {}", text::one_line(&judged.reason)) };
            line(&mut document, role, format!("    {sign} {}{why}", judged.verdict.name()));
            if let Some(by) = stands.said_by(&scene.state, utc) {
                line(&mut document, Role::Dim, format!("      {by}"));
            }
        }
        let found = scene.state.provenance(id, &edge);
        let from = found.as_ref().map_or(String::new(), |from| format!(" · brought by node {}", from.node.0));
        line(&mut document, Role::Dim, format!("    {} {}{from}", edge.kg, edge.r));
        let notes: Vec<String> = edge.notes.iter().map(Note::text).filter(|text| !text.is_empty()).collect();
        if !notes.is_empty() {
            line(&mut document, Role::Dim, format!("    {}", notes.join(" | ")));
        }
        for ask in found.iter().flat_map(|from| &from.sources) {
            let kg = ask.kg().map_or("", |kg| &**kg);
            line(&mut document, Role::Dim, format!("    {kg}: {} · {}", ask.came_from(), utc(ask.fetched_at())));
            if let Some(wire) = ask.reply.as_deref().and_then(|reply| reply.wire.last()) {
                line(&mut document, Role::Dim, format!("      {}", text::cut(&text::one_line(&wire.query), 300)));
            }
        }
    }
    line(&mut document, Role::Dim, "");
    line(&mut document, Role::Dim, "d on a fact of the local graph shows its whole query");
    line(&mut document, Role::Dim, "V lets the model judge each fact");
    document
}

/// What the model thinks of the facts, in a line; and what to do about those that it doubts.
fn reviewed(document: &mut Document, scene: &Scene, id: NodeId) {
    let state = &scene.state;
    if state.open_steps().any(|step| step.kind == StepKind::Review && step.node == Some(id)) {
        line(document, Role::Accent, "The model is judging these facts …");
    }
    let Some((step, judged)) = state.review(id) else { return };
    let with = |verdict| judged.iter().filter(|judged| judged.verdict == verdict).count();
    let (sound, doubtful, unknown) = (with(Verdict::Sound), with(Verdict::Doubtful), with(Verdict::Unknown));
    let by = text::one_line(state.reviewer(step));
    line(
        document,
        Role::Text,
        format!("Judged by {by}: {sound} sound, {doubtful} doubtful, {unknown} unknown. Its opinion changes nothing."),
    );
    let doubted = |fact: &Edge| state.verdict(id, fact).is_some_and(|stands| stands.judged.verdict == Verdict::Doubtful);
    if state.evidence(id).iter().any(doubted) {
        line(document, Role::Warning, "A fact that you doubt too: select it in the local graph (2), then w distrusts or corrects it.");
    }
    if by == "lexical" {
        line(document, Role::Dim, "The built-in model knows no facts: another one has to judge (r chooses the model, V asks it).");
    }
}
