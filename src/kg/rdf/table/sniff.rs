//! What stands between the cells of a table.

use super::header::Layout;
use csv::ReaderBuilder;

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kg::rdf) enum Delimiter {
    /// `,`
    Comma,
    /// `;`, as spreadsheets write where the comma is for decimals.
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    /// As a byte.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// Rows looked at.
const ROWS: usize = 20;

/// The delimiter of a table that begins with `head`: one that makes a header of the first line, else the one that cuts most
/// rows into as many cells as the first. `None` when no row has two cells.
pub(in crate::kg::rdf) fn sniff(head: &[u8]) -> Option<Delimiter> {
    // The last line may be cut.
    let whole = head.iter().rposition(|b| *b == b'\n').map_or(head, |end| &head[..end]);
    let mut best: Option<((bool, usize, usize), Delimiter)> = None;
    for delimiter in [Delimiter::Comma, Delimiter::Semicolon, Delimiter::Tab] {
        let mut reader = ReaderBuilder::new().delimiter(delimiter.byte()).has_headers(false).flexible(true).from_reader(whole);
        let rows: Vec<Vec<String>> = reader
            .byte_records()
            .take(ROWS)
            .map_while(Result::ok)
            .map(|row| row.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect())
            .collect();
        let Some(first) = rows.first().filter(|row| row.len() > 1) else { continue };
        let alike = rows.iter().filter(|row| row.len() == first.len()).count();
        let fit = (Layout::of(first).is_some(), alike, first.len());
        if best.is_none_or(|(known, _)| fit > known) {
            best = Some((fit, delimiter));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_that_makes_a_table() {
        assert_eq!(sniff(b"a,b,c\nd,e,f\n"), Some(Delimiter::Comma));
        assert_eq!(sniff(b"subject;relation;object\na,b;c;d\n"), Some(Delimiter::Semicolon));
        assert_eq!(sniff(b"Bonn;lies on;Rhine, the river\nUlm;lies on;Danube\n"), Some(Delimiter::Semicolon));
        assert_eq!(sniff(b"\"a\tb\",c,d\n\"e\tf\",g,h\n"), Some(Delimiter::Comma));
        assert_eq!(sniff(b"a\tb\tc"), Some(Delimiter::Tab));
        assert_eq!(sniff(b"hello\nworld\n"), None);
        assert_eq!(sniff(b""), None);
    }
}
