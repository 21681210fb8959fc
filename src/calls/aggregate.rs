//! A computation over the far ends of a relation: what is asked for, as data. Written in a line
//! (`count ~P17 where P31 = Q8502 and P2044 > 3500`), read back by `asm`, carried out by a KG.

use super::EdgeList;
use crate::graph::{Direction, RelationId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A computation over the far ends of a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Aggregate {
    /// What is computed.
    pub function: Function,
    /// The relation from the selected entities to what is computed over.
    pub relation: RelationId,
    /// Its direction.
    pub direction: Direction,
    /// Which of the far ends count; all of these must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<Filter>,
    /// The relation of the far ends whose value `min`, `max` and `first` compare: id or label. Without it they compare the
    /// far ends themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<RelationId>,
}

/// What an aggregation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// How many.
    Count,
    /// The one with the smallest value.
    Min,
    /// The one with the largest value.
    Max,
    /// The one with the earliest date.
    First,
    /// Those that every selected entity has.
    Intersect,
    /// Those that pass the filters.
    Filter,
}

impl Function {
    /// Every function, in the order in which people are offered them.
    pub const ALL: [Self; 6] = [Self::Count, Self::Max, Self::Min, Self::First, Self::Intersect, Self::Filter];

    /// As it is written in an action: `count`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Min => "min",
            Self::Max => "max",
            Self::First => "first",
            Self::Intersect => "intersect",
            Self::Filter => "filter",
        }
    }

    /// Whether it picks the far end with an extreme value.
    #[must_use]
    pub const fn compares(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::First)
    }
}

/// The relation of a filter that looks at the far end itself: `count P577 where value > 2000`.
pub const ITSELF: &str = "value";

/// A condition on a far end. `!=` holds where no value is equal, so also where there is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Filter {
    /// The relation of the far end that is looked at: id or label, or [`ITSELF`].
    pub relation: RelationId,
    /// The comparison.
    pub test: Test,
    /// What it is compared with, as written; [`Value::read`] says what it is.
    pub value: String,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl Test {
    /// As it is written: `>=`.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether it needs a value that has an order.
    #[must_use]
    pub const fn orders(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// What the value of a filter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number: the amount in plain decimal digits (`-1200.5`), and the unit that was written after it. A whole number
    /// from 1 to 9999 without unit also stands for a year where it is compared with dates.
    Number {
        /// Plain decimal digits.
        amount: String,
        /// The unit as written; amounts are compared as the graph states them, so it converts nothing.
        unit: Option<String>,
    },
    /// A day, a month or a year (0 is 1 BCE).
    Date(Day),
    /// An entity's id or label, or a text.
    Name(String),
}

/// A year, or a month or day of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The year, 0 for 1 BCE.
    pub year: i64,
    /// The month, 1 to 12.
    pub month: Option<u8>,
    /// The day of the month.
    pub day: Option<u8>,
}

const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

impl Value {
    /// Reads a value: `3500`, `3,500.5 m`, `1950`, `1950-05-13`, `13 May 1950`, `44 BCE`, `Q8502`, `mountain`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        if let Some(day) = Day::read(text) {
            return Self::Date(day);
        }
        number(text).map_or_else(|| Self::Name(text.to_owned()), |(amount, unit)| Self::Number { amount, unit })
    }

    /// The day, month or year that it stands for where dates are compared.
    #[must_use]
    pub fn as_day(&self) -> Option<Day> {
        match self {
            Self::Date(day) => Some(*day),
            Self::Number { amount, unit: None } => {
                let year = amount.parse().ok().filter(|year| (1..=9999).contains(year))?;
                Some(Day { year, month: None, day: None })
            }
            _ => None,
        }
    }
}

/// The amount and unit of a number.
fn number(text: &str) -> Option<(String, Option<String>)> {
    let (sign, rest) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
    let (digits, unit) = (rest[..end].trim_end_matches([',', '.']), rest[end..].trim());
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped = groups.len() == 1 || (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3);
    let plain = |part: &str| !part.is_empty() && part.len() <= 30 && part.bytes().all(|b| b.is_ascii_digit());
    if !grouped || !plain(&whole.replace(',', "")) || !fraction.is_none_or(plain) {
        return None;
    }
    let is_unit = |c: char| c.is_alphabetic() || matches!(c, ' ' | '/' | '%' | '°' | '²' | '³' | '\'' | '€' | '$' | '£');
    if unit.chars().count() > 24 || !unit.chars().all(is_unit) {
        return None;
    }
    let amount = format!("{sign}{}{}", whole.replace(',', ""), fraction.map_or_else(String::new, |f| format!(".{f}")));
    Some((amount, (!unit.is_empty()).then(|| unit.to_owned())))
}

impl Day {
    /// `1950-05`, `1950-05-13`, `13 May 1950`, `May 13, 1950`, `May 1950`, `44 BCE`. A year alone is read as a number.
    fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let month = |word: &&str| {
            let word = word.to_lowercase();
            let at = MONTHS.iter().position(|name| *name == word || (word.len() == 3 && name.starts_with(&word)))?;
            u8::try_from(at + 1).ok()
        };
        let whole = |word: &str, most: usize| -> Option<i64> {
            (word.len() <= most && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse().ok()).flatten()
        };
        let small = |word: &str| whole(word, 2).and_then(|day| u8::try_from(day).ok());
        let day = match words.as_slice() {
            [iso] => return Self::iso(iso),
            [year, era] if matches!(era.to_uppercase().as_str(), "BC" | "BCE") => {
                return Some(Self { year: 1 - whole(year, 6).filter(|year| *year > 0)?, month: None, day: None });
            }
            [name, year] => Self { year: whole(year, 4)?, month: Some(month(name)?), day: None },
            [day, name, year] if month(name).is_some() => Self { year: whole(year, 4)?, month: month(name), day: Some(small(day)?) },
            [name, day, year] => Self { year: whole(year, 4)?, month: Some(month(name)?), day: Some(small(day)?) },
            _ => return None,
        };
        day.exists().then_some(day)
    }

    fn iso(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let date = rest.split('T').next().unwrap_or(rest).trim_end_matches('Z');
        let parts: Vec<&str> = date.split('-').collect();
        if !(2..=3).contains(&parts.len()) || !(4..=6).contains(&parts[0].len()) || parts[1..].iter().any(|part| part.len() != 2) {
            return None;
        }
        if parts.iter().any(|part| !part.bytes().all(|b| b.is_ascii_digit())) {
            return None;
        }
        let year: i64 = parts[0].parse().ok()?;
        // Wikidata writes an unknown month or day as 00.
        let part = |at: usize| parts.get(at).and_then(|part| part.parse::<u8>().ok()).filter(|n| *n > 0);
        let month = part(1);
        let day = Self { year: if negative { -year } else { year }, month, day: month.and(part(2)) };
        day.exists().then_some(day)
    }

    fn exists(self) -> bool {
        let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let longest = match self.month {
            None | Some(1 | 3 | 5 | 7 | 8 | 10 | 12) => 31,
            Some(2) if leap => 29,
            Some(2) => 28,
            Some(_) => 30,
        };
        self.month.is_none_or(|month| (1..=12).contains(&month)) && self.day.is_none_or(|day| (1..=longest).contains(&day))
    }

    /// Its first day, as year, month and day.
    #[must_use]
    pub fn begins(self) -> (i64, u8, u8) {
        (self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    /// The first day after it.
    #[must_use]
    pub fn ends(self) -> (i64, u8, u8) {
        let next_month = |month: u8| if month >= 12 { (self.year + 1, 1, 1) } else { (self.year, month + 1, 1) };
        match (self.month, self.day) {
            (None, _) => (self.year + 1, 1, 1),
            (Some(month), None) => next_month(month),
            (Some(month), Some(day)) => {
                let tomorrow = Self { day: Some(day + 1), ..self };
                if tomorrow.exists() { (self.year, month, day + 1) } else { next_month(month) }
            }
        }
    }
}

/// `text` as it stands in a line: bare where it is one word without signs, else in double quotes.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.0;
        let keyword = ["and", "where", "by"].iter().any(|k| word.eq_ignore_ascii_case(k));
        let sign = |c: char| c.is_whitespace() || c.is_control() || "\"'\\<>=!≤≥≠&;,()`*_".contains(c);
        if !word.is_empty() && !keyword && !word.contains(sign) && !word.starts_with('~') && !word.ends_with('.') {
            return f.write_str(word);
        }
        f.write_str("\"")?;
        for c in word.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() || c.is_whitespace() => f.write_str(" ")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Display for Aggregate {
    /// The line that it is written as: `count ~P17 where P31 = Q8502 and P2044 > 3500`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tilde = if self.direction == Direction::In { "~" } else { "" };
        write!(f, "{} {tilde}{}", self.function.name(), Name(&self.relation))?;
        if let Some(by) = &self.by {
            write!(f, " by {}", Name(by))?;
        }
        for (at, filter) in self.filters.iter().enumerate() {
            let joint = if at == 0 { "where" } else { "and" };
            write!(f, " {joint} {} {} {}", Name(&filter.relation), filter.test.sign(), Name(&filter.value))?;
        }
        Ok(())
    }
}

impl Aggregate {
    /// The id of the relation that the result stands under in a graph, without blanks: `count(~P17;P31=Q8502;P2044>3500)`.
    #[must_use]
    pub fn fact_id(&self) -> RelationId {
        let tilde = if self.direction == Direction::In { "~" } else { "" };
        let mut id = format!("{}({tilde}{}", self.function.name(), self.relation);
        if let Some(by) = &self.by {
            id.push_str(&format!(";by:{by}"));
        }
        for filter in &self.filters {
            id.push_str(&format!(";{}{}{}", filter.relation, filter.test.sign(), filter.value));
        }
        id.push(')');
        id.split_whitespace().collect::<Vec<_>>().join("_").into()
    }
}

/// What an aggregation came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AggregateResult {
    /// The number: of `count`, or the extreme value of `min`, `max` and `first`, as people read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The facts that it adds to a graph, one list a relation: for `count`, `min`, `max` and `first` the derived fact under
    /// [`Aggregate::fact_id`] (and the compared value), for `intersect` and `filter` the edges themselves (and the values
    /// that they were filtered by). Empty when nothing was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<EdgeList>,
    /// What came out and how relation, filters and `by` were understood, with labels: one sentence.
    pub reading: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(amount: &str, unit: Option<&str>) -> Value {
        Value::Number { amount: amount.into(), unit: unit.map(Into::into) }
    }

    fn date(year: i64, month: Option<u8>, day: Option<u8>) -> Value {
        Value::Date(Day { year, month, day })
    }

    #[test]
    fn values_are_numbers_dates_or_names() {
        for (text, value) in [
            ("3500", number("3500", None)),
            ("3,500.5 m", number("3500.5", Some("m"))),
            ("-12", number("-12", None)),
            ("+40 km/h", number("40", Some("km/h"))),
            ("1950-05-13", date(1950, Some(5), Some(13))),
            ("1950-05-00T00:00:00Z", date(1950, Some(5), None)),
            ("-0043-03", date(-43, Some(3), None)),
            ("13 May 1950", date(1950, Some(5), Some(13))),
            ("May 13, 1950", date(1950, Some(5), Some(13))),
            ("Feb 1900", date(1900, Some(2), None)),
            ("44 BCE", date(-43, None, None)),
        ] {
            assert_eq!(Value::read(text), value, "{text}");
        }
        for name in ["", "Q8502", "2001: A Space Odyssey", "31 February 1950", "1950-13-01", "1,2", "1.2.3", "May", "mountain", "é1", "-"]
        {
            assert_eq!(Value::read(name), Value::Name(name.into()), "{name}");
        }
    }

    #[test]
    fn a_year_is_a_number_that_dates_are_compared_with() {
        let day = Value::read("1950").as_day().unwrap();
        assert_eq!((day.begins(), day.ends()), ((1950, 1, 1), (1951, 1, 1)));
        assert_eq!(Value::read("3500 m").as_day(), None);
        assert_eq!(Value::read("1950.5").as_day(), None);
        let ends = |text: &str| Value::read(text).as_day().unwrap().ends();
        assert_eq!(ends("2000-02-29"), (2000, 3, 1));
        assert_eq!(ends("1999-12-31"), (2000, 1, 1));
        assert_eq!(ends("December 1999"), (2000, 1, 1));
        assert_eq!(ends("1 BCE"), (1, 1, 1));
    }

    #[test]
    fn a_fact_id_has_no_blanks_and_a_line_quotes_names() {
        let filter = |relation: &str, test, value: &str| Filter { relation: relation.into(), test, value: value.into() };
        let what = Aggregate {
            function: Function::Max,
            relation: "P17".into(),
            direction: Direction::In,
            filters: vec![filter("instance of", Test::Equal, "New \"York\""), filter("P2044", Test::AtLeast, "3500")],
            by: Some("P2044".into()),
        };
        assert_eq!(what.to_string(), r#"max ~P17 by P2044 where "instance of" = "New \"York\"" and P2044 >= 3500"#);
        assert_eq!(&*what.fact_id(), "max(~P17;by:P2044;instance_of=New_\"York\";P2044>=3500)");
    }
}
