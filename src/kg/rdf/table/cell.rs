//! A cell as a node or a value.

use crate::kg::sparql::Date;
use oxigraph::model::{Literal, NamedNode, NamedNodeRef, vocab::xsd};

/// Characters of the longest text that is taken for the name of a thing.
const NAME: usize = 80;
/// Digits of the longest number: what is longer is an identifier.
const DIGITS: usize = 18;

/// A cell that begins like an address.
pub fn like_iri(cell: &str) -> bool {
    let scheme = cell.split_once(':').map_or("", |(scheme, _)| scheme);
    let schemed = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    schemed && (cell[scheme.len()..].starts_with("://") || matches!(scheme, "urn" | "local" | "mailto"))
}

/// The node that a cell names: an address as it is, another name below `namespace`.
///
/// # Errors
/// Why an address is none.
pub fn node(namespace: &str, cell: &str) -> Result<NamedNode, String> {
    if like_iri(cell) {
        return match NamedNodeRef::new(cell) {
            Ok(node) => Ok(node.into_owned()),
            Err(error) => Err(format!("<{cell}> is no IRI: {error}")),
        };
    }
    NamedNode::new(format!("{namespace}{}", encoded(cell))).map_err(|error| format!("\"{cell}\" cannot be a name: {error}"))
}

/// The namespace of names in the tables of the KG `kg`. Two KGs may both have a `1`, so all but the one that is called
/// after its kind have a namespace of their own.
pub fn namespace(kg: &str) -> String {
    if kg == "file" { "local:".to_owned() } else { format!("local:{}/", encoded(kg)) }
}

/// A name as part of an IRI.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '~') {
            out.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        }
    }
    out
}

/// How a local name reads.
pub fn label(name: &str) -> String {
    let words: Vec<&str> = name.split(|c: char| c == '_' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { name.to_owned() } else { words.join(" ") }
}

/// Whether a text is too long for a name.
pub fn is_long(cell: &str) -> bool {
    cell.contains('\n') || cell.chars().nth(NAME).is_some()
}

/// A number or date with its type; `None` for other texts.
pub fn typed(cell: &str) -> Option<Literal> {
    let kind = number(cell).or_else(|| date(cell))?;
    Some(Literal::new_typed_literal(cell, kind))
}

fn number(cell: &str) -> Option<NamedNodeRef<'static>> {
    let unsigned = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, part) = mantissa.split_once('.').map_or((mantissa, None), |(whole, part)| (whole, Some(part)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // `007` is a name.
    let counted = digits(whole) && (whole == "0" || !whole.starts_with('0')) && part.is_none_or(digits);
    if !counted || whole.len() + part.map_or(0, str::len) > DIGITS {
        return None;
    }
    match exponent {
        Some(e) => digits(e.strip_prefix(['-', '+']).unwrap_or(e)).then_some(xsd::DOUBLE),
        None if part.is_some() => Some(xsd::DECIMAL),
        None => Some(xsd::INTEGER),
    }
}

fn date(cell: &str) -> Option<NamedNodeRef<'static>> {
    let shape: String = cell.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let kind = match shape.as_str() {
        "9999-99" => xsd::G_YEAR_MONTH,
        "9999-99-99" => xsd::DATE,
        _ => {
            let clock = shape.strip_prefix("9999-99-99T99:99:99")?;
            let zone = clock.trim_start_matches(['.', '9']);
            matches!(zone, "" | "Z" | "+99:99" | "-99:99").then_some(xsd::DATE_TIME)?
        }
    };
    let read = Date::parse(cell)?;
    (read.month.is_some() && (kind == xsd::G_YEAR_MONTH || read.day.is_some())).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_iris() {
        let iri = |cell: &str| node("local:", cell).unwrap().into_string();
        assert_eq!(iri("Ada Lovelace"), "local:Ada%20Lovelace");
        assert_eq!(iri("Köln"), "local:Köln");
        assert_eq!(iri("a<b>\"c\"/?#%"), "local:a%3Cb%3E%22c%22%2F%3F%23%25");
        assert_eq!(iri("http://ex.org/a"), "http://ex.org/a");
        assert_eq!(iri("local:big-star"), "local:big-star");
        assert_eq!(iri("Alien: Covenant"), "local:Alien%3A%20Covenant");
        assert!(node("local:", "http://ex.org/a b").is_err());
        assert_eq!(node(&namespace("my firm"), "1").unwrap().as_str(), "local:my%20firm/1");
        assert_eq!(namespace("file"), "local:");
        assert_eq!((label("born_in"), label("_"), label("a \n b")), ("born in".into(), "_".into(), "a b".into()));
    }

    #[test]
    fn numbers_and_dates_have_types() {
        let kind = |cell: &str| typed(cell).map(|literal| literal.datatype().as_str().rsplit('#').next().unwrap().to_owned());
        for (cell, expected) in [("42", "integer"), ("-3", "integer"), ("0", "integer"), ("1.50", "decimal"), ("1e6", "double")] {
            assert_eq!(kind(cell).as_deref(), Some(expected), "{cell}");
        }
        for (cell, expected) in [("1815-12-10", "date"), ("2010-07", "gYearMonth"), ("2010-07-08T12:00:00.5Z", "dateTime")] {
            assert_eq!(kind(cell).as_deref(), Some(expected), "{cell}");
        }
        for name in
            ["007", "1,5", "1.2.3", "1815-13-10", "2010-07-00", "12:30", "", "-", ".", "e5", "9999999999999999999", "²", "2010-07-08T"]
        {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
