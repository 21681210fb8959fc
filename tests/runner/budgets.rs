//! Budgets: what is used up stops the search before the next call, and going on needs it raised.

use super::*;
use tree_of_traversals::calls::Usage;
use tree_of_traversals::llm::OnWire;
use tree_of_traversals::money::Money;
use tree_of_traversals::price::Price;
use tree_of_traversals::runner::Changes;
use tree_of_traversals::search::{Budget, HaltCause, Setting, State};

/// A scripted model whose service counts 100 tokens in and 10 out a request, 60 of the first from its cache.
struct Counting {
    inner: Arc<dyn LanguageModel>,
    calls: AtomicU32,
}

const USAGE: Usage = Usage { prompt_tokens: 100, cached_prompt_tokens: 60, cache_write_tokens: 0, completion_tokens: 10, estimated: false };

impl Counting {
    fn of(scenario: &Scenario) -> Arc<Self> {
        Arc::new(Self { inner: scenario.model().unwrap(), calls: AtomicU32::new(0) })
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }
}

impl LanguageModel for Counting {
    fn name(&self) -> &str {
        "script"
    }

    fn prime(&self, asked: &[LlmJob]) {
        self.inner.prime(asked);
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let counted: Wire = Arc::new(move |came| {
            wire(match came {
                OnWire::Reply(reply) => OnWire::Reply(tree_of_traversals::calls::LlmReply { usage: Some(USAGE), ..reply }),
                other => other,
            });
        });
        self.inner.complete(job, counted)
    }
}

fn price() -> Price {
    Price {
        input: Money(2_000_000),
        cached: Money(500_000),
        cache_write: Money(2_000_000),
        output: Money(8_000_000),
        currency: "USD".into(),
    }
}

fn limited(scenario: &Scenario, model: &Arc<Counting>, budget: Budget, limit: u64) -> Bench {
    Bench::with(scenario, Pace::Run, model.clone(), |started| {
        started.settings.budgets.set(budget, Some(limit));
        started.price = Some(price());
    })
}

fn raise(budget: Budget, limit: Option<u64>) -> Command {
    Command::Do(Act::Set(Setting::Budget(budget, limit)))
}

/// It stands still because of `budget`, and nothing flies any more.
fn stands(snapshot: &Snapshot, budget: Budget) -> bool {
    let halted = snapshot.state.halted.as_ref().is_some_and(|halt| halt.cause == HaltCause::Budget(budget));
    halted && snapshot.run_state() == RunState::Paused
}

fn halts(snapshot: &Snapshot) -> usize {
    snapshot.entries().iter().filter(|e| matches!(e.ev, Event::Halted(_))).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_as_many_calls_as_allowed_are_sent() {
    let scenario = film(1);
    for limit in [1, 2, 3, 5, 6, 9, 14] {
        let model = Counting::of(&scenario);
        let mut bench = limited(&scenario, &model, Budget::Calls, limit);
        let halted = bench.until(|s| stands(s, Budget::Calls)).await;
        assert_eq!((u64::from(model.calls()), u64::from(halted.state.counters().llm.calls)), (limit, limit));
        assert!(halted.state.asks.iter().all(|ask| ask.is_complete()), "what was in flight was taken in");
        assert_eq!(halts(&halted), 1);
        // Going on without raising it goes nowhere, and says why.
        bench.send(Command::Pace(Pace::Run));
        let told = bench.until(|s| s.live.notice.is_some()).await;
        assert!(told.live.notice.as_ref().unwrap().1.contains("has to be raised"), "{:?}", told.live.notice);
        assert!(stands(&told, Budget::Calls) && halts(&told) == 1 && u64::from(model.calls()) == limit);
        // Raised by one, one more is sent; without a limit it comes to its end as if nothing had happened.
        bench.send(raise(Budget::Calls, Some(limit + 1)));
        bench.send(Command::Pace(Pace::Run));
        bench.until(|s| stands(s, Budget::Calls) && u64::from(s.state.counters().llm.calls) == limit + 1).await;
        assert_eq!(u64::from(model.calls()), limit + 1);
        bench.send(raise(Budget::Calls, None));
        bench.send(Command::Pace(Pace::Run));
        let end = bench.finished().await;
        assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new(), "limit {limit}");
        assert_eq!(model.calls(), end.state.counters().llm.calls, "no call was sent twice");
        let folder = bench.quit().await;
        assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "reload == live");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_and_money_stop_it_before_the_next_call() {
    let scenario = film(1);
    // 110 tokens a request; 40 x 2 + 60 x 0.5 + 10 x 8 = 190 millionths.
    for (budget, limit, words) in [(Budget::Tokens, 500, "500 tokens"), (Budget::Cost, 900, "0.0009 USD")] {
        let model = Counting::of(&scenario);
        let mut bench = limited(&scenario, &model, budget, limit);
        let halted = bench.until(|s| stands(s, budget)).await;
        let spent = halted.state.counters();
        assert!(spent.reaches(budget, limit) && halted.state.halted.as_ref().unwrap().why.contains(words), "{:?}", halted.state.halted);
        let requests: u32 = halted.state.asks.iter().filter(|a| a.is_llm()).map(|a| a.replies).sum();
        assert_eq!(spent.llm.tokens.prompt_tokens, u64::from(requests) * 100);
        assert_eq!(spent.llm.cost.unwrap().money(), Money(u64::from(requests) * 190));
        let calls = model.calls();
        bench.send(raise(budget, Some(limit * 100)));
        bench.send(Command::Pace(Pace::Run));
        let end = bench.finished().await;
        assert!(model.calls() > calls);
        assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_needs_a_price() {
    let scenario = film(1);
    let model = Counting::of(&scenario);
    let mut bench = Bench::with(&scenario, Pace::Paused, model, |started| started.model_spec = "openai:mock".into());
    let before = bench.until(|_| true).await.entries().len();
    bench.send(raise(Budget::Cost, Some(1)));
    let told = bench.until(|s| s.live.notice.is_some()).await;
    assert!(told.live.notice.as_ref().unwrap().1.contains("under `prices`"), "{:?}", told.live.notice);
    assert_eq!(told.entries().len(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_growth_by_hand_pays_too_and_waits_quietly() {
    let scenario = film(1);
    let model = Counting::of(&scenario);
    let mut bench = limited(&scenario, &model, Budget::Calls, 3);
    bench.until(|s| stands(s, Budget::Calls) && !s.state.nodes.is_empty()).await;
    bench.send(Command::Do(hop(0)));
    let halted = bench.until(|s| stands(s, Budget::Calls) && halts(s) == 2).await;
    assert_eq!(halted.state.nodes.iter().filter(|n| n.by == By::You).count(), 3, "the KG was asked: it costs nothing");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let later = bench.until(|_| true).await;
    assert_eq!((later.entries().len(), model.calls()), (halted.entries().len(), 3));
    assert_eq!(later.live.notice, None);
    // Three new nodes, three values: raised by two, the third one waits.
    bench.send(raise(Budget::Calls, Some(5)));
    bench.until(|s| stands(s, Budget::Calls) && halts(s) == 3).await;
    assert_eq!(model.calls(), 5);
    bench.send(raise(Budget::Calls, Some(6)));
    let scored = bench.until(|s| s.state.steps.iter().any(|step| step.by_hand() && step.closed)).await;
    assert_eq!((model.calls(), scored.run_state()), (6, RunState::Paused));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_recording_answers_costs_nothing() {
    let scenario = film(1);
    let model = Counting::of(&scenario);
    let mut bench = limited(&scenario, &model, Budget::Calls, 1_000);
    let end = bench.finished().await;
    let (all, cost) = (model.calls(), end.state.counters().llm.cost);
    let at = end.entries().iter().find(|e| matches!(e.ev, Event::Opened { counts: true, node: Some(NodeId(1)), .. })).unwrap().seq;
    bench.send(Command::Fork { at, stop: false, note: Default::default() });
    let fork = bench.until(|s| s.live.parent.is_some()).await;
    let before = fork.state.counters();
    // Not one live call is left, and none is needed.
    bench.send(raise(Budget::Calls, Some(before.llm.calls.into())));
    bench.send(Command::Pace(Pace::Run));
    let same = bench.finished().await;
    let after = same.state.counters();
    assert_eq!((model.calls(), after.llm.calls), (all, all));
    assert_eq!((after.recorded, after.against(Budget::Calls)), (all - before.llm.calls, before.llm.calls.into()));
    assert!(after.llm.cost == before.llm.cost && after.llm.cost < cost);
    assert_eq!(same.state.summary(), end.state.summary());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_counts_while_it_runs_and_goes_on_where_the_session_was_left() {
    const LIMIT: u64 = 1_200;
    let scenario = film(150);
    let model = Counting::of(&scenario);
    let mut bench = limited(&scenario, &model, Budget::Time, LIMIT);
    bench.until(|s| s.state.expansions() == 1).await;
    bench.send(Command::Pace(Pace::Paused));
    bench.until(|s| s.run_state() == RunState::Paused).await;
    tokio::time::sleep(Duration::from_millis(LIMIT + 200)).await;
    let paused = bench.until(|_| true).await;
    assert!(paused.state.halted.is_none() && paused.live.ran_ms < LIMIT, "{} ms", paused.live.ran_ms);
    bench.send(Command::Pace(Pace::Run));
    let halted = bench.until(|s| stands(s, Budget::Time)).await;
    assert!(halted.state.ran_ms >= LIMIT && halted.state.halted.as_ref().unwrap().why.contains("1200ms of running time"));
    let folder = bench.quit().await;
    let path = folder.path().join("first.jsonl");
    let recording = read(&path).unwrap();
    assert_eq!(recording.state, *halted.state, "reload == live");
    // Opened again it stands where it stood: no time is left. With more of it, it comes to its end.
    let (model, mut bench) = reopened(&scenario, folder, Changes::default());
    let still = bench.until(|s| stands(s, Budget::Time)).await;
    assert!(model.calls() == 0 && still.live.ran_ms >= LIMIT);
    let folder = bench.quit().await;
    let changes = Changes { settings: vec![Setting::Budget(Budget::Time, Some(600_000))], price: None, model: None };
    let (_, mut bench) = reopened(&scenario, folder, changes);
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
    assert!(end.live.ran_ms > still.live.ran_ms);
}

fn reopened(scenario: &Scenario, folder: tempfile::TempDir, changes: Changes) -> (Arc<Counting>, Bench) {
    let model = Counting::of(scenario);
    let (journal, recording) = Journal::reopen(&folder.path().join("first.jsonl")).unwrap();
    let setup = Setup::Resume { recording: Box::new(recording), journal, changes };
    let handle = launch(setup, equipment(scenario, Pace::Run, model.clone(), folder.path())).unwrap();
    (model, Bench { handle, folder })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_goes_on_with_what_was_not_spent_and_a_price_that_became_known() {
    let scenario = film(1);
    let model = Counting::of(&scenario);
    let mut bench = Bench::with(&scenario, Pace::Run, model.clone(), |started| {
        started.settings.budgets.set(Budget::Calls, Some(7));
        started.model_spec = "openai:mock".into();
    });
    let halted = bench.until(|s| stands(s, Budget::Calls)).await;
    assert_eq!(halted.state.counters().llm.cost, None, "no price, no cost");
    let folder = bench.quit().await;
    let settings = vec![Setting::Budget(Budget::Calls, Some(9)), Setting::Budget(Budget::Cost, Some(1_000_000))];
    let (model, mut bench) = reopened(&scenario, folder, Changes { settings, price: Some(price()), model: None });
    let halted = bench.until(|s| stands(s, Budget::Calls)).await;
    assert_eq!((model.calls(), halted.state.counters().llm.calls), (2, 9));
    assert_eq!(halted.state.settings().budgets.of(Budget::Cost), Some(1_000_000), "a change of settings like any other");
    let cost = halted.state.counters().llm.cost.unwrap();
    let requests: u32 = halted.state.asks.iter().filter(|a| a.is_llm()).map(|a| a.replies).sum();
    assert_eq!(cost.money(), Money(u64::from(requests) * 190), "all of it, what came before too");
    let folder = bench.quit().await;
    let again: State = read(&folder.path().join("first.jsonl")).unwrap().state;
    assert_eq!(again, *halted.state);
}

/// A scripted model that is silent once it was asked so many times.
struct Silent {
    inner: Arc<dyn LanguageModel>,
    answers: AtomicU32,
}

impl LanguageModel for Silent {
    fn name(&self) -> &str {
        "script"
    }

    fn prime(&self, asked: &[LlmJob]) {
        self.inner.prime(asked);
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        match self.answers.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
            Ok(_) => self.inner.complete(job, wire),
            Err(_) => Box::pin(std::future::pending()),
        }
    }
}

fn until_silence(scenario: &Scenario, answers: u32, watched: bool, budgets: &[(Budget, u64)]) -> Bench {
    let model = Arc::new(Silent { inner: scenario.model().unwrap(), answers: AtomicU32::new(answers) });
    let folder = tempfile::tempdir().unwrap();
    let none: &[Arc<Entry>] = &[];
    let journal = Journal::create(&folder.path().join("first.jsonl"), &Header::new("first", None), none).unwrap();
    let mut started = started(scenario);
    budgets.iter().for_each(|(budget, limit)| started.settings.budgets.set(*budget, Some(*limit)));
    let setup = Setup::New { started: Box::new(started), journal: Some(journal), name: "first".into(), note: None, bank: None };
    let equipment = Equipment { watched, ..equipment(scenario, Pace::Run, model, folder.path()) };
    Bench { handle: launch(setup, equipment).unwrap(), folder }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_time_waits_for_no_silent_model() {
    let scenario = film(1);
    // The second case: another budget has halted it, and what is in flight never arrives.
    for budgets in [&[(Budget::Time, 700)][..], &[(Budget::Time, 700), (Budget::Calls, 4)]] {
        let mut bench = until_silence(&scenario, 3, false, budgets);
        let halted = bench.until(|s| stands(s, Budget::Time)).await;
        let open: Vec<_> = halted.state.asks.iter().filter(|ask| !ask.is_complete()).map(|ask| ask.id).collect();
        assert!(!open.is_empty() && halted.live.flights.is_empty(), "what was in flight is dropped and stays open");
        assert!((700..5_000).contains(&halted.live.ran_ms), "{} ms", halted.live.ran_ms);
        let folder = bench.quit().await;
        assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *halted.state, "reload == live");
        // Asked again, it comes to the end of a search that was never stopped.
        let settings = vec![Setting::Budget(Budget::Time, None), Setting::Budget(Budget::Calls, None)];
        let (_, mut bench) = reopened(&scenario, folder, Changes { settings, price: None, model: None });
        let end = bench.finished().await;
        assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new(), "{budgets:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_watches_sees_the_end_of_the_time_while_calls_may_still_arrive() {
    let scenario = film(1);
    let mut bench = until_silence(&scenario, 3, true, &[(Budget::Time, 500)]);
    let halted = bench.until(|s| s.state.halted.is_some()).await;
    assert_eq!(halted.state.halted.as_ref().unwrap().cause, HaltCause::Budget(Budget::Time));
    assert!(matches!(halted.run_state(), RunState::Pausing(_)), "{:?}", halted.run_state());
    bench.send(Command::Abort);
    let dropped = bench.until(|s| stands(s, Budget::Time)).await;
    assert_eq!(halts(&dropped), 1);
}
