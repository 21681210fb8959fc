//! Knowledge graphs on the screen: where facts come from, all ids of a thing, what was cut, calls in flight, KGs that are
//! down.

use super::desk::{Desk, scenario};
use super::world::World;
use std::time::{Duration, Instant};
use tree_of_traversals::calls::{AskId, CallError, CallErrorKind};
use tree_of_traversals::graph::{Direction, Entity};
use tree_of_traversals::runner::{Command, Flight, Pace, Wait};
use tree_of_traversals::search::{Act, ActId, By, Event, Preset};

/// The film question on a graph that gives two edges of an entity at a time.
fn cut_film() -> World {
    let scenario = scenario("film-backtrack");
    let mut settings = scenario.settings(Preset::Paper);
    settings.edge_cap = 12;
    let mut world = World::with_settings(&scenario, settings, 1);
    world.run(usize::MAX);
    world
}

/// The same with the first list of the cast said to be cut.
fn said_cut() -> World {
    let mut world = cut_film();
    let mut entries = world.entries.clone();
    for entry in &mut entries {
        if let Event::Replied { got: tree_of_traversals::search::Got::Kg(reply), .. } = &mut entry.ev
            && let tree_of_traversals::calls::KgData::Edges(list) = &mut reply.data
            && let Some(edge) = list.edges.first().filter(|edge| &*edge.r == "P161").cloned()
        {
            let shown = list.edges.iter().filter(|other| other.s == edge.s).count() as u64;
            let (relation, direction) = (edge.r, Direction::Out);
            list.partial.push(tree_of_traversals::graph::Partial { entity: edge.s, relation, direction, shown, of: Some(3412) });
            reply.wire = vec![tree_of_traversals::calls::WireNote {
                query: "SELECT ?o WHERE { wd:Q25188 wdt:P161 ?o }".into(),
                rows: 12,
                took_ms: 300,
                tries: 2,
            }];
            reply.cached_at = Some(1);
        }
    }
    for entry in &mut entries {
        entry.at = 3 * 86_400_000 + 5;
        if let Event::Grew { children, .. } = &mut entry.ev {
            for child in children.iter_mut().filter(|child| child.action.token() == "R:P161") {
                if let Some(edge) = child.delta.edges.first().cloned() {
                    let shown = child.delta.edges.iter().filter(|other| other.s == edge.s).count() as u64;
                    let (relation, direction) = (edge.r, Direction::Out);
                    let partial = tree_of_traversals::graph::Partial { entity: edge.s, relation, direction, shown, of: Some(3412) };
                    child.delta.partial.push(partial);
                }
            }
        }
    }
    world.state = tree_of_traversals::search::State::from_entries(&entries).unwrap();
    world.entries = entries;
    world
}

fn at_cast(world: &World) -> Desk {
    let node = world.state.nodes.iter().find(|n| n.action.token() == "R:P161").unwrap().id;
    let mut desk = Desk::at(world);
    desk.press("1 g");
    while desk.app.session().unwrap().node() != Some(node) {
        desk.press("Down");
    }
    desk.press("2");
    desk
}

#[test]
fn what_was_cut_is_said_in_tree_table_text_and_calls() {
    let world = said_cut();
    let mut desk = at_cast(&world);
    let screen = desk.screen(200, 60);
    let row = screen.lines().find(|line| line.contains("◐ →")).unwrap_or_else(|| panic!("{screen}"));
    assert!(row.contains("of 3,412"), "{row}");
    assert!(screen.contains("of 3,412 · M fetches more"), "{screen}");
    assert!(screen.contains("◐ partial: Inception cast member"), "{screen}");
    let text = desk.press(", G").screen(200, 60);
    assert!(text.contains("of 3412 shown"), "as the model reads it: {text}");
    let calls = desk.press("3 . . .").screen(200, 60);
    assert!(calls.contains("[KG calls]") && calls.contains("◐ partial: Inception"), "{calls}");
    assert!(calls.contains("from the cache, 3 days old") && calls.contains("2 tries"), "{calls}");
}

#[test]
fn a_key_fetches_the_next_page_of_the_list_under_the_cursor() {
    let world = said_cut();
    let mut desk = at_cast(&world);
    let sent = desk.press("M").sent();
    let [Command::Do(act @ Act::More { relation, direction: Direction::Out, .. })] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(&**relation, "P161");
    act.check(&world.state).unwrap();
    // The remark row means the same list.
    let on_remark = |desk: &mut Desk| {
        for _ in 0..40 {
            if desk.screen(200, 60).lines().any(|line| line.contains("of 3,412 · M")) && desk.app.session().unwrap().graph.cut().is_some()
            {
                break;
            }
            desk.press("Down");
        }
    };
    on_remark(&mut desk);
    assert_eq!(desk.press("M").sent(), sent);
    // In the net it is the list of the entity.
    assert_eq!(desk.press(".").screen(200, 60).matches("[net]").count(), 1);
    assert_eq!(desk.press("M").sent(), sent);
    // From a node below it the list is still that of the node that brought it, which the tree shows.
    let mut below = at_cast(&world);
    below.press("1 l l 2");
    assert_ne!(below.app.session().unwrap().node(), act.nodes().next());
    assert_eq!(below.press("M").sent(), sent);
    let mut whole = at_cast(&cut_film());
    assert!(whole.press("M").screen(200, 60).contains("no KG cut anything here"), "{}", whole.screen(200, 60));
    assert_eq!(whole.sent(), []);
}

#[test]
fn a_fact_says_where_it_comes_from() {
    let world = said_cut();
    let mut desk = at_cast(&world);
    let screen = desk.press("d").screen(200, 70);
    assert!(screen.contains("[Fact]") && screen.contains("This fact") && screen.contains("Where it comes from"), "{screen}");
    assert!(screen.contains("brought by node") && screen.contains("chosen by the model"), "{screen}");
    assert!(screen.contains("SELECT ?o WHERE") && screen.contains("from the cache, 3 days old"), "{screen}");
    assert!(screen.contains("01 Jan 1970 00:00:00 UTC"), "{screen}");
    assert!(screen.contains("has more of this list") && screen.contains("of 3,412"), "{screen}");
    // The tab follows the cursor.
    let first = screen;
    assert_ne!(desk.press("Down").screen(200, 70), first);
    // On a small screen the inspector takes the place of the graph.
    let mut small = at_cast(&world);
    small.screen(80, 24);
    let small = small.press("d").screen(80, 24);
    assert!(small.contains("[3 Inspector]") && small.contains("This fact"), "{small}");
}

/// The film question with a second KG that knows Inception.
fn two_kgs() -> World {
    let mut world = cut_film();
    let mut entries = world.entries.clone();
    for entry in &mut entries {
        match &mut entry.ev {
            Event::Started(started) => started.kgs.push(("musicbrainz".into(), "musicbrainz".into())),
            Event::Grew { children, .. } => {
                for entity in children.iter_mut().flat_map(|child| &mut child.delta.entities).filter(|entity| &*entity.id == "Q25188") {
                    entity.also = vec![("musicbrainz".into(), "f27ec8db-af05-4f36-916e-3d57f91ecf5e".into())];
                }
            }
            _ => {}
        }
    }
    world.state = tree_of_traversals::search::State::from_entries(&entries).unwrap();
    world.entries = entries;
    world
}

#[test]
fn one_entity_is_shown_with_all_its_ids() {
    let world = two_kgs();
    let mut desk = at_cast(&world);
    let table = desk.screen(200, 60);
    assert!(table.contains("Q25188 ◆ · f27ec8db… ▲"), "{table}");
    let net = desk.press(".").screen(200, 60);
    assert!(net.contains("Q25188 ◆ · f27ec8db… ▲"), "{net}");
    let fact = desk.press("d").screen(200, 60);
    assert!(fact.contains("Q25188 ◆ · f27ec8db-af05-4f36-916e-3d57f91ecf5e ▲"), "whole in the detail: {fact}");
    // With one KG no sign stands beside ids.
    let one = at_cast(&cut_film()).screen(200, 60);
    assert!(one.contains("Inception  Q25188") && !one.contains("Q25188 ◆"), "{one}");
}

#[test]
fn a_kg_that_is_down_is_marked_until_it_answers_again() {
    let world = two_kgs();
    let count = world.entries.len();
    let last = world.state.asks.iter().rev().find(|ask| ask.kg().is_some_and(|kg| &**kg == "scenario")).unwrap().id;
    let at = world.entries.iter().position(|e| matches!(&e.ev, Event::Replied { ask, .. } if *ask == last)).unwrap();
    let mut desk = Desk::at(&world);
    assert!(!desk.screen(200, 60).contains("✗ down"));
    let mut entries = world.entries[..=at].to_vec();
    let error = CallError::new(CallErrorKind::Unreachable, "scenario cannot be reached: check the network");
    entries[at].ev = Event::Failed { ask: last, error };
    assert!(count > at);
    desk.entries = entries.clone();
    desk.live.pace = Pace::Run;
    desk.arrive();
    let screen = desk.screen(200, 60);
    assert!(screen.contains("◆ scenario ✗ down"), "{screen}");
    assert!(screen.contains("the search goes on with the rest"), "{screen}");
    // It answers again: the mark goes.
    entries[at] = world.entries[at].clone();
    desk.entries = entries;
    desk.arrive();
    assert!(!desk.screen(200, 60).contains("✗ down"));
}

fn flights() -> Vec<Flight> {
    let flight = |ask, what: &str, kg: Option<&str>, ago| Flight {
        ask: AskId(ask),
        since: Instant::now().checked_sub(Duration::from_millis(ago)).unwrap(),
        what: what.into(),
        kg: kg.map(Into::into),
        human: false,
    };
    vec![flight(7, "samples of node 4", None, 1_000), flight(8, "edges P161 from musicbrainz", Some("musicbrainz"), 4_500)]
}

#[test]
fn calls_in_flight_show_time_and_why_they_wait_and_one_can_be_cancelled() {
    let world = two_kgs();
    let mut desk = Desk::with(&world, |live| {
        live.pace = Pace::Run;
        live.flights = flights();
        let until = Instant::now() + Duration::from_secs(5);
        let wait = |who: &str, kg: Option<&str>, why: &str| Wait { who: who.into(), kg: kg.map(Into::into), until, why: why.into() };
        live.waits = vec![
            wait("musicbrainz", Some("musicbrainz"), "MusicBrainz is busy (status 503)"),
            wait("openai:m", None, "it is asked too often (HTTP 429)"),
        ];
    });
    let screen = desk.screen(200, 60);
    assert!(screen.contains("▲ musicbrainz waits 5 s: MusicBrainz is busy (status 503)"), "{screen}");
    // Who and how long at every width, the reason as far as there is room.
    for width in [60, 80, 100, 120, 140] {
        let screen = desk.screen(width, 24);
        assert!(screen.contains("▲ musicbrainz waits 5 s"), "{width}: {screen}");
        assert!(width < 80 || screen.contains("musicbrainz waits 5 s: MusicBrai"), "{width}: {screen}");
        assert!(width < 100 || screen.contains("MusicBrainz is busy (status 503)"), "{width}: {screen}");
        assert!(screen.contains("tot · "), "{width}: {screen}");
    }
    desk.live.waits[0].who = "a model with a name that is longer than the line has room for, whatever stands beside it there".into();
    desk.arrive();
    let screen = desk.screen(80, 24);
    assert!(screen.contains("▲ a model with") && screen.contains("… waits 5 s"), "{screen}");
    let calls = desk.press("3 . . .").screen(200, 60);
    assert!(calls.contains("In flight") && calls.contains("edges P161 from musicbrainz · 4."), "{calls}");
    assert!(calls.contains("whatever stands beside it there waits 5 s: MusicBrainz is busy (status 503)"), "{calls}");
    assert!(calls.contains("∴ openai:m waits 5 s: it is asked too often (HTTP 429)"), "{calls}");
    let popup = desk.press("D").screen(160, 50);
    assert!(popup.contains("Calls in flight") && popup.contains("X pauses and drops all"), "{popup}");
    assert!(popup.contains("Enter pauses and drops this call"), "of the model: {popup}");
    assert_eq!(desk.press("Enter").sent(), [Command::Cancel(AskId(7))]);
    assert!(desk.press("Down").screen(160, 50).contains("Enter cancels this call to a KG"));
    assert_eq!(desk.press("Enter").sent(), [Command::Cancel(AskId(8))]);
    for (width, height) in [(1, 1), (5, 3), (12, 12), (40, 10), (80, 24)] {
        desk.screen(width, height);
    }
    // The same before there is any node.
    let mut early = Desk::with(&super::desk::film(2), |live| {
        live.pace = Pace::Run;
        live.flights = flights();
    });
    let calls = early.press("3 . . .").screen(200, 60);
    assert!(early.app.session().unwrap().node().is_none() && calls.contains("edges P161 from musicbrainz · 4."), "{calls}");
    desk.live.flights.clear();
    desk.arrive();
    assert!(!desk.app.has_popup(), "it goes with the last call");
    assert!(desk.press("D").screen(160, 50).contains("no call is in flight"));
}

#[test]
fn a_page_that_came_is_marked_by_hand_and_the_cursor_stays() {
    let world = said_cut();
    let mut desk = at_cast(&world);
    let node = desk.app.session().unwrap().node().unwrap();
    desk.screen(200, 60);
    let Some(act) = desk.app.session().unwrap().graph.more() else { panic!("nothing is cut") };
    let Act::More { entity, relation, direction, .. } = act.clone() else { panic!() };
    desk.press("Down Down");
    let before = desk.app.session().unwrap().graph.looked_at();
    let mut world = world;
    world.push(By::You, Event::Acted { act: ActId(0), what: act });
    let step = tree_of_traversals::search::StepId(world.state.steps.len() as u32);
    let kind = tree_of_traversals::search::StepKind::Page;
    world.push(By::You, Event::Opened { step, kind, node: Some(node), counts: false, act: Some(ActId(0)), why: "you asked".into() });
    let new = Entity { id: "Q4242".into(), kg: "scenario".into(), label: Some("Somebody New".into()), description: None, also: vec![] };
    let edge = tree_of_traversals::graph::Edge::new(
        entity.clone(),
        relation.clone(),
        tree_of_traversals::graph::Object::Entity("Q4242".into()),
        "scenario".into(),
    );
    let partial = vec![tree_of_traversals::graph::Partial { entity, relation, direction, shown: 200, of: Some(3412) }];
    let delta = tree_of_traversals::graph::Delta { entities: vec![new], relations: vec![], edges: vec![edge], partial };
    world.push(By::You, Event::Paged { step, node, delta, notices: vec![] });
    world.push(By::You, Event::Closed { step });
    desk.entries.clone_from(&world.entries);
    desk.arrive();
    let screen = desk.screen(200, 100);
    assert!(screen.contains("✎ Inception") && screen.contains("Somebody New") && screen.contains("200 of 3,412 · M"), "{screen}");
    assert_eq!(desk.app.session().unwrap().graph.looked_at(), before);
    // Looked back at, it is not there yet.
    assert!(!desk.press("[ [ [").screen(200, 60).contains("Somebody New"));
}
