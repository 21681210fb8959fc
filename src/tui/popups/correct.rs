//! Correcting a fact of the local graph: what is wrong, what is right, why; then the nodes that were asked with it, to be asked again.
//! It is an overlay of the session. Escape goes back one step, and from the first step out, without a trace.

mod in_words;

use super::super::scene::{Scene, label};
use super::super::theme::{Role, Theme};
use super::super::widgets::input::LineInput;
use super::super::widgets::list::{Item, PickList, Picked};
use super::super::widgets::{popup, put};
use super::inquiries::Inquiries;
use super::{Desk, Popup, Reaction, with_keys};
use crate::calls::{KgCall, KgData, KgOp};
use crate::graph::{Edge, Entity, Literal, LiteralKind, LocalGraph, Object};
use crate::runner::Command;
use crate::search::correction::{Change, Correction};
use crate::search::{Act, Again, NodeId, Purpose};
use crate::text::one_line;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// What is done to the fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pick {
    Label,
    Entity { more: bool },
    Value { more: bool },
    Delete,
    Hide,
    Distrust,
}

/// Where the flow stands.
#[derive(Debug)]
enum Stage {
    Menu,
    /// A label or a value is written.
    Write(Pick, LineInput),
    /// Another entity is found.
    Find {
        more: bool,
        entities: Vec<Entity>,
        list: PickList,
    },
    /// The reason is written.
    Why(Change, Edge, LineInput),
    /// It is done: who is asked again?
    Again(Vec<(NodeId, Again)>, PickList),
}

/// The flow.
#[derive(Debug)]
pub struct CorrectPopup {
    node: NodeId,
    fact: Edge,
    said: String,
    menu: (Vec<Pick>, PickList),
    stage: Stage,
    search: Inquiries,
    taken: usize,
    wrong: Option<String>,
}

/// Candidates of each KG.
const LIMIT: u32 = 10;

impl CorrectPopup {
    /// The flow for a fact of the local graph of `node`.
    #[must_use]
    pub fn new(scene: &Scene, node: NodeId, fact: &Edge, first: u64) -> Self {
        let graph = scene.state.graph(node);
        let fact = Edge { notes: Vec::new(), ..graph.resolved(fact) };
        let (picks, items): (Vec<Pick>, Vec<Item>) = choices(&graph, &fact).into_iter().unzip();
        Self {
            node,
            said: said(&graph, &fact),
            fact,
            menu: (picks, PickList::one(items)),
            stage: Stage::Menu,
            search: Inquiries::new(first),
            taken: 0,
            wrong: None,
        }
    }

    fn pick(&mut self, scene: &Scene, at: usize) {
        let graph = scene.state.graph(self.node);
        let because = |change: Change, fact: Edge| Stage::Why(change, fact, LineInput::new(""));
        let Some(pick) = self.menu.0.get(at).copied() else { return };
        self.stage = match pick {
            Pick::Label => {
                let now = match &self.fact.o {
                    Object::Entity(id) => graph.name(id).to_owned(),
                    Object::Literal(literal) => literal.text.clone(),
                };
                Stage::Write(pick, LineInput::new(&now))
            }
            Pick::Value { more } => {
                let now = match &self.fact.o {
                    Object::Literal(literal) if !more => literal.text.clone(),
                    _ => String::new(),
                };
                Stage::Write(pick, LineInput::new(&now))
            }
            Pick::Entity { more } => {
                let entities: Vec<Entity> = graph.entities().filter(|e| Object::Entity(e.id.clone()) != self.fact.o).cloned().collect();
                let list = PickList::one(entities.iter().map(row).collect());
                Stage::Find { more, entities, list }
            }
            Pick::Delete => because(Change::Delete, self.fact.clone()),
            Pick::Hide => because(Change::Hide, self.fact.clone()),
            Pick::Distrust => because(Change::Distrust, self.fact.clone()),
        };
    }

    /// Asks for the reason of a change.
    fn because(&mut self, change: Change, fact: Edge) {
        self.stage = Stage::Why(change, fact, LineInput::new(""));
    }

    /// What was written becomes a change of the fact.
    fn written(&self, pick: Pick, text: &str) -> Result<(Change, Edge), String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("write something first".to_owned());
        }
        let literal = || {
            let kind = match &self.fact.o {
                Object::Literal(literal) => literal.kind,
                Object::Entity(_) => LiteralKind::Text,
            };
            Object::Literal(Literal { kind, text: text.to_owned(), raw: None, lang: None })
        };
        Ok(match pick {
            Pick::Label => (Change::Label(text.to_owned()), self.fact.clone()),
            Pick::Value { more: true } => (Change::Add { entity: None }, Edge { o: literal(), ..self.fact.clone() }),
            _ => (Change::Object { object: literal(), entity: None }, self.fact.clone()),
        })
    }

    fn chosen(&self, more: bool, entity: &Entity) -> (Change, Edge) {
        let object = Object::Entity(entity.id.clone());
        let entity = Some(Box::new(entity.clone()));
        if more {
            (Change::Add { entity }, Edge { o: object, ..self.fact.clone() })
        } else {
            (Change::Object { object, entity }, self.fact.clone())
        }
    }

    /// Does it, and lists who was asked with the fact.
    fn correct(&mut self, scene: &Scene, change: Change, fact: Edge, reason: &str) -> Reaction {
        let correction = Correction { fact, change, reason: one_line(reason.trim()) };
        if let Err(why) = correction.check(&scene.state.graph(self.node)) {
            self.wrong = Some(why);
            return Reaction::Stay;
        }
        let mut asked: Vec<(NodeId, Again)> = Vec::new();
        let trace = scene.state.trace(&self.fact, self.node);
        // What an answer was made of: unless they are asked again, it stays as it was, with the value it had.
        let made = |answer: &NodeId| {
            [scene.state.node(*answer).and_then(|n| n.parent).map(|p| (p, Again::Samples)), Some((*answer, Again::Value))]
        };
        let advised: Vec<(NodeId, Again)> = trace.answers.iter().flat_map(made).flatten().collect();
        for ask in trace.prompts.iter().filter_map(|id| scene.state.ask(*id)) {
            let what = match ask.key.purpose {
                Purpose::Sample => Again::Samples,
                Purpose::Score => Again::Value,
                _ => continue,
            };
            if let Some(node) = scene.state.asked_about(ask).filter(|node| !asked.contains(&(*node, what))) {
                let possible = Act::again(node, what).check(&scene.state).is_ok();
                asked.extend(possible.then_some((node, what)));
            }
        }
        let mut commands = self.search.drop_all();
        commands.push(Command::Do(Act::Correct { node: self.node, correction: Box::new(correction) }));
        if asked.is_empty() {
            return Reaction::Finish(commands);
        }
        let items = asked.iter().map(|(node, what)| {
            let detail = match (what, advised.contains(&(*node, *what))) {
                (Again::Value, true) => "its value: not asked again, it counts as before",
                (Again::Value, false) => "its value",
                (Again::Samples, true) => "what comes next: the answer rests on the fact",
                (Again::Samples, false) => "what comes next",
            };
            Item { detail: detail.to_owned(), ..Item::new(format!("node {}: {}", node.0, label(&scene.state, *node))) }
        });
        let list = PickList::several(items.collect(), |row| advised.contains(&asked[row]));
        self.stage = Stage::Again(asked, list);
        Reaction::Send(commands)
    }

    fn back(&mut self) -> Reaction {
        if matches!(self.stage, Stage::Menu | Stage::Again(..)) {
            return Reaction::Finish(self.search.drop_all());
        }
        self.stage = Stage::Menu;
        Reaction::Send(self.search.drop_all())
    }

    fn find(&mut self, scene: &Scene) -> Reaction {
        let Stage::Find { list, .. } = &mut self.stage else { return Reaction::Stay };
        let mention = list.find().trim().to_owned();
        if mention.is_empty() {
            self.wrong = Some("type what to look for after /, then Tab".to_owned());
            return Reaction::Stay;
        }
        list.end_typing();
        self.look_for(scene, &mention)
    }

    /// Looks for a label in every KG.
    fn look_for(&mut self, scene: &Scene, mention: &str) -> Reaction {
        self.taken = 0;
        let kgs = scene.state.started().kgs.iter();
        let calls = kgs.map(|(kg, _)| KgCall { kg: kg.clone(), op: KgOp::Search { mention: mention.to_owned(), limit: LIMIT } }).collect();
        Reaction::Send(self.search.ask(calls))
    }
}

fn again((node, what): &(NodeId, Again)) -> Command {
    Command::Do(Act::again(*node, *what))
}

fn row(entity: &Entity) -> Item {
    Item {
        detail: format!("{} {}", one_line(&entity.id), one_line(entity.description.as_deref().unwrap_or_default())),
        ..Item::new(one_line(entity.name()))
    }
}

/// The fact in words.
fn said(graph: &LocalGraph, fact: &Edge) -> String {
    let object = match &fact.o {
        Object::Entity(id) => graph.name(id).to_owned(),
        Object::Literal(literal) => literal.text.clone(),
    };
    one_line(&format!("{} · {} · {object}", graph.name(&fact.s), graph.relation_name(&fact.r)))
}

/// What can be done to a fact.
fn choices(graph: &LocalGraph, fact: &Edge) -> Vec<(Pick, Item)> {
    let row = |pick: Pick, name: &str, detail: &str| (pick, Item { detail: detail.to_owned(), ..Item::new(name) });
    let mut all = Vec::new();
    if let Object::Entity(id) = &fact.o {
        all.push(row(Pick::Label, "another label …", &format!("{} is called otherwise", one_line(graph.name(id)))));
    }
    all.extend([
        row(Pick::Entity { more: false }, "another entity …", "the object is another entity of the graph, or one found in the KGs"),
        row(Pick::Value { more: false }, "another value …", "the object is a text, number or date"),
        row(Pick::Entity { more: true }, "one more entity …", "the KG lacks a fact of this relation"),
        row(Pick::Value { more: true }, "one more value …", "the KG lacks a value of this relation"),
        row(Pick::Delete, "delete", "it is wrong"),
        row(Pick::Hide, "hide from the model", "it may be right: what would the search do without it?"),
        row(Pick::Distrust, "distrust", "the model still reads it, but no answer counts as supported by it"),
    ]);
    all
}

impl Popup for CorrectPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let scene = &view.scene;
        self.wrong = None;
        match &mut self.stage {
            Stage::Menu => match self.menu.1.key(key) {
                Picked::Item(at) => self.pick(scene, at),
                Picked::Ignored if key.code == KeyCode::Esc => return self.back(),
                _ => {}
            },
            Stage::Write(pick, line) => match key.code {
                KeyCode::Esc => return self.back(),
                KeyCode::Enter => {
                    let (pick, text) = (*pick, line.value().to_owned());
                    match self.written(pick, &text) {
                        Ok((change, fact)) => self.because(change, fact),
                        Err(why) => self.wrong = Some(why),
                    }
                }
                _ => {
                    line.key(key);
                }
            },
            Stage::Find { more, entities, list } => match (key.code, list.key(key)) {
                (KeyCode::Esc, Picked::Ignored) => return self.back(),
                (KeyCode::Tab, _) => return self.find(scene),
                (_, Picked::Item(at)) => {
                    if let Some(entity) = entities.get(at).cloned() {
                        let more = *more;
                        let (change, fact) = self.chosen(more, &entity);
                        self.because(change, fact);
                    }
                }
                _ => {}
            },
            Stage::Why(change, fact, line) => match key.code {
                KeyCode::Esc => return self.back(),
                KeyCode::Enter => {
                    let (change, fact, reason) = (change.clone(), fact.clone(), line.value().to_owned());
                    return self.correct(scene, change, fact, &reason);
                }
                _ => {
                    line.key(key);
                }
            },
            Stage::Again(asked, list) => match list.key(key) {
                Picked::Item(at) => {
                    let mut picked = list.picked();
                    if picked.is_empty() {
                        picked.push(at);
                    }
                    return Reaction::Finish(picked.iter().filter_map(|at| asked.get(*at)).map(again).collect());
                }
                Picked::Ignored if key.code == KeyCode::Esc => return self.back(),
                _ => {}
            },
        }
        Reaction::Stay
    }

    fn paste(&mut self, text: &str) {
        match &mut self.stage {
            Stage::Write(_, line) | Stage::Why(_, _, line) => line.paste(text),
            Stage::Find { list, .. } | Stage::Again(_, list) => list.paste(text),
            Stage::Menu => self.menu.1.paste(text),
        }
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let live = &view.snapshot.live;
        let done = self.search.results(live).filter(|(_, result)| result.is_some()).count();
        if done == self.taken {
            return Reaction::Stay;
        }
        self.taken = done;
        let mut found = Vec::new();
        for (call, result) in self.search.results(live) {
            match result.map(|result| result.as_ref().map(|reply| &reply.data)) {
                Some(Ok(KgData::Candidates(list))) => found.extend(list.iter().map(|candidate| candidate.entity.clone())),
                Some(Err(error)) => self.wrong = Some(format!("{}: {}", call.kg, error.message)),
                _ => {}
            }
        }
        if let Stage::Find { entities, list, .. } = &mut self.stage {
            let before = entities.len();
            found.retain(|new| !entities.iter().any(|known| known.id == new.id));
            entities.extend(found);
            list.refill(entities.iter().map(row).collect());
            if entities.len() > before {
                list.clear_find();
                list.select(before);
            } else if self.wrong.is_none() {
                self.wrong = Some("nothing new was found: try another spelling".to_owned());
            }
        }
        Reaction::Stay
    }

    fn waits(&self) -> bool {
        !self.search.is_empty() && self.taken == 0
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, _desk: &Desk<'_>, _now: Instant, theme: &Theme) {
        let (title, keys) = match &self.stage {
            Stage::Menu => ("What is wrong with this fact?", "Enter chooses  Esc leaves no trace"),
            Stage::Write(Pick::Label, _) => ("Another label", "Enter goes on  Esc back"),
            Stage::Write(..) => ("The right value", "Enter goes on  Esc back"),
            Stage::Find { .. } => ("The right entity", "Enter takes it  / a label, then Tab: search the KGs  Esc back"),
            Stage::Why(..) => ("Why?", "Enter corrects it, in this session only  Esc back"),
            Stage::Again(..) => ("Corrected. Who read it before, and is asked again?", "space checks  Enter asks  Esc asks nobody"),
        };
        let inner = popup(buf, area, 100, 18, title, theme);
        let mut body = with_keys(buf, inner, keys, theme);
        put(buf, body, body.x, body.y, &self.said, theme.style(Role::Title));
        body = Rect { y: body.y + 1, height: body.height.saturating_sub(1), ..body };
        if let Some(wrong) = self.wrong.as_ref().filter(|_| body.height > 1) {
            put(buf, body, body.x, body.y, wrong, theme.style(Role::Error));
            body = Rect { y: body.y + 1, height: body.height - 1, ..body };
        }
        match &mut self.stage {
            Stage::Menu => self.menu.1.render(buf, body, "finds a row by a few letters", theme),
            Stage::Write(_, line) => line.render(buf, Rect { height: 1.min(body.height), ..body }, "", theme),
            Stage::Why(_, _, line) => {
                line.render(buf, Rect { height: 1.min(body.height), ..body }, "a reason, for yourself and for the KG's owners", theme)
            }
            Stage::Find { list, .. } => list.render(buf, body, "a label; Tab searches the KGs for it", theme),
            Stage::Again(_, list) => list.render(buf, body, "finds a node by a few letters", theme),
        }
    }
}
