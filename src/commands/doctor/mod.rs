//! `tot doctor`: whether everything that is configured works, and what to do about what does not.
//!
//! A model that is configured is asked one question of a few tokens, unless `--no-ask`; one that was only found is not asked
//! anything. `models` does that; `surroundings` looks at terminal, files and folders.

mod models;
mod surroundings;

use super::Status;
use super::kg::wanted;
use super::options::KgFlags;
use super::setup::{kg_settings, open_kgs};
use crate::config::Config;
use crate::kg::{KgSettings, KgSpec, KnowledgeGraph};
use crate::text::{one_line, printable_json};
use models::Detail;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a graph or a model may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a graph's files may take to load.
const LOADING: Duration = Duration::from_secs(120);

/// `tot doctor`
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// Check this knowledge graph instead of those of the configuration (repeatable)
    #[arg(long, value_name = "SPEC")]
    kg: Vec<String>,
    /// Check this model instead of the one of the configuration
    #[arg(long, value_name = "SPEC")]
    llm: Option<String>,
    /// The address of the model's server: any OpenAI-compatible one, or another than the provider's own
    #[arg(long, value_name = "URL")]
    llm_url: Option<String>,
    /// A file (mode 0600) that holds the model's key and nothing else
    #[arg(long, value_name = "PATH")]
    key_file: Option<PathBuf>,
    /// Ask models nothing (else each one that is configured is asked one question of a few tokens)
    #[arg(long, visible_alias = "offline")]
    no_ask: bool,
    #[command(flatten)]
    flags: KgFlags,
    /// One JSON object instead of a list
    #[arg(long)]
    json: bool,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Health {
    /// As it should be.
    Works,
    /// It works, but there is something to know.
    Remark,
    /// It was configured or is needed, and does not work.
    Fails,
}

/// What was found out about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// The thing: `model`, `kg museum`.
    pub(super) what: String,
    /// How it is.
    pub(super) state: Health,
    /// What it says; if it fails, with what to do.
    pub(super) says: String,
    /// What else is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) details: Vec<Detail>,
}

impl Finding {
    fn new(what: impl Into<String>, state: Health, says: impl Into<String>) -> Self {
        Self { what: what.into(), state, says: says.into(), details: Vec::new() }
    }

    fn of(what: impl Into<String>, result: Result<String, String>) -> Self {
        let what = what.into();
        match result {
            Ok(says) => Self::new(what, Health::Works, says),
            Err(says) => Self::new(what, Health::Fails, says),
        }
    }
}

/// Whether a graph that is open can be used now.
pub(super) async fn check_kg(kg: Arc<dyn KnowledgeGraph>) -> Finding {
    let result = match timeout(PATIENCE, kg.check()).await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => {
            Err(format!("{} does not answer: no word within {} s; check that it runs, and the way to it", kg.about(), PATIENCE.as_secs()))
        }
    };
    Finding::of(format!("kg {}", kg.name()), result)
}

/// Runs `tot doctor`.
///
/// # Errors
/// The output can't be written; a server is named without its model.
pub async fn run(args: DoctorArgs) -> anyhow::Result<Status> {
    let mut findings = vec![surroundings::program()];
    let config = match Config::load() {
        Ok(config) => config,
        Err(error) => {
            findings.push(Finding::new("configuration", Health::Fails, format!("{error:#}; what follows is without it")));
            Config::default()
        }
    };
    super::models::fit_server(args.llm.as_deref(), args.llm_url.is_some(), args.key_file.is_some(), &config)?;
    if findings.len() == 1 {
        findings.push(surroundings::configuration(&config));
    }
    findings.extend([surroundings::terminal(), surroundings::sessions(), surroundings::cache()]);
    findings.extend(surroundings::looks(&config));
    let specs = all_graphs(&args.kg, &config);
    let graphs = specs.iter().map(|spec| graph(spec, &config, &args.flags));
    let (models, graphs) = tokio::join!(models::all(&args, &config), futures_util::future::join_all(graphs));
    findings.extend(models);
    findings.extend(graphs.into_iter().flatten());
    let works = findings.iter().all(|finding| finding.state != Health::Fails);
    let mut out = std::io::stdout().lock();
    if args.json {
        let object = serde_json::json!({ "works": works, "checks": findings });
        writeln!(out, "{}", printable_json(&object.to_string()))?;
    } else {
        for Finding { what, state, says, details } in &findings {
            let sign = match state {
                Health::Works => "ok    ",
                Health::Remark => "note  ",
                Health::Fails => "FAILS ",
            };
            writeln!(out, "{sign}{}: {}", one_line(what), one_line(says))?;
            for Detail { name, how, value } in details {
                writeln!(out, "        {:<17} {} ({how})", one_line(name), one_line(value))?;
            }
        }
        let failed = findings.iter().filter(|finding| finding.state == Health::Fails).count();
        let verdict = match failed {
            0 => "everything that is configured works".to_owned(),
            1 => "1 thing does not work".to_owned(),
            n => format!("{n} things do not work"),
        };
        writeln!(out, "\n{verdict}")?;
    }
    Ok(if works { Status::Ok } else { Status::Error })
}

/// The graphs that are used without `--kg`, then every other one that the configuration names.
fn all_graphs(given: &[String], config: &Config) -> Vec<String> {
    let mut specs = wanted(given, config);
    if given.is_empty() {
        let named = config.kgs.keys().filter(|name| !config.kg.contains(name));
        specs.extend(named.cloned());
    }
    specs
}

/// Opens and checks what one spec stands for. What is kept on disk is no sign that a graph works.
async fn graph(spec: &str, config: &Config, flags: &KgFlags) -> Vec<Finding> {
    let shown = format!("kg {}", crate::redact::url(spec));
    let (_, profile) = config.kg(spec);
    let settings = KgSettings { cache: None, ..kg_settings(config, flags, None) };
    let opened = match timeout(LOADING, open_kgs(&[spec.to_owned()], config, &settings, &mut Vec::new())).await {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => return vec![Finding::new(shown, Health::Fails, format!("{error:#}"))],
        Err(_) => {
            return vec![Finding::new(shown, Health::Fails, format!("it is not loaded within {} s: check the file", LOADING.as_secs()))];
        }
    };
    let mut findings = futures_util::future::join_all(opened.into_iter().map(|(_, _, kg)| check_kg(kg))).await;
    let public = matches!(profile.spec.parse(), Ok(KgSpec::Wikidata | KgSpec::MusicBrainz)) && profile.url.is_none();
    if public && settings.http.client.contact.is_none() {
        let says = "public servers want to know who asks, and may refuse you otherwise: set `contact` in the configuration, or TOT_CONTACT, to a mail address or page";
        findings.push(Finding::new(shown, Health::Remark, says));
    }
    findings
}
