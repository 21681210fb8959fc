//! Every command, to be found by a few letters. One that does not apply is dimmed and says why.

mod in_words;

use super::super::command::{Context, Control, KeyMap};
use super::super::theme::Theme;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::popup;
use super::{Desk, Popup, Reaction};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// The palette.
#[derive(Debug)]
pub struct Palette {
    list: PickList,
    /// What was wrong with a line that was typed.
    wrong: Option<String>,
}

impl Palette {
    /// The palette as things stand.
    #[must_use]
    pub fn new(keys: &KeyMap, at: &Context) -> Self {
        let item = |control: &Control| {
            let spec = control.spec();
            Item {
                label: spec.name.to_owned(),
                detail: spec.help.to_owned(),
                right: keys.key(*control),
                dimmed: control.applies(at).err().map(str::to_owned),
                ..Item::default()
            }
        };
        Self { list: PickList::one(Control::ALL.iter().map(item).collect()).typing_at_once(), wrong: None }
    }
}

impl Popup for Palette {
    fn key(&mut self, key: &KeyEvent, _desk: &Desk<'_>) -> Reaction {
        match self.list.key(key) {
            Picked::Item(at) => Reaction::Run(Control::ALL[at]),
            Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 110, 24, "Command", theme);
        self.list.render(buf, inner, "a few letters of what you want to do", theme);
    }
}
