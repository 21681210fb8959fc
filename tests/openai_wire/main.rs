//! The `openai:MODEL` adapter against a server that behaves as real ones do, faults included.

#[path = "../support/chat.rs"]
mod chat;
mod errors;
mod quirks;
mod reasoning;
mod server;
mod stream;
mod structured;
mod wasted;
mod wire;

use chat::{Outcome, run};
use server::{Answer, Server};
use tree_of_traversals::calls::{Part, PartKind};
use tree_of_traversals::llm::{Chat, ChatConfig, LlmJob, Provider};

/// The key of all tests.
const KEY: &str = "sk-test-DO-NOT-STORE-123";

fn config(server: &Server) -> ChatConfig {
    chat::config(Provider::OpenAi, "gpt-test", &server.url, KEY)
}

fn adapter(server: &Server) -> Chat {
    Chat::new(config(server)).unwrap()
}

/// A job for slots 0, 1, ... with seeds 100, 101, ...
fn job(slots: u32) -> LlmJob {
    let part = |kind, text: &str| Part { kind, text: text.into() };
    let mut job = chat::job(slots, "Act.");
    job.request.model = "gpt-test".to_owned();
    job.request.parts =
        vec![part(PartKind::Instructions, "Walk the graph."), part(PartKind::Question, "Who?"), part(PartKind::Task, "Act.")];
    job
}

/// Runs one call of `slots` slots against these replies.
async fn against(replies: Vec<Answer>, slots: u32) -> (Server, Outcome) {
    let server = Server::replies(replies).await;
    let outcome = run(&adapter(&server), job(slots)).await;
    (server, outcome)
}
