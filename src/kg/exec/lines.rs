//! Lines of at most so many bytes out of a stream.

use tokio::io::{AsyncRead, AsyncReadExt};

/// What a stream gives next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A line without its end; the last one may have none.
    Line(Vec<u8>),
    /// The line is longer than allowed; nothing more is read.
    TooLong,
    /// The stream is over.
    End,
}

/// A stream, cut into lines.
pub(super) struct Lines<R> {
    stream: R,
    kept: Vec<u8>,
    /// Bytes of `kept` that hold no line feed.
    seen: usize,
    longest: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(stream: R, longest: usize) -> Self {
        Self { stream, kept: Vec::new(), seen: 0, longest }
    }

    /// What is left of the stream.
    pub(super) fn into_stream(self) -> R {
        self.stream
    }

    pub(super) async fn next(&mut self) -> Next {
        let mut chunk = [0; 16 << 10];
        loop {
            if let Some(at) = self.kept[self.seen..].iter().position(|byte| *byte == b'\n') {
                let rest = self.kept.split_off(self.seen + at + 1);
                let mut line = std::mem::replace(&mut self.kept, rest);
                self.seen = 0;
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Next::Line(line);
            }
            self.seen = self.kept.len();
            if self.seen > self.longest {
                return Next::TooLong;
            }
            match self.stream.read(&mut chunk).await {
                Ok(0) | Err(_) if self.kept.is_empty() => return Next::End,
                Ok(0) | Err(_) => {
                    self.seen = 0;
                    return Next::Line(std::mem::take(&mut self.kept));
                }
                Ok(count) => self.kept.extend_from_slice(&chunk[..count]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], longest: usize) -> Vec<Next> {
        let mut lines = Lines::new(bytes, longest);
        let mut out = Vec::new();
        loop {
            out.push(lines.next().await);
            if !matches!(out.last(), Some(Next::Line(_))) {
                return out;
            }
        }
    }

    #[tokio::test]
    async fn lines_end_with_a_feed_or_the_stream() {
        let line = |text: &str| Next::Line(text.as_bytes().to_vec());
        assert_eq!(all(b"a\r\n\nb\nlast", 10).await, [line("a"), line(""), line("b"), line("last"), Next::End]);
        assert_eq!(all(b"", 10).await, [Next::End]);
    }

    #[tokio::test]
    async fn a_line_that_does_not_end_is_given_up() {
        let long = vec![b'x'; 100_000];
        assert_eq!(all(&long, 50_000).await, [Next::TooLong]);
    }
}
