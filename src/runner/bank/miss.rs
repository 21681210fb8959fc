//! Naming a miss: which request a recording does not answer, and what is other in it.

use super::{Bank, Banked};
use crate::calls::{KgCall, PartKind, PromptKind};
use crate::runner::task;
use crate::search::{Ask, Call, LlmCall, ModelRef, State};
use crate::text::{cut, one_line};

/// Columns of a text that is quoted.
const QUOTED: usize = 80;

impl Bank {
    /// Which request of `state` the recording does not answer and why, in one sentence.
    #[must_use]
    pub fn miss(&self, state: &State, ask: &Ask) -> String {
        let what = match &ask.call {
            Call::Llm(call) => format!("{} ({})", task::describe(state, ask), kind(call.kind)),
            Call::Kg(_) => task::describe(state, ask),
        };
        format!("the recording does not answer this request: {what}: {}", self.difference(state, ask))
    }

    fn difference(&self, state: &State, ask: &Ask) -> String {
        if let Some(Banked::Samples(samples)) = self.replies.get(&(ask.hash.clone(), ask.nth)) {
            let there = ask.samples.iter().zip(samples).filter(|(_, kept)| kept.is_some()).count();
            return format!("it holds {there} of the {} samples", ask.samples.len());
        }
        let asked = self.recorded.asked_before(&ask.hash);
        if asked > ask.nth {
            return "the recording ends before its reply".to_owned();
        }
        match (&ask.call, asked) {
            (_, 1) => "it was asked once there, and now a second time".to_owned(),
            (_, 2..) => format!("it was asked {asked} times there, and now once more"),
            (Call::Kg(call), 0) => self.of_kg(call),
            (Call::Llm(call), 0) => self.of_llm(state, call),
        }
    }

    fn of_kg(&self, call: &KgCall) -> String {
        let kgs = &self.recorded.started.as_deref().map(|started| &started.kgs[..]).unwrap_or_default();
        if !kgs.iter().any(|(name, _)| *name == call.kg) {
            return format!("{} was not open there", one_line(&call.kg));
        }
        "it was never asked there".to_owned()
    }

    /// Settings of the request first: with another one of them every text may be known and nothing is answered.
    fn of_llm(&self, state: &State, call: &LlmCall) -> String {
        let ours = state.model(call.model);
        let asked = self.recorded.started.as_deref().map(|_| self.recorded.models_asked()).unwrap_or_default();
        let theirs: Vec<_> = asked.into_iter().map(|by| self.recorded.model(by)).collect();
        let is_ours = |other: &ModelRef<'_>| (other.name, other.service_model) == (ours.name, ours.service_model);
        if !theirs.iter().any(is_ours) {
            let there = theirs.first().map_or_else(String::new, |other| one_line(other.name));
            return format!("the model is {} and was {there} there", one_line(ours.name));
        }
        if !theirs.iter().any(|other| is_ours(other) && other.url == ours.url) {
            let at = |url: Option<&str>| url.map_or_else(|| "the provider's own server".to_owned(), one_line);
            let there = theirs.iter().find(|other| is_ours(other)).and_then(|other| other.url);
            return format!("the model is at {} and was at {} there", at(ours.url), at(there));
        }
        let parts = || call.parts.iter().map(|id| &state.parts[id.index()]);
        if let Some(part) = parts().find(|part| self.recorded.part_of(&part.text).is_none()) {
            let known = |line: &str| self.recorded.parts.iter().any(|p| p.kind == part.kind && p.text.lines().any(|l| l == line));
            let line = part.text.lines().find(|line| !line.trim().is_empty() && !known(line));
            let name = part_name(part.kind);
            return match line {
                Some(line) => format!("its {name} is new there, from the line “{}” on", cut(&one_line(line.trim()), QUOTED)),
                None => format!("its {name} is made of the same lines, but was never sent like this"),
            };
        }
        let same = |other: &&LlmCall| other.kind == call.kind;
        let Some(near) = self.recorded.asks.iter().rev().filter_map(|ask| llm(ask)).find(same) else {
            return "no such prompt was sent there".to_owned();
        };
        let milli = |n: u32| format!("{}.{:03}", n / 1000, n % 1000);
        if near.temperature_milli != call.temperature_milli {
            return format!("the temperature is {} and was {}", milli(call.temperature_milli), milli(near.temperature_milli));
        }
        if near.max_tokens != call.max_tokens {
            return format!("the reply may have {} tokens, and had {}", call.max_tokens, near.max_tokens);
        }
        if near.structured != call.structured {
            let how = |structured: bool| if structured { "constrained" } else { "free" };
            return format!("the reply is {} and was {} there (--structured)", how(call.structured), how(near.structured));
        }
        if near.stop != call.stop {
            return "it has other stop strings".to_owned();
        }
        "its parts were never sent together".to_owned()
    }
}

const fn llm(ask: &Ask) -> Option<&LlmCall> {
    match &ask.call {
        Call::Llm(call) => Some(call),
        Call::Kg(_) => None,
    }
}

/// A kind of prompt, for people.
const fn kind(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Extract => "extract",
        PromptKind::Match => "match",
        PromptKind::Action => "action",
        PromptKind::Entities => "select entities",
        PromptKind::Relation => "select relation",
        PromptKind::FinalAnswer => "final answer",
        PromptKind::ScoreState => "score of a node",
        PromptKind::ScoreAnswer => "score of an answer",
        PromptKind::Review => "verdict on a fact",
    }
}

const fn part_name(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Instructions => "part with the instructions",
        PartKind::Question => "question",
        PartKind::Graph => "local graph",
        PartKind::Path => "path",
        PartKind::Task => "task",
    }
}
