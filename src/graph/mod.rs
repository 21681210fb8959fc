//! What a walk has learnt: entities, relations, edges, and the local graph that one node's prompt contains.
//!
//! Nothing here knows where a fact came from but by its name: this room uses no other.

mod local;
mod parts;
mod yaml;

pub use local::LocalGraph;
pub use parts::{Delta, Direction, Edge, Entity, Literal, LiteralKind, Note, Object, Partial, Qualifier, Rank, Relation, RelationRef};
pub use yaml::to_yaml;

use std::sync::Arc;

/// The id of an entity: `Q25188`, a full IRI, or what the KG calls it. Shared, since ids stand in many places.
pub type EntityId = Arc<str>;
/// The id of a relation (property): `P161` or a full IRI.
pub type RelationId = Arc<str>;
/// The short name of a KG in this session: `demo`, `wikidata`, `sparql`, ...
pub type KgName = Arc<str>;
