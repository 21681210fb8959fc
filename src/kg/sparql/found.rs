//! The operation `search` where a service beside the query engine knows the names: the service finds, the engine says
//! what was found, in one query for all of it.

use super::asker::Asker;
use super::describe::note;
use super::identity::Identity;
use super::lookup::{Thing, Wanted, look_up};
use super::term::Iri;
use super::vocabulary::{Model, WD, is_short_id};
use crate::calls::Waiting;
use crate::calls::{CallError, Candidate, WireNote};
use crate::graph::{Entity, EntityId};
use futures_util::future::BoxFuture;
use indexmap::IndexMap;

/// An index of names beside a query engine.
pub trait Finder: Send + Sync + 'static {
    /// Entities whose names are like `mention`, or whose texts hold its words: best first, at most some more than
    /// `limit`.
    fn find(&self, mention: &str, limit: usize) -> BoxFuture<'static, Result<Found, CallError>>;

    /// What the service knows of these ids, for those that the engine holds nothing about.
    fn look_up(&self, ids: Vec<String>) -> BoxFuture<'static, Result<Found, CallError>>;

    /// Classes whose instances are never offered: pages about names, not things.
    fn pages(&self) -> Vec<Iri>;

    /// Whether a description alone says that an entity is such a page.
    fn is_page(&self, description: &str) -> bool;

    /// Whether it can be used now: its name and address. An error says what to do.
    fn check(&self) -> BoxFuture<'static, Result<String, CallError>>;

    /// Why requests are held back now, if they are.
    fn waiting(&self) -> Option<Waiting>;
}

/// What a [`Finder`] found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The entities, in a stable order.
    pub entities: Vec<FoundEntity>,
    /// Why more may exist than is here.
    pub remarks: Vec<String>,
    /// What people should know of a result that is whole.
    pub notes: Vec<String>,
    /// Every request on the wire.
    pub wire: Vec<WireNote>,
}

/// An entity that a [`Finder`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundEntity {
    /// Its id, as the engine's graph has it.
    pub id: String,
    /// The asked id, where that was merged into `id`.
    pub merged: Option<String>,
    /// The label that the service shows.
    pub label: Option<String>,
    /// The description that the service shows.
    pub description: Option<String>,
    /// The alias that was like the mention.
    pub matched: Option<String>,
}

/// Candidates for `mention`, in the order of the finder; a mention that is an id stands for its entity.
///
/// # Errors
/// Those of the finder. What the engine cannot say of the candidates is remarked.
pub async fn search(asker: &mut Asker, finder: &dyn Finder, mention: &str, limit: u32) -> Result<Vec<Candidate>, CallError> {
    let mention = mention.trim();
    if mention.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let named = id_in(mention);
    let found = match &named {
        Some(id) => vec![FoundEntity { id: id.clone(), ..FoundEntity::default() }],
        None => {
            let found = finder.find(mention, limit as usize).await?;
            asker.take_in(&found);
            found.entities
        }
    };
    let found: Vec<(Iri, FoundEntity)> = found.into_iter().filter_map(|hit| Some((asker.vocabulary.entity(&hit.id).ok()?, hit))).collect();
    let iris: Vec<Iri> = found.iter().map(|(iri, _)| iri.clone()).collect();
    let pages = finder.pages();
    let things = match look_up(asker, &iris, Wanted { kinds: &pages, counted: false }).await {
        Ok(things) => things,
        // The entities are there, whatever the engine says; but with an id alone nothing was found yet.
        Err(error) if named.is_none() => {
            asker.remark(format!("what kind of things these are could not be looked up: {error}"));
            iris.iter().map(Thing::unknown).collect()
        }
        Err(error) => return Err(error),
    };
    let mut candidates: IndexMap<Iri, Candidate> = IndexMap::new();
    let mut nameless: Vec<String> = Vec::new();
    for ((_, hit), thing) in found.into_iter().zip(things) {
        let told = !thing.known && hit.description.as_deref().is_some_and(|text| finder.is_page(text));
        if thing.told || told || candidates.contains_key(&thing.iri) {
            continue;
        }
        if named.is_some() && thing.known {
            note(asker, &thing);
        }
        if !thing.known && hit.label.is_none() {
            nameless.push(hit.id);
        }
        let mut entity = thing.entity(asker);
        entity.label = entity.label.or(hit.label);
        entity.description = entity.description.or(hit.description);
        let matched = hit.matched.filter(|alias| entity.label.as_deref() != Some(alias));
        candidates.insert(thing.iri, Candidate { entity, matched });
    }
    let mut candidates: Vec<Candidate> = candidates.into_values().collect();
    candidates.truncate(limit as usize);
    nameless.retain(|id| candidates.iter().any(|candidate| *candidate.entity.id == **id));
    if !nameless.is_empty() {
        match ask_service(asker, finder, &nameless).await {
            Ok(told) => {
                let told: Vec<_> = nameless.iter().zip(told).collect();
                candidates.retain_mut(|candidate| match told.iter().find(|(id, _)| **id == *candidate.entity.id) {
                    Some((_, Some(known))) => {
                        known.fill(&mut candidate.entity);
                        true
                    }
                    Some((_, None)) => false,
                    None => true,
                });
            }
            Err(error) if named.is_some() => return Err(error),
            Err(error) => asker.remark(format!("some names could not be looked up: {error}")),
        }
    }
    Ok(candidates)
}

/// The id that a mention is, if it is one.
fn id_in(mention: &str) -> Option<String> {
    let inner = mention.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(mention);
    let id = match Identity::of_iri(inner) {
        Some(Identity::Wikidata(id)) => id,
        _ => inner.strip_prefix("wd:").unwrap_or(inner).to_owned(),
    };
    (is_short_id(&id) && id.starts_with('Q')).then_some(id)
}

/// The operation `describe`: as without a finder, but what the engine holds nothing about is asked of the service.
///
/// # Errors
/// `Refused` for what is no id, else those of the query.
pub async fn describe(asker: &mut Asker, finder: &dyn Finder, ids: &[EntityId]) -> Result<Vec<Entity>, CallError> {
    let iris = ids.iter().map(|id| asker.vocabulary.entity(id)).collect::<Result<Vec<_>, _>>()?;
    let things = look_up(asker, &iris, Wanted::default()).await?;
    let unknown = things.iter().filter(|thing| !thing.known).filter_map(|thing| thing.iri.as_str().strip_prefix(WD));
    let mut unknown: Vec<String> = unknown.map(str::to_owned).collect();
    unknown.sort();
    unknown.dedup();
    let told = if unknown.is_empty() {
        Vec::new()
    } else {
        ask_service(asker, finder, &unknown).await.unwrap_or_else(|error| {
            asker.remark(format!("what is unknown here could not be looked up elsewhere: {error}"));
            Vec::new()
        })
    };
    let mut entities = Vec::new();
    for thing in &things {
        let mut entity = thing.entity(asker);
        let known = unknown.iter().zip(&told).find(|(id, _)| thing.iri.as_str().strip_prefix(WD) == Some(id.as_str()));
        match known {
            Some((_, Some(known))) => {
                known.fill(&mut entity);
                asker.note(without_statements(asker, &entity.id));
            }
            _ => note(asker, thing),
        }
        entities.push(entity);
    }
    Ok(entities)
}

/// Notes why entities have no relations in either direction, where that is not for lack of facts: they were merged into
/// others, or the endpoint does not serve them. One request; one that fails is noted, since "none" is true without it.
pub async fn why_nothing(asker: &mut Asker, finder: Option<&dyn Finder>, ids: &[EntityId]) {
    if asker.vocabulary.model != Model::Wikidata {
        return;
    }
    let known = match finder {
        Some(finder) => unserved(asker, finder, ids).await,
        None => merged(asker, ids).await,
    };
    if let Err(error) = known {
        asker.note(format!("why there are none could not be looked up: {error}"));
    }
}

async fn merged(asker: &mut Asker, ids: &[EntityId]) -> Result<(), CallError> {
    let iris: Vec<Iri> = ids.iter().filter_map(|id| asker.vocabulary.entity(id).ok()).collect();
    for thing in look_up(asker, &iris, Wanted::default()).await?.iter().filter(|thing| !thing.merged.is_empty()) {
        note(asker, thing);
    }
    Ok(())
}

async fn unserved(asker: &mut Asker, finder: &dyn Finder, ids: &[EntityId]) -> Result<(), CallError> {
    let items: Vec<String> = ids.iter().filter(|id| is_short_id(id)).map(ToString::to_string).collect();
    if items.is_empty() {
        return Ok(());
    }
    for (id, known) in items.iter().zip(ask_service(asker, finder, &items).await?) {
        match known {
            Some(FoundEntity { id: target, merged: Some(_), .. }) => asker.note(format!("{target}: {id} redirects here")),
            Some(_) => asker.note(without_statements(asker, id)),
            None => asker.note(format!("{} holds nothing about {id}", asker.transport.about())),
        }
    }
    Ok(())
}

/// What to tell of an item that exists, while the endpoint holds nothing about it.
pub fn without_statements(asker: &Asker, id: &str) -> String {
    format!(
        "{id} exists, but {} holds no statements about it (scholarly articles, for one, are served elsewhere): \
         another endpoint can be set as `url` under `kgs:` in the configuration",
        asker.transport.about()
    )
}

/// What the service knows of `ids`, in their order; `None` for what it does not know either.
async fn ask_service(asker: &mut Asker, finder: &dyn Finder, ids: &[String]) -> Result<Vec<Option<FoundEntity>>, CallError> {
    let found = finder.look_up(ids.to_vec()).await?;
    asker.take_in(&found);
    let of = |id: &String| found.entities.iter().find(|known| known.merged.as_ref().unwrap_or(&known.id) == id).cloned();
    Ok(ids.iter().map(of).collect())
}

impl FoundEntity {
    /// Adds what the service knows to `entity`.
    fn fill(&self, entity: &mut Entity) {
        if self.merged.is_some() && *entity.id != *self.id {
            let old = std::mem::replace(&mut entity.id, self.id.as_str().into());
            entity.also.push((entity.kg.clone(), old));
        }
        entity.label = entity.label.take().or_else(|| self.label.clone());
        entity.description = entity.description.take().or_else(|| self.description.clone());
    }
}
