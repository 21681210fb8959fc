//! Links to Wikidata, both ways.

use super::server::Service;
use super::*;
use tree_of_traversals::kg::IdSpace;

fn entity(kg: &str, id: &str, also: &[(&str, &str)]) -> Entity {
    let also = also.iter().map(|(kg, id)| ((*kg).into(), (*id).into())).collect();
    Entity { id: id.into(), kg: kg.into(), label: None, description: None, also }
}

fn also(entity: &Entity) -> Vec<(&str, &str)> {
    entity.also.iter().map(|(kg, id)| (&**kg, &**id)).collect()
}

fn met(service: &Service) -> Arc<dyn KnowledgeGraph> {
    let kg = open(service);
    kg.meet(&[("wd".into(), IdSpace::Wikidata), ("mirror".into(), IdSpace::MusicBrainz), ("files".into(), IdSpace::Iri)]);
    kg
}

#[tokio::test]
async fn many_items_are_linked_by_one_request() {
    let service = Service::usual();
    let kg = met(&service);
    let asked = vec![
        entity("wd", "Q900001", &[]),
        entity("wd", "Q1", &[]),
        entity("files", "http://www.wikidata.org/entity/Q900003", &[]),
        entity("other", "thing", &[("wd", "Q900004")]),
        entity("files", "http://example.org/x", &[]),
    ];
    let reply = ask(&kg, KgOp::Link { entities: asked }).await;
    assert_eq!(reply.wire.len(), 1);
    let found = entities(reply);
    let read: Vec<_> = found.iter().map(|e| (&*e.id, e.name(), also(e))).collect();
    assert_eq!(
        read,
        [
            (LIGHTS, "Harbour Lights", vec![("wd", "Q900001")]),
            (LOW_TIDE, "Low Tide", vec![("files", "http://www.wikidata.org/entity/Q900003")]),
            ("d0000000-0000-4000-8000-000000000001", "Ebb", vec![("wd", "Q900004")]),
        ]
    );
    // The kinds that came by are known from then on.
    ask(&kg, relations_of(&[LOW_TIDE], Direction::In)).await;
    assert_eq!(service.paths(), ["url".to_owned(), format!("release-group/{LOW_TIDE}")]);
}

#[tokio::test]
async fn one_item_is_an_object_and_an_unknown_one_is_nothing() {
    let service = Service::usual();
    let kg = met(&service);
    let found = entities(ask(&kg, KgOp::Link { entities: vec![entity("wd", "q900001", &[])] }).await);
    assert_eq!((found.len(), &*found[0].id, also(&found[0])), (1, LIGHTS, vec![("wd", "q900001")]));
    assert!(entities(ask(&kg, KgOp::Link { entities: vec![entity("wd", "Q1", &[])] }).await).is_empty());
    // Pages are asked for under the address that the service files them under.
    let resources: Vec<String> = service.asked().iter().filter_map(|asked| asked.get("resource").map(str::to_owned)).collect();
    assert_eq!(resources, ["https://www.wikidata.org/wiki/Q900001", "https://www.wikidata.org/wiki/Q1"]);
}

#[tokio::test]
async fn more_than_a_hundred_take_a_request_for_each_hundred() {
    let service = Service::usual();
    let kg = met(&service);
    let mut asked: Vec<Entity> = (1..=130).map(|n| entity("wd", &format!("Q{n}"), &[])).collect();
    asked.push(entity("wd", "Q900001", &[]));
    let reply = ask(&kg, KgOp::Link { entities: asked }).await;
    assert_eq!(reply.wire.len(), 2);
    assert_eq!(entities(reply).len(), 1);
}

/// Own entities have their items from what was looked up already: no request is made for them.
#[tokio::test]
async fn own_entities_are_linked_from_what_is_known() {
    let service = Service::usual();
    let kg = met(&service);
    let own = || vec![entity("musicbrainz", LIGHTS, &[]), entity("musicbrainz", IDA, &[])];
    assert!(entities(ask(&kg, KgOp::Link { entities: own() }).await).is_empty());
    let list = edges(ask(&kg, edges_of(&[&format!("artist/{LIGHTS}")], "area", Direction::Out, 5, 0)).await);
    assert_eq!(also(&list.entities[0]), [("wd", "Q900001")]);
    ask(&kg, relations_of(&[IDA], Direction::Out)).await;
    let before = service.paths().len();
    let found = entities(ask(&kg, KgOp::Link { entities: own() }).await);
    let read: Vec<_> = found.iter().map(|e| (&*e.id, also(e))).collect();
    assert_eq!(read, [(LIGHTS, vec![("wd", "Q900001")]), (IDA, vec![("wd", "Q900002")])]);
    assert_eq!(service.paths().len(), before);
}

/// An MBID is an MBID, whichever KG has it.
#[tokio::test]
async fn ids_of_musicbrainz_elsewhere_are_the_same_here() {
    let service = Service::usual();
    let kg = met(&service);
    let address = format!("https://musicbrainz.org/artist/{IDA}");
    let asked = vec![entity("mirror", LIGHTS, &[]), entity("files", &address, &[]), entity("wd", "Q5", &[("mirror", LOW_TIDE)])];
    let reply = ask(&kg, KgOp::Link { entities: asked }).await;
    assert!(reply.wire.is_empty() && service.paths().is_empty());
    let found = entities(reply);
    let read: Vec<_> = found.iter().map(|e| (&*e.id, also(e))).collect();
    assert_eq!(
        read,
        [(LIGHTS, vec![("mirror", LIGHTS)]), (IDA, vec![("files", address.as_str())]), (LOW_TIDE, vec![("mirror", LOW_TIDE)])]
    );
}

#[tokio::test]
async fn a_service_that_is_down_links_nothing_and_says_so() {
    let server = super::http::Http::start(|_| super::server::busy());
    let kg = open_with(&server.url(), HttpSettings { tries: 1, ..manners() });
    kg.meet(&[("wd".into(), IdSpace::Wikidata)]);
    let error = fails(&kg, KgOp::Link { entities: vec![entity("wd", "Q900001", &[])] }).await;
    assert!(error.message.starts_with("MusicBrainz is busy"), "{error}");
}
