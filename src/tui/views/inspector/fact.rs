//! One fact, or one entity: every id, what its statements say, and where it comes from, call by call.

use super::super::super::ids::whole;
use super::super::super::scene::{Scene, label};
use super::super::super::theme::{Role, kg_sign};
use super::super::super::widgets::count;
use super::super::super::widgets::wrap::Document;
use super::super::graph::Looked;
use super::{calls, heading, line};
use crate::graph::{Edge, EntityId, LocalGraph, Note, Object};
use crate::search::{NodeId, Origin, Provenance, StepKind};
use crate::text::one_line;

pub(super) fn document(scene: &Scene, id: NodeId, looked: Option<&Looked>) -> Document {
    let mut document = Document::default();
    let graph = scene.state.graph(id);
    match looked {
        Some(Looked::Fact(edge)) => {
            said(&mut document, scene, &graph, edge);
            extent(&mut document, scene, id, edge);
            source(&mut document, scene, id, edge);
            consequences(&mut document, scene, id, edge);
        }
        Some(Looked::Entity(entity)) => {
            heading(&mut document, "This entity");
            thing(&mut document, scene, &graph, "", entity);
            linked(&mut document, scene, &graph, entity);
            let facts = graph.edges().iter().filter(|e| e.s == *entity || matches!(&e.o, Object::Entity(o) if o == entity)).count();
            line(&mut document, Role::Dim, format!("{} of the local graph", count(facts, "fact", "facts")));
        }
        None => line(&mut document, Role::Dim, "Select a fact in the local graph (2): what it says and where it comes from stands here."),
    }
    document
}

/// The fact itself.
fn said(document: &mut Document, scene: &Scene, graph: &LocalGraph, edge: &Edge) {
    heading(document, "This fact");
    thing(document, scene, graph, "subject   ", &edge.s);
    document.push_line([
        (Role::Dim, "relation  ".to_owned()),
        (Role::Title, graph.relation_name(&edge.r).to_owned()),
        (Role::Dim, format!("  {}", edge.r)),
    ]);
    match &edge.o {
        Object::Entity(entity) => thing(document, scene, graph, "object    ", entity),
        Object::Literal(literal) => {
            document.push_line([(Role::Dim, "value     ".to_owned()), (Role::Literal, literal.text.clone())]);
            let language = literal.lang.as_ref().map(|lang| format!("language {lang}"));
            let raw = literal.raw.as_ref().map(|raw| format!("as the KG wrote it: {raw}"));
            for more in language.into_iter().chain(raw) {
                line(document, Role::Dim, format!("          {more}"));
            }
        }
    }
    let notes: Vec<String> = edge.notes.iter().map(Note::text).filter(|text| !text.is_empty()).collect();
    for (at, note) in notes.iter().enumerate() {
        let name = if at == 0 { "besides   " } else { "          " };
        document.push_line([(Role::Dim, name.to_owned()), (Role::Text, note.clone())]);
    }
    if !notes.is_empty() && !scene.state.settings().qualifiers {
        line(document, Role::Dim, "          not shown to the model (--qualifiers shows it)");
    }
}

/// An entity with its description and all its ids, whole.
fn thing(document: &mut Document, scene: &Scene, graph: &LocalGraph, name: &str, id: &EntityId) {
    let Some(entity) = graph.entity(id) else {
        document.push_line([(Role::Dim, name.to_owned()), (Role::Title, id.to_string())]);
        return;
    };
    document.push_line([(Role::Dim, name.to_owned()), (Role::Title, entity.name().to_owned())]);
    let indent = " ".repeat(name.len());
    line(document, Role::Dim, format!("{indent}{}", whole(scene, entity)));
    if let Some(description) = &entity.description {
        line(document, Role::Dim, format!("{indent}{description}"));
    }
}

/// How an entity of the question came to be linked.
fn linked(document: &mut Document, scene: &Scene, graph: &LocalGraph, id: &EntityId) {
    let linked = scene.state.linked();
    let Some(entity) = graph.entity(id).filter(|e| linked.iter().any(|root| root.id == e.id)) else { return };
    match scene.state.origin(entity) {
        Origin::Matched(all) => {
            for m in all {
                let of = count(m.candidates.len(), "candidate", "candidates");
                let kg = scene.kg(m.kg);
                document.push_line([
                    (Role::of_kg(kg), format!("{} ", kg_sign(kg))),
                    (Role::Text, format!("matched to “{}” of the question, from {of} in {}", m.mention, m.kg)),
                ]);
            }
            line(document, Role::Dim, "K changes the match");
        }
        Origin::ByHand => line(document, Role::ByHand, "✎ you linked it to the question"),
        Origin::Given => line(document, Role::Text, "given with --entity"),
        Origin::Unknown => {}
    }
}

/// Whether the fact is one of a list that was cut.
fn extent(document: &mut Document, scene: &Scene, id: NodeId, edge: &Edge) {
    if let Some(cut) = scene.state.cuts(id).into_iter().find(|cut| cut.holds(edge)) {
        line(document, Role::Warning, format!("◐ partial   {} has more of this list: {} · M fetches the next page", cut.kg, cut.extent()));
    }
}

/// The node, the step and the calls that brought it.
fn source(document: &mut Document, scene: &Scene, id: NodeId, edge: &Edge) {
    heading(document, "Where it comes from");
    if let Some(correction) = scene.state.correction_of(&scene.state.graph(id), edge) {
        let why = if correction.reason.is_empty() { String::new() } else { format!(": {}", one_line(&correction.reason)) };
        line(
            document,
            Role::ByHand,
            format!("✎ {} by you{why} · u takes it back, tot export --to corrections writes it", correction.change.done()),
        );
    }
    let Some(from) = scene.state.provenance(id, edge) else {
        line(document, Role::Dim, "no call of this session brought it");
        return;
    };
    document.push_line([
        (if from.by_hand() { Role::ByHand } else { Role::Text }, who(scene, &from)),
        (Role::Dim, format!("  ({})", one_line(&label(&scene.state, from.node)))),
    ]);
    if from.node != id {
        line(document, Role::Dim, "Enter in the table goes to that node");
    }
    for ask in &from.sources {
        let kg = ask.kg().map_or(0, |kg| scene.kg(kg));
        if ask.kg() != Some(&edge.kg) {
            line(document, Role::of_kg(kg), format!("{} says it too:", kg_sign(kg)));
        }
        calls::call(document, scene, id, ask);
    }
}

/// `brought by node 9, the 4th expansion`
fn who(scene: &Scene, from: &Provenance<'_>) -> String {
    let node = from.node.0;
    match from.step.kind {
        StepKind::Page => format!("✎ a page that you fetched at node {node}"),
        StepKind::Hand => format!("✎ brought by node {node}, which you made by hand"),
        StepKind::Start => format!("brought by node {node} when the question was linked"),
        StepKind::Expand | StepKind::ForceFinal | StepKind::Value | StepKind::Review => {
            let order = from.step.node.and_then(|node| scene.state.node(node)).and_then(|node| node.order);
            let order = order.map_or(String::new(), |order| format!(" in expansion #{}", order + 1));
            format!("brought by node {node}{order}, chosen by the model")
        }
    }
}

/// The prompts that showed it and the answers that rest on it.
fn consequences(document: &mut Document, scene: &Scene, id: NodeId, edge: &Edge) {
    let trace = scene.state.trace(edge, id);
    heading(document, "What came of it");
    match trace.prompts.len() {
        0 => line(document, Role::Dim, "No prompt showed it to the model."),
        n => {
            let nodes: Vec<String> = trace.nodes.iter().map(|node| node.0.to_string()).collect();
            let at = if nodes.len() == 1 { "node" } else { "nodes" };
            let said = format!("{} showed it to the model, about {at} {}", count(n, "prompt", "prompts"), nodes.join(", "));
            line(document, Role::Text, said);
        }
    }
    if !trace.before.is_empty() {
        let said = format!("{} of these came before your correction, with the old label.", trace.before.len());
        line(document, Role::ByHand, said);
    }
    if trace.answers.is_empty() {
        line(document, Role::Dim, "No answer rests on it.");
    }
    for answer in trace.answers {
        let is_it = scene.answer == Some(answer);
        let what = if is_it { "The answer of the search rests on it" } else { "An answer rests on it" };
        let role = if is_it { Role::Good } else { Role::Text };
        document.push_line([
            (role, format!("★ {what}: node {}", answer.0)),
            (Role::Dim, format!("  ({})", one_line(&label(&scene.state, answer)))),
        ]);
    }
}
