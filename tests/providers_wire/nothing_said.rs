//! Null and empty replies of every provider, in pieces and whole, are told apart.

use super::chat::{config, job, run};
use super::http::Reply;
use super::services::anthropic::{self, event};
use super::services::{KEY, Service, bedrock, json_reply, ollama, stream_reply};
use serde_json::{Value, json};
use tree_of_traversals::asm::{Expect, parse};
use tree_of_traversals::llm::{Chat, ChatConfig, Provider};

const EMPTY: &str = "the reply is empty";
const NULL: &str = "the service sent no text";

/// How the reply `said` of the service is called.
async fn named(service: &Service, provider: Provider, model: &str, stream: bool, said: Reply) -> &'static str {
    service.fails_with([said]);
    let model = Chat::new(ChatConfig { stream, ..config(provider, model, &service.url(), KEY) }).unwrap();
    let mut wanted = job(1, "Act.");
    // With stop strings an empty reply is asked for once more.
    wanted.request.stop.clear();
    let sample = run(&model, wanted).await.sample();
    assert_eq!(sample.text.as_deref(), (sample.text.is_some()).then_some(""));
    parse(&Expect::Action, &sample, &|_| false).expect_err("there is nothing to read").why()
}

#[tokio::test]
async fn by_anthropic() {
    let service = anthropic::start();
    let ask = |stream, said| named(&service, Provider::Anthropic, anthropic::MODEL, stream, said);
    let usage = json!({"input_tokens": 9, "output_tokens": 1});
    let block = json!({"type": "text", "text": ""});
    for (content, name) in [(json!([]), NULL), (json!(null), NULL), (json!([block]), EMPTY)] {
        let message = json!({"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn", "usage": usage});
        assert_eq!(ask(false, json_reply(200, "", &message)).await, name, "{content}");
    }
    for (blocks, name) in [(vec![], NULL), (vec![json!({"type": "content_block_start", "index": 0, "content_block": block})], EMPTY)] {
        let start = json!({"type": "message_start", "message": {"content": [], "usage": usage}});
        let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}});
        let events = std::iter::once(start).chain(blocks).chain([end, json!({"type": "message_stop"})]);
        let body: String = events.map(|data| event(data["type"].as_str().unwrap(), &data)).collect();
        assert_eq!(ask(true, stream_reply("text/event-stream", &body)).await, name, "{body}");
    }
}

#[tokio::test]
async fn by_ollama() {
    let service = ollama::start(ollama::Age::New);
    let ask = |stream, said| named(&service, Provider::Ollama, ollama::MODEL, stream, said);
    let line = |content: &Value, done: bool| {
        let message = json!({"role": "assistant", "content": content});
        let mut line = json!({"model": ollama::MODEL, "message": message, "done": done});
        if done {
            line["done_reason"] = json!("stop");
        }
        line
    };
    for (content, name) in [(json!(null), NULL), (json!(""), EMPTY)] {
        assert_eq!(ask(false, json_reply(200, "", &line(&content, true))).await, name, "{content}");
        // The last line has an empty text whatever the reply was.
        let body = format!("{}\n{}\n", line(&content, false), line(&json!(""), true));
        assert_eq!(ask(true, stream_reply("application/x-ndjson", &body)).await, name, "{body}");
    }
}

#[tokio::test]
async fn by_bedrock() {
    let service = bedrock::start();
    for (content, name) in [(json!([]), NULL), (json!(null), NULL), (json!([{"text": ""}]), EMPTY)] {
        let reply = json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn", "usage": {"inputTokens": 9, "outputTokens": 1}});
        assert_eq!(named(&service, Provider::Bedrock, bedrock::MODEL, false, json_reply(200, "", &reply)).await, name, "{content}");
    }
}
