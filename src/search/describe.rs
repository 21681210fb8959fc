//! What a person reads in the place of tokens and ids: nodes, actions, acts, entities and relations in words, each on one line.

use super::act::Act;
use super::event::{NodeId, Reason};
use super::state::{Node, State};
use crate::asm::Action;
use crate::calls::{Aggregate, KgData};
use crate::graph::{Direction, EntityId};
use crate::text::one_line;

/// An action in words, on one line; labels are looked up on the way from `at` to the root.
#[must_use]
pub fn describe(state: &State, at: Option<NodeId>, action: &Action) -> String {
    match action {
        Action::Root => "question".to_owned(),
        Action::Think { text } => format!("think: {}", one_line(text)),
        Action::Answer { text, .. } => format!("answer: {}", one_line(text)),
        Action::Expand { text } if text.trim().is_empty() => "expand".to_owned(),
        Action::Expand { text } => format!("expand: {}", one_line(text)),
        Action::SelectEntities { ids } => {
            let names: Vec<String> = ids.iter().map(|id| entity_name(state, at, id)).collect();
            names.join(", ")
        }
        Action::SelectRelation { relation } => {
            let label = relation_label(state, at, &relation.id);
            match relation.direction {
                Direction::Out => label,
                Direction::In => format!("is {label} of"),
            }
        }
        Action::Aggregate { what, .. } => one_line(&aggregate(state, at, what)),
        Action::Error { why } => format!("no usable sample: {}", one_line(why)),
    }
}

/// A computation as it is written, with the label of its relation where that is known: `count is country of where P2044 > 3500`.
fn aggregate(state: &State, at: Option<NodeId>, what: &Aggregate) -> String {
    let label = relation_label(state, at, &what.relation);
    if label == *what.relation {
        return what.to_string();
    }
    let reading = match what.direction {
        Direction::Out => label,
        Direction::In => format!("is {label} of"),
    };
    // Function and relation are the first two words then; the rest stands as it is written.
    let line = Aggregate { relation: "R".into(), ..what.clone() }.to_string();
    let rest = line.splitn(3, ' ').nth(2).unwrap_or_default();
    format!("{} {reading} {rest}", what.function.name())
}

/// The nodes from `at` up to the root.
fn upwards(state: &State, at: Option<NodeId>) -> impl Iterator<Item = &Node> {
    std::iter::successors(at.and_then(|id| state.node(id)), |node| node.parent.and_then(|parent| state.node(parent)))
}

/// The label of an entity of the local graph of `at`, as a person corrected it, or its id.
#[must_use]
pub fn entity_name(state: &State, at: Option<NodeId>, id: &EntityId) -> String {
    if let Some(label) = state.corrected_label(id) {
        return one_line(label);
    }
    let brought = upwards(state, at).find_map(|node| node.delta.entities.iter().find(|entity| entity.id == *id));
    let linked = || {
        state.acts.iter().filter(|act| act.active).find_map(|act| match &act.what {
            Act::Link { add, .. } => add.iter().find(|entity| entity.id == *id),
            _ => None,
        })
    };
    one_line(brought.or_else(linked).map_or(id, |entity| entity.name()))
}

/// The label of a relation: from the walk to `at`, from what KGs said of it in any listing, or its id.
#[must_use]
pub fn relation_label(state: &State, at: Option<NodeId>, id: &str) -> String {
    let brought = upwards(state, at).find_map(|node| node.delta.relations.iter().find(|(relation, _)| &**relation == id));
    if let Some((_, label)) = brought {
        return one_line(label);
    }
    let listed = state.asks.iter().rev().filter_map(|ask| ask.reply.as_deref()).find_map(|reply| match &reply.data {
        KgData::Relations(relations) => relations.iter().find(|r| &*r.at.id == id).and_then(|r| r.label.as_deref()),
        _ => None,
    });
    one_line(listed.unwrap_or(id))
}

/// A node in words. Its own delta counts: a relation's label comes with its edges.
#[must_use]
pub fn label(state: &State, id: NodeId) -> String {
    let Some(node) = state.node(id) else { return format!("node {}", id.0) };
    if node.parent.is_none() {
        return state.started.as_deref().map_or_else(|| "question".to_owned(), |s| one_line(&s.question));
    }
    describe(state, Some(id), &node.action)
}

/// What was rejected, in words. What the model said stands as it said it; a choice that could not be carried out, was there before, or
/// was dropped by the person is recorded as a token.
#[must_use]
pub fn rejected_text(state: &State, at: Option<NodeId>, reason: Reason, text: &str) -> String {
    let is_choice = matches!(reason, Reason::Repeat | Reason::KgFailed | Reason::NothingNew | Reason::Dropped);
    let words = if is_choice { token_words(state, at, text) } else { None };
    words.unwrap_or_else(|| one_line(text))
}

/// A token of a path in words; `None` where the text is none.
fn token_words(state: &State, at: Option<NodeId>, token: &str) -> Option<String> {
    let (kind, rest) = token.split_once(':')?;
    Some(match kind {
        "T" => format!("think: {}", one_line(rest)),
        "A" => format!("answer: {}", one_line(rest)),
        "X" if rest.trim().is_empty() => "expand".to_owned(),
        "X" => format!("expand: {}", one_line(rest)),
        "S" => rest.split('+').map(|id| entity_name(state, at, &id.into())).collect::<Vec<_>>().join(", "),
        "R" => match rest.strip_prefix('~') {
            Some(id) => format!("is {} of", relation_label(state, at, id)),
            None => relation_label(state, at, rest),
        },
        "G" => one_line(rest),
        _ => return None,
    })
}

/// What a person did, in one line.
#[must_use]
pub fn act_words(state: &State, act: &Act) -> String {
    one_line(&match act {
        Act::Choose { node, chain, instead_of, .. } => {
            let chain: Vec<String> = chain.iter().map(|action| describe(state, Some(*node), action)).collect();
            let instead = instead_of.map_or(String::new(), |n| format!(" instead of node {}", n.0));
            format!("by hand from node {}: {}{instead}", node.0, chain.join(" > "))
        }
        Act::More { node, entity, relation, kg, direction } => {
            let (label, name) = (relation_label(state, Some(*node), relation), entity_name(state, Some(*node), entity));
            let list = match direction {
                Direction::Out => format!("{label} of {name}"),
                Direction::In => format!("what {name} is {label} of"),
            };
            format!("next page at node {}: {list}, from {kg}", node.0)
        }
        _ => act.summary(),
    })
}
