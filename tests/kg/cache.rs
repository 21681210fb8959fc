//! Replies on disk: a second run asks nothing, and nothing that goes wrong with the file costs a reply.

use super::support::{Server, json, response};
use super::{data, edges_op, fast, ids};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tree_of_traversals::calls::{KgData, KgOp, KgReply};
use tree_of_traversals::graph::Direction;
use tree_of_traversals::kg::cache::{CacheSettings, clear, list};
use tree_of_traversals::kg::{KgProfile, KgSettings, KgSpec, KnowledgeGraph, open_all};

fn settings(path: &Path) -> CacheSettings {
    CacheSettings { path: path.to_owned(), max_age: Duration::from_secs(3600), fresh: false }
}

async fn open(name: &str, url: &str, cache: CacheSettings) -> Arc<dyn KnowledgeGraph> {
    let settings = KgSettings { cache: Some(cache), ..fast() };
    let specs = vec![(Some(name.to_owned()), KgProfile::default(), KgSpec::Sparql(url.to_owned()))];
    open_all(specs, &settings).await.unwrap()[0].kg.clone()
}

fn search_op(mention: &str) -> KgOp {
    KgOp::Search { mention: mention.into(), limit: 10 }
}

/// One call of each kind.
async fn ask_all(kg: &dyn KnowledgeGraph) -> Vec<KgReply> {
    let mut replies = Vec::new();
    for op in [
        search_op("night ferry"),
        KgOp::Relations { entities: ids(&["http://ex.org/NightFerry"]), direction: Direction::Out, limit: 50 },
        edges_op(&["http://ex.org/NightFerry"], "http://ex.org/operator", Direction::Out, 10),
        KgOp::Describe { ids: ids(&["http://ex.org/NightFerry"]) },
    ] {
        replies.push(kg.perform(None, op).await.unwrap());
    }
    replies
}

async fn engine() -> Server {
    Server::with_engine(&std::fs::read_to_string(data("plain.ttl")).unwrap()).await
}

#[tokio::test]
async fn a_second_run_makes_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/folder/kg.redb");
    let server = engine().await;
    let url = format!("{}/sparql", server.base);
    let first = ask_all(&*open("museum", &url, settings(&path)).await).await;
    let asked = server.seen().len();
    assert!(asked >= 4 && first.iter().all(|reply| reply.cached_at.is_none() && reply.notes.is_empty()));
    let second = ask_all(&*open("museum", &url, settings(&path)).await).await;
    assert_eq!(server.seen().len(), asked, "everything was kept");
    for (live, kept) in first.iter().zip(&second) {
        assert!(kept.cached_at.is_some());
        assert_eq!(KgReply { cached_at: None, ..kept.clone() }, *live);
    }
    // What was not asked before is asked.
    let kg = open("museum", &url, settings(&path)).await;
    kg.perform(None, edges_op(&["http://ex.org/NightFerry"], "http://ex.org/operator", Direction::Out, 11)).await.unwrap();
    assert!(server.seen().len() > asked);
}

#[tokio::test]
async fn fresh_replies_are_asked_for_and_kept_and_old_ones_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kg.redb");
    let server = engine().await;
    let ask =
        |cache: CacheSettings| async { open("museum", &server.base, cache).await.perform(None, search_op("night ferry")).await.unwrap() };
    ask(settings(&path)).await;
    let before = ask(settings(&path)).await.cached_at.unwrap();
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(ask(CacheSettings { fresh: true, ..settings(&path) }).await.cached_at, None);
    assert!(ask(settings(&path)).await.cached_at.unwrap() > before);
    assert_eq!(ask(CacheSettings { max_age: Duration::ZERO, ..settings(&path) }).await.cached_at, None);
}

#[tokio::test]
async fn failures_and_what_the_server_cut_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kg.redb");
    let rows = r#"{"head":{"vars":["id"]},"results":{"bindings":[]}}"#;
    let server = Server::start(move |number, request| {
        let ask = request.query.contains("ASK");
        match number {
            0 => response("400 Bad Request", "", "no"),
            _ if ask => json(r#"{"head":{},"boolean":true}"#),
            _ => response("200 OK", "Content-Type: application/sparql-results+json\r\nX-SPARQL-MaxRows: 10000\r\n", rows),
        }
    })
    .await;
    let kg = open("museum", &server.base, settings(&path)).await;
    assert!(kg.perform(None, search_op("x")).await.is_err());
    for _ in 0..2 {
        let reply = kg.perform(None, search_op("x")).await.unwrap();
        assert!(reply.partial && reply.cached_at.is_none(), "{reply:?}");
    }
    assert!(list(&path).unwrap().is_empty());
}

#[tokio::test]
async fn nothing_is_shared_between_logins_names_and_languages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kg.redb");
    let server = engine().await;
    let with = |login: &str| server.base.replace("http://", &format!("http://{login}@")) + "/q?apikey=zzz9secret";
    for (name, url) in [("a", with("ann:pa55w0rd")), ("a", with("bob:pa55w0rd")), ("a", with("ann:other")), ("b", with("ann:pa55w0rd"))] {
        let reply = open(name, &url, settings(&path)).await.perform(None, search_op("night ferry")).await.unwrap();
        assert_eq!(reply.cached_at, None, "{name} {url}");
    }
    let mut german = KgSettings { cache: Some(settings(&path)), ..fast() };
    german.languages = tree_of_traversals::kg::sparql::Languages::new(["de"]);
    let specs = vec![(Some("a".to_owned()), KgProfile::default(), KgSpec::Sparql(with("ann:pa55w0rd")))];
    let kg = open_all(specs, &german).await.unwrap()[0].kg.clone();
    assert_eq!(kg.perform(None, search_op("night ferry")).await.unwrap().cached_at, None);

    let kept = list(&path).unwrap();
    assert_eq!(kept.iter().map(|k| (&*k.name, k.replies)).collect::<Vec<_>>(), [("a", 4), ("b", 1)]);
    assert!(kept.iter().all(|k| k.address.contains("***") && k.bytes > 0 && k.oldest > 0 && k.newest >= k.oldest));
    let bytes = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    for secret in ["pa55w0rd", "zzz9secret", "ann:", "other@"] {
        assert!(!bytes.contains(secret), "{secret} is in the file");
    }
}

#[tokio::test]
async fn what_a_graph_is_linked_with_is_part_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kg.redb");
    let server = engine().await;
    let link = || KgOp::Link { entities: Vec::new() };
    let others = [("wikidata".into(), tree_of_traversals::kg::IdSpace::Wikidata)];
    let alone = open("museum", &server.base, settings(&path)).await;
    assert_eq!(alone.perform(None, link()).await.unwrap().cached_at, None);
    let met = open("museum", &server.base, settings(&path)).await;
    met.meet(&others);
    assert_eq!(met.perform(None, link()).await.unwrap().cached_at, None);
    assert!(met.perform(None, link()).await.unwrap().cached_at.is_some());
}

#[tokio::test]
async fn clearing_forgets_one_graph_or_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kg.redb");
    let server = engine().await;
    for name in ["a", "b"] {
        ask_all(&*open(name, &server.base, settings(&path)).await).await;
    }
    assert_eq!(clear(&path, Some("c")).unwrap(), 0);
    assert_eq!(clear(&path, Some("a")).unwrap(), 4);
    assert_eq!(list(&path).unwrap().iter().map(|k| (&*k.name, k.replies)).collect::<Vec<_>>(), [("b", 4)]);
    assert_eq!((clear(&path, None).unwrap(), list(&path).unwrap()), (4, Vec::new()));
    assert_eq!(clear(&folder.path().join("none.redb"), None).unwrap(), 0);
    let reply = open("b", &server.base, settings(&path)).await.perform(None, search_op("night ferry")).await.unwrap();
    assert_eq!(reply.cached_at, None);
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_said_once() {
    let server = engine().await;
    let whole = {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kg.redb");
        ask_all(&*open("museum", &server.base, settings(&path)).await).await;
        std::fs::read(&path).unwrap()
    };
    let mut zeroed = whole.clone();
    zeroed[..512].fill(0);
    let mut scribbled = whole.clone();
    let middle = scribbled.len() / 8;
    scribbled[4096..middle].iter_mut().for_each(|byte| *byte ^= 0x5a);
    let cut = whole[..whole.len() / 3].to_vec();
    for (what, bytes) in
        [("text", b"no database at all\n".repeat(1000)), ("short", vec![7]), ("zeroed", zeroed), ("scribbled", scribbled), ("cut", cut)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kg.redb");
        std::fs::write(&path, &bytes).unwrap();
        let kg = open("museum", &server.base, settings(&path)).await;
        let replies = ask_all(&*kg).await;
        assert!(replies[0].notes[0].contains("damaged"), "{what}: {replies:?}");
        assert!(replies[1..].iter().all(|reply| reply.notes.is_empty()), "{what}");
        assert_eq!(std::fs::read(folder.path().join("kg.redb.damaged")).unwrap().len(), bytes.len(), "{what}");
        assert!(kg.perform(None, search_op("night ferry")).await.unwrap().cached_at.is_some(), "{what}");
    }
}

#[tokio::test]
async fn a_place_that_cannot_be_written_costs_a_remark_and_no_reply() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let path = folder.path().join("file/kg.redb");
    let server = engine().await;
    let kg = open("museum", &server.base, settings(&path)).await;
    let replies = ask_all(&*kg).await;
    assert!(replies[0].notes[0].contains("replies are not kept, since") && replies[0].notes[0].contains("kg.redb"), "{replies:?}");
    assert!(replies[1..].iter().all(|reply| reply.notes.is_empty() && reply.cached_at.is_none()));
}

#[tokio::test]
async fn many_calls_at_once_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kg.redb");
    let server = engine().await;
    let ask = |kg: Arc<dyn KnowledgeGraph>| async move {
        let calls = (0..30).map(|n| kg.perform(None, search_op(&format!("ferry {n}"))));
        futures_util::future::join_all(calls).await.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    };
    ask(open("museum", &server.base, settings(&path)).await).await;
    let asked = server.seen().len();
    let kept = ask(open("museum", &server.base, settings(&path)).await).await;
    assert!(kept.iter().all(|reply| reply.cached_at.is_some()) && server.seen().len() == asked);
    assert!(matches!(kept[0].data, KgData::Candidates(_)));
    assert_eq!(list(&path).unwrap()[0].replies, 30);
}
