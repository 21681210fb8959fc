//! What the configuration may say about one KG beyond its spec.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A KG under `kgs:` of the configuration, written as its spec alone or as a mapping.
///
/// Passwords and tokens never stand here: `password_env` names the environment variable that holds one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KgProfile {
    /// `sparql:URL`, `wikidata`, `musicbrainz`, `file:PATH`, `exec:COMMAND`.
    pub spec: String,
    /// Languages of labels, the wanted one first; instead of the general ones.
    pub lang: Vec<String>,
    /// IRIs of predicates that hold a label, best first; instead of the usual ones.
    pub labels: Vec<String>,
    /// IRIs of predicates that hold another name.
    pub aliases: Vec<String>,
    /// IRIs of predicates that hold a description, best first.
    pub descriptions: Vec<String>,
    /// IRIs or ids of relations that are not offered forward.
    pub hide: Vec<String>,
    /// IRIs or ids of relations that are not offered in reverse.
    pub hide_reverse: Vec<String>,
    /// IRIs of the graphs that are asked, instead of the endpoint's default graph.
    pub default_graph: Vec<String>,
    /// Rows at which the server cuts a result without a word.
    pub row_cap: Option<u64>,
    /// How to log in.
    pub auth: Option<AuthKind>,
    /// The user's name, for `basic` and `digest`.
    pub user: Option<String>,
    /// The environment variable with the password or token.
    pub password_env: Option<String>,
    /// Requests a second at most.
    pub per_second: Option<f64>,
    /// Requests under way at once.
    pub parallel: Option<usize>,
    /// Seconds that one request may take.
    pub timeout: Option<f64>,
    /// `wikidata`: the query service; `musicbrainz`: the web service (`https://musicbrainz.org/ws/2`).
    pub url: Option<String>,
    /// `wikidata`: the entity API (`.../w/api.php`).
    pub api_url: Option<String>,
    /// Relations of this KG whose values are ids of another open KG: relation (id or IRI) to that KG's name.
    pub links: BTreeMap<String, String>,
    /// Refuse a file with a bad line instead of skipping the line.
    pub strict: bool,
    /// Whether replies are kept on disk; by default those that came over a network are.
    pub cache: Option<bool>,
}

/// How a server wants to know who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuthKind {
    /// User and password, RFC 7617.
    Basic,
    /// User and password, hashed, RFC 7616.
    Digest,
    /// A token, RFC 6750.
    Bearer,
}
