//! The explorer without a screen: the open step of a flow as a question, and what was said, for a text dialogue.

use super::super::command::{Context, KeyMap};
use super::super::popups::Desk;
use super::super::popups::question::Question;
use super::{App, Page};
use crate::tui::session_view::SessionView;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// More steps than any flow has.
const STEPS: usize = 16;

impl App {
    /// What the open flow asks.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        let desk = Desk { view: self.session(), keys: &self.keys, others: &self.others };
        self.popups.last().map(|popup| popup.question(&desk))
    }

    /// Answers the open flow.
    pub fn answer(&mut self, line: &str) {
        self.message = None;
        let view = match &self.page {
            Page::Session(view) => Some(&**view),
            Page::Start(_) => None,
        };
        if let Some(popup) = self.popups.last_mut() {
            let reaction = popup.answer(line, &Desk { view, keys: &self.keys, others: &self.others });
            self.react(reaction);
        }
    }

    /// Goes back one step of the open flow, from the first one out of it.
    pub fn back(&mut self) {
        let escape = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
        let view = match &self.page {
            Page::Session(view) => Some(&**view),
            Page::Start(_) => None,
        };
        if let Some(popup) = self.popups.last_mut() {
            let reaction = popup.key(&escape, &Desk { view, keys: &self.keys, others: &self.others });
            self.react(reaction);
        }
    }

    /// Leaves the open flow, without a trace.
    pub fn leave(&mut self) {
        let open = self.popups.len();
        for _ in 0..STEPS {
            if self.popups.len() < open || open == 0 {
                return;
            }
            self.back();
        }
        self.popups.pop();
    }

    /// What was said since the last time it was asked for.
    pub fn take_message(&mut self) -> Option<String> {
        self.message.take().map(|(text, _)| text)
    }

    /// What decides which commands apply now.
    #[must_use]
    pub fn standing(&self) -> Context {
        self.context()
    }

    /// The keys.
    #[must_use]
    pub const fn keys(&self) -> &KeyMap {
        &self.keys
    }

    /// The session shown, to look elsewhere in it.
    pub fn session_mut(&mut self) -> Option<&mut SessionView> {
        match &mut self.page {
            Page::Session(view) => Some(view),
            Page::Start(_) => None,
        }
    }
}
