//! Which knowledge graph: `demo`, `wikidata`, `musicbrainz`, `file:PATH`, `sparql:URL`, `exec:COMMAND`.

use super::cache::{self, CacheSettings};
use super::endpoint::Endpoint;
use super::http::{HttpSettings, ServiceError};
use super::rdf::{Embedded, LoadError, Progress, Source};
use super::sparql::{Languages, SparqlGraph, Transport};
use super::{IdSpace, KgProfile, KnowledgeGraph, demo, exec, musicbrainz, thousands, wikidata};
use crate::graph::KgName;
use crate::redact;
use crate::text;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// The forms of a spec, for help and messages.
pub const FORMS: &str = "demo, wikidata, musicbrainz, sparql:URL (a SPARQL 1.1 endpoint), file:PATH[,PATH...] (RDF, CSV or TSV), exec:COMMAND (a program of your own)";

/// A knowledge graph, as named on the command line.
#[derive(Clone, PartialEq, Eq)]
pub enum KgSpec {
    /// The graphs that the program carries with it: one in the shape of Wikidata, one in that of MusicBrainz.
    Demo,
    /// The part of the demo graph in the shape of Wikidata alone.
    DemoWikidata,
    /// The part of the demo graph in the shape of MusicBrainz alone.
    DemoMusicBrainz,
    /// Wikidata, or a mirror.
    Wikidata,
    /// MusicBrainz, or a mirror.
    MusicBrainz,
    /// Files that make one graph.
    Files(Vec<PathBuf>),
    /// A SPARQL 1.1 endpoint.
    Sparql(String),
    /// A program that speaks the interface.
    Exec(String),
}

/// Why there is no such knowledge graph.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The spec has no known form.
    #[error("unknown knowledge graph \"{spec}\"{hint}; use {FORMS}")]
    Unknown {
        /// As given.
        spec: String,
        /// ` (did you mean ...?)`, or nothing.
        hint: String,
    },
    /// A URL is none, or no client can be made.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The file was not loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A profile of the configuration can't be used.
    #[error("the knowledge graph `{name}` of the configuration: {why}")]
    Profile {
        /// Its name.
        name: String,
        /// What is wrong and what to do.
        why: String,
    },
    /// The thread that loads ended early.
    #[error("loading the graph failed: {0}")]
    Thread(String),
}

impl fmt::Debug for KgSpec {
    /// As it is shown: without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KgSpec({self})")
    }
}

impl fmt::Display for KgSpec {
    /// As it may be shown and stored: with `***` for what is secret in a URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demo => f.write_str("demo"),
            Self::DemoWikidata => f.write_str("demo:wikidata"),
            Self::DemoMusicBrainz => f.write_str("demo:musicbrainz"),
            Self::Wikidata => f.write_str("wikidata"),
            Self::MusicBrainz => f.write_str("musicbrainz"),
            Self::Files(paths) => {
                let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                write!(f, "file:{}", paths.join(","))
            }
            Self::Sparql(url) => write!(f, "sparql:{}", redact::url(url)),
            Self::Exec(command) => write!(f, "exec:{command}"),
        }
    }
}

impl FromStr for KgSpec {
    type Err = SpecError;

    fn from_str(spec: &str) -> Result<Self, SpecError> {
        let spec = spec.trim();
        let shown = if spec.contains("//") { redact::url(spec) } else { spec.to_owned() };
        let unknown = || SpecError::Unknown { spec: text::cut(&text::one_line(&shown), 80).into_owned(), hint: hint(spec) };
        match spec.split_once(':') {
            None if spec == "demo" => Ok(Self::Demo),
            None if spec == "wikidata" => Ok(Self::Wikidata),
            None if spec == "musicbrainz" => Ok(Self::MusicBrainz),
            Some(("demo", "wikidata")) => Ok(Self::DemoWikidata),
            Some(("demo", "musicbrainz")) => Ok(Self::DemoMusicBrainz),
            Some(("file", paths)) if !paths.is_empty() => Ok(Self::Files(files(paths))),
            Some(("sparql", url)) if !url.is_empty() => Ok(Self::Sparql(url.to_owned())),
            Some(("exec", command)) if !command.trim().is_empty() => Ok(Self::Exec(command.trim().to_owned())),
            _ => Err(unknown()),
        }
    }
}

/// The files of `file:A,B`; a name that holds a comma and exists is one file.
fn files(paths: &str) -> Vec<PathBuf> {
    if !paths.contains(',') || PathBuf::from(paths).exists() {
        return vec![paths.into()];
    }
    paths.split(',').map(str::trim).filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}

impl KgSpec {
    /// The name that a KG of this kind gets when the configuration gives it none.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Demo | Self::DemoWikidata => "demo",
            Self::DemoMusicBrainz => "demo-musicbrainz",
            Self::Wikidata => "wikidata",
            Self::MusicBrainz => "musicbrainz",
            Self::Files(_) => "file",
            Self::Sparql(_) => "sparql",
            Self::Exec(_) => "exec",
        }
    }

    /// The KGs that it stands for: two for `demo`, else itself.
    #[must_use]
    pub fn parts(self) -> Vec<Self> {
        match self {
            Self::Demo => vec![Self::DemoWikidata, Self::DemoMusicBrainz],
            one => vec![one],
        }
    }
}

/// What was probably meant.
fn hint(spec: &str) -> String {
    let lower = spec.to_lowercase();
    let scheme = lower.split(':').next().unwrap_or("");
    let ending = lower.strip_suffix(".gz").unwrap_or(&lower);
    let meant = if lower.starts_with("http://") || lower.starts_with("https://") {
        Some(format!("sparql:{spec}"))
    } else if [".ttl", ".nt", ".nq", ".trig", ".rdf", ".jsonld", ".csv", ".tsv"].iter().any(|end| ending.ends_with(end))
        && !lower.starts_with("file:")
    {
        Some(format!("file:{spec}"))
    } else {
        let near = |known: &&str| distance(scheme, known) <= 2;
        ["demo", "wikidata", "musicbrainz", "file:PATH", "sparql:URL", "exec:COMMAND"]
            .into_iter()
            .find(|form| near(&form.split(':').next().unwrap_or(form)))
            .map(str::to_owned)
    };
    meant.map_or_else(String::new, |meant| format!(" (did you mean {}?)", redact::url(&meant)))
}

/// Letters to change, add or drop to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = (corner + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = std::mem::replace(&mut row[j + 1], cost);
        }
    }
    row[b.len()]
}

/// Where [`open_with`] says what it is doing: one line at a time, for a status line.
pub type Status = Arc<dyn Fn(String) + Send + Sync>;

/// How graphs are opened.
#[derive(Clone, Default)]
pub struct KgSettings {
    /// The languages of labels.
    pub languages: Languages,
    /// Manners on the wire.
    pub http: HttpSettings,
    /// Told what is being loaded.
    pub status: Option<Status>,
    /// Where replies are kept; `None`: nowhere.
    pub cache: Option<CacheSettings>,
    /// Refuse a file with a bad line instead of skipping the line.
    pub strict: bool,
}

/// A KG that is open.
#[derive(Clone)]
pub struct Opened {
    /// Its name in this session.
    pub name: KgName,
    /// How a session names it, to be opened again.
    pub spec: KgSpec,
    /// The KG.
    pub kg: Arc<dyn KnowledgeGraph>,
}

/// Opens the first graph that `spec` names, with the usual settings.
///
/// # Errors
/// [`SpecError`]: one sentence that says what to do.
pub async fn open(spec: &str) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    open_with(&spec.parse()?, &KgSettings::default()).await
}

/// Opens the first graph that `spec` names, called by its kind and without a profile.
///
/// # Errors
/// [`SpecError`]: one sentence that says what to do.
pub async fn open_with(spec: &KgSpec, settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let opened = open_all(vec![(None, KgProfile::default(), spec.clone())], settings).await?;
    opened.into_iter().next().map(|opened| opened.kg).ok_or_else(|| SpecError::Thread("nothing was opened".to_owned()))
}

/// Opens graphs side by side and introduces them to each other. Each has the name that the configuration gives it, else
/// that of its kind, with a number when that is taken. A file is read here, on a thread of its own; a service is not asked
/// anything before the first call.
///
/// # Errors
/// [`SpecError`]: one sentence that says what to do.
pub async fn open_all(specs: Vec<(Option<String>, KgProfile, KgSpec)>, settings: &KgSettings) -> Result<Vec<Opened>, SpecError> {
    let mut all: Vec<Opened> = Vec::new();
    for (name, profile, spec) in specs {
        for spec in spec.parts() {
            let base = name.clone().unwrap_or_else(|| spec.kind().to_owned());
            let taken = |name: &str| all.iter().any(|opened| *opened.name == *name);
            let number = (1..).find(|n| !taken(&numbered(&base, *n))).unwrap_or(1);
            let name = numbered(&base, number);
            let kg = open_one(&name, &profile, &spec, settings).await?;
            all.push(Opened { name: name.into(), spec, kg });
        }
    }
    if all.len() > 1 {
        // What the ids of a program are is known when it said hello. One that can't is down, like any other KG.
        let programs = all.iter().filter(|opened| matches!(opened.spec, KgSpec::Exec(_)));
        let greet = programs.map(|opened| tokio::time::timeout(settings.http.client.connect, opened.kg.check()));
        futures_util::future::join_all(greet).await;
        let known: Vec<(KgName, IdSpace)> = all.iter().map(|opened| (opened.name.clone(), opened.kg.id_space())).collect();
        for opened in &all {
            let others: Vec<_> = known.iter().filter(|(name, _)| *name != opened.name).cloned().collect();
            opened.kg.meet(&others);
        }
    }
    Ok(all)
}

fn numbered(base: &str, n: u32) -> String {
    if n == 1 { base.to_owned() } else { format!("{base}-{n}") }
}

async fn open_one(name: &str, profile: &KgProfile, spec: &KgSpec, settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let settings = profile.settings(name, spec, settings)?;
    let wording = profile.wording(name)?;
    let sparql =
        |transport| Arc::new(SparqlGraph::worded(name, transport, settings.languages.clone(), wording.clone()).linked_by(&profile.links));
    let kg: Arc<dyn KnowledgeGraph> = match spec {
        KgSpec::Demo | KgSpec::DemoWikidata => known(sparql(embedded("demo graph".to_owned(), demo::source(), None).await?)).await,
        KgSpec::DemoMusicBrainz => {
            known(sparql(embedded("demo graph, MusicBrainz part".to_owned(), demo::musicbrainz(), None).await?)).await
        }
        KgSpec::Wikidata => wikidata::open(name, profile, &settings)?,
        KgSpec::MusicBrainz => musicbrainz::open(name, profile, &settings)?,
        KgSpec::Files(paths) => {
            let source = Source::files(name, paths.clone(), settings.strict);
            known(sparql(embedded(file_names(paths), source, settings.status.clone()).await?)).await
        }
        KgSpec::Sparql(url) => {
            let endpoint = Endpoint::with(url, &settings.http, profile.endpoint(name)?)?;
            if let (Some(status), Some(note)) = (&settings.status, endpoint.login_note()) {
                status(format!("{name}: {note}"));
            }
            sparql(Arc::new(endpoint))
        }
        KgSpec::Exec(command) => exec::open(name, command, profile, &settings)?,
    };
    let over_network = matches!(spec, KgSpec::Wikidata | KgSpec::MusicBrainz | KgSpec::Sparql(_));
    // What is in memory is quicker than the disk, and a file changes without its name.
    let in_memory = matches!(spec, KgSpec::Files(_) | KgSpec::Demo | KgSpec::DemoWikidata | KgSpec::DemoMusicBrainz);
    Ok(match &settings.cache {
        Some(cache) if profile.cache.unwrap_or(over_network) && !in_memory => cache::cached(kg, &identity(spec, profile, &settings), cache),
        _ => kg,
    })
}

/// `graph`, which is in memory, with its shape found out, so that other graphs can be told what its ids mean.
async fn known(graph: Arc<SparqlGraph>) -> Arc<SparqlGraph> {
    // An error comes again, with its message, at the first call.
    let _ = graph.detect().await;
    graph
}

/// Everything that a reply depends on beside the request. It is hashed before it is stored.
fn identity(spec: &KgSpec, profile: &KgProfile, settings: &KgSettings) -> String {
    let password = profile.password_env.as_ref().and_then(|name| std::env::var(name).ok());
    // As given, with the login in the URL: replies are never shared between logins.
    let address = if let KgSpec::Sparql(url) = spec { url.clone() } else { spec.to_string() };
    format!("{address} {profile:?} {:?} {password:?}", settings.languages)
}

/// How far the loading is, for a status line.
fn loading(at: &Progress) -> String {
    let number = if at.of > 1 { format!(" (file {} of {})", at.number, at.of) } else { String::new() };
    format!("loading {}{number}: {} facts", at.file, thousands(at.facts))
}

/// Files as one name for the screen.
fn file_names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().map_or_else(String::new, |file| text::one_line(&file.to_string_lossy()));
    let names: Vec<String> = paths.iter().take(3).map(name).collect();
    let more = paths.len() - names.len();
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

async fn embedded(name: String, source: Source, status: Option<Status>) -> Result<Arc<dyn Transport>, SpecError> {
    if let Some(status) = &status {
        status(format!("loading {name}"));
    }
    let task = move || {
        let progress = move |at: &Progress| {
            if let Some(status) = &status {
                status(loading(at));
            }
        };
        Embedded::load(&name, &source, progress)
    };
    let loaded = tokio::task::spawn_blocking(task).await.map_err(|error| SpecError::Thread(error.to_string()))??;
    Ok(Arc::new(loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_forms() {
        assert_eq!("demo".parse::<KgSpec>().unwrap(), KgSpec::Demo);
        assert_eq!("file:a b.ttl".parse::<KgSpec>().unwrap(), KgSpec::Files(vec!["a b.ttl".into()]));
        assert_eq!("sparql:http://h/q".parse::<KgSpec>().unwrap(), KgSpec::Sparql("http://h/q".into()));
    }

    #[test]
    fn a_spec_is_shown_without_secrets() {
        let shown = |spec: &str| spec.parse::<KgSpec>().unwrap().to_string();
        assert_eq!(shown("sparql:http://u:pa55@h/q?apikey=zzz9"), "sparql:http://***@h/q?apikey=***");
        assert!(!format!("{:?}", "sparql:http://u:pa55@h/q?apikey=zzz9".parse::<KgSpec>().unwrap()).contains("pa55"));
        assert_eq!((shown("demo"), shown("file:a/b.ttl")), ("demo".to_owned(), "file:a/b.ttl".to_owned()));
    }

    #[test]
    fn unknown_forms_say_what_exists() {
        let message = |spec: &str| spec.parse::<KgSpec>().unwrap_err().to_string();
        assert!(message("demmo").contains("did you mean demo?"));
        assert!(message("http://h/sparql").contains("did you mean sparql:http://h/sparql?"));
        assert!(message("facts.nt.gz").contains("did you mean file:facts.nt.gz?"));
        assert!(message("sprql:http://h/").contains("did you mean sparql:URL?"));
        let far = message("xyzzy\u{1b}[31m");
        assert!(
            far.contains("demo, wikidata") && far.contains("file:PATH") && !far.contains('\u{1b}') && !far.contains("did you mean"),
            "{far}"
        );
        for spec in ["http://u:pa55@h/?apikey=zzz9", "sparkle:http://u:pa55@h/?apikey=zzz9"] {
            assert!(!message(spec).contains("pa55") && !message(spec).contains("zzz9"), "{}", message(spec));
        }
    }
}
