//! How long to wait before a request is tried again.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer pauses are not made on our own account.
const LONGEST: Duration = Duration::from_secs(30);

/// A server that wants more time than this is not waited for.
pub const LONGEST_ASKED: Duration = Duration::from_secs(120);

/// The pause after failed try number `tries` (from 1): twice as long each time, between half and all of it by chance, never
/// shorter than the server asks, and a little longer than that, by chance as well.
pub fn after(tries: u32, first: Duration, asked: Option<Duration>) -> Duration {
    let grown = first.saturating_mul(1 << (tries.saturating_sub(1)).min(10)).min(LONGEST);
    // Chance: so that several programs that failed together don't come back together. `RandomState` is seeded anew each time.
    let share = u32::try_from(RandomState::new().hash_one(tries) % 1000).unwrap_or(0);
    let own = grown / 2 + (grown / 2) * share / 1000;
    asked.map_or(own, |asked| own.max(asked + (first / 2) * share / 1000))
}

/// What the headers ask for: `retry-after-ms`, `Retry-After` as seconds or a date (RFC 9110, 10.2.3), or the time at which
/// a limit that is used up is set back (OpenAI's and Anthropic's headers).
pub fn asked(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    if let Some(asked) = text(RETRY_AFTER.as_str()) {
        if let Some(seconds) = number(asked) {
            return Duration::try_from_secs_f64(seconds).ok();
        }
        if let Ok(date) = httpdate::parse_http_date(asked) {
            return Some(date.duration_since(now).unwrap_or_default());
        }
    }
    let used_up = |left: String, reset: String| {
        let reset = text(&reset).filter(|_| text(&left).and_then(number) == Some(0.0))?;
        spell(reset).or_else(|| Some(moment(reset)?.duration_since(now).unwrap_or_default()))
    };
    let limits = ["x-ratelimit", "anthropic-ratelimit"].into_iter().flat_map(|family| {
        ["requests", "tokens", "input-tokens", "output-tokens"].map(move |kind| match family {
            "x-ratelimit" => (format!("{family}-remaining-{kind}"), format!("{family}-reset-{kind}")),
            _ => (format!("{family}-{kind}-remaining"), format!("{family}-{kind}-reset")),
        })
    });
    limits.filter_map(|(left, reset)| used_up(left, reset)).max()
}

/// A duration as Go writes it: `6m0s`, `1.5s`, `120ms`, `1h2m`.
fn spell(text: &str) -> Option<Duration> {
    let (mut rest, mut all) = (text, 0.0);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let after = &rest[digits..];
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
        let (unit, seconds) = units.into_iter().find(|(unit, _)| after.starts_with(unit))?;
        all += number * seconds;
        rest = &after[unit.len()..];
    }
    (!text.is_empty()).then(|| Duration::try_from_secs_f64(all).ok()).flatten()
}

/// `2015-10-21T07:28:00Z` (RFC 3339, in UTC, as Anthropic writes it).
fn moment(text: &str) -> Option<SystemTime> {
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|n| n.parse::<u64>().ok());
    let year = date.next()??.clamp(1970, 9999);
    let month = date.next()?.filter(|m| (1..=12).contains(m))?;
    let day = date.next()?.filter(|d| (1..=31).contains(d))?;
    let mut clock = clock.split('.').next()?.splitn(3, ':').map(|n| n.parse::<u64>().ok());
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
        let asked = after(1, first, Some(Duration::from_secs(7)));
        assert!(asked >= Duration::from_secs(7) && asked <= Duration::from_millis(7_050), "{asked:?}");
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
    }

    #[test]
    fn the_end_of_a_used_up_limit_is_waited_for() {
        let now = UNIX_EPOCH + Duration::from_secs(1_445_412_480 - 90); // 21 Oct 2015 07:26:30
        let of = |all: &[(&'static str, &'static str)]| {
            let all = all.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            asked(&HeaderMap::from_iter(all), now)
        };
        let requests = ("x-ratelimit-remaining-requests", "0");
        assert_eq!(of(&[requests, ("x-ratelimit-reset-requests", "1m30.5s")]), Some(Duration::from_millis(90_500)));
        assert_eq!(of(&[requests, ("x-ratelimit-reset-requests", "120ms")]), Some(Duration::from_millis(120)));
        let anthropic = [("anthropic-ratelimit-tokens-remaining", "0"), ("anthropic-ratelimit-tokens-reset", "2015-10-21T07:28:00Z")];
        assert_eq!(of(&anthropic), Some(Duration::from_secs(90)));
        assert_eq!(of(&[("x-ratelimit-remaining-tokens", "5"), ("x-ratelimit-reset-tokens", "1m")]), None, "not used up");
        for bad in ["", "soon", "5", "2015-13-21T07:28:00Z", "1y", "T"] {
            assert_eq!(of(&[requests, ("x-ratelimit-reset-requests", bad)]), None, "{bad}");
        }
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(UNIX_EPOCH));
        assert_eq!(moment("2024-02-29T12:00:00.5Z"), Some(UNIX_EPOCH + Duration::from_secs(1_709_208_000)));
    }
}
