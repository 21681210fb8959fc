//! A local web service with the habits of the public one: lookups that list 25 linked entities at most, browse pages that
//! are shorter than asked for, merged ids, refusals as JSON, a rate limit, and no answer without `fmt=json` and a name.

use crate::http::{self, Http, Reply};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// An artist that was merged into another one, and the one.
pub const MERGED: [&str; 2] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const KINDS: [&str; 12] =
    ["artist", "release-group", "recording", "work", "release", "label", "area", "place", "event", "series", "instrument", "genre"];

/// What is sent instead of the answer to the request of this number (from 0), if any are.
pub type Fault = fn(usize, &Asked) -> Option<Reply>;

/// How the service behaves.
#[derive(Clone)]
pub struct Habits {
    /// Entries of a browse page at most, whatever is asked for.
    pub page: usize,
    /// Whether browse pages say how many there are.
    pub counts: bool,
    /// Requests that come sooner after the one before are refused.
    pub rate: Option<Duration>,
    /// What goes wrong.
    pub fault: Option<Fault>,
}

impl Default for Habits {
    fn default() -> Self {
        Self { page: 20, counts: true, rate: None, fault: None }
    }
}

/// A request as the service understands it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `artist/MBID`, below `/ws/2/`.
    pub path: String,
    /// The query, decoded.
    pub query: Vec<(String, String)>,
    /// The User-Agent.
    pub agent: String,
}

impl Asked {
    fn read(request: &http::Asked) -> Self {
        let path = request.target().split('?').next().unwrap_or_default();
        Self {
            path: path.strip_prefix("/ws/2/").unwrap_or_default().to_owned(),
            query: request.parameters(),
            agent: request.header("user-agent").unwrap_or_default().to_owned(),
        }
    }

    /// The value of a parameter.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }
}

/// All records, by kind, in order.
pub type Records = HashMap<String, Vec<Value>>;

/// The records of a folder: `KIND.json` with a list, or `KIND/MBID.json`.
pub fn load(folder: &Path) -> Records {
    let read = |path: &Path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    let mut records = Records::new();
    for kind in KINDS {
        let listed = folder.join(format!("{kind}.json"));
        if listed.exists() {
            records.insert(kind.to_owned(), read(&listed).as_array().unwrap().clone());
        } else if let Ok(files) = std::fs::read_dir(folder.join(kind)) {
            let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
            paths.sort();
            records.insert(kind.to_owned(), paths.iter().map(|path| read(path)).collect());
        }
    }
    records
}

/// A running service.
pub struct Service {
    /// Its address, with `/ws/2`.
    pub url: String,
    server: Http,
}

impl Service {
    /// Serves `records`.
    pub fn start(records: Records, habits: Habits) -> Self {
        let last: Mutex<Option<Instant>> = Mutex::default();
        let server = Http::start(move |request| {
            let before = last.lock().unwrap().replace(request.at);
            let too_soon = habits.rate.zip(before).is_some_and(|(rate, before)| request.at.duration_since(before) < rate);
            let asked = Asked::read(request);
            if let Some(reply) = habits.fault.and_then(|fault| fault(request.number, &asked)) {
                return reply;
            }
            if too_soon { busy() } else { answer(&records, &habits, &asked) }
        });
        Self { url: format!("{}/ws/2", server.url()), server }
    }

    /// The fixtures, with the usual habits.
    pub fn usual() -> Self {
        Self::start(load(&fixtures()), Habits::default())
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.server.seen().iter().map(Asked::read).collect()
    }

    /// The paths that were asked for so far.
    pub fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }

    /// The times between one request and the next.
    pub fn gaps(&self) -> Vec<Duration> {
        self.server.seen().windows(2).map(|pair| pair[1].at.duration_since(pair[0].at)).collect()
    }

    /// Connections that were opened.
    pub fn connections(&self) -> usize {
        self.server.connections()
    }
}

/// The folder of the fixtures.
pub fn fixtures() -> std::path::PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", "musicbrainz"].iter().collect()
}

/// `body` as the service sends it.
pub fn send(status: &str, body: &Value) -> Reply {
    Reply::whole(status, "Content-Type: application/json; charset=utf-8\r\n", body.to_string())
}

/// The refusal of a request that came too soon.
pub fn busy() -> Reply {
    let body = json!({"error": "Too many requests from this address."}).to_string();
    Reply::whole("503 Service Unavailable", "Content-Type: application/json\r\nRetry-After: 0\r\n", &body)
}

fn refuse(status: &str, error: &str) -> Reply {
    send(status, &json!({"error": error, "help": "For usage, please see the documentation"}))
}

fn answer(records: &Records, habits: &Habits, asked: &Asked) -> Reply {
    let named = regex::Regex::new(r"^[A-Za-z0-9-]+/[0-9.]+ \( ?.+ ?\)$").unwrap();
    if !named.is_match(&asked.agent) {
        return refuse("403 Forbidden", "Your requests do not say who you are.");
    }
    if asked.get("fmt") != Some("json") {
        return Reply::whole("200 OK", "Content-Type: application/xml\r\n", "<?xml version=\"1.0\"?><metadata/>");
    }
    if asked.path == "url" {
        return urls(records, asked);
    }
    let (kind, id) = asked.path.split_once('/').map_or((asked.path.as_str(), None), |(kind, id)| (kind, Some(id)));
    if !KINDS.contains(&kind) {
        return refuse("404 Not Found", "Not Found");
    }
    let of_kind = records.get(kind).map_or(&[] as &[Value], Vec::as_slice);
    match (id, asked.get("query")) {
        (Some(id), _) if kind == "artist" && id == MERGED[0] => {
            let query: String = url_query(asked);
            Reply::whole("301 Moved Permanently", &format!("Location: /ws/2/artist/{}?{query}\r\n", MERGED[1]), "")
        }
        (Some(id), _) => lookup(of_kind, kind, id, asked),
        (None, Some(query)) => search(of_kind, kind, query, asked),
        (None, None) => browse(records, habits, kind, asked),
    }
}

fn url_query(asked: &Asked) -> String {
    let mut url = reqwest::Url::parse("http://service/").unwrap();
    url.query_pairs_mut().extend_pairs(&asked.query);
    url.query().unwrap_or_default().to_owned()
}

/// Which words `inc` may hold for a kind.
fn may_include(kind: &str, word: &str) -> bool {
    let own: &[&str] = match kind {
        "artist" => &["recordings", "releases", "release-groups", "works"],
        "label" => &["releases"],
        "recording" => &["artist-credits", "isrcs", "releases"],
        "release" => &["artist-credits", "labels", "recordings", "release-groups"],
        "release-group" => &["artist-credits", "releases"],
        _ => &[],
    };
    let is_rels = word.strip_suffix("-rels").is_some_and(|of| of == "url" || KINDS.contains(&of));
    own.contains(&word) || (is_rels && kind != "genre")
}

fn lookup(of_kind: &[Value], kind: &str, id: &str, asked: &Asked) -> Reply {
    let words: Vec<&str> = asked.get("inc").map_or_else(Vec::new, |inc| inc.split([' ', '+']).collect());
    if let Some(bad) = words.iter().find(|word| !may_include(kind, word)) {
        return refuse("400 Bad Request", &format!("{bad} is not a valid inc parameter for the {kind} resource."));
    }
    let Some(Value::Object(record)) = of_kind.iter().find(|record| record["id"] == id) else {
        return refuse("404 Not Found", "Not Found");
    };
    let mut shown = Map::new();
    for (field, value) in record {
        let needs = match field.as_str() {
            "relations" => words.iter().any(|word| word.ends_with("-rels")),
            "releases" | "recordings" | "works" | "isrcs" => words.contains(&field.as_str()),
            "release-groups" | "release-group" => words.contains(&"release-groups"),
            "artist-credit" => words.contains(&"artist-credits"),
            "label-info" => words.contains(&"labels"),
            "media" => words.contains(&"recordings"),
            "aliases" | "artists" => false,
            _ => true,
        };
        let is_list = matches!(field.as_str(), "releases" | "recordings" | "works" | "release-groups");
        let value = match value {
            Value::Array(all) if is_list => Value::Array(all.iter().take(25).cloned().collect()),
            other => other.clone(),
        };
        if needs {
            shown.insert(field.clone(), value);
        }
    }
    send("200 OK", &Value::Object(shown))
}

/// Hits by name, title and alias; the first of them has 100 points.
fn search(of_kind: &[Value], kind: &str, query: &str, asked: &Asked) -> Reply {
    let words = query.replace('\\', "").to_lowercase();
    let name = |record: &Value| record["name"].as_str().or(record["title"].as_str()).unwrap_or_default().to_lowercase();
    let alias = |record: &Value| {
        record["aliases"].as_array().is_some_and(|all| all.iter().any(|a| a["name"].as_str().unwrap_or_default().to_lowercase() == words))
    };
    let mut hits: Vec<Value> = of_kind.iter().filter(|record| name(record).contains(&words) || alias(record)).cloned().collect();
    hits.sort_by_key(|record| name(record).len());
    for (place, hit) in hits.iter_mut().enumerate() {
        hit["score"] = json!(100 - 7 * place.min(14));
    }
    let limit: usize = asked.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(25);
    let count = hits.len();
    hits.truncate(limit);
    send("200 OK", &json!({"created": "2026-01-01T00:00:00.000Z", "count": count, "offset": 0, plural(kind): hits}))
}

fn plural(kind: &str) -> String {
    if kind == "series" { kind.to_owned() } else { format!("{kind}s") }
}

fn browse(records: &Records, habits: &Habits, kind: &str, asked: &Asked) -> Reply {
    let owner = asked.query.iter().find(|(key, _)| KINDS.contains(&key.as_str()));
    let Some((of, id)) = owner else { return refuse("400 Bad Request", "Invalid search or browse request.") };
    let owner = records.get(of).and_then(|all| all.iter().find(|record| record["id"] == id.as_str()));
    let Some(owner) = owner else { return refuse("404 Not Found", "Not Found") };
    let all = owner[plural(kind)].as_array().cloned().unwrap_or_default();
    let number = |key: &str, default: usize| asked.get(key).map_or(default, |n| n.parse().unwrap());
    let (offset, limit) = (number("offset", 0), number("limit", 25).min(100).min(habits.page));
    let page: Vec<Value> = all.iter().skip(offset).take(limit).cloned().collect();
    let mut body = json!({ format!("{kind}-offset"): offset, plural(kind): page });
    if habits.counts {
        body[format!("{kind}-count")] = json!(all.len());
    }
    send("200 OK", &body)
}

/// Pages by address: one is an object, several are a list; unknown ones are left out, and are an error when alone.
fn urls(records: &Records, asked: &Asked) -> Reply {
    let wanted: Vec<&str> = asked.query.iter().filter(|(key, _)| key == "resource").map(|(_, value)| value.as_str()).collect();
    if wanted.len() > 100 {
        return refuse("400 Bad Request", "Too many resources");
    }
    let page = |resource: &&str| {
        let mut relations = Vec::new();
        let mut id = Value::Null;
        let mut kinds: Vec<&String> = records.keys().collect();
        kinds.sort();
        for kind in kinds {
            for record in &records[kind] {
                for relation in record["relations"].as_array().into_iter().flatten().filter(|r| r["url"]["resource"] == **resource) {
                    id = relation["url"]["id"].clone();
                    let entity = json!({"id": record["id"], "name": record["name"], "title": record["title"], "disambiguation": ""});
                    let kind = kind.replace('-', "_");
                    relations.push(json!({"type": relation["type"], "direction": "backward", "target-type": kind, kind: entity}));
                }
            }
        }
        (!relations.is_empty()).then(|| json!({"id": id, "resource": resource, "relations": relations}))
    };
    let mut found: Vec<Value> = wanted.iter().filter_map(page).collect();
    match (wanted.len(), found.len()) {
        (1, 0) => refuse("404 Not Found", "Not Found"),
        (1, _) => send("200 OK", &found.remove(0)),
        // In an order of its own.
        _ => {
            found.reverse();
            send("200 OK", &json!({"url-count": found.len(), "url-offset": 0, "urls": found}))
        }
    }
}
