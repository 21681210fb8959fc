//! The configuration: defaults < file < environment < flags.
//!
//! The file is `$XDG_CONFIG_HOME/tot/config.yaml` (else `~/.config/tot/config.yaml`). Keys never stand in it: they come
//! from the environment (`OPENAI_API_KEY`).

use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the file may say. A key that is not known is an error, so that a slip of the pen is seen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// KGs, in the form of `--kg` or as names of `kgs`.
    pub kg: Vec<String>,
    /// Names for KGs: `museum: sparql:https://example.org/sparql`.
    pub kgs: BTreeMap<String, String>,
    /// The model, in the form of `--llm`.
    pub llm: Option<String>,
    /// The model server's URL.
    pub llm_url: Option<String>,
    /// The theme's name.
    pub theme: Option<String>,
    /// Keys of commands, by the command's name: `pause: ["space", "p"]`.
    pub keys: IndexMap<String, Vec<String>>,
    /// A folder with prompts.
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

    /// A KG as `--kg` wants it: a name of `kgs` is replaced by what it stands for.
    #[must_use]
    pub fn resolve_kg<'a>(&'a self, spec: &'a str) -> &'a str {
        self.kgs.get(spec).map_or(spec, String::as_str)
    }
}
