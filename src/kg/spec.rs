//! Which knowledge graph: `demo`, `file:PATH` or `sparql:URL`.

use super::KnowledgeGraph;
use super::endpoint::{Endpoint, EndpointError, HttpSettings};
use super::rdf::{Embedded, LoadError, Source};
use super::sparql::{Languages, SparqlGraph, Transport};
use super::{demo, thousands};
use crate::redact;
use crate::text;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// The forms of a spec, for help and messages.
pub const FORMS: &str = "demo, file:PATH (an RDF file), sparql:URL (a SPARQL 1.1 endpoint)";

/// A knowledge graph, as named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KgSpec {
    /// The graph that the program carries with it.
    Demo,
    /// An RDF file.
    File(PathBuf),
    /// A SPARQL 1.1 endpoint.
    Sparql(String),
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
    /// The URL is none.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The file was not loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The thread that loads ended early.
    #[error("loading the graph failed: {0}")]
    Thread(String),
}

impl fmt::Display for KgSpec {
    /// As it may be shown and stored: with `***` for what is secret in a URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demo => f.write_str("demo"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Sparql(url) => write!(f, "sparql:{}", crate::redact::url(url)),
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
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            Some(("sparql", url)) if !url.is_empty() => Ok(Self::Sparql(url.to_owned())),
            _ => Err(unknown()),
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
    } else if [".ttl", ".nt", ".nq", ".trig", ".rdf"].iter().any(|end| ending.ends_with(end)) && !lower.starts_with("file:") {
        Some(format!("file:{spec}"))
    } else {
        let near = |known: &&str| distance(scheme, known) <= 2;
        ["demo", "file:PATH", "sparql:URL"].into_iter().find(|form| near(&form.split(':').next().unwrap_or(form))).map(str::to_owned)
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
}

/// Opens the graph that `spec` names, with the usual settings.
///
/// # Errors
/// [`SpecError`]: one sentence that says what to do.
pub async fn open(spec: &str) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    open_with(&spec.parse()?, &KgSettings::default()).await
}

/// Opens the graph that `spec` names. A file is read here, on a thread of its own; an endpoint is not asked anything
/// before the first call.
///
/// # Errors
/// [`SpecError`]: one sentence that says what to do.
pub async fn open_with(spec: &KgSpec, settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    let (name, transport): (&str, Arc<dyn Transport>) = match spec {
        KgSpec::Demo => ("demo", embedded("demo graph".to_owned(), demo::source(), None).await?),
        KgSpec::File(path) => {
            let file = path.file_name().map_or_else(|| path.display().to_string(), |file| file.to_string_lossy().into_owned());
            ("file", embedded(text::one_line(&file), Source::File(path.clone()), settings.status.clone()).await?)
        }
        KgSpec::Sparql(url) => ("sparql", Arc::new(Endpoint::new(url, settings.http.clone())?)),
    };
    Ok(Arc::new(SparqlGraph::new(name, transport, settings.languages.clone())))
}

async fn embedded(name: String, source: Source, status: Option<Status>) -> Result<Arc<dyn Transport>, SpecError> {
    if let Some(status) = &status {
        status(format!("loading {name}"));
    }
    let task = move || {
        let shown = name.clone();
        let progress = move |facts| {
            if let Some(status) = &status {
                status(format!("loading {shown}: {} facts", thousands(facts)));
            }
        };
        Embedded::load(&name, source, progress)
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
        assert_eq!("file:a b.ttl".parse::<KgSpec>().unwrap(), KgSpec::File("a b.ttl".into()));
        assert_eq!("sparql:http://h/q".parse::<KgSpec>().unwrap(), KgSpec::Sparql("http://h/q".into()));
    }

    #[test]
    fn a_spec_is_shown_without_secrets() {
        let shown = |spec: &str| spec.parse::<KgSpec>().unwrap().to_string();
        assert_eq!(shown("sparql:http://u:pa55@h/q?apikey=zzz9"), "sparql:http://***@h/q?apikey=***");
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
        assert!(far.contains("demo, file:PATH") && !far.contains('\u{1b}') && !far.contains("did you mean"), "{far}");
        for spec in ["http://u:pa55@h/?apikey=zzz9", "sparkle:http://u:pa55@h/?apikey=zzz9"] {
            assert!(!message(spec).contains("pa55") && !message(spec).contains("zzz9"), "{}", message(spec));
        }
    }
}
