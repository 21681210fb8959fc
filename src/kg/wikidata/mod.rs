//! Wikidata, or a mirror of it: facts from the query service, names from the entity API.

mod api;
mod finder;
pub(in crate::kg) mod pages;
mod replies;

use super::endpoint::Endpoint;
use super::sparql::{Model, SparqlGraph};
use super::spec::SpecError;
use super::{KgProfile, KgSettings, KnowledgeGraph};
use api::EntityApi;
use finder::EntitySearch;
use reqwest::Url;
use std::sync::Arc;

/// The public query service.
pub const QUERY_URL: &str = "https://query.wikidata.org/sparql";
/// The public entity API.
pub const API_URL: &str = "https://www.wikidata.org/w/api.php";

/// Wikidata called `name`, at the addresses of `profile`, else the public ones. Nothing is asked before the first call.
///
/// A mirror of the facts (`url`) that has no entity API named beside it (`api_url`) is searched by query: what is asked
/// of a mirror of one's own is not told to a public service.
///
/// # Errors
/// [`SpecError`], when an address is none.
pub fn open(name: &str, profile: &KgProfile, settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let url = profile.url.as_deref().unwrap_or(QUERY_URL);
    let endpoint = Arc::new(Endpoint::with(url, &settings.http, profile.endpoint(name)?)?);
    let wording = profile.wording(name)?;
    let languages = settings.languages.clone();
    let graph = match profile.api_url.as_deref().or_else(|| is_wikidata(url).then_some(API_URL)) {
        Some(api_url) => {
            let finder = EntitySearch::new(EntityApi::new(api_url, &settings.http)?, languages.clone());
            SparqlGraph::with_finder(name, endpoint, languages, wording, Arc::new(finder))
        }
        None => SparqlGraph::worded(name, endpoint, languages, wording).in_model(Model::Wikidata),
    };
    Ok(Arc::new(graph.linked_by(&profile.links)))
}

/// Whether `url` is one of Wikidata's own hosts.
fn is_wikidata(url: &str) -> bool {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    host == "wikidata.org" || host.ends_with(".wikidata.org")
}

#[cfg(test)]
mod tests {
    use super::is_wikidata;

    #[test]
    fn only_its_own_hosts_are_wikidata() {
        assert!(is_wikidata(super::QUERY_URL) && is_wikidata("https://query-scholarly.wikidata.org/sparql"));
        assert!(!is_wikidata("http://127.0.0.1:7878/query") && !is_wikidata("https://notwikidata.org/") && !is_wikidata(""));
    }
}
