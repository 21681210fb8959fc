//! Wrapping of long text between words and grapheme clusters, once per width.

use super::super::theme::Role;
use crate::text;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A long text with styles, cleaned. Lines are as written; wrapping happens when the width is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    lines: Vec<Vec<(Role, String)>>,
}

impl Document {
    /// A text in one style.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut document = Self::default();
        document.push(Role::Text, text);
        document
    }

    /// Adds a text of one or more lines, each a line of its own.
    pub fn push(&mut self, role: Role, text: &str) {
        let cleaned = text::clean(text);
        self.lines.extend(cleaned.strip_suffix('\n').unwrap_or(&cleaned).split('\n').map(|line| vec![(role, line.to_owned())]));
    }

    /// Adds one line of several styles; line feeds in it become blanks.
    pub fn push_line(&mut self, spans: impl IntoIterator<Item = (Role, String)>) {
        self.lines.push(spans.into_iter().map(|(role, span)| (role, text::one_line_keeping_ends(&span).into_owned())).collect());
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines as written.
    #[must_use]
    pub fn lines(&self) -> &[Vec<(Role, String)>] {
        &self.lines
    }

    /// The whole text without styles: what is copied.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            line.iter().for_each(|(_, span)| out.push_str(span));
            out.push('\n');
        }
        out
    }

    /// Wraps to `width` columns (at least 1).
    #[must_use]
    pub fn wrap(&self, width: usize) -> Vec<Row> {
        let width = width.max(1);
        let mut rows = Vec::with_capacity(self.lines.len());
        for (number, line) in self.lines.iter().enumerate() {
            wrap_line(number, line, width, &mut rows);
        }
        rows
    }
}

/// A row of the screen: pieces of one line of a [`Document`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The line it belongs to.
    pub line: usize,
    /// Span of the line, and bytes of that span.
    pub pieces: Vec<(usize, Range<usize>)>,
}

/// A text as lines of at most so many columns.
#[must_use]
pub fn wrapped_lines(text: &str, width: usize) -> Vec<String> {
    let document = Document::of(&text::one_line(text));
    let span = |line: usize, span: usize| document.lines().get(line).and_then(|spans| spans.get(span)).map_or("", |(_, text)| text);
    let pieces = |row: Row| row.pieces.iter().map(|(at, range)| &span(row.line, *at)[range.clone()]).collect::<String>();
    document.wrap(width).into_iter().map(pieces).collect()
}

/// Where a row could end: after a blank.
#[derive(Clone, Copy)]
struct Break {
    pieces: usize,
    end: usize,
    columns: usize,
}

fn wrap_line(number: usize, line: &[(Role, String)], width: usize, rows: &mut Vec<Row>) {
    let mut row = Row { line: number, pieces: Vec::new() };
    let (mut used, mut last_break) = (0, None::<Break>);
    for (index, (_, span)) in line.iter().enumerate() {
        row.pieces.push((index, 0..0));
        let mut at = 0;
        for cluster in clusters(span) {
            let columns = if cluster.len() == 1 { 1 } else { cluster.width() };
            while used + columns > width && used > 0 {
                let carried = finish(&mut row, last_break.filter(|b| b.columns > 0), rows);
                used = carried.map_or(0, |from| used - from);
                last_break = None;
                if row.pieces.last().is_none_or(|(span, _)| *span != index) {
                    row.pieces.push((index, at..at));
                }
            }
            at += cluster.len();
            if let Some((_, range)) = row.pieces.last_mut() {
                range.end = at;
            }
            used += columns;
            if cluster == " " {
                last_break = Some(Break { pieces: row.pieces.len(), end: at, columns: used });
            }
        }
    }
    row.pieces.retain(|(_, range)| !range.is_empty());
    rows.push(row);
}

/// Ends `row` at `at` (or where it stands) and leaves the rest in it. Returns the columns that went, if there was a rest.
fn finish(row: &mut Row, at: Option<Break>, rows: &mut Vec<Row>) -> Option<usize> {
    let line = row.line;
    let mut rest = Vec::new();
    let mut gone = None;
    if let Some(at) = at {
        rest = row.pieces.split_off(at.pieces);
        if let Some((span, range)) = row.pieces.last_mut() {
            rest.insert(0, (*span, at.end..range.end));
            range.end = at.end;
        }
        gone = Some(at.columns);
    } else if let Some((span, range)) = row.pieces.last() {
        rest.push((*span, range.end..range.end));
    }
    row.pieces.retain(|(_, range)| !range.is_empty());
    rows.push(std::mem::replace(row, Row { line, pieces: rest }));
    gone
}

/// Grapheme clusters; ASCII without the cost of segmentation.
fn clusters(span: &str) -> Box<dyn Iterator<Item = &str> + '_> {
    if span.is_ascii() { Box::new((0..span.len()).map(move |at| &span[at..=at])) } else { Box::new(span.graphemes(true)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(document: &Document, width: usize) -> Vec<String> {
        let line = |row: &Row| row.pieces.iter().map(|(span, range)| document.lines[row.line][*span].1[range.clone()].to_owned()).collect();
        document.wrap(width).iter().map(line).collect()
    }

    #[test]
    fn wraps_between_words_and_inside_long_ones() {
        assert_eq!(rows(&Document::of("the cast of Inception"), 10), ["the cast ", "of ", "Inception"]);
        assert_eq!(rows(&Document::of("abcdefghij"), 4), ["abcd", "efgh", "ij"]);
        assert_eq!(rows(&Document::of("a\n\nb"), 4), ["a", "", "b"]);
    }

    #[test]
    fn never_splits_a_cluster() {
        assert_eq!(rows(&Document::of("e\u{301}e\u{301}e\u{301}"), 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(rows(&Document::of("가나다"), 5), ["가나", "다"]);
        assert_eq!(rows(&Document::of("👨‍👩‍👧👨‍👩‍👧"), 2), ["👨‍👩‍👧", "👨‍👩‍👧"]);
    }

    #[test]
    fn styles_stay_with_their_text() {
        let mut document = Document::default();
        document.push_line([(Role::Text, "say ".to_owned()), (Role::Filled, "Michael Caine".to_owned()), (Role::Text, " now".to_owned())]);
        assert_eq!(rows(&document, 9), ["say ", "Michael ", "Caine now"]);
        let wrapped = document.wrap(9);
        assert_eq!(wrapped[2].pieces, [(1, 8..13), (2, 0..4)]);
    }

    #[test]
    fn nothing_is_lost_at_any_width() {
        let text = "Tree-of-Traversals walks  a KG, 가나다라 and e\u{301}te\u{301}; a_very_long_identifier_without_blanks ends.";
        let document = Document::of(text);
        for width in 1..60 {
            let rows = rows(&document, width);
            assert_eq!(rows.concat(), text, "width {width}");
            assert!(width < 2 || rows.iter().all(|row| row.width() <= width), "width {width}: {rows:?}");
        }
    }
}
