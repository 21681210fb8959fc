//! Every command with its keys, by group; made from the one table.

mod in_words;

use super::super::command::{Context, Control, Group, KeyMap};
use super::super::theme::{Role, Theme};
use super::super::widgets::pager::Pager;
use super::super::widgets::popup;
use super::super::widgets::wrap::Document;
use super::{Desk, Popup, Reaction, with_keys};
use crate::text;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

const SIGNS: &str = "? question  ∴ think  ⇲ expand  ◇ entities  → ← relation  Σ aggregate  ★ answer  ! nothing usable\n\
▶ next  ✔ the answer  ✎ by hand  ✂ pruned  ↻ replaced  ↶ taken back  ◐ partial  ⚠ a warning, see Why  ✗ a KG that does not answer  ⊘ rejected  ⊖ outvoted  + new here  #4 fourth expansion";

/// The help.
#[derive(Debug)]
pub struct Help {
    pager: Pager,
}

impl Help {
    /// The help as things stand: what does not apply now is dimmed and says why.
    #[must_use]
    pub fn new(keys: &KeyMap, at: &Context) -> Self {
        let mut document = Document::default();
        for group in Group::ALL {
            if !document.is_empty() {
                document.blank();
            }
            document.push_line([(Role::Accent, group.name().to_owned())]);
            for control in Control::ALL.iter().filter(|control| control.spec().group == group) {
                let spec = control.spec();
                let all: Vec<String> = keys.keys(*control).iter().map(ToString::to_string).collect();
                let keys = all.join(" ");
                let pad = " ".repeat(14_usize.saturating_sub(text::width(&keys)));
                let (role, why) = match control.applies(at) {
                    Ok(()) => (Role::Text, String::new()),
                    Err(why) => (Role::Dim, format!("  ({why})")),
                };
                document.push_line([
                    (Role::Key, format!("  {keys}{pad} ")),
                    (role, format!("{:<20} ", spec.name)),
                    (role, spec.help.to_owned()),
                    (Role::Dim, why),
                ]);
            }
        }
        document.blank();
        document.push_line([(Role::Accent, "Signs".to_owned())]);
        for line in SIGNS.lines() {
            document.push_line([(Role::Text, format!("  {line}"))]);
        }
        Self { pager: Pager::new(document) }
    }
}

impl Popup for Help {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        match (key.code, desk.keys.control(key)) {
            (KeyCode::Esc | KeyCode::Enter, _) | (_, Some(Control::Help | Control::Quit)) => return Reaction::Close,
            (_, Some(Control::Up)) => self.pager.scroll(-1),
            (_, Some(Control::Down)) => self.pager.scroll(1),
            (_, Some(Control::PageUp)) => self.pager.page(-1),
            (_, Some(Control::PageDown | Control::Pause)) => self.pager.page(1),
            (_, Some(Control::Top)) => self.pager.top(),
            (_, Some(Control::Bottom)) => self.pager.bottom(),
            _ => {}
        }
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 130, area.height.saturating_sub(2).max(5), "Help", theme);
        let body = with_keys(buf, inner, "↑ ↓ scroll  Esc closes", theme);
        self.pager.render(buf, body, theme);
    }
}
