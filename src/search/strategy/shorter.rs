//! A local graph cut to fit a prompt that was too long: what was used least recently goes first.

use super::super::event::NodeId;
use super::super::state::State;
use crate::asm::Action;
use crate::graph::{Edge, EntityId, LocalGraph, Object, RelationId};
use std::collections::HashMap;

/// How often a prompt that was too long is asked again with a smaller graph.
pub const MOST: u32 = 4;

/// The local graph of `node` for its prompt after `shorter` refusals, and how many facts were left out. Half of the facts stay,
/// then a quarter, a sixteenth, none; with the entities that the question names, that were selected on the way or that came
/// with the last facts. The smallest graph is without the last.
pub fn cut(state: &State, node: NodeId, whole: LocalGraph, shorter: u32) -> (LocalGraph, usize) {
    if shorter == 0 {
        return (whole, 0);
    }
    let facts = whole.edges().len();
    let mut levels = vec![(facts, true), (facts / 2, true), (facts / 4, true), (facts / 16, true), (0, false)];
    levels.dedup();
    let at = (shorter as usize).min(levels.len() - 1);
    let (keep, newest) = levels[at];
    let uses = Uses::of(state, node, &whole);
    let mut always: Vec<EntityId> = uses.selected.clone();
    if newest {
        always.extend(uses.newest.iter().cloned());
    }
    whole.shortened(keep, |edge| uses.last(edge), &always)
}

/// When entities, relations and facts of a walk were used last, as the number of the node on it.
#[derive(Default)]
struct Uses {
    entities: HashMap<EntityId, usize>,
    relations: HashMap<RelationId, usize>,
    brought: HashMap<(EntityId, RelationId, Object), usize>,
    /// The question's entities, and those selected on the way.
    selected: Vec<EntityId>,
    /// Entities that came with the last facts.
    newest: Vec<EntityId>,
}

impl Uses {
    fn of(state: &State, node: NodeId, graph: &LocalGraph) -> Self {
        let resolve = |id: &EntityId| graph.resolve(id).clone();
        let mut uses = Self { selected: state.graph(NodeId(0)).entities().map(|e| e.id.clone()).collect(), ..Self::default() };
        for (at, node) in state.path_to(node).into_iter().enumerate() {
            match &node.action {
                Action::SelectEntities { ids } => {
                    uses.selected.extend(ids.iter().map(resolve));
                    uses.entities.extend(ids.iter().map(|id| (resolve(id), at)));
                }
                Action::SelectRelation { relation } => {
                    uses.relations.insert(relation.id.clone(), at);
                }
                Action::Aggregate { what, .. } => {
                    uses.relations.insert(what.relation.clone(), at);
                }
                _ => {}
            }
            let pages = state.pages(node.id).filter_map(|step| step.page.as_deref());
            for delta in std::iter::once(&*node.delta).chain(pages) {
                uses.brought.extend(delta.edges.iter().map(|edge| graph.resolved(edge)).map(|edge| ((edge.s, edge.r, edge.o), at)));
                if node.parent.is_some() && !delta.edges.is_empty() {
                    uses.newest = delta.entities.iter().map(|entity| resolve(&entity.id)).collect();
                }
            }
        }
        uses
    }

    /// The later, the more recently the fact was used: an entity of it was selected, its relation was, or it came in.
    fn last(&self, edge: &Edge) -> usize {
        let object = match &edge.o {
            Object::Entity(id) => self.entities.get(id),
            Object::Literal(_) => None,
        };
        let brought = self.brought.get(&(edge.s.clone(), edge.r.clone(), edge.o.clone()));
        let used = [self.entities.get(&edge.s), object, self.relations.get(&edge.r), brought];
        used.into_iter().flatten().copied().max().unwrap_or(0)
    }
}
