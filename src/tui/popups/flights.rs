//! The calls in flight: what, for how long, why they wait; one can be cancelled.

mod in_words;

use super::super::flying::Flying;
use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::spark::seconds;
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::calls::AskId;
use crate::runner::Command;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// The list. It closes by itself when the last call has arrived.
#[derive(Debug, Default)]
pub struct FlightsPopup {
    list: PickList,
    asks: Vec<AskId>,
    /// What was wrong with a line that was typed.
    wrong: Option<String>,
}

impl FlightsPopup {
    /// Takes up what flies now; the cursor stays on its call.
    fn take(&mut self, scene: &Scene, flying: &Flying<'_>) {
        let here = self.list.current().and_then(|at| self.asks.get(at)).copied();
        self.asks = flying.calls().map(|flight| flight.ask).collect();
        let items = flying.calls().map(|flight| Item {
            label: flight.what.clone(),
            right: seconds(flying.elapsed(flight)),
            kg: flight.kg.as_ref().map(|kg| scene.kg(kg)),
            ..Item::default()
        });
        self.list.refill(items.collect());
        if let Some(at) = here.and_then(|ask| self.asks.iter().position(|other| *other == ask)) {
            self.list.select(at);
        }
    }
}

impl Popup for FlightsPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.take(&view.scene, &Flying { live: &view.snapshot.live, now: view.now });
        if key.code == KeyCode::Char('X') && !self.list.is_typing() {
            return Reaction::Finish(vec![Command::Abort]);
        }
        match self.list.key(key) {
            Picked::Item(at) => match self.asks.get(at) {
                Some(ask) => Reaction::Send(vec![Command::Cancel(*ask)]),
                None => Reaction::Stay,
            },
            Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
            _ => Reaction::Stay,
        }
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let flies = desk.view.is_some_and(|view| view.snapshot.live.flights.iter().any(|flight| !flight.human));
        if flies { Reaction::Stay } else { Reaction::Close }
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, now: Instant, theme: &Theme) {
        let Some(view) = desk.view else { return };
        let flying = Flying { live: &view.snapshot.live, now };
        self.take(&view.scene, &flying);
        let inner = popup(buf, area, 92, 14, "Calls in flight", theme);
        let to_model = self.list.current().and_then(|at| flying.calls().nth(at)).is_some_and(|flight| flight.kg.is_none());
        let enter = if to_model { "Enter pauses and drops this call" } else { "Enter cancels this call to a KG" };
        let mut body = with_keys(buf, inner, &format!("{enter}  X pauses and drops all  Esc closes"), theme);
        for held in flying.waits(&view.scene) {
            if body.height > 3 {
                let x = put(buf, body, body.x, body.y, &format!("{} ", held.sign), theme.style(held.role));
                put(buf, body, x, body.y, &held.text, theme.style(Role::Warning));
                body = Rect { y: body.y + 1, height: body.height - 1, ..body };
            }
        }
        self.list.render(buf, body, "finds a call", theme);
    }
}
