//! What should be looked at: why the search stands still, what the record shows to be amiss at a node, and what was found amiss
//! when the program began (lines of files that were skipped, keys, themes, limits). The selected one is shown whole.

mod in_words;

use super::super::command::Control;
use super::super::scene::{Scene, label};
use super::super::theme::{Role, Theme};
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::wrap::wrapped_lines;
use super::super::widgets::{count, popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::search::NodeId;
use crate::text::one_line;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The node that it is about.
    node: Option<NodeId>,
    /// In one line.
    short: String,
    /// Whole.
    text: String,
}

/// The list.
#[derive(Debug)]
pub struct Warnings {
    start: Vec<String>,
    rows: Vec<Row>,
    list: PickList,
}

impl Warnings {
    /// Those of the start, and of the session that is looked at.
    #[must_use]
    pub fn new(start: &[String], scene: Option<&Scene>) -> Self {
        let rows = rows(start, scene);
        Self { start: start.to_vec(), list: PickList::one(items(&rows)), rows }
    }

    fn chosen(&self, at: usize) -> Reaction {
        self.rows.get(at).and_then(|row| row.node).map_or(Reaction::Stay, Reaction::Select)
    }
}

fn rows(start: &[String], scene: Option<&Scene>) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(scene) = scene {
        if let Some(halt) = scene.state.halted.as_deref() {
            rows.push(Row { node: None, short: format!("■ stands still: {}", one_line(&halt.why)), text: one_line(&halt.why) });
        }
        rows.extend(scene.warnings.iter().map(|warning| {
            let short = format!("⚠ node {} · {} · {}", warning.node.0, warning.kind.title(), one_line(&warning.text));
            let whole = format!("{}: {}", label(&scene.state, warning.node), one_line(&warning.text));
            Row { node: Some(warning.node), short, text: whole }
        }));
    }
    rows.extend(start.iter().map(|text| Row { node: None, short: format!("⚠ at the start · {}", one_line(text)), text: one_line(text) }));
    rows
}

fn items(rows: &[Row]) -> Vec<Item> {
    rows.iter().map(|row| Item::new(row.short.clone())).collect()
}

impl Popup for Warnings {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        if !self.list.is_typing() && matches!(desk.keys.control(key), Some(Control::Warnings | Control::Quit)) {
            return Reaction::Close;
        }
        match self.list.key(key) {
            Picked::Item(at) => self.chosen(at),
            Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let rows = rows(&self.start, desk.view.map(|view| &view.scene));
        if rows != self.rows {
            self.list.refill(items(&rows));
            self.rows = rows;
        }
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let nodes = self.rows.iter().filter(|row| row.node.is_some()).count();
        let title = if nodes == 0 { "Warnings".to_owned() } else { format!("Warnings · {}", count(nodes, "about a node", "about nodes")) };
        let inner = popup(buf, area, 118, 22, &title, theme);
        let body = with_keys(buf, inner, "Enter goes to the node  / finds  Esc closes", theme);
        // The selected one, whole: as many rows as it needs, up to half.
        let text = self.list.current().and_then(|at| self.rows.get(at)).map_or("", |row| row.text.as_str());
        let whole = wrapped_lines(text, usize::from(body.width));
        let below = u16::try_from(whole.len()).unwrap_or(u16::MAX).min(body.height / 2);
        let above = Rect { height: body.height.saturating_sub(below + u16::from(below > 0)), ..body };
        self.list.render(buf, above, "finds a warning by a few letters", theme);
        for (y, line) in (body.bottom().saturating_sub(below)..body.bottom()).zip(&whole) {
            put(buf, body, body.x, y, line, theme.style(Role::Warning));
        }
    }
}
