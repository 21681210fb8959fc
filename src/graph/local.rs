//! The local graph of a node: everything on the way from the root, in order of arrival.
//!
//! A thing that several KGs know is one entity here, under the id it was first seen by; its ids elsewhere are in
//! [`Entity::also`], and every method takes any of them.

use super::{Delta, Edge, Entity, EntityId, KgName, Object, Partial, RelationId};
use crate::text::one_line;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

/// The part of the KGs that one node's prompt contains. Assembled from the deltas on the way from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalGraph {
    entities: IndexMap<EntityId, Entity>,
    /// Further ids of entities: to the one that they stand under.
    aliases: HashMap<EntityId, EntityId>,
    relations: IndexMap<RelationId, String>,
    edges: IndexSet<(EntityId, RelationId, Object)>,
    sources: Vec<Edge>,
    partial: Vec<Partial>,
}

impl LocalGraph {
    /// Adds what a step brought. An entity or fact that is already there stays as it was first seen; a label that was
    /// missing is filled in, and ids in other KGs are collected. Entities that turn out to be one are put together.
    pub fn add(&mut self, delta: &Delta) {
        for entity in &delta.entities {
            self.add_entity(entity);
        }
        for (id, label) in &delta.relations {
            self.relations.entry(id.clone()).or_insert_with(|| label.clone());
        }
        for edge in &delta.edges {
            let edge = self.resolved(edge);
            if self.edges.insert((edge.s.clone(), edge.r.clone(), edge.o.clone())) {
                self.sources.push(edge);
            }
        }
        for partial in &delta.partial {
            let partial = Partial { entity: self.resolve(&partial.entity).clone(), ..partial.clone() };
            self.partial.retain(|p| (&p.entity, &p.relation, p.direction) != (&partial.entity, &partial.relation, partial.direction));
            if !partial.is_whole() {
                self.partial.push(partial);
            }
        }
    }

    fn add_entity(&mut self, entity: &Entity) {
        let mut known: Vec<usize> = std::iter::once(&entity.id)
            .chain(entity.also.iter().map(|(_, id)| id))
            .filter_map(|id| self.entities.get_full(self.resolve(id)))
            .filter(|(_, _, known)| !differ(known, entity))
            .map(|(at, _, _)| at)
            .collect();
        known.sort_unstable();
        known.dedup();
        let Some(&first) = known.first() else {
            for (_, id) in entity.also.iter().filter(|(_, id)| *id != entity.id) {
                self.aliases.entry(id.clone()).or_insert_with(|| entity.id.clone());
            }
            self.entities.insert(entity.id.clone(), entity.clone());
            return;
        };
        let others: Vec<Entity> = known[1..].iter().rev().filter_map(|at| self.entities.shift_remove_index(*at)).map(|(_, e)| e).collect();
        let stays = {
            let (_, kept) = self.entities.get_index_mut(first).expect("an index that was just found");
            for other in others.iter().rev().chain(std::iter::once(entity)) {
                kept.merge(other);
            }
            kept.clone()
        };
        for (_, id) in stays.also.iter().filter(|(_, id)| *id != stays.id) {
            self.aliases.insert(id.clone(), stays.id.clone());
        }
        if !others.is_empty() {
            self.rewrite();
        }
    }

    /// Puts edges and remarks under the ids that entities stand under now.
    fn rewrite(&mut self) {
        let (sources, partial) = (std::mem::take(&mut self.sources), std::mem::take(&mut self.partial));
        self.edges.clear();
        self.add(&Delta { edges: sources, partial, ..Delta::default() });
    }

    /// The id that an entity stands under here; the given one where it is not known.
    #[must_use]
    pub fn resolve<'a>(&'a self, id: &'a EntityId) -> &'a EntityId {
        self.aliases.get(id).unwrap_or(id)
    }

    fn under<'a>(&'a self, id: &'a str) -> &'a str {
        self.aliases.get(id).map_or(id, |id| &**id)
    }

    /// `edge` between the ids that its entities stand under here.
    #[must_use]
    pub fn resolved(&self, edge: &Edge) -> Edge {
        let o = match &edge.o {
            Object::Entity(id) => Object::Entity(self.resolve(id).clone()),
            literal @ Object::Literal(_) => literal.clone(),
        };
        Edge { s: self.resolve(&edge.s).clone(), o, ..edge.clone() }
    }

    /// The ids by which `kg` knows these entities, in their order; those that it does not know are left out.
    #[must_use]
    pub fn ids_in(&self, kg: &KgName, entities: &[EntityId]) -> Vec<EntityId> {
        entities.iter().filter_map(|id| self.id_in(kg, id)).collect()
    }

    /// The id by which `kg` knows an entity.
    #[must_use]
    pub fn id_in(&self, kg: &KgName, id: &EntityId) -> Option<EntityId> {
        self.entity(id).map_or_else(|| Some(id.clone()), |entity| entity.id_in(kg).cloned())
    }

    /// Takes an entity out, with the edges that touch it (a person dropped it).
    pub fn drop_entity(&mut self, id: &str) {
        let id = self.under(id).to_owned();
        self.entities.shift_remove(&*id);
        self.aliases.retain(|_, stands| **stands != *id);
        let touches = |s: &EntityId, o: &Object| **s == *id || matches!(o, Object::Entity(e) if **e == *id);
        self.edges.retain(|(s, _, o)| !touches(s, o));
        self.sources.retain(|e| !touches(&e.s, &e.o));
    }

    /// Takes a fact out; its entities stay.
    pub fn remove_edge(&mut self, edge: &Edge) {
        let edge = self.resolved(edge);
        self.edges.shift_remove(&(edge.s.clone(), edge.r.clone(), edge.o.clone()));
        self.sources.retain(|known| !known.same_fact(&edge));
    }

    /// Puts another fact in the place of one; if it is there already, the first just goes.
    pub fn replace_edge(&mut self, edge: &Edge, by: &Edge) {
        let (edge, by) = (self.resolved(edge), self.resolved(by));
        if self.contains(&by) {
            return self.remove_edge(&edge);
        }
        if let Some(at) = self.sources.iter().position(|known| known.same_fact(&edge)) {
            self.sources[at] = by;
            self.edges = self.sources.iter().map(|e| (e.s.clone(), e.r.clone(), e.o.clone())).collect();
        }
    }

    /// Gives an entity another label.
    pub fn relabel(&mut self, id: &str, label: &str) {
        let id = self.under(id).to_owned();
        if let Some(entity) = self.entities.get_mut(&*id) {
            entity.label = Some(label.to_owned());
        }
    }

    /// Entities, in order of arrival.
    pub fn entities(&self) -> impl ExactSizeIterator<Item = &Entity> {
        self.entities.values()
    }

    /// One entity.
    #[must_use]
    pub fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.get(self.under(id))
    }

    /// The label of an entity, or its id.
    #[must_use]
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.entity(id).map_or(id, Entity::name)
    }

    /// The label of a relation, or its id.
    #[must_use]
    pub fn relation_name<'a>(&'a self, id: &'a str) -> &'a str {
        self.relations.get(id).map_or(id, String::as_str)
    }

    /// A fact as a sentence: `Inception · cast member · Michael Caine`.
    #[must_use]
    pub fn sentence(&self, edge: &Edge) -> String {
        let object = match &edge.o {
            Object::Entity(id) => one_line(self.name(id)),
            Object::Literal(literal) => one_line(&literal.text),
        };
        format!("{} · {} · {object}", one_line(self.name(&edge.s)), one_line(self.relation_name(&edge.r)))
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
        let edge = self.resolved(edge);
        self.edges.contains(&(edge.s, edge.r, edge.o))
    }

    /// Position of an entity in order of arrival.
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        self.entities.get_index_of(self.under(id))
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.edges.is_empty()
    }

    /// The same graph with only `keep` edges, those that were used last (of equals the ones that came last), and the entities
    /// that these touch or that `always` names. Used when a prompt was too long for the model. Returns the number of edges left
    /// out.
    #[must_use]
    pub fn shortened(&self, keep: usize, last_use: impl Fn(&Edge) -> usize, always: &[EntityId]) -> (Self, usize) {
        let omitted = self.sources.len().saturating_sub(keep);
        let mut ranked: Vec<usize> = (0..self.sources.len()).collect();
        ranked.sort_by_key(|index| (last_use(&self.sources[*index]), *index));
        let mut kept = ranked.split_off(omitted);
        kept.sort_unstable();
        let mut short = Self { relations: self.relations.clone(), partial: self.partial.clone(), ..Self::default() };
        short.aliases.clone_from(&self.aliases);
        for edge in kept.into_iter().map(|index| &self.sources[index]) {
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

/// Whether two reports are of different things for all that they share an id elsewhere: one KG has an id of its own for each,
/// and does not say that one was merged into the other.
fn differ(a: &Entity, b: &Entity) -> bool {
    let merged = |one: &Entity, other: &Entity| one.also.iter().any(|(kg, id)| *kg == other.kg && *id == other.id);
    let apart =
        |one: &Entity, other: &Entity| one.id_in(&other.kg).is_some_and(|id| *id != other.id) && !merged(one, other) && !merged(other, one);
    apart(a, b) || apart(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(id: &str, kg: &str, also: &[(&str, &str)]) -> Entity {
        let also = also.iter().map(|(kg, id)| ((*kg).into(), (*id).into())).collect();
        Entity { id: id.into(), kg: kg.into(), label: None, description: None, also }
    }

    fn edge(s: &str, o: &str, kg: &str) -> Edge {
        Edge::new(s.into(), "r".into(), Object::Entity(o.into()), kg.into())
    }

    fn graph(entities: Vec<Entity>, edges: Vec<Edge>) -> LocalGraph {
        let mut graph = LocalGraph::default();
        graph.add(&Delta { entities, edges, ..Delta::default() });
        graph
    }

    #[test]
    fn one_thing_of_two_graphs_is_one_entity_under_its_first_id() {
        let mut all = graph(vec![entity("Q1", "w", &[("m", "m1")])], vec![edge("Q1", "Q2", "w")]);
        all.add(&Delta {
            entities: vec![entity("m1", "m", &[])],
            edges: vec![edge("m1", "m2", "m"), edge("m1", "Q2", "m")],
            ..Delta::default()
        });
        assert_eq!(all.entities().len(), 1);
        assert_eq!(
            all.edges().iter().map(|e| &*e.s).collect::<Vec<_>>(),
            ["Q1", "Q1"],
            "the same fact counts once, from the KG that said it first"
        );
        assert_eq!((all.name("m1"), all.position("m1")), ("Q1", Some(0)));
        assert!(all.contains(&edge("m1", "Q2", "m")));
        assert_eq!(all.ids_in(&"m".into(), &["Q1".into()]), ["m1".into()]);
        assert_eq!(all.ids_in(&"w".into(), &["m1".into()]), ["Q1".into()]);
    }

    #[test]
    fn entities_that_turn_out_to_be_one_are_put_together() {
        let mut all = graph(
            vec![entity("Q1", "w", &[]), entity("Q3", "w", &[]), entity("m1", "m", &[])],
            vec![edge("m1", "Q3", "m"), edge("Q1", "Q3", "w")],
        );
        all.add(&Delta { entities: vec![entity("Q1", "w", &[("m", "m1")])], ..Delta::default() });
        assert_eq!(all.entities().map(|e| &*e.id).collect::<Vec<_>>(), ["Q1", "Q3"]);
        assert_eq!(all.edges().len(), 1);
        assert_eq!(&*all.edges()[0].kg, "m");
        all.drop_entity("m1");
        assert!(all.edges().is_empty() && all.entity("Q1").is_none());
    }

    #[test]
    fn an_id_that_two_graphs_share_is_known_to_both() {
        let mut all = graph(vec![entity("Q1", "demo", &[])], vec![]);
        all.add(&Delta { entities: vec![entity("Q1", "wikidata", &[])], ..Delta::default() });
        for kg in ["demo", "wikidata"] {
            assert_eq!(all.id_in(&kg.into(), &"Q1".into()).as_deref(), Some("Q1"), "{kg}");
        }
        assert_eq!(all.id_in(&"other".into(), &"Q1".into()), None);
    }

    #[test]
    fn two_things_that_share_an_id_elsewhere_stay_two() {
        let mut all = graph(vec![entity("Q1", "w", &[("m", "m1")]), entity("Q2", "w", &[("m", "m1")])], vec![edge("Q1", "Q2", "w")]);
        assert_eq!(all.entities().map(|e| &*e.id).collect::<Vec<_>>(), ["Q1", "Q2"]);
        assert_eq!(all.resolve(&"m1".into()).as_ref(), "Q1", "the first that says so");
        all.add(&Delta { entities: vec![entity("Q2", "w", &[("w", "Q1")])], ..Delta::default() });
        assert_eq!(all.entities().len(), 1, "unless one was merged into the other");
    }

    #[test]
    fn merged_ids_are_the_same_entity() {
        let all = graph(vec![entity("Q2", "w", &[("w", "Q1")])], vec![edge("Q1", "Q9", "w")]);
        assert_eq!(&*all.edges()[0].s, "Q2");
        assert_eq!(all.id_in(&"w".into(), &"Q1".into()).as_deref(), Some("Q2"));
    }
}
