//! Other models: opened before anything is recorded, asked in their turn, and what happens when one can't be opened.

use super::*;
use tree_of_traversals::redact::Secret;
use tree_of_traversals::runner::{Changes, Opened, Opener};
use tree_of_traversals::search::{Again, HaltCause, OtherModel, Otherwise, Purpose, Value};

/// A model of its own that counts what it is asked; without one, it can't be opened.
fn opener(scenario: &Scenario, calls: &Arc<AtomicU32>, there: bool) -> Opener {
    let (scenario, calls) = (scenario.clone(), calls.clone());
    Arc::new(move |named| {
        if !there || named.spec != "big" {
            return Err(CallError::new(CallErrorKind::Key, format!("BIG_KEY is not set: the key of {} is expected there", named.spec)));
        }
        let record = OtherModel { name: "openai:big-1".into(), service_model: "big-1".into(), ..OtherModel::named("big", None) };
        let model = Arc::new(Told { inner: scenario.model().unwrap(), calls: calls.clone() });
        Ok(Opened { model, record, secrets: vec![Secret::new("canary-of-the-big-one").unwrap()] })
    })
}

/// A scripted model that counts, and checks that it is asked by its own name.
struct Told {
    inner: Arc<dyn LanguageModel>,
    calls: Arc<AtomicU32>,
}

impl LanguageModel for Told {
    fn name(&self) -> &str {
        "openai:big-1"
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        assert_eq!(job.request.model, "big-1");
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.inner.complete(job, wire)
    }
}

/// A model that fails as one whose quota is used up.
struct Broke;

impl LanguageModel for Broke {
    fn name(&self) -> &str {
        "script"
    }

    fn complete(&self, _job: LlmJob, _wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        Box::pin(async { Err(CallError::new(CallErrorKind::Quota, "the quota is used up: pay, or name another model")) })
    }
}

fn start(scenario: &Scenario, pace: Pace, model: Arc<dyn LanguageModel>, others: Opener) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let none: &[Arc<Entry>] = &[];
    let journal = Journal::create(&folder.path().join("first.jsonl"), &Header::new("first", None), none).unwrap();
    let setup = Setup::New { started: Box::new(started(scenario)), journal: Some(journal), name: "first".into(), note: None, bank: None };
    let equipment = Equipment { others, ..equipment(scenario, pace, model, folder.path()) };
    Bench { handle: launch(setup, equipment).unwrap(), folder }
}

fn reopened(scenario: &Scenario, folder: tempfile::TempDir, model: Arc<dyn LanguageModel>, others: Opener, changes: Changes) -> Bench {
    let (journal, recording) = Journal::reopen(&folder.path().join("first.jsonl")).unwrap();
    let setup = Setup::Resume { recording: Box::new(recording), journal, changes };
    let equipment = Equipment { others, ..equipment(scenario, Pace::Paused, model, folder.path()) };
    Bench { handle: launch(setup, equipment).unwrap(), folder }
}

fn named(spec: &str) -> Box<OtherModel> {
    Box::new(OtherModel::named(spec, None))
}

fn ask_of(spec: &str) -> Command {
    let otherwise = Otherwise { model: Some(named(spec)), ..Otherwise::default() };
    Command::Do(Act::AskAgain { node: NodeId(0), what: Again::Samples, edits: vec![], otherwise })
}

fn asked_of_big(snapshot: &Snapshot) -> usize {
    let state = &snapshot.state;
    state.asks.iter().filter(|ask| ask.is_llm() && state.model(state.asked_of(ask)).name == "openai:big-1").count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_opened_before_its_act_is_recorded() {
    let (scenario, calls) = (film(1), Arc::new(AtomicU32::new(0)));
    let mut bench = start(&scenario, Pace::Run, scenario.model().unwrap(), opener(&scenario, &calls, true));
    let end = bench.finished().await;
    // One that can't be opened is refused in a sentence, and nothing is recorded or asked.
    for refused in [ask_of("small"), Command::Do(Act::Model(named("small")))] {
        bench.send(refused);
        let told = bench.until(|s| s.live.notice.as_ref().is_some_and(|(_, text)| text.contains("BIG_KEY is not set"))).await;
        assert_eq!(told.entries().len(), end.entries().len());
    }
    bench.send(ask_of("big"));
    let now = bench.until(|s| asked_of_big(s) == 1 && s.state.open_steps().next().is_none()).await;
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let Act::AskAgain { otherwise, .. } = &now.state.acts[0].what else { panic!() };
    assert_eq!(otherwise.model.as_ref().map(|model| (&*model.name, &*model.service_model)), Some(("openai:big-1", "big-1")));
    // Its secrets are kept out of the recording from then on.
    bench.send(Command::Do(Act::Choose {
        node: NodeId(0),
        chain: vec![Action::Think { text: "my canary-of-the-big-one".into() }],
        instead_of: None,
        value: None,
    }));
    bench.until(|s| s.state.acts.len() == 2 && s.state.open_steps().next().is_none()).await;
    let end = bench.finished().await;
    let folder = bench.quit().await;
    let file = std::fs::read_to_string(folder.path().join("first.jsonl")).unwrap();
    assert!(!file.contains("canary") && file.contains("my ***"));
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "reload == live");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_stands_still_goes_on_with_another_model() {
    let (scenario, calls) = (film(1), Arc::new(AtomicU32::new(0)));
    let mut bench = start(&scenario, Pace::Run, Arc::new(Broke), opener(&scenario, &calls, true));
    bench.until(|s| s.state.halted.as_ref().is_some_and(|halt| halt.why.contains("the quota is used up"))).await;
    bench.send(Command::Do(Act::Model(named("big"))));
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    let wrong: Vec<String> = compare(&expected(&scenario), &end.state);
    assert!(
        wrong.iter().all(|line| line.starts_with("model ")),
        "but for one more call the search is the one that it would have been: {wrong:?}"
    );
    let kinds: Vec<_> = end.state.asks.iter().filter_map(|ask| ask.error.as_ref().map(|error| error.kind)).collect();
    assert_eq!(kinds, [CallErrorKind::Superseded], "what the first one left unanswered was asked of the second");
    assert_eq!((asked_of_big(&end), end.state.counters().failed), (calls.load(Ordering::SeqCst) as usize, 0));
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "reload == live");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_goes_on_with_the_model_that_it_is_given() {
    let (scenario, calls) = (film(40), Arc::new(AtomicU32::new(0)));
    let mut bench = start(&scenario, Pace::Run, scenario.model().unwrap(), opener(&scenario, &calls, true));
    bench.until(|s| s.state.asks.iter().any(|ask| ask.key.purpose == Purpose::Sample && !ask.is_complete())).await;
    let folder = bench.quit().await;
    let opened = (opener(&scenario, &calls, true))(&OtherModel::named("big", None)).unwrap();
    let changes = Changes { model: Some(opened.record.clone()), ..Changes::default() };
    // The model that it is opened with is that one; its own is not needed.
    let mut bench = reopened(&scenario, folder, opened.model, opener(&scenario, &calls, false), changes);
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert!(calls.load(Ordering::SeqCst) > 4);
    let last = end.state.asks.iter().rfind(|ask| ask.is_llm()).unwrap();
    assert_eq!(end.state.model(end.state.asked_of(last)).spec, "big");
    // Taken back, its own model is asked again: it can't be opened here, which only says so.
    bench.send(Command::Undo);
    bench.send(Command::Do(Act::again(NodeId(0), Again::Samples)));
    let halted = bench.until(|s| s.state.halted.is_some()).await;
    let halt = halted.state.halted.as_ref().unwrap();
    assert!(halt.cause == HaltCause::Service && halt.why.contains("BIG_KEY is not set") && halt.why.contains("choose another model (r)"));
    bench.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_model_can_t_be_opened_says_what_to_do_and_the_rest_works() {
    let (scenario, calls) = (film(40), Arc::new(AtomicU32::new(0)));
    let mut bench = start(&scenario, Pace::Run, scenario.model().unwrap(), opener(&scenario, &calls, true));
    bench.finished().await;
    bench.send(ask_of("big"));
    bench.until(|s| asked_of_big(s) == 1).await;
    let folder = bench.quit().await;
    let open = read(&folder.path().join("first.jsonl")).unwrap().state.asks.iter().any(|ask| !ask.is_complete());
    assert!(open, "it was left while the other model was asked");
    let mut bench = reopened(&scenario, folder, scenario.model().unwrap(), opener(&scenario, &calls, false), Changes::default());
    let halted = bench.until(|s| s.state.halted.is_some()).await;
    let why = &halted.state.halted.as_ref().unwrap().why;
    assert!(why.contains("BIG_KEY is not set") && why.contains("choose another model"), "{why}");
    bench.send(Command::Do(Act::SetValue { node: NodeId(1), value: Micro::ONE }));
    bench.until(|s| s.state.value(NodeId(1)) == Value::ByHand(Micro::ONE)).await;
    // Taken back, nothing waits for it any more, and nobody is asked for it.
    bench.send(Command::Undo);
    bench.send(Command::Undo);
    bench.send(Command::Pace(Pace::Run));
    let end = bench.finished().await;
    assert!(end.state.halted.is_none() && end.state.open_steps().next().is_none());
    assert_eq!(end.state.asks.len(), halted.state.asks.len(), "no model was asked anything");
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *end.state, "reload == live");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_can_be_the_model_of_one_call() {
    let scenario = film(1);
    let human: Opener = Arc::new(|_| {
        let record = OtherModel { name: "human".into(), service_model: "human".into(), ..OtherModel::named("human", None) };
        Ok(Opened { model: Arc::new(tree_of_traversals::llm::Human), record, secrets: Vec::new() })
    });
    let mut bench = start(&scenario, Pace::Run, scenario.model().unwrap(), human);
    bench.finished().await;
    bench.send(ask_of("human"));
    let waits = bench.until(|s| s.run_state() == RunState::WaitingForYou).await;
    let ask = waits.live.flights[0].ask;
    let slots = waits.state.ask(ask).unwrap().samples.len() as u32;
    for slot in 0..slots {
        bench.send(Command::Reply { ask, slot, text: "THINK: said by me".into() });
    }
    let end = bench.until(|s| s.state.open_steps().next().is_none()).await;
    let made = end.state.nodes.last().unwrap();
    assert_eq!((made.action.token(), made.votes), ("T:said by me".into(), (slots, slots)));
    assert!(made.valuation.is_some(), "and the session's own model scored it");
    bench.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_that_its_model_can_t_answer_stops_no_search() {
    let scenario = film(1);
    let broke: Opener = Arc::new(|_| {
        let record = OtherModel { name: "broke".into(), service_model: "broke".into(), ..OtherModel::named("broke", None) };
        Ok(Opened { model: Arc::new(Broke), record, secrets: Vec::new() })
    });
    let mut bench = start(&scenario, Pace::Run, scenario.model().unwrap(), broke);
    let end = bench.finished().await;
    let at = end.state.summary().answer.unwrap();
    bench.send(Command::Do(Act::review(&end.state, at, Some(*named("broke")))));
    let now = bench.until(|s| s.state.review(at).is_some() && s.state.open_steps().next().is_none()).await;
    let (_, judged) = now.state.review(at).unwrap();
    assert!(judged.iter().all(|j| j.reason.contains("the quota is used up")), "{judged:?}");
    assert!(now.state.halted.is_none() && now.run_state() == RunState::Finished);
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *now.state, "reload == live");
}
