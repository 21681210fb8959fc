//! Files that can be read, and what is said of those that cannot.

use super::{fast, search};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;
use tree_of_traversals::kg::{KgSpec, open_with};

const NT: &str =
    "<http://ex.org/a> <http://www.w3.org/2000/01/rdf-schema#label> \"Alpha\" .\n<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .\n";

fn gz(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

async fn finds_alpha(path: &Path) {
    let kg = open_with(&KgSpec::Files(vec![path.to_owned()]), &fast()).await.unwrap();
    assert_eq!(&*search(&*kg, "alpha").await[0].entity.id, "http://ex.org/a", "{}", path.display());
}

async fn message(path: &Path) -> String {
    match open_with(&KgSpec::Files(vec![path.to_owned()]), &fast()).await {
        Ok(_) => panic!("{} was loaded", path.display()),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn every_format_loads_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let quad = NT.replace(" .\n", " <http://ex.org/graph> .\n");
    let turtle = format!("@base <http://ex.org/> .\n{}", NT.replace("http://ex.org/", ""));
    let files: [(&str, Vec<u8>); 8] = [
        ("a.nt", NT.into()),
        ("a.nt.gz", gz(NT)),
        ("a.nq", quad.clone().into()),
        ("a.NQ.GZ", gz(&quad)),
        ("a.ttl", turtle.clone().into()),
        ("packed.ttl", gz(&turtle)),
        ("no-ending", NT.into()),
        ("a.trig", format!("<http://ex.org/graph> {{ {NT} }}").into()),
    ];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        finds_alpha(&path).await;
    }
}

#[tokio::test]
async fn a_broken_line_is_named_with_its_column() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("blank.nt", format!("{NT}<http://ex.org/a b> <http://ex.org/p> <http://ex.org/x> .\n")),
        ("open.nt", format!("{NT}<http://ex.org/a> <http://ex.org/p> \"never closed .\n")),
        ("prefix.ttl", format!("{NT}ex:a ex:p ex:b .\n")),
        ("packed.nt.gz", format!("{NT}nonsense\n")),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, if name.ends_with("gz") { gz(&text) } else { text.into_bytes() }).unwrap();
        let message = message(&path).await;
        assert!(message.contains(&format!("{name}, line 3, column ")), "{message}");
        assert!(message.contains("correct that line"), "{message}");
    }
}

#[tokio::test]
async fn what_is_no_rdf_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    assert!(message(folder.path()).await.contains("it is a folder"));
    assert!(message(&folder.path().join("none.ttl")).await.contains("there is no such file"));
    assert!(message(&write("empty.ttl", b"")).await.contains("holds no facts"));
    assert!(message(&write("blank.nt", b"\n\n  \n")).await.contains("holds no facts"));
    assert!(message(&write("only-prefix.ttl", b"@prefix ex: <http://ex.org/> .\n")).await.contains("holds no facts"));
    assert!(message(&write("picture.ttl", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")).await.contains("it is no RDF text"));
    let mut cut = gz(&NT.repeat(2000));
    cut.truncate(cut.len() - 20);
    let message = message(&write("cut.nt.gz", &cut)).await;
    assert!(message.contains("cut.nt.gz breaks off after"), "{message}");
}
