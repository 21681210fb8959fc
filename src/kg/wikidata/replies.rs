//! The replies of the entity API that are read, with all that may be missing in them.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// An error, which comes with status 200.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ApiError {
    /// `maxlag`, `ratelimited`, `readonly`, `badvalue`, ...
    pub code: String,
    /// A sentence of the service.
    pub info: String,
    /// The same in the newer format of errors.
    pub text: String,
    /// Seconds that its databases lag behind.
    pub lag: Option<f64>,
}

/// Whatever it answered, with its error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Envelope {
    /// The error.
    pub error: Option<ApiError>,
    /// Errors in the newer format.
    pub errors: Vec<ApiError>,
}

impl Envelope {
    /// The first error.
    pub fn error(self) -> Option<ApiError> {
        self.error.or_else(|| self.errors.into_iter().next())
    }
}

/// To `wbsearchentities`.
#[derive(Debug, Deserialize)]
pub struct SearchReply {
    /// The hits, best first.
    pub search: Vec<SearchHit>,
}

/// A hit by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SearchHit {
    /// `Q42`.
    pub id: String,
    /// In the language asked for, or what stands for it.
    pub label: Option<String>,
    /// The same.
    pub description: Option<String>,
    /// What was like the term.
    pub r#match: Match,
}

/// Which name was like the term.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Match {
    /// `label`, `alias`, `entityId`.
    pub r#type: String,
    /// The name.
    pub text: Option<String>,
}

/// To `query` with `list=search`.
#[derive(Debug, Deserialize)]
pub struct TextReply {
    /// The list.
    pub query: TextHits,
}

/// The list of a full-text search.
#[derive(Debug, Deserialize)]
pub struct TextHits {
    /// The hits, best first.
    pub search: Vec<TextHit>,
}

/// A hit by words.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TextHit {
    /// The page: `Q42`.
    pub title: String,
}

/// To `wbgetentities`.
#[derive(Debug, Deserialize)]
pub struct EntitiesReply {
    /// By the id that was asked for.
    pub entities: BTreeMap<String, EntityRecord>,
}

/// An entity, its labels and descriptions in every language.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct EntityRecord {
    /// Its id: another than the asked one when that was merged into it.
    pub id: String,
    /// There (whatever its value) when there is no such entity.
    #[serde(deserialize_with = "is_there")]
    pub missing: bool,
    /// By language.
    #[serde(deserialize_with = "texts")]
    pub labels: BTreeMap<String, String>,
    /// By language.
    #[serde(deserialize_with = "texts")]
    pub descriptions: BTreeMap<String, String>,
}

/// `"missing": ""` in the older format, `true` in the newer.
fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(serde_json::Value::deserialize(deserializer)? != serde_json::Value::Bool(false))
}

/// A map of `{"language", "value"}`; an empty one comes as an empty list.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    let text = |(lang, text): (&String, &serde_json::Value)| Some((lang.clone(), text.get("value")?.as_str()?.to_owned()));
    Ok(value.as_object().into_iter().flatten().filter_map(text).collect())
}
