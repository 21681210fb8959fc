//! What a person can do to a search. Acts are events; what they do is derived from the acts that are in force.

use super::breakpoint::Condition;
use super::budget::Budget;
use super::correction::Correction;
use super::event::{NodeId, Outcome, Reading, StepId};
use super::model::OtherModel;
use super::otherwise::Otherwise;
use super::review;
use super::settings::Setting;
use super::state::{Node, State, Value};
use super::steer::Rule;
use super::strategy::kind_at;
use crate::asm::{Action, AsmState, Edit, Templates, Wording};
use crate::graph::{Direction, Edge, Entity, EntityId, KgName, RelationId};
use crate::micro::Micro;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An act of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Grow the tree by hand: expand, override, answer, hint.
    Choose {
        /// From this node.
        node: NodeId,
        /// These actions, one below the other.
        chain: Vec<Action>,
        /// The child that this replaces: it is pruned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<NodeId>,
        /// The value of the last new node; without it the model scores.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Micro>,
    },
    /// Ask the model at this node again (or for the first time), now and out of turn: for new samples, or for the node's value.
    /// It does not count as an expansion. Older sessions call it `ask`.
    #[serde(alias = "ask")]
    AskAgain {
        /// The node.
        node: NodeId,
        /// What is asked.
        #[serde(default, skip_serializing_if = "Again::is_samples")]
        what: Again,
        /// Parts of the prompt that the person words otherwise, for this call.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        edits: Vec<Edit>,
        /// What else is otherwise, for this call.
        #[serde(default, skip_serializing_if = "Otherwise::is_usual")]
        otherwise: Otherwise,
    },
    /// Set a node's value.
    SetValue {
        /// The node.
        node: NodeId,
        /// The value.
        value: Micro,
    },
    /// Close a node, and what is below it now, to the search (or open it again).
    Prune {
        /// The node.
        node: NodeId,
        /// Close or open.
        on: bool,
    },
    /// Take this answer and stop.
    Accept {
        /// The answer's node.
        node: NodeId,
    },
    /// Change what the question is linked to.
    Link {
        /// Entities to add.
        add: Vec<Entity>,
        /// Entities to drop.
        drop: Vec<EntityId>,
    },
    /// Fetch the next edges of a list that a KG cut: they belong to the node's local graph and those below it.
    More {
        /// The node.
        node: NodeId,
        /// The entity, by the id that it stands under there.
        entity: EntityId,
        /// The relation.
        relation: RelationId,
        /// The KG.
        kg: KgName,
        /// The direction.
        direction: Direction,
    },
    /// Change a limit or rule.
    Set(Setting),
    /// From here on this model is asked.
    Model(Box<OtherModel>),
    /// Let the model judge these facts, which an answer rests on: out of turn, beside the search.
    Review {
        /// The answer's node.
        node: NodeId,
        /// The facts.
        facts: Vec<Edge>,
        /// The model; without it the one that is asked now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Box<OtherModel>>,
    },
    /// Say what is wrong with a fact: an overlay of this session, the KG is not written.
    Correct {
        /// The node in whose local graph the person saw it.
        node: NodeId,
        /// What is wrong.
        correction: Box<Correction>,
    },
    /// Expand this node next, whatever its value, as soon as it can be.
    Pin {
        /// The node.
        node: NodeId,
    },
    /// Force or forbid a relation or an entity below a node.
    Rule(Rule),
    /// Set a breakpoint. It is switched off and on by undoing and redoing this act.
    Break {
        /// When the search stands still.
        condition: Condition,
    },
    /// In these states the person decides what becomes of the samples, before anything is applied. The last one in force counts.
    Intercept {
        /// The states; none: the person is not asked.
        states: Vec<AsmState>,
    },
}

/// What the model is asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// What comes next at the node.
    #[default]
    Samples,
    /// The value of the node.
    Value,
}

impl Again {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
    const fn is_samples(&self) -> bool {
        matches!(self, Self::Samples)
    }
}

/// Why an act is not possible now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ActRefused(pub String);

fn refuse(why: impl Into<String>) -> Result<(), ActRefused> {
    Err(ActRefused(why.into()))
}

impl Act {
    /// The model is asked again, with everything as usual.
    #[must_use]
    pub fn again(node: NodeId, what: Again) -> Self {
        Self::AskAgain { node, what, edits: Vec::new(), otherwise: Otherwise::default() }
    }

    /// The act in one line, with ids where only a state knows the labels: see [`super::act_words`].
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Choose { node, chain, instead_of, .. } => {
                let chain: Vec<String> = chain.iter().map(Action::token).collect();
                let instead = instead_of.map_or(String::new(), |n| format!(" instead of node {}", n.0));
                format!("by hand from node {}: {}{instead}", node.0, chain.join(" > "))
            }
            Self::AskAgain { node, what, edits, otherwise } => {
                let about = if *what == Again::Value { " for the value" } else { "" };
                let edited = if edits.is_empty() { "" } else { ", with an edited prompt" };
                format!("the model is asked{about} at node {}{edited}{}", node.0, otherwise.words())
            }
            Self::SetValue { node, value } => format!("value of node {} set to {value}", node.0),
            Self::Prune { node, on: true } => format!("node {} pruned", node.0),
            Self::Prune { node, on: false } => format!("node {} opened again", node.0),
            Self::Accept { node } => format!("answer of node {} accepted", node.0),
            Self::Link { add, drop } => format!("linked entities: {} added, {} dropped", add.len(), drop.len()),
            Self::More { node, entity, relation, kg, direction } => {
                let tilde = if *direction == Direction::In { "~" } else { "" };
                format!("next page at node {}: {tilde}{relation} of {entity} from {kg}", node.0)
            }
            Self::Set(setting) => format!("{setting}"),
            Self::Model(model) => format!("from here on {} is asked", model.label()),
            Self::Correct { correction, .. } => correction.summary(),
            Self::Pin { node } => format!("node {} pinned: it is expanded next", node.0),
            Self::Rule(rule) => format!("rule: {rule}"),
            Self::Review { node, facts, model } => {
                let of = model.as_ref().map_or_else(String::new, |model| format!(" ({})", model.label()));
                let facts = if facts.len() == 1 { "1 fact".to_owned() } else { format!("{} facts", facts.len()) };
                format!("the model judges {facts} of the answer at node {}{of}", node.0)
            }
            Self::Break { condition } => format!("breakpoint: {condition}"),
            Self::Intercept { states } if states.is_empty() => "choices are applied without asking you".to_owned(),
            Self::Intercept { states } => {
                let states: Vec<&str> = states.iter().map(|state| state.name()).collect();
                format!("choices wait for you ({})", states.join(", "))
            }
        }
    }

    /// Nodes that the act names and that have to be there.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let replaced = match self {
            Self::AskAgain { otherwise, .. } => otherwise.replaces.as_slice(),
            _ => &[],
        };
        let (one, other) = match self {
            Self::Choose { node, instead_of, .. } => (Some(*node), *instead_of),
            Self::AskAgain { node, .. }
            | Self::SetValue { node, .. }
            | Self::Prune { node, .. }
            | Self::Accept { node }
            | Self::Pin { node }
            | Self::Correct { node, .. }
            | Self::Review { node, .. }
            | Self::More { node, .. } => (Some(*node), None),
            // The node of a rule may be one that is still to come.
            Self::Link { .. } | Self::Rule(_) | Self::Set(_) | Self::Model(_) | Self::Break { .. } | Self::Intercept { .. } => (None, None),
        };
        one.into_iter().chain(other).chain(replaced.iter().copied())
    }

    /// Whether the act leaves the search as it is: it only says when the person wants to look, or asks what the model thinks of facts.
    /// An end stays an end.
    #[must_use]
    pub const fn only_looks(&self) -> bool {
        matches!(self, Self::Break { .. } | Self::Intercept { .. } | Self::Review { .. })
    }

    /// Whether the act is a switch: it can be taken back and brought again by itself, whatever was done after it.
    #[must_use]
    pub const fn is_switch(&self) -> bool {
        matches!(self, Self::Break { .. } | Self::Pin { .. } | Self::Rule(_))
    }

    /// Whether an end stays an end: nothing that decided it is another.
    #[must_use]
    pub const fn keeps_end(&self) -> bool {
        self.only_looks() || matches!(self, Self::Model(_))
    }

    /// Whether the act can be done in `state`.
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn check(&self, state: &State) -> Result<(), ActRefused> {
        let known = |node: NodeId| match state.node(node) {
            Some(n) => Ok(n),
            None => Err(ActRefused(format!("there is no node {}", node.0))),
        };
        match self {
            Self::Choose { node, chain, instead_of, value } => {
                let start = known(*node)?;
                if let Some(other) = instead_of
                    && known(*other)?.parent != Some(*node)
                {
                    return refuse(format!("node {} is no child of node {}", other.0, node.0));
                }
                if value.is_some() && chain.last().is_some_and(|a| matches!(a, Action::Error { .. })) {
                    return refuse("an error node has no value");
                }
                check_chain(state, *node, start.asm, chain)
            }
            Self::AskAgain { node, what, edits, otherwise } => {
                check_again(state, known(*node)?, *what)?;
                otherwise.check(state, *node, *what)?;
                check_edits(state, *node, *what, edits)
            }
            Self::SetValue { node, .. } | Self::Prune { node, .. } => {
                known(*node)?;
                if node.0 == 0 && matches!(self, Self::Prune { .. }) {
                    return refuse("the root can't be pruned: start another question instead");
                }
                Ok(())
            }
            Self::Accept { node } => {
                if known(*node)?.action.is_answer() {
                    Ok(())
                } else {
                    refuse(format!("node {} is no answer: only an answer can be accepted", node.0))
                }
            }
            Self::Link { add, drop } => {
                if state.nodes.is_empty() {
                    return refuse("the question is not linked yet: wait for the root");
                }
                let graph = state.graph(NodeId(0));
                if let Some(unknown) = drop.iter().find(|id| graph.entity(id).is_none()) {
                    return refuse(format!("{unknown} is not linked to the question"));
                }
                if add.is_empty() && drop.is_empty() {
                    return refuse("nothing to add or drop");
                }
                Ok(())
            }
            Self::More { node, entity, relation, kg, direction } => {
                known(*node)?;
                if !state.started().kgs.iter().any(|(name, _)| name == kg) {
                    return refuse(format!("{kg} is not open in this session"));
                }
                if state.is_paging(self) {
                    return refuse("the next page is on its way");
                }
                let graph = state.graph(*node);
                let entity = graph.resolve(entity);
                let is_it = |c: &super::page::Cut| (&c.entity, &c.relation, &c.kg, c.direction) == (entity, relation, kg, *direction);
                if !state.cuts(*node).iter().any(is_it) {
                    let (relation, name) = (graph.relation_name(relation), graph.name(entity));
                    return refuse(format!("nothing was cut here: {relation} of {name} is all that {kg} has"));
                }
                Ok(())
            }
            Self::Pin { node } => {
                let at = known(*node)?;
                let standing = state.standings()[node.index()];
                if state.pin_of(*node).is_some() {
                    refuse(format!("node {} is pinned already", node.0))
                } else if at.action.is_answer() {
                    refuse("nothing follows an answer: pin another node")
                } else if at.expanded.is_some() || standing.grown_by_hand {
                    refuse(format!("node {} was expanded already: r asks the model there again", node.0))
                } else if standing.pruned || standing.withdrawn {
                    refuse(format!("node {} is out of the search: put it back first (x, U)", node.0))
                } else {
                    Ok(())
                }
            }
            Self::Rule(rule) => match state.rules().find(|(_, other, _)| *other == rule) {
                Some((_, _, true)) => refuse(format!("this rule is in force already: {rule}")),
                Some(_) => refuse(format!("this rule is there, switched off: {rule}; switch it on in the list (!)")),
                None => Ok(()),
            },
            Self::Break { condition } => match state.breakpoints().find(|point| point.condition == condition) {
                Some(point) if point.on => refuse(format!("this breakpoint is set already: {condition}")),
                Some(_) => refuse(format!("this breakpoint is there, switched off: {condition}; switch it on in the list (B)")),
                None => Ok(()),
            },
            Self::Intercept { states } if states.contains(&AsmState::Done) => refuse("nothing is chosen after an answer"),
            Self::Intercept { .. } => Ok(()),
            Self::Review { node, facts, model } => review::check(state, *node, facts, model.as_deref()),
            Self::Correct { node, correction } => {
                known(*node)?;
                correction.check(&state.graph(*node)).map_err(ActRefused)
            }
            Self::Model(model) => model.check(state),
            Self::Set(setting) => {
                setting.check().map_err(ActRefused)?;
                if matches!(setting, Setting::Budget(Budget::Cost, Some(_)))
                    && let Some(model) =
                        state.models_asked().into_iter().chain([state.model_now()]).find(|model| state.price_of(*model).is_none())
                {
                    return refuse(crate::price::needed(state.model(model).spec));
                }
                Ok(())
            }
        }
    }
}

/// Whether a person's decision about samples fits: every sample that was read is still in it, kept, dropped or replaced, and what is
/// kept is possible at the node.
///
/// # Errors
/// A sentence that says what does not fit.
pub fn check_decision(state: &State, step: StepId, read: &[Reading], decided: &[Reading]) -> Result<(), ActRefused> {
    let Some(node) = state.step(step).and_then(|step| step.node).and_then(|node| state.node(node)) else {
        return refuse("there is no such step");
    };
    let slots = |rows: &[Reading]| {
        let mut slots: Vec<u32> = rows.iter().flat_map(|row| row.slots.iter().copied()).collect();
        slots.sort_unstable();
        slots
    };
    if slots(read) != slots(decided) {
        return refuse("a sample is missing from the decision, or stands in it twice");
    }
    let mut kept: Vec<&Action> = Vec::new();
    for row in decided {
        let Outcome::Kept(action) = &row.outcome else { continue };
        if kept.contains(&action) {
            return refuse(format!("chosen twice: {}", action.token()));
        }
        kept.push(action);
        // What the model chose was on offer already.
        if !read.iter().any(|was| matches!(&was.outcome, Outcome::Kept(a) | Outcome::Outvoted(a) if a == action)) {
            check_chain(state, node.id, node.asm, std::slice::from_ref(action))?;
        }
    }
    Ok(())
}

fn check_again(state: &State, node: &Node, what: Again) -> Result<(), ActRefused> {
    match what {
        Again::Samples if node.action.is_answer() => refuse("nothing follows an answer: ask the model at another node"),
        Again::Samples => Ok(()),
        Again::Value if node.parent.is_none() => refuse("the question's value is 1 by rule: there is nothing to ask"),
        Again::Value if matches!(node.action, Action::Error { .. }) => refuse("an error node has no value"),
        Again::Value if node.valuation.is_none() => refuse("the value is on its way"),
        Again::Value if matches!(state.value(node.id), Value::ByHand(_)) => {
            refuse("the value is yours: undo it first (u), then ask the model")
        }
        Again::Value => Ok(()),
    }
}

fn check_edits(state: &State, node: NodeId, what: Again, edits: &[Edit]) -> Result<(), ActRefused> {
    let kind = kind_at(state, node, what);
    for edit in edits {
        if let Wording::Template(text) = &edit.with {
            Templates::check(Templates::name_of(kind, edit.part), text).map_err(|e| ActRefused(e.to_string()))?;
        }
    }
    Ok(())
}

fn check_chain(state: &State, node: NodeId, mut asm: AsmState, chain: &[Action]) -> Result<(), ActRefused> {
    if chain.is_empty() {
        return refuse("nothing was chosen");
    }
    for action in chain {
        if asm == AsmState::Done {
            return refuse("nothing can follow an answer");
        }
        match action.taken_in() {
            Some(wanted) if wanted == asm => {}
            _ => return refuse(format!("this can't be done while the state is {}", asm.name())),
        }
        match action {
            Action::SelectEntities { ids } => {
                if ids.is_empty() {
                    return refuse("no entity was chosen");
                }
                let graph = state.graph(node);
                if let Some(unknown) = ids.iter().find(|id| graph.entity(id).is_none()) {
                    return refuse(format!(
                        "{unknown} is not in the local graph of node {}: choose an entity that is, or link it first (K)",
                        node.0
                    ));
                }
            }
            Action::Answer { text, .. } | Action::Think { text } if text.trim().is_empty() => return refuse("the text is empty"),
            _ => {}
        }
        asm = action.leads_to();
    }
    Ok(())
}
