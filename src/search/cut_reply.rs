//! Nodes whose reply met the token limit in the middle of what they say, and was read all the same.

use super::event::{NodeId, Outcome, Purpose, StepId};
use super::state::{Node, State};
use crate::asm::runs_into_cut;
use crate::calls::Sample;
use std::collections::HashMap;

impl State {
    /// The nodes that no sample says whole: all those that they were read from run into the token limit, in the order of the nodes.
    #[must_use]
    pub fn cut_nodes(&self) -> Vec<NodeId> {
        let mut samples: HashMap<StepId, &[Option<Sample>]> = HashMap::new();
        for ask in self.asks.iter().filter(|ask| ask.key.purpose == Purpose::Sample) {
            // What is asked again takes the place of what was asked before.
            samples.insert(ask.key.step, &ask.samples);
        }
        samples.retain(|_, samples| samples.iter().flatten().any(Sample::is_cut));
        let is_cut = |node: &&std::sync::Arc<Node>| samples.get(&node.step).is_some_and(|samples| self.is_cut(node, samples));
        self.nodes.iter().filter(is_cut).map(|node| node.id).collect()
    }

    fn is_cut(&self, node: &Node, samples: &[Option<Sample>]) -> bool {
        let rows = self.step(node.step).into_iter().flat_map(|step| &step.readings).flat_map(|(_, rows)| rows);
        let said = |outcome: &Outcome| matches!(outcome, Outcome::Kept(action) if *action == node.action);
        let mut slots = rows.filter(|row| said(&row.outcome)).flat_map(|row| &row.slots).peekable();
        let runs_into_it = |slot: &u32| {
            let sample = usize::try_from(*slot).ok().and_then(|slot| samples.get(slot)?.as_ref());
            sample.is_some_and(|sample| runs_into_cut(sample, &node.action))
        };
        slots.peek().is_some() && slots.all(runs_into_it)
    }
}
