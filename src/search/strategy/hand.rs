//! A growth by hand: the person's chain of actions becomes nodes, with real edges and a real score.

use super::super::act::Act;
use super::super::ask::Need;
use super::super::event::{Event, NewNode, NodeId, Outcome, Reading, Reason};
use super::super::state::{State, Step};
use super::expand::graph_with_links;
use super::grow::{aggregate_of, carry_out, edges_of, existing, newcomers, of_lane};
use super::link;
use super::round::together;
use super::score;
use crate::asm::Action;
use crate::graph::{Delta, EntityId};

/// The next decision of a growth by hand.
pub fn advance(state: &State, step: &Step) -> Need<Event> {
    let chain = match step.act.and_then(|a| state.acts.get(a.index())).map(|a| &a.what) {
        Some(Act::Choose { chain, .. }) => chain,
        _ => return Ok(Event::Closed { step: step.id }),
    };
    if step.grew {
        return score::advance(state, step);
    }
    grow(state, step, chain)
}

fn grow(state: &State, step: &Step, chain: &[Action]) -> Need<Event> {
    let Some(start) = step.node.and_then(|n| state.node(n)) else { return Ok(Event::Closed { step: step.id }) };
    let mut selected: Vec<EntityId> = match &start.action {
        Action::SelectEntities { ids } => ids.clone(),
        _ => Vec::new(),
    };
    let before = state.graph(start.id);
    let mut links = Delta::default();
    let mut wanted = Vec::new();
    for (lane, action) in (0u32..).zip(chain) {
        match action {
            Action::SelectEntities { ids } => selected.clone_from(ids),
            action if action.brings_facts() => {
                let graph = graph_with_links(state, start, &selected);
                links.entities.extend(link::known_links(state, &before, &selected).entities);
                match action {
                    Action::SelectRelation { relation } => wanted.extend(edges_of(state, step.id, &graph, &selected, relation, lane)),
                    Action::Aggregate { what, kg } => {
                        wanted.push(aggregate_of(state, step.id, &graph, &selected, (what, kg), lane));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let edges = together(wanted)?;
    let mut graph = before;
    graph.add(&links);
    let linked = link::by_identifiers(state, step, 0, newcomers(&graph, &edges))?;
    let (mut children, mut refused) = (Vec::new(), Vec::new());
    let mut parent = start.id;
    // Nodes that do not exist yet get the numbers that follow on from the last node.
    let mut fresh = u32::try_from(state.nodes.len()).unwrap_or(u32::MAX);
    for (lane, action) in (0u32..).zip(chain) {
        match carry_out(&graph, action, &of_lane(state, &edges, lane), &linked.entities) {
            Ok((mut delta, observation)) => {
                if action.brings_facts() {
                    delta.entities.splice(0..0, links.entities.iter().cloned());
                }
                let merged = state.node(parent).and_then(|p| existing(state, p, action));
                graph.add(&delta);
                children.push(NewNode { parent: Some(parent), merged, action: action.clone(), delta, observation, votes: (0, 0) });
                parent = merged.unwrap_or_else(|| {
                    fresh += 1;
                    NodeId(fresh - 1)
                });
            }
            Err((reason, why)) => {
                refused.push(Reading { slots: Vec::new(), outcome: Outcome::Rejected { text: action.token(), reason, why } });
                // A chain whose last link brought nothing leaves no half-made nodes behind.
                if reason == Reason::KgFailed || reason == Reason::NothingNew {
                    children.clear();
                }
                break;
            }
        }
    }
    Ok(Event::Grew { step: step.id, children, refused, notices: linked.notices })
}
