//! Breakpoints: conditions under which a search stands still so that a person can look. They are acts of the person, so they are
//! in the journal, go with forks, and are switched by undo and redo.

use super::act::Act;
use super::event::{ActId, Call, Entry, Event, Got, NewNode, NodeId, Outcome, Reading, Reason, StepKind};
use super::state::State;
use crate::asm::{Action, AsmState};
use crate::calls::KgData;
use crate::graph::Object;
use crate::micro::Micro;
use crate::money::Money;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// When a search stands still. Written and read as one short text: `value<0.3`, `relation P161`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// This node is about to be expanded.
    Node(NodeId),
    /// A node in this state of the machine is about to be expanded.
    State(AsmState),
    /// The expansion of this number (from 1) is about to begin.
    Expansion(u32),
    /// A node got a value below this.
    ValueBelow(Micro),
    /// A node got a value above this.
    ValueAbove(Micro),
    /// A node's value lies below its parent's by more than this.
    Drop(Micro),
    /// An answer got a value below the threshold.
    AnswerBelow,
    /// This relation (id or label) was chosen, or came into a local graph.
    Relation(String),
    /// This entity (id or label) was selected, or came into a local graph.
    Entity(String),
    /// A choice brought no new fact.
    NothingNew,
    /// A sample could not be read, or named what was not on offer.
    ParseFailure,
    /// So many samples or more said the same.
    Identical(u32),
    /// A KG failed, or cut what it had.
    Kg,
    /// A prompt is longer than so many tokens (estimated: four characters each).
    Prompt(u32),
    /// More calls to the model were made than this. Hit once.
    Calls(u64),
    /// More was spent than this, in millionths of the price's currency. Hit once.
    Cost(u64),
}

/// The conditions as one writes them, each with what it means: for help, menu and errors.
pub const FORMS: [(&str, &str); 16] = [
    ("node 4", "node 4 is about to be expanded"),
    ("state default", "a node in this state is next: default, entities or relation"),
    ("expansion 5", "the fifth expansion is about to begin"),
    ("value<0.3", "a node got a value below 0.3"),
    ("value>0.8", "a node got a value above 0.8"),
    ("drop>0.4", "a node's value lies more than 0.4 below its parent's"),
    ("answer<threshold", "an answer got a value below the threshold"),
    ("relation P161", "the relation (id or label) was chosen or came into a graph"),
    ("entity Q42", "the entity (id or label) was selected or came into a graph"),
    ("nothing-new", "a choice brought no new fact"),
    ("parse-failure", "a sample could not be read or named nothing on offer"),
    ("identical 5", "five samples or more said the same"),
    ("kg", "a graph failed, or cut what it had"),
    ("prompt>3000", "a prompt has more than 3,000 tokens (estimated)"),
    ("calls>50", "more than 50 calls were made to the model"),
    ("cost>0.10", "more than 0.10 was spent, by the price table"),
];

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "node {}", node.0),
            Self::State(state) => write!(f, "state {}", word_of(*state)),
            Self::Expansion(n) => write!(f, "expansion {n}"),
            Self::ValueBelow(value) => write!(f, "value<{value}"),
            Self::ValueAbove(value) => write!(f, "value>{value}"),
            Self::Drop(by) => write!(f, "drop>{by}"),
            Self::AnswerBelow => write!(f, "answer<threshold"),
            Self::Relation(name) => write!(f, "relation {name}"),
            Self::Entity(name) => write!(f, "entity {name}"),
            Self::NothingNew => write!(f, "nothing-new"),
            Self::ParseFailure => write!(f, "parse-failure"),
            Self::Identical(n) => write!(f, "identical {n}"),
            Self::Kg => write!(f, "kg"),
            Self::Prompt(tokens) => write!(f, "prompt>{tokens}"),
            Self::Calls(n) => write!(f, "calls>{n}"),
            Self::Cost(micros) => write!(f, "cost>{}", Money(*micros)),
        }
    }
}

const fn word_of(state: AsmState) -> &'static str {
    match state {
        AsmState::Default => "default",
        AsmState::SelectingEntities => "entities",
        AsmState::SelectingRelation => "relation",
        AsmState::Done => "done",
    }
}

/// A name without the quotes that rules and shells make one write.
pub(super) fn unquoted(name: &str) -> &str {
    name.trim().trim_matches('"').trim()
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let unknown = || {
            let forms: Vec<&str> = FORMS.iter().map(|(form, _)| *form).collect();
            format!("{text:?} is no breakpoint: write one of {}", forms.join(", "))
        };
        if let Some((what, than)) = text.split_once('<') {
            let than = than.trim();
            return match what.trim() {
                "value" => score(than).map(Self::ValueBelow),
                "answer" if than == "threshold" => Ok(Self::AnswerBelow),
                _ => Err(unknown()),
            };
        }
        if let Some((what, than)) = text.split_once('>') {
            return match what.trim() {
                "value" => score(than).map(Self::ValueAbove),
                "drop" => score(than).map(Self::Drop),
                "prompt" => number(than).map(Self::Prompt),
                "calls" => number(than).map(|n| Self::Calls(n.into())),
                "cost" => than.trim().parse().map(|Money(micros)| Self::Cost(micros)),
                _ => Err(unknown()),
            };
        }
        let (word, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
        match (word, rest) {
            ("nothing-new", "") => Ok(Self::NothingNew),
            ("parse-failure", "") => Ok(Self::ParseFailure),
            ("kg", "") => Ok(Self::Kg),
            ("node", _) => number(rest).map(|n| Self::Node(NodeId(n))),
            ("expansion", _) => match number(rest)? {
                0 => Err("expansions are counted from 1".to_owned()),
                n => Ok(Self::Expansion(n)),
            },
            ("identical", _) => match number(rest)? {
                0 | 1 => Err("one sample alone is always like itself: identical 2 or more".to_owned()),
                n => Ok(Self::Identical(n)),
            },
            ("state", "default") => Ok(Self::State(AsmState::Default)),
            ("state", "entities") => Ok(Self::State(AsmState::SelectingEntities)),
            ("state", "relation") => Ok(Self::State(AsmState::SelectingRelation)),
            ("state", _) => Err(format!("{rest:?} is no state: default, entities or relation")),
            ("relation" | "entity", name) if unquoted(name).is_empty() => Err(format!("{word} which? write its id or label: {word} P161")),
            ("relation", name) => Ok(Self::Relation(unquoted(name).to_owned())),
            ("entity", name) => Ok(Self::Entity(unquoted(name).to_owned())),
            _ => Err(unknown()),
        }
    }
}

fn score(text: &str) -> Result<Micro, String> {
    let value = text.trim().replace(',', ".").parse().ok().and_then(Micro::from_f64);
    value.ok_or_else(|| format!("{:?} is no value: a number from 0 to 1", text.trim()))
}

fn number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("{:?} is no whole number", text.trim()))
}

/// A breakpoint of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakpoint<'a> {
    /// The act that set it.
    pub act: ActId,
    /// When the search stands still.
    pub condition: &'a Condition,
    /// Whether it is switched on.
    pub on: bool,
    /// How often it was hit.
    pub hits: u32,
}

impl State {
    /// The breakpoints of the session, in the order in which they were set.
    pub fn breakpoints(&self) -> impl Iterator<Item = Breakpoint<'_>> {
        self.acts.iter().filter_map(|act| match &act.what {
            Act::Break { condition } => Some(Breakpoint { act: act.id, condition, on: act.active, hits: act.hits }),
            _ => None,
        })
    }

    /// The breakpoints that `entry`, the last one that was applied, hits, each with a sentence.
    #[must_use]
    pub fn hits(&self, entry: &Entry) -> Vec<(ActId, String)> {
        let on = self.breakpoints().filter(|point| point.on);
        on.filter_map(|point| Some((point.act, self.hit(point, &entry.ev)?))).collect()
    }

    fn hit(&self, point: Breakpoint<'_>, event: &Event) -> Option<String> {
        match (point.condition, event) {
            (Condition::Node(wanted), Event::Opened { kind: StepKind::Expand, node: Some(node), .. }) if wanted == node => {
                Some(format!("node {} is about to be expanded", node.0))
            }
            (Condition::State(wanted), Event::Opened { kind: StepKind::Expand, node: Some(node), .. }) => {
                let at = self.node(*node)?.asm;
                (at == *wanted).then(|| format!("node {} is about to be expanded while the state is {}", node.0, at.name()))
            }
            (Condition::Expansion(n), Event::Opened { counts: true, .. }) => {
                (self.expansions() == *n).then(|| format!("expansion {n} is about to begin"))
            }
            (Condition::ValueBelow(than), Event::Valued { node, value: Some(value), .. }) if value < than => {
                Some(format!("node {} has value {value}, below {than}", node.0))
            }
            (Condition::ValueAbove(than), Event::Valued { node, value: Some(value), .. }) if value > than => {
                Some(format!("node {} has value {value}, above {than}", node.0))
            }
            (Condition::Drop(by), Event::Valued { node, value: Some(value), .. }) => {
                let parent = self.node(*node)?.parent?;
                let above = self.value(parent).known()?;
                let lost = above.millionths().saturating_sub(value.millionths());
                (lost > by.millionths()).then(|| {
                    format!("node {} has value {value}, its parent (node {}) {above}: it fell by more than {by}", node.0, parent.0)
                })
            }
            (Condition::AnswerBelow, Event::Valued { node, value, .. }) => {
                let threshold = self.settings().threshold;
                let below = self.node(*node)?.action.is_answer() && value.is_none_or(|value| value < threshold);
                let value = value.map_or_else(|| "no value that could be read".to_owned(), |value| format!("value {value}"));
                below.then(|| format!("the answer of node {} has {value}, below the threshold {threshold}", node.0))
            }
            (Condition::Relation(name), event) => self.relation_hit(name, event),
            (Condition::Entity(name), event) => self.entity_hit(name, event),
            (Condition::NothingNew, Event::Grew { step, refused, .. }) => {
                let none = refused.iter().any(|row| matches!(row.outcome, Outcome::Rejected { reason: Reason::NothingNew, .. }));
                none.then(|| format!("a choice at {} brought no new fact", self.where_is(*step)))
            }
            (Condition::ParseFailure, Event::Read { step, rows, .. }) => {
                // Where the question is linked, it is the graph that has nothing to offer.
                let linking = self.step(*step)?.kind == StepKind::Start;
                let unread = |row: &&Reading| match row.outcome {
                    Outcome::Rejected { reason: Reason::Unreadable, .. } => true,
                    Outcome::Rejected { reason: Reason::NotOffered, .. } => !linking,
                    _ => false,
                };
                let first = rows.iter().find(unread)?;
                let Outcome::Rejected { why, .. } = &first.outcome else { return None };
                Some(format!("a sample at {} was rejected: {why}", self.where_is(*step)))
            }
            (Condition::Identical(n), Event::Read { step, rows, .. }) => {
                let same = rows.iter().map(|row| row.slots.len()).max().filter(|count| *count >= *n as usize)?;
                Some(format!("{same} samples at {} said the same", self.where_is(*step)))
            }
            (Condition::Kg, Event::Failed { ask, error }) => {
                let kg = self.ask(*ask)?.kg()?;
                Some(format!("{kg} failed: {}", error.message))
            }
            (Condition::Kg, Event::Replied { ask, got: Got::Kg(reply), .. }) => {
                let ask = self.ask(*ask)?;
                let cut = reply.partial || ask.edges().is_some_and(|list| !list.partial.is_empty());
                cut.then(|| format!("{} has more than it sent", ask.kg().map_or("a graph", |kg| &**kg)))
            }
            (Condition::Prompt(tokens), Event::Asked { call: Call::Llm(call), .. }) => {
                let letters: usize =
                    call.parts.iter().filter_map(|part| self.parts.get(part.index())).map(|p| p.text.chars().count()).sum();
                let estimated = letters.div_ceil(4);
                (estimated > *tokens as usize).then(|| format!("a prompt has about {estimated} tokens, more than {tokens}"))
            }
            (Condition::Calls(n), Event::Asked { call: Call::Llm(_), .. }) if point.hits == 0 => {
                let made = self.asks.iter().filter(|ask| ask.is_llm()).count() as u64;
                (made > *n).then(|| format!("{made} calls to the model, more than {n}"))
            }
            (Condition::Cost(than), Event::Replied { .. }) if point.hits == 0 => {
                let spent = self.counters().against(super::budget::Budget::Cost);
                (spent > *than).then(|| format!("{} was spent, more than {}", Money(spent), Money(*than)))
            }
            _ => None,
        }
    }

    /// The label of a relation, as the last list that offered it has it.
    fn label_of(&self, relation: &str) -> Option<String> {
        let offered = self.asks.iter().rev().filter_map(|ask| match ask.reply.as_deref().map(|reply| &reply.data) {
            Some(KgData::Relations(list)) => list.iter().find(|offered| *offered.at.id == *relation),
            _ => None,
        });
        offered.flat_map(|offered| offered.label.clone()).next()
    }

    /// The node that a step is about, in words.
    fn where_is(&self, step: super::event::StepId) -> String {
        match self.step(step).and_then(|step| step.node) {
            Some(node) => format!("node {}", node.0),
            None => "the start".to_owned(),
        }
    }

    fn relation_hit(&self, name: &str, event: &Event) -> Option<String> {
        match event {
            Event::Read { step, rows, .. } => {
                let chosen = |row: &Reading| match &row.outcome {
                    Outcome::Kept(Action::SelectRelation { relation }) => {
                        is_named(name, &relation.id, self.label_of(&relation.id).as_deref())
                    }
                    _ => false,
                };
                rows.iter().any(chosen).then(|| format!("relation {name} was chosen at {}", self.where_is(*step)))
            }
            Event::Grew { step, children, .. } => {
                let brings = |child: &NewNode| {
                    let label = |id: &str| child.delta.relations.iter().find(|(known, _)| **known == *id).map(|(_, label)| label.as_str());
                    child.delta.edges.iter().any(|edge| is_named(name, &edge.r, label(&edge.r)))
                };
                children.iter().any(brings).then(|| format!("facts of relation {name} came into the graph below {}", self.where_is(*step)))
            }
            _ => None,
        }
    }

    fn entity_hit(&self, name: &str, event: &Event) -> Option<String> {
        match event {
            Event::Read { step, rows, .. } => {
                let node = self.step(*step)?.node?;
                let graph = self.graph(node);
                let chosen = |row: &Reading| match &row.outcome {
                    Outcome::Kept(Action::SelectEntities { ids }) => ids.iter().any(|id| is_named(name, id, Some(graph.name(id)))),
                    _ => false,
                };
                rows.iter().any(chosen).then(|| format!("entity {name} was selected at node {}", node.0))
            }
            Event::Grew { step, children, .. } => {
                let brings = |child: &NewNode| {
                    let of_edge = |o: &Object| matches!(o, Object::Entity(id) if is_named(name, id, None));
                    child.delta.entities.iter().any(|e| is_named(name, &e.id, e.label.as_deref()))
                        || child.delta.edges.iter().any(|edge| is_named(name, &edge.s, None) || of_edge(&edge.o))
                };
                children.iter().any(brings).then(|| format!("entity {name} came into the graph below {}", self.where_is(*step)))
            }
            _ => None,
        }
    }
}

/// Whether `name` is the id, or the label whatever its case.
pub(super) fn is_named(name: &str, id: &str, label: Option<&str>) -> bool {
    name == id || label.is_some_and(|label| label.to_lowercase() == name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_back() {
        for (form, _) in FORMS {
            let condition: Condition = form.parse().unwrap_or_else(|why| panic!("{form}: {why}"));
            assert_eq!(condition.to_string().parse(), Ok(condition.clone()), "{form}");
        }
        assert_eq!(" value < 0,3 ".parse(), Ok(Condition::ValueBelow(Micro::from_f64(0.3).unwrap_or(Micro::ONE))));
        assert_eq!("relation  cast member".parse(), Ok(Condition::Relation("cast member".to_owned())));
        assert_eq!("entity \"Jane Austen\"".parse(), Ok(Condition::Entity("Jane Austen".to_owned())));
        assert!("entity \"\"".parse::<Condition>().is_err());
    }

    #[test]
    fn what_is_none_says_what_would_be_one() {
        for wrong in [
            "",
            "valu<0.3",
            "value<3",
            "node",
            "node x",
            "state done",
            "identical 1",
            "relation",
            "calls>many",
            "expansion 0",
            "kg x",
            "cost>-1",
        ] {
            let why = wrong.parse::<Condition>().expect_err(wrong);
            assert!(!why.is_empty(), "{wrong}");
        }
        assert!("what".parse::<Condition>().is_err_and(|why| why.contains("value<0.3")));
    }
}
