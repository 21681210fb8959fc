//! Samples that are held back: the person keeps, drops, replaces and adds choices before anything is applied, and can tell the model
//! why.

mod in_words;

use super::super::scene::{Scene, describe, glyph};
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::asm::{Action, AsmState};
use crate::runner::{Command, Proposal};
use crate::search::rejected_text;
use crate::search::strategy::{offered, read_typed};
use crate::search::{Act, Outcome, Reading, Reason, State};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use std::time::Instant;

/// What the line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    /// One more choice.
    More,
    /// Another choice in the place of this row.
    Instead(usize),
    /// What the model is to know.
    Note,
}

/// A row: what was read, or a choice of the person's.
#[derive(Clone, Debug)]
struct Row {
    /// The row of the proposal; none: it was added or is on offer besides.
    read: Option<usize>,
    /// The choice; none: it was rejected.
    action: Option<Action>,
    /// What was read, or is on offer, in words.
    text: String,
}

/// The list of choices.
#[derive(Debug)]
pub struct DecidePopup {
    held: Arc<Proposal>,
    asm: AsmState,
    rows: Vec<Row>,
    list: PickList,
    line: Option<(Writing, LineInput)>,
    note: Option<String>,
    wrong: Option<String>,
    /// Whether the person did something here: then it does not close by itself.
    touched: bool,
    /// Whether what it is about does not wait any more.
    gone: bool,
}

/// What to say where that is so.
const GONE: &str = "these samples do not wait any more (Esc closes)";

fn item(action: &Action, text: &str, right: String, detail: &str) -> Item {
    Item { right, detail: detail.to_owned(), ..Item::new(format!("{} {text}", glyph(action))) }
}

impl DecidePopup {
    /// The choices of what is held back.
    #[must_use]
    pub fn new(scene: &Scene, held: &Arc<Proposal>) -> Self {
        let (state, node) = (&scene.state, held.node);
        let asm = state.node(node).map_or(AsmState::Default, |node| node.asm);
        let (mut rows, mut items, mut checked) = (Vec::new(), Vec::new(), Vec::new());
        let words = |action: &Action| describe(state, Some(node), action);
        for (n, reading) in held.rows.iter().enumerate() {
            let votes = match reading.slots.len() {
                1 => "1 vote".to_owned(),
                votes => format!("{votes} votes"),
            };
            let (action, text, new) = match &reading.outcome {
                Outcome::Kept(action) => (Some(action.clone()), words(action), item(action, &words(action), votes, "")),
                Outcome::Outvoted(action) => (Some(action.clone()), words(action), item(action, &words(action), votes, "outvoted")),
                Outcome::Rejected { text, why, reason } => {
                    let text = rejected_text(state, Some(node), *reason, text);
                    let row = Item { right: votes, dimmed: Some(why.clone()), barred: true, ..Item::new(format!("⊘ {text}")) };
                    (None, text, row)
                }
                _ => continue,
            };
            checked.push(matches!(reading.outcome, Outcome::Kept(_)));
            rows.push(Row { read: Some(n), action, text });
            items.push(new);
        }
        if asm == AsmState::SelectingRelation {
            for relation in offered(state, node) {
                let action = Action::SelectRelation { relation: relation.at };
                if !rows.iter().any(|row| row.action.as_ref() == Some(&action)) {
                    let text = words(&action);
                    items.push(item(&action, &text, String::new(), "on offer, not chosen"));
                    checked.push(false);
                    rows.push(Row { read: None, action: Some(action), text });
                }
            }
        }
        let list = PickList::several(items, |row| checked[row]);
        Self { held: held.clone(), asm, rows, list, line: None, note: None, wrong: None, touched: false, gone: false }
    }

    /// What the person made of the samples.
    fn decided(&self) -> Vec<Reading> {
        let picked = self.list.picked();
        let mut decided: Vec<Reading> = Vec::new();
        for (n, row) in self.rows.iter().enumerate() {
            let kept = picked.contains(&n);
            let read = row.read.and_then(|read| self.held.rows.get(read));
            let slots = read.map(|read| read.slots.clone()).unwrap_or_default();
            let outcome = match (&row.action, read.map(|read| &read.outcome)) {
                (Some(action), _) if kept => Outcome::Kept(action.clone()),
                (Some(action), Some(Outcome::Outvoted(was))) if action == was => Outcome::Outvoted(was.clone()),
                (_, Some(rejected @ Outcome::Rejected { .. })) => rejected.clone(),
                (_, Some(Outcome::Kept(_) | Outcome::Outvoted(_))) => {
                    Outcome::Rejected { text: row.text.clone(), reason: Reason::Dropped, why: "you dropped it".to_owned() }
                }
                _ => continue,
            };
            match decided.iter_mut().find(|known| known.outcome == outcome && matches!(outcome, Outcome::Kept(_))) {
                Some(known) => known.slots.extend(slots),
                None => decided.push(Reading { slots, outcome }),
            }
        }
        decided
    }

    /// Puts it into force.
    fn apply(&mut self) -> Reaction {
        if self.gone {
            self.wrong = Some(GONE.to_owned());
            return Reaction::Stay;
        }
        Reaction::Finish(vec![Command::Decide { seq: self.held.seq, rows: self.decided(), note: self.note.clone() }])
    }

    /// Reads what the person wrote as a choice, as a sample of the model would be.
    fn write(&mut self, scene: &Scene, state: &State, what: Writing, text: &str) -> bool {
        if what == Writing::Note {
            self.note = (!text.trim().is_empty()).then(|| text.trim().to_owned());
            return true;
        }
        match read_typed(state, self.held.step, text) {
            Outcome::Kept(action) => {
                let mut items = self.list.items().to_vec();
                let text = describe(&scene.state, Some(self.held.node), &action);
                let new = item(&action, &text, "yours".to_owned(), "");
                let at = match what {
                    Writing::Instead(at) => {
                        items[at] = Item { detail: "instead".to_owned(), ..new };
                        self.rows[at].action = Some(action);
                        at
                    }
                    _ => {
                        items.push(new);
                        self.rows.push(Row { read: None, action: Some(action), text });
                        items.len() - 1
                    }
                };
                self.list.refill(items);
                self.list.check(at, true);
                self.list.select(at);
                true
            }
            Outcome::Rejected { why, .. } => {
                self.wrong = Some(format!("{why}: {}", self.form()));
                false
            }
            _ => false,
        }
    }

    /// How a choice is written here.
    const fn form(&self) -> &'static str {
        match self.asm {
            AsmState::SelectingEntities => "write ids or labels, separated by commas",
            AsmState::SelectingRelation => "write the id or label of one relation",
            _ => "write THINK: a thought, ANSWER: an answer, or EXPAND",
        }
    }
}

impl Popup for DecidePopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        self.wrong = None;
        self.touched = true;
        if let Some((what, line)) = &mut self.line {
            match key.code {
                KeyCode::Esc => self.line = None,
                KeyCode::Enter => {
                    let (what, text) = (*what, line.value().to_owned());
                    if self.write(&view.scene, &view.snapshot.state, what, &text) {
                        self.line = None;
                    }
                }
                _ => {
                    line.key(key);
                }
            }
            return Reaction::Stay;
        }
        if !self.list.is_typing() {
            match (key.code, self.list.current()) {
                (KeyCode::Enter, _) => return self.apply(),
                (KeyCode::Char('i'), _) => return Reaction::Finish(vec![Command::Do(Act::Intercept { states: Vec::new() })]),
                (KeyCode::Char('a'), _) => {
                    self.line = Some((Writing::More, LineInput::new("")));
                    return Reaction::Stay;
                }
                (KeyCode::Char('e'), Some(at)) => {
                    let text = self.rows.get(at).and_then(|row| row.action.as_ref()).map(Action::as_reply).unwrap_or_default();
                    self.line = Some((Writing::Instead(at), LineInput::new(&text)));
                    return Reaction::Stay;
                }
                (KeyCode::Char('n'), _) => {
                    self.line = Some((Writing::Note, LineInput::new(self.note.as_deref().unwrap_or_default())));
                    return Reaction::Stay;
                }
                _ => {}
            }
        }
        match self.list.key(key) {
            Picked::Ignored if key.code == KeyCode::Esc => Reaction::Close,
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        self.touched = true;
        match &mut self.line {
            Some((_, line)) => line.paste(text),
            None => self.list.paste(text),
        }
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        // Applied or paused from elsewhere, or another session. What is typed next is no command of the screen below.
        self.gone = desk.view.and_then(|view| view.snapshot.live.proposal.as_ref()).is_none_or(|held| *held != self.held);
        if self.gone && !self.touched { Reaction::Close } else { Reaction::Stay }
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let title = format!("Before it is applied: node {}, {}", self.held.node.0, self.asm.name());
        let inner = popup(buf, area, 104, 22, &title, theme);
        let keys = match self.line {
            Some(_) => "Enter takes it  Esc back",
            None => "Enter applies  space keeps/drops  a adds  e replaces  n note to the model  i asks no more  Esc hides",
        };
        let mut body = with_keys(buf, inner, keys, theme);
        let mut last = |buf: &mut Buffer, text: &str, role: Role| {
            let y = body.bottom().saturating_sub(1);
            body.height = body.height.saturating_sub(1);
            (put(buf, inner, inner.x, y, text, theme.style(role)), y)
        };
        if let Some((what, line)) = &self.line {
            let (x, y) = last(buf, if *what == Writing::Note { "the model reads: " } else { "choice: " }, Role::Title);
            line.render(buf, Rect { x, y, width: inner.right().saturating_sub(x), height: 1 }, "", theme);
            if *what != Writing::Note && self.wrong.is_none() {
                last(buf, self.form(), Role::Dim);
            }
        } else if let Some(note) = &self.note {
            last(buf, &format!("the model reads: {}", crate::text::one_line(note)), Role::ByHand);
        }
        if self.gone {
            last(buf, GONE, Role::Warning);
        } else if let Some(wrong) = &self.wrong {
            last(buf, wrong, Role::Error);
        }
        self.list.render(buf, body, "finds a choice by a few letters", theme);
    }
}
