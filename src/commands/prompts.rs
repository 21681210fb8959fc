//! The prompts that flags and configuration name, and where a person's own are kept.

use super::UsageError;
use super::options::SearchOptions;
use crate::asm::Templates;
use crate::config::Config;
use anyhow::bail;
use std::path::PathBuf;

/// The prompts that flags and configuration name. A file that can't be used is an error: nothing is asked, and paid for, with
/// other prompts than those that were meant.
pub(super) fn templates(options: &SearchOptions, config: &Config, model: &str) -> anyhow::Result<Templates> {
    let profile = options.profile.or(config.profile).unwrap_or_default();
    if profile.continues() && config.model(model).1.spec == "lexical" {
        let why = "the built-in model reads instructions: leave out `--profile base`, or choose a base model with --llm";
        return Err(UsageError::of(why).into());
    }
    match options.prompts.as_deref().or(config.prompts.as_deref()) {
        Some(folder) if !folder.is_dir() => {
            let named = if options.prompts.is_some() { "--prompts" } else { "`prompts` of the configuration," };
            bail!("{named} {}: there is no such folder", folder.display())
        }
        Some(folder) => {
            let templates = Templates::load(profile, folder)?;
            // That of the configuration may be filled later, from the explorer.
            if options.prompts.is_some() && !templates.is_any_overlaid() {
                let what = "holds no prompt: they stand by their names (default, select_relation, ...) in files *.yaml or *.yml";
                return Err(UsageError::of(format!("--prompts {} {what}; write one, or leave the flag out", folder.display())).into());
            }
            Ok(templates)
        }
        None => Ok(Templates::of(profile)),
    }
}

/// The configuration for a session that keeps its own prompts: those of the configuration, if they can't be used, are no reason
/// not to open it. What is wrong with them, if something is.
pub fn without_broken_prompts(config: &mut Config) -> Option<String> {
    let folder = config.prompts.clone()?;
    let flaws = Templates::load(config.profile.unwrap_or_default(), &folder).err()?;
    config.prompts = None;
    Some(format!("the prompts of the configuration can't be used, new questions get the built-in ones: {flaws}"))
}

/// Where a prompt that a person changed is saved: the folder of the prompts in use, else the one beside the configuration, with
/// whether later sessions use it by themselves.
#[must_use]
pub fn prompts_folder(options: &SearchOptions, config: &Config) -> Option<(PathBuf, PromptsUse)> {
    let beside = || Some(Config::path()?.parent()?.join("prompts"));
    match (&options.prompts, &config.prompts) {
        (Some(folder), configured) if configured.as_ref() == Some(folder) => Some((folder.clone(), PromptsUse::ByItself)),
        (Some(folder), _) => Some((folder.clone(), PromptsUse::WithFlag)),
        (None, Some(folder)) => Some((folder.clone(), PromptsUse::ByItself)),
        (None, None) => beside().map(|folder| (folder, PromptsUse::WithFlag)),
    }
}

/// When a folder of prompts is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptsUse {
    /// The configuration names it.
    ByItself,
    /// Only where `--prompts` names it.
    WithFlag,
}
