//! The `openai:MODEL` adapter against a server that behaves as real ones do, faults included.

mod errors;
mod quirks;
mod reasoning;
mod server;
mod stream;
mod structured;
mod wire;

use server::{Answer, Server};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tree_of_traversals::calls::{About, AskId, CallError, CallErrorKind, LlmReply, LlmRequest, Part, PartKind, PromptKind, Sample};
use tree_of_traversals::llm::{Chat, ChatConfig, LanguageModel, LlmJob, OnWire, Provider, Secret};

/// The key of all tests.
const KEY: &str = "sk-test-DO-NOT-STORE-123";

/// Quick tries, so that tests don't wait.
fn config(server: &Server) -> ChatConfig {
    ChatConfig {
        base_url: Some(server.url.clone()),
        api_key: Secret::new(KEY),
        timeout: Duration::from_secs(10),
        max_tries: 3,
        first_pause: Duration::from_millis(4),
        ..ChatConfig::new(Provider::OpenAi, "gpt-test")
    }
}

fn adapter(server: &Server) -> Chat {
    Chat::new(config(server)).unwrap()
}

/// A job for slots 0, 1, ... with seeds 100, 101, ...
fn job(slots: u32) -> LlmJob {
    let part = |kind, text: &str| Part { kind, text: text.into() };
    LlmJob {
        ask: AskId(0),
        hash: "".into(),
        nth: 0,
        about: About::default(),
        request: LlmRequest {
            kind: PromptKind::Action,
            model: "gpt-test".to_owned(),
            parts: vec![part(PartKind::Instructions, "Walk the graph."), part(PartKind::Question, "Who?"), part(PartKind::Task, "Act.")],
            temperature_milli: 1000,
            stop: vec!["\n".to_owned()],
            max_tokens: 100,
            slots: (0..slots).map(|slot| (slot, 100 + u64::from(slot))).collect(),
            form: None,
            form_required: false,
            completion: false,
        },
    }
}

/// What a call reported and how it ended.
struct Outcome {
    replies: Vec<LlmReply>,
    /// Everything, in order.
    wire: Vec<OnWire>,
    result: Result<(), CallError>,
}

impl Outcome {
    /// Samples by slot; each slot filled once.
    fn samples(&self) -> Vec<(u32, Sample)> {
        let mut all: Vec<(u32, Sample)> = self.replies.iter().flat_map(|r| r.samples.clone()).collect();
        all.sort_by_key(|(slot, _)| *slot);
        assert!(all.windows(2).all(|w| w[0].0 != w[1].0), "a slot was filled twice: {all:?}");
        all
    }

    /// Texts by slot, of a call that went well.
    fn texts(&self) -> Vec<String> {
        assert_eq!(self.result, Ok(()));
        self.samples().into_iter().map(|(_, s)| s.text.unwrap_or_else(|| "<null>".to_owned())).collect()
    }

    fn prompt_tokens(&self) -> u64 {
        self.replies.iter().map(|r| r.usage.unwrap().prompt_tokens).sum()
    }

    fn completion_tokens(&self) -> u64 {
        self.replies.iter().map(|r| r.usage.unwrap().completion_tokens).sum()
    }

    fn tries(&self) -> usize {
        self.replies.iter().map(|r| usize::try_from(r.tries).unwrap()).sum()
    }

    fn error(&self) -> &CallError {
        self.result.as_ref().expect_err("the call should have failed")
    }

    fn kind(&self) -> CallErrorKind {
        self.error().kind
    }
}

async fn run(model: &Chat, job: LlmJob) -> Outcome {
    let wire: Arc<Mutex<Vec<OnWire>>> = Arc::default();
    let sink = Arc::clone(&wire);
    let result = model.complete(job, Arc::new(move |came: OnWire| sink.lock().unwrap().push(came))).await;
    let wire = wire.lock().unwrap().clone();
    Outcome { replies: wire.iter().cloned().filter_map(OnWire::reply).collect(), wire, result }
}

/// Runs one call of `slots` slots against these replies.
async fn against(replies: Vec<Answer>, slots: u32) -> (Server, Outcome) {
    let server = Server::replies(replies).await;
    let outcome = run(&adapter(&server), job(slots)).await;
    (server, outcome)
}
