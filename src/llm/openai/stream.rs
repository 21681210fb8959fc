//! A reply as `chat.completion.chunk` events (or `text_completion` ones): choices by index, tokens in the last event.

use super::reply;
use crate::calls::Usage;
use crate::llm::chat::completion::{Choice, Completion, NoReply, Pieces};
use crate::llm::chat::stream::{Delta, Event, Reader};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A reply under way.
#[derive(Debug, Default)]
pub struct Stream {
    choices: BTreeMap<u64, (Choice, Pieces)>,
    usage: Value,
    timings: Value,
    done: bool,
    letters: usize,
}

impl Stream {
    /// For a prompt of so many letters.
    pub fn new(letters: usize) -> Self {
        Self { letters, ..Self::default() }
    }
}

impl Reader for Stream {
    fn event(&mut self, event: &Event) -> Result<Vec<Delta>, NoReply> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let Ok(root) = serde_json::from_str::<Value>(data) else {
            return Err(NoReply::Unreadable("its stream has an event that is no JSON"));
        };
        let is_error = |value: &Value| value.get("error").is_some_and(|e| !e.is_null());
        // The second is vLLM's, in mid-stream.
        if is_error(&root) || root["object"] == "error" || event.name == "error" {
            return Err(NoReply::Error(root));
        }
        // Groq puts its count in a place of its own.
        for usage in [root.pointer("/x_groq/usage"), root.get("usage")].into_iter().flatten().filter(|u| u.is_object()) {
            self.usage = usage.clone();
        }
        if let Some(timings) = root.get("timings") {
            self.timings = timings.clone();
        }
        let mut deltas = Vec::new();
        for (at, choice) in root.get("choices").and_then(Value::as_array).into_iter().flatten().enumerate() {
            if is_error(choice) {
                return Err(NoReply::Error(choice.clone()));
            }
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(at as u64);
            let came = reply::read_choice(choice);
            let (so_far, text) = self.choices.entry(index).or_default();
            for (reasoning, text) in [(true, &came.reasoning), (false, &came.text)] {
                if let Some(text) = text.as_ref().filter(|t| !t.is_empty()) {
                    deltas.push(Delta { index, reasoning, text: text.clone() });
                }
            }
            match came.text {
                Some(piece) => text.add(&piece),
                None if ["/delta/content", "/text"].iter().any(|at| choice.pointer(at).is_some_and(Value::is_null)) => text.add_null(),
                None => {}
            }
            for (slot, text) in [(&mut so_far.reasoning, came.reasoning), (&mut so_far.refusal, came.refusal)] {
                if let Some(text) = text {
                    slot.get_or_insert_default().push_str(&text);
                }
            }
            so_far.tokens.extend(came.tokens);
            so_far.finish = came.finish.filter(|f| !f.is_empty()).or(so_far.finish.take());
        }
        Ok(deltas)
    }

    /// Some servers count with every piece.
    fn counted(&self) -> Option<Usage> {
        self.usage.is_object().then(|| reply::complete(Vec::new(), &json!({"usage": self.usage}), self.letters).usage)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>) -> Result<Completion, NoReply> {
        if self.choices.is_empty() {
            return Err(NoReply::Unreadable("its stream has no `choices`"));
        }
        // A reason or `[DONE]` is the end; without either the connection was lost.
        if !self.done && self.choices.values().any(|(choice, _)| choice.finish.is_none()) {
            return Err(NoReply::Unreadable("its stream ended in the midst of the reply"));
        }
        let choices = self.choices.into_values().map(|(choice, text)| Choice { text: text.whole(), ..choice }).collect();
        Ok(reply::complete(choices, &json!({"usage": self.usage, "timings": self.timings}), self.letters))
    }
}
