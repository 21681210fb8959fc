//! Tree-of-Traversals, and Chain-of-Traversals as its k = 1 (ALGORITHMS sections 0 and 1).

use super::super::ask::Need;
use super::super::event::{Event, StepKind};
use super::super::settings::Settings;
use super::super::state::{State, Step};
use super::{Strategy, again, expand, finish, hand, page, review, start};

/// Best-first search over walks of the action state machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeOfTraversals;

impl Strategy for TreeOfTraversals {
    fn name(&self) -> &'static str {
        "tree-of-traversals"
    }

    fn choose(&self, state: &State) -> Need<Event> {
        if state.nodes.is_empty() {
            return Ok(start::open(state));
        }
        finish::choose(state)
    }

    fn advance(&self, state: &State, step: &Step) -> Need<Event> {
        match step.kind {
            StepKind::Start => start::advance(state, step),
            StepKind::Expand | StepKind::ForceFinal => expand::advance(state, step),
            StepKind::Hand => hand::advance(state, step),
            StepKind::Page => page::advance(state, step),
            StepKind::Value => again::advance_value(state, step),
            StepKind::Review => review::advance(state, step),
        }
    }
}

/// The same with one sample a step: a chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChainOfTraversals;

impl Strategy for ChainOfTraversals {
    fn name(&self) -> &'static str {
        "chain-of-traversals"
    }

    fn adjust(&self, settings: &mut Settings) {
        settings.branching = 1;
    }

    fn choose(&self, state: &State) -> Need<Event> {
        TreeOfTraversals.choose(state)
    }

    fn advance(&self, state: &State, step: &Step) -> Need<Event> {
        TreeOfTraversals.advance(state, step)
    }
}
