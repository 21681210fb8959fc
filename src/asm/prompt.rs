//! Prompts: from what a state knows to the parts that a model reads.
//!
//! The wording lives in `prompts/*.yaml` (compiled in, overridable from a folder). What comes from a person, a KG
//! or a model reaches a template only as a finished double-quoted scalar, so that no template can forget to quote
//! and no label can add an option, break the YAML or forge an observation.

use super::template::{self, TemplateError, Templates};
use crate::calls::{Candidate, Part, PartKind, PromptKind};
use crate::graph::{Entity, EntityId, LocalGraph, Relation, to_yaml};
use crate::text::quoted;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

/// A step of a walk, as the prompt tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// A thought.
    Think(String),
    /// The reason for expanding; may be empty.
    Expand(String),
    /// The entities chosen: id and label.
    Entities(Vec<(EntityId, String)>),
    /// The relation chosen: `P161` or `~P57`, and how it reads in that direction.
    Relation {
        /// Id, with `~` for the reverse.
        token: String,
        /// `cast member`, `is director of`.
        reading: String,
    },
    /// The computation that a KG was asked for, as it is written.
    Aggregate(String),
    /// What the step before brought.
    Observation(String),
    /// Why the step before failed.
    Error(String),
    /// A proposed answer.
    Answer(String),
}

impl PathStep {
    /// As one line of a YAML list (without its dash).
    fn line(&self) -> String {
        match self {
            Self::Think(text) => format!("THINK: {}", quoted(text)),
            Self::Expand(text) => format!("EXPAND: {}", quoted(text)),
            Self::Entities(chosen) => {
                let names: Vec<String> = chosen.iter().map(|(id, label)| quoted(&named(id, label))).collect();
                format!("SELECT ENTITIES: [{}]", names.join(", "))
            }
            Self::Relation { token, reading } => format!("SELECT RELATION: {}", quoted(&named(token, reading))),
            Self::Aggregate(line) => format!("AGGREGATE: {}", quoted(line)),
            Self::Observation(text) => format!("OBSERVATION: {}", quoted(text)),
            Self::Error(text) => format!("ERROR: {}", quoted(text)),
            Self::Answer(text) => format!("ANSWER: {}", quoted(text)),
        }
    }
}

/// `Q25188 Inception`, or the id alone where there is no other name.
fn named(id: &str, label: &str) -> String {
    if label.is_empty() || label == id { id.to_owned() } else { format!("{id} {label}") }
}

/// What a prompt offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Options {
    /// Nothing to choose from (for the state `default`: every action).
    #[default]
    None,
    /// State `default`: which actions beside ANSWER.
    Actions {
        /// Whether THINK is offered (never right after a THINK).
        think: bool,
        /// Whether EXPAND is offered.
        expand: bool,
    },
    /// State `selecting entities`, in graph order.
    Entities(Vec<Entity>),
    /// State `selecting relation`.
    Relations(Vec<Relation>),
}

/// What a prompt is made from. Fields that a kind has no use for are ignored.
#[derive(Clone, Debug, Default)]
pub struct PromptContext<'a> {
    /// The question as the user asked it.
    pub question: &'a str,
    /// The local graph; `None` is an empty one.
    pub graph: Option<&'a LocalGraph>,
    /// The steps from the root.
    pub path: &'a [PathStep],
    /// What is on offer.
    pub options: Options,
    /// The answer that is evaluated.
    pub answer: Option<&'a str>,
    /// The mention that is matched.
    pub mention: Option<&'a str>,
    /// The candidates for the mention, best first.
    pub candidates: &'a [Candidate],
    /// The fact that is judged, quoted.
    pub fact: Option<&'a str>,
    /// The facts that the answer rests on, quoted.
    pub evidence: &'a [String],
    /// Whether the mention is an entity of the graph (linking it in another KG), not a text of the question.
    pub linking: bool,
    /// Whether the graph shows what statements say besides.
    pub notes: bool,
    /// Whether AGGREGATE is offered beside the relations.
    pub aggregate: bool,
    /// How many facts were left out of `graph` to make the prompt shorter.
    pub omitted: usize,
    /// How many entities or relations were left out of `options` for the same reason.
    pub unlisted: usize,
}

impl PromptContext<'_> {
    fn offers(&self) -> (bool, bool) {
        let (think, expand) = match self.options {
            Options::Actions { think, expand } => (think, expand),
            _ => (true, true),
        };
        let after_think = matches!(self.path.iter().rev().find(|s| !matches!(s, PathStep::Observation(_))), Some(PathStep::Think(_)));
        (think && !after_think, expand)
    }

    /// The variables of the templates; every text from outside is quoted here. `task` is the name of the task's template.
    fn variables(&self, task: &str) -> Value {
        let (think, expand) = self.offers();
        let entities: Vec<String> = match &self.options {
            Options::Entities(list) => list.iter().map(entity_option).collect(),
            _ => Vec::new(),
        };
        let relations: Vec<String> = match &self.options {
            Options::Relations(list) => relation_options(list),
            _ => Vec::new(),
        };
        let empty = LocalGraph::default();
        let shown = self.graph.map_or(0, |graph| graph.edges().len());
        context! {
            task,
            question => quoted(self.question),
            graph => to_yaml(self.graph.unwrap_or(&empty), self.notes).trim_end(),
            path => self.path.iter().map(PathStep::line).collect::<Vec<_>>(),
            omitted => self.omitted,
            unlisted => self.unlisted,
            shown,
            facts => shown + self.omitted,
            mention => quoted(self.mention.unwrap_or_default()),
            answer => quoted(self.answer.unwrap_or_default()),
            candidates => self.candidates.iter().map(candidate_option).collect::<Vec<_>>(),
            fact => self.fact.unwrap_or_default(),
            evidence => self.evidence,
            linking => self.linking,
            aggregate => self.aggregate,
            think, expand, entities, relations,
        }
    }
}

/// An id as an option shows it: bare when it is one word without quotes, else quoted.
fn option_id(id: &str) -> String {
    let bare = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || c.is_ascii_punctuation() && c != '"' && c != '\\');
    if bare { id.to_owned() } else { quoted(id) }
}

/// `Q25188: "Inception" - "2010 film"`.
fn entity_option(entity: &Entity) -> String {
    format!("{}: {}", option_id(&entity.id), label_and_description(entity))
}

fn label_and_description(entity: &Entity) -> String {
    match &entity.description {
        Some(text) => format!("{} - {}", quoted(entity.name()), quoted(text)),
        None => quoted(entity.name()),
    }
}

/// `P161: "cast member" (12)`; the KG is named when more than one offers relations.
fn relation_options(list: &[Relation]) -> Vec<String> {
    let several = list.windows(2).any(|pair| pair[0].at.kg != pair[1].at.kg);
    list.iter()
        .map(|relation| {
            let count = relation.count.map_or(String::new(), |n| format!(" ({n}{})", if relation.count_is_bound { "+" } else { "" }));
            let kg = if several { format!(" in {}", quoted(&relation.at.kg)) } else { String::new() };
            format!("{}: {}{count}{kg}", option_id(&relation.at.token()), quoted(&relation.reading()))
        })
        .collect()
}

/// `"Titanic" - "1997 film" [Q44578] also called "Le Titanic"`.
fn candidate_option(candidate: &Candidate) -> String {
    let alias = candidate.matched.as_ref().map_or(String::new(), |alias| format!(" also called {}", quoted(alias)));
    format!("{} [{}]{alias}", label_and_description(&candidate.entity), option_id(&candidate.entity.id))
}

/// The template of a part of a kind of prompt.
const fn template_of(kind: PromptKind, part: PartKind) -> &'static str {
    match part {
        PartKind::Instructions => "instructions",
        PartKind::Question => "question",
        PartKind::Graph => "graph",
        PartKind::Path => "path",
        PartKind::Task => match kind {
            PromptKind::Extract => "extract",
            PromptKind::Match => "match",
            PromptKind::Action => "default",
            PromptKind::Entities => "select_entities",
            PromptKind::Relation => "select_relation",
            PromptKind::FinalAnswer => "forced_answer",
            PromptKind::ScoreState => "evaluate_state",
            PromptKind::ScoreAnswer => "evaluate_answer",
            PromptKind::Review => "review",
        },
    }
}

/// The parts of a kind of prompt, stable ones first. An answer is judged without the walk that led to it.
const fn parts_of(kind: PromptKind) -> &'static [PartKind] {
    use PartKind::{Graph, Instructions, Path, Question, Task};
    match kind {
        PromptKind::Extract | PromptKind::Match => &[Instructions, Question, Task],
        PromptKind::ScoreAnswer => &[Instructions, Question, Graph, Task],
        // Judged by what the model knows itself: the rules of the walk say the contrary.
        PromptKind::Review => &[Question, Task],
        _ => &[Instructions, Question, Graph, Path, Task],
    }
}

/// A part of a prompt that a person worded otherwise, for one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The part.
    pub part: PartKind,
    /// How it is worded.
    pub with: Wording,
}

/// How a person words a part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// Exactly so, nothing is filled in.
    Text(String),
    /// By this template in the place of the session's.
    Template(String),
}

impl Templates {
    /// The name of the template of a part of a kind of prompt.
    #[must_use]
    pub const fn name_of(kind: PromptKind, part: PartKind) -> &'static str {
        template_of(kind, part)
    }

    /// The parts of a prompt, stable ones first.
    ///
    /// # Errors
    /// When a template that was overridden asks for a variable that does not exist, or is broken.
    pub fn parts(&self, kind: PromptKind, about: &PromptContext<'_>) -> Result<Vec<Part>, TemplateError> {
        self.edited(kind, about, &[])
    }

    /// The parts of a prompt as a person worded some of them. A part without text is left out.
    ///
    /// # Errors
    /// When a template can't be filled in.
    pub fn edited(&self, kind: PromptKind, about: &PromptContext<'_>, edits: &[Edit]) -> Result<Vec<Part>, TemplateError> {
        let environment = template::environment();
        let variables = about.variables(template_of(kind, PartKind::Task));
        let mut parts = Vec::new();
        for &part in parts_of(kind) {
            let name = template_of(kind, part);
            let text = match edits.iter().rev().find(|edit| edit.part == part).map(|edit| &edit.with) {
                Some(Wording::Text(text)) => text.clone(),
                Some(Wording::Template(template)) => template::render(&environment, name, template, &variables)?,
                None => template::render(&environment, name, self.text(name), &variables)?,
            };
            let text = text.trim_end();
            if !text.is_empty() {
                parts.push(Part { kind: part, text: text.into() });
            }
        }
        Ok(parts)
    }
}

/// Every prompt's variables with everything on offer, and with as little as can be: for trying a template out before it is used.
pub(super) fn samples() -> Vec<Value> {
    let (path, evidence) = ([PathStep::Expand("a reason".to_owned())], [quoted("a fact")]);
    let full = PromptContext {
        question: "a question",
        path: &path,
        answer: Some("an answer"),
        fact: Some(&evidence[0]),
        evidence: &evidence,
        mention: Some("a mention"),
        linking: true,
        omitted: 1,
        unlisted: 1,
        aggregate: true,
        ..Default::default()
    };
    let bare = PromptContext { question: "a question", options: Options::Actions { think: false, expand: false }, ..Default::default() };
    let one = || vec![quoted("an option")];
    let tasks = KINDS.map(|kind| template_of(kind, PartKind::Task));
    let filled = tasks.iter().map(|task| context! { entities => one(), relations => one(), candidates => one(), ..full.variables(task) });
    filled.chain(tasks.iter().map(|task| bare.variables(task))).collect()
}

/// Every kind of prompt.
const KINDS: [PromptKind; 9] = [
    PromptKind::Extract,
    PromptKind::Match,
    PromptKind::Action,
    PromptKind::Entities,
    PromptKind::Relation,
    PromptKind::FinalAnswer,
    PromptKind::ScoreState,
    PromptKind::ScoreAnswer,
    PromptKind::Review,
];

#[cfg(test)]
mod tests;
