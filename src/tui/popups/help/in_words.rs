//! The help, to be read.

use super::super::question::{InWords, Question};
use super::super::{Desk, Reaction};
use super::Help;
use crate::tui::command::{Control, Group};
use crate::tui::session_view::SessionView;

impl InWords for Help {
    fn question(&self, desk: &Desk<'_>) -> Question {
        let at = desk.view.map(SessionView::context).unwrap_or_default();
        let mut text = Vec::new();
        for group in Group::ALL {
            text.push(format!("{}:", group.name()));
            for control in Control::ALL.iter().filter(|control| control.spec().group == group) {
                let spec = control.spec();
                let key = desk.keys.key(*control);
                let key = if key.is_empty() { key } else { format!(" (key {key})") };
                let why = control.applies(&at).err().map(|why| format!("; not now: {why}")).unwrap_or_default();
                text.push(format!("{}{key}: {}{why}", spec.name, spec.help));
            }
        }
        Question { title: "Help".to_owned(), text, ..Question::default() }
    }

    fn answer(&mut self, _line: &str, _desk: &Desk<'_>) -> Reaction {
        Reaction::Close
    }
}
