//! From what was written to what is asked: ids as IRIs, names looked up in the graph.

use super::super::apart::named_exactly;
use super::super::asker::Asker;
use super::super::table::Table;
use super::super::term::{Iri, Term};
use super::super::vocabulary::{Model, Vocabulary, WD, WDT};
use super::{query, refused};
use crate::calls::{Aggregate, CallError, Day, Function, ITSELF, Test, Value};
use crate::graph::Direction;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Entities that one name may stand for, at most.
const NAMESAKES: usize = 50;

/// A computation whose names are known.
#[derive(Clone)]
pub struct Plan {
    /// What was asked for, with ids in the place of relations' names.
    pub what: Aggregate,
    /// The selected entities.
    pub near: Vec<Iri>,
    /// The relation.
    pub predicate: Iri,
    /// What the far ends must meet.
    pub conditions: Vec<Condition>,
    /// What is compared; `None` where the far ends are themselves.
    pub by: Option<Iri>,
}

/// A condition on a far end.
#[derive(Clone)]
pub struct Condition {
    /// The relation; `None` for the far end itself.
    pub predicate: Option<Iri>,
    /// The comparison.
    pub test: Test,
    /// What it is compared with.
    pub value: Wanted,
    /// The value as it was written.
    pub written: String,
}

impl Condition {
    /// Whether it has values that can be shown as facts.
    pub fn shows(&self) -> bool {
        self.predicate.is_some() && self.test != Test::NotEqual
    }
}

/// What a value is compared with.
#[derive(Clone)]
pub enum Wanted {
    /// An entity by its id.
    Id(Iri),
    /// A number (plain digits), a year or date, and the text as it was written: whichever the graph has.
    Literal {
        /// Plain decimal digits.
        number: Option<String>,
        /// A day, month or year.
        day: Option<Day>,
        /// As it was written.
        text: String,
    },
    /// The entities of this name; a text where there are none.
    Named {
        /// The name.
        name: String,
        /// The entities that are called so.
        entities: Vec<Iri>,
    },
}

/// What a name turned out to be.
#[derive(Default)]
struct Meanings {
    /// Things with this label.
    labelled: Vec<Iri>,
    /// Things with this other name.
    aliased: Vec<Iri>,
}

/// Resolves `what`; at most one round of queries.
///
/// # Errors
/// `Refused` for names that nothing or too much has, else those of the queries.
pub async fn plan(asker: &mut Asker, near: Vec<Iri>, what: &Aggregate) -> Result<Plan, CallError> {
    let vocabulary = Arc::clone(&asker.vocabulary);
    let predicate = vocabulary.predicate(&what.relation)?;
    if what.function.compares() && what.by.is_none() && what.direction == Direction::In {
        return Err(refused(format!("say what is compared: {} ~{} by RELATION", what.function.name(), what.relation)));
    }
    let mut plan = Plan { what: what.clone(), near, predicate, conditions: Vec::new(), by: None };
    let names = unresolved(&vocabulary, what);
    let (named, around) = look_up(asker, &plan, &names).await?;
    let relation = |written: &str| relation(&vocabulary, written, &named, &around);
    if let Some(by) = &what.by {
        let iri = relation(by)?;
        plan.what.by = Some(vocabulary.relation_id(iri.as_str()));
        plan.by = Some(iri);
    }
    for (at, filter) in what.filters.iter().enumerate() {
        let predicate = if &*filter.relation == ITSELF { None } else { Some(relation(&filter.relation)?) };
        if let Some(iri) = &predicate {
            plan.what.filters[at].relation = vocabulary.relation_id(iri.as_str());
        }
        let value = wanted(&vocabulary, &filter.value, &named);
        let only = match &value {
            Wanted::Id(iri) => Some(iri),
            Wanted::Named { entities, .. } if entities.len() == 1 => entities.first(),
            _ => None,
        };
        if let Some(iri) = only {
            plan.what.filters[at].value = vocabulary.entity_id(iri.as_str()).to_string();
        }
        if let (Test::NotEqual, Wanted::Named { name, entities }) = (filter.test, &value)
            && entities.is_empty()
        {
            // Everything would pass a misspelt name.
            return Err(refused(format!("nothing in {} is called \"{name}\": check the name, or give an id", asker.kg)));
        }
        plan.conditions.push(Condition { predicate, test: filter.test, value, written: filter.value.clone() });
    }
    Ok(plan)
}

/// The IRI that `text` is: an id, a known prefix and a name, or an address.
fn as_entity(vocabulary: &Vocabulary, text: &str) -> Option<Iri> {
    let iri = vocabulary.entity(text).ok()?;
    let scheme = text.split(':').next().unwrap_or_default();
    (iri.as_str() != text || text.contains("://") || scheme.chars().all(|c| c.is_ascii_lowercase())).then_some(iri)
}

/// Names that the graph has to be asked about.
struct Unresolved {
    relations: Vec<String>,
    values: Vec<String>,
}

fn unresolved(vocabulary: &Vocabulary, what: &Aggregate) -> Unresolved {
    let relations = what.filters.iter().map(|filter| &filter.relation).chain(&what.by).filter(|name| &***name != ITSELF);
    let values = what.filters.iter().filter(|filter| matches!(value(vocabulary, &filter.value), Wanted::Named { .. }));
    Unresolved {
        relations: relations.filter(|name| vocabulary.predicate(name).is_err()).map(ToString::to_string).collect(),
        values: values.map(|filter| filter.value.clone()).collect(),
    }
}

/// What a value is as far as it can be told without the graph.
fn value(vocabulary: &Vocabulary, written: &str) -> Wanted {
    if let Some(iri) = as_entity(vocabulary, written) {
        return Wanted::Id(iri);
    }
    let read = Value::read(written);
    let day = read.as_day();
    match read {
        Value::Number { amount, .. } => Wanted::Literal { number: Some(amount), day, text: written.to_owned() },
        Value::Date(_) => Wanted::Literal { number: None, day, text: written.to_owned() },
        Value::Name(name) => Wanted::Named { name, entities: Vec::new() },
    }
}

fn wanted(vocabulary: &Vocabulary, written: &str, named: &Table) -> Wanted {
    match value(vocabulary, written) {
        Wanted::Named { name, .. } => {
            let meanings = meanings(vocabulary, &name, named);
            let found = if meanings.labelled.is_empty() { meanings.aliased } else { meanings.labelled };
            let mut entities: Vec<Iri> = found.into_iter().filter(|iri| vocabulary.is_candidate(iri.as_str())).collect();
            entities.truncate(NAMESAKES);
            Wanted::Named { name, entities }
        }
        other => other,
    }
}

/// Things with these names, and in plain RDF the relations that the far ends have.
async fn look_up(asker: &mut Asker, plan: &Plan, names: &Unresolved) -> Result<(Table, Vec<Iri>), CallError> {
    let (mut named, mut around) = (Table::default(), Vec::new());
    if !names.relations.is_empty() || !names.values.is_empty() {
        let spelt: BTreeSet<String> = names.relations.iter().chain(&names.values).flat_map(|name| spellings(name)).collect();
        named = named_exactly(asker, &spelt.into_iter().collect::<Vec<_>>()).await?;
        if asker.vocabulary.model == Model::Plain && !names.relations.is_empty() {
            let table = asker.rows(query::relations_around(plan)).await?;
            around = table.pick(["p"]).filter_map(|[p]| p.and_then(Term::iri)).collect();
            around.sort();
        }
    }
    Ok((named, around))
}

/// A name in the letter cases that labels are written in.
fn spellings(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    let title = lower.split(' ').map(capital).collect::<Vec<_>>().join(" ");
    vec![name.to_owned(), capital(&lower), title, lower]
}

fn meanings(vocabulary: &Vocabulary, name: &str, named: &Table) -> Meanings {
    let mut meanings = Meanings::default();
    for [x, p, t] in named.pick(["x", "p", "t"]) {
        let (Some(x), Some(p), Some(t)) = (x.and_then(Term::iri), p, t) else { continue };
        if t.text().to_lowercase() == name.to_lowercase() {
            let list = if vocabulary.aliases().contains(&p.text()) { &mut meanings.aliased } else { &mut meanings.labelled };
            if !list.contains(&x) {
                list.push(x);
            }
        }
    }
    meanings.labelled.sort();
    meanings.aliased.sort();
    meanings
}

/// The predicate that `written` is, by id or by name.
fn relation(vocabulary: &Vocabulary, written: &str, named: &Table, around: &[Iri]) -> Result<Iri, CallError> {
    if let Ok(iri) = vocabulary.predicate(written) {
        return Ok(iri);
    }
    let meanings = meanings(vocabulary, written, named);
    let as_predicates = |things: Vec<Iri>| -> Vec<Iri> {
        let predicate = |thing: Iri| match vocabulary.model {
            Model::Wikidata => Iri::join(WDT, thing.as_str().strip_prefix(WD).filter(|local| local.starts_with('P'))?),
            Model::Plain => around.contains(&thing).then_some(thing),
        };
        things.into_iter().filter_map(predicate).collect()
    };
    let local = || around.iter().filter(|iri| iri.local_name().replace('_', " ").eq_ignore_ascii_case(written)).cloned().collect();
    let mut found = as_predicates(meanings.labelled);
    if found.is_empty() {
        found = local();
    }
    if found.is_empty() {
        found = as_predicates(meanings.aliased);
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(refused(format!("no relation there is called \"{written}\": check the name, or give its id"))),
        several => {
            let ids: Vec<String> = several.iter().take(5).map(|iri| vocabulary.relation_id(iri.as_str()).to_string()).collect();
            Err(refused(format!("several relations are called \"{written}\": give the id ({})", ids.join(", "))))
        }
    }
}

impl Plan {
    /// Whether the smallest value wins.
    pub const fn ascending(&self) -> bool {
        !matches!(self.what.function, Function::Max)
    }
}
