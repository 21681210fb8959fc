//! The local graph of a node: everything on the way from the root, in order of arrival.

use super::{Delta, Edge, Entity, EntityId, Object, Partial, RelationId};
use indexmap::{IndexMap, IndexSet};

/// The part of the KGs that one node's prompt contains. Assembled from the deltas on the way from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalGraph {
    entities: IndexMap<EntityId, Entity>,
    relations: IndexMap<RelationId, String>,
    edges: IndexSet<(EntityId, RelationId, Object)>,
    sources: Vec<Edge>,
    partial: Vec<Partial>,
}

impl LocalGraph {
    /// Adds what a step brought. An entity or fact that is already there stays as it was first seen;
    /// a label that was missing is filled in.
    pub fn add(&mut self, delta: &Delta) {
        for entity in &delta.entities {
            match self.entities.entry(entity.id.clone()) {
                indexmap::map::Entry::Vacant(free) => {
                    free.insert(entity.clone());
                }
                indexmap::map::Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    if known.label.is_none() {
                        known.label.clone_from(&entity.label);
                    }
                    if known.description.is_none() {
                        known.description.clone_from(&entity.description);
                    }
                }
            }
        }
        for (id, label) in &delta.relations {
            self.relations.entry(id.clone()).or_insert_with(|| label.clone());
        }
        for edge in &delta.edges {
            if self.edges.insert((edge.s.clone(), edge.r.clone(), edge.o.clone())) {
                self.sources.push(edge.clone());
            }
        }
        for partial in &delta.partial {
            self.partial.retain(|p| (&p.entity, &p.relation, p.direction) != (&partial.entity, &partial.relation, partial.direction));
            self.partial.push(partial.clone());
        }
    }

    /// Takes an entity out, with the edges that touch it (a person dropped it).
    pub fn drop_entity(&mut self, id: &str) {
        self.entities.shift_remove(id);
        let touches = |s: &EntityId, o: &Object| &**s == id || matches!(o, Object::Entity(e) if &**e == id);
        self.edges.retain(|(s, _, o)| !touches(s, o));
        self.sources.retain(|e| !touches(&e.s, &e.o));
    }

    /// Entities, in order of arrival.
    pub fn entities(&self) -> impl ExactSizeIterator<Item = &Entity> {
        self.entities.values()
    }

    /// One entity.
    #[must_use]
    pub fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.get(id)
    }

    /// The label of an entity, or its id.
    #[must_use]
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.entities.get(id).map_or(id, Entity::name)
    }

    /// The label of a relation, or its id.
    #[must_use]
    pub fn relation_name<'a>(&'a self, id: &'a str) -> &'a str {
        self.relations.get(id).map_or(id, String::as_str)
    }

    /// Edges, in order of arrival.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.sources
    }

    /// What was cut.
    #[must_use]
    pub fn partial(&self) -> &[Partial] {
        &self.partial
    }

    /// Whether the fact is here.
    #[must_use]
    pub fn contains(&self, edge: &Edge) -> bool {
        self.edges.contains(&(edge.s.clone(), edge.r.clone(), edge.o.clone()))
    }

    /// Position of an entity in order of arrival.
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        self.entities.get_index_of(id)
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.edges.is_empty()
    }

    /// The same graph with only the last `keep` edges, and the entities that these touch or that `always` names.
    /// Used when a prompt was too long for the model. Returns the number of edges left out.
    #[must_use]
    pub fn shortened(&self, keep: usize, always: &[EntityId]) -> (Self, usize) {
        let omitted = self.sources.len().saturating_sub(keep);
        let mut short = Self { relations: self.relations.clone(), partial: self.partial.clone(), ..Self::default() };
        for edge in &self.sources[omitted..] {
            short.edges.insert((edge.s.clone(), edge.r.clone(), edge.o.clone()));
            short.sources.push(edge.clone());
        }
        for (id, entity) in &self.entities {
            let touched = short.sources.iter().any(|e| e.s == *id || matches!(&e.o, Object::Entity(o) if o == id));
            if touched || always.contains(id) {
                short.entities.insert(id.clone(), entity.clone());
            }
        }
        (short, omitted)
    }
}
