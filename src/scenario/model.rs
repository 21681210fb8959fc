//! The scripted model: rules with replies, first match wins.

use crate::calls::{About, AskId, CallError, CallErrorKind, LlmReply, PromptKind, Sample};
use crate::llm::{LanguageModel, LlmJob, OnWire, Wire};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use regex::Regex;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The `llm` key of a scenario, or a script file of its own.
#[derive(Clone, Debug, Deserialize)]
pub struct Script {
    /// Rules, first match wins.
    #[serde(default)]
    pub rules: Vec<RuleText>,
    /// Replies by kind where no rule matches.
    #[serde(default)]
    pub fallback: Option<HashMap<String, Vec<String>>>,
}

/// A rule as written.
#[derive(Clone, Debug, Deserialize)]
pub struct RuleText {
    kind: String,
    #[serde(default)]
    when: When,
    replies: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct When {
    path: Option<String>,
    answer: Option<String>,
    term: Option<String>,
    #[serde(default)]
    has_entities: Vec<String>,
    #[serde(default)]
    lacks_entities: Vec<String>,
    #[serde(default)]
    has_options: Vec<String>,
    nth: Option<u64>,
}

/// A rule that can be matched.
#[derive(Clone, Debug)]
pub struct Rule {
    kind: String,
    path: Option<Regex>,
    answer: Option<Regex>,
    term: Option<Regex>,
    when: When,
    replies: Vec<String>,
}

/// The scenarios' word for a kind of prompt.
#[must_use]
pub const fn kind_name(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Extract => "extract",
        PromptKind::Match => "match",
        PromptKind::Action => "action",
        PromptKind::Entities => "entities",
        PromptKind::Relation => "relation",
        PromptKind::FinalAnswer => "final_answer",
        PromptKind::ScoreState => "score_state",
        PromptKind::ScoreAnswer => "score_answer",
        PromptKind::Review => "review",
    }
}

impl Rule {
    fn new(text: &RuleText) -> anyhow::Result<Self> {
        anyhow::ensure!(!text.replies.is_empty(), "a rule for `{}` has no replies", text.kind);
        let whole = |pattern: &Option<String>| -> anyhow::Result<Option<Regex>> {
            pattern.as_ref().map(|p| Regex::new(&format!(r"(?s)\A(?:{p})\z")).map_err(anyhow::Error::from)).transpose()
        };
        Ok(Self {
            kind: text.kind.clone(),
            path: whole(&text.when.path)?,
            answer: whole(&text.when.answer)?,
            term: whole(&text.when.term)?,
            when: text.when.clone(),
            replies: text.replies.clone(),
        })
    }

    /// Whether everything but `nth` holds.
    fn holds(&self, kind: &str, about: &About) -> bool {
        let matches =
            |regex: &Option<Regex>, text: &Option<String>| regex.as_ref().is_none_or(|r| text.as_deref().is_some_and(|t| r.is_match(t)));
        let entity = |id: &String| about.entities.iter().any(|e| **e == **id);
        self.kind == kind
            && matches(&self.path, &about.path)
            && matches(&self.answer, &about.answer)
            && matches(&self.term, &about.term)
            && self.when.has_entities.iter().all(entity)
            && !self.when.lacks_entities.iter().any(entity)
            && self.when.has_options.iter().all(|o| about.options.contains(o))
    }
}

/// What the script remembers: how often each rule's conditions held, and which replies each ask got.
#[derive(Debug, Default)]
struct Memory {
    seen: Vec<u64>,
    asks: HashMap<AskId, Option<Vec<String>>>,
}

/// A model that follows a script. It is no model, and says so.
#[derive(Debug)]
pub struct ScriptedModel {
    rules: Vec<Rule>,
    fallback: HashMap<String, Vec<String>>,
    latency: Duration,
    memory: Mutex<Memory>,
}

impl ScriptedModel {
    /// A model that follows `script`, and takes `latency` for every call.
    ///
    /// # Errors
    /// A regular expression that can't be read, or a rule without replies.
    pub fn new(script: &Script, latency: Duration) -> anyhow::Result<Self> {
        let rules = script.rules.iter().map(Rule::new).collect::<anyhow::Result<Vec<_>>>()?;
        let memory = Memory { seen: vec![0; rules.len()], asks: HashMap::new() };
        Ok(Self { rules, fallback: script.fallback.clone().unwrap_or_default(), latency, memory: Mutex::new(memory) })
    }

    /// The replies of the rule that `ask` hits. The same ask always gets the same replies, however often it is sent.
    fn replies(&self, ask: AskId, kind: PromptKind, about: &About) -> Option<Vec<String>> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = memory.asks.get(&ask) {
            return known.clone();
        }
        let kind = kind_name(kind);
        let mut hit = None;
        for (i, rule) in self.rules.iter().enumerate() {
            if rule.holds(kind, about) {
                let seen = memory.seen[i];
                memory.seen[i] += 1;
                if hit.is_none() && rule.when.nth.is_none_or(|nth| nth == seen) {
                    hit = Some(rule.replies.clone());
                }
            }
        }
        let replies = hit.or_else(|| self.fallback.get(kind).cloned());
        memory.asks.insert(ask, replies.clone());
        replies
    }

    /// The samples for the slots of `job`, at once.
    ///
    /// # Errors
    /// No rule matches: the script does not fit the search.
    pub fn answer(&self, job: &LlmJob) -> Result<Vec<(u32, Sample)>, CallError> {
        let Some(replies) = self.replies(job.ask, job.request.kind, &job.about) else {
            let at = job
                .about
                .path
                .as_ref()
                .map(|p| format!(" at path `{p}`"))
                .or_else(|| job.about.term.as_ref().map(|t| format!(" for mention `{t}`")));
            let message =
                format!("the script has no rule for `{}`{}: add one, or a fallback", kind_name(job.request.kind), at.unwrap_or_default());
            return Err(CallError::new(CallErrorKind::Unreachable, message));
        };
        let reply = |slot: u32| {
            let text = &replies[slot as usize % replies.len()];
            let cut = job.request.stop.iter().filter_map(|s| text.find(s.as_str())).min().unwrap_or(text.len());
            (slot, Sample::stopped(&text[..cut]))
        };
        Ok(job.request.slots.iter().map(|(slot, _)| reply(*slot)).collect())
    }
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        "script"
    }

    fn about(&self) -> String {
        "script: replies are written in a file, no model is asked".to_owned()
    }

    fn is_instant(&self) -> bool {
        self.latency.is_zero()
    }

    fn prime(&self, asked: &[LlmJob]) {
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = Memory { seen: vec![0; self.rules.len()], asks: HashMap::new() };
        for job in asked {
            self.replies(job.ask, job.request.kind, &job.about);
        }
    }

    fn complete(&self, job: LlmJob, wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        let answer = self.answer(&job);
        let latency = self.latency;
        async move {
            if !latency.is_zero() {
                tokio::time::sleep(latency).await;
            }
            let samples = answer?;
            let took_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
            wire(OnWire::Reply(LlmReply { samples, usage: None, took_ms, tries: 1 }));
            Ok(())
        }
        .boxed()
    }
}
