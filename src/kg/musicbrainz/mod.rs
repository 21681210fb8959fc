//! MusicBrainz, through its web service (ws/2).

use super::spec::SpecError;
use super::{KgProfile, KgSettings, KnowledgeGraph};
use std::sync::Arc;

/// The public web service.
pub const URL: &str = "https://musicbrainz.org/ws/2";

/// MusicBrainz called `name`, at the address of `profile`, else the public one. Nothing is asked before the first call.
///
/// # Errors
/// [`SpecError`], when the address is none.
pub fn open(_name: &str, _profile: &KgProfile, _settings: &KgSettings) -> Result<Arc<dyn KnowledgeGraph>, SpecError> {
    unimplemented!()
}
