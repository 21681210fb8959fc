//! Commands that tell the runner something, or open the popup that will.

use super::super::command::{Control, Pane, Run};
use super::super::popups::Popup;
use super::super::popups::again::AgainPopup;
use super::super::popups::breaks::BreaksPopup;
use super::super::popups::compare::ComparePopup;
use super::super::popups::correct::CorrectPopup;
use super::super::popups::decide::DecidePopup;
use super::super::popups::expand::ExpandPopup;
use super::super::popups::flights::FlightsPopup;
use super::super::popups::fork::ForkPopup;
use super::super::popups::limits::LimitsPopup;
use super::super::popups::line::{LineFor, LinePopup};
use super::super::popups::linked::LinkedPopup;
use super::super::popups::override_choice::OverridePopup;
use super::super::popups::rules::RulesPopup;
use super::super::theme::Role;
use super::super::views::graph::Looked;
use super::{App, Effect, Page};
use crate::asm::AsmState;
use crate::runner::{Command, Pace, PaceChange};
use crate::search::{Act, Condition, NodeId, State};

impl App {
    /// Does `control` if it is one of these; whether it was.
    pub(super) fn acts(&mut self, control: Control) -> bool {
        let Page::Session(view) = &self.page else { return false };
        let node = view.node();
        let first = self.inquiries;
        let command = match control {
            Control::Pause => Some(Command::Pace(match view.run() {
                Run::Running | Run::Stepping | Run::Waiting => Pace::Paused,
                _ => Pace::Run,
            })),
            Control::Step => Some(Command::Pace(Pace::Step)),
            Control::StepPhase => Some(Command::Pace(Pace::Phase)),
            Control::Abort => Some(Command::Abort),
            Control::Faster => Some(Command::Speed(PaceChange::Faster)),
            Control::Slower => Some(Command::Speed(PaceChange::Slower)),
            Control::Undo => Some(Command::Undo),
            Control::Redo => Some(Command::Redo),
            Control::Accept => node.map(|node| Command::Do(Act::Accept { node })),
            Control::Prune => node.map(|node| Command::Do(Act::Prune { node, on: !view.scene.standing(node).pruned })),
            Control::Pin => node.map(|node| match view.snapshot.state.pin_of(node) {
                Some(act) => Command::Switch(act, false),
                None => Command::Do(Act::Pin { node }),
            }),
            Control::Review => view.answer().map(|node| Command::Do(Act::review(&view.snapshot.state, node, None))),
            Control::More => view.graph.more().map(Command::Do),
            Control::BreakHere => node.map(|node| break_at(&view.snapshot.state, node)),
            Control::Intercept if view.snapshot.live.proposal.is_none() => Some(Command::Do(intercept(&view.snapshot.state))),
            _ => None,
        };
        if let Some(command) = command {
            let said = node.filter(|_| control == Control::BreakHere).map(|node| break_words(&view.snapshot.state, node, &command));
            self.effects.push(Effect::Send(command));
            if let Some(said) = said {
                self.say(said, Role::Accent);
            }
            return true;
        }
        let popup: Option<Box<dyn Popup>> = match (control, node) {
            (Control::Compare, _) => {
                self.effects.push(Effect::List);
                Some(Box::<ComparePopup>::default())
            }
            (Control::Fork, _) => Some(Box::new(ForkPopup::new(view))),
            (Control::Limits, _) => Some(Box::new(LimitsPopup::new(&view.snapshot.state.settings()))),
            (Control::Linked, _) => Some(Box::new(LinkedPopup::new(&view.scene, first))),
            (Control::Rules, _) => Some(Box::new(RulesPopup::new(view))),
            (Control::Breaks, _) => Some(Box::new(BreaksPopup::new(&view.snapshot.state))),
            (Control::Intercept, _) => {
                view.snapshot.live.proposal.as_ref().map(|held| Box::new(DecidePopup::new(&view.scene, held)) as Box<dyn Popup>)
            }
            (Control::Flights, _) => Some(Box::new(FlightsPopup::default())),
            (Control::Hint, Some(node)) => Some(Box::new(LinePopup::new(LineFor::Hint, node, &view.scene))),
            (Control::AnswerByHand, Some(node)) => Some(Box::new(LinePopup::new(LineFor::Answer, node, &view.scene))),
            (Control::SetValue, Some(node)) => Some(Box::new(LinePopup::new(LineFor::Value, node, &view.scene))),
            (Control::Correct, Some(node)) => match view.graph.looked_at() {
                Some(Looked::Fact(edge)) => Some(Box::new(CorrectPopup::new(&view.scene, node, &edge, first))),
                _ => return false,
            },
            (Control::AskAgain, Some(node)) => Some(Box::new(AgainPopup::new(&view.scene, node))),
            (Control::Override, Some(node)) => Some(Box::new(OverridePopup::new(&view.scene, node, first))),
            (Control::ExpandByHand, Some(node)) => {
                let (popup, commands) = ExpandPopup::new(&view.scene, node, None, first);
                self.effects.extend(commands.into_iter().map(Effect::Send));
                let entity = view.graph.entity().filter(|_| view.focus == Pane::Graph);
                Some(Box::new(match entity {
                    Some(entity) => popup.with_entity(&view.scene, &entity),
                    None => popup,
                }))
            }
            _ => return false,
        };
        // Every popup has a thousand numbers for its inquiries.
        self.inquiries += 1000;
        self.popups.extend(popup);
        true
    }
}

/// Sets a breakpoint at a node, or switches the one that is there.
fn break_at(state: &State, node: NodeId) -> Command {
    let condition = Condition::Node(node);
    match state.breakpoints().find(|point| *point.condition == condition) {
        Some(point) => Command::Switch(point.act, !point.on),
        None => Command::Do(Act::Break { condition }),
    }
}

/// What becomes of a breakpoint on this node.
fn break_words(state: &State, node: NodeId, command: &Command) -> String {
    let at = state.node(node);
    if matches!(command, Command::Switch(_, false)) {
        format!("the breakpoint on node {} is off", node.0)
    } else if at.is_some_and(|at| at.expanded.is_some()) {
        format!("a breakpoint on node {}, but it was expanded already: the search stands still there no more", node.0)
    } else if at.is_some_and(|at| at.action.is_answer()) {
        format!("a breakpoint on node {}, but nothing follows an answer: the search never stands still there", node.0)
    } else {
        format!("● stands still before node {} is expanded (B lists breakpoints)", node.0)
    }
}

/// Intercepts in every state, or in none any more.
fn intercept(state: &State) -> Act {
    let all = vec![AsmState::Default, AsmState::SelectingEntities, AsmState::SelectingRelation];
    Act::Intercept { states: if state.intercepted().is_empty() { all } else { Vec::new() } }
}
