//! Wikidata on a port of this machine: the query service at `/sparql`, the entity API at `/w/api.php`, as documented.
//! The API knows more items than the query service: those with a label but without facts are served elsewhere.

#[path = "../support/engine.rs"]
mod engine;
#[path = "../support/http.rs"]
mod http;

use engine::Engine;
pub use http::{Asked, Http, Reply};
use serde_json::{Value, json};

/// Id, label, language of the label, description, alias, item that it was merged into.
type Item = (&'static str, Option<&'static str>, &'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

/// In the order of the entity search.
const ITEMS: [Item; 11] = [
    ("Q7001", Some("Ravensfoot"), "en", Some("hamlet in the north"), None, None),
    ("Q7002", Some("Ravensfoot"), "en", Some("Wikimedia disambiguation page"), None, None),
    ("Q7004", Some("Keybound"), "mul", None, None, None),
    ("Q7005", Some("Northmoor"), "en", Some("district"), Some("Ravensfoot and Moor"), None),
    ("Q7006", Some("Ravensfoot (old)"), "en", None, None, Some("Q7001")),
    ("Q7003", Some("List of bridges in Ravensfoot"), "en", Some("Wikimedia list article"), None, None),
    ("Q7007", Some("Bridge of Ravensfoot"), "en", None, None, None),
    ("Q7010", Some("On tidal clocks"), "en", Some("scholarly article"), None, None),
    ("Q7011", Some("Tidal clocks (list)"), "en", Some("Wikimedia list article"), None, None),
    ("Q777", None, "en", None, Some("Nameless"), None),
    ("Q7012", Some("О часах"), "ru", None, Some("Nameless too"), None),
];
/// The languages that it knows.
const LANGUAGES: [&str; 4] = ["en", "de", "zh", "mul"];

/// Which of the services a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `action=wbsearchentities`
    Names,
    /// `list=search`
    Words,
    /// `action=wbgetentities`
    Entities,
    /// The query service.
    Query,
}

impl Part {
    /// That of a request.
    pub fn of(asked: &Asked) -> Self {
        match asked.parameter("action").as_deref() {
            Some("wbsearchentities") => Self::Names,
            Some("query") => Self::Words,
            Some("wbgetentities") => Self::Entities,
            _ => Self::Query,
        }
    }
}

/// The services. `fault` may answer in their place: it is told which part is asked, and how often it was asked before.
pub fn start(fault: impl Fn(Part, usize) -> Option<Reply> + Send + Sync + 'static) -> Http {
    let facts = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "kg", "search-wikidata.ttl"].iter().collect::<std::path::PathBuf>();
    let engine = Engine::new(&std::fs::read_to_string(facts).unwrap());
    let before = std::sync::Mutex::new(Vec::new());
    Http::start(move |asked| {
        let part = Part::of(asked);
        let times = {
            let mut before = before.lock().unwrap();
            before.push(part);
            before.iter().filter(|known| **known == part).count() - 1
        };
        fault(part, times).unwrap_or_else(|| match part {
            Part::Query if asked.target().starts_with("/sparql") => {
                let results = engine.json(&asked.parameter("query").unwrap()).unwrap();
                Reply::whole("200 OK", "Content-Type: application/sparql-results+json\r\n", results)
            }
            Part::Query => Reply::whole("404 Not Found", "", ""),
            _ => api(&answer(asked)),
        })
    })
}

/// A reply of the API.
pub fn api(body: &Value) -> Reply {
    Reply::whole("200 OK", "Content-Type: application/json; charset=utf-8\r\n", body.to_string())
}

/// An error of the API.
pub fn error(code: &str, info: &str) -> Value {
    json!({"error": {"code": code, "info": info, "docref": "See the help of the API."}, "servedby": "test"})
}

fn answer(asked: &Asked) -> Value {
    let of = |name: &str| asked.parameter(name).unwrap_or_default();
    if of("format") != "json" {
        return json!({"text": "only JSON is spoken here"});
    }
    match &*of("action") {
        "wbsearchentities" => names(&of("search"), &of("language"), &of("type"), of("limit").parse().unwrap_or(7)),
        "query" if of("list") == "search" && of("srnamespace") == "0" => words(&of("srsearch"), of("srlimit").parse().unwrap_or(10)),
        "wbgetentities" => entities(&of("ids")),
        other => error("unknown_action", &format!("Unrecognized value for parameter \"action\": {other}.")),
    }
}

/// By the beginning of label or alias, in any case.
fn names(term: &str, language: &str, kind: &str, limit: usize) -> Value {
    if !LANGUAGES.contains(&language) {
        return error("badvalue", &format!("Unrecognized value for parameter \"language\": {language}."));
    }
    assert_eq!(kind, "item");
    let term_lower = term.to_lowercase();
    let begins = |name: Option<&str>| name.is_some_and(|name| name.to_lowercase().starts_with(&term_lower));
    let hit = |(id, label, spoken, description, alias, _): &Item| {
        let by_label = begins(*label);
        if !by_label && !begins(*alias) {
            return None;
        }
        let mut hit = json!({"id": id, "title": id, "pageid": 1, "repository": "wikidata", "concepturi": format!("http://www.wikidata.org/entity/{id}"),
            "match": {"type": if by_label { "label" } else { "alias" }, "language": spoken, "text": if by_label { label } else { alias }}});
        // A label in a language that nobody asked for is left out.
        if let Some(label) = label.filter(|_| LANGUAGES.contains(spoken)) {
            hit["label"] = json!(label);
            hit["display"] = json!({"label": {"value": label, "language": spoken}});
        }
        if let Some(description) = description {
            hit["description"] = json!(description);
        }
        Some(hit)
    };
    let hits: Vec<Value> = ITEMS.iter().filter_map(hit).take(limit).collect();
    json!({"searchinfo": {"search": term}, "search": hits, "success": 1})
}

/// Items in whose texts every word occurs, the last one first.
fn words(term: &str, limit: usize) -> Value {
    let text = |(_, label, _, description, alias, _): &Item| {
        [*label, *description, *alias].into_iter().flatten().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let holds = |item: &&Item| term.to_lowercase().split_whitespace().all(|word| text(item).contains(word));
    let hits: Vec<Value> =
        ITEMS.iter().rev().filter(holds).take(limit).map(|item| json!({"ns": 0, "title": item.0, "pageid": 1})).collect();
    json!({"batchcomplete": true, "query": {"search": hits}})
}

fn entities(ids: &str) -> Value {
    let mut all = serde_json::Map::new();
    for id in ids.split('|') {
        let item = ITEMS.iter().find(|item| item.0 == id);
        let merged = item.and_then(|item| item.5);
        let target = merged.and_then(|to| ITEMS.iter().find(|item| item.0 == to)).or(item);
        let record = target.map_or_else(
            || json!({"id": id, "missing": ""}),
            |(id, label, spoken, description, ..)| {
                let texts = |text: &Option<&str>, spoken: &str| {
                    text.map_or(json!([]), |text| json!({(spoken): {"language": spoken, "value": text}}))
                };
                json!({"type": "item", "id": id, "labels": texts(label, spoken), "descriptions": texts(description, "en")})
            },
        );
        all.insert(id.to_owned(), record);
        if let (Some(to), Some(record)) = (merged, all.get_mut(id)) {
            record["redirects"] = json!({"from": id, "to": to});
        }
    }
    json!({"entities": all, "success": 1})
}
