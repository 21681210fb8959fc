//! The templates of the prompts: a profile's, overlaid from a folder, kept by a session.

mod check;
mod overlay;

pub use overlay::{Flaw, Flaws, Saved, save};

use super::profile::Profile;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use thiserror::Error;

/// A template that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("prompt template `{name}`, line {line}: {message}")]
pub struct TemplateError {
    /// The template.
    pub name: String,
    /// The line of the template's text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Template texts by name: `instructions`, `question`, `graph`, `path`, and one for each task
/// (`default`, `select_entities`, ...), with the profile that they are of. A session keeps the ones it began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Templates {
    // Names of templates are words: these two can be none.
    #[serde(rename = "#profile", default, skip_serializing_if = "Profile::is_default")]
    profile: Profile,
    #[serde(rename = "#overlaid", default, skip_serializing_if = "Vec::is_empty")]
    overlaid: Vec<String>,
    #[serde(flatten)]
    texts: BTreeMap<String, String>,
}

impl Templates {
    /// The templates of the default profile, as they are compiled in.
    #[must_use]
    pub fn built_in() -> Self {
        Self::of(Profile::Default)
    }

    /// The templates of a profile, as they are compiled in.
    ///
    /// # Panics
    /// Never: a test reads every built-in file.
    #[must_use]
    pub fn of(profile: Profile) -> Self {
        let read = |text: &&str| {
            serde_yaml::from_str::<BTreeMap<String, String>>(text).expect("built-in prompt files are valid: a test reads them")
        };
        Self { profile, overlaid: Vec::new(), texts: profile.files().iter().flat_map(read).collect() }
    }

    /// The templates of a profile, overlaid by those of the `*.yaml` files of `dir`: a file may hold one template or several.
    ///
    /// # Errors
    /// Everything that is wrong with the files, each with file and line.
    pub fn load(profile: Profile, dir: &Path) -> Result<Self, Flaws> {
        overlay::load(Self::of(profile), dir)
    }

    /// The profile that they are of.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// Whether a template came from a folder of the person's.
    #[must_use]
    pub fn is_overlaid(&self, name: &str) -> bool {
        self.overlaid.iter().any(|overlaid| overlaid == name)
    }

    /// Whether any template came from a folder of the person's.
    #[must_use]
    pub fn is_any_overlaid(&self) -> bool {
        !self.overlaid.is_empty()
    }

    /// The text of a template. A session of an older program lacks what was added since: that is as it is compiled in.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        static ADDED: LazyLock<[Templates; 3]> = LazyLock::new(|| Profile::ALL.map(Templates::of));
        let added = || ADDED.iter().find(|added| added.profile == self.profile)?.texts.get(name);
        self.texts.get(name).or_else(added).map_or("", String::as_str)
    }

    /// Checks a text that is to stand for the template `name`: its syntax, its variables, and that it holds what the task
    /// can't do without.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn check(name: &str, text: &str) -> Result<(), TemplateError> {
        check::check(name, text)
    }
}

/// Instructions that a template may take: many times what the longest prompt needs, and done in a second.
const MOST_STEPS: u64 = 5_000_000;

/// How templates are read: an unknown variable is an error, block tags take no line of their own.
pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_fuel(Some(MOST_STEPS));
    environment
}

/// Fills a template.
pub(super) fn render(environment: &Environment<'_>, name: &str, template: &str, variables: &Value) -> Result<String, TemplateError> {
    environment.render_str(template, variables).map_err(|error| wrong(name, &error))
}

fn wrong(name: &str, error: &minijinja::Error) -> TemplateError {
    let message = if error.kind() == ErrorKind::OutOfFuel {
        "it loops for too long: no prompt needs that".to_owned()
    } else {
        error.detail().map_or_else(|| error.kind().to_string(), |detail| format!("{}: {detail}", error.kind()))
    };
    TemplateError { name: name.to_owned(), line: error.line().unwrap_or(1), message }
}

#[cfg(test)]
mod tests;
