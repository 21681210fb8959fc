//! The model that flags and configuration name: which it is, how it is opened, what it costs.

use super::UsageError;
use super::options::SearchOptions;
use super::setup::whole;
use crate::cache::CacheSettings;
use crate::calls::{CallError, CallErrorKind};
use crate::config::Config;
use crate::llm::found;
use crate::llm::{Absent, Chat, ChatConfig, Human, LanguageModel, Lexical, ModelProfile, ModelSpec, Provider, Requests};
use crate::price::Price;
use crate::redact::{self, Secret, Secrets};
use crate::runner::{Opened, Opener};
use crate::scenario::{Script, ScriptedModel};
use crate::search::OtherModel;
use crate::text::one_line;
use anyhow::Context;
use std::path::Path;
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
    /// Why it can't be asked, if it can't: its key is missing, say.
    pub missing: Option<String>,
}

impl OpenModel {
    /// What a session records of it, where it is asked in the place of the session's own.
    #[must_use]
    pub fn record(&self, price: Option<Price>) -> OtherModel {
        OtherModel {
            name: self.model.name().to_owned(),
            service_model: self.service_name.clone(),
            price,
            ..OtherModel::named(self.spec.clone(), self.url.clone())
        }
    }
}

/// The model that flags and configuration name: `llm`, `url` and `key_file` are those of the command line. Whether it was
/// named at all is for the caller to know; without a name it is `lexical`.
#[must_use]
pub fn model_named(llm: Option<&str>, url: Option<&str>, key_file: Option<&Path>, config: &Config) -> Named {
    let (name, mut profile) = config.model(llm.or(config.llm.as_deref()).unwrap_or("lexical"));
    if let Some(url) = url {
        let host = |url: &str| reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        if profile.url.as_deref().is_some_and(|own| host(own) != host(url)) {
            // The key of the named model is for the server of the named model.
            (profile.key_env, profile.key_file) = (None, None);
        }
        profile.url = Some(url.to_owned());
    } else if name.is_none() && word(&profile.spec) == config.llm.as_deref().map_or("openai", word) {
        // The server in the configuration is that of the model in the configuration, and of its provider.
        profile.url.clone_from(&config.llm_url);
    }
    if let Some(path) = key_file {
        profile.key_file = Some(path.to_owned());
    }
    Named { name, profile, usual: config.requests, probe: false }
}

/// Refuses `--llm-url` (`url`) and `--key-file` (`key`) where the model that `llm` or the configuration names has no server:
/// another model than the one that was meant would answer.
///
/// # Errors
/// One sentence that says what to do.
pub(super) fn fit_server(llm: Option<&str>, url: bool, key: bool, config: &Config) -> Result<(), UsageError> {
    let (flag, is) = match (url, key) {
        (true, _) => ("--llm-url", "where a model is"),
        (false, true) => ("--key-file", "which key a model takes"),
        (false, false) => return Ok(()),
    };
    let Some(named) = llm.or(config.llm.as_deref()) else {
        return Err(UsageError::of(format!("{flag} says {is}, and no model is named: name it with --llm, as openai:MODEL")));
    };
    match ModelSpec::from_str(&config.model(named).1.spec) {
        Ok(ModelSpec::Lexical | ModelSpec::Human | ModelSpec::Script(_)) => {
            let named = one_line(named);
            Err(UsageError::of(format!("{flag} says {is}, and {named} has no server: leave it out, or name another model with --llm")))
        }
        // What is no spec is told of where it is opened.
        Ok(ModelSpec::Chat(..)) | Err(_) => Ok(()),
    }
}

/// The kind of model that a spec names.
fn word(spec: &str) -> &str {
    spec.split(':').next().unwrap_or_default().trim()
}

/// A model that was named, with what it takes to reach it.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name in the configuration, if it has one.
    pub name: Option<String>,
    /// What it is.
    pub profile: ModelProfile,
    /// How models are asked whose profile does not say it.
    pub usual: Requests,
    /// See [`ChatConfig::probe`].
    pub probe: bool,
}

/// Opens a model; with `cache`, its replies are kept on disk.
///
/// # Errors
/// A spec that is not known, a missing key (a [`crate::calls::CallError`] inside), a script that can't be read.
pub fn open_model(named: &Named, cache: Option<&CacheSettings>, secrets: &mut Vec<Secret>) -> anyhow::Result<OpenModel> {
    let profile = &named.profile;
    let mut parsed = ModelSpec::from_str(&profile.spec).map_err(UsageError::of)?;
    if let ModelSpec::Script(path) = &mut parsed {
        *path = whole(path);
    }
    let url = profile.url.as_deref();
    let (mut own, mut identity) = (Vec::new(), parsed.to_string());
    let (model, service_name): (Arc<dyn LanguageModel>, String) = match &parsed {
        ModelSpec::Lexical => (Arc::new(Lexical), "lexical".to_owned()),
        ModelSpec::Human => (Arc::new(Human), "human".to_owned()),
        ModelSpec::Script(path) => (Arc::new(script(path)?), "script".to_owned()),
        ModelSpec::Chat(provider, name) => {
            let mut config = ChatConfig::new(*provider, name.clone());
            profile.requests(&named.usual).apply(&mut config);
            config.base_url = provider.base_url(url, |variable| std::env::var(variable).ok());
            let url = config.base_url.as_deref();
            config.api_key = profile.key(provider.key_variable(url))?;
            config.learned = ChatConfig::usual_memory();
            config.probe = named.probe;
            own.extend(config.api_key.clone());
            own.extend(url.map(redact::of_url).unwrap_or_default());
            // Everything that may tell one account from another; it is hashed before it is stored.
            identity = own.iter().fold(format!("{parsed} {url:?}"), |identity, secret| format!("{identity} {}", secret.expose()));
            if config.log_probabilities {
                // A reply without them is another one.
                identity.push_str(" log_probabilities");
            }
            let chat = Chat::new(config)?;
            if name.is_empty() {
                return Err(without_name(*provider, &chat));
            }
            (Arc::new(chat), name.clone())
        }
    };
    let model = match cache {
        Some(settings) => crate::llm::cache::cached(model, &identity, Secrets::new(own.iter().cloned()), settings),
        None => model,
    };
    secrets.extend(own);
    let spec = named.name.clone().unwrap_or_else(|| parsed.to_string());
    // A name brings its server with it.
    let url = url.filter(|_| named.name.is_none() && matches!(parsed, ModelSpec::Chat(..))).map(redact::url);
    Ok(OpenModel { model, spec, service_name, url, missing: None })
}

/// In the place of a model that can't be asked: one that says why.
///
/// # Errors
/// What is no matter of the model's service: a spec that is not known.
pub(super) fn absent(named: &Named, error: anyhow::Error) -> anyhow::Result<OpenModel> {
    let why = error.downcast::<CallError>()?;
    let spec = named.name.clone().unwrap_or_else(|| named.profile.spec.clone());
    let (about, missing) = (format!("{spec}, which can't be asked yet"), Some(why.message.clone()));
    Ok(OpenModel { model: Arc::new(Absent::new(spec.clone(), about, why)), service_name: spec.clone(), spec, url: None, missing })
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

/// What a model costs: by its name in the configuration, else by what that name stands for. `url`: its server, where it has no
/// name.
pub(super) fn price_of(spec: &str, url: Option<&str>, config: &Config) -> Option<Price> {
    let profile = config.model(spec).1;
    let provider = match profile.spec.parse() {
        Ok(ModelSpec::Chat(provider, _)) => Some(provider),
        _ => None,
    };
    let url = provider.and_then(|provider| provider.base_url(url.or(profile.url.as_deref()), |name| std::env::var(name).ok()));
    let own = !url.is_some_and(|url| crate::llm::chat::keys::is_known(&url));
    config.prices.of(spec, own).or_else(|| config.prices.of(&profile.spec, own))
}

/// The model that the options name, or the configuration.
#[must_use]
pub fn model_of(options: &SearchOptions, config: &Config) -> Named {
    let mut named = model_named(options.llm.as_deref(), options.llm_url.as_deref(), options.key_file.as_deref(), config);
    named.profile.keyless |= is_hearsay(options, config);
    named
}

/// Whether the model's server is one that only a recording names: no key goes there. It may be somebody else's recording, or
/// a server that only happened to be there.
pub(super) fn is_hearsay(options: &SearchOptions, config: &Config) -> bool {
    let recorded = options.llm_url.as_deref().filter(|_| options.url_is_recorded && options.key_file.is_none());
    recorded.is_some_and(|url| !names_server(url, config))
}

/// How a session opens further models: with the flags and the configuration of this run.
#[must_use]
pub fn opener(options: &SearchOptions, config: &Config) -> Opener {
    let (options, config) = (options.clone(), config.clone());
    Arc::new(move |named| {
        let model = other_named(named, &options, &config);
        if let Some(url) = model.profile.url.as_deref().filter(|url| redact::is_masked(url)) {
            let why = "was recorded without its password or key: give the server again, with --llm-url";
            return Err(CallError::new(CallErrorKind::Key, format!("{} {why}", one_line(url))));
        }
        let mut secrets = Vec::new();
        let said = |error: anyhow::Error| match error.downcast::<CallError>() {
            Ok(error) => error,
            Err(error) => CallError::new(CallErrorKind::Refused, one_line(&format!("{error:#}"))),
        };
        let opened = open_model(&model, model_cache(&options, &config).as_ref(), &mut secrets).map_err(said)?;
        Ok(Opened { record: opened.record(price_of(&opened.spec, opened.url.as_deref(), &config)), model: opened.model, secrets })
    })
}

/// What it takes to reach a model that is named in a session. A key goes only where this run, its configuration or its environment
/// knows a server.
fn other_named(named: &OtherModel, options: &SearchOptions, config: &Config) -> Named {
    let Some(url) = named.url.as_deref() else { return model_named(Some(&named.spec), None, None, config) };
    let keys = found::keys(|name| std::env::var(name).ok());
    if let Some(found) = keys.into_iter().find(|found| found.profile.url.as_deref().map(redact::url).as_deref() == Some(url)) {
        let profile = ModelProfile { spec: named.spec.clone(), ..found.profile };
        return Named { name: None, profile, usual: config.requests, probe: false };
    }
    let flag = options.llm_url.as_deref().filter(|given| !options.url_is_recorded && redact::url(given) == url);
    let mut model =
        model_named(Some(&named.spec), Some(flag.unwrap_or(url)), options.key_file.as_deref().filter(|_| flag.is_some()), config);
    model.profile.keyless = flag.is_none() && !names_server(url, config);
    model
}

/// Whether a server is known without a recording: by the configuration, or as that of a service.
fn names_server(url: &str, config: &Config) -> bool {
    let named_here = config.models.values().filter_map(|model| model.url.as_deref()).chain(config.llm_url.as_deref());
    crate::llm::chat::keys::is_known(url) || named_here.map(redact::url).any(|named| named == url)
}

/// Where the model's replies are kept, if they are.
#[must_use]
pub fn model_cache(options: &SearchOptions, config: &Config) -> Option<CacheSettings> {
    let usual = crate::llm::cache::usual().filter(|_| options.cache || config.cache_replies);
    usual.map(|cache| CacheSettings { fresh: options.kgs.fresh, ..cache })
}
