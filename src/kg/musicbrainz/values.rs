//! Values as people read them: dates, lengths, coordinates.

use super::fact::literal;
use super::json;
use crate::graph::{Literal, LiteralKind};
use crate::kg::date_text;
use serde_json::Value;

/// A date as the service writes it: `1994`, `2001-05`, `1994-04-05`. What it does not know (`????-12-24`) stays as sent.
pub fn date(written: &str) -> Literal {
    literal(LiteralKind::Date, &date_text(written, 11), written)
}

/// `4:02` or `1:02:03`, of milliseconds; parts of a second are dropped, as the service's own pages do not.
pub fn length(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}

/// `{"latitude": .., "longitude": ..}`, as numbers or texts.
pub fn coordinates(value: &Value) -> Option<Literal> {
    let (latitude, longitude) = (json::shown(value, "latitude")?, json::shown(value, "longitude")?);
    Some(literal(LiteralKind::Coordinates, &format!("{latitude}, {longitude}"), &format!("{latitude}, {longitude}")))
}

/// `1987 to 1994-04-05`, `from 1991-02-17`, `until 1994`, of anything with `begin` and `end`.
pub fn span(value: &Value) -> Option<String> {
    match (json::text(value, "begin"), json::text(value, "end")) {
        (Some(begin), Some(end)) if begin == end => Some(begin.to_owned()),
        (Some(begin), Some(end)) => Some(format!("{begin} to {end}")),
        (Some(begin), None) => Some(format!("from {begin}")),
        (None, Some(end)) => Some(format!("until {end}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_well_and_keep_what_was_sent() {
        let shown = |written: &str| (date(written).text, date(written).raw);
        assert_eq!(shown("1994-04-05"), ("5 April 1994".into(), Some("1994-04-05".into())));
        assert_eq!(shown("2001-05"), ("May 2001".into(), Some("2001-05".into())));
        assert_eq!(shown("1987"), ("1987".into(), None));
        assert_eq!(shown("????-12-24"), ("????-12-24".into(), None));
        assert_eq!((length(242_640), length(3_723_999), length(999)), ("4:02".into(), "1:02:03".into(), "0:00".into()));
        assert_eq!(coordinates(&json!({"latitude": "51.53", "longitude": -0.18})).unwrap().text, "51.53, -0.18");
        assert_eq!(coordinates(&json!({"latitude": null, "longitude": 1})), None);
        assert_eq!(span(&json!({"begin": "1987", "end": null})).as_deref(), Some("from 1987"));
        assert_eq!(span(&json!({"begin": null, "end": null})), None);
    }
}
