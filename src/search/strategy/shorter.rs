//! A prompt that is too long, cut to fit: of its local graph what was used least recently goes first, with what only it brought; then
//! relations on offer, the last ones first.

use super::super::act::Act;
use super::super::ask::Ask;
use super::super::event::{AskKey, Call, NodeId};
use super::super::state::State;
use crate::asm::Action;
use crate::calls::CallErrorKind;
use crate::graph::{Edge, EntityId, LocalGraph, Object, RelationId};
use std::collections::HashMap;

/// How often a prompt that was too long is asked again with a smaller graph.
pub const MOST: usize = 4;

/// So many relations stay on offer, however little room there is: one that is alone is no choice.
const FEWEST: usize = 8;

/// How many facts a prompt shows, and how many relations on offer it lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Facts.
    pub facts: usize,
    /// Relations.
    pub relations: usize,
}

impl Extent {
    const fn spare(self) -> usize {
        self.relations.saturating_sub(FEWEST)
    }

    /// The lines of this whole that can be left out.
    pub const fn lines(self) -> usize {
        self.facts + self.spare()
    }

    /// What is left of this whole with so many of its lines: facts go first, since what is not on offer can't be chosen.
    pub fn with(self, lines: usize) -> Self {
        let spare = self.spare();
        Self { facts: lines.saturating_sub(spare), relations: self.relations - spare + lines.min(spare) }
    }
}

/// The bytes of all parts of the prompt of an ask.
fn length(state: &State, ask: &Ask) -> usize {
    let Call::Llm(call) = &ask.call else { return 0 };
    call.parts.iter().filter_map(|id| state.parts.get(id.index())).map(|part| part.text.len()).sum()
}

fn is_too_long(ask: &Ask) -> bool {
    ask.error.as_ref().is_some_and(|error| error.kind == CallErrorKind::TooLong)
}

/// What is known of how long a prompt may be.
///
/// A function of the record, whatever the order of arrival: beside the refusals of the ask itself only earlier steps count. Where
/// a person asks again, nothing is known: the whole is tried.
#[derive(Default)]
pub struct Room<'a> {
    /// The prompts of this ask that were refused: bytes, in the order of asking.
    refused: Vec<usize>,
    /// The asks to the same model in earlier steps.
    earlier: Vec<(&'a Ask, usize)>,
}

/// The bounds of a prompt, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    /// A prompt as long as this was refused.
    refused: usize,
    /// The longest that was taken, and is shorter; 0 if none was.
    taken: usize,
}

impl<'a> Room<'a> {
    /// For the next round of `key`, after these prompts of it were refused.
    pub fn of(state: &'a State, key: AskKey, refused: &[&'a Ask]) -> Self {
        let refused = refused.iter().map(|ask| length(state, ask)).collect();
        let act = state.step(key.step).and_then(|step| step.act).and_then(|act| state.acts.get(act.index()));
        if matches!(act.map(|act| &act.what), Some(Act::AskAgain { .. })) {
            return Self { refused, earlier: Vec::new() };
        }
        let same = |by| {
            let (one, other) = (state.model(by), state.model(state.model_for(key.step, key.purpose)));
            (one.spec, one.url, one.service_model) == (other.spec, other.url, other.service_model)
        };
        let earlier = state.asks.iter().map(|ask| &**ask).filter(|ask| ask.key.step < key.step && ask.is_complete());
        let of_model = |ask: &&Ask| matches!(&ask.call, Call::Llm(call) if same(call.model));
        if refused.is_empty() && !earlier.clone().any(|ask| is_too_long(ask) && of_model(&ask)) {
            return Self::default();
        }
        Self { refused, earlier: earlier.filter(of_model).map(|ask| (ask, length(state, ask))).collect() }
    }

    /// How often a prompt of this ask was refused.
    pub fn refusals(&self) -> usize {
        self.refused.len()
    }

    /// The bounds for a prompt whose reply may take `max_tokens`. Services count these with the prompt: a refusal says something
    /// of replies that are as long or longer, a prompt that was taken of those that are as long or shorter.
    fn bounds(&self, max_tokens: u32) -> Option<Bounds> {
        let tokens = |ask: &Ask| if let Call::Llm(call) = &ask.call { call.max_tokens } else { 0 };
        let of = |wanted: &dyn Fn(&Ask) -> bool| self.earlier.iter().filter(|(ask, _)| wanted(ask)).map(|(_, length)| *length).collect();
        let taken: Vec<usize> = of(&|ask| ask.error.is_none() && tokens(ask) >= max_tokens);
        let longest = taken.into_iter().max().unwrap_or(0);
        let before: Vec<usize> = of(&|ask| is_too_long(ask) && tokens(ask) <= max_tokens);
        // Bytes are no tokens: what was refused and is no longer than what was taken tells nothing of others.
        let before = before.into_iter().filter(|length| *length > longest).min();
        let refused = self.refused.iter().copied().chain(before).min()?;
        Some(Bounds { refused, taken: if longest < refused { longest } else { 0 } })
    }

    /// How many of `all` lines are to be shown (`None`: all, nothing stands against it), where `length` says how long the
    /// prompt with so many is.
    ///
    /// # Errors
    /// Those of `length`.
    pub fn lines<E>(&self, max_tokens: u32, all: usize, length: impl Fn(usize) -> Result<usize, E>) -> Result<Option<usize>, E> {
        let Some(bounds) = self.bounds(max_tokens).filter(|_| all > 0) else { return Ok(None) };
        if self.refused.is_empty() && length(all)? < bounds.refused {
            return Ok(None);
        }
        let least = length(0)?;
        if self.refused.len() >= MOST || least >= bounds.refused {
            return Ok(Some(0));
        }
        let low = least.max(bounds.taken);
        let half = low + (bounds.refused - low) / 2;
        // Where half of what is not known is little, and in the last try but one, what was taken before is the measure.
        let known = bounds.taken > least && (bounds.refused - low <= bounds.refused / 8 || self.refused.len() + 1 >= MOST);
        for aim in [if known { low } else { half }, half, bounds.refused - 1] {
            let fits = most(all, aim, &length)?;
            if fits > 0 {
                return Ok(Some(fits));
            }
        }
        Ok(Some(0))
    }
}

/// How many of `all` lines a prompt shows that is no longer than `aim`; never all.
fn most<E>(all: usize, aim: usize, length: impl Fn(usize) -> Result<usize, E>) -> Result<usize, E> {
    let (mut fits, mut over) = (0, all);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if length(middle)? <= aim {
            fits = middle;
        } else {
            over = middle;
        }
    }
    Ok(fits)
}

/// The local graph of a node, to be cut: the facts that were used last stay, with their entities, those that the question names and those
/// that were selected on the way.
pub struct Cutter {
    whole: LocalGraph,
    uses: Uses,
}

impl Cutter {
    /// For the prompt about `node`.
    pub fn of(state: &State, node: NodeId, whole: LocalGraph) -> Self {
        Self { uses: Uses::of(state, node, &whole), whole }
    }

    /// The whole.
    pub const fn whole(&self) -> &LocalGraph {
        &self.whole
    }

    /// The graph with so many facts.
    pub fn with(&self, facts: usize) -> LocalGraph {
        self.whole.shortened(facts, |edge| self.uses.last(edge), &self.uses.selected).0
    }
}

/// When entities, relations and facts of a walk were used last, as the number of the node on it.
#[derive(Default)]
struct Uses {
    entities: HashMap<EntityId, usize>,
    relations: HashMap<RelationId, usize>,
    brought: HashMap<(EntityId, RelationId, Object), usize>,
    /// The question's entities, and those selected on the way.
    selected: Vec<EntityId>,
}

impl Uses {
    fn of(state: &State, node: NodeId, graph: &LocalGraph) -> Self {
        let resolve = |id: &EntityId| graph.resolve(id).clone();
        let mut uses = Self { selected: state.graph(NodeId(0)).entities().map(|e| e.id.clone()).collect(), ..Self::default() };
        for (at, node) in state.path_to(node).into_iter().enumerate() {
            match &node.action {
                Action::SelectEntities { ids } => {
                    uses.selected.extend(ids.iter().map(resolve));
                    uses.entities.extend(ids.iter().map(|id| (resolve(id), at)));
                }
                Action::SelectRelation { relation } => {
                    uses.relations.insert(relation.id.clone(), at);
                }
                Action::Aggregate { what, .. } => {
                    uses.relations.insert(what.relation.clone(), at);
                }
                _ => {}
            }
            let pages = state.pages(node.id).filter_map(|step| step.page.as_deref());
            for delta in std::iter::once(&*node.delta).chain(pages) {
                uses.brought.extend(delta.edges.iter().map(|edge| graph.resolved(edge)).map(|edge| ((edge.s, edge.r, edge.o), at)));
            }
        }
        uses
    }

    /// The later, the more recently the fact was used: an entity of it was selected, its relation was, or it came in.
    fn last(&self, edge: &Edge) -> usize {
        let object = match &edge.o {
            Object::Entity(id) => self.entities.get(id),
            Object::Literal(_) => None,
        };
        let brought = self.brought.get(&(edge.s.clone(), edge.r.clone(), edge.o.clone()));
        let used = [self.entities.get(&edge.s), object, self.relations.get(&edge.r), brought];
        used.into_iter().flatten().copied().max().unwrap_or(0)
    }
}
