//! The configuration: defaults < file < environment < flags.
//!
//! The file is `$XDG_CONFIG_HOME/tot/config.yaml` (else `~/.config/tot/config.yaml`). Keys never stand in it: they come
//! from the environment (`OPENAI_API_KEY`).

use crate::asm::Profile;
use crate::kg::KgProfile;
use indexmap::IndexMap;
use serde::de::Error as _;
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
    #[serde(deserialize_with = "profiles")]
    pub kgs: BTreeMap<String, KgProfile>,
    /// The model, in the form of `--llm`.
    pub llm: Option<String>,
    /// The model server's URL.
    pub llm_url: Option<String>,
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
    /// Who runs this (a mail address or page): public servers ask for it.
    pub contact: Option<String>,
}

impl Config {
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
        serde_yaml::from_str(&text).map_err(|e| anyhow::anyhow!("{}: {e}: mend or remove it", path.display()))
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

/// A spec alone, or a mapping.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Spec(String),
    Whole(serde_yaml::Value),
}

fn profiles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, KgProfile>, D::Error> {
    let given: BTreeMap<String, Given> = Deserialize::deserialize(deserializer)?;
    let profile = |(name, given): (String, Given)| {
        let profile = match given {
            Given::Spec(spec) => KgProfile { spec, ..KgProfile::default() },
            // Read in a second step, so that a slip of the pen is named and not only "no variant fits".
            Given::Whole(value) => serde_yaml::from_value(value).map_err(|e| D::Error::custom(format!("kgs, {name}: {e}")))?,
        };
        Ok((name, profile))
    };
    given.into_iter().map(profile).collect()
}
