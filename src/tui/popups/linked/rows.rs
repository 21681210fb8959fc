//! The rows of the linked entities: each with all its ids and how it was matched.

use super::super::super::ids::{Aliases, whole};
use super::super::super::scene::Scene;
use super::super::super::widgets::count;
use super::super::super::widgets::list::Item;
use crate::graph::{Entity, KgName};
use crate::search::{Match, Origin};

/// A row.
#[derive(Clone, Debug)]
pub(super) enum Row {
    /// An entity of the question.
    Linked(Entity),
    /// A mention for which no entity was taken in any KG.
    Mention {
        /// The mention.
        text: String,
        /// What there was to choose from, KG by KG.
        why: String,
    },
    /// An entity that was found now.
    Found(Entity),
}

/// What is linked now, and the mentions that are not.
pub(super) fn of(scene: &Scene) -> Vec<Row> {
    let matches = scene.state.matches();
    let mut rows: Vec<Row> = scene.state.linked().into_iter().map(Row::Linked).collect();
    let mut mentions: Vec<&str> = Vec::new();
    for m in &matches {
        let taken = matches.iter().any(|other| other.mention == m.mention && other.picked.is_some());
        if !taken && !mentions.contains(&m.mention) {
            mentions.push(m.mention);
        }
    }
    rows.extend(mentions.into_iter().map(|text| {
        let kgs: Vec<String> = matches.iter().filter(|m| m.mention == text).map(untaken).collect();
        Row::Mention { text: text.to_owned(), why: kgs.join("; ") }
    }));
    rows
}

fn untaken(m: &Match<'_>) -> String {
    match (m.why, m.candidates.len()) {
        (Some(why), _) => why.to_owned(),
        (None, 0) => format!("{} has no candidate", m.kg),
        (None, n) => format!("none of {} in {}", count(n, "candidate", "candidates"), m.kg),
    }
}

/// Whether two reports mean the same thing.
pub(super) fn same(one: &Entity, other: &Entity) -> bool {
    let ids = |entity: &Entity| -> Vec<(KgName, crate::graph::EntityId)> {
        std::iter::once((entity.kg.clone(), entity.id.clone())).chain(entity.also.iter().cloned()).collect()
    };
    let known = ids(one);
    ids(other).iter().any(|id| known.contains(id))
}

/// `id · description`
pub(super) fn detail(scene: &Scene, entity: &Entity) -> String {
    let shown = if entity.also.is_empty() { whole(scene, entity) } else { Aliases::of(&scene.state).line(scene, entity) };
    match &entity.description {
        Some(description) => format!("{shown} · {description}"),
        None => shown,
    }
}

impl Row {
    pub(super) fn item(&self, scene: &Scene) -> Item {
        match self {
            Self::Linked(entity) => Item {
                label: entity.name().to_owned(),
                detail: detail(scene, entity),
                right: origin(scene, entity),
                kg: Some(scene.kg(&entity.kg)),
                ..Item::default()
            },
            Self::Mention { text, why } => {
                Item {
                    label: format!("“{text}”"), dimmed: Some(format!("not linked: {why} · r chooses")), barred: true, ..Item::default()
                }
            }
            Self::Found(entity) => Item {
                label: entity.name().to_owned(),
                detail: detail(scene, entity),
                right: "found".to_owned(),
                kg: Some(scene.kg(&entity.kg)),
                ..Item::default()
            },
        }
    }
}

/// How an entity came to be linked: the mention, and which of how many candidates it was.
fn origin(scene: &Scene, entity: &Entity) -> String {
    match scene.state.origin(entity) {
        Origin::Matched(all) => {
            let of = |m: &Match<'_>| {
                let at = m.candidates.iter().position(|c| m.picked.is_some_and(|picked| picked.id == c.entity.id));
                at.map_or_else(|| m.kg.to_string(), |at| format!("{} of {} in {}", at + 1, m.candidates.len(), m.kg))
            };
            let places: Vec<String> = all.iter().map(of).collect();
            format!("“{}”: {}", all.first().map_or("", |m| m.mention), places.join(", "))
        }
        Origin::Given => "given".to_owned(),
        Origin::ByHand => "✎ by hand".to_owned(),
        Origin::Unknown => "linked".to_owned(),
    }
}
