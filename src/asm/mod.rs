//! The action state machine (ASM): states, actions, transitions, prompts, and the reading of completions.

mod action;
mod parse;
mod prompt;
mod template;

pub use action::{Action, AsmState};
pub use parse::{Expect, Reply, Unusable, mention_label, parse, parse_match, parse_mentions, read_aggregate};
pub use prompt::{Options, PathStep, PromptContext};
pub use template::{TemplateError, Templates};
