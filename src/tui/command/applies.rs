//! Whether a command can be used now, and if not, why: the reason that palette and help show beside the dimmed row.

use super::{Control, Pane};
use crate::asm::AsmState;

/// What the search does. Derived from the snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// It runs.
    Running,
    /// It was told to wait, and calls are still in flight.
    Pausing,
    /// It waits.
    #[default]
    Paused,
    /// It does one step.
    Stepping,
    /// It needs a person: a reply of the human model, or a choice of linked entities.
    Waiting,
    /// It ended; acts or larger budgets go on.
    Finished,
    /// There is no engine: a recorded session.
    Recorded,
}

/// What the table needs to know of the selected node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFacts {
    /// Where the walk stands at it.
    pub state: AsmState,
    /// Whether it is the root.
    pub is_root: bool,
    /// Whether it is an answer.
    pub is_answer: bool,
    /// Whether it is an error node.
    pub is_error: bool,
    /// Whether it has children or choices that were not taken.
    pub has_choices: bool,
}

/// What decides whether a command applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// What the search does.
    pub run: Run,
    /// Whether the view is in the past.
    pub past: bool,
    /// Whether the view stands at the first event.
    pub at_start: bool,
    /// Whether there is a session to look at (not on the start page).
    pub session: bool,
    /// Calls in flight.
    pub in_flight: usize,
    /// Whether it stands still because a budget is used up.
    pub used_up: bool,
    /// Whether there is a pause between the steps.
    pub paced: bool,
    /// The selected node.
    pub node: Option<NodeFacts>,
    /// Whether an answer is selected, or the search has one.
    pub has_answer: bool,
    /// Whether there is an act to undo.
    pub can_undo: bool,
    /// Whether there is an undone act to redo.
    pub can_redo: bool,
    /// Whether something is being looked for.
    pub finding: bool,
    /// Whether a node is next.
    pub has_next: bool,
    /// Whether a KG has more of the list under the cursor of the local graph.
    pub has_more: bool,
    /// Whether something is selected in the local graph.
    pub has_fact: bool,
    /// Whether it is a fact, not an entity.
    pub has_edge: bool,
    /// Whether something was found amiss at the start.
    pub has_warnings: bool,
    /// The focused pane.
    pub pane: Option<Pane>,
}

type Answer = Result<(), &'static str>;

fn need(condition: bool, reason: &'static str) -> Answer {
    if condition { Ok(()) } else { Err(reason) }
}

impl Context {
    fn live(&self) -> Answer {
        need(self.session, "no session is open")?;
        need(self.run != Run::Recorded, "this is a recorded session: fork it to go on (`f`)")?;
        need(!self.past, "the view is in the past: go to the present (`)`) or fork here (`f`)")
    }

    fn node(&self) -> Result<NodeFacts, &'static str> {
        self.live()?;
        self.node.ok_or("select a node first")
    }

    fn open_node(&self) -> Result<NodeFacts, &'static str> {
        let node = self.node()?;
        need(!node.is_answer, "nothing follows an answer: select another node")?;
        Ok(node)
    }

    fn in_default(&self, reason: &'static str) -> Answer {
        need(self.open_node()?.state == AsmState::Default, reason)
    }
}

impl Control {
    /// Whether the command can be used now.
    ///
    /// # Errors
    /// The reason why not, in a few words.
    pub fn applies(self, at: &Context) -> Result<(), &'static str> {
        self.fits_pane(at)?;
        match self {
            Self::Pause | Self::Step | Self::StepPhase | Self::Abort | Self::Faster | Self::Slower | Self::Limits => {
                self.applies_to_run(at)
            }
            Self::ExpandByHand
            | Self::Override
            | Self::AnswerByHand
            | Self::Accept
            | Self::Hint
            | Self::SetValue
            | Self::Prune
            | Self::Pin
            | Self::Rules
            | Self::AskAgain
            | Self::Review
            | Self::Linked
            | Self::More
            | Self::Correct
            | Self::Undo
            | Self::Redo => self.applies_by_hand(at),
            Self::EventBack | Self::ExpansionBack | Self::First => {
                need(at.session, "no session is open")?;
                need(!at.at_start, "this is the first event")
            }
            Self::EventForward | Self::ExpansionForward | Self::Latest => {
                need(at.session, "no session is open")?;
                need(at.past, "this is the present")
            }
            Self::Intercept | Self::Breaks => at.live(),
            Self::BreakHere => at.node().map(|_| ()),
            Self::Model => need(!at.session, "in a session `r` chooses the model; here it is for the next question, on the start page"),
            Self::Fork | Self::Compare => need(at.session, "no session is open"),
            Self::FindNext | Self::FindPrevious => need(at.finding, "nothing is being looked for: `/` first"),
            Self::Details => need(at.has_fact, "there is no fact here yet"),
            Self::Warnings => need(at.has_warnings, "nothing was found amiss"),
            Self::Flights => need(at.in_flight > 0, "no call is in flight"),
            Self::JumpNext => need(at.has_next, "no node is next"),
            _ => Ok(()),
        }
    }

    fn fits_pane(self, at: &Context) -> Answer {
        let panes = self.spec().panes;
        need(panes.is_empty() || at.pane.is_some_and(|pane| panes.contains(&pane)), "another pane has the focus")
    }

    fn applies_to_run(self, at: &Context) -> Answer {
        need(at.session, "no session is open")?;
        need(at.run != Run::Recorded, "this is a recorded session: fork it to go on (`f`)")?;
        match self {
            Self::Pause => {
                need(at.run != Run::Finished, "the search has ended: raise the limits (`L`) or act by hand")?;
                need(!at.used_up, "a budget is used up: raise it first (`L`)")
            }
            Self::Step | Self::StepPhase => {
                need(at.run != Run::Finished, "the search has ended: raise the limits (`L`) or act by hand")?;
                need(!at.used_up, "a budget is used up: raise it first (`L`)")?;
                need(at.run != Run::Waiting, "the search waits for you")
            }
            Self::Abort => need(at.in_flight > 0, "no call is in flight"),
            Self::Faster => need(at.paced, "there is no pause between the steps to shorten"),
            _ => Ok(()),
        }
    }

    fn applies_by_hand(self, at: &Context) -> Answer {
        match self {
            Self::ExpandByHand => at.open_node().map(|_| ()),
            Self::Override => {
                let node = at.node()?;
                need(node.has_choices || !node.is_root, "the model has not chosen here yet: expand by hand (`e`)")
            }
            Self::AnswerByHand | Self::Hint => {
                at.in_default("an expansion is under way here: select entities or a relation (`e`), or go to its parent")
            }
            Self::Accept => need(at.node()?.is_answer, "the selected node is no answer"),
            Self::SetValue => need(!at.node()?.is_root, "the question has no value"),
            Self::Prune => need(!at.node()?.is_root, "the question can't be pruned"),
            Self::AskAgain | Self::Pin => at.node().map(|_| ()),
            Self::Rules => at.live(),
            Self::Review => at.live().and_then(|()| need(at.has_answer, "only an answer rests on facts: select one (★)")),
            Self::Linked => at.live(),
            Self::Correct => at.node().and_then(|_| need(at.has_edge, "select a fact first, in the table or the net (`.`)")),
            Self::More => at.live().and_then(|()| need(at.has_more, "no KG cut anything here: select a row with ◐, or a fact of its list")),
            Self::Undo => at.live().and_then(|()| need(at.can_undo, "there is no act of yours to undo")),
            Self::Redo => at.live().and_then(|()| need(at.can_redo, "nothing was undone")),
            _ => Ok(()),
        }
    }
}
