//! What the KGs were asked about a node: query or URL, rows, time, where the reply came from.

use super::super::super::scene::{Scene, entity_name, relation_label};
use super::super::super::theme::Role;
use super::super::super::widgets::count;
use super::super::super::widgets::spark::seconds;
use super::super::super::widgets::wrap::Document;
use super::{heading, line};
use crate::calls::{KgData, KgOp, KgReply};
use crate::graph::EntityId;
use crate::kg::cache;
use crate::search::{Ask, Call, NodeId, Source, StepId};

pub(super) fn document(scene: &Scene, id: NodeId) -> Document {
    let mut document = Document::default();
    let mut steps: Vec<StepId> = scene.step_of(id).map(|step| step.id).into_iter().collect();
    // The calls that brought this node belong to it too: the question's links, the facts of a relation.
    steps.extend(scene.state.node(id).map(|node| node.step).filter(|step| !steps.contains(step)));
    for (at, step) in steps.iter().enumerate() {
        let asks: Vec<&Ask> = scene.state.asks.iter().map(|ask| &**ask).filter(|ask| ask.key.step == *step && !ask.is_llm()).collect();
        if asks.is_empty() {
            continue;
        }
        let what = match (at, id.0) {
            (0, _) if steps.len() > 1 => "When this node was expanded",
            (_, 0) => "When the question was linked",
            _ => "When this node was made",
        };
        heading(&mut document, what);
        asks.into_iter().for_each(|ask| call(&mut document, scene, id, ask));
    }
    if document.is_empty() {
        line(&mut document, Role::Dim, "No KG was asked here: thoughts, answers and choices of entities need none.");
    }
    document
}

fn call(document: &mut Document, scene: &Scene, id: NodeId, ask: &Ask) {
    let Call::Kg(kg) = &ask.call else { return };
    let state = &scene.state;
    let names = |ids: &[EntityId]| {
        let shown: Vec<String> = ids.iter().take(6).map(|entity| entity_name(state, Some(id), entity)).collect();
        if ids.len() > shown.len() { format!("{} and {} more", shown.join(", "), ids.len() - shown.len()) } else { shown.join(", ") }
    };
    let about = match &kg.op {
        KgOp::Search { mention, .. } => format!("“{mention}”"),
        KgOp::Relations { entities, .. } => names(entities),
        KgOp::Edges { entities, relation, .. } => format!("{} of {}", relation_label(state, Some(id), relation), names(entities)),
        KgOp::Describe { ids } => names(ids),
        KgOp::Link { entities } => names(&entities.iter().map(|e| e.id.clone()).collect::<Vec<_>>()),
        KgOp::Aggregate { entities, what, .. } => format!("{what} of {}", names(entities)),
    };
    let position = scene.kg(&kg.kg);
    document.push_line([
        (Role::of_kg(position), format!("{} {}  ", super::super::super::theme::kg_sign(position), kg.kg)),
        (Role::Title, format!("{}  ", kg.op.name())),
        (Role::Text, about),
    ]);
    match (&ask.reply, &ask.error) {
        (Some(reply), _) => replied(document, ask, reply),
        (None, Some(error)) => line(document, Role::Error, format!("    failed: {}", error.message)),
        (None, None) => line(document, Role::Unknown, "    … on its way"),
    }
}

fn replied(document: &mut Document, ask: &Ask, reply: &KgReply) {
    let source = match ask.source {
        Some(Source::Live) | None => "live",
        Some(Source::Recorded) => "from the parent's recording",
        Some(Source::Cached) => "asked before in this session",
        Some(Source::Preview) => "as previewed",
        Some(Source::You) => "by hand",
    };
    // As old as it was when it was asked for: a recording says the same whenever it is looked at.
    let source = match (reply.cached_at, ask.source) {
        (Some(when), Some(Source::Live) | None) => format!("from the cache, {}", cache::age(ask.at.saturating_sub(when) / 1000)),
        (Some(when), _) => format!("{source}, from the cache, {}", cache::age(ask.at.saturating_sub(when) / 1000)),
        (None, _) => source.to_owned(),
    };
    let got = match &reply.data {
        KgData::Candidates(list) => count(list.len(), "candidate", "candidates"),
        KgData::Relations(list) => count(list.len(), "relation", "relations"),
        KgData::Edges(list) => count(list.edges.len(), "edge", "edges"),
        KgData::Entities(list) => count(list.len(), "entity", "entities"),
        KgData::Aggregate(result) => result.reading.clone(),
    };
    let mut spans = vec![(Role::Dim, format!("    {got} · {} · {source}", seconds(ask.took_ms)))];
    if reply.partial {
        spans.push((Role::Warning, "  partial: the KG has more".to_owned()));
    }
    document.push_line(spans);
    for note in &reply.notes {
        line(document, Role::Warning, format!("    {note}"));
    }
    for wire in &reply.wire {
        let tries = if wire.tries > 1 { format!(" · {} tries", wire.tries) } else { String::new() };
        line(document, Role::Dim, format!("    {} rows · {}{tries}", wire.rows, seconds(wire.took_ms)));
        document.push(Role::Text, &indented(&wire.query));
    }
}

fn indented(query: &str) -> String {
    let lines: Vec<String> = query.trim_end().lines().map(|line| format!("      {line}")).collect();
    lines.join("\n")
}
