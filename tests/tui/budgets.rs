//! Budgets on the screen: what is spent of how much, what stands still and why, and how it goes on.

use super::desk::{Desk, film};
use super::world::World;
use tree_of_traversals::calls::Usage;
use tree_of_traversals::money::Money;
use tree_of_traversals::price::Price;
use tree_of_traversals::runner::Command;
use tree_of_traversals::search::{Act, ActId, Budget, By, Entry, Event, Got, Halt, HaltCause, OtherModel, Setting, Source};

/// The film question after 60 entries, with a price, counted tokens, and these limits.
fn spent(price: Option<Price>, limits: &[(Budget, u64)]) -> World {
    let mut world = film(60);
    let llm: Vec<bool> = world.state.asks.iter().map(|ask| ask.is_llm()).collect();
    for entry in &mut world.entries {
        match &mut entry.ev {
            Event::Started(started) => {
                started.price.clone_from(&price);
                started.model_spec = "openai:mock".into();
                for (budget, limit) in limits {
                    started.settings.budgets.set(*budget, Some(*limit));
                }
            }
            Event::Replied { ask, usage, .. } if llm[ask.0 as usize] => {
                *usage = Some(Usage { prompt_tokens: 1_000, cached_prompt_tokens: 600, completion_tokens: 50, ..Usage::default() });
            }
            _ => {}
        }
    }
    world
}

fn usd() -> Option<Price> {
    Some(Price {
        input: Money(2_000_000),
        cached: Money(500_000),
        cache_write: Money(2_000_000),
        output: Money(8_000_000),
        currency: "USD".into(),
    })
}

/// The row of the screen that has all of these words.
#[track_caller]
fn row<'a>(screen: &'a str, words: &[&str]) -> &'a str {
    screen.lines().find(|line| words.iter().all(|word| line.contains(word))).unwrap_or_else(|| panic!("no row has {words:?}:\n{screen}"))
}

#[test]
fn the_pane_shows_what_is_spent_of_every_limit() {
    let limits = [(Budget::Calls, 40), (Budget::Tokens, 100_000), (Budget::Cost, 1_000_000), (Budget::Time, 300_000)];
    let mut desk = Desk::at(&spent(usd(), &limits));
    let screen = desk.press("5 z").screen(120, 40);
    let spent = desk.counters();
    row(&screen, &["model calls", &format!("{}/40", spent.llm.calls), "█"]);
    row(&screen, &["tokens", "/100000", "·"]);
    row(&screen, &["cost", &format!("{} USD/1.00", spent.llm.cost.unwrap().money())]);
    row(&screen, &["time", "1.2 s/5m", "·"]);
    row(&screen, &["of the input", "cached"]);
    // By kind, below it, with figures that add up.
    row(&screen, &["by kind", "calls", "samples", "in", "cached", "out", "cost"]);
    let extract = row(&screen, &["extract"]);
    let cells: Vec<&str> = extract.split(|c: char| c.is_whitespace() || "│┃".contains(c)).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells, ["extract", "1", "1", "1,000", "600", "50", "0.0015"], "400 at 2, 600 at 0.5, 50 at 8 a million");
}

#[test]
fn what_is_paid_in_two_currencies_is_shown_in_both() {
    let mut world = film(60);
    let eur = usd().map(|price| Price { currency: "EUR".into(), ..price });
    let big = OtherModel { name: "openai:big".into(), price: eur, ..OtherModel::named("openai:big", None) };
    world.push(By::You, Event::Acted { act: ActId(0), what: Act::Model(Box::new(big)) });
    world.run(usize::MAX);
    for entry in &mut world.entries {
        match &mut entry.ev {
            Event::Started(started) => (started.price, started.model_spec) = (usd(), "openai:mock".into()),
            Event::Replied { usage, got: Got::Samples(_), .. } => {
                *usage = Some(Usage { prompt_tokens: 1_000_000, ..Usage::default() });
            }
            _ => {}
        }
    }
    let screen = Desk::at(&world).press("5 z").screen(120, 40);
    let cost = row(&screen, &["cost  "]);
    assert!(cost.contains(".00 USD + ") && cost.contains(".00 EUR"), "{cost}");
}

#[test]
fn free_unknown_and_estimated_are_told_apart() {
    let cost = |price: Option<Price>| row(&Desk::at(&spent(price, &[])).press("5 z").screen(120, 40), &["cost  "]).to_owned();
    assert!(cost(None).contains("no price") && cost(Some(Price::FREE)).contains("free"));
    let mut world = spent(usd(), &[]);
    assert!(!Desk::at(&world).press("5 z").screen(120, 40).contains('~'));
    let replied = world.entries.iter_mut().rev().find_map(|e| match &mut e.ev {
        Event::Replied { usage: Some(usage), .. } => Some(usage),
        _ => None,
    });
    replied.unwrap().estimated = true;
    let screen = Desk::at(&world).press("5 z").screen(120, 40);
    row(&screen, &["tokens", " ~", " in, ~", " out"]);
    row(&screen, &["cost", " ~0.", "USD"]);
}

#[test]
fn what_brought_nothing_is_shown_apart() {
    let world = |nothing: bool| {
        let mut world = spent(usd(), &[]);
        let open = world.state.asks.iter().rev().find(|ask| ask.is_llm()).unwrap().id;
        let asked = world.entries.iter().position(|e| matches!(&e.ev, Event::Asked { ask, .. } if *ask == open)).unwrap();
        world.entries.truncate(asked + 1);
        if nothing {
            let usage = Usage { prompt_tokens: 1_200, completion_tokens: 34, estimated: true, ..Usage::default() };
            let (got, usage) = (Got::Samples(Vec::new()), Some(usage));
            let ev = Event::Replied { ask: open, got, source: Source::Live, usage, took_ms: 9, tries: 3, nothing: true };
            world.entries.push(Entry { seq: asked as u64 + 1, at: 0, by: By::World, ev });
        }
        world
    };
    assert!(!Desk::at(&world(false)).press("5 z").screen(120, 40).contains("nothing"));
    let mut desk = Desk::at(&world(true));
    let screen = desk.press("5 z").screen(120, 40);
    row(&screen, &["for nothing", "3 requests · ~1,200 in, ~34 out · ~0.002672 USD"]);
    row(&screen, &["by kind", "cost", "nothing"]);
    row(&screen, &["~1,234"]);
    assert!(desk.screen(50, 24).contains("3 req · ~1.2k+34"), "{}", desk.screen(50, 24));
    row(&desk.press("6").screen(160, 50), &["3 requests brought nothing and took about 1,234 tokens"]);
}

/// Halted by a budget of calls.
fn halted() -> World {
    let mut world = spent(None, &[(Budget::Calls, 5)]);
    let why = "the budget of 5 calls to the model is used up".to_owned();
    world.push(By::Engine, Event::Halted(Halt { cause: HaltCause::Budget(Budget::Calls), why, hits: Vec::new() }));
    world
}

#[test]
fn a_used_up_budget_says_how_to_go_on_and_space_does_not() {
    let mut desk = Desk::at(&halted());
    for (width, height) in [(160, 50), (120, 40), (100, 30)] {
        let screen = desk.screen(width, height);
        row(&screen, &["■ the budget of 5 calls to the model is used up", "`L` raises it, then space goes on"]);
        row(&screen, &["tot ·", "■ budget used up"]);
        assert!(screen.lines().last().unwrap().trim_start().starts_with("L limits"), "{screen}");
    }
    let small = desk.screen(80, 24);
    row(&small, &["■ the budget of 5 calls to the model is used up · `L` raises it"]);
    assert!(small.lines().last().unwrap().contains("L limits"), "{small}");
    desk.press("space");
    assert_eq!(desk.sent(), []);
    assert!(desk.screen(120, 40).contains("a budget is used up: raise it first (`L`)"));
    assert!(desk.press("s").screen(39, 9).contains("a budget is used"));
    assert!(desk.press("6").screen(160, 50).contains("stands still: the budget of 5 calls"));
}

#[test]
fn the_popup_sets_raises_and_lifts_budgets() {
    let set = |budget, limit| Command::Do(Act::Set(Setting::Budget(budget, limit)));
    let mut desk = Desk::at(&halted());
    let screen = desk.press("L").screen(120, 40);
    row(&screen, &["calls", "5", "to the model, at most; empty: no limit"]);
    let sent = desk.press("Down Down Down Down Backspace text:12 Down text:20000 Down Down text:5m Enter").sent();
    assert_eq!(sent, [set(Budget::Calls, Some(12)), set(Budget::Tokens, Some(20_000)), set(Budget::Time, Some(300_000))]);
    assert_eq!(desk.press("L Down Down Down Down Backspace Enter").sent(), [set(Budget::Calls, None)]);
    desk.press("L Down Down Down Down Down Down text:1e9 Enter");
    assert_eq!(desk.sent(), []);
    for (width, height) in [(120, 40), (80, 24), (60, 12)] {
        assert!(desk.screen(width, height).contains("is no amount of money"), "{}", desk.screen(width, height));
    }
    // On a low screen the row in hand is in view.
    desk.press("Escape L Down Down Down Down Down Down Down");
    assert!(desk.screen(60, 9).contains("› time"), "{}", desk.screen(60, 9));
}
