//! Popups: guided flows over the panes. Each is a small machine of its own: keys in, a [`Reaction`] out. Escape leaves
//! no trace. Each says its steps in words too ([`question`]), for the text dialogue: one flow, two faces.

pub mod again;
pub mod breaks;
pub mod compare;
pub mod correct;
pub mod decide;
mod entries;
pub mod expand;
pub mod find;
pub mod flights;
pub mod fork;
pub mod help;
mod inquiries;
pub mod limits;
pub mod line;
pub mod linked;
pub mod override_choice;
pub mod palette;
pub mod question;
pub mod reply;
pub mod rules;
pub mod warnings;

use super::command::{Control, KeyMap};
use super::host::Other;
use super::session_view::SessionView;
use super::theme::{Role, Theme};
use super::widgets::put;
use crate::runner::Command;
use crate::search::NodeId;
use crate::session::{Listed, Recording};
use crate::text;
use crossterm::event::KeyEvent;
use question::InWords;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a popup can look at.
pub struct Desk<'a> {
    /// The session, if one is shown.
    pub view: Option<&'a SessionView>,
    /// The keys.
    pub keys: &'a KeyMap,
    /// Models that a session can go on with.
    pub others: &'a [Other],
}

/// What comes of a key.
#[derive(Debug)]
pub enum Reaction {
    /// The popup stays.
    Stay,
    /// The popup goes.
    Close,
    /// Tell the runner; the popup stays.
    Send(Vec<Command>),
    /// Tell the runner; the popup goes.
    Finish(Vec<Command>),
    /// The popup goes and this command runs.
    Run(Control),
    /// Another popup takes its place.
    Become(Box<dyn Popup>, Vec<Command>),
    /// Look for this text; the popup goes if true.
    Find(String, bool),
    /// Read this session; the popup stays and hears of it.
    Read(PathBuf),
    /// Go to this node; the popup goes.
    Select(NodeId),
    /// Save a template of a prompt; the popup stays.
    Save(SaveTemplate),
}

/// A template of a prompt to be saved for later sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveTemplate {
    /// The template's name.
    pub name: &'static str,
    /// Its text.
    pub text: String,
    /// Whether a file that is there is replaced.
    pub replace: bool,
}

/// A popup: drawn and driven by keys, and the same in words.
pub trait Popup: InWords + Debug + Send {
    /// Takes a key.
    fn key(&mut self, key: &KeyEvent, desk: &Desk<'_>) -> Reaction;

    /// Takes a paste.
    fn paste(&mut self, _text: &str) {}

    /// Looks at a newer snapshot.
    fn update(&mut self, _desk: &Desk<'_>) -> Reaction {
        Reaction::Stay
    }

    /// Hears that the file of a template to be saved is there already.
    fn exists(&mut self, _file: &Path) {}

    /// Hears which sessions there are.
    fn listed(&mut self, _sessions: &[Listed], _desk: &Desk<'_>) {}

    /// Hears what became of reading a session.
    fn read(&mut self, _read: Result<&Recording, &str>, _desk: &Desk<'_>) {}

    /// Whether something is on its way, so that a spinner turns.
    fn waits(&self) -> bool {
        false
    }

    /// Draws it over `area`, the whole screen.
    fn draw(&mut self, buf: &mut Buffer, area: Rect, desk: &Desk<'_>, now: Instant, theme: &Theme);
}

/// The last row of a popup says which keys work, with two blanks between them; returns what is above it.
fn with_keys(buf: &mut Buffer, inner: Rect, keys: &str, theme: &Theme) -> Rect {
    if inner.height < 4 {
        return inner;
    }
    put(buf, inner, inner.x, inner.bottom() - 1, &fitting(keys, inner.width.into()), theme.style(Role::Dim));
    Rect { height: inner.height - 1, ..inner }
}

/// As many keys as there is room for, none of them cut: the last one, which leaves, and the first ones.
fn fitting(keys: &str, width: usize) -> String {
    let mut pieces: Vec<&str> = keys.split("  ").collect();
    while pieces.len() > 2 && text::width(&pieces.join("  ")) > width {
        pieces.remove(pieces.len() - 2);
    }
    pieces.join("  ")
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn keys_go_whole_and_the_one_that_leaves_stays() {
        let keys = "Enter sends  PgUp scrolls  alt-Enter new line  Esc hides";
        assert_eq!(fitting(keys, 80), keys);
        assert_eq!(fitting(keys, 55), "Enter sends  PgUp scrolls  Esc hides");
        assert_eq!(fitting(keys, 35), "Enter sends  Esc hides");
        assert_eq!(fitting(keys, 3), "Enter sends  Esc hides");
        assert_eq!(fitting("", 3), "");
    }
}
