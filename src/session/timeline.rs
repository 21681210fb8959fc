//! A session in memory: its entries, with a checkpoint every 256 for looking back.

use crate::search::{ApplyError, Entry, Seq, State};
use std::sync::Arc;

/// Entries between two checkpoints.
const STRIDE: usize = 256;

/// Entries and checkpoints.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    entries: Vec<Arc<Entry>>,
    /// The state before entry `i * STRIDE`.
    checkpoints: Vec<Arc<State>>,
}

impl Timeline {
    /// Everything so far.
    #[must_use]
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Takes up the next entry; `before` is the state before it.
    pub fn push(&mut self, entry: Arc<Entry>, before: &State) {
        if self.entries.len().is_multiple_of(STRIDE) {
            self.checkpoints.push(Arc::new(before.clone()));
        }
        self.entries.push(entry);
    }

    /// The state after the first `count` entries (all, if there are fewer).
    ///
    /// # Errors
    /// An entry that does not fit (a journal that was checked on reading has none).
    pub fn state_at(&self, count: Seq) -> Result<State, ApplyError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.entries.len());
        let Some(last) = self.checkpoints.len().checked_sub(1) else { return Ok(State::default()) };
        let at = (count / STRIDE).min(last);
        let mut state = State::clone(&self.checkpoints[at]);
        for entry in &self.entries[at * STRIDE..count] {
            state.apply(entry)?;
        }
        Ok(state)
    }

    /// Reads a whole recording.
    ///
    /// # Errors
    /// The first entry that does not fit.
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Result<(Self, State), ApplyError> {
        let (mut timeline, mut state) = (Self::default(), State::default());
        for entry in entries {
            let entry = Arc::new(entry);
            let before = if timeline.entries.len().is_multiple_of(STRIDE) { Some(state.clone()) } else { None };
            state.apply(&entry)?;
            if let Some(before) = before {
                timeline.checkpoints.push(Arc::new(before));
            }
            timeline.entries.push(entry);
        }
        Ok((timeline, state))
    }
}
