//! Where a fact of a local graph comes from: the node, the step and the calls that brought it.

use super::ask::Ask;
use super::event::{NodeId, Source, StepKind, UnixMs};
use super::state::{State, Step};
use crate::calls::{EdgeList, KgData};
use crate::graph::{Edge, LocalGraph};

/// Where a fact comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance<'a> {
    /// The node that brought it into the walk.
    pub node: NodeId,
    /// The step that fetched it.
    pub step: &'a Step,
    /// Every call whose reply holds it; those of the KG that it is counted for come first.
    pub sources: Vec<&'a Ask>,
}

impl Provenance<'_> {
    /// Whether a person brought it in: a growth or a page by hand.
    #[must_use]
    pub const fn by_hand(&self) -> bool {
        matches!(self.step.kind, StepKind::Hand | StepKind::Page)
    }
}

impl State {
    /// Where `edge` of the local graph of `at` comes from; `None` if it is not there.
    #[must_use]
    pub fn provenance(&self, at: NodeId, edge: &Edge) -> Option<Provenance<'_>> {
        let graph = self.graph(at);
        let is_it = |other: &Edge| graph.resolved(other).same_fact(edge);
        let (node, step) = self.path_to(at).into_iter().find_map(|node| {
            if node.delta.edges.iter().any(is_it) {
                return Some((node, self.step(node.step)?));
            }
            let step = self.pages(node.id).find(|step| step.page.iter().flat_map(|page| &page.edges).any(is_it))?;
            Some((node, step))
        })?;
        let mut sources = self.sources(step, edge, &graph);
        sources.sort_by_key(|ask| ask.kg() != Some(&edge.kg));
        Some(Provenance { node: node.id, step, sources })
    }

    /// The calls of `step` whose reply holds `edge`.
    fn sources(&self, step: &Step, edge: &Edge, graph: &LocalGraph) -> Vec<&Ask> {
        let holds = |ask: &&Ask| ask.facts().iter().flat_map(|list| &list.edges).any(|other| graph.resolved(other).same_fact(edge));
        self.asks.iter().map(|ask| &**ask).filter(|ask| ask.key.step == step.id).filter(holds).collect()
    }
}

impl Ask {
    /// The facts of the reply, whatever was asked.
    #[must_use]
    pub fn facts(&self) -> &[EdgeList] {
        match self.reply.as_deref().map(|reply| &reply.data) {
            Some(KgData::Edges(list)) => std::slice::from_ref(list),
            Some(KgData::Aggregate(result)) => &result.lists,
            _ => &[],
        }
    }

    /// When what it brought left the KG (milliseconds since 1970): earlier than the ask, if it was in the cache on disk.
    #[must_use]
    pub fn fetched_at(&self) -> UnixMs {
        let cached = self.reply.as_deref().and_then(|reply| reply.cached_at);
        cached.unwrap_or_else(|| self.at.saturating_add(self.took_ms))
    }

    /// How many samples the cache on disk had, and how old they are, for people; `None`: none.
    #[must_use]
    pub fn kept_for(&self) -> Option<String> {
        let old = age(self.at.saturating_sub(self.kept_since?));
        let all = self.samples.len();
        let some = if self.kept as usize == all { String::new() } else { format!("{} of {all} samples ", self.kept) };
        Some(format!("{some}from the cache, {old} old"))
    }

    /// Where the reply came from, for people: `live`, `from the cache, 3 days old`.
    #[must_use]
    pub fn came_from(&self) -> String {
        let cached = self.reply.as_deref().and_then(|reply| reply.cached_at);
        match (self.source, cached) {
            (Some(Source::Kept(_)), _) => self.kept_for().unwrap_or_default(),
            (Some(Source::Recorded), _) => "from the parent's recording".to_owned(),
            (Some(Source::Cached), _) => "asked before in this session".to_owned(),
            (Some(Source::You), _) => "by hand".to_owned(),
            (_, Some(at)) => format!("from the cache, {} old", age(self.at.saturating_sub(at))),
            (Some(Source::Preview), None) => "live, as previewed".to_owned(),
            (Some(Source::Live) | None, None) => "live".to_owned(),
        }
    }
}

/// A span of time in words: `3 days`, `5 hours`, `less than a minute`.
fn age(ms: u64) -> String {
    let said = |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    match ms / 1000 {
        0..60 => "less than a minute".to_owned(),
        s @ 60..7_200 => said(s / 60, "minute"),
        s @ 7_200..172_800 => said(s / 3_600, "hour"),
        s => said(s / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ages_are_said_in_the_largest_unit_that_fits() {
        let ages = [0, 60_000, 300_000, 7_200_000, 172_800_000, 864_000_000].map(super::age);
        assert_eq!(ages, ["less than a minute", "1 minute", "5 minutes", "2 hours", "2 days", "10 days"]);
    }
}
