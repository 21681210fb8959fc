//! Replies of a service that were recorded, read as they would be from the wire. Fuzz targets and tests come in here.

use super::Provider;
use super::completion::{Completion, NoReply};
use super::stream::Splitter;

impl Provider {
    /// The texts of a recorded reply, by choice; `None` where a choice has none. A reply that came whole is one piece of bytes read with
    /// `streamed` false; of a streamed one, the pieces as the network cut them.
    ///
    /// # Errors
    /// Why the bytes are no reply of this provider.
    pub fn texts_of(self, pieces: &[&[u8]], streamed: bool) -> Result<Vec<Option<String>>, String> {
        let base = "http://127.0.0.1:1";
        let dialect = self.dialect(Some(base), "recorded").map_err(|e| e.message)?;
        let completion = match dialect.reader(0).filter(|_| streamed) {
            Some((framing, mut reader)) => {
                let mut splitter = Splitter::new(framing);
                let mut events: Vec<_> = pieces.iter().flat_map(|piece| splitter.feed(piece)).collect();
                events.extend(splitter.end());
                events.iter().try_for_each(|event| reader.event(event).map(|_| ())).and_then(|()| reader.finish())
            }
            None => dialect.read(&pieces.concat(), 0),
        };
        completion.map(|Completion { choices, .. }| choices.into_iter().map(|choice| choice.text).collect()).map_err(|no_reply| {
            match no_reply {
                NoReply::Error(root) => format!("an error: {root}"),
                NoReply::Unreadable(what) => what.to_owned(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_stream_is_read_however_it_was_cut() {
        let stream = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ANSWER: \"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        for cut in 0..stream.len() {
            let (head, tail) = stream.split_at(cut);
            assert_eq!(Provider::OpenAi.texts_of(&[head, tail], true), Ok(vec![Some("ANSWER: x".to_owned())]), "{cut}");
        }
        assert!(Provider::OpenAi.texts_of(&[b"<html>"], false).is_err());
    }
}
