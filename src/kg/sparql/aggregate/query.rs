//! The queries of a computation: standard SPARQL 1.1. Amounts are compared as the graph states them; dates with the first
//! and last day of what was written, so that `= 1950` means in that year.

use super::super::query::{Query, values};
use super::super::term::{Iri, literal};
use super::super::vocabulary::Model;
use super::plan::{Condition, Plan, Wanted};
use crate::calls::{Day, Function, Test};
use crate::graph::Direction;

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// Short ends first, so that ids stand in the order of their numbers.
const ORDER: &str = "STRLEN(STR(?y)) STR(?y)";

/// The far ends `?y` of `?x` over the relation.
fn far(plan: &Plan) -> String {
    format!("{} {}", values("x", &plan.near), pattern(plan, "?x"))
}

fn pattern(plan: &Plan, near: &str) -> String {
    match plan.what.direction {
        Direction::Out => format!("{near} {} ?y .", plan.predicate),
        Direction::In => format!("?y {} {near} . FILTER(ISIRI(?y))", plan.predicate),
    }
}

fn conditions(plan: &Plan, model: Model) -> String {
    let all: Vec<String> = plan.conditions.iter().enumerate().map(|(at, c)| condition(c, &format!("?f{at}"), model)).collect();
    all.join(" ")
}

/// One condition; the value that meets it is bound to `var` where there is one to show.
fn condition(condition: &Condition, var: &str, model: Model) -> String {
    let Some(predicate) = &condition.predicate else {
        let test = test(condition, "?y", model);
        return if condition.test == Test::NotEqual { format!("FILTER(!({test}))") } else { format!("FILTER({test})") };
    };
    let has = match &condition.value {
        // As patterns, an engine can begin with them.
        Wanted::Id(iri) => format!("{} ?y {predicate} {var} .", values(&var[1..], [iri])),
        Wanted::Named { entities, .. } if !entities.is_empty() => format!("{} ?y {predicate} {var} .", values(&var[1..], entities)),
        _ => format!("?y {predicate} {var} . FILTER({})", test(condition, var, model)),
    };
    match (&condition.value, condition.test) {
        (Wanted::Id(iri), Test::NotEqual) => format!("FILTER NOT EXISTS {{ ?y {predicate} {iri} . }}"),
        (_, Test::NotEqual) => format!("FILTER NOT EXISTS {{ {has} }}"),
        _ => has,
    }
}

/// The test of a value, as an expression. (`!=` is the absence of an equal one.)
fn test(condition: &Condition, var: &str, model: Model) -> String {
    let sign = if condition.test == Test::NotEqual { Test::Equal } else { condition.test };
    match &condition.value {
        Wanted::Id(iri) => format!("{var} = {iri}"),
        Wanted::Named { entities, .. } if !entities.is_empty() => {
            let all: Vec<String> = entities.iter().map(Iri::to_string).collect();
            format!("{var} IN ({})", all.join(", "))
        }
        Wanted::Named { name, .. } => same_text(var, name),
        Wanted::Literal { number, day, text } => {
            let mut ways: Vec<String> = Vec::new();
            if let Some(number) = number {
                ways.push(format!("(ISNUMERIC({var}) && {var} {} {number})", sign.sign()));
            }
            if let Some(day) = day {
                ways.extend(dates(var, sign, *day, model));
            }
            if sign == Test::Equal {
                ways.push(same_text(var, text));
            }
            ways.join(" || ")
        }
    }
}

fn same_text(var: &str, text: &str) -> String {
    format!("(ISLITERAL({var}) && LCASE(STR({var})) = {})", literal(&text.to_lowercase(), ""))
}

/// The comparison with a day, month or year, for each type of dates.
fn dates(var: &str, test: Test, day: Day, model: Model) -> Vec<String> {
    let (begins, ends) = (day.begins(), day.ends());
    let bounds: &[(&str, (i64, u8, u8))] = match test {
        Test::Less => &[("<", begins)],
        Test::AtMost => &[("<", ends)],
        Test::More => &[(">=", ends)],
        Test::AtLeast => &[(">=", begins)],
        Test::Equal | Test::NotEqual => &[(">=", begins), ("<", ends)],
    };
    let all = |bound: &dyn Fn((i64, u8, u8)) -> String, var: &str| {
        let tests: Vec<String> = bounds.iter().map(|(sign, at)| format!("{var} {sign} {}", bound(*at))).collect();
        tests.join(" && ")
    };
    // In plain RDF as texts: dates of every type and precision sort so, and engines differ in comparing types and zones.
    if model == Model::Plain && (0..=9998).contains(&day.year) {
        return vec![format!("(DATATYPE({var}) IN ({}) && {})", date_types(), all(&|at| literal(&stem(at), ""), &format!("STR({var})")))];
    }
    let of_type = |kind: &str, time: &str| {
        let tests = all(&|at| format!("\"{}{time}\"^^<{XSD}{kind}>", iso(at)), var);
        format!("(DATATYPE({var}) = <{XSD}{kind}> && {tests})")
    };
    let date = (model == Model::Plain).then(|| of_type("date", ""));
    std::iter::once(of_type("dateTime", "T00:00:00Z")).chain(date).collect()
}

fn date_types() -> String {
    ["dateTime", "date", "gYear", "gYearMonth"].map(|kind| format!("<{XSD}{kind}>")).join(", ")
}

/// The beginning of a date that sorts before every text of that date, however precise: `1951`, `1951-06`, `1951-06-02`.
fn stem((year, month, day): (i64, u8, u8)) -> String {
    match (month, day) {
        (1, 1) => format!("{year:04}"),
        (_, 1) => format!("{year:04}-{month:02}"),
        _ => format!("{year:04}-{month:02}-{day:02}"),
    }
}

fn iso((year, month, day): (i64, u8, u8)) -> String {
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

/// Far ends and conditions together.
fn body(plan: &Plan, model: Model) -> String {
    format!("{} {}", far(plan), conditions(plan, model))
}

/// How many different far ends (`?n`).
pub fn count(plan: &Plan, model: Model) -> Query {
    Query::whole(&format!("SELECT (COUNT(DISTINCT ?y) AS ?n) WHERE {{ {} }}", body(plan, model)))
}

/// How many each entity has (`?x ?n`).
pub fn count_each(plan: &Plan, model: Model) -> Query {
    Query::whole(&format!("SELECT ?x (COUNT(DISTINCT ?y) AS ?n) WHERE {{ {} }} GROUP BY ?x", body(plan, model)))
}

/// The first far ends by the value that is compared (`?x ?y ?v`; without `by` they are that value: `?x ?y`).
pub fn extreme(plan: &Plan, model: Model, limit: u64) -> Query {
    let (select, value, var) = match &plan.by {
        Some(by) => ("?x ?y ?v", format!("?y {by} ?v ."), "?v"),
        None => ("?x ?y", String::new(), "?y"),
    };
    let dated = format!("DATATYPE({var}) IN ({})", date_types());
    // Only Wikidata is known to keep years as dates.
    let ordered =
        if plan.what.function == Function::First && model == Model::Wikidata { dated } else { format!("ISNUMERIC({var}) || {dated}") };
    let order = if plan.ascending() { format!("ASC({var})") } else { format!("DESC({var})") };
    Query::limited(
        &format!("SELECT DISTINCT {select} WHERE {{ {} {value} FILTER({ordered}) }} ORDER BY {order} {ORDER}", body(plan, model)),
        limit,
    )
}

fn shared_body(plan: &Plan, model: Model) -> String {
    let each: Vec<String> = plan.near.iter().map(|near| pattern(plan, &near.to_string())).collect();
    format!("{} {}", each.join(" "), conditions(plan, model))
}

/// The far ends that every entity has (`?y`).
pub fn shared(plan: &Plan, model: Model, limit: u64) -> Query {
    Query::limited(&format!("SELECT DISTINCT ?y WHERE {{ {} }} ORDER BY {ORDER}", shared_body(plan, model)), limit)
}

/// How many those are (`?n`).
pub fn count_shared(plan: &Plan, model: Model) -> Query {
    Query::whole(&format!("SELECT (COUNT(DISTINCT ?y) AS ?n) WHERE {{ {} }}", shared_body(plan, model)))
}

/// The far ends that pass, with the values that they passed by (`?x ?y ?f0 ?f1 ...`).
pub fn listing(plan: &Plan, model: Model, limit: u64) -> Query {
    let inner = format!("SELECT DISTINCT ?x ?y WHERE {{ {} }} ORDER BY STR(?x) {ORDER} LIMIT {limit}", body(plan, model));
    let shown: Vec<usize> = (0..plan.conditions.len()).filter(|at| plan.conditions[*at].shows()).collect();
    let vars: Vec<String> = shown.iter().map(|at| format!(" ?f{at}")).collect();
    let tests: Vec<String> = shown.iter().map(|at| condition(&plan.conditions[*at], &format!("?f{at}"), model)).collect();
    Query::whole(&format!("SELECT DISTINCT ?x ?y{} WHERE {{ {{ {inner} }} {} }} ORDER BY STR(?x) {ORDER}", vars.concat(), tests.join(" ")))
}

/// The relations of the far ends (`?p`), looking at some of them.
pub fn relations_around(plan: &Plan) -> Query {
    Query::whole(&format!("SELECT DISTINCT ?p WHERE {{ {{ SELECT DISTINCT ?y WHERE {{ {} }} LIMIT 1000 }} ?y ?p ?o . }}", far(plan)))
}

/// Precision and unit of the values of a property (`?x ?value ?precision ?unit`), in the Wikidata model.
pub fn value_nodes(things: &[Iri], property: &str) -> Query {
    Query::whole(&format!(
        "SELECT DISTINCT ?x ?value ?precision ?unit WHERE {{ {} ?x p:{property} ?statement . ?statement psv:{property} ?node . \
         {{ ?node wikibase:timeValue ?value . ?node wikibase:timePrecision ?precision }} UNION \
         {{ ?node wikibase:quantityAmount ?value . ?node wikibase:quantityUnit ?unit }} }}",
        values("x", things)
    ))
}
