//! A window on a long text: wrapped once per width, only the rows in view are drawn.

use super::super::theme::{Role, Theme};
use super::put;
use super::wrap::{Document, Row};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A text and where one stands in it.
#[derive(Clone, Debug, Default)]
pub struct Pager {
    document: Document,
    wrapped: Vec<Row>,
    width: usize,
    height: usize,
    offset: usize,
    find: String,
    /// The line that comes to the top with the first frame.
    opens_at: Option<usize>,
}

impl Pager {
    /// A pager at the start of `document`.
    #[must_use]
    pub fn new(document: Document) -> Self {
        Self { document, ..Self::default() }
    }

    /// A pager that opens at a line of `document`; if what follows it fits, at the end.
    #[must_use]
    pub fn opening_at(document: Document, line: usize) -> Self {
        Self { document, opens_at: Some(line), ..Self::default() }
    }

    /// Shows another text; the place is kept if it is the same text.
    pub fn set(&mut self, document: Document) {
        if document != self.document {
            let find = std::mem::take(&mut self.find);
            *self = Self { document, find, height: self.height, ..Self::default() };
        }
    }

    /// Shows a newer form of the same text: the place stays.
    pub fn replace(&mut self, document: Document) {
        if document != self.document {
            let offset = self.offset;
            self.set(document);
            self.offset = offset;
        }
    }

    /// The text shown.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Scrolls by rows; negative is up.
    pub fn scroll(&mut self, rows: isize) {
        self.offset = self.offset.saturating_add_signed(rows).min(self.last_offset());
    }

    /// Scrolls by pages; negative is up.
    pub fn page(&mut self, pages: isize) {
        let rows = isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1);
        self.scroll(pages.saturating_mul(rows));
    }

    /// To the start.
    pub const fn top(&mut self) {
        self.offset = 0;
    }

    /// To the end.
    pub fn bottom(&mut self) {
        // Before the first frame the height is not known: rendering brings it back into range.
        self.offset = if self.wrapped.is_empty() { usize::MAX } else { self.last_offset() };
    }

    fn last_offset(&self) -> usize {
        self.wrapped.len().saturating_sub(self.height)
    }

    /// What is looked for; its places are marked.
    pub fn set_find(&mut self, needle: &str) {
        self.find = needle.to_lowercase();
    }

    /// To the next row (or the previous one) that has what is looked for; round the end. Whether there is one.
    pub fn find(&mut self, forward: bool, from_here: bool) -> bool {
        let count = self.wrapped.len();
        if self.find.is_empty() || count == 0 {
            return false;
        }
        let start = self.offset.min(count - 1);
        let first = usize::from(!from_here);
        let step = |n: usize| if forward { (start + n) % count } else { (start + count - n % count) % count };
        // A hit may wrap: it is looked for in the whole line, and counts at the line's first row.
        let is_first = |at: usize| at == 0 || self.wrapped[at - 1].line != self.wrapped[at].line;
        let found = (first..=count).map(step).find(|at| is_first(*at) && self.line_has(self.wrapped[*at].line));
        if let Some(at) = found {
            self.offset = at;
        }
        found.is_some()
    }

    fn line_has(&self, line: usize) -> bool {
        let text: String = self.document.lines()[line].iter().map(|(_, span)| span.to_lowercase()).collect();
        text.contains(&self.find)
    }

    /// Draws the rows in view, with a mark of the place at the right edge where not all fits.
    pub fn render(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width.saturating_sub(1).max(1));
        if width != self.width || self.wrapped.is_empty() {
            let line = self.opens_at.take().or_else(|| self.wrapped.get(self.offset).map(|row| row.line));
            self.wrapped = self.document.wrap(width);
            self.width = width;
            if let Some(line) = line {
                self.offset = self.wrapped.partition_point(|row| row.line < line);
            }
        }
        self.height = area.height.into();
        self.offset = self.offset.min(self.last_offset());
        let rows = self.wrapped[self.offset..].iter().take(self.height);
        for (row, y) in rows.zip(area.y..) {
            let mut x = area.x;
            let line = &self.document.lines()[row.line];
            for (span, range) in &row.pieces {
                let (role, text) = &line[*span];
                x = put(buf, area, x, y, &text[range.clone()], theme.style(*role));
            }
            if !self.find.is_empty() && self.line_has(row.line) {
                mark(buf, area, y, &self.find, theme);
            }
        }
        scroll_mark(buf, area, self.offset, self.height, self.wrapped.len(), theme);
    }
}

/// Marks `needle` (lower case) where it stands in row `y`.
fn mark(buf: &mut Buffer, area: Rect, y: u16, needle: &str, theme: &Theme) {
    let cells: Vec<String> = (area.x..area.right()).map(|x| buf[(x, y)].symbol().to_lowercase()).collect();
    let wanted: Vec<String> = needle.chars().map(String::from).collect();
    if wanted.is_empty() || wanted.len() > cells.len() {
        return;
    }
    for (at, x) in (0..=cells.len() - wanted.len()).zip(area.x..) {
        if cells[at..at + wanted.len()] == wanted[..] {
            let width = u16::try_from(wanted.len()).unwrap_or(u16::MAX).min(area.right() - x);
            buf.set_style(Rect { x, y, width, height: 1 }, theme.style(Role::Found));
        }
    }
}

/// A mark at the right edge that says which part is in view; nothing where all fits.
pub fn scroll_mark(buf: &mut Buffer, area: Rect, offset: usize, height: usize, count: usize, theme: &Theme) {
    if count <= height || area.width < 2 || height == 0 {
        return;
    }
    let size = (height * height / count).clamp(1, height);
    let top = offset * (height - size) / (count - height).max(1);
    for (row, y) in (0..height).zip(area.y..area.bottom()) {
        if (top..top + size).contains(&row) {
            buf.set_stringn(area.right() - 1, y, "▐", 1, theme.style(Role::Border));
        }
    }
}

#[cfg(test)]
mod tests;
