//! What was learnt of servers, kept between runs in one small file. What is kept is forgotten after a month, so that a
//! refusal that was wrong, or is no longer true, does not last.

use super::quirks::{Forming, LimitField, Shape, Stops, TokenLogs};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A fact is believed for so many seconds: 30 days.
const BELIEVED: u64 = 30 * 24 * 3600;

/// A larger file is none of ours.
const LARGEST: u64 = 1 << 20;

/// One thing that was learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fact {
    /// One request brings so many samples at most.
    Samples(usize),
    /// The output limit is called `max_completion_tokens`.
    LimitRenamed,
    /// No stop strings are taken.
    NoStop,
    /// Stop strings fire inside the reasoning.
    StopCutsReasoning,
    /// No temperature is taken.
    NoTemperature,
    /// No seed is taken.
    NoSeed,
    /// No instructions apart are taken.
    NoSystem,
    /// No log-probabilities are given.
    NoTokenLogs,
    /// A schema is taken in the provider's second way only.
    SecondForm,
    /// No schema is taken.
    NoForm,
    /// Replies come whole only.
    NoStream,
    /// Tokens of streams are not counted on request.
    NoStreamUsage,
    /// No marks for the cache of prefixes are taken.
    NoMarks,
    /// The model reasons before it answers.
    Reasons,
}

/// A fact, and when it was learnt, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Learnt {
    fact: Fact,
    when: u64,
}

/// The whole file: facts by server and model.
type Book = BTreeMap<String, Vec<Learnt>>;

/// The place of one model of one server in the file.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
    key: String,
}

impl Memory {
    /// For a model at an address, whose secrets (user, password, query) are left out.
    pub fn new(path: PathBuf, word: &str, address: &Url, model: &str) -> Self {
        let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
        let key = format!("{word} {}{port}{} {model}", address.host_str().unwrap_or_default(), address.path());
        Self { path, key }
    }

    /// `base`, changed by what is still believed.
    pub fn recall(&self, base: Shape) -> Shape {
        let mut shape = base;
        let now = now();
        for learnt in read(&self.path).remove(&self.key).unwrap_or_default() {
            if is_believed(&learnt, now) {
                learnt.fact.apply(&mut shape);
            }
        }
        shape
    }

    /// Writes down in what `shape` differs from `base`. A disk that refuses costs a request of the next run, no more.
    pub fn keep(&self, base: &Shape, shape: &Shape) {
        let _ = self.write(base, shape);
    }

    fn write(&self, base: &Shape, shape: &Shape) -> io::Result<()> {
        let (mut book, now) = (read(&self.path), now());
        for known in book.values_mut() {
            known.retain(|learnt| is_believed(learnt, now));
        }
        let known = book.remove(&self.key).unwrap_or_default();
        let since = |fact: Fact| known.iter().find(|learnt| learnt.fact == fact).map_or(now, |learnt| learnt.when);
        let facts = facts(base, shape);
        book.insert(self.key.clone(), facts.into_iter().map(|fact| Learnt { fact, when: since(fact) }).collect());
        book.retain(|_, known| !known.is_empty());
        let folder = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Written whole beside it, then put in its place: a reader sees the old file or the new one.
        let beside = self.path.with_extension(format!("{}.new", std::process::id()));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        let written = serde_json::to_vec_pretty(&book).map_err(io::Error::from).and_then(|json| file.write_all(&json));
        written.and_then(|()| std::fs::rename(&beside, &self.path)).inspect_err(|_| drop(std::fs::remove_file(&beside)))
    }
}

/// The file; empty if it is not there or damaged: it is only a memory.
fn read(path: &Path) -> Book {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    if !is_small {
        return Book::default();
    }
    std::fs::read(path).ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default()
}

/// Whether it was learnt less than a month ago; what comes from the future is not believed.
fn is_believed(learnt: &Learnt, now: u64) -> bool {
    now.checked_sub(learnt.when).is_some_and(|age| age < BELIEVED)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// In what `shape` differs from `base`.
fn facts(base: &Shape, shape: &Shape) -> Vec<Fact> {
    let lost = |before: bool, after: bool, fact: Fact| (before && !after).then_some(fact);
    [
        (shape.width < base.width).then_some(Fact::Samples(shape.width)),
        match shape.limit {
            LimitField::MaxCompletionTokens if base.limit != shape.limit => Some(Fact::LimitRenamed),
            LimitField::MaxTokens | LimitField::MaxCompletionTokens => None,
            // Not kept: one prompt that was long for its limit would lift the limit for a month.
            LimitField::Omitted => None,
        },
        match shape.stops {
            Stops::Refused if base.stops != shape.stops => Some(Fact::NoStop),
            Stops::CutReasoning if base.stops != shape.stops => Some(Fact::StopCutsReasoning),
            Stops::Sent | Stops::Refused | Stops::CutReasoning => None,
        },
        lost(base.temperature, shape.temperature, Fact::NoTemperature),
        lost(base.seed, shape.seed, Fact::NoSeed),
        lost(base.system, shape.system, Fact::NoSystem),
        match shape.token_logs {
            TokenLogs::Refused if base.token_logs != shape.token_logs => Some(Fact::NoTokenLogs),
            // Not kept that they are left out: the next version of the server may give them.
            TokenLogs::Asked | TokenLogs::Refused | TokenLogs::LeftOut => None,
        },
        match shape.form {
            Forming::First => None,
            Forming::Second => Some(Fact::SecondForm),
            Forming::None => Some(Fact::NoForm),
        },
        lost(base.stream, shape.stream, Fact::NoStream),
        lost(base.stream_usage, shape.stream_usage, Fact::NoStreamUsage),
        lost(base.marks, shape.marks, Fact::NoMarks),
        (shape.reasons && !base.reasons).then_some(Fact::Reasons),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Fact {
    fn apply(self, shape: &mut Shape) {
        match self {
            Self::Samples(most) => shape.width = shape.width.min(most.max(1)),
            Self::LimitRenamed => shape.limit = LimitField::MaxCompletionTokens,
            Self::NoStop => shape.stops = Stops::Refused,
            Self::StopCutsReasoning => shape.stops = Stops::CutReasoning,
            Self::NoTemperature => shape.temperature = false,
            Self::NoSeed => shape.seed = false,
            Self::NoSystem => shape.system = false,
            Self::NoTokenLogs => shape.token_logs = TokenLogs::Refused,
            Self::SecondForm => shape.form = Forming::Second,
            Self::NoForm => shape.form = Forming::None,
            Self::NoStream => shape.stream = false,
            Self::NoStreamUsage => shape.stream_usage = false,
            Self::NoMarks => shape.marks = false,
            Self::Reasons => shape.reasons = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(folder: &Path, model: &str) -> Memory {
        let address = Url::parse("http://user:pa55@h:8080/v1/chat?apikey=zzz9").unwrap();
        Memory::new(folder.join("tot/learned.json"), "openai", &address, model)
    }

    /// A shape that lacks everything that can be learnt.
    fn learnt() -> Shape {
        Shape {
            width: 4,
            limit: LimitField::MaxCompletionTokens,
            stops: Stops::CutReasoning,
            temperature: false,
            seed: false,
            system: false,
            token_logs: TokenLogs::Refused,
            form: Forming::None,
            stream: false,
            stream_usage: false,
            reasons: true,
            ..Shape::default()
        }
    }

    #[test]
    fn what_was_learnt_is_there_in_the_next_run_and_for_this_model_only() {
        let folder = tempfile::tempdir().unwrap();
        let base = Shape::default();
        memory(folder.path(), "m").keep(&base, &learnt());
        memory(folder.path(), "other").keep(&base, &Shape { seed: false, ..base });
        assert_eq!(memory(folder.path(), "m").recall(base), learnt());
        assert_eq!(memory(folder.path(), "other").recall(base), Shape { seed: false, ..base });
        assert_eq!(memory(folder.path(), "third").recall(base), base);
        let text = std::fs::read_to_string(folder.path().join("tot/learned.json")).unwrap();
        assert!(!text.contains("pa55") && !text.contains("zzz9"), "{text}");
        assert_eq!(std::fs::read_dir(folder.path().join("tot")).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_old_is_forgotten_and_what_is_new_keeps_its_day() {
        let folder = tempfile::tempdir().unwrap();
        let (base, memory) = (Shape::default(), memory(folder.path(), "m"));
        let days_ago = |days: u64| now() - days * 24 * 3600;
        let known = vec![Learnt { fact: Fact::NoSeed, when: days_ago(31) }, Learnt { fact: Fact::NoStop, when: days_ago(20) }];
        std::fs::create_dir_all(memory.path.parent().unwrap()).unwrap();
        std::fs::write(&memory.path, serde_json::to_vec(&Book::from([(memory.key.clone(), known)])).unwrap()).unwrap();
        let shape = memory.recall(base);
        assert_eq!(shape, Shape { stops: Stops::Refused, ..base });
        memory.keep(&base, &Shape { form: Forming::None, ..shape });
        let kept = read(&memory.path).remove(&memory.key).unwrap();
        assert_eq!(kept[0], Learnt { fact: Fact::NoStop, when: days_ago(20) }, "learning more does not make it younger");
        assert_eq!((kept.len(), kept[1].fact), (2, Fact::NoForm));
        let future = vec![Learnt { fact: Fact::NoStop, when: now() + 9_999_999 }];
        std::fs::write(&memory.path, serde_json::to_vec(&Book::from([(memory.key.clone(), future)])).unwrap()).unwrap();
        assert_eq!(memory.recall(base), base);
    }

    #[test]
    fn a_damaged_file_is_no_memory_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (base, memory) = (Shape::default(), memory(folder.path(), "m"));
        std::fs::create_dir_all(memory.path.parent().unwrap()).unwrap();
        for damage in ["", "{\"openai", "[1]", "{\"k\":[{\"fact\":\"no_such\",\"when\":1}]}"] {
            std::fs::write(&memory.path, damage).unwrap();
            assert_eq!(memory.recall(base), base, "{damage}");
            memory.keep(&base, &learnt());
            assert_eq!(memory.recall(base), learnt(), "{damage}");
        }
    }
}
