//! Other models: for one ask, from here on, for what was on its way; in the hash, in the costs, replayed.

use crate::acts::{act, film, model};
use crate::world::{Disk, World};
use std::sync::Arc;
use tree_of_traversals::calls::{CallErrorKind, Usage};
use tree_of_traversals::micro::Micro;
use tree_of_traversals::money::Money;
use tree_of_traversals::price::Price;
use tree_of_traversals::runner::bank::OnMiss;
use tree_of_traversals::search::{
    Act, Again, Ask, Budget, By, Call, Entry, Event, NodeId, OtherModel, Otherwise, Preset, Purpose, Setting, State, spent_words,
};

fn finished() -> World {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(usize::MAX);
    world
}

fn ask_of(named: OtherModel) -> Act {
    let otherwise = Otherwise { model: Some(Box::new(named)), ..Otherwise::default() };
    Act::AskAgain { node: NodeId(0), what: Again::Samples, edits: vec![], otherwise }
}

fn from_here_on(named: OtherModel) -> Act {
    Act::Model(Box::new(named))
}

/// Names of the models of the asks from `from` on, in their order.
fn asked(state: &State, from: usize) -> Vec<&str> {
    state.asks[from..].iter().filter(|ask| ask.is_llm()).map(|ask| state.model(state.asked_of(ask)).name).collect()
}

fn sample(state: &State) -> &Ask {
    state.asks.iter().rev().find(|ask| ask.key.purpose == Purpose::Sample).unwrap()
}

fn undo(world: &mut World, redo: bool) {
    let act = if redo { world.state.redoable() } else { world.state.undoable() };
    world.push(By::You, Event::Undone { act: act.unwrap(), redo });
    world.run(usize::MAX);
}

fn price(input: u64, currency: &str) -> Price {
    let money = Money(input);
    Price { input: money, cached: money, cache_write: money, output: money, currency: currency.into() }
}

#[test]
fn one_ask_goes_to_another_model_and_its_hash_says_so() {
    let mut world = finished();
    let first = world.state.asks.iter().find(|ask| ask.key.purpose == Purpose::Sample).unwrap().clone();
    let before = world.state.asks.len();
    act(&mut world, ask_of(model(1))).unwrap();
    world.run(usize::MAX);
    let asks = asked(&world.state, before);
    assert_eq!(asks[0], "script:1");
    assert!(asks[1..].iter().all(|name| *name == "script"), "what came of it is scored as always: {asks:?}");
    let other = sample(&world.state).clone();
    assert!(other.hash != first.hash && other.nth == 0, "the same prompt to another model is another request");
    let before = world.state.asks.len();
    act(&mut world, Act::again(NodeId(0), Again::Samples)).unwrap();
    world.run(usize::MAX);
    assert_eq!(asked(&world.state, before)[0], "script");
    assert_eq!((&sample(&world.state).hash, sample(&world.state).nth), (&first.hash, first.nth + 1));
    // The same name at another server is another model, too.
    let there = OtherModel { url: Some("http://other/v1".into()), ..model(1) };
    act(&mut world, ask_of(there)).unwrap();
    world.run(usize::MAX);
    assert_ne!(sample(&world.state).hash, other.hash);
    assert!(world.state.acts[0].what.summary().ends_with(", of script:1"));
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn from_here_on_every_ask_goes_to_it_until_it_is_taken_back() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(60);
    let before = world.state.asks.len();
    act(&mut world, from_here_on(model(2))).unwrap();
    world.run(usize::MAX);
    let asks = asked(&world.state, before);
    assert!(asks.len() > 4 && asks.iter().all(|name| *name == "script:2"), "{asks:?}");
    assert_eq!(world.state.model(world.state.model_now()).name, "script:2");
    assert_eq!(world.state.model_words(|name| format!("<{name}>")), "<script:2>, at first <script>");
    // An end stays an end, whoever would be asked from there on.
    let ended = world.state.finished.clone();
    act(&mut world, from_here_on(model(3))).unwrap();
    world.run(usize::MAX);
    assert!(world.state.finished == ended && world.state.finished.as_ref().unwrap().1 >= world.state.reconsider);
    undo(&mut world, false);
    undo(&mut world, false);
    assert_eq!(world.state.model_now(), None);
    assert_eq!(world.state.model_words(str::to_owned), "script");
    let before = world.state.asks.len();
    act(&mut world, Act::again(NodeId(0), Again::Samples)).unwrap();
    world.run(usize::MAX);
    assert!(asked(&world.state, before).iter().all(|name| *name == "script"));
    assert!(world.state.asks.iter().any(|ask| world.state.model(world.state.asked_of(ask)).name == "script:2"), "what was asked stays so");
    // Who names the session's own model gets just that: no other hash.
    let hash = sample(&world.state).hash.clone();
    act(&mut world, from_here_on(model(1))).unwrap();
    act(&mut world, from_here_on(model(0))).unwrap();
    act(&mut world, Act::again(NodeId(0), Again::Samples)).unwrap();
    world.run(usize::MAX);
    assert_eq!((sample(&world.state).hash.clone(), world.state.asked_of(sample(&world.state))), (hash, None));
    assert_eq!(world.reloaded(), world.state);
}

#[test]
fn what_a_model_left_unanswered_is_asked_of_the_next_one() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    while !world.state.asks.iter().any(|ask| ask.key.purpose == Purpose::Sample) {
        world.run(world.entries.len() + 1);
    }
    let left = sample(&world.state).clone();
    assert!(!left.is_complete());
    act(&mut world, from_here_on(model(3))).unwrap();
    // Killed and opened again: the old ask is not sent any more.
    let mut again = world.reopened(&Disk { entries: world.entries.clone(), state: world.state.clone() }, 1);
    again.run(usize::MAX);
    let old = again.state.ask(left.id).unwrap();
    assert_eq!(old.error.as_ref().map(|error| error.kind), Some(CallErrorKind::Superseded));
    let next = again.state.asks.iter().find(|ask| ask.key.step == left.key.step && ask.key.round == 1).unwrap();
    assert_eq!((again.state.model(again.state.asked_of(next)).name, next.is_complete()), ("script:3", true));
    let prompt = |ask: &Ask| again.state.prompt_of(ask).unwrap();
    assert!(prompt(next) == prompt(old) && next.hash != old.hash);
    assert_eq!(again.state.counters().failed, 0, "nothing went wrong");
    assert_eq!(again.reloaded(), again.state);
    check(&again.entries);
    // Without a kill it arrives where it was sent.
    world.run(usize::MAX);
    assert!(world.state.ask(left.id).unwrap().error.is_none());
}

/// Every reply took 1,000 tokens in.
fn priced(entries: &[Entry]) -> State {
    let mut entries = entries.to_vec();
    for entry in &mut entries {
        match &mut entry.ev {
            Event::Started(started) => {
                started.model_spec = "openai:small".into();
                started.price = Some(price(1_000_000, "USD"));
            }
            Event::Replied { usage, .. } => {
                *usage = Some(Usage { prompt_tokens: 1_000, ..Usage::default() });
            }
            _ => {}
        }
    }
    State::from_entries(&entries).unwrap()
}

#[test]
fn tokens_of_different_models_are_priced_apart_and_what_is_unknown_is_not_guessed() {
    let with = |price: Option<Price>| {
        let mut world = World::new(&film(), Preset::Paper, 1);
        world.run(60);
        let spec = "openai:big".to_owned();
        let big = OtherModel { name: spec.clone(), service_model: "big".into(), price, ..OtherModel::named(spec, None) };
        act(&mut world, from_here_on(big)).unwrap();
        world.run(usize::MAX);
        priced(&world.entries)
    };
    let state = with(Some(price(10_000_000, "USD")));
    let replies = |own: bool| {
        let asks = state.asks.iter().filter(|ask| ask.is_llm() && state.asked_of(ask).is_none() == own);
        asks.map(|ask| u64::from(ask.replies)).sum::<u64>()
    };
    let (small, big) = (replies(true), replies(false));
    assert!(small > 0 && big > 0);
    let spent = state.counters();
    assert_eq!(spent.llm.cost.unwrap().money(), Money(small * 1_000 + big * 10_000));
    assert_eq!(spent.kinds().map(|(_, of)| of.cost.unwrap().money().0).sum::<u64>(), spent.llm.cost.unwrap().money().0);
    let each: Vec<(&str, u64)> =
        state.spent_by_model().iter().map(|(by, of)| (state.model(*by).spec, of.cost.unwrap().money().0)).collect();
    assert_eq!(each, [("openai:small", small * 1_000), ("openai:big", big * 10_000)]);
    assert_eq!(state.common_price().unwrap().currency, "USD");
    // A price that is not known, or another currency: nobody can say what it cost. A model that costs nothing costs nothing.
    for (unknown, paid, said) in [
        (None, None, "cost not known (no price)".to_owned()),
        (Some(price(10_000_000, "EUR")), Some(2), format!("cost {} USD and {} EUR", Money(small * 1_000), Money(big * 10_000))),
    ] {
        let state = with(unknown);
        let spent = state.counters();
        assert_eq!((spent.llm.cost, spent.by_kind[0].cost, state.common_price()), (None, None, None));
        // In two currencies each sum is known.
        assert_eq!(state.paid().map(|paid| paid.len()), paid);
        assert!(spent_words(&state).contains(&said), "{}", spent_words(&state));
    }
    assert_eq!(state.paid().unwrap().len(), 1);
    assert_eq!(with(Some(Price::FREE)).counters().llm.cost.unwrap().money(), Money(small * 1_000));
}

#[test]
fn a_budget_of_money_takes_no_model_whose_price_is_not_known() {
    let mut world = finished();
    act(&mut world, Act::Set(Setting::Budget(Budget::Cost, Some(1_000_000)))).unwrap();
    let named = |spec: &str, price| OtherModel { name: spec.into(), price, ..OtherModel::named(spec, None) };
    for unknown in [from_here_on(named("openai:x", None)), ask_of(named("openai:x", None))] {
        assert!(act(&mut world, unknown).unwrap_err().contains("needs to know what openai:x costs"));
    }
    act(&mut world, ask_of(named("lexical", None))).unwrap();
    act(&mut world, from_here_on(named("openai:y", Some(price(1, "USD"))))).unwrap();
    act(&mut world, Act::Set(Setting::Budget(Budget::Cost, None))).unwrap();
    act(&mut world, from_here_on(named("openai:x", None))).unwrap();
    assert!(act(&mut world, Act::Set(Setting::Budget(Budget::Cost, Some(1)))).unwrap_err().contains("openai:x"));
}

/// `tot replay --check` decides the same.
fn check(entries: &[Entry]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.jsonl");
    let entries: Vec<Arc<Entry>> = entries.iter().cloned().map(Arc::new).collect();
    let header = tree_of_traversals::session::Header::new("s", None);
    drop(tree_of_traversals::session::Journal::create(&path, &header, &entries).unwrap());
    let status = tree_of_traversals::commands::replay::check(path.to_str().unwrap()).unwrap();
    assert_eq!(status, tree_of_traversals::commands::Status::Ok);
}

#[test]
fn sessions_with_other_models_replay_and_fork() {
    let mut world = World::new(&film(), Preset::Paper, 1);
    world.run(60);
    act(&mut world, from_here_on(model(1))).unwrap();
    world.run(90);
    act(&mut world, ask_of(model(2))).unwrap();
    world.run(usize::MAX);
    act(&mut world, Act::SetValue { node: NodeId(1), value: Micro::ONE }).unwrap();
    world.run(usize::MAX);
    check(&world.entries);
    for at in [62, 80, 95, world.entries.len() - 3] {
        let mut fork = world.forked(at, OnMiss::Leave, 5);
        let acts: Vec<Act> = world.state.acts.iter().filter(|act| act.seq >= at as u64).map(|act| act.what.clone()).collect();
        fork.run(usize::MAX);
        for what in acts {
            act(&mut fork, what).unwrap();
            fork.run(usize::MAX);
        }
        assert_eq!(fork.reloaded(), fork.state);
        check(&fork.entries);
    }
    // An act that names no model can't be what an ask goes by.
    let mut entries = world.entries.clone();
    let asked = entries.iter_mut().find(|entry| matches!(&entry.ev, Event::Asked { call: Call::Llm(call), .. } if call.model.is_some()));
    if let Some(Event::Asked { call: Call::Llm(call), .. }) = asked.map(|entry| &mut entry.ev) {
        call.model = Some(tree_of_traversals::search::ActId(400));
    }
    assert!(State::from_entries(&entries).unwrap_err().to_string().contains("no act names the model"));
}
