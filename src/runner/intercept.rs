//! Standing still for the person: breakpoints, and samples that are held back until the person has decided what becomes of them.

use super::command::Pace;
use super::launch::Runner;
use super::live::Proposal;
use crate::search::{By, Event, Halt, HaltCause, Reading, Seq, StepKind, check_decision, upcoming};
use std::collections::HashSet;
use std::sync::Arc;

impl Runner {
    /// Stands still if what was recorded last hit a breakpoint; whether it did.
    pub(super) fn halt_at_breakpoint(&mut self) -> bool {
        if self.hits.is_empty() || !self.unwritten.is_empty() {
            return false;
        }
        // Of a whole round the first is told: three prompts that are too long are one reason to look.
        let mut met = std::mem::take(&mut self.hits);
        let mut seen = HashSet::new();
        met.retain(|(act, _)| seen.insert(*act));
        let (hits, why): (Vec<_>, Vec<_>) = met.into_iter().unzip();
        self.live.pace = Pace::Paused;
        self.clock();
        self.record_time();
        self.push(By::Engine, Event::Halted(Halt { cause: HaltCause::Breakpoint, why: format!("breakpoint: {}", why.join("; ")), hits }));
        true
    }

    /// Whether a decision of the strategy waits for the person: what was read of samples, in a state that is intercepted.
    pub(super) fn holds_back(&mut self, event: &Event) -> bool {
        let Event::Read { step, lane: 0, rows, .. } = event else { return false };
        let Some(of) = self.state.step(*step).filter(|of| of.kind == StepKind::Expand) else { return false };
        let Some(node) = of.node.and_then(|node| self.state.node(node)) else { return false };
        let held = self.equipment.watched && self.state.intercepted().contains(&node.asm);
        if held {
            let proposal = Proposal { seq: self.state.seq, step: *step, node: node.id, rows: rows.clone() };
            self.live.proposal = Some(Arc::new(proposal.clone()));
            self.clock();
            self.record_time();
            // The time may have become an entry.
            self.live.proposal = Some(Arc::new(Proposal { seq: self.state.seq, ..proposal }));
            self.dirty = true;
        }
        held
    }

    /// Applies what the person made of the samples.
    pub(super) fn decide(&mut self, seq: Seq, rows: Vec<Reading>, note: Option<String>) {
        let Some(proposal) = self.live.proposal.clone().filter(|proposal| proposal.seq == seq && seq == self.state.seq) else {
            self.tell("nothing waits for this decision any more");
            return;
        };
        if let Err(refused) = check_decision(&self.state, proposal.step, &proposal.rows, &rows) {
            self.tell(refused.0);
            return;
        }
        self.live.proposal = None;
        let note = note.filter(|note| !note.trim().is_empty());
        let by = if rows == proposal.rows && note.is_none() { By::Engine } else { By::You };
        self.push(by, Event::Read { step: proposal.step, lane: 0, rows, note });
        self.passed_gate(1.0, false);
    }

    /// What comes next while nothing moves, in a sentence.
    pub(super) fn upcoming(&self) -> Option<String> {
        let still = self.live.pace == Pace::Paused && !self.live.replay && !self.is_finished() && self.flights.is_empty();
        still.then(|| upcoming(&self.state, &*self.equipment.strategy)).flatten()
    }
}
