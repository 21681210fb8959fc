//! What prompts cost: characters that are sent, and how many of them repeat an earlier beginning.

use crate::world::World;
use std::path::Path;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::Preset;

fn film() -> Scenario {
    Scenario::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json")).unwrap()
}

/// The bar: one prompt an ask (native `n`), k = 3, at most 40,000 characters, 60 % of them a repeated prefix.
#[test]
fn a_question_costs_few_characters_and_most_of_them_repeat() {
    let scenario = film();
    let mut world = World::new(&scenario, Preset::Paper, 1);
    world.run(usize::MAX);
    let chars = world.state.prompt_chars();
    println!("{} asks: {} characters, {:.1} % repeat", world.state.counters().llm_calls, chars.sent, chars.share() * 100.0);
    for ask in world.state.asks.iter().filter(|a| a.is_llm()) {
        println!("{:?} {:?} {}", ask.key, ask.call, world.state.prompt_of(ask).unwrap().len());
    }
    assert!(chars.sent <= 40_000, "{chars:?}");
    assert!(chars.share() >= 0.6, "{chars:?}");
}
