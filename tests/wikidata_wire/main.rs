//! The KG `wikidata` against a server that behaves as the query service and the entity API do, and that fails as they do.

mod faults;
mod found;
mod server;
mod split;

use server::Http;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{CallError, Candidate, KgData, KgOp, KgReply};
use tree_of_traversals::kg::http::{ClientSettings, HttpSettings};
use tree_of_traversals::kg::sparql::Languages;
use tree_of_traversals::kg::{KgProfile, KgSettings, KgSpec, KnowledgeGraph, open_all};

/// Short pauses, so that tests do not wait.
fn fast() -> KgSettings {
    let client = ClientSettings { contact: Some("someone@example.org".into()), ..ClientSettings::default() };
    let http = HttpSettings { pause: Duration::from_millis(2), client, ..HttpSettings::default() };
    KgSettings { http, ..KgSettings::default() }
}

/// Wikidata at the server, with labels in `languages`.
async fn wikidata_in(http: &Http, languages: &[&str]) -> Arc<dyn KnowledgeGraph> {
    let settings = KgSettings { languages: Languages::new(languages.iter().copied()), ..fast() };
    opened(http, settings).await
}

async fn wikidata(http: &Http) -> Arc<dyn KnowledgeGraph> {
    opened(http, fast()).await
}

async fn opened(http: &Http, settings: KgSettings) -> Arc<dyn KnowledgeGraph> {
    let profile = KgProfile {
        url: Some(format!("{}/sparql", http.url())),
        api_url: Some(format!("{}/w/api.php", http.url())),
        ..KgProfile::default()
    };
    open_all(vec![(None, profile, KgSpec::Wikidata)], &settings).await.unwrap().remove(0).kg
}

async fn ask(kg: &dyn KnowledgeGraph, op: KgOp) -> Result<KgReply, CallError> {
    kg.perform(None, op).await
}

async fn search_reply(kg: &dyn KnowledgeGraph, mention: &str) -> Result<KgReply, CallError> {
    ask(kg, KgOp::Search { mention: mention.into(), limit: 10 }).await
}

fn candidates(reply: KgReply) -> Vec<Candidate> {
    match reply.data {
        KgData::Candidates(found) => found,
        other => panic!("{other:?}"),
    }
}

async fn search(kg: &dyn KnowledgeGraph, mention: &str) -> Vec<Candidate> {
    candidates(search_reply(kg, mention).await.unwrap())
}

fn ids(found: &[Candidate]) -> Vec<&str> {
    found.iter().map(|candidate| &*candidate.entity.id).collect()
}
