//! When the search stops, and which node comes next otherwise (scenarios, rules 2, 12 and 14).

use super::super::act::Act;
use super::super::ask::{Need, NotYet};
use super::super::event::{By, Event, FinishedEvent, NodeId, OutcomeKind, Route, StepId, StepKind, Stop};
use super::super::settings::OnExhausted;
use super::super::state::{State, Step};
use super::super::why;

/// The next step, or the end.
pub fn choose(state: &State) -> Need<Event> {
    if state.finished.as_ref().is_some_and(|f| f.1 >= state.reconsider) {
        return Err(NotYet::Nothing);
    }
    // An end is only seen when no growth by hand is under way: it might bring what ends the search.
    let growing = state.open_steps().any(Step::by_hand);
    let settings = state.settings();
    let end = if let Some(node) = accepted(state) {
        Some(finished(state, OutcomeKind::Answered, Stop::Accepted, Some(node)))
    } else if let Some(next) = state.pinned_next().filter(|_| state.expansions() < settings.max_expansions) {
        // The person's word comes before an answer that would end it.
        return Ok(open(state, StepKind::Expand, next, why::next_node(state, next)));
    } else if let Some(node) = over_threshold(state) {
        Some(finished(state, OutcomeKind::Answered, stop_of(state, node), Some(node)))
    } else if state.expansions() >= settings.max_expansions {
        Some(exhausted(state, Stop::Budget))
    } else if let Some(next) = state.next_node() {
        return Ok(open(state, StepKind::Expand, next, why::next_node(state, next)));
    } else {
        Some(exhausted(state, Stop::FrontierEmpty))
    };
    match end {
        Some(_) if growing => Err(NotYet::Wait),
        Some(end) => Ok(end),
        None => Err(NotYet::Nothing),
    }
}

fn open(state: &State, kind: StepKind, node: NodeId, why: String) -> Event {
    let step = StepId(u32::try_from(state.steps.len()).unwrap_or(u32::MAX));
    Event::Opened { step, kind, node: Some(node), counts: kind == StepKind::Expand, act: None, why }
}

/// The answer that the person accepted last.
fn accepted(state: &State) -> Option<NodeId> {
    let standings = state.standings();
    state.acts.iter().rev().filter(|a| a.active).find_map(|a| match a.what {
        Act::Accept { node } if !standings[node.index()].withdrawn => Some(node),
        _ => None,
    })
}

/// The best answer at or over the threshold. An answer by hand counts only when it is accepted.
fn over_threshold(state: &State) -> Option<NodeId> {
    let threshold = state.settings().threshold;
    let enough = |id: &NodeId| state.value(*id).known().is_some_and(|v| v >= threshold);
    state.answers().into_iter().find(|id| enough(id) && state.node(*id).is_some_and(|n| n.by == By::Engine))
}

/// What ended a search that has the accepted answer `node`: forced answers come after the end, and do not change what ended it.
fn stop_of(state: &State, node: NodeId) -> Stop {
    if !is_forced(state, node) {
        Stop::Threshold
    } else if state.expansions() >= state.settings().max_expansions {
        Stop::Budget
    } else {
        Stop::FrontierEmpty
    }
}

fn is_forced(state: &State, node: NodeId) -> bool {
    let step = state.node(node).and_then(|n| state.step(n.step));
    step.is_some_and(|s| s.kind == StepKind::ForceFinal)
}

/// Budget or frontier is at its end without an accepted answer.
fn exhausted(state: &State, stop: Stop) -> Event {
    let rule = state.settings().on_exhausted;
    let best = state.answers().into_iter().next();
    match (rule, stop, best) {
        (OnExhausted::None, Stop::Budget, _) | (OnExhausted::None | OnExhausted::Best, _, None) => {
            finished(state, OutcomeKind::NoAnswer, stop, None)
        }
        (_, _, Some(node)) => finished(state, OutcomeKind::BestEffort, stop, Some(node)),
        (_, _, None) if forced_already(state) => finished(state, OutcomeKind::NoAnswer, stop, None),
        (_, _, None) => {
            let node = state
                .next_node()
                .or_else(|| state.nodes.iter().filter(|n| !n.action.is_answer()).map(|n| n.id).max_by_key(|id| state.rank(*id)));
            open(
                state,
                StepKind::ForceFinal,
                node.unwrap_or(NodeId(0)),
                "nothing else is left and there is no answer: it is asked for".to_owned(),
            )
        }
    }
}

/// Whether answers were forced since the person last changed anything.
fn forced_already(state: &State) -> bool {
    state.steps.iter().any(|s| s.kind == StepKind::ForceFinal && s.seq >= state.reconsider)
}

fn finished(state: &State, outcome: OutcomeKind, stop: Stop, answer: Option<NodeId>) -> Event {
    let best_candidate = if answer.is_none() { state.answers().into_iter().next() } else { None };
    let route = match answer.and_then(|id| state.node(id)) {
        None => Route::None,
        Some(node) if node.by == By::You => Route::Hand,
        Some(node) if is_forced(state, node.id) => Route::Forced,
        Some(_) => Route::Graph,
    };
    let why = why::end(state, outcome, stop, answer, best_candidate);
    Event::Finished(Box::new(FinishedEvent { outcome, stop, answer, best_candidate, route, why }))
}
