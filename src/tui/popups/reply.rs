//! A person as the model: the prompt is shown, the reply is typed.

mod in_words;

use super::super::theme::{Role, Theme};
use super::super::widgets::editor::Editor;
use super::super::widgets::pager::Pager;
use super::super::widgets::wrap::Document;
use super::super::widgets::{popup, put};
use super::{Desk, Popup, Reaction, with_keys};
use crate::asm::Templates;
use crate::calls::{AskId, PartKind};
use crate::runner::Command;
use crate::search::{Call, State};
use crate::text::width;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// The prompt of an ask, and the reply to its next open slot.
#[derive(Debug)]
pub struct ReplyPopup {
    ask: AskId,
    prompt: Option<Pager>,
    editor: Editor,
    sent: Vec<u32>,
    /// Whether nothing was written when it was to be sent.
    empty: bool,
    /// Whether nothing waits for the reply any more. What was written stays until the person closes it.
    gone: bool,
}

/// What to say where that is so.
const GONE: &str = "nothing waits for this reply now (Esc closes)";

impl ReplyPopup {
    /// A popup for `ask`.
    #[must_use]
    pub fn new(ask: AskId) -> Self {
        Self { ask, prompt: None, editor: Editor::default(), sent: Vec::new(), empty: false, gone: false }
    }

    /// Slots that have no sample and were not replied to here.
    fn open(&self, state: &State) -> Vec<u32> {
        let Some(ask) = state.ask(self.ask) else { return Vec::new() };
        let empty = (0u32..).zip(&ask.samples).filter(|(_, sample)| sample.is_none()).map(|(slot, _)| slot);
        empty.filter(|slot| !self.sent.contains(slot)).collect()
    }

    /// Which sample of how many is written.
    fn number(&self, state: &State) -> (usize, usize) {
        let total = state.ask(self.ask).map_or(0, |ask| ask.samples.len());
        let number = total - self.open(state).len().min(total) + 1;
        (number.min(total), total)
    }

    fn send(&mut self, state: &State, all: bool) -> Reaction {
        let text = self.editor.value();
        let open = self.open(state);
        self.empty = text.trim().is_empty();
        if self.empty || self.gone || open.is_empty() {
            return Reaction::Stay;
        }
        let slots: Vec<u32> = if all { open.clone() } else { open[..1].to_vec() };
        self.sent.extend(&slots);
        let reply = |slot: u32| Command::Reply { ask: self.ask, slot, text: text.clone() };
        let commands: Vec<Command> = slots.iter().copied().map(reply).collect();
        self.editor = Editor::default();
        if slots.len() == open.len() { Reaction::Finish(commands) } else { Reaction::Send(commands) }
    }
}

/// The prompt, and the line at which its task begins.
fn prompt(state: &State, ask: AskId) -> (Document, usize) {
    let (mut document, mut task) = (Document::default(), 0);
    let Some(Call::Llm(call)) = state.ask(ask).map(|ask| &ask.call) else { return (document, task) };
    for part in call.parts.iter().filter_map(|part| state.parts.get(part.index())) {
        let filled = matches!(part.kind, PartKind::Question | PartKind::Graph | PartKind::Path);
        if !document.is_empty() {
            document.blank();
        }
        if part.kind == PartKind::Task {
            task = document.lines().len();
        }
        document.push(if filled { Role::Filled } else { Role::Text }, part.text.trim_end());
    }
    (document, task)
}

/// What is asked, as the prompt's task calls it, and of which node.
fn about(state: &State, ask: AskId) -> String {
    let Some(ask) = state.ask(ask) else { return String::new() };
    let Call::Llm(call) = &ask.call else { return String::new() };
    let step = Templates::name_of(call.kind, PartKind::Task).replace('_', " ");
    let node = state.scored_by(ask).or_else(|| state.step(ask.key.step).and_then(|step| step.node));
    node.map_or_else(|| step.clone(), |node| format!("{step} · node {}", node.0))
}

impl Popup for ReplyPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        match (key.code, &mut self.prompt) {
            (KeyCode::Esc, _) => return Reaction::Close,
            (KeyCode::Enter, _) if key.modifiers.is_empty() => return self.send(&view.snapshot.state, false),
            (KeyCode::Tab, _) => return self.send(&view.snapshot.state, true),
            (KeyCode::PageUp, Some(prompt)) => prompt.page(-1),
            (KeyCode::PageDown, Some(prompt)) => prompt.page(1),
            _ => {
                self.empty = false;
                self.editor.key(key);
            }
        }
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) {
        self.empty = false;
        self.editor.paste(text);
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        // Answered elsewhere, dropped, or another session.
        let waits = desk.view.is_some_and(|view| view.snapshot.live.flights.iter().any(|flight| flight.human && flight.ask == self.ask));
        self.gone = !waits;
        if waits || !self.editor.value().is_empty() { Reaction::Stay } else { Reaction::Close }
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let Some(view) = desk.view else { return };
        let state = &view.snapshot.state;
        let (number, total) = self.number(state);
        let title = format!("{} · sample {number} of {total}", about(state, self.ask));
        // A low screen is the prompt's.
        let height = if area.height < 16 { area.height } else { area.height - 2 };
        let inner = popup(buf, area, 120, height, &title, theme);
        let all = if number < total { "  Tab for all left" } else { "" };
        let body = with_keys(buf, inner, &format!("Enter sends  PgUp scrolls{all}  alt-Enter new line  Esc hides"), theme);
        let below = (body.height / 6).clamp(1, 8).min(body.height);
        let above = Rect { height: body.height.saturating_sub(below + 1), ..body };
        let pager = self.prompt.get_or_insert_with(|| {
            // What differs from prompt to prompt stands at its end.
            let (prompt, task) = prompt(state, self.ask);
            Pager::opening_at(prompt, task)
        });
        pager.render(buf, above, theme);
        if above.height > 0 {
            let (said, role) = match () {
                () if self.gone => (GONE, Role::Warning),
                () if self.empty => ("you are the model: write something first", Role::Warning),
                () => ("you are the model: your reply", Role::Border),
            };
            let rule = format!("── {said} ");
            let rest = "─".repeat(usize::from(body.width).saturating_sub(width(&rule)));
            put(buf, body, body.x, above.bottom(), &(rule + &rest), theme.style(role));
        }
        let editor = Rect { y: body.bottom().saturating_sub(below), height: below, ..body };
        self.editor.render(buf, editor, theme);
    }
}
