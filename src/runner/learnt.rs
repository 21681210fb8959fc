//! What the models of a session turned out to be like, each thing told once, in the run that finds out.

use crate::llm::{Ability, LanguageModel};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A model as sessions name it: spec and server.
pub type Identity = (String, Option<String>);

/// What became known of the models of a session since it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    models: BTreeMap<Identity, Known>,
    /// What was learnt, in order.
    news: Vec<String>,
}

/// What is known of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    notes: Vec<String>,
    takes_no_temperature: bool,
}

impl Known {
    fn of(model: &dyn LanguageModel) -> Self {
        // Not sent because it is refused, or because the service is documented to take none.
        let refuses = |ability| matches!(ability, Ability::No | Ability::Refused);
        Self { notes: model.notes(), takes_no_temperature: model.capabilities().is_some_and(|all| refuses(all.temperature)) }
    }
}

impl Learnt {
    /// Files what is known of a model already and was told when it was opened.
    pub fn file(&mut self, identity: Identity, model: &dyn LanguageModel) {
        self.models.insert(identity, Known::of(model));
    }

    /// Looks what a model turned out to be like; whether that is new.
    pub(super) fn look(this: &mut Arc<Self>, identity: &Identity, model: &dyn LanguageModel) -> bool {
        let now = Known::of(model);
        if this.models.get(identity) == Some(&now) {
            return false;
        }
        Arc::make_mut(this).learn(identity, now);
        true
    }

    fn learn(&mut self, identity: &Identity, now: Known) {
        for note in &now.notes {
            // A model may be filed under two names.
            if !self.notes().any(|known| known == note) && !self.news.contains(note) {
                self.news.push(note.clone());
            }
        }
        self.models.insert(identity.clone(), now);
    }

    /// What was learnt since the session was opened, in order, a sentence each. It only grows.
    #[must_use]
    pub fn news(&self) -> &[String] {
        &self.news
    }

    /// All that holds now, known before or learnt: a sentence each.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.models.values().flat_map(|known| &known.notes)
    }

    /// Whether calls of this model are sent without a temperature: its own holds.
    #[must_use]
    pub fn takes_no_temperature(&self, spec: &str, url: Option<&str>) -> bool {
        self.models.get(&(spec.to_owned(), url.map(str::to_owned))).is_some_and(|known| known.takes_no_temperature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::CallError;
    use crate::llm::{LlmJob, Wire};
    use futures_util::future::BoxFuture;
    use std::sync::Mutex;

    struct Model(Mutex<Vec<&'static str>>);

    impl LanguageModel for Model {
        fn name(&self) -> &'static str {
            "m"
        }

        fn notes(&self) -> Vec<String> {
            self.0.lock().unwrap().iter().map(|note| (*note).to_owned()).collect()
        }

        fn complete(&self, _: LlmJob, _: Wire) -> BoxFuture<'static, Result<(), CallError>> {
            Box::pin(std::future::ready(Ok(())))
        }
    }

    #[test]
    fn each_thing_is_news_once_and_what_was_known_is_none() {
        let (model, name, other) = (Model(Mutex::new(vec!["known."])), ("m".to_owned(), None), ("n".to_owned(), None));
        let mut learnt = Learnt::default();
        learnt.file(name.clone(), &model);
        let mut learnt = Arc::new(learnt);
        let mut look = |at: &Identity| Learnt::look(&mut learnt, at, &model);
        assert!(!look(&name));
        *model.0.lock().unwrap() = vec!["known.", "no seed."];
        assert!(look(&name) && !look(&name) && look(&other));
        // A sentence that grew takes the place of the shorter one, and is news.
        *model.0.lock().unwrap() = vec!["known.", "no seed, no stop."];
        assert!(look(&name) && look(&other));
        assert_eq!(learnt.news(), ["no seed.", "no seed, no stop."]);
        assert!(learnt.notes().all(|note| note != "no seed."));
    }
}
