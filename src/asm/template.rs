//! The templates of the prompts: compiled in, overridable from a folder, kept by a session.

use super::prompt::sample_variables;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// The files of `prompts/`, compiled in. Each is a YAML mapping of template names to texts.
const BUILT_IN: [&str; 9] = [
    include_str!("../../prompts/shared.yaml"),
    include_str!("../../prompts/extract.yaml"),
    include_str!("../../prompts/match.yaml"),
    include_str!("../../prompts/default.yaml"),
    include_str!("../../prompts/select_entities.yaml"),
    include_str!("../../prompts/select_relation.yaml"),
    include_str!("../../prompts/forced_answer.yaml"),
    include_str!("../../prompts/evaluate_state.yaml"),
    include_str!("../../prompts/evaluate_answer.yaml"),
];

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
/// (`default`, `select_entities`, ...). A session keeps the ones it began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Templates(BTreeMap<String, String>);

impl Templates {
    /// The templates that are compiled in.
    ///
    /// # Panics
    /// Never: a test reads every built-in file.
    #[must_use]
    pub fn built_in() -> Self {
        let read =
            |text| serde_yaml::from_str::<BTreeMap<String, String>>(text).expect("built-in prompt files are valid: a test reads them");
        Self(BUILT_IN.into_iter().flat_map(read).collect())
    }

    /// The built-in templates, overridden by every `*.yaml` file of `dir`. A file or template that is broken is
    /// left out, with a warning that names file and line: the built-in one stays in use.
    #[must_use]
    pub fn load(dir: &Path) -> (Self, Vec<String>) {
        let (mut templates, mut warnings) = (Self::built_in(), Vec::new());
        let mut files: Vec<_> = match std::fs::read_dir(dir) {
            Ok(entries) => {
                entries.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "yaml")).collect()
            }
            Err(error) => {
                warnings.push(format!("{}: {error}; the built-in prompts are used", dir.display()));
                return (templates, warnings);
            }
        };
        files.sort();
        for file in files {
            let name = file.display().to_string();
            match std::fs::read_to_string(&file) {
                Ok(text) => templates.override_with(&name, &text, &mut warnings),
                Err(error) => warnings.push(format!("{name}: {error}; the built-in prompt stays in use")),
            }
        }
        (templates, warnings)
    }

    /// The text of a template; empty when a session's templates lack it.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn override_with(&mut self, file: &str, text: &str, warnings: &mut Vec<String>) {
        let read: BTreeMap<String, String> = match serde_yaml::from_str(text) {
            Ok(read) => read,
            Err(error) => {
                let line = error.location().map_or(1, |at| at.line());
                warnings.push(format!("{file}, line {line}: {error}; the built-in prompt stays in use"));
                return;
            }
        };
        for (name, template) in read {
            let at = key_line(text, &name);
            if !self.0.contains_key(&name) {
                warnings.push(format!("{file}, line {at}: there is no prompt template `{name}`; it is ignored"));
                continue;
            }
            match try_out(&name, &template) {
                Ok(()) => {
                    self.0.insert(name, template);
                }
                Err(error) => {
                    let line = at + error.line;
                    warnings.push(format!("{file}, line {line}: {}; the built-in `{name}` stays in use", error.message));
                }
            }
        }
    }
}

/// The line (from 1) on which a top-level key stands.
fn key_line(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.trim_start_matches(['"', '\'']).starts_with(key)).map_or(1, |index| index + 1)
}

/// Renders a template with sample values, to see that it is sound.
fn try_out(name: &str, template: &str) -> Result<(), TemplateError> {
    render(&environment(), name, template, &sample_variables()).map(drop)
}

/// How templates are read: an unknown variable is an error, block tags take no line of their own.
pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
}

/// Fills a template.
pub(super) fn render(environment: &Environment<'_>, name: &str, template: &str, variables: &Value) -> Result<String, TemplateError> {
    environment.render_str(template, variables).map_err(|error| {
        let message = error.detail().map_or_else(|| error.kind().to_string(), |detail| format!("{}: {detail}", error.kind()));
        TemplateError { name: name.to_owned(), line: error.line().unwrap_or(1), message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_built_in_files_are_sound() {
        let templates = Templates::built_in();
        assert_eq!(templates.0.len(), 12);
        for (name, text) in &templates.0 {
            try_out(name, text).unwrap();
        }
    }

    #[test]
    fn a_broken_file_warns_with_its_line_and_the_built_in_stays() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.yaml"), "extract: |\n  Say {{ queston }} twice.\n").unwrap();
        fs::write(dir.path().join("b.yaml"), "# mine\n\nmatch: |\n  one\n  {% for x in %}\n").unwrap();
        fs::write(dir.path().join("c.yaml"), "default: \"a\nb: [\n").unwrap();
        fs::write(dir.path().join("d.yaml"), "path: |\n  []\nnonsense: x\n").unwrap();
        fs::write(dir.path().join("e.yaml"), "select_entities: |\n  {% for e in entities %}\n  {{ e.f.g }}\n  {% endfor %}\n").unwrap();
        fs::write(dir.path().join("notes.txt"), "default: ignored").unwrap();
        let (templates, warnings) = Templates::load(dir.path());
        let mut expected = Templates::built_in();
        expected.0.insert("path".into(), "[]\n".into());
        assert_eq!(templates, expected);
        assert_eq!(warnings.len(), 5, "{warnings:#?}");
        assert!(warnings[0].contains("a.yaml, line 2: "), "{}", warnings[0]);
        assert!(warnings[1].contains("b.yaml, line 5: "), "{}", warnings[1]);
        assert!(warnings[2].contains("c.yaml, line "), "{}", warnings[2]);
        assert!(warnings[3].contains("d.yaml, line 3: ") && warnings[3].contains("nonsense"), "{}", warnings[3]);
        assert!(warnings[4].contains("e.yaml, line 3: "), "{}", warnings[4]);
    }

    #[test]
    fn a_missing_folder_warns() {
        let (templates, warnings) = Templates::load(Path::new("no/such/folder"));
        assert_eq!(templates, Templates::built_in());
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn a_session_can_keep_them() {
        let templates = Templates::built_in();
        let kept = serde_json::to_string(&templates).unwrap();
        assert_eq!(serde_json::from_str::<Templates>(&kept).unwrap(), templates);
    }
}
