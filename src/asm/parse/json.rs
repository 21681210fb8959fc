//! Replies in JSON, in a code block or in the midst of prose.

use super::answers;
use super::keywords::{self, Keyword};
use super::marks::tidy;
use super::menu::is_placeholder;
use crate::asm::Action;
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A JSON object in a reply.
#[derive(Debug)]
pub(super) struct Found {
    /// Where it begins.
    pub start: usize,
    /// The object; the first of a list.
    pub object: Map<String, Value>,
}

/// How many places are tried: a reply full of braces is no JSON.
pub(super) const TRIES: usize = 8;

/// The first JSON object in `text`.
pub(super) fn first_object(text: &str) -> Option<Found> {
    let places = || text.match_indices(['{', '[']).map(|(start, _)| start).take(TRIES);
    let strict = places().find_map(|start| at(&text[start..]).map(|object| Found { start, object }));
    strict.or_else(|| as_a_string(text)).or_else(|| {
        // Typographic quotes, a comma too many, and single quotes, as Python prints a dictionary.
        let start = text.find('{')?;
        let plain = COMMA_TOO_MANY.replace_all(&text[start..], "$1").replace(['“', '”', '„'], "\"");
        at(&plain).or_else(|| at(&plain.replace('\'', "\""))).map(|object| Found { start, object })
    })
}

static COMMA_TOO_MANY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r",\s*([}\]])").expect("constant"));

/// JSON as a text in JSON: `"{\"action\": ...}"`.
fn as_a_string(text: &str) -> Option<Found> {
    let start = text.len() - text.trim_start().len();
    let inner = text[start..].starts_with("\"{").then(|| serde_json::from_str::<String>(text[start..].trim_end()).ok())??;
    at(&inner).map(|object| Found { start, object })
}

fn at(text: &str) -> Option<Map<String, Value>> {
    object_of(serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()?)
}

/// `value` as an object; the first of a list.
pub(super) fn object_of(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        Value::Array(items) => items.into_iter().find_map(|item| if let Value::Object(object) = item { Some(object) } else { None }),
        _ => None,
    }
}

/// Keys under which a model explains itself.
pub(super) fn is_reasoning_key(key: &str) -> bool {
    let key = key.to_lowercase();
    [
        "reason",
        "thought",
        "explanation",
        "rationale",
        "analysis",
        "comment",
        "note",
        "why",
        "justification",
        "thinking",
        "evidence",
        "begründung",
    ]
    .iter()
    .any(|word| key.starts_with(word))
}

/// Keys under which a model lists what it does not choose.
fn is_rejecting_key(key: &str) -> bool {
    let key = key.to_lowercase().replace([' ', '-'], "_");
    ["reject", "exclu", "discard", "ignored", "irrelevant", "unrelated", "unselected", "unused", "not_"]
        .iter()
        .any(|word| key.starts_with(word))
}

/// Keys under which a model repeats what is on offer.
fn is_listing_key(key: &str) -> bool {
    ["options", "candidates", "alternatives", "considered", "available", "offered"].contains(&key.to_lowercase().as_str())
}

/// Whether a value says no.
fn is_no(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => !yes,
        Value::Null => true,
        Value::String(text) => ["no", "false", "否", "不"].contains(&text.trim().to_lowercase().as_str()),
        Value::Object(object) => is_turned_down(object),
        _ => false,
    }
}

/// `{"id": "Q1", "selected": false}`: named in order to be rejected.
fn is_turned_down(object: &Map<String, Value>) -> bool {
    let verdict = ["selected", "chosen", "relevant", "include", "included", "keep", "use", "useful", "needed", "expand"];
    get(object, &verdict).is_some_and(is_no)
}

/// The texts of `object` that are no reasoning and nothing that is rejected, one a line.
pub(super) fn said(object: &Map<String, Value>) -> String {
    let mut out = String::new();
    let names = |key: &String| !is_reasoning_key(key) && !is_rejecting_key(key);
    let chooses = object.keys().any(|key| names(key) && !is_listing_key(key));
    for (key, value) in object {
        if !names(key) || (chooses && is_listing_key(key)) {
            continue;
        }
        if key.contains(|c: char| c.is_ascii_digit()) {
            // `{"Q100": "Harbour Museum"}`: the key is what is named.
            if is_no(value) && !value.is_null() {
                continue;
            }
            out.push_str(key);
            out.push('\n');
        }
        gather(value, &mut out);
    }
    out
}

fn gather(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, out)),
        Value::Object(object) if is_turned_down(object) => {}
        Value::Object(object) => out.push_str(&said(object)),
        Value::Null | Value::Bool(_) => {}
    }
    out.push('\n');
}

fn get<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| object.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, v)| v))
}

fn named(word: &str) -> Option<Keyword> {
    match word.trim().to_ascii_uppercase().replace([' ', '-'], "_").as_str() {
        "THINK" => Some(Keyword::Think),
        "EXPAND" | "EXPAND_KG" => Some(Keyword::Expand),
        "ANSWER" | "FINAL_ANSWER" => Some(Keyword::Answer),
        _ => None,
    }
}

const ACTION_KEYS: [&str; 9] = ["action", "next_action", "type", "step", "choice", "decision", "name", "tool", "function"];
const COMMON: [&str; 11] =
    ["text", "content", "value", "argument", "arguments", "args", "action_input", "input", "parameters", "query", "message"];

/// The keyword of the action that `object` names, whether it has what belongs to it or not.
pub(super) fn names(object: &Map<String, Value>) -> Option<Keyword> {
    match get(object, &ACTION_KEYS) {
        Some(Value::String(word)) => named(word).or_else(|| keywords::at_start(word).map(|hit| hit.keyword)),
        Some(Value::Object(inner)) => names(inner),
        _ => object.keys().find_map(|key| named(key)),
    }
}

/// The action that `object` names: `{"action": "ANSWER", "answer": "x"}`, `{"ANSWER": "x"}`, a tool call.
pub(super) fn action(object: &Map<String, Value>, known: &dyn Fn(&str) -> bool) -> Option<Action> {
    match get(object, &ACTION_KEYS) {
        Some(Value::String(word)) => {
            if let Some(keyword) = named(word) {
                return build(keyword, argument(keyword, object), known);
            }
            let hit = keywords::at_start(word)?;
            build(hit.keyword, Some(&Value::String(hit.rest.to_owned())), known)
        }
        Some(Value::Object(inner)) => action(inner, known),
        _ => object.iter().find_map(|(key, value)| named(key).and_then(|keyword| build(keyword, Some(value), known))),
    }
}

fn argument(keyword: Keyword, object: &Map<String, Value>) -> Option<&Value> {
    let own: &[&str] = match keyword {
        Keyword::Think => &["thought", "think"],
        Keyword::Expand => &["reason", "expand"],
        Keyword::Answer => &["answer", "final_answer", "answers"],
    };
    let late: &[&str] = if keyword == Keyword::Answer { &[] } else { &["reasoning", "explanation", "thought"] };
    match get(object, own).or_else(|| get(object, &COMMON)).or_else(|| get(object, late)) {
        Some(Value::Object(inner)) => argument(keyword, inner).or_else(|| inner.values().next()),
        other => other,
    }
}

fn build(keyword: Keyword, value: Option<&Value>, known: &dyn Fn(&str) -> bool) -> Option<Action> {
    let plain = |v: &Value| match v {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(v.to_string()),
        _ => None,
    };
    if let (Keyword::Answer, Some(Value::Array(items))) = (keyword, value) {
        return answers::listed(items.iter().filter_map(plain).collect());
    }
    if let (Keyword::Answer, Some(Value::Object(inner))) = (keyword, value) {
        return build(keyword, get(inner, &COMMON).filter(|value| !value.is_object()), known);
    }
    let text = value.and_then(plain).unwrap_or_default();
    match keyword {
        Keyword::Answer => answers::answer(&[text], known),
        Keyword::Expand if is_placeholder(&text) => None,
        Keyword::Expand => Some(Action::Expand { text: tidy(&text) }),
        Keyword::Think => {
            let tidied = tidy(&text);
            (answers::says_something(&tidied) && !is_placeholder(&text)).then_some(Action::Think { text: tidied })
        }
    }
}

/// The answer of `object`, whatever else it holds; a text alone is one.
pub(super) fn answer(object: &Map<String, Value>, known: &dyn Fn(&str) -> bool) -> Option<Action> {
    let value = get(object, &["answer", "final_answer", "answers", "final answer"]).or_else(|| {
        let names_answer = get(object, &ACTION_KEYS).and_then(Value::as_str).and_then(named) == Some(Keyword::Answer);
        let alone = || object.values().next().filter(|_| object.len() == 1 && get(object, &COMMON[..3]).is_some());
        if names_answer { argument(Keyword::Answer, object) } else { alone() }
    })?;
    build(Keyword::Answer, Some(value), known)
}

/// Whether `object` says that a relation is walked from object to subject.
pub(super) fn is_reverse(object: &Map<String, Value>) -> bool {
    get(object, &["direction"]).and_then(Value::as_str).is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        ["in", "incoming", "reverse", "inverse", "backward", "backwards"].contains(&word.trim())
    })
}
