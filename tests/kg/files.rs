//! Files that can be read, what is skipped in them, and what is said of those that cannot be read.

use super::{edges, fast, objects, relations, search};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tree_of_traversals::graph::Direction;
use tree_of_traversals::kg::{KgSettings, KgSpec, KnowledgeGraph, open_with};

const NT: &str =
    "<http://ex.org/a> <http://www.w3.org/2000/01/rdf-schema#label> \"Alpha\" .\n<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .\n";

fn gz(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// A folder with files in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn strict() -> KgSettings {
    KgSettings { strict: true, ..fast() }
}

async fn open(paths: &[&Path], settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, String> {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    open_with(&KgSpec::Files(paths), settings).await.map_err(|error| error.to_string())
}

async fn load(path: &Path) -> Arc<dyn KnowledgeGraph> {
    open(&[path], &fast()).await.unwrap()
}

async fn refused(path: &Path, settings: &KgSettings) -> String {
    open(&[path], settings).await.err().unwrap_or_else(|| panic!("{} was loaded", path.display()))
}

async fn finds_alpha(path: &Path) {
    let kg = open(&[path], &strict()).await.unwrap();
    assert_eq!(kg.remarks(), Vec::<String>::new());
    assert_eq!(&*search(&*kg, "alpha").await[0].entity.id, "http://ex.org/a", "{}", path.display());
}

#[tokio::test]
async fn every_format_loads_packed_or_not() {
    let folder = Folder::new();
    let quad = NT.replace(" .\n", " <http://ex.org/graph> .\n");
    let turtle = format!("@base <http://ex.org/> .\n{}", NT.replace("http://ex.org/", ""));
    let xml = "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
        xmlns:rdfs=\"http://www.w3.org/2000/01/rdf-schema#\">\n<rdf:Description rdf:about=\"http://ex.org/a\"><rdfs:label>Alpha</rdfs:label>\
        </rdf:Description>\n</rdf:RDF>\n";
    let json = r#"{"@context": {"label": "http://www.w3.org/2000/01/rdf-schema#label"}, "@id": "http://ex.org/a", "label": "Alpha"}"#;
    let csv = "subject,relation,object,label\nhttp://ex.org/a,p,b,Alpha\n";
    let files: [(&str, Vec<u8>); 18] = [
        ("a.nt", NT.into()),
        ("a.nt.gz", gz(NT)),
        ("crlf.nt", NT.replace('\n', "\r\n").into()),
        ("bom.nt", format!("\u{feff}{NT}").into()),
        ("bom.nt.gz", gz(&format!("\u{feff}{NT}"))),
        ("a.nq", quad.clone().into()),
        ("a.NQ.GZ", gz(&quad)),
        ("a.ttl", turtle.clone().into()),
        ("packed.ttl", gz(&turtle)),
        ("crlf.ttl", format!("\u{feff}{}", turtle.replace('\n', "\r\n")).into()),
        ("no-ending", NT.into()),
        ("wrong.csv", turtle.clone().into()),
        ("a.trig", format!("<http://ex.org/graph> {{ {NT} }}").into()),
        ("a.rdf", xml.into()),
        ("wrong.ttl", gz(xml)),
        ("a.jsonld", json.into()),
        ("json.gz", gz(json)),
        ("a.csv", format!("\u{feff}{}", csv.replace('\n', "\r\n")).into()),
    ];
    for (name, bytes) in files {
        finds_alpha(&folder.write(name, bytes)).await;
    }
}

#[tokio::test]
async fn bad_lines_are_skipped_counted_and_listed() {
    let folder = Folder::new();
    let dump = "<http://ex.org/a b> <http://ex.org/p> <http://ex.org/x#34.7%> .\n\
        <http://ex.org/c> <http://www.w3.org/2000/01/rdf-schema#label> \"Gamma\"@zh-classical .\n\
        <http://ex.org/d> <http://ex.org/p> \"fine\" .\n\
        # a comment\n\
        <http://ex.org/d> <http://ex.org/p> \"never closed .\n\
        <http://ex.org/d> <http://ex.org/p> <http://ex.org/open .\n\
        <http://ex.org/d> <http://www.w3.org/2000/01/rdf-schema#label> \"Delta\" .\n\
        <http://ex.org/d> <http://ex.org/p> <http://ex.org/x#34.7%> .\n\
        <http://ex.org/d> <http://ex.org/p> <http://ex.org/e>\n";
    let path = folder.write("dump.nt", dump);
    let kg = load(&path).await;
    let remarks = kg.remarks();
    assert_eq!(remarks[0], "3 facts were read; 5 places skipped, 1 place kept as written (--strict refuses such files)");
    let places: Vec<&str> = remarks[1..].iter().map(|r| r.split("dump.nt, ").nth(1).unwrap().split(':').next().unwrap()).collect();
    let expected =
        ["line 1, column 1", "line 2, column 72", "line 5, column 37", "line 6, column 37", "line 8, column 37", "line 9, column 54"];
    assert_eq!(places, expected);
    assert!(remarks[2].ends_with("kept as written"), "{}", remarks[2]);
    assert!(kg.about().contains("5 places skipped"), "{}", kg.about());
    assert_eq!(&*search(&*kg, "Delta").await[0].entity.id, "http://ex.org/d");
    assert_eq!(&*search(&*kg, "Gamma").await[0].entity.id, "http://ex.org/c");
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/d"], "http://ex.org/p", Direction::Out, 10).await), ["fine"]);
    let message = refused(&path, &strict()).await;
    assert!(message.contains("dump.nt, line 1, column 1: ") && message.contains("without --strict"), "{message}");
}

#[tokio::test]
async fn twenty_are_listed_and_the_rest_counted() {
    let folder = Folder::new();
    let good = "<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .\n";
    let text: String = (0..30_000).map(|n| if n % 1000 == 999 { "nonsense\n" } else { good }).collect();
    let remarks = load(&folder.write("long.nt.gz", gz(&text))).await.remarks();
    assert!(remarks[0].starts_with("29,970 facts were read; 30 places skipped"), "{}", remarks[0]);
    assert!(remarks[1].contains("line 1000,") && remarks[20].contains("line 20000,"), "{remarks:?}");
    assert_eq!((remarks.len(), &*remarks[21]), (22, "and 10 more"));
}

#[tokio::test]
async fn strict_names_line_column_and_reason() {
    let folder = Folder::new();
    for (name, text, line) in [
        ("blank.nt", format!("{NT}<http://ex.org/a b> <http://ex.org/p> <http://ex.org/x> .\n"), 3),
        ("open.nt", format!("{NT}<http://ex.org/a> <http://ex.org/p> \"never closed .\n"), 3),
        ("tag.nq", format!("{NT}<http://ex.org/a> <http://ex.org/p> \"x\"@zh-classical .\n"), 3),
        ("prefix.ttl", format!("{NT}ex:a ex:p ex:b .\n"), 3),
        ("packed.nt.gz", format!("{NT}nonsense\n"), 3),
        ("open.jsonld", "{\n\"@id\": \"http://ex.org/a\",\n\"http://ex.org/p\" oops}".to_owned(), 3),
    ] {
        let path = folder.write(name, if name.ends_with("gz") { gz(&text) } else { text.into_bytes() });
        let message = refused(&path, &strict()).await;
        assert!(message.contains(&format!("{name}, line {line}, column ")), "{message}");
        assert!(message.contains("correct that line"), "{message}");
    }
    let ragged = folder.write("ragged.csv", "subject,relation,object\na,b,c\nd,e\n");
    let message = refused(&ragged, &strict()).await;
    assert!(message.contains("ragged.csv, line 3: has 2 cells where the first row has 3"), "{message}");
}

#[tokio::test]
async fn turtle_goes_on_after_an_error() {
    let folder = Folder::new();
    let text = format!(
        "@prefix ex: <http://ex.org/> .\n\
         ex:x ex:p nope:y .\n\
         ex:x ex:p <http://ex.org/a b> ;\n\
         ex:q ex:y ;\n\
         ex:r \"kept\"@zh-classical , \"\"\"two\nlines\"\"\" .\n\
         {NT}ex:b ex:p \"ok\"@en ; ex:p \"never closed .\n\
         ex:c ex:p \"lost\" .\n"
    );
    let path = folder.write("a.ttl", text);
    let kg = load(&path).await;
    let remarks = kg.remarks();
    assert!(remarks[0].starts_with("6 facts were read; ") && remarks[0].contains("1 place kept as written"), "{remarks:?}");
    assert!(remarks[1].contains("a.ttl, line 2, column 11: "), "{remarks:?}");
    assert!(remarks[2].contains("a.ttl, line 3: <http://ex.org/a b> is no IRI"), "{remarks:?}");
    assert!(remarks[3].contains("a.ttl, line 5: @zh-classical is no language tag"), "{remarks:?}");
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/x"], "http://ex.org/q", Direction::Out, 10).await), ["http://ex.org/y"]);
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/x"], "http://ex.org/r", Direction::Out, 10).await), ["kept", "two\nlines"]);
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/b"], "http://ex.org/p", Direction::Out, 10).await), ["ok"]);
    assert_eq!(&*search(&*kg, "Alpha").await[0].entity.id, "http://ex.org/a");
    assert!(refused(&path, &strict()).await.contains("a.ttl, line 2, column 11: "));
}

#[tokio::test]
async fn xml_and_json_tell_where_the_reading_ended() {
    let folder = Folder::new();
    let head = "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://ex.org/\">\n";
    let thing =
        |n: u32, of: &str| format!("<rdf:Description rdf:about=\"http://ex.org/{n}\"><e:p rdf:resource=\"{of}\"/></rdf:Description>\n");
    let xml =
        format!("{head}{}{}{}</rdf:Broken>\n", thing(1, "http://ex.org/x"), thing(2, "http://ex.org/a b"), thing(3, "http://ex.org/y"));
    let path = folder.write("a.rdf", xml);
    let kg = load(&path).await;
    let remarks = kg.remarks();
    assert!(remarks[0].contains("a.rdf: the reading ENDED at line 6"), "{remarks:?}");
    assert!(remarks[1].starts_with("2 facts were read; 2 places skipped"), "{remarks:?}");
    assert!(remarks[2].contains("a.rdf, line 4: <http://ex.org/a b> is no IRI"), "{remarks:?}");
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/3"], "http://ex.org/p", Direction::Out, 10).await), ["http://ex.org/y"]);
    assert!(refused(&path, &strict()).await.contains("a.rdf, line 4: "));
    let json = "[{\"@id\": \"http://ex.org/1\", \"http://ex.org/p\": {\"@id\": \"http://ex.org/x\"}},\n{\"@id\": \"http://ex.org/2\" oops";
    let remarks = load(&folder.write("a.jsonld", json)).await.remarks();
    assert!(remarks[0].contains("a.jsonld: the reading ENDED at line 2"), "{remarks:?}");
    let remote = folder.write("remote.jsonld", "{\"@context\": \"https://schema.org/\", \"name\": \"x\"}");
    assert!(refused(&remote, &fast()).await.contains("context"));
}

#[tokio::test]
async fn what_is_no_data_is_refused_in_a_sentence() {
    let folder = Folder::new();
    let settings = fast();
    assert!(refused(folder.0.path(), &settings).await.contains("it is a folder"));
    assert!(refused(&folder.0.path().join("none.ttl"), &settings).await.contains("there is no such file"));
    for (name, bytes) in [("empty.ttl", ""), ("empty.csv", ""), ("empty.jsonld", ""), ("blank.nt", "\n\n  \n"), ("head.csv", "s,p,o\n")] {
        assert!(refused(&folder.write(name, bytes), &settings).await.contains("holds no facts"), "{name}");
    }
    let only_prefix = folder.write("only-prefix.ttl", "@prefix ex: <http://ex.org/> .\n");
    assert!(refused(&only_prefix, &settings).await.contains("holds no facts"));
    for name in ["picture.ttl", "picture.csv", "picture"] {
        assert!(refused(&folder.write(name, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), &settings).await.contains("it is a picture"));
    }
    let noise: Vec<u8> = (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert!(refused(&folder.write("noise.nt", &noise), &settings).await.contains("it is no text"));
    let letter = folder.write("letter.nt", "Dear Ada,\nthank you.\n");
    let message = refused(&letter, &settings).await;
    assert!(
        message.contains("letter.nt, line 1, column 1") && message.contains("nothing in this file could be read as N-Triples (2"),
        "{message}"
    );
    let wide = folder.write("wide.csv", "city,country,people,mayor\nBonn,Germany,3,x\n");
    assert!(refused(&wide, &settings).await.contains("its first line has 4 cells"));
}

#[tokio::test]
async fn a_file_that_breaks_off_keeps_what_was_read() {
    let folder = Folder::new();
    // What packs badly, so that much is left when the end is cut off.
    let text: String = (0..4000u64)
        .map(|n| format!("<http://ex.org/{:x}> <http://ex.org/p> \"{n}\" .\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    let table = text.replace(['<', '>', '"'], "").replace(" .\n", "\n").replace(' ', ",");
    for (name, text) in [("cut.nt.gz", &text), ("cut.ttl.gz", &text), ("cut.csv.gz", &table)] {
        let mut packed = gz(text);
        packed.truncate(packed.len() / 2);
        let path = folder.write(name, packed);
        let remarks = load(&path).await.remarks();
        assert!(remarks[0].contains(&format!("{name} BREAKS OFF after ")) && remarks[0].contains("the rest is missing"), "{remarks:?}");
        let message = refused(&path, &strict()).await;
        assert!(message.contains(&format!("{name} breaks off after")), "{message}");
    }
    let mut nothing = gz(&text);
    nothing.truncate(12);
    assert!(refused(&folder.write("nothing.nt.gz", nothing), &fast()).await.contains("breaks off after 0 facts"));
}

#[tokio::test]
async fn several_files_make_one_graph() {
    let folder = Folder::new();
    let one = folder.write("one.ttl", "@prefix ex: <http://ex.org/> .\nex:a ex:p _:x . _:x ex:q ex:b .\n");
    let two = folder.write("two.nt", "<http://ex.org/c> <http://ex.org/p> _:x .\n_:x <http://ex.org/q> <http://ex.org/d> .\n");
    let three = folder.write("three.csv", "http://ex.org/b,made by,Ada\nAda,born,1815-12-10\n");
    let four = folder.write("four.csv", "id,name\nAda,Ada Lovelace\n");
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let settings = KgSettings { status: Some(Arc::new(move |line| heard.lock().unwrap().push(line))), ..fast() };
    let kg = open(&[&one, &two, &three, &four], &settings).await.unwrap();
    assert!(kg.about().starts_with("one.ttl, two.nt, three.csv and 1 more: "), "{}", kg.about());
    assert_eq!(objects(&edges(&*kg, &["http://ex.org/b"], "local:made%20by", Direction::Out, 10).await), ["local:Ada"]);
    assert_eq!(&*search(&*kg, "Ada Lovelace").await[0].entity.id, "local:Ada");
    // The two blank nodes of one name are two.
    let shared = relations(&*kg, &["http://ex.org/a", "http://ex.org/c"], Direction::Out).await;
    assert_eq!(shared[0].count, Some(2));
    let said = said.lock().unwrap().join("\n");
    for (number, file) in [(1, "one.ttl"), (2, "two.nt"), (3, "three.csv")] {
        assert!(said.contains(&format!("{file} (file {number} of 4): ")), "{said}");
    }
    let empty = folder.write("empty.ttl", "");
    let kg = open(&[&one, &empty], &fast()).await.unwrap();
    assert!(
        kg.remarks()[0].contains("empty.ttl: it is empty") || kg.remarks()[0].contains("empty.ttl: it holds no facts"),
        "{:?}",
        kg.remarks()
    );
    assert!(open(&[&one, &empty], &strict()).await.err().unwrap().contains("holds no facts"));
    assert!(open(&[&one, &folder.0.path().join("none.nt")], &fast()).await.err().unwrap().contains("there is no such file"));
}

#[tokio::test]
async fn blank_nodes_are_the_same_at_every_load() {
    let folder = Folder::new();
    let path = folder.write("a.ttl", "@prefix ex: <http://ex.org/> .\nex:a ex:p [ ex:q 1 ], [ ex:q 2 ], [ ex:q 3 ] .\n");
    let first = edges(&*load(&path).await, &["http://ex.org/a"], "http://ex.org/p", Direction::Out, 10).await;
    assert_eq!(first.edges.len(), 3);
    for _ in 0..3 {
        assert_eq!(edges(&*load(&path).await, &["http://ex.org/a"], "http://ex.org/p", Direction::Out, 10).await, first);
    }
}

#[test]
fn a_spec_with_commas_names_several_files() {
    let spec = |text: &str| text.parse::<KgSpec>().unwrap();
    assert_eq!(spec("file:a.ttl, b.csv"), KgSpec::Files(vec!["a.ttl".into(), "b.csv".into()]));
}
