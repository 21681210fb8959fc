//! How long a server asks to wait, of a graph or of a model.

use std::time::{Duration, SystemTime};

/// No wait is longer than this, whatever a header says: a clock that is wrong by centuries must not overflow ours.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// How long a `Retry-After` header asks to wait: seconds, or a date in any of the three forms of RFC 9110 as seen at
/// `now`. `None` for what is neither (a negative number, words): the caller's own pause is all there is then.
#[must_use]
pub fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(at) = httpdate::parse_http_date(header) {
        return Some(at.duration_since(now).unwrap_or(Duration::ZERO).min(LONGEST));
    }
    // Two headers in one, as some gateways write: the first counts.
    let number = header.split(',').next().unwrap_or_default().trim();
    let plain = number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds: f64 = plain.then(|| number.parse().ok()).flatten()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        for (header, seconds) in [
            (" 7 ", Some(7.0)),
            ("0", Some(0.0)),
            ("1.5", Some(1.5)),
            ("120, 120", Some(120.0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7.0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(7.0)),
            ("Sun Nov  6 08:49:37 1994", Some(7.0)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0.0)),
            ("-5", None),
            ("soon", None),
            ("", None),
            ("inf", None),
            ("1e9", None),
            ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ] {
            assert_eq!(retry_after(header, now).map(|wait| wait.as_secs_f64()), seconds, "{header}");
        }
    }

    #[test]
    fn no_wait_overflows() {
        let now = SystemTime::UNIX_EPOCH;
        for header in ["99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            assert_eq!(retry_after(header, now), Some(LONGEST), "{header}");
        }
    }
}
