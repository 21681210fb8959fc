//! One call of a chat adapter in a test: the job, and what came of it.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tree_of_traversals::calls::{
    About, AskId, CallError, CallErrorKind, LlmReply, LlmRequest, Part, PartKind, Piece, PromptKind, Sample, Usage, Wasted,
};
use tree_of_traversals::llm::{Chat, ChatConfig, LanguageModel, LlmJob, OnWire, Provider, Secret};

/// Quick tries, so that tests don't wait.
pub fn config(provider: Provider, model: &str, url: &str, key: &str) -> ChatConfig {
    ChatConfig {
        base_url: Some(url.to_owned()),
        api_key: Secret::new(key),
        timeout: Duration::from_secs(10),
        max_tries: 3,
        first_pause: Duration::from_millis(4),
        ..ChatConfig::new(provider, model)
    }
}

/// A job for slots 0, 1, ... with seeds 100, 101, ... and this task at the end of the prompt.
pub fn job(slots: u32, task: &str) -> LlmJob {
    let part = |kind, text: &str| Part { kind, text: text.into() };
    LlmJob {
        ask: AskId(0),
        about: About::default(),
        hash: "".into(),
        nth: 0,
        request: LlmRequest {
            kind: PromptKind::Action,
            model: "m".to_owned(),
            parts: vec![
                part(PartKind::Instructions, "Walk the graph."),
                part(PartKind::Question, "Which city?"),
                part(PartKind::Graph, "Norway: capital Oslo"),
                part(PartKind::Task, task),
            ],
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
pub struct Outcome {
    pub replies: Vec<LlmReply>,
    /// Everything, in order.
    pub wire: Vec<OnWire>,
    pub result: Result<(), CallError>,
}

impl Outcome {
    /// Samples by slot; each slot filled once.
    pub fn samples(&self) -> Vec<(u32, Sample)> {
        let mut all: Vec<(u32, Sample)> = self.replies.iter().flat_map(|r| r.samples.clone()).collect();
        all.sort_by_key(|(slot, _)| *slot);
        assert!(all.windows(2).all(|w| w[0].0 != w[1].0), "a slot was filled twice: {all:?}");
        all
    }

    /// Texts by slot, of a call that went well.
    pub fn texts(&self) -> Vec<String> {
        assert_eq!(self.result, Ok(()));
        self.samples().into_iter().map(|(_, s)| s.text.unwrap_or_else(|| "<null>".to_owned())).collect()
    }

    /// The only sample of a call that went well.
    pub fn sample(&self) -> Sample {
        assert_eq!(self.result, Ok(()));
        let samples = self.samples();
        assert_eq!(samples.len(), 1);
        samples[0].1.clone()
    }

    /// Tokens of all replies.
    pub fn usage(&self) -> Usage {
        let mut all = Usage::default();
        self.replies.iter().for_each(|reply| all += reply.usage.unwrap());
        all
    }

    /// What requests took that brought nothing, in order.
    pub fn wasted(&self) -> Vec<Wasted> {
        self.wire.iter().filter_map(|came| if let OnWire::Wasted(_, wasted) = came { Some(*wasted) } else { None }).collect()
    }

    pub fn tries(&self) -> u32 {
        self.replies.iter().map(|r| r.tries).sum()
    }

    pub fn error(&self) -> &CallError {
        self.result.as_ref().expect_err("the call should have failed")
    }

    pub fn kind(&self) -> CallErrorKind {
        self.error().kind
    }

    /// The text of a slot that was shown and not thrown away again.
    pub fn shown(&self, wanted: u32, of_reasoning: bool) -> String {
        let mut text = String::new();
        for came in &self.wire {
            match came {
                OnWire::Piece(Piece { slot, reasoning, text: more }) if *slot == wanted && *reasoning == of_reasoning => {
                    text.push_str(more)
                }
                OnWire::Dropped(slots) if slots.contains(&wanted) => text.clear(),
                _ => {}
            }
        }
        text
    }

    /// How often something was thrown away.
    pub fn dropped(&self) -> usize {
        self.wire.iter().filter(|came| matches!(came, OnWire::Dropped(_))).count()
    }

    /// No secret, no control character, one line, not endless.
    pub fn assert_clean(&self, secrets: &[&str]) {
        let error = self.error();
        for text in [error.to_string(), format!("{error:?}"), serde_json::to_string(error).unwrap()] {
            assert!(secrets.iter().all(|s| !text.contains(s)), "{text}");
        }
        assert!(error.message.len() < 700 && !error.message.contains(char::is_control), "{error}");
    }
}

pub async fn run(model: &Chat, job: LlmJob) -> Outcome {
    let wire: Arc<Mutex<Vec<OnWire>>> = Arc::default();
    let sink = Arc::clone(&wire);
    let result = model.complete(job, Arc::new(move |came: OnWire| sink.lock().unwrap().push(came))).await;
    let wire = wire.lock().unwrap().clone();
    Outcome { replies: wire.iter().cloned().filter_map(OnWire::reply).collect(), wire, result }
}
