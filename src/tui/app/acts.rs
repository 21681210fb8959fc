//! Commands that tell the runner something, or open the popup that will.

use super::super::command::{Control, Pane, Run};
use super::super::popups::Popup;
use super::super::popups::again::AgainPopup;
use super::super::popups::expand::ExpandPopup;
use super::super::popups::flights::FlightsPopup;
use super::super::popups::limits::LimitsPopup;
use super::super::popups::line::{LineFor, LinePopup};
use super::super::popups::linked::LinkedPopup;
use super::super::popups::override_choice::OverridePopup;
use super::{App, Effect, Page};
use crate::runner::{Command, Pace, PaceChange};
use crate::search::Act;

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
            Control::More => view.graph.more().map(Command::Do),
            Control::Fork => Some(Command::Fork((view.seen() as u64).saturating_sub(1))),
            _ => None,
        };
        if let Some(command) = command {
            self.effects.push(Effect::Send(command));
            return true;
        }
        let popup: Option<Box<dyn Popup>> = match (control, node) {
            (Control::Limits, _) => Some(Box::new(LimitsPopup::new(&view.snapshot.state.settings()))),
            (Control::Linked, _) => Some(Box::new(LinkedPopup::new(&view.scene, first))),
            (Control::Flights, _) => Some(Box::new(FlightsPopup::default())),
            (Control::Hint, Some(node)) => Some(Box::new(LinePopup::new(LineFor::Hint, node, &view.scene))),
            (Control::AnswerByHand, Some(node)) => Some(Box::new(LinePopup::new(LineFor::Answer, node, &view.scene))),
            (Control::SetValue, Some(node)) => Some(Box::new(LinePopup::new(LineFor::Value, node, &view.scene))),
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
