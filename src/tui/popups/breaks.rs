//! When the search stands still for the person: the breakpoints with their hits, the states that are intercepted, and the forms of
//! conditions to set more.

mod in_words;

use super::super::theme::Theme;
use super::super::widgets::list::Item;
use super::super::widgets::popup;
use super::entries::{Entries, Wanted, Words};
use super::{Desk, Popup, Reaction};
use crate::asm::AsmState;
use crate::runner::Command;
use crate::search::breakpoint::FORMS;
use crate::search::{Act, ActId, State};
use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// What a row stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    /// A breakpoint that is set, and whether it is on.
    Point(ActId, bool),
    /// A state that can be intercepted.
    State(AsmState),
    /// A form to be filled in.
    Form(&'static str),
}

/// The list.
#[derive(Debug)]
pub struct BreaksPopup {
    rows: Vec<Row>,
    entries: Entries,
}

const WORDS: Words = Words {
    label: "condition: ",
    hint: "",
    line_keys: "Enter sets it  Esc back",
    list_keys: "Enter switches or fills in  a writes a condition  / finds  Esc closes",
    finds: "finds a condition by a few letters",
    empty: "",
};

const STATES: [AsmState; 3] = [AsmState::Default, AsmState::SelectingEntities, AsmState::SelectingRelation];

fn rows(state: &State) -> (Vec<Row>, Vec<Item>) {
    let mut rows = Vec::new();
    let mut items = Vec::new();
    for point in state.breakpoints() {
        let hits = match point.hits {
            0 => "never hit".to_owned(),
            1 => "hit once".to_owned(),
            n => format!("hit {n} times"),
        };
        rows.push(Row::Point(point.act, point.on));
        let label = format!("{} {}", if point.on { "●" } else { "○" }, point.condition);
        items.push(Item { right: hits, detail: if point.on { "" } else { "switched off" }.to_owned(), ..Item::new(label) });
    }
    for asm in STATES {
        let on = state.intercepted().contains(&asm);
        rows.push(Row::State(asm));
        let label = format!("{} intercept: {}", if on { "☑" } else { "☐" }, asm.name());
        items.push(Item { detail: "you decide about the samples before they are applied".to_owned(), ..Item::new(label) });
    }
    for (form, meaning) in FORMS {
        rows.push(Row::Form(form));
        items.push(Item { detail: meaning.to_owned(), ..Item::new(format!("+ {form}")) });
    }
    (rows, items)
}

impl BreaksPopup {
    /// The list of what is set in `state`.
    #[must_use]
    pub fn new(state: &State) -> Self {
        let (rows, items) = rows(state);
        Self { rows, entries: Entries::new(items) }
    }

    /// Switches what is set, or begins to write a condition.
    fn take(&mut self, at: usize, state: &State) -> Reaction {
        match self.rows.get(at) {
            Some(Row::Point(act, on)) => Reaction::Send(vec![Command::Switch(*act, !on)]),
            Some(Row::State(asm)) => {
                let mut states = state.intercepted().to_vec();
                match states.iter().position(|known| known == asm) {
                    Some(known) => drop(states.remove(known)),
                    None => states.push(*asm),
                }
                Reaction::Send(vec![Command::Do(Act::Intercept { states })])
            }
            Some(Row::Form(form)) => {
                self.entries.write(form);
                Reaction::Stay
            }
            None => Reaction::Stay,
        }
    }

    fn set(&mut self, text: &str) -> Reaction {
        let read = self.entries.read(text);
        read.map_or(Reaction::Stay, |condition| Reaction::Send(vec![Command::Do(Act::Break { condition })]))
    }
}

impl Popup for BreaksPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        match self.entries.key(key) {
            Wanted::Nothing => Reaction::Stay,
            Wanted::Row(at) => self.take(at, &view.snapshot.state),
            Wanted::Text(text) => self.set(&text),
            Wanted::Close => Reaction::Close,
        }
    }

    fn paste(&mut self, text: &str) {
        self.entries.paste(text);
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let (rows, items) = rows(&view.snapshot.state);
        if rows.len() != self.rows.len()
            || self.entries.list().items().iter().zip(&items).any(|(was, is)| (&was.label, &was.right) != (&is.label, &is.right))
        {
            self.rows = rows;
            self.entries.refill(items);
        }
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 96, 26, "The search stands still for you when …", theme);
        self.entries.draw(buf, inner, &WORDS, theme);
    }
}
