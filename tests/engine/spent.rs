//! What was spent is a function of the journal, and sessions of older programs are read as they were meant.

use super::world::World;
use std::path::Path;
use tree_of_traversals::calls::{PromptKind, Usage};
use tree_of_traversals::money::Money;
use tree_of_traversals::price::Prices;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{Budget, Entry, Event, Got, HaltCause, Preset, Source, State};

/// The film question; every reply of the model took tokens that depend on its place.
fn film() -> Vec<Entry> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios/film-backtrack.json");
    let mut world = World::new(&Scenario::load(&path).unwrap(), Preset::Paper, 1);
    world.run(usize::MAX);
    let llm: Vec<bool> = world.state.asks.iter().map(|ask| ask.is_llm()).collect();
    for (n, entry) in (1..).zip(&mut world.entries) {
        match &mut entry.ev {
            Event::Replied { ask, usage, .. } if llm[ask.0 as usize] => {
                *usage = Some(Usage {
                    prompt_tokens: 1_000 + n,
                    cached_prompt_tokens: n,
                    cache_write_tokens: 1,
                    completion_tokens: 7,
                    estimated: n % 2 == 0,
                });
            }
            _ => {}
        }
    }
    world.entries
}

#[test]
fn kinds_of_calls_add_up_to_the_whole() {
    let mut entries = film();
    let Event::Started(started) = &mut entries[0].ev else { panic!() };
    let prices: Prices = serde_yaml::from_str("openai:m: {input: 0.15, cached: 0.075, cache_write: 0.3, output: 0.6}").unwrap();
    started.price = prices.of("openai:m");
    let spent = State::from_entries(&entries).unwrap().counters();
    let kinds: Vec<PromptKind> = spent.kinds().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        [
            PromptKind::Extract,
            PromptKind::Match,
            PromptKind::Action,
            PromptKind::Entities,
            PromptKind::Relation,
            PromptKind::ScoreState,
            PromptKind::ScoreAnswer
        ]
    );
    assert_eq!(spent.kinds().map(|(_, t)| t.calls).sum::<u32>(), spent.llm.calls);
    assert_eq!(spent.kinds().map(|(_, t)| t.samples).sum::<u32>(), spent.llm.samples);
    let mut tokens = Usage::default();
    spent.kinds().for_each(|(_, t)| tokens += t.tokens);
    assert_eq!(tokens, spent.llm.tokens);
    assert!(tokens.estimated && tokens.cached_prompt_tokens > 0 && tokens.prompt_tokens > 1_000 * u64::from(spent.llm.calls));
    let plain = tokens.prompt_tokens - tokens.cached_prompt_tokens - tokens.cache_write_tokens;
    let exact =
        plain * 150_000 + tokens.cached_prompt_tokens * 75_000 + tokens.cache_write_tokens * 300_000 + tokens.completion_tokens * 600_000;
    assert_eq!(spent.llm.cost.unwrap().money(), Money((exact + 500_000) / 1_000_000));
    assert_eq!(spent.against(Budget::Tokens), tokens.prompt_tokens + tokens.completion_tokens);
}

#[test]
fn without_a_price_there_is_no_cost() {
    // A script of our own costs nothing by its nature, also in sessions of older programs; a service's model is another thing.
    let mut entries = film();
    let free = State::from_entries(&entries).unwrap();
    assert!(free.price().unwrap().is_free() && free.counters().llm.cost.unwrap().money() == Money(0));
    let Event::Started(started) = &mut entries[0].ev else { panic!() };
    started.model_spec = "openai:mock".into();
    let spent = State::from_entries(&entries).unwrap().counters();
    assert_eq!((spent.llm.cost, spent.by_kind[0].cost), (None, None));
    assert!(spent.llm.tokens.prompt_tokens > 0 && !spent.reaches(Budget::Cost, 1));
}

#[test]
fn sessions_of_older_programs_are_read() {
    let halted: Event = serde_json::from_str(r#"{"halted":{"why":"the key is refused"}}"#).unwrap();
    let Event::Halted(halt) = &halted else { panic!() };
    assert_eq!((halt.cause, halt.why.as_str()), (HaltCause::Service, "the key is refused"));
    assert_eq!(serde_json::to_string(&halted).unwrap(), r#"{"halted":{"why":"the key is refused"}}"#);
    let entries = film();
    let line = serde_json::to_string(&entries[0]).unwrap();
    assert!(!line.contains("budgets") && !line.contains("price"), "nothing new where nothing is limited or known: {line}");
    assert_eq!(serde_json::from_str::<Entry>(&line).unwrap(), entries[0]);
}

/// What a recording answered cost nothing and reached no graph, whatever the recording had from the cache on disk.
#[test]
fn calls_to_graphs_that_a_recording_answered_are_counted_as_such() {
    let mut entries = film();
    let before = State::from_entries(&entries).unwrap().counters();
    assert_eq!((before.kg_recorded, before.kg_cached), (0, 0));
    let replies = entries.iter_mut().filter_map(|entry| match &mut entry.ev {
        Event::Replied { got: Got::Kg(reply), source, .. } => Some((reply, source)),
        _ => None,
    });
    for (n, (reply, source)) in replies.enumerate() {
        match n {
            0 => *source = Source::Recorded,
            1 => (*source, reply.cached_at) = (Source::Recorded, Some(7)),
            2 => *source = Source::Cached,
            3 => reply.cached_at = Some(9),
            _ => {}
        }
    }
    let spent = State::from_entries(&entries).unwrap().counters();
    assert_eq!((spent.kg_calls, spent.kg_recorded, spent.kg_cached, spent.kg_oldest), (before.kg_calls, 2, 2, Some(7)));
}
