//! The queries for edges: far ends, how many there are, names and what the statements say, in one.
//!
//! The rows of one result are of several kinds, told apart by the variables that are bound:
//!
//! * `?x ?y`: an edge between an asked entity and a far end (`?x` is left out where only one entity is asked for);
//! * `?x ?all`: how many far ends an entity has;
//! * `?n ?label ?about`: the names of a thing;
//! * `?x ?y ?s ?m ?o`: a statement behind an edge says `?o` under `?m`: its rank, a qualifier;
//! * `?x ?y ?s ?m ?o ?k ?v`: so, and `?o` is a value node that says `?v` under `?k`.
//!
//! Every kind is a group of its own with the page of far ends as a sub-select in it. Said once with the kinds as
//! alternatives inside, it would be shorter, but then some engines read every name and statement there is, and others
//! refuse the query by their estimate. Nor is there a VALUES block in a group of alternatives: Virtuoso 7 loses it.

use super::best_text::named;
use super::query::{Query, values};
use super::statements::NO_VALUE;
use super::term::{Iri, literal};
use super::vocabulary::{SKOLEM, Vocabulary};
use crate::graph::Direction;

/// Far ends of one entity that are looked at to count and order them.
pub const BOUND: u64 = 20_000;

/// Predicates of value nodes that are read.
const SAID_OF_VALUES: [&str; 7] = [
    "wikibase:timeValue",
    "wikibase:timePrecision",
    "wikibase:timeCalendarModel",
    "wikibase:quantityAmount",
    "wikibase:quantityUnit",
    "wikibase:quantityLowerBound",
    "wikibase:quantityUpperBound",
];

/// What is asked for.
pub struct Page<'a> {
    /// The predicate of the edges.
    pub predicate: &'a Iri,
    /// The property behind it, where edges have statements: `P57`.
    pub property: Option<&'a str>,
    /// The direction.
    pub direction: Direction,
    /// At most so many an entity.
    pub cap: u64,
    /// So many are skipped.
    pub offset: u64,
    /// The values of every statement, not only those of the best rank.
    pub all_ranks: bool,
    /// How ids and labels stand in the data.
    pub vocabulary: &'a Vocabulary,
}

/// Names of IRIs in a filter.
fn begins(var: &str, namespace: &str) -> String {
    format!("STRSTARTS(STR(?{var}), {})", literal(namespace, ""))
}

fn qualifier(var: &str) -> String {
    begins(var, "http://www.wikidata.org/prop/qualifier/")
}

fn said_of_values() -> String {
    format!("FILTER(?k IN ({}))", SAID_OF_VALUES.join(", "))
}

impl Page<'_> {
    /// Alternatives that bind `?y` to the far ends of `x` (an entity, or `?x`).
    fn far_ends(&self, x: &str) -> Vec<String> {
        let predicate = self.predicate;
        match (self.direction, self.property.filter(|_| self.all_ranks)) {
            (Direction::Out, None) => vec![format!("{x} {predicate} ?y .")],
            (Direction::In, None) => vec![format!("?y {predicate} {x} . FILTER(ISIRI(?y))")],
            // Not every edge has a statement behind it, outside of Wikidata.
            (Direction::Out, Some(p)) => {
                vec![format!("{x} p:{p} ?st . ?st ps:{p} ?y ."), format!("{x} {predicate} ?y . FILTER NOT EXISTS {{ {x} p:{p} ?any }}")]
            }
            (Direction::In, Some(p)) => vec![
                format!("?y p:{p} ?st . ?st ps:{p} {x} ."),
                format!("?y {predicate} {x} . FILTER(ISIRI(?y)) FILTER NOT EXISTS {{ ?y p:{p} ?any }}"),
            ],
        }
    }

    fn far_ends_of(&self, x: &Iri) -> String {
        let ways = self.far_ends(&x.to_string());
        if ways.len() == 1 { ways.concat() } else { format!("{{ {} }}", ways.join(" } UNION { ")) }
    }

    /// The page of one entity: its first far ends in a stable order, or in the engine's. Ids stand in the order of their
    /// numbers, since short ones come before long ones.
    fn page_of(&self, x: &Iri, ordered: bool) -> String {
        let far = self.far_ends_of(x);
        if !ordered {
            return format!("SELECT DISTINCT ?y WHERE {{ {far} }} LIMIT {} OFFSET {}", self.cap + 1, self.offset);
        }
        // Beyond the bound, order is kept among each further so many.
        let (window, offset) = (self.offset / BOUND * BOUND, self.offset % BOUND);
        let skip = if window > 0 { format!(" OFFSET {window}") } else { String::new() };
        format!(
            "SELECT ?y WHERE {{ {{ SELECT DISTINCT ?y WHERE {{ {far} }} LIMIT {BOUND}{skip} }} }} \
             ORDER BY DESC(ISIRI(?y)) STRLEN(STR(?y)) STR(?y) LIMIT {} OFFSET {offset}",
            self.cap
        )
    }

    /// Pages of a few entities (`?x ?y`). That of one entity alone does without `?x`.
    fn pages(&self, entities: &[Iri], ordered: bool) -> String {
        if let [x] = entities {
            return format!("{{ {} }}", self.page_of(x, ordered));
        }
        let page = |x| format!("{{ SELECT ({x} AS ?x) ?y WHERE {{ {{ {} }} }} }}", self.page_of(x, ordered));
        format!("{{ {} }}", entities.iter().map(page).collect::<Vec<_>>().join(" UNION "))
    }

    /// `?all`: exact up to the bound, one more beyond it.
    fn counts(&self, entities: &[Iri]) -> Vec<String> {
        let count = |x| {
            let far = self.far_ends_of(x);
            let limit = BOUND + 1;
            format!("SELECT ({x} AS ?x) (COUNT(*) AS ?all) WHERE {{ {{ SELECT DISTINCT ?y WHERE {{ {far} }} LIMIT {limit} }} }}")
        };
        entities.iter().map(count).collect()
    }

    /// The names of far ends, of the entities and the relation, and of what `more` binds to `?n`.
    fn names(&self, entities: &[Iri], pages: &str, more: &[String]) -> String {
        let mut things = vec![format!("SELECT (?y AS ?n) WHERE {{ {pages} }}")];
        let relation = self.vocabulary.relation_entity(self.predicate);
        things.extend(entities.iter().chain([&relation]).map(|x| format!("BIND({x} AS ?n)")));
        things.extend_from_slice(more);
        let things = format!("{{ SELECT DISTINCT ?n WHERE {{ {{ {} }} }} }}", things.join(" } UNION { "));
        named(&things, self.vocabulary, true)
    }

    /// Binds `?s` to the statements behind the edges in `pages`.
    fn statements(&self, entities: &[Iri], pages: &str, p: &str) -> String {
        let x = if let [x] = entities { x.to_string() } else { "?x".to_owned() };
        match self.direction {
            Direction::Out => format!("{pages} {x} p:{p} ?s . ?s ps:{p} ?y ."),
            Direction::In => format!("{pages} ?y p:{p} ?s . ?s ps:{p} {x} ."),
        }
    }

    /// Everything that the statements behind the edges in `pages` say, by kind.
    fn said(&self, entities: &[Iri], pages: &str) -> Vec<String> {
        let mut kinds = Vec::new();
        if let Some(p) = self.property {
            let statements = self.statements(entities, pages, p);
            let (is_qualifier, of_values) = (qualifier("m"), said_of_values());
            let rank = if self.all_ranks { "?m = wikibase:rank" } else { "(?m = wikibase:rank && ?o != wikibase:NormalRank)" };
            let value = begins("m", "http://www.wikidata.org/prop/qualifier/value/");
            let none = begins("o", NO_VALUE);
            let said = format!("?s ?m ?o . FILTER({is_qualifier} || {rank} || (?m = rdf:type && {none}))");
            if self.direction == Direction::Out {
                let block = values("x", entities);
                kinds.push(format!("{block} ?x rdf:type wdno:{p} . BIND(wdno:{p} AS ?y)"));
                kinds.push(format!("{block} ?x p:{p} ?s . ?s rdf:type wdno:{p} . BIND(wdno:{p} AS ?y) {said}"));
                // An unknown value may have one name in the edge and another in the statement.
                let unknown = format!("FILTER(ISBLANK(?y) || CONTAINS(STR(?y), {}))", literal(SKOLEM, ""));
                kinds.push(format!("{block} ?x p:{p} ?s . ?s ps:{p} ?y . {unknown} {said}"));
                kinds.push(format!("{block} ?x p:{p} ?s . ?s ps:{p} ?y . {unknown} ?s ?m ?o . ?o ?k ?v . FILTER({value}) {of_values}"));
            }
            kinds.push(format!("{statements} {said}"));
            kinds.push(format!("{statements} ?s ?m ?o . ?o ?k ?v . FILTER(?m = psv:{p} || {value}) {of_values}"));
        }
        kinds
    }

    fn whole(&self, entities: &[Iri], pages: &str, counts: Vec<String>) -> Query {
        let (mut kinds, mut more) = (counts, Vec::new());
        kinds.extend(self.said(entities, pages));
        if let Some(p) = self.property {
            let (statements, is_qualifier) = (self.statements(entities, pages, p), qualifier("m"));
            more.push(format!("SELECT ?n WHERE {{ {statements} ?s ?m ?o . ?n wikibase:qualifier ?m }}"));
            more.push(format!("SELECT ?n WHERE {{ {statements} ?s ?m ?n . FILTER({is_qualifier} && ISIRI(?n)) }}"));
            more.push(format!("SELECT ?n WHERE {{ {statements} ?s ?m ?o . ?o wikibase:quantityUnit ?n }}"));
        }
        kinds.push(self.names(entities, pages, &more));
        Query::whole(&format!(
            "SELECT ?x ?y ?all ?n ?label ?about ?s ?m ?o ?k ?v WHERE {{ {pages} UNION {{ {} }} }}",
            kinds.join(" } UNION { ")
        ))
    }

    /// The same but for names, for an engine that refuses the whole: far ends, counts, then each kind of statements.
    fn apart(&self, entities: &[Iri], pages: &str, counts: &[String]) -> Vec<Query> {
        let ends = format!("SELECT ?x ?y WHERE {{ {pages} }}");
        let counts = (!counts.is_empty()).then(|| format!("SELECT ?x ?all WHERE {{ {{ {} }} }}", counts.join(" } UNION { ")));
        let said = self.said(entities, pages).into_iter();
        let said = said.map(|kind| format!("SELECT ?x ?y ?s ?m ?o ?k ?v WHERE {{ {kind} }}"));
        std::iter::once(ends).chain(counts).chain(said).map(|body| Query::whole(&body)).collect()
    }

    /// A page of each of a few entities, with all that is known of it.
    pub fn of_each(&self, entities: &[Iri]) -> Query {
        self.whole(entities, &self.pages(entities, true), self.counts(entities))
    }

    /// The same without names, in several queries.
    pub fn of_each_apart(&self, entities: &[Iri]) -> Vec<Query> {
        self.apart(entities, &self.pages(entities, true), &self.counts(entities))
    }

    /// The far ends of many entities together, with all that is known of them; at most `limit` and one in all.
    pub fn of_all(&self, entities: &[Iri], limit: u64) -> Query {
        self.whole(entities, &self.all(entities, limit), Vec::new())
    }

    /// The same without names, in several queries.
    pub fn of_all_apart(&self, entities: &[Iri], limit: u64) -> Vec<Query> {
        self.apart(entities, &self.all(entities, limit), &[])
    }

    fn all(&self, entities: &[Iri], limit: u64) -> String {
        let block = values("x", entities);
        let ways: Vec<String> = self.far_ends("?x").iter().map(|way| format!("{{ {block} {way} }}")).collect();
        format!("{{ SELECT DISTINCT ?x ?y WHERE {{ {} }} LIMIT {} }}", ways.join(" UNION "), limit + 1)
    }

    /// A page of each of a few entities in the engine's own order, with one more as a sign that more exist, and names.
    pub fn bare(&self, entities: &[Iri]) -> Query {
        let pages = self.pages(entities, false);
        let names = self.names(entities, &pages, &[]);
        Query::whole(&format!("SELECT ?x ?y ?n ?label ?about WHERE {{ {pages} UNION {{ {names} }} }}"))
    }

    /// Precision, unit and bounds of all values of a few entities (`?x ?y ?s ?m ?o ?k ?v`), without a page.
    pub fn value_nodes(&self, entities: &[Iri], p: &str, limit: u64) -> Query {
        let (block, of_values) = (values("x", entities), said_of_values());
        Query::limited(
            &format!(
                "SELECT ?x ?y ?s ?m ?o ?k ?v WHERE {{ {block} ?x p:{p} ?s . ?s ps:{p} ?y . ?s ?m ?o . FILTER(?m = psv:{p}) ?o ?k ?v . {of_values} }}"
            ),
            limit,
        )
    }
}
