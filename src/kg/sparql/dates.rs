//! Dates as people read them, in the precision that the graph vouches for.
//!
//! RDF counts years as ISO 8601 does: year 0 is 1 BCE, year -43 is 44 BCE. That holds for Wikidata; a date before
//! year 1 from another source, which may count otherwise, is shown as it stands.

const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// A date as written: `-0043-03-15T00:00:00Z`, `2010-07-08`, `2010-07` or `2010`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date<'a> {
    /// Year, 0 for 1 BCE.
    pub year: i64,
    /// Month, 1 to 12, where it is written.
    pub month: Option<u8>,
    /// Day, 1 to 31, where it is written.
    pub day: Option<u8>,
    /// What follows the `T`, without the zone, where it is not midnight.
    pub time: Option<&'a str>,
}

impl<'a> Date<'a> {
    /// Reads a lexical form, or `None` when it is none of those above.
    pub fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
        let date = date.trim_end_matches('Z');
        let mut parts = date.splitn(3, '-');
        let digits = |part: &str, least: usize| (part.len() >= least && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.to_owned());
        // Four digits at least; Virtuoso counts the sign among them.
        let year = digits(parts.next()?, if negative { 3 } else { 4 })?;
        // Older than the universe by far: not a year that can be counted with.
        let year: i64 = year.parse().ok().filter(|year| *year < 1_000_000_000_000)?;
        let small = |part: Option<&str>, most: u8| -> Option<Option<u8>> {
            match part {
                None => Some(None),
                Some(part) => {
                    let number: u8 = digits(part.get(..2)?, 2)?.parse().ok()?;
                    (number <= most).then_some((number > 0).then_some(number))
                }
            }
        };
        let month = small(parts.next(), 12)?;
        let day = parts.next();
        if time.is_some() && day.is_none() {
            return None;
        }
        let day = small(day, 31)?;
        let clock = time.map(|t| t.trim_end_matches('Z').split(['+', '.']).next().unwrap_or(t));
        let clock = clock.filter(|t| t.chars().any(|c| c.is_ascii_digit() && c != '0'));
        Some(Self { year: if negative { -year } else { year }, month, day, time: clock })
    }

    /// The same day in the Julian calendar, for a day of the Gregorian one.
    #[must_use]
    pub fn to_julian(self) -> Self {
        let (Some(month), Some(day)) = (self.month, self.day) else { return self };
        if self.year.abs() > 1_000_000 {
            return self;
        }
        // By way of the Julian day number, with years that begin in March.
        let early = i64::from(month <= 2);
        let (y, m) = (self.year + 4800 - early, i64::from(month) + 12 * early - 3);
        let days = i64::from(day) + (153 * m + 2) / 5 + 365 * y;
        let number = days + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) - 32045;
        let c = number + 32082;
        let d = (4 * c + 3).div_euclid(1461);
        let e = c - (1461 * d).div_euclid(4);
        let m = (5 * e + 2) / 153;
        let day = u8::try_from(e - (153 * m + 2) / 5 + 1).ok();
        let month = u8::try_from(m + 3 - 12 * (m / 10)).ok();
        Self { year: d - 4800 + m / 10, month, day, time: self.time }
    }

    /// In Wikidata's precision: 14 second, 11 day, 10 month, 9 year, 8 decade, 7 century, 6 millennium, less: about.
    pub fn format(&self, precision: u8) -> String {
        let (n, era) = if self.year > 0 { (self.year, "") } else { (1 - self.year, " BCE") };
        match (precision, self.month, self.day) {
            (12.., Some(_), Some(_)) if self.time.is_some() => {
                format!("{}, {}", self.format(11), self.time.unwrap_or_default())
            }
            (11.., Some(month), Some(day)) => format!("{day} {} {n}{era}", MONTHS[usize::from(month) - 1]),
            (10.., Some(month), _) => format!("{} {n}{era}", MONTHS[usize::from(month) - 1]),
            (9.., _, _) => format!("{n}{era}"),
            (8, _, _) => format!("{}s{era}", n / 10 * 10),
            (7, _, _) => format!("{} century{era}", ordinal((n + 99) / 100)),
            (6, _, _) => format!("{} millennium{era}", ordinal((n + 999) / 1000)),
            _ => format!("about {n}{era}"),
        }
    }
}

fn ordinal(n: i64) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, precision: u8) -> String {
        Date::parse(text).unwrap().format(precision)
    }

    #[test]
    fn precision_decides_what_is_shown() {
        let date = "2010-07-08T00:00:00Z";
        let shown: Vec<String> = (6..=11).map(|p| read(date, p)).collect();
        assert_eq!(shown, ["3rd millennium", "21st century", "2010s", "2010", "July 2010", "8 July 2010"]);
        assert_eq!(read("1801-01-01T00:00:00Z", 7), "19th century");
        assert_eq!(read("1900-01-01T00:00:00Z", 7), "19th century");
        assert_eq!(read("2010-07-08T14:30:00Z", 14), "8 July 2010, 14:30:00");
        assert_eq!(read(date, 14), "8 July 2010");
    }

    #[test]
    fn rdf_has_a_year_zero() {
        assert_eq!(read("-0043-03-15T00:00:00Z", 11), "15 March 44 BCE");
        assert_eq!(read("-043-03-15T00:00:00Z", 11), "15 March 44 BCE");
        assert_eq!(read("0000-01-01T00:00:00Z", 9), "1 BCE");
        assert_eq!(read("-0150-01-01T00:00:00Z", 7), "2nd century BCE");
        assert_eq!(read("-13798000000-01-01T00:00:00Z", 3), "about 13798000001 BCE");
    }

    #[test]
    fn the_julian_calendar_lags_behind() {
        let julian = |text: &str| Date::parse(text).unwrap().to_julian().format(11);
        assert_eq!(julian("1582-10-15"), "5 October 1582");
        assert_eq!(julian("1643-01-04"), "25 December 1642");
        assert_eq!(julian("1900-03-13"), "29 February 1900");
        assert_eq!(julian("0300-03-01"), "29 February 300");
        assert_eq!(julian("-0043-03-13T00:00:00Z"), "15 March 44 BCE");
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for bad in ["", "soon", "2010/07/08", "20100708T", "2010-13-01", "-", "2010-0a-01", "2010-7-8", "2010-07-é"] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
        assert_eq!(Date::parse("2010-07").unwrap().day, None);
        assert_eq!(read("2010-00-00T00:00:00Z", 11), "2010");
    }
}
