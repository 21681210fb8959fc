//! A list to pick from: found by a few letters, with check boxes where several may be picked.

use super::super::theme::{Role, Theme, kg_sign};
use super::input::LineInput;
use super::{put, scroll_to};
use crate::text;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A row of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// What it is called.
    pub label: String,
    /// Id, description or direction: also found, shown dimmed.
    pub detail: String,
    /// Votes, counts, keys: at the right edge.
    pub right: String,
    /// Position of its KG in the session.
    pub kg: Option<usize>,
    /// Why it can't be picked, or a remark why it is dimmed.
    pub dimmed: Option<String>,
    /// Whether it can't be picked; a dimmed item that is not barred can.
    pub barred: bool,
}

impl Item {
    /// A row with a label only.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// What a key did to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    /// The list took it.
    Nothing,
    /// Enter on this item (of all items, not of those shown).
    Item(usize),
    /// The key is not the list's.
    Ignored,
}

/// Items, those that match, and the checked ones.
#[derive(Clone, Debug, Default)]
pub struct PickList {
    items: Vec<Item>,
    checked: Option<Vec<bool>>,
    find: LineInput,
    /// Whether letters go into `find`.
    typing: bool,
    /// Whether they always do.
    types_at_once: bool,
    shown: Vec<usize>,
    cursor: usize,
    offset: usize,
    height: usize,
}

impl PickList {
    /// A list to pick one item from.
    #[must_use]
    pub fn one(items: Vec<Item>) -> Self {
        let shown = (0..items.len()).collect();
        Self { items, shown, ..Self::default() }
    }

    /// A list to pick several items from, some already checked.
    #[must_use]
    pub fn several(items: Vec<Item>, checked: impl Fn(usize) -> bool) -> Self {
        let checked = Some((0..items.len()).map(checked).collect());
        Self { checked, ..Self::one(items) }
    }

    /// The same list, but every letter looks for something at once (otherwise `/` begins to).
    #[must_use]
    pub const fn typing_at_once(mut self) -> Self {
        (self.typing, self.types_at_once) = (true, true);
        self
    }

    /// Whether letters go into the text to find.
    #[must_use]
    pub const fn is_typing(&self) -> bool {
        self.typing
    }

    /// Ends the typing: letters move again.
    pub const fn end_typing(&mut self) {
        self.typing = self.types_at_once;
    }

    /// All items.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Whether several can be picked.
    #[must_use]
    pub const fn is_several(&self) -> bool {
        self.checked.is_some()
    }

    /// Puts more or other items in; the text to find, the cursor's row and check marks by position stay.
    pub fn refill(&mut self, items: Vec<Item>) {
        if let Some(checked) = &mut self.checked {
            checked.resize(items.len(), false);
        }
        let at = self.current();
        self.items = items;
        self.refilter();
        if let Some(at) = at {
            self.select(at);
        }
    }

    /// Checks or unchecks an item.
    pub fn check(&mut self, item: usize, on: bool) {
        if let Some(checked) = self.checked.as_mut().and_then(|checked| checked.get_mut(item)) {
            *checked = on;
        }
    }

    /// Empties the text to find.
    pub fn clear_find(&mut self) {
        self.find.set("");
        self.refilter();
    }

    /// The item under the cursor.
    #[must_use]
    pub fn current(&self) -> Option<usize> {
        self.shown.get(self.cursor).copied()
    }

    /// Puts the cursor on an item, if it is shown.
    pub fn select(&mut self, item: usize) {
        if let Some(at) = self.shown.iter().position(|shown| *shown == item) {
            self.cursor = at;
        }
    }

    /// The checked items in their order; where only one can be picked, the one under the cursor.
    #[must_use]
    pub fn picked(&self) -> Vec<usize> {
        match &self.checked {
            Some(checked) => (0..checked.len()).filter(|at| checked[*at]).collect(),
            None => self.current().into_iter().collect(),
        }
    }

    /// The text that is looked for.
    #[must_use]
    pub fn find(&self) -> &str {
        self.find.value()
    }

    /// Takes a paste into the text to find.
    pub fn paste(&mut self, text: &str) {
        self.typing = true;
        self.find.paste(text);
        self.refilter();
    }

    /// Takes a key. Arrows and pages move. `/` begins to look for text, Enter or Escape end the typing; then `j k g G`
    /// move, space checks (where several can be picked), Enter picks, and Escape shows all items again.
    pub fn key(&mut self, key: &KeyEvent) -> Picked {
        if self.moves(key) {
            return Picked::Nothing;
        }
        match key.code {
            KeyCode::Tab | KeyCode::BackTab => return Picked::Ignored,
            KeyCode::Enter if self.typing && !self.types_at_once => self.typing = false,
            KeyCode::Enter => return self.enter(),
            KeyCode::Esc if self.typing && !self.types_at_once => self.typing = false,
            KeyCode::Esc if !self.types_at_once && !self.find.value().is_empty() => self.clear_find(),
            KeyCode::Esc => return Picked::Ignored,
            _ if self.typing => {
                let changed = self.find.key(key);
                if changed {
                    self.refilter();
                }
            }
            KeyCode::Char('/') => self.typing = true,
            KeyCode::Char(' ') if self.checked.is_some() => self.toggle(),
            _ => {}
        }
        Picked::Nothing
    }

    /// Moves the cursor, if that is what the key is for.
    fn moves(&mut self, key: &KeyEvent) -> bool {
        let (page, last) = (self.height.max(2) - 1, self.shown.len().saturating_sub(1));
        let resting = !self.typing && key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT) == KeyModifiers::NONE;
        match key.code {
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            KeyCode::PageUp => self.cursor = self.cursor.saturating_sub(page),
            KeyCode::PageDown => self.cursor = (self.cursor + page).min(last),
            KeyCode::Char('k') if resting => self.step(-1),
            KeyCode::Char('j') if resting => self.step(1),
            KeyCode::Char('g') | KeyCode::Home if resting => self.cursor = 0,
            KeyCode::Char('G') | KeyCode::End if resting => self.cursor = last,
            _ => return false,
        }
        true
    }

    fn step(&mut self, by: isize) {
        let count = self.shown.len();
        if count > 0 {
            self.cursor = (self.cursor + count).saturating_add_signed(by) % count;
        }
    }

    fn enter(&self) -> Picked {
        match self.current() {
            Some(at) if !self.items[at].barred => Picked::Item(at),
            _ => Picked::Nothing,
        }
    }

    /// Checks or unchecks the item under the cursor.
    pub fn toggle(&mut self) {
        if let (Some(at), Some(checked)) = (self.shown.get(self.cursor), &mut self.checked)
            && !self.items[*at].barred
        {
            checked[*at] = !checked[*at];
        }
    }

    fn refilter(&mut self) {
        let needle = self.find.value();
        if needle.is_empty() {
            self.shown = (0..self.items.len()).collect();
        } else {
            self.shown = ranked(needle, self.items.iter().map(|item| (item.label.as_str(), item.detail.as_str())));
        }
        self.cursor = 0;
        self.offset = 0;
    }

    /// The item that a mouse click at row `y` of `area` (as given to [`Self::render`]) means: puts the cursor there.
    pub fn click(&mut self, area: Rect, y: u16) -> bool {
        let first = area.y + 1;
        let at = self.offset + usize::from(y.saturating_sub(first));
        let hit = y >= first && y < area.bottom() && at < self.shown.len();
        if hit {
            self.cursor = at;
        }
        hit
    }

    /// Draws the line to find with, and the items in view.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, hint: &str, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        let list = if area.height > 1 {
            put(buf, area, area.x, area.y, "/ ", theme.style(Role::Key));
            let line = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), height: 1, ..area };
            if self.typing {
                self.find.render(buf, line, hint, theme);
            } else {
                self.find.render_at_rest(buf, line, hint, theme);
            }
            let count = format!(" {} of {}", self.shown.len(), self.items.len());
            let wide = u16::try_from(text::width(&count)).unwrap_or(0);
            if area.width > wide + 30 {
                put(buf, area, area.right() - wide, area.y, &count, theme.style(Role::Dim));
            }
            Rect { y: area.y + 1, height: area.height - 1, ..area }
        } else {
            area
        };
        self.height = list.height.into();
        self.offset = scroll_to(self.offset, self.cursor, self.height, self.shown.len());
        if self.shown.is_empty() {
            let said = if self.items.is_empty() { "nothing to pick from" } else { "nothing matches" };
            put(buf, list, list.x, list.y, said, theme.style(Role::Dim));
        }
        let rows = Rect { width: list.width.saturating_sub(u16::from(self.shown.len() > self.height)), ..list };
        for (row, y) in (self.offset..self.shown.len()).zip(list.y..list.bottom()) {
            self.render_row(buf, Rect { y, height: 1, ..rows }, row, theme);
        }
        super::pager::scroll_mark(buf, list, self.offset, self.height, self.shown.len(), theme);
    }

    fn render_row(&self, buf: &mut Buffer, area: Rect, row: usize, theme: &Theme) {
        let at = self.shown[row];
        let item = &self.items[at];
        let style = theme.style(if item.dimmed.is_some() { Role::Dim } else { Role::Text });
        let right = match (&item.dimmed, item.right.is_empty()) {
            (Some(why), true) => why.clone(),
            (Some(why), false) => format!("{why}  {}", item.right),
            (None, _) => item.right.clone(),
        };
        let right = text::one_line_keeping_ends(&right);
        let right = text::cut(&right, usize::from(area.width) * 2 / 3);
        let wide = u16::try_from(text::width(&right)).unwrap_or(0);
        let left = Rect { width: area.width.saturating_sub(wide + u16::from(wide > 0) * 2), ..area };
        let mut x = put(buf, left, area.x, area.y, if row == self.cursor { "›" } else { " " }, theme.style(Role::Accent));
        if let Some(checked) = &self.checked {
            x = put(buf, left, x, area.y, if checked[at] { "[x] " } else { "[ ] " }, theme.style(Role::Accent));
        }
        if let Some(kg) = item.kg {
            x = put(buf, left, x, area.y, kg_sign(kg), theme.style(Role::of_kg(kg)));
            x = put(buf, left, x, area.y, " ", style);
        }
        x = put(buf, left, x, area.y, &item.label, style);
        if !item.detail.is_empty() {
            put(buf, left, x.saturating_add(2), area.y, &item.detail, theme.style(Role::Dim));
        }
        put(buf, area, area.right().saturating_sub(wide), area.y, &right, theme.style(Role::Dim));
        if row == self.cursor {
            buf.set_style(area, theme.style(Role::Selection));
        }
    }
}

/// Positions of the (label, detail) pairs that match `needle`, best first: by its letters in the label, where the
/// beginning counts most, or as it stands in the detail.
#[must_use]
pub fn ranked<'a>(needle: &str, texts: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<usize> {
    let pattern = Pattern::parse(needle, CaseMatching::Ignore, Normalization::Smart);
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    let mut matcher = Matcher::new(config);
    let (mut letters, mut scored) = (Vec::new(), Vec::new());
    let needle = needle.trim().to_lowercase();
    for (at, (label, detail)) in texts.enumerate() {
        let in_label = pattern.score(Utf32Str::new(label, &mut letters), &mut matcher).map(|score| score + 1);
        let in_detail = detail.to_lowercase().contains(&needle).then_some(0);
        if let Some(score) = in_label.or(in_detail) {
            scored.push((std::cmp::Reverse(score), at));
        }
    }
    scored.sort_unstable();
    scored.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests;
