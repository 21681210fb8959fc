//! The candidates for one entity or mention: those that the model had to choose from, and what a search brings.

use super::super::super::scene::Scene;
use super::super::super::widgets::list::{Item, PickList};
use super::rows::{detail, same};
use crate::graph::{Entity, EntityId, KgName};
use crate::search::{Act, Origin};

/// What a candidate is wanted for.
#[derive(Clone, Debug)]
pub(super) enum For {
    /// To stand in the place of this entity.
    Replace(Entity),
    /// To be the same thing in another KG.
    Counterpart(Entity),
    /// To be linked for this mention.
    Mention(String),
}

/// The candidates.
#[derive(Debug)]
pub(super) struct Candidates {
    what: For,
    entities: Vec<Entity>,
    /// How many the model had to choose from; the rest was found now.
    before: usize,
    pub(super) list: PickList,
}

impl Candidates {
    /// What the session knows already.
    pub(super) fn of(scene: &Scene, what: For) -> Self {
        let matches = scene.state.matches();
        let mentions: Vec<&str> = match &what {
            For::Mention(mention) => vec![mention],
            For::Replace(entity) | For::Counterpart(entity) => match scene.state.origin(entity) {
                Origin::Matched(all) => all.iter().map(|m| m.mention).collect(),
                _ => Vec::new(),
            },
        };
        let had = matches.iter().filter(|m| mentions.contains(&m.mention)).flat_map(|m| m.candidates);
        let had: Vec<Entity> = had.map(|candidate| candidate.entity.clone()).collect();
        let mut candidates = Self { what, entities: Vec::new(), before: 0, list: PickList::one(Vec::new()) };
        candidates.add(scene, had);
        candidates.before = candidates.entities.len();
        candidates.refill(scene);
        candidates
    }

    /// Whether candidates of this KG are wanted: a counterpart is of another KG than the one that the entity
    /// stands in; one that is known already may be replaced.
    pub(super) fn wants(&self, kg: &KgName) -> bool {
        match &self.what {
            For::Counterpart(entity) => entity.kg != *kg,
            For::Replace(_) | For::Mention(_) => true,
        }
    }

    /// The label to search at once.
    pub(super) fn to_search(&self) -> Option<&str> {
        match &self.what {
            For::Counterpart(entity) => entity.label.as_deref(),
            For::Replace(entity) if self.entities.is_empty() => entity.label.as_deref(),
            For::Mention(mention) if self.entities.is_empty() => Some(mention),
            For::Replace(_) | For::Mention(_) => None,
        }
    }

    pub(super) fn title(&self) -> String {
        match &self.what {
            For::Replace(entity) => format!("Instead of {}", entity.name()),
            For::Counterpart(entity) => format!("{} is the same as …", entity.name()),
            For::Mention(mention) => format!("What “{mention}” means"),
        }
    }

    /// Adds what is new of `found`; whether anything was.
    pub(super) fn add(&mut self, scene: &Scene, found: Vec<Entity>) -> bool {
        let before = self.entities.len();
        for entity in found {
            let twice = self.entities.iter().any(|known| known.kg == entity.kg && known.id == entity.id);
            if !twice && self.wants(&entity.kg) {
                self.entities.push(entity);
            }
        }
        let more = self.entities.len() > before;
        self.refill(scene);
        if more && before > 0 {
            self.list.clear_find();
            self.list.select(before);
        }
        more
    }

    fn refill(&mut self, scene: &Scene) {
        let linked = scene.state.linked();
        let item = |(at, entity): (usize, &Entity)| {
            let here = match &self.what {
                For::Replace(e) | For::Counterpart(e) => same(e, entity),
                For::Mention(_) => false,
            };
            let elsewhere = !here && linked.iter().any(|other| same(other, entity));
            Item {
                label: entity.name().to_owned(),
                detail: detail(scene, entity),
                right: if at < self.before { "candidate then" } else { "found" }.to_owned(),
                kg: Some(scene.kg(&entity.kg)),
                dimmed: if here {
                    Some("linked now".to_owned())
                } else {
                    elsewhere.then(|| "linked as another entity of the question".to_owned())
                },
                barred: here,
            }
        };
        let items = self.entities.iter().enumerate().map(item).collect();
        self.list.refill(items);
    }

    /// What taking the candidate at this position comes to, as one act.
    pub(super) fn act(&self, at: usize) -> Option<Act> {
        let picked = self.entities.get(at)?;
        match &self.what {
            For::Mention(_) => Some(Act::Link { add: vec![picked.clone()], drop: Vec::new() }),
            For::Replace(entity) if same(entity, picked) => None,
            For::Replace(entity) => Some(Act::Link { add: vec![picked.clone()], drop: vec![entity.id.clone()] }),
            For::Counterpart(entity) => {
                // What it was in that KG before was wrong, or it would not be said by hand.
                let kept: Vec<(KgName, EntityId)> = entity.also.iter().filter(|(kg, _)| *kg != picked.kg).cloned().collect();
                let had = kept.len() < entity.also.len();
                let also = kept.into_iter().chain(std::iter::once((picked.kg.clone(), picked.id.clone()))).collect();
                let drop = if had { vec![entity.id.clone()] } else { Vec::new() };
                Some(Act::Link { add: vec![Entity { also, ..entity.clone() }], drop })
            }
        }
    }
}
