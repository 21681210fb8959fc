//! What is dropped on the way is paid: it stands in the journal and counts, with the real adapter against a server that never ends.

#[path = "../support/http.rs"]
mod http;

use super::*;
use http::{Http, Reply};
use tree_of_traversals::calls::Usage;
use tree_of_traversals::llm::{Chat, ChatConfig, Provider};
use tree_of_traversals::runner::Changes;
use tree_of_traversals::search::{Budget, State};

/// A server that writes 13 letters of every reply and then nothing more.
fn stalling() -> Http {
    Http::start(|_| {
        let piece = serde_json::json!({"choices": [{"index": 0, "delta": {"content": "ANSWER: wrong"}}]});
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        Reply::bytes(format!("{head}data: {piece}\n\n")).then(Duration::from_secs(60), "data: [DONE]\n\n")
    })
}

fn model(server: &Http) -> Arc<dyn LanguageModel> {
    let config = ChatConfig { base_url: Some(server.url()), ..ChatConfig::new(Provider::OpenAi, "m") };
    Arc::new(Chat::new(config).unwrap())
}

fn bench(server: &Http, change: impl FnOnce(&mut Started)) -> Bench {
    Bench::with(&film(1), Pace::Run, model(server), change)
}

async fn writing(bench: &mut Bench) -> Arc<Snapshot> {
    bench.until(|s| s.live.writing.letters() == 13).await
}

/// The prompt of the first ask by its letters, and the 13 letters that came.
fn about(state: &State) -> Usage {
    let letters: usize = state.parts.iter().map(|part| part.text.chars().count()).sum();
    let tokens = letters as u64 / 4;
    let found = state.counters().llm.tokens;
    assert!(found.prompt_tokens.abs_diff(tokens) <= 4, "{} letters and {found:?}", letters);
    Usage { prompt_tokens: found.prompt_tokens, completion_tokens: 4, estimated: true, ..Usage::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_person_drops_is_paid_each_time() {
    let server = stalling();
    let mut bench = bench(&server, |_| {});
    assert_eq!(writing(&mut bench).await.state.counters().llm.nothing.requests, 0);
    bench.send(Command::Abort);
    let dropped = bench.until(|s| s.run_state() == RunState::Paused).await;
    let spent = dropped.state.counters().llm;
    let once = about(&dropped.state);
    assert_eq!((spent.nothing.requests, spent.nothing.tokens, spent.tokens, spent.requests), (1, once, once, 0));
    assert!(dropped.state.asks.iter().all(|ask| !ask.is_complete()), "the ask stays open");
    bench.send(Command::Pace(Pace::Run));
    writing(&mut bench).await;
    bench.send(Command::Abort);
    let again = bench.until(|s| s.run_state() == RunState::Paused && s.state.counters().llm.nothing.requests == 2).await;
    assert_eq!(again.state.counters().llm.tokens.prompt_tokens, 2 * once.prompt_tokens);
    let folder = bench.quit().await;
    assert_eq!(read(&folder.path().join("first.jsonl")).unwrap().state, *again.state, "reload == live, and leaving adds nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_out_when_the_person_leaves_is_paid() {
    let server = stalling();
    let mut bench = bench(&server, |_| {});
    writing(&mut bench).await;
    let folder = bench.quit().await;
    let left = read(&folder.path().join("first.jsonl")).unwrap();
    assert_eq!(left.state.counters().llm.tokens, about(&left.state));
    // Opened again, the same ask is answered as if nothing had happened: here by a script.
    let scenario = film(1);
    let path = folder.path().join("first.jsonl");
    let (journal, recording) = Journal::reopen(&path).unwrap();
    let setup = Setup::Resume { recording: Box::new(recording), journal, changes: Changes::default() };
    let handle = launch(setup, equipment(&scenario, Pace::Run, scenario.model().unwrap(), folder.path())).unwrap();
    let mut bench = Bench { handle, folder };
    let end = bench.finished().await;
    assert_eq!(compare(&expected(&scenario), &end.state), Vec::<String>::new());
    assert_eq!(end.state.counters().llm.nothing.requests, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_counts_what_brought_nothing() {
    let server = stalling();
    let mut bench = bench(&server, |started| started.settings.budgets.set(Budget::Tokens, Some(20)));
    writing(&mut bench).await;
    bench.send(Command::Abort);
    bench.until(|s| s.run_state() == RunState::Paused && s.state.counters().against(Budget::Tokens) >= 20).await;
    bench.send(Command::Pace(Pace::Run));
    let used = |s: &Snapshot| s.state.halted.as_ref().is_some_and(|halt| halt.cause == HaltCause::Budget(Budget::Tokens));
    bench.until(used).await;
    assert_eq!(server.seen().len(), 1, "nothing more was sent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_time_drops_and_counts_where_nobody_watches() {
    let (server, scenario) = (stalling(), film(1));
    let folder = tempfile::tempdir().unwrap();
    let mut started = started(&scenario);
    started.settings.budgets.set(Budget::Time, Some(400));
    let none: &[Arc<Entry>] = &[];
    let journal = Journal::create(&folder.path().join("first.jsonl"), &Header::new("first", None), none).unwrap();
    let setup = Setup::New { started: Box::new(started), journal: Some(journal), name: "first".into(), note: None, bank: None };
    let equipment = Equipment { watched: false, ..equipment(&scenario, Pace::Run, model(&server), folder.path()) };
    let mut bench = Bench { handle: launch(setup, equipment).unwrap(), folder };
    let halted = bench.until(|s| s.state.halted.is_some()).await;
    assert_eq!(halted.state.counters().llm.nothing.requests, 1);
    assert!(matches!(halted.entries().last().unwrap().ev, Event::Halted(_)), "it is recorded before the end");
}
