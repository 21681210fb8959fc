//! Computations over the far ends of a relation: in the embedded engine and over HTTP, on the mountains of `assets` and
//! on a small plain graph.

use super::support::Server;
use super::{fast, ids, objects, sparql};
use flate2::read::GzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree_of_traversals::asm::read_aggregate;
use tree_of_traversals::calls::{Aggregate, AggregateResult, CallErrorKind, KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, Object, Relation, RelationRef};
use tree_of_traversals::kg::{KgSpec, KnowledgeGraph, open_with};

const NORLAND: &str = "Q9000001";
const SUDLAND: &str = "Q9000002";

fn mountains() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/mountains/mountains.ttl.gz")
}

fn turtle() -> String {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(mountains()).unwrap()).read_to_string(&mut text).unwrap();
    text
}

async fn file(path: PathBuf) -> Arc<dyn KnowledgeGraph> {
    open_with(&KgSpec::Files(vec![path]), &fast()).await.unwrap()
}

/// A small graph in plain RDF: dates of several types, a text and labels of relations.
const PLAIN: &str = r#"
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:ann rdfs:label "Ann" ; ex:child ex:bob, ex:cleo, ex:dan, ex:eva ; ex:film ex:one, ex:two, ex:three ; ex:born "1901-02-03"^^xsd:date .
ex:max rdfs:label "Max" ; ex:child ex:cleo, ex:dan ; ex:film ex:two, ex:three, ex:four .
ex:bob rdfs:label "Bob" ; ex:born "1949-12-31"^^xsd:date ; ex:home_town "Oslo" .
ex:cleo rdfs:label "Cleo" ; ex:born "1950"^^xsd:gYear ; ex:home_town "Bergen" .
ex:dan rdfs:label "Dan" ; ex:born "1950-06-01T10:00:00"^^xsd:dateTime ; ex:home_town "Oslo", "Bodø" .
ex:eva rdfs:label "Eva" ; ex:born "1951-01"^^xsd:gYearMonth .
ex:one rdfs:label "One" ; ex:made 1990 . ex:two rdfs:label "Two" ; ex:made 1985 . ex:three rdfs:label "Three" ; ex:made 1985 .
ex:born rdfs:label "date of birth" .
"#;

/// The computation that a line means, over a relation that is on offer.
fn what(line: &str) -> Aggregate {
    let token = line.split(' ').nth(1).unwrap();
    let (id, direction) = token.strip_prefix('~').map_or((token, Direction::Out), |id| (id, Direction::In));
    let at = RelationRef { kg: "kg".into(), id: id.into(), direction };
    let offered = Relation { at, label: None, inverse_label: None, count: None, count_is_bound: false, identifier: false };
    read_aggregate(line, &[offered]).unwrap_or_else(|why| panic!("{line}: {why}")).0
}

async fn ask(kg: &dyn KnowledgeGraph, of: &[&str], line: &str, cap: u32) -> KgReply {
    let op = KgOp::Aggregate { entities: ids(of), what: what(line), cap };
    kg.perform(None, op).await.unwrap_or_else(|error| panic!("{line}: {error}"))
}

async fn refused(kg: &dyn KnowledgeGraph, of: &[&str], line: &str) -> String {
    let op = KgOp::Aggregate { entities: ids(of), what: what(line), cap: 100 };
    let error = kg.perform(None, op).await.expect_err(line);
    assert_eq!(error.kind, CallErrorKind::Refused, "{line}: {error}");
    error.message
}

fn result(reply: &KgReply) -> &AggregateResult {
    match &reply.data {
        KgData::Aggregate(result) => result,
        other => panic!("{other:?}"),
    }
}

async fn value(kg: &dyn KnowledgeGraph, of: &[&str], line: &str) -> String {
    result(&ask(kg, of, line, 100).await).value.clone().unwrap_or_else(|| panic!("{line} has no value"))
}

/// The far ends of the first list.
async fn ends(kg: &dyn KnowledgeGraph, of: &[&str], line: &str) -> Vec<String> {
    let reply = ask(kg, of, line, 100).await;
    let ends = result(&reply).lists.first().map_or_else(Vec::new, |list| objects(list).into_iter().map(str::to_owned).collect());
    ends.into_iter().map(|end| end.trim_start_matches("http://ex.org/").to_owned()).collect()
}

/// What holds of the mountains, whichever engine counts.
async fn counts(kg: &dyn KnowledgeGraph) {
    for (line, of, n) in [
        ("count ~P17 where P31 = Q8502 and P2044 > 3500", NORLAND, "900"),
        ("count ~P17 where \"instance of\" = \"mountain\" and \"elevation above sea level\" > 3,500 m", NORLAND, "900"),
        ("count ~P17 where P31 = Q8502 and P2044 >= 3500", NORLAND, "950"),
        ("count ~P17 where P31 = Q8502 and P2044 = 3500", NORLAND, "50"),
        ("count ~P17 where P31 = Q8502 and P2044 != 3500", NORLAND, "2450"),
        ("count ~P17 where P31 != Q8502", NORLAND, "500"),
        ("count ~P17", NORLAND, "3000"),
        ("count ~P17 where P31 = Q8502 and P2044 > 9000", NORLAND, "0"),
        ("count ~P17 where P571 < 1300", NORLAND, "100"),
        ("count ~P17 where P571 = 1250", NORLAND, "1"),
        ("count ~P17 where P571 >= 1 February 1250", NORLAND, "249"),
    ] {
        assert_eq!(value(kg, &[of], line).await, n, "{line}");
    }
    assert_eq!(value(kg, &[NORLAND, SUDLAND], "count ~P17 where P31 = Q8502").await, "2900");
    assert_eq!(value(kg, &[NORLAND, SUDLAND], "count P36").await, "1", "one capital of both counts once");
    let reply = ask(kg, &[NORLAND], "max ~P17 by P2044 where P31 = mountain", 100).await;
    let found = result(&reply);
    assert_eq!(found.value.as_deref(), Some("7996 metre"), "{found:?}");
    assert_eq!(objects(&found.lists[0]), ["Q9100899"]);
    assert_eq!(&*found.lists[0].edges[0].r, "max(~P17;by:P2044;P31=Q8502)");
    assert_eq!((&*found.lists[1].edges[0].r, objects(&found.lists[1])[0]), ("P2044", "7996 metre"));
    assert!(found.lists[0].entities.iter().any(|e| e.label.as_deref() == Some("Peak 900")), "{found:?}");
    assert_eq!(objects(&result(&ask(kg, &[NORLAND], "first ~P17 by P571", 100).await).lists[0]), ["Q9200000"]);
    assert_eq!(value(kg, &[NORLAND], "min ~P17 by P2044 where P31 = Q23397").await, "3700");
}

#[tokio::test]
async fn the_graph_counts_what_a_prompt_could_not_hold() {
    let kg = file(mountains()).await;
    counts(&*kg).await;
    // The file says so itself, line by line.
    let text = turtle();
    let over = |line: &&str| {
        let height = line.split("wdt:P2044 \"+").nth(1).and_then(|rest| rest.split('"').next()).and_then(|n| n.parse::<u32>().ok());
        line.contains("wdt:P31 wd:Q8502") && line.contains("wdt:P17 wd:Q9000001") && height.is_some_and(|h| h > 3500)
    };
    assert_eq!(text.lines().filter(over).count(), 900);
}

#[tokio::test]
async fn an_endpoint_over_http_counts_the_same_in_one_query() {
    let server = Server::with_engine(&turtle()).await;
    let kg = sparql(&format!("{}/query", server.base)).await;
    counts(&*kg).await;
    let before = server.seen().len();
    let reply = ask(&*kg, &[NORLAND], "count ~P17 where P31 = Q8502 and P2044 > 3500", 100).await;
    let queries: Vec<String> = server.seen()[before..].iter().map(|request| request.query.clone()).collect();
    assert_eq!(queries.iter().filter(|query| query.contains("COUNT(")).count(), 1, "{queries:#?}");
    assert!(queries.len() <= 3, "the count and names: {queries:#?}");
    assert_eq!(reply.wire.len(), queries.len(), "every request is told");
    let rows: u64 = reply.wire.iter().map(|wire| wire.rows).sum();
    assert!(rows < 20, "no mountain came over the wire: {rows} rows");
}

#[tokio::test]
async fn a_count_is_a_fact_that_says_what_was_counted() {
    let kg = file(mountains()).await;
    let reply = ask(&*kg, &[NORLAND], "count ~P17 where P31 = Q8502 and P2044 > 3500", 100).await;
    let found = result(&reply);
    let list = &found.lists[0];
    assert_eq!((&*list.edges[0].s, &*list.edges[0].r), (NORLAND, "count(~P17;P31=Q8502;P2044>3500)"));
    assert!(matches!(&list.edges[0].o, Object::Literal(literal) if literal.text == "900"));
    assert_eq!(
        list.relation_label.as_deref(),
        Some("number of things whose country is this, where instance of = mountain and elevation above sea level > 3500")
    );
    assert_eq!(
        found.reading,
        "number of things whose country (P17) is Norland, where instance of (P31) = mountain (Q8502) and elevation above sea level (P2044) > 3500: 900; amounts are compared as stated, whatever their unit"
    );
}

#[tokio::test]
async fn a_filter_lists_what_passes_and_says_what_was_cut() {
    let kg = file(mountains()).await;
    let reply = ask(&*kg, &[NORLAND], "filter ~P17 where P31 = mountain and P2044 > 3500", 5).await;
    let found = result(&reply);
    assert_eq!(found.lists[0].edges.len(), 5);
    assert!(found.lists[0].edges.iter().all(|edge| &*edge.r == "P17" && matches!(&edge.o, Object::Entity(id) if &**id == NORLAND)));
    assert_eq!(&*found.lists[0].edges[0].s, "Q9100000", "in the order of ids");
    let partial = &found.lists[0].partial[0];
    assert_eq!((partial.shown, partial.of, &*partial.relation), (5, Some(900), "filter(~P17;P31=Q8502;P2044>3500)"));
    assert!(reply.partial && reply.notes == ["5 of 900 shown"] && found.reading.contains(": 5 of 900 shown"), "{reply:?}");
    let heights = found.lists.iter().find(|list| &*list.edges[0].r == "P2044").unwrap();
    assert_eq!(objects(heights)[0], "3501", "what it passed by is a fact, too");
}

#[tokio::test]
async fn plain_rdf_is_filtered_by_dates_of_every_type_and_by_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.ttl");
    std::fs::write(&path, PLAIN).unwrap();
    let server = Server::with_engine(PLAIN).await;
    for kg in [file(path).await, sparql(&format!("{}/query", server.base)).await] {
        let (ann, max) = ("http://ex.org/ann", "http://ex.org/max");
        let child = "http://ex.org/child where";
        assert_eq!(ends(&*kg, &[ann], &format!("filter {child} \"date of birth\" < 1950")).await, ["bob"]);
        assert_eq!(ends(&*kg, &[ann], &format!("filter {child} \"date of birth\" = 1950")).await, ["dan", "cleo"]);
        assert_eq!(ends(&*kg, &[ann], &format!("filter {child} born > 1950")).await, ["eva"]);
        assert_eq!(ends(&*kg, &[ann], &format!("filter {child} born >= 1 January 1950 and born < 1951")).await, ["dan", "cleo"]);
        assert_eq!(ends(&*kg, &[ann], &format!("filter {child} \"home town\" = oslo")).await, ["bob", "dan"]);
        assert_eq!(value(&*kg, &[ann], &format!("count {child} \"home town\" != \"Cleo\"")).await, "4");
        assert_eq!(ends(&*kg, &[ann, max], "intersect http://ex.org/film").await, ["two", "three", "two", "three"]);
        assert_eq!(ends(&*kg, &[ann, max], "intersect http://ex.org/film where http://ex.org/made < 1980").await, [""; 0]);
        assert_eq!(ends(&*kg, &[ann], "first http://ex.org/film by http://ex.org/made").await, ["two", "three"], "ties are told");
        assert_eq!(value(&*kg, &[ann], "max http://ex.org/film by made where value != \"One\"").await, "1985");
        assert_eq!(value(&*kg, &[ann], "min http://ex.org/born").await, "3 February 1901");
    }
}

#[tokio::test]
async fn what_has_no_meaning_is_refused_in_a_sentence() {
    let kg = file(mountains()).await;
    let one = [NORLAND];
    for (line, why) in [
        ("count ~P17 where P31 = mountian", "nothing in file is called \"mountian\""),
        ("count ~P17 where P31 != mountian", "nothing in file is called \"mountian\""),
        ("count ~P17 where elevatoin > 3500", "no relation there is called \"elevatoin\""),
        ("max ~P17", "say what is compared: max ~P17 by RELATION"),
        ("intersect ~P17", "at least two selected entities"),
    ] {
        let message = refused(&*kg, &one, line).await;
        assert!(message.contains(why), "{message}");
    }
    assert!(refused(&*kg, &[], "count ~P17").await.contains("none of the selected entities"));
    let many: Vec<String> = (1..=501).map(|n| format!("Q{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(refused(&*kg, &many, "count ~P17").await.contains("at most 500"));
    let reply = ask(&*kg, &one, "max ~P17 by P2044 where P31 = Q6256", 100).await;
    assert!(result(&reply).lists.is_empty() && result(&reply).reading.contains("nothing has such a value"), "{reply:?}");
}

/// Needs a SPARQL server on loopback that holds `assets/mountains/mountains.ttl.gz`: `TOT_MOUNTAINS=http://127.0.0.1:8890/sparql`.
#[tokio::test]
#[ignore = "needs a SPARQL server with the mountains: TOT_MOUNTAINS"]
async fn a_real_server_counts_the_same() {
    let url = std::env::var("TOT_MOUNTAINS").expect("TOT_MOUNTAINS names the endpoint");
    counts(&*sparql(&url).await).await;
}
