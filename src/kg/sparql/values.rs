//! Terms that are no entities, as people read them.

use super::dates::Date;
use super::term::Term;
use super::vocabulary::{Model, is_unknown};
use crate::graph::{Literal, LiteralKind};

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// Places as well-known text: GeoSPARQL's name, and Virtuoso's.
const WKT: [&str; 2] = ["http://www.opengis.net/ont/geosparql#wktLiteral", "http://www.openlinksw.com/schemas/virtrdf#Geometry"];

/// What a value node says about a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Wikidata's `timePrecision`.
    pub precision: Option<u8>,
    /// Whether a date is to be shown in the Julian calendar.
    pub julian: bool,
    /// The name of the unit.
    pub unit: Option<String>,
    /// The lower and the upper bound of a quantity.
    pub bounds: Option<(String, String)>,
}

fn xsd(term: &Term) -> Option<&str> {
    match term {
        Term::Literal { datatype: Some(datatype), .. } => datatype.strip_prefix(XSD),
        _ => None,
    }
}

fn is_date(kind: &str) -> bool {
    matches!(kind, "dateTime" | "dateTimeStamp" | "date" | "gYear" | "gYearMonth")
}

fn is_number(kind: &str) -> bool {
    matches!(
        kind,
        "decimal" | "double" | "float" | "int" | "integer" | "long" | "short" | "byte" | "nonNegativeInteger" | "positiveInteger"
    ) || matches!(kind, "unsignedInt" | "unsignedLong" | "unsignedShort" | "unsignedByte" | "negativeInteger" | "nonPositiveInteger")
}

/// Whether a value is a number.
pub fn is_amount(term: &Term) -> bool {
    xsd(term).is_some_and(is_number)
}

/// The text of a value, alike however an engine writes it: `+148` and `148.0` are `148`.
pub fn key(text: &str) -> String {
    let text = text.trim().trim_start_matches('+');
    let numeric = text.contains('.') && text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
    let text = if numeric { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    text.to_owned()
}

/// A key that sorts dates by time and numbers by size; texts have none.
#[expect(clippy::cast_possible_truncation, reason = "only an order: out of range means at the end")]
pub fn order(term: &Term) -> Vec<i64> {
    match xsd(term) {
        Some(kind) if is_date(kind) => Date::parse(term.text())
            .map(|d| vec![d.year, i64::from(d.month.unwrap_or(0)), i64::from(d.day.unwrap_or(0))])
            .unwrap_or_default(),
        Some(kind) if is_number(kind) => term.text().parse::<f64>().map(|n| vec![(n * 1000.0) as i64]).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What is known not to exist.
pub fn no_value() -> Literal {
    Literal { kind: LiteralKind::NoValue, text: "no value".to_owned(), raw: None, lang: None }
}

/// `term` as a value, with what is known of it besides.
pub fn literal(term: &Term, model: Model, detail: &Detail) -> Literal {
    let (kind, text) = match term {
        Term::Iri(iri) if is_unknown(iri) => (LiteralKind::Unknown, "unknown value".to_owned()),
        Term::Iri(iri) => (LiteralKind::Url, iri.clone()),
        Term::Blank(_) if model == Model::Wikidata => (LiteralKind::Unknown, "unknown value".to_owned()),
        Term::Blank(_) => (LiteralKind::Unknown, "unnamed node".to_owned()),
        Term::Literal { value, datatype, .. } => match datatype.as_deref() {
            Some(datatype) if WKT.contains(&datatype) => {
                coordinates(value).map_or_else(|| (LiteralKind::Text, value.clone()), |text| (LiteralKind::Coordinates, text))
            }
            Some(_) => typed(xsd(term).unwrap_or(""), value, model, detail),
            None => (LiteralKind::Text, value.clone()),
        },
    };
    let raw = (text != term.text()).then(|| term.text().to_owned());
    let lang = Some(term.lang()).filter(|lang| !lang.is_empty()).map(str::to_owned);
    Literal { kind, text, raw, lang }
}

fn typed(kind: &str, value: &str, model: Model, detail: &Detail) -> (LiteralKind, String) {
    if is_date(kind) {
        return (LiteralKind::Date, date(kind, value, model, detail));
    }
    if is_number(kind) {
        let number = within(key(value), detail.bounds.as_ref());
        return (LiteralKind::Quantity, detail.unit.as_ref().map_or_else(|| number.clone(), |unit| format!("{number} {unit}")));
    }
    let kind = if kind == "anyURI" { LiteralKind::Url } else { LiteralKind::Text };
    (kind, value.to_owned())
}

/// A number with its bounds: `148 ± 2`, or `14 (12 to 15)` where they are not equally far.
fn within(number: String, bounds: Option<&(String, String)>) -> String {
    let Some((lower, upper)) = bounds.map(|(lower, upper)| (key(lower), key(upper))) else { return number };
    if lower == number && upper == number {
        return number;
    }
    match (minus(&number, &lower), minus(&upper, &number)) {
        (Some(below), Some(above)) if below == above => format!("{number} ± {below}"),
        _ => format!("{number} ({lower} to {upper})"),
    }
}

/// `a - b`, exactly; `None` for what is no decimal number or too long.
fn minus(a: &str, b: &str) -> Option<String> {
    let digits = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
    let scale = Some(digits(a).max(digits(b))).filter(|scale| *scale <= 40)?;
    let whole = |text: &str| -> Option<i128> {
        let zeros = "0".repeat(scale - digits(text));
        format!("{}{zeros}", text.replacen('.', "", 1)).parse().ok()
    };
    let difference = whole(a)?.checked_sub(whole(b)?)?;
    let padded = format!("{:0>width$}", difference.unsigned_abs(), width = scale + 1);
    let (before, after) = padded.split_at(padded.len() - scale);
    let sign = if difference < 0 { "-" } else { "" };
    Some(key(&if scale == 0 { format!("{sign}{before}") } else { format!("{sign}{before}.{after}") }))
}

fn date(kind: &str, value: &str, model: Model, detail: &Detail) -> String {
    let Some(date) = Date::parse(value) else { return value.to_owned() };
    let precision = match (detail.precision, model) {
        (Some(precision), _) => precision,
        // Only Wikidata is known to count a year 0; the same digits mean another year elsewhere.
        (None, Model::Plain) if date.year <= 0 => return value.to_owned(),
        // Without its statement, 1 January may as well stand for the whole year: no more is vouched for.
        (None, Model::Wikidata) if (date.month, date.day) == (Some(1), Some(1)) => 9,
        (None, _) if kind == "gYear" => 9,
        (None, _) => 14,
    };
    if detail.julian {
        // In RDF a whole date stands in the Gregorian calendar, whichever it was entered in; less than that as entered.
        let date = if precision >= 11 { date.to_julian() } else { date };
        return format!("{} (Julian)", date.format(precision));
    }
    date.format(precision)
}

/// `Point(lon lat)` as `lat, lon`, with the globe where that is not the Earth.
fn coordinates(wkt: &str) -> Option<String> {
    let globe = wkt.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(iri, _)| iri.rsplit('/').next().unwrap_or(iri));
    let globe = globe.map_or_else(String::new, |globe| format!(" on {globe}"));
    let start = wkt.to_ascii_lowercase().find("point")?;
    let inner = wkt.get(start + 5..)?.trim().strip_prefix('(')?.split(')').next()?;
    let mut numbers = inner.split_whitespace();
    let (lon, lat) = (numbers.next()?, numbers.next()?);
    (lon.parse::<f64>().is_ok() && lat.parse::<f64>().is_ok()).then(|| format!("{lat}, {lon}{globe}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str, datatype: &str, precision: Option<u8>, unit: Option<&str>) -> (LiteralKind, String) {
        let term = Term::Literal { value: value.into(), lang: None, datatype: Some(datatype.into()) };
        let detail = Detail { precision, unit: unit.map(str::to_owned), ..Detail::default() };
        let literal = literal(&term, Model::Wikidata, &detail);
        (literal.kind, literal.text)
    }

    #[test]
    fn values_read_well() {
        let date_time = format!("{XSD}dateTime");
        let decimal = format!("{XSD}decimal");
        assert_eq!(shown("2010-07-08T00:00:00Z", &date_time, Some(11), None), (LiteralKind::Date, "8 July 2010".into()));
        assert_eq!(shown("1977-01-01T00:00:00Z", &date_time, None, None), (LiteralKind::Date, "1977".into()));
        assert_eq!(shown("+148", &decimal, None, Some("minute")), (LiteralKind::Quantity, "148 minute".into()));
        assert_eq!(shown("1.880", &decimal, None, Some("metre")), (LiteralKind::Quantity, "1.88 metre".into()));
        assert_eq!(shown("Point(2.35 48.85)", WKT[0], None, None), (LiteralKind::Coordinates, "48.85, 2.35".into()));
        let moon = "<http://www.wikidata.org/entity/Q405> Point(-23.4 0.67)";
        assert_eq!(shown(moon, WKT[0], None, None), (LiteralKind::Coordinates, "0.67, -23.4 on Q405".into()));
        assert_eq!(shown("yesterday", &date_time, Some(11), None), (LiteralKind::Date, "yesterday".into()));
    }

    #[test]
    fn bounds_are_exact() {
        let shown = |n: &str, lower: &str, upper: &str| within(key(n), Some(&(lower.to_owned(), upper.to_owned())));
        assert_eq!(shown("+148", "+146", "+150"), "148 ± 2");
        assert_eq!(shown("+1.10", "+1.05", "+1.15"), "1.1 ± 0.05");
        assert_eq!(shown("-0.5", "-1", "0"), "-0.5 ± 0.5");
        assert_eq!(shown("14", "12", "15"), "14 (12 to 15)");
        assert_eq!(shown("7", "7", "7.0"), "7");
        assert_eq!(shown("1e9", "1e8", "1e10"), "1e9 (1e8 to 1e10)");
    }

    #[test]
    fn julian_dates_are_shown_in_their_calendar() {
        let shown = |value: &str, precision| {
            let term = Term::Literal { value: value.into(), lang: None, datatype: Some(format!("{XSD}dateTime")) };
            literal(&term, Model::Wikidata, &Detail { precision: Some(precision), julian: true, ..Detail::default() }).text
        };
        assert_eq!(shown("1643-01-04T00:00:00Z", 11), "25 December 1642 (Julian)");
        assert_eq!(shown("-0043-03-13T00:00:00Z", 11), "15 March 44 BCE (Julian)");
        assert_eq!(shown("1641-01-01T00:00:00Z", 9), "1641 (Julian)");
    }

    #[test]
    fn a_year_before_christ_of_unknown_counting_stays_as_it_is() {
        let term = Term::Literal { value: "-0012-11-29".into(), lang: None, datatype: Some(format!("{XSD}date")) };
        assert_eq!(literal(&term, Model::Plain, &Detail::default()).text, "-0012-11-29");
    }

    #[test]
    fn two_unknown_values_stay_two() {
        let of = |term: Term| literal(&term, Model::Wikidata, &Detail::default());
        let (a, b) = (of(Term::Blank("b1".into())), of(Term::Iri("http://www.wikidata.org/.well-known/genid/8f".into())));
        assert_eq!((a.kind, &*a.text), (LiteralKind::Unknown, "unknown value"));
        assert_eq!((b.kind, &*b.text), (LiteralKind::Unknown, "unknown value"));
        assert_ne!(a, b);
    }
}
