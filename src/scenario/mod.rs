//! Scenario files (`tot-scenario/1`): a question, settings, a small scripted KG, a scripted model, and what must come out.
//! Used by tests, by `--scenario FILE`, and for teaching. A scripted model is a script: the screen says so.

mod check;
mod kg;
mod model;
mod prompts;

pub use check::{Expectation, compare};
pub use kg::ScriptedKg;
pub use model::{Rule, Script, ScriptedModel};

use crate::micro::Micro;
use crate::search::{Preset, Settings};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The format that this program reads.
const FORMAT: &str = "tot-scenario/1";

/// A scenario file. Unknown keys are ignored.
#[derive(Clone, Debug, Deserialize)]
pub struct Scenario {
    /// `tot-scenario/1`.
    pub format: String,
    /// Its name.
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub about: String,
    /// The question.
    pub query: String,
    /// Limits; they win over a preset's numbers.
    #[serde(default)]
    pub settings: Limits,
    /// The graph.
    pub kg: kg::Graph,
    /// The model.
    pub llm: model::Script,
    /// How long a call takes.
    #[serde(default)]
    pub latency_ms: Latency,
    /// What prompts must hold and must not.
    #[serde(default)]
    pub prompt_checks: Vec<PromptCheck>,
    /// Everything else: the expectation blocks are among it.
    #[serde(flatten)]
    pub rest: HashMap<String, serde_json::Value>,
}

/// Limits of a scenario.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Limits {
    /// k.
    pub sample_breadth: Option<u32>,
    /// Depth limit.
    pub max_depth: Option<u32>,
    /// Budget of expansions.
    pub max_expansions: Option<u32>,
    /// Threshold, 0.0 to 1.0.
    pub answer_threshold: Option<f64>,
}

/// Milliseconds that calls take.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Latency {
    /// A call to the model.
    #[serde(default)]
    pub llm: u64,
    /// A call to the KG.
    #[serde(default)]
    pub kg: u64,
}

/// What a prompt must hold.
#[derive(Clone, Debug, Deserialize)]
pub struct PromptCheck {
    /// Kind of the prompt, in the scenarios' words.
    pub kind: String,
    /// Exactly this path.
    #[serde(default)]
    pub path: String,
    /// Regular expressions that must match somewhere.
    #[serde(default)]
    pub has: Vec<String>,
    /// Regular expressions that must match nowhere.
    #[serde(default)]
    pub lacks: Vec<String>,
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// A sentence naming file and place.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
        let scenario: Self = serde_json::from_str(&text).map_err(|e| anyhow::anyhow!("{} is no scenario file: {e}", path.display()))?;
        if scenario.format != FORMAT {
            anyhow::bail!("{}: format `{}` is not known; this program reads `{FORMAT}`", path.display(), scenario.format);
        }
        Ok(scenario)
    }

    /// The settings under a preset: the scenario's numbers win.
    #[must_use]
    pub fn settings(&self, preset: Preset) -> Settings {
        let mut settings = Settings::preset(preset);
        let limits = self.settings;
        settings.branching = limits.sample_breadth.unwrap_or(settings.branching);
        settings.max_depth = limits.max_depth.unwrap_or(settings.max_depth);
        settings.max_expansions = limits.max_expansions.unwrap_or(settings.max_expansions);
        settings.threshold = limits.answer_threshold.and_then(Micro::from_f64).unwrap_or(settings.threshold);
        settings
    }

    /// Its graph as a KG.
    #[must_use]
    pub fn graph(&self) -> Arc<ScriptedKg> {
        Arc::new(ScriptedKg::new(self.kg.clone(), Duration::from_millis(self.latency_ms.kg)))
    }

    /// Its model.
    ///
    /// # Errors
    /// A regular expression that can't be read.
    pub fn model(&self) -> anyhow::Result<Arc<ScriptedModel>> {
        Ok(Arc::new(ScriptedModel::new(&self.llm, Duration::from_millis(self.latency_ms.llm))?))
    }

    /// The blocks that count: every key that begins with `expect_ours`.
    ///
    /// # Errors
    /// A block that can't be read.
    pub fn expectations(&self) -> anyhow::Result<Vec<Expectation>> {
        let mut names: Vec<&String> = self.rest.keys().filter(|k| k.starts_with("expect_ours")).collect();
        names.sort();
        names.into_iter().map(|name| Expectation::read(name, &self.rest[name])).collect()
    }
}
