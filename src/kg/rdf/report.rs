//! What loading came to: how much was read, and what was not.

use crate::kg::thousands;
use crate::text;

/// Flaws that are listed one by one; the others are only counted.
const LISTED: usize = 20;
/// Columns of the reason in a list.
const REASON: usize = 200;

/// A place in a file that breaks the rules of its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The file, as messages name it.
    pub file: String,
    /// From 1, where it is known.
    pub line: Option<u64>,
    /// From 1, in characters, where it is known.
    pub column: Option<u64>,
    /// What is wrong.
    pub why: String,
}

impl Flaw {
    /// `facts.nt, line 3, column 7`: as much as is known.
    #[must_use]
    pub fn place(&self) -> String {
        let mut place = self.file.clone();
        if let Some(line) = self.line {
            place.push_str(&format!(", line {line}"));
        }
        if let Some(column) = self.column {
            place.push_str(&format!(", column {column}"));
        }
        place
    }
}

/// What came of loading one graph from its files.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    /// Facts read.
    pub facts: u64,
    /// Places that were skipped: lines, rows or statements.
    pub skipped: u64,
    /// Lines that break a rule and were taken as they stand.
    pub kept: u64,
    /// The first flaws, skipped or kept.
    pub flaws: Vec<Flaw>,
    /// What else a person has to know: a file that breaks off, a column that is not read.
    pub notes: Vec<String>,
}

impl LoadReport {
    /// Notes a flaw; the caller counts it.
    pub(super) fn list(&mut self, flaw: Flaw) {
        if self.flaws.len() < LISTED {
            let why = text::one_line(&flaw.why);
            self.flaws.push(Flaw { why: text::cut(&why, REASON).into_owned(), ..flaw });
        }
    }

    /// For people, one line each: nothing when all was read.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        if self.skipped + self.kept == 0 {
            return remarks;
        }
        let count = |n: u64, what: &str| (n > 0).then(|| format!("{} {}{what}", thousands(n), if n == 1 { "place" } else { "places" }));
        let counts: Vec<String> = [count(self.skipped, " skipped"), count(self.kept, " kept as written")].into_iter().flatten().collect();
        let facts = if self.facts == 1 { "1 fact was read".to_owned() } else { format!("{} facts were read", thousands(self.facts)) };
        remarks.push(format!("{facts}; {} (--strict refuses such files)", counts.join(", ")));
        remarks.extend(self.flaws.iter().map(|flaw| format!("{}: {}", flaw.place(), flaw.why)));
        let more = (self.skipped + self.kept).saturating_sub(self.flaws.len() as u64);
        if more > 0 {
            remarks.push(format!("and {} more", thousands(more)));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_flaws_are_listed_and_the_others_counted() {
        let mut report = LoadReport { facts: 1200, ..LoadReport::default() };
        assert!(report.remarks().is_empty());
        for line in 1..=25 {
            report.skipped += 1;
            report.list(Flaw { file: "a.nt".into(), line: Some(line), column: None, why: "bad\nline".into() });
        }
        report.kept = 1;
        let remarks = report.remarks();
        assert_eq!(remarks[0], "1,200 facts were read; 25 places skipped, 1 place kept as written (--strict refuses such files)");
        assert_eq!((&*remarks[1], &*remarks[20], remarks.len()), ("a.nt, line 1: bad line", "a.nt, line 20: bad line", 22));
        assert_eq!(remarks[21], "and 6 more");
    }
}
