//! What the KGs were asked about a node: query or URL, rows, time, where the reply came from.

use super::super::super::flying::{self, Flying};
use super::super::super::scene::{Scene, entity_name, relation_label};
use super::super::super::theme::{Role, kg_sign};
use super::super::super::widgets::count;
use super::super::super::widgets::spark::seconds;
use super::super::super::widgets::wrap::Document;
use super::{heading, line};
use crate::calls::{KgData, KgOp, KgReply};
use crate::graph::EntityId;
use crate::search::{Ask, Call, NodeId, StepId, StepKind, UnixMs};
use crate::text::thousands;

pub(super) fn document(scene: &Scene, id: NodeId, flying: &Flying<'_>) -> Document {
    let mut document = Document::default();
    in_flight(&mut document, scene, flying);
    let mut steps: Vec<StepId> = scene.step_of(id).map(|step| step.id).into_iter().collect();
    // The calls that brought this node belong to it too: the question's links, the facts of a relation.
    steps.extend(scene.state.node(id).map(|node| node.step).filter(|step| !steps.contains(step)));
    steps.extend(scene.state.pages(id).map(|step| step.id).filter(|step| !steps.contains(step)).collect::<Vec<_>>());
    let flights = !document.is_empty();
    for (at, step) in steps.iter().enumerate() {
        let asks: Vec<&Ask> = scene.state.asks.iter().map(|ask| &**ask).filter(|ask| ask.key.step == *step && !ask.is_llm()).collect();
        if asks.is_empty() {
            continue;
        }
        let what = match (at, id.0) {
            _ if scene.state.step(*step).is_some_and(|step| step.kind == StepKind::Page) => "When you asked for the next page",
            (0, _) if steps.len() > 1 => "When this node was expanded",
            (_, 0) => "When the question was linked",
            _ => "When this node was made",
        };
        heading(&mut document, what);
        asks.into_iter().for_each(|ask| call(&mut document, scene, id, ask));
    }
    if document.is_empty() || (flights && steps.is_empty()) {
        line(&mut document, Role::Dim, "No KG was asked here: thoughts, answers and choices of entities need none.");
    }
    document
}

/// Calls on their way, with how long, and why they wait.
pub(super) fn in_flight(document: &mut Document, scene: &Scene, flying: &Flying<'_>) {
    let waits = flying.waits(scene);
    let flights: Vec<_> = flying.calls().collect();
    if flights.is_empty() && waits.is_empty() {
        return;
    }
    heading(document, "In flight · D cancels one, X drops all");
    for flight in flights {
        let (sign, role) = flying::sign(flight.kg.as_ref(), scene);
        document.push_line([
            (role, format!("{sign} ")),
            (Role::Text, flight.what.clone()),
            (Role::Dim, format!(" · {}", seconds(flying.elapsed(flight)))),
        ]);
    }
    for held in waits {
        document.push_line([(held.role, format!("{} ", held.sign)), (Role::Warning, held.text)]);
    }
}

/// A call: what was asked, and what came from where and when.
pub(super) fn call(document: &mut Document, scene: &Scene, id: NodeId, ask: &Ask) {
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
        (Role::of_kg(position), format!("{} {}  ", kg_sign(position), kg.kg)),
        (Role::Title, format!("{}  ", kg.op.name())),
        (Role::Text, about),
    ]);
    match (&ask.reply, &ask.error) {
        (Some(reply), _) => replied(document, scene, id, ask, reply),
        (None, Some(error)) => line(document, Role::Error, format!("    failed: {}", error.message)),
        (None, None) => line(document, Role::Unknown, "    … on its way"),
    }
}

fn replied(document: &mut Document, scene: &Scene, id: NodeId, ask: &Ask, reply: &KgReply) {
    let source = format!("{} · {}", ask.came_from(), utc(ask.fetched_at()));
    let got = match &reply.data {
        KgData::Candidates(list) => count(list.len(), "candidate", "candidates"),
        KgData::Relations(list) => count(list.len(), "relation", "relations"),
        KgData::Edges(list) => count(list.edges.len(), "edge", "edges"),
        KgData::Entities(list) => count(list.len(), "entity", "entities"),
        KgData::Aggregate(result) => result.reading.clone(),
    };
    let mut spans = vec![(Role::Dim, format!("    {got} · {} · {source}", seconds(ask.took_ms)))];
    let cuts: Vec<_> = ask.facts().iter().flat_map(|list| &list.partial).collect();
    if reply.partial && cuts.is_empty() {
        spans.push((Role::Warning, "  ◐ partial: the KG has more".to_owned()));
    }
    document.push_line(spans);
    for cut in cuts {
        let name = entity_name(&scene.state, Some(id), &cut.entity);
        let extent = match cut.of {
            Some(of) => format!("{} of {}", thousands(cut.shown), thousands(of)),
            None => format!("first {}, more exist", thousands(cut.shown)),
        };
        line(document, Role::Warning, format!("    ◐ partial: {name}: {extent}"));
    }
    for note in &reply.notes {
        line(document, Role::Warning, format!("    {note}"));
    }
    for wire in &reply.wire {
        let tries = if wire.tries > 1 { format!(" · {} tries", wire.tries) } else { String::new() };
        line(document, Role::Dim, format!("    {} rows · {}{tries}", wire.rows, seconds(wire.took_ms)));
        document.push(Role::Text, &indented(&wire.query));
    }
}

/// `29 Nov 2026 22:51:39 UTC`
pub(super) fn utc(at: UnixMs) -> String {
    // Beyond the year 9999 there is no such date.
    let seconds = (at / 1000).min(253_402_300_799);
    let date = httpdate::fmt_http_date(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds));
    date.get(5..25).map_or_else(|| date.clone(), |date| format!("{date} UTC"))
}

fn indented(query: &str) -> String {
    let lines: Vec<String> = query.trim_end().lines().map(|line| format!("      {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn points_in_time_are_readable_and_none_breaks_it() {
        assert_eq!(super::utc(784_111_777_000), "06 Nov 1994 08:49:37 UTC");
        assert!(super::utc(u64::MAX).ends_with("9999 23:59:59 UTC"));
    }
}
