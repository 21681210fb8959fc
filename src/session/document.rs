//! `assets/journal.md` names everything that can stand in a journal: what the sources can write, and what real sessions hold.
//!
//! The types are read from their source files, so that a new event, act or field fails here until the document has it, in
//! the section of its type.

use super::journal::{FORMAT, Header, VERSION};
use crate::search::Entry;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const DOCUMENT: &str = include_str!("../../assets/journal.md");

/// Where the types of a journal are.
const SOURCES: [&str; 19] = [
    include_str!("../search/event.rs"),
    include_str!("../search/act.rs"),
    include_str!("../search/otherwise.rs"),
    include_str!("../search/correction.rs"),
    include_str!("../search/steer.rs"),
    include_str!("../search/model.rs"),
    include_str!("../search/review.rs"),
    include_str!("../search/settings.rs"),
    include_str!("../search/budget.rs"),
    include_str!("../calls/llm.rs"),
    include_str!("../calls/kg.rs"),
    include_str!("../calls/aggregate.rs"),
    include_str!("../calls/error.rs"),
    include_str!("../graph/parts.rs"),
    include_str!("../asm/action.rs"),
    include_str!("../asm/prompt.rs"),
    include_str!("../asm/profile.rs"),
    include_str!("../price.rs"),
    include_str!("journal.rs"),
];

/// Types that can be serialised and stand in no journal.
const ELSEWHERE: [&str; 3] = ["Preset", "Part", "AsmState"];

/// Sessions that come with the program.
const SESSIONS: [&str; 3] = [
    include_str!("../../assets/sessions/straight.jsonl"),
    include_str!("../../assets/sessions/backtracking.jsonl"),
    include_str!("../../assets/sessions/budget.jsonl"),
];

/// A type and the names that stand in a journal for its variants and fields. A variant's own fields come after it.
struct Type {
    name: String,
    names: Vec<(Option<String>, String)>,
}

/// `TooLong` as serde writes it.
fn renamed(word: &str, style: &str) -> String {
    if style == "lowercase" {
        return word.to_lowercase();
    }
    let mut out = String::new();
    for c in word.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push(if style == "kebab-case" { '-' } else { '_' });
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The types of a source file that can be serialised, as rustfmt lays them out.
fn types(source: &str) -> Vec<Type> {
    let quoted = |line: &str| line.split('"').nth(1).unwrap_or_default().to_owned();
    let (mut found, mut style, mut serialised): (Vec<Type>, _, _) = (Vec::new(), String::new(), false);
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("#[derive(") {
            (serialised, style) = (line.contains("Serialize"), String::new());
        } else if line.starts_with("#[serde(rename_all") {
            style = quoted(line);
        }
        let Some(head) = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("pub struct ")) else { continue };
        if !std::mem::take(&mut serialised) || !line.ends_with('{') {
            continue;
        }
        let (is_enum, name) = (line.starts_with("pub enum"), head.trim_end_matches(" {").to_owned());
        assert!(!is_enum || !style.is_empty(), "{name} has no rename_all");
        let (mut names, mut variant, mut own, mut skipped) = (Vec::new(), None, None, false);
        for line in lines.by_ref().take_while(|line| *line != "}") {
            let (depth, word) = (line.len() - line.trim_start().len(), line.trim_start());
            if word.starts_with("#[serde(") {
                skipped |= word.contains("flatten") || word.contains("skip)");
                if word.contains("rename = ") {
                    own = word.split("rename = ").nth(1).map(&quoted);
                }
                continue;
            }
            let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
            if is_enum && depth == 4 && word.starts_with(char::is_uppercase) {
                let name = own.take().unwrap_or_else(|| renamed(&word[..end], &style));
                variant = Some(name.clone());
                names.push((None, name));
            } else {
                let field = word.strip_prefix("pub ").unwrap_or(word);
                let end = field.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(field.len());
                if depth == if is_enum { 8 } else { 4 } && field[end..].starts_with(": ") && field.starts_with(char::is_lowercase) {
                    let name = own.take().unwrap_or_else(|| field[..end].to_owned());
                    if !std::mem::take(&mut skipped) {
                        names.push((variant.clone(), name));
                    }
                }
            }
        }
        found.push(Type { name, names });
    }
    found
}

/// The text under each heading.
fn sections() -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut heading = String::new();
    for line in DOCUMENT.lines() {
        if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim().trim_matches('`').to_owned();
            assert!(found.insert(heading.clone(), String::new()).is_none(), "two sections about {heading}");
        } else if let Some(text) = found.get_mut(&heading) {
            // Examples name things, too, but explain nothing.
            if !line.trim_start().starts_with('{') {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    found
}

fn all_types() -> Vec<Type> {
    let all: Vec<Type> = SOURCES.iter().flat_map(|source| types(source)).filter(|t| !ELSEWHERE.contains(&&*t.name)).collect();
    for name in ["Event", "Act", "Entry", "Settings", "KgOp", "Edge", "Action", "Price", "Header"] {
        assert!(all.iter().any(|t| t.name == name), "{name} was not found in its source");
    }
    all
}

#[test]
fn every_type_variant_and_field_is_in_its_section() {
    let sections = sections();
    let mut missing = Vec::new();
    for t in all_types() {
        for (variant, name) in &t.names {
            // Each event has a section of its own.
            let place = if t.name == "Event" { variant.as_ref().unwrap_or(name) } else { &t.name };
            let Some(section) = sections.get(place) else {
                missing.push(format!("a section `{place}`"));
                continue;
            };
            let is_heading = t.name == "Event" && variant.is_none();
            if !is_heading && !section.contains(&format!("`{name}`")) {
                missing.push(format!("`{name}` in the section {place}"));
            }
        }
    }
    assert!(missing.is_empty(), "assets/journal.md lacks {}", missing.join(", "));
}

#[test]
fn every_event_has_an_example_that_is_a_line_of_a_journal() {
    let mut seen = BTreeSet::new();
    for line in DOCUMENT.lines().map(str::trim_start).filter(|line| line.starts_with('{')) {
        let value: Value = serde_json::from_str(line).unwrap();
        let again = if value.get("format").is_some() {
            let header: Header = serde_json::from_str(line).unwrap();
            assert_eq!((&*header.format, header.version), (FORMAT, VERSION));
            serde_json::to_string(&header)
        } else {
            seen.extend(value["ev"].as_object().unwrap().keys().cloned());
            serde_json::to_string(&serde_json::from_str::<Entry>(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        };
        assert_eq!(again.unwrap(), line, "this program writes it otherwise");
    }
    let events = all_types().into_iter().find(|t| t.name == "Event").unwrap();
    let events: BTreeSet<String> = events.names.into_iter().filter(|(of, _)| of.is_none()).map(|(_, name)| name).collect();
    assert_eq!(seen, events);
}

/// Names of fields in `value`, but for those of templates, which are names of their own.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        Value::Object(all) => {
            for (name, field) in all {
                found.insert(name.clone());
                if name != "templates" {
                    fields(field, found);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_of_real_sessions_is_named() {
    let mut found = BTreeSet::new();
    for line in SESSIONS.iter().flat_map(|session| session.lines()) {
        fields(&serde_json::from_str(line).unwrap(), &mut found);
    }
    assert!(found.len() > 80, "{}", found.len());
    let missing: Vec<&String> = found.iter().filter(|name| !DOCUMENT.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "assets/journal.md does not name {missing:?}");
}
