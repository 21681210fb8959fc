//! The next page of a list that a KG cut: a person asked for it.

use super::super::act::Act;
use super::super::ask::{Ask, Need};
use super::super::event::{Event, Purpose};
use super::super::state::{State, Step};
use super::grow::{newcomers, news};
use super::link;
use super::round::{key, of_kg, settled};
use crate::calls::KgOp;
use crate::graph::{Delta, EntityId, Partial};

/// The next decision of a page: the call, then what it brought, then the end.
pub fn advance(state: &State, step: &Step) -> Need<Event> {
    let more = match step.act.and_then(|act| state.acts.get(act.index())).map(|act| &act.what) {
        Some(more @ Act::More { .. }) if step.page.is_none() => more,
        _ => return Ok(Event::Closed { step: step.id }),
    };
    let Act::More { node, entity, relation, kg, direction } = more else { return Ok(Event::Closed { step: step.id }) };
    let graph = state.graph(*node);
    let entity = graph.resolve(entity).clone();
    let cuts = state.cuts(*node);
    let cut = cuts.iter().find(|c| (&c.entity, &c.relation, &c.kg, c.direction) == (&entity, relation, kg, *direction));
    let paged = |delta: Delta, notices: Vec<String>| Ok(Event::Paged { step: step.id, node: *node, delta, notices });
    // The ask knows where it began, whatever happened since.
    let asked = state.ask_of(key(step.id, Purpose::Edges, 0));
    let (Some(id), Some(from)) = (graph.id_in(kg, &entity), asked.map(|ask| u64::from(ask.window().0)).or(cut.map(|c| c.shown))) else {
        return paged(Delta::default(), vec![format!("{kg} has no more of it")]);
    };
    let settings = state.settings();
    let op = KgOp::Edges {
        entities: vec![id],
        relation: relation.clone(),
        direction: *direction,
        cap: settings.edge_cap,
        offset: u32::try_from(from).unwrap_or(u32::MAX),
        all_ranks: settings.all_ranks,
    };
    let ask = settled(state, key(step.id, Purpose::Edges, 0), |_| Ok(of_kg(kg, op.clone())))?;
    let Some(list) = ask.edges() else {
        let why = ask.error.as_ref().map_or("it sent no edges", |error| error.message.as_str());
        return paged(Delta::default(), vec![format!("the next page did not come: {why}")]);
    };
    let linked = link::by_identifiers(state, step, 0, newcomers(&graph, &[ask]))?;
    let mut delta = news(&graph, &[list], &linked.entities);
    let of = cut.and_then(|c| c.of);
    delta.partial = vec![reach(&entity, ask, from, of, (relation, *direction))];
    paged(delta, linked.notices)
}

/// How far the list was read with this page, from the beginning.
fn reach(
    entity: &EntityId,
    page: &Ask,
    from: u64,
    of: Option<u64>,
    (relation, direction): (&crate::graph::RelationId, crate::graph::Direction),
) -> Partial {
    let list = page.edges();
    let here = list.map_or(0, |list| list.edges.len() as u64);
    let said = list.and_then(|list| list.partial.first());
    let cut = page.reply.as_deref().is_some_and(|reply| reply.partial);
    let partial = |shown: u64, of: Option<u64>| Partial { entity: entity.clone(), relation: relation.clone(), direction, shown, of };
    match said {
        Some(p) if p.shown > from => partial(p.shown, p.of.or(of)),
        // More is said to exist, but nothing came: the list ends here, or it would be asked for ever.
        None if cut && here > 0 => partial(from + here, of.filter(|of| *of > from + here)),
        _ => partial(from + here, Some(from + here)),
    }
}
