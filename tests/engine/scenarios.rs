//! Every `expect_ours` block of every scenario, in many orders of arrival and killed at every event.

use crate::world::{Disk, World};
use std::path::{Path, PathBuf};
use tree_of_traversals::runner::bank::OnMiss;
use tree_of_traversals::scenario::{Expectation, PromptCheck, Scenario, compare};
use tree_of_traversals::search::{Ask, State};

/// The given scenarios, then our own: those whose blocks were computed by rule, apart from the program.
fn all() -> Vec<(PathBuf, Scenario)> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut all = Vec::new();
    for (folder, least) in [("scenarios", 5), ("scenarios-own", 4)] {
        let files = std::fs::read_dir(data.join(folder)).unwrap().map(|f| f.unwrap().path());
        let mut files: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
        files.sort();
        assert!(files.len() >= least, "{folder} holds {} scenarios", files.len());
        all.extend(files.into_iter().map(|f| (f.clone(), Scenario::load(&f).unwrap())));
    }
    all
}

fn each(mut test: impl FnMut(&Scenario, &Expectation)) {
    for (_, scenario) in all() {
        let blocks = scenario.expectations().unwrap();
        assert!(!blocks.is_empty(), "{} expects nothing", scenario.name);
        for block in blocks {
            test(&scenario, &block);
        }
    }
}

fn finished(scenario: &Scenario, block: &Expectation, mut world: World, what: &str) -> World {
    world.run(usize::MAX);
    let wrong = compare(block, &world.state);
    assert!(wrong.is_empty(), "{} {} {what}:\n{}", scenario.name, block.name, wrong.join("\n"));
    world
}

#[test]
fn come_out_exactly() {
    each(|scenario, block| {
        let world = finished(scenario, block, World::new(scenario, block.preset, 1), "");
        assert_eq!(world.reloaded(), world.state, "reload == live");
    });
}

#[test]
fn prompts_hold_what_is_wanted() {
    let mut rows = 0;
    each(|scenario, block| {
        let world = finished(scenario, block, World::new(scenario, block.preset, 1), "");
        rows += scenario.prompt_checks.len();
        assert_eq!(scenario.check_prompts(&world.state), Vec::<String>::new(), "{} {}", scenario.name, block.name);
    });
    assert!(rows >= 10, "{rows} checks");
}

#[test]
fn a_prompt_that_breaks_a_check_is_named() {
    let (_, mut scenario) = all().into_iter().find(|(_, s)| s.name == "quoted-steps").unwrap();
    let block = scenario.expectations().unwrap().remove(0);
    let world = finished(&scenario, &block, World::new(&scenario, block.preset, 1), "");
    let check = |kind: &str, path: &str, has: &str, lacks: &str| PromptCheck {
        kind: kind.to_owned(),
        path: path.to_owned(),
        has: vec![has.to_owned()],
        lacks: vec![lacks.to_owned()],
    };
    let cases = [
        (check("action", "", "Lantern [A-Z]ouse", "VIAF"), None),
        (check("action", "", "no such text", "VIAF"), Some("`no such text` does not match")),
        (check("score_answer", "", "Lantern", "Ida"), Some("`Ida` matches and must not")),
        (check("action", "X:the architect", "Lantern", "VIAF"), Some("no such request was made")),
        (check("entities", "", "Lantern", "VIAF"), Some("no such request was made")),
        (check("match", "", "Lan(tern", "VIAF"), Some("is no regular expression")),
    ];
    for (check, wrong) in cases {
        let what = format!("{check:?}");
        scenario.prompt_checks = vec![check];
        let found = scenario.check_prompts(&world.state);
        match wrong {
            None => assert_eq!(found, Vec::<String>::new(), "{what}"),
            Some(wrong) => assert!(found.len() == 1 && found[0].contains(wrong), "{what}: {found:?}"),
        }
    }
}

#[test]
fn the_order_of_arrival_changes_nothing() {
    each(|scenario, block| {
        let first = finished(scenario, block, World::new(scenario, block.preset, 1), "").state;
        for seed in 2..60 {
            let world = finished(scenario, block, World::new(scenario, block.preset, seed), &format!("order {seed}"));
            assert_eq!(world.state.summary(), first.summary());
            assert_eq!(world.reloaded(), world.state, "reload == live");
        }
    });
}

/// Slots and KG calls that a state has recorded as asked, and those of them that are not answered.
fn asked(state: &State) -> (usize, usize) {
    let size = |ask: &Ask| ask.samples.len().max(usize::from(!ask.is_llm()));
    let open = |ask: &Ask| if ask.is_llm() { ask.samples.iter().filter(|s| s.is_none()).count() } else { 1 };
    let all = state.asks.iter().map(|ask| size(ask)).sum();
    (all, state.asks.iter().filter(|ask| !ask.is_complete()).map(|ask| open(ask)).sum())
}

#[test]
fn a_kill_at_any_event_loses_nothing() {
    each(|scenario, block| {
        let whole = finished(scenario, block, World::new(scenario, block.preset, 3), "");
        let mut disk = Disk::default();
        for at in 1..whole.entries.len() {
            disk.write(&whole.entries[at - 1]);
            let (paid, in_flight) = asked(&disk.state);
            let again = finished(scenario, block, whole.reopened(&disk, at as u64), &format!("killed at {at}"));
            assert_eq!(paid + again.sent(), whole.sent() + in_flight, "killed at {at}: paid twice for what was recorded");
            assert_eq!(again.reloaded(), again.state);
        }
    });
}

/// A fork without a change is the same search: the same nodes, steps, values and end, and nothing is asked live.
#[test]
fn a_fork_at_any_event_is_the_same_tree_and_needs_no_live_call() {
    each(|scenario, block| {
        let whole = finished(scenario, block, World::new(scenario, block.preset, 5), "");
        for at in 1..=whole.entries.len() {
            let fork = finished(scenario, block, whole.forked(at, OnMiss::Stop, at as u64), &format!("forked at {at}"));
            assert_eq!(fork.sent(), 0, "forked at {at}: a live call for what was recorded");
            assert_eq!(fork.state.nodes, whole.state.nodes, "forked at {at}");
            assert_eq!(fork.state.summary(), whole.state.summary());
            assert_eq!(fork.reloaded(), fork.state, "reload == live");
        }
    });
}
