//! Rows as a table for people or as JSON for programs.

use crate::text::{one_line, printable_json, width};
use serde_json::Value;

/// A row: as an object, and as cells.
pub(super) type Row = (Value, Vec<String>);

/// What a command prints.
pub(super) struct Shown {
    /// The result.
    pub(super) out: String,
    /// What there is to say about it.
    pub(super) remarks: Vec<String>,
    /// Whether what was asked for failed, though there is something to show.
    pub(super) failed: bool,
}

/// The rows as one JSON array or as a table.
pub(super) fn shown(json: bool, header: &[&str], rows: Vec<Row>, mut remarks: Vec<String>) -> Shown {
    let out = if json {
        let all = Value::Array(rows.into_iter().map(|(object, _)| object).collect());
        format!("{}\n", printable_json(&format!("{all:#}")))
    } else if rows.is_empty() {
        remarks.insert(0, "nothing found".to_owned());
        String::new()
    } else {
        let cells: Vec<Vec<String>> = rows.into_iter().map(|(_, cells)| cells.iter().map(|cell| one_line(cell)).collect()).collect();
        table(header, &cells)
    };
    Shown { out, remarks, failed: false }
}

/// Columns as wide as their widest cell in a terminal; the last is not padded.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    let mut widths = vec![0; header.len()];
    for row in std::iter::once(&header).chain(rows) {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let mut out = String::new();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        for (cell, widest) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(widest - width(cell) + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_stand_below_each_other_whatever_the_letters() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        let shown = table(&["id", "label"], &[row("Q1", "x"), row("再生", "y"), row("Q12345", "")]);
        assert_eq!(shown, "id      label\nQ1      x\n再生    y\nQ12345\n");
    }
}
