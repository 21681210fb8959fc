//! A message as events: `message_start`, blocks with their deltas, `message_delta` with the reason, `message_stop`.

use super::reply::{self, Said};
use crate::calls::Usage;
use crate::llm::chat::completion::{Completion, NoReply, tokens_of};
use crate::llm::chat::stream::{Delta, Event, Reader};
use serde_json::{Map, Value};

/// A message under way.
#[derive(Debug, Default)]
pub struct Stream {
    said: Said,
    begun: bool,
    finish: Option<String>,
    details: Value,
    usage: Map<String, Value>,
    /// Whether the tokens of the whole reply were counted, and not only those of its beginning.
    whole: bool,
    done: bool,
    letters: usize,
}

impl Stream {
    /// For a prompt of so many letters.
    pub fn new(letters: usize) -> Self {
        Self { letters, ..Self::default() }
    }

    /// Later counts replace earlier ones, name by name.
    fn count(&mut self, usage: &Value) {
        self.usage.extend(usage.as_object().into_iter().flatten().filter(|(_, n)| !n.is_null()).map(|(name, n)| (name.clone(), n.clone())));
    }

    fn delta(&mut self, delta: &Value) -> Option<Delta> {
        let of = |name: &str| delta[name].as_str().unwrap_or_default();
        let (reasoning, text) = match delta["type"].as_str()? {
            "text_delta" => {
                self.said.text(of("text"));
                (false, of("text"))
            }
            "thinking_delta" => {
                self.said.thinking(of("thinking"));
                (true, of("thinking"))
            }
            "input_json_delta" => {
                self.said.input(of("partial_json"));
                (false, of("partial_json"))
            }
            // Signatures, citations.
            _ => return None,
        };
        (!text.is_empty()).then(|| Delta { index: 0, reasoning, text: text.to_owned() })
    }
}

impl Reader for Stream {
    fn event(&mut self, event: &Event) -> Result<Vec<Delta>, NoReply> {
        let Ok(root) = serde_json::from_str::<Value>(&event.data) else {
            return Err(NoReply::Unreadable("its stream has an event that is no JSON"));
        };
        match root["type"].as_str().unwrap_or(&event.name) {
            "error" => return Err(NoReply::Error(root)),
            "message_start" => {
                self.begun = true;
                self.count(&root["message"]["usage"]);
            }
            "content_block_start" => self.said.begin(&root["content_block"]),
            "content_block_delta" => return Ok(self.delta(&root["delta"]).into_iter().collect()),
            "message_delta" => {
                self.count(&root["usage"]);
                self.whole |= root["usage"]["output_tokens"].is_u64();
                if let Some(details) = root["delta"].get("stop_details") {
                    self.details = details.clone();
                }
                if let Some(reason) = root["delta"]["stop_reason"].as_str() {
                    self.finish = Some(reason.to_owned());
                }
            }
            "message_stop" => self.done = true,
            // Pings, the ends of blocks, and what newer versions add.
            _ => {}
        }
        Ok(Vec::new())
    }

    /// The prompt is counted before the first text; of the reply only its beginning is.
    fn counted(&self) -> Option<Usage> {
        reply::counted(&Value::Object(self.usage.clone()))
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>) -> Result<Completion, NoReply> {
        if !self.begun {
            return Err(NoReply::Unreadable("its stream has no message"));
        }
        if self.finish.is_none() && !self.done {
            return Err(NoReply::Unreadable("its stream ended in the midst of the reply"));
        }
        let mut completion = self.said.complete(self.finish, &self.details, &Value::Object(self.usage), self.letters);
        if !self.whole {
            // Services that speak alike may leave the last count out.
            let said = completion.choices.iter().map(|choice| tokens_of(choice.letters())).sum();
            let usage = &mut completion.usage;
            (usage.completion_tokens, usage.estimated) = (usage.completion_tokens.max(said), true);
        }
        Ok(completion)
    }
}
