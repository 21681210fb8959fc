//! A model that can't be asked: one that a recording stands for, or one whose key is missing.

use super::{LanguageModel, LlmJob, Wire};
use crate::calls::CallError;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// It has a name, and says why it can't be asked.
#[derive(Clone, Debug)]
pub struct Absent {
    name: String,
    about: String,
    why: CallError,
}

impl Absent {
    /// The model `name`; `about` is its line for the screen.
    #[must_use]
    pub fn new(name: impl Into<String>, about: impl Into<String>, why: CallError) -> Self {
        Self { name: name.into(), about: about.into(), why }
    }
}

impl LanguageModel for Absent {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> String {
        self.about.clone()
    }

    fn is_instant(&self) -> bool {
        true
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let why = self.why.clone();
        async move { Err(why) }.boxed()
    }

    fn complete(&self, _job: LlmJob, _wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        let why = self.why.clone();
        async move { Err(why) }.boxed()
    }
}
