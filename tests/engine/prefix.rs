//! What prompts cost: characters that are sent, and how many of them repeat an earlier beginning.

use crate::world::World;
use std::path::Path;
use tree_of_traversals::asm::{Profile, Templates};
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::Preset;

/// The bar: one prompt an ask (native `n`), k = 3, at most 40,000 characters, 60 % of them a repeated prefix.
#[test]
fn a_question_costs_few_characters_and_most_of_them_repeat() {
    let scenario = Scenario::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json")).unwrap();
    for profile in Profile::ALL {
        let mut world = World::with_prompts(&scenario, scenario.settings(Preset::Paper), Templates::of(profile), 1);
        world.run(usize::MAX);
        let (calls, chars) = (world.state.counters().llm.calls, world.state.prompt_chars());
        println!("film-backtrack, k = 3, {profile}: {calls} asks, {} characters, {:.1} % repeat", chars.sent, chars.share() * 100.0);
        assert!(chars.sent <= 40_000, "{profile}: {chars:?}");
        // The other profiles put examples of the task first: prompts of different tasks share less.
        assert!(chars.share() >= if profile == Profile::Default { 0.6 } else { 0.4 }, "{profile}: {chars:?}");
        assert!(chars.repeated < chars.sent);
    }
}
