//! Steering: nodes that a person pins, and relations or entities that they force or forbid below a node. Both are acts: undone, or
//! switched off, they are as if they had never been.

use super::act::Act;
use super::breakpoint::{is_named, unquoted};
use super::event::{ActId, NodeId};
use super::state::{Node, State};
use crate::asm::Action;
use crate::graph::{Direction, Entity, EntityId, LocalGraph, Relation, RelationRef};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruled {
    /// A relation by its id or label; with a tilde before it, against its direction.
    Relation(String),
    /// An entity by its id or label.
    Entity(String),
}

/// What a person says of choices below a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Whether it has to be chosen where it is on offer, once on every walk; otherwise it is never on offer.
    pub force: bool,
    /// What.
    pub what: Ruled,
    /// At this node and all below it; the root: everywhere. It may be one that is still to come.
    pub below: NodeId,
}

/// The forms of a rule, for help and errors.
pub const FORMS: &str = "forbid relation P161, force relation ~P57 below 3, forbid entity Q42, force entity \"Michael Caine\" below 2";

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.force { "force" } else { "forbid" };
        let (kind, name) = match &self.what {
            Ruled::Relation(name) => ("relation", name),
            Ruled::Entity(name) => ("entity", name),
        };
        write!(f, "{verb} {kind} {name}")?;
        if self.below.0 > 0 { write!(f, " below {}", self.below.0) } else { Ok(()) }
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no rule: write for example {FORMS}");
        let mut rest = text.trim();
        let mut word = || {
            let (word, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            rest = more.trim();
            word
        };
        let force = match word() {
            "force" => true,
            "forbid" => false,
            _ => return Err(wrong()),
        };
        let kind = word();
        // The label of an entity may hold the word, too: only a number at the end makes it a place.
        let place = rest.rsplit_once("below").and_then(|(name, node)| {
            let ends = name.is_empty() || name.ends_with(char::is_whitespace);
            Some((name, node.trim().parse().ok().filter(|_| ends)?))
        });
        let (name, below) = place.unwrap_or((rest, 0));
        let name = unquoted(name);
        if name.trim_start_matches('~').trim().is_empty() {
            return Err(wrong());
        }
        let what = match kind {
            "relation" => Ruled::Relation(name.to_owned()),
            "entity" => Ruled::Entity(name.to_owned()),
            _ => return Err(wrong()),
        };
        Ok(Self { force, what, below: NodeId(below) })
    }
}

impl Rule {
    /// Whether it is about this relation of an offer.
    fn is_of(&self, at: &RelationRef, label: Option<&str>) -> bool {
        let Ruled::Relation(name) = &self.what else { return false };
        let (name, direction) = match name.strip_prefix('~') {
            Some(name) => (name.trim(), Direction::In),
            None => (name.as_str(), Direction::Out),
        };
        at.direction == direction && is_named(name, &at.id, label)
    }

    /// Whether it is about this entity.
    fn is_about(&self, graph: &LocalGraph, entity: &EntityId) -> bool {
        let Ruled::Entity(name) = &self.what else { return false };
        let id = graph.resolve(entity);
        is_named(name, id, graph.entity(id).and_then(|entity| entity.label.as_deref()))
            || graph.resolve(&EntityId::from(name.as_str())) == id
    }
}

/// What rules leave of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steered<T> {
    /// What is left.
    pub left: Vec<T>,
    /// Whether a rule forces it: nothing else may be chosen.
    pub forced: bool,
    /// How many a rule forbids.
    pub forbidden: usize,
}

impl State {
    /// Nodes that were pinned and wait, in the order of their pins, each with its act.
    pub fn pins(&self) -> impl Iterator<Item = (ActId, NodeId)> {
        self.acts
            .iter()
            .filter(|act| act.active)
            .filter_map(|act| if let Act::Pin { node } = act.what { Some((act.id, node)) } else { None })
    }

    /// The pin of a node that is in force.
    #[must_use]
    pub fn pin_of(&self, node: NodeId) -> Option<ActId> {
        self.pins().find(|(_, pinned)| *pinned == node).map(|(act, _)| act)
    }

    /// The rules of the session in the order in which they were set, each with its act and whether it is in force.
    pub fn rules(&self) -> impl Iterator<Item = (ActId, &Rule, bool)> {
        self.acts.iter().filter_map(|act| if let Act::Rule(rule) = &act.what { Some((act.id, rule, act.active)) } else { None })
    }

    /// The rules in force at a node.
    fn rules_at<'a>(&'a self, path: &'a [&Node]) -> impl Iterator<Item = &'a Rule> {
        self.rules().filter(|(_, _, on)| *on).map(|(_, rule, _)| rule).filter(|rule| path.iter().any(|node| node.id == rule.below))
    }

    /// What rules leave of the relations on offer at a node.
    #[must_use]
    pub fn steer_relations(&self, node: NodeId, offered: Vec<Relation>) -> Steered<Relation> {
        let path = self.path_to(node);
        let label_at = |relation: &Relation| relation.label.clone();
        let chosen = |rule: &Rule| {
            // The label of a relation that was chosen stands in the graph, once it brought something.
            let graph = self.graph(node);
            walked(&path, rule).any(|action| {
                matches!(action, Action::SelectRelation { relation } if rule.is_of(relation, Some(graph.relation_name(&relation.id))))
            })
        };
        self.steer(&path, offered, |rule, relation| rule.is_of(&relation.at, label_at(relation).as_deref()), chosen)
    }

    /// What rules leave of the entities on offer at a node.
    #[must_use]
    pub fn steer_entities(&self, node: NodeId, offered: Vec<Entity>) -> Steered<Entity> {
        let (path, graph) = (self.path_to(node), self.graph(node));
        let chosen = |rule: &Rule| {
            walked(&path, rule)
                .any(|action| matches!(action, Action::SelectEntities { ids } if ids.iter().any(|id| rule.is_about(&graph, id))))
        };
        self.steer(&path, offered, |rule, entity| rule.is_about(&graph, &entity.id), chosen)
    }

    fn steer<T>(&self, path: &[&Node], offered: Vec<T>, is_it: impl Fn(&Rule, &T) -> bool, chosen: impl Fn(&Rule) -> bool) -> Steered<T> {
        let all = offered.len();
        let left: Vec<T> = offered.into_iter().filter(|one| !self.rules_at(path).any(|rule| !rule.force && is_it(rule, one))).collect();
        let forbidden = all - left.len();
        // On every walk once: else a walk would go to and fro.
        let rules: Vec<&Rule> = self.rules_at(path).filter(|rule| rule.force && !chosen(rule)).collect();
        let forces = |one: &T| rules.iter().any(|rule| is_it(rule, one));
        if left.iter().any(forces) {
            return Steered { left: left.into_iter().filter(forces).collect(), forced: true, forbidden };
        }
        Steered { left, forced: false, forbidden }
    }
}

/// What was done on a walk below the node of a rule.
fn walked<'a>(path: &'a [&Node], rule: &Rule) -> impl Iterator<Item = &'a Action> {
    let below = rule.below;
    path.iter().skip_while(move |node| node.id != below).skip(1).map(|node| &node.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_written_back() {
        for form in FORMS.split(", ") {
            let rule: Rule = form.parse().unwrap();
            assert_eq!(rule.to_string(), form.replace('"', ""));
        }
        let rule: Rule = "force  entity Down below below 12".parse().unwrap();
        assert_eq!((rule.what, rule.below), (Ruled::Entity("Down below".into()), NodeId(12)));
        let label: Rule = "forbid entity What Lies Below".parse().unwrap();
        assert_eq!((label.what, label.below), (Ruled::Entity("What Lies Below".into()), NodeId(0)));
        for wrong in ["", "force", "force relation", "force relation ~", "allow entity Q1", "forbid fact Q1", "forbid entity below 3"] {
            assert!(wrong.parse::<Rule>().is_err_and(|why| why.contains("forbid relation P161")), "{wrong}");
        }
    }
}
