//! A fact of one entity as the adapter keeps it, before it is a relation on offer or an edge.

use super::kinds::Kind;
use crate::graph::{Direction, Edge, Entity, EntityId, KgName, Literal, LiteralKind, Note, Object, Qualifier, RelationId};

/// What an entity has: a relation, its direction, the far end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The relation's id: the whole UUID of a relationship's type, or the name of a field.
    pub relation: RelationId,
    /// Its label.
    pub label: String,
    /// How the reverse reads, where that is known.
    pub inverse: Option<&'static str>,
    /// Whether the entity is the subject (`Out`) or the object (`In`).
    pub direction: Direction,
    /// The other end.
    pub far: Far,
    /// What is said besides.
    pub note: Note,
    /// Where the relation stands among those on offer.
    pub group: Group,
}

/// The far end of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Far {
    /// An entity of a kind that can be looked up.
    Entity(Kind, Box<Entity>),
    /// A value.
    Literal(Literal),
}

/// The order in which relations are offered: what leads on first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Fields that hold entities: credits, release groups, areas.
    Link,
    /// Relationships between entities.
    Relationship,
    /// Fields that hold values.
    Value,
    /// Relationships to web pages.
    Page,
    /// Identifiers in other databases, and pages of those.
    Identifier,
}

impl Fact {
    /// The edge that it is for the entity `own`, in its true direction.
    #[must_use]
    pub fn edge(&self, own: &EntityId, kg: &KgName) -> Edge {
        let notes = if self.note.qualifiers.is_empty() { Vec::new() } else { vec![self.note.clone()] };
        let (s, o) = match (&self.far, self.direction) {
            (Far::Entity(_, far), Direction::In) => (far.id.clone(), Object::Entity(own.clone())),
            (Far::Entity(_, far), Direction::Out) => (own.clone(), Object::Entity(far.id.clone())),
            (Far::Literal(literal), _) => (own.clone(), Object::Literal(literal.clone())),
        };
        Edge { notes, ..Edge::new(s, self.relation.clone(), o, kg.clone()) }
    }
}

/// The edges of facts, in order; statements of one fact are one edge with their notes.
pub fn edges(facts: &[&Fact], own: &EntityId, kg: &KgName) -> Vec<Edge> {
    let mut edges: indexmap::IndexMap<(EntityId, RelationId, Object), Edge> = indexmap::IndexMap::new();
    for fact in facts {
        let edge = fact.edge(own, kg);
        match edges.entry((edge.s.clone(), edge.r.clone(), edge.o.clone())) {
            indexmap::map::Entry::Vacant(free) => {
                free.insert(edge);
            }
            indexmap::map::Entry::Occupied(mut known) => {
                let notes = &mut known.get_mut().notes;
                notes.extend(edge.notes.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
            }
        }
    }
    edges.into_values().collect()
}

/// A value of `kind`, with `raw` where it differs.
#[must_use]
pub fn literal(kind: LiteralKind, text: &str, raw: &str) -> Literal {
    Literal { kind, text: text.to_owned(), raw: (raw != text).then(|| raw.to_owned()), lang: None }
}

/// A remark of a fact that is no entity.
#[must_use]
pub fn qualifier(relation: &str, label: &str, value: &str) -> Qualifier {
    Qualifier { relation: relation.into(), label: label.to_owned(), value: value.to_owned(), entity: None }
}
