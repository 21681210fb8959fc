//! What is asked of a KG, and what comes back.

use super::{Aggregate, AggregateResult};
use crate::graph::{Direction, Edge, Entity, EntityId, KgName, Partial, Relation, RelationId};
use serde::{Deserialize, Serialize};

/// A call to one KG.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KgCall {
    /// Which KG.
    pub kg: KgName,
    /// What is asked.
    pub op: KgOp,
}

/// The questions a KG answers. A KG never calls a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KgOp {
    /// Candidates for a mention, best first, by label and alias.
    Search {
        /// The text to look for (a label, without the disambiguation).
        mention: String,
        /// At most so many.
        limit: u32,
    },
    /// The relations of these entities together, in one direction, with label and count.
    Relations {
        /// The entities.
        entities: Vec<EntityId>,
        /// The direction.
        direction: Direction,
        /// At most so many.
        limit: u32,
    },
    /// The edges of these entities over one relation, entity by entity in the given order.
    Edges {
        /// The entities.
        entities: Vec<EntityId>,
        /// The relation.
        relation: RelationId,
        /// The direction.
        direction: Direction,
        /// At most so many *per entity*; the reply says what was cut.
        cap: u32,
        /// So many of each entity's edges, in the stable order, are skipped: the next page begins where the last ended.
        #[serde(default, skip_serializing_if = "is_zero")]
        offset: u32,
        /// Statements of every rank, not only those of the best one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        all_ranks: bool,
    },
    /// Label and description of these ids.
    Describe {
        /// The ids.
        ids: Vec<EntityId>,
    },
    /// What entities are elsewhere, by explicit identifiers, in bulk. Asked of every open KG when new entities came in.
    /// For its own entities a KG answers with their ids in the others that it met; for entities of another KG, with its
    /// own entities that say they are the same. Each answered entity names in `also` what it was linked with.
    Link {
        /// Entities of any open KG.
        entities: Vec<Entity>,
    },
    /// A number or a few values computed in the KG, without listing what they are computed from.
    Aggregate {
        /// The entities that it starts from.
        entities: Vec<EntityId>,
        /// What is computed.
        what: Aggregate,
        /// Of `intersect` and `filter`: at most so many edges per entity; the reply says what was cut.
        cap: u32,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl KgOp {
    /// A short name for screens and messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Search { .. } => "search",
            Self::Relations { direction: Direction::Out, .. } => "relations",
            Self::Relations { direction: Direction::In, .. } => "reverse relations",
            Self::Edges { direction: Direction::Out, .. } => "edges",
            Self::Edges { direction: Direction::In, .. } => "reverse edges",
            Self::Describe { .. } => "describe",
            Self::Link { .. } => "link",
            Self::Aggregate { .. } => "aggregate",
        }
    }
}

/// A search hit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    /// The entity.
    pub entity: Entity,
    /// The alias that matched, when it was not the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
}

/// Edges and what is known of their far ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeList {
    /// The edges, in true direction.
    pub edges: Vec<Edge>,
    /// Every entity that occurs in them, with label and description, in order of arrival.
    pub entities: Vec<Entity>,
    /// The relation's label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation_label: Option<String>,
    /// What was cut, per entity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<Partial>,
}

/// The data of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KgData {
    /// To `Search`.
    Candidates(Vec<Candidate>),
    /// To `Relations`, in a stable order.
    Relations(Vec<Relation>),
    /// To `Edges`.
    Edges(EdgeList),
    /// To `Describe`; to `Link` (each with `also` naming the entity it was linked from).
    Entities(Vec<Entity>),
    /// To `Aggregate`.
    Aggregate(AggregateResult),
}

/// One request on the wire that an adapter made for a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireNote {
    /// The query text or URL (secrets removed).
    pub query: String,
    /// Rows received.
    pub rows: u64,
    /// Milliseconds.
    pub took_ms: u64,
    /// How many tries it took; 0 where the request was shared with another call, whose reply tells of it.
    pub tries: u32,
}

/// A KG's reply to a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KgReply {
    /// What was asked for.
    pub data: KgData,
    /// Whether the KG says that more exists than is here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// A remark for people: "the server cut the result at 10,000 rows".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Every request on the wire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wire: Vec<WireNote>,
    /// When it came from the KG (milliseconds since 1970), if it was taken from the cache on disk now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_at: Option<u64>,
}

impl KgReply {
    /// A whole reply with nothing else to say.
    #[must_use]
    pub const fn of(data: KgData) -> Self {
        Self { data, partial: false, notes: Vec::new(), wire: Vec::new(), cached_at: None }
    }
}
