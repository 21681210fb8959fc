//! A graph that is not open: a recording answers for it.

use super::KnowledgeGraph;
use crate::calls::{AskId, CallError, CallErrorKind, KgOp, KgReply};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// It has a name, and nothing is asked of it.
#[derive(Clone, Debug)]
pub struct Absent(String);

impl Absent {
    /// The graph `name` of a recording.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    fn error(&self) -> CallError {
        CallError::new(CallErrorKind::Unreachable, format!("{} is not open, since a recording answers: --live opens it", self.0))
    }
}

impl KnowledgeGraph for Absent {
    fn name(&self) -> &str {
        &self.0
    }

    fn about(&self) -> String {
        format!("{}, from a recording", self.0)
    }

    fn check(&self) -> BoxFuture<'static, Result<String, CallError>> {
        let error = self.error();
        async move { Err(error) }.boxed()
    }

    fn perform(&self, _ask: Option<AskId>, _op: KgOp) -> BoxFuture<'static, Result<KgReply, CallError>> {
        let error = self.error();
        async move { Err(error) }.boxed()
    }
}
