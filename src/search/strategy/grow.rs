//! What comes of the choices of an expansion or of a growth by hand: edges for every chosen relation together, the new entities' ids
//! elsewhere, then new nodes.

use super::super::ask::{Ask, Need};
use super::super::event::{Call, Event, NewNode, NodeId, Outcome, Purpose, Reading, Reason, StepId, StepKind};
use super::super::state::{Node, State, Step};
use super::expand::{graph_with_links, notices};
use super::link;
use super::round::{key, of_kg, settled, together};
use crate::asm::Action;
use crate::calls::{Aggregate, EdgeList, KgCall, KgData, KgOp};
use crate::graph::{Delta, Direction, Edge, Entity, EntityId, KgName, Literal, LiteralKind, LocalGraph, Object, RelationRef};
use crate::text::one_line;
use indexmap::IndexMap;

/// The tree grows, as decided.
pub(super) fn grew(step: &Step, children: Vec<NewNode>, refused: Vec<Reading>, notices: Vec<String>) -> Event {
    Event::Grew { step: step.id, children, refused, notices }
}

/// A child that says why there is no other.
pub(super) fn error_node(parent: NodeId, why: String) -> NewNode {
    NewNode { parent: Some(parent), merged: None, action: Action::Error { why }, delta: Delta::default(), observation: None, votes: (0, 0) }
}

/// Carries out what was chosen: edges for every chosen relation together, the new entities' ids elsewhere, then the new
/// nodes.
pub(super) fn grow(state: &State, step: &Step, node: &Node, rows: &[Reading]) -> Need<Event> {
    let of = u32::try_from(rows.iter().map(|r| r.slots.len()).sum::<usize>()).unwrap_or(u32::MAX);
    let kept: Vec<(&Action, &Reading)> =
        rows.iter().filter_map(|r| if let Outcome::Kept(a) = &r.outcome { Some((a, r)) } else { None }).collect();
    let selected = match &node.action {
        Action::SelectEntities { ids } => ids.as_slice(),
        _ => &[],
    };
    let graph = graph_with_links(state, node, selected);
    let mut wanted = Vec::new();
    for (lane, (action, _)) in (0u32..).zip(&kept) {
        if let Action::SelectRelation { relation } = action {
            wanted.extend(edges_of(state, step.id, &graph, selected, relation, lane));
        } else if let Action::Aggregate { what, kg } = action {
            wanted.push(aggregate_of(state, step.id, &graph, selected, (what, kg), lane));
        }
    }
    let edges = together(wanted)?;
    let linked = link::by_identifiers(state, step, 0, newcomers(&graph, &edges))?;
    let added = link::known_links(state, &state.graph(node.id), selected);
    let (mut children, mut refused) = (Vec::new(), Vec::new());
    for (lane, (action, row)) in (0u32..).zip(&kept) {
        let votes = (u32::try_from(row.slots.len()).unwrap_or(u32::MAX), of);
        match carry_out(&graph, action, &of_lane(state, &edges, lane), &linked.entities) {
            Ok((mut delta, observation)) => {
                if action.brings_facts() {
                    delta.entities.splice(0..0, added.entities.iter().cloned());
                }
                let merged = existing(state, node, action);
                let observation = with_note(observation, step.note.as_deref());
                children.push(NewNode { parent: Some(node.id), merged, action: (*action).clone(), delta, observation, votes });
            }
            Err((reason, why)) => {
                refused.push(Reading { slots: row.slots.clone(), outcome: Outcome::Rejected { text: action.token(), reason, why } });
            }
        }
    }
    if children.is_empty() && step.kind == StepKind::Expand {
        children.push(error_node(node.id, why_nothing(rows, &refused)));
    }
    let mut notices = notices(state, step);
    notices.extend(failed_in_part(&edges));
    notices.extend(linked.notices);
    Ok(grew(step, children, refused, notices))
}

/// An observation with what a person wants the model to know.
fn with_note(observation: Option<String>, note: Option<&str>) -> Option<String> {
    let Some(note) = note else { return observation };
    let note = format!("A person adds: {}", one_line(note));
    Some(observation.map_or_else(|| note.clone(), |observation| format!("{observation}\n{note}")))
}

/// Edges that one KG did not give while another did.
fn failed_in_part(edges: &[&Ask]) -> Vec<String> {
    let of = |ask: &Ask| match &ask.call {
        Call::Kg(KgCall { op: KgOp::Edges { relation, .. }, .. }) => Some(relation.clone()),
        _ => None,
    };
    let came: Vec<_> = edges.iter().filter(|ask| ask.error.is_none()).filter_map(|ask| of(ask)).collect();
    let failed = edges.iter().filter_map(|ask| Some((of(ask)?, ask.error.as_ref()?)));
    failed
        .filter(|(relation, _)| came.contains(relation))
        .map(|(relation, e)| format!("edges of {relation} failed: {}", e.message))
        .collect()
}

/// The asks for the edges of one choice.
pub fn of_lane<'a>(state: &State, edges: &[&'a Ask], lane: u32) -> Vec<&'a Ask> {
    let kgs = u32::try_from(state.started().kgs.len().max(1)).unwrap_or(u32::MAX);
    edges.iter().filter(|ask| ask.key.lane / kgs == lane).copied().collect()
}

/// Entities of these replies that `graph` does not have, each once.
pub fn newcomers(graph: &LocalGraph, edges: &[&Ask]) -> Vec<Entity> {
    let mut all: IndexMap<EntityId, Entity> = IndexMap::new();
    for list in edges.iter().flat_map(|ask| edge_lists(ask)) {
        for entity in list.entities.iter().filter(|e| graph.entity(&e.id).is_none()) {
            all.entry(entity.id.clone()).or_insert_with(|| entity.clone());
        }
    }
    all.into_values().collect()
}

/// The facts of a reply, one list a relation.
fn edge_lists(ask: &Ask) -> &[EdgeList] {
    match ask.reply.as_deref().map(|r| &r.data) {
        Some(KgData::Edges(list)) => std::slice::from_ref(list),
        Some(KgData::Aggregate(result)) => &result.lists,
        _ => &[],
    }
}

/// The fact that a computed value is, from a KG that sends the value alone.
fn derived(graph: &LocalGraph, ask: &Ask) -> Option<EdgeList> {
    let Call::Kg(KgCall { kg, op: KgOp::Aggregate { entities, what, .. } }) = &ask.call else { return None };
    let Some(KgData::Aggregate(result)) = ask.reply.as_deref().map(|r| &r.data) else { return None };
    let value = result.value.as_ref().filter(|_| result.lists.iter().all(|list| list.edges.is_empty()))?;
    let literal = Literal { kind: LiteralKind::Quantity, text: value.clone(), raw: None, lang: None };
    let edge = Edge::new(graph.resolve(entities.first()?).clone(), what.fact_id(), Object::Literal(literal), kg.clone());
    Some(EdgeList { edges: vec![edge], relation_label: Some(what.to_string()), ..EdgeList::default() })
}

/// What came of a computation, in a sentence.
fn computed(ask: &Ask) -> Option<&str> {
    match ask.reply.as_deref().map(|r| &r.data) {
        Some(KgData::Aggregate(result)) => Some(&result.reading),
        _ => None,
    }
}

/// The child that this choice is already (one choice at one node is one node).
pub fn existing(state: &State, node: &Node, action: &Action) -> Option<NodeId> {
    let standings = state.standings();
    let relinked = state.acts.iter().filter(|a| matches!(a.what, super::super::act::Act::Link { .. })).map(|a| a.seq).max();
    let same = |id: &&NodeId| {
        let Some(child) = state.node(**id) else { return false };
        let older = relinked.is_some_and(|link| state.step(child.step).is_some_and(|s| s.seq < link));
        child.action == *action && !standings[id.index()].withdrawn && !older
    };
    node.children.iter().find(same).copied()
}

/// The edges of `entities` over a relation: of the KG that offers it, and of every other that listed the same one in
/// this step.
pub fn edges_of<'a>(
    state: &'a State,
    step: StepId,
    graph: &LocalGraph,
    entities: &[EntityId],
    relation: &RelationRef,
    lane: u32,
) -> Vec<Need<&'a Ask>> {
    let settings = state.settings();
    let kgs = &state.started().kgs;
    let purpose = if relation.direction == Direction::Out { Purpose::ListOut } else { Purpose::ListIn };
    let lists = |number: u32| match state.ask_of(key(step, purpose, number)).and_then(|a| a.reply.as_deref()).map(|r| &r.data) {
        Some(KgData::Relations(list)) => list.iter().any(|r| r.at.id == relation.id),
        _ => false,
    };
    let many = u32::try_from(kgs.len().max(1)).unwrap_or(u32::MAX);
    let asked = (0u32..).zip(kgs).filter(|(number, (kg, _))| *kg == relation.kg || lists(*number));
    asked
        .map(|(number, (kg, _))| {
            let op = KgOp::Edges {
                entities: graph.ids_in(kg, entities),
                relation: relation.id.clone(),
                direction: relation.direction,
                cap: settings.edge_cap,
                offset: 0,
                all_ranks: settings.all_ranks,
            };
            settled(state, key(step, Purpose::Edges, lane.saturating_mul(many).saturating_add(number)), |_| Ok(of_kg(kg, op.clone())))
        })
        .collect()
}

/// The ask for a computation over the far ends of a relation: of the KG that offers the relation.
pub fn aggregate_of<'a>(
    state: &'a State,
    step: StepId,
    graph: &LocalGraph,
    entities: &[EntityId],
    (what, kg): (&Aggregate, &KgName),
    lane: u32,
) -> Need<&'a Ask> {
    let kgs = &state.started().kgs;
    let many = u32::try_from(kgs.len().max(1)).unwrap_or(u32::MAX);
    let number = kgs.iter().position(|(name, _)| name == kg).and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
    let op = KgOp::Aggregate { entities: graph.ids_in(kg, entities), what: what.clone(), cap: state.settings().edge_cap };
    let lane = lane.saturating_mul(many).saturating_add(number);
    settled(state, key(step, Purpose::Aggregate, lane), |_| Ok(of_kg(kg, op.clone())))
}

/// What an action adds to `graph`, and what the trajectory says of it. `linked` = new entities with their ids elsewhere.
pub fn carry_out(
    graph: &LocalGraph,
    action: &Action,
    edges: &[&Ask],
    linked: &[Entity],
) -> Result<(Delta, Option<String>), (Reason, String)> {
    if !action.brings_facts() {
        return Ok((Delta::default(), None));
    }
    let derived: Vec<EdgeList> = edges.iter().filter_map(|ask| derived(graph, ask)).collect();
    let lists: Vec<&EdgeList> = edges.iter().flat_map(|ask| edge_lists(ask)).chain(&derived).collect();
    let computed = edges.iter().find_map(|ask| computed(ask));
    if lists.is_empty() {
        if let Some(computed) = computed {
            return Err((Reason::NothingNew, computed.to_owned()));
        }
        let why = edges.iter().find_map(|ask| ask.error.as_ref()).map_or("no edges were asked for", |error| error.message.as_str());
        return Err((Reason::KgFailed, why.to_owned()));
    }
    let delta = news(graph, &lists, linked);
    if delta.edges.is_empty() {
        return Err((Reason::NothingNew, "it adds no fact that is not in the local graph".to_owned()));
    }
    let mut observation = observation(graph, &delta);
    if let Some(computed) = computed {
        observation = format!("{computed} ({observation})");
    }
    Ok((delta, Some(observation)))
}

/// What of `lists` is new to `graph`, between the ids that things stand under there.
pub fn news(graph: &LocalGraph, lists: &[&EdgeList], linked: &[Entity]) -> Delta {
    let mut delta = Delta::default();
    for entity in lists.iter().flat_map(|list| &list.entities) {
        let entity = linked.iter().find(|known| known.id == entity.id).unwrap_or(entity);
        let known = graph.entity(&entity.id).is_some() || delta.entities.iter().any(|e: &Entity| e.id == entity.id);
        if !known {
            delta.entities.push(entity.clone());
        }
    }
    let mut after = graph.clone();
    after.add(&delta);
    for edge in lists.iter().flat_map(|list| &list.edges).map(|edge| after.resolved(edge)) {
        if !graph.contains(&edge) && !delta.edges.iter().any(|e| e.same_fact(&edge)) {
            delta.edges.push(edge);
        }
    }
    for list in lists {
        if let (Some(label), Some(edge)) = (&list.relation_label, list.edges.first())
            && delta.edges.iter().any(|e| e.r == edge.r)
            && !delta.relations.iter().any(|(id, _)| *id == edge.r)
        {
            delta.relations.push((edge.r.clone(), label.clone()));
        }
        delta.partial.extend(list.partial.iter().cloned());
    }
    delta
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn observation(graph: &LocalGraph, delta: &Delta) -> String {
    // What a new entity turns out to be may be here already.
    let mut after = graph.clone();
    after.add(&Delta { entities: delta.entities.clone(), ..Delta::default() });
    let fresh = after.entities().len().saturating_sub(graph.entities().len());
    let mut text = format!("{}, {}", counted(delta.edges.len(), "new fact", "new facts"), counted(fresh, "new entity", "new entities"));
    for p in &delta.partial {
        match p.of {
            Some(of) => text.push_str(&format!("; {}: {} of {of} shown", p.entity, p.shown)),
            None => text.push_str(&format!("; {}: first {} shown, more exist", p.entity, p.shown)),
        }
    }
    text
}

/// Why an expansion brought no child, in one sentence.
fn why_nothing(rows: &[Reading], refused: &[Reading]) -> String {
    let all = rows.iter().chain(refused).filter_map(|r| match &r.outcome {
        Outcome::Rejected { reason, why, .. } => Some((*reason, why.as_str(), r.slots.len())),
        _ => None,
    });
    let parts: Vec<String> = all.map(|(_, why, n)| format!("{n}x {why}")).collect();
    if parts.is_empty() { "no sample came".to_owned() } else { format!("no sample could be used: {}", parts.join("; ")) }
}
