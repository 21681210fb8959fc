//! The records of a folder `ws2/KIND/MBID.json`, served as the service serves its own.

use super::server::{Habits, Records, Service, load};
use super::*;
use serde_json::Value;
use std::collections::BTreeSet;
use tree_of_traversals::kg::IdSpace;

async fn real() -> (Records, Service, Arc<dyn KnowledgeGraph>) {
    let folder = std::env::var("TOT_CI_MUSICBRAINZ").expect("TOT_CI_MUSICBRAINZ names a folder with ws2/KIND/MBID.json");
    let folder = std::path::PathBuf::from(folder);
    let folder = if folder.join("ws2").is_dir() { folder.join("ws2") } else { folder };
    let records = load(&folder);
    let service = Service::start(records.clone(), Habits::default());
    let kg = open(&service);
    kg.meet(&[("wikidata".into(), IdSpace::Wikidata)]);
    (records, service, kg)
}

/// Every (relation, direction, far end) that a record states, read independently of the program.
fn stated(kind: &str, record: &Value) -> BTreeSet<(String, Direction, String)> {
    let mut facts = BTreeSet::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for relation in record["relations"].as_array().into_iter().flatten() {
        let target = text(&relation["target-type"]);
        let (far, direction) = if target == "url" {
            (text(&relation["url"]["resource"]), Direction::Out)
        } else {
            let direction = if relation["direction"] == "backward" { Direction::In } else { Direction::Out };
            (text(&relation[&target]["id"]), direction)
        };
        facts.insert((text(&relation["type-id"]), direction, far));
    }
    let mut listed = |list: &Value, relation: &str, direction| {
        for far in list.as_array().into_iter().flatten() {
            facts.insert((relation.to_owned(), direction, text(&far["id"])));
        }
    };
    listed(&record["release-groups"], "release-groups", Direction::Out);
    if kind == "release-group" {
        listed(&record["releases"], "release-group", Direction::In);
    }
    for medium in record["media"].as_array().into_iter().flatten().filter(|_| kind == "release") {
        for track in medium["tracks"].as_array().into_iter().flatten() {
            facts.insert(("tracks".to_owned(), Direction::Out, text(&track["recording"]["id"])));
        }
    }
    for part in record["artist-credit"].as_array().into_iter().flatten() {
        let relation = format!("{}s", kind);
        facts.insert((relation, Direction::In, text(&part["artist"]["id"])));
    }
    for area in ["area", "begin-area", "end-area"].iter().filter(|area| record[**area].is_object()) {
        facts.insert(((*area).to_owned(), Direction::Out, text(&record[*area]["id"])));
    }
    facts
}

#[tokio::test]
#[ignore = "needs real MusicBrainz records (TOT_CI_MUSICBRAINZ=DIR)"]
async fn every_stated_fact_of_every_record_is_offered_and_found() {
    let (records, _service, kg) = real().await;
    let mut seen = 0;
    for (kind, of_kind) in &records {
        for record in of_kind {
            let id = record["id"].as_str().unwrap();
            let name = record["name"].as_str().or(record["title"].as_str()).unwrap();
            let given = format!("{kind}/{id}");
            let entity = entities(ask(&kg, KgOp::Describe { ids: vec![given.as_str().into()] }).await).remove(0);
            assert_eq!((&*entity.id, entity.label.as_deref()), (id, Some(name)));
            let facts = stated(kind, record);
            let mut found = BTreeSet::new();
            for direction in [Direction::Out, Direction::In] {
                for relation in relations(ask(&kg, relations_of(&[id], direction)).await) {
                    let list = edges(ask(&kg, edges_of(&[id], &relation.at.id, direction, 200, 0)).await);
                    assert!(relation.count_is_bound || relation.count == Some(list.edges.len() as u64), "{name}: {relation:?}");
                    assert!(list.partial.is_empty(), "{name}: {relation:?}");
                    for edge in &list.edges {
                        let (s, r, o) = triple(edge);
                        let far = if direction == Direction::In { s.to_string() } else { o };
                        found.insert((r, direction, far));
                    }
                }
            }
            let missing: Vec<_> = facts.difference(&found).collect();
            assert!(missing.is_empty(), "{name}: {missing:?}");
            seen += facts.len();
        }
    }
    assert!(seen > 200, "{seen} facts are few: is this the right folder?");
}

#[tokio::test]
#[ignore = "needs real MusicBrainz records (TOT_CI_MUSICBRAINZ=DIR)"]
async fn real_artists_link_to_wikidata_both_ways() {
    let (_records, service, kg) = real().await;
    let artists = [("f27ec8db-af05-4f36-916e-3d57f91ecf5e", "Q2831"), ("5b11f4ce-a62d-471e-81fc-a69a8278c7da", "Q11649")];
    for (mbid, item) in artists {
        ask(&kg, relations_of(&[mbid], Direction::Out)).await;
        let own = Entity { id: mbid.into(), kg: "musicbrainz".into(), label: None, description: None, also: vec![] };
        let found = entities(ask(&kg, KgOp::Link { entities: vec![own] }).await);
        assert_eq!(found[0].also, [("wikidata".into(), item.into())]);
    }
    let before = service.paths().len();
    let items = artists.map(|(_, item)| Entity { id: item.into(), kg: "wikidata".into(), label: None, description: None, also: vec![] });
    let found = entities(ask(&kg, KgOp::Link { entities: items.to_vec() }).await);
    assert_eq!(found.iter().map(|entity| &*entity.id).collect::<Vec<_>>(), artists.map(|(mbid, _)| mbid));
    assert_eq!(service.paths().len(), before + 1);
}

#[tokio::test]
#[ignore = "needs real MusicBrainz records (TOT_CI_MUSICBRAINZ=DIR)"]
async fn real_names_are_found() {
    let (_records, _service, kg) = real().await;
    for (mention, id) in
        [("Nirvana", "5b11f4ce-a62d-471e-81fc-a69a8278c7da"), ("The Dark Side of the Moon", "f5093c06-23e3-404f-aeaa-40f72885ee3a")]
    {
        let found = candidates(ask(&kg, search_for(mention, 5)).await);
        assert_eq!(&*found[0].entity.id, id, "{mention}");
    }
}
