//! The public cases C01 to C07 and A05: each is one instance of a kind of trouble.

use super::http::{Http, Reply};
use super::server::{Habits, MERGED, Service, busy, fixtures, load, send};
use super::*;
use serde_json::json;
use tree_of_traversals::calls::CallErrorKind;

/// C01: whatever asks, and however many at once, requests keep their distance, retries and redirects included.
#[tokio::test]
async fn c01_all_requests_together_keep_to_the_rate() {
    let rate = Duration::from_millis(150);
    let service = Service::start(load(&fixtures()), Habits { rate: Some(rate), ..Habits::default() });
    let kg = open_with(&service.url, HttpSettings { every: Duration::from_millis(300), ..manners() });
    let one = async {
        ask(&kg, relations_of(&[LIGHTS], Direction::Out)).await;
        ask(&kg, edges_of(&[LIGHTS], "release-groups", Direction::Out, 40, 0)).await
    };
    let other = async {
        ask(&kg, relations_of(&[LOW_TIDE], Direction::In)).await;
        ask(&kg, relations_of(&[EBB], Direction::Out)).await
    };
    tokio::join!(one, other);
    // A redirect that is followed is a request as well.
    ask(&kg, relations_of(&[&format!("artist/{}", MERGED[0])], Direction::Out)).await;
    let gaps = service.gaps();
    assert!(gaps.len() >= 8 && gaps.iter().all(|gap| *gap >= rate), "{gaps:?}");
}

/// C01: a refusal for being too quick is waited out, and the relation is no dead end.
#[tokio::test]
async fn c01_a_busy_service_is_asked_again() {
    fn first_two(number: usize, _: &super::server::Asked) -> Option<Reply> {
        (number < 2).then(busy)
    }
    let service = Service::start(load(&fixtures()), Habits { fault: Some(first_two), ..Habits::default() });
    let kg = open(&service);
    let reply = ask(&kg, edges_of(&[&format!("artist/{LIGHTS}")], MEMBER, Direction::In, 10, 0)).await;
    assert_eq!(reply.wire[0].tries, 3);
    assert_eq!(edges(reply).edges.len(), 2);
}

/// C01: while it waits, and when it gives up, it says why.
#[tokio::test]
async fn c01_a_busy_service_is_called_busy() {
    let server = Http::start(|_| busy());
    let kg = open_with(&server.url(), HttpSettings { tries: 2, ..manners() });
    let error = fails(&kg, relations_of(&[LIGHTS], Direction::Out)).await;
    assert_eq!(error.kind, CallErrorKind::Busy);
    assert_eq!(error.message, "MusicBrainz is busy (status 503): \"Too many requests from this address.\" (2 tries): try again later");
    assert_eq!(server.seen().len(), 2);

    let patient = Http::start(|_| {
        Reply::whole("503 Service Unavailable", "Retry-After: 1\r\nContent-Type: application/json\r\n", "{\"error\":\"x\"}")
    });
    let kg = open_with(&patient.url(), HttpSettings { tries: 2, ..manners() });
    let call = kg.perform(None, relations_of(&[LIGHTS], Direction::Out));
    let watched = async {
        loop {
            if let Some(waiting) = kg.waiting() {
                break waiting.why;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let (failed, why) = tokio::join!(call, watched);
    assert!(failed.is_err() && why.starts_with("MusicBrainz is busy"), "{why}");
}

/// C02: every request of every operation names the program and a contact, and asks for JSON. (The service of these tests
/// refuses all others.)
#[tokio::test]
async fn c02_every_request_says_who_asks_and_wants_json() {
    let service = Service::usual();
    let kg = open(&service);
    kg.check().await.unwrap();
    ask(&kg, search_for("Ebb", 5)).await;
    ask(&kg, edges_of(&[LIGHTS], "release-groups", Direction::Out, 40, 0)).await;
    ask(&kg, KgOp::Describe { ids: vec![LOW_TIDE.into()] }).await;
    let asked = service.asked();
    assert!(asked.len() > 13);
    assert_eq!(service.connections(), 1, "the connection is kept");
    for asked in asked {
        assert_eq!(asked.agent, "tree-of-traversals/0.1.0 (tests@example.org)");
        assert_eq!(asked.get("fmt"), Some("json"), "{asked:?}");
    }
}

/// C03: an id that was merged leads to the entity that it was merged into; both ids stay known.
#[tokio::test]
async fn c03_a_merged_id_is_followed_and_both_are_kept() {
    let service = Service::usual();
    let kg = open(&service);
    let entities = entities(ask(&kg, KgOp::Describe { ids: vec![MERGED[0].into()] }).await);
    assert_eq!((&*entities[0].id, entities[0].label.as_deref()), (MERGED[1], Some("Merged Winds")));
    assert_eq!(entities[0].also, [("musicbrainz".into(), MERGED[0].into())]);
    // The redirect and what it led to; the new id costs nothing more, and facts are the new one's.
    let before = service.paths();
    assert_eq!(before, [format!("artist/{}", MERGED[0]), format!("artist/{}", MERGED[1])]);
    let edges = edges(ask(&kg, edges_of(&[MERGED[0], MERGED[1]], "area", Direction::Out, 5, 0)).await);
    assert_eq!(edges.edges.iter().map(|edge| &*edge.s).collect::<Vec<_>>(), [MERGED[1]]);
    assert_eq!(edges.entities[0].also, [("musicbrainz".into(), MERGED[0].into())]);
    assert_eq!(service.paths(), before);
}

/// C03: the same without a redirect.
#[tokio::test]
async fn c03_another_id_in_the_body_is_the_entitys_id() {
    let server = Http::start(|_| send("200 OK", &json!({"id": MERGED[1], "name": "Merged Winds", "relations": []})));
    let kg = open_with(&server.url(), manners());
    let entity = entities(ask(&kg, KgOp::Describe { ids: vec![format!("artist/{}", MERGED[0]).into()] }).await).remove(0);
    assert_eq!((&*entity.id, &*entity.also[0].1), (MERGED[1], MERGED[0]));
}

/// C03: nobody is followed to another host.
#[tokio::test]
async fn c03_a_redirect_to_another_host_is_refused() {
    let server = Http::start(|_| Reply::whole("301 Moved Permanently", "Location: http://elsewhere.invalid/ws/2/artist/x\r\n", ""));
    let kg = open_with(&server.url(), manners());
    let error = fails(&kg, relations_of(&[LIGHTS], Direction::Out)).await;
    assert!(error.message.starts_with("MusicBrainz has moved to another place: use http://elsewhere.invalid/"), "{error}");
    assert_eq!(server.seen().len(), 1);
}

/// C04: nulls everywhere; no relations is an empty list that says so.
#[tokio::test]
async fn c04_nulls_are_nothing() {
    let service = Service::usual();
    let kg = open(&service);
    let id = "33333333-3333-4333-8333-333333333333";
    let entity = entities(ask(&kg, KgOp::Describe { ids: vec![id.into()] }).await).remove(0);
    assert_eq!((entity.label.as_deref(), entity.description.as_deref()), (Some("Otter Hall"), Some("artist")));
    for direction in [Direction::Out, Direction::In] {
        let reply = ask(&kg, relations_of(&[id], direction)).await;
        assert_eq!(reply.notes, ["MusicBrainz says nothing about Otter Hall beside its name"]);
        let text = format!("{reply:?}");
        assert!(!text.contains("null"), "{text}");
        assert!(relations(reply).is_empty());
    }
    assert!(edges(ask(&kg, edges_of(&[id], MEMBER, Direction::In, 5, 0)).await).edges.is_empty());
}

/// C05: directions are two relations; an edge has its true direction, attributes, dates and credits.
#[tokio::test]
async fn c05_relationships_keep_direction_attributes_and_dates() {
    let service = Service::usual();
    let kg = open(&service);
    let find = |all: Vec<Relation>| all.into_iter().find(|relation| &*relation.at.id == MEMBER).unwrap();
    let out = find(relations(ask(&kg, relations_of(&[LIGHTS], Direction::Out)).await));
    let back = find(relations(ask(&kg, relations_of(&[LIGHTS], Direction::In)).await));
    assert_eq!((out.at.direction, out.reading().as_str(), out.count), (Direction::Out, "member of band", Some(1)));
    assert_eq!((back.at.direction, back.reading().as_str(), back.count), (Direction::In, "has member", Some(2)));
    let list = edges(ask(&kg, edges_of(&[LIGHTS], MEMBER, Direction::In, 10, 0)).await);
    let ida = &list.edges[0];
    assert_eq!(triple(ida), (IDA.into(), MEMBER.to_owned(), LIGHTS.to_owned()));
    let notes: Vec<String> = ida.notes.iter().map(|note| note.text()).collect();
    assert_eq!(notes, ["guitar, begin 1994, end 2001-05", "original, begin 1955, end 1960"]);
    assert_eq!(list.edges[1].notes[0].text(), "guitar family credited as tea-chest bass, subject credited as Captain Vik");
    assert_eq!(list.entities.iter().map(|e| e.name()).collect::<Vec<_>>(), ["Harbour Lights", "Ida Berg", "Nils Vik"]);
    // From the other end it is the same fact.
    let same = edges(ask(&kg, edges_of(&[IDA], MEMBER, Direction::Out, 10, 0)).await);
    assert!(same.edges[0].same_fact(ida) && same.edges[0].notes[0] == ida.notes[0]);
}

/// C06: 25 of a list are never passed off as all: the rest is browsed, by what came and not by what was asked for.
#[tokio::test]
async fn c06_lists_go_on_beyond_what_a_lookup_shows() {
    let service = Service::usual();
    let kg = open(&service);
    let offered = relations(ask(&kg, relations_of(&[LIGHTS], Direction::Out)).await);
    let groups = offered.iter().find(|relation| &*relation.at.id == "release-groups").unwrap();
    assert_eq!((groups.count, groups.count_is_bound), (Some(25), true));
    let reply = ask(&kg, edges_of(&[LIGHTS], "release-groups", Direction::Out, 100, 0)).await;
    let list = edges(reply);
    assert_eq!((list.edges.len(), list.partial.len()), (31, 0));
    let offsets: Vec<String> = service.asked().iter().filter_map(|asked| asked.get("offset").map(str::to_owned)).collect();
    assert_eq!(offsets, ["0", "20"]);
}

/// C07: types that nobody knows, and none, do not stop a work from loading.
#[tokio::test]
async fn c07_unknown_types_load() {
    let service = Service::usual();
    let kg = open(&service);
    for (number, label, of_type) in
        [(2, "Storm Music", Some("Incidental music")), (3, "Blue Room", Some("Hologram show")), (4, "Untyped", None)]
    {
        let id = format!("work/d0000000-0000-4000-8000-00000000000{number}");
        let entity = entities(ask(&kg, KgOp::Describe { ids: vec![id.as_str().into()] }).await).remove(0);
        assert_eq!(entity.label.as_deref(), Some(label));
        let list = edges(ask(&kg, edges_of(&[&id], "type", Direction::Out, 5, 0)).await);
        assert_eq!(list.edges.first().map(|edge| triple(edge).2).as_deref(), of_type);
    }
}

/// A05: ids are whole, of entities and of relation types alike.
#[tokio::test]
async fn a05_ids_that_begin_alike_stay_apart() {
    let service = Service::usual();
    let kg = open(&service);
    let twins = ["3f1b2c4d-5e6a-4f7b-8c9d-0a1b2c3d4e5f", "3a1b2c4f-5d6e-4a7f-8b9c-0d1e2f3a4b5c"];
    let entities = entities(ask(&kg, KgOp::Describe { ids: twins.map(Into::into).to_vec() }).await);
    assert_eq!(entities.iter().map(|e| (&*e.id, e.name())).collect::<Vec<_>>(), [(twins[0], "First Twin"), (twins[1], "Second Twin")]);
    let offered = relations(ask(&kg, relations_of(&twins, Direction::Out)).await);
    let offered: Vec<_> = offered.iter().map(|relation| (&*relation.at.id, relation.reading(), relation.count)).collect();
    assert_eq!(
        offered,
        [
            ("5c0ceac3-feb4-41f0-868d-dc06f6e27fc0", "producer".to_owned(), Some(2)),
            ("5c0cdddd-1111-4222-8333-444455556666", "wrote".to_owned(), Some(1))
        ]
    );
}
