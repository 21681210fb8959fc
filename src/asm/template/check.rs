//! Whether a template can be used, found out before anything is asked.

use super::super::prompt::samples;
use super::{TemplateError, environment, render, wrong};
use std::collections::BTreeSet;

/// Variables that a template can't do without: what its task is about.
const fn needed(name: &str) -> &'static [&'static str] {
    match name.as_bytes() {
        b"question" => &["question"],
        b"graph" => &["graph"],
        b"path" => &["path"],
        b"match" => &["mention", "candidates"],
        b"select_entities" => &["entities"],
        b"select_relation" => &["relations"],
        b"evaluate_answer" => &["answer"],
        b"review" => &["fact"],
        _ => &[],
    }
}

/// Syntax, variables, what is missing, and a trial with every set of sample values.
pub(super) fn check(name: &str, text: &str) -> Result<(), TemplateError> {
    let error = |line: usize, message: String| TemplateError { name: name.to_owned(), line, message };
    let environment = environment();
    let template = environment.template_from_str(text).map_err(|e| wrong(name, &e))?;
    let samples = samples();
    let known: BTreeSet<String> = samples.iter().filter_map(|sample| sample.try_iter().ok()).flatten().map(|key| key.to_string()).collect();
    let globals: BTreeSet<&str> = environment.globals().map(|(global, _)| global).collect();
    let used: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
    // Whether or not the trial would come to it.
    if let Some(unknown) = used.iter().find(|variable| !known.contains(*variable) && !globals.contains(variable.as_str())) {
        let all: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(error(line_of(text, unknown), format!("there is no variable `{unknown}`; there are {}", all.join(", "))));
    }
    if let Some(missing) = needed(name).iter().find(|variable| !used.contains(**variable)) {
        return Err(error(1, format!("`{missing}` does not occur in `{name}`: the model would not see what it is asked about")));
    }
    samples.iter().try_for_each(|sample| render(&environment, name, text, sample).map(drop))
}

/// The line (from 1) on which a word occurs first.
fn line_of(text: &str, word: &str) -> usize {
    let is_word = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
    text.lines().position(is_word).map_or(1, |index| index + 1)
}
