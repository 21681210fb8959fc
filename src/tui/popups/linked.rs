//! The entities that the question starts from, and how each was matched: drop, add, replace, and say by hand what one is
//! in another KG. Found by search in every KG.

mod candidates;
mod in_words;
mod rows;

use super::super::flying::Flying;
use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::list::{PickList, Picked};
use super::super::widgets::{popup, put};
use super::inquiries::Inquiries;
use super::{Desk, Popup, Reaction, with_keys};
use crate::calls::{KgCall, KgData, KgOp};
use crate::graph::{Entity, EntityId, KgName};
use crate::runner::Command;
use crate::search::Act;
use candidates::{Candidates, For};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rows::Row;
use std::time::Instant;

/// Candidates of each KG.
const LIMIT: u32 = 10;

/// The linked entities, checked, mentions without one, and what was found, unchecked; or the candidates for one of them.
#[derive(Debug)]
pub struct LinkedPopup {
    rows: Vec<Row>,
    list: PickList,
    /// The candidates for one entity or mention, while they are looked at.
    candidates: Option<Candidates>,
    search: Inquiries,
    taken: usize,
    wrong: Option<String>,
    waiting: bool,
}

impl LinkedPopup {
    /// The popup with what is linked now.
    #[must_use]
    pub fn new(scene: &Scene, first: u64) -> Self {
        let rows = rows::of(scene);
        let items = rows.iter().map(|row| row.item(scene)).collect();
        let linked = rows.iter().filter(|row| matches!(row, Row::Linked(_))).count();
        let list = PickList::several(items, |at| at < linked);
        Self { rows, list, candidates: None, search: Inquiries::new(first), taken: 0, wrong: None, waiting: false }
    }

    /// The list that takes keys.
    const fn list(&mut self) -> &mut PickList {
        match &mut self.candidates {
            Some(candidates) => &mut candidates.list,
            None => &mut self.list,
        }
    }

    /// Searches every KG (or those that the candidates are wanted of) for a label.
    fn search(&mut self, scene: &Scene, mention: &str) -> Vec<Command> {
        let kgs = scene.state.started().kgs.iter().map(|(kg, _)| kg);
        let wanted: Vec<&KgName> = kgs.filter(|kg| self.candidates.as_ref().is_none_or(|c| c.wants(kg))).collect();
        self.wrong = None;
        self.taken = 0;
        self.waiting = !wanted.is_empty();
        self.list().end_typing();
        let call = |kg: &KgName| KgCall { kg: kg.clone(), op: KgOp::Search { mention: mention.to_owned(), limit: LIMIT } };
        let calls = wanted.into_iter().map(call).collect();
        self.search.ask(calls)
    }

    fn search_typed(&mut self, scene: &Scene) -> Reaction {
        let mention = self.list().find().trim().to_owned();
        if mention.is_empty() {
            self.wrong = Some("type what to look for after /, then Tab".to_owned());
            return Reaction::Stay;
        }
        Reaction::Send(self.search(scene, &mention))
    }

    /// What the check marks come to.
    fn act(&self) -> Option<Act> {
        let checked = self.list.picked();
        let (mut add, mut drop): (Vec<Entity>, Vec<EntityId>) = (Vec::new(), Vec::new());
        for (at, row) in self.rows.iter().enumerate() {
            match row {
                Row::Linked(entity) if !checked.contains(&at) => drop.push(entity.id.clone()),
                Row::Found(entity) if checked.contains(&at) => add.push(entity.clone()),
                _ => {}
            }
        }
        if add.is_empty() && drop.is_empty() { None } else { Some(Act::Link { add, drop }) }
    }

    /// Opens the candidates for the row under the cursor.
    fn choose(&mut self, scene: &Scene, counterpart: bool) -> Reaction {
        let Some(row) = self.list.current().and_then(|at| self.rows.get(at)).cloned() else { return Reaction::Stay };
        let several = scene.state.started().kgs.len() > 1;
        let what = match row {
            Row::Linked(entity) if counterpart && !several => {
                self.wrong = Some(format!("only one KG is open: {} can't be linked to another", entity.name()));
                return Reaction::Stay;
            }
            Row::Linked(entity) if counterpart => For::Counterpart(entity),
            Row::Linked(entity) => For::Replace(entity),
            Row::Mention { text, .. } if !counterpart => For::Mention(text),
            Row::Mention { .. } | Row::Found(_) => {
                self.wrong = Some("choose a linked entity: check what was found with space, then Enter".to_owned());
                return Reaction::Stay;
            }
        };
        let candidates = Candidates::of(scene, what);
        let label = candidates.to_search().map(str::to_owned);
        self.candidates = Some(candidates);
        // Its counterparts were never looked for: that is done at once.
        match label {
            Some(label) => Reaction::Send(self.search(scene, &label)),
            None => Reaction::Stay,
        }
    }

    fn key_of_list(&mut self, key: &KeyEvent, scene: &Scene) -> Reaction {
        match key.code {
            KeyCode::Char('r') if !self.list.is_typing() => return self.choose(scene, false),
            KeyCode::Char('s') if !self.list.is_typing() => return self.choose(scene, true),
            _ => {}
        }
        match (key.code, self.list.key(key)) {
            (KeyCode::Esc, Picked::Ignored) => Reaction::Finish(self.search.drop_all()),
            (KeyCode::Tab, _) => self.search_typed(scene),
            (KeyCode::Enter, Picked::Item(_)) => match self.act() {
                Some(act) => self.finish(act),
                None => {
                    self.wrong = Some("nothing changed: uncheck to drop, check to add (space), then Enter".to_owned());
                    Reaction::Stay
                }
            },
            _ => Reaction::Stay,
        }
    }

    fn key_of_candidates(&mut self, key: &KeyEvent, scene: &Scene) -> Reaction {
        let Some(candidates) = &mut self.candidates else { return Reaction::Stay };
        match (key.code, candidates.list.key(key)) {
            (KeyCode::Esc, Picked::Ignored) => {
                self.candidates = None;
                (self.wrong, self.waiting, self.taken) = (None, false, 0);
                Reaction::Send(self.search.drop_all())
            }
            (KeyCode::Tab, _) => self.search_typed(scene),
            (_, Picked::Item(at)) => match candidates.act(at) {
                Some(act) => self.finish(act),
                None => {
                    self.wrong = Some("it is that already".to_owned());
                    Reaction::Stay
                }
            },
            _ => Reaction::Stay,
        }
    }

    fn finish(&mut self, act: Act) -> Reaction {
        let mut commands = self.search.drop_all();
        commands.push(Command::Do(act));
        Reaction::Finish(commands)
    }

    /// Takes in what was found.
    fn take(&mut self, scene: &Scene, found: Vec<Entity>) -> bool {
        if let Some(candidates) = &mut self.candidates {
            return candidates.add(scene, found);
        }
        let before = self.rows.len();
        for entity in found {
            let known = |row: &Row| matches!(row, Row::Linked(e) | Row::Found(e) if rows::same(e, &entity));
            if !self.rows.iter().any(known) {
                self.rows.push(Row::Found(entity));
            }
        }
        self.list.refill(self.rows.iter().map(|row| row.item(scene)).collect());
        if self.rows.len() > before {
            self.list.clear_find();
            self.list.select(before);
        }
        self.rows.len() > before
    }
}

impl Popup for LinkedPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        if self.candidates.is_some() { self.key_of_candidates(key, &view.scene) } else { self.key_of_list(key, &view.scene) }
    }

    fn paste(&mut self, text: &str) {
        self.list().paste(text);
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let live = &view.snapshot.live;
        let done = self.search.results(live).filter(|(_, result)| result.is_some()).count();
        self.waiting = self.search.missing(live) > 0;
        if done == self.taken {
            return Reaction::Stay;
        }
        self.taken = done;
        let mut found = Vec::new();
        for (call, result) in self.search.results(live) {
            match result {
                Some(Ok(reply)) => {
                    if let KgData::Candidates(list) = &reply.data {
                        found.extend(list.iter().map(|candidate| candidate.entity.clone()));
                    }
                }
                Some(Err(error)) => self.wrong = Some(format!("{}: {}", call.kg, error.message)),
                None => {}
            }
        }
        if !self.take(&view.scene, found) && !self.waiting && self.wrong.is_none() {
            self.wrong = Some("nothing new was found: try another spelling".to_owned());
        }
        Reaction::Stay
    }

    fn waits(&self) -> bool {
        self.waiting
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, now: Instant, theme: &Theme) {
        let title = self.candidates.as_ref().map_or_else(|| "Linked entities".to_owned(), Candidates::title);
        let keys = match &self.candidates {
            Some(_) => "Enter takes it  / a label, then Tab: search the KGs  Esc back",
            None => "space checks  Enter applies  r replace  s same in another KG  / a label, then Tab: search  Esc leaves no trace",
        };
        let inner = popup(buf, area, 118, 22, &title, theme);
        let mut body = with_keys(buf, inner, keys, theme);
        let waits = desk.view.map(|view| Flying { live: &view.snapshot.live, now }.waits(&view.scene));
        let said = if self.waiting {
            let why = waits.and_then(|waits| waits.into_iter().next()).map_or(String::new(), |held| format!(" {}", held.text));
            Some((format!("searching the KGs …{why}"), Role::Dim))
        } else {
            self.wrong.clone().map(|why| (why, Role::Warning))
        };
        if let Some((text, role)) = said.filter(|_| body.height > 3) {
            put(buf, body, body.x, body.y, &text, theme.style(role));
            body = Rect { y: body.y + 1, height: body.height - 1, ..body };
        }
        self.list().render(buf, body, "a label; Tab searches the KGs for it", theme);
    }
}
