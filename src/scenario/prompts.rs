//! Whether the prompts of a search hold what a scenario wants them to hold.

use super::model::kind_name;
use super::{PromptCheck, Scenario};
use crate::llm::LlmJob;
use crate::runner::task;
use crate::search::{State, strategy};
use regex::Regex;

impl Scenario {
    /// Every `prompt_checks` row that the recorded prompts break, one sentence each: a `has` that matches nowhere in the
    /// prompt of a request with this kind and exactly this path, a `lacks` that matches somewhere, or no such request at all.
    /// Requests that have no path (extraction, matching, values of answers) are named by the empty one. Asked more than once,
    /// each prompt has to hold.
    #[must_use]
    pub fn check_prompts(&self, state: &State) -> Vec<String> {
        if self.prompt_checks.is_empty() {
            return Vec::new();
        }
        let name = &state.started().strategy;
        let Some(strategy) = strategy::by_name(name) else {
            return vec![format!("prompts can't be checked: strategy `{name}` is not known")];
        };
        let asked = task::llm_history(state, &*strategy);
        self.prompt_checks.iter().flat_map(|check| broken(check, &asked)).collect()
    }
}

/// What is wrong with the prompts that `check` is about.
fn broken(check: &PromptCheck, asked: &[LlmJob]) -> Vec<String> {
    let at = format!("prompt `{}` at path `{}`", check.kind, check.path);
    let meant = |job: &&LlmJob| kind_name(job.request.kind) == check.kind && job.about.path.as_deref().unwrap_or_default() == check.path;
    let prompts: Vec<String> = asked.iter().filter(meant).map(|job| job.request.prompt()).collect();
    if prompts.is_empty() {
        return vec![format!("{at}: no such request was made")];
    }
    let wanted = check.has.iter().map(|pattern| (pattern, true)).chain(check.lacks.iter().map(|pattern| (pattern, false)));
    let fault = |(pattern, found): (&String, bool)| match Regex::new(pattern) {
        Err(e) => Some(format!("{at}: `{pattern}` is no regular expression: {e}")),
        Ok(regex) if prompts.iter().all(|p| regex.is_match(p) == found) => None,
        Ok(_) if found => Some(format!("{at}: `{pattern}` does not match")),
        Ok(_) => Some(format!("{at}: `{pattern}` matches and must not")),
    };
    wanted.filter_map(fault).collect()
}
