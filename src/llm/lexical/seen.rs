//! Reading a prompt: from its text alone, as any model has to.

use super::sources::without_sources;
use indexmap::IndexMap;
use serde_yaml::Value;

/// An entity as a prompt shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub id: String,
    pub label: String,
    pub description: String,
    /// The alias that matched.
    pub alias: String,
}

/// A relation on offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// As the reply has to name it.
    pub token: String,
    /// The label, without the reading of the reverse.
    pub label: String,
    /// Whether it is followed backwards.
    pub reverse: bool,
}

/// What the prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Extract,
    Match { mention: String, candidates: Vec<Shown> },
    Default { think: bool, expand: bool },
    Entities(Vec<Shown>),
    Relation(Vec<Offer>),
    ForcedAnswer,
    EvaluateState,
    EvaluateAnswer(String),
    Review,
}

/// A step of the walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Walked {
    Think,
    Expand,
    Entities(Vec<String>),
    Relation(String),
    Error,
    Other,
}

/// A fact, in its true direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub subject: String,
    /// The relation's id.
    pub id: String,
    /// The relation's label.
    pub label: String,
    /// An id, or a value.
    pub object: String,
}

/// The local graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub entities: IndexMap<String, Shown>,
    pub facts: Vec<Fact>,
}

impl Known {
    /// The label of an entity; a value is its own label.
    pub fn name<'a>(&'a self, node: &'a str) -> &'a str {
        self.entities.get(node).map_or(node, |e| &e.label)
    }
}

/// A prompt, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub question: String,
    pub graph: Known,
    pub path: Vec<Walked>,
    pub task: Task,
}

/// Reads a prompt; `None` when it is not one of ours.
pub(super) fn read(prompt: &str) -> Option<Seen> {
    let question = without_sources(&scalar(prompt.lines().find_map(|l| l.strip_prefix("QUESTION: "))?));
    let at = prompt.find("\n# TASK: ")?;
    let task = task(&prompt[at + 9..])?;
    let path_at = prompt[..at].find("\n# PATH: ");
    let graph_end = path_at.unwrap_or(at);
    let graph = prompt[..graph_end].find("\n# GRAPH: ").map_or_else(Known::default, |from| graph(&prompt[from..graph_end]));
    let path = path_at.map_or_else(Vec::new, |from| path(&prompt[from..at]));
    Some(Seen { question, graph, path, task })
}

/// A double-quoted scalar at the beginning of `text`.
fn scalar(text: &str) -> String {
    split_scalar(text).map_or_else(|| text.trim().to_owned(), |(s, _)| s)
}

/// A double-quoted scalar and what follows it.
fn split_scalar(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inner.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let quoted = &text[..end + 2];
    Some((serde_yaml::from_str(quoted).ok()?, &text[end + 2..]))
}

/// `ID: rest`, the id bare or quoted.
fn split_id(text: &str) -> Option<(String, &str)> {
    if let Some((id, rest)) = split_scalar(text) {
        return Some((id, rest.strip_prefix(": ")?));
    }
    let (id, rest) = text.split_once(": ")?;
    Some((id.to_owned(), rest))
}

/// `"label" - "description"` and what follows.
fn label_and_description(text: &str) -> Option<(String, String, &str)> {
    let (label, rest) = split_scalar(text)?;
    match rest.strip_prefix(" - ").and_then(split_scalar) {
        Some((description, rest)) => Some((label, description, rest)),
        None => Some((label, String::new(), rest)),
    }
}

fn task(text: &str) -> Option<Task> {
    let options = || text.lines().filter_map(|l| l.strip_prefix("- "));
    Some(match text.lines().next()?.trim() {
        "extract" => Task::Extract,
        "match" => {
            let asks = ["Which of these is meant by ", "Which of these is the same thing as "];
            let mention = scalar(text.lines().find_map(|l| asks.iter().find_map(|ask| l.strip_prefix(ask)))?);
            let numbered = text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).filter_map(|l| l.split_once(". "));
            let candidates = numbered.filter(|(n, _)| *n != "0").filter_map(|(_, rest)| candidate(rest)).collect();
            Task::Match { mention, candidates }
        }
        "default" => {
            let offers = |key: &str| text.lines().any(|l| l.starts_with(key));
            Task::Default { think: offers("THINK:"), expand: offers("EXPAND:") }
        }
        "select entities" => Task::Entities(
            options()
                .filter_map(|line| {
                    let (id, rest) = split_id(line)?;
                    let (label, description, _) = label_and_description(rest)?;
                    Some(Shown { id, label, description, alias: String::new() })
                })
                .collect(),
        ),
        "select relation" => Task::Relation(options().filter_map(offer).collect()),
        "forced answer" => Task::ForcedAnswer,
        "evaluate state" => Task::EvaluateState,
        "evaluate answer" => Task::EvaluateAnswer(scalar(text.lines().find_map(|l| l.strip_prefix("Proposed answer: "))?)),
        "review" => Task::Review,
        _ => return None,
    })
}

fn candidate(text: &str) -> Option<Shown> {
    let (label, description, rest) = label_and_description(text)?;
    let alias = rest.split_once(" also called ").map_or_else(String::new, |(_, alias)| scalar(alias));
    Some(Shown { id: String::new(), label, description, alias })
}

fn offer(line: &str) -> Option<Offer> {
    let (token, rest) = split_id(line)?;
    let (reading, _) = split_scalar(rest)?;
    let reverse = token.starts_with('~');
    let plain = if reverse { reading.strip_prefix("is ").and_then(|r| r.strip_suffix(" of")) } else { None };
    Some(match plain {
        Some(label) => Offer { label: label.to_owned(), reverse, token },
        // An inverse label of its own reads forwards.
        None => Offer { label: reading, reverse: false, token },
    })
}

fn graph(text: &str) -> Known {
    let Ok(yaml) = serde_yaml::from_str::<Value>(text) else { return Known::default() };
    let mut known = Known::default();
    let field = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for (id, about) in yaml.get("entities").and_then(Value::as_mapping).into_iter().flatten() {
        let Some(id) = id.as_str() else { continue };
        let label = Some(field(about, "label")).filter(|l| !l.is_empty()).unwrap_or_else(|| id.to_owned());
        let shown = Shown { id: id.to_owned(), label, description: field(about, "description"), alias: String::new() };
        known.entities.insert(id.to_owned(), shown);
    }
    for (subject, relations) in yaml.get("facts").and_then(Value::as_mapping).into_iter().flatten() {
        for (relation, objects) in relations.as_mapping().into_iter().flatten() {
            let (Some(subject), Some(relation)) = (subject.as_str(), relation.as_str()) else { continue };
            let (id, label) = relation.split_once(' ').unwrap_or((relation, relation));
            // What a statement says besides stands behind its object, as a mapping of one.
            let bare = |object: &'_ Value| match object {
                Value::Mapping(noted) => noted.keys().next().and_then(Value::as_str).map(str::to_owned),
                plain => plain.as_str().map(str::to_owned),
            };
            for object in objects.as_sequence().into_iter().flatten().filter_map(bare) {
                let fact = Fact { subject: subject.to_owned(), id: id.to_owned(), label: label.to_owned(), object };
                known.facts.push(fact);
            }
        }
    }
    known
}

fn path(text: &str) -> Vec<Walked> {
    let steps: Vec<Value> = serde_yaml::from_str(text).unwrap_or_default();
    let first_word = |v: &Value| v.as_str().unwrap_or_default().split(' ').next().unwrap_or_default().to_owned();
    let read = |step: &Value| {
        if step.get("THINK").is_some() {
            Walked::Think
        } else if step.get("EXPAND").is_some() {
            Walked::Expand
        } else if let Some(chosen) = step.get("SELECT ENTITIES") {
            Walked::Entities(chosen.as_sequence().into_iter().flatten().map(first_word).collect())
        } else if let Some(relation) = step.get("SELECT RELATION") {
            Walked::Relation(first_word(relation))
        } else if step.get("ERROR").is_some() {
            Walked::Error
        } else {
            Walked::Other
        }
    };
    steps.iter().map(read).collect()
}
