//! What would have had to differ: a copied state is changed, and the search's own rules are asked again.

use super::super::act::Act;
use super::super::event::{ActId, Event, NodeId, StepKind};
use super::super::settings::Setting;
use super::super::state::{ActRecord, State};
use super::super::strategy;
use crate::micro::Micro;
use std::sync::Arc;

/// `state` with this act in force, and nothing else changed.
fn with(state: &State, what: Act) -> State {
    let mut copy = state.clone();
    let id = ActId(u32::try_from(copy.acts.len()).unwrap_or(u32::MAX));
    let nodes_then = u32::try_from(copy.nodes.len()).unwrap_or(u32::MAX);
    copy.acts.push(Arc::new(ActRecord { id, what, seq: copy.seq, nodes_then, active: true, hits: 0 }));
    copy
}

/// `state` where a setting is another.
pub fn with_setting(state: &State, setting: Setting) -> State {
    with(state, Act::Set(setting))
}

/// `state` where nothing was accepted.
pub fn without_acceptance(state: &State) -> State {
    let mut copy = state.clone();
    for act in copy.acts.iter_mut().filter(|act| act.active && matches!(act.what, Act::Accept { .. })) {
        Arc::make_mut(act).active = false;
    }
    copy
}

/// The next greater value; none above 1.
pub fn above(value: Micro) -> Option<Micro> {
    Micro::from_millionths(value.millionths() + 1)
}

fn below(value: Micro) -> Option<Micro> {
    value.millionths().checked_sub(1).and_then(Micro::from_millionths)
}

/// What the search would do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Expand this node.
    Expand(NodeId),
    /// Ask for a forced answer at this node.
    Force(NodeId),
    /// End with this answer, or with none.
    End(Option<NodeId>),
}

/// What the strategy decides in `state`, if it decides anything.
pub fn decision(state: &State) -> Option<Decision> {
    match strategy::by_name(&state.started().strategy)?.choose(state).ok()? {
        Event::Opened { kind: StepKind::ForceFinal, node, .. } => node.map(Decision::Force),
        Event::Opened { node, .. } => node.map(Decision::Expand),
        Event::Finished(end) => Some(Decision::End(end.answer)),
        _ => None,
    }
}

/// The node that would come after the first one, and what would have to differ for it to come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunnerUp {
    /// The node.
    pub node: NodeId,
    /// The value of the node that comes first; none: it is unknown.
    pub bar: Option<Micro>,
    /// The least value with which it would come first; none: no value is enough.
    pub least: Option<Micro>,
    /// The greatest value of the first node with which it would come first; none: no value of that is low enough.
    pub most: Option<Micro>,
}

/// Who would be next if `first`, which is, were not there.
#[must_use]
pub fn runner_up(state: &State, first: NodeId) -> Option<RunnerUp> {
    let node = with(state, Act::Prune { node: first, on: true }).next_node()?;
    let bar = state.value(first).known();
    let most = state.value(node).known().and_then(|value| {
        let tries = [Some(value), below(value)];
        tries.into_iter().flatten().find(|value| with(state, Act::SetValue { node: first, value: *value }).next_node() == Some(node))
    });
    Some(RunnerUp { node, bar, least: least_value(state, node), most })
}

/// The least value with which `node` would be next; none: no value is enough. Only the value of the node that is next now, or
/// just above it, can be the border.
#[must_use]
pub fn least_value(state: &State, node: NodeId) -> Option<Micro> {
    let bar = state.next_node().and_then(|first| state.value(first).known());
    let tries = [Some(Micro::ZERO), bar, bar.and_then(above)];
    tries.into_iter().flatten().find(|value| with(state, Act::SetValue { node, value: *value }).next_node() == Some(node))
}

/// The greatest value of the answer `given` with which the search would end with `other`; none: no value is low enough.
#[must_use]
pub fn most_value_of_answer(state: &State, given: NodeId, other: NodeId) -> Option<Micro> {
    let value = state.value(other).known()?;
    let ends = |value: &Micro| decision(&with(state, Act::SetValue { node: given, value: *value })) == Some(Decision::End(Some(other)));
    [Some(value), below(value)].into_iter().flatten().find(ends)
}

/// The least value with which the search would end with `answer`; none: no value is enough.
#[must_use]
pub fn least_value_of_answer(state: &State, answer: NodeId) -> Option<Micro> {
    let Some(Decision::End(given)) = decision(state) else { return None };
    let bar = given.and_then(|given| state.value(given).known());
    let mut tries: Vec<Micro> =
        [Some(Micro::ZERO), Some(state.settings().threshold), bar, bar.and_then(above)].into_iter().flatten().collect();
    tries.sort_unstable();
    let ends = |value: &Micro| decision(&with(state, Act::SetValue { node: answer, value: *value })) == Some(Decision::End(Some(answer)));
    tries.into_iter().find(ends)
}
