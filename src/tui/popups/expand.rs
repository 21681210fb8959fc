//! Expanding by hand: ask the model, think, answer, or pick entities and a relation, with a preview of what would come in.
//!
//! The calls are exactly those that the engine would make, so that the runner can use the preview's reply. Escape goes
//! back one step, and from the first step out, without a trace.

mod compute;
mod draw;
mod in_words;
pub mod options;

use super::super::scene::Scene;
use super::super::widgets::list::{Item, PickList, Picked};
use super::inquiries::Inquiries;
use super::line::{LineFor, LinePopup};
use super::{Desk, Popup, Reaction};
use crate::asm::{Action, AsmState};
use crate::calls::{Aggregate, EdgeList, KgData};
use crate::graph::{EntityId, KgName, Relation};
use crate::runner::{Command, Live};
use crate::search::{Act, Again, NodeId};
use compute::Compute;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// Where the flow stands.
#[derive(Debug)]
enum Stage {
    /// Ask the model, think, answer or expand.
    Menu(PickList),
    /// Which entities.
    Entities(Vec<EntityId>, PickList),
    /// Which relation.
    Relations(PickList),
    /// Which computation over a relation.
    Compute(Compute),
    /// What would come in.
    Preview(Chosen),
}

/// What was chosen at the end.
#[derive(Clone, Debug)]
enum Chosen {
    /// A relation to follow.
    Relation(Relation),
    /// A computation in a KG.
    Aggregate(Aggregate, KgName),
}

impl Chosen {
    fn action(&self) -> Action {
        match self {
            Self::Relation(relation) => Action::SelectRelation { relation: relation.at.clone() },
            Self::Aggregate(what, kg) => Action::Aggregate { what: what.clone(), kg: kg.clone() },
        }
    }

    fn kg(&self) -> &KgName {
        match self {
            Self::Relation(relation) => &relation.at.kg,
            Self::Aggregate(_, kg) => kg,
        }
    }
}

/// What a preview's reply holds.
struct Seen<'a> {
    lists: &'a [EdgeList],
    partial: bool,
    /// What was computed, in a sentence.
    computed: Option<&'a str>,
}

/// The flow.
#[derive(Debug)]
pub struct ExpandPopup {
    node: NodeId,
    asm: AsmState,
    instead_of: Option<NodeId>,
    stages: Vec<Stage>,
    entities: Vec<EntityId>,
    relations: Vec<Relation>,
    /// Whether relations to identifiers of other databases are shown.
    identifiers: bool,
    /// The listing, kept while a preview is looked at.
    listing: Inquiries,
    preview: Inquiries,
    /// What the listings said so far: how many results were taken in.
    taken: usize,
    since: Option<Instant>,
    wrong: Option<String>,
}

impl ExpandPopup {
    /// The flow for `node`; `instead_of`: the child that the new one replaces. `first`: numbers for inquiries.
    #[must_use]
    pub fn new(scene: &Scene, node: NodeId, instead_of: Option<NodeId>, first: u64) -> (Self, Vec<Command>) {
        let at = scene.state.node(node);
        let asm = at.map_or(AsmState::Done, |at| at.asm);
        let mut popup = Self {
            node,
            asm,
            instead_of,
            stages: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            identifiers: false,
            listing: Inquiries::new(first),
            preview: Inquiries::new(first + 500),
            taken: 0,
            since: None,
            wrong: None,
        };
        let mut commands = Vec::new();
        match (asm, at.map(|at| &at.action)) {
            (AsmState::SelectingEntities, _) => popup.ask_entities(scene),
            (AsmState::SelectingRelation, Some(Action::SelectEntities { ids })) => commands = popup.ask_relations(scene, ids.clone()),
            _ => popup.stages.push(Stage::Menu(menu(scene, node))),
        }
        (popup, commands)
    }

    /// Begins with this entity checked: a person looks at it in the local graph.
    #[must_use]
    pub fn with_entity(mut self, scene: &Scene, entity: &EntityId) -> Self {
        if matches!(self.asm, AsmState::Default | AsmState::SelectingEntities) {
            if self.asm == AsmState::Default {
                self.ask_entities(scene);
            }
            if let Some(Stage::Entities(ids, list)) = self.stages.last_mut()
                && let Some(at) = ids.iter().position(|id| id == entity)
            {
                list.check(at, true);
                list.select(at);
            }
        }
        self
    }

    fn ask_entities(&mut self, scene: &Scene) {
        let (ids, items) = options::entities(scene, self.node);
        self.stages.push(Stage::Entities(ids, PickList::several(items, |_| false)));
    }

    fn ask_relations(&mut self, scene: &Scene, entities: Vec<EntityId>) -> Vec<Command> {
        let calls = options::listings(&scene.state, self.node, &entities);
        self.entities = entities;
        self.relations.clear();
        self.taken = 0;
        self.wrong = None;
        self.stages.push(Stage::Relations(PickList::one(Vec::new())));
        self.listing.ask(calls)
    }

    fn ask_preview(&mut self, scene: &Scene, chosen: Chosen) -> Vec<Command> {
        let call = match &chosen {
            Chosen::Relation(relation) => options::edges(&scene.state, self.node, &self.entities, relation),
            Chosen::Aggregate(what, kg) => options::aggregate(&scene.state, self.node, &self.entities, what, kg),
        };
        self.wrong = None;
        self.stages.push(Stage::Preview(chosen));
        self.preview.ask(vec![call])
    }

    /// Takes in the listings that have come.
    fn take_listings(&mut self, scene: &Scene, live: &Live) {
        let done = self.listing.results(live).filter(|(_, result)| result.is_some()).count();
        if done == self.taken {
            return;
        }
        self.taken = done;
        self.relations.clear();
        self.wrong = None;
        for (call, result) in self.listing.results(live) {
            match result {
                Some(Ok(reply)) => {
                    if let KgData::Relations(list) = &reply.data {
                        self.relations.extend(list.iter().cloned());
                    }
                }
                Some(Err(error)) => self.wrong = Some(format!("{} from {}: {}", call.op.name(), call.kg, error.message)),
                None => {}
            }
        }
        self.fill_relations(scene);
    }

    fn shown_relations(&self) -> Vec<&Relation> {
        self.relations.iter().filter(|relation| self.identifiers || !relation.identifier).collect()
    }

    fn fill_relations(&mut self, scene: &Scene) {
        let items: Vec<Item> =
            self.shown_relations().into_iter().map(|relation| options::relation(scene, self.node, &self.entities, relation)).collect();
        if let Some(Stage::Relations(list)) = self.stages.iter_mut().rev().find(|stage| matches!(stage, Stage::Relations(_))) {
            list.refill(items);
        }
    }

    /// What the preview brought, when it is here.
    fn seen<'a>(&'a self, live: &'a Live) -> Option<Result<Seen<'a>, &'a str>> {
        let (_, result) = self.preview.results(live).next()?;
        Some(match result? {
            Ok(reply) => match &reply.data {
                KgData::Edges(list) => Ok(Seen { lists: std::slice::from_ref(list), partial: reply.partial, computed: None }),
                KgData::Aggregate(result) => Ok(Seen { lists: &result.lists, partial: reply.partial, computed: Some(&result.reading) }),
                _ => Err("the KG's reply holds no facts"),
            },
            Err(error) => Err(&error.message),
        })
    }

    fn confirm(&mut self, desk: &Desk<'_>, chosen: &Chosen) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        match self.seen(&view.snapshot.live) {
            Some(Ok(seen)) => {
                let (lines, _) = options::preview(&view.scene, self.node, seen.lists);
                if !lines.iter().any(|(new, _)| *new) {
                    self.wrong = Some("it adds no fact that is not in the local graph: Escape goes back".to_owned());
                    return Reaction::Stay;
                }
            }
            Some(Err(_)) | None => return Reaction::Stay,
        }
        let last = chosen.action();
        let select = Action::SelectEntities { ids: self.entities.clone() };
        let chain = match self.asm {
            AsmState::SelectingRelation => vec![last],
            AsmState::SelectingEntities => vec![select, last],
            AsmState::Default | AsmState::Done => vec![Action::Expand { text: String::new() }, select, last],
        };
        // The runner remembers the preview's reply and records it as the ask's.
        let mut commands = vec![Command::Do(Act::Choose { node: self.node, chain, instead_of: self.instead_of, value: None })];
        commands.extend(self.listing.drop_all());
        commands.extend(self.preview.drop_all());
        Reaction::Finish(commands)
    }

    fn back(&mut self) -> Reaction {
        self.wrong = None;
        let commands = match self.stages.pop() {
            Some(Stage::Preview(_)) => self.preview.drop_all(),
            Some(Stage::Relations(_)) => self.listing.drop_all(),
            _ => Vec::new(),
        };
        if self.stages.is_empty() { Reaction::Finish(commands) } else { Reaction::Send(commands) }
    }

    /// Opens the line for a computation over the relation under the cursor.
    fn compute(&mut self) -> Reaction {
        let relation = match self.stages.last() {
            Some(Stage::Relations(list)) => {
                list.current().and_then(|at| self.shown_relations().get(at).map(|relation| (*relation).clone()))
            }
            _ => None,
        };
        match relation {
            Some(relation) => self.stages.push(Stage::Compute(Compute::new(&relation, &self.relations))),
            None => self.wrong = Some("no relation is listed yet: wait for the KGs, or pick other entities".to_owned()),
        }
        Reaction::Stay
    }

    fn pick_menu(&mut self, scene: &Scene, at: usize) -> Reaction {
        let what = match at {
            0 => return Reaction::Finish(vec![Command::Do(Act::again(self.node, Again::Samples))]),
            1 => LineFor::Hint,
            2 => LineFor::Answer,
            _ => {
                self.ask_entities(scene);
                return Reaction::Stay;
            }
        };
        Reaction::Become(Box::new(LinePopup::new(what, self.node, scene).instead_of(self.instead_of)), Vec::new())
    }
}

fn menu(scene: &Scene, node: NodeId) -> PickList {
    let entities = scene.state.graph(node).entities().len();
    let barred = entities == 0;
    PickList::one(vec![
        Item { detail: "its samples at this node now, out of turn".to_owned(), ..Item::new("▸ ask the model") },
        Item { detail: "a thought of your own; the model reads it".to_owned(), ..Item::new("∴ think") },
        Item { detail: "an answer of your own".to_owned(), ..Item::new("★ answer") },
        Item {
            detail: "pick entities and a relation; its facts come in".to_owned(),
            right: format!("{entities} entities"),
            dimmed: barred.then(|| "the local graph holds no entity: link one first (K)".to_owned()),
            barred,
            ..Item::new("⇲ expand the graph")
        },
    ])
}

impl Popup for ExpandPopup {
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction {
        let Some(view) = desk.view else { return Reaction::Close };
        let scene = &view.scene;
        if key.code == KeyCode::Char('#') && matches!(self.stages.last(), Some(Stage::Relations(list)) if !list.is_typing()) {
            return self.compute();
        }
        if let Some(Stage::Compute(compute)) = self.stages.last_mut() {
            return match (key.code, compute.key(key, &self.relations)) {
                (KeyCode::Esc, _) => self.back(),
                (_, Some((what, kg))) => Reaction::Send(self.ask_preview(scene, Chosen::Aggregate(what, kg))),
                _ => Reaction::Stay,
            };
        }
        let picked = match self.stages.last_mut() {
            Some(Stage::Menu(list) | Stage::Entities(_, list) | Stage::Relations(list)) => list.key(key),
            Some(Stage::Preview(chosen)) => {
                let chosen = chosen.clone();
                return match key.code {
                    KeyCode::Enter => self.confirm(desk, &chosen),
                    KeyCode::Esc => self.back(),
                    _ => Reaction::Stay,
                };
            }
            Some(Stage::Compute(_)) | None => return Reaction::Close,
        };
        match (picked, self.stages.last()) {
            (Picked::Item(at), Some(Stage::Menu(_))) => self.pick_menu(scene, at),
            (Picked::Item(at), Some(Stage::Entities(ids, list))) => {
                let checked = list.picked();
                let chosen = if checked.is_empty() { vec![at] } else { checked };
                let chosen: Vec<EntityId> = chosen.into_iter().filter_map(|at| ids.get(at).cloned()).collect();
                Reaction::Send(self.ask_relations(scene, chosen))
            }
            (Picked::Item(at), Some(Stage::Relations(_))) => match self.shown_relations().get(at).map(|relation| (*relation).clone()) {
                Some(relation) => Reaction::Send(self.ask_preview(scene, Chosen::Relation(relation))),
                None => Reaction::Stay,
            },
            (Picked::Ignored, _) if key.code == KeyCode::Esc => self.back(),
            (Picked::Ignored, Some(Stage::Relations(_))) if key.code == KeyCode::Tab => {
                self.identifiers = !self.identifiers;
                self.fill_relations(scene);
                Reaction::Stay
            }
            _ => Reaction::Stay,
        }
    }

    fn paste(&mut self, text: &str) {
        match self.stages.last_mut() {
            Some(Stage::Menu(list) | Stage::Entities(_, list) | Stage::Relations(list)) => list.paste(text),
            Some(Stage::Compute(compute)) => compute.paste(text, &self.relations),
            Some(Stage::Preview(_)) | None => {}
        }
    }

    fn update(&mut self, desk: &Desk<'_>) -> Reaction {
        if let Some(view) = desk.view {
            self.take_listings(&view.scene, &view.snapshot.live);
        }
        Reaction::Stay
    }

    fn waits(&self) -> bool {
        match self.stages.last() {
            Some(Stage::Relations(_)) => self.since.is_some() && !self.listing.is_empty(),
            Some(Stage::Preview(_)) => self.since.is_some() && !self.preview.is_empty(),
            _ => false,
        }
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, now: Instant, theme: &super::super::theme::Theme) {
        if let Some(view) = desk.view {
            self.draw_stage(buf, area, view, now, theme);
        }
    }
}
