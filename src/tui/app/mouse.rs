//! The mouse, when it is the explorer's: a click selects, a second one opens; the wheel scrolls what it is over.

use super::super::command::{Control, Pane};
use super::super::session_view::SessionView;
use super::super::views::graph::GraphMode;
use super::{App, Page};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

/// Rows that a turn of the wheel goes.
const WHEEL: usize = 3;

impl App {
    /// Takes a mouse event; whether the screen may look different now.
    pub(super) fn mouse_event(&mut self, mouse: &MouseEvent) -> bool {
        if !self.popups.is_empty() {
            return false;
        }
        let (x, y) = (mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let button = self.spots.buttons.iter().find(|(rect, _)| rect.contains((x, y).into())).map(|(_, control)| *control);
                if let Some(control) = button {
                    self.try_run(control);
                    return true;
                }
                self.click(x, y)
            }
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let Some((pane, _)) = self.spot(x, y) else { return false };
                let Page::Session(view) = &mut self.page else { return false };
                let control = if mouse.kind == MouseEventKind::ScrollUp { Control::Up } else { Control::Down };
                let before = std::mem::replace(&mut view.focus, pane);
                (0..WHEEL).for_each(|_| super::look::movement(view, control));
                view.focus = before;
                true
            }
            _ => false,
        }
    }

    fn click(&mut self, x: u16, y: u16) -> bool {
        let Some((pane, inner)) = self.spot(x, y) else { return false };
        let Page::Session(view) = &mut self.page else { return false };
        let again = view.focus == pane && select(view, pane, inner, x, y);
        view.focus = pane;
        if !again {
            select(view, pane, inner, x, y);
        } else if pane == Pane::Tree {
            self.try_run(Control::Enter);
        }
        true
    }
}

/// Selects what was clicked; whether it was selected before.
fn select(view: &mut SessionView, pane: Pane, inner: ratatui::layout::Rect, x: u16, y: u16) -> bool {
    match pane {
        Pane::Tree => {
            view.follow = false;
            view.tree.list.click(inner, y)
        }
        Pane::Timeline => {
            view.timeline.selected = view.timeline.row_at(inner, y);
            false
        }
        Pane::Graph => {
            let body = ratatui::layout::Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
            match view.graph.mode {
                GraphMode::Table => {
                    if let Some(row) = view.graph.table.row_at(body, y) {
                        view.graph.table.selected = row;
                    }
                }
                GraphMode::Net => {
                    if let Some(entity) = view.graph.net.at(body, x, y).cloned() {
                        view.graph.net.select(&entity);
                    }
                }
                GraphMode::Text => {}
            }
            false
        }
        _ => false,
    }
}
