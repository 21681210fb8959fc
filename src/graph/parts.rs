//! Entities, relations, edges: the parts of a graph.

use super::{EntityId, KgName, RelationId};
use serde::{Deserialize, Serialize};

/// A thing of a KG.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entity {
    /// Its id in `kg`.
    pub id: EntityId,
    /// The KG that it was first seen in.
    pub kg: KgName,
    /// Its label; an entity without one is shown by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its ids elsewhere: (KG, id), and ids that were merged into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<(KgName, EntityId)>,
}

impl Entity {
    /// The label, or the id where there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.id)
    }

    /// The id by which `kg` knows it.
    #[must_use]
    pub fn id_in(&self, kg: &KgName) -> Option<&EntityId> {
        if self.kg == *kg {
            return Some(&self.id);
        }
        self.also.iter().find(|(name, _)| name == kg).map(|(_, id)| id)
    }

    /// Takes up what another report says of the same thing: what was missing, and its ids elsewhere.
    pub fn merge(&mut self, other: &Self) {
        if self.label.is_none() {
            self.label.clone_from(&other.label);
        }
        if self.description.is_none() {
            self.description.clone_from(&other.description);
        }
        for (kg, id) in std::iter::once((&other.kg, &other.id)).chain(other.also.iter().map(|(kg, id)| (kg, id))) {
            let known = (self.kg == *kg && self.id == *id) || self.also.iter().any(|(k, i)| k == kg && i == id);
            if !known {
                self.also.push((kg.clone(), id.clone()));
            }
        }
    }
}

/// Which way an edge is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From subject to object.
    Out,
    /// From object to subject; written `~P57`.
    In,
}

/// A relation with the direction it is walked in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RelationRef {
    /// The KG that offers it.
    pub kg: KgName,
    /// Its id, without tilde.
    pub id: RelationId,
    /// The direction.
    pub direction: Direction,
}

impl RelationRef {
    /// As written in prompts and paths: `P57`, or `~P57` for the reverse.
    #[must_use]
    pub fn token(&self) -> String {
        match self.direction {
            Direction::Out => self.id.to_string(),
            Direction::In => format!("~{}", self.id),
        }
    }
}

/// A relation as a KG offers it for a set of entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// Id, direction and KG.
    #[serde(flatten)]
    pub at: RelationRef,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How the reverse reads, where the KG says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverse_label: Option<String>,
    /// How many edges it has from the entities it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Whether `count` is a lower bound ("more than").
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub count_is_bound: bool,
    /// Whether it leads to identifiers in other databases (hidden unless asked for).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub identifier: bool,
}

impl Relation {
    /// The label in the direction it is walked: the inverse label, else "is LABEL of".
    #[must_use]
    pub fn reading(&self) -> String {
        let label = self.label.as_deref().unwrap_or(&self.at.id);
        match (self.at.direction, &self.inverse_label) {
            (Direction::Out, _) => label.to_owned(),
            (Direction::In, Some(inverse)) => inverse.clone(),
            (Direction::In, None) => format!("is {label} of"),
        }
    }
}

/// What kind of value a literal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiteralKind {
    /// Plain text, or text in a language.
    Text,
    /// A date; `text` is already in the precision that the KG vouches for.
    Date,
    /// A number, with its unit in `text` where there is one.
    Quantity,
    /// A link.
    Url,
    /// A place on a globe.
    Coordinates,
    /// "Some value": known to exist, but not which.
    Unknown,
    /// "No value": known not to exist.
    NoValue,
}

/// A value that is no entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Literal {
    /// Its kind.
    pub kind: LiteralKind,
    /// As people read it: `8 July 2010`, `148 minute`. Whole, never cut.
    pub text: String,
    /// As the KG wrote it, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The language of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
}

/// The far end of an edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// Another entity.
    Entity(EntityId),
    /// A value.
    Literal(Literal),
}

/// A fact. Always stored in its true direction, whichever way it was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// Subject.
    pub s: EntityId,
    /// Relation.
    pub r: RelationId,
    /// Object.
    pub o: Object,
    /// The KG that says so.
    pub kg: KgName,
    /// What the statements behind it say besides, one note a statement; none where there is nothing to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// What one statement says beside subject, relation and object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Note {
    /// Its rank, where the KG has ranks.
    #[serde(default, skip_serializing_if = "Rank::is_normal")]
    pub rank: Rank,
    /// Its qualifiers, in a stable order: position held, start time, instrument, credited as, ...
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qualifiers: Vec<Qualifier>,
}

/// How a KG ranks a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// The best one of several.
    Preferred,
    /// As usual.
    #[default]
    Normal,
    /// Known to be wrong or outdated.
    Deprecated,
}

impl Rank {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    const fn is_normal(&self) -> bool {
        matches!(self, Self::Normal)
    }
}

/// A remark of a statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Qualifier {
    /// Its relation.
    pub relation: RelationId,
    /// The relation's label, or its id where it has none: `start time`.
    pub label: String,
    /// The value as people read it: `5 May 2010`.
    pub value: String,
    /// The entity that the value is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<EntityId>,
}

impl Note {
    /// As people read it: `start time 1994, end time 2001; deprecated`. Empty when there is nothing to say.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<String> =
            self.qualifiers.iter().map(|q| if q.value.is_empty() { q.label.clone() } else { format!("{} {}", q.label, q.value) }).collect();
        let rank = match self.rank {
            Rank::Preferred => Some("preferred rank"),
            Rank::Normal => None,
            Rank::Deprecated => Some("deprecated"),
        };
        let mut text = parts.join(", ");
        if let Some(rank) = rank {
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(rank);
        }
        text
    }
}

impl Edge {
    /// An edge without notes.
    #[must_use]
    pub const fn new(s: EntityId, r: RelationId, o: Object, kg: KgName) -> Self {
        Self { s, r, o, kg, notes: Vec::new() }
    }

    /// Whether two edges say the same, whichever KG or direction they came from.
    #[must_use]
    pub fn same_fact(&self, other: &Self) -> bool {
        self.s == other.s && self.r == other.r && self.o == other.o
    }
}

/// "n of m": what an answer of a KG left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Partial {
    /// The entity whose edges were cut.
    pub entity: EntityId,
    /// The relation and direction.
    pub relation: RelationId,
    /// The direction.
    pub direction: Direction,
    /// How many are here, with those of the pages before.
    pub shown: u64,
    /// How many there are; `None` where the KG only says "more exist".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
}

impl Partial {
    /// Whether nothing is left out any more.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.of == Some(self.shown)
    }
}

/// What one step added to the local graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// New entities, in order of arrival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
    /// Labels of the relations of `edges`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<(RelationId, String)>,
    /// New edges, in order of arrival.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// What was cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<Partial>,
}

impl Delta {
    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.edges.is_empty()
    }
}
