//! From flags and configuration to what a search needs: model, KGs, settings, a journal.

use super::UsageError;
use super::options::{KgFlags, SearchOptions};
use crate::asm::Templates;
use crate::config::Config;
use crate::graph::{Entity, KgName};
use crate::kg::cache::CacheSettings;
use crate::kg::sparql::Languages;
use crate::kg::{KgSettings, KgSpec, KnowledgeGraph, Opened};
use crate::llm::{Chat, ChatConfig, Human, LanguageModel, Lexical, ModelSpec, Provider};
use crate::redact::{self, Secret, Secrets};
use crate::runner::{Equipment, FOLLOWABLE, Pace};
use crate::scenario::{Scenario, Script, ScriptedModel};
use crate::search::strategy::{self, Strategy};
use crate::search::{Preset, Settings, Started, Structured};
use crate::session::{Header, Journal, Recording, new_session_name, sessions_folder};
use crate::text::one_line;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// A model with what it takes to open it again.
#[derive(Clone)]
pub struct OpenModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// As `--llm` names it.
    pub spec: String,
    /// As its service names it.
    pub service_name: String,
    /// Its server, if one was named (secrets removed).
    pub url: Option<String>,
}

/// Everything that is the same for every question of one run of the program.
#[derive(Clone)]
pub struct Workshop {
    /// The model.
    pub model: OpenModel,
    /// The KGs: name, spec (secrets removed), KG.
    pub kgs: Vec<(KgName, String, Arc<dyn KnowledgeGraph>)>,
    /// Prompts.
    pub templates: Templates,
    /// Warnings to show.
    pub warnings: Vec<String>,
    /// Limits and rules.
    pub settings: Settings,
    /// The method's name.
    pub strategy: String,
    /// The scenario, if there is one.
    pub scenario: Option<Arc<Scenario>>,
    /// The seed.
    pub seed: u64,
    /// The pause between decisions; `None`: none for real models, a followable one for instant ones.
    pub pause: Option<Duration>,
    /// Texts that must never be recorded.
    pub secrets: Vec<Secret>,
    /// Entities that the person gave: linking is skipped.
    pub entities: Vec<Entity>,
    /// Whether model or graph of a recording can't be opened any more: it can be looked at, not forked.
    pub world_is_gone: bool,
}

/// How a session names the scenario that it was made with.
const SCENARIO: &str = "scenario:";

fn scenario_spec(options: &SearchOptions) -> String {
    let path = options.scenario.as_deref().unwrap_or(Path::new(""));
    format!("{SCENARIO}{}", whole(path).display())
}

/// The strategy of this name.
///
/// # Errors
/// A name that is not known.
pub fn strategy_of(name: &str) -> anyhow::Result<Box<dyn Strategy>> {
    strategy::by_name(name).with_context(|| format!("strategy `{name}` is not known: choose one of {}", strategy::NAMES.join(", ")))
}

/// Opens the model that a spec names.
///
/// # Errors
/// A spec that is not known, a missing key, a script that can't be read.
pub fn open_model(spec: &str, url: Option<&str>, secrets: &mut Vec<Secret>) -> anyhow::Result<OpenModel> {
    let mut parsed = ModelSpec::from_str(spec).map_err(UsageError::of)?;
    if let ModelSpec::Script(path) = &mut parsed {
        *path = whole(path);
    }
    let (model, service_name): (Arc<dyn LanguageModel>, String) = match &parsed {
        ModelSpec::Lexical => (Arc::new(Lexical), "lexical".to_owned()),
        ModelSpec::Human => (Arc::new(Human), "human".to_owned()),
        ModelSpec::Script(path) => (Arc::new(script(path)?), "script".to_owned()),
        ModelSpec::Chat(provider, name) => {
            let environment = |variable: &str| std::env::var(variable).ok();
            let mut config = ChatConfig::new(*provider, name.clone());
            config.base_url = provider.base_url(url, environment);
            config.api_key = environment(provider.key_variable(config.base_url.as_deref())).as_deref().and_then(Secret::new);
            config.learned = ChatConfig::usual_memory();
            secrets.extend(config.api_key.clone());
            secrets.extend(config.base_url.as_deref().map(redact::of_url).unwrap_or_default());
            let chat = Chat::new(config).map_err(|e| anyhow::anyhow!("{e}"))?;
            if name.is_empty() {
                return Err(without_name(*provider, &chat));
            }
            (Arc::new(chat), name.clone())
        }
    };
    let url = url.filter(|_| matches!(parsed, ModelSpec::Chat(..))).map(redact::url);
    Ok(OpenModel { model, spec: parsed.to_string(), service_name, url })
}

/// The error for a provider without a model's name: what its server has to choose from.
fn without_name(provider: Provider, chat: &Chat) -> anyhow::Error {
    let (word, asked) = (provider.word(), chat.models());
    // On a thread of its own: this is called from inside of the program's runtime, which must not wait for itself.
    let waiting = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string()).and_then(|runtime| runtime.block_on(asked).map_err(|error| error.to_string()))
    });
    let said = match waiting.join().unwrap_or_else(|_| Err("its models can't be listed".to_owned())) {
        Ok(models) if models.is_empty() => {
            format!("`{word}` needs a model, and its server has none yet: fetch one with `ollama pull MODEL`")
        }
        Ok(models) => {
            let names: Vec<String> = models.iter().take(20).map(|name| format!("{word}:{}", one_line(name))).collect();
            let more = if models.len() > names.len() { ", ..." } else { "" };
            format!("`{word}` needs a model's name: {}{more}", names.join(", "))
        }
        Err(error) => format!("`{word}` needs a model's name, {word}:MODEL; its server could not be asked for what it has: {error}"),
    };
    UsageError::of(said).into()
}

/// A script file: an object with `rules` (and `fallback`), or a scenario, whose `llm` is taken.
fn script(path: &Path) -> anyhow::Result<ScriptedModel> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    let value: serde_json::Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    let rules = value.get("llm").cloned().unwrap_or(value);
    let script: Script =
        serde_json::from_value(rules).with_context(|| format!("{} is no script: an object with `rules` is expected", path.display()))?;
    ScriptedModel::new(&script, Duration::ZERO)
}

/// Opens the KGs that specs name.
///
/// # Errors
/// A spec that is not known, a file that can't be read.
pub async fn open_kgs(
    specs: &[String],
    config: &Config,
    settings: &KgSettings,
    secrets: &mut Vec<Secret>,
) -> anyhow::Result<Vec<(KgName, String, Arc<dyn KnowledgeGraph>)>> {
    let mut wanted = Vec::new();
    for spec in specs {
        let (name, profile) = config.kg(spec);
        for url in std::iter::once(&profile.spec).chain(&profile.url).chain(&profile.api_url) {
            secrets.extend(redact::of_url(url));
        }
        secrets.extend(profile.password_env.as_ref().and_then(|name| std::env::var(name).ok()).as_deref().and_then(Secret::new));
        let parsed: KgSpec = profile.spec.parse().map_err(UsageError::of)?;
        wanted.push((name, profile, parsed));
    }
    let names: Vec<Option<String>> = wanted.iter().map(|(name, _, _)| name.clone()).collect();
    let opened = crate::kg::open_all(wanted, settings).await?;
    Ok(opened.into_iter().map(|o| (o.name.clone(), recorded_spec(&o, &names), o.kg)).collect())
}

/// How a session names a KG, so that it can be opened again from any folder: by its name in the configuration, a file by
/// its whole path, an endpoint without its secrets.
fn recorded_spec(opened: &Opened, configured: &[Option<String>]) -> String {
    if configured.iter().flatten().any(|name| **name == *opened.name) {
        return opened.name.to_string();
    }
    match &opened.spec {
        KgSpec::Files(paths) => KgSpec::Files(paths.iter().map(|path| whole(path)).collect()).to_string(),
        other => other.to_string(),
    }
}

fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What flags and configuration say about KGs.
#[must_use]
pub fn kg_settings(config: &Config, flags: &KgFlags, status: Option<crate::kg::Status>) -> KgSettings {
    let mut settings = KgSettings { status, strict: flags.strict, ..KgSettings::default() };
    let wanted: Vec<&str> = match &flags.lang {
        Some(lang) => lang.split(',').collect(),
        None => config.lang.iter().map(String::as_str).collect(),
    };
    if !wanted.is_empty() {
        settings.languages = Languages::new(wanted);
    }
    if config.contact.is_some() {
        settings.http.client.contact.clone_from(&config.contact);
    }
    settings.cache = CacheSettings::usual().map(|cache| CacheSettings { fresh: flags.fresh, ..cache });
    settings
}

impl Workshop {
    /// Opens what the flags and the configuration name.
    ///
    /// # Errors
    /// One readable sentence each.
    pub async fn open(options: &SearchOptions, config: &Config, status: Option<crate::kg::Status>) -> anyhow::Result<Self> {
        let mut secrets = Vec::new();
        let scenario = options.scenario.as_deref().map(Scenario::load).transpose()?.map(Arc::new);
        let preset: Preset = options.preset.map_or(Preset::Paper, Into::into);
        let mut settings = scenario.as_ref().map_or_else(|| Settings::preset(preset), |s| s.settings(preset));
        apply_limits(options, &mut settings);
        let strategy = options.strategy.clone().unwrap_or_else(|| "tree-of-traversals".to_owned());
        strategy_of(&strategy)?.adjust(&mut settings);
        let wanted = options.llm.clone().or_else(|| config.llm.clone());
        let model = match (&scenario, &options.llm) {
            (Some(scenario), None) => {
                OpenModel { model: scenario.model()?, spec: scenario_spec(options), service_name: "script".to_owned(), url: None }
            }
            _ => {
                open_model(wanted.as_deref().unwrap_or("lexical"), options.llm_url.as_deref().or(config.llm_url.as_deref()), &mut secrets)?
            }
        };
        if options.structured.is_none() && model.model.is_service() {
            settings.structured = Structured::Auto;
        }
        let kgs = match &scenario {
            Some(scenario) if options.kg.is_empty() => {
                let kg = scenario.graph();
                vec![(kg.name().into(), scenario_spec(options), kg as Arc<dyn KnowledgeGraph>)]
            }
            _ => {
                let specs = if !options.kg.is_empty() {
                    options.kg.clone()
                } else if !config.kg.is_empty() {
                    config.kg.clone()
                } else {
                    vec!["demo".to_owned()]
                };
                open_kgs(&specs, config, &kg_settings(config, &options.kgs, status), &mut secrets).await?
            }
        };
        let (templates, mut warnings) = match options.prompts.as_deref().or(config.prompts.as_deref()) {
            Some(folder) if !folder.is_dir() => bail!("--prompts {}: there is no such folder", folder.display()),
            Some(folder) => Templates::load(folder),
            None => (Templates::built_in(), Vec::new()),
        };
        warnings.extend(kgs.iter().flat_map(|(_, _, kg)| kg.remarks()));
        let first: KgName = kgs.first().map_or_else(|| "".into(), |(name, _, _)| name.clone());
        let given = |id: &String| Entity { id: id.trim().into(), kg: first.clone(), label: None, description: None, also: Vec::new() };
        let entities = options.entity.iter().filter(|id| !id.trim().is_empty()).map(given).collect();
        Ok(Self {
            entities,
            model,
            kgs,
            templates,
            warnings,
            settings,
            strategy,
            scenario,
            seed: options.seed.unwrap_or(0),
            pause: options.pace.map(Duration::from_secs_f64),
            secrets,
            world_is_gone: false,
        })
    }

    /// What a session about `question` starts from.
    #[must_use]
    pub fn started(&self, question: &str) -> Started {
        Started {
            question: question.to_owned(),
            settings: self.settings.clone(),
            model: self.model.model.name().to_owned(),
            service_model: self.model.service_name.clone(),
            model_spec: self.model.spec.clone(),
            llm_url: self.model.url.clone(),
            kgs: self.kgs.iter().map(|(name, spec, _)| (name.clone(), spec.clone())).collect(),
            strategy: self.strategy.clone(),
            templates: self.templates.clone(),
            seed: self.seed,
            entities: self.entities.clone(),
        }
    }

    /// What a runner works with.
    ///
    /// # Errors
    /// A strategy that is not known.
    pub fn equipment(&self, strategy: &str, pace: Pace, watched: bool) -> anyhow::Result<Equipment> {
        let pause = match self.pause {
            Some(pause) => pause,
            None if watched && self.model.model.is_instant() => FOLLOWABLE,
            None => Duration::ZERO,
        };
        Ok(Equipment {
            strategy: strategy_of(strategy)?,
            model: self.model.model.clone(),
            kgs: self.kgs.iter().map(|(name, _, kg)| (name.clone(), kg.clone())).collect(),
            pace,
            pause,
            secrets: Secrets::new(self.secrets.iter().cloned()),
            can_fork: !self.world_is_gone,
            folder: sessions_folder(),
        })
    }
}

fn apply_limits(options: &SearchOptions, settings: &mut Settings) {
    if let Some(k) = options.branching {
        settings.branching = k;
    }
    if let Some(depth) = options.max_depth {
        settings.max_depth = depth;
    }
    if let Some(n) = options.max_expansions {
        settings.max_expansions = n;
    }
    if let Some(threshold) = options.threshold {
        settings.threshold = threshold;
    }
    if let Some(structured) = options.structured {
        settings.structured = structured.into();
    }
    settings.qualifiers |= options.qualifiers;
    settings.all_ranks |= options.all_ranks;
    settings.aggregate |= options.actions.as_ref().is_some_and(|list| list.contains("aggregate"));
    if let Some(rule) = options.on_exhausted {
        settings.on_exhausted = rule.into();
    }
}

/// The flags that open what a recorded session was made with; flags given now win.
///
/// # Errors
/// A session without a beginning, or one that was recorded without a password or key that it needs.
pub fn options_of(recording: &Recording, given: &SearchOptions) -> anyhow::Result<SearchOptions> {
    let Some(started) = recording.state.started.as_deref() else { bail!("the session is empty: there is nothing to go on with") };
    let mut options = given.clone();
    options.strategy = Some(started.strategy.clone());
    if given.scenario.is_some() {
        return Ok(options);
    }
    let scripted = |spec: &str| spec.strip_prefix(SCENARIO).map(PathBuf::from);
    let specs = || started.kgs.iter().map(|(_, spec)| spec);
    options.scenario = scripted(&started.model_spec).or_else(|| specs().find_map(|spec| scripted(spec)));
    if options.llm.is_none() && scripted(&started.model_spec).is_none() {
        options.llm = Some(started.model_spec.clone());
        if options.llm_url.is_none() {
            options.llm_url.clone_from(&started.llm_url);
        }
    }
    if options.kg.is_empty() {
        options.kg = specs().filter(|spec| scripted(spec).is_none()).cloned().collect();
    }
    if let Some(spec) = options.kg.iter().find(|spec| redact::is_masked(spec)) {
        bail!("the session was recorded without the password or key of {}: give the graph again, with --kg", one_line(spec));
    }
    if let Some(url) = options.llm_url.as_ref().filter(|url| redact::is_masked(url)) {
        bail!("the session was recorded without the password or key of {}: give the server again, with --llm-url", one_line(url));
    }
    Ok(options)
}

/// A new journal: at `path`, or in the sessions folder. A disk that refuses is a warning when nobody asked for a file.
///
/// # Errors
/// `path` exists or can't be written.
pub fn new_journal(path: Option<&Path>) -> anyhow::Result<(String, Option<Journal>, Option<String>)> {
    let name = path.and_then(Path::file_stem).map_or_else(new_session_name, |stem| stem.to_string_lossy().into_owned());
    let header = Header::new(&name, None);
    let none: &[Arc<crate::search::Entry>] = &[];
    if let Some(path) = path {
        let journal = Journal::create(path, &header, none).with_context(|| {
            format!("the session can't be recorded at {} (it has to be a new file: none is overwritten)", path.display())
        })?;
        return Ok((name, Some(journal), None));
    }
    let made = sessions_folder()
        .context("there is no home folder")
        .and_then(|folder| Ok(Journal::create(&folder.join(format!("{name}.jsonl")), &header, none)?));
    match made {
        Ok(journal) => Ok((name, Some(journal), None)),
        Err(e) => Ok((name, None, Some(format!("the session is not recorded ({e:#}): give a file with --session PATH")))),
    }
}

/// The file of a session: a path, or a name in the sessions folder.
#[must_use]
pub fn session_path(session: &str) -> PathBuf {
    let path = PathBuf::from(session);
    if path.exists() || session.contains('/') {
        return path;
    }
    let named = sessions_folder().map(|f| f.join(format!("{session}.jsonl"))).filter(|p| p.exists());
    named.unwrap_or(path)
}
