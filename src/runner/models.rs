//! The models of a session: the one that it was opened with, and others that a person names. Each is opened once.

use super::launch::Runner;
use super::learnt::{Identity, Learnt};
use super::task;
use crate::calls::{AskId, CallError, CallErrorKind};
use crate::llm::LanguageModel;
use crate::redact::Secret;
use crate::search::{Act, ActId, By, Event, ModelRef, OtherModel};
use crate::text::one_line;
use std::collections::HashMap;
use std::sync::Arc;

/// A model that was opened.
#[derive(Clone)]
pub struct Opened {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// What a session records of it.
    pub record: OtherModel,
    /// What must never be recorded.
    pub secrets: Vec<Secret>,
}

/// Opens the model that `spec` and `url` name. No key goes to a server that only a recording names. Its error is one sentence that says
/// what to do.
pub type Opener = Arc<dyn Fn(&OtherModel) -> Result<Opened, CallError> + Send + Sync>;

/// For runners that have their one model.
#[must_use]
pub fn no_others() -> Opener {
    Arc::new(|named| {
        let message = format!("{} can't be opened here: only the session's own model can be asked", named.label());
        Err(CallError::new(CallErrorKind::Refused, message))
    })
}

fn identity(model: ModelRef<'_>) -> Identity {
    (model.spec.to_owned(), model.url.map(str::to_owned))
}

/// The models that were opened.
#[derive(Default)]
pub(super) struct Models(HashMap<Identity, (Arc<dyn LanguageModel>, OtherModel)>);

impl Models {
    /// Each of them, once.
    pub(super) fn opened(&self) -> Vec<&Arc<dyn LanguageModel>> {
        let mut opened: Vec<&Arc<dyn LanguageModel>> = Vec::new();
        for (model, _) in self.0.values() {
            if !opened.iter().any(|known| Arc::ptr_eq(known, model)) {
                opened.push(model);
            }
        }
        opened
    }
}

impl Runner {
    /// Files the model that the runner was started with: it is the one that goes on with the session (`other`, if the person named
    /// another one for that), or stands for the one that is asked now.
    pub(super) fn file_first_model(&mut self, other: Option<&OtherModel>) {
        if self.state.started.is_none() {
            return;
        }
        let by = self.state.model_now();
        let now = self.state.model(by);
        let record = other.cloned().unwrap_or_else(|| OtherModel {
            name: now.name.to_owned(),
            service_model: now.service_model.to_owned(),
            price: self.state.price_of(by).cloned(),
            ..OtherModel::named(now.spec, now.url.map(str::to_owned))
        });
        let identity = (record.spec.clone(), record.url.clone());
        Arc::make_mut(&mut self.live.learnt).file(identity.clone(), &*self.equipment.model);
        self.models.0.insert(identity, (self.equipment.model.clone(), record));
    }

    /// Takes up what the models turned out to be like.
    pub(super) fn look_at_models(&mut self) {
        for (identity, (model, _)) in &self.models.0 {
            self.dirty |= Learnt::look(&mut self.live.learnt, identity, &**model);
        }
    }

    /// The model that an ask was recorded for, opened if it is not open yet.
    ///
    /// # Errors
    /// It can't be opened: one sentence that says what to do.
    pub(super) fn model_of(&mut self, by: Option<ActId>) -> Result<Arc<dyn LanguageModel>, CallError> {
        let named = self.state.model(by);
        if let Some((model, _)) = self.models.0.get(&identity(named)) {
            return Ok(model.clone());
        }
        let named = OtherModel::named(named.spec, named.url.map(str::to_owned));
        self.open_model(&named).map(|(model, _)| model).map_err(|error| {
            let message = format!("{}; or choose another model (r)", error.message.trim_end_matches('.'));
            CallError::new(error.kind, message)
        })
    }

    /// Fills in what opening the model that an act names told.
    ///
    /// # Errors
    /// It can't be opened: the act is not to be recorded.
    pub(super) fn with_model(&mut self, mut act: Act) -> Result<Act, CallError> {
        if let Some(named) = act.model_mut() {
            let known = self.models.0.get(&(named.spec.clone(), named.url.clone())).map(|(_, record)| record.clone());
            *named = match known {
                Some(record) => record,
                None => self.open_model(named)?.1,
            };
        }
        Ok(act)
    }

    fn open_model(&mut self, named: &OtherModel) -> Result<(Arc<dyn LanguageModel>, OtherModel), CallError> {
        let opened = (self.equipment.others)(named)?;
        self.equipment.secrets.extend(opened.secrets);
        let known = ModelRef { spec: &opened.record.spec, url: opened.record.url.as_deref(), name: "", service_model: "" };
        opened.model.prime(&task::llm_history_of(&self.state, &*self.equipment.strategy, known));
        self.models.0.insert((named.spec.clone(), named.url.clone()), (opened.model.clone(), opened.record.clone()));
        self.models.0.insert(identity(known), (opened.model.clone(), opened.record.clone()));
        Ok((opened.model, opened.record))
    }

    /// Tells every open model what the journal holds of it.
    pub(super) fn prime_models(&self) {
        for (spec, url) in self.models.0.keys() {
            let known = ModelRef { spec, url: url.as_deref(), name: "", service_model: "" };
            let Some((model, _)) = self.models.0.get(&(spec.clone(), url.clone())) else { continue };
            model.prime(&task::llm_history_of(&self.state, &*self.equipment.strategy, known));
        }
    }

    /// Ends asks that are open and not on their way, and that nobody waits for any more: the person took back that they asked (the step
    /// goes on without), or chose another model (the strategy asks that one instead).
    pub(super) fn supersede(&mut self, open: &[AskId]) {
        for id in open {
            let Some(ask) = self.state.ask(*id) else { continue };
            let error = if self.state.is_superseded(ask) && !self.state.is_taken_back(ask) {
                let instead = self.state.model(self.state.model_for(ask.key.step, ask.key.purpose)).name;
                CallError::new(CallErrorKind::Superseded, format!("not answered; {} is asked instead", one_line(instead)))
            } else if self.state.is_taken_back(ask) {
                CallError::new(CallErrorKind::Cancelled, "not answered: you took back that you asked")
            } else {
                continue;
            };
            self.push(By::You, Event::Failed { ask: *id, error });
        }
    }
}
