//! From flags and configuration to what a search needs: model, KGs, settings, a journal.

use super::UsageError;
use super::from::From;
use super::models::{Named, OpenModel, absent, is_hearsay, model_cache, model_of, open_model, opener, price_of};
use super::options::{KgFlags, SearchOptions};
use super::prompts::templates;
use crate::asm::{Profile, Templates};
use crate::cache::CacheSettings;
use crate::config::Config;
use crate::graph::{Entity, KgName};
use crate::kg::sparql::Languages;
use crate::kg::{KgSettings, KgSpec, KnowledgeGraph, Opened};
use crate::llm::chat::keys;
use crate::price::{self, Price};
use crate::redact::{self, Secret, Secrets};
use crate::runner::bank::Bank;
use crate::runner::{Changes, Equipment, FOLLOWABLE, Opener, Pace};
use crate::scenario::Scenario;
use crate::search::steer::Rule;
use crate::search::strategy::{self, Strategy};
use crate::search::{Budget, Condition, Preset, Setting, Settings, Started, State, Structured};
pub use crate::session::session_path;
use crate::session::{Header, Journal, PackError, Recording, is_packed, new_session_name, sessions_folder, unpack};
use crate::text::one_line;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A KG: its name, its spec (secrets removed), itself.
pub type NamedKg = (KgName, String, Arc<dyn KnowledgeGraph>);

/// Everything that is the same for every question of one run of the program.
#[derive(Clone)]
pub struct Workshop {
    /// The model.
    pub model: OpenModel,
    /// The KGs: name, spec (secrets removed), KG.
    pub kgs: Vec<NamedKg>,
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
    /// What the model's tokens cost; `None`: that is not known.
    pub price: Option<Price>,
    /// Breakpoints of the command line.
    pub breaks: Vec<Condition>,
    /// Rules that the person wants from the beginning.
    pub rules: Vec<Rule>,
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
    /// The recording that answers equal requests (`--from`).
    pub from: Option<From>,
    /// Opens further models.
    pub others: Opener,
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

/// Opens the KGs that specs name.
///
/// # Errors
/// A spec that is not known, a file that can't be read.
pub async fn open_kgs(specs: &[String], config: &Config, settings: &KgSettings, secrets: &mut Vec<Secret>) -> anyhow::Result<Vec<NamedKg>> {
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

pub(super) fn whole(path: &Path) -> PathBuf {
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
    settings.cache = crate::kg::cache::usual().map(|cache| CacheSettings { fresh: flags.fresh, ..cache });
    settings
}

impl Workshop {
    /// Opens what the flags and the configuration name.
    ///
    /// # Errors
    /// One readable sentence each.
    pub async fn open(options: &SearchOptions, config: &Config, status: Option<crate::kg::Status>) -> anyhow::Result<Self> {
        Self::open_leniently(options, config, status, false).await
    }

    /// As [`Workshop::open`]; if `lenient`, a model that is configured and can't be asked is opened as one that says so.
    ///
    /// # Errors
    /// One readable sentence each.
    pub async fn open_leniently(
        options: &SearchOptions,
        config: &Config,
        status: Option<crate::kg::Status>,
        lenient: bool,
    ) -> anyhow::Result<Self> {
        let mut secrets = of_environment(config);
        let from = From::of(options)?;
        // What the recording was made with is opened only to be asked.
        let world = match &from {
            Some(from) if from.live => SearchOptions { strategy: None, ..options_of(from.recording(), options)? },
            _ => options.clone(),
        };
        let answered = from.as_ref().filter(|from| !from.live);
        let scenario = world.scenario.as_deref().map(Scenario::load).transpose()?.map(Arc::new);
        let preset: Preset = options.preset.map_or(Preset::Paper, Into::into);
        let recorded = from.as_ref().map(From::started);
        let mut settings = match (recorded.filter(|_| options.preset.is_none()), &scenario) {
            (Some(started), _) => started.settings.clone(),
            (None, Some(scenario)) if recorded.is_none() => scenario.settings(preset),
            (None, _) => match recorded.map(|started| started.settings.clone()) {
                // What decides about the text of requests stays the recording's: else it would answer nothing.
                Some(Settings { structured, qualifiers, all_ranks, aggregate, budgets, .. }) => {
                    Settings { structured, qualifiers, all_ranks, aggregate, budgets, ..Settings::preset(preset) }
                }
                None => Settings::preset(preset),
            },
        };
        if recorded.is_none() {
            settings.budgets = config.budgets;
        }
        apply_limits(options, &mut settings);
        let strategy = options.strategy.clone().or_else(|| recorded.map(|started| started.strategy.clone()));
        let strategy = strategy.unwrap_or_else(|| "tree-of-traversals".to_owned());
        strategy_of(&strategy)?.adjust(&mut settings);
        let model = match (&scenario, &world.llm, answered) {
            (_, llm, Some(from)) => from.model(llm.as_deref(), options.llm_url.as_deref(), config)?,
            (Some(scenario), None, None) => Self::scripted(scenario, &world)?,
            _ => {
                let named = model_of(&world, config);
                match open_model(&named, model_cache(options, config).as_ref(), &mut secrets) {
                    Err(error) if lenient => absent(&named, error)?,
                    opened => opened?,
                }
            }
        };
        if recorded.is_none() && options.structured.is_none() && model.model.is_service() {
            settings.structured = Structured::Auto;
        }
        let kgs = match (&scenario, answered) {
            (_, Some(from)) => from.kgs(&options.kg, config)?,
            (Some(scenario), None) if world.kg.is_empty() => {
                let kg = scenario.graph();
                vec![(kg.name().into(), scenario_spec(&world), kg as Arc<dyn KnowledgeGraph>)]
            }
            _ => {
                let specs = if !world.kg.is_empty() {
                    world.kg.clone()
                } else if !config.kg.is_empty() {
                    config.kg.clone()
                } else {
                    vec!["demo".to_owned()]
                };
                open_kgs(&specs, config, &kg_settings(config, &options.kgs, status), &mut secrets).await?
            }
        };
        // A question that is asked again from a recording has the recording's prompts, if none are given.
        let own = recorded.filter(|_| options.prompts.is_none() && options.profile.is_none());
        let templates = own.map_or_else(|| templates(options, config, &model.spec), |started| Ok(started.templates.clone()))?;
        if answered.is_none() {
            fit_structured(&settings, templates.profile(), &model)?;
        }
        let mut warnings: Vec<String> = kgs.iter().flat_map(|(_, _, kg)| kg.remarks()).collect();
        warnings.extend(model.model.notes());
        if answered.is_none() && is_hearsay(&world, config) {
            let url = one_line(world.llm_url.as_deref().unwrap_or_default());
            warnings.push(format!("no key is sent to {url}, which only the session names: if it wants one, name it with --llm-url"));
        }
        let first: KgName = kgs.first().map_or_else(|| "".into(), |(name, _, _)| name.clone());
        let given = |id: &String| Entity { id: id.trim().into(), kg: first.clone(), label: None, description: None, also: Vec::new() };
        let mut entities: Vec<Entity> = options.entity.iter().filter(|id| !id.trim().is_empty()).map(given).collect();
        if let Some(started) = recorded.filter(|_| options.entity.is_empty()) {
            entities.clone_from(&started.entities);
        }
        let seed = options.seed.or_else(|| recorded.map(|started| started.seed)).unwrap_or(0);
        let price = price_of(&model.spec, model.url.as_deref(), config);
        Ok(Self {
            entities,
            price,
            model,
            kgs,
            templates,
            warnings,
            settings,
            strategy,
            scenario,
            breaks: options.breaks.clone(),
            rules: options.rules.clone(),
            seed,
            pause: options.pace.map(Duration::from_secs_f64),
            secrets,
            world_is_gone: answered.is_some(),
            from,
            others: opener(options, config),
        })
    }

    /// The model that a session asks, without its graphs.
    ///
    /// # Errors
    /// As [`open_model`]; a scenario that can't be read.
    pub fn model_alone(options: &SearchOptions, config: &Config, secrets: &mut Vec<Secret>) -> anyhow::Result<OpenModel> {
        match (&options.scenario, &options.llm) {
            (Some(path), None) => Self::scripted(&Scenario::load(path)?, options),
            _ => open_model(&model_of(options, config), model_cache(options, config).as_ref(), secrets),
        }
    }

    /// The model of a scenario.
    fn scripted(scenario: &Scenario, options: &SearchOptions) -> anyhow::Result<OpenModel> {
        let (spec, service_name) = (scenario_spec(options), "script".to_owned());
        Ok(OpenModel { model: scenario.model()?, spec, service_name, url: None, missing: None })
    }

    /// Puts another model in the place of the open one.
    ///
    /// # Errors
    /// As [`open_model`]; then nothing has changed.
    pub fn take_model(&mut self, named: &Named, options: &SearchOptions, config: &Config) -> anyhow::Result<()> {
        self.model = open_model(named, model_cache(options, config).as_ref(), &mut self.secrets)?;
        self.price = price_of(&self.model.spec, self.model.url.as_deref(), config);
        if options.structured.is_none() {
            self.settings.structured = if self.model.model.is_service() { Structured::Auto } else { Structured::Off };
        }
        Ok(())
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
            price: self.price.clone(),
            kgs: self.kgs.iter().map(|(name, spec, _)| (name.clone(), spec.clone())).collect(),
            strategy: self.strategy.clone(),
            templates: self.templates.clone(),
            seed: self.seed,
            entities: self.entities.clone(),
        }
    }

    /// The replies of the recording that answers equal requests, if one does.
    #[must_use]
    pub fn bank(&self, options: &SearchOptions) -> Option<Bank> {
        let url = options.llm_url.as_deref().filter(|_| !options.url_is_recorded);
        Some(self.from.as_ref()?.bank(self.model.model.name(), url))
    }

    /// Refuses a budget that can't be kept.
    ///
    /// # Errors
    /// A budget of money for a model whose price is not known.
    pub fn check_budgets(&self) -> anyhow::Result<()> {
        if self.settings.budgets.of(Budget::Cost).is_some() && self.price.is_none() {
            bail!(UsageError::of(price::needed(&self.model.spec)));
        }
        Ok(())
    }

    /// What the flags change in a session that is opened again, and what became known of it.
    ///
    /// # Errors
    /// A budget of money for a model whose price is not known.
    pub fn changes(&self, state: &State, given: &SearchOptions) -> anyhow::Result<Changes> {
        let started = state.started();
        let price = self.price.clone().filter(|_| started.model_spec == self.model.spec && state.price().is_none());
        let now = state.settings();
        let mut settings = given.changes();
        settings.retain(|setting| {
            let mut then = now.clone();
            setting.apply(&mut then);
            then != now
        });
        let model = self.model.record(self.price.clone());
        let asked_now = state.model(state.model_now());
        let other = given.llm.is_some() && (asked_now.spec, asked_now.url) != (model.spec.as_str(), model.url.as_deref());
        let money = settings.iter().any(|s| matches!(s, Setting::Budget(Budget::Cost, Some(_))));
        if money && price.is_none() && state.common_price().is_none() {
            let unknown = state.models_asked().into_iter().find(|model| state.price_of(*model).is_none());
            bail!(UsageError::of(price::needed(state.model(unknown.flatten()).spec)));
        }
        let mut then = now;
        settings.iter().for_each(|setting| setting.apply(&mut then));
        if other && then.budgets.of(Budget::Cost).is_some() {
            model.check_price(state).map_err(|refused| UsageError::of(refused.0))?;
        }
        Ok(Changes { settings, price, model: other.then_some(model) })
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
            others: self.others.clone(),
            kgs: self.kgs.iter().map(|(name, _, kg)| (name.clone(), kg.clone())).collect(),
            pace,
            pause,
            secrets: Secrets::new(self.secrets.iter().cloned()),
            breaks: self.breaks.clone(),
            rules: self.rules.clone(),
            watched,
            can_fork: !self.world_is_gone,
            folder: sessions_folder(),
        })
    }
}

/// Keys and passwords that stand in variables which a service or the configuration names. Also one that this session does not use
/// could come into it: a person pastes it, a graph has it.
fn of_environment(config: &Config) -> Vec<Secret> {
    let of_models = config.models.values().filter_map(|model| model.key_env.as_deref());
    let of_kgs = config.kgs.values().filter_map(|kg| kg.password_env.as_deref());
    let names = keys::variables().chain(of_models).chain(of_kgs);
    names.filter_map(|name| std::env::var(name).ok()).filter_map(|value| Secret::new(&value)).collect()
}

/// Refuses `--structured on` where no reply can be kept to a form.
fn fit_structured(settings: &Settings, profile: Profile, model: &OpenModel) -> Result<(), UsageError> {
    let why = match () {
        () if settings.structured != Structured::On => return Ok(()),
        () if !model.model.is_service() => format!("{} is no service that could", one_line(&model.spec)),
        () if profile == Profile::Base => {
            "the prompts of --profile base are texts to be continued, which no service does to a form".to_owned()
        }
        () => return Ok(()),
    };
    Err(UsageError::of(format!("--structured on wants every reply kept to a form, and {why}: use --structured auto, or others")))
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
    for (budget, limit) in options.budgets() {
        settings.budgets.set(budget, limit);
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
    options.profile = options.profile.or(Some(started.templates.profile()));
    if given.scenario.is_some() {
        return Ok(options);
    }
    let scripted = |spec: &str| spec.strip_prefix(SCENARIO).map(PathBuf::from);
    let model = recording.state.model(recording.state.model_now());
    let specs = || started.kgs.iter().map(|(_, spec)| spec);
    options.scenario = scripted(model.spec).or_else(|| specs().find_map(|spec| scripted(spec)));
    if options.llm.is_none() && scripted(model.spec).is_none() {
        options.llm = Some(model.spec.to_owned());
        if options.llm_url.is_none() {
            options.llm_url = model.url.map(str::to_owned);
            options.url_is_recorded = options.llm_url.is_some();
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

/// The file of a session that is to be gone on with, and what to tell of it. A packed one is unpacked into the sessions
/// folder, under its own name: what somebody handed over is never written.
///
/// # Errors
/// It can't be unpacked, or a session of its name is there.
pub fn path_to_go_on(session: &str) -> anyhow::Result<(PathBuf, Option<String>)> {
    let path = session_path(session);
    if !is_packed(&path) {
        return Ok((path, None));
    }
    let folder = sessions_folder().context("there is no home folder to unpack the session into: set HOME, or XDG_STATE_HOME")?;
    match unpack(&path, &folder) {
        Ok(to) => {
            let note = format!("unpacked to {}", to.display());
            Ok((to, Some(note)))
        }
        Err(PackError::Exists(to)) => {
            let name = one_line(&to.file_stem().unwrap_or_default().to_string_lossy());
            bail!(
                "{} was unpacked before (or another session has its name): go on with {name}, the one in the sessions folder",
                path.display()
            )
        }
        Err(e) => Err(e.into()),
    }
}
