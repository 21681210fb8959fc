//! What a KG cut and can bring more of: the next page of an entity's edges over one relation.

use super::act::Act;
use super::ask::Ask;
use super::event::{NodeId, Purpose, StepId, StepKind};
use super::state::{Node, State, Step};
use crate::asm::Action;
use crate::calls::{KgData, KgOp};
use crate::graph::{Direction, Edge, EntityId, KgName, Object, RelationId};
use std::collections::{HashMap, HashSet};

/// A list of edges of which a KG has more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The node that brought the list: what is fetched for it is seen by every walk through it.
    pub node: NodeId,
    /// The entity, by the id that it stands under in the local graph.
    pub entity: EntityId,
    /// The relation.
    pub relation: RelationId,
    /// The KG.
    pub kg: KgName,
    /// The direction.
    pub direction: Direction,
    /// How many were fetched: the next page begins there.
    pub shown: u64,
    /// How many there are, where the KG says so.
    pub of: Option<u64>,
}

impl Cut {
    /// Whether `edge` is one of the list.
    #[must_use]
    pub fn holds(&self, edge: &Edge) -> bool {
        let near = match self.direction {
            Direction::Out => edge.s == self.entity,
            Direction::In => matches!(&edge.o, Object::Entity(o) if *o == self.entity),
        };
        near && edge.r == self.relation && edge.kg == self.kg
    }

    /// `100 of 512`, or `first 100, more exist`.
    #[must_use]
    pub fn extent(&self) -> String {
        match self.of {
            Some(of) => format!("{} of {}", crate::text::thousands(self.shown), crate::text::thousands(of)),
            None => format!("first {}, more exist", crate::text::thousands(self.shown)),
        }
    }

    fn same_list(&self, other: &Self) -> bool {
        (&self.entity, &self.relation, &self.kg, self.direction) == (&other.entity, &other.relation, &other.kg, other.direction)
    }
}

impl State {
    /// The steps that brought pages for `node` and are not undone, in order.
    pub fn pages(&self, node: NodeId) -> impl Iterator<Item = &Step> {
        let in_force = |step: &Step| step.act.and_then(|act| self.acts.get(act.index())).is_some_and(|act| act.active);
        self.steps.iter().map(|step| &**step).filter(move |step| step.node == Some(node) && step.page.is_some() && in_force(step))
    }

    /// The lists of the local graph of `node` of which a KG has more.
    #[must_use]
    pub fn cuts(&self, node: NodeId) -> Vec<Cut> {
        let graph = self.graph(node);
        let mut cuts: Vec<Cut> = Vec::new();
        let mut put = |cut: Cut, whole: bool| {
            cuts.retain(|known| !known.same_list(&cut));
            if !whole {
                cuts.push(cut);
            }
        };
        for at in self.path_to(node) {
            if let Action::SelectRelation { relation } = &at.action {
                for (kg, list) in self.edge_lists(at.step) {
                    let of_choice = list.partial.iter().filter(|p| p.relation == relation.id && p.direction == relation.direction);
                    for p in of_choice {
                        let entity = graph.resolve(&p.entity).clone();
                        let (relation, direction) = (p.relation.clone(), p.direction);
                        put(Cut { node: at.id, entity, relation, kg: kg.clone(), direction, shown: p.shown, of: p.of }, false);
                    }
                }
            }
            for step in self.pages(at.id) {
                let Some(Act::More { kg, .. }) = step.act.and_then(|act| self.acts.get(act.index())).map(|act| &act.what) else { continue };
                for p in step.page.iter().flat_map(|delta| &delta.partial) {
                    let entity = graph.resolve(&p.entity).clone();
                    let (relation, direction) = (p.relation.clone(), p.direction);
                    put(Cut { node: at.id, entity, relation, kg: kg.clone(), direction, shown: p.shown, of: p.of }, p.is_whole());
                }
            }
        }
        cuts
    }

    /// The nodes that pages were brought for, which are not undone.
    #[must_use]
    pub fn paged(&self) -> HashSet<NodeId> {
        let in_force = |step: &Step| step.act.and_then(|act| self.acts.get(act.index())).is_some_and(|act| act.active);
        self.steps.iter().filter(|step| step.page.is_some() && in_force(step)).filter_map(|step| step.node).collect()
    }

    /// The nodes of whose facts a KG said, of a whole reply, that more exists, without saying of which list.
    #[must_use]
    pub fn cut_somewhere(&self) -> HashSet<NodeId> {
        let cut = |ask: &Ask| {
            let whole = ask.reply.as_deref().is_some_and(|reply| reply.partial);
            whole && ask.edges().is_some_and(|list| list.partial.is_empty())
        };
        let mut by_step: HashMap<StepId, Vec<&Ask>> = HashMap::new();
        for ask in self.asks.iter().filter(|ask| cut(ask)) {
            by_step.entry(ask.key.step).or_default().push(ask);
        }
        let of_choice = |node: &Node, ask: &Ask| match (&node.action, ask.what()) {
            (Action::SelectRelation { relation: at }, Some(KgOp::Edges { relation, direction, .. })) => {
                at.id == *relation && at.direction == *direction
            }
            _ => false,
        };
        let is_cut = |node: &Node| by_step.get(&node.step).is_some_and(|asks| asks.iter().any(|ask| of_choice(node, ask)));
        self.nodes.iter().filter(|node| is_cut(node)).map(|node| node.id).collect()
    }

    /// The lists of edges that came in `step`, with the KG that sent each.
    fn edge_lists(&self, step: StepId) -> impl Iterator<Item = (&KgName, &crate::calls::EdgeList)> {
        let asks = self.asks.iter().map(|ask| &**ask).filter(move |ask| ask.key.step == step && ask.key.purpose == Purpose::Edges);
        asks.filter_map(|ask| Some((ask.kg()?, ask.edges()?)))
    }

    /// Whether the next page of this list is on its way.
    #[must_use]
    pub fn is_paging(&self, what: &Act) -> bool {
        let open = |act: &super::event::ActId| match self.steps.iter().find(|step| step.act == Some(*act)) {
            Some(step) => step.kind == StepKind::Page && !step.closed,
            None => true,
        };
        self.acts.iter().filter(|act| act.active && act.what == *what).any(|act| open(&act.id))
    }
}

impl Ask {
    /// The KG that was asked; none if it was the model.
    #[must_use]
    pub const fn kg(&self) -> Option<&KgName> {
        match &self.call {
            super::event::Call::Kg(call) => Some(&call.kg),
            super::event::Call::Llm(_) => None,
        }
    }

    /// The edges that came; none if no edges were asked for, or none came.
    #[must_use]
    pub fn edges(&self) -> Option<&crate::calls::EdgeList> {
        match self.reply.as_deref().map(|reply| &reply.data) {
            Some(KgData::Edges(list)) => Some(list),
            _ => None,
        }
    }

    /// What a KG was asked; none if it was the model.
    #[must_use]
    pub const fn what(&self) -> Option<&KgOp> {
        match &self.call {
            super::event::Call::Kg(call) => Some(&call.op),
            super::event::Call::Llm(_) => None,
        }
    }

    /// How many of each entity's edges the call skipped, and how many it wanted at most.
    #[must_use]
    pub const fn window(&self) -> (u32, u32) {
        match self.what() {
            Some(KgOp::Edges { offset, cap, .. }) => (*offset, *cap),
            _ => (0, 0),
        }
    }
}
