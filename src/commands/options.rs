//! Flags that several commands share.

use super::UsageError;
use crate::asm::Profile;
use crate::config::Config;
use crate::micro::Micro;
use crate::search::steer::Rule;
use crate::search::{Budget, Condition, OnExhausted, Preset, Setting, Structured};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// What a search is made of.
#[derive(Args, Clone, Debug, Default)]
pub struct SearchOptions {
    /// A knowledge graph: demo | wikidata | musicbrainz | sparql:URL | file:PATH | exec:COMMAND | a name from the config (repeatable)
    #[arg(long, value_name = "SPEC", global = false)]
    pub kg: Vec<String>,
    /// How knowledge graphs are opened
    #[command(flatten)]
    pub kgs: KgFlags,
    /// Start from this entity instead of linking the question (repeatable)
    #[arg(long, value_name = "ID")]
    pub entity: Vec<String>,
    /// Show the model what statements say besides: from, until, position, ...
    #[arg(long)]
    pub qualifiers: bool,
    /// Take statements of every rank, not only those of the best one
    #[arg(long)]
    pub all_ranks: bool,
    /// More actions for the model: +aggregate
    #[arg(long, value_name = "LIST", value_parser = actions)]
    pub actions: Option<String>,
    /// The model: lexical | human | script:PATH | openai:MODEL | anthropic:MODEL | ollama:MODEL | bedrock:MODEL (with AWS
    /// credentials instead of a key: in a build with the feature bedrock-sigv4) | a name from the config
    #[arg(long, value_name = "SPEC")]
    pub llm: Option<String>,
    /// The address of the model's server: any OpenAI-compatible one, or another than the provider's own
    #[arg(long, value_name = "URL")]
    pub llm_url: Option<String>,
    /// Whether `llm_url` comes from a recording, and nobody here named it.
    #[arg(skip)]
    pub url_is_recorded: bool,
    /// A file (mode 0600) that holds the model's key and nothing else
    #[arg(long, value_name = "PATH")]
    pub key_file: Option<PathBuf>,
    /// Keep the model's replies on disk, and take them from there (--fresh asks again)
    #[arg(long)]
    pub cache: bool,
    /// Constrain choices to what is on offer: where the model's server can, always (else an error), or never
    #[arg(long, value_enum, value_name = "WHEN")]
    pub structured: Option<StructuredName>,
    /// Ask the model's server how likely the model held each token of its replies, where it can say (the inspector shows it)
    #[arg(long)]
    pub log_probabilities: bool,
    /// The method: tree-of-traversals | chain-of-traversals
    #[arg(long, value_name = "NAME", value_parser = method)]
    pub strategy: Option<String>,
    /// Named rules
    #[arg(long, value_enum)]
    pub preset: Option<PresetName>,
    /// k: children of an expansion, at most (1 to 64)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub branching: Option<u32>,
    /// Depth from which only an answer is possible
    #[arg(long, value_name = "D")]
    pub max_depth: Option<u32>,
    /// Expansions, at most
    #[arg(long, value_name = "N")]
    pub max_expansions: Option<u32>,
    /// Calls to the model, at most (none: no limit); a call asks one prompt, however many samples and requests that takes
    #[arg(long, value_name = "N", value_parser = calls)]
    pub max_calls: Option<Limit>,
    /// Tokens of prompts and replies, at most
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub max_tokens: Option<Limit>,
    /// Money, at most, by the `prices` of the configuration: 0.50
    #[arg(long, value_name = "AMOUNT", value_parser = cost)]
    pub max_cost: Option<Limit>,
    /// Running time, at most, in seconds or as 90s, 5m, 1h; pauses don't count
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub max_time: Option<Limit>,
    /// An answer with at least this value (0 to 1) ends the search
    #[arg(long, value_name = "T", value_parser = score)]
    pub threshold: Option<Micro>,
    /// When the search ends without an accepted answer
    #[arg(long, value_enum)]
    pub on_exhausted: Option<ExhaustedName>,
    /// Run a scenario file: its question, graph and scripted model
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Pause between decisions in seconds, for watching
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub pace: Option<f64>,
    /// Seed of every draw
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Answer equal requests from this session, and stop at the first that it does not answer; question and settings are
    /// its own where no flag says otherwise
    #[arg(long, value_name = "SESSION")]
    pub from: Option<String>,
    /// With --from: ask model and graphs what the session does not answer
    #[arg(long, requires = "from")]
    pub live: bool,
    /// Stand still when this comes about: "value<0.3", "relation P161", "expansion 5", ... (repeatable; B in the explorer lists all)
    #[arg(long = "break", value_name = "CONDITION", value_parser = Condition::from_str)]
    pub breaks: Vec<Condition>,
    /// Force or forbid a relation or entity: "forbid relation P31", "force entity Q42" (repeatable; ! in the explorer lists all)
    #[arg(long = "rule", value_name = "RULE", value_parser = Rule::from_str)]
    pub rules: Vec<Rule>,
    /// Where the session is recorded (a new file)
    #[arg(long, value_name = "PATH")]
    pub session: Option<PathBuf>,
    /// The prompts: default | small (small instruct models) | base (base models, which continue a text)
    #[arg(long, value_name = "NAME", value_parser = Profile::from_str)]
    pub profile: Option<Profile>,
    /// A folder with prompt files that replace single built-in ones
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
}

/// How knowledge graphs are opened.
#[derive(Args, Clone, Debug, Default)]
pub struct KgFlags {
    /// Languages of labels, the wanted one first: zh,en
    #[arg(long, value_name = "LIST")]
    pub lang: Option<String>,
    /// Ask knowledge graphs (and the model) again instead of taking replies kept on disk
    #[arg(long)]
    pub fresh: bool,
    /// Refuse a graph file with bad lines instead of skipping them
    #[arg(long)]
    pub strict: bool,
}

/// Refuses the file of a session in the place of a question. `open` is the command that opens one.
///
/// # Errors
/// One sentence that names it.
pub fn no_session(question: &str, open: &str) -> Result<(), UsageError> {
    let is_session = question.ends_with(".jsonl") && std::path::Path::new(question).is_file();
    if !is_session {
        return Ok(());
    }
    let file = crate::text::one_line(question);
    Err(UsageError::of(format!("{file} is a file and no question: open the session with `{open} {file}`")))
}

/// The value of a `--max-...` flag of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

impl SearchOptions {
    /// The configuration, with what is given here of how models are asked.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn configured(&self) -> anyhow::Result<Config> {
        let mut config = Config::load()?;
        if self.log_probabilities {
            config.want_log_probabilities();
        }
        Ok(config)
    }

    /// Whether a session that goes on can take these flags.
    ///
    /// # Errors
    /// `--from`: its replies are those of another session.
    pub fn fit_resuming(&self) -> Result<(), UsageError> {
        match self.from {
            Some(_) => Err(UsageError::of("--from begins a new session: leave out the session that is to go on, or --from")),
            None => Ok(()),
        }
    }

    /// Refuses flags about a model's server for a model without one. A question from a recording has the recording's model.
    ///
    /// # Errors
    /// One sentence that says what to do.
    pub fn fit_model(&self, config: &Config) -> Result<(), UsageError> {
        if self.from.is_some() {
            return Ok(());
        }
        let url = self.llm_url.is_some() && !self.url_is_recorded;
        super::models::fit_server(self.llm.as_deref(), url, self.key_file.is_some(), config)
    }

    /// The budgets given here, each with its limit.
    pub fn budgets(&self) -> impl Iterator<Item = (Budget, Option<u64>)> {
        let given = [self.max_calls, self.max_tokens, self.max_cost, self.max_time];
        Budget::ALL.into_iter().zip(given).filter_map(|(budget, limit)| Some((budget, limit?.0)))
    }

    /// What is given here of what can be changed in a session that is opened again.
    #[must_use]
    pub fn changes(&self) -> Vec<Setting> {
        let mut changes: Vec<Setting> = self.budgets().map(|(budget, limit)| Setting::Budget(budget, limit)).collect();
        changes.extend(self.max_expansions.map(Setting::MaxExpansions));
        changes.extend(self.max_depth.map(Setting::MaxDepth));
        changes.extend(self.structured.map(|when| Setting::Structured(when.into())));
        changes
    }

    /// The flags given here that count at the beginning of a session only.
    #[must_use]
    pub fn fixed_at_start(&self) -> Vec<&'static str> {
        [
            ("--strategy", self.strategy.is_some()),
            ("--preset", self.preset.is_some()),
            ("--branching", self.branching.is_some()),
            ("--threshold", self.threshold.is_some()),
            ("--on-exhausted", self.on_exhausted.is_some()),
            ("--seed", self.seed.is_some()),
            ("--entity", !self.entity.is_empty()),
            ("--qualifiers", self.qualifiers),
            ("--all-ranks", self.all_ranks),
            ("--actions", self.actions.is_some()),
            ("--session", self.session.is_some()),
            ("--profile", self.profile.is_some()),
            ("--prompts", self.prompts.is_some()),
        ]
        .into_iter()
        .filter_map(|(flag, given)| given.then_some(flag))
        .collect()
    }
}

/// `--preset`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PresetName {
    /// As the paper has it
    Paper,
    /// As its authors' program has it
    Reference,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Paper => Self::Paper,
            PresetName::Reference => Self::Reference,
        }
    }
}

/// `--structured`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StructuredName {
    /// Where the server can
    Auto,
    /// Always: a server that can't is an error
    On,
    /// Never: replies are read as text
    Off,
}

impl From<StructuredName> for Structured {
    fn from(name: StructuredName) -> Self {
        match name {
            StructuredName::Auto => Self::Auto,
            StructuredName::On => Self::On,
            StructuredName::Off => Self::Off,
        }
    }
}

/// `--on-exhausted`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExhaustedName {
    /// No answer when the budget ran out
    None,
    /// The best answer there is
    Best,
    /// The best answer; if there is none, one is asked for
    Force,
}

impl From<ExhaustedName> for OnExhausted {
    fn from(name: ExhaustedName) -> Self {
        match name {
            ExhaustedName::None => Self::None,
            ExhaustedName::Best => Self::Best,
            ExhaustedName::Force => Self::Force,
        }
    }
}

fn limit(budget: Budget, text: &str) -> Result<Limit, String> {
    budget.read(text).map(Limit)
}

fn calls(text: &str) -> Result<Limit, String> {
    limit(Budget::Calls, text)
}

fn tokens(text: &str) -> Result<Limit, String> {
    limit(Budget::Tokens, text)
}

fn cost(text: &str) -> Result<Limit, String> {
    limit(Budget::Cost, text)
}

fn time(text: &str) -> Result<Limit, String> {
    limit(Budget::Time, text)
}

fn score(text: &str) -> Result<Micro, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    Micro::from_f64(value).ok_or_else(|| format!("{value} does not lie between 0 and 1"))
}

fn actions(text: &str) -> Result<String, String> {
    let unknown = text.split(',').find(|action| !matches!(action.trim().trim_start_matches('+'), "aggregate" | ""));
    unknown.map_or_else(|| Ok(text.to_owned()), |action| Err(format!("`{action}` is no further action; there is: +aggregate")))
}

fn method(text: &str) -> Result<String, String> {
    super::setup::strategy_of(text).map(|_| text.to_owned()).map_err(|e| e.to_string())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.0..=60.0).contains(&s) => Ok(s),
        _ => Err(format!("`{text}` is no number of seconds between 0 and 60")),
    }
}
