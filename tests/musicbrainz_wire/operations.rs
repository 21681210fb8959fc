//! Search, relations, edges and describe, against the service as it usually is.

use super::server::{Habits, Service, fixtures, load};
use super::*;
use tree_of_traversals::calls::CallErrorKind;
use tree_of_traversals::kg::{IdSpace, KgSpec, open_all};

#[tokio::test]
async fn a_search_goes_over_every_kind_and_each_kind_has_its_turn() {
    let service = Service::usual();
    let kg = open(&service);
    let reply = ask(&kg, search_for("Liverpool", 10)).await;
    assert_eq!(reply.wire.len(), 11);
    let found: Vec<String> =
        candidates(reply).iter().map(|c| format!("{}: {}", c.entity.name(), c.entity.description.as_deref().unwrap())).collect();
    assert_eq!(found, ["Liverpool: artist (group), a duo", "Liverpool: area (city)"]);
    let kinds = ["artist", "release-group", "recording", "work", "area", "label", "place", "event", "release", "series", "instrument"];
    assert_eq!(service.paths(), kinds);
}

#[tokio::test]
async fn what_is_called_so_stands_before_what_is_only_like_it() {
    let service = Service::usual();
    let kg = open(&service);
    let found = candidates(ask(&kg, search_for("low tide", 10)).await);
    let ids: Vec<&str> = found.iter().map(|candidate| &*candidate.entity.id).collect();
    assert_eq!(ids, [LOW_TIDE, "e0000000-0000-4000-8000-000000000001"]);
    assert_eq!(found[1].entity.description.as_deref(), Some("release by The Lights feat. Ida Berg, mono, NO, 1957-05"));
    // By an alias, which is said.
    let found = candidates(ask(&kg, search_for("Havnelysene", 10)).await);
    assert_eq!((&*found[0].entity.id, found[0].matched.as_deref()), (LIGHTS, Some("Havnelysene")));
}

#[tokio::test]
async fn a_kind_an_id_or_an_address_costs_one_request() {
    for mention in ["artist:Harbour Lights", LIGHTS, &format!("https://musicbrainz.org/artist/{LIGHTS}"), &format!("artist/{LIGHTS}")] {
        let service = Service::usual();
        let kg = open(&service);
        let found = candidates(ask(&kg, search_for(mention, 10)).await);
        assert_eq!(found.iter().map(|c| &*c.entity.id).collect::<Vec<_>>(), [LIGHTS], "{mention}");
        assert_eq!(service.paths().len(), 1, "{mention}");
    }
}

#[tokio::test]
async fn what_is_typed_is_no_query() {
    let service = Service::usual();
    let kg = open(&service);
    ask(&kg, search_for("artist:AC/DC AND (\"live\"~2) type:group", 10)).await;
    assert_eq!(service.asked()[0].get("query"), Some("AC\\/DC and \\(\\\"live\\\"\\~2\\) type\\:group"));
}

/// One lookup serves relations in both directions and all edges that it holds, also when both are asked at once.
#[tokio::test]
async fn relations_and_edges_of_an_entity_cost_one_request() {
    let service = Service::usual();
    let kg = open(&service);
    let id = format!("artist/{LIGHTS}");
    let (out, back) = tokio::join!(ask(&kg, relations_of(&[&id], Direction::Out)), ask(&kg, relations_of(&[&id], Direction::In)));
    assert_eq!(out.wire.len() + back.wire.len(), 1);
    let offered: Vec<String> = relations(out).iter().map(|r| format!("{} ({})", r.reading(), r.count.unwrap())).collect();
    assert_eq!(
        offered,
        [
            "release groups (25)",
            "releases (2)",
            "recordings (2)",
            "area (1)",
            "born or founded in (1)",
            "member of band (1)",
            "type (1)",
            "country code (1)",
            "born or founded (1)",
            "died or dissolved (1)",
            "official homepage (1)",
            "discogs (1)",
            "ISNI code (1)",
            "wikidata (1)"
        ]
    );
    let again = ask(&kg, edges_of(&[LIGHTS], "life-span.end", Direction::Out, 5, 0)).await;
    assert!(again.wire.is_empty());
    assert_eq!(triple(&edges(again).edges[0]).2, "May 2001");
    assert_eq!(service.paths(), [id]);
}

#[tokio::test]
async fn identifiers_are_marked_and_pages_are_whole() {
    let service = Service::usual();
    let kg = open(&service);
    let offered = relations(ask(&kg, relations_of(&[LIGHTS], Direction::Out)).await);
    let identifiers: Vec<&str> = offered.iter().filter(|r| r.identifier).filter_map(|r| r.label.as_deref()).collect();
    assert_eq!(identifiers, ["discogs", "ISNI code", "wikidata"]);
    let list = edges(ask(&kg, edges_of(&[LIGHTS], "fe33d22f-c3b0-4d68-bd53-a856badf2b15", Direction::Out, 5, 0)).await);
    assert_eq!(triple(&list.edges[0]).2, "https://lights.example.org/?a=1&b=2");
}

/// The credit of a release group and the release groups of an artist are one relation with two directions.
#[tokio::test]
async fn the_two_ends_of_a_credit_are_one_fact() {
    let service = Service::usual();
    let kg = open(&service);
    let of_artist = edges(ask(&kg, edges_of(&[LIGHTS], "release-groups", Direction::Out, 1, 0)).await);
    let back = relations(ask(&kg, relations_of(&[LOW_TIDE], Direction::In)).await);
    let read: Vec<_> = back.iter().map(|r| (r.at.token(), r.reading(), r.count)).collect();
    assert_eq!(
        read,
        [
            ("~release-group".to_owned(), "releases".to_owned(), Some(2)),
            ("~release-groups".to_owned(), "artist credit".to_owned(), Some(2))
        ]
    );
    for (asked, direction) in [("release-groups", Direction::In), ("artist-credit", Direction::Out)] {
        let of_group = edges(ask(&kg, edges_of(&[LOW_TIDE], asked, direction, 5, 0)).await);
        assert!(of_group.edges[0].same_fact(&of_artist.edges[0]), "{asked}");
        assert_eq!(of_group.edges[0].notes[0].text(), "credited as The Lights, whole credit The Lights feat. Ida Berg");
        assert_eq!(&*of_group.edges[1].s, IDA);
    }
}

#[tokio::test]
async fn a_release_leads_to_its_tracks_label_and_group_and_they_lead_back() {
    let service = Service::usual();
    let kg = open(&service);
    let release = "e0000000-0000-4000-8000-000000000001";
    let fact = async |id: &str, relation: &str, direction| {
        let list = edges(ask(&kg, edges_of(&[id], relation, direction, 5, 0)).await);
        let notes: Vec<String> = list.edges[0].notes.iter().map(|note| note.text()).collect();
        (triple(&list.edges[0]), notes.join("; "))
    };
    let label = "f0000000-0000-4000-8000-000000000003";
    for (far, relation, note) in
        [(EBB, "tracks", "track A1"), (label, "label-info", "catalogue number QR 1"), (LOW_TIDE, "release-group", "")]
    {
        let (there, said) = fact(release, relation, Direction::Out).await;
        assert_eq!((there.2.as_str(), said.as_str()), (far, note));
        assert_eq!(fact(far, relation, Direction::In).await.0, there, "{relation}");
    }
    // By the names that the service has at the other end.
    assert_eq!(fact(EBB, "releases", Direction::Out).await.0, fact(release, "tracks", Direction::Out).await.0);
    assert_eq!(fact(label, "releases", Direction::Out).await.0, fact(release, "label-info", Direction::Out).await.0);
}

/// A page begins where the last one ended, browsed or not, and says how much there is.
#[tokio::test]
async fn pages_follow_each_other() {
    for counts in [true, false] {
        let service = Service::start(load(&fixtures()), Habits { page: 7, counts, ..Habits::default() });
        let kg = open(&service);
        let mut seen: Vec<String> = Vec::new();
        for (offset, more) in [(0, true), (12, true), (24, false)] {
            let list = edges(ask(&kg, edges_of(&[LIGHTS], "release-groups", Direction::Out, 12, offset)).await);
            seen.extend(list.edges.iter().map(|edge| triple(edge).2));
            let said: Vec<_> = list.partial.iter().map(|p| (p.shown, p.of)).collect();
            let expected = if more { vec![(u64::from(offset) + 12, counts.then_some(31))] } else { vec![] };
            assert_eq!(said, expected, "offset {offset}, counts {counts}");
        }
        let expected: Vec<String> = (1..=31).map(|n| format!("b0000000-0000-4000-8000-{n:012}")).collect();
        assert_eq!(seen, expected);
    }
    let service = Service::usual();
    let kg = open(&service);
    let page = async |offset| edges(ask(&kg, edges_of(&[LIGHTS], MEMBER, Direction::In, 1, offset)).await);
    let (first, second) = (page(0).await, page(1).await);
    assert_eq!((&*first.edges[0].s, first.partial[0].shown, first.partial[0].of), (IDA, 1, Some(2)));
    assert_eq!((&*second.edges[0].s, second.partial.len()), ("a0000000-0000-4000-8000-000000000003", 0));
    assert!(!second.entities.iter().any(|entity| &*entity.id == IDA));
}

/// A list that the service does not let be browsed is shown as cut.
#[tokio::test]
async fn without_browsing_the_first_25_are_called_that() {
    fn no_browsing(_: usize, asked: &super::server::Asked) -> Option<super::http::Reply> {
        asked.get("offset").map(|_| super::server::send("404 Not Found", &serde_json::json!({"error": "Not Found"})))
    }
    let service = Service::start(load(&fixtures()), Habits { fault: Some(no_browsing), ..Habits::default() });
    let kg = open(&service);
    let list = edges(ask(&kg, edges_of(&[LIGHTS], "release-groups", Direction::Out, 100, 0)).await);
    assert_eq!((list.edges.len(), list.partial[0].shown, list.partial[0].of), (25, 25, None));
}

/// The kind of an id is found again without any memory: in a fixed order, and once.
#[tokio::test]
async fn an_id_of_unknown_kind_is_tried_in_a_fixed_order_once() {
    let service = Service::usual();
    let kg = open(&service);
    let work = "d0000000-0000-4000-8000-000000000001";
    ask(&kg, relations_of(&[work], Direction::In)).await;
    let kinds: Vec<String> = service.paths().iter().map(|path| path.split('/').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["artist", "recording", "release-group", "release", "work"]);
    ask(&kg, edges_of(&[work], "type", Direction::Out, 5, 0)).await;
    assert_eq!(service.paths().len(), 5);
    // What a search or an edge mentioned is known.
    let service = Service::usual();
    let kg = open(&service);
    ask(&kg, edges_of(&[&format!("artist/{IDA}")], "works", Direction::Out, 5, 0)).await;
    ask(&kg, relations_of(&[work], Direction::In)).await;
    assert_eq!(service.paths(), [format!("artist/{IDA}"), format!("work/{work}")]);
}

#[tokio::test]
async fn what_is_not_there_is_said_and_does_not_take_the_rest_along() {
    let service = Service::usual();
    let kg = open(&service);
    let gone = "99999999-0000-4000-8000-000000000000";
    let error = fails(&kg, relations_of(&[gone], Direction::Out)).await;
    assert!(error.message.starts_with(&format!("MusicBrainz has nothing with the id {gone}")), "{error}");
    assert_eq!(service.paths().len(), 12);
    let reply = ask(&kg, relations_of(&[gone, LIGHTS], Direction::Out)).await;
    assert!(reply.partial && reply.notes[0].contains(gone));
    assert!(!relations(reply).is_empty());
    let reply = ask(&kg, KgOp::Describe { ids: vec![gone.into(), LIGHTS.into()] }).await;
    let described = entities(reply);
    assert_eq!((described[0].label.as_deref(), described[1].label.as_deref()), (None, Some("Harbour Lights")));
    let reply = ask(&kg, KgOp::Describe { ids: vec!["Q42".into(), LIGHTS.into()] }).await;
    assert!(reply.partial && reply.notes[0].starts_with("\"Q42\" is no id of MusicBrainz"), "{:?}", reply.notes);
    assert_eq!(entities(reply).iter().map(|entity| entity.name().to_owned()).collect::<Vec<_>>(), ["Q42", "Harbour Lights"]);
    assert_eq!(fails(&kg, KgOp::Describe { ids: vec!["Q42".into()] }).await.kind, CallErrorKind::Refused);
    let error = fails(&kg, relations_of(&["Q42"], Direction::Out)).await;
    assert!(error.message.contains("give the whole MBID"), "{error}");
}

#[tokio::test]
async fn a_place_says_where_it_is_and_what_happened_there() {
    let service = Service::usual();
    let kg = open(&service);
    let studio = "place/f0000000-0000-4000-8000-000000000004";
    let offered = relations(ask(&kg, relations_of(&[studio], Direction::Out)).await);
    let read: Vec<String> = offered.iter().map(Relation::reading).collect();
    assert_eq!(read, ["area", "recording location of", "type", "begin date", "address", "coordinates", "has ended"]);
    let back = relations(ask(&kg, relations_of(&[EBB], Direction::In)).await);
    assert!(back.iter().any(|relation| relation.reading() == "recorded at"));
}

/// The artists of an area are those that say so: the service lists who was born there among them.
#[tokio::test]
async fn the_artists_of_an_area_are_sifted_from_what_the_service_lists() {
    let service = Service::start(load(&fixtures()), Habits { page: 2, ..Habits::default() });
    let kg = open(&service);
    let bergen = "f0000000-0000-4000-8000-000000000002";
    let offered = relations(ask(&kg, relations_of(&[&format!("area/{bergen}")], Direction::In)).await);
    let read: Vec<_> = offered.iter().map(|relation| (relation.reading(), relation.count)).collect();
    let expected = [
        ("artists from here", None),
        ("artists born or founded here", None),
        ("artists died or dissolved here", None),
        ("part of", Some(1)),
    ];
    assert_eq!(read, expected.map(|(name, count)| (name.to_owned(), count)));
    let page = async |relation: &str, cap, offset| {
        let list = edges(ask(&kg, edges_of(&[bergen], relation, Direction::In, cap, offset)).await);
        assert!(list.edges.iter().all(|edge| triple(edge).2 == bergen));
        let names: Vec<String> = list.entities.iter().filter(|e| &*e.id != bergen).map(|e| e.name().to_owned()).collect();
        (names, list.partial.iter().map(|p| (p.shown, p.of)).collect::<Vec<_>>())
    };
    assert_eq!(page("area", 5, 0).await, (vec!["Nils Vik".to_owned(), "The Fleet".to_owned()], vec![]));
    assert_eq!(page("begin-area", 2, 0).await, (vec!["Harbour Lights".to_owned(), "Nils Vik".to_owned()], vec![(2, None)]));
    assert_eq!(page("begin-area", 2, 2).await, (vec!["Odd Skog".to_owned()], vec![]));
    // The same fact from the artist.
    let theirs = edges(ask(&kg, edges_of(&[&format!("artist/{LIGHTS}")], "begin-area", Direction::Out, 5, 0)).await);
    let ours = edges(ask(&kg, edges_of(&[bergen], "begin-area", Direction::In, 5, 0)).await);
    assert!(ours.edges[0].same_fact(&theirs.edges[0]));
}

#[tokio::test]
async fn it_says_what_it_is() {
    let service = Service::usual();
    let profile = KgProfile { url: Some(service.url.clone()), ..KgProfile::default() };
    let settings = KgSettings { http: manners(), ..KgSettings::default() };
    let opened = open_all(vec![(None, profile, KgSpec::MusicBrainz)], &settings).await.unwrap().remove(0);
    assert_eq!((opened.kg.name(), opened.kg.id_space()), ("musicbrainz", IdSpace::MusicBrainz));
    assert!(opened.kg.about().contains(&service.url));
    assert_eq!(opened.kg.check().await.unwrap(), format!("MusicBrainz answers at {}", service.url));
    let what = tree_of_traversals::calls::Aggregate {
        function: tree_of_traversals::calls::Function::Count,
        relation: "release-groups".into(),
        direction: Direction::Out,
        filters: vec![],
        by: None,
    };
    let error = fails(&opened.kg, KgOp::Aggregate { entities: vec![LIGHTS.into()], what, cap: 10 }).await;
    assert_eq!(error.message, "musicbrainz cannot answer `aggregate`");
}
