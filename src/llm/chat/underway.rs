//! One request that is out: its pieces as they are shown, and what it has taken of tokens by now.

use super::completion::{estimated, tokens_of};
use super::fault::Fault;
use super::send::{BodyError, Want};
use super::stream::Delta;
use crate::calls::{Piece, Usage, Wasted};
use crate::llm::{OnWire, Wire};
use std::time::Instant;

/// Fields of a reply under which its text stands, in whichever dialect.
const TEXTS: [&str; 3] = ["\"content\"", "\"response\"", "\"text\""];

/// A request that is out.
///
/// A service charges for what it has read and written, whether or not anybody takes the reply. So a request that ends without one
/// after the service had begun to answer, or had kept it waiting until the time was up, is reported with what it has taken; what is
/// still out says so all along, for whoever drops it. A refusal costs nothing.
pub struct Underway<'a> {
    wire: &'a Wire,
    wants: &'a [Want],
    /// Letters of the prompt.
    prompt: usize,
    since: Instant,
    /// Letters that came, with reasoning.
    letters: usize,
    /// What the service itself has counted by now.
    counted: Option<Usage>,
    /// Whether no answer came in time: the service may have worked all the while.
    late: bool,
    /// Whether the service said that it failed.
    refused: bool,
    shown: bool,
}

impl<'a> Underway<'a> {
    /// For these slots and a prompt of so many letters. Nothing is out yet.
    pub fn new(wire: &'a Wire, wants: &'a [Want], prompt: usize) -> Self {
        let since = Instant::now();
        Self { wire, wants, prompt, since, letters: 0, counted: None, late: false, refused: false, shown: false }
    }

    /// The request goes out.
    pub fn out(&mut self) {
        self.since = Instant::now();
        self.report(Some(self.usage()));
    }

    /// Pieces came, and the service counted this by now. Whether there was any text.
    pub fn came(&mut self, deltas: &[Delta], counted: Option<Usage>) -> bool {
        for delta in deltas {
            self.letters += delta.text.chars().count();
            if let Some(want) = usize::try_from(delta.index).ok().and_then(|at| self.wants.get(at)) {
                self.shown = true;
                (self.wire)(OnWire::Piece(Piece { slot: want.slot, reasoning: delta.reasoning, text: delta.text.clone() }));
            }
        }
        if !deltas.is_empty() || counted.is_some() && counted != self.counted {
            self.counted = counted.or(self.counted);
            self.report(Some(self.usage()));
        }
        !deltas.is_empty()
    }

    /// The beginning of a whole reply came, and no more of it.
    pub fn came_in_part(&mut self, body: &[u8]) {
        if body.trim_ascii_start().starts_with(b"{") {
            let body = String::from_utf8_lossy(body);
            let text = TEXTS.iter().filter_map(|name| Some(body.find(name)? + name.len())).min();
            self.letters = text.map_or(0, |at| body[at..].trim_start_matches([':', ' ', '"']).chars().count());
        }
    }

    /// The reply could not be taken in.
    pub fn broke(&mut self, error: BodyError) -> BodyError {
        self.late |= matches!(error, BodyError::Late(_));
        error
    }

    /// The service says in the place of a reply, or in the midst of one, that it failed.
    pub fn refused(&mut self) {
        self.refused = true;
    }

    /// The request is over.
    pub fn end<T>(self, got: &Result<T, Fault>) {
        let counted = self.counted.is_some() && !self.refused;
        if got.is_err() && (self.letters > 0 || self.late || counted) {
            let took_ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
            (self.wire)(OnWire::Wasted(self.number(), Wasted { usage: self.usage(), took_ms, requests: 1 }));
        } else {
            self.report(None);
        }
        if self.shown && got.is_err() {
            (self.wire)(OnWire::Dropped(self.wants.iter().map(|want| want.slot).collect()));
        }
    }

    /// What it has taken by now: an estimate, as more may have been written than has come.
    fn usage(&self) -> Usage {
        let usage = self.counted.unwrap_or_else(|| estimated(self.prompt, 0));
        Usage { completion_tokens: usage.completion_tokens.max(tokens_of(self.letters)), estimated: true, ..usage }
    }

    /// Requests that are out at the same time ask for different slots.
    fn number(&self) -> u32 {
        self.wants.first().map_or(0, |want| want.slot)
    }

    fn report(&self, so_far: Option<Usage>) {
        (self.wire)(OnWire::Underway(self.number(), so_far));
    }
}
