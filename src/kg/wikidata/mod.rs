//! Wikidata, or a mirror of it: facts from the query service, names from the entity API.

use super::spec::SpecError;
use super::{KgProfile, KgSettings, KnowledgeGraph};
use std::sync::Arc;

/// The public query service.
pub const QUERY_URL: &str = "https://query.wikidata.org/sparql";
/// The public entity API.
pub const API_URL: &str = "https://www.wikidata.org/w/api.php";

/// Wikidata called `name`, at the addresses of `profile`, else the public ones. Nothing is asked before the first call.
///
/// # Errors
/// [`SpecError`], when an address is none.
pub fn open(_name: &str, _profile: &KgProfile, _settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    unimplemented!()
}
