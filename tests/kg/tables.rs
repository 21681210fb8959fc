//! CSV and TSV as graphs.

use super::{edges, fast, objects, relations, search};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tree_of_traversals::graph::{Direction, LiteralKind, Object};
use tree_of_traversals::kg::{KgProfile, KgSpec, KnowledgeGraph, open_all, open_with};

/// The graph of tables: (file name, content).
async fn graph(tables: &[(&str, &str)]) -> Arc<dyn KnowledgeGraph> {
    let folder: TempDir = tempfile::tempdir().unwrap();
    let write = |(name, text): &(&str, &str)| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    open_with(&KgSpec::Files(tables.iter().map(write).collect()), &fast()).await.unwrap()
}

async fn out(kg: &dyn KnowledgeGraph, of: &str, relation: &str) -> Vec<String> {
    objects(&edges(kg, &[of], relation, Direction::Out, 20).await).into_iter().map(str::to_owned).collect()
}

const FACTS: &str = "Ada_Lovelace,born in,London\nAda_Lovelace,born,1815-12-10\nLondon,located in,England\nLondon,population,8866180\n";

#[tokio::test]
async fn three_columns_are_facts_with_a_header_or_without() {
    for (name, text) in [
        ("bare.csv", FACTS.to_owned()),
        ("header.csv", format!("Subject,Predicate,Object\n{FACTS}")),
        ("semicolon.csv", FACTS.replace(',', ";")),
        ("tab.tsv", format!("head\trelation\ttail\n{}", FACTS.replace(',', "\t"))),
        ("told-by-content.txt", FACTS.replace(',', "\t").replace('\n', "\r\n")),
    ] {
        let kg = graph(&[(name, &text)]).await;
        assert_eq!(kg.remarks(), Vec::<String>::new(), "{name}");
        let ada = &search(&*kg, "ada lovelace").await[0].entity;
        assert_eq!((&*ada.id, ada.label.as_deref()), ("local:Ada_Lovelace", Some("Ada Lovelace")), "{name}");
        let offered: Vec<String> = relations(&*kg, &["local:Ada_Lovelace"], Direction::Out).await.iter().map(|r| r.reading()).collect();
        assert_eq!(offered, ["born", "born in"], "{name}");
        assert_eq!(out(&*kg, "local:Ada_Lovelace", "local:born%20in").await, ["local:London"]);
        let born = edges(&*kg, &["local:Ada_Lovelace"], "local:born", Direction::Out, 9).await;
        let Object::Literal(date) = &born.edges[0].o else { panic!("{born:?}") };
        assert_eq!((date.kind, &*date.text), (LiteralKind::Date, "10 December 1815"));
        // What is only ever an object is an entity too: one can ask what lies in England.
        assert_eq!(&*search(&*kg, "England").await[0].entity.id, "local:England");
        let inside = edges(&*kg, &["local:England"], "local:located%20in", Direction::In, 9).await;
        assert_eq!(&*inside.edges[0].s, "local:London");
        assert_eq!(&*search(&*kg, "born in").await[0].entity.id, "local:born%20in");
    }
}

#[tokio::test]
async fn a_table_of_entities_and_a_table_of_facts_make_one_graph() {
    let nodes = "id,label,label@de,description,alias,works in,height\n1,Ada,Ada (de),a mathematician,Countess|Lady,Office 1|Office 2,1.65\n2,Bob,,,,,\n";
    let facts = "source,target,type,weight\n1,2,knows,3\n2,1,knows,4\n";
    let ages = "1,age,2\n2,age,36\n";
    let kg = graph(&[("nodes.csv", nodes), ("facts.csv", facts), ("ages.csv", ages)]).await;
    let ada = &search(&*kg, "Ada").await[0].entity;
    assert_eq!((&*ada.id, ada.label.as_deref(), ada.description.as_deref()), ("local:1", Some("Ada"), Some("a mathematician")));
    assert_eq!(&*search(&*kg, "Lady").await[0].entity.id, "local:1");
    assert_eq!(out(&*kg, "local:1", "local:knows").await, ["local:2"]);
    assert_eq!(out(&*kg, "local:1", "local:works%20in").await, ["local:Office%201", "local:Office%202"]);
    assert_eq!(out(&*kg, "local:1", "local:height").await, ["1.65"]);
    // An age that happens to be an id is still a number, since another age is none.
    assert_eq!(out(&*kg, "local:1", "local:age").await, ["2"]);
    let remarks = kg.remarks();
    assert!(remarks.len() == 1 && remarks[0].ends_with("facts.csv: columns that are not read: weight"), "{remarks:?}");
}

#[tokio::test]
async fn labels_and_descriptions_beside_facts() {
    let text = "item,itemLabel,relation,relationLabel,value,valueLabel\nQ1,Berlin,P17,country,Q2,Germany\n";
    let kg = graph(&[("a.csv", &text.replace("item", "subject"))]).await;
    assert_eq!(&*search(&*kg, "Berlin").await[0].entity.id, "local:Q1");
    assert_eq!(&*search(&*kg, "Germany").await[0].entity.id, "local:Q2");
    assert_eq!(relations(&*kg, &["local:Q1"], Direction::Out).await[0].reading(), "country");
    let told = graph(&[("b.csv", "Q1,label,Berlin\nQ1,description,a city\nQ1,P17,Q2\n")]).await;
    let berlin = &search(&*told, "Berlin").await[0].entity;
    assert_eq!((&*berlin.id, berlin.description.as_deref()), ("local:Q1", Some("a city")));
}

#[tokio::test]
async fn quotes_line_breaks_and_long_cells() {
    let long = "x".repeat(300_000);
    let text = format!("s;p;o\n\"Smith; John\";\"said\";\"\"\"Hello\"\"\"\nJohn;wrote;\"one\ntwo\"\nJohn;wrote;{long}\nlast;of;all\n");
    let kg = graph(&[("a.csv", &text)]).await;
    assert_eq!(kg.remarks(), Vec::<String>::new());
    assert_eq!(&*search(&*kg, "Smith; John").await[0].entity.id, "local:Smith%3B%20John");
    assert_eq!(out(&*kg, "local:Smith%3B%20John", "local:said").await, ["local:%22Hello%22"]);
    assert_eq!(out(&*kg, "local:John", "local:wrote").await, ["one\ntwo".to_owned(), long]);
}

#[tokio::test]
async fn bad_rows_are_skipped_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let text = b"subject,relation,object\na,b,c\nd,e\n\n,,\nf,g,h,i\n,g,h\nnul\0,g,h\nlatin,g,\xe9\nhttp://e x,g,h\n\"open,g,h\nk,g,h\n";
    std::fs::write(&path, text).unwrap();
    let kg = open_with(&KgSpec::Files(vec![path]), &fast()).await.unwrap();
    let remarks: Vec<String> = kg.remarks().iter().map(|r| r.split("a.csv, ").last().unwrap().to_owned()).collect();
    assert!(remarks[0].starts_with("1 fact was read; 7 places skipped"), "{remarks:?}");
    assert_eq!(remarks[1], "line 3: has 2 cells where the first row has 3");
    assert_eq!(remarks[2], "line 6: has 4 cells where the first row has 3");
    assert_eq!(remarks[3], "line 7: the subject is empty");
    assert_eq!(remarks[4], "line 8: cell 1 holds a NUL byte");
    assert_eq!(remarks[5], "line 9: cell 3 is not UTF-8: save the table as UTF-8");
    assert!(remarks[6].starts_with("line 10: <http://e x> is no IRI"), "{remarks:?}");
    assert!(remarks[7].starts_with("line 11: has 1 cell where the first row has 3"), "{remarks:?}");
}

#[tokio::test]
async fn a_header_may_name_a_column_twice() {
    let kg = graph(&[("a.csv", "id,knows,knows,label,label\nx,y,z,Ex,Iks\n")]).await;
    assert_eq!(out(&*kg, "local:x", "local:knows").await, ["local:y", "local:z"]);
    assert_eq!(search(&*kg, "Iks").await[0].entity.label.as_deref(), Some("Ex"));
}

#[tokio::test]
async fn the_names_of_two_graphs_are_not_mixed_up() {
    let folder = tempfile::tempdir().unwrap();
    let spec = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (None, KgProfile::default(), KgSpec::Files(vec![path]))
    };
    let opened = open_all(vec![spec("a.csv", "id,label\n1,Ada\n"), spec("b.csv", "id,label\n1,Bonn\n")], &fast()).await.unwrap();
    assert_eq!(&*search(&*opened[0].kg, "Ada").await[0].entity.id, "local:1");
    assert_eq!(&*search(&*opened[1].kg, "Bonn").await[0].entity.id, "local:file-2/1");
}
