//! The action state machine (ASM): states, actions, transitions, prompts, and the reading of completions.

mod action;
mod cut;
mod parse;
mod profile;
mod prompt;
mod template;

pub use action::{Action, AsmState, Verdict};
pub use cut::{CUT, runs_into_cut};
pub use parse::{Expect, Reply, Unusable, mention_label, parse, parse_match, parse_mentions, read_aggregate};
pub use profile::Profile;
pub use prompt::{Edit, Options, PathStep, PromptContext, Wording};
pub use template::{Flaw, Flaws, Saved, TemplateError, Templates, save as save_template};
