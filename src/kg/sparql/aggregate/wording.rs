//! A computation in words, with labels: what the derived fact's relation is called, and how everything was understood.

use super::super::asker::Asker;
use super::super::describe::Names;
use super::super::term::Iri;
use super::plan::{Condition, Plan, Wanted};
use crate::calls::{Function, Test, Value};
use crate::graph::Direction;

/// Entities of one name that are told by id.
const TOLD: usize = 3;

/// Looks labels up.
pub struct Words<'a> {
    pub asker: &'a Asker,
    pub plan: &'a Plan,
    pub names: &'a Names,
}

impl Words<'_> {
    fn relation(&self, predicate: &Iri, ids: bool) -> String {
        let vocabulary = &self.asker.vocabulary;
        let label = self.names.label(vocabulary.relation_entity(predicate).as_str());
        let id = vocabulary.relation_id(predicate.as_str());
        match label {
            Some(label) if ids && !id.contains("://") => format!("{label} ({id})"),
            Some(label) => label.to_owned(),
            None if id.contains("://") => predicate.local_name().to_owned(),
            None => id.to_string(),
        }
    }

    fn entity(&self, iri: &Iri, ids: bool) -> String {
        let id = self.asker.vocabulary.entity_id(iri.as_str());
        match self.names.label(iri.as_str()) {
            Some(label) if ids && !id.contains("://") => format!("{label} ({id})"),
            Some(label) => label.to_owned(),
            None => id.to_string(),
        }
    }

    /// The label of the relation, as a column is titled: `cast member`.
    pub fn label_of(&self, predicate: &Iri) -> String {
        self.relation(predicate, false)
    }

    /// The selected entities together: `this` where there is one and a fact about it says which.
    fn near(&self, joint: &str, named: bool) -> String {
        if let ([_], false) = (self.plan.near.as_slice(), named) {
            return "this".to_owned();
        }
        let shown: Vec<String> = self.plan.near.iter().take(6).map(|iri| self.entity(iri, false)).collect();
        let more = self.plan.near.len() - shown.len();
        let more = if more > 0 { format!(" {joint} {more} more") } else { String::new() };
        format!("{}{more}", shown.join(&format!(" {joint} ")))
    }

    /// What is computed over: `cast member of A and B`, `things whose country is this`.
    fn far_ends(&self, many: bool, ids: bool, named: bool) -> String {
        let relation = self.relation(&self.plan.predicate, ids);
        let shared = self.plan.what.function == Function::Intersect;
        match self.plan.what.direction {
            Direction::Out if self.plan.near.len() == 1 && !named => relation,
            Direction::Out => format!("{relation} of {}", self.near("and", true)),
            Direction::In => {
                let things = if many { "things" } else { "thing" };
                format!("{things} whose {relation} is {}", self.near(if shared { "and" } else { "or" }, named))
            }
        }
    }

    fn value(&self, condition: &Condition, ids: bool) -> String {
        match &condition.value {
            Wanted::Id(iri) => self.entity(iri, ids),
            Wanted::Named { name, entities } if entities.is_empty() => format!("\"{name}\" (a text)"),
            Wanted::Named { name, entities } if ids => {
                let all: Vec<String> = entities.iter().map(|iri| self.asker.vocabulary.entity_id(iri.as_str()).to_string()).collect();
                let more = if all.len() > TOLD { format!(" or {} more", all.len() - TOLD) } else { String::new() };
                format!("{name} ({}{more})", all[..all.len().min(TOLD)].join(" or "))
            }
            Wanted::Named { name, .. } => name.clone(),
            Wanted::Literal { text, .. } => text.clone(),
        }
    }

    fn conditions(&self, ids: bool) -> String {
        let one = |condition: &Condition| {
            let subject = condition.predicate.as_ref().map_or_else(|| "the value".to_owned(), |predicate| self.relation(predicate, ids));
            let sign = if condition.test == Test::NotEqual { "is not" } else { condition.test.sign() };
            format!("{subject} {sign} {}", self.value(condition, ids))
        };
        let all: Vec<String> = self.plan.conditions.iter().map(one).collect();
        if all.is_empty() { String::new() } else { format!(", where {}", all.join(" and ")) }
    }

    fn phrase(&self, ids: bool, named: bool) -> String {
        let extreme = match self.plan.what.function {
            Function::Max => "largest",
            Function::Min => "smallest",
            _ => "earliest",
        };
        let by = self.plan.by.as_ref().map(|by| self.relation(by, ids));
        let head = match (self.plan.what.function, by) {
            (Function::Count, _) => format!("number of {}", self.far_ends(true, ids, named)),
            (Function::Intersect, _) => format!("common {}", self.far_ends(true, ids, named)),
            (Function::Filter, _) => self.far_ends(true, ids, named),
            (_, Some(by)) => format!("{} with the {extreme} {by}", self.far_ends(false, ids, named)),
            (_, None) => format!("{extreme} {}", self.far_ends(false, ids, named)),
        };
        format!("{head}{}", self.conditions(ids))
    }

    /// What the derived fact's relation is called.
    pub fn label(&self) -> String {
        self.phrase(false, false)
    }

    /// How everything was understood, with ids.
    pub fn reading(&self) -> String {
        self.phrase(true, true)
    }

    /// What a reader of a comparison of amounts has to know; empty where none is compared. `amounts`: the extreme is one.
    pub fn caution(&self, amounts: bool) -> &'static str {
        let number = |c: &Condition| c.test.orders() && matches!(Value::read(&c.written), Value::Number { .. });
        if amounts || self.plan.conditions.iter().any(number) { "; amounts are compared as stated, whatever their unit" } else { "" }
    }
}
