//! What the search knows about an ask beside its text: for scripted models.

use super::super::ask::Ask;
use super::super::event::{Call, NodeId, Outcome, Purpose};
use super::super::state::State;
use super::expand::{Offer, offer};
use crate::asm::Action;
use crate::calls::{About, PromptKind};
use crate::text::one_line;

/// The facts about `ask`; empty for a KG.
pub fn about(state: &State, ask: &Ask) -> About {
    let Call::Llm(call) = &ask.call else { return About::default() };
    let Some(step) = state.step(ask.key.step) else { return About::default() };
    match ask.key.purpose {
        Purpose::Match => {
            let kgs = state.started().kgs.len().max(1);
            let mentions = step.reading(2 * (ask.key.round / 10)).unwrap_or_default();
            let mention = mentions
                .iter()
                .filter_map(|r| if let Outcome::Mention(m) = &r.outcome { Some(m) } else { None })
                .nth(ask.key.lane as usize / kgs);
            About { term: mention.cloned(), ..About::default() }
        }
        Purpose::Sample => {
            let Some(node) = step.node else { return About::default() };
            let options = if call.kind == PromptKind::FinalAnswer {
                vec!["ANSWER".to_owned()]
            } else {
                match offer(state, step.id, node) {
                    Ok(Offer::Actions { think, expand }) => {
                        let words = [("THINK", think), ("EXPAND", expand), ("ANSWER", true)];
                        words.into_iter().filter(|(_, on)| *on).map(|(word, _)| word.to_owned()).collect()
                    }
                    Ok(Offer::Entities(list)) => list.iter().map(|e| e.id.to_string()).collect(),
                    // What the prompt had no room for can't be chosen.
                    Ok(Offer::Relations(list)) => {
                        let listed = if call.unlisted > 0 { call.listed as usize } else { list.len() };
                        list.iter().take(listed).map(|r| r.at.token()).collect()
                    }
                    _ => Vec::new(),
                }
            };
            About { path: Some(state.path_text(node)), entities: entities(state, node), options, ..About::default() }
        }
        Purpose::Score => {
            let Some(child) = state.scored_by(ask) else { return About::default() };
            match state.node(child).map(|n| &n.action) {
                Some(Action::Answer { text, .. }) => {
                    About { answer: Some(one_line(text)), entities: entities(state, child), ..About::default() }
                }
                _ => About { path: Some(state.path_text(child)), entities: entities(state, child), ..About::default() },
            }
        }
        _ => About::default(),
    }
}

fn entities(state: &State, node: NodeId) -> Vec<crate::graph::EntityId> {
    state.graph(node).entities().map(|e| e.id.clone()).collect()
}
