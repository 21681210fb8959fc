//! How long to wait before a request is tried again.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer pauses are not made on our own account.
const LONGEST: Duration = Duration::from_secs(30);

/// A server that wants more time than this is not waited for.
pub const LONGEST_ASKED: Duration = Duration::from_secs(120);

/// The pause after failed try number `tries` (from 1): twice as long each time, between half and all of it by chance, never
/// shorter than the server asks.
pub fn after(tries: u32, first: Duration, asked: Option<Duration>) -> Duration {
    let grown = first.saturating_mul(1 << (tries.saturating_sub(1)).min(10)).min(LONGEST);
    // Chance: so that several programs that failed together don't come back together. `RandomState` is seeded anew each time.
    let share = u32::try_from(RandomState::new().hash_one(tries) % 1000).unwrap_or(0);
    let own = grown / 2 + (grown / 2) * share / 1000;
    own.max(asked.unwrap_or_default())
}

/// What the headers ask for: `retry-after-ms`, or `Retry-After` as seconds or a date (RFC 9110, 10.2.3).
pub fn asked(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = headers.get("retry-after-ms").and_then(|v| v.to_str().ok()).and_then(|t| number(t.trim())) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Some(seconds) = number(text) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    Some(http_date(text)?.duration_since(now).unwrap_or_default())
}

/// `Wed, 21 Oct 2015 07:28:00 GMT` (the one form that servers may send).
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_whitespace().skip(1);
    let day: u64 = words.next()?.parse().ok().filter(|d| (1..=31).contains(d))?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|m| *m == name)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok().filter(|y| (1970..10_000).contains(y))?;
    let mut clock = words.next()?.splitn(3, ':').map(|n| n.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days from the civil calendar, with years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = (365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day).checked_sub(719_469)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(days * 86_400 + hour * 3600 + minute * 60 + second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let first = Duration::from_millis(100);
        for tries in 1..40 {
            let full = Duration::from_millis(100 * (1 << (tries - 1).min(10))).min(LONGEST);
            let pause = after(tries, first, None);
            assert!(pause >= full / 2 && pause <= full, "{tries}: {pause:?}");
        }
        assert_eq!(after(1, first, Some(Duration::from_secs(7))), Duration::from_secs(7));
    }

    #[test]
    fn every_form_of_retry_after_is_read() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_480 - 90); // 21 Oct 2015 07:26:30
        assert_eq!(asked(&headers("retry-after", "3"), now), Some(Duration::from_secs(3)));
        assert_eq!(asked(&headers("retry-after", "0.25"), now), Some(Duration::from_millis(250)));
        assert_eq!(asked(&headers("retry-after-ms", "40"), now), Some(Duration::from_millis(40)));
        assert_eq!(asked(&headers("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), now), Some(Duration::from_secs(90)));
        assert_eq!(asked(&headers("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT"), now), Some(Duration::ZERO));
        for bad in ["soon", "-1", "Wed, 99 Oct 2015 07:28:00 GMT", "NaN"] {
            assert_eq!(asked(&headers("retry-after", bad), now), None, "{bad}");
        }
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(UNIX_EPOCH));
        assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(UNIX_EPOCH + Duration::from_secs(1_709_208_000)));
    }
}
