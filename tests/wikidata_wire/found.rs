//! What is found, and with which requests.

use super::server::{Part, Reply, start};
use super::{ask, candidates, fast, ids, search, search_reply, wikidata, wikidata_in};
use tree_of_traversals::calls::{KgData, KgOp};
use tree_of_traversals::graph::{Direction, Entity};
use tree_of_traversals::kg::{IdSpace, KgProfile, KgSpec, open_all};

#[tokio::test]
async fn both_searches_are_merged_and_pages_are_left_out() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    let reply = search_reply(&*kg, "Ravensfoot").await.unwrap();
    assert!(!reply.partial && reply.notes.is_empty(), "{:?}", reply.notes);
    assert_eq!(reply.wire.len(), 3);
    let found = candidates(reply);
    // The names begin with it: Q7001, Q7002 (a page), Q7005, Q7006 (merged into Q7001). The words are in: Q7007 first.
    assert_eq!(ids(&found), ["Q7001", "Q7007", "Q7005"]);
    assert_eq!(found[0].entity.description.as_deref(), Some("hamlet in the north"));
    assert_eq!(found[1].entity.label.as_deref(), Some("Bridge of Ravensfoot"));
    assert_eq!((found[2].entity.label.as_deref(), found[2].matched.as_deref()), (Some("Northmoor"), Some("Ravensfoot and Moor")));
    assert_eq!(search(&*kg, "Ravensfoot").await, found, "the same every time");
    assert_eq!(ids(&super::candidates(ask(&*kg, KgOp::Search { mention: "ravensfoot".into(), limit: 1 }).await.unwrap())), ["Q7001"]);
}

#[tokio::test]
async fn a_search_is_three_requests_that_all_name_us() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    search(&*kg, "Ravensfoot").await;
    let seen = http.seen();
    let mut parts: Vec<String> = seen.iter().map(|asked| format!("{:?}", Part::of(asked))).collect();
    parts.sort();
    assert_eq!(parts, ["Names", "Query", "Words"]);
    for asked in &seen {
        let agent = asked.header("user-agent").unwrap();
        assert!(agent.starts_with("tree-of-traversals/") && agent.ends_with("(someone@example.org)"), "{agent}");
        assert!(asked.header("accept-encoding").unwrap().contains("gzip"), "{}", asked.head);
    }
    let names = seen.iter().find(|asked| Part::of(asked) == Part::Names).unwrap();
    let of = |name: &str| names.parameter(name).unwrap();
    assert_eq!((of("language"), of("uselang"), of("type")), ("en".to_owned(), "en".to_owned(), "item".to_owned()));
}

#[tokio::test]
async fn labels_follow_the_chain_of_languages() {
    let http = start(|_, _| None);
    let label =
        async |languages: &[&str], mention: &str| search(&*wikidata_in(&http, languages).await, mention).await[0].entity.label.clone();
    assert_eq!(label(&["en"], "Keybound").await.as_deref(), Some("Keybound"));
    assert_eq!(label(&["de", "en"], "Ravensfoot").await.as_deref(), Some("Rabenfuß"));
    assert_eq!(label(&["zh", "en"], "Ravensfoot").await.as_deref(), Some("Ravensfoot"));
    // A language that the entity search does not know.
    assert_eq!(label(&["tlh", "en"], "Ravensfoot").await.as_deref(), Some("Ravensfoot"));
}

#[tokio::test]
async fn an_item_with_a_neutral_label_only_keeps_its_edges() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    assert_eq!(ids(&search(&*kg, "keybound").await), ["Q7004"]);
    let op = KgOp::Edges {
        entities: vec!["Q7001".into()],
        relation: "P131".into(),
        direction: Direction::In,
        cap: 9,
        offset: 0,
        all_ranks: false,
    };
    let KgData::Edges(list) = ask(&*kg, op).await.unwrap().data else { panic!() };
    assert_eq!(&*list.edges[0].s, "Q7004");
    assert_eq!(list.entities.iter().find(|e| &*e.id == "Q7004").unwrap().label.as_deref(), Some("Keybound"));
}

#[tokio::test]
async fn hits_without_label_or_description_are_candidates() {
    let http = start(|_, _| None);
    let found = search(&*wikidata(&http).await, "Nameless").await;
    let shown: Vec<(&str, Option<&str>)> = found.iter().map(|c| (&*c.entity.id, c.entity.label.as_deref())).collect();
    assert_eq!(shown, [("Q777", None), ("Q7012", Some("О часах"))]);
    assert_eq!(found[0].entity.name(), "Q777");
}

#[tokio::test]
async fn an_id_stands_for_its_item_and_a_merged_one_for_its_target() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    for mention in ["Q7001", "wd:Q7001", "http://www.wikidata.org/entity/Q7001", "https://www.wikidata.org/wiki/Q7001"] {
        let found = search(&*kg, mention).await;
        assert_eq!((ids(&found), found[0].entity.label.as_deref()), (vec!["Q7001"], Some("Ravensfoot")), "{mention}");
    }
    let reply = search_reply(&*kg, "Q7006").await.unwrap();
    assert_eq!(reply.notes, ["Q7001: Q7006 redirects here"]);
    let found = candidates(reply);
    assert_eq!(ids(&found), ["Q7001"]);
    assert_eq!(found[0].entity.also, [(kg.name().into(), "Q7006".into())]);
    assert!(http.seen().iter().all(|asked| Part::of(asked) == Part::Query), "an id is not searched for by name");
    assert!(search(&*kg, "Q404").await.is_empty());
}

#[tokio::test]
async fn a_long_mention_is_not_sent() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    let reply = search_reply(&*kg, &"ä".repeat(300)).await.unwrap();
    assert!(reply.notes[0].contains("300 characters is not searched for"), "{:?}", reply.notes);
    assert!(candidates(reply).is_empty() && http.seen().is_empty());
    search(&*kg, &"ä".repeat(299)).await;
    assert!(!http.seen().is_empty());
    for mention in ["", "  "] {
        assert!(search(&*kg, mention).await.is_empty());
    }
}

#[tokio::test]
async fn operators_of_the_search_are_words() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    let mention = "-Ravensfoot insource:/.*/ \"bridge & more\"";
    search(&*kg, mention).await;
    let sent = |part: Part, name: &str| http.seen().iter().find(|asked| Part::of(asked) == part).unwrap().parameter(name).unwrap();
    assert_eq!(sent(Part::Words, "srsearch"), "Ravensfoot insource . bridge & more");
    assert_eq!(sent(Part::Names, "search"), mention, "the entity search has no operators");
}

#[tokio::test]
async fn a_possessive_is_looked_for_without_it() {
    let http = start(|_, _| None);
    let found = search(&*wikidata(&http).await, "Keybound's").await;
    assert_eq!(ids(&found), ["Q7004"]);
}

#[tokio::test]
async fn its_ids_are_known_before_anything_is_asked() {
    let http = start(|_, _| None);
    let kg = wikidata(&http).await;
    assert_eq!(kg.id_space(), IdSpace::Wikidata);
    assert!(http.seen().is_empty());
    kg.meet(&[("music".into(), IdSpace::MusicBrainz)]);
    let theirs =
        Entity { id: "22222222-aaaa-4aaa-8aaa-000000000007".into(), kg: "music".into(), label: None, description: None, also: Vec::new() };
    let KgData::Entities(linked) = ask(&*kg, KgOp::Link { entities: vec![theirs] }).await.unwrap().data else { panic!() };
    assert_eq!((&*linked[0].id, linked[0].label.as_deref()), ("Q7007", Some("Bridge of Ravensfoot")));
    assert_eq!(http.seen().len(), 1);
}

#[tokio::test]
async fn a_mirror_without_an_entity_api_is_searched_by_query() {
    let http = start(|_, _| None);
    let profile = KgProfile { url: Some(format!("{}/sparql", http.url())), ..KgProfile::default() };
    let kg = open_all(vec![(Some("mirror".into()), profile, KgSpec::Wikidata)], &fast()).await.unwrap().remove(0).kg;
    assert_eq!(ids(&search(&*kg, "Keybound").await), ["Q7004"]);
    assert_eq!(ids(&search(&*kg, "Ravensfoot").await), ["Q7001"], "the page of this name is no candidate here either");
    assert!(http.seen().iter().all(|asked| asked.target().starts_with("/sparql")));
}

#[tokio::test]
async fn a_check_asks_both_services() {
    let http = start(|_, _| None);
    let about = wikidata(&http).await.check().await.unwrap();
    assert!(about.contains("/sparql, Wikidata's RDF model, entity API http://127.0.0.1:"), "{about}");
    let http = start(|part, _| (part == Part::Names).then(|| Reply::whole("403 Forbidden", "", "Who are you?")));
    let error = wikidata(&http).await.check().await.unwrap_err();
    assert!(error.message.contains("Who are you?") && error.message.contains("TOT_CONTACT"), "{error}");
}
