//! What entities are in the other graphs, ids that were merged, and ids that are unknown.

use super::support::{Engine, Server, json, response};
use super::{data, fast, ids, search, sparql};
use std::sync::Arc;
use tree_of_traversals::calls::{KgData, KgOp, KgReply};
use tree_of_traversals::graph::{Direction, Entity, KgName};
use tree_of_traversals::kg::{IdSpace, KgProfile, KgSpec, KnowledgeGraph, open_all, open_with};

const MBID: &str = "11111111-aaaa-4aaa-8aaa-00000000000";

async fn both(name: &str) -> [Arc<dyn KnowledgeGraph>; 2] {
    let server = Server::with_engine(&std::fs::read_to_string(data(name)).unwrap()).await;
    let graphs = [open_with(&KgSpec::Files(vec![data(name)]), &fast()).await.unwrap(), sparql(&server.base).await];
    for kg in &graphs {
        kg.meet(&others());
    }
    graphs
}

/// The graphs that the tested one meets.
fn others() -> Vec<(KgName, IdSpace)> {
    [("items", IdSpace::Wikidata), ("music", IdSpace::MusicBrainz), ("rdf-musicbrainz", IdSpace::Iri), ("staff", IdSpace::Own)]
        .map(|(name, space)| (name.into(), space))
        .into()
}

fn entity(kg: &str, id: &str) -> Entity {
    Entity { id: id.into(), kg: kg.into(), label: None, description: None, also: Vec::new() }
}

async fn link_reply(kg: &dyn KnowledgeGraph, entities: Vec<Entity>) -> KgReply {
    kg.perform(None, KgOp::Link { entities }).await.unwrap()
}

fn entities(reply: &KgReply) -> &[Entity] {
    match &reply.data {
        KgData::Entities(entities) => entities,
        other => panic!("{other:?}"),
    }
}

/// Each answered entity as `id = kg:id kg:id`.
fn shown(reply: &KgReply) -> Vec<String> {
    let also = |e: &Entity| e.also.iter().map(|(kg, id)| format!("{kg}:{id}")).collect::<Vec<_>>().join(" ");
    entities(reply).iter().map(|e| format!("{} = {}", e.id, also(e))).collect()
}

#[tokio::test]
async fn own_items_name_their_ids_in_musicbrainz() {
    for kg in both("links-wikidata.ttl").await {
        let asked = ["Q5001", "Q5006", "Q5003", "Q5002", "Q1"].map(|id| entity(kg.name(), id)).to_vec();
        let reply = link_reply(&*kg, asked).await;
        let expected = [
            format!("Q5001 = music:{MBID}1 rdf-musicbrainz:https://musicbrainz.org/artist/{MBID}1"),
            format!(
                "Q5003 = music:{MBID}3 music:11111111-aaaa-4aaa-8aaa-000000000033 rdf-musicbrainz:https://musicbrainz.org/recording/{MBID}3 rdf-musicbrainz:https://musicbrainz.org/recording/11111111-aaaa-4aaa-8aaa-000000000033"
            ),
            format!("Q5002 = music:{MBID}2 rdf-musicbrainz:https://musicbrainz.org/release-group/{MBID}2"),
        ];
        assert_eq!(shown(&reply), expected, "{}", kg.about());
        assert_eq!(entities(&reply)[0].label.as_deref(), Some("The Tide Clocks"));
        assert_eq!(entities(&reply)[0].description.as_deref(), Some("band"));
        assert_eq!(entities(&reply)[1].label.as_deref(), Some("Прилив"));
        assert!(!reply.partial && reply.notes.is_empty(), "{:?}", reply.notes);
    }
}

#[tokio::test]
async fn things_of_musicbrainz_find_their_items() {
    for kg in both("links-wikidata.ttl").await {
        let asked = vec![
            entity("music", &format!("{MBID}1")),
            entity("rdf-musicbrainz", &format!("https://musicbrainz.org/recording/{MBID}3")),
            entity("rdf-musicbrainz", &format!("https://musicbrainz.org/artist/{MBID}3")),
            entity("music", &format!("{MBID}2")),
            entity("rdf-musicbrainz", "http://ex.org/people/ida"),
            entity("music", &format!("{MBID}8")),
            entity("staff", "staff:1"),
            entity("stranger", "Q5001"),
        ];
        let reply = link_reply(&*kg, asked).await;
        let expected = [
            format!("Q5001 = music:{MBID}1"),
            format!("Q5003 = rdf-musicbrainz:https://musicbrainz.org/recording/{MBID}3"),
            format!("Q5002 = music:{MBID}2"),
            "Q5005 = rdf-musicbrainz:http://ex.org/people/ida".to_owned(),
        ];
        assert_eq!(shown(&reply), expected, "{}", kg.about());
        assert!(entities(&reply).iter().all(|e| &*e.kg == kg.name()));
        assert_eq!(reply.notes, [format!("2 entities are the same as {MBID}2 of music: Q5002 was taken")]);
    }
}

#[tokio::test]
async fn an_id_of_the_same_space_is_itself_when_the_graph_knows_it() {
    for kg in both("links-wikidata.ttl").await {
        let asked = ["Q5001", "Q900001", "Q404", "http://www.wikidata.org/entity/Q5006"].map(|id| entity("items", id)).to_vec();
        let expected = ["Q5001 = items:Q5001", "Q900002 = items:Q900001", "Q5006 = items:http://www.wikidata.org/entity/Q5006"];
        assert_eq!(shown(&link_reply(&*kg, asked).await), expected, "{}", kg.about());
        let twice = vec![entity("items", "Q5001"), entity("rdf-musicbrainz", "https://www.wikidata.org/wiki/Q5001")];
        let reply = link_reply(&*kg, twice).await;
        assert_eq!(shown(&reply), ["Q5001 = items:Q5001 rdf-musicbrainz:https://www.wikidata.org/wiki/Q5001"]);
    }
}

#[tokio::test]
async fn plain_rdf_says_what_is_the_same_both_ways() {
    for kg in both("links-company.ttl").await {
        let own = ["clocks", "low", "berg"].map(|id| entity(kg.name(), &format!("http://ex.org/{id}"))).to_vec();
        let expected = [
            format!(
                "http://ex.org/clocks = items:Q5001 music:{MBID}1 rdf-musicbrainz:http://www.wikidata.org/entity/Q5001 rdf-musicbrainz:https://musicbrainz.org/artist/{MBID}1"
            ),
            "http://ex.org/low = items:Q5002 rdf-musicbrainz:http://www.wikidata.org/entity/Q5002".to_owned(),
            "http://ex.org/berg = items:Q5005 rdf-musicbrainz:http://www.wikidata.org/entity/Q5005".to_owned(),
        ];
        assert_eq!(shown(&link_reply(&*kg, own).await), expected, "{}", kg.about());
        let theirs = vec![
            entity("items", "Q5001"),
            entity("items", "Q5002"),
            entity("items", "Q5005"),
            entity("items", "Q5003"),
            entity("music", &format!("{MBID}1")),
            entity("music", &format!("{MBID}4")),
            entity("rdf-musicbrainz", "http://ex.org/people/ida"),
            entity("items", "Q7"),
        ];
        let reply = link_reply(&*kg, theirs).await;
        let expected = [
            format!("http://ex.org/clocks = items:Q5001 music:{MBID}1"),
            "http://ex.org/low = items:Q5002".to_owned(),
            "http://ex.org/berg = items:Q5005".to_owned(),
            "http://ex.org/twin1 = items:Q5003".to_owned(),
            format!("https://musicbrainz.org/recording/{MBID}4 = music:{MBID}4"),
            "http://ex.org/people/ida = rdf-musicbrainz:http://ex.org/people/ida".to_owned(),
        ];
        assert_eq!(shown(&reply), expected, "{}", kg.about());
        assert_eq!(entities(&reply)[0].label.as_deref(), Some("Tide Clocks Ltd"));
        assert_eq!(reply.notes.len(), 1, "{:?}", reply.notes);
    }
}

#[tokio::test]
async fn a_graph_of_iris_gets_those_that_it_can_be_expected_to_know() {
    let also = async |kg: &dyn KnowledgeGraph, others: &[&str], id: &str| {
        kg.meet(&others.iter().map(|name| (KgName::from(*name), IdSpace::Iri)).collect::<Vec<_>>());
        let reply = link_reply(kg, vec![entity(kg.name(), id)]).await;
        entities(&reply).iter().flat_map(|e| &e.also).map(|(kg, _)| kg.to_string()).collect::<Vec<_>>()
    };
    for kg in both("links-wikidata.ttl").await {
        assert_eq!(also(&*kg, &["company", "my-musicbrainz"], "Q5001").await, ["my-musicbrainz"]);
        assert!(also(&*kg, &["company"], "Q5001").await.is_empty(), "an identifier says nothing of other graphs");
        assert_eq!(also(&*kg, &["company"], "Q5005").await, ["company"], "what is called the same may be there");
        assert!(also(&*kg, &["company", "other"], "Q5005").await.is_empty(), "or there");
    }
    let links = [("P434".to_owned(), "company".to_owned())].into();
    let spec = KgSpec::Files(vec![data("links-wikidata.ttl")]);
    let kg = open_all(vec![(None, KgProfile { links, ..KgProfile::default() }, spec)], &fast()).await.unwrap().remove(0).kg;
    assert_eq!(also(&*kg, &["company", "other"], "Q5001").await, ["company"], "but the configuration does");
}

#[tokio::test]
async fn ids_that_came_from_elsewhere_count_too() {
    for kg in both("links-wikidata.ttl").await {
        let mut known = entity("staff", "staff:9");
        known.also.push(("music".into(), format!("{MBID}1").into()));
        assert_eq!(shown(&link_reply(&*kg, vec![known]).await), ["Q5001 = staff:staff:9"]);
        let mut ours = entity("staff", "staff:10");
        ours.also.push((kg.name().into(), "Q5002".into()));
        let expected = [format!("Q5002 = staff:staff:10 music:{MBID}2 rdf-musicbrainz:https://musicbrainz.org/release-group/{MBID}2")];
        assert_eq!(shown(&link_reply(&*kg, vec![ours]).await), expected);
    }
}

#[tokio::test]
async fn relations_of_the_configuration_link_too() {
    let links = [("ex:badge", "staff"), ("http://ex.org/recordedBy", "music"), ("no relation", "staff")];
    let profile = KgProfile { links: links.map(|(relation, kg)| (relation.to_owned(), kg.to_owned())).into(), ..KgProfile::default() };
    let spec = KgSpec::Files(vec![data("links-company.ttl")]);
    let kg = open_all(vec![(None, profile, spec)], &fast()).await.unwrap().remove(0).kg;
    kg.meet(&others());
    let reply = link_reply(&*kg, vec![entity("file", "http://ex.org/berg")]).await;
    let expected =
        [format!("http://ex.org/berg = items:Q5005 music:{MBID}9 rdf-musicbrainz:http://www.wikidata.org/entity/Q5005 staff:staff:77")];
    assert_eq!(shown(&reply), expected);
    assert!(reply.notes[0].contains("links to staff by what is no relation"), "{:?}", reply.notes);
    let reply = link_reply(&*kg, vec![entity("staff", "staff:77"), entity("music", &format!("{MBID}9"))]).await;
    assert_eq!(shown(&reply), [format!("http://ex.org/berg = staff:staff:77 music:{MBID}9")]);
}

#[tokio::test]
async fn fifty_entities_are_linked_in_one_request() {
    let server = Server::with_engine(&std::fs::read_to_string(data("links-wikidata.ttl")).unwrap()).await;
    let kg = sparql(&server.base).await;
    kg.meet(&others());
    search(&*kg, "The Tide Clocks").await;
    let before = server.seen().len();
    let asked = |n: usize| {
        let own = (0..n).map(|i| entity("sparql", &format!("Q{}", 5001 + i)));
        own.chain((0..n).map(|i| entity("music", &format!("11111111-aaaa-4aaa-8aaa-0000000000{i:02}")))).collect::<Vec<_>>()
    };
    let reply = link_reply(&*kg, asked(25)).await;
    assert_eq!(server.seen().len() - before, 1);
    assert_eq!(reply.wire.len(), 1);
    assert_eq!(shown(&reply).len(), 5, "{:?}", shown(&reply));
    link_reply(&*kg, asked(125)).await;
    assert_eq!(server.seen().len() - before, 4, "250 entities go in three queries");
    let before = server.seen().len();
    assert!(entities(&link_reply(&*kg, Vec::new()).await).is_empty());
    assert!(entities(&link_reply(&*kg, vec![entity("stranger", "x")]).await).is_empty());
    assert_eq!(server.seen().len(), before, "what can't be linked is not asked for");
}

#[tokio::test]
async fn a_search_is_two_requests_and_one_by_id_is_one() {
    let server = Server::with_engine(&std::fs::read_to_string(data("links-wikidata.ttl")).unwrap()).await;
    let kg = sparql(&server.base).await;
    for (mention, requests) in [("The Tide Clocks", 3), ("Low Water", 2), ("Q5001", 1), ("Q900002", 2)] {
        let before = server.seen().len();
        assert!(!search(&*kg, mention).await.is_empty(), "{mention}");
        assert_eq!(server.seen().len() - before, requests, "{mention}: the first call asks for the shape, a merge for its target");
    }
}

#[tokio::test]
async fn a_link_that_is_too_much_at_once_is_asked_in_parts() {
    let engine = Engine::new(&std::fs::read_to_string(data("links-company.ttl")).unwrap());
    let server = Server::start(move |_, request| {
        if request.query.contains("?p ?y ?t") {
            return response(
                "500 Error",
                "",
                "Virtuoso 42000 Error The estimated execution time 556 (sec) exceeds the limit of 400 (sec).",
            );
        }
        json(&engine.json(&request.query).unwrap())
    })
    .await;
    let kg = sparql(&server.base).await;
    kg.meet(&others());
    let reply = link_reply(&*kg, vec![entity("items", "Q5001"), entity("sparql", "http://ex.org/berg")]).await;
    let found: Vec<Option<&str>> = entities(&reply).iter().map(|e| e.label.as_deref()).collect();
    assert_eq!(found, [Some("Tide Clocks Ltd"), Some("Berg, Ida")]);
    assert!(shown(&reply)[0].starts_with("http://ex.org/clocks = items:Q5001"), "{:?}", shown(&reply));
}

#[tokio::test]
async fn hostile_ids_do_not_leave_their_place() {
    for name in ["links-wikidata.ttl", "links-company.ttl"] {
        for kg in both(name).await {
            let bad = ["\" } UNION { ?s ?p ?o } #", "http://ex.org/> ?p ?o . <http://ex.org/x", "", "\\", "Q1 } #"];
            let asked = bad.iter().flat_map(|id| ["items", "music", "web", "staff", kg.name()].map(|kg| entity(kg, id))).collect();
            assert!(entities(&link_reply(&*kg, asked).await).is_empty(), "{}", kg.about());
        }
    }
}

#[tokio::test]
async fn the_demo_graphs_know_each_other() {
    let opened = open_all(vec![(None, KgProfile::default(), "demo".parse().unwrap())], &fast()).await.unwrap();
    let spaces: Vec<IdSpace> = opened.iter().map(|one| one.kg.id_space()).collect();
    assert_eq!(spaces, [IdSpace::Wikidata, IdSpace::Iri]);
    let floyd = "https://musicbrainz.org/artist/83d91898-7763-47d7-b03b-b92132375c47";
    let (items, music) = (&opened[0], &opened[1]);
    let reply = link_reply(&*items.kg, vec![entity(&music.name, floyd)]).await;
    let found = entities(&reply)[0].clone();
    assert_eq!(found.label.as_deref(), Some("Pink Floyd"));
    assert_eq!(found.also, [(music.name.clone(), floyd.into())]);
    let back = link_reply(&*items.kg, vec![entity(&items.name, &found.id)]).await;
    assert_eq!(entities(&back)[0].also, [(music.name.clone(), floyd.into())]);
}

async fn describe(kg: &dyn KnowledgeGraph, of: &[&str]) -> KgReply {
    kg.perform(None, KgOp::Describe { ids: ids(of) }).await.unwrap()
}

#[tokio::test]
async fn a_merged_item_is_the_one_it_was_merged_into() {
    for kg in both("links-wikidata.ttl").await {
        let reply = describe(&*kg, &["Q900001", "Q5001", "Q900003"]).await;
        let [merged, plain, target] = entities(&reply) else { panic!("{reply:?}") };
        assert_eq!((&*merged.id, merged.label.as_deref(), merged.description.as_deref()), ("Q900003", Some("Ravensfoot"), Some("hamlet")));
        let old: Vec<&str> = merged.also.iter().map(|(_, id)| &**id).collect();
        assert_eq!(old, ["Q900001", "Q900002"]);
        assert!(merged.also.iter().all(|(name, _)| &**name == kg.name()));
        assert!(plain.also.is_empty() && target.also.is_empty());
        assert!(reply.notes.iter().any(|note| note == "Q900003: Q900001 redirects here"), "{:?}", reply.notes);
        assert!(!reply.partial);
        let found = search(&*kg, "Q900001").await;
        assert_eq!((&*found[0].entity.id, found[0].entity.label.as_deref()), ("Q900003", Some("Ravensfoot")));
        assert_eq!(found[0].entity.also.len(), 2);
        let op = KgOp::Relations { entities: ids(&["Q900001"]), direction: Direction::Out, limit: 9 };
        let reply = kg.perform(None, op).await.unwrap();
        assert_eq!(reply.notes, ["Q900003: Q900001 redirects here", "Q900003: Q900002 redirects here"], "not plainly none");
        let circle = describe(&*kg, &["Q900011"]).await;
        assert_eq!(entities(&circle).len(), 1);
    }
}

#[tokio::test]
async fn an_unknown_id_is_an_entity_with_a_remark() {
    for kg in both("links-wikidata.ttl").await {
        let reply = describe(&*kg, &["Q404", "Q5006"]).await;
        let shown: Vec<(&str, Option<&str>)> = entities(&reply).iter().map(|e| (&*e.id, e.label.as_deref())).collect();
        assert_eq!(shown, [("Q404", None), ("Q5006", None)]);
        assert_eq!(reply.notes.len(), 1, "{:?}", reply.notes);
        assert!(reply.notes[0].ends_with("holds nothing about Q404"), "{:?}", reply.notes);
        assert_eq!(reply.wire.len(), 1);
        let by_id: Vec<_> = search(&*kg, "Q5006").await;
        assert_eq!((&*by_id[0].entity.id, &by_id[0].entity.label), ("Q5006", &None), "an item without a label is found by its id");
        assert!(search(&*kg, "Q404").await.is_empty());
    }
}

/// A real server links, describes and finds as the embedded engine does.
async fn agrees(variable: &str) {
    let url = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
    let open = async |spec: KgSpec| {
        let kg = open_all(vec![(Some("kg".into()), KgProfile::default(), spec)], &fast()).await.unwrap().remove(0).kg;
        kg.meet(&others());
        kg
    };
    for name in ["links-wikidata", "links-company"] {
        let here = open(KgSpec::Files(vec![data(&format!("{name}.ttl"))])).await;
        let there = open(KgSpec::Sparql(format!("{url}?default-graph-uri=http%3A%2F%2Ffixture%2F{name}"))).await;
        let foreign = ["Q5001", "Q5002", "Q5003", "Q5005", "Q900001", "Q404"].map(|id| entity("items", id)).into_iter();
        let foreign = foreign.chain((0..10).map(|n| entity("music", &format!("{MBID}{n}"))));
        let foreign = foreign.chain((0..10).map(|n| entity("rdf-musicbrainz", &format!("https://musicbrainz.org/recording/{MBID}{n}"))));
        let foreign = foreign.chain([entity("rdf-musicbrainz", "http://ex.org/people/ida"), entity("staff", "staff:1")]);
        let own: &[&str] = match name {
            "links-wikidata" => &["Q5001", "Q5002", "Q5003", "Q5005", "Q5006", "Q900001", "Q900011", "Q404"],
            _ => &["http://ex.org/clocks", "http://ex.org/low", "http://ex.org/berg", "http://ex.org/none"],
        };
        let all = foreign.chain(own.iter().map(|id| entity("kg", id))).collect();
        let mut ops = vec![KgOp::Link { entities: all }, KgOp::Describe { ids: ids(own) }];
        let mentions = own.iter().copied().chain(["The Tide Clocks", "Low Water", "berg ida"]);
        ops.extend(mentions.map(|mention| KgOp::Search { mention: mention.into(), limit: 5 }));
        for op in ops {
            let (ours, theirs) = (here.perform(None, op.clone()).await.unwrap(), there.perform(None, op.clone()).await.unwrap());
            match (&ours.data, &theirs.data) {
                // Over the network, names are looked through only when nothing has exactly the one wanted.
                (KgData::Candidates(a), KgData::Candidates(b)) => assert_eq!(a.first(), b.first(), "{name} {op:?}"),
                (a, b) => assert_eq!(a, b, "{name} {op:?}"),
            }
            assert_eq!(ours.notes.len(), theirs.notes.len(), "{name} {op:?}: {:?}", theirs.notes);
        }
    }
}

#[tokio::test]
#[ignore = "needs an Oxigraph server at TOT_TEST_OXIGRAPH"]
async fn an_oxigraph_server_links_alike() {
    agrees("TOT_TEST_OXIGRAPH").await;
}

#[tokio::test]
#[ignore = "needs a Virtuoso server at TOT_TEST_VIRTUOSO"]
async fn a_virtuoso_server_links_alike() {
    agrees("TOT_TEST_VIRTUOSO").await;
}
