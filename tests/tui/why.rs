//! Why, warnings and traces as the inspector shows them.

use super::desk::{Desk, film, scenario};
use super::world::World;
use tree_of_traversals::search::{Preset, WarningKind};

#[test]
fn why_says_what_was_next_best_and_what_would_have_had_to_differ() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    let screen = desk.press("1 / text:cast Enter n n 3 . . . . z").screen(200, 60);
    assert!(screen.contains("It was expanded as number "), "{screen}");
    assert!(screen.contains("Next best was node ") && screen.contains("it would have come first with a value "), "{screen}");
    assert!(screen.contains("The next best answer was node "), "{screen}");
}

#[test]
fn warnings_stand_at_their_node_and_are_counted() {
    let world = film(usize::MAX);
    let warnings = world.state.warnings();
    let [only] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(only.kind, WarningKind::Unsupported);
    let mut desk = Desk::at(&world);
    let screen = desk.screen(200, 60);
    assert!(screen.contains("15 nodes · ⚠ 1 · following"), "{screen}");
    let row = screen.lines().find(|line| line.contains("answer: Leonardo DiCaprio")).unwrap();
    assert!(row.contains("⚠ ★ answer: Leonardo DiCaprio · not supported"), "{row}");
    assert!(desk.press("5 z").screen(200, 60).contains("warnings     ⚠ 1: not supported"), "{screen}");
    let screen = desk.press("z 1 / text:DiCaprio Enter 3 . . . . z").screen(200, 60);
    assert!(screen.contains("⚠ not supported: no fact of its local graph names the answer"), "{screen}");
    // A search without any has no such row.
    let mut clean = World::new(&scenario("film-backtrack"), Preset::Paper, 1);
    clean.run(20);
    assert_eq!(clean.state.warnings(), []);
    assert!(!Desk::at(&clean).screen(200, 60).contains('⚠'));
}

#[test]
fn a_fact_says_which_prompts_showed_it_and_which_answers_rest_on_it() {
    let world = film(usize::MAX);
    let mut desk = Desk::at(&world);
    let answer = world.state.finished.as_ref().unwrap().0.answer.unwrap();
    let edge = world.state.evidence(answer).remove(0);
    let trace = world.state.trace(&edge, answer);
    let screen = desk.press("2 / text:Caine Enter d 3 z").screen(200, 60);
    assert!(screen.contains("What came of it"), "{screen}");
    assert!(screen.contains(&format!("{} prompts showed it to the model, about nodes ", trace.prompts.len())), "{screen}");
    assert!(screen.contains(&format!("★ The answer of the search rests on it: node {}", answer.0)), "{screen}");
}
