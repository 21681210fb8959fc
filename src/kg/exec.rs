//! Any other graph: a program that speaks the interface as JSON lines on its standard input and output.

use super::spec::SpecError;
use super::{KgProfile, KgSettings, KnowledgeGraph};
use std::sync::Arc;

/// The graph behind `command` (run by the shell), called `name`. The program is started at the first call.
///
/// # Errors
/// [`SpecError`].
pub fn open(_name: &str, _command: &str, _profile: &KgProfile, _settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    unimplemented!()
}
