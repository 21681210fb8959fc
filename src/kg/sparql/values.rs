//! Terms that are no entities, as people read them.

use super::dates::Date;
use super::term::Term;
use super::vocabulary::{Model, is_unknown};
use crate::graph::{Literal, LiteralKind};

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// Places as well-known text: GeoSPARQL's name, and Virtuoso's.
const WKT: [&str; 2] = ["http://www.opengis.net/ont/geosparql#wktLiteral", "http://www.openlinksw.com/schemas/virtrdf#Geometry"];

/// What a value node says about a value.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    /// Wikidata's `timePrecision`.
    pub precision: Option<u8>,
    /// The IRI of the unit.
    pub unit: Option<String>,
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

/// Whether a value may have a precision or a unit in its statement.
pub fn has_detail(term: &Term) -> bool {
    xsd(term).is_some_and(|kind| is_date(kind) || is_number(kind))
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

/// `term` as a value: `precision` and the label of its `unit` where they are known.
pub fn literal(term: &Term, model: Model, precision: Option<u8>, unit: Option<&str>) -> Literal {
    let (kind, text) = match term {
        Term::Iri(iri) if is_unknown(iri) => (LiteralKind::Unknown, "unknown value".to_owned()),
        Term::Iri(iri) => (LiteralKind::Url, iri.clone()),
        Term::Blank(_) if model == Model::Wikidata => (LiteralKind::Unknown, "unknown value".to_owned()),
        Term::Blank(_) => (LiteralKind::Unknown, "unnamed node".to_owned()),
        Term::Literal { value, datatype, .. } => match datatype.as_deref() {
            Some(datatype) if WKT.contains(&datatype) => {
                coordinates(value).map_or_else(|| (LiteralKind::Text, value.clone()), |text| (LiteralKind::Coordinates, text))
            }
            Some(_) => typed(xsd(term).unwrap_or(""), value, model, precision, unit),
            None => (LiteralKind::Text, value.clone()),
        },
    };
    let raw = (text != term.text()).then(|| term.text().to_owned());
    let lang = Some(term.lang()).filter(|lang| !lang.is_empty()).map(str::to_owned);
    Literal { kind, text, raw, lang }
}

fn typed(kind: &str, value: &str, model: Model, precision: Option<u8>, unit: Option<&str>) -> (LiteralKind, String) {
    if is_date(kind) {
        return (LiteralKind::Date, date(kind, value, model, precision));
    }
    if is_number(kind) {
        let number = key(value);
        return (LiteralKind::Quantity, unit.map_or_else(|| number.clone(), |unit| format!("{number} {unit}")));
    }
    let kind = if kind == "anyURI" { LiteralKind::Url } else { LiteralKind::Text };
    (kind, value.to_owned())
}

fn date(kind: &str, value: &str, model: Model, precision: Option<u8>) -> String {
    let Some(date) = Date::parse(value) else { return value.to_owned() };
    let precision = match (precision, model) {
        (Some(precision), _) => precision,
        // Only Wikidata is known to count a year 0; the same digits mean another year elsewhere.
        (None, Model::Plain) if date.year <= 0 => return value.to_owned(),
        // Without its statement, 1 January may as well stand for the whole year: no more is vouched for.
        (None, Model::Wikidata) if (date.month, date.day) == (Some(1), Some(1)) => 9,
        (None, _) if kind == "gYear" => 9,
        (None, _) => 14,
    };
    date.format(precision)
}

/// `Point(lon lat)` as `lat, lon`.
fn coordinates(wkt: &str) -> Option<String> {
    let start = wkt.to_ascii_lowercase().find("point")?;
    let inner = wkt.get(start + 5..)?.trim().strip_prefix('(')?.split(')').next()?;
    let mut numbers = inner.split_whitespace();
    let (lon, lat) = (numbers.next()?, numbers.next()?);
    (lon.parse::<f64>().is_ok() && lat.parse::<f64>().is_ok()).then(|| format!("{lat}, {lon}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str, datatype: &str, precision: Option<u8>, unit: Option<&str>) -> (LiteralKind, String) {
        let term = Term::Literal { value: value.into(), lang: None, datatype: Some(datatype.into()) };
        let literal = literal(&term, Model::Wikidata, precision, unit);
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
        assert_eq!(shown("yesterday", &date_time, Some(11), None), (LiteralKind::Date, "yesterday".into()));
    }

    #[test]
    fn a_year_before_christ_of_unknown_counting_stays_as_it_is() {
        let term = Term::Literal { value: "-0012-11-29".into(), lang: None, datatype: Some(format!("{XSD}date")) };
        assert_eq!(literal(&term, Model::Plain, None, None).text, "-0012-11-29");
    }

    #[test]
    fn two_unknown_values_stay_two() {
        let of = |term: Term| literal(&term, Model::Wikidata, None, None);
        let (a, b) = (of(Term::Blank("b1".into())), of(Term::Iri("http://www.wikidata.org/.well-known/genid/8f".into())));
        assert_eq!((a.kind, &*a.text), (LiteralKind::Unknown, "unknown value"));
        assert_eq!((b.kind, &*b.text), (LiteralKind::Unknown, "unknown value"));
        assert_ne!(a, b);
    }
}
