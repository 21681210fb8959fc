//! `V`: the model judges the facts of an answer; what it thinks stands beside each, and a doubtful one is corrected with `w`.

use super::desk::{Desk, film};
use super::world::World;
use tree_of_traversals::asm::Verdict;
use tree_of_traversals::runner::Command;
use tree_of_traversals::search::{Act, ActId, By, Event, JudgedFact, NodeId, StepId, StepKind};

fn answer(world: &World) -> NodeId {
    world.state.summary().answer.unwrap()
}

/// The film with a review under way, or over: the first fact is doubtful, the others are sound.
fn reviewed(over: bool) -> World {
    let mut world = film(usize::MAX);
    let (at, facts) = (answer(&world), world.state.evidence(answer(&world)));
    world.push(By::You, Event::Acted { act: ActId(0), what: Act::review(&world.state, at, None) });
    let step = StepId(world.state.steps.len() as u32);
    let why = "you asked what the model thinks of its facts".to_owned();
    world.push(By::You, Event::Opened { step, kind: StepKind::Review, node: Some(at), counts: false, act: Some(ActId(0)), why });
    if over {
        let judged = |(n, fact)| match n {
            0 => JudgedFact { fact, verdict: Verdict::Doubtful, reason: "another \u{1b}[31mfilm is meant".into() },
            _ => JudgedFact { fact, verdict: Verdict::Sound, reason: String::new() },
        };
        let judged = facts.into_iter().enumerate().map(judged).collect();
        world.push(By::You, Event::Reviewed { step, node: at, judged });
        world.push(By::You, Event::Closed { step });
    }
    world
}

fn at(desk: &mut Desk, node: NodeId) {
    desk.press("1 g");
    while desk.app.session().unwrap().node() != Some(node) {
        desk.press("Down");
    }
}

/// Turns the tabs of the inspector until the screen says `text`.
fn evidence(desk: &mut Desk, text: &str) -> String {
    desk.press("3");
    for _ in 0..12 {
        let screen = desk.screen(170, 60);
        if screen.contains(text) {
            return screen;
        }
        desk.press(".");
    }
    panic!("{text}: {}", desk.screen(170, 60));
}

#[test]
fn the_facts_of_the_selected_answer_or_of_the_end_are_sent_to_be_judged() {
    let world = film(usize::MAX);
    let wanted = Act::review(&world.state, answer(&world), None);
    let Act::Review { facts, .. } = &wanted else { panic!() };
    assert!(!facts.is_empty());
    let mut desk = Desk::at(&world);
    // The question is selected: the answer of the search is meant.
    desk.press("1 g V");
    assert_eq!(desk.sent(), [Command::Do(wanted.clone())]);
    at(&mut desk, answer(&world));
    desk.press("V");
    assert_eq!(desk.sent(), [Command::Do(wanted)]);
    // Another answer is itself.
    let other = world.state.nodes.iter().find(|n| n.action.is_answer() && n.id != answer(&world)).unwrap().id;
    at(&mut desk, other);
    desk.press("V");
    assert_eq!(desk.sent(), [Command::Do(Act::review(&world.state, other, None))]);
    // Before there is an answer it says what is needed.
    let mut desk = Desk::at(&film(40));
    desk.press("1 g V");
    assert!(desk.sent().is_empty() && desk.screen(120, 40).contains("only an answer rests on facts"), "{}", desk.screen(120, 40));
}

#[test]
fn verdicts_stand_beside_the_facts_and_a_doubtful_one_says_what_to_do() {
    let world = reviewed(false);
    let mut desk = Desk::at(&world);
    at(&mut desk, answer(&world));
    evidence(&mut desk, "The model is judging these facts");
    let world = reviewed(true);
    let mut desk = Desk::at(&world);
    at(&mut desk, answer(&world));
    let screen = evidence(&mut desk, "Judged by script: ");
    assert!(screen.contains("1 doubtful, 0 unknown. Its opinion changes nothing."), "{screen}");
    assert!(screen.contains("⚠ doubtful: another [31mfilm is meant") && screen.contains("✔ sound"), "{screen}");
    assert!(screen.contains("then w distrusts or corrects") && !screen.contains('\u{1b}'), "{screen}");
    // In the local graph it is marked, and w opens what can be said of it.
    let mut desk = Desk::at(&world);
    at(&mut desk, answer(&world));
    desk.press("2 z");
    for _ in 0..4 {
        if desk.screen(200, 60).contains("⚠ doubtful (w): another [31mfilm is meant") {
            desk.press("w");
            assert!(desk.app.has_popup());
            return;
        }
        desk.press(".");
    }
    panic!("{}", desk.screen(200, 60));
}

#[test]
fn a_review_that_is_taken_back_is_not_shown() {
    let mut world = reviewed(true);
    world.push(By::You, Event::Undone { act: ActId(0), redo: false });
    let mut desk = Desk::at(&world);
    at(&mut desk, answer(&world));
    let screen = evidence(&mut desk, "V lets the model judge each fact");
    assert!(!screen.contains("Judged by") && !screen.contains("doubtful"), "{screen}");
}

#[test]
fn no_size_breaks_it() {
    let world = reviewed(true);
    for (width, height) in [(1, 1), (20, 5), (40, 10), (79, 24)] {
        let mut desk = Desk::at(&world);
        at(&mut desk, answer(&world));
        for keys in ["3", ".", ".", ".", ".", ".", ".", "2", "z", "V"] {
            desk.press(keys);
            desk.screen(width, height);
        }
    }
}
