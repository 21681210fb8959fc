//! What was spent is a function of the journal, and sessions of older programs are read as they were meant.

use super::world::World;
use std::path::Path;
use tree_of_traversals::calls::{AskId, PromptKind, Sample, Usage};
use tree_of_traversals::money::Money;
use tree_of_traversals::price::Prices;
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{Budget, By, Call, Entry, Event, Got, HaltCause, Preset, Source, State, spent_words};

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
    started.price = prices.of("openai:m", true);
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

/// The film question after 40 entries; every reply of the model took 1,000 tokens in and 7 out, and a request of its last open ask was
/// cancelled, which took about 300 and 20.
fn cancelled() -> (Vec<Entry>, AskId) {
    let mut entries = film();
    let last = entries.iter().rposition(|entry| matches!(&entry.ev, Event::Asked { call: Call::Llm(_), .. })).unwrap();
    entries.truncate(last + 1);
    for entry in &mut entries {
        match &mut entry.ev {
            Event::Replied { usage: Some(usage), .. } => {
                *usage = Usage { prompt_tokens: 1_000, completion_tokens: 7, ..Usage::default() };
            }
            Event::Started(started) => {
                let prices: Prices = serde_yaml::from_str("openai:m: {input: 2.0, output: 8.0}").unwrap();
                (started.model_spec, started.price) = ("openai:m".into(), prices.of("openai:m", true));
            }
            _ => {}
        }
    }
    let Event::Asked { ask, .. } = &entries[last].ev else { panic!() };
    let ask = *ask;
    let usage = Usage { prompt_tokens: 300, completion_tokens: 20, estimated: true, ..Usage::default() };
    let ev = Event::Replied {
        ask,
        got: Got::Samples(Vec::new()),
        source: Source::Live,
        usage: Some(usage),
        took_ms: 900,
        tries: 2,
        nothing: true,
    };
    entries.push(Entry { seq: entries.len() as u64, at: 0, by: By::World, ev });
    (entries, ask)
}

#[test]
fn what_brought_nothing_is_paid_and_told_apart() {
    let (entries, ask) = cancelled();
    let before = State::from_entries(&entries[..entries.len() - 1]).unwrap();
    let after = State::from_entries(&entries).unwrap();
    let (was, is) = (before.counters(), after.counters());
    assert!(!was.llm.tokens.estimated && was.llm.nothing.requests == 0 && was.llm.nothing.cost.unwrap().money() == Money(0));
    assert_eq!(is.llm.nothing.requests, 2);
    assert_eq!((is.llm.nothing.tokens.prompt_tokens, is.llm.nothing.tokens.completion_tokens), (300, 20));
    assert_eq!(is.llm.nothing.cost.unwrap().money(), Money(300 * 2 + 20 * 8));
    assert_eq!(is.llm.tokens.prompt_tokens, was.llm.tokens.prompt_tokens + 300);
    assert_eq!(is.llm.tokens.completion_tokens, was.llm.tokens.completion_tokens + 20);
    assert!(is.llm.tokens.estimated, "the whole is an estimate by now");
    assert_eq!(is.llm.cost.unwrap().money(), Money(was.llm.cost.unwrap().money().0 + 760));
    for budget in [Budget::Tokens, Budget::Cost] {
        assert!(is.against(budget) > was.against(budget), "{budget:?} counts it");
    }
    assert_eq!((is.llm.requests, is.llm.samples, is.llm.calls), (was.llm.requests, was.llm.samples, was.llm.calls));
    // By kind and by model it is there as well, and nowhere else.
    let kind = after.ask(ask).unwrap().kind().unwrap();
    let of_kinds: Vec<(PromptKind, u32)> = is.kinds().map(|(kind, tally)| (kind, tally.nothing.requests)).filter(|(_, n)| *n > 0).collect();
    assert_eq!(of_kinds, [(kind, 2)]);
    let of_models = after.spent_by_model();
    assert!(of_models.len() == 1 && of_models[0].1 == is.llm, "{of_models:?}");
    // The ask is as open as before: the next reply fills it.
    let open = after.ask(ask).unwrap();
    assert!(!open.is_complete() && open.source.is_none() && open.replies == 0 && open.is_paid());
    let words = spent_words(&after);
    assert!(words.contains("; of this 2 requests that brought nothing: ~300 tokens in, ~20 out, ~0.00076 USD"), "{words}");
    assert!(words.contains("(~300+20 of it brought nothing)") && !spent_words(&before).contains("nothing"), "{words}");
}

#[test]
fn what_brought_nothing_stands_in_the_journal_as_a_reply_without_samples() {
    let (mut entries, ask) = cancelled();
    let line = serde_json::to_string(&entries.last().unwrap().ev).unwrap();
    let wanted = format!(
        r#"{{"replied":{{"ask":{},"got":{{"samples":[]}},"source":"live","usage":{{"prompt_tokens":300,"completion_tokens":20,"estimated":true}},"took_ms":900,"tries":2,"nothing":true}}}}"#,
        ask.0
    );
    assert_eq!(line, wanted);
    // One that a program wrote before there was the field is a reply.
    let older: Event = serde_json::from_str(&line.replace(r#","nothing":true"#, "")).unwrap();
    assert!(matches!(older, Event::Replied { nothing: false, .. }));
    assert!(!serde_json::to_string(&older).unwrap().contains("nothing"));
    // It can bring no samples, and none after the ask is answered.
    let Event::Replied { got, .. } = &mut entries.last_mut().unwrap().ev else { panic!() };
    *got = Got::Samples(vec![(0, Sample::stopped("x"))]);
    assert!(State::from_entries(&entries).is_err());
}
