//! The operation `link`: what entities are in the other KGs, by explicit identifiers.

use super::record::{Record, is_qid, wikidata_id};
use super::{Call, Inner, describe, id, json, kinds};
use crate::calls::CallError;
use crate::graph::{Entity, EntityId, KgName};
use crate::kg::IdSpace;
use indexmap::IndexMap;
use serde_json::Value;
use std::sync::PoisonError;

/// The service takes so many addresses in one request.
const AT_ONCE: usize = 100;

/// The entity of `record`, with its ids in every KG of Wikidata's that is open.
#[must_use]
pub fn known(kg: &Inner, record: &Record) -> Entity {
    let mut entity = record.entity.clone();
    for id in record.wikidata() {
        entity.also.extend(kg.named(IdSpace::Wikidata).into_iter().map(|other| (other, id.clone())));
    }
    entity
}

impl Inner {
    /// The other open KGs with ids of `space`.
    fn named(&self, space: IdSpace) -> Vec<KgName> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.iter().filter(|(_, of)| *of == space).map(|(name, _)| name.clone()).collect()
    }
}

/// Answers with entities of this KG; `also` names what each was linked with. Own entities are answered from what was
/// looked up already, ids of MusicBrainz in another KG's words are the same here, and all ids of Wikidata are asked in one
/// request (one for each hundred).
pub async fn link(call: &mut Call<'_>, entities: &[Entity]) -> Result<Vec<Entity>, CallError> {
    let (own, same) = (call.kg.name.clone(), call.kg.named(IdSpace::MusicBrainz));
    let wikidata = call.kg.named(IdSpace::Wikidata);
    let mut linked: Vec<Entity> = Vec::new();
    let mut items: IndexMap<EntityId, Vec<(KgName, EntityId)>> = IndexMap::new();
    for entity in entities {
        let ids = || std::iter::once((&entity.kg, &entity.id)).chain(entity.also.iter().map(|(kg, id)| (kg, id)));
        if let Some(mbid) = ids().filter(|(kg, _)| **kg == own).find_map(|(_, id)| id::parse(id)) {
            let found = call.kg.shelf.here(&mbid.mbid).map(|record| known(call.kg, &record));
            linked.extend(found.filter(|found| !found.also.is_empty()));
            continue;
        }
        // Ids of MusicBrainz in another KG, and addresses at musicbrainz.org in any.
        let ours = |(kg, id): &(&KgName, &EntityId)| same.contains(kg) || id.starts_with("https://musicbrainz.org/");
        if let Some((kg, theirs, given)) = ids().filter(ours).find_map(|(kg, id)| Some((kg, id, id::parse(id)?))) {
            let mut found = call.kg.shelf.entity(&given.mbid).unwrap_or_else(|| Entity {
                id: given.mbid,
                kg: own.clone(),
                label: entity.label.clone(),
                description: None,
                also: Vec::new(),
            });
            found.also.push((kg.clone(), theirs.clone()));
            linked.push(found);
            continue;
        }
        for (kg, theirs) in ids() {
            // Also those of a mirror that was not known to be one when the graphs met.
            let plain = || ((wikidata.contains(kg) || !theirs.contains(':')) && is_qid(theirs)).then(|| theirs.to_ascii_uppercase().into());
            if let Some(item) = wikidata_id(theirs).or_else(plain) {
                items.entry(item).or_default().push((kg.clone(), theirs.clone()));
            }
        }
    }
    let wanted: Vec<EntityId> = items.keys().cloned().collect();
    for chunk in wanted.chunks(AT_ONCE) {
        for (item, mut entity) in by_page(call, chunk).await? {
            let from = items.get(&item).into_iter().flatten().cloned();
            match linked.iter_mut().find(|known| known.id == entity.id) {
                Some(known) => known.also.extend(from),
                None => {
                    entity.also.extend(from);
                    linked.push(entity);
                }
            }
        }
    }
    Ok(linked)
}

/// The entities that have a link to the page of an item, with that item.
async fn by_page(call: &mut Call<'_>, items: &[EntityId]) -> Result<Vec<(EntityId, Entity)>, CallError> {
    let pages: Vec<String> = items.iter().map(|item| format!("https://www.wikidata.org/wiki/{item}")).collect();
    // No page can belong to a page.
    let relationships = kinds::RELATIONSHIPS.replace("url-rels ", "");
    let mut query: Vec<(&str, &str)> = pages.iter().map(|page| ("resource", page.as_str())).collect();
    query.push(("inc", &relationships));
    let Some(answer) = call.kg.client.get(&["url"], &query, &mut call.wire).await? else { return Ok(Vec::new()) };
    // Several are a list; one is an object of its own.
    let several = json::list(&answer.body, "urls");
    let urls: Vec<&Value> = if answer.body.get("urls").is_some() { several.iter().collect() } else { vec![&answer.body] };
    let mut found = Vec::new();
    for url in urls {
        let Some(item) = json::text(url, "resource").and_then(wikidata_id) else { continue };
        for relation in json::list(url, "relations") {
            if json::text(relation, "type").is_some_and(|name| !name.eq_ignore_ascii_case("wikidata")) {
                continue;
            }
            let target = kinds::SEARCHED.into_iter().find_map(|kind| {
                let target = json::object(relation, kind.path()).or_else(|| json::object(relation, &kind.path().replace('-', "_")))?;
                Some((kind, describe::entity(kind, target, &call.kg.name)?))
            });
            if let Some((kind, entity)) = target {
                call.kg.shelf.see(kind, &entity);
                found.push((item.clone(), entity));
            }
        }
    }
    // In the order of the question, whatever order the service has.
    found.sort_by_key(|(item, _)| items.iter().position(|wanted| wanted == item));
    Ok(found)
}
