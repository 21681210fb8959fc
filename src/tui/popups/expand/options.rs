//! What there is to pick from when a node is expanded by hand, and what the model picked before.

use super::super::super::ids::Aliases;
use super::super::super::scene::{Scene, entity_name};
use super::super::super::widgets::count;
use super::super::super::widgets::list::Item;
use crate::asm::Action;
use crate::calls::{Aggregate, EdgeList, KgCall, KgOp};
use crate::graph::{Direction, EntityId, KgName, LocalGraph, Object, Relation};
use crate::search::strategy::selected_graph;
use crate::search::{Node, NodeId, State};
use std::collections::HashMap;

/// The nodes whose children choose entities: the node itself in state `selecting entities`, or its `EXPAND` children.
fn choosers(state: &State, id: NodeId) -> Vec<&Node> {
    let Some(node) = state.node(id) else { return Vec::new() };
    if matches!(node.action, Action::Expand { .. }) {
        return vec![node];
    }
    node.children.iter().filter_map(|child| state.node(*child)).filter(|child| matches!(child.action, Action::Expand { .. })).collect()
}

/// The children of `choosers` that chose entities.
fn selections(state: &State, id: NodeId) -> Vec<&Node> {
    let below = choosers(state, id).into_iter().flat_map(|node| &node.children).filter_map(|child| state.node(*child));
    below.filter(|child| matches!(child.action, Action::SelectEntities { .. })).collect()
}

/// The entities of the local graph in their order, each with the votes that the model gave it.
pub fn entities(scene: &Scene, id: NodeId) -> (Vec<EntityId>, Vec<Item>) {
    let state = &scene.state;
    let graph = state.graph(id);
    let mut votes: HashMap<&str, (u32, u32)> = HashMap::new();
    for node in selections(state, id) {
        if let Action::SelectEntities { ids } = &node.action {
            for entity in ids {
                let entry = votes.entry(entity).or_default();
                entry.0 += node.votes.0;
                entry.1 = entry.1.max(node.votes.1);
            }
        }
    }
    let mut facts: HashMap<&str, usize> = HashMap::new();
    for edge in graph.edges() {
        *facts.entry(&edge.s).or_default() += 1;
        if let Object::Entity(object) = &edge.o {
            *facts.entry(object).or_default() += 1;
        }
    }
    let aliases = Aliases::of(state);
    let item = |entity: &crate::graph::Entity| {
        let voted = votes.get(&*entity.id).filter(|(_, of)| *of > 0).map(|(n, of)| format!("model {n}/{of}  "));
        let known = facts.get(&*entity.id).map_or_else(String::new, |n| count(*n, "fact", "facts"));
        Item {
            label: entity.name().to_owned(),
            detail: match &entity.description {
                Some(description) => format!("{} · {description}", aliases.line(scene, entity)),
                None => aliases.line(scene, entity),
            },
            right: format!("{}{known}", voted.unwrap_or_default()),
            kg: Some(scene.kg(&entity.kg)),
            ..Item::default()
        }
    };
    let ids = graph.entities().map(|entity| entity.id.clone()).collect();
    let items = graph.entities().map(item).collect();
    (ids, items)
}

/// The calls that list relations exactly as the engine would: both directions, of every KG that knows one of the entities.
pub fn listings(state: &State, at: NodeId, entities: &[EntityId]) -> Vec<KgCall> {
    let limit = state.settings().relation_limit;
    let both = [Direction::Out, Direction::In];
    let graph = selected_graph(state, at, entities);
    let known = state.started().kgs.iter().map(|(kg, _)| (kg, graph.ids_in(kg, entities))).filter(|(_, ids)| !ids.is_empty());
    known
        .flat_map(|(kg, ids)| {
            both.map(|direction| KgCall { kg: kg.clone(), op: KgOp::Relations { entities: ids.clone(), direction, limit } })
        })
        .collect()
}

/// The call that brings the edges of a relation exactly as the engine would.
pub fn edges(state: &State, at: NodeId, entities: &[EntityId], relation: &Relation) -> KgCall {
    let settings = state.settings();
    let op = KgOp::Edges {
        entities: selected_graph(state, at, entities).ids_in(&relation.at.kg, entities),
        relation: relation.at.id.clone(),
        direction: relation.at.direction,
        cap: settings.edge_cap,
        offset: 0,
        all_ranks: settings.all_ranks,
    };
    KgCall { kg: relation.at.kg.clone(), op }
}

/// The call for a computation exactly as the engine would make it.
pub fn aggregate(state: &State, at: NodeId, entities: &[EntityId], what: &Aggregate, kg: &KgName) -> KgCall {
    let entities = selected_graph(state, at, entities).ids_in(kg, entities);
    KgCall { kg: kg.clone(), op: KgOp::Aggregate { entities, what: what.clone(), cap: state.settings().edge_cap } }
}

/// A relation as a row: label in the direction it is walked, id, count, KG; one that was followed from the same
/// entities already is dimmed.
pub fn relation(scene: &Scene, id: NodeId, entities: &[EntityId], relation: &Relation) -> Item {
    let state = &scene.state;
    let chosen = |node: &&Node| matches!(&node.action, Action::SelectEntities { ids } if ids == entities);
    let mut from: Vec<&Node> = selections(state, id).into_iter().filter(chosen).collect();
    from.extend(state.node(id).filter(chosen));
    let followed = |node: &&Node| matches!(&node.action, Action::SelectRelation { relation: r } if *r == relation.at);
    let used = from.iter().flat_map(|node| &node.children).filter_map(|child| state.node(*child)).find(followed);
    let arrow = match relation.at.direction {
        Direction::Out => "→",
        Direction::In => "←",
    };
    let count = relation.count.map_or_else(String::new, |count| {
        let more = if relation.count_is_bound { "more than " } else { "" };
        format!("{more}{count}")
    });
    Item {
        label: relation.reading(),
        detail: format!("{} {arrow}{}", relation.at.id, if relation.identifier { " identifier" } else { "" }),
        right: count,
        kg: Some(scene.kg(&relation.at.kg)),
        dimmed: used.map(|node| format!("already used: node {}", node.id.0)),
        barred: false,
    }
}

/// The new facts of a preview as lines, and how many entities they would bring.
pub fn preview(scene: &Scene, at: NodeId, lists: &[EdgeList]) -> (Vec<(bool, String)>, usize) {
    let mut graph: LocalGraph = scene.state.graph(at);
    let before = graph.entities().len();
    for list in lists {
        graph.add(&crate::graph::Delta { entities: list.entities.clone(), ..crate::graph::Delta::default() });
    }
    let name = |id: &EntityId| graph.entity(id).map_or_else(|| entity_name(&scene.state, Some(at), id), |entity| entity.name().to_owned());
    let line = |relation: Option<&str>, edge: &crate::graph::Edge| {
        let object = match &edge.o {
            Object::Entity(entity) => name(entity),
            Object::Literal(literal) => literal.text.clone(),
        };
        let text = format!("{}  {}  {object}", name(&edge.s), relation.unwrap_or(&edge.r));
        (!graph.contains(edge), text)
    };
    let all = lists.iter().flat_map(|list| list.edges.iter().map(move |edge| (list.relation_label.as_deref(), edge)));
    let lines: Vec<(bool, String)> = all.map(|(relation, edge)| line(relation, edge)).collect();
    let fresh = graph.entities().len().saturating_sub(before);
    (lines, fresh)
}
