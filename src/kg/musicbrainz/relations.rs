//! The operation `relations`: what one or several entities have, in one direction, with the number of edges.

use super::Call;
use super::fact::{self, Fact, Group};
use super::record::Record;
use crate::calls::CallError;
use crate::graph::{Direction, EntityId, KgName, Relation, RelationId, RelationRef};
use indexmap::IndexMap;

/// A relation and where it stands.
struct Offer {
    group: Group,
    relation: Relation,
}

/// The relations of `entities` together, in `direction`. What leads to other entities stands first; fields keep their
/// own order, the rest goes by label and id.
pub async fn relations(call: &mut Call<'_>, entities: &[EntityId], direction: Direction, limit: u32) -> Result<Vec<Relation>, CallError> {
    let records = call.records(entities).await?;
    let mut offers: IndexMap<RelationId, Offer> = IndexMap::new();
    for record in &records {
        if record.facts.is_empty() && record.cut.is_empty() {
            call.notes.push(format!("MusicBrainz says nothing about {} beside its name", crate::text::one_line(record.entity.name())));
        }
        for (id, facts) in by_relation(record, direction) {
            offer(&mut offers, &id, &facts, record, &call.kg.name);
        }
        // What no lookup shows may be there or not.
        for list in record.cut.iter().map(|cut| cut.list).filter(|list| list.field.is_some() && list.direction == direction) {
            offers.insert(list.relation.into(), Offer { group: Group::Link, relation: list.unknown(&call.kg.name) });
        }
    }
    let mut offers: Vec<Offer> = offers.into_values().collect();
    offers.sort_by_cached_key(|offer| {
        let named = !matches!(offer.group, Group::Link | Group::Value);
        (offer.group, named.then(|| (offer.relation.label.clone().unwrap_or_default().to_lowercase(), offer.relation.at.id.clone())))
    });
    let (all, limit) = (offers.len(), limit as usize);
    if all > limit {
        call.partial = true;
        call.notes.push(format!("{limit} of {all} relations shown"));
    }
    Ok(offers.into_iter().take(limit).map(|offer| offer.relation).collect())
}

/// The facts of a record in one direction, by relation, in order of first appearance.
fn by_relation(record: &Record, direction: Direction) -> IndexMap<RelationId, Vec<&Fact>> {
    let mut relations: IndexMap<RelationId, Vec<&Fact>> = IndexMap::new();
    for fact in record.facts.iter().filter(|fact| fact.direction == direction) {
        relations.entry(fact.relation.clone()).or_default().push(fact);
    }
    relations
}

fn offer(offers: &mut IndexMap<RelationId, Offer>, id: &RelationId, facts: &[&Fact], record: &Record, kg: &KgName) {
    let Some(first) = facts.first() else { return };
    let listed = fact::edges(facts, &record.entity.id, kg).len() as u64;
    let cut = record.cut(id, first.direction);
    let (count, bound) = cut.map_or((listed, false), |cut| (cut.count.unwrap_or(listed), cut.count.is_none()));
    let offer = offers.entry(id.clone()).or_insert_with(|| Offer {
        group: first.group,
        relation: Relation {
            at: RelationRef { kg: kg.clone(), id: id.clone(), direction: first.direction },
            label: Some(first.label.clone()),
            inverse_label: first.inverse.map(str::to_owned),
            count: Some(0),
            count_is_bound: false,
            identifier: first.group == Group::Identifier,
        },
    });
    offer.relation.count = offer.relation.count.map(|known| known.saturating_add(count));
    offer.relation.count_is_bound |= bound;
}
