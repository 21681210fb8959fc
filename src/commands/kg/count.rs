//! `tot kg count`: how many far ends a relation has, computed in the graph.

use super::graphs::{Graphs, remarks};
use super::rows;
use super::table::{Row, Shown};
use super::{Common, turned};
use crate::calls::{Aggregate, CallError, CallErrorKind, Filter, Function, KgData, KgOp, KgReply, Test};
use crate::graph::EntityId;
use crate::kg::KnowledgeGraph;
use std::sync::Arc;

/// Relations that are looked through where a graph can't count by itself.
const RELATIONS: u32 = 1000;

pub(super) async fn run(ids: &[EntityId], relation: &str, reverse: bool, filters: &[Filter], common: &Common) -> anyhow::Result<Shown> {
    let mut graphs = Graphs::open(common).await?;
    let (relation, direction) = turned(relation, reverse);
    let what = Aggregate { function: Function::Count, relation: relation.into(), direction, filters: filters.to_vec(), by: None };
    let answers = graphs.each(ids, |kg, ids| counted(kg, ids, what.clone())).await?;
    let mut more = Vec::new();
    let mut parts = Vec::new();
    for (name, (reply, row)) in answers {
        more.extend(remarks(common.json, &[&reply]));
        parts.push((name, row.into_iter().collect()));
    }
    Ok(graphs.shown(common.json, &["count", "of"], parts, more))
}

/// The number that a graph gives; one that can't compute may still know it from its relations.
async fn counted(kg: Arc<dyn KnowledgeGraph>, entities: Vec<EntityId>, what: Aggregate) -> Result<(KgReply, Option<Row>), CallError> {
    let refusal = match kg.perform(None, KgOp::Aggregate { entities: entities.clone(), what: what.clone(), cap: 0 }).await {
        Ok(reply) => {
            let KgData::Aggregate(result) = &reply.data else { return Err(odd(&*kg)) };
            let row = result.value.as_deref().map(|value| rows::count(value, &result.reading));
            return Ok((reply, row));
        }
        Err(error) if error.kind == CallErrorKind::Refused && what.filters.is_empty() => error,
        Err(error) => return Err(error),
    };
    let reply = kg.perform(None, KgOp::Relations { entities, direction: what.direction, limit: RELATIONS }).await?;
    let KgData::Relations(relations) = &reply.data else { return Err(odd(&*kg)) };
    let is_meant = |id: &str, label: Option<&str>| id == &*what.relation || label == Some(&*what.relation);
    // Programs give their ids a name that a person may leave out.
    let whole = format!("{}:{}", kg.name(), what.relation);
    let found = relations.iter().find(|r| is_meant(&r.at.id, r.label.as_deref()) || *r.at.id == *whole);
    let row = match found {
        Some(relation) => {
            let count = relation.count.ok_or(refusal)?;
            let bound = if relation.count_is_bound { "+" } else { "" };
            Some(rows::count(&format!("{count}{bound}"), &relation.reading()))
        }
        None => None,
    };
    Ok((reply, row))
}

fn odd(kg: &dyn KnowledgeGraph) -> CallError {
    CallError::new(CallErrorKind::BadReply, format!("{} gave no number", kg.name()))
}

/// Reads a condition such as `P2044 > 3500`.
pub(super) fn filter(text: &str) -> Result<Filter, String> {
    let tests =
        [("!=", Test::NotEqual), ("<=", Test::AtMost), (">=", Test::AtLeast), ("=", Test::Equal), ("<", Test::Less), (">", Test::More)];
    let mut found = tests.iter().filter_map(|(sign, test)| {
        let (relation, value) = text.split_once(&format!(" {sign} "))?;
        let (relation, value) = (relation.trim(), value.trim());
        (!relation.is_empty() && !value.is_empty()).then(|| Filter { relation: relation.into(), test: *test, value: value.to_owned() })
    });
    found
        .next()
        .ok_or_else(|| format!("`{text}` is no condition: write a relation, one of = != < <= > >=, and a value, with blanks between"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_a_relation_a_sign_and_a_value() {
        let of = |text: &str| filter(text).map(|f| (f.relation.to_string(), f.test, f.value));
        assert_eq!(of("P2044 > 3500"), Ok(("P2044".into(), Test::More, "3500".into())));
        assert_eq!(of("http://ex.org/a?b=c >= 2"), Ok(("http://ex.org/a?b=c".into(), Test::AtLeast, "2".into())));
        assert_eq!(of("country of origin != New Zealand"), Ok(("country of origin".into(), Test::NotEqual, "New Zealand".into())));
        assert!(of("P2044>3500").is_err() && of("P1 = ").is_err() && of("").is_err());
    }
}
