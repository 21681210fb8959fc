//! What is going on now: never in the journal, beside the state in every snapshot.

use super::command::Pace;
use super::learnt::Learnt;
use super::waits::Wait;
use crate::calls::{AskId, CallError, KgReply, Piece};
use crate::graph::KgName;
use crate::search::{Entry, NodeId, Reading, Seq, State, StepId};
use crate::session::{ForkNote, Timeline};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The ask.
    pub ask: AskId,
    /// Since when.
    pub since: Instant,
    /// What is asked, for the screen: `samples of node 4`, `edges P161 (demo)`.
    pub what: String,
    /// The KG that was asked; none: the model.
    pub kg: Option<KgName>,
    /// Whether a person has to answer it (model `human`).
    pub human: bool,
}

/// An inquiry of a person to a KG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inquiry {
    /// The sender's number.
    pub id: u64,
    /// The result, when it is there.
    pub result: Option<Result<Arc<KgReply>, CallError>>,
}

/// What was read of the samples of a step, held back for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The number of the entry that it becomes.
    pub seq: Seq,
    /// The step.
    pub step: StepId,
    /// The node that is expanded.
    pub node: NodeId,
    /// What was read.
    pub rows: Vec<Reading>,
}

/// Samples that are being written, as far as they have come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writing(BTreeMap<(AskId, u32), Arc<Draft>>);

/// A sample that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Its reasoning so far.
    pub reasoning: String,
    /// Its answer so far.
    pub text: String,
}

impl Writing {
    /// Takes up a piece.
    pub fn add(&mut self, ask: AskId, piece: Piece) {
        let draft = Arc::make_mut(self.0.entry((ask, piece.slot)).or_default());
        let into = if piece.reasoning { &mut draft.reasoning } else { &mut draft.text };
        into.push_str(&piece.text);
    }

    /// Forgets these slots of an ask: their reply is there, or they are asked for again.
    pub(super) fn drop_slots(&mut self, ask: AskId, slots: &[u32]) {
        self.0.retain(|(of, slot), _| *of != ask || !slots.contains(slot));
    }

    /// Forgets all that is written for asks that are not on their way any more.
    pub(super) fn keep_only(&mut self, on_its_way: impl Fn(AskId) -> bool) {
        self.0.retain(|(ask, _), _| on_its_way(*ask));
    }

    /// How much is written (bytes of all drafts).
    #[must_use]
    pub fn letters(&self) -> usize {
        self.0.values().map(|draft| draft.reasoning.len() + draft.text.len()).sum()
    }

    /// What is being written for an ask, by slot.
    pub fn of(&self, ask: AskId) -> impl Iterator<Item = (u32, &Draft)> {
        self.0.range((ask, 0)..=(ask, u32::MAX)).map(|((_, slot), draft)| (*slot, &**draft))
    }
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// The engine goes on by itself.
    Running,
    /// No new decisions, and this many calls are still on their way.
    Pausing(usize),
    /// Nothing moves.
    Paused,
    /// Until the step is closed.
    Stepping,
    /// A person has to answer (model `human`), or to decide about samples that are held back.
    WaitingForYou,
    /// The search ended (an act or a larger budget goes on).
    Finished,
    /// A recording: no model, no KG.
    Replay,
}

/// What is going on now.
#[derive(Clone, Debug)]
pub struct Live {
    /// The pace that was asked for.
    pub pace: Pace,
    /// The pause between decisions.
    pub pause: Duration,
    /// Calls on their way.
    pub flights: Vec<Flight>,
    /// KGs and models that requests wait for now.
    pub waits: Vec<Wait>,
    /// What the models turned out to be like.
    pub learnt: Arc<Learnt>,
    /// Samples that are being written.
    pub writing: Writing,
    /// Inquiries.
    pub inquiries: Vec<Inquiry>,
    /// What was read of samples and waits for the person before it is applied.
    pub proposal: Option<Arc<Proposal>>,
    /// While the search stands still: what comes next, in a sentence.
    pub upcoming: Option<String>,
    /// The last thing to tell the person (a refusal, a fork, a full disk), with its number so that it shows once.
    pub notice: Option<(u64, String)>,
    /// Commands that were taken up so far: who sent the n-th sees what came of it when this is n.
    pub obeyed: u64,
    /// In a fork: replies still come from the parent's recording. Cleared at the first miss.
    pub replaying_parent: bool,
    /// The session this is.
    pub session: String,
    /// Its file, when it is on disk.
    pub path: Option<PathBuf>,
    /// The file of a recording that is only looked at: it is never written.
    pub seen_at: Option<PathBuf>,
    /// The parent of a fork and the entry after which it went live.
    pub parent: Option<(String, Seq)>,
    /// The parent's file when the fork was made, where that is known.
    pub parent_path: Option<PathBuf>,
    /// Why it was forked, and the answer that is expected.
    pub fork: ForkNote,
    /// In a fork: it stops at the first request that its parent never made.
    pub stops_at_miss: bool,
    /// Whether this is a recording that is only looked at.
    pub replay: bool,
    /// Milliseconds that the search ran (pauses not counted).
    pub ran_ms: u64,
}

impl Live {
    /// Its file, and that of its parent, where they are known.
    #[must_use]
    pub fn places(&self) -> [Option<PathBuf>; 2] {
        [self.path.clone().or_else(|| self.seen_at.clone()), self.parent_path.clone()]
    }
}

/// What the screen draws: state, recording and what is going on, all of one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The state now.
    pub state: Arc<State>,
    /// Everything up to now, for looking back.
    pub timeline: Arc<Timeline>,
    /// What is going on.
    pub live: Live,
}

impl Snapshot {
    /// What the header says.
    #[must_use]
    pub fn run_state(&self) -> RunState {
        let live = &self.live;
        if live.replay {
            return RunState::Replay;
        }
        if live.proposal.is_some() || live.flights.iter().any(|f| f.human) {
            return RunState::WaitingForYou;
        }
        let finished = self.state.finished.as_deref().is_some_and(|(_, seq)| *seq >= self.state.reconsider);
        match live.pace {
            _ if finished && live.flights.is_empty() => RunState::Finished,
            Pace::Run => RunState::Running,
            Pace::Step | Pace::Phase => RunState::Stepping,
            Pace::Paused if live.flights.is_empty() => RunState::Paused,
            Pace::Paused => RunState::Pausing(live.flights.len()),
        }
    }

    /// The entries so far.
    #[must_use]
    pub fn entries(&self) -> &[Arc<Entry>] {
        self.timeline.entries()
    }
}
