//! When the search stands still for the person: the breakpoints with their hits, the states that are intercepted, and the forms of
//! conditions to set more.

mod in_words;

use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::asm::AsmState;
use crate::runner::Command;
use crate::search::breakpoint::FORMS;
use crate::search::{Act, ActId, Condition, State};
use crossterm::event::{KeyCode, KeyEvent};
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
    list: PickList,
    line: Option<LineInput>,
    wrong: Option<String>,
}

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
        Self { rows, list: PickList::one(items), line: None, wrong: None }
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
                self.line = Some(LineInput::new(form));
                Reaction::Stay
            }
            None => Reaction::Stay,
        }
    }

    fn set(&mut self, text: &str) -> Reaction {
        match text.parse::<Condition>() {
            Ok(condition) => {
                self.line = None;
                Reaction::Send(vec![Command::Do(Act::Break { condition })])
            }
            Err(why) => {
                self.wrong = Some(why);
                Reaction::Stay
            }
        }
    }
}

impl Popup for BreaksPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.wrong = None;
        if let Some(line) = &mut self.line {
            match key.code {
                KeyCode::Esc => self.line = None,
                KeyCode::Enter => {
                    let text = line.value().to_owned();
                    return self.set(&text);
                }
                _ => {
                    line.key(key);
                }
            }
            return Reaction::Stay;
        }
        if !self.list.is_typing() {
            match key.code {
                KeyCode::Char(' ') => return self.list.current().map_or(Reaction::Stay, |at| self.take(at, &view.snapshot.state)),
                KeyCode::Char('a') => {
                    self.line = Some(LineInput::new(""));
                    return Reaction::Stay;
                }
                _ => {}
            }
        }
        match self.list.key(key) {
            Picked::Item(at) => self.take(at, &view.snapshot.state),
            Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        match &mut self.line {
            Some(line) => line.paste(text),
            None => self.list.paste(text),
        }
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let (rows, items) = rows(&view.snapshot.state);
        if rows.len() != self.rows.len()
            || self.list.items().iter().zip(&items).any(|(was, is)| (&was.label, &was.right) != (&is.label, &is.right))
        {
            self.rows = rows;
            self.list.refill(items);
        }
        Reaction::Stay
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 96, 26, "The search stands still for you when …", theme);
        let keys = match self.line {
            Some(_) => "Enter sets it  Esc back",
            None => "Enter switches or fills in  a writes a condition  / finds  Esc closes",
        };
        let mut body = with_keys(buf, inner, keys, theme);
        if let Some(line) = &self.line {
            let y = body.bottom().saturating_sub(1);
            let x = put(buf, body, body.x, y, "condition: ", theme.style(Role::Title));
            line.render(buf, Rect { x, y, width: body.right().saturating_sub(x), height: 1 }, "", theme);
            body.height = body.height.saturating_sub(1);
        }
        if let Some(wrong) = &self.wrong {
            put(buf, body, body.x, body.bottom().saturating_sub(1), wrong, theme.style(Role::Error));
            body.height = body.height.saturating_sub(1);
        }
        self.list.render(buf, body, "finds a condition by a few letters", theme);
    }
}
