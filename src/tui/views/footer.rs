//! The footer: the keys that work here now, from the command table; or the last message.

use super::super::command::{Context, Control, KeyMap, Pane, Run};
use super::super::theme::{Role, Theme};
use super::super::widgets::put;
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Commands that the footer shows for a pane if they apply, the most useful first.
fn wanted(at: &Context) -> Vec<Control> {
    let mut list = vec![];
    if at.run == Run::Finished || at.used_up {
        list.push(Control::Limits);
    }
    list.extend([Control::Latest, Control::Pause, Control::Step]);
    match at.pane {
        Some(Pane::Tree) => list.extend([
            Control::Accept,
            Control::ExpandByHand,
            Control::Override,
            Control::Prune,
            Control::SetValue,
            Control::Undo,
            Control::Rejected,
            Control::JumpNext,
        ]),
        Some(Pane::Graph) => list.extend([
            Control::More,
            Control::Details,
            Control::NextTab,
            Control::Zoom,
            Control::Find,
            Control::Copy,
            Control::ExpandByHand,
        ]),
        Some(Pane::Inspector) => list.extend([Control::NextTab, Control::Zoom, Control::Find, Control::Copy, Control::ExpandByHand]),
        Some(Pane::Timeline) => {
            list.extend([Control::EventBack, Control::EventForward, Control::ExpansionBack, Control::Fork, Control::Find])
        }
        _ => list.extend([Control::ExpandByHand, Control::Undo]),
    }
    list.extend([Control::NextPane, Control::EventBack, Control::Find, Control::Palette, Control::Help, Control::Quit]);
    let mut seen = Vec::with_capacity(list.len());
    list.retain(|control| {
        !seen.contains(control) && {
            seen.push(*control);
            true
        }
    });
    list
}

/// Draws the keys; palette, help and quit always find room.
pub fn render(buf: &mut Buffer, area: Rect, at: &Context, keys: &KeyMap, theme: &Theme) -> Vec<(Rect, Control)> {
    let mut places = Vec::new();
    if area.is_empty() {
        return places;
    }
    buf.set_style(area, theme.style(Role::Header));
    let entry = |control: &Control| (keys.key(*control), control.brief(at.run));
    let size = |(key, word): &(String, &str)| text::width(key) + text::width(word) + 3;
    let wanted = wanted(at);
    let always = [Control::Palette, Control::Help, Control::Quit];
    let mut room = usize::from(area.width).saturating_sub(always.iter().map(|control| size(&entry(control))).sum());
    let mut x = area.x.saturating_add(1);
    for control in wanted {
        let shown = entry(&control);
        if control.applies(at).is_err() || shown.0.is_empty() {
            continue;
        }
        if !always.contains(&control) {
            if size(&shown) > room {
                continue;
            }
            room -= size(&shown);
        }
        let start = x;
        let style = |role| theme.style(Role::Header).patch(theme.style(role));
        x = put(buf, area, x, area.y, &shown.0, style(Role::Key));
        x = put(buf, area, x.saturating_add(1), area.y, shown.1, style(Role::Dim));
        places.push((Rect { x: start, width: x.saturating_sub(start), height: 1, ..area }, control));
        x = x.saturating_add(2);
    }
    places
}

/// Draws a message in the footer's place.
pub fn render_message(buf: &mut Buffer, area: Rect, message: &str, role: Role, theme: &Theme) {
    if !area.is_empty() {
        buf.set_style(area, theme.style(Role::Header));
        put(buf, area, area.x.saturating_add(1), area.y, message, theme.style(Role::Header).patch(theme.style(role)));
    }
}
