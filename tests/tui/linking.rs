//! The entities of the question: how each was matched, and changing the match by hand.

use super::desk::{Desk, scenario};
use super::world::World;
use std::sync::Arc;
use tree_of_traversals::calls::{Candidate, KgData, KgOp, KgReply};
use tree_of_traversals::graph::Entity;
use tree_of_traversals::runner::{Command, Inquiry};
use tree_of_traversals::search::{Act, ActId, By, Event, NodeId, Origin, Preset, State};

fn entity(id: &str, kg: &str, label: &str) -> Entity {
    Entity { id: id.into(), kg: kg.into(), label: Some(label.into()), description: None, also: vec![] }
}

/// The film question, with a second KG if wanted. It had nothing to match, so lanes are those of one KG.
fn film(second: bool) -> World {
    let scenario = scenario("film-backtrack");
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    if second {
        let mut entries = world.entries.clone();
        for entry in &mut entries {
            match &mut entry.ev {
                Event::Started(started) => started.kgs.push(("musicbrainz".into(), "musicbrainz".into())),
                // Two KGs: every second lane is the other's.
                Event::Asked { key, .. } if key.step.0 == 0 => key.lane *= 2,
                Event::Read { step, lane, rows, .. } if step.0 == 0 && *lane % 2 == 1 => {
                    rows.iter_mut().for_each(|row| row.slots.iter_mut().for_each(|slot| *slot *= 2));
                }
                _ => {}
            }
        }
        world.state = State::from_entries(&entries).unwrap();
        world.entries = entries;
    }
    world
}

/// Every inquiry is answered with these candidates of its KG.
fn answer(desk: &mut Desk, asked: &[Command], found: &[Entity]) {
    for command in asked {
        match command {
            Command::Inquire { id, call } => {
                let list = found.iter().filter(|e| e.kg == call.kg).map(|e| Candidate { entity: e.clone(), matched: None }).collect();
                desk.live.inquiries.push(Inquiry { id: *id, result: Some(Ok(Arc::new(KgReply::of(KgData::Candidates(list))))) });
            }
            Command::DropInquiry(id) => desk.live.inquiries.retain(|inquiry| inquiry.id != *id),
            _ => {}
        }
    }
    desk.arrive();
}

fn act(sent: &[Command]) -> &Act {
    sent.iter().find_map(|command| if let Command::Do(act) = command { Some(act) } else { None }).unwrap_or_else(|| panic!("{sent:?}"))
}

#[test]
fn the_list_says_how_each_entity_was_matched() {
    let mut desk = Desk::at(&film(false));
    let screen = desk.press("K").screen(160, 50);
    assert!(screen.contains("“Inception - film”: 1 of") && screen.contains("in scenario"), "{screen}");
    assert!(screen.contains("r replace") && screen.contains("[x] ◆ Inception  Q25188"), "{screen}");
}

#[test]
fn an_entity_is_replaced_in_one_act_by_a_candidate_or_by_what_a_search_finds() {
    let world = film(false);
    let mut desk = Desk::at(&world);
    let screen = desk.press("K r").screen(160, 50);
    assert!(screen.contains("Instead of Inception") && screen.contains("linked now"), "the candidates that there were: {screen}");
    assert_eq!(desk.sent(), [], "nothing is asked that is known");
    let asked = desk.press("/ text:Dream Tab").sent();
    assert!(
        matches!(&asked[..], [Command::Inquire { call, .. }] if matches!(&call.op, KgOp::Search { mention, .. } if mention == "Dream"))
    );
    let other = entity("Q777", "scenario", "Dreamscape");
    answer(&mut desk, &asked, std::slice::from_ref(&other));
    let sent = desk.press("Enter").sent();
    let what = act(&sent).clone();
    assert_eq!(what, Act::Link { add: vec![other.clone()], drop: vec!["Q25188".into()] });
    assert!(!desk.app.has_popup());
    what.check(&world.state).unwrap();
    // Escape goes back to the list, and out, without a trace.
    let sent = desk.press("K r Escape Escape").sent();
    assert!(sent.iter().all(|command| matches!(command, Command::DropInquiry(_))), "{sent:?}");
    assert!(!desk.app.has_popup());
    // Done, it stands in the list as linked by hand.
    let mut world = world;
    world.push(By::You, Event::Acted { act: ActId(0), what });
    let graph = world.state.graph(NodeId(0));
    assert!(graph.entity("Q25188").is_none() && graph.entity("Q777").is_some());
    assert_eq!(world.state.origin(&other), Origin::ByHand);
    let screen = Desk::at(&world).press("K").screen(160, 50);
    assert!(screen.lines().any(|line| line.contains("Dreamscape") && line.contains("✎ by hand")), "{screen}");
}

#[test]
fn an_entity_is_linked_to_its_counterpart_in_another_kg() {
    let world = film(true);
    let mut desk = Desk::at(&world);
    let asked = desk.press("K s").sent();
    let [Command::Inquire { call, .. }] = &asked[..] else { panic!("only the KG that does not know it is asked: {asked:?}") };
    assert!(&*call.kg == "musicbrainz" && matches!(&call.op, KgOp::Search { mention, .. } if mention == "Inception"), "{call:?}");
    let found = entity("f27ec8db-af05-4f36-916e-3d57f91ecf5e", "musicbrainz", "Inception");
    answer(&mut desk, &asked, std::slice::from_ref(&found));
    let screen = desk.screen(160, 50);
    assert!(screen.contains("Inception is the same as") && screen.contains("▲ Inception"), "{screen}");
    let sent = desk.press("G Enter").sent();
    let what = act(&sent).clone();
    what.check(&world.state).unwrap();
    let mut world = world;
    let before = world.state.graph(NodeId(0)).entities().len();
    world.push(By::You, Event::Acted { act: ActId(0), what });
    let graph = world.state.graph(NodeId(0));
    assert_eq!(graph.entities().len(), before);
    assert_eq!(graph.id_in(&"musicbrainz".into(), &"Q25188".into()), Some(found.id.clone()));
    let screen = Desk::at(&world).press("K").screen(160, 50);
    assert!(screen.contains("Q25188 ◆ · f27ec8db… ▲"), "{screen}");
    // Another one in its place: the first is forgotten.
    let other = entity("00000000-af05-4f36-916e-3d57f91ecf5e", "musicbrainz", "Inception (score)");
    let mut desk = Desk::at(&world);
    let asked = desk.press("K s").sent();
    answer(&mut desk, &asked, std::slice::from_ref(&other));
    let sent = desk.press("G Enter").sent();
    world.push(By::You, Event::Acted { act: ActId(1), what: act(&sent).clone() });
    let graph = world.state.graph(NodeId(0));
    assert_eq!(graph.id_in(&"musicbrainz".into(), &"Q25188".into()), Some(other.id));
    assert!(graph.entity(&found.id).is_none());
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn with_one_kg_there_is_no_counterpart() {
    let mut desk = Desk::at(&film(false));
    let screen = desk.press("K s").screen(160, 50);
    assert!(screen.contains("only one KG is open"), "{screen}");
    assert_eq!(desk.sent(), []);
}

#[test]
fn a_mention_without_an_entity_can_be_linked() {
    use tree_of_traversals::search::Outcome;
    let mut world = film(false);
    let mut entries = world.entries.clone();
    let mut gone = None;
    for entry in &mut entries {
        match &mut entry.ev {
            Event::Read { step, lane: 1, rows, .. } if step.0 == 0 => {
                if let Outcome::Entity(Some(entity)) = &rows[1].outcome {
                    gone = Some(entity.id.clone());
                }
                rows[1].outcome = Outcome::Entity(None);
            }
            Event::Grew { step, children, .. } if step.0 == 0 => {
                children[0].delta.entities.retain(|entity| Some(&entity.id) != gone.as_ref());
            }
            _ => {}
        }
    }
    // Up to the root: what follows rests on the entity that is gone.
    let root = entries.iter().position(|e| matches!(e.ev, Event::Grew { .. })).unwrap();
    entries.truncate(root + 1);
    world.state = State::from_entries(&entries).unwrap();
    world.entries = entries;
    let mut desk = Desk::at(&world);
    let screen = desk.press("K").screen(160, 50);
    assert!(screen.contains("not linked: none of") && screen.contains("“Interstellar"), "{screen}");
    desk.press("G r");
    assert!(desk.screen(160, 50).contains("What “Interstellar"), "{}", desk.screen(160, 50));
    let sent = desk.press("g Enter").sent();
    let Act::Link { add, drop } = act(&sent) else { panic!("{sent:?}") };
    assert_eq!((add.len(), drop.len()), (1, 0));
    assert_eq!(Some(&add[0].id), gone.as_ref());
}
