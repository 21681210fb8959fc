//! The replies of the protocol, as they come. Fields that are not known are passed over.

use crate::graph::{LiteralKind, Rank};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct HelloWire {
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) ids: Space,
    pub(super) ops: Option<Vec<String>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Space {
    #[default]
    Own,
    Wikidata,
    MusicBrainz,
    Iri,
}

/// The fields that every reply may have.
#[derive(Deserialize)]
pub(super) struct About {
    #[serde(default)]
    pub(super) more: bool,
    #[serde(default)]
    pub(super) remarks: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct EntityWire {
    pub(super) id: String,
    pub(super) label: Option<String>,
    pub(super) description: Option<String>,
    pub(super) matched: Option<String>,
    #[serde(default)]
    pub(super) also: Vec<(String, String)>,
}

#[derive(Deserialize)]
pub(super) struct RelationWire {
    pub(super) id: String,
    pub(super) label: Option<String>,
    pub(super) inverse_label: Option<String>,
    pub(super) count: Option<u64>,
    #[serde(default)]
    pub(super) at_least: bool,
    #[serde(default)]
    pub(super) identifier: bool,
}

#[derive(Deserialize)]
pub(super) struct EdgesWire {
    pub(super) edges: Vec<EdgeWire>,
    #[serde(default)]
    pub(super) entities: Vec<EntityWire>,
    pub(super) relation_label: Option<String>,
    #[serde(default)]
    pub(super) partial: Vec<PartialWire>,
}

#[derive(Deserialize)]
pub(super) struct EdgeWire {
    pub(super) s: String,
    /// Only where a list holds several relations (`aggregate`).
    pub(super) r: Option<String>,
    pub(super) o: ObjectWire,
    #[serde(default)]
    pub(super) notes: Vec<NoteWire>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ObjectWire {
    Entity(String),
    Number(serde_json::Number),
    Literal(LiteralWire),
}

#[derive(Deserialize)]
pub(super) struct LiteralWire {
    pub(super) kind: Option<LiteralKind>,
    pub(super) text: Option<String>,
    pub(super) raw: Option<String>,
    pub(super) lang: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct NoteWire {
    #[serde(default)]
    pub(super) rank: Rank,
    #[serde(default)]
    pub(super) qualifiers: Vec<QualifierWire>,
}

#[derive(Deserialize)]
pub(super) struct QualifierWire {
    pub(super) relation: String,
    pub(super) label: Option<String>,
    pub(super) value: String,
    pub(super) entity: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PartialWire {
    pub(super) entity: String,
    pub(super) of: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Candidates {
    pub(super) candidates: Vec<EntityWire>,
}

#[derive(Deserialize)]
pub(super) struct Relations {
    pub(super) relations: Vec<RelationWire>,
}

#[derive(Deserialize)]
pub(super) struct Entities {
    pub(super) entities: Vec<EntityWire>,
}

#[derive(Deserialize)]
pub(super) struct AggregateWire {
    pub(super) value: Option<Value>,
    pub(super) reading: String,
    #[serde(default)]
    pub(super) edges: Vec<EdgeWire>,
    #[serde(default)]
    pub(super) entities: Vec<EntityWire>,
}
