//! How the question came to its entities: which mention, which candidates there were, which one was taken.

use super::act::Act;
use super::event::{AskKey, NodeId, Outcome, Purpose, StepKind};
use super::state::State;
use super::strategy::candidates;
use crate::calls::Candidate;
use crate::graph::{Entity, KgName};

/// One mention of the question in one KG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match<'a> {
    /// The mention, as the model named it.
    pub mention: &'a str,
    /// The KG that was searched.
    pub kg: &'a KgName,
    /// What the search brought, best first.
    pub candidates: &'a [Candidate],
    /// The one that the model took.
    pub picked: Option<&'a Entity>,
    /// Why none was taken, where something went wrong.
    pub why: Option<&'a str>,
}

/// How an entity came to be linked to the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The model matched a mention.
    Matched(Vec<Match<'a>>),
    /// `--entity` named it.
    Given,
    /// The person linked it in the explorer.
    ByHand,
    /// The recording does not say.
    Unknown,
}

impl State {
    /// Every mention in every KG, as the start read them.
    #[must_use]
    pub fn matches(&self) -> Vec<Match<'_>> {
        let kgs = self.started.as_deref().map_or(&[][..], |started| &started.kgs);
        let Some(start) = self.steps.iter().find(|step| step.kind == StepKind::Start) else { return Vec::new() };
        let mut found = Vec::new();
        for (lane, rows) in start.readings.iter().filter(|(lane, _)| lane % 2 == 1) {
            let round = lane / 2;
            let mentions: Vec<&str> = start.reading(2 * round).unwrap_or_default().iter().filter_map(mention).collect();
            for row in rows {
                let Some(pair) = row.slots.first().copied() else { continue };
                let at = pair as usize;
                let (Some(mention), Some((kg, _))) = (mentions.get(at / kgs.len().max(1)), kgs.get(at % kgs.len().max(1))) else {
                    continue;
                };
                let key = AskKey { step: start.id, purpose: Purpose::Search, lane: pair, round: round * 10 };
                let (picked, why) = match &row.outcome {
                    Outcome::Entity(entity) => (entity.as_deref(), None),
                    Outcome::Rejected { why, .. } => (None, Some(why.as_str())),
                    _ => (None, None),
                };
                found.push(Match { mention, kg, candidates: self.ask_of(key).map_or(&[], candidates), picked, why });
            }
        }
        found
    }

    /// How `entity` of the question came to be linked.
    #[must_use]
    pub fn origin(&self, entity: &Entity) -> Origin<'_> {
        let is_it = |other: &Entity| other.id == entity.id || entity.also.iter().any(|(kg, id)| *kg == other.kg && *id == other.id);
        let by_hand = self.acts.iter().rev().filter(|act| act.active).any(|act| match &act.what {
            Act::Link { add, .. } => add.iter().any(is_it),
            _ => false,
        });
        if by_hand {
            return Origin::ByHand;
        }
        let matched: Vec<Match<'_>> = self.matches().into_iter().filter(|m| m.picked.is_some_and(is_it)).collect();
        if !matched.is_empty() {
            return Origin::Matched(matched);
        }
        let given = self.started.as_deref().is_some_and(|started| !started.entities.is_empty());
        if given { Origin::Given } else { Origin::Unknown }
    }

    /// The entities of the question, as they are linked now.
    #[must_use]
    pub fn linked(&self) -> Vec<Entity> {
        if self.nodes.is_empty() { Vec::new() } else { self.graph(NodeId(0)).entities().cloned().collect() }
    }
}

fn mention(row: &super::event::Reading) -> Option<&str> {
    match &row.outcome {
        Outcome::Mention(mention) => Some(mention),
        _ => None,
    }
}
