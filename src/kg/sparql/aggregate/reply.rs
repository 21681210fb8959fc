//! From what the engine found to facts: the derived one under an id of its own, and the real ones that bear it.

use super::super::asker::Asker;
use super::super::describe::names;
use super::super::relations::is_too_much;
use super::super::term::{Iri, Term};
use super::super::values::{self, Detail};
use super::super::vocabulary::{Model, WD, is_short_id, is_unknown};
use super::plan::{Plan, Wanted};
use super::wording::Words;
use super::{Extreme, Found, Listing, query};
use crate::calls::{AggregateResult, CallError, EdgeList};
use crate::graph::{Direction, Edge, Literal, LiteralKind, Object, Partial, RelationId};
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;
use std::sync::Arc;

/// Precision and unit by thing, property and value.
type Details = HashMap<(String, String, String), Detail>;

/// The reply. Asks for units and names.
///
/// # Errors
/// Those of the queries.
pub async fn build(asker: &mut Asker, plan: &Plan, found: Found) -> Result<AggregateResult, CallError> {
    let details = details(asker, plan, &found).await?;
    let things = things(asker, plan, &found, &details);
    let things: Vec<Iri> = things.into_iter().collect();
    let names = names(asker, &things, true).await?;
    let words = Words { asker, plan, names: &names };
    let mut facts = Facts { words, details, lists: IndexMap::new() };
    let reading = facts.words.reading();
    let amounts = matches!(&found, Found::Extreme(rows, _) if rows.first().is_some_and(|row| values::is_amount(&row.value)));
    let caution = facts.words.caution(amounts);
    let (value, said) = match found {
        Found::Count(n) => {
            facts.count(n);
            (Some(n.to_string()), n.to_string())
        }
        Found::Extreme(rows, more) => facts.extreme(&rows, more),
        Found::Listing(listing) => facts.listing(&listing),
    };
    let lists = facts.finish();
    Ok(AggregateResult { value, lists, reading: format!("{reading}: {said}{caution}") })
}

/// Everything that needs a name.
fn things(asker: &Asker, plan: &Plan, found: &Found, details: &Details) -> IndexSet<Iri> {
    let vocabulary = &asker.vocabulary;
    let mut things: IndexSet<Iri> = plan.near.iter().cloned().collect();
    let relations = std::iter::once(&plan.predicate).chain(&plan.by).chain(plan.conditions.iter().filter_map(|c| c.predicate.as_ref()));
    things.extend(relations.map(|predicate| vocabulary.relation_entity(predicate)));
    for condition in &plan.conditions {
        if let Wanted::Id(iri) = &condition.value {
            things.insert(iri.clone());
        }
    }
    let mut terms: Vec<&Term> = Vec::new();
    match found {
        Found::Count(_) => {}
        Found::Extreme(rows, _) => rows.iter().for_each(|row| terms.extend(&row.far)),
        Found::Listing(listing) => {
            terms.extend(listing.edges.iter().map(|(_, end)| end));
            terms.extend(listing.values.iter().map(|(_, _, value)| value));
        }
    }
    things.extend(terms.into_iter().filter_map(Term::iri).filter(|iri| !is_unknown(iri.as_str())));
    let mut units: Vec<Iri> = details.values().filter_map(|detail| Iri::new(detail.unit.as_deref()?)).collect();
    units.sort();
    things.extend(units);
    things
}

/// Precision and unit of the values that are shown, from the statements behind them.
async fn details(asker: &mut Asker, plan: &Plan, found: &Found) -> Result<Details, CallError> {
    let mut wanted: IndexMap<String, IndexSet<Iri>> = IndexMap::new();
    let vocabulary = Arc::clone(&asker.vocabulary);
    let mut want = |thing: Option<Iri>, predicate: &Iri, value: &Term| {
        let property = vocabulary.relation_id(predicate.as_str());
        let typed = matches!(value, Term::Literal { datatype: Some(_), .. });
        if let (Some(thing), true, true) = (thing, typed, property.starts_with('P') && is_short_id(&property)) {
            wanted.entry(property.to_string()).or_default().insert(thing);
        }
    };
    match found {
        Found::Count(_) => {}
        Found::Extreme(rows, _) => {
            for row in rows {
                match (&row.far, &plan.by) {
                    (Some(far), Some(by)) => want(far.iri(), by, &row.value),
                    _ => want(Some(row.near.clone()), &plan.predicate, &row.value),
                }
            }
        }
        Found::Listing(listing) => {
            for (end, at, value) in &listing.values {
                if let Some(predicate) = &plan.conditions[*at].predicate {
                    want(end.iri(), predicate, value);
                }
            }
            if plan.what.direction == Direction::Out {
                listing.edges.iter().for_each(|(near, end)| want(Some(near.clone()), &plan.predicate, end));
            }
        }
    }
    let mut all = Details::new();
    if vocabulary.model != Model::Wikidata {
        return Ok(all);
    }
    for (property, things) in wanted {
        let things: Vec<Iri> = things.into_iter().collect();
        let tables = match asker.rows_for(&things, |chunk| query::value_nodes(chunk, &property)).await {
            Err(error) if is_too_much(&error) => {
                asker.remark("dates and numbers may lack precision and units: the server could not look them up");
                continue;
            }
            tables => tables?,
        };
        for [x, value, precision, unit] in tables.iter().flat_map(|t| t.pick(["x", "value", "precision", "unit"])) {
            let (Some(x), Some(value)) = (x, value) else { continue };
            let detail = all.entry((x.text().to_owned(), property.clone(), values::key(value.text()))).or_default();
            detail.precision = detail.precision.max(precision.and_then(|p| p.text().parse().ok()));
            detail.unit = detail.unit.take().or_else(|| unit.map(|unit| unit.text().to_owned()));
        }
    }
    Ok(all)
}

/// Facts under way: one list a relation.
struct Facts<'a> {
    words: Words<'a>,
    details: Details,
    lists: IndexMap<RelationId, (EdgeList, IndexSet<String>)>,
}

impl Facts<'_> {
    fn add(&mut self, relation: &RelationId, label: &str, s: &Iri, o: Object, also: Option<&Iri>) {
        let vocabulary = &self.words.asker.vocabulary;
        let (list, mentioned) = self.lists.entry(relation.clone()).or_default();
        list.relation_label = Some(label.to_owned()).filter(|label| *label != **relation);
        mentioned.extend(std::iter::once(s).chain(also).map(|iri| iri.as_str().to_owned()));
        let edge = Edge::new(vocabulary.entity_id(s.as_str()), relation.clone(), o, self.words.asker.kg.clone());
        if !list.edges.contains(&edge) {
            list.edges.push(edge);
        }
    }

    /// A real fact, in its true direction.
    fn fact(&mut self, s: &Iri, predicate: &Iri, o: &Term) {
        let relation = self.words.asker.vocabulary.relation_id(predicate.as_str());
        let label = self.words.label_of(predicate);
        let also = self.as_entity(o);
        let o = also.as_ref().map_or_else(|| self.literal(s, predicate, o), |iri| self.entity(iri));
        self.add(&relation, &label, s, o, also.as_ref());
    }

    fn entity(&self, iri: &Iri) -> Object {
        Object::Entity(self.words.asker.vocabulary.entity_id(iri.as_str()))
    }

    fn as_entity(&self, term: &Term) -> Option<Iri> {
        let iri = term.iri().filter(|iri| !is_unknown(iri.as_str()))?;
        let known = self.words.asker.vocabulary.is_entity(iri.as_str()) || self.words.names.label(iri.as_str()).is_some();
        known.then_some(iri)
    }

    fn literal(&self, s: &Iri, predicate: &Iri, term: &Term) -> Object {
        let vocabulary = &self.words.asker.vocabulary;
        let property = vocabulary.relation_id(predicate.as_str()).to_string();
        let detail = self.details.get(&(s.as_str().to_owned(), property, values::key(term.text()))).cloned().unwrap_or_default();
        let unit = detail.unit.as_deref().filter(|unit| *unit != format!("{WD}Q199"));
        let unit = unit.map(|unit| self.words.names.label(unit).map_or_else(|| vocabulary.entity_id(unit).to_string(), str::to_owned));
        Object::Literal(values::literal(term, vocabulary.model, &Detail { unit, ..detail.clone() }))
    }

    fn count(&mut self, n: u64) {
        let literal = Literal { kind: LiteralKind::Quantity, text: n.to_string(), raw: None, lang: None };
        let (id, label, near) = (self.words.plan.what.fact_id(), self.words.label(), self.words.plan.near[0].clone());
        self.add(&id, &label, &near, Object::Literal(literal), None);
    }

    fn extreme(&mut self, rows: &[Extreme], more: bool) -> (Option<String>, String) {
        let (id, label, plan) = (self.words.plan.what.fact_id(), self.words.label(), self.words.plan);
        let (mut value, mut names) = (None, IndexSet::new());
        for row in rows {
            let Some((far, by)) = row.far.as_ref().zip(plan.by.as_ref()) else {
                let literal = self.literal(&row.near, &plan.predicate, &row.value);
                value = value.or_else(|| text_of(&literal));
                names.insert(self.words.names.label(row.near.as_str()).unwrap_or(row.near.as_str()).to_owned());
                self.add(&id, &label, &row.near, literal, None);
                continue;
            };
            let Some(iri) = far.iri() else { continue };
            names.insert(self.words.names.label(iri.as_str()).unwrap_or(iri.as_str()).to_owned());
            let end = self.entity(&iri);
            self.add(&id, &label, &row.near, end, Some(&iri));
            let compared = self.literal(&iri, by, &row.value);
            value = value.or_else(|| text_of(&compared));
            self.fact(&iri, by, &row.value);
        }
        let names: Vec<String> = names.into_iter().collect();
        let more = if more { " and more that are equal" } else { "" };
        let said = match (&value, names.len()) {
            (Some(value), 1..) => format!("{}{more}, {value}", names.join(" and ")),
            _ => "nothing has such a value".to_owned(),
        };
        (value, said)
    }

    fn listing(&mut self, listing: &Listing) -> (Option<String>, String) {
        let plan = self.words.plan;
        for (near, end) in &listing.edges {
            match (plan.what.direction, end.iri()) {
                (Direction::Out, _) => self.fact(near, &plan.predicate, end),
                (Direction::In, Some(end)) => self.fact(&end, &plan.predicate, &Term::Iri(near.as_str().to_owned())),
                (Direction::In, None) => {}
            }
        }
        for (end, at, value) in &listing.values {
            if let (Some(end), Some(predicate)) = (end.iri(), &plan.conditions[*at].predicate) {
                self.fact(&end, predicate, value);
            }
        }
        let ends: IndexSet<&Term> = listing.edges.iter().map(|(_, end)| end).collect();
        if ends.is_empty() {
            return (None, "nothing".to_owned());
        }
        let relation = plan.what.fact_id();
        for (near, of) in plan.near.iter().filter_map(|near| listing.cut.get_key_value(near)) {
            let shown = listing.edges.iter().filter(|(x, _)| x == near).count() as u64;
            let entity = self.words.asker.vocabulary.entity_id(near.as_str());
            // Said under the id of the computation: the relation itself has still more.
            let partial = Partial { entity, relation: relation.clone(), direction: Direction::Out, shown, of: *of };
            if let Some((list, _)) = self.lists.values_mut().next() {
                list.partial.push(partial);
            }
        }
        if listing.cut.is_empty() {
            return (None, format!("{} found", ends.len()));
        }
        match listing.cut.values().next().copied().flatten().filter(|_| plan.near.len() == 1) {
            Some(of) => (None, format!("{} of {of} shown", ends.len())),
            None => (None, format!("{} shown, more exist", ends.len())),
        }
    }

    fn finish(self) -> Vec<EdgeList> {
        let (asker, names) = (self.words.asker, self.words.names);
        let list = |(mut list, mentioned): (EdgeList, IndexSet<String>)| {
            list.entities = mentioned.iter().map(|iri| names.entity(asker, iri)).collect();
            list
        };
        self.lists.into_values().map(list).collect()
    }
}

fn text_of(object: &Object) -> Option<String> {
    match object {
        Object::Literal(literal) => Some(literal.text.clone()),
        Object::Entity(_) => None,
    }
}
