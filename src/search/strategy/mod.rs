//! The methods, one file each: pure, they look at a state and say what comes next.

mod about;
mod again;
mod expand;
mod finish;
mod grow;
mod hand;
mod link;
mod page;
mod prompt;
mod review;
mod round;
mod score;
mod shorter;
mod start;
mod tree_of_traversals;

pub(super) use again::edits;
pub use again::{kind_at, prompt_at, temperature_at};
pub use expand::read_typed;
pub use prompt::offered_relations as offered;
pub(super) use score::why_unread;
pub(super) use start::candidates;
pub use tree_of_traversals::{ChainOfTraversals, TreeOfTraversals};

use super::ask::{Ask, Need};
use super::event::{Event, NodeId};
use super::state::{State, Step};
use crate::calls::About;
use crate::graph::{EntityId, LocalGraph};
use crate::search::settings::Settings;

/// A method of search.
pub trait Strategy: Send + Sync {
    /// Its name on the command line and in sessions.
    fn name(&self) -> &'static str;

    /// What it changes in the settings of a new session (a chain has k = 1).
    fn adjust(&self, _settings: &mut Settings) {}

    /// The next step when no step of the strategy is open: `Opened`, or `Finished`.
    ///
    /// # Errors
    /// [`super::NotYet`]: what is missing.
    fn choose(&self, state: &State) -> Need<Event>;

    /// The next decision of an open step.
    ///
    /// # Errors
    /// [`super::NotYet`]: what is missing.
    fn advance(&self, state: &State, step: &Step) -> Need<Event>;

    /// What a scripted model may know about an ask beside its text.
    fn about(&self, state: &State, ask: &Ask) -> About {
        about::about(state, ask)
    }
}

/// The local graph of a node with what `selected` entities were linked to by label: which ids each KG is asked with.
#[must_use]
pub fn selected_graph(state: &State, node: NodeId, selected: &[EntityId]) -> LocalGraph {
    state.node(node).map_or_else(LocalGraph::default, |node| expand::graph_with_links(state, node, selected))
}

/// Names of all strategies.
pub const NAMES: &[&str] = &["tree-of-traversals", "chain-of-traversals"];

/// The strategy of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<Box<dyn Strategy>> {
    match name {
        "tree-of-traversals" => Some(Box::new(TreeOfTraversals)),
        "chain-of-traversals" => Some(Box::new(ChainOfTraversals)),
        _ => None,
    }
}
