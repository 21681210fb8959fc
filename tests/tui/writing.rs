//! Samples that are being written: they appear in the inspector as they arrive.

use super::desk::{Desk, film};
use super::world::World;
use std::time::{Duration, Instant};
use tree_of_traversals::calls::{AskId, Piece};
use tree_of_traversals::runner::Flight;
use tree_of_traversals::search::{Call, Entry, Event, Purpose};

/// The film question up to the first ask for this purpose, with nothing of its reply; and that ask.
fn asked(purpose: Purpose) -> (World, AskId) {
    let mut world = film(usize::MAX);
    let is_it = |e: &Entry| matches!(&e.ev, Event::Asked { key, call: Call::Llm(_), .. } if key.purpose == purpose);
    let at = world.entries.iter().position(is_it).unwrap();
    let Event::Asked { ask, .. } = world.entries[at].ev else { unreachable!() };
    world.entries.truncate(at + 1);
    (world, ask)
}

/// A desk before it, the call on its way since 3.2 seconds.
fn desk(purpose: Purpose) -> (Desk, AskId) {
    let (world, ask) = asked(purpose);
    let now = Instant::now();
    let flight = Flight { ask, since: now - Duration::from_millis(3200), what: "samples".into(), kg: None, human: false };
    let mut desk = Desk::with(&world, |live| live.flights = vec![flight]);
    desk.now = now;
    (desk, ask)
}

fn write(desk: &mut Desk, ask: AskId, slot: u32, reasoning: bool, text: &str) {
    desk.live.writing.add(ask, Piece { slot, reasoning, text: text.into() });
    desk.arrive();
}

#[test]
fn replies_appear_as_they_come_reasoning_and_text_apart() {
    let (mut desk, ask) = desk(Purpose::Sample);
    desk.press("3 . z");
    let before = desk.screen(120, 40);
    assert!(before.contains("Sample 1 of 3 ·") && before.contains("3.2 s") && before.contains("not here yet"), "{before}");
    write(&mut desk, ask, 1, true, "The question asks");
    write(&mut desk, ask, 1, true, " for a film.");
    write(&mut desk, ask, 1, false, "EXPAND: the \u{1b}[31mcast\u{7}\u{202e}");
    let screen = desk.screen(120, 40);
    let at = |needle: &str| screen.find(needle).unwrap_or_else(|| panic!("{needle}: {screen}"));
    assert!(at("Sample 2 of 3") < at("▌ reasoning"));
    assert!(at("The question asks for a film.") < at("▌ reply") && at("▌ reply") < at("EXPAND: the"));
    assert!(!screen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "control characters never get through");
    assert_eq!(screen.matches("not here yet").count(), 2);
    // What does not count is taken away.
    desk.live.writing = Default::default();
    desk.arrive();
    assert!(!desk.screen(120, 40).contains("EXPAND: the"));
}

#[test]
fn a_value_is_written_under_its_node() {
    let (mut desk, ask) = desk(Purpose::Score);
    desk.press("l 3 . . z");
    write(&mut desk, ask, 0, false, "0.7 because it names the cast");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("it is not there yet") && screen.contains("0.7 because it names the cast"), "{screen}");
}

#[test]
fn before_there_is_a_node_the_mentions_are_shown() {
    let (mut desk, ask) = desk(Purpose::Extract);
    desk.press("3 . z");
    write(&mut desk, ask, 0, false, "Inception; Interst");
    assert!(desk.screen(120, 40).contains("Inception; Interst"));
}

#[test]
fn a_long_draft_slows_no_frame_and_shows_its_end() {
    let (mut desk, ask) = desk(Purpose::Sample);
    desk.press("3 . z");
    let words = "gläser und 가나다 words ".repeat(8_000);
    write(&mut desk, ask, 0, false, &words);
    write(&mut desk, ask, 0, false, "the very end");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("bytes above") && screen.contains("the very end"), "{screen}");
    let frames = 20;
    let began = Instant::now();
    for n in 0..frames {
        desk.live.writing.add(ask, Piece { slot: 0, reasoning: false, text: format!(" {n}") });
        desk.arrive();
        desk.screen(120, 40);
    }
    let long = began.elapsed();
    // The same without a draft: what the rest of a frame takes here and now.
    desk.live.writing = Default::default();
    let began = Instant::now();
    for _ in 0..frames {
        desk.live.flights[0].since -= Duration::from_millis(100);
        desk.arrive();
        desk.screen(120, 40);
    }
    assert!(long < began.elapsed() * 2 + Duration::from_millis(200), "{long:?} and {:?}", began.elapsed());
    // A blank-free draft is cut between letters.
    write(&mut desk, ask, 0, true, &"가".repeat(70_000));
    assert!(desk.screen(120, 40).contains("가가"));
}

#[test]
fn who_reads_further_up_stays_there() {
    let (mut desk, ask) = desk(Purpose::Sample);
    desk.press("3 . z");
    write(&mut desk, ask, 0, false, &"line of text\n".repeat(60));
    desk.screen(100, 20);
    desk.press("Down Down Down");
    let place = |screen: &str| screen.lines().nth(4).unwrap_or_default().to_owned();
    let before = place(&desk.screen(100, 20));
    for _ in 0..5 {
        write(&mut desk, ask, 2, false, "more of the third\n");
    }
    assert_eq!(place(&desk.screen(100, 20)), before);
}
