//! The person as the model: each prompt is shown, the person types the reply. For teaching, and for reading prompts closely.

use super::{LanguageModel, LlmJob, Wire};
use crate::calls::CallError;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// The model `human`. The runner never calls it: its asks stay open until the person replies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Human;

impl LanguageModel for Human {
    fn name(&self) -> &str {
        "human"
    }

    fn about(&self) -> String {
        "human: you type the replies".to_owned()
    }

    fn is_human(&self) -> bool {
        true
    }

    fn complete(&self, _job: LlmJob, _wire: Wire) -> BoxFuture<'static, Result<(), CallError>> {
        std::future::pending().boxed()
    }
}
