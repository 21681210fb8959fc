//! Which model an ask goes to: the session's own, another one from an act on, or another one for one ask.

use super::act::{Act, ActRefused};
use super::ask::Ask;
use super::budget::Budget;
use super::event::{ActId, Call, Purpose, StepId};
use super::state::State;
use crate::price::{self, Price};
use crate::text::one_line;
use serde::{Deserialize, Serialize};

/// A model that is asked in the place of the session's own. A person names `spec` (and `url`); who opens it fills in the rest, so that
/// the act that is recorded says which model it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherModel {
    /// How to make it again (`openai:gpt-4o`, a name of the configuration; no keys).
    pub spec: String,
    /// Its server, where one was named (no keys).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its name, as screens show it; empty: it was not opened yet.
    pub name: String,
    /// Its name as its service knows it.
    pub service_model: String,
    /// What its tokens cost; `None`: that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// A model of a session: its own, or another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelRef<'a> {
    /// How to make it again.
    pub spec: &'a str,
    /// Its server, where one was named.
    pub url: Option<&'a str>,
    /// Its name, as screens show it.
    pub name: &'a str,
    /// Its name as its service knows it.
    pub service_model: &'a str,
}

impl OtherModel {
    /// A model that a person names.
    #[must_use]
    pub fn named(spec: impl Into<String>, url: Option<String>) -> Self {
        Self { spec: spec.into(), url, ..Self::default() }
    }

    /// Its name on one line.
    #[must_use]
    pub fn label(&self) -> String {
        one_line(if self.name.is_empty() { &self.spec } else { &self.name })
    }

    const fn as_ref(&self) -> ModelRef<'_> {
        let url = match &self.url {
            Some(url) => Some(url.as_str()),
            None => None,
        };
        ModelRef { spec: self.spec.as_str(), url, name: self.name.as_str(), service_model: self.service_model.as_str() }
    }

    /// Whether it can be asked in this session.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub(super) fn check(&self, state: &State) -> Result<(), ActRefused> {
        let opened = !self.name.is_empty();
        if opened && state.settings().budgets.of(Budget::Cost).is_some() { self.check_price(state) } else { Ok(()) }
    }

    /// Whether a budget of money can be kept with it: that goes by prices that are known, in one currency.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn check_price(&self, state: &State) -> Result<(), ActRefused> {
        let Some(price) = self.price.as_ref().or_else(|| price::by_nature(&self.spec)) else {
            return Err(ActRefused(price::needed(&self.spec)));
        };
        let others = |currency: &&str| !price.currency.is_empty() && !currency.is_empty() && *currency != price.currency;
        match state.common_price().map(|price| price.currency.as_str()).filter(others) {
            Some(currency) => Err(ActRefused(format!(
                "the budget of money is in {}, and {} is paid in {}: take the budget off first (L, or --max-cost none)",
                one_line(currency),
                self.label(),
                one_line(&price.currency)
            ))),
            None => Ok(()),
        }
    }
}

impl Act {
    /// The model that the act names.
    #[must_use]
    pub fn model(&self) -> Option<&OtherModel> {
        match self {
            Self::Model(model) => Some(model),
            Self::AskAgain { otherwise, .. } => otherwise.model.as_deref(),
            Self::Review { model, .. } => model.as_deref(),
            _ => None,
        }
    }

    /// The same, to fill in what opening it told.
    pub fn model_mut(&mut self) -> Option<&mut OtherModel> {
        match self {
            Self::Model(model) => Some(model),
            Self::AskAgain { otherwise, .. } => otherwise.model.as_deref_mut(),
            Self::Review { model, .. } => model.as_deref_mut(),
            _ => None,
        }
    }
}

impl State {
    /// The model that an act named; `None`: the session's own.
    #[must_use]
    pub fn model(&self, by: Option<ActId>) -> ModelRef<'_> {
        by.and_then(|act| self.acts.get(act.index())?.what.model()).map_or_else(
            || {
                let started = self.started();
                ModelRef {
                    spec: &started.model_spec,
                    url: started.llm_url.as_deref(),
                    name: &started.model,
                    service_model: &started.service_model,
                }
            },
            OtherModel::as_ref,
        )
    }

    /// The model that is asked now, and the session's own where that is another one: `openai:m1, at first lexical`. `words` says what
    /// a person reads for a name.
    #[must_use]
    pub fn model_words(&self, words: impl Fn(&str) -> String) -> String {
        let (now, first) = (one_line(self.model(self.model_now()).name), one_line(&self.started().model));
        if now == first { words(&now) } else { format!("{}, at first {}", words(&now), words(&first)) }
    }

    /// The act that named the model which is asked now; `None`: the session's own is.
    #[must_use]
    pub fn model_now(&self) -> Option<ActId> {
        let last = self.acts.iter().rev().find(|act| act.active && matches!(act.what, Act::Model(_)))?;
        self.unless_own(last.id)
    }

    /// The act that names the model for an ask of a step; `None`: the session's own.
    #[must_use]
    pub fn model_for(&self, step: StepId, purpose: Purpose) -> Option<ActId> {
        let named = self.step(step).and_then(|step| step.act).filter(|act| {
            let what = self.acts.get(act.index()).map(|act| &act.what);
            match what {
                Some(Act::AskAgain { .. }) => self.otherwise(step, purpose).is_some_and(|otherwise| otherwise.model.is_some()),
                Some(Act::Review { model, .. }) => model.is_some(),
                _ => false,
            }
        });
        match named {
            Some(act) => self.unless_own(act),
            None => self.model_now(),
        }
    }

    /// A person who names the session's own model means just that: its requests are the same as before.
    fn unless_own(&self, act: ActId) -> Option<ActId> {
        let (own, named) = (self.model(None), self.model(Some(act)));
        ((own.spec, own.url) != (named.spec, named.url)).then_some(act)
    }

    /// The act that named the model of an ask; `None`: the session's own, or a KG.
    #[must_use]
    pub fn asked_of(&self, ask: &Ask) -> Option<ActId> {
        match &ask.call {
            Call::Llm(call) => call.model,
            Call::Kg(_) => None,
        }
    }

    /// Whether an open ask is to go to another model than it was recorded for: the person chose one since. It can't be sent as it is.
    #[must_use]
    pub fn is_superseded(&self, ask: &Ask) -> bool {
        let identity = |by| {
            let model = self.model(by);
            (model.spec, model.url)
        };
        ask.is_llm() && !ask.is_complete() && identity(self.asked_of(ask)) != identity(self.model_for(ask.key.step, ask.key.purpose))
    }

    /// What the tokens of a model cost, if that is known.
    #[must_use]
    pub fn price_of(&self, by: Option<ActId>) -> Option<&Price> {
        match by.and_then(|act| self.acts.get(act.index())?.what.model()) {
            Some(model) => model.price.as_ref().or_else(|| price::by_nature(&model.spec)),
            None => self.price(),
        }
    }

    /// Models that were asked, each by the act that named it first, in the order of their first ask; the one that will be, before the
    /// first ask. The session's own is `None`.
    #[must_use]
    pub fn models_asked(&self) -> Vec<Option<ActId>> {
        let mut asked: Vec<Option<ActId>> = Vec::new();
        for by in self.asks.iter().filter(|ask| ask.is_llm()).map(|ask| self.asked_of(ask)) {
            if !asked.iter().any(|other| self.is_same_model(*other, by)) {
                asked.push(by);
            }
        }
        if asked.is_empty() {
            asked.push(self.model_now());
        }
        asked
    }

    /// Whether two acts name the same model.
    #[must_use]
    pub fn is_same_model(&self, a: Option<ActId>, b: Option<ActId>) -> bool {
        let (x, y) = (self.model(a), self.model(b));
        a == b || (x.spec, x.url) == (y.spec, y.url)
    }

    /// A price in whose currency all models that were asked are paid; `None` when one price is not known, or there are two currencies:
    /// then nobody can say what the session cost.
    #[must_use]
    pub fn common_price(&self) -> Option<&Price> {
        let prices: Vec<&Price> = self.models_asked().into_iter().map(|by| self.price_of(by)).collect::<Option<_>>()?;
        let paid = prices.iter().find(|price| !price.currency.is_empty()).or_else(|| prices.first()).copied()?;
        prices.iter().all(|price| price.currency.is_empty() || price.currency == paid.currency).then_some(paid)
    }
}
