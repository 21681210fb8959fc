//! What comes back: one object, or a line for each piece and a last one that counts.

use crate::calls::{Token, Usage};
use crate::llm::chat::completion::{Choice, Completion, NoReply, Pieces, tokens_in, tokens_of};
use crate::llm::chat::stream::{Delta, Event, Reader};
use serde_json::Value;

/// Reads a whole reply.
///
/// # Errors
/// [`NoReply`] for an error object, cut JSON, or a shape that is none.
pub fn read(body: &[u8], letters: usize) -> Result<Completion, NoReply> {
    let mut stream = Stream::new(letters);
    let data = String::from_utf8_lossy(body).into_owned();
    stream.event(&Event { name: String::new(), data })?;
    Box::new(stream).finish()
}

/// A reply under way.
#[derive(Debug, Default)]
pub struct Stream {
    reasoning: Option<String>,
    text: Pieces,
    /// Its tokens, where log-probabilities came.
    tokens: Vec<Token>,
    /// The last line.
    last: Option<Value>,
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
        let Ok(root) = serde_json::from_str::<Value>(&event.data) else {
            return Err(NoReply::Unreadable("its reply was cut or is no JSON"));
        };
        if root.get("error").is_some_and(|e| !e.is_null()) {
            return Err(NoReply::Error(root));
        }
        let message = root.get("message").unwrap_or(&root);
        let text = message.get("content").or_else(|| root.get("response"));
        if text.is_none() && root.get("done").is_none() {
            return Err(NoReply::Unreadable("its reply has no `message`"));
        }
        let mut deltas = Vec::new();
        if let Some(thought) = message.get("thinking").and_then(Value::as_str).filter(|t| !t.is_empty()) {
            self.reasoning.get_or_insert_default().push_str(thought);
            deltas.push(Delta { index: 0, reasoning: true, text: thought.to_owned() });
        }
        match text {
            Some(Value::String(text)) => {
                self.text.add(text);
                if !text.is_empty() {
                    deltas.push(Delta { index: 0, reasoning: false, text: text.clone() });
                }
            }
            Some(Value::Null) => self.text.add_null(),
            _ => {}
        }
        self.tokens.extend(tokens_in(root.get("logprobs")));
        if root["done"] == true {
            self.last = Some(root);
        }
        Ok(deltas)
    }

    fn is_done(&self) -> bool {
        self.last.is_some()
    }

    fn finish(self: Box<Self>) -> Result<Completion, NoReply> {
        let Some(last) = self.last else {
            return Err(NoReply::Unreadable("its reply ended before it was done"));
        };
        let finish = last["done_reason"].as_str().map(str::to_owned);
        let choice = Choice { text: self.text.whole(), reasoning: self.reasoning, finish, refusal: None, tokens: self.tokens };
        let count = |name: &str| last.get(name).and_then(Value::as_u64);
        let (prompt, said) = (count("prompt_eval_count"), count("eval_count"));
        let usage = Usage {
            // Left out by some versions when the prompt was in their cache.
            prompt_tokens: prompt.unwrap_or(tokens_of(self.letters)),
            completion_tokens: said.unwrap_or(tokens_of(choice.letters())),
            estimated: prompt.is_none() || said.is_none(),
            ..Usage::default()
        };
        Ok(Completion { choices: vec![choice], usage, reasoned: false })
    }
}
