//! The entities that the question starts from: drop, add, replace; found by search in the KGs.

use super::super::scene::Scene;
use super::super::theme::{Role, Theme};
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::{popup, put};
use super::inquiries::Inquiries;
use super::{Desk, Popup, Reaction, with_keys};
use crate::calls::{KgCall, KgData, KgOp};
use crate::graph::{Entity, EntityId};
use crate::runner::Command;
use crate::search::{Act, NodeId};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// Candidates of each KG.
const LIMIT: u32 = 10;

/// The linked entities, checked, and what was found, unchecked.
#[derive(Debug)]
pub struct LinkedPopup {
    entities: Vec<Entity>,
    linked: usize,
    list: PickList,
    search: Inquiries,
    taken: usize,
    wrong: Option<String>,
    waiting: bool,
}

impl LinkedPopup {
    /// The popup with what is linked now.
    #[must_use]
    pub fn new(scene: &Scene, first: u64) -> Self {
        let entities: Vec<Entity> =
            if scene.state.nodes.is_empty() { Vec::new() } else { scene.state.graph(NodeId(0)).entities().cloned().collect() };
        let linked = entities.len();
        let items = entities.iter().map(|entity| item(scene, entity, true)).collect();
        let list = PickList::several(items, |_| true);
        Self { entities, linked, list, search: Inquiries::new(first), taken: 0, wrong: None, waiting: false }
    }

    fn search(&mut self, scene: &Scene) -> Reaction {
        let mention = self.list.find().trim().to_owned();
        if mention.is_empty() {
            self.wrong = Some("type what to look for after /, then Tab".to_owned());
            return Reaction::Stay;
        }
        self.wrong = None;
        self.taken = 0;
        self.waiting = true;
        self.list.end_typing();
        let call = |kg: &crate::graph::KgName| KgCall { kg: kg.clone(), op: KgOp::Search { mention: mention.clone(), limit: LIMIT } };
        let calls = scene.state.started().kgs.iter().map(|(kg, _)| call(kg)).collect();
        Reaction::Send(self.search.ask(calls))
    }

    fn act(&self) -> Option<Act> {
        let checked = self.list.picked();
        let drop: Vec<EntityId> = (0..self.linked).filter(|at| !checked.contains(at)).map(|at| self.entities[at].id.clone()).collect();
        let add: Vec<Entity> = checked.iter().filter(|at| **at >= self.linked).map(|at| self.entities[*at].clone()).collect();
        if add.is_empty() && drop.is_empty() { None } else { Some(Act::Link { add, drop }) }
    }
}

fn item(scene: &Scene, entity: &Entity, linked: bool) -> Item {
    Item {
        label: entity.name().to_owned(),
        detail: format!("{} {}", entity.id, entity.description.as_deref().unwrap_or_default()),
        right: if linked { "linked" } else { "found" }.to_owned(),
        kg: Some(scene.kg(&entity.kg)),
        ..Item::default()
    }
}

impl Popup for LinkedPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        match (key.code, self.list.key(key)) {
            (KeyCode::Esc, Picked::Ignored) => Reaction::Finish(self.search.drop_all()),
            (KeyCode::Tab, _) => self.search(&view.scene),
            (KeyCode::Enter, Picked::Item(_)) => match self.act() {
                Some(act) => {
                    let mut commands = self.search.drop_all();
                    commands.push(Command::Do(act));
                    Reaction::Finish(commands)
                }
                None => {
                    self.wrong = Some("nothing changed: uncheck to drop, check to add (space), then Enter".to_owned());
                    Reaction::Stay
                }
            },
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
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
        let before = self.entities.len();
        for entity in found {
            if !self.entities.iter().any(|known| known.id == entity.id) {
                self.entities.push(entity);
            }
        }
        if !self.waiting && self.entities.len() == before && self.wrong.is_none() {
            self.wrong = Some("nothing new was found: try another spelling".to_owned());
        }
        let items = self.entities.iter().enumerate().map(|(at, entity)| item(&view.scene, entity, at < self.linked)).collect();
        self.list.refill(items);
        if self.entities.len() > before {
            self.list.clear_find();
            self.list.select(before);
        }
        Reaction::Stay
    }

    fn waits(&self) -> bool {
        self.waiting
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let inner = popup(buf, area, 100, 20, "Linked entities", theme);
        let mut body =
            with_keys(buf, inner, "/ a label, then Tab: search the KGs  space checks  Enter applies  Esc leaves no trace", theme);
        let said =
            if self.waiting { Some(("searching the KGs …", Role::Dim)) } else { self.wrong.as_deref().map(|why| (why, Role::Warning)) };
        if let Some((text, role)) = said.filter(|_| body.height > 3) {
            put(buf, body, body.x, body.y, text, theme.style(role));
            body = Rect { y: body.y + 1, height: body.height - 1, ..body };
        }
        self.list.render(buf, body, "a label; Tab searches the KGs for it", theme);
    }
}
