//! Candidates from the entity search and the full-text search together.

use super::api::{ApiFailure, BAD_VALUE, EntityApi};
use super::pages;
use super::replies::{EntitiesReply, EntityRecord, SearchHit, SearchReply, TextReply};
use crate::calls::Waiting;
use crate::calls::{CallError, WireNote};
use crate::kg::sparql::{Finder, Found, FoundEntity, Iri, Languages};
use crate::kg::sparql::{variants, without_operators};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;

/// Terms of so many characters are refused by the searches.
const TERM_MAX: usize = 300;
/// Hits that one search may be asked for.
const HITS_MAX: usize = 50;
/// Ids in one request for entities.
const IDS_MAX: usize = 50;

/// The two searches of the entity API.
pub struct EntitySearch {
    inner: Inner,
}

#[derive(Clone)]
struct Inner {
    api: EntityApi,
    languages: Languages,
}

impl EntitySearch {
    /// Over `api`, with labels in `languages`.
    pub fn new(api: EntityApi, languages: Languages) -> Self {
        Self { inner: Inner { api, languages } }
    }
}

impl Finder for EntitySearch {
    fn find(&self, mention: &str, limit: usize) -> BoxFuture<'static, Result<Found, CallError>> {
        let (inner, mention) = (self.inner.clone(), mention.to_owned());
        Box::pin(async move { inner.find(&mention, limit).await })
    }

    fn look_up(&self, ids: Vec<String>) -> BoxFuture<'static, Result<Found, CallError>> {
        let inner = self.inner.clone();
        Box::pin(async move { inner.look_up(&ids).await })
    }

    fn pages(&self) -> Vec<Iri> {
        pages::classes()
    }

    fn is_page(&self, description: &str) -> bool {
        pages::is_page(description)
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let inner = self.inner.clone();
        Box::pin(async move {
            inner.by_name("Wikidata", "1").await?;
            Ok(format!("entity API {}", inner.api.shown()))
        })
    }

    fn waiting(&self) -> Option<Waiting> {
        self.inner.api.waiting()
    }
}

impl Inner {
    async fn find(&self, mention: &str, limit: usize) -> Result<Found, CallError> {
        let length = mention.chars().count();
        if length >= TERM_MAX {
            let note = format!("a name of {length} characters is not searched for: Wikidata takes fewer than {TERM_MAX}");
            return Ok(Found { notes: vec![note], ..Found::default() });
        }
        let mut found = self.both(mention, limit).await?;
        // The entity search takes a name as it begins, so that a possessive or a remark in brackets finds nothing.
        let shortest = variants(mention).into_iter().min_by_key(String::len).filter(|variant| variant != mention);
        if let (true, Some(variant)) = (found.entities.is_empty(), shortest) {
            let again = self.both(&variant, limit).await?;
            found.entities = again.entities;
            found.wire.extend(again.wire);
            found.remarks.extend(again.remarks);
        }
        Ok(found)
    }

    /// Both searches at once. One of them is enough for an answer, but not for "nothing".
    async fn both(&self, term: &str, limit: usize) -> Result<Found, CallError> {
        // Some will be dropped: pages, and what both find.
        let hits = (limit + limit / 2 + 3).min(HITS_MAX).to_string();
        let (by_name, by_text) = futures_util::future::join(self.by_name(term, &hits), self.by_text(term, &hits)).await;
        let mut found = Found::default();
        let mut lists: [Vec<FoundEntity>; 2] = Default::default();
        let mut failed: Option<CallError> = None;
        for (at, (result, what)) in [(by_name, "entity search"), (by_text, "full-text search")].into_iter().enumerate() {
            match result {
                Ok((hits, wire)) => {
                    lists[at] = hits;
                    found.wire.extend(wire);
                }
                Err(error) => {
                    found.remarks.push(format!("the {what} failed: {error}"));
                    failed = failed.or(Some(error));
                }
            }
        }
        found.entities = merged(lists);
        match failed {
            Some(error) if found.entities.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    async fn by_name(&self, term: &str, hits: &str) -> Result<(Vec<FoundEntity>, Vec<WireNote>), CallError> {
        let language = self.languages.chain().iter().find(|tag| !tag.is_empty()).map_or("en", String::as_str);
        let ask = async |language: &str| {
            let parameters = [
                ("action", "wbsearchentities"),
                ("search", term),
                ("language", language),
                ("uselang", language),
                ("type", "item"),
                ("limit", hits),
            ];
            self.api.ask(&parameters, |reply: &SearchReply| reply.search.len()).await
        };
        let answer = match ask(language).await {
            // It knows fewer languages than there are tags.
            Err(ApiFailure { code: Some(code), .. }) if code == BAD_VALUE && language != "en" => ask("en").await,
            answer => answer,
        };
        let (reply, note) = answer.map_err(|failure| failure.error)?;
        Ok((reply.search.into_iter().map(FoundEntity::from).collect(), vec![note]))
    }

    async fn by_text(&self, term: &str, hits: &str) -> Result<(Vec<FoundEntity>, Vec<WireNote>), CallError> {
        let words = without_operators(term);
        if words.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let parameters = [
            ("action", "query"),
            ("list", "search"),
            ("srsearch", words.as_str()),
            ("srnamespace", "0"),
            ("srlimit", hits),
            ("srinfo", ""),
            ("srprop", ""),
        ];
        let answer = self.api.ask(&parameters, |reply: &TextReply| reply.query.search.len()).await;
        let (reply, note) = answer.map_err(|failure| failure.error)?;
        let hits = reply.query.search.into_iter().map(|hit| FoundEntity { id: hit.title, ..FoundEntity::default() });
        Ok((hits.collect(), vec![note]))
    }

    async fn look_up(&self, ids: &[String]) -> Result<Found, CallError> {
        let mut found = Found::default();
        for chunk in ids.chunks(IDS_MAX) {
            let parameters =
                [("action", "wbgetentities"), ("ids", &chunk.join("|")), ("props", "labels|descriptions"), ("redirects", "yes")];
            let answer = self.api.ask(&parameters, |reply: &EntitiesReply| reply.entities.len()).await;
            let (reply, note) = answer.map_err(|failure| failure.error)?;
            found.wire.push(note);
            found
                .entities
                .extend(reply.entities.into_iter().filter(|(_, record)| !record.missing).map(|(asked, record)| self.known(asked, record)));
        }
        Ok(found)
    }

    fn known(&self, asked: String, record: EntityRecord) -> FoundEntity {
        let id = if record.id.is_empty() { asked.clone() } else { record.id };
        let in_chain = |texts: &BTreeMap<String, String>| {
            self.languages
                .chain()
                .iter()
                .find_map(|tag| texts.iter().find(|(lang, _)| lang.eq_ignore_ascii_case(tag)))
                .map(|(_, text)| text.clone())
        };
        FoundEntity {
            merged: (asked != id).then_some(asked),
            id,
            label: in_chain(&record.labels).or_else(|| record.labels.values().min().cloned()),
            description: in_chain(&record.descriptions),
            matched: None,
        }
    }
}

/// The hits of both searches: one of each in turn, the entity search first, each entity once.
fn merged([names, texts]: [Vec<FoundEntity>; 2]) -> Vec<FoundEntity> {
    let mut all: Vec<FoundEntity> = Vec::new();
    let (mut names, mut texts) = (names.into_iter(), texts.into_iter());
    loop {
        let turn = [names.next(), texts.next()];
        if turn.iter().all(Option::is_none) {
            return all;
        }
        for hit in turn.into_iter().flatten().filter(|hit| !hit.id.is_empty()) {
            match all.iter_mut().find(|known| known.id == hit.id) {
                // The full-text search knows no more than the id.
                Some(known) if known.label.is_none() && known.description.is_none() => *known = hit,
                Some(_) => {}
                None => all.push(hit),
            }
        }
    }
}

impl From<SearchHit> for FoundEntity {
    fn from(hit: SearchHit) -> Self {
        let named = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let matched = named(hit.r#match.text).filter(|_| hit.r#match.r#type == "alias");
        Self { id: hit.id, merged: None, label: named(hit.label), description: named(hit.description), matched }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: &str, label: Option<&str>) -> FoundEntity {
        FoundEntity { id: id.into(), label: label.map(str::to_owned), ..FoundEntity::default() }
    }

    #[test]
    fn the_searches_take_turns() {
        let names = vec![hit("Q1", Some("a")), hit("Q2", Some("b")), hit("Q3", Some("c"))];
        let texts = vec![hit("Q3", None), hit("Q9", None), hit("", None), hit("Q1", None), hit("Q8", None)];
        let all = merged([names, texts]);
        let ids: Vec<&str> = all.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, ["Q1", "Q3", "Q2", "Q9", "Q8"]);
        assert_eq!(all[1].label.as_deref(), Some("c"));
    }
}
