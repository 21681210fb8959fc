//! Looking at KGs without a trace: what a popup asked, and what came.

use crate::calls::{CallError, KgCall, KgReply};
use crate::runner::{Command, Live};
use std::sync::Arc;

/// The inquiries of a popup.
#[derive(Debug)]
pub struct Inquiries {
    next: u64,
    open: Vec<(u64, KgCall)>,
}

impl Inquiries {
    /// No inquiry yet; numbers from `first` on are this popup's.
    pub const fn new(first: u64) -> Self {
        Self { next: first, open: Vec::new() }
    }

    /// Forgets what was asked before and asks these.
    pub fn ask(&mut self, calls: Vec<KgCall>) -> Vec<Command> {
        let mut commands = self.drop_all();
        for call in calls {
            let id = self.next;
            self.next += 1;
            self.open.push((id, call.clone()));
            commands.push(Command::Inquire { id, call });
        }
        commands
    }

    /// Cancels and forgets everything.
    pub fn drop_all(&mut self) -> Vec<Command> {
        self.open.drain(..).map(|(id, _)| Command::DropInquiry(id)).collect()
    }

    /// Every call with its result so far.
    pub fn results<'a>(&'a self, live: &'a Live) -> impl Iterator<Item = (&'a KgCall, Option<&'a Result<Arc<KgReply>, CallError>>)> {
        self.open.iter().map(|(id, call)| {
            let found = live.inquiries.iter().find(|inquiry| inquiry.id == *id);
            (call, found.and_then(|inquiry| inquiry.result.as_ref()))
        })
    }

    /// How many have no result yet.
    pub fn missing(&self, live: &Live) -> usize {
        self.results(live).filter(|(_, result)| result.is_none()).count()
    }

    /// Whether anything was asked.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
