//! What a query answers, whichever engine it came from.

use super::term::Term;

/// The rows of a SELECT.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The variables, without question mark.
    pub vars: Vec<String>,
    /// The rows: one cell for each variable, `None` where it is unbound.
    pub rows: Vec<Vec<Option<Term>>>,
}

impl Table {
    /// The columns `names` of the rows of all `tables`.
    #[must_use]
    pub fn together<const N: usize>(names: [&str; N], tables: &[Self]) -> Self {
        let rows = tables.iter().flat_map(|table| table.pick(names)).map(|row| row.map(Option::<&Term>::cloned).to_vec());
        Self { vars: names.map(str::to_owned).to_vec(), rows: rows.collect() }
    }

    /// The cells of `names` in every row.
    pub fn pick<'a, const N: usize>(&'a self, names: [&str; N]) -> impl Iterator<Item = [Option<&'a Term>; N]> + 'a {
        let at = names.map(|name| self.vars.iter().position(|var| var == name));
        self.rows.iter().map(move |row| at.map(|column| column.and_then(|c| row.get(c)).and_then(Option::as_ref)))
    }
}

/// What came back: rows for a SELECT, a truth value for an ASK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// Rows.
    Rows(Table),
    /// Yes or no.
    Truth(bool),
}

/// An answer with what the engine said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The data.
    pub results: Results,
    /// Why more may exist than is here.
    pub cut: Option<String>,
    /// Milliseconds, pauses included.
    pub took_ms: u64,
    /// How many tries it took.
    pub tries: u32,
}
