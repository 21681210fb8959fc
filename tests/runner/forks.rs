//! Forks without a change, through the real runner: the same tree from the recording alone, from every event on.

use super::{Bench, Pace, RunState, equipment};
use futures_util::future::BoxFuture;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use tree_of_traversals::calls::{AskId, CallError, KgOp, KgReply};
use tree_of_traversals::kg::KnowledgeGraph;
use tree_of_traversals::llm::{LanguageModel, LlmJob, Wire};
use tree_of_traversals::runner::{Command, Setup, launch};
use tree_of_traversals::scenario::Scenario;
use tree_of_traversals::search::{Event, Source};
use tree_of_traversals::session::{Journal, read};

/// A model or a graph that counts what is asked of it.
struct Counted<T: ?Sized> {
    inner: Arc<T>,
    calls: Arc<AtomicUsize>,
}

impl LanguageModel for Counted<dyn LanguageModel> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn prime(&self, asked: &[LlmJob]) {
        self.inner.prime(asked);
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        self.calls.fetch_add(1, SeqCst);
        self.inner.complete(job, wire)
    }
}

impl KnowledgeGraph for Counted<dyn KnowledgeGraph> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn about(&self) -> String {
        self.inner.about()
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        self.inner.check()
    }

    fn is_scripted(&self) -> bool {
        self.inner.is_scripted()
    }

    fn prime(&self, asked: &[(AskId, KgOp)]) {
        self.inner.prime(asked);
    }

    fn perform(&self, ask: Option<AskId>, op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        self.calls.fetch_add(1, SeqCst);
        self.inner.perform(ask, op)
    }
}

/// The scenarios that are given and our own.
fn scenarios() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = ["scenarios", "scenarios-own"].map(|folder| std::fs::read_dir(data.join(folder)).unwrap());
    let mut files: Vec<PathBuf> = folders.into_iter().flatten().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 9);
    files
}

/// Every fork is made of the one before it, which is whole again; every other one may ask nothing at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_at_every_few_events_asks_nothing_live_and_is_the_same_tree() {
    for path in scenarios() {
        let scenario = Scenario::load(&path).unwrap();
        let mut bench = Bench::start(&scenario, Pace::Run);
        let whole = bench.finished().await;
        let folder = bench.quit().await;

        // The session is opened again, by a runner whose model and graph count.
        let calls = Arc::new(AtomicUsize::new(0));
        let model = Counted::<dyn LanguageModel> { inner: scenario.model().unwrap(), calls: calls.clone() };
        let mut parts = equipment(&scenario, Pace::Paused, Arc::new(model), folder.path());
        for (_, kg) in &mut parts.kgs {
            *kg = Arc::new(Counted { inner: kg.clone(), calls: calls.clone() });
        }
        let (journal, recording) = Journal::reopen(&folder.path().join("first.jsonl")).unwrap();
        let setup = Setup::Resume { recording: Box::new(recording), journal, changes: Default::default() };
        let mut bench = Bench { handle: launch(setup, parts).unwrap(), folder };

        let (step, mut forks) = (1 + whole.entries().len() / 20, 0);
        for seq in (0..whole.entries().len()).step_by(step) {
            let before = bench.until(|_| true).await.live.session.clone();
            bench.send(Command::Fork { at: seq as u64, stop: forks % 2 == 0, note: Default::default() });
            let fork = bench.until(|s| s.live.session != before).await;
            let begins = if seq + 1 == whole.entries().len() { RunState::Finished } else { RunState::Paused };
            assert_eq!((fork.run_state(), fork.entries().len()), (begins, seq + 1), "{}", scenario.name);
            bench.send(Command::Pace(Pace::Run));
            let name = fork.live.session.clone();
            let end = bench.until(|s| s.live.session == name && s.run_state() == RunState::Finished).await;
            let place = format!("{}, forked at {seq}", scenario.name);
            assert!(end.live.replaying_parent, "{place}: it left the recording");
            assert_eq!(calls.load(SeqCst), 0, "{place}: asked live");
            assert_eq!(end.state.nodes, whole.state.nodes, "{place}");
            assert_eq!(end.state.summary(), whole.state.summary(), "{place}");
            let after = &end.entries()[seq + 1..];
            let live = |ev: &Event| matches!(ev, Event::Replied { source, .. } if *source != Source::Recorded);
            assert!(!after.iter().any(|entry| live(&entry.ev)), "{place}: a reply says that it is live");
            let recording = read(end.live.path.as_ref().unwrap()).unwrap();
            assert_eq!((recording.header.parent, &recording.state), (Some((before, seq as u64 + 1)), &*end.state), "{place}");
            forks += 1;
        }
        assert!(forks >= 10, "{}: {forks} forks", scenario.name);
        bench.quit().await;
    }
}
