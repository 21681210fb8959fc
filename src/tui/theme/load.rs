//! Reading theme files. What is wrong in one is a warning; the style of the default stays.

use super::{Role, Theme, colour};
use crate::text::one_line;
use ratatui::style::{Modifier, Style};
use serde_yaml::{Mapping, Value};
use std::fmt;
use std::path::Path;

const DARK: &str = include_str!("../../../themes/dark.yaml");
const LIGHT: &str = include_str!("../../../themes/light.yaml");
const TERMINAL: &str = include_str!("../../../themes/terminal.yaml");

/// Something wrong in a theme file; the default stays in use for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 when the file could not be read.
    pub line: usize,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", one_line(&self.file), one_line(&self.message))
        } else {
            write!(f, "{}:{}: {}", one_line(&self.file), self.line, one_line(&self.message))
        }
    }
}

/// The themes that are compiled in: dark, light, terminal.
#[must_use]
pub fn built_in() -> Vec<Theme> {
    let plain = Theme { name: "plain".to_owned(), styles: vec![Style::new(); Role::ALL.len()] };
    let files = [("themes/dark.yaml", DARK), ("themes/light.yaml", LIGHT), ("themes/terminal.yaml", TERMINAL)];
    files.into_iter().filter_map(|(file, text)| read(text, file, &plain).0).collect()
}

pub(super) fn default_dark() -> Theme {
    let mut themes = built_in();
    themes.swap_remove(0)
}

/// The theme of a file, over the built-in theme that it names under `inherits` (or the dark one), with what is wrong in it.
#[must_use]
pub fn load_file(path: &Path) -> (Option<Theme>, Vec<Warning>) {
    let file = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let parent = inherited(&text);
            read(&text, &file, &parent)
        }
        Err(error) => {
            let message = format!("no such theme: {error}; there are `dark`, `light`, `terminal`, and YAML files like them");
            (None, vec![Warning { file, line: 0, message }])
        }
    }
}

fn inherited(text: &str) -> Theme {
    let name = serde_yaml::from_str::<Value>(text).ok().and_then(|v| v.get("inherits")?.as_str().map(str::to_owned));
    built_in().into_iter().find(|theme| Some(&theme.name) == name.as_ref()).unwrap_or_else(default_dark)
}

/// Reads a theme over `parent`.
pub(super) fn read(text: &str, file: &str, parent: &Theme) -> (Option<Theme>, Vec<Warning>) {
    let mut reader = Reader { text, file, palette: Mapping::new(), warnings: Vec::new() };
    let root: Mapping = match serde_yaml::from_str(text) {
        Ok(root) => root,
        Err(error) => {
            let line = error.location().map_or(1, |at| at.line());
            reader.warn(line, format!("not a theme: {error}; the default stays in use"));
            return (None, reader.warnings);
        }
    };
    let name = root.get("name").and_then(Value::as_str).unwrap_or(file).to_owned();
    let mut theme = Theme { name, styles: parent.styles.clone() };
    for (key, value) in &root {
        match (key.as_str(), value) {
            (Some("name" | "inherits"), Value::String(_)) => {}
            (Some("palette"), Value::Mapping(palette)) => reader.palette = palette.clone(),
            (Some("styles"), Value::Mapping(_)) => {}
            (Some(key), _) => reader.warn(reader.line(key), format!("`{key}` is not known or of the wrong kind; it is left out")),
            (None, _) => reader.warn(1, "keys must be texts".to_owned()),
        }
    }
    if let Some(Value::Mapping(styles)) = root.get("styles") {
        for (key, value) in styles {
            let key = key.as_str().unwrap_or_default();
            match Role::ALL.iter().find(|role| role.name() == key) {
                Some(role) => {
                    if let Some(style) = reader.style(key, value) {
                        theme.styles[*role as usize] = style;
                    }
                }
                None => reader.warn(reader.line(key), format!("there is no style `{key}`; it is left out")),
            }
        }
    }
    (Some(theme), reader.warnings)
}

struct Reader<'a> {
    text: &'a str,
    file: &'a str,
    palette: Mapping,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn warn(&mut self, line: usize, message: String) {
        self.warnings.push(Warning { file: self.file.to_owned(), line, message });
    }

    /// The line that `key` is defined on.
    fn line(&self, key: &str) -> usize {
        let defines = |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
        self.text.lines().position(defines).map_or(1, |at| at + 1)
    }

    fn style(&mut self, role: &str, value: &Value) -> Option<Style> {
        let Value::Mapping(fields) = value else {
            self.warn(self.line(role), format!("the style `{role}` must be like {{fg: blue, bold: true}}; the default stays in use"));
            return None;
        };
        let mut style = Style::new();
        for (field, value) in fields {
            let field = field.as_str().unwrap_or_default();
            let modifier = match field {
                "fg" | "bg" => {
                    let colour = self.colour(role, value)?;
                    style = if field == "fg" { style.fg(colour) } else { style.bg(colour) };
                    continue;
                }
                "bold" => Modifier::BOLD,
                "dim" => Modifier::DIM,
                "italic" => Modifier::ITALIC,
                "underlined" => Modifier::UNDERLINED,
                "reversed" => Modifier::REVERSED,
                _ => {
                    self.warn(self.line(role), format!("the style `{role}` has an unknown field `{field}`; it is left out"));
                    continue;
                }
            };
            match value {
                Value::Bool(true) => style = style.add_modifier(modifier),
                Value::Bool(false) => {}
                _ => self.warn(self.line(role), format!("`{field}` of the style `{role}` must be true or false")),
            }
        }
        Some(style)
    }

    fn colour(&mut self, role: &str, value: &Value) -> Option<ratatui::style::Color> {
        let name = value.as_str().unwrap_or_default();
        let text = self.palette.get(name).and_then(Value::as_str).unwrap_or(name);
        let colour = colour::parse(text);
        if colour.is_none() {
            let message = format!(
                "`{text}` in the style `{role}` is no colour (\"#rrggbb\", a name of `palette`, or red, blue, ...); the default stays in use"
            );
            self.warn(self.line(role), message);
        }
        colour
    }
}
