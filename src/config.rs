//! The configuration: defaults < file < environment < flags.
//!
//! The file is `$XDG_CONFIG_HOME/tot/config.yaml` (else `~/.config/tot/config.yaml`). Keys never stand in it: they come
//! from the environment (`OPENAI_API_KEY`, or the variable that a model's `key_env` names) or from key files.

use crate::asm::Profile;
use crate::kg::KgProfile;
use crate::llm::{ModelProfile, Requests};
use crate::price::Prices;
use crate::search::{Budget, Budgets};
use indexmap::IndexMap;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the file may say. A key that is not known is an error, so that a slip of the pen is seen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// KGs, in the form of `--kg` or as names of `kgs`.
    pub kg: Vec<String>,
    /// Names for KGs: `museum: sparql:https://example.org/sparql`, or a mapping with a `spec` and more.
    #[serde(deserialize_with = "kg_profiles")]
    pub kgs: BTreeMap<String, KgProfile>,
    /// The model, in the form of `--llm` or as a name of `models`.
    pub llm: Option<String>,
    /// The model server's URL.
    pub llm_url: Option<String>,
    /// Names for models: `fast: openai:gpt-4o-mini`, or a mapping with a `spec`, a `url`, a `key_env` or `key_file`, and what
    /// `requests` has.
    #[serde(deserialize_with = "model_profiles")]
    pub models: BTreeMap<String, ModelProfile>,
    /// How models are asked, where their entry in `models` says nothing else: `{timeout: 300, reasoning_floor: 8192, concurrency: 2,
    /// log_probabilities: true}`.
    pub requests: Requests,
    /// Keep replies of models on disk, as `--cache` does.
    pub cache_replies: bool,
    /// The theme's name.
    pub theme: Option<String>,
    /// Keys of commands, by the command's name: `pause: ["space", "p"]`.
    pub keys: IndexMap<String, Vec<String>>,
    /// The prompts: `default`, `small` or `base`.
    pub profile: Option<Profile>,
    /// A folder with prompt files that replace single built-in ones.
    pub prompts: Option<PathBuf>,
    /// Languages of labels, the wanted one first.
    pub lang: Vec<String>,
    /// How much a search may spend: `{calls: 100, tokens: 200000, cost: 0.50, time: 5m}`.
    #[serde(deserialize_with = "budgets")]
    pub budgets: Budgets,
    /// What a million tokens of a model cost, by its name or a pattern: `openai:gpt-4o*: {input: 2.5, cached: 1.25, output: 10}`.
    pub prices: Prices,
    /// Who runs this (a mail address or page): public servers ask for it.
    pub contact: Option<String>,
}

impl Config {
    /// Every model is asked for log-probabilities, whatever the file says.
    pub fn want_log_probabilities(&mut self) {
        self.requests.log_probabilities = Some(true);
        self.models.values_mut().for_each(|model| model.log_probabilities = None);
    }

    /// Where the file is looked for.
    #[must_use]
    pub fn path() -> Option<PathBuf> {
        let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        let folder = folder.or_else(|| std::env::home_dir().map(|h| h.join(".config")))?;
        Some(folder.join("tot/config.yaml"))
    }

    /// The file's settings with those of the environment (`TOT_LLM`, `TOT_LLM_URL`, `TOT_KG`, `TOT_THEME`, `TOT_CONTACT`) over them.
    ///
    /// # Errors
    /// A file that can't be read, with line and column.
    pub fn load() -> anyhow::Result<Self> {
        let mut config = match Self::path() {
            Some(path) if path.exists() => Self::read(&path)?,
            _ => Self::default(),
        };
        let env = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        config.llm = env("TOT_LLM").or(config.llm);
        config.llm_url = env("TOT_LLM_URL").or(config.llm_url);
        config.theme = env("TOT_THEME").or(config.theme);
        config.contact = env("TOT_CONTACT").or(config.contact);
        if let Some(kg) = env("TOT_KG") {
            config.kg = vec![kg];
        }
        Ok(config)
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut config: Self = serde_yaml::from_str(&text).map_err(|e| anyhow::anyhow!("{}: {e}: mend or remove it", path.display()))?;
        let (home, folder) = (std::env::home_dir(), path.parent().unwrap_or(Path::new("")));
        let files = config.models.values_mut().filter_map(|model| model.key_file.as_mut());
        for file in files.chain(&mut config.prompts) {
            *file = match (file.strip_prefix("~"), &home) {
                (Ok(rest), Some(home)) => home.join(rest),
                _ => folder.join(&*file),
            };
        }
        Ok(config)
    }

    /// A KG as `--kg` names it: a name of `kgs` with its profile, or a spec of its own. A profile under the name of a
    /// kind (`wikidata`) holds for that kind, whether or not it repeats the spec.
    #[must_use]
    pub fn kg(&self, spec: &str) -> (Option<String>, KgProfile) {
        let spec = spec.trim();
        match self.kgs.get(spec) {
            Some(profile) => {
                let mut profile = profile.clone();
                if profile.spec.is_empty() {
                    spec.clone_into(&mut profile.spec);
                }
                (Some(spec.to_owned()), profile)
            }
            None => (None, KgProfile { spec: spec.to_owned(), ..KgProfile::default() }),
        }
    }
}

impl Config {
    /// A model as `--llm` names it: a name of `models` with its profile, or a spec of its own.
    #[must_use]
    pub fn model(&self, spec: &str) -> (Option<String>, ModelProfile) {
        let spec = spec.trim();
        match self.models.get(spec) {
            Some(profile) => (Some(spec.to_owned()), profile.clone()),
            None => (None, ModelProfile::of(spec)),
        }
    }
}

/// Budgets as they are written, each read where it stands, so that a slip of the pen is told with its line.
fn budgets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Budgets, D::Error> {
    struct Written;
    impl<'de> Visitor<'de> for Written {
        type Value = Budgets;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("budgets by name: calls, tokens, cost, time")
        }

        fn visit_unit<E>(self) -> Result<Budgets, E> {
            Ok(Budgets::NONE)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Budgets, A::Error> {
            let mut budgets = Budgets::NONE;
            while let Some(name) = map.next_key::<String>()? {
                let budget = Budget::ALL.into_iter().find(|budget| budget.name() == name);
                let budget = budget.ok_or_else(|| A::Error::unknown_field(&name, &["calls", "tokens", "cost", "time"]))?;
                budgets.set(budget, map.next_value_seed(Limit(budget))?);
            }
            Ok(budgets)
        }
    }
    deserializer.deserialize_any(Written)
}

/// The limit of a budget: a number, a text like `5m`, or `none`.
struct Limit(Budget);

impl<'de> DeserializeSeed<'de> for Limit {
    type Value = Option<u64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u64>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Limit {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number, a time like 5m, or none")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Option<u64>, E> {
        self.0.read(text).map_err(E::custom)
    }

    fn visit_unit<E>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Option<u64>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Option<u64>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Option<u64>, E> {
        self.visit_str(&number.to_string())
    }
}

/// A spec alone, or a mapping.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Spec(String),
    Whole(serde_yaml::Value),
}

fn kg_profiles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, KgProfile>, D::Error> {
    profiles(deserializer, "kgs", |spec| KgProfile { spec, ..KgProfile::default() })
}

fn model_profiles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, ModelProfile>, D::Error> {
    let all = profiles(deserializer, "models", |spec| ModelProfile::of(&spec))?;
    match all.iter().find(|(_, profile)| profile.spec.is_empty()) {
        Some((name, _)) => Err(D::Error::custom(format!("models, {name}: it needs a `spec`, such as openai:gpt-4o-mini"))),
        None => Ok(all),
    }
}

/// Specs alone or mappings, by name; `key` is where in the file they stand.
fn profiles<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
    key: &str,
    of_spec: fn(String) -> T,
) -> Result<BTreeMap<String, T>, D::Error> {
    let given: BTreeMap<String, Given> = Deserialize::deserialize(deserializer)?;
    let profile = |(name, given): (String, Given)| {
        let profile = match given {
            Given::Spec(spec) => of_spec(spec),
            // Read in a second step, so that a slip of the pen is named and not only "no variant fits".
            Given::Whole(value) => serde_yaml::from_value(value).map_err(|e| D::Error::custom(format!("{key}, {name}: {e}")))?,
        };
        Ok((name, profile))
    };
    given.into_iter().map(profile).collect()
}
