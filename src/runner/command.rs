//! What a person (or a program) tells the runner.

use crate::calls::{AskId, KgCall};
use crate::search::{Act, ActId, Reading, Seq};
use crate::session::ForkNote;
use std::time::Duration;

/// Whether the engine goes on by itself. Not journaled: a reopened session starts paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Decides and asks as soon as it can, with this pause between decisions.
    Run,
    /// Decides nothing new; replies that are on their way are taken in.
    Paused,
    /// Until the step that is open (or comes next) is closed, then paused.
    Step,
    /// One gate, then paused: one decision, or one round of asks. Prompts to the model are two gates: they are built (and can be
    /// read), then sent.
    Phase,
}

/// A change of the pause between decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaceChange {
    /// Twice as fast.
    Faster,
    /// Half as fast.
    Slower,
    /// Exactly this pause.
    To(Duration),
}

/// What the runner is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Go on, pause, step.
    Pace(Pace),
    /// Pause between decisions.
    Speed(PaceChange),
    /// Pause and drop the calls in flight; their asks stay open.
    Abort,
    /// Cancel this call. To a KG: its ask fails, the step goes on with the rest. To a model: pause and drop it; its ask stays open.
    Cancel(AskId),
    /// Do this act, if it is possible now.
    Do(Act),
    /// Take back the last act in force.
    Undo,
    /// Switch a breakpoint, a rule or a pin on or off, by the act that set it.
    Switch(ActId, bool),
    /// Apply what a person made of the samples that wait for them.
    Decide {
        /// The number of the entry that this becomes: a decision about something older is refused.
        seq: Seq,
        /// What is made of the samples.
        rows: Vec<Reading>,
        /// What the model is to know about it.
        note: Option<String>,
    },
    /// Bring back the act undone last.
    Redo,
    /// The reply that the person typed to an ask (model `human`).
    Reply {
        /// The ask.
        ask: AskId,
        /// The slot.
        slot: u32,
        /// The text.
        text: String,
    },
    /// Look at a KG without a trace. The result is kept in [`super::Live`] until it is dropped.
    Inquire {
        /// A number of the sender's choice.
        id: u64,
        /// What to ask.
        call: KgCall,
    },
    /// Cancel or forget an inquiry.
    DropInquiry(u64),
    /// A new session that goes live after an event.
    Fork {
        /// The event.
        at: Seq,
        /// Whether it stops at the first request that the parent never made, instead of asking it.
        stop: bool,
        /// Why it is made, and the answer that is expected.
        note: ForkNote,
    },
    /// End; everything is on disk.
    Quit,
}
