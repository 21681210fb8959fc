//! The operation `aggregate`: count, extremes, common members and filters over the far ends of a relation, computed by the
//! engine. One query for what is written by label, one for the computation, one for units and one for names.

mod plan;
mod query;
mod reply;
mod wording;

use super::asker::Asker;
use super::table::Table;
use super::term::{Iri, Term};
use crate::calls::{Aggregate, AggregateResult, CallError, CallErrorKind, Function};
use crate::graph::EntityId;
use plan::{Plan, Wanted};
use std::collections::HashMap;

/// Entities that one computation starts from, at most: they stand in one query.
const MOST: usize = 500;
/// Entities of an intersection, at most: each is a pattern of its own.
const MOST_SHARED: usize = 50;
/// Rows of a listing at most: below what public servers cut at.
const PAGE: u64 = 2_000;
/// Far ends with the same extreme value that are told.
const TIES: usize = 5;

fn refused(why: impl Into<String>) -> CallError {
    CallError::new(CallErrorKind::Refused, why)
}

/// What `what` comes to over the far ends of all `entities` together; of a listing at most `cap` edges an entity.
///
/// # Errors
/// `Refused` for what is no id, what no name leads to, and what can't be computed; else those of the queries.
pub async fn aggregate(asker: &mut Asker, entities: &[EntityId], what: &Aggregate, cap: u32) -> Result<AggregateResult, CallError> {
    let mut near: Vec<Iri> = Vec::new();
    for id in entities {
        let iri = asker.vocabulary.entity(id)?;
        if !near.contains(&iri) {
            near.push(iri);
        }
    }
    let kg = asker.kg.to_string();
    let most = if what.function == Function::Intersect { MOST_SHARED } else { MOST };
    if near.is_empty() {
        return Err(refused(format!("{kg} knows none of the selected entities")));
    }
    if near.len() > most {
        return Err(refused(format!("{} entities are too many for one computation: select at most {most}", near.len())));
    }
    if what.function == Function::Intersect && near.len() < 2 {
        return Err(refused("what several have in common needs at least two selected entities"));
    }
    let mut plan = plan::plan(asker, near, what).await?;
    let cap = u64::from(cap).clamp(1, PAGE);
    let mut found = compute(asker, &plan, cap).await?;
    if found.is_empty() && plan.may_be_text() {
        // A name that is an entity's may also be a text: `title = Inception`.
        let as_text = plan.read_as_text();
        let again = compute(asker, &as_text, cap).await?;
        if !again.is_empty() {
            (plan, found) = (as_text, again);
        }
    }
    if found.is_empty()
        && let Some(name) = plan.unknown_name()
    {
        return Err(refused(format!("nothing in {kg} is called \"{name}\", and no value reads so: check the name, or give an id")));
    }
    reply::build(asker, &plan, found).await
}

/// What the engine found.
enum Found {
    /// A number.
    Count(u64),
    /// The far ends with an extreme value, best first, and whether more are equal.
    Extreme(Vec<Extreme>, bool),
    /// Far ends by entity.
    Listing(Listing),
}

/// A far end with an extreme value.
struct Extreme {
    near: Iri,
    /// The far end, where a value of it is compared.
    far: Option<Term>,
    value: Term,
}

/// Far ends that passed.
#[derive(Default)]
struct Listing {
    /// Entity and far end, in order.
    edges: Vec<(Iri, Term)>,
    /// What they passed by: far end, number of the condition, value.
    values: Vec<(Term, usize, Term)>,
    /// How many each entity has, where not all are here; `None`: not known.
    cut: HashMap<Iri, Option<u64>>,
}

impl Found {
    fn is_empty(&self) -> bool {
        match self {
            Self::Count(n) => *n == 0,
            Self::Extreme(list, _) => list.is_empty(),
            Self::Listing(listing) => listing.edges.is_empty(),
        }
    }
}

async fn compute(asker: &mut Asker, plan: &Plan, cap: u64) -> Result<Found, CallError> {
    match plan.what.function {
        Function::Count => {
            let table = asker.rows(query::count(plan, asker.vocabulary.model)).await?;
            let number = table.pick(["n"]).next().and_then(|[n]| n.and_then(Term::count));
            number.map(Found::Count).ok_or_else(|| {
                CallError::new(CallErrorKind::BadReply, format!("{} answered no number to a count: try again", asker.transport.about()))
            })
        }
        Function::Min | Function::Max | Function::First => {
            let table = asker.rows(query::extreme(plan, asker.vocabulary.model, TIES as u64 + 1)).await?;
            Ok(extremes(&table, plan.by.is_some()))
        }
        Function::Intersect => intersection(asker, plan, cap).await,
        Function::Filter => listing(asker, plan, cap).await,
    }
}

fn extremes(table: &Table, compared: bool) -> Found {
    let row = |[x, y, v]: [Option<&Term>; 3]| {
        let (near, far) = (x?.iri()?, y?.clone());
        Some(if compared { Extreme { near, far: Some(far), value: v?.clone() } } else { Extreme { near, far: None, value: far } })
    };
    let mut rows: Vec<Extreme> = table.pick(["x", "y", "v"]).filter_map(row).collect();
    let key = |term: &Term| super::values::key(term.text());
    let equal = rows.iter().take_while(|row| key(&row.value) == key(&rows[0].value)).count();
    rows.truncate(equal.min(TIES));
    Found::Extreme(rows, equal > TIES)
}

async fn intersection(asker: &mut Asker, plan: &Plan, cap: u64) -> Result<Found, CallError> {
    let table = asker.rows(query::shared(plan, asker.vocabulary.model, cap + 1)).await?;
    let mut ends: Vec<Term> = table.pick(["y"]).filter_map(|[y]| y.cloned()).collect();
    let mut listing = Listing::default();
    if ends.len() as u64 > cap {
        ends.truncate(usize::try_from(cap).unwrap_or(usize::MAX));
        // How many in all is only a remark: an engine that can't say so has still answered.
        let counted = asker.rows(query::count_shared(plan, asker.vocabulary.model)).await.ok();
        let of = counted.and_then(|table| table.pick(["n"]).next().and_then(|[n]| n.and_then(Term::count)));
        listing.cut = plan.near.iter().map(|near| (near.clone(), of)).collect();
        remark(asker, ends.len() as u64, of);
    }
    listing.edges = plan.near.iter().flat_map(|near| ends.iter().map(move |end| (near.clone(), end.clone()))).collect();
    Ok(Found::Listing(listing))
}

fn remark(asker: &mut Asker, shown: u64, of: Option<u64>) {
    match of {
        Some(of) => asker.remark(format!("{shown} of {of} shown")),
        None => asker.remark(format!("the first {shown} shown, more exist")),
    }
}

async fn listing(asker: &mut Asker, plan: &Plan, cap: u64) -> Result<Found, CallError> {
    let limit = cap.saturating_mul(plan.near.len() as u64).min(PAGE) + 1;
    let table = asker.rows(query::listing(plan, asker.vocabulary.model, limit)).await?;
    let mut listing = Listing::default();
    let (mut seen, mut of_each): (Vec<(Iri, Term)>, HashMap<Iri, u64>) = (Vec::new(), HashMap::new());
    for [x, y] in table.pick(["x", "y"]) {
        let (Some(x), Some(y)) = (x.and_then(Term::iri), y) else { continue };
        let pair = (x, y.clone());
        // Rows of one pair stand together, or come again for another value of its conditions.
        if seen.last() != Some(&pair) && !seen.contains(&pair) {
            let count = of_each.entry(pair.0.clone()).or_default();
            *count += 1;
            if *count <= cap {
                listing.edges.push(pair.clone());
            }
            seen.push(pair);
        }
    }
    let cut: Vec<Iri> = if seen.len() as u64 >= limit {
        plan.near.clone()
    } else {
        plan.near.iter().filter(|near| of_each.get(*near).is_some_and(|n| *n > cap)).cloned().collect()
    };
    if !cut.is_empty() {
        let counted = asker.rows(query::count_each(plan, asker.vocabulary.model)).await.ok();
        let totals: HashMap<Iri, u64> = counted
            .as_ref()
            .map_or_else(HashMap::new, |table| table.pick(["x", "n"]).filter_map(|[x, n]| Some((x?.iri()?, n?.count()?))).collect());
        let shown = |near: &Iri| listing.edges.iter().filter(|(x, _)| x == near).count() as u64;
        listing.cut = cut
            .iter()
            .filter(|near| totals.get(*near).is_none_or(|of| *of > shown(near)))
            .map(|near| (near.clone(), totals.get(near).copied()))
            .collect();
        if !listing.cut.is_empty() {
            let all = plan.near.iter().map(|near| totals.get(near).copied()).sum::<Option<u64>>().filter(|_| counted.is_some());
            remark(asker, listing.edges.len() as u64, all);
        }
    }
    for (at, condition) in plan.conditions.iter().enumerate().filter(|(_, condition)| condition.shows()) {
        let var = format!("f{at}");
        for [y, value] in table.pick(["y", &var]) {
            let (Some(y), Some(value)) = (y, value) else { continue };
            let told = (y.clone(), at, value.clone());
            if listing.edges.iter().any(|(_, end)| *end == told.0) && !listing.values.contains(&told) {
                listing.values.push(told);
            }
        }
        debug_assert!(condition.predicate.is_some());
    }
    Ok(Found::Listing(listing))
}

impl Plan {
    /// Whether a name was taken for an entity's that could be a text.
    fn may_be_text(&self) -> bool {
        self.conditions.iter().any(|condition| matches!(&condition.value, Wanted::Named { entities, .. } if !entities.is_empty()))
    }

    fn read_as_text(&self) -> Self {
        let mut plan = self.clone();
        for (condition, filter) in plan.conditions.iter_mut().zip(&mut plan.what.filters) {
            if let Wanted::Named { entities, .. } = &mut condition.value {
                entities.clear();
                filter.value.clone_from(&condition.written);
            }
        }
        plan
    }

    /// A name that is nothing's.
    fn unknown_name(&self) -> Option<&str> {
        self.conditions.iter().find_map(|condition| match &condition.value {
            Wanted::Named { name, entities } if entities.is_empty() => Some(name.as_str()),
            _ => None,
        })
    }
}
