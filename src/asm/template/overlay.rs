//! Prompt files of a folder over the built-in ones, and saving one there.

use super::Templates;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Something wrong with a prompt file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; none when it is about the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file.display(), self.message),
            None => write!(f, "{}: {}", self.file.display(), self.message),
        }
    }
}

/// Everything that is wrong with a folder of prompt files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaws(pub Vec<Flaw>);

impl fmt::Display for Flaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Flaw::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Flaws {}

/// `templates` overlaid by the files of `dir`.
pub(super) fn load(mut templates: Templates, dir: &Path) -> Result<Templates, Flaws> {
    let mut flaws = Vec::new();
    let mut origins: BTreeMap<String, PathBuf> = BTreeMap::new();
    match files(dir) {
        Err(error) => flaws.push(Flaw { file: dir.to_owned(), line: None, message: error.to_string() }),
        Ok(files) => {
            for file in files {
                match read(&file) {
                    Err(flaw) => flaws.push(flaw),
                    Ok((text, found)) => {
                        for (name, template) in found {
                            if let Err(flaw) = take(&mut templates, &mut origins, &file, &text, name, template) {
                                flaws.push(flaw);
                            }
                        }
                    }
                }
            }
        }
    }
    if flaws.is_empty() { Ok(templates) } else { Err(Flaws(flaws)) }
}

/// The prompt files of a folder, in the order of their names.
fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A file's text and the templates in it.
fn read(file: &Path) -> Result<(String, BTreeMap<String, String>), Flaw> {
    let flaw = |line, message: String| Flaw { file: file.to_owned(), line, message };
    let text = std::fs::read_to_string(file).map_err(|e| flaw(None, e.to_string()))?;
    // Read as any YAML first: a name that stands twice is an error there.
    let whole: Result<serde_yaml::Value, _> = serde_yaml::from_str(&text);
    let found = whole.and_then(|whole| if whole.is_null() { Ok(BTreeMap::new()) } else { serde_yaml::from_str(&text) });
    let found = found.map_err(|e| {
        flaw(Some(e.location().map_or(1, |at| at.line())), format!("{e}: a mapping of template names to texts is expected"))
    })?;
    Ok((text, found))
}

/// Takes up one template.
fn take(
    templates: &mut Templates,
    origins: &mut BTreeMap<String, PathBuf>,
    file: &Path,
    whole: &str,
    name: String,
    text: String,
) -> Result<(), Flaw> {
    let (key, block) = key_line(whole, &name);
    let flaw = |line, message| Err(Flaw { file: file.to_owned(), line: Some(line), message });
    if !templates.texts.contains_key(&name) {
        let all: Vec<&str> = templates.texts.keys().map(String::as_str).collect();
        return flaw(key, format!("there is no prompt template `{name}`; there are {}", all.join(", ")));
    }
    if let Some(other) = origins.get(&name) {
        return flaw(key, format!("`{name}` stands in {} already: keep one of them", other.display()));
    }
    if let Err(error) = super::check::check(&name, &text) {
        return flaw(if block { key + error.line } else { key }, error.message);
    }
    origins.insert(name.clone(), file.to_owned());
    templates.overlaid.push(name.clone());
    templates.texts.insert(name, text);
    Ok(())
}

/// The line (from 1) on which a top-level key stands, and whether its text begins on the line below.
fn key_line(text: &str, key: &str) -> (usize, bool) {
    let rest = |line: &str| {
        let line = line.trim_start_matches(['"', '\'']).strip_prefix(key)?;
        line.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':').map(str::to_owned)
    };
    let found = text.lines().enumerate().find_map(|(index, line)| Some((index + 1, rest(line)?)));
    found.map_or((1, false), |(line, rest)| (line, rest.trim_start().starts_with(['|', '>'])))
}

/// What came of saving a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is there.
    Written(PathBuf),
    /// The file is there already with another text: nothing was changed.
    Exists(PathBuf),
}

/// Saves the template `name` as `dir/name.yaml` (the folder is made, for its owner alone). A file that is there is replaced only
/// with `replace`, and only when it holds nothing else.
///
/// # Errors
/// One sentence: a text that can't be used, a file that holds more, or a disk that refuses.
pub fn save(dir: &Path, name: &str, text: &str, replace: bool) -> Result<Saved, String> {
    super::check::check(name, text).map_err(|e| e.to_string())?;
    let path = dir.join(format!("{name}.yaml"));
    let refused = |error: std::io::Error| format!("{} can't be written: {error}", path.display());
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(refused)?;
    for file in files(dir).map_err(refused)?.into_iter().filter(|file| *file != path) {
        if read(&file).is_ok_and(|(_, found)| found.contains_key(name)) {
            return Err(format!("`{name}` stands in {} already: change it there", file.display()));
        }
    }
    let whole = serde_yaml::to_string(&BTreeMap::from([(name, format!("{}\n", text.trim_end()))])).map_err(|e| e.to_string())?;
    if path.exists() {
        match read(&path) {
            Ok((_, found)) if found.keys().any(|other| other != name) => {
                return Err(format!("{} holds other templates too: change it there", path.display()));
            }
            Ok((_, found)) if found.get(name).is_some_and(|old| old.trim_end() == text.trim_end()) => return Ok(Saved::Written(path)),
            _ if !replace => return Ok(Saved::Exists(path)),
            _ => {}
        }
    }
    write(dir, name, &path, &whole, replace).map_err(refused)?;
    Ok(Saved::Written(path))
}

fn write(dir: &Path, name: &str, path: &Path, whole: &str, replace: bool) -> std::io::Result<()> {
    let new = |path: &Path| std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    if !replace {
        return new(path)?.write_all(whole.as_bytes());
    }
    // Whole or not at all: a session that starts meanwhile reads the old file or the new one.
    let draft = dir.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = new(&draft).and_then(|mut file| file.write_all(whole.as_bytes())).and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}
