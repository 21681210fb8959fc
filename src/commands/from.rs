//! `--from SESSION`: a question asked again, answered from a recording. Without `--live` neither model nor graph is opened.

use super::UsageError;
use super::models::OpenModel;
use super::options::SearchOptions;
use super::setup::{NamedKg, session_path};
use crate::calls::{CallError, CallErrorKind};
use crate::config::Config;
use crate::graph::KgName;
use crate::kg::KnowledgeGraph;
use crate::llm::{Absent, ModelSpec};
use crate::runner::bank::{Bank, OnMiss};
use crate::search::Started;
use crate::session::{Recording, read};
use anyhow::Context;
use std::sync::Arc;

/// A recording whose replies answer equal requests.
#[derive(Clone, Debug)]
pub struct From {
    recording: Arc<Recording>,
    /// Whether what it does not hold is asked.
    pub live: bool,
    /// Its file, as the person named it.
    pub file: String,
}

impl From {
    /// The recording that the options name, if they name one.
    ///
    /// # Errors
    /// A file that is no session, or one without a beginning.
    pub fn of(options: &SearchOptions) -> anyhow::Result<Option<Self>> {
        let Some(session) = &options.from else { return Ok(None) };
        let path = session_path(session);
        let recording = read(&path)?;
        let file = path.display().to_string();
        recording.state.started.as_ref().with_context(|| format!("{file}: the session is empty: there is nothing to answer from"))?;
        Ok(Some(Self { recording: Arc::new(recording), live: options.live, file }))
    }

    /// What was read.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// What the recorded session started from.
    #[must_use]
    pub fn started(&self) -> &Started {
        self.recording.state.started()
    }

    /// The replies, and what happens where there is none. A request to another model is another request, whatever the model's
    /// service calls it: `model` is the one that is asked now, `url` its server, where the person names one.
    #[must_use]
    pub fn bank(&self, model: &str, url: Option<&str>) -> Bank {
        let bank = Bank::of(&self.recording.entries, if self.live { OnMiss::Ask } else { OnMiss::Stop });
        let started = self.started();
        let is_there = url.is_none_or(|url| started.llm_url.as_deref() == Some(&*crate::redact::url(url)));
        if started.model == model && is_there { bank } else { bank.without_own_model() }
    }

    /// What a miss leaves to do, for people.
    #[must_use]
    pub fn remedy(&self, session: &str) -> String {
        format!("nothing was asked; --live asks for what is missing, and so does going on with: tot ask --resume {session}")
    }

    /// The recorded model, or the one that `llm` names at `url`: a name that is not asked.
    ///
    /// # Errors
    /// A spec that is not known.
    pub fn model(&self, llm: Option<&str>, url: Option<&str>, config: &crate::config::Config) -> anyhow::Result<OpenModel> {
        let started = self.started();
        let (name, spec, service_name) = match llm {
            None => (started.model.clone(), started.model_spec.clone(), started.service_model.clone()),
            Some(given) => {
                let (_, profile) = config.model(given);
                let parsed: ModelSpec = profile.spec.parse().map_err(UsageError::of)?;
                let parsed = parsed.to_string();
                let word = parsed.split_once(':').map_or(&*parsed, |(word, rest)| if word == "script" { word } else { rest });
                (parsed.clone(), given.to_owned(), word.to_owned())
            }
        };
        let why = CallError::new(CallErrorKind::Unreachable, format!("{name} is not asked, since a recording answers: --live asks it"));
        let about = format!("{name}, from a recording");
        let url = url.map(crate::redact::url).or_else(|| started.llm_url.clone());
        Ok(OpenModel { model: Arc::new(Absent::new(name, about, why)), spec, service_name, url, missing: None })
    }

    /// The graphs that are `given`, else the recorded ones: names that are not asked.
    ///
    /// # Errors
    /// A spec that is none.
    pub fn kgs(&self, given: &[String], config: &Config) -> anyhow::Result<Vec<NamedKg>> {
        let absent = |name: &KgName| Arc::new(crate::kg::Absent::new(&**name)) as Arc<dyn KnowledgeGraph>;
        let mut names: Vec<(KgName, String)> = Vec::new();
        for spec in given {
            let (name, profile) = config.kg(spec);
            let parsed: crate::kg::KgSpec = profile.spec.parse().map_err(super::UsageError::of)?;
            for part in parsed.parts() {
                names.push((name.as_deref().unwrap_or_else(|| part.kind()).into(), part.to_string()));
            }
        }
        if given.is_empty() {
            names.clone_from(&self.started().kgs);
        }
        Ok(names.into_iter().map(|(name, spec)| (name.clone(), spec, absent(&name))).collect())
    }
}
