//! Replies that come piece by piece: how a stream is cut into events, and what the reader of a dialect makes of them.

use super::completion::{Completion, NoReply};
use crate::calls::Usage;

/// What a piece adds to the sample of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The choice.
    pub index: u64,
    /// Whether it is reasoning.
    pub reasoning: bool,
    /// The text.
    pub text: String,
}

/// Puts one reply together from its events.
pub trait Reader: Send {
    /// Takes an event; returns what it adds.
    ///
    /// # Errors
    /// [`NoReply`] for an error in the stream, or an event that can't be read.
    fn event(&mut self, event: &Event) -> Result<Vec<Delta>, NoReply>;

    /// What the service has counted by now, where it counts before the end.
    fn counted(&self) -> Option<Usage> {
        None
    }

    /// Whether the server said that this was all.
    fn is_done(&self) -> bool;

    /// The reply.
    ///
    /// # Errors
    /// [`NoReply`] when the stream ended before the reply did.
    fn finish(self: Box<Self>) -> Result<Completion, NoReply>;
}

/// How a stream is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON text a line.
    Lines,
}

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its `event` field; empty without one.
    pub name: String,
    /// Its data.
    pub data: String,
}

/// Cuts the bytes of a stream into events, wherever the network has cut them.
#[derive(Debug)]
pub struct Splitter {
    framing: Framing,
    /// The line that is not over.
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, whose line feed is no line of its own.
    after_return: bool,
    /// The event that is not over.
    event: Event,
    has_data: bool,
}

impl Splitter {
    /// For a stream of this kind.
    pub fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), after_return: false, event: Event::default(), has_data: false }
    }

    /// The events that `bytes` complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(byte),
            }
        }
        events
    }

    /// What is left when the stream has ended: an event without its closing blank line is an event.
    pub fn end(&mut self) -> Vec<Event> {
        let mut events: Vec<Event> = self.end_line().into_iter().collect();
        events.extend(self.end_event());
        events
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}');
        if self.framing == Framing::Lines {
            return (!line.trim().is_empty()).then(|| Event { name: String::new(), data: line.to_owned() });
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            // Comments (keep-alives), ids, retry times.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(events: &[Event]) -> Vec<(&str, &str)> {
        events.iter().map(|e| (e.name.as_str(), e.data.as_str())).collect()
    }

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let stream =
            "\u{feff}: ping\r\n\r\nevent: delta\r\ndata: {\"a\":\r\ndata: \"ß\"}\r\n\r\ndata:x\n\n\nevent: empty\n\ndata: last".as_bytes();
        let wanted = [("delta", "{\"a\":\n\"ß\"}"), ("", "x"), ("", "last")];
        for size in 1..stream.len() {
            let mut splitter = Splitter::new(Framing::Events);
            let mut events: Vec<Event> = stream.chunks(size).flat_map(|piece| splitter.feed(piece)).collect();
            assert_eq!(data(&events), wanted[..2], "{size}");
            events.extend(splitter.end());
            assert_eq!(data(&events), wanted, "{size}");
            assert!(splitter.end().is_empty());
        }
    }

    #[test]
    fn lone_returns_end_lines() {
        let mut splitter = Splitter::new(Framing::Events);
        assert_eq!(data(&splitter.feed(b"data: a\r\rdata: b\r\r")), [("", "a"), ("", "b")]);
    }

    #[test]
    fn lines_are_events_of_their_own() {
        let mut splitter = Splitter::new(Framing::Lines);
        assert_eq!(data(&splitter.feed(b"{\"a\":1}\n\n{\"b\"")), [("", "{\"a\":1}")]);
        assert!(splitter.feed(b":2}").is_empty());
        assert_eq!(data(&splitter.end()), [("", "{\"b\":2}")]);
    }
}
