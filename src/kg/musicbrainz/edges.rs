//! The operation `edges`: the facts of entities over one relation, a page at a time.

use super::Call;
use super::browse::{self, Browsed};
use super::fact::{self, Fact, Far};
use super::link;
use super::lists::canonical;
use super::record::Record;
use crate::calls::{CallError, EdgeList};
use crate::graph::{Direction, Edge, Entity, EntityId, Partial, RelationId};
use indexmap::IndexMap;

/// Which edges of each entity.
pub struct Page {
    /// Over this relation: its id, or the name of the field that shows it.
    pub relation: RelationId,
    /// In this direction.
    pub direction: Direction,
    /// So many at most.
    pub cap: u32,
    /// So many are skipped.
    pub offset: u32,
}

/// A page of the edges of one entity.
struct Shown {
    facts: Vec<Fact>,
    edges: Vec<Edge>,
    /// How many there are, where that is known.
    of: Option<u64>,
    /// Whether more exist.
    more: bool,
}

/// The edges of `entities`, entity by entity.
pub async fn edges(call: &mut Call<'_>, entities: &[EntityId], page: &Page) -> Result<EdgeList, CallError> {
    let records = call.records(entities).await?;
    let mut list = EdgeList::default();
    let mut seen: IndexMap<EntityId, Entity> = IndexMap::new();
    let mut failure = None;
    let mut answered = 0;
    for record in &records {
        let (relation, direction) = canonical(record.kind, &page.relation, page.direction);
        let shown = match of(call, record, relation, direction, page).await {
            Ok(shown) => shown,
            Err(error) => {
                call.remark(&error);
                failure.get_or_insert(error);
                continue;
            }
        };
        answered += 1;
        if shown.more {
            let count = u64::from(page.offset) + shown.edges.len() as u64;
            list.partial.push(Partial {
                entity: record.entity.id.clone(),
                relation: relation.into(),
                direction,
                shown: count,
                of: shown.of,
            });
        }
        if shown.edges.is_empty() {
            continue;
        }
        seen.insert(record.entity.id.clone(), link::known(call.kg, record));
        for fact in &shown.facts {
            list.relation_label.get_or_insert_with(|| fact.label.clone());
            if let Far::Entity(_, far) = &fact.far {
                seen.entry(far.id.clone()).or_insert_with(|| (**far).clone());
            }
        }
        // The same fact may be seen from both of its ends.
        for edge in shown.edges {
            if !list.edges.iter().any(|known| known.same_fact(&edge)) {
                list.edges.push(edge);
            }
        }
    }
    if let Some(error) = failure.filter(|_| answered == 0) {
        return Err(error);
    }
    list.entities = seen.into_values().collect();
    Ok(list)
}

/// The page of one entity: from its record, or by browsing where the record has only the beginning.
async fn of(call: &mut Call<'_>, record: &Record, relation: &str, direction: Direction, page: &Page) -> Result<Shown, CallError> {
    let (own, kg) = (record.entity.id.clone(), call.kg.name.clone());
    if let Some(cut) = record.cut(relation, direction)
        && let Some(Browsed { records, of, more }) = browse::browse(call, cut, &own, page.offset, page.cap).await?
    {
        let facts = cut.list.facts(&records, &kg);
        let edges = fact::edges(&facts.iter().collect::<Vec<_>>(), &own, &kg);
        return Ok(Shown { facts, edges, of, more });
    }
    let all = record.over(relation, direction);
    let edges = fact::edges(&all, &own, &kg);
    // Of a list that cannot be browsed, the lookup has the beginning only.
    let cut = record.cut(relation, direction);
    let total = cut.map_or(Some(edges.len() as u64), |cut| cut.count);
    let end = (page.offset as usize).saturating_add(page.cap as usize);
    let more = edges.len() > end || cut.is_some();
    let edges: Vec<Edge> = edges.into_iter().skip(page.offset as usize).take(page.cap as usize).collect();
    let is_shown = |fact: &&&Fact| edges.iter().any(|edge| edge.same_fact(&fact.edge(&own, &kg)));
    let facts = all.iter().filter(is_shown).map(|fact| (*fact).clone()).collect();
    Ok(Shown { facts, edges, of: total, more })
}
