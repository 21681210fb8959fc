//! Keys: how they are written, and which command each one has.

use super::Control;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use indexmap::IndexMap;
use std::collections::HashMap;
use std::fmt;

/// One key with its modifiers. Written `s`, `S`, `space`, `ctrl-l`, `alt-x`, `PageUp`, `F1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// Reads a key as it is written in the table and in the config; `None` if there is no such key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mut rest, mut modifiers) = (text, KeyModifiers::NONE);
        loop {
            if let Some(after) = rest.strip_prefix("ctrl-") {
                (rest, modifiers) = (after, modifiers | KeyModifiers::CONTROL);
            } else if let Some(after) = rest.strip_prefix("alt-") {
                (rest, modifiers) = (after, modifiers | KeyModifiers::ALT);
            } else {
                break;
            }
        }
        let mut letters = rest.chars();
        let code = match (letters.next()?, letters.next()) {
            (letter, None) => KeyCode::Char(letter),
            ('F', Some(_)) => KeyCode::F(rest[1..].parse().ok()?),
            _ => Self::named(rest)?,
        };
        Some(Self { code, modifiers })
    }

    fn named(name: &str) -> Option<KeyCode> {
        Some(match name.to_ascii_lowercase().as_str() {
            "space" => KeyCode::Char(' '),
            "enter" => KeyCode::Enter,
            "tab" => KeyCode::Tab,
            "backtab" => KeyCode::BackTab,
            "escape" | "esc" => KeyCode::Esc,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "pageup" => KeyCode::PageUp,
            "pagedown" => KeyCode::PageDown,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "insert" => KeyCode::Insert,
            "delete" => KeyCode::Delete,
            "backspace" => KeyCode::Backspace,
            _ => return None,
        })
    }

    /// The key of an event: presses and repeats, never releases. Shift is part of the letter.
    #[must_use]
    pub fn of_event(event: &KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let mut modifiers = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        let code = match event.code {
            KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            // Some terminals report ctrl with the capital letter.
            KeyCode::Char(letter) if modifiers.contains(KeyModifiers::CONTROL) => KeyCode::Char(letter.to_ascii_lowercase()),
            code => code,
        };
        if code == KeyCode::BackTab {
            modifiers = KeyModifiers::NONE;
        }
        Some(Self { code, modifiers })
    }
}

impl fmt::Display for Chord {
    /// As the footer shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("alt-")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("space"),
            KeyCode::Char(letter) => write!(f, "{letter}"),
            KeyCode::F(number) => write!(f, "F{number}"),
            KeyCode::Up => f.write_str("↑"),
            KeyCode::Down => f.write_str("↓"),
            KeyCode::Left => f.write_str("←"),
            KeyCode::Right => f.write_str("→"),
            KeyCode::BackTab => f.write_str("shift-Tab"),
            code => write!(f, "{code:?}"),
        }
    }
}

/// Which key has which command.
#[derive(Clone, Debug)]
pub struct KeyMap {
    by_key: HashMap<Chord, Control>,
    of: HashMap<Control, Vec<Chord>>,
}

impl KeyMap {
    /// The table's keys with those of the config (command name to keys) in their place. What is wrong or clashes is
    /// told in one sentence each; of two commands with one key the changed one keeps it, else the earlier one.
    #[must_use]
    pub fn new(changed: &IndexMap<String, Vec<String>>) -> (Self, Vec<String>) {
        let mut map = Self { by_key: HashMap::new(), of: HashMap::new() };
        let mut warnings = Vec::new();
        let mut own: HashMap<Control, &[String]> = HashMap::new();
        for (name, keys) in changed {
            match Control::ALL.iter().find(|control| control.spec().name == name) {
                Some(control) => {
                    own.insert(*control, keys);
                }
                None => warnings.push(format!("keys: there is no command `{name}`; `?` lists them all")),
            }
        }
        let first = Control::ALL.iter().filter(|control| own.contains_key(control));
        let then = Control::ALL.iter().filter(|control| !own.contains_key(control));
        for control in first.chain(then) {
            let defaults: Vec<String> = control.spec().keys.iter().map(|key| (*key).to_owned()).collect();
            for key in own.get(control).map_or(defaults.as_slice(), |keys| *keys) {
                map.bind(*control, key, &mut warnings);
            }
        }
        (map, warnings)
    }

    fn bind(&mut self, control: Control, key: &str, warnings: &mut Vec<String>) {
        let name = control.spec().name;
        let Some(chord) = Chord::parse(key) else {
            warnings.push(format!("keys: `{key}` of `{name}` is no key; write s, S, space, ctrl-l, alt-x, PageUp or F1"));
            return;
        };
        if let Some(other) = self.by_key.get(&chord) {
            warnings.push(format!("keys: `{key}` belongs to `{}` and can't be `{name}` too", other.spec().name));
            return;
        }
        self.by_key.insert(chord, control);
        self.of.entry(control).or_default().push(chord);
    }

    /// The command of a key event.
    #[must_use]
    pub fn control(&self, event: &KeyEvent) -> Option<Control> {
        self.by_key.get(&Chord::of_event(event)?).copied()
    }

    /// The command of a key as it is written: `s`, `space`, `ctrl-l`.
    #[must_use]
    pub fn named(&self, key: &str) -> Option<Control> {
        self.by_key.get(&Chord::parse(key)?).copied()
    }

    /// The keys of a command, the one to show first.
    #[must_use]
    pub fn keys(&self, control: Control) -> &[Chord] {
        self.of.get(&control).map_or(&[], Vec::as_slice)
    }

    /// The key to show for a command; empty if it has none.
    #[must_use]
    pub fn key(&self, control: Control) -> String {
        self.keys(control).first().map(Chord::to_string).unwrap_or_default()
    }
}

impl Default for KeyMap {
    fn default() -> Self {
        Self::new(&IndexMap::new()).0
    }
}
